"""The paper's tests: a fixed-sample Hoeffding interval, read after every duel.

With w wins in n duels, p = w/n and I = [p − r, p + r], r = √(L/2n). For a two-sided 1−δ
interval L = log(2/δ). Read after every duel this is *not* valid at the stopping time
(docs/theory/errata.md, 2): it is here to follow the paper, and the default rules do not use it.

Each boundary is solved in s = √(number of duels): every stopping condition is a quadratic in s,
so that the least number of duels at which any continuation could stop has a closed form.
"""

from __future__ import annotations

import math

from antichain._kernels import compiled
from antichain.evidence._answers import (
    EVEN,
    LEFT,
    LOSSES,
    OPEN,
    RIGHT,
    SECOND_WINS,
    WINS,
    Counts,
    Floats,
)

# A closed form may land a hair above the integer it stands for; a quota must never be too large.
_SLACK = 1e-9


@compiled
def _whole(duels: float) -> int:
    """The least integer at or above `duels`, forgiving rounding errors."""
    return math.ceil(duels * (1.0 - _SLACK) - _SLACK)


@compiled
def _reach_dominance(against: int, level: float) -> float:
    """Total duels at which one side, winning all to come, first excludes one half.

    n − w = `against` stays fixed, so w/n − 1/2 > √(L/2n) reads n/2 − √(L/2)·√n − against > 0.
    """
    half = math.sqrt(level / 2.0)
    root = half + math.sqrt(level / 2.0 + 2.0 * against)
    return root * root


@compiled
def _reach_below(wins: int, level: float, gap: float) -> float:
    """Total duels at which p + r < 1/2 + gap first holds if all to come are lost."""
    half = math.sqrt(level / 2.0)
    slope = 0.5 + gap
    root = (half + math.sqrt(level / 2.0 + 4.0 * slope * wins)) / (2.0 * slope)
    return root * root


@compiled
def excludes_half(wins: int, duels: int, level: float) -> bool:
    """Whether the interval lies wholly above one half."""
    return duels > 0 and wins - duels / 2.0 > math.sqrt(level * duels / 2.0)


@compiled
def lies_below(wins: int, duels: int, level: float, gap: float) -> bool:
    """Whether the interval lies wholly below one half plus `gap`."""
    return duels > 0 and wins - duels / 2.0 + math.sqrt(level * duels / 2.0) < gap * duels


@compiled
def direct_verdict(wins: int, losses: int, level: float, gap: float) -> int:
    """Algorithm "Direct comparison": LEFT, RIGHT, EVEN (indistinguishable at `gap`) or OPEN.

    Dominance is read first, also on entry: evidence carried over from an earlier epoch may
    already exclude one half at the new level (docs/theory/errata.md, 3).
    """
    duels = wins + losses
    if excludes_half(wins, duels, level):
        return LEFT
    if excludes_half(losses, duels, level):
        return RIGHT
    if lies_below(wins, duels, level, gap) and lies_below(losses, duels, level, gap):
        return EVEN
    return OPEN


@compiled
def direct_quota(wins: int, losses: int, level: float, gap: float) -> int:
    """How many duels are surely needed before `direct_verdict` can say anything."""
    duels = wins + losses
    leading = max(wins, losses)
    # EVEN wants both sides below; the leading one is the obstacle, and neither can be before
    # the radius itself is below the gap.
    even = max(_reach_below(leading, level, gap), level / (2.0 * gap * gap))
    total = min(_reach_dominance(min(wins, losses), level), even)
    return max(1, _whole(total - duels))


@compiled
def capped_verdict(wins: int, losses: int, level: float, cap: float) -> int:
    """UniformSampling's direct test: dominance, or EVEN once `cap` duels are spent."""
    duels = wins + losses
    if excludes_half(wins, duels, level):
        return LEFT
    if excludes_half(losses, duels, level):
        return RIGHT
    return EVEN if duels >= cap else OPEN


@compiled
def capped_quota(wins: int, losses: int, level: float, cap: float) -> int:
    """How many duels are surely needed before `capped_verdict` can say anything."""
    total = min(_reach_dominance(min(wins, losses), level), cap)
    return max(1, _whole(total - (wins + losses)))


@compiled
def decoys_verdict(wins: int, other: int, duels: int, level: float, gap: float) -> int:
    """Algorithm "Decoy comparison", both directions in step.

    Args:
        wins: Wins of the left item over the right item's decoy.
        other: Wins of the right item over the left item's decoy.
        duels: Duels played in each direction.
        level: log(4/δ): each direction has a 1−δ/2 interval.
        gap: The decoys' gap Δ.

    EVEN means incomparable. The loop goes on while either interval still holds one half plus
    the gap (docs/theory/errata.md, 4).
    """
    if excludes_half(wins, duels, level):
        return LEFT
    if excludes_half(other, duels, level):
        return RIGHT
    if lies_below(wins, duels, level, gap) and lies_below(other, duels, level, gap):
        return EVEN
    return OPEN


@compiled
def decoys_quota(wins: int, other: int, duels: int, level: float, gap: float) -> int:
    """How many duels per direction are surely needed before `decoys_verdict` can say anything."""
    dominance = _reach_dominance(duels - max(wins, other), level)
    even = _reach_below(max(wins, other), level, gap)
    return max(1, _whole(min(dominance, even) - duels))


@compiled
def one_sided_verdict(wins: int, losses: int, level: float, gap: float) -> int:
    """One direction of a decoy comparison: LEFT (above), EVEN (not above) or OPEN."""
    duels = wins + losses
    if excludes_half(wins, duels, level):
        return LEFT
    return EVEN if lies_below(wins, duels, level, gap) else OPEN


@compiled
def one_sided_quota(wins: int, losses: int, level: float, gap: float) -> int:
    """How many duels are surely needed before `one_sided_verdict` can say anything."""
    total = min(_reach_dominance(losses, level), _reach_below(wins, level, gap))
    return max(1, _whole(total - (wins + losses)))


# -- the tests as kernels ------------------------------------------------------------------------


@compiled
def direct_interval(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Algorithm "Direct comparison"; its numbers are log(2/δ) and the gap."""
    if wants_quota:
        return direct_quota(c[WINS], c[LOSSES], numbers[0], numbers[1])
    return direct_verdict(c[WINS], c[LOSSES], numbers[0], numbers[1])


@compiled
def capped_interval(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """UniformSampling's direct test; its numbers are the level and the cap."""
    if wants_quota:
        return capped_quota(c[WINS], c[LOSSES], numbers[0], numbers[1])
    return capped_verdict(c[WINS], c[LOSSES], numbers[0], numbers[1])


@compiled
def decoys_in_step(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """Algorithm "Decoy comparison", both directions; its numbers are log(4/δ) and the gap."""
    duels = c[WINS] + c[LOSSES]
    if wants_quota:
        return decoys_quota(c[WINS], c[SECOND_WINS], duels, numbers[0], numbers[1])
    return decoys_verdict(c[WINS], c[SECOND_WINS], duels, numbers[0], numbers[1])


@compiled
def one_sided_interval(
    wants_quota: bool, numbers: Floats, c: Counts, prior_evidence: float, target: int
) -> int:
    """One direction of a decoy comparison; its numbers are the level and the gap."""
    if wants_quota:
        return one_sided_quota(c[WINS], c[LOSSES], numbers[0], numbers[1])
    return one_sided_verdict(c[WINS], c[LOSSES], numbers[0], numbers[1])
