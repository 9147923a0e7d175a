"""The paper's bounds as functions, and the information limit: numbers in, numbers out.

Each docstring names the statement by its label in the paper and the erratum it follows. The
theorems' figures are hundreds of times above what runs take; they are reference lines. Only the
bounds on one comparison are near what happens. `limit` bounds from below what any method takes.
"""

from antichain.theory.comparisons import (
    decoy_comparison_duels,
    direct_comparison_duels,
    routine_duels_direct,
    routine_duels_with_decoys,
)
from antichain.theory.duels import decoy_phase_duels, unchained_duels, unchained_duels_by_epoch
from antichain.theory.limit import Limit, limit, limit_if_any
from antichain.theory.regret import decoy_regret, peeling_cost, peeling_regret, peeling_steps
from antichain.theory.shrinking import Alpha, alpha
from antichain.theory.slicing import (
    interleaved_filter_duels,
    slicing_duels,
    slicing_with_interleaved_filter_duels,
)
from antichain.theory.summary import Bounds, bounds_for

__all__ = [
    "Alpha",
    "Bounds",
    "Limit",
    "alpha",
    "bounds_for",
    "decoy_comparison_duels",
    "decoy_phase_duels",
    "decoy_regret",
    "direct_comparison_duels",
    "interleaved_filter_duels",
    "limit",
    "limit_if_any",
    "peeling_cost",
    "peeling_regret",
    "peeling_steps",
    "routine_duels_direct",
    "routine_duels_with_decoys",
    "slicing_duels",
    "slicing_with_interleaved_filter_duels",
    "unchained_duels",
    "unchained_duels_by_epoch",
]
