"""α of equation `eq:def alpha`: how fast peeling shrinks a poset, at worst.

α is the least a such that, for t = 1 … N, no ε_0·γ^t-approximation of the front has more than
a^t·K items. The largest approximation is a maximum clique (of the graph that joins
indistinguishable items), so it is computed exactly for small posets only (errata 16). For the
others every item that could be in some approximation is counted, which bounds α from above.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.errors import ParameterError
from antichain.orders.epsilon import eps_width

EXACT_LIMIT = 100
"""The largest number of items among which a maximum clique is searched by default."""


@dataclass(frozen=True)
class Alpha:
    """α, and whether it is exact or an upper bound.

    Every bound that takes α grows with it, so an upper bound on α keeps it a bound.
    """

    value: float
    exact: bool


def alpha(
    gaps: NDArray[np.float64],
    front: NDArray[np.bool_],
    gamma: float,
    epsilon0: float,
    epochs: int,
    exact_limit: int = EXACT_LIMIT,
) -> Alpha:
    """α(γ, ε_0, N) of equation `eq:def alpha`, exact up to `exact_limit` candidates.

    Args:
        gaps: γ_ij, K×K and antisymmetric.
        front: which of the K items are maximal.
        gamma: the peeling rate.
        epsilon0: where the peeling starts.
        epochs: N, the decoy epoch included.
        exact_limit: where more items than this could be in an approximation they are all
            counted, and the result is marked as an upper bound.
    """
    size = len(front)
    if gaps.shape != (size, size):
        raise ParameterError(
            f"gaps has shape {gaps.shape}, but {(size, size)} was expected for {size} items."
        )
    checks.probability("gamma", gamma)
    checks.precision("epsilon0", epsilon0)
    checks.whole("epochs", epochs, 1)
    value, exact = 0.0, True
    for t in range(1, epochs + 1):
        epsilon = epsilon0 * gamma**t
        largest, known = _largest_approximation(gaps, front, epsilon, exact_limit)
        value = max(value, (largest / size) ** (1.0 / t))
        exact = exact and known
    return Alpha(value, exact)


def _largest_approximation(
    gaps: NDArray[np.float64], front: NDArray[np.bool_], epsilon: float, exact_limit: int
) -> tuple[int, bool]:
    """The size of the largest ε-approximation of the front or a bound on it, and whether exact.

    It contains the front, so it consists of items that no item of the front beats by more than
    ε. Among those every front item is joined to all, so the largest ε-antichain contains them.
    """
    candidates = np.flatnonzero((gaps[front] <= epsilon).all(axis=0))
    found = eps_width(gaps[np.ix_(candidates, candidates)], epsilon, exact_limit)
    return (found.value if found.exact else len(candidates)), found.exact
