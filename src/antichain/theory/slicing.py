"""Theorem `thm:algochain` and its corollary: how many duels SlicingBandits takes.

Both are stated up to a constant. The functions take that constant to be 1: they are reference
lines that show how the cost grows, never a certificate.
"""

import math
from collections.abc import Callable, Sequence

from antichain import checks


def slicing_duels(
    chain_lengths: Sequence[int],
    items: int,
    delta: float,
    finder_duels: Callable[[int, float], float],
) -> float:
    """Theorem `thm:algochain`, constant 1: probes of comparability plus one search per chain.

    K² + Σ_{c in front} T(A(C_c, δ/K)). The theorem gives each search δ|C|/K, the algorithm
    δ/K (errata 18); the algorithm's smaller level is used, so that the figure is for what runs.

    Args:
        chain_lengths: for each item of the front, the length of the longest chain under it,
            itself included.
        items: K.
        delta: the error level of the whole run.
        finder_duels: T, the duels the maximum finder takes for a chain of that length at that
            level; it should not decrease with the length.
    """
    checks.whole("items", items, 1)
    checks.probability("delta", delta)
    for length in chain_lengths:
        checks.whole("chain length", length, 1)
    searches = sum(finder_duels(length, delta / items) for length in chain_lengths)
    return float(items**2) + searches


def interleaved_filter_duels(length: int, delta: float, smallest_gap: float) -> float:
    """T(IF2) on one chain, constant 1: |C|·log(|C|²/δ)/g², from Yue et al. as the paper cites it.

    `smallest_gap` is the least gap between the chain's maximum and another of its items. Holds
    under strong stochastic transitivity and the stochastic triangle inequality. A chain of one
    needs no duel.
    """
    checks.whole("length", length, 1)
    checks.probability("delta", delta)
    checks.gap("smallest_gap", smallest_gap)
    if length == 1:
        return 0.0
    return length * math.log(length**2 / delta) / smallest_gap**2


def slicing_with_interleaved_filter_duels(
    items: int, delta: float, front_gap: float | None
) -> float:
    """Corollary `cor:algochain and if2`, constant 1: K² + K·log(K³/δ)/d(P)².

    The statement prints log(K²/δ); its proof, at level δ/K per chain, gives log(K³/δ), of the
    same order. `front_gap` is d(P), None when the front dominates nothing, where only the
    probes are left.
    """
    checks.whole("items", items, 1)
    checks.probability("delta", delta)
    probes = float(items**2)
    if front_gap is None:
        return probes
    checks.gap("front_gap", front_gap)
    return probes + items * math.log(items**3 / delta) / front_gap**2
