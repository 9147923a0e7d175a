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
    from antichain import errors, testing, theory
    from antichain.algorithms.base import Algorithm, Rules
    from antichain.algorithms.chains import (
        BeatTheMean,
        Challenge,
        InterleavedFilter,
        Knockout,
        MaximumFinder,
        PeelToOne,
    )
    from antichain.algorithms.real_decoys import RealDecoys
    from antichain.algorithms.registry import register
    from antichain.algorithms.result import PlanState, Result
    from antichain.algorithms.rounds import Ask, Outcome, Plan, Receipt, Round, round_of
    from antichain.algorithms.search import Search
    from antichain.algorithms.slicing import SlicingBandits
    from antichain.algorithms.unchained import UnchainedBandits
    from antichain.algorithms.uniform import UniformSampling
    from antichain.algorithms.witness import Witness
    from antichain.arenas.arena import Arena, Budgeted, CallableArena
    from antichain.arenas.recorded import Replay
    from antichain.arenas.simulated import DegradedArena, KeyedArena, MatrixArena, SimulatedArena
    from antichain.certify.certificate import Certificate
    from antichain.certify.reading import front
    from antichain.decoys import check_decoys, make_decoys, plan_calibration
    from antichain.errors import AntichainError
    from antichain.evidence.answers import Answer, Tally, Verdict
    from antichain.evidence.bet import Bet
    from antichain.evidence.sequential import SequentialTest
    from antichain.forecast import Forecast, plan, remaining
    from antichain.nextvotes import NextVote, NextVotes, next_votes
    from antichain.orders import DuelModel, Poset
    from antichain.orders import generators as posets
    from antichain.orders.implicit import ImplicitChains, ImplicitDominance, ImplicitTotalOrder
    from antichain.ratings.pair_counts import PairCounts
    from antichain.ratings.rater_arenas import RatingsArena
    from antichain.run import Progress, find_front
    from antichain.study import Study, StudyAsk, judge
    from antichain.votes import ReadOptions, read_votes, votes_from_ratings_counts
    from antichain.votes.preference_matrix import read_matrix
    from antichain.votes.vote_log import Meanings, VoteLog

_HOMES = {
    "Algorithm": "algorithms.base",
    "Answer": "evidence.answers",
    "AntichainError": "errors",
    "Arena": "arenas.arena",
    "Ask": "algorithms.rounds",
    "BeatTheMean": "algorithms.chains",
    "Bet": "evidence.bet",
    "Budgeted": "arenas.arena",
    "CallableArena": "arenas.arena",
    "Certificate": "certify.certificate",
    "Challenge": "algorithms.chains",
    "DegradedArena": "arenas.simulated",
    "DuelModel": "orders.model",
    "Forecast": "forecast",
    "ImplicitChains": "orders.implicit",
    "ImplicitDominance": "orders.implicit",
    "ImplicitTotalOrder": "orders.implicit",
    "InterleavedFilter": "algorithms.chains",
    "KeyedArena": "arenas.simulated",
    "Knockout": "algorithms.chains",
    "MatrixArena": "arenas.simulated",
    "MaximumFinder": "algorithms.chains",
    "Meanings": "votes.vote_log",
    "NextVote": "nextvotes",
    "NextVotes": "nextvotes",
    "Outcome": "algorithms.rounds",
    "PairCounts": "ratings.pair_counts",
    "PeelToOne": "algorithms.chains",
    "Plan": "algorithms.rounds",
    "PlanState": "algorithms.result",
    "Poset": "orders.poset",
    "Progress": "run",
    "RatingsArena": "ratings.rater_arenas",
    "ReadOptions": "votes",
    "RealDecoys": "algorithms.real_decoys",
    "Receipt": "algorithms.rounds",
    "Replay": "arenas.recorded",
    "Result": "algorithms.result",
    "Round": "algorithms.rounds",
    "Rules": "algorithms.base",
    "Search": "algorithms.search",
    "SequentialTest": "evidence.sequential",
    "SimulatedArena": "arenas.simulated",
    "SlicingBandits": "algorithms.slicing",
    "Study": "study",
    "StudyAsk": "study",
    "Tally": "evidence.answers",
    "UnchainedBandits": "algorithms.unchained",
    "UniformSampling": "algorithms.uniform",
    "Verdict": "evidence.answers",
    "VoteLog": "votes.vote_log",
    "Witness": "algorithms.witness",
    "check_decoys": "decoys",
    "find_front": "run",
    "front": "certify.reading",
    "judge": "study",
    "make_decoys": "decoys",
    "next_votes": "nextvotes",
    "plan": "forecast",
    "plan_calibration": "decoys",
    "read_matrix": "votes.preference_matrix",
    "read_votes": "votes",
    "register": "algorithms.registry",
    "remaining": "forecast",
    "round_of": "algorithms.rounds",
    "votes_from_ratings_counts": "votes",
}

_MODULES = {
    "errors": "errors",
    "posets": "orders.generators",
    "testing": "testing",
    "theory": "theory",
}

__all__ = [
    "Algorithm",
    "Answer",
    "AntichainError",
    "Arena",
    "Ask",
    "BeatTheMean",
    "Bet",
    "Budgeted",
    "CallableArena",
    "Certificate",
    "Challenge",
    "DegradedArena",
    "DuelModel",
    "Forecast",
    "ImplicitChains",
    "ImplicitDominance",
    "ImplicitTotalOrder",
    "InterleavedFilter",
    "KeyedArena",
    "Knockout",
    "MatrixArena",
    "MaximumFinder",
    "Meanings",
    "NextVote",
    "NextVotes",
    "Outcome",
    "PairCounts",
    "PeelToOne",
    "Plan",
    "PlanState",
    "Poset",
    "Progress",
    "RatingsArena",
    "ReadOptions",
    "RealDecoys",
    "Receipt",
    "Replay",
    "Result",
    "Round",
    "Rules",
    "Search",
    "SequentialTest",
    "SimulatedArena",
    "SlicingBandits",
    "Study",
    "StudyAsk",
    "Tally",
    "UnchainedBandits",
    "UniformSampling",
    "Verdict",
    "VoteLog",
    "Witness",
    "check_decoys",
    "errors",
    "find_front",
    "front",
    "judge",
    "make_decoys",
    "next_votes",
    "plan",
    "plan_calibration",
    "posets",
    "read_matrix",
    "read_votes",
    "register",
    "remaining",
    "round_of",
    "testing",
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
