"""Orders and the duels on them: posets, gaps, generators (pure mathematics).

The implicit orders are imported from their own module: they alone need the compiler.
"""

from antichain.orders._model import DuelModel
from antichain.orders._poset import Poset

__all__ = ["DuelModel", "Poset"]
