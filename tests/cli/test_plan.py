"""`antichain plan`."""

import json

import pytest

from antichain.cli._plan import KINDS as NAMES
from antichain.cli._plan import bar_of_quantiles
from antichain.forecast._planning import KINDS, plan

SMALL = ("--items", 8, "--front", 2, "--decoy-gap", 0.1, "--delta", 0.05, "--runs", 12)
FIELDS = {
    "items", "front", "delta", "decoy_gap", "epsilon", "median", "low", "high", "mean", "runs",
    "seconds",
}  # fmt: skip


def test_json_is_the_forecast_of_the_library(call):
    called = call("plan", *SMALL, "--seed", 3, "--json")
    assert called.code == 0, called.err
    found = json.loads(called.out)
    assert set(found) >= FIELDS
    forecast = plan(8, 2, delta=0.05, decoy_gap=0.1, runs=12, seed=3)
    for name in ("median", "low", "high", "mean", "runs", "right", "median_low", "median_high"):
        assert found[name] == getattr(forecast, name)
    assert (found["items"], found["front"], found["delta"]) == (8, 2, 0.05)
    assert (found["decoy_gap"], found["epsilon"]) == (0.1, None)
    assert found["seconds"] > 0


@pytest.mark.slow
def test_options_reach_the_simulation(call):
    def median(*options: object) -> float:
        return json.loads(call("plan", *SMALL, *options, "--json").out)["median"]

    usual = median()
    assert median("--gaps", "small:0.1") > usual
    assert median("--kind", "antichain", "--front", 8) > usual
    assert median("--seed", 1) != usual
    without = json.loads(call("plan", "--items", 6, "--epsilon", 0.2, "--runs", 3, "--json").out)
    assert (without["decoy_gap"], without["epsilon"], without["front"]) == (None, 0.2, None)


def test_people_get_a_table_a_picture_and_a_sentence(call):
    called = call("plan", *SMALL)
    assert called.code == 0
    for words in ("median", "90% range", "correct fronts", "layered posets of 8 items", "┃"):
        assert words in called.out
    first, settings, *_ = called.out.splitlines()
    assert first.startswith("Expect about ")
    assert " to decide every item; " in first
    assert settings.startswith("Simulated: layered posets of 8 items with ")
    assert call("plan", *SMALL, "--quiet").out == first + "\n"


def test_a_few_runs_give_no_range(call):
    called = call("plan", *SMALL[:-1], 3)
    assert "90% range" not in called.out
    assert "of 3" in called.out.partition("correct fronts")[2].partition("\n")[0]
    assert called.out.splitlines()[0].endswith(
        "takes 10 runs or more (--runs), and this was 3 runs."
    )


def test_the_bar_marks_the_quantiles():
    bar = bar_of_quantiles(tuple(range(101)), room=107)  # "0 ", 101 cells, " 100"
    cells = bar.removeprefix("0 ").removesuffix(" 100")
    assert len(bar) == 107
    assert cells == "─" * 5 + "━" * 20 + "█" * 25 + "┃" + "█" * 25 + "━" * 20 + "─" * 5
    assert bar_of_quantiles((7, 7), room=20).count("┃") == 1


def test_a_picture_is_drawn_and_never_over_another(call, refused, tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / "plan.png"
    called = call("plan", *SMALL, "-o", target)
    assert called.code == 0
    assert target.read_bytes().startswith(b"\x89PNG")
    assert str(target) in called.out
    assert "already exists" in refused("plan", *SMALL, "-o", target)
    vector = tmp_path / "plan.svg"
    pictures = []
    for _ in range(2):
        assert call("plan", *SMALL, "-o", vector, "--force").code == 0
        pictures.append(vector.read_bytes())
    assert pictures[0] == pictures[1]


def test_the_kinds_are_those_of_the_library():
    assert NAMES == KINDS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--front", 2], ["--items"]),
        (["--items", 0], ["--items", "0"]),
        (["--items", 1], ["--items", "'1'", "at least 2"]),
        (["--items", 5, "--front", 6], ["front is 6", "(5)"]),
        (["--items", 5, "--decoy-gap", 0.1, "--epsilon", 0.1], ["--decoy-gap", "--epsilon"]),
        (["--items", 5, "--gaps", "wide"], ["wide"]),
        (["--items", 5, "--kind", "heap"], ["--kind", "heap"]),
        (["--items", 5, "--kind", "total-order", "--front", 2], ["1 was expected"]),
        (["--items", 5, "-o", "plan.doc"], ["plan.doc"]),
        (["--items", 100000, "--front", 5, "--runs", 1], ["100,000 items"]),
    ],
)
def test_what_cannot_be_planned_is_refused(refused, options, words):
    sentence = refused("plan", *options)
    for word in words:
        assert word in sentence
