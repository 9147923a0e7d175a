"""Finders of the maximum of a chain, for SlicingBandits."""

from antichain.algorithms.chains.beat_the_mean import BeatTheMean
from antichain.algorithms.chains.challenge import Challenge
from antichain.algorithms.chains.finder import MaximumFinder
from antichain.algorithms.chains.interleaved_filter import InterleavedFilter
from antichain.algorithms.chains.knockout import Knockout
from antichain.algorithms.chains.peel import PeelToOne

FINDERS: dict[str, type[MaximumFinder]] = {
    finder.name: finder
    for finder in (Challenge, PeelToOne, InterleavedFilter, BeatTheMean, Knockout)
}
"""The finders by name."""

__all__ = [
    "FINDERS",
    "BeatTheMean",
    "Challenge",
    "InterleavedFilter",
    "Knockout",
    "MaximumFinder",
    "PeelToOne",
]
