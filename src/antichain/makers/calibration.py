"""Are these decoys? Votes between items and decoys, and how many of them it takes.

Two things are asked of a decoy. Its own item must beat it by Δ, or a comparable pair is taken for
an incomparable one; and what is incomparable to the item must not beat it, or an incomparable
pair is taken for a comparable one. The second fails where the decoy is too bad: the paper's film
of 32 × 24 pixels loses to every film.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from antichain import checks
from antichain.errors import InputError
from antichain.evidence.answers import Tally
from antichain.evidence.confidence import mean_score_interval
from antichain.makers.supplied import supplied_decoys
from antichain.makers.votes import VoteCounts
from antichain.votes import read_votes
from antichain.votes.item_pairs import PlacedPair
from antichain.votes.vote_log import VoteLog

OwnFlag = Literal["ok", "too weak", "not shown"]
IncomparableFlag = Literal["ok", "too strong", "wins", "not shown"]


@dataclass(frozen=True)
class _Check:
    """The votes of an item against a decoy, and the gap they show.

    Attributes:
        item: Who duels the decoy.
        decoy: The decoy.
        tally: The votes; left is the item.
        gap: The item's mean score less one half, ties counted half; None without a vote.
        low: The gap is at least this (at all times, with the family's confidence).
        high: And at most this.
    """

    item: str
    decoy: str
    tally: Tally
    gap: float | None
    low: float
    high: float

    @property
    def votes(self) -> int:
        """The votes that count: all but skipped ones."""
        return self.tally.total - self.tally.skipped


@dataclass(frozen=True)
class OwnDecoyCheck(_Check):
    """An item against its own decoy.

    Attributes:
        flag: "ok" (it wins by Δ at least), "too weak" (it does not), "not shown" (either).
    """

    flag: OwnFlag


@dataclass(frozen=True)
class IncomparableCheck(_Check):
    """An item against the decoy of another that it is known to be incomparable to.

    Attributes:
        original: The item whose decoy it is.
        flag: "too strong" (the decoy loses: it was degraded so far that it is comparable), "ok"
            (shown even up to Δ; no number of votes can show more than that), "wins" (the decoy
            beats the item, so that the two cannot be incomparable), "not shown".
    """

    original: str
    flag: IncomparableFlag


@dataclass(frozen=True)
class DecoyReport:
    """What votes show of decoys.

    All intervals of `own` and `incomparable` hold at once, at every moment of a study however it
    is stopped, with probability at least 1 − δ: each is made at level δ over their number. So
    every flag but "not shown" is right with that probability, all together. It takes that the
    votes on a pair are independent and follow one law.

    Attributes:
        decoy_gap: Δ, what the decoys were checked against.
        delta: δ, the error of all flags together and, apart from them, of `suggested_gap`.
        level: The level of each single interval.
        own: Each item against its own decoy.
        incomparable: Items against decoys of what they are incomparable to.
        suggested_gap: The largest Δ that lies below the gap of every item over its own decoy,
            with probability at least 1 − δ; None where no positive one is shown.
        suggested_by: The item whose votes keep it from being larger.
        votes: Votes read.
        unused: Votes on other pairs.
    """

    decoy_gap: float
    delta: float
    level: float
    own: tuple[OwnDecoyCheck, ...]
    incomparable: tuple[IncomparableCheck, ...]
    suggested_gap: float | None
    suggested_by: str
    votes: int
    unused: int

    @property
    def ok(self) -> bool:
        """Whether every check is passed."""
        flags = [check.flag for check in self.own], [check.flag for check in self.incomparable]
        return all(flag == "ok" for part in flags for flag in part)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON."""
        record = asdict(self) | {"ok": self.ok}
        for name in ("own", "incomparable"):
            for entry, check in zip(record[name], getattr(self, name), strict=True):
                entry["tally"] = check.tally._asdict()
                entry["votes"] = check.votes
        return record


def check_decoys(
    votes: Any,
    decoys: Mapping[str, str],
    decoy_gap: float,
    *,
    delta: float = 0.05,
    incomparable: Iterable[tuple[str, str]] = (),
    tuned_for: int = 1000,
) -> DecoyReport:
    """What votes between items and decoys show of the decoys.

    Args:
        votes: A log as `read_votes` takes it, such as a path or rows (left, right, winner), or
            one that it has read. Ties, "both bad" and "incomparable" count half.
        decoys: The name of each item's decoy.
        decoy_gap: Δ, the gap the decoys are meant to have.
        delta: The chance that any flag is wrong.
        incomparable: Pairs of items known to be incomparable; both ways are checked.
        tuned_for: The number of votes a pair at which intervals should be about shortest; to be
            chosen before looking, say by `plan_calibration`.

    >>> votes = [("Alien", "Alien, 240p", "left")] * 90 + [("Alien", "Alien, 240p", "right")] * 10
    >>> check_decoys(votes, {"Alien": "Alien, 240p"}, decoy_gap=0.1).own[0].flag
    'ok'
    """
    supplied = supplied_decoys(decoys, decoys)
    pairs = [_placed(n, pair) for n, pair in enumerate(incomparable, start=1)]
    counts = VoteCounts(_log(votes, supplied))
    return report_on(counts, supplied, decoy_gap, delta, pairs, tuned_for)


def _log(votes: Any, decoys: Mapping[str, str]) -> VoteLog:
    if isinstance(votes, VoteLog):
        return votes
    if isinstance(votes, Collection) and not isinstance(votes, str) and len(votes) == 0:
        return VoteLog.from_rows([])  # before the first vote there is a report as well
    return read_votes(votes, history=False, named_decoys=decoys)


def _placed(n: int, pair: object) -> PlacedPair:
    match pair:
        case (str(left), str(right)):
            return PlacedPair(f"pair {n}", left, right)
        case _:
            raise InputError(f"pair {n} is {pair!r}, but the names of two items were expected")


def report_on(
    counts: VoteCounts,
    decoys: Mapping[str, str],
    decoy_gap: float,
    delta: float,
    incomparable: Iterable[PlacedPair],
    tuned_for: int,
) -> DecoyReport:
    """The report on counted votes; errors name where an `incomparable` pair stands."""
    gap = checks.gap("decoy_gap", decoy_gap)
    checks.probability("delta", delta)
    meetings = _meetings(decoys, incomparable)
    level = delta / max(1, len(decoys) + len(meetings))

    def seen(item: str, decoy: str, alpha: float) -> dict[str, Any]:
        tally = counts.of_pair(item, decoy)
        ties = tally.tie + tally.incomparable
        low, high = mean_score_interval(tally.left, tally.right, ties, alpha, tuned_for)
        total = tally.left + tally.right + ties
        mean = (tally.left + ties / 2) / total - 0.5 if total else None
        return {
            "item": item,
            "decoy": decoy,
            "tally": tally,
            "gap": mean,
            "low": low - 0.5,
            "high": high - 0.5,
        }

    own = [seen(item, decoy, level) for item, decoy in decoys.items()]
    others = [(original, seen(item, decoys[original], level)) for item, original in meetings]
    # The least gap is that of one item, and its lower limit alone must hold: no union is needed,
    # so that each is taken at the whole of δ.
    limits = {item: seen(item, decoy, delta)["low"] for item, decoy in decoys.items()}
    least = min(limits, key=limits.__getitem__)
    used = sum(entry["tally"].total for entry in [*own, *(entry for _, entry in others)])
    return DecoyReport(
        decoy_gap=gap,
        delta=delta,
        level=level,
        own=tuple(OwnDecoyCheck(**entry, flag=_own_flag(entry, gap)) for entry in own),
        incomparable=tuple(
            IncomparableCheck(**entry, original=original, flag=_other_flag(entry, gap))
            for original, entry in others
        ),
        suggested_gap=limits[least] if limits[least] > 0 else None,
        suggested_by=least,
        votes=counts.votes,
        unused=counts.votes - used,
    )


def _meetings(
    decoys: Mapping[str, str], incomparable: Iterable[PlacedPair]
) -> list[tuple[str, str]]:
    """(item, original): the items to be seen against the decoys of originals."""
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


def _own_flag(seen: Mapping[str, Any], gap: float) -> OwnFlag:
    if seen["high"] < gap:
        return "too weak"
    return "ok" if seen["low"] >= gap else "not shown"


def _other_flag(seen: Mapping[str, Any], gap: float) -> IncomparableFlag:
    if seen["low"] > 0:
        return "too strong"
    if seen["high"] < 0:
        return "wins"
    return "ok" if -gap < seen["low"] and seen["high"] < gap else "not shown"


@dataclass(frozen=True)
class CalibrationPlan:
    """How many votes make every interval of a report reach no farther than so much.

    Attributes:
        pairs: Item–decoy pairs to vote on.
        votes_per_pair: Votes each of them needs; also what to give as `tuned_for`.
        votes: Votes in all.
        precision: How far an interval then reaches to either side.
        delta: The chance that any of them misses.
        level: The level of each.
    """

    pairs: int
    votes_per_pair: int
    votes: int
    precision: float
    delta: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, ready for JSON."""
        return asdict(self)


def plan_calibration(
    items: int, precision: float, *, delta: float = 0.05, incomparable: int = 0
) -> CalibrationPlan:
    """How many votes `check_decoys` needs to know every gap to within `precision`.

    A decoy whose true gap is g is then shown to have one of g − 2·precision at least.

    Args:
        items: Items with a decoy.
        precision: Half the length of the intervals wanted.
        delta: The chance that any interval misses.
        incomparable: Pairs of items known to be incomparable, each to be checked both ways.

    >>> plan_calibration(10, 0.1).votes_per_pair
    357
    """
    pairs = checks.whole("items", items)
    pairs += 2 * checks.whole("incomparable", incomparable, least=0)
    checks.between("precision", precision, 0, 0.5)
    level = checks.probability("delta", delta) / pairs
    # Tuned for n itself, ρ = V/k with V = n/4 and k as in `confidence.tuning`: the radius is
    # √((1 + 1/k)·log((1 + k)/α²)/4n).
    doubt = 2 * math.log(1 / level)
    k = doubt + math.log1p(doubt)
    each = math.ceil((1 + 1 / k) * (math.log1p(k) + doubt) / (4 * precision**2))
    return CalibrationPlan(pairs, each, pairs * each, precision, delta, level)
