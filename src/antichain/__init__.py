"""Who are the best? The set of maximal items from noisy pairwise votes.

    >>> import antichain as ac
    >>> arena = ac.SimulatedArena(ac.posets.layered(2, 3, 3, seed=0), decoy_gap=0.1)
    >>> result = ac.find_front(arena, ac.Witness(delta=0.01, decoy_gap=0.1))
    >>> set(result.front) == set(arena.model.front)
    True

Names are loaded when first used, so that importing the package alone is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antichain import theory
    from antichain.algorithms.asks import Ask, Receipt
    from antichain.algorithms.base import Algorithm
    from antichain.algorithms.chains import (
        BeatTheMean,
        Challenge,
        InterleavedFilter,
        Knockout,
        PeelToOne,
    )
    from antichain.algorithms.real_decoys import RealDecoys
    from antichain.algorithms.registry import register
    from antichain.algorithms.result import Result
    from antichain.algorithms.rules import Rules
    from antichain.algorithms.search import Search
    from antichain.algorithms.slicing import SlicingBandits
    from antichain.algorithms.unchained import UnchainedBandits
    from antichain.algorithms.uniform import UniformSampling
    from antichain.algorithms.witness import Witness
    from antichain.arenas.base import Arena
    from antichain.arenas.callable import CallableArena
    from antichain.arenas.degraded import DegradedArena
    from antichain.arenas.keyed import KeyedArena
    from antichain.arenas.ratings import RatingsArena
    from antichain.arenas.recorded import Replay
    from antichain.arenas.simulated import MatrixArena, SimulatedArena
    from antichain.arenas.wrappers import Budgeted
    from antichain.certify.certificate import Certificate
    from antichain.certify.reading import front
    from antichain.errors import AntichainError
    from antichain.evidence.answers import Answer, Tally
    from antichain.logs.duels import ReadOptions, read_votes, votes_from_ratings_counts
    from antichain.logs.matrix import read_matrix
    from antichain.logs.pairs import PairCounts
    from antichain.logs.votes import Meanings, VoteLog
    from antichain.makers import check_decoys, make_decoys, plan_calibration
    from antichain.nextvotes import NextVote, NextVotes, next_votes
    from antichain.orders import (
        DuelModel,
        ImplicitChains,
        ImplicitDominance,
        ImplicitTotalOrder,
        Poset,
    )
    from antichain.orders import generators as posets
    from antichain.run import Progress, find_front
    from antichain.study import Study, StudyAsk, judge

_HOMES = {
    "Algorithm": "algorithms.base",
    "Answer": "evidence.answers",
    "AntichainError": "errors",
    "Arena": "arenas.base",
    "Ask": "algorithms.asks",
    "BeatTheMean": "algorithms.chains",
    "Budgeted": "arenas.wrappers",
    "CallableArena": "arenas.callable",
    "Certificate": "certify.certificate",
    "Challenge": "algorithms.chains",
    "DegradedArena": "arenas.degraded",
    "DuelModel": "orders.model",
    "ImplicitChains": "orders.implicit",
    "ImplicitDominance": "orders.implicit",
    "ImplicitTotalOrder": "orders.implicit",
    "InterleavedFilter": "algorithms.chains",
    "KeyedArena": "arenas.keyed",
    "Knockout": "algorithms.chains",
    "MatrixArena": "arenas.simulated",
    "Meanings": "logs.votes",
    "NextVote": "nextvotes",
    "NextVotes": "nextvotes",
    "PairCounts": "logs.pairs",
    "PeelToOne": "algorithms.chains",
    "Poset": "orders.poset",
    "Progress": "run",
    "RatingsArena": "arenas.ratings",
    "ReadOptions": "logs.duels",
    "RealDecoys": "algorithms.real_decoys",
    "Receipt": "algorithms.asks",
    "Replay": "arenas.recorded",
    "Result": "algorithms.result",
    "Rules": "algorithms.rules",
    "Search": "algorithms.search",
    "SimulatedArena": "arenas.simulated",
    "SlicingBandits": "algorithms.slicing",
    "Study": "study",
    "StudyAsk": "study",
    "Tally": "evidence.answers",
    "UnchainedBandits": "algorithms.unchained",
    "UniformSampling": "algorithms.uniform",
    "VoteLog": "logs.votes",
    "Witness": "algorithms.witness",
    "check_decoys": "makers",
    "find_front": "run",
    "front": "certify.reading",
    "judge": "study",
    "make_decoys": "makers",
    "next_votes": "nextvotes",
    "plan_calibration": "makers",
    "read_matrix": "logs.matrix",
    "read_votes": "logs.duels",
    "register": "algorithms.registry",
    "votes_from_ratings_counts": "logs.duels",
}

_MODULES = {"posets": "orders.generators", "theory": "theory"}

__all__ = [
    "Algorithm",
    "Answer",
    "AntichainError",
    "Arena",
    "Ask",
    "BeatTheMean",
    "Budgeted",
    "CallableArena",
    "Certificate",
    "Challenge",
    "DegradedArena",
    "DuelModel",
    "ImplicitChains",
    "ImplicitDominance",
    "ImplicitTotalOrder",
    "InterleavedFilter",
    "KeyedArena",
    "Knockout",
    "MatrixArena",
    "Meanings",
    "NextVote",
    "NextVotes",
    "PairCounts",
    "PeelToOne",
    "Poset",
    "Progress",
    "RatingsArena",
    "ReadOptions",
    "RealDecoys",
    "Receipt",
    "Replay",
    "Result",
    "Rules",
    "Search",
    "SimulatedArena",
    "SlicingBandits",
    "Study",
    "StudyAsk",
    "Tally",
    "UnchainedBandits",
    "UniformSampling",
    "VoteLog",
    "Witness",
    "check_decoys",
    "find_front",
    "front",
    "judge",
    "make_decoys",
    "next_votes",
    "plan_calibration",
    "posets",
    "read_matrix",
    "read_votes",
    "register",
    "theory",
    "votes_from_ratings_counts",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"antichain.{_MODULES[name]}")
    if name in _HOMES:
        return getattr(import_module(f"antichain.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'antichain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
