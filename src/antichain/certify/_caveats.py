"""What a certificate promises and assumes, in sentences.

They are part of version 5 of the certificate format: `verify` compares them word for word, so a
change to these sentences needs a new version. Notes, which may change, are in `_notes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from antichain._text import counted, names
from antichain.certify._sides import BOTH_SIDES
from antichain.referee import Terms
from antichain.votes._dependence import dependent_clusters
from antichain.votes._vote_log import ClusterScores, VoteLog

_ORDER = (
    "An item is above another exactly when it wins more of their duels than it loses (order "
    "compatibility). Without this, 'out' still means that some item has a mean score above one "
    "half against it, and 'in' that no item's mean score against it exceeds one half by more than "
    "the promised epsilon."
)
_COLLECTED = (
    "The pairs, the number of votes on each and the moment to stop may all have been chosen by "
    "looking at earlier answers. But whether a vote is in the log must not depend on its answer: "
    "no vote was left out or added because of what it says. Taking back answers or leaving out "
    "voters after seeing results voids the guarantee, unless the rule for it was fixed beforehand."
)
_ALIKE = (
    "Votes are independent of each other, and the voters on a pair do not change over time: "
    "whatever came before, the expected score of a vote is the mean score of its pair. "
)
_VOTES = (
    f"{_ALIKE}Votes that share a voter or a prompt are often not independent; in that case, give "
    "that column as the cluster."
)
_VOTES_OF_STUDY = (
    f"{_ALIKE}Votes by one voter are often not independent. Voters cannot be the clusters here, "
    "because the study chose its pairs by all earlier answers, including those of the same voter."
)
_SIDES = "The side on which an item was shown does not matter, or was drawn at random."
_BOTH_ORDERS = (
    "Each pair was judged in both orders, and the mean of the two judgments is one vote. So an "
    "item's score is its mean over both sides, whichever side the judge prefers."
)
_BALANCED = (
    "Each observation is the mean of two votes on a pair, one from each side, so any advantage of "
    "a side cancels out, and scores are means over both sides. On which side an item was shown, "
    "and how often, does not depend on the answers. Votes are paired at random, and paired anew "
    "whenever votes are added, so this holds for a log that is judged once."
)
_READ_BY = {
    "asks": "the numbers of their asks",
    "time": "their times",
    "rows": "the rows of the log",
}
_IN_ORDER = (
    "Answers are read in the order of {order}, which is the order in which they were asked for. An "
    "answer must not depend on answers to later asks, so voters must not see results."
)
_GIVEN_UP = (
    "Asks that were given up or skipped count against every claim, so giving up or skipping may "
    "depend on what the answer would have been."
)
_IGNORED = (
    "Asks that were given up, skipped or never answered count for nothing. This assumes that "
    "whether an ask is answered does not depend on what the answer would be."
)
_STRONG = (
    "Strong stochastic transitivity (assumed on request): if one item is at or above a second, it "
    "beats any third item by at least as much as the second does. So only opponents that are not "
    "out have to be ruled out as better. Where this is false, items can wrongly be in. The votes "
    "are checked against it only in pairs whose order is shown."
)
_CANNOT = (
    "'Cannot compare' (assumed on request): at most a third of voters say so of two comparable "
    "items, and at least two thirds say so of two incomparable ones. Scores and epsilon are then "
    "about the votes that do compare. 'Out' means that some item is comparable and above; 'in' "
    "means that every other item is incomparable to it, or not ahead by more than epsilon."
)
_DECOYS = (
    "Decoys work as intended: an item at or above another beats the other's decoy by at least "
    "{gap:g} (claims of 'incomparable' by decoys{items} rest on this), and an item that is "
    "incomparable to another does not beat the other's decoy (claims of 'comparable' by decoys "
    "rest on this). Nothing is assumed about an item below the other, and no decoy puts an item "
    "out."
)

NOT_USED = "The order of the votes is not used: the verdicts depend only on the current counts"

NO_FRONT = (
    "Every item is shown to be out, so there is no front: either these votes fit no order, or an "
    "assumption fails."
)


def likely_cycle(cycle: Sequence[str]) -> str:
    """What is likely, but not certified, if every item is out."""
    return f"A likely cycle (not certified): {' > '.join([*cycle, cycle[0]])}."


# -- method and promise --------------------------------------------------------------------------


def method_of(log: VoteLog, ordered: bool) -> str:
    """How the verdicts were reached."""
    if ordered and log.asks is not None:
        how = (
            f"Answers were read one by one, in the order of {_READ_BY[log.asks.known_by]}. A "
            "certified claim stays certified"
        )
    elif log.clusters is not None:
        how = f"Each {log.clusters.column!r} counts as one observation. {NOT_USED}"
    else:
        how = NOT_USED
    return f"{how}. Chances are a model's estimate, not a guarantee."


def held_up(log: VoteLog) -> list[str]:
    """What a reader must know at once: that an ask without an answer holds up later ones."""
    asks = log.asks
    if asks is None or not asks.waiting:
        return []
    return [
        f"Only {log.votes - asks.waiting:,} of {counted(log.votes, 'vote')} count for the claims "
        f"so far: ask {asks.first_open:,} has been neither answered nor given up."
    ]


def promise_of(terms: Terms, epsilon_others: float) -> str:
    """What holds with which probability."""
    compare = "that can be compared with it " if terms.cannot_compare else ""
    if epsilon_others > terms.epsilon:
        beaten = (
            f"no item {compare}that may be maximal beats one that is in by more than "
            f"{terms.epsilon:g}, and no item {compare}at all by more than {epsilon_others:g}"
        )
    else:
        beaten = f"no item {compare}beats one that is in by more than {terms.epsilon:g}"
    return (
        f"With probability at least {1 - terms.delta:g}, if the assumptions hold, all claims are "
        "true, whenever and however often you look: every item that is out has some item above "
        f"it, and {beaten}."
    )


# -- assumptions ---------------------------------------------------------------------------------


def assumptions_of(log: VoteLog, terms: Terms, ordered: bool) -> tuple[str, ...]:
    found = [_ORDER, _COLLECTED]
    if ordered and log.asks is not None:
        found.append(_IN_ORDER.format(order=_READ_BY[log.asks.known_by]))
        if log.asks.known_by == "asks":
            found.append(_GIVEN_UP if log.asks.unanswered == "stop" else _IGNORED)
    found += _of_votes(log)
    found.append(_of_pooling(log, terms))
    found.append(of_answers(log, ordered))
    if terms.strong:
        found.append(_STRONG)
    if terms.cannot_compare:
        found.append(_CANNOT)
    if terms.decoy_gap is not None:
        items = " and of 'in'" if log.clusters is None else ""
        found.append(_DECOYS.format(gap=terms.decoy_gap, items=items))
    found.append(of_items(log))
    return tuple(found)


def collected(log: VoteLog) -> list[str]:
    """How votes may have been collected, and how they may depend on each other."""
    unanswered = [] if log.book is None else [_IGNORED]
    return [_COLLECTED, *unanswered, *_of_votes(log)]


def _of_votes(log: VoteLog) -> list[str]:
    alone = _VOTES if log.terms is None else _VOTES_OF_STUDY
    found = [alone] if log.clusters is None else _of_clusters(log.clusters)
    exported = log.columns is not None and log.columns.receipt is not None
    if log.clusters is not None and log.clusters.column == BOTH_SIDES:
        return [*found, _BALANCED]
    return [*found, _SIDES if log.sides is None or exported else _BOTH_ORDERS]


def of_items(log: VoteLog) -> str:
    added = (log.terms or {}).get("added_items")
    if isinstance(added, list) and added and not log.chosen:
        return (
            f"Of the {len(log.items)} items, {len(added)} joined while votes were coming in "
            f"({names(added)}). This certificate is a new one, as if they had been there from the "
            "start and nobody had been asked about them until then. Every pair of items counts in "
            "the correction for many claims, asked or not. Claims made for a shorter list no "
            "longer count: delta holds for each list by itself, not for all of them together."
        )
    return log.chosen or (
        f"The {len(log.items)} items were chosen before the votes were seen. Every pair of them "
        "counts in the correction for many claims, asked or not. A different list of items needs "
        "a new certificate."
    )


def _of_clusters(clusters: ClusterScores) -> list[str]:
    column = clusters.column
    if clusters.single:
        return [
            f"Each {column!r} was drawn independently of the others, and votes once on each pair "
            "that it can vote on.",
            f"Claims about a pair are about those who vote on it. Which pairs a {column!r} votes "
            "on may depend on what it would say, so scores of different pairs may come from "
            "different people.",
        ]
    return [
        f"Votes with the same {column!r} may depend on each other in any way; votes with different "
        "ones are independent. A cluster's mean is one observation, so every cluster counts the "
        "same, whatever its size.",
        f"Which pairs a {column!r} votes on, and how many votes it has on each, depends only on "
        "earlier clusters, never on its own answers: no tournament or sorting within a cluster. "
        "Results are read when the clusters in the log are complete, not in the middle of one "
        "because of its answers.",
        "Clustered votes never show that most voters cannot compare two items.",
    ]


def _of_pooling(log: VoteLog, terms: Terms) -> str:
    if log.pooling and log.clusters is not None:
        return (
            "The evidence that an item is not maximal is averaged over its opponents, and also "
            "taken from each cluster's mean over all of them. It is never multiplied within a "
            "cluster."
        )
    if log.pooling and terms.cannot_compare:
        return (
            "The evidence that an item is not maximal is weighed separately for each opponent, and "
            "then multiplied."
        )
    if log.pooling:
        return (
            "An item's votes against all its opponents are judged together, because a maximal "
            "item has a mean score of at least one half against every opponent."
        )
    reason = log.pooling_reason.rstrip(".") or "duels of different pairs depend on each other"
    return (
        f"Evidence from different pairs is never multiplied ({reason}); union bounds hold all the "
        "same."
    )


def of_answers(log: VoteLog, ordered: bool = False) -> str:
    words = dict(log.meanings.words)
    asks = log.asks
    if ordered and asks is not None and asks.known_by == "asks" and asks.unanswered == "stop":
        words["skipped"] = "against every claim"  # like asks that were given up
    parts = [
        f"{form.replace('_', ' ')}, {words[form]}"
        for form, count in log.answer_counts.items()
        if form != "wins" and (count or form in ("tie", "skipped"))
    ]
    ignored = any(
        words[form] == "no evidence" and count
        for form, count in log.answer_counts.items()
        if form != "wins"
    )
    warning = (
        " Leaving answers out is harmless only if giving them does not depend on which item the "
        "voter would have chosen."
    )
    if log.meanings.tie == "ignore":
        warning += " Scores and epsilon are about the votes with a winner."
    told = warning if ignored else ""
    return f"Answers without a winner count as follows: {'; '.join(parts)}.{told}"


# -- warnings ------------------------------------------------------------------------------------


def warnings_on(log: VoteLog) -> tuple[str, ...]:
    """Sentences that say that the guarantee may not hold for this log."""
    found = dependent_clusters(log)
    return (found,) if found else ()
