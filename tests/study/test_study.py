"""The rules of a study: who may answer what, and what becomes of it."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import binom

import antichain as ac
from antichain.errors import AntichainError, FileError, InputError, ParameterError, ProtocolError
from antichain.experiments._rows import ScaledFloor
from antichain.study import Study, StudyAsk, default_algorithm

from .world import (
    ITEMS,
    QUICK,
    WITH_DECOYS,
    WITNESS,
    WITNESS_WITH_DECOYS,
    alphabetical,
    everything,
    opened,
    played,
    ticking,
)

EVIDENCE, SPARE = ac.Receipt.EVIDENCE, ac.Receipt.SPARE


@pytest.fixture(params=["file", "memory"])
def study(request: pytest.FixtureRequest, tmp_path: Path):
    """The same rules hold wherever a study is kept."""
    if request.param == "memory":
        yield Study.in_memory(ITEMS, QUICK, 3, now=ticking())
    else:
        with opened(tmp_path / "some.duels") as on_disk:
            yield on_disk


class TestAnswers:
    def test_once_is_evidence_and_twice_is_spare(self, study: Study) -> None:
        (ask,) = study.ask(1)
        assert study.outstanding == (ask,)
        assert study.tell(ask, "left", voter="ann") is EVIDENCE
        assert study.outstanding == ()
        assert study.tell(ask, "right", voter="bob") is SPARE
        assert study.tell(ask.id, ac.Answer.LEFT, voter="ann") is SPARE
        assert (study.progress.answers, study.progress.spare) == (3, 2)
        assert study.result().duels == 1

    def test_after_expiry_it_is_spare(self, study: Study) -> None:
        (ask,) = study.ask(1)
        study.expire(ask, reason="left the room")
        assert study.tell(ask, "left") is SPARE
        assert (study.progress.expired, study.progress.spare) == (1, 1)
        assert study.result().lost == 1

    def test_giving_up_what_is_settled_is_nothing(self, study: Study) -> None:
        first, second = study.ask(2)
        study.tell(first, "tie")
        study.expire(second)
        before = list(everything(study))
        study.expire(first)
        study.expire(second)
        assert list(everything(study)) == before

    @pytest.mark.parametrize("ask", [0, 7, -1, StudyAsk(9, "ale", "beer"), "1", None, True])
    def test_an_unknown_ask_is_refused_and_nothing_written(self, study: Study, ask) -> None:
        study.ask(1)
        before = list(everything(study))
        content = study.path.read_bytes() if study.path else None
        for move in (lambda: study.tell(ask, "left"), lambda: study.expire(ask)):
            with pytest.raises(ProtocolError):
                move()
        assert list(everything(study)) == before
        assert content == (study.path.read_bytes() if study.path else None)

    @pytest.mark.parametrize(
        ("values", "error"),
        [
            ({"answer": "up"}, InputError),
            ({"answer": None}, InputError),
            ({"answer": ["left"]}, InputError),
            ({"voter": 5}, ParameterError),
            ({"voter": "\ud800"}, ParameterError),
            ({"reason": b"x"}, ParameterError),
            ({"cost": -1}, ParameterError),
            ({"cost": float("nan")}, ParameterError),
            ({"cost": "much"}, ParameterError),
        ],
    )
    def test_what_cannot_be_written_is_refused(self, study: Study, values, error) -> None:
        (ask,) = study.ask(1)
        before = list(everything(study))
        with pytest.raises(error):
            study.tell(ask, **({"answer": "left"} | values))
        assert list(everything(study)) == before

    @pytest.mark.parametrize("n", [0, -1, 1.5, "many", None])
    def test_asking_for_a_strange_number(self, study: Study, n) -> None:
        with pytest.raises(ParameterError):
            study.ask(n)

    def test_a_skipped_duel_comes_again(self, study: Study) -> None:
        (ask,) = study.ask(1)
        study.tell(ask, "skipped")
        (again,) = study.ask(1)
        assert {again.left, again.right} == {ask.left, ask.right}
        assert again.id != ask.id


class TestTheWholeWay:
    @pytest.mark.parametrize("batch", [1, 4, 50])
    @pytest.mark.parametrize(
        "algorithm",
        [
            QUICK,
            WITH_DECOYS,
            WITNESS,
            WITNESS_WITH_DECOYS,
            ac.RealDecoys(delta=0.3, decoy_gap=0.3),
            ac.SlicingBandits(delta=0.1),
        ],
    )
    def test_it_is_the_search_with_the_sides_tossed(self, batch: int, algorithm) -> None:
        study, search = Study.in_memory(ITEMS, algorithm, 5), algorithm.start(ITEMS, 5)
        while not search.finished:
            for ask, plain in zip(study.ask(batch), search.ask(batch, singly=True), strict=True):
                assert {ask.left, ask.right} == {plain.left, plain.right}
                assert (ask.decoy is not None) == plain.decoy
                if ask.decoy:
                    assert getattr(ask, ask.decoy) == plain.right
                said = alphabetical(ask)
                study.tell(ask, said)
                swap = {"left": "right", "right": "left"} if ask.left != plain.left else {}
                search.tell(plain, swap.get(said, said))
        assert study.result() == search.result()
        assert study.finished
        assert study.ask(5) == []
        assert study.result().front == ("ale",)

    def test_the_default(self) -> None:
        study = Study.in_memory(ITEMS)
        assert study.algorithm == default_algorithm()
        assert study.algorithm == ac.Certifying(delta=0.05, epsilon=0.1)

    def test_sides_are_fair_and_a_function_of_seed_and_number(self) -> None:
        endless = ac.UnchainedBandits(delta=1e-9, decoy_gap=None, epsilon=0.01)
        asks = Study.in_memory(ITEMS, endless, 1).ask(3000)
        assert asks == Study.in_memory(ITEMS, endless, 1).ask(3000)
        other = Study.in_memory(ITEMS, endless, 2).ask(3000)
        pair = Counter((ask.left, ask.right) for ask in asks)
        for (left, right), times in pair.items():
            total = times + pair[right, left]
            if total > 50:
                # Two-sided, so small that a fair coin fails once in a million.
                tail = binom.cdf(min(times, total - times), total, 0.5)
                assert tail > 5e-7
        plain = endless.start(ITEMS, 1).ask(3000, singly=True)
        flips = [ask.left != one.left for ask, one in zip(asks, plain, strict=True)]
        plain = endless.start(ITEMS, 2).ask(3000, singly=True)
        assert flips != [ask.left != one.left for ask, one in zip(other, plain, strict=True)]
        # No pattern from one ask to the next: repeats are as likely as changes.
        repeats = sum(one == next_ for one, next_ in itertools.pairwise(flips))
        assert 1e-6 < binom.cdf(repeats, len(flips) - 1, 0.5) < 1 - 1e-6


class TestUndo:
    def test_the_ask_can_be_answered_again(self, study: Study) -> None:
        first, second = study.ask(2)
        study.tell(first, "left", voter="ann")
        study.tell(second, "left", voter="bob")
        assert study.undo(voter="ann") == first
        assert study.outstanding == (first,)
        assert [vote.voter for vote in study.votes()] == ["bob"]
        assert study.tell(first, "right", voter="ann") is EVIDENCE
        assert study.progress.undone == 1

    def test_only_that_voters_last_answer_goes(self, study: Study) -> None:
        asks = study.ask(3)
        for ask, voter in zip(asks, ["ann", "ann", None], strict=True):
            study.tell(ask, "left", voter=voter)
        assert study.undo(voter="ann") == asks[1]
        assert study.undo() == asks[2]
        assert study.undo(voter="ann") == asks[0]
        for voter in ("ann", None, "eve"):
            with pytest.raises(ProtocolError, match="no answer"):
                study.undo(voter=voter)

    def test_the_state_is_that_of_never_having_answered(self, study: Study) -> None:
        played(study, most=5)
        for _ in range(3):
            (ask,) = study.ask(1)
            before = list(everything(study))
            study.tell(ask, "left", voter="eve")
            study.undo(voter="eve")
            after = list(everything(study))
            assert after[0] == before[0]
            assert after[2:] == before[2:]
            study.tell(ask, "right", voter="eve")

    def test_a_doubled_answer_then_counts(self, study: Study) -> None:
        (ask,) = study.ask(1)
        study.tell(ask, "left", voter="ann")
        assert study.tell(ask, "right", voter="bob") is SPARE
        study.undo(voter="ann")
        (vote,) = study.votes()
        assert (vote.voter, vote.receipt) == ("bob", "evidence")
        assert study.outstanding == ()

    def test_the_end_can_be_undone(self, study: Study) -> None:
        played(study)
        last = list(study.votes())[-1]
        assert study.finished
        ask = study.undo(voter=last.voter)
        assert not study.finished
        assert study.tell(ask, last.answer, voter=last.voter) is EVIDENCE
        assert study.finished

    def test_what_was_asked_because_of_it_is_spare(self) -> None:
        # One pair only, so that the next bundle is asked because of the last answer of this one.
        study = Study.in_memory(["ale", "beer"], QUICK)
        bundle = study.ask(1000)
        for ask in bundle:
            study.tell(ask, "tie", voter="ann")
        (next_,) = study.ask(1)
        assert study.undo(voter="ann") == bundle[-1]
        assert study.outstanding == (bundle[-1],)  # the next bundle's ask is void
        assert study.tell(next_, "tie", voter="bob") is SPARE
        assert study.tell(bundle[-1], "tie", voter="ann") is EVIDENCE
        assert study.result().spare == 1
        assert sum(study.result().answers.values()) == len(bundle) + 1
        assert len(list(study.votes())) == len(bundle) + 1

    def test_what_was_paid_stays_paid(self, study: Study) -> None:
        (ask,) = study.ask(1)
        study.tell(ask, "left", cost=0.5)
        study.undo()
        study.tell(ask, "left", cost=0.25)
        study.expire(study.ask(1)[0], cost=0.125)
        assert study.progress.cost == 0.875

    def test_nothing_is_deleted(self, tmp_path: Path) -> None:
        with opened(tmp_path / "s") as study:
            (ask,) = study.ask(1)
            study.tell(ask, "left", voter="ann")
            before = study.path.read_bytes()
            study.undo(voter="ann")
            assert study.path.read_bytes().startswith(before)
            last = json.loads(study.path.read_bytes().splitlines()[-1])
            assert (last["event"], last["line"], last["voter"]) == ("undo", 3, "ann")


class TestVotes:
    def test_rows_and_csv(self, study: Study) -> None:
        first, second = study.ask(2)
        study.tell(first, "left", voter='a "b", c', reason="both\nbad")
        study.tell(second, "incomparable")
        study.tell(second, "tie", voter="late")
        rows = list(csv.DictReader(io.StringIO(study.votes_csv())))
        assert list(rows[0])[:5] == ["left", "right", "answer", "voter", "time"]
        assert [row["answer"] for row in rows] == ["left", "incomparable", "tie"]
        assert [row["receipt"] for row in rows] == ["evidence", "evidence", "spare"]
        assert rows[0]["voter"] == 'a "b", c'
        assert rows[0]["reason"] == "both\nbad"
        assert (rows[0]["left"], rows[0]["right"]) == (first.left, first.right)
        assert rows[0]["time"].startswith("1970-01-12T13:46:")
        assert rows[0]["time"].endswith("+00:00")


class TestOpening:
    def test_a_new_study_needs_items(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="to begin a study, give its items"):
            Study.open(tmp_path / "none")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            (
                {"items": ["ale", "beer"]},
                ["3 items", "2 were given", "'cider' is missing", "start a new study"],
            ),
            ({"items": [*ITEMS, "mead"]}, ["'mead' is not in the study", "cannot be added"]),
            (
                {"items": ["ale", "beer", "mead"]},
                ["'mead' is not in the study and 'cider' is missing"],
            ),
            ({"seed": 4}, ["seed 3", "4 was given"]),
            ({"algorithm": ac.SlicingBandits()}, ["'unchained'", "'slicing'"]),
            (
                {"algorithm": ac.UnchainedBandits(delta=0.2, decoy_gap=None, epsilon=0.3)},
                ["delta = 0.3", "0.2 was given"],
            ),
            (
                {"algorithm": ac.UnchainedBandits(
                    delta=0.3, decoy_gap=None, epsilon=0.3, rules=ac.Rules(lost="against"))},
                ["rules.lost = 'ignore'", "'against'"],
            ),
        ],
    )  # fmt: skip
    def test_other_settings_are_told_apart(self, tmp_path: Path, values, words) -> None:
        path = tmp_path / "s"
        opened(path).close()
        before = path.read_bytes()
        with pytest.raises(FileError) as caught:
            Study.open(path, **values)
        for word in words:
            assert word in str(caught.value)
        assert path.read_bytes() == before

    def test_items_of_any_kind_and_a_path_that_is_none(self, tmp_path: Path) -> None:
        with Study.open(tmp_path / "s", items=dict.fromkeys(ITEMS).keys()) as study:
            assert study.items == tuple(ITEMS)
        for open_it in (lambda path: Study.open(path, ITEMS), Study.read):
            with pytest.raises(FileError, match="cannot"):
                open_it("null\0byte")

    def test_the_order_of_items_is_the_files(self, tmp_path: Path) -> None:
        opened(tmp_path / "s").close()
        with Study.open(tmp_path / "s", items=ITEMS[::-1]) as study:
            assert study.items == tuple(ITEMS)

    @pytest.mark.parametrize("items", ["ale", [], ["ale"], ["a", "a"], [1], 5, ["\udfff"]])
    def test_bad_items_leave_no_file(self, tmp_path: Path, items) -> None:
        with pytest.raises(AntichainError):
            Study.open(tmp_path / "s", items)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "algorithm",
        [
            WITNESS,
            WITNESS_WITH_DECOYS,
            ac.Witness(delta=0.1, decoy_gap=0.2, aim="regret"),
            QUICK,
            WITH_DECOYS,
            ac.UnchainedBandits(delta=0.1, decoy_gap=0.2, rules=ac.Rules.paper()),
            ac.SlicingBandits(delta=0.1, maximum=ac.Knockout()),
            ac.UniformSampling(delta=0.1, decoy_gap=0.2),
            ac.RealDecoys(delta=0.1, decoy_gap=0.2),
            ac.RealDecoys(delta=0.1, decoy_gap=0.2, epsilon=0.1, rules=ac.Rules(lost="against")),
        ],
    )
    def test_every_algorithm_comes_back_from_its_file(self, tmp_path: Path, algorithm) -> None:
        with Study.open(tmp_path / "s", ITEMS, algorithm) as study:
            for ask in study.ask(40):
                study.tell(ask, alphabetical(ask))
            shown = list(everything(study))
        with Study.open(tmp_path / "s") as again:
            assert again.algorithm == algorithm
            assert list(everything(again)) == shown

    def test_an_algorithm_of_somebody_elses_must_be_given(self, tmp_path: Path) -> None:
        own = ScaledFloor(delta=0.1, decoy_gap=0.2, floor_factor=2.0)
        with Study.open(tmp_path / "s", ITEMS, own) as study:
            study.ask(1)
        with pytest.raises(FileError, match="give the algorithm it was started with"):
            Study.open(tmp_path / "s")
        with Study.open(tmp_path / "s", algorithm=own) as study:
            assert study.algorithm is own

    def test_a_wrong_algorithm(self) -> None:
        with pytest.raises(InputError, match="Algorithm was expected"):
            Study.in_memory(ITEMS, "unchained")
