"""Theorem 2 (`thm: peeling upper bound`): the regret of UnchainedBandits, at most.

R_0 is the regret of the peels, R_1 that of the decoy epoch. Read with the corrections of
docs/theory/errata.md: the limit case of C is α = γ² (item 12), ε_0 enters N_i (item 13), sums run
over the items outside the front (item 14), and the constants of R_1 are not proved (item 15).

Throughout, `items` is K, `distances` holds Δ_i of every item outside the front, `gamma` is the
peeling rate, `epsilon0` is where the peeling starts, `epochs` is N, the decoy epoch included, and
`delta` is the error level of the whole run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antichain import _checks
from antichain.errors import ParameterError
from antichain.orders._duel_law import Floats, Mask
from antichain.orders._model import eps_width

EXACT_LIMIT = 100
"""The largest number of items among which a maximum clique is searched by default."""


def peeling_cost(alpha: float, gamma: float, steps: int) -> float:
    """C_{α,γ}(n): the share of the full price that an item met in `steps` peels costs.

    Written as the sum it comes from, γ^{2(n−1)} + (1−γ²)·Σ_{s=1}^{n−1} α^s·γ^{2(n−1−s)}, which
    is the paper's quotient wherever that is defined, needs no case for α = γ² (where it is
    α^{n−1}·(n−(n−1)α), erratum 12), and shows that C is at most 1 and grows with α.
    Without a peel, the cost is 0.

    Example:
        >>> peeling_cost(alpha=1.0, gamma=0.9, steps=7)
        1.0
    """
    if not 0.0 <= alpha <= 1.0:
        raise ParameterError(f"alpha is {alpha!r}, but a number from 0 to 1 was expected.")
    _checks.probability("gamma", gamma)
    _checks.whole("steps", steps, 0)
    if steps == 0:
        return 0.0
    if alpha == 1.0:
        return 1.0  # the sum telescopes; said outright so that rounding cannot pass 1
    square, last = gamma * gamma, steps - 1
    tail = math.fsum(alpha**s * square ** (last - s) for s in range(1, steps))
    return min(1.0, square**last + (1.0 - square) * tail)


def peeling_steps(distance: float, gamma: float, epsilon0: float, epochs: int) -> int:
    """N_i: at most how many peels an item at `distance` from the front takes part in.

    min(⌈log(Δ_i/ε_0)/log γ⌉, N−1) with N = `epochs`, ε_0 put back (erratum 13). Two edges the
    paper leaves out: an item farther than ε_0 is still met by the first peel, and one that lies
    exactly on ε_t is ε_t-indistinguishable from the front and so stays one peel more. An upper
    bound, since an item may also fall to another dominated item.

    Example:
        >>> peeling_steps(distance=0.3, gamma=0.9, epsilon0=0.5, epochs=17)
        5
    """
    _checks.gap("distance", distance)
    _checks.probability("gamma", gamma)
    _checks.precision("epsilon0", epsilon0)
    _checks.whole("epochs", epochs, 1)
    steps = max(1, math.ceil(math.log(distance / epsilon0) / math.log(gamma)))
    if epsilon0 * gamma**steps >= distance:
        steps += 1
    return min(steps, epochs - 1)


def peeling_regret(
    distances: Sequence[float],
    items: int,
    delta: float,
    gamma: float,
    epsilon0: float,
    epochs: int,
    alpha: float = 1.0,
) -> float:
    """R_0 of Theorem 2: the regret of the peels, at most.

    (2K/γ²)·log(2NK²/δ)·Σ_i C_{α,γ}(N_i)/Δ_i over the items outside the front (erratum 14).
    Where Δ_i exceeds ε_0 the proof's last step fails and Δ_i/ε_0² stands in for 1/Δ_i. `alpha` is
    that of the function of this name; 1 always holds. The theorem is `thm: peeling upper bound` in
    the paper's source.
    """
    _check_common(distances, items, delta, epochs)
    total = math.fsum(
        distance
        / min(distance, epsilon0) ** 2
        * peeling_cost(alpha, gamma, peeling_steps(distance, gamma, epsilon0, epochs))
        for distance in distances
    )
    return 2.0 * items / gamma**2 * math.log(2.0 * epochs * items**2 / delta) * total


def decoy_regret(
    distances: Sequence[float],
    items: int,
    width: int,
    delta: float,
    decoy_gap: float,
    schedule: Sequence[float],
) -> float:
    """R_1 of Theorem 2: the regret of the decoy epoch, as printed.

    K·width(S)·log(2NK²/δ)·Σ 1/Δ_i over the items outside the front that the peels may leave,
    Δ_i ≤ ε_{N−1} (all of them when nothing is peeled). A reference line rather than a proved
    bound: the proof drops the constants of the decoy comparison, and a pivot that is dominated
    later may meet more than width(S) others (erratum 15). Where Δ_i exceeds Δ·√K, which happens
    only without peeling, the proof's earlier Δ_i/Δ² stands in for K/Δ_i. The theorem is
    `thm: peeling upper bound` in the paper's source.
    """
    epochs = len(schedule) + 1
    _check_common(distances, items, delta, epochs)
    _checks.whole("width", width, 1)
    decoy_gap = _checks.gap("decoy_gap", decoy_gap)
    _checks.decreasing("schedule", schedule)
    reach = schedule[-1] if schedule else math.inf
    total = math.fsum(
        max(items / distance, distance / decoy_gap**2)
        for distance in distances
        if distance <= reach
    )
    return width * math.log(2.0 * epochs * items**2 / delta) * total


def _check_common(distances: Sequence[float], items: int, delta: float, epochs: int) -> None:
    _checks.whole("items", items, 1)
    _checks.probability("delta", delta)
    _checks.whole("epochs", epochs, 1)
    for distance in distances:
        _checks.gap("distance", distance)
    if len(distances) >= items:
        raise ParameterError(
            f"distances has {len(distances)} values, but fewer than the {items} items were "
            "expected, since the front is never empty."
        )


@dataclass(frozen=True)
class Alpha:
    """α, and whether it is exact or an upper bound.

    Every bound that takes α grows with it, so an upper bound on α keeps it a bound.
    """

    value: float
    exact: bool


def alpha(
    gaps: Floats,
    front: Mask,
    gamma: float,
    epsilon0: float,
    epochs: int,
    exact_limit: int = EXACT_LIMIT,
) -> Alpha:
    """α(γ, ε_0, N): how fast peeling shrinks a poset, at worst.

    The least a such that, for t = 1 … N, no ε_0·γ^t-approximation of the front has more than
    a^t·K items (equation `eq:def alpha` in the paper's source). The largest approximation is a
    maximum clique (of the graph that joins indistinguishable items), so α is exact for small posets
    only (erratum 16). For the others every item that could be in some approximation is counted,
    which bounds α from above.

    Args:
        gaps: γ_ij, K×K and antisymmetric.
        front: Which of the K items are maximal.
        gamma: The peeling rate.
        epsilon0: Where the peeling starts.
        epochs: N, the decoy epoch included.
        exact_limit: How many items may be in an approximation for α to be exact (100 by default).
    """
    size = len(front)
    if gaps.shape != (size, size):
        raise ParameterError(
            f"gaps has shape {gaps.shape}, but {(size, size)} was expected for {size} items."
        )
    _checks.probability("gamma", gamma)
    _checks.precision("epsilon0", epsilon0)
    _checks.whole("epochs", epochs, 1)
    value, exact = 0.0, True
    for t in range(1, epochs + 1):
        epsilon = epsilon0 * gamma**t
        largest, known = _largest_approximation(gaps, front, epsilon, exact_limit)
        value = max(value, (largest / size) ** (1.0 / t))
        exact = exact and known
    return Alpha(value, exact)


def _largest_approximation(
    gaps: Floats, front: Mask, epsilon: float, exact_limit: int
) -> tuple[int, bool]:
    """The size of the largest ε-approximation of the front or a bound on it, and whether exact.

    It contains the front, so it consists of items that no item of the front beats by more than
    ε. Among those every front item is joined to all, so the largest ε-antichain contains them.
    """
    candidates = np.flatnonzero((gaps[front] <= epsilon).all(axis=0))
    found = eps_width(gaps[np.ix_(candidates, candidates)], epsilon, exact_limit)
    return (found.value if found.exact else len(candidates)), found.exact
