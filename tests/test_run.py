"""The one loop: budgets, progress, regret, results."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import antichain as ac
from antichain.algorithms._rounds import Ask, Race, RaceOutcome, Round
from antichain.arenas._arena import Arena, RegretRates
from antichain.errors import NotObservableError, ParameterError
from antichain.evidence._answers import Counts
from antichain.evidence._sequential import Streams

from .run_cases import ALGORITHMS, GAP, MODEL, arena_for, every_algorithm


class TestBudget:
    """A budget that runs out leaves items undecided, and no front that looks like an answer."""

    @every_algorithm
    @pytest.mark.parametrize("batch", [None, 1, 50])
    def test_never_more_duels_than_it_allows(self, name: str, batch: int | None) -> None:
        kept = 0
        for budget in (0, 1, 2, 3, 17, 100, 101, 400):
            result = ac.find_front(arena_for(name), ALGORITHMS[name], budget=budget, batch=batch)
            assert result.duels + result.spare <= budget
            assert set(result.among) | set(result.dominated) == set(MODEL.items)
            assert not set(result.among) & set(result.dominated)
            if not result.certified:
                assert result.front == ()
                assert result.undecided == result.among
                # What is left would have been used: asked at least for something.
                assert result.duels + result.spare == budget
            kept += set(result.among) >= set(MODEL.front)
        assert kept == 8

    @every_algorithm
    def test_more_than_enough_is_no_limit_on_the_answer(self, name: str) -> None:
        free = ac.find_front(arena_for(name), ALGORITHMS[name])
        assert free.certified
        capped = ac.find_front(arena_for(name), ALGORITHMS[name], budget=10**6)
        assert capped.certified
        assert capped.front == free.front

    def test_just_enough_is_enough(self) -> None:
        free = ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"])
        exact = ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], budget=free.duels)
        assert exact.to_dict() == free.to_dict()
        short = ac.find_front(
            arena_for("unchained"), ALGORITHMS["unchained"], budget=free.duels - 1
        )
        assert not short.certified

    def test_skipped_answers_use_the_budget_up(self) -> None:
        arena = ac.CallableArena(["a", "b"], lambda left, right: "skipped")
        algorithm = ALGORITHMS["no decoys"]
        result = ac.find_front(arena, algorithm, budget=50)
        assert not result.certified
        assert result.duels == 0
        assert result.answers["skipped"] == 50

    def test_a_budget_beyond_what_machines_count_is_none(self) -> None:
        arena = ac.SimulatedArena(ac.posets.layered(2, 2, 2, seed=1, gaps="constant:0.4"), 0.3)
        result = ac.find_front(arena, ac.UnchainedBandits(delta=0.2, decoy_gap=0.3), budget=10**400)
        assert result.certified

    def test_a_budget_alone_wastes_nothing(self) -> None:
        def spare(**limits: int) -> int:
            keyed = ac.KeyedArena(arena_for("unchained"), seed=1)
            return ac.find_front(keyed, ALGORITHMS["unchained"], **limits).spare

        assert spare(budget=10**6) == spare()

    @pytest.mark.parametrize("budget", [-1, 2.5])
    def test_a_bad_budget_is_refused(self, budget: Any) -> None:
        with pytest.raises(ParameterError, match="budget"):
            ac.find_front(arena_for("slicing"), ALGORITHMS["slicing"], budget=budget)

    @pytest.mark.parametrize("number", [math.nan, math.inf, "ten"])
    def test_what_is_no_number_of_duels_is_refused_in_one_sentence(self, number: Any) -> None:
        with pytest.raises(ParameterError):
            ac.find_front(arena_for("slicing"), ALGORITHMS["slicing"], budget=number)
        with pytest.raises(ParameterError):
            ac.find_front(arena_for("slicing"), ALGORITHMS["slicing"], batch=number)


class TestProgress:
    """Called after every round."""

    @every_algorithm
    @pytest.mark.parametrize("batch", [None, 25])
    def test_says_how_far_the_run_is(self, name: str, batch: int | None) -> None:
        seen: list[ac.Progress] = []
        result = ac.find_front(arena_for(name), ALGORITHMS[name], batch=batch, progress=seen.append)
        assert seen
        assert [step.duels for step in seen] == sorted(step.duels for step in seen)
        assert [step.alive for step in seen] == sorted((s.alive for s in seen), reverse=True)
        last = seen[-1]
        assert last.duels == result.duels
        assert last.alive == len(result.front)
        assert last.items == MODEL.size
        assert last.epochs_done == len(result.epochs)
        assert last.phase == result.epochs[-1].name


class TestFit:
    """An arena must show what the algorithm needs to see."""

    def test_arguments_in_the_wrong_order_are_named_by_their_types(self) -> None:
        algorithm = ac.Witness(delta=0.1, decoy_gap=GAP)
        with pytest.raises(ParameterError, match=r"^arena is of the type Witness, but an arena,"):
            ac.find_front(algorithm, ac.SimulatedArena(MODEL, GAP))
        with pytest.raises(ParameterError, match=r"^algorithm is the class Witness, but an algor"):
            ac.find_front(ac.SimulatedArena(MODEL, GAP), ac.Witness)

    def test_slicing_where_comparability_does_not_show(self) -> None:
        with pytest.raises(NotObservableError, match=r"SlicingBandits.*partially observable"):
            ac.find_front(ac.SimulatedArena(MODEL), ALGORITHMS["slicing"])
        with pytest.raises(NotObservableError, match="UniformSampling"):
            ac.find_front(ac.SimulatedArena(MODEL, GAP), ALGORITHMS["uniform, observable"])

    def test_decoys_where_there_are_none_or_weaker_ones(self) -> None:
        with pytest.raises(NotObservableError, match="has none"):
            ac.find_front(ac.SimulatedArena(MODEL), ALGORITHMS["unchained"])
        with pytest.raises(NotObservableError, match=r"lose by 0\.15.*only 0\.1"):
            ac.find_front(ac.SimulatedArena(MODEL, 0.1), ALGORITHMS["unchained"])
        stronger = ac.SimulatedArena(MODEL, 0.3)
        assert ac.find_front(stronger, ALGORITHMS["unchained"]).front == MODEL.front


class _Book(Arena):
    """Another arena, with every answer written down."""

    def __init__(self, inner: ac.SimulatedArena) -> None:
        self.inner = inner
        self.items, self.observable = inner.items, inner.observable
        self.decoy_gap = inner.decoy_gap
        self.duels: list[tuple[int, int, bool, int]] = []

    def answer(self, asks: Sequence[Ask]) -> list[ac.Tally]:
        row = MODEL.row
        self.duels += [(row(ask.left), row(ask.right), ask.decoy, ask.duels) for ask in asks]
        return self.inner.answer(asks)

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        return self.inner.can_settle(message, allowance)

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        outcome = self.inner.settle(message, allowance)
        counts = outcome.counts if isinstance(outcome, RaceOutcome) else outcome - message.start  # type: ignore[union-attr]
        decoy = message.test.streams is not Streams.DIRECT
        for left, right, row in zip(message.lefts, message.rights, counts, strict=True):
            first, second = int(row[:4].sum()), int(row[4:].sum())
            if message.test.is_probe:
                first, second = first + second, 0
            self.duels.append((int(left), int(right), decoy, first))
            self.duels.append((int(right), int(left), decoy, second))
        return outcome

    def regret_rates(self) -> RegretRates | None:
        return self.inner.regret_rates()


class TestRegret:
    """Regret is the sum over the duels of both sides' distances (docs/theory/errata.md, 8)."""

    @every_algorithm
    @pytest.mark.parametrize("mode", [{}, {"batch": 1}, {"budget": 300}], ids=str)
    def test_is_the_sum_over_every_duel(self, name: str, mode: dict[str, int]) -> None:
        book = _Book(arena_for(name))
        result = ac.find_front(book, ALGORITHMS[name], **mode)
        assert result.spare == 0
        gaps, front = MODEL.gaps, np.flatnonzero(MODEL.front_mask()).tolist()

        def distance(item: int) -> float:
            if item in front:
                return 0.0
            return float(min(gaps[j, item] for j in front if gaps[j, item] > 0))

        def decoy_distance(item: int) -> float:
            at_or_above = [j for j in front if j == item or gaps[j, item] > 0]
            return float(min(max(gaps[j, item], GAP) for j in at_or_above))

        peeling = sum(n * (distance(a) + distance(b)) for a, b, decoy, n in book.duels if not decoy)
        against = sum(n * distance(a) for a, _, decoy, n in book.duels if decoy)
        decoys = sum(n * decoy_distance(b) for _, b, decoy, n in book.duels if decoy)
        assert result.duels == sum(n for *_, n in book.duels)
        assert result.decoy_duels == sum(n for *_, decoy, n in book.duels if decoy)
        assert result.regret_peeling == pytest.approx(peeling)
        assert result.regret == pytest.approx(peeling + against)
        assert result.regret_with_decoys == pytest.approx(peeling + against + decoys)

    def test_is_unknown_where_the_truth_is(self) -> None:
        arena = ac.MatrixArena(0.5 + MODEL.gaps, MODEL.items, seed=1)
        result = ac.find_front(arena, ALGORITHMS["no decoys"])
        assert result.regret is result.regret_peeling is result.regret_with_decoys is None


