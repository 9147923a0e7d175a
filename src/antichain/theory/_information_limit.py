"""The information limit: the duels below which no method can find the front, on average.

docs/theory/limit.md has the whole argument. In short: for every other model with another front, the
means n of a δ-correct method satisfy Σ n·kl ≥ k_δ over the duels whose law differs (Kaufmann, Cappé
and Garivier, 2016). No duel is in the constraints of two dominated items, of two front items, or of
one of each, so that the least sums add.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain import _checks
from antichain.errors import ParameterError
from antichain.evidence._bet import divergence_from_even
from antichain.orders._closure import Relation
from antichain.orders._duel_law import Floats, Mask
from antichain.orders._implicit import ImplicitDuels
from antichain.orders._model import DuelModel
from antichain.theory._observable_limit import telling_gaps

MOST_ITEMS = 2_000
"""The largest number of items for which the programs are solved by default."""


@dataclass(frozen=True)
class Limit:
    """A lower bound on the mean number of duels for one model, and its parts.

    Attributes:
        items: The number of items, K.
        front: The size of the front, p.
        limit: What every δ-correct method takes on average, at least: the two parts' sum.
        dominated_part: What it takes to show of each dominated item that it is dominated.
        front_part: What it takes to show of the front items that none is above another, where
            one test may serve many pairs.
        pairwise_front_part: What the same would take with a test for each ordered pair of front
            items, p(p−1)·k_δ/kl(½, ½+Δ), or without decoys a duel for each pair. Not a bound: a
            method that shares tests stays below it.
        constant: The information that one conclusion takes, k_δ = (1−2δ)·log((1−δ)/δ).
        cover: For each front item, in item order, the least (fractional) number of tests against
            decoys (without them: of duels) that show it to be above no other.
    """

    items: int
    front: int
    limit: float
    dominated_part: float
    front_part: float
    pairwise_front_part: float
    constant: float
    cover: tuple[float, ...]

    def to_dict(self) -> dict[str, int | float]:
        """The numbers by name, `cover` left out."""
        return {name: value for name, value in vars(self).items() if name != "cover"}


def limit(
    model: DuelModel | ImplicitDuels,
    delta: float,
    decoy_gap: float | None,
    most_items: int = MOST_ITEMS,
) -> Limit:
    """Compute a lower bound on the mean number of duels of any δ-correct method on `model`.

    With Δ-decoys the poset is partially observable: a duel is of two items or of an item and a
    decoy, has two outcomes, and is a fair coin where the two are incomparable. Without decoys it
    is fully observable: an incomparable pair is always answered "incomparable". δ-correct: on
    *every* order-compatible model, with the decoys of Proposition "Extending a poset with a
    decoy", the answer is the front with probability at least 1−δ. The mean is over the runs on
    `model` itself.

    Both parts of the limit and their sum are proved in docs/theory/limit.md: `dominated_part` in
    closed form, `front_part` as one covering linear program per front item, solved to the solver's
    tolerance (1e-7). `pairwise_front_part` is a reference line. That some method comes near the
    limit is *not* claimed.

    Args:
        model: The order and its gaps; an implicit one is put into matrices first.
        delta: δ, below 1/2: at 1/2 or above, tossing a coin is correct often enough.
        decoy_gap: Δ, or None if the poset is fully observable.
        most_items: More items than this (2,000 by default) are refused, since the programs could
            take minutes.

    Example:
        >>> model = DuelModel.from_relations([("a", "c", 0.3), ("b", "c", 0.2)])
        >>> found = limit(model, delta=0.05, decoy_gap=0.1)
        >>> round(found.front_part), round(found.dominated_part)
        (260, 14)
    """
    _checks.between("delta", delta, 0.0, 0.5)
    if decoy_gap is not None:
        decoy_gap = _checks.gap("decoy_gap", decoy_gap)
    if model.size > most_items:
        raise ParameterError(
            f"the model has {model.size} items, but at most most_items = {most_items} were "
            "expected: beyond that, the limit's linear programs may take minutes."
        )
    if isinstance(model, ImplicitDuels):
        model = model.to_model()
    constant = (1.0 - 2.0 * delta) * (math.log1p(-delta) - math.log(delta))
    front = model.front_mask()
    size = int(front.sum())
    cover = _covers(model.poset.above, front)
    if decoy_gap is None:
        seen = 1.0 - 2.0 * delta  # the chance, at least, that a pair is met whose answer decides
        shown = math.fsum((constant / divergence_to_even([*telling_gaps(model)])).tolist())
        dominated_part = max(shown, seen * (model.size - size))
        a_test = seen / 2.0  # a duel of two front items may serve them both
    else:
        dominated_part = _dominated_part(model.gaps[:, ~front], decoy_gap, constant)
        a_test = _duels_of_a_test(constant, decoy_gap)
    front_part = math.fsum(cover) * a_test
    return Limit(
        items=model.size,
        front=size,
        limit=dominated_part + front_part,
        dominated_part=dominated_part,
        front_part=front_part,
        pairwise_front_part=size * (size - 1) * a_test,
        constant=constant,
        cover=cover,
    )


def limit_if_any(model: DuelModel, delta: float, decoy_gap: float | None) -> float | None:
    """The information limit in duels; None at δ ≥ ½ or with more than 2,000 items."""
    if delta >= 0.5 or model.size > MOST_ITEMS:
        return None
    return limit(model, delta, decoy_gap).limit


def _duels_of_a_test(constant: float, decoy_gap: float) -> float:
    """k_δ/kl(½, ½+Δ): what it takes to show that a decoy is not beaten by Δ."""
    with np.errstate(divide="ignore", over="ignore"):
        duels = float(constant / np.float64(divergence_from_even(decoy_gap)))
    if not math.isfinite(duels):
        raise ParameterError(
            f"decoy_gap is {decoy_gap!r}, but a gap that fewer than 1e308 duels can show was "
            "expected."
        )
    return duels


def divergence_to_even(gaps: ArrayLike) -> Floats:
    """kl(½+gap, ½) in nats for each gap from 0 to ½: what a duel tells against a fair coin.

    Written so that nothing cancels at small gaps; at ½ it is log 2.
    """
    double = 2.0 * np.asarray(gaps, dtype=np.float64)
    below = np.where(double < 1.0, double, 0.0)
    inside = 0.5 * np.log1p(-below * below) + below * np.arctanh(below)
    return np.where(double < 1.0, inside, math.log(2.0))


def _dominated_part(gaps: Floats, decoy_gap: float, constant: float) -> float:
    """Σ_i k_δ/kl over the dominated items i, whose columns of gaps are given.

    i is made incomparable with all j above it. Then Σ_j n(j, i)·kl(½+γ_ji, ½) +
    n(j, i′)·kl(½+max(γ_ji, Δ), ½) ≥ k_δ. kl(½+γ, ½) grows with γ, so that the most telling duel
    of i is that of the item with the largest gap over it, against i's decoy.
    """
    largest = gaps.max(axis=0, initial=decoy_gap)
    return math.fsum((constant / divergence_to_even(largest)).tolist())


def _covers(above: Relation, front: Mask) -> tuple[float, ...]:
    """For each front item, the least fractional number of tests that clear it of all others.

    A maximal a is put above another maximal b, and so above everything below b, each with a direct
    gap that tends to 0. Then Σ n(a, d′) ≥ k_δ/kl(½, ½+Δ) over the d at or below b that are
    incomparable with a: a test of a against d′ clears the front items at or above d. So only
    the different sets of front items above something matter, and of those without a only the
    largest by inclusion; where b is in one such set alone, that test is forced.
    """
    rows = np.flatnonzero(front)
    at_or_above = above[rows]
    at_or_above[np.arange(len(rows)), rows] = True
    _, kinds = np.unique(np.packbits(at_or_above, axis=0), axis=1, return_index=True)
    sets = at_or_above[:, kinds]  # front items × different sets
    member = sets.astype(np.float32)  # products of counts below 2**24: exact, and fast
    kept = _largest_without(member)
    alone = (kept @ member.T) == 1  # [a, b]: one set is left that clears a of b
    forced = kept * ((alone @ member) > 0)
    left = (forced @ member.T) == 0  # [a, b]: b is not cleared yet
    np.fill_diagonal(left, False)
    covers = forced.sum(axis=1)
    rest = (kept - forced) > 0
    return tuple(
        float(covers[a]) + (_fractional_cover(sets[left[a]][:, rest[a]]) if left[a].any() else 0.0)
        for a in range(len(rows))
    )


def _largest_without(member: NDArray[np.float32]) -> NDArray[np.float32]:
    """[a, s]: 1 where the set s is without a, and so is no set that holds s and more."""
    sizes = member.sum(axis=0)
    within = ((member.T @ member) == sizes[:, None]) & (sizes[:, None] < sizes[None, :])
    without = 1 - member
    larger = without @ within.T.astype(np.float32)
    kept: NDArray[np.float32] = without * (larger == 0)
    return kept


def _fractional_cover(holds: Relation) -> float:
    """The least Σx with x ≥ 0 and Σ x_s ≥ 1 over the sets s (columns) that hold each row."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    rows, columns = holds.shape
    found = linprog(  # type: ignore[call-overload]  # the stubs know dense matrices only
        np.ones(columns),
        A_ub=csr_array(-holds.astype(np.float64)),
        b_ub=-np.ones(rows),
        method="highs",
    )
    # Every row is in some column and costs are positive: there is an optimum.
    assert found.success, found.message
    return float(found.fun)
