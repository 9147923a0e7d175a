"""What the votes themselves say about the assumptions: sides, voters, repeats, drift, sparse items.

None of this is part of the guarantee. An alarm says what to do about it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from antichain._option_names import option
from antichain._text import counted
from antichain.certify._certificate import LogCheck
from antichain.certify._sides import by_side, known_sides
from antichain.evidence._bet import Bet, total
from antichain.votes._vote_log import FORMS, Counts, VoteLog

_NORMAL_95 = 1.959963984540054
_ALARM = 4.0  # standard deviations: chance alone goes beyond them in one log of 16,000
_SPARSE = 10  # items of a log that may be called sparse; a small one is merely young
_MANY = 0.2  # the share of items with too few votes that makes a log sparse
_MOST_TRIED = 200  # votes


def checks_on(log: VoteLog) -> tuple[LogCheck, ...]:
    """What the data can answer, in the order in which it matters."""
    found = (_sides(log), _voters(log), _repeats(log), _drift(log))
    return tuple(check for check in found if check is not None)


def _sides(log: VoteLog) -> LogCheck | None:
    """Whether the left side wins more often than the same items do on the right."""
    columns = known_sides(log)
    if columns is None:
        return None
    left, right = by_side(log)
    won, lost = (int(left[k].sum() + right[2 - k].sum()) for k in (0, 2))
    said = f"The left side ({columns[0]}) won {counted(won, 'vote')} and lost {lost:,}"
    (n, here, spread), (m, there, other) = _moments(left), _moments(right)
    both = (n > 0) & (m > 0)
    if not both.any():
        return LogCheck("sides", f"{said}. No pair was shown both ways round, so the effect "
                     "of the side cannot be told apart from that of the items.", False)  # fmt: skip
    weight = (n * m / np.maximum(n + m, 1))[both]
    gain = float((weight * (here - there)[both]).sum() / weight.sum()) / 2
    # A variance of zero in a pair of few votes says nothing: then that of a coin is taken.
    pooled = (n * spread + m * other + 0.25)[both] / (n + m + 1)[both]
    error = math.sqrt(float((weight * pooled).sum())) / float(weight.sum()) / 2
    ends = (0.5 + gain + side * _NORMAL_95 * error for side in (-1, 1))
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    interval = f"(95% interval {100 * low:.1f}% to {100 * high:.1f}%)"
    said += f". Against the same opponents it takes {50 + 100 * gain:.0f}% of the votes {interval}"
    if abs(gain) <= _ALARM * error:
        sign = "no sign" if low <= 0.5 <= high else "no clear sign"
        return LogCheck("sides", f"{said}: {sign} that the side matters.", False)
    if _of_study(log):
        fair = "The study drew sides at random, so the verdicts hold all the same."
    else:
        fair = (
            "If sides were drawn at random, the verdicts hold all the same; if not, cancel the "
            f"effect with {option('sides', columns[0])}."
        )
    return LogCheck("sides", f"{said}: the side matters. {fair}", True)


def _of_study(log: VoteLog) -> bool:
    """Whether the votes are those of a study, or exported from one."""
    return log.columns is not None and log.columns.receipt is not None


def _moments(counts: tuple[Counts, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The number of votes by pair, their mean score, and their variance."""
    won, tied, lost = counts
    votes = won + tied + lost
    mean = (won + tied / 2) / np.maximum(votes, 1)
    return votes, mean, (won + tied / 4) / np.maximum(votes, 1) - mean**2


def _voters(log: VoteLog) -> LogCheck | None:
    who = log.repeated
    if who is None or not who.most:
        return None
    return LogCheck(
        "voters",
        f"{counted(who.most, 'voter')}, with a median of {counted(who.usual, 'vote')} and at most "
        f"{who.largest:,}.",
        False,
    )


def _repeats(log: VoteLog) -> LogCheck | None:
    who = log.repeated
    if who is None:
        return None
    if not who.votes:
        return LogCheck("repeated votes", "No voter voted on a pair twice.", False)
    way = "see the notes"
    if log.terms is None:
        way = "name the voters as the cluster to count each voter once"
    return LogCheck(
        "repeated votes",
        f"{counted(who.votes, 'vote')} {'repeats' if who.votes == 1 else 'repeat'} a voter's "
        f"earlier vote on a pair; {way}.",
        False,  # a note says so already
    )


