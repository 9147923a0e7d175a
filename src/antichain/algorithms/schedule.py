"""The peeling schedule: how fine each epoch looks."""

from __future__ import annotations

import math

from antichain import checks


def peeling_schedule(floor: float, gamma: float = 0.9, epsilon0: float = 0.5) -> tuple[float, ...]:
    """The gaps ε_1 > … > ε_{N−1} of the peeling epochs, ending exactly at `floor`.

    ε_t = max(ε_0·γ^t, floor) for t up to N−1 = ⌈log(floor/ε_0)/log γ⌉, and none at all if the
    floor is not below ε_0 (docs/errata.md, 10). With decoys the floor is Δ√K (`peeling_floor`),
    without them the ε of the approximation wanted.

    >>> len(peeling_schedule(peeling_floor(items=95, decoy_gap=0.01)))
    16
    >>> len(peeling_schedule(0.05))
    22
    """
    checks.between("gamma", gamma, 0, 1)
    checks.between("epsilon0", epsilon0, 0, 0.5 / gamma)
    checks.precision("the gap at which peeling ends", floor)
    if floor >= epsilon0:
        return ()
    # 1e-12: ε_0·γ^t may equal the floor but for rounding, and must not be repeated then.
    epochs = math.ceil(math.log(floor / epsilon0) / math.log(gamma) - 1e-12)
    return tuple(max(epsilon0 * gamma**t, floor) for t in range(1, epochs + 1))


def peeling_floor(items: int, decoy_gap: float) -> float:
    """Δ√K: the finest peel that Theorems 1 and 2 together allow without knowing the width."""
    return decoy_gap * math.sqrt(items)
