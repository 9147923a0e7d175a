"""Methods by name: ours, a package's, and a user's own, wherever a method can be named."""

import json
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import ClassVar

import pytest

import antichain as ac
from antichain import _pools
from antichain._trials import Layered, simulate
from antichain.algorithms import _registry
from antichain.algorithms._registry import chosen_algorithm
from antichain.cli import main
from antichain.errors import FileError, InputError, ParameterError
from antichain.experiments import Spec, curves, method_of, sweep
from antichain.experiments._engine import sweep_on
from antichain.experiments._figures import panel_of
from antichain.study import Study

OWN = """
from dataclasses import dataclass
from typing import ClassVar
import antichain as ac
from helper_of_own import NAME

@dataclass(frozen=True)
class Own(ac.UnchainedBandits):
    patience: int = 3
    name: ClassVar[str] = NAME
"""
WORLD = ("--front", "2", "--width", "3", "--height", "3", "--delta", "0.05", "--decoy-gap", "0.1")
SPEC = Spec(
    "own", "Own", "height", (2, 3), ("witness",), runs=2, fixed={"front": 2, "decoy_gap": 0.1}
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No method registered here, and no folder searched, outlives its test."""
    monkeypatch.setattr(_registry, "_registered", {})
    monkeypatch.setattr(_pools, "_folders", [])
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.endswith("own"):
            del sys.modules[name]


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    (tmp_path / "helper_of_own.py").write_text("NAME = 'own'\n")
    path = tmp_path / "file_of_own.py"
    path.write_text(OWN)
    return path


@dataclass(frozen=True)
class Mine(ac.Witness):
    name: ClassVar[str] = "mine"


def entry_point(monkeypatch: pytest.MonkeyPatch, name: str, value: str, *more: str) -> None:
    points = [metadata.EntryPoint(name, each, _registry.GROUP) for each in (value, *more)]
    everything = metadata.entry_points

    def with_ours(**chosen: str) -> object:
        return points if chosen.get("group") == _registry.GROUP else everything(**chosen)

    monkeypatch.setattr(metadata, "entry_points", with_ours)


def test_every_method_of_ours_is_found_under_its_own_name():
    for name in _registry.OURS:
        assert _registry.find(name).name == name
    assert {type(_registry.build(name)) for name in _registry.OURS} == {
        ac.Witness, ac.UnchainedBandits, ac.RealDecoys, ac.SlicingBandits, ac.UniformSampling,
        ac.Certifying, ac.Orient,
    }  # fmt: skip


@pytest.mark.parametrize(
    "algorithm",
    [
        ac.Witness(delta=0.2, decoy_gap=None, epsilon=0.1),
        ac.UnchainedBandits(rules=ac.Rules.paper(), gamma=0.8),
        ac.RealDecoys(decoy_gap=0.2),
        ac.SlicingBandits(maximum=ac.Knockout()),
        ac.UniformSampling(decoy_gap=None),
    ],
)
def test_a_method_is_made_again_from_its_parameters(algorithm):
    plain = json.loads(json.dumps(algorithm.parameters()))
    assert _registry.build(algorithm.name, plain) == algorithm


def test_options_by_which_a_method_builds_itself():
    assert _registry.build("unchained", {"faithful": True}).rules.is_paper
    assert _registry.build("slicing", {"faithful": True}).parameters()["finder"] == "if2"
    assert _registry.build("uniform", {"observable": True, "decoy_gap": 0.1}).needs_observable
    assert _registry.build("witness", {"aim": "regret"}).aim == "regret"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("slicing", {"epsilon": 0.1}, ["'slicing' takes no option 'epsilon'", "delta", "finder"]),
        ("witness", {"faithful": True}, ["no option 'faithful'"]),
        ("witness", {"observable": True}, ["no option 'observable'"]),
        ("slicing", {"finder": "luck"}, ["finder is 'luck'", "knockout"]),
        ("slicing", {"finder": "peel", "faithful": True}, ["'peel'", "faithful", "'if2'"]),
        ("unchained", {"rules": {"taste": 1}}, ["taste"]),
        ("magic", {}, ["no method 'magic'", "witness", "module:Class"]),
    ],
)
def test_options_that_do_not_fit_are_refused_by_name(name, options, words):
    with pytest.raises(ParameterError) as caught:
        _registry.build(name, options)
    for word in words:
        assert word in str(caught.value)


def test_a_registered_method_is_found_and_may_come_again():
    assert ac.register(Mine) is Mine
    assert _registry.find("mine") is Mine
    assert "mine" in _registry.names()
    assert ac.register(Mine) is Mine


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Mine(), "a class derived from antichain.Algorithm"),
        (dict, "a class derived from antichain.Algorithm"),
        (ac.Algorithm, "lacks plan"),
        (type("Thief", (ac.Witness,), {}), "a name of its own"),
        (type("Odd", (ac.Witness,), {"name": "a b"}), "without spaces"),
    ],
)
def test_what_cannot_be_registered_is_refused(kind, words):
    with pytest.raises(ParameterError, match=words):
        ac.register(kind)


def test_a_name_is_not_taken_over():
    ac.register(Mine)
    with pytest.raises(ParameterError, match="Mine"):
        ac.register(type("Other", (ac.Witness,), {"name": "mine"}))


def test_a_class_in_a_file_is_imported_with_what_stands_beside_it(own_file, monkeypatch):
    found = _registry.find(f"{own_file}:Own")
    assert found.name == "own"
    assert _registry.find("own") is found
    assert _registry.find("file_of_own:Own") is found  # the folder is searched from now on
    monkeypatch.chdir(own_file.parent)
    assert _registry.find("file_of_own.py:Own") is found


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("absent.py:Own", "no file absent.py"),
        ("absent_module:Own", "absent_module cannot be imported"),
        ("antichain.errors:Own", "no class 'Own'"),
        ("antichain.errors:InputError", "a class derived from antichain.Algorithm"),
        ("os:path", "^'os:path' was given as a method, but a class derived from"),
        ("json.py:Own", "rename the file"),
        ("broken_own.py:Own", "ZeroDivisionError"),
        (":Own", "module:Class"),
    ],
)
def test_import_paths_that_lead_nowhere_are_told(path, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json.py").write_text("")
    (tmp_path / "broken_own.py").write_text("1 / 0")
    with pytest.raises(InputError, match=words):
        _registry.find(path)


def test_an_entry_point_adds_a_method(monkeypatch):
    entry_point(monkeypatch, "mine", f"{__name__}:Mine")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Mine.__module__])
    assert _registry.check_name("mine") == "mine"
    assert _registry.find("mine") is Mine
    assert _registry.names()[-1] == "mine"


def test_a_broken_entry_point_is_told_when_it_is_used_and_not_before(monkeypatch, capsys):
    entry_point(monkeypatch, "mine", "absent_module:Mine")
    assert "mine" in _registry.names()
    assert main(["simulate", *WORLD, "--runs", "1", "--json"]) == 0
    assert main(["simulate", "--algorithm", "mine"]) == 2
    error = capsys.readouterr().err
    assert "the method 'mine' of the package" in error
    assert "absent_module" in error
    assert error.count("\n") == 1


def test_an_entry_point_under_another_name_is_refused(monkeypatch):
    entry_point(monkeypatch, "yours", f"{Mine.__module__}:Mine")
    monkeypatch.setitem(sys.modules, Mine.__module__, sys.modules[__name__])
    with pytest.raises(InputError, match="names itself 'mine'"):
        _registry.find("yours")


def test_numbers_that_were_not_chosen_are_left_to_the_method(own_file):
    assert chosen_algorithm(None, 0.1, otherwise={"epsilon": 0.2}).epsilon == 0.2
    assert chosen_algorithm("unchained", 0.1, otherwise={"decoy_gap": 0.2}).decoy_gap == 0.2
    assert chosen_algorithm("unchained", 0.1, epsilon=0.2).decoy_gap is None
    assert chosen_algorithm("slicing", 0.1, otherwise={"epsilon": 0.2}).delta == 0.1
    with pytest.raises(ParameterError, match="takes no option 'epsilon'"):
        chosen_algorithm("slicing", 0.1, epsilon=0.2)


# -- a method of one's own, everywhere --------------------------------------------------------


def records(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.slow
def test_simulate_runs_a_method_from_a_file_in_several_processes(own_file, capsys):
    options = [*WORLD, "--runs", "2", "--json"]
    assert main(["simulate", "--algorithm", f"{own_file}:Own", "--workers", "2", *options]) == 0
    found = records(capsys)
    assert [record["algorithm"] for record in found] == ["own", "own"]
    assert found[0]["parameters"]["patience"] == 3
    assert main(["simulate", "--algorithm", "unchained", *options]) == 0
    assert [r["duels"] for r in found] == [r["duels"] for r in records(capsys)]


def test_plan_runs_a_method_from_a_file(own_file, capsys):
    options = ["--items", "5", "--decoy-gap", "0.2", "--runs", "4", "--json"]
    assert main(["plan", "--algorithm", f"{own_file}:Own", *options]) == 0
    (forecast,) = records(capsys)
    assert "own, δ = 0.05, Δ = 0.2" in forecast["settings"]


@pytest.mark.slow
def test_a_sweep_runs_ours_and_a_registered_one_in_several_processes(own_file, tmp_path):
    _registry.find(f"{own_file}:Own")
    spec = SPEC.chosen(2, ["witness", "own"])
    rows = sweep_on(_pools.processes(2), spec, tmp_path / "runs.jsonl")
    assert [row["algorithm"] for row in rows].count("own") == 4
    alone = sweep(spec)
    assert [row["duels"] for row in rows] == [row["duels"] for row in alone]
    assert all(row["correct"] for row in rows)
    lines = panel_of(spec, curves(spec, rows), "duels").lines
    assert [line.label for line in lines] == ["Witness", "Own"]
    assert len({(line.look.colour, line.look.marker) for line in lines}) == 2


@pytest.mark.slow
def test_a_sweep_runs_a_method_from_a_file_on_dask(own_file, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    spec = SPEC.chosen(1, [f"{own_file}:Own"])
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        rows = sweep_on(_pools.dask(cluster.scheduler_address), spec, tmp_path / "runs.jsonl")
    assert [row["duels"] for row in rows] == [row["duels"] for row in sweep(spec)]


def test_a_method_that_workers_cannot_import_is_told_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(Mine, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Mine", Mine, raising=False)
    ac.register(Mine)
    spec = SPEC.chosen(1, ["mine"])
    with pytest.raises(InputError, match=r"cannot import what it is to run.*Mine"):
        sweep_on(_pools.processes(1), spec, tmp_path / "runs.jsonl")

    class Local(ac.Witness):
        name = "local"

    with pytest.raises(InputError, match="top level of a module"):
        list(simulate(Local(), Layered(1, 1, 2), range(2), workers=2))


def test_lines_of_the_paper_keep_their_labels():
    assert method_of("slicing").label == "SlicingBandits (fully observable)"
    assert method_of("witness").label == "Witness"


ITEMS = ["a", "b", "c"]


def test_a_study_is_reopened_by_the_methods_name(tmp_path):
    path = tmp_path / "mine.duels"
    with Study.open(path, ITEMS, Mine(delta=0.1, decoy_gap=None, epsilon=0.2)) as study:
        asked = study.ask(1)
    with pytest.raises(FileError, match=r"'mine', which is not known here; register it"):
        Study.open(path)
    ac.register(Mine)
    with Study.open(path) as again:
        assert again.algorithm == Mine(delta=0.1, decoy_gap=None, epsilon=0.2)
        assert again.outstanding == tuple(asked) or list(again.outstanding) == asked


def test_a_study_never_imports_what_its_file_names(tmp_path, own_file):
    path = tmp_path / "s.duels"
    with Study.open(path, ITEMS, Mine(delta=0.1, decoy_gap=None, epsilon=0.2)):
        pass
    text = path.read_text()
    path.write_text(text.replace('"mine"', json.dumps(f"{own_file}:Own")))
    with pytest.raises(FileError):
        Study.open(path)
    assert "file_of_own" not in sys.modules


def test_vote_and_study_take_a_method_from_a_file(own_file, tmp_path, capsys, monkeypatch):
    import io

    items = tmp_path / "items.toml"
    items.write_text(
        'title = "T"\nquestion = "Which?"\n[[items]]\nname = "a"\n[[items]]\nname = "b"\n'
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("l\nl\nq\n"))
    study = tmp_path / "items.duels"
    assert main(["vote", str(items), "--algorithm", f"{own_file}:Own", "--quiet"]) == 1
    assert study.exists()
    assert '"own"' in study.read_text().splitlines()[0]
    _registry._registered.clear()
    capsys.readouterr()
    assert main(["study", str(study)]) == 2
    assert "not known here" in capsys.readouterr().err
    assert main(["study", str(study), "--algorithm", f"{own_file}:Own", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["algorithm"] == "own"
