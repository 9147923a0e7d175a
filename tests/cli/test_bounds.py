"""`antichain bounds`."""

import json

import pytest


def test_the_errata_s_numbers_come_out(call):
    called = call("bounds", "--front", 5, "--width", 10, "--height", 10, "--json")
    assert called.code == 0
    found = json.loads(called.out)
    assert (found["items"], found["front"], found["epochs"]) == (95, 5, 17)
    assert found["decoy_phase_duels"] == pytest.approx(7.7e8, rel=0.01)


def test_parameters_reach_the_theorems(call, poset):
    def decoy_duels(*options: object) -> float:
        out = call("bounds", "--poset", poset, "--json", *options).out
        return float(json.loads(out)["decoy_phase_duels"])

    assert decoy_duels("--decoy-gap", 0.1) < decoy_duels("--decoy-gap", 0.05)
    assert decoy_duels("--delta", 0.1) < decoy_duels("--delta", 0.01)


def test_the_table_is_for_people(call, poset):
    called = call("bounds", "--poset", poset)
    assert called.code == 0
    for word in ("Theorem 1", "Theorem 2", "slicing", "4 items"):
        assert word in called.out
    assert len(call("bounds", "--poset", poset, "--quiet").out) < len(called.out)
