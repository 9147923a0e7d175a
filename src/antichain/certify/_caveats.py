"""What a certificate assumes, and what its reader should know besides, in sentences.

The assumptions are part of version 1 of the certificate format: `verify` compares them word for
word, so a change to these sentences needs a new version. Notes are free to change.
"""

from __future__ import annotations

from antichain._text import names
from antichain.certify._certificate import Pairs
from antichain.votes._decoy_names import DECOY_SUFFIX
from antichain.votes._vote_log import Repeats, VoteLog

_MOST_NAMED = 3  # voters who repeat themselves

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


def notes_on(log: VoteLog, decoy_gap: float | None) -> tuple[str, ...]:
    found = list(log.guessed)
    if log.other_rows:
        found.append(f"Rows about other items were not counted: {log.other_rows:,}.")
    if log.apart.spare:
        found.append(
            f"Spare answers were not counted, since they came too late to be evidence: "
            f"{log.apart.spare:,}."
        )
    if log.apart.decoys and decoy_gap is None:
        found.append(
            f"Duels against decoys were not counted: {log.apart.decoys:,}. They can show that "
            "items are incomparable if you say by how much decoys lose (--decoy-gap)."
        )
    elif log.apart.decoys:
        found.append(
            f"Duels against decoys: {log.apart.decoys:,}. A duel of an item against the decoy of "
            "another is evidence on whether the two can be compared, and on nothing else; duels "
            "against an item's own decoy, or between two decoys, are not evidence."
        )
    if log.apart.items:
        found.append(
            f"Some items occur in such duels only: {names(log.apart.items)}. They are not "
            "compared with other items; list all items (--items) to include them."
        )
    if log.skipped_rows.rows:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in log.skipped_rows.kinds.items())
        places = ", ".join(log.skipped_rows.places)
        found.append(
            f"Bad rows were skipped: {log.skipped_rows.rows:,} ({kinds}); the first: {places}."
        )
    if log.repeated is not None and log.repeated.votes:
        again = log.repeated
        where = "pair" if log.clusters is None else f"pair and {log.clusters.column!r}"
        found.append(
            f"{again.votes:,} votes repeat a voter's earlier vote on the same {where} "
            f"({again.voters:,} of {again.most:,} voters did so): they are hardly independent."
            f" Most often: {_most_often(again)}."
        )
    return tuple(found)


def _most_often(again: Repeats) -> str:
    most: dict[tuple[str, str, str], int] = {}  # a voter may repeat in several clusters
    for voter, left, right, times in again.top:
        most.setdefault((voter, left, right), times)
    return "; ".join(
        f"{voter} on {left} and {right} ({times:,} times)"
        for (voter, left, right), times in list(most.items())[:_MOST_NAMED]
    )


def undeclared_decoys(log: VoteLog) -> tuple[str, ...]:
    """Point out names that look like those of decoys, if no decoys were declared."""
    if log.decoys is not None or not any(name.endswith(DECOY_SUFFIX) for name in log.items):
        return ()
    return (
        f"Names that end with {DECOY_SUFFIX!r} were taken as items; if they are decoys, use "
        f'--decoy-suffix "{DECOY_SUFFIX}".',
    )


def contradictions(pairs: Pairs) -> tuple[str, ...]:
    """Point out pairs that cannot be what they are shown to be if all assumptions hold."""
    ordered = {frozenset(claim[:2]) for claim in pairs.dominated}
    return tuple(
        f"Decoys show {claim.first} and {claim.second} to be incomparable, but direct duels put "
        "one above the other: their decoys lose by less than was assumed."
        for claim in pairs.incomparable_by_decoys
        if frozenset(claim[:2]) in ordered
    )
