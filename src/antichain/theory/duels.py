"""Theorem `thm:peeling regret`: how many duels UnchainedBandits takes at most.

The theorem is stated up to a constant, so three figures stand for it, each a line of its proof:
the sum over the epochs it starts from, the last line before the constant goes, and that line's
leading term. At the paper's defaults they are hundreds of times what runs take.
"""

import math
from collections.abc import Sequence

from antichain import checks
from antichain.errors import ParameterError
from antichain.theory.comparisons import routine_duels_direct, routine_duels_with_decoys


def decoy_phase_duels(items: int, width: int, epochs: int, delta: float, decoy_gap: float) -> float:
    """The leading term of Theorem `thm:peeling regret`: what the decoy epoch takes at most.

    4·K·width(S)·log(4NK²/δ)/Δ², with |S_N| bounded by K and N = `epochs` counting the decoy
    epoch.

    Example:
        >>> f"{decoy_phase_duels(items=95, width=10, epochs=17, delta=0.001, decoy_gap=0.01):.1e}"
        '7.7e+08'
    """
    checks.whole("epochs", epochs, 1)
    checks.probability("delta", delta)
    return routine_duels_with_decoys(items, width, delta / epochs, decoy_gap)


def unchained_duels(
    items: int, width: int, schedule: Sequence[float], delta: float, decoy_gap: float
) -> float:
    """Theorem `thm:peeling regret`: the last line of its proof that still has its constants.

    2·width_ε₁(S)·width(S)·log(2NK²/δ)/Δ² + 4·K·width(S)·log(4NK²/δ)/Δ², the first ε-width
    bounded by K. `schedule` holds ε_1 … ε_{N−1}; it must stay at or above Δ·√(K/width), the
    theorem's hypothesis, and without peeling (an empty schedule) only the decoy term is left.

    Example:
        >>> from antichain.algorithms.ubs import peeling_floor, peeling_schedule
        >>> schedule = peeling_schedule(peeling_floor(95, 0.01), 0.9, 0.5)
        >>> f"{unchained_duels(95, 10, schedule, delta=0.001, decoy_gap=0.01):.1e}"
        '1.1e+09'
    """
    epochs = len(schedule) + 1
    with_decoys = decoy_phase_duels(items, width, epochs, delta, decoy_gap)
    if not schedule:
        return with_decoys
    checks.decreasing("schedule", schedule)
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
    """The sum over the epochs that the proof of Theorem `thm:peeling regret` starts from.

    Σ_{t<N} 2·|S_t|·width_{ε_t}(S_t)·log(2N|S_t|²/δ)·(1/ε_t² − 1/ε_{t−1}²)
    + 4·|S_N|·width(S_N)·log(4N|S_N|²/δ)/Δ². Needs no hypothesis on the schedule but that it
    decreases.

    Args:
        schedule: ε_1 … ε_{N−1}; empty when nothing is peeled.
        delta: the error level of the whole run.
        decoy_gap: the Δ of the decoys.
        sizes: |S_1| … |S_N|, the items that enter each epoch, the decoy epoch last. Upper
            bounds (K in every place) give an upper bound.
        widths: width_{ε_t}(S_t) for each peel and width(S_N) for the decoy epoch, or bounds on
            them.
    """
    epochs = len(schedule) + 1
    checks.one_each("sizes", sizes, epochs)
    checks.one_each("widths", widths, epochs)
    checks.probability("delta", delta)
    previous: list[float | None] = [None, *schedule]
    peeling = sum(
        routine_duels_direct(size, width, delta / epochs, epsilon, before)
        for size, width, epsilon, before in zip(sizes, widths, schedule, previous, strict=False)
    )
    return peeling + routine_duels_with_decoys(sizes[-1], widths[-1], delta / epochs, decoy_gap)
