"""Bets on the mean of scores in [0, 1]: evidence that is valid at any time.

A bet on a stream of scores X (1 for a win, 1/2 for a tie, 0 for a loss) against a mean m
multiplies 1 + s·(X − m), with a stake s small enough that the factor stays positive for every X
in [0, 1]. If, given what came before, the mean score is at most m and s > 0, or at least m and
s < 0, then each factor has mean at most one. The product is a non-negative supermartingale, and
so is any weighted average over stakes; by Ville's inequality it ever exceeds 1/α with
probability at most α, however often you look. Nothing here needs X to be 0, 1/2 or 1: the mean
of a whole cluster of votes is as good an observation as a single vote.

Two questions are asked, and each has two grids of stakes:

- *Is the mean score above one half?* (m = 1/2, s = 4g for gaps g: at that stake the bet is the
  likelihood ratio of 1/2 + g to 1/2.) `Bet.geometric` where a smallest gap of interest is known,
  `Bet.open_ended` where it is not.
- *Is the mean score below 1/2 + ε?* (m = 1/2 + ε, s < 0.) `Bet.clearing` for duels that a plan
  chooses until the answer is yes, `Bet.against_gap` for votes that somebody else collected.

The kernels take a bet in its packed form: four numbers per stake, which are what a win, a loss
and a tie add to the logarithm, and the logarithm of the weight.

At one known gap g (`Steps`) the two questions take one stake each: the bet on dominance multiplies
1 + 4g(X − 1/2), and the bet against a gap of g multiplies 1 − λ(X − 1/2 − g) with
λ = 4g/(1 − 4g²). Without ties they are the likelihood ratio of 1/2 + g to 1/2 and its inverse. So
a tie is evidence without a coin: nothing for dominance, a little against the gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._kernels import compiled


class Steps(NamedTuple):
    """What one duel adds to the two log-processes at a gap."""

    win: float
    """A win adds this to the bet on dominance, and takes it from the bet against the gap."""
    loss: float
    """A loss takes this from the bet on dominance, and adds it to the bet against the gap."""
    tie: float
    """A tie adds this to the bet against the gap, and nothing to the bet on dominance."""


def steps(gap: float) -> Steps:
    """The log-increments of both bets at `gap`, for 0 < gap < 1/2."""
    return Steps(math.log1p(2 * gap), -math.log1p(-2 * gap), -math.log1p(-4 * gap * gap))


def divergence_from_even(gap: float) -> float:
    """kl(½, ½+gap) in nats: what a duel tells against a gap when it is a fair coin.

    Example:
        >>> round(divergence_from_even(0.01) / 0.01**2, 3)
        2.0
    """
    return -0.5 * math.log1p(-4.0 * gap * gap)


@compiled
def bet_against_gap(
    wins: int, losses: int, ties: int, win: float, loss: float, tie: float
) -> float:
    """Log of the bet that the mean score is below one half plus the gap."""
    return losses * loss + ties * tie - wins * win


def bets_against_gap(counts: NDArray[np.int64], at: Steps) -> NDArray[np.float64]:
    """`bet_against_gap` of each row of counts (wins, losses, ties, lost answers as wins)."""
    wins, losses, ties = counts[..., 0] + counts[..., 3], counts[..., 1], counts[..., 2]
    return np.asarray(losses * at.loss + ties * at.tie - wins * at.win)


@compiled
def duels_to_rise(deficit: float, step: float) -> int:
    """The least number of steps that closes `deficit`, forgiving rounding errors; at least 0."""
    if deficit <= 0.0:
        return 0
    return math.ceil(deficit / step * (1.0 - 1e-9))


Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

LARGEST_GAP = 0.45
"""The largest gap that the grids on dominance bet on, set by hand: close to the largest possible
gap of 1/2, where a single loss would end the bet."""
_SMALLEST_GAP = 2e-8
"""`Bet.open_ended` ends here, so that it never finds a gap smaller than half of this. Set by
hand: such a gap takes more duels than anybody will count."""
_GAP_RATIO = 1.5
"""Neighbouring gaps of `Bet.geometric`; set by hand."""

_MARGIN_RATIO = 1.6
"""Neighbouring margins of `Bet.clearing`; set by hand."""
_EVEN_WEIGHT = 0.8
"""The weight, in `Bet.clearing`, of the stake that is best against an even challenger. Even pairs
take the longest; with this weight they take about 3% longer than with that stake alone
(docs/theory/epsilon-front.md, "The bet")."""
_BOLDEST = 0.9
"""The boldest margin of `Bet.clearing`, as a share of the largest one, at which a single win of
the challenger would end the bet; set by hand."""

_NEARLY = 0.95
"""The largest stake of `Bet.against_gap`, as a share of the largest allowed: a single score may
cost all but a twentieth, never all. Set by hand."""
_FINER = 3
"""How often `Bet.against_gap` halves the stake that is best for an even pair; set by hand."""

_ROWS = 65_536  # observations per block, so that a million of them need no gigabyte


@dataclass(frozen=True, eq=False)
class Bet:
    """A weighted average of bets on the mean of a stream of scores.

    Attributes:
        centre: The mean m that the bet is against.
        stakes: The stake s of each term, all of one sign.
        weights: The weight of each term; they sum to one.
    """

    centre: float
    stakes: Floats
    weights: Floats

    # -- the grids -------------------------------------------------------------------------------

    @classmethod
    def on_gaps(cls, gaps: Sequence[float] | Floats, weights: Sequence[float] | Floats) -> Bet:
        """The bet against "the mean score is at most one half", on the given gaps."""
        return cls(0.5, 4 * np.asarray(gaps, np.float64), np.asarray(weights, np.float64))

    @classmethod
    def geometric(cls, smallest: float) -> Bet:
        """The bet on dominance with gaps from `LARGEST_GAP` to about `smallest`, equally weighted.

        Large gaps show after few duels by the terms with large g, small ones by the others.
        """
        _checks.gap("the smallest gap of a grid", smallest)
        count = 1 + max(0, math.ceil(math.log(LARGEST_GAP / smallest) / math.log(_GAP_RATIO)))
        return cls.on_gaps([LARGEST_GAP / _GAP_RATIO**k for k in range(count)], [1 / count] * count)

    @classmethod
    def open_ended(cls) -> Bet:
        """The bet on dominance at any gap: halving from `LARGEST_GAP` to below 2e-8.

        Weights fall like 1/k², so that small gaps, which take long anyway, pay for large ones.
        """
        count = 1 + math.ceil(math.log2(LARGEST_GAP / _SMALLEST_GAP))
        gaps = [LARGEST_GAP / 2**k for k in range(count)]
        shares = [1 / ((k + 1) * (k + 2)) for k in range(count)]
        whole = sum(shares)
        return cls.on_gaps(gaps, [share / whole for share in shares])

    @classmethod
    def clearing(cls, epsilon: float) -> Bet:
        """The bet against "the mean score is at least 1/2 + ε", for duels chosen along the way.

        A plan goes on until every opponent is cleared. Those that are even with the candidate take
        by far the longest, so most of the weight is on the stake that is best for them,
        4ε/(1 − 4ε²); bolder stakes clear early those that are clearly below. The votes of a log
        call for another grid (`against_gap`): there some opponents are even up to ties, or ahead by
        less than ε, and nobody can ask for more duels.

        >>> bet = Bet.clearing(0.1)
        >>> round(float(bet.weights.sum()), 12), bool((bet.stakes < 0).all())
        (1.0, True)
        """
        mean = 0.5 + _checks.gap("epsilon", epsilon)
        # How far below 1/2 + ε the challenger's mean is bet to be.
        boldest = _BOLDEST * mean
        bolder = math.ceil(math.log(boldest / epsilon) / math.log(_MARGIN_RATIO))
        margins = np.geomspace(epsilon, boldest, 1 + bolder)
        weights = np.full(1 + bolder, (1 - _EVEN_WEIGHT) / bolder)
        weights[0] = _EVEN_WEIGHT
        return cls(mean, -margins / (mean * (1 - mean)), weights)

    @classmethod
    def against_gap(cls, epsilon: float) -> Bet:
        """The bet against "the mean score is at least 1/2 + ε", for votes collected by others.

        The stake 4ε/(1 − 4ε²) is the best one when the pair is even and nobody ties. Smaller ones
        help where the opponent is ahead by less than ε, larger ones where there are ties or the
        opponent is behind.
        """
        _checks.gap("epsilon", epsilon)
        centre = 0.5 + epsilon
        even, largest = 4 * epsilon / (1 - 4 * epsilon**2), _NEARLY / (1 - centre)
        powers = np.arange(-_FINER, 64)
        stakes = even * 2.0**powers
        fitting = stakes < largest
        stakes, powers = stakes[fitting], np.abs(powers[fitting])
        weights = 1 / ((powers + 1.0) * (powers + 2.0))
        # The last one is the largest stake itself: the fastest where the opponent never wins.
        weights = np.append(weights, weights[-1])
        return cls(centre, np.append(-stakes, -largest), weights / weights.sum())

    # -- many streams at once --------------------------------------------------------------------

    @cached_property
    def steps(self) -> Floats:
        """What a win, a loss and a tie add to the logarithm of each term, as three rows."""
        return np.stack([np.log1p(self.stakes * (x - self.centre)) for x in (1.0, 0.0, 0.5)])

    def terms_of_counts(self, wins: Whole, losses: Whole, ties: Whole) -> Floats:
        """The log of each weighted term (columns) for each stream (rows), from its counts."""
        counts = np.stack([wins, losses, ties], axis=1).astype(np.float64)
        return np.asarray(counts @ self.steps + np.log(self.weights))

    def terms_of_scores(
        self, stream: Whole, scores: Floats, streams: int, times: Whole | None = None
    ) -> Floats:
        """The log of each weighted term for each of `streams` streams, from single scores.

        Args:
            stream: Which stream each score belongs to.
            scores: The scores, in [0, 1].
            streams: How many streams there are.
            times: How many observations have each score; one each if None.
        """
        terms = np.tile(np.log(self.weights), (streams, 1))
        for start in range(0, len(scores), _ROWS):
            block = slice(start, start + _ROWS)
            factors = np.log1p(np.multiply.outer(self.stakes, scores[block] - self.centre))
            if times is not None:
                factors *= times[block]
            for column, logs in enumerate(factors):
                terms[:, column] += np.bincount(stream[block], logs, minlength=streams)
        return terms

    # -- for the kernels -------------------------------------------------------------------------

    @cached_property
    def packed(self) -> Floats:
        """Per stake: what a win, a loss and a tie add to the log, and the log-weight; flat."""
        # One number at a time: numpy's own logarithms differ in the last bit from processor to
        # processor, and the same seed should give the same duels everywhere.
        rows = [
            [math.log1p(stake * (x - self.centre)) for x in (1.0, 0.0, 0.5)] + [math.log(weight)]
            for stake, weight in zip(self.stakes.tolist(), self.weights.tolist(), strict=True)
        ]
        return np.array(rows, np.float64).ravel()


def total(terms: Floats) -> Floats:
    """The log of each row's sum of terms, given their logs: the log-evidence of the bets."""
    if not len(terms):
        return np.zeros(0)
    top = terms.max(axis=1)
    return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))


