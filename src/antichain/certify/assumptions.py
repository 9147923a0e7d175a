"""What a certificate rests on, in words; the sentences depend on how the votes were read."""

from __future__ import annotations

from antichain.votes.vote_log import VoteLog

_ORDER = (
    "An item is above another exactly when it wins their duels more often than it loses them "
    "(order compatibility); without it, 'out' still means that some item has a mean score above "
    "one half against it, and 'in' that no item has one above one half plus epsilon."
)
_COLLECTED = (
    "Which pairs were asked, how often, and when the collection stopped may have depended on all "
    "earlier answers, and one may look at any time; which votes are in the log must not depend on "
    "what they say (nothing was left out or added because of its answer)."
)
_VOTES = (
    "Given everything before it, each vote has the mean score of its pair: votes are independent "
    "of each other, and the voters of a pair do not change over time. Votes that share a voter or "
    "a prompt are often not; name that column as the cluster then."
)
_SIDES = "On which side an item was shown does not matter, or was drawn at random."


_DECOYS = (
    "Decoys are what they are meant to be: whoever is at or above an item beats its decoy by at "
    "least {gap:g}, which 'incomparable' by decoys rests on; and whoever is incomparable to it "
    "does not beat its decoy, which 'comparable' rests on. Nothing is assumed of items below it, "
    "and no other claim rests on decoys."
)


def assumptions_of(log: VoteLog, decoy_gap: float | None = None) -> tuple[str, ...]:
    """The sentences for a log, the most important first."""
    found = [_ORDER, _COLLECTED]
    if log.clusters is None:
        found.append(_VOTES)
    else:
        found += _of_clusters(log.clusters.column)
    found.append(_SIDES)
    found.append(_of_pooling(log))
    found.append(_of_answers(log))
    if decoy_gap is not None:
        found.append(_DECOYS.format(gap=decoy_gap))
    found.append(
        f"The {len(log.items)} items were settled on before the votes were seen; each pair of "
        "them counts in the correction for many claims, asked or not."
    )
    return tuple(found)


def _of_clusters(column: str) -> list[str]:
    return [
        f"Votes with the same {column!r} may depend on each other in any way; votes of different "
        "ones are independent. A cluster's mean is one observation, so each cluster counts the "
        "same, whatever its size.",
        f"How many votes a {column!r} has on a pair is not decided by what they say; in "
        "particular one looks when the clusters in the log are complete, not in the middle of one "
        "because of its answers.",
        "That most voters cannot compare two items is never claimed of clustered votes.",
    ]


def _of_pooling(log: VoteLog) -> str:
    if log.pooling:
        return (
            "All duels of an item are multiplied into one bet against its being maximal: a maximal "
            "item has a mean score of at least one half against whomever it meets."
        )
    reason = log.pooling_reason.rstrip(".") or "duels of different pairs depend on each other"
    return f"Duels of different pairs are never multiplied ({reason}); unions hold all the same."


def _of_answers(log: VoteLog) -> str:
    words = log.meanings.words
    parts = [
        f"{form.replace('_', ' ')}: {words[form]}"
        for form, count in log.answer_counts.items()
        if form != "wins" and (count or form in ("tie", "skipped"))
    ]
    ignored = any(
        words[form] == "no evidence" and count
        for form, count in log.answer_counts.items()
        if form != "wins"
    )
    warning = (
        " Leaving such answers out is harmless only if whether they are given does not depend on "
        "which item the voter would have chosen."
    )
    if log.meanings.tie == "ignore":
        warning += " Scores and epsilon are about the votes with a winner."
    return f"Answers without a winner: {'; '.join(parts)}.{warning if ignored else ''}"
