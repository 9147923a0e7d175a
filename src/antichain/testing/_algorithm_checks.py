"""The contract of an algorithm: however answers come in, a run comes to the same right end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from antichain.algorithms.base import Algorithm
from antichain.algorithms.result import Result
from antichain.algorithms.rounds import Receipt
from antichain.algorithms.search import Search
from antichain.arenas.simulated import KeyedArena, SimulatedArena
from antichain.errors import InputError, ParameterError, ProtocolError
from antichain.orders import DuelModel
from antichain.run import find_front
from antichain.testing._contract import Check, checks_of, require, require_error, run_checks
from antichain.testing._crowds import Crowd, Doubled, Feed, Late, Lossy, Skipping, in_portions
from antichain.testing._worlds import brute_force_front, random_world, small_world

Correct = Callable[[DuelModel, tuple[str, ...]], bool]
"""Whether a front keeps the algorithm's promise on a model whose order is known."""
Repeatable = Literal["always", "without spare", "front only"]

_SEED = 3
_TINY_DELTA = 1e-6
_RANDOM_WORLDS = 12


def check_algorithm(
    algorithm: Algorithm,
    *,
    correct: Correct | None = None,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> None:
    """Run the contract suite of algorithms on `algorithm`; raise `ContractError` if it fails.

    The suite plays small simulated posets in which every gap is at least 0.2, so choose
    parameters that make runs short, such as `delta=0.01` and `decoy_gap=0.15`.

    Args:
        algorithm: The method to check, with its parameters.
        correct: Whether a front keeps the method's promise on a given model. By default the
            front must be exact.
        repeatable: Whether the same answers lead to the same duels in whatever order they
            arrive: "always"; "without spare", if late or repeated answers may shift later ones
            (a method that returns to items it threw out); or "front only", if one pair may be
            asked about for two purposes at once.
        ties: The share of duels that the simulated voters call a tie.

    Example:
        >>> import antichain as ac
        >>> from antichain.testing import check_algorithm
        >>> check_algorithm(ac.UnchainedBandits(delta=0.01, decoy_gap=0.2))
    """
    run_checks(
        algorithm,
        algorithm_checks(algorithm, correct=correct, repeatable=repeatable, ties=ties),
    )


def algorithm_checks(
    algorithm: Algorithm,
    *,
    correct: Correct | None = None,
    repeatable: Repeatable = "always",
    ties: float = 0.0,
) -> list[Check]:
    """The checks of `check_algorithm` one by one, for `pytest.mark.parametrize(..., ids=str)`."""
    return checks_of(AlgorithmSuite(algorithm, correct or _is_exact, repeatable, ties))


def _is_exact(model: DuelModel, front: tuple[str, ...]) -> bool:
    return set(front) == brute_force_front(model)


class AlgorithmSuite:
    """The checks, and what they share: a world with keyed voters and the run one by one.

    Args:
        algorithm: The method to check.
        correct: Whether a front keeps its promise.
        repeatable: How far the duels may depend on how answers arrive.
        ties: The share of ties.
        model: The order that most checks play.
        random_model: The orders, by seed, on which the method must be right.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        correct: Correct = _is_exact,
        repeatable: Repeatable = "always",
        ties: float = 0.0,
        model: DuelModel | None = None,
        random_model: Callable[[int], DuelModel] = random_world,
    ) -> None:
        self.algorithm = algorithm
        self.correct = correct
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

    def _voters(self) -> KeyedArena:
        """Voters whose k-th answer on a pair is fixed, whoever asks and when."""
        return KeyedArena(self._world(self.model), seed=_SEED, tie_chance=self.ties)

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
        if changed or shifted or (self.repeatable == "front only" and isinstance(feed, Crowd)):
            require(
                result.front == expected.front,
                f"front {result.front}, but one duel at a time gave {expected.front}.",
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

    def check_it_describes_itself(self) -> None:
        algorithm = self.algorithm
        require(isinstance(algorithm, Algorithm), f"{algorithm!r} is not an Algorithm.")
        name = getattr(algorithm, "name", None)
        require(isinstance(name, str) and name, f"name must be a non-empty string; it is {name!r}.")
        try:
            json.dumps(algorithm.parameters())
            hash(algorithm)
        except TypeError as error:
            require(False, f"parameters must be plain, hashable data: {error}.")
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
        require(result.spare == result.lost == 0, f"{result.spare} spare, {result.lost} lost.")
        require(
            self.correct(self.model, result.front),
            f"front {result.front} on a world whose front is {self.model.front}.",
        )
        told = sum(result.answers.values())
        require(told == result.duels, f"{told} answers but {result.duels} duels.")
        phases = sum(epoch.duels for epoch in result.epochs)
        require(phases in (0, result.duels), f"phases hold {phases} of {result.duels} duels.")

    def check_right_on_random_orders(self) -> None:
        careful = replace(self.algorithm, delta=_TINY_DELTA)
        for seed in range(_RANDOM_WORLDS):
            model = self.random_model(seed)
            result = find_front(self._world(model, seed), careful, seed=seed)
            require(
                self.correct(model, result.front),
                f"front {result.front} on random order {seed}, whose front is "
                f"{sorted(brute_force_front(model))}: {model.poset.relations()}.",
            )

    def check_one_item_takes_no_duel(self) -> None:
        search = self.algorithm.start(["alone"])
        require(search.ask() == [] and search.finished, "a single item was asked about.")
        require(search.result().front == ("alone",), "a single item is its own front.")

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
        require(result.spare >= crowd.spare, f"{result.spare} spare of {crowd.spare} told.")
        by_pair = sum(pair.lost for pair in result.lost_by_pair)
        require(
            result.lost == crowd.lost == by_pair,
            f"{crowd.lost} duels were lost; the result says {result.lost}, by pair {by_pair}.",
        )

    def check_second_answers_are_spare(self) -> None:
        crowd = Doubled(3, portion=40)
        result = self._same(crowd)
        require(result.spare >= crowd.spare, f"{result.spare} spare of {crowd.spare} told.")

    def check_lost_answers_are_asked_again(self) -> None:
        crowd = Lossy(4, portion=40, rate=self._loss_rate)
        result = self._same(crowd)
        require(result.lost == crowd.lost, f"{crowd.lost} duels lost; it says {result.lost}.")

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
        require(runs[0] == runs[1], "runs of one seed differ: is global random state used?")

    # -- the game -------------------------------------------------------------------------------

    def check_asks_are_new_and_name_two_items(self) -> None:
        search, seen = self._start(), set()
        for ask in search.ask(500):
            require(ask.id not in seen, f"ask {ask.id} was handed out twice.")
            seen.add(ask.id)
            known = {ask.left, ask.right} <= set(self.model.items)
            require(known and ask.left != ask.right, f"{ask} is no duel of two of the items.")

    def check_waiting_is_not_finished(self) -> None:
        search = self._start()
        asks = search.ask()
        require(asks, "the first ask is empty.")
        while search.ask(100):
            pass  # work further ahead
        require(search.waiting and not search.finished, "with all asked, it should be waiting.")
        search.expire(asks[0])
        require(not search.waiting, "after an ask expired, its duels are wanted again.")

    def check_finished_is_not_waiting(self) -> None:
        search = self._start()
        in_portions(None)(search, self._voters())
        require(not search.waiting, "a finished search is waiting.")
        require(search.ask() == search.ask(5) == [], "a finished search asks.")

    def check_illegal_moves_change_nothing(self) -> None:
        search = self._start()
        ask = search.ask(3)[0]
        before = _visible(search)
        too_many = ["left"] * (ask.duels + 1)
        require_error(
            ProtocolError, str(ask.duels), lambda: search.tell(ask, too_many), "too many answers"
        )
        for unknown in (0, -1, ask.id + 1000):
            for move in (partial(search.tell, unknown, "left"), partial(search.expire, unknown)):
                require_error(ProtocolError, "ask", move, f"ask number {unknown}")
        perhaps = ["perhaps"] * ask.duels
        require_error(InputError, "perhaps", lambda: search.tell(ask, perhaps), "'perhaps'")
        require_error(ParameterError, "0", lambda: search.ask(0), "ask(0)")
        require(_visible(search) == before, "an illegal move changed the search.")

    def check_answers_balance(self) -> None:
        search, voters, told = self._start(), self._voters(), 0
        while not search.finished:
            asks = search.ask(60)
            for ask, tally in zip(asks, voters.answer(asks), strict=True):
                told += tally.total
                search.tell(ask, tally)
        result = search.result()
        require(
            result.duels + result.spare == sum(result.answers.values()) == told,
            f"{told} answers told; {result.duels} duels, {result.spare} spare, {result.answers}.",
        )

    def check_what_comes_after_the_end_is_spare(self) -> None:
        search = self._start()
        first = search.ask(1)[0]
        search.expire(first)
        in_portions(50)(search, self._voters())
        before = search.result()
        require(search.tell(first, "left") is Receipt.SPARE, "an answer after the end counted.")
        after = search.result()
        require(after.spare == before.spare + 1, "an answer after the end was not noted as spare.")
        require(_outcome(after) == _outcome(before), "an answer after the end changed the result.")

    def check_a_budget_ends_it_uncertified(self) -> None:
        spent = self._one_by_one.duels // 2
        result = find_front(self._world(self.model), self.algorithm, seed=_SEED, budget=spent)
        require(result.duels <= spent, f"{result.duels} duels with a budget of {spent}.")
        require(not result.certified, "a run that its budget cut short came back certified.")
        require(result.front, "a run that its budget cut short has no items left.")


def _outcome(result: Result) -> dict[str, Any]:
    """What must not depend on how the answers came in."""
    return {
        "front": result.front,
        "dominated": result.dominated,
        "epochs": result.epochs,
        "direct duels": result.direct_duels,
        "decoy duels": result.decoy_duels,
        "probes": result.probes,
    }


def _visible(search: Search) -> tuple[Any, ...]:
    return search.outstanding, search.finished, search.waiting, search.result().to_dict()