class TestResult:
    """What a result carries."""

    @every_algorithm
    def test_is_plain_data(self, name: str) -> None:
        result = ac.find_front(arena_for(name), ALGORITHMS[name], seed=4)
        plain = result.to_dict()
        assert json.loads(json.dumps(plain))["front"] == list(result.front)
        assert plain["seed"] == 4
        assert plain["algorithm"] == ALGORITHMS[name].name
        assert plain["parameters"]["delta"] == 0.01
        assert set(plain["versions"]) >= {"python", "antichain", "numpy", "numba"}
        assert result.duels == result.direct_duels + result.decoy_duels + result.probes
        assert sum(result.answers.values()) == result.duels

    @every_algorithm
    def test_who_is_dominated_is_below_its_dominator(self, name: str) -> None:
        algorithm = replace(ALGORITHMS[name], delta=1e-6)
        result = ac.find_front(arena_for(name), algorithm)
        for item, dominator in result.dominated.items():
            assert MODEL.poset.is_above(dominator, item)
        sizes = [epoch.entering for epoch in result.epochs]
        assert sizes[0] == MODEL.size
        assert all(epoch.surviving <= epoch.entering for epoch in result.epochs)
        assert sum(epoch.duels for epoch in result.epochs) == result.duels

    @every_algorithm
    def test_same_seeds_same_result(self, name: str) -> None:
        first, second = (
            ac.find_front(arena_for(name), ALGORITHMS[name], seed=1).to_dict() for _ in range(2)
        )
        assert first == second


