"""Do these decoys work? What votes between items and decoys show, and how many are needed.

A decoy must meet two conditions. Its own item must beat it by Δ; otherwise a comparable pair is
taken for an incomparable one. And items that are incomparable to its item must not beat it;
otherwise an incomparable pair is taken for a comparable one. The second condition fails if the
decoy is too bad: the paper's film of 32 × 24 pixels loses to every film.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from antichain import _checks
from antichain._markup import Summarised, Summary, listed
from antichain._text import counted, names, shown
from antichain.errors import InputError
from antichain.evidence._answers import Tally
from antichain.evidence._confidence import mean_score_interval
from antichain.sources._chunks import one_line
from antichain.votes import read_votes
from antichain.votes._decoy_names import DecoyNaming, supplied_decoys
from antichain.votes._small_tables import PlacedPair
from antichain.votes._vote_log import VoteLog

Flag = Literal["ok", "too weak", "too strong", "wins", "not shown"]
COLUMNS = ("item", "decoy", "votes", "gap", "interval", "flag")
"""The columns of a table of checks."""


@dataclass(frozen=True)
class DecoyCheck:
    """The votes of an item against a decoy, and what they show about the decoy.

    Attributes:
        item: The item that duels the decoy.
        decoy: The decoy.
        tally: The votes; left is the item.
        gap: The item's mean score minus one half, with ties counted half; None without a vote.
        low: The lower limit of the gap (at all times, with the confidence of the whole report).
        high: The upper limit.
        original: The item whose decoy it is: `item` itself, or one that is known to be
            incomparable to it.
        flag: For an item and its own decoy: "ok" (the item wins by at least Δ) or "too weak" (it
            does not). For incomparable items: "too strong" (the decoy loses: it was degraded so
            far that it is comparable), "ok" (the two are even to within Δ; no number of votes can
            show more) or "wins" (the decoy beats the item, so the two items cannot be
            incomparable). For both: "not shown" (the votes show none of these).
    """

    item: str
    decoy: str
    tally: Tally
    gap: float | None
    low: float
    high: float
    original: str
    flag: Flag

    @property
    def votes(self) -> int:
        """The number of votes that count: all but skipped ones."""
        return self.tally.total - self.tally.skipped

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data; `original` is given only if it is another item."""
        record = asdict(self) | {"tally": self.tally._asdict(), "votes": self.votes}
        if self.original == self.item:
            del record["original"]
        return record


