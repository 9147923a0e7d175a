"""Files that version 0.1.0 wrote still open, and come to what they came to then.

`tests/earlier_cases.py` says how they were made. They are opened through public names and the
command only, so this holds however the package is laid out inside.
"""

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import antichain as ac

from . import earlier_cases as earlier

EARLIER = Path(__file__).parent / "data" / "earlier"
EXPECTED: dict[str, Any] = json.loads((EARLIER / "expected.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the files, as the working directory: opening some of them writes."""
    copy = tmp_path / "earlier"
    shutil.copytree(EARLIER, copy)
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture
def printed(capsys):
    """The exit code of the command and the JSON it prints."""

    def call(*arguments: object) -> tuple[int, Any]:
        code = earlier.command(*arguments, "--json")
        out, err = capsys.readouterr()
        assert err == "", err
        return code, json.loads(out)

    return call


def same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """All fields are equal, numbers up to rounding."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, rel=1e-9), name
        else:
            assert found[name] == value, name


class TestRecordings:
    @pytest.mark.parametrize("name", earlier.RECORDINGS)
    def test_a_whole_recording_is_replayed(self, folder, name):
        algorithm, options = earlier.RECORDINGS[name]
        replayed = ac.find_front(ac.Replay(f"recordings/{name}.jsonl"), algorithm, **options)
        expected = EXPECTED["recordings"][name]["result"]
        without_truth = {"regret": None, "regret_with_decoys": None}  # a replay knows none
        same(earlier.summary(replayed), expected | without_truth)

    @pytest.mark.parametrize("name", earlier.RECORDINGS)
    @pytest.mark.parametrize("cut", ["", "-cut"])
    def test_a_recording_is_resumed_to_the_same_end_and_the_same_bytes(self, folder, name, cut):
        algorithm, options = earlier.RECORDINGS[name]
        path = Path(f"recordings/{name}{cut}.jsonl")
        resumed = ac.find_front(earlier.arena(name), algorithm, record=path, resume=True, **options)
        same(earlier.summary(resumed), EXPECTED["recordings"][name]["result"])
        assert path.read_bytes() == (EARLIER / f"recordings/{name}.jsonl").read_bytes()

    def test_a_cut_recording_holds_less_than_the_whole(self):
        for name in earlier.RECORDINGS:
            whole, cut = (EARLIER / f"recordings/{name}{end}.jsonl" for end in ("", "-cut"))
            assert cut.read_bytes().count(b"\n") < whole.read_bytes().count(b"\n")


class TestStudies:
    @pytest.mark.parametrize("name", earlier.STUDIES)
    @pytest.mark.parametrize("state", ["unfinished", "finished"])
    def test_a_study_shows_what_it_showed(self, folder, name, state):
        path = f"studies/{name}-{state}.duels"
        study = ac.Study.open(path, algorithm=earlier.STUDIES[name])
        study.close()
        assert study.note is None
        found, expected = earlier.seen(study), EXPECTED["studies"][name][state]
        same(found.pop("result"), expected["result"])
        same(found, {key: value for key, value in expected.items() if key != "result"})
        assert study.algorithm == earlier.STUDIES[name].as_in({})  # as it was then
        assert study.finished == (state == "finished")

    @pytest.mark.parametrize("name", earlier.STUDIES)
    def test_an_unfinished_study_goes_on_to_the_same_end_and_the_same_bytes(self, folder, name):
        path = Path(f"studies/{name}-unfinished.duels")
        study = earlier.go_on(path, name, earlier.STUDIES[name])
        same(earlier.summary(study.result()), EXPECTED["studies"][name]["finished"]["result"])
        assert earlier.digest(path.read_bytes()) == EXPECTED["studies"][name]["finished_file"]

    def test_the_unfinished_studies_hold_every_kind_of_event(self):
        files = [EARLIER / f"studies/{name}-finished.duels" for name in earlier.STUDIES]
        text = "".join(path.read_text("utf-8") for path in files)
        for part in ('"undo"', '"expire"', '"skipped"', '"tie"', '"incomparable"', '"decoy"'):
            assert part in text

    @pytest.mark.parametrize("name", sorted(set(earlier.STUDIES) - {"witness"}))
    def test_the_command_looks_at_it(self, folder, printed, name):
        code, found = printed("study", f"studies/{name}-finished.duels")
        expected = EXPECTED["studies"][name]["finished"]
        assert code == 0
        assert (found["front"], found["duels"]) == (
            expected["result"]["front"],
            expected["result"]["duels"],
        )
        code, found = printed("study", f"studies/{name}-unfinished.duels")
        assert (code, found["finished"]) == (1, False)

    @pytest.mark.parametrize("name", sorted(set(earlier.STUDIES) - {"witness"}))
    def test_one_that_names_its_algorithm_keeps_it(self, folder, name):
        study = ac.Study.read(f"studies/{name}-finished.duels")
        assert (study.algorithm, study.note) == (earlier.STUDIES[name], None)
        assert study.finished

    @pytest.mark.parametrize("state", ["unfinished", "finished"])
    def test_one_with_the_earlier_default_is_judged_anew_and_says_so(self, folder, printed, state):
        """Nobody knows whether the default was chosen, so the certificate judges its answers."""
        path = Path(f"studies/witness-{state}.duels")
        before = path.read_bytes()
        study = ac.Study.read(path)
        assert study.algorithm == ac.Certifying(delta=0.2, epsilon=0.3)
        assert "now judged by the certificate" in study.note
        exported = ac.front(io.StringIO(study.votes_csv()), likely=False)
        mine = replace(study.certificate(likely=False), source=exported.source)
        assert mine.to_dict() == exported.to_dict()
        assert (
            study.progress.answers == EXPECTED["studies"]["witness"][state]["progress"]["answers"]
        )
        code, found = printed("study", path)
        assert (code, found["finished"]) == (int(not study.finished), study.finished)
        assert path.read_bytes() == before

    def test_one_that_is_judged_anew_goes_on_to_the_end(self, folder):
        path = Path("studies/witness-unfinished.duels")
        before = path.read_bytes()
        study = earlier.go_on(path, "witness")
        assert study.finished
        assert path.read_bytes().startswith(before)
        assert set(study.result().front) == set(study.certificate(likely=False).front)
        assert "ale" in study.result().front

    def test_the_votes_are_exported_as_they_were(self, folder):
        path = "studies/witness-finished.duels"
        with ac.Study.open(path, algorithm=earlier.STUDIES["witness"]) as study:
            exported = study.votes_csv()
        assert exported.encode() == Path("studies/witness-votes.csv").read_bytes()

    def test_the_exported_votes_are_read(self, folder):
        found = ac.front("studies/witness-votes.csv")
        assert list(found.front) == EXPECTED["exported"]["front"]


class TestCertificates:
    @pytest.mark.parametrize("name", EXPECTED["certificates"])
    def test_a_certificate_agrees_with_its_votes(self, folder, printed, name):
        expected = EXPECTED["certificates"][name]
        log = f"certificates/{expected['votes']}"
        code, found = printed("verify", f"certificates/{name}.json", log)
        assert code == 0, found

    @pytest.mark.parametrize("name", EXPECTED["certificates"])
    def test_a_certificate_disagrees_with_other_votes(self, folder, printed, name):
        expected = EXPECTED["certificates"][name]
        log = Path(f"certificates/{expected['votes']}")
        log.write_text(log.read_text("utf-8") + "ash,fir,right,p1\n" * 5, "utf-8")
        code, _ = printed("verify", f"certificates/{name}.json", log)
        assert code == 1

    @pytest.mark.parametrize("name", EXPECTED["certificates"])
    def test_its_own_rule_notices_what_was_changed(self, folder, printed, name):
        path = Path(f"certificates/{name}.json")
        document = json.loads(path.read_text("utf-8"))
        assert document["version"] == 1
        for field in ("front", "in", "out", "undecided", "pairs", "split", "records", "votes"):
            changed = document | {field: "other"}
            path.write_text(json.dumps(changed), "utf-8")
            log = f"certificates/{EXPECTED['certificates'][name]['votes']}"
            code, found = printed("verify", path, log)
            assert code == 1
            assert len(found["differences"]) > 1, field  # and not only by its digest


# Certificates whose sentences have other words than today's, and the logs that they are of.
WORDED_OTHERWISE = {
    f"version-{version}/{name}": log
    for name, log in {
        "ordered": "certificates/votes.csv",
        "clustered": "certificates/votes.csv",
        "priced": "certificates/votes.csv",
        "decoys": "certificates/decoy-votes.csv",
        "study": "studies/witness-votes.csv",
    }.items()
    for version in (2, 3, 4)
} | {
    f"version-{version}/{name}": f"certificates/{log}"
    for name, log in {"balanced": "votes.csv", "circle": "version-3/circle.csv"}.items()
    for version in (3, 4)
}


@pytest.mark.parametrize("name", WORDED_OTHERWISE)
class TestCertificatesInOtherWords:
    """Those of versions 2 to 4: their sentences must have the same numbers as today's."""

    def test_one_agrees_with_its_votes_and_with_no_others(self, folder, printed, name):
        path, log = f"certificates/{name}.json", Path(WORDED_OTHERWISE[name])
        assert f"version-{json.loads(Path(path).read_text('utf-8'))['version']}" in path
        code, found = printed("verify", path, log)
        assert code == 0, found
        lines = log.read_text("utf-8").splitlines(keepends=True)
        log.write_text("".join(lines[:-5]), "utf-8")
        assert printed("verify", path, log)[0] == 1

    def test_sentences_may_differ_in_words_and_not_in_facts(self, folder, printed, name):
        path = Path(f"certificates/{name}.json")
        document = json.loads(path.read_text("utf-8"))
        *kept, last = document["assumptions"]
        delta = f"{1 - document['delta']:g}"
        for changed in (
            {"promise": document["promise"].replace(delta, "0.999")},
            {"promise": None},
            {"assumptions": kept},
            {"assumptions": [*kept, last + " All 77 voters were asked."]},
            {"method": ["Votes were counted."]},
        ):
            path.write_text(json.dumps(document | changed), "utf-8")
            code, found = printed("verify", path, WORDED_OTHERWISE[name])
            assert code == 1
            assert len(found["differences"]) > 1, changed  # and not only by its digest


@pytest.mark.parametrize(
    ("version", "fields"),
    [(3, ("method", "assumptions", "conclusion")), (4, ("assumptions",))],
)
def test_the_words_of_an_earlier_version_are_not_todays(folder, version, fields):
    """Else nothing would show that only the numbers of its sentences are compared."""
    written = json.loads(Path(f"certificates/version-{version}/circle.json").read_text("utf-8"))
    today = ac.front("certificates/version-3/circle.csv", count="count").to_dict()
    assert today["version"] > written["version"] == version
    for field in fields:
        assert today[field] != written[field]


@pytest.mark.parametrize("version", [3, 4])
def test_the_numbers_of_an_earlier_conclusion_are_compared(folder, printed, version):
    path = Path(f"certificates/version-{version}/ordered.json")
    document = json.loads(path.read_text("utf-8"))
    for conclusion, differences in (("In other words.", 1), ("All 7 items are in.", 2)):
        path.write_text(json.dumps(document | {"conclusion": conclusion}), "utf-8")
        _, found = printed("verify", path, "certificates/votes.csv")
        assert len(found["differences"]) == differences


class TestOtherFiles:
    def test_a_manifest_of_decoys_names_them(self, folder, printed):
        rows = ["left,right,winner"]
        rows += [f"{item},{item} (decoy),left" for item in ("ode", "elegy") for _ in range(90)]
        Path("votes.csv").write_text("\n".join(rows) + "\n", "utf-8")
        manifest = ("--decoys", "decoys/decoys.json", "--decoy-gap", 0.1)
        code, found = printed("decoys", "check", "votes.csv", *manifest)
        assert code == 0
        assert {check["item"]: check["flag"] for check in found["own"]} == {
            "ode": "ok",
            "elegy": "ok",
        }

    def test_the_same_decoys_are_made_again(self, folder):
        ac.make_decoys(["texts"], "text", "drop", 0.4, "again", seed=5)
        for path in Path("decoys").glob("*.txt"):
            assert Path("again", path.name).read_bytes() == path.read_bytes(), path.name
        manifests = (Path(folder, "decoys.json") for folder in ("decoys", "again"))
        before, now = (json.loads(path.read_text()) for path in manifests)
        for entry in now["decoys"]:  # newer manifests also name the files that decoys were made of
            assert entry.pop("original")
        assert now == before

    def test_a_poset_file_is_read_and_written_as_it_was(self, folder, printed):
        code, found = printed("limit", "--poset", "orders/poset.json")
        assert (code, found["items"], found["front"]) == (0, 10, 2)
        earlier.command(
            "generate", "--front", 2, "--width", 4, "--height", 3, "--seed", 3, "-o", "new.json",
            "--quiet",
        )  # fmt: skip
        assert Path("new.json").read_bytes() == Path("orders/poset.json").read_bytes()

    def test_a_matrix_is_read(self, folder, printed):
        code, found = printed("matrix", "orders/matrix.txt")
        assert (code, found["front"], found["eps_front"]) == (0, ["a"], ["a", "c"])
        assert ac.read_matrix("orders/matrix.txt").names == tuple("abcd")


def test_a_sweep_is_taken_up(folder, printed):
    pytest.importorskip("polars", reason="polars is not installed")
    path = Path("sweep/tiny/runs.jsonl")
    before = _with_versions_of_today(path)
    code, found = printed("reproduce", "sweep/tiny.toml", "-o", "sweep", "--runs", 3)
    assert (code, found["rows"], found["taken_up"], found["errors"]) == (0, 24, 16, 0)
    assert path.read_text("utf-8").startswith(before)


def test_the_runs_of_a_sweep_are_done_again(folder, printed):
    pytest.importorskip("polars", reason="polars is not installed")
    code, _ = printed("reproduce", "sweep/tiny.toml", "-o", "again")
    assert code == 0
    old, new = (_rows(Path(name, "tiny/runs.jsonl")) for name in ("sweep", "again"))
    assert len(old) == len(new) == 16
    for one, other in zip(old, new, strict=True):
        same(other, one)


def _with_versions_of_today(path: Path) -> str:
    """Runs of other versions are not mixed, so the journal gets the versions that run here."""
    header, rest = path.read_text("utf-8").split("\n", 1)
    arena = ac.SimulatedArena(ac.posets.chains(1, 2), decoy_gap=0.4)
    result = ac.find_front(arena, ac.Witness(delta=0.4, decoy_gap=0.4), budget=0)
    text = json.dumps(json.loads(header) | {"versions": result.versions}) + "\n" + rest
    path.write_text(text, "utf-8")
    return text


def _rows(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    for line in lines:
        line.pop("seconds")
    return sorted(lines, key=lambda row: (row["value"], row["algorithm"], row["run"]))