class TestWrongTypes:
    """A wrong type gives one sentence, and not an error from deep inside."""

    @pytest.mark.parametrize(
        "given",
        [
            {"arena": "tea"}, {"arena": None}, {"algorithm": ac.Witness}, {"algorithm": "witness"},
            {"progress": 3}, {"record": 3}, {"direct": [1]}, {"decoys": "x"}, {"batch": "x"},
            {"seed": None}, {"budget": 1.5},
        ],
    )  # fmt: skip
    def test_of_find_front(self, given: dict[str, Any]) -> None:
        ((name, value),) = given.items()
        right: dict[str, Any] = {
            "arena": ac.SimulatedArena(MODEL, GAP),
            "algorithm": ac.Witness(0.1, decoy_gap=GAP),
        }
        with pytest.raises(ParameterError, match=f"{name} is "):
            ac.find_front(**right | {name: value})

    @pytest.mark.parametrize("assume", ["weak", 3, [1], {"strong": 1, "x": 2}, False])
    def test_of_front(self, assume: Any) -> None:
        with pytest.raises(ParameterError, match=r"assum.* of strong, cannot-compare"):
            ac.front([("tea", "rain", "left")] * 3, assume=assume)

    def test_of_gap_laws(self) -> None:
        with pytest.raises(ParameterError, match="gaps is 3"):
            ac.plan(4, delta=0.1, decoy_gap=0.2, gaps=3)  # type: ignore[arg-type]

    @pytest.mark.parametrize("name", ["search", "progress"])
    def test_of_what_remains(self, name: str) -> None:
        search = ac.Witness(0.1, decoy_gap=GAP).start(["a", "b"])
        with pytest.raises(ParameterError, match=f"{name} is 3"):
            ac.remaining(**{"search": search, "runs": 2} | {name: 3})
