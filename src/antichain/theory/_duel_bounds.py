"""The paper's bounds on duels as functions, and every bound for one model (`bounds_for`).

Each docstring names the statement by its number in the compiled paper and its label in the paper's
source, and the erratum (docs/theory/errata.md) that it follows. Throughout, `items` is K, `delta`
is the error level of the whole run unless a docstring says otherwise, `decoy_gap` is the Δ of the
decoys, and `schedule` holds ε_1 … ε_{N−1}, empty when nothing is peeled.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from antichain import _checks
from antichain.algorithms._ubs import peeling_floor, peeling_schedule
from antichain.errors import ParameterError
from antichain.orders._model import DuelModel
from antichain.theory._regret_bounds import EXACT_LIMIT, alpha, decoy_regret, peeling_regret

# -- one comparison, and one pass of UBSRoutine --------------------------------------------------
# Duels of the paper's own comparisons (Hoeffding intervals read after every duel). A comparison
# takes whole duels, so it may exceed the figure by the rounding of its last step: at most one duel
# for the direct comparison, two (one per direction) for the decoy comparison.


def direct_comparison_duels(delta: float, epsilon: float) -> float:
    """The duels after which a direct comparison at level `delta` has surely ended.

    The paper states no proposition of its own for it; this is the per-comparison factor
    2·log(2/δ)/ε² of Proposition 3.5, on UBSRoutine (`prop:unchainedregretfinal` in the paper's
    source). It holds on every path: once the radius √(log(2/δ)/(2n)) is below ε/2, an interval that
    still holds 1/2 holds neither 1/2+ε nor 1/2−ε.

    Example:
        >>> round(direct_comparison_duels(delta=0.05, epsilon=0.1))
        738
    """
    _checks.probability("delta", delta)
    _checks.precision("epsilon", epsilon)
    return 2.0 * math.log(2.0 / delta) / epsilon**2


def decoy_comparison_duels(delta: float, decoy_gap: float) -> float:
    """The duels after which a decoy comparison at level `delta` has surely ended.

    Proposition 3.3 (`prop:use of decoy` in the paper's source): n = 4·log(4/δ)/Δ². Both
    directions are counted, each tested at δ/2. Like the direct one it holds on every path; that
    the *verdict* is right with probability 1−δ is another matter (docs/theory/errata.md, item 2).

    Example:
        >>> round(decoy_comparison_duels(delta=0.05, decoy_gap=0.1))
        1753
    """
    _checks.probability("delta", delta)
    return 4.0 * math.log(4.0 / delta) / _checks.gap("decoy_gap", decoy_gap) ** 2


def routine_duels_with_decoys(size: int, width: int, delta: float, decoy_gap: float) -> float:
    """The duels of one pass of UBSRoutine with decoys over `size` items, at most.

    First half of Proposition 3.5 (`prop:unchainedregretfinal` in the paper's source; 3.7 in its
    proof): 4·|S|·width(S)·log(4|S|²/δ′)/Δ², with δ′ = `delta` the level of the pass. The factor
    |S|·width(S) counts comparisons on the event that every verdict is right.
    """
    _check_pass("width", width, size, delta)
    return size * width * decoy_comparison_duels(delta / size**2, decoy_gap)


def routine_duels_direct(
    size: int, eps_width: int, delta: float, epsilon: float, previous_epsilon: float | None = None
) -> float:
    """The *additional* duels of one pass of UBSRoutine with direct comparisons, at most.

    Second half of Proposition 3.5 (`prop:unchainedregretfinal` in the paper's source; 3.7 in its
    proof): 2·|S|·width_ε(S)·log(2|S|²/δ′)·(1/ε_t² − 1/ε_{t−1}²). `previous_epsilon` is None in the
    first pass, where there is nothing to reuse.

    It holds only within a sum over the passes 1 … t (docs/theory/errata.md, item A). The proof
    credits the earlier pass with 2·log(…)/ε_{t−1}² duels per surviving pair, but a pair whose duels
    came out even needed a quarter of that. What is sure is a pair's *total*, and the sum over the
    passes is exactly a bound on totals.
    """
    _check_pass("eps_width", eps_width, size, delta)
    comparisons, level = size * eps_width, delta / size**2
    duels = comparisons * direct_comparison_duels(level, epsilon)
    if previous_epsilon is None:
        return duels
    _checks.decreasing("epsilon", (previous_epsilon, epsilon))
    return duels - comparisons * direct_comparison_duels(level, previous_epsilon)


def _check_pass(name: str, width: int, size: int, delta: float) -> None:
    _checks.whole("size", size, 1)
    if _checks.whole(name, width, 1) > size:
        raise ParameterError(f"{name} is {width}, but at most the {size} items were expected.")
    _checks.probability("delta", delta)


# -- Theorem 1 (`thm:peeling regret`): the duels of UnchainedBandits -----------------------------
# The theorem is stated up to a constant, so three figures stand for it, each a line of its proof:
# the sum over the epochs it starts from, the last line before the constant goes, and that line's
# leading term. At the paper's defaults they are hundreds of times what runs take.


def decoy_phase_duels(items: int, width: int, epochs: int, delta: float, decoy_gap: float) -> float:
    """The leading term of Theorem 1: what the decoy epoch takes at most.

    4·K·width(S)·log(4NK²/δ)/Δ², with |S_N| bounded by K and N = `epochs` counting the decoy
    epoch. The theorem is `thm:peeling regret` in the paper's source.

    Example:
        >>> f"{decoy_phase_duels(items=95, width=10, epochs=17, delta=0.001, decoy_gap=0.01):.1e}"
        '7.7e+08'
    """
    _checks.whole("epochs", epochs, 1)
    _checks.probability("delta", delta)
    return routine_duels_with_decoys(items, width, delta / epochs, decoy_gap)


def unchained_duels(
    items: int, width: int, schedule: Sequence[float], delta: float, decoy_gap: float
) -> float:
    """The last line of the proof of Theorem 1 that still has its constants.

    2·width_ε₁(S)·width(S)·log(2NK²/δ)/Δ² + 4·K·width(S)·log(4NK²/δ)/Δ², the first ε-width
    bounded by K. `schedule` must stay at or above Δ·√(K/width), the theorem's hypothesis; without
    peeling only the decoy term is left. The theorem is `thm:peeling regret` in the paper's source.

    Example:
        >>> from antichain import UnchainedBandits
        >>> schedule = UnchainedBandits(decoy_gap=0.01, gamma=0.9, epsilon0=0.5).schedule(95)
        >>> f"{unchained_duels(95, 10, schedule, delta=0.001, decoy_gap=0.01):.1e}"
        '1.1e+09'
    """
    epochs = len(schedule) + 1
    with_decoys = decoy_phase_duels(items, width, epochs, delta, decoy_gap)
    if not schedule:
        return with_decoys
    _checks.decreasing("schedule", schedule)
    floor = decoy_gap * math.sqrt(items / width)
    if schedule[-1] < floor * (1.0 - 1e-9):  # Δ√K for width 1 is the floor itself, up to rounding
        raise ParameterError(
            f"the schedule ends at {schedule[-1]:g}, but an end at or above "
            f"decoy_gap·√(items/width) = {floor:g} was expected."
        )
    return routine_duels_direct(items, items, delta / epochs, floor) + with_decoys


def unchained_duels_by_epoch(
    schedule: Sequence[float],
    delta: float,
    decoy_gap: float,
    sizes: Sequence[int],
    widths: Sequence[int],
) -> float:
    """The sum over the epochs that the proof of Theorem 1 starts from.

    Σ_{t<N} 2·|S_t|·w_t·log(2N|S_t|²/δ)·(1/ε_t² − 1/ε_{t−1}²) + 4·|S_N|·w_N·log(4N|S_N|²/δ)/Δ²,
    where w_t is the ε_t-width of S_t, and w_N the width of S_N. It needs no hypothesis on the
    schedule but that it decreases. The theorem is `thm:peeling regret` in the paper's source.

    Args:
        schedule: ε_1 … ε_{N−1}; empty when nothing is peeled.
        delta: The error level of the whole run.
        decoy_gap: Δ.
        sizes: |S_1| … |S_N|, the items that enter each epoch, the decoy epoch last. Upper
            bounds (K in every place) give an upper bound.
        widths: w_1 … w_N, or bounds on them.
    """
    epochs = len(schedule) + 1
    _checks.one_each("sizes", sizes, epochs)
    _checks.one_each("widths", widths, epochs)
    _checks.probability("delta", delta)
    previous: list[float | None] = [None, *schedule]
    peeling = sum(
        routine_duels_direct(size, width, delta / epochs, epsilon, before)
        for size, width, epsilon, before in zip(sizes, widths, schedule, previous, strict=False)
    )
    return peeling + routine_duels_with_decoys(sizes[-1], widths[-1], delta / epochs, decoy_gap)


# -- Theorem 3 (`thm:algochain`) and its corollary: the duels of SlicingBandits ------------------
# Both are stated up to a constant, here taken to be 1: reference lines that show how the cost
# grows, never a certificate.


def slicing_duels(
    chain_lengths: Sequence[int],
    items: int,
    delta: float,
    finder_duels: Callable[[int, float], float],
) -> float:
    """Theorem 3, constant 1: probes of comparability plus one search per chain.

    K² + Σ_{c in front} T(A(C_c, δ/K)). The theorem (`thm:algochain` in the paper's source) gives
    each search δ|C|/K, the algorithm δ/K (erratum 18); the algorithm's smaller level is used, so
    that the figure is for what runs.

    Args:
        chain_lengths: For each item of the front, the length of the longest chain under it,
            itself included.
        items: The number of items, K.
        delta: The error level of the whole run.
        finder_duels: T, the duels the maximum finder takes for a chain of that length at that
            level; it should not decrease with the length.
    """
    _checks.whole("items", items, 1)
    _checks.probability("delta", delta)
    for length in chain_lengths:
        _checks.whole("chain length", length, 1)
    searches = sum(finder_duels(length, delta / items) for length in chain_lengths)
    return float(items**2) + searches


def interleaved_filter_duels(length: int, delta: float, smallest_gap: float) -> float:
    """T(IF2) on one chain, constant 1: |C|·log(|C|²/δ)/g², from Yue et al. as the paper cites it.

    `smallest_gap` is the least gap between the chain's maximum and another of its items. Holds
    under strong stochastic transitivity and the stochastic triangle inequality. A chain of one
    needs no duel.
    """
    _checks.whole("length", length, 1)
    _checks.probability("delta", delta)
    _checks.gap("smallest_gap", smallest_gap)
    if length == 1:
        return 0.0
    return length * math.log(length**2 / delta) / smallest_gap**2


def slicing_with_interleaved_filter_duels(
    items: int, delta: float, front_gap: float | None
) -> float:
    """Corollary A.1, constant 1: K² + K·log(K³/δ)/d(P)².

    The corollary (`cor:algochain and if2` in the paper's source) prints log(K²/δ); its proof, at
    level δ/K per chain, gives log(K³/δ), of the same order. `front_gap` is d(P), None when the
    front dominates nothing, where only the probes are left.
    """
    _checks.whole("items", items, 1)
    _checks.probability("delta", delta)
    probes = float(items**2)
    if front_gap is None:
        return probes
    _checks.gap("front_gap", front_gap)
    return probes + items * math.log(items**3 / delta) / front_gap**2


# -- every bound for one model -------------------------------------------------------------------


@dataclass(frozen=True)
class Bounds:
    """The paper's bounds for one model and one set of parameters.

    Where a field is named after a function it is what that function gives.

    Attributes:
        front: The size of the front.
        width: The size of the largest antichain.
        epochs: N, the decoy epoch included.
        decoy_comparison_duels: One decoy comparison of the last epoch, at its level δ/(NK²).
        unchained_duels_by_epoch: With every size bounded by K.
        alpha_exact: Whether `alpha` is exact; otherwise it is an upper bound.
        regret: `peeling_regret` + `decoy_regret`.
        slicing_duels: Theorem 3 (`thm:algochain` in the paper's source) with IF2 on each front
            item's longest chain, constant 1.
        slicing_duels_corollary: Corollary A.1 (`cor:algochain and if2` there), constant 1.
    """

    items: int
    front: int
    width: int
    delta: float
    decoy_gap: float
    gamma: float
    epsilon0: float
    epochs: int
    schedule: tuple[float, ...]
    decoy_comparison_duels: float
    decoy_phase_duels: float
    unchained_duels: float
    unchained_duels_by_epoch: float
    alpha: float
    alpha_exact: bool
    peeling_regret: float
    decoy_regret: float
    regret: float
    slicing_duels: float
    slicing_duels_corollary: float

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON-ready values."""
        return {**asdict(self), "schedule": list(self.schedule)}


def bounds_for(
    model: DuelModel,
    delta: float,
    decoy_gap: float,
    gamma: float,
    epsilon0: float,
    exact_limit: int = EXACT_LIMIT,
) -> Bounds:
    """Compute every bound of the paper for `model`, with its true width, distances and front.

    Sizes and ε-widths in the peels are bounded by K, as in the theorems.

    Args:
        model: The order and its gaps.
        delta: The error level of the whole run.
        decoy_gap: Δ, the gap of the decoys.
        gamma: The peeling rate.
        epsilon0: Where the peeling starts.
        exact_limit: How many items may be in an approximation for α to be exact (100 by default).

    Example:
        >>> model = DuelModel.from_relations([("a", "b", 0.3), ("a", "c", 0.2)])
        >>> bounds = bounds_for(model, delta=0.05, decoy_gap=0.1, gamma=0.9, epsilon0=0.5)
        >>> bounds.width, bounds.epochs, round(bounds.decoy_phase_duels)
        (2, 12, 21754)
    """
    items, width = model.size, model.poset.width
    schedule = peeling_schedule(peeling_floor(items, decoy_gap), gamma, epsilon0)
    epochs = len(schedule) + 1
    front = model.front_mask()
    outside = model.distances()[~front].tolist()
    shrinking = alpha(model.gaps, front, gamma, epsilon0, epochs, exact_limit)
    r0 = peeling_regret(outside, items, delta, gamma, epsilon0, epochs, shrinking.value)
    r1 = decoy_regret(outside, items, width, delta, decoy_gap, schedule)
    return Bounds(
        items=items,
        front=int(front.sum()),
        width=width,
        delta=delta,
        decoy_gap=decoy_gap,
        gamma=gamma,
        epsilon0=epsilon0,
        epochs=epochs,
        schedule=schedule,
        decoy_comparison_duels=decoy_comparison_duels(delta / (epochs * items**2), decoy_gap),
        decoy_phase_duels=decoy_phase_duels(items, width, epochs, delta, decoy_gap),
        unchained_duels=unchained_duels(items, width, schedule, delta, decoy_gap),
        unchained_duels_by_epoch=unchained_duels_by_epoch(
            schedule, delta, decoy_gap, [items] * epochs, [items] * (epochs - 1) + [width]
        ),
        alpha=shrinking.value,
        alpha_exact=shrinking.exact,
        peeling_regret=r0,
        decoy_regret=r1,
        regret=r0 + r1,
        slicing_duels=_slicing_with_filter(model, delta),
        slicing_duels_corollary=slicing_with_interleaved_filter_duels(items, delta, model.d_front),
    )


def _slicing_with_filter(model: DuelModel, delta: float) -> float:
    under = [model.poset.below_of(item) for item in model.front]
    lengths = [1 + (model.poset.sub(below).height if below else 0) for below in under]
    closest = model.d_front

    def finder_duels(length: int, level: float) -> float:
        # Where nothing is dominated every chain has one item, and no gap is asked for.
        return 0.0 if closest is None else interleaved_filter_duels(length, level, closest)

    return slicing_duels(lengths, model.size, delta, finder_duels)
