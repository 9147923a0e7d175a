"""Find the best items: the set of maximal items, from noisy pairwise votes.

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
    from antichain import errors, plots, testing, theory
    from antichain._run import Progress, find_front
    from antichain.algorithms._base import Algorithm, Rules
    from antichain.algorithms._certifying import Certifying
    from antichain.algorithms._orient import Orient
    from antichain.algorithms._real_decoys import RealDecoys
    from antichain.algorithms._registry import register
    from antichain.algorithms._result import PlanState, Result
    from antichain.algorithms._rounds import (
        Ask,
        Outcome,
        Plan,
        Race,
        RaceOutcome,
        Receipt,
        Round,
        round_of,
    )
    from antichain.algorithms._search import Search
    from antichain.algorithms._slicing import SlicingBandits
    from antichain.algorithms._unchained import UnchainedBandits
    from antichain.algorithms._uniform import UniformSampling
    from antichain.algorithms.chains import (
        BeatTheMean,
        Challenge,
        InterleavedFilter,
        Knockout,
        MaximumFinder,
        PeelToOne,
    )
    from antichain.algorithms.witness._witness import Witness
    from antichain.arenas._arena import Arena, Budgeted, CallableArena, RegretRates
    from antichain.arenas._recorded import Replay
    from antichain.arenas._simulated import DegradedArena, KeyedArena, MatrixArena, SimulatedArena
    from antichain.certify._certificate import Certificate
    from antichain.certify._reading import front
    from antichain.decoys import check_decoys, make_decoys, plan_calibration
    from antichain.errors import AntichainError
    from antichain.evidence._answers import Answer, Count, Tally, Verdict
    from antichain.evidence._bet import Bet
    from antichain.evidence._sequential import SequentialTest, Streams
    from antichain.forecast import Forecast, plan, remaining
    from antichain.likely import LikelyFront, likely_front
    from antichain.nextvotes import NextVote, NextVotes, next_votes
    from antichain.orders import DuelModel, Poset
    from antichain.orders import _generators as posets
    from antichain.orders._implicit import ImplicitChains, ImplicitDominance, ImplicitTotalOrder
    from antichain.ratings._pair_counts import PairCounts
    from antichain.ratings._rated_items import load_movielens, load_ratings
    from antichain.ratings._rater_arenas import RatingsArena
    from antichain.ratings._rating_log import RatingFormat
    from antichain.sources._values import Batch, ValueSource
    from antichain.study import Study, StudyAsk, judge
    from antichain.votes import (
        ReadOptions,
        read_attributes,
        read_votes,
        votes_from_ratings_counts,
    )
    from antichain.votes._preference_matrix import read_matrix
    from antichain.votes._vote_log import Meanings, VoteLog

    __version__: str

_HOMES = {
    "Algorithm": "algorithms._base",
    "Answer": "evidence._answers",
    "AntichainError": "errors",
    "Arena": "arenas._arena",
    "Ask": "algorithms._rounds",
    "Batch": "sources._values",
    "BeatTheMean": "algorithms.chains",
    "Bet": "evidence._bet",
    "Budgeted": "arenas._arena",
    "CallableArena": "arenas._arena",
    "Certificate": "certify._certificate",
    "Certifying": "algorithms._certifying",
    "Challenge": "algorithms.chains",
    "Count": "evidence._answers",
    "DegradedArena": "arenas._simulated",
    "DuelModel": "orders._model",
    "Forecast": "forecast",
    "ImplicitChains": "orders._implicit",
    "ImplicitDominance": "orders._implicit",
    "ImplicitTotalOrder": "orders._implicit",
    "InterleavedFilter": "algorithms.chains",
    "KeyedArena": "arenas._simulated",
    "Knockout": "algorithms.chains",
    "LikelyFront": "likely",
    "MatrixArena": "arenas._simulated",
    "MaximumFinder": "algorithms.chains",
    "Meanings": "votes._vote_log",
    "NextVote": "nextvotes",
    "NextVotes": "nextvotes",
    "Orient": "algorithms._orient",
    "Outcome": "algorithms._rounds",
    "PairCounts": "ratings._pair_counts",
    "PeelToOne": "algorithms.chains",
    "Plan": "algorithms._rounds",
    "PlanState": "algorithms._result",
    "Poset": "orders._poset",
    "Progress": "_run",
    "Race": "algorithms._rounds",
    "RaceOutcome": "algorithms._rounds",
    "RatingFormat": "ratings._rating_log",
    "RatingsArena": "ratings._rater_arenas",
    "ReadOptions": "votes",
    "RealDecoys": "algorithms._real_decoys",
    "Receipt": "algorithms._rounds",
    "RegretRates": "arenas._arena",
    "Replay": "arenas._recorded",
    "Result": "algorithms._result",
    "Round": "algorithms._rounds",
    "Rules": "algorithms._base",
    "Search": "algorithms._search",
    "SequentialTest": "evidence._sequential",
    "SimulatedArena": "arenas._simulated",
    "SlicingBandits": "algorithms._slicing",
    "Streams": "evidence._sequential",
    "Study": "study",
    "StudyAsk": "study",
    "Tally": "evidence._answers",
    "UnchainedBandits": "algorithms._unchained",
    "UniformSampling": "algorithms._uniform",
    "ValueSource": "sources._values",
    "Verdict": "evidence._answers",
    "VoteLog": "votes._vote_log",
    "Witness": "algorithms.witness._witness",
    "check_decoys": "decoys",
    "find_front": "_run",
    "front": "certify._reading",
    "judge": "study",
    "likely_front": "likely",
    "load_movielens": "ratings._rated_items",
    "load_ratings": "ratings._rated_items",
    "make_decoys": "decoys",
    "next_votes": "nextvotes",
    "plan": "forecast",
    "plan_calibration": "decoys",
    "read_matrix": "votes._preference_matrix",
    "read_attributes": "votes",
    "read_votes": "votes",
    "register": "algorithms._registry",
    "remaining": "forecast",
    "round_of": "algorithms._rounds",
    "votes_from_ratings_counts": "votes",
}

_MODULES = {
    "errors": "errors",
    "plots": "plots",
    "posets": "orders._generators",
    "testing": "testing",
    "theory": "theory",
}

__all__ = [
    "Algorithm",
    "Answer",
    "AntichainError",
    "Arena",
    "Ask",
    "Batch",
    "BeatTheMean",
    "Bet",
    "Budgeted",
    "CallableArena",
    "Certificate",
    "Certifying",
    "Challenge",
    "Count",
    "DegradedArena",
    "DuelModel",
    "Forecast",
    "ImplicitChains",
    "ImplicitDominance",
    "ImplicitTotalOrder",
    "InterleavedFilter",
    "KeyedArena",
    "Knockout",
    "LikelyFront",
    "MatrixArena",
    "MaximumFinder",
    "Meanings",
    "NextVote",
    "NextVotes",
    "Orient",
    "Outcome",
    "PairCounts",
    "PeelToOne",
    "Plan",
    "PlanState",
    "Poset",
    "Progress",
    "Race",
    "RaceOutcome",
    "RatingFormat",
    "RatingsArena",
    "ReadOptions",
    "RealDecoys",
    "Receipt",
    "RegretRates",
    "Replay",
    "Result",
    "Round",
    "Rules",
    "Search",
    "SequentialTest",
    "SimulatedArena",
    "SlicingBandits",
    "Streams",
    "Study",
    "StudyAsk",
    "Tally",
    "UnchainedBandits",
    "UniformSampling",
    "ValueSource",
    "Verdict",
    "VoteLog",
    "Witness",
    "check_decoys",
    "errors",
    "find_front",
    "front",
    "judge",
    "likely_front",
    "load_movielens",
    "load_ratings",
    "make_decoys",
    "next_votes",
    "plan",
    "plan_calibration",
    "plots",
    "posets",
    "read_attributes",
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
    if name == "__version__":  # pyproject.toml is the one place that states it
        return import_module("importlib.metadata").version("antichain")
    raise AttributeError(f"module 'antichain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
