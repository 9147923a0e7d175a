"""The contract of an algorithm: however answers come in, a run comes to the same right end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from antichain._run import find_front
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import Result
from antichain.algorithms._rounds import Receipt
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena
from antichain.arenas._simulated import KeyedArena, SimulatedArena
from antichain.errors import InputError, ParameterError, ProtocolError
from antichain.orders import DuelModel
from antichain.testing._contract import (
    Check,
    checks_of,
    require,
    require_error,
    run_checks,
    vital,
)
from antichain.testing._crowds import (
    MOST_DUELS,
    Crowd,
    Doubled,
    Feed,
    Late,
    Lossy,
    Skipping,
    Watched,
    in_portions,
    require_few,
    until_finished,
)
from antichain.testing._plan_checks import CheckedPlan
from antichain.testing._worlds import random_world, small_world

Repeatable = Literal["always", "without spare", "front only", "by answers in"]

_SEED = 3
_LARGE_DELTA, _TINY_DELTA = 0.2, 1e-6
_RANDOM_WORLDS = 12


def check_algorithm(
    algorithm: Algorithm,
    *,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> None:
    """Run the contract suite of algorithms on `algorithm`; raise `ContractError` if it fails.

    The suite plays small simulated posets in which every gap is at least 0.2, so choose
    parameters that make runs short, such as `delta=0.01` and `decoy_gap=0.15`. Whether an answer
    is what the method promises is decided by its `is_right`: as inherited from `Algorithm`, the
    front must be exact, or an ε-approximation for a method with an `epsilon`.

    Args:
        algorithm: The method to check, with its parameters.
        repeatable: Whether the same answers lead to the same duels in whatever order they
            arrive: "always"; "without spare", if late or repeated answers may shift later ones
            (a method that returns to items it threw out); "front only", if one pair may be
            asked about for two purposes at once; or "by answers in", if what is asked for next
            depends on which answers are in by then.
        ties: The share of duels that the simulated voters call a tie.

    Example:
        >>> import antichain as ac
        >>> from antichain.testing import check_algorithm
        >>> check_algorithm(ac.UnchainedBandits(delta=0.01, decoy_gap=0.2))
    """
    run_checks(algorithm, algorithm_checks(algorithm, repeatable=repeatable, ties=ties))


def algorithm_checks(
    algorithm: Algorithm,
    *,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> list[Check]:
    """The checks of `check_algorithm` one by one, for `pytest.mark.parametrize(..., ids=str)`."""
    return checks_of(AlgorithmSuite(algorithm, repeatable=repeatable, ties=ties))


class AlgorithmSuite:
    """The checks, and what they share: a world with keyed voters and the run one by one.

    Args:
        algorithm: The method to check.
        repeatable: How far the duels may depend on how answers arrive.
        ties: The share of ties.
        model: The order that most checks play.
        random_model: The orders, by seed, on which the method must be right.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        repeatable: Repeatable = "always",
        ties: float = 0.0,
        model: DuelModel | None = None,
        random_model: Callable[[int], DuelModel] = random_world,
    ) -> None:
        self.algorithm = algorithm
        self.repeatable = repeatable
        self.ties = ties
        self.model = small_world() if model is None else model
        self.random_model = random_model

    def _world(self, model: DuelModel, seed: int = 0) -> SimulatedArena:
        """An arena that shows what the algorithm needs to see."""
        return SimulatedArena(
            model,
            self.algorithm.needs_decoys,
            observable=self.algorithm.needs_observable,
            seed=seed,
        )

    def _voters(self, model: DuelModel | None = None, seed: int = _SEED) -> Arena:
        """Voters whose k-th answer on a pair is fixed, whoever asks and when."""
        world = self._world(self.model if model is None else model)
        return Watched(KeyedArena(world, seed=seed, tie_chance=self.ties))

    def _start(self) -> Search:
        return self.algorithm.start(self.model.items, seed=_SEED)

    def _fed(self, feed: Feed) -> Result:
        search = self._start()
        feed(search, self._voters())
        return search.result()

    @cached_property
    def _one_by_one(self) -> Result:
        return self._fed(in_portions(1))

    def _same(self, feed: Feed) -> Result:
        """Play with `feed` and require the same outcome as with one duel at a time."""
        result, expected = self._fed(feed), self._one_by_one
        changed = self._holds_lost_against and result.lost + result.answers["skipped"]
        shifted = self.repeatable == "without spare" and result.spare
        crowded = self.repeatable == "front only" and isinstance(feed, Crowd)
        if changed or shifted or crowded or self.repeatable == "by answers in":
            require(
                (result.front, result.certified) == (expected.front, expected.certified),
                f"front {result.front}, certified={result.certified}, but one duel at a time "
                f"gave {expected.front}, certified={expected.certified}.",
            )
        else:
            got, wanted = _outcome(result), _outcome(expected)
            for field, value in wanted.items():
                require(
                    got[field] == value,
                    f"{field} {got[field]}, but one duel at a time gave {value}.",
                )
        return result

    @property
    def _holds_lost_against(self) -> bool:
        return self.algorithm.rules.lost == "against"

    @property
    def _loss_rate(self) -> float:
        # Held against every claim, losses larger than the gaps would leave nothing to claim.
        return 0.03 if self._holds_lost_against else 0.3

    # -- what it is ---------------------------------------------------------------------------

    @vital
    def check_it_describes_itself(self) -> None:
        algorithm = self.algorithm
        require(
            isinstance(algorithm, Algorithm),
            f"{algorithm!r} is not an Algorithm with its parameters, such as "
            "UnchainedBandits(delta=0.01, decoy_gap=0.2).",
        )
        name = getattr(algorithm, "name", None)
        require(
            isinstance(name, str) and name,
            f"name must be a non-empty string, set as a class variable; it is {name!r}.",
        )

    @vital
    def check_the_plan_yields_rounds_and_returns_indices(self) -> None:
        if type(self.algorithm).start is not Algorithm.start:
            return  # its runs have no plan
        checked: Any = CheckedPlan(self.algorithm)
        for items in (self.model.items, ("alone",)):
            in_portions(None)(Search(checked, items, _SEED), self._voters())

    def check_its_parameters_are_plain_data(self) -> None:
        algorithm = self.algorithm
        try:
            json.dumps(algorithm.parameters())
            hash(algorithm)
        except TypeError as error:
            require(False, f"parameters must be plain data that can be hashed: {error}.")
        require(replace(algorithm) == algorithm, "a copy with the same parameters is not equal.")

    def check_only_a_stated_guarantee_certifies(self) -> None:
        stated = self.algorithm.guarantee is not None
        require(
            self._one_by_one.certified == stated,
            f"a finished run came back certified={self._one_by_one.certified}, but guarantee is "
            f"{self.algorithm.guarantee!r}.",
        )

    # -- the right end ------------------------------------------------------------------------

    def check_one_at_a_time_wastes_nothing_and_is_right(self) -> None:
        result = self._one_by_one
        require(
            result.spare == result.lost == 0,
            f"asked for one duel at a time, it made {result.spare} answers spare and "
            f"{result.lost} lost.",
        )
        self._require_right(result, self.model)
        answers = sum(result.answers.values())
        require(
            answers == result.duels,
            f"{answers} answers were given, but the result has {result.duels} duels.",
        )
        phases = sum(epoch.duels for epoch in result.epochs)
        require(
            phases in (0, result.duels),
            f"its phases hold {phases} of {result.duels} duels: wrap every round in one, with "
            "`with state.epoch(…)`, or none.",
        )

    def check_every_item_is_in_the_front_or_eliminated(self) -> None:
        result = self._one_by_one
        front, dominated = set(result.front), set(result.dominated)
        missing = sorted(set(self.model.items) - front - dominated)
        require(
            not missing,
            f"{missing} are not in the front, but were not eliminated either: call "
            "state.eliminate(loser, winner) for each item that leaves.",
        )

    def check_right_on_random_orders(self) -> None:
        careful = replace(self.algorithm, delta=_TINY_DELTA)
        for seed in range(_RANDOM_WORLDS):
            model = self.random_model(seed)
            # Ties come by asking only; without them, whole rounds are settled at once.
            arena = self._voters(model, seed) if self.ties else self._world(model, seed)
            result = find_front(arena, careful, seed=seed, budget=MOST_DUELS)
            require_few(result.duels)
            self._require_right(result, model)

    def _require_right(self, result: Result, model: DuelModel) -> None:
        require(
            self.algorithm.is_right(result, model),
            f"it found {result.front}, but the front is {model.front}; at "
            f"delta={result.parameters['delta']} that is hardly bad luck. The order, as (above, "
            f"below): {model.poset.relations()}.",
        )

    def check_a_smaller_delta_takes_more_duels(self) -> None:
        if self.algorithm.guarantee is None:
            return
        duels = []
        for delta in (_LARGE_DELTA, _TINY_DELTA):
            search = replace(self.algorithm, delta=delta).start(self.model.items, seed=_SEED)
            in_portions(None)(search, self._voters())
            duels.append(search.result().duels)
        require(
            duels[0] < duels[1],
            f"delta={_LARGE_DELTA} took {duels[0]} duels and delta={_TINY_DELTA} took {duels[1]}: "
            "does every test get its share of delta?",
        )

    def check_one_item_takes_no_duel(self) -> None:
        search = self.algorithm.start(["alone"])
        require(
            search.ask() == [] and search.finished,
            "with a single item there is nothing to compare, but the search wants duels.",
        )
        front = search.result().front
        require(front == ("alone",), f"a single item is its own front, but {front} was returned.")

    # -- the same end, however it is answered -----------------------------------------------------

    def check_whole_bundles(self) -> None:
        self._same(in_portions(None))

    def check_batches_of_7(self) -> None:
        self._same(in_portions(7))

    def check_batches_of_100(self) -> None:
        self._same(in_portions(100))

    def check_answers_out_of_order(self) -> None:
        self._same(Crowd(1, portion=40))

    def check_late_answers_are_spare(self) -> None:
        crowd = Late(2, portion=40, rate=self._loss_rate)
        result = self._same(crowd)
        require(
            result.spare >= crowd.spare,
            f"{crowd.spare} answers came too late or twice, but only {result.spare} are spare.",
        )
        by_pair = sum(pair.lost for pair in result.lost_by_pair)
        require(
            result.lost == crowd.lost == by_pair,
            f"{crowd.lost} duels were lost; the result says {result.lost}, by pair {by_pair}.",
        )

    def check_second_answers_are_spare(self) -> None:
        crowd = Doubled(3, portion=40)
        result = self._same(crowd)
        require(
            result.spare >= crowd.spare,
            f"{crowd.spare} answers came too late or twice, but only {result.spare} are spare.",
        )

    def check_lost_answers_are_asked_again(self) -> None:
        crowd = Lossy(4, portion=40, rate=self._loss_rate)
        result = self._same(crowd)
        require(
            result.lost == crowd.lost,
            f"{crowd.lost} duels were lost, but the result says {result.lost}.",
        )

    def check_skipped_duels_are_asked_again(self) -> None:
        result = self._same(Skipping(5, portion=40, rate=self._loss_rate))
        require(result.answers["skipped"] > 0, "skipped answers were not counted.")
        require(result.lost == 0, "skipped answers were counted as lost.")

    def check_a_seed_decides_the_run(self) -> None:
        # The global generator is what must not matter, so that it is set on purpose.
        before = np.random.get_state(legacy=False)  # noqa: NPY002
        runs = []
        for noise in (0, 1):
            np.random.seed(noise)  # noqa: NPY002
            runs.append(_outcome(self._fed(in_portions(None))))
        np.random.set_state(before)  # noqa: NPY002
        require(
            runs[0] == runs[1],
            "two runs with the same seed differ: does the method use global random state?",
        )

    # -- the game -------------------------------------------------------------------------------

    def check_asks_are_new_and_name_two_items(self) -> None:
        search, seen = self._start(), set()
        for ask in search.ask(500):
            require(ask.id not in seen, f"ask {ask.id} was handed out twice.")
            seen.add(ask.id)
            known = {ask.left, ask.right} <= set(self.model.items)
            require(
                known and ask.left != ask.right, f"{ask} is not a duel between two of the items."
            )

    def check_waiting_is_not_finished(self) -> None:
        search = self._start()
        require(not search.waiting, "the search is waiting before anything was asked.")
        asks = search.ask()
        require(asks, "the first ask is empty, although there are several items.")
        require(
            search.ask() == [], "asked a second time, it asks again for duels that are outstanding."
        )
        while search.ask(100):
            pass  # work further ahead
        require(
            search.waiting and not search.finished,
            "once everything is asked, the search should be waiting.",
        )
        search.expire(asks[0])
        require(
            not search.waiting,
            "once an ask has expired, its duels should be asked again, but the search is waiting.",
        )

    def check_finished_is_not_waiting(self) -> None:
        search = self._start()
        in_portions(None)(search, self._voters())
        require(not search.waiting, "a finished search should not be waiting.")
        require(search.ask() == search.ask(5) == [], "a finished search should not ask for duels.")

    def check_illegal_moves_change_nothing(self) -> None:
        search = self._start()
        ask = search.ask(3)[0]
        before = _visible(search)
        too_many = ["left"] * (ask.duels + 1)
        for which in (ask, ask.id):
            tell = partial(search.tell, which, too_many)
            require_error(ProtocolError, str(ask.duels), tell, "one answer too many")
        for unknown in (0, -1, ask.id + 1000):
            for move in (partial(search.tell, unknown, "left"), partial(search.expire, unknown)):
                require_error(ProtocolError, "ask", move, f"ask number {unknown}")
        perhaps = ["perhaps"] * ask.duels
        require_error(InputError, "perhaps", lambda: search.tell(ask, perhaps), "'perhaps'")
        require_error(ParameterError, "0", lambda: search.ask(0), "ask(0)")
        nothing: Any = None
        require_error(ProtocolError, "settle", lambda: search.settle(nothing), "settle(None)")
        require(_visible(search) == before, "an illegal move changed the search.")
        voters = self._voters()
        for out in search.outstanding:
            search.tell(out, voters.answer([out])[0])
        in_portions(7)(search, voters)

    def check_answers_balance(self) -> None:
        search, voters, told = self._start(), self._voters(), 0

        def step() -> None:
            nonlocal told
            asks = search.ask(60)
            for ask, tally in zip(asks, voters.answer(asks), strict=True):
                told += tally.total
                search.tell(ask, tally)

        until_finished(search, step)
        result = search.result()
        require(
            result.duels + result.spare == sum(result.answers.values()) == told,
            f"{told} answers were given, but the result has {result.duels} duels, {result.spare} "
            f"spare answers and, by form, {result.answers}.",
        )

    def check_what_comes_after_the_end_is_spare(self) -> None:
        search = self._start()
        first = search.ask(1)[0]
        search.expire(first)
        in_portions(50)(search, self._voters())
        before = search.result()
        require(
            search.tell(first, "left") is Receipt.SPARE,
            "an answer after the end was taken as evidence.",
        )
        after = search.result()
        require(after.spare == before.spare + 1, "an answer after the end was not noted as spare.")
        require(_outcome(after) == _outcome(before), "an answer after the end changed the result.")

    def check_a_budget_ends_it_uncertified(self) -> None:
        spent = self._one_by_one.duels // 2
        result = find_front(self._world(self.model), self.algorithm, seed=_SEED, budget=spent)
        require(
            result.duels <= spent, f"{result.duels} duels were played with a budget of {spent}."
        )
        require(not result.certified, "a run that its budget cut short came back certified.")
        require(result.among, "a run that its budget cut short has no items left.")


def _outcome(result: Result) -> dict[str, Any]:
    """What must not depend on how the answers came in."""
    return {
        "certified": result.certified,
        "front": result.front,
        "undecided": result.undecided,
        "dominated": result.dominated,
        "epochs": result.epochs,
        "direct duels": result.direct_duels,
        "decoy duels": result.decoy_duels,
        "probes": result.probes,
    }


def _visible(search: Search) -> tuple[Any, ...]:
    return search.outstanding, search.finished, search.waiting, search.result().to_dict()
