"""Specs: what is read, and what is refused in which words."""

import pytest

from antichain.algorithms import _registry
from antichain.errors import FileError, ParameterError
from antichain.experiments import Spec, builtin_names, load_spec, method_of
from antichain.experiments._spec import LINES, PAPER_FIGURES, Parameters, spec_from

GOOD = {
    "name": "mine",
    "title": "Mine",
    "vary": "height",
    "values": [2, 3],
    "algorithms": ["uniform"],
}


@pytest.mark.parametrize("name", builtin_names())
def test_every_builtin_spec_reads_back_from_its_plain_form(name):
    spec = load_spec(name)
    assert spec.name == name
    assert spec_from(spec.to_dict(), "here") == spec


def test_the_papers_figures_cover_the_grids_asked_for():
    reach = {name: load_spec(name).values for name in PAPER_FIGURES}
    ends = {name: (values[0], values[-1]) for name, values in reach.items()}
    assert ends == {"figure-width": (5, 40), "figure-height": (2, 30), "figure-front": (1, 20)}
    for name in PAPER_FIGURES:
        spec = load_spec(name)
        assert spec.runs == 10
        for value in spec.values:
            point = spec.parameters(value)
            assert (point.delta, point.decoy_gap, point.gamma) == (0.001, 0.01, 0.9)
            assert point.peeling_start == 0.5
    assert [load_spec("figure-front").parameters(p).chains for p in (1, 20)] == [2, 40]
    assert {load_spec("figure-width").parameters(w).front for w in (5, 40)} == {5}


def test_every_algorithm_a_spec_may_name_can_be_built():
    for line in (*LINES, *_registry.OURS):
        assert method_of(line).build(Parameters(delta=0.002)).delta == 0.002
    assert method_of("unchained-paper").build(Parameters()).rules.is_paper
    assert method_of("slicing-if2").build(Parameters()).parameters()["finder"] == "if2"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"colour": 1}, FileError, "'colour'"),
        ({"vary": None}, FileError, "vary is None"),
        ({"values": 3}, FileError, "a list was expected"),
        ({"name": "../up"}, FileError, "letters, digits and hyphens"),
        ({"values": []}, ParameterError, "without repetitions"),
        ({"values": [2, 2]}, ParameterError, "without repetitions"),
        ({"values": [0]}, ParameterError, "height is 0"),
        ({"values": ["tall"]}, ParameterError, "height is 'tall'"),
        ({"values": [[2]]}, FileError, "cannot be used"),
        ({"vary": "depth"}, ParameterError, "'depth'"),
        ({"algorithms": ["best"]}, ParameterError, "'best'"),
        ({"panels": ["beauty"]}, ParameterError, "'beauty'"),
        ({"references": ["taste"]}, ParameterError, "'taste'"),
        ({"runs": 0}, ParameterError, "runs is 0"),
        ({"fixed": {"height": 3}}, ParameterError, "both varied and fixed"),
        ({"fixed": {"depth": 3}}, ParameterError, "'depth'"),
        ({"fixed": {"width": "3p"}}, ParameterError, "'3p'"),
        ({"fixed": {"width": 4}}, ParameterError, "at least 5"),
        ({"fixed": {"delta": 2}}, ParameterError, "delta is 2"),
        ({"fixed": {"epsilon0": "low"}}, ParameterError, "'low'"),
        ({"fixed": {"gaps": 0.1}}, ParameterError, "a law"),
        ({"fixed": {"gaps": "big"}}, ParameterError, "gaps is 'big'"),
        ({"fixed": {"parents": "many"}}, ParameterError, "parents is 'many'"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(change, error, words):
    with pytest.raises(error, match="here") as caught:
        spec_from(GOOD | change, "here")
    assert words in str(caught.value)


def test_a_missing_key_is_named():
    for key in GOOD:
        with pytest.raises(FileError, match=f"no '{key}'"):
            spec_from({k: v for k, v in GOOD.items() if k != key}, "here")


def test_files_that_are_no_specs(tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(FileError, match="not TOML"):
        load_spec(str(broken))
    with pytest.raises(FileError, match="cannot read"):
        load_spec(str(tmp_path / "absent.toml"))
    with pytest.raises(ParameterError, match="figure-width"):
        load_spec("figure-depth")


def test_a_spec_of_ones_own_is_read_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ntitle = "Mine"\nvary = "height"\nvalues = [2, 3]\n'
        'algorithms = ["uniform"]\n[fixed]\nfront = 2\n'
    )
    assert load_spec(str(path)) == Spec(
        "mine", "Mine", "height", (2, 3), ("uniform",), fixed={"front": 2}
    )


def test_runs_and_algorithms_do_not_decide_rows_but_the_rest_does():
    spec = spec_from(GOOD, "here")
    assert spec.chosen(99, ["unchained"]).identity() == spec.identity()
    others = ({"fixed": {"front": 2}}, {"paired": True}, {"name": "yours"})
    assert all(spec_from(GOOD | other, "here").identity() != spec.identity() for other in others)
