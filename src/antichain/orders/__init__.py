"""Orders and the duels on them: posets, gaps, decoys, generators (pure mathematics).

The implicit orders are loaded when first asked for: they alone need the compiler.
"""

from typing import TYPE_CHECKING

from antichain.orders.decoy_extension import (
    DecoyViolation,
    check_decoy,
    decoy_gap_pairs,
    extend,
)
from antichain.orders.duel_law import Duels
from antichain.orders.gaps import BradleyTerryGaps, GapLaw, UniformGaps, gap_law
from antichain.orders.model import DuelModel, EpsWidth
from antichain.orders.poset import Poset

if TYPE_CHECKING:
    from antichain.orders.implicit import ImplicitChains, ImplicitDominance, ImplicitTotalOrder

__all__ = [
    "BradleyTerryGaps",
    "DecoyViolation",
    "DuelModel",
    "Duels",
    "EpsWidth",
    "GapLaw",
    "ImplicitChains",
    "ImplicitDominance",
    "ImplicitTotalOrder",
    "Poset",
    "UniformGaps",
    "check_decoy",
    "decoy_gap_pairs",
    "extend",
    "gap_law",
]


def __getattr__(name: str) -> object:
    if name in ("ImplicitChains", "ImplicitDominance", "ImplicitTotalOrder"):
        from antichain.orders import implicit

        return getattr(implicit, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