@dataclass(frozen=True)
class DecoyReport(Summarised):
    """What votes show about decoys.

    All intervals of `own` and `incomparable` hold together, at every moment of a study however it
    is stopped, with probability at least 1 − δ: each is computed at level δ divided by their
    number. So with that probability every flag other than "not shown" is right. This assumes that
    the votes on a pair are independent and follow one distribution.

    Attributes:
        decoy_gap: Δ, the gap that the decoys were checked against.
        delta: δ, the error probability of all flags together and, separately, of `suggested_gap`.
        level: The level of each single interval.
        own: Each item against its own decoy.
        incomparable: Items against decoys of items that they are incomparable to.
        suggested_gap: The largest Δ that lies below the gap of every item over its own decoy,
            with probability at least 1 − δ; None if no positive Δ is shown.
        suggested_by: The item whose votes keep it from being larger.
        votes: The number of votes read.
        unused: The number of votes on other pairs.

    Example:
        >>> votes = [("Alien", "Alien, 240p", "left")] * 90
        >>> print(check_decoys(votes, {"Alien": "Alien, 240p"}, decoy_gap=0.1))
        Decoys of 1 item, checked at Δ = 0.1: all pass
          ok           1: Alien
          suggested Δ  0.2913 (limited by Alien)
          votes        90
        With probability at least 0.95, all flags are right, however often you check.
    """

    decoy_gap: float
    delta: float
    level: float
    own: tuple[DecoyCheck, ...]
    incomparable: tuple[DecoyCheck, ...]
    suggested_gap: float | None
    suggested_by: str
    votes: int
    unused: int

    @property
    def ok(self) -> bool:
        """Whether no check raises a flag."""
        return all(check.flag == "ok" for check in (*self.own, *self.incomparable))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON."""
        return asdict(self) | {
            "own": [check.to_dict() for check in self.own],
            "incomparable": [check.to_dict() for check in self.incomparable],
            "ok": self.ok,
        }

    def __repr__(self) -> str:
        checks = (*self.own, *self.incomparable)
        passed = sum(check.flag == "ok" for check in checks)
        held = f"{passed:,} of {counted(len(checks), 'check')} ok"
        return f"DecoyReport({held}, decoy_gap={self.decoy_gap:g}, delta={self.delta:g})"

    def _summary(self) -> Summary:
        size = counted(len(self.own), "item")
        held = "all pass" if self.ok else "not all pass"
        by_flag: dict[str, list[str]] = {}
        for check in (*self.own, *self.incomparable):
            said = check.item
            if check.original != check.item:
                said = f"{check.item} against {check.decoy}"
            by_flag.setdefault(check.flag, []).append(said)
        facts = [(flag, listed(by_flag[flag])) for flag in get_args(Flag) if flag in by_flag]
        gap = f"none yet: {self.suggested_by} is not shown to beat its decoy"
        if self.suggested_gap is not None:
            gap = f"{self.suggested_gap:.4f} (limited by {self.suggested_by})"
        others = f" ({self.unused:,} of them on other pairs)" if self.unused else ""
        facts += [("suggested Δ", gap), ("votes", f"{self.votes:,}{others}")]
        sure = (
            f"With probability at least {1 - self.delta:g}, all flags are right, however often you "
            "check."
        )
        title = f"Decoys of {size}, checked at Δ = {self.decoy_gap:g}: {held}"
        return Summary(title, facts, [sure], COLUMNS, rows_of((*self.own, *self.incomparable)))


def rows_of(checks: Iterable[DecoyCheck]) -> list[tuple[str, ...]]:
    """Return checks as the rows of a table with the columns `COLUMNS`."""
    return [
        (
            check.item,
            check.decoy,
            f"{check.votes:,}",
            "" if check.gap is None else f"{check.gap:.3f}",
            f"{check.low:.3f} to {check.high:.3f}",
            check.flag,
        )
        for check in checks
    ]


def check_decoys(
    votes: Any,
    decoys: Mapping[str, str],
    decoy_gap: float,
    *,
    delta: float = 0.05,
    incomparable: Iterable[tuple[str, str]] = (),
    tuned_for: int = 1000,
) -> DecoyReport:
    """Report what votes between items and decoys show about the decoys.

    Args:
        votes: Anything that `read_votes` accepts, such as a path or rows (left, right, winner),
            or a `VoteLog`. Ties, "both bad" and "incomparable" count half.
        decoys: The name of each item's decoy.
        decoy_gap: Δ, the gap that the decoys are meant to have.
        delta: The probability that any flag is wrong.
        incomparable: Pairs of items known to be incomparable; both directions are checked.
        tuned_for: The number of votes per pair at which the intervals should be about shortest.
            Choose it before looking at the votes, for instance with `plan_calibration`.

    >>> votes = [("Alien", "Alien, 240p", "left")] * 90
    >>> votes += [("Alien", "Alien, 240p", "right")] * 10
    >>> check_decoys(votes, {"Alien": "Alien, 240p"}, decoy_gap=0.1).own[0].flag
    'ok'
    """
    supplied = supplied_decoys(decoys, decoys)
    _checks.instance("incomparable", incomparable, Iterable, "pairs of items")
    pairs = [_placed(n, pair) for n, pair in enumerate(incomparable, start=1)]
    return report_on(_log(votes, supplied), supplied, decoy_gap, delta, pairs, tuned_for)


def _log(votes: Any, decoys: Mapping[str, str]) -> VoteLog:
    if isinstance(votes, VoteLog):
        return votes
    if isinstance(votes, Collection) and not isinstance(votes, str) and len(votes) == 0:
        return VoteLog.from_rows([])  # a report can be made before the first vote
    return read_votes(votes, history=False, named_decoys=decoys)


def _placed(n: int, pair: object) -> PlacedPair:
    match pair:
        case (str(left), str(right)):
            return PlacedPair(f"pair {n}", left, right)
        case _:
            raise InputError(f"pair {n} is {pair!r}, but the names of two items were expected")


def decoys_by_suffix(names: Iterable[str], suffix: str) -> dict[str, str]:
    """Return the decoy of each item among all names in the votes, recognised by its `suffix`."""
    naming = DecoyNaming(suffix)
    named = {item: name for name in sorted(names) if (item := naming.item_of(name)) is not None}
    if not named:
        raise InputError(
            f"no name in the votes ends with {suffix!r}, but the decoys' names were expected to "
            "end with it"
        )
    return named


def report_on(
    log: VoteLog,
    decoys: Mapping[str, str],
    decoy_gap: float,
    delta: float,
    incomparable: Iterable[PlacedPair],
    tuned_for: int,
) -> DecoyReport:
    """Report on a log, as `check_decoys`; errors say where an `incomparable` pair was given."""
    gap = _checks.gap("decoy_gap", decoy_gap)
    _checks.probability("delta", delta)
    meetings = _meetings(decoys, incomparable)
    _check_any(log, decoys)
    level = delta / max(1, len(decoys) + len(meetings))
    tallies = _Tallies(log)

    def check(item: str, original: str) -> DecoyCheck:
        decoy = decoys[original]
        tally = tallies.of(item, decoy)
        low, high = _interval(tally, level, tuned_for)
        flag = _own_flag(low, high, gap) if item == original else _other_flag(low, high, gap)
        return DecoyCheck(item, decoy, tally, _mean_gap(tally), low, high, original, flag)

    own = tuple(check(item, item) for item in decoys)
    others = tuple(check(item, original) for item, original in meetings)
    # The smallest gap belongs to one item, and only its lower limit must hold: no union bound is
    # needed, so each limit is taken at the whole of δ.
    limits = {seen.item: _interval(seen.tally, delta, tuned_for)[0] for seen in own}
    least = min(limits, key=limits.__getitem__)
    return DecoyReport(
        decoy_gap=gap,
        delta=delta,
        level=level,
        own=own,
        incomparable=others,
        suggested_gap=limits[least] if limits[least] > 0 else None,
        suggested_by=least,
        votes=log.votes,
        unused=log.votes - sum(seen.tally.total for seen in (*own, *others)),
    )


def _check_any(log: VoteLog, decoys: Mapping[str, str]) -> None:
    """Raise about votes of which none is on a decoy."""
    if log.votes and not {one_line(decoy) for decoy in decoys.values()} & set(log.items):
        example = shown(next(iter(decoys.values())))
        raise InputError(
            f"{log.source} has votes on {names(log.items, 3)}, but on none of the decoys "
            f"({counted(len(decoys), 'decoy')} such as {example}), and votes on items and their "
            "decoys were expected"
        )


def _interval(tally: Tally, alpha: float, tuned_for: int) -> tuple[float, float]:
    """The limits of the gap of left over right."""
    ties = tally.tie + tally.incomparable
    low, high = mean_score_interval(tally.left, tally.right, ties, alpha, tuned_for)
    return low - 0.5, high - 0.5


def _mean_gap(tally: Tally) -> float | None:
    ties = tally.tie + tally.incomparable
    total = tally.left + tally.right + ties
    return (tally.left + ties / 2) / total - 0.5 if total else None


class _Tallies:
    """The votes on pairs of names, whichever side each was shown on."""

    def __init__(self, log: VoteLog) -> None:
        self._place = {name: k for k, name in enumerate(log.items)}
        ends = zip(log.pairs.first.tolist(), log.pairs.second.tolist(), strict=True)
        self._row = {pair: row for row, pair in enumerate(ends)}
        self._table = log.pairs.table

    def of(self, left: str, right: str) -> Tally:
        """Return the votes on a pair, seen from `left`; "both bad" is a tie."""
        ends = [self._place.get(one_line(name), -1) for name in (left, right)]
        row = self._row.get((min(ends), max(ends)))
        if row is None:
            return Tally()
        first, second, ties, both_bad, incomparable, skipped = self._table[row].tolist()
        if ends[0] > ends[1]:
            first, second = second, first
        return Tally(first, second, ties + both_bad, incomparable, skipped)


def _meetings(
    decoys: Mapping[str, str], incomparable: Iterable[PlacedPair]
) -> list[tuple[str, str]]:
    """Return (item, original) for each item to be checked against the decoy of another."""
    if not decoys:
        raise InputError("no decoys were given, but at least one item with its decoy was expected.")
    meetings: dict[tuple[str, str], None] = {}
    for where, first, second in incomparable:
        if first == second:
            raise InputError(f"{where} has {first!r} and itself, but two items were expected")
        if first not in decoys and second not in decoys:
            raise InputError(
                f"{where} has {first!r} and {second!r}, but at least one item with a decoy was "
                "expected"
            )
        for item, original in ((first, second), (second, first)):
            if original in decoys:
                meetings[item, original] = None
    return list(meetings)


def _own_flag(low: float, high: float, gap: float) -> Flag:
    if high < gap:
        return "too weak"
    return "ok" if low >= gap else "not shown"


def _other_flag(low: float, high: float, gap: float) -> Flag:
    if low > 0:
        return "too strong"
    if high < 0:
        return "wins"
    return "ok" if -gap < low and high < gap else "not shown"


@dataclass(frozen=True)
class CalibrationPlan:
    """The number of votes that makes every interval of a report short enough.

    Attributes:
        pairs: The number of item–decoy pairs to vote on.
        votes_per_pair: The votes that each of them needs; pass this as `tuned_for`.
        votes: The votes in total.
        precision: How far an interval then reaches to either side.
        delta: The probability that any interval misses.
        level: The level of each interval.
    """

    pairs: int
    votes_per_pair: int
    votes: int
    precision: float
    delta: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, ready for JSON."""
        return asdict(self)


def plan_calibration(
    items: int, precision: float, *, delta: float = 0.05, incomparable: int = 0
) -> CalibrationPlan:
    """Compute how many votes `check_decoys` needs to know every gap to within `precision`.

    A decoy whose true gap is g is then shown to have a gap of at least g − 2·precision.

    Args:
        items: The number of items with a decoy.
        precision: Half the length of the intervals wanted.
        delta: The probability that any interval misses.
        incomparable: The number of pairs known to be incomparable, each checked in both
            directions.

    >>> plan_calibration(10, 0.1).votes_per_pair
    357
    """
    pairs = _checks.whole("items", items)
    pairs += 2 * _checks.whole("incomparable", incomparable, least=0)
    _checks.between("precision", precision, 0, 0.5)
    level = _checks.probability("delta", delta) / pairs
    # Tuned for n itself, ρ = V/k with V = n/4 and k as in `confidence.tuning`: the radius is
    # √((1 + 1/k)·log((1 + k)/α²)/4n).
    doubt = 2 * math.log(1 / level)
    k = doubt + math.log1p(doubt)
    each = math.ceil((1 + 1 / k) * (math.log1p(k) + doubt) / (4 * precision**2))
    return CalibrationPlan(pairs, each, pairs * each, precision, delta, level)