@compiled
def log_bet(bet: Floats, wins: int, losses: int, ties: int) -> float:
    """Log of a packed bet after so many wins, losses and ties."""
    top = -np.inf
    for k in range(0, bet.size, 4):
        top = max(top, wins * bet[k] + losses * bet[k + 1] + ties * bet[k + 2] + bet[k + 3])
    total = 0.0
    for k in range(0, bet.size, 4):
        term = wins * bet[k] + losses * bet[k + 1] + ties * bet[k + 2] + bet[k + 3]
        total += math.exp(term - top)
    return top + math.log(total)


@compiled
def bet_reaches(bet: Floats, wins: int, losses: int, ties: int, level: float) -> bool:
    """Whether the log of a packed bet is at least `level`.

    The weights sum to one, so that the bet is at most its largest term: nearly every call gets
    by without exponentials.
    """
    for k in range(0, bet.size, 4):
        if wins * bet[k] + losses * bet[k + 1] + ties * bet[k + 2] >= level:
            return log_bet(bet, wins, losses, ties) >= level
    return False


@compiled
def bet_quota(bet: Floats, wins: int, losses: int, ties: int, level: float) -> int:
    """How many duels are surely needed before the log of a packed bet reaches `level`.

    The larger of two lower bounds: no single term has reached the level yet, and none rises
    faster than the steepest. A term rises fastest with wins if its stake is positive, and with
    losses if it is negative.
    """
    soonest = np.inf
    steepest = 0.0
    for k in range(0, bet.size, 4):
        rise = max(bet[k], bet[k + 1])
        deficit = level - (wins * bet[k] + losses * bet[k + 1] + ties * bet[k + 2])
        soonest = min(soonest, float(duels_to_rise(deficit, rise)))
        steepest = max(steepest, rise)
    deficit = level - log_bet(bet, wins, losses, ties)
    return int(max(soonest, float(duels_to_rise(deficit, steepest))))


@compiled
def log_bets(bet: Floats, counts: Whole) -> Floats:
    """`log_bet` of each row of counts: wins, losses, ties, lost answers.

    A lost answer is held against the claim: as a loss where the bet is on wins, else as a win.
    """
    logs = np.empty(counts.shape[0])
    for row in range(counts.shape[0]):
        c = counts[row]
        as_win, as_loss = (0, c[3]) if bet[0] > 0 else (c[3], 0)
        logs[row] = log_bet(bet, c[0] + as_win, c[1] + as_loss, c[2])
    return logs


@compiled
def bet_quotas(bet: Floats, counts: Whole, level: float) -> Whole:
    """`bet_quota` of each row of counts, which are read as `log_bets` reads them."""
    quotas = np.empty(counts.shape[0], np.int64)
    for row in range(counts.shape[0]):
        c = counts[row]
        as_win, as_loss = (0, c[3]) if bet[0] > 0 else (c[3], 0)
        quotas[row] = bet_quota(bet, c[0] + as_win, c[1] + as_loss, c[2], level)
    return quotas
