"""What one comparison, and one pass of UBSRoutine, cost at most.

All of these count duels of the paper's own comparisons (Hoeffding intervals read after every
duel). They are real numbers; a comparison takes whole duels, so it may exceed the figure by the
rounding of its last step: at most one duel for the direct comparison, two (one per direction) for
the decoy comparison.
"""

import math

from antichain import checks
from antichain.errors import ParameterError


def direct_comparison_duels(delta: float, epsilon: float) -> float:
    """The duels after which a direct comparison at level `delta` has surely ended.

    The paper states no proposition of its own for it; this is the per-comparison factor
    2·log(2/δ)/ε² of the proposition on UBSRoutine (label `prop:unchainedregretfinal`). It holds
    on every path: once the radius √(log(2/δ)/(2n)) is below ε/2, an interval that still holds
    1/2 holds neither 1/2+ε nor 1/2−ε.

    Example:
        >>> round(direct_comparison_duels(delta=0.05, epsilon=0.1))
        738
    """
    checks.probability("delta", delta)
    checks.precision("epsilon", epsilon)
    return 2.0 * math.log(2.0 / delta) / epsilon**2


def decoy_comparison_duels(delta: float, decoy_gap: float) -> float:
    """The duels after which a decoy comparison at level `delta` has surely ended.

    Proposition `prop:use of decoy` (3.3 in the text): n = 4·log(4/δ)/Δ². Both
    directions are counted, each tested at δ/2. Like the direct one it holds on every path; that
    the *verdict* is right with probability 1−δ is another matter (docs/errata.md, item 2).

    Example:
        >>> round(decoy_comparison_duels(delta=0.05, decoy_gap=0.1))
        1753
    """
    checks.probability("delta", delta)
    return 4.0 * math.log(4.0 / delta) / checks.gap("decoy_gap", decoy_gap) ** 2


def routine_duels_with_decoys(size: int, width: int, delta: float, decoy_gap: float) -> float:
    """The duels of one pass of UBSRoutine with decoys over `size` items, at most.

    Proposition `prop:unchainedregretfinal` (3.5 in the text, 3.7 in its proof), first half:
    4·|S|·width(S)·log(4|S|²/δ′)/Δ², with δ′ = `delta` the level of the pass. The factor
    |S|·width(S) counts comparisons on the event that every verdict is right.
    """
    checks.whole("size", size, 1)
    _check_width("width", width, size)
    checks.probability("delta", delta)
    return size * width * decoy_comparison_duels(delta / size**2, decoy_gap)


def routine_duels_direct(
    size: int, eps_width: int, delta: float, epsilon: float, previous_epsilon: float | None = None
) -> float:
    """The *additional* duels of one pass of UBSRoutine with direct comparisons, at most.

    Proposition `prop:unchainedregretfinal` (3.5 in the text, 3.7 in its proof), second half:
    2·|S|·width_ε(S)·log(2|S|²/δ′)·(1/ε_t² − 1/ε_{t−1}²). `previous_epsilon` is None in the
    first pass, where there is nothing to reuse.

    Read it inside a sum over the passes 1 … t only (docs/errata.md, item A). The proof credits
    the earlier pass with 2·log(…)/ε_{t−1}² duels per surviving pair, but a pair whose duels came
    out even needed a quarter of that. What is sure is a pair's *total*, and the sum over the
    passes is exactly a bound on totals.
    """
    checks.whole("size", size, 1)
    _check_width("eps_width", eps_width, size)
    checks.probability("delta", delta)
    comparisons, level = size * eps_width, delta / size**2
    duels = comparisons * direct_comparison_duels(level, epsilon)
    if previous_epsilon is None:
        return duels
    checks.decreasing("epsilon", (previous_epsilon, epsilon))
    return duels - comparisons * direct_comparison_duels(level, previous_epsilon)


def _check_width(name: str, width: int, size: int) -> None:
    """Raise unless `width` items can be an antichain among `size`."""
    checks.whole(name, width, 1)
    if width > size:
        raise ParameterError(f"{name} is {width}, but at most the {size} items were expected.")
