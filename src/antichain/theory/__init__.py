"""The paper's bounds as functions, and the information limit: numbers in, numbers out.

The theorems' figures are hundreds of times above what runs take; they are reference lines. Only
the bounds on one comparison are near what happens. `limit` bounds from below what any method takes.
"""

from antichain.theory._duel_bounds import (
    Bounds,
    bounds_for,
    decoy_comparison_duels,
    decoy_phase_duels,
    direct_comparison_duels,
    interleaved_filter_duels,
    routine_duels_direct,
    routine_duels_with_decoys,
    slicing_duels,
    slicing_with_interleaved_filter_duels,
    unchained_duels,
    unchained_duels_by_epoch,
)
from antichain.theory._information_limit import Limit, limit, limit_if_any
from antichain.theory._regret_bounds import (
    Alpha,
    alpha,
    decoy_regret,
    peeling_cost,
    peeling_regret,
    peeling_steps,
)

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
