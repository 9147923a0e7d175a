"""What the reader of a certificate should know besides what it promises and assumes, in sentences.

`verify` does not compare these, so they are free to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antichain._option_names import option
from antichain._text import counted, names
from antichain.certify._certificate import Pairs, SideBias
from antichain.evidence._confidence import mean_interval
from antichain.referee import Terms
from antichain.votes._decoy_names import DECOY_SUFFIX
from antichain.votes._vote_log import Repeats, VoteLog

_SIDE_LEVEL = 0.95  # of the interval for how the side shown first does
_MOST_NAMED = 3  # voters who repeat themselves, or triples that contradict an assumption
FROM_EXPORT = "Settings taken from the study's export"
REPEATED = "such votes are unlikely to be independent"
REPEATS_OF_STUDY = (
    "The claims are about these voters as they were asked, and may not hold for others like them. "
    "More voters, fewer items or a larger epsilon make repeats rarer. To count each voter only "
    "once per pair would not be valid here, because the study chose its pairs by earlier answers."
)


def taken_over(terms: Mapping[str, Any]) -> str:
    """Say which terms are those of the study that the log is of."""
    shown = [
        f"{name.replace('_', ' ')} {names(value) or 'nothing' if name == 'assume' else value}"
        for name, value in terms.items()
    ]
    return f"{FROM_EXPORT}, unless you gave other values: {', '.join(shown)}."


def notes_on_terms(log: VoteLog, terms: Terms, ordered: bool, several: bool) -> tuple[str, ...]:
    """What the terms leave unused, or where the order of the votes was not used."""
    found = []
    if several:
        pass  # the method says that the order is not used
    elif log.answer_counts["incomparable"] and not terms.cannot_compare and log.clusters is None:
        found.append(
            "'Cannot compare' answers do not help to decide any item here. With "
            f"{option('assume', 'cannot-compare')} they do, "
            "provided that at most a third of voters say so of comparable items and at least two "
            "thirds say so of incomparable ones."
        )
    if log.asks is not None and not ordered and not several:
        found.append(
            "The order of the votes was not used, because there are too many items for that or "
            "because duels of different pairs depend on each other."
        )
    against = ordered and log.asks is not None and log.asks.unanswered == "stop"
    return (*found, *_notes_on_changes(log.terms or {}, against))


def _notes_on_changes(terms: Mapping[str, Any], against: bool) -> list[str]:
    """What voters, and the owner of a study that was served, have changed after it began."""
    found = []
    # Exports of earlier versions have "taken_back": new answers stand in the old ones' places.
    retracted, replaced = terms.get("retracted"), terms.get("taken_back")
    if isinstance(retracted, int) and retracted > 0:
        found.append(
            f"Voters took back {counted(retracted, 'answer')}. "
            + (
                "Each counts against every claim, because it may have been taken back because of "
                "what it said. The answer given instead belongs to a new ask."
                if against
                else "They count for nothing. The certificate holds only if no answer was taken "
                "back because of what it said."
            )
        )
    elif isinstance(replaced, int) and replaced > 0:
        found.append(
            f"Voters took back {counted(replaced, 'answer')}. This certificate rests on the others "
            "alone. It holds only if those answers were slips, and were not taken back because of "
            "what they said or what the results showed."
        )
    out, votes = (terms.get(f"left_out_{what}", 0) for what in ("voters", "votes"))
    if isinstance(out, int) and isinstance(votes, int) and out > 0:
        found.append(
            f"The study's owner left out {counted(out, 'voter')} with {counted(votes, 'vote')}. "
            "This certificate is a new one, as if they had never been asked. It holds only if they "
            "were not left out because of what their votes show."
        )
    deleted = terms.get("deleted_voters")
    if isinstance(deleted, int) and deleted > 0:
        found.append(
            f"The votes of {counted(deleted, 'voter')} were deleted on request. This certificate "
            "was made anew from the others. It holds only if the request did not depend on what "
            "the results showed."
        )
    added = terms.get("added_items")
    if isinstance(added, list) and added:
        found.append(
            f"Added while votes were coming in: {names(added)}. The claims about the other items "
            "were worked out anew with all items. Delta holds for each list of items by itself; "
            f"for all {len(added) + 1} lists together it is {len(added) + 1} times as large."
        )
    reworded = terms.get("reworded")
    if isinstance(reworded, list) and reworded:
        found.append(
            f"Changed in the study file while votes were coming in: {names(reworded)}. Votes from "
            "before and after the change count together, as answers to the same question."
        )
    return found


def side_bias_of(log: VoteLog) -> SideBias | None:
    """How the side shown first did, if the log has judgments in both orders."""
    if log.sides is None or not log.sides.times.sum():
        return None
    scores, times = log.sides
    mean, changed = float(np.average(scores, weights=times)), int(times[scores != 0.5].sum())
    ends = mean_interval(scores, times, 1 - _SIDE_LEVEL)
    return SideBias(int(times.sum()), mean, *ends, _SIDE_LEVEL, changed)


def on_sides(bias: SideBias) -> str:
    """The side bias in a sentence or two."""
    if bias.low > 0.5 or bias.high < 0.5:
        which = "first" if bias.low > 0.5 else "second"
        verdict = f"the judge prefers the side shown {which}; judging in both orders evens this out"
    else:
        verdict = "there is no sign that the judge prefers a side"
    return (
        f"Side bias: over {bias.judgments:,} judgments in both orders, the side shown first scored "
        f"{bias.first:.3f} ({bias.level:.0%} interval {bias.low:.3f} to {bias.high:.3f}, valid at "
        f"any time and not part of δ): {verdict}. The two orders disagreed in "
        f"{counted(bias.changed, 'judgment')}."
    )


def notes_on(log: VoteLog, decoy_gap: float | None) -> tuple[str, ...]:
    found = list(log.guessed)
    if not log.votes:
        ballots = log.clusters is not None and log.clusters.column == "ballot"
        why = "Each ballot ranks a single item, so" if ballots else "So far,"
        found.append(f"{why} no two items have been compared, and nothing can be concluded.")
    bias = side_bias_of(log)
    if bias is not None:
        found.append(on_sides(bias))
    if log.apart.no_verdicts:
        found.append(
            f"Not counted: {counted(log.apart.no_verdicts, 'row')} without a verdict (judge "
            "errors, and rows that are not votes)."
        )
    if log.other_rows:
        what = "items" if log.criteria is None else "items or criteria"
        found.append(f"Not counted: {counted(log.other_rows, 'row')} about other {what}.")
    if log.apart.spare:
        found.append(
            f"Not counted: {counted(log.apart.spare, 'spare answer')}, too late to be evidence."
        )
    if log.apart.decoys and decoy_gap is None:
        found.append(
            f"Not counted: {counted(log.apart.decoys, 'duel')} against decoys. They can show that "
            f"items are incomparable if you say by how much decoys lose ({option('decoy-gap')})."
        )
    elif log.apart.decoys:
        found.append(
            f"The log has {counted(log.apart.decoys, 'duel')} against decoys. A duel of an item "
            "against another item's decoy is evidence on whether the two can be compared, and on "
            "nothing else. Duels against an item's own decoy, or between two decoys, are not "
            "evidence."
        )
    if log.apart.open and log.book is None:
        found.append(
            f"Not counted: {counted(log.apart.open, 'row')} without an answer yet. If an empty "
            f"answer means something, such as a tie, say what ({option('words')}). Leaving these "
            "rows out is harmless only if whether a row has an answer does not depend on what the "
            "answer would be."
        )
    if log.apart.items:
        found.append(
            f"Some items occur only in rows that do not count: {names(log.apart.items)}. They are "
            f"not compared with other items; to include them, list all items ({option('items')})."
        )
    if log.skipped_rows.rows:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in log.skipped_rows.kinds.items())
        places = ", ".join(log.skipped_rows.places)
        found.append(
            f"Skipped {counted(log.skipped_rows.rows, 'bad row')} ({kinds}); the first: {places}."
        )
    if log.repeated is not None and log.repeated.votes:
        again = log.repeated
        by = log.clusters or log.criteria
        where = "pair" if by is None else f"pair and {by.column!r}"
        # Whoever reads an export knows voters by other names than the study does.
        more = REPEATS_OF_STUDY if log.terms is not None else f"Most often: {_most_often(again)}."
        found.append(
            f"{counted(again.votes, 'vote')} {'repeats' if again.votes == 1 else 'repeat'} a "
            f"voter's earlier vote on the same {where} "
            f"({again.voters:,} of {counted(again.most, 'voter')} did so): {REPEATED}. {more}"
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
        f"Names that end with {DECOY_SUFFIX!r} were read as items. If they are decoys, give "
        f"{option('decoy-suffix', DECOY_SUFFIX)}.",
    )


def contradictions(pairs: Pairs, strong: bool) -> tuple[str, ...]:
    """Point out pairs that cannot be what they are shown to be if all assumptions hold."""
    ordered = {frozenset(claim[:2]) for claim in pairs.dominated}
    found = [
        f"Decoys show {claim.first} and {claim.second} to be incomparable, but direct duels put "
        "one above the other: their decoys lose by less than assumed."
        for claim in pairs.incomparable_by_decoys
        if frozenset(claim[:2]) in ordered
    ]
    return (*found, *_not_strong(pairs)) if strong else tuple(found)


def _not_strong(pairs: Pairs) -> list[str]:
    """Triples that are shown to contradict strong transitivity.

    If a is above b and b is above c, then a is above c by as much as b is: c cannot be above a,
    nor can a and c be as good as even where b clearly beats c.
    """
    below: dict[str, set[str]] = {}
    for claim in pairs.dominated:
        below.setdefault(claim.first, set()).add(claim.second)
    apart = {frozenset(claim[:2]) for claim in (*pairs.incomparable, *pairs.incomparable_by_decoys)}
    found = sorted(
        (a, b, c)
        for a, under in below.items()
        for b in under
        for c in below.get(b, ())
        if c != a and (a in below.get(c, ()) or frozenset((a, c)) in apart)
    )
    if not found:
        return []
    named = "; ".join(f"{a} above {b}, {b} above {c}" for a, b, c in found[:_MOST_NAMED])
    return [
        "The votes contradict strong transitivity, which was assumed: in "
        f"{counted(len(found), 'triple')} the first item is not above the last ({named}). Do not "
        "assume it here."
    ]
