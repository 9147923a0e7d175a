"""Recordings: interrupting a run and taking it up again."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.algorithms._rounds import Ask, Race, RaceOutcome, Round
from antichain.arenas._arena import Arena, Wrapper
from antichain.errors import FileError, InputError
from antichain.evidence._answers import Counts

from .run_cases import ALGORITHMS, GAP, MODES, arena_for, every_algorithm


class _Interrupted(Wrapper):
    """Another arena, with somebody pressing Ctrl-C at the n-th question."""

    def __init__(self, inner: Arena, at: int, *, before: bool) -> None:
        super().__init__(inner)
        self.left, self.before = at, before

    def _pass_on(self, ask: Callable[[], Any]) -> Any:
        self.left -= 1
        if self.left == 0 and self.before:
            raise KeyboardInterrupt
        answer = ask()
        if self.left == 0:
            raise KeyboardInterrupt
        return answer

    def answer(self, asks: Sequence[Ask]) -> list[ac.Tally]:
        tallies: list[ac.Tally] = self._pass_on(lambda: self.inner.answer(asks))
        return tallies

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        outcome: Counts | RaceOutcome = self._pass_on(lambda: self.inner.settle(message, allowance))
        return outcome


def _stop_after(rounds: int) -> Callable[[ac.Progress], None]:
    left = [rounds]

    def progress(_: ac.Progress) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return progress


class TestRecording:
    """Interrupting and resuming gives what never stopping gives, bit for bit."""

    @every_algorithm
    @pytest.mark.parametrize("mode", MODES)
    def test_recording_changes_nothing(self, name: str, mode: str, tmp_path: Path) -> None:
        plain = ac.find_front(arena_for(name), ALGORITHMS[name], seed=3, **MODES[mode])
        path = tmp_path / "run.jsonl"
        recorded = ac.find_front(
            arena_for(name), ALGORITHMS[name], seed=3, record=path, **MODES[mode]
        )
        assert recorded.to_dict() == plain.to_dict()
        header = json.loads(path.read_text().splitlines()[0])
        assert header["format"] == "antichain-recording"
        assert header["version"] == 1

    @every_algorithm
    @pytest.mark.parametrize("mode", MODES)
    def test_resuming_after_ctrl_c(self, name: str, mode: str, tmp_path: Path) -> None:
        options = MODES[mode] | {"seed": 3}
        whole = ac.find_front(arena_for(name), ALGORITHMS[name], **options).to_dict()
        for stops in ([1], [2, 5, 3], [4, 1, 1, 30], [10_000]):
            path = tmp_path / f"{len(stops)}-{stops[0]}.jsonl"
            for stop in stops:
                try:
                    ac.find_front(
                        arena_for(name), ALGORITHMS[name], record=path, resume=True,
                        progress=_stop_after(stop), **options,
                    )  # fmt: skip
                except KeyboardInterrupt:
                    continue
            # An arena of another seed: the recording knows the voters' state.
            other = arena_for(name, seed=8)
            result = ac.find_front(other, ALGORITHMS[name], record=path, resume=True, **options)
            assert result.to_dict() == whole

    @pytest.mark.parametrize("before", [True, False])
    @pytest.mark.parametrize("name", ["unchained", "slicing"])
    def test_resuming_after_ctrl_c_inside_the_arena(
        self, name: str, before: bool, tmp_path: Path
    ) -> None:
        whole = ac.find_front(arena_for(name), ALGORITHMS[name]).to_dict()
        for at in (1, 2, 9):
            path = tmp_path / f"{at}.jsonl"
            arena = _Interrupted(arena_for(name), at, before=before)
            with pytest.raises(KeyboardInterrupt):
                ac.find_front(arena, ALGORITHMS[name], record=path)
            result = ac.find_front(arena_for(name), ALGORITHMS[name], record=path, resume=True)
            assert result.to_dict() == whole

    @pytest.mark.parametrize("at", [1, 2, 9])
    def test_resuming_with_the_very_same_arena(self, at: int, tmp_path: Path) -> None:
        # Its voters have already answered what was lost: the recording must bring them back.
        whole = ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"]).to_dict()
        inner = arena_for("unchained")
        path = tmp_path / "run.jsonl"
        with pytest.raises(KeyboardInterrupt):
            ac.find_front(
                _Interrupted(inner, at, before=False), ALGORITHMS["unchained"], record=path
            )
        result = ac.find_front(inner, ALGORITHMS["unchained"], record=path, resume=True)
        assert result.to_dict() == whole

    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(st.sampled_from(sorted(ALGORITHMS)), st.sampled_from(sorted(MODES)), st.data())
    def test_resuming_a_file_cut_off_anywhere(
        self, tmp_path: Path, name: str, mode: str, data: st.DataObject
    ) -> None:
        path = tmp_path / "run.jsonl"
        path.unlink(missing_ok=True)
        options = MODES[mode] | {"seed": 3, "record": path}
        whole = ac.find_front(arena_for(name), ALGORITHMS[name], **options).to_dict()
        written = path.read_bytes()
        path.write_bytes(written[: data.draw(st.integers(0, len(written)))])
        again = ac.find_front(arena_for(name), ALGORITHMS[name], resume=True, **options)
        assert again.to_dict() == whole
        assert path.read_bytes() == written

    def test_a_keyed_arena_goes_on_where_its_pairs_were(self, tmp_path: Path) -> None:
        def keyed() -> ac.KeyedArena:
            return ac.KeyedArena(arena_for("unchained"), seed=5)

        algorithm, path = ALGORITHMS["unchained"], tmp_path / "run.jsonl"
        whole = ac.find_front(keyed(), algorithm).to_dict()
        with pytest.raises(KeyboardInterrupt):
            ac.find_front(keyed(), algorithm, record=path, progress=_stop_after(5))
        assert ac.find_front(keyed(), algorithm, record=path, resume=True).to_dict() == whole

    def test_a_finished_run_is_replayed_without_a_question(self, tmp_path: Path) -> None:
        algorithm, path = ALGORITHMS["unchained"], tmp_path / "run.jsonl"
        whole = ac.find_front(arena_for("unchained"), algorithm, record=path)
        mute = _Interrupted(arena_for("unchained"), 1, before=True)
        again = ac.find_front(mute, algorithm, record=path, resume=True)
        assert again.to_dict() == whole.to_dict()

    def test_a_file_in_the_way_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        path.write_text("precious")
        with pytest.raises(FileError, match="already exists"):
            ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], record=path)
        assert path.read_text() == "precious"

    @pytest.mark.parametrize(
        "change",
        [
            {"seed": 4},
            {"budget": 10},
            {"batch": 3},
            {"algorithm": ac.UnchainedBandits(delta=0.02, decoy_gap=GAP)},
            {"algorithm": ac.UniformSampling(delta=0.01, decoy_gap=GAP)},
            {"arena": ac.SimulatedArena(ac.posets.antichain(8), GAP)},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_another_run_is_refused_and_the_file_kept(
        self, change: dict[str, Any], tmp_path: Path
    ) -> None:
        path = tmp_path / "run.jsonl"
        run: dict[str, Any] = {
            "arena": arena_for("unchained"),
            "algorithm": ALGORITHMS["unchained"],
        }
        ac.find_front(**run, record=path)
        before = path.read_bytes()
        with pytest.raises(FileError, match="another run"):
            ac.find_front(**(run | change), record=path, resume=True)
        assert path.read_bytes() == before

    @pytest.mark.parametrize("text", ["not json\n", "[1, 2]\n", "\xff\xfe\n", '{"format": "x"}\n'])
    def test_what_is_no_recording_is_refused_and_kept(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(FileError):
            ac.find_front(arena_for("slicing"), ALGORITHMS["slicing"], record=path, resume=True)
        assert path.read_bytes() == text.encode("latin-1")

    @pytest.mark.parametrize(
        ("place", "change", "words"),
        [
            (0, {"items": 3}, "line 1 lacks items"),
            (0, {"items": [3]}, "line 1 lacks items"),
            (0, {"arena": []}, "line 1 lacks items, arena"),
            (0, {"arena": {"observable": 1, "decoy_gap": None}}, "line 1 lacks items, arena"),
            (0, {"run": None}, "line 1 lacks items, arena, run"),
            (1, {"counts": [[10**400]]}, "line 2 lacks the answers"),
            (1, {"counts": "many"}, "line 2 lacks the answers"),
            (1, {"counts": None}, "line 2 lacks the answers"),
            (1, {"counts": [[-1] * 6]}, "line 2 lacks the answers"),
            (1, {"settled": {}, "asks": 7}, "line 2 does not fit this run"),
            (-1, {"state": {}}, "lacks the answers or the state"),
            (-1, {"state": 10**400}, "lacks the answers or the state"),
            (-1, {"state": "x"}, "lacks the answers or the state"),
        ],
    )
    def test_a_line_that_no_recording_has_is_named(
        self, place: int, change: dict[str, Any], words: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], record=path)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[place] |= change
        before = "".join(json.dumps(line) + "\n" for line in lines)
        path.write_text(before)
        with pytest.raises(FileError, match=words):
            ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], record=path, resume=True)
        assert path.read_text() == before

    def test_a_state_that_json_does_not_know_leaves_no_file(self, tmp_path: Path) -> None:
        class Opaque(Wrapper):
            def state(self) -> Any:
                return {"state": object()}

        path = tmp_path / "run.jsonl"
        with pytest.raises(InputError, match="JSON cannot hold"):
            ac.find_front(Opaque(arena_for("slicing")), ALGORITHMS["slicing"], record=path)
        assert not path.exists()

    def test_a_recording_that_is_refused_keeps_its_torn_line(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena_for("slicing"), ALGORITHMS["slicing"], record=path)
        path.write_bytes(path.read_bytes() + b'{"asks')
        before = path.read_bytes()
        with pytest.raises(FileError, match="another run"):
            ac.find_front(
                arena_for("slicing"), ALGORITHMS["slicing"], record=path, resume=True, seed=9
            )
        assert path.read_bytes() == before

    def test_answers_to_other_questions_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "run.jsonl"
        ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], record=path)
        header, first, second, *rest = path.read_text().splitlines()
        path.write_text("\n".join([header, second, first, *rest, ""]))
        with pytest.raises(FileError, match="does not fit this run"):
            ac.find_front(arena_for("unchained"), ALGORITHMS["unchained"], record=path, resume=True)

    def test_a_recording_has_one_writer(self, tmp_path: Path) -> None:
        path, algorithm = tmp_path / "run.jsonl", ALGORITHMS["unchained"]
        refused: list[str] = []

        def meddle(_: ac.Progress) -> None:
            if not refused:
                with pytest.raises(FileError, match="being written by process") as caught:
                    ac.find_front(arena_for("unchained"), algorithm, record=path, resume=True)
                refused.append(str(caught.value))

        whole = ac.find_front(arena_for("unchained"), algorithm).to_dict()
        result = ac.find_front(arena_for("unchained"), algorithm, record=path, progress=meddle)
        assert refused
        assert result.to_dict() == whole
        assert [file.name for file in tmp_path.iterdir()] == ["run.jsonl"]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="cannot write"):
            ac.find_front(
                arena_for("slicing"), ALGORITHMS["slicing"], record=tmp_path / "no" / "run.jsonl"
            )
