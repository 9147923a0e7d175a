"""Finders of the maximum of a chain, for SlicingBandits."""

from antichain.algorithms.chains.finder import MaximumFinder
from antichain.algorithms.chains.peel import PeelToOne

__all__ = ["MaximumFinder", "PeelToOne"]