def _drift(log: VoteLog) -> LogCheck | None:
    """Whether pairs came out differently in the first and the second half of the votes."""
    early = None if _rows_sorted(log) else _first_half(log)
    if early is None:
        return None
    before, all_votes = (log.meanings.scored(table) for table in (early, log.pairs.table))
    n, mean, _ = _moments(before)
    total_votes, overall, spread = _moments(all_votes)
    later = total_votes - n
    used = (n > 0) & (later > 0) & (spread > 0) & (total_votes > 2)
    if used.sum() < 1:
        return None
    n, later, total_votes = n[used], later[used], total_votes[used]
    # The variance of a mean of n votes drawn from all of a pair without replacement.
    expected = spread[used] / n * later / (total_votes - 1)
    squares = (mean - overall)[used] ** 2 / expected
    excess = float((squares.sum() - squares.size) / math.sqrt(2 * squares.size))
    pairs = counted(int(used.sum()), "pair")
    said = f"The first and second halves of the votes on {pairs} differ by"
    if excess <= _ALARM:
        return LogCheck("drift", f"{said} no more than chance explains.", False)
    why = (
        "Answers depend on when they were given, or on something else that the log is sorted by "
        "(voters, prompts): give that column as the cluster, or certify one part on its own."
    )
    if _of_study(log):  # it has no clusters
        why = (
            "Answers depend on when they were given or on who gave them, but the claims assume "
            "that the voters on a pair do not change over time."
        )
    return LogCheck("drift", f"{said} more than chance explains. {why}", True)


def _rows_sorted(log: VoteLog) -> bool:
    """Whether rows may stand in an order that says nothing: tallies, or criterion by criterion."""
    tallied = log.columns is not None and log.columns.count is not None
    return log.criteria is not None or (tallied and log.votes > log.counted_rows)


def _first_half(log: VoteLog) -> Counts | None:
    """The counts of the first half of the votes, where the order is known."""
    if log.history:
        table = np.zeros(log.pairs.size * len(FORMS), np.int64)
        for point in log.history:
            np.add.at(table, point.cells, point.grew)
            if 2 * point.votes >= log.votes:
                break
        return table.reshape(-1, len(FORMS))
    if log.asks is None:
        return None
    asks, size = log.asks, len(log.items)
    half = np.arange(asks.first.size) < asks.first.size // 2
    half &= (asks.decoy == 0) & (asks.form < len(FORMS))
    keys = log.pairs.first * size + log.pairs.second
    row = np.searchsorted(keys, (asks.first * size + asks.second)[half])
    table = np.zeros((log.pairs.size, len(FORMS)), np.int64)
    np.add.at(table, (row, asks.form[half]), 1)
    return table


# -- sparse items --------------------------------------------------------------------------------


def fewest_votes(required: float) -> int:
    """The fewest votes that can put an item out, even if it loses all of them."""
    tried = np.arange(1, _MOST_TRIED)
    none = np.zeros_like(tried)
    enough = total(Bet.open_ended().terms_of_counts(tried, none, none)) >= required
    return int(tried[enough.argmax()]) if enough.any() else _MOST_TRIED


def well_voted(log: VoteLog, least: int) -> tuple[str, ...]:
    """The items with at least so many votes against each other, and no others."""
    wins, halves, losses = log.scored()
    votes, first, second = wins + halves + losses, log.pairs.first, log.pairs.second
    keep = np.ones(len(log.items), np.bool_)
    while True:
        counted_here = np.where(keep[first] & keep[second], votes, 0)
        each = np.bincount(first, counted_here, len(keep))
        each += np.bincount(second, counted_here, len(keep))
        fewer = keep & (each >= least)
        if (fewer == keep).all():
            return tuple(name for name, kept in zip(log.items, keep, strict=True) if kept)
        keep = fewer


def most_for_well_voted(log: VoteLog) -> int:
    """The largest number of votes with which `well_voted` keeps any items."""
    each = range(1, int(np.sum(log.scored())) + 2)
    return bisect_left(each, True, key=lambda least: not well_voted(log, least))


def sparse(log: VoteLog, votes: Sequence[float], fewest: int, undecided: int) -> LogCheck | None:
    """An alarm if many items have too few votes, or most of them have met few of the others.

    Args:
        log: The votes.
        votes: The number of votes on each item.
        fewest: The fewest votes that any verdict takes.
        undecided: The number of undecided items.
    """
    size, few = len(log.items), sum(number < fewest for number in votes)
    if size < _SPARSE or (log.asks is not None and log.asks.waiting):
        return None
    pairs = size * (size - 1) // 2
    if few >= max(2, _MANY * size):
        said = (
            f"Too sparse: {few:,} of {counted(size, 'item')} have fewer than "
            f"{counted(fewest, 'vote')}, too few to put an item out even if it loses all of them"
        )
        least = fewest
    elif 2 * undecided > size and log.pairs.size < _MANY * pairs:
        has = "has" if log.pairs.size == 1 else "have"
        said = f"Too sparse to show much: {log.pairs.size:,} of {pairs:,} pairs {has} a vote"
        least = max(fewest, int(np.quantile(votes, 0.75)))
    else:
        return None
    left = len(well_voted(log, least))
    more = (
        f"Keep only the {left:,} items with at least {counted(least, 'vote')} "
        f"({option('min-votes', least)})."
    )
    if left < 2:
        more = "Collect more votes, or compare fewer items."
    return LogCheck("sparse", f"{said}. {more}", True)
