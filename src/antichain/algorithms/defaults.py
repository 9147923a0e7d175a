"""Which algorithm runs where nobody has chosen one: said here and nowhere else."""

from __future__ import annotations

from antichain.algorithms.base import Algorithm
from antichain.algorithms.witness import Witness


def default_algorithm(
    delta: float, decoy_gap: float | None = None, epsilon: float | None = None
) -> Algorithm:
    """The algorithm for partially observable posets, with decoys or to within an ε.

    Args:
        delta: The probability with which the answer may be wrong.
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the front looked for.
    """
    return Witness(delta=delta, decoy_gap=decoy_gap, epsilon=epsilon)
