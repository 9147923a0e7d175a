"""`antichain limit`."""

import json

import pytest

from antichain._files import read_poset
from antichain.orders._generators import layered
from antichain.theory import limit

FIELDS = {"limit", "dominated_part", "front_part", "pairwise_front_part", "constant"}


def numbers(called):
    assert (called.code, called.err) == (0, "")
    return json.loads(called.out)


def test_json_has_the_limit_and_its_parts(call, poset):
    found = numbers(call("limit", "--poset", poset, "--delta", 0.05, "--decoy-gap", 0.1, "--json"))
    assert set(found) == FIELDS | {"items", "front"}
    assert found == limit(read_poset(poset), 0.05, 0.1).to_dict()
    # a and d are maximal, and nothing is below d: two tests, nothing to share.
    assert found["front_part"] == found["pairwise_front_part"] > 0
    assert found["limit"] == found["front_part"] + found["dominated_part"]


def test_posets_are_generated_as_everywhere(call):
    found = numbers(call("limit", "--front", 4, "--height", 5, "--seed", 7, "--json"))
    assert found == limit(layered(4, 10, 5, seed=7), 0.001, 0.01).to_dict()


def test_more_items_than_the_library_takes_by_default_are_waited_for(call):
    found = numbers(call("limit", "--front", 2, "--width", 30, "--height", 80, "--json"))
    assert found["items"] == 2372


def test_the_table_says_what_each_number_is(call, poset):
    called = call("limit", "--poset", poset)
    assert called.code == 0
    for words in ("dominated", "tests shared", "information limit", "each ordered pair", "4 items"):
        assert words in called.out
    assert f"{limit(read_poset(poset), 0.001, 0.01).limit:,.0f}" in called.out
    quiet = call("limit", "--poset", poset, "--quiet").out
    assert "information limit" in quiet
    assert "Every method" in called.out
    assert "Every method" not in quiet


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--delta", 0.5], ["--delta", "0.5", "below 0.5"]),
        (["--delta", 0], ["--delta", "above 0"]),
        (["--decoy-gap", 0.5], ["--decoy-gap", "below 0.5"]),
        (["--decoy-gap", "1e-200"], ["1e-200", "above 0", "by at least 1e-50"]),
        (["--poset", "missing.json"], ["missing.json"]),
        (["--front", 20, "--width", 2], ["width is 2"]),
        (["--observable", "--decoy-gap", 0.1], ["--observable", "--decoy-gap", "no decoys"]),
    ],
)
def test_bad_input_is_refused_in_a_sentence(refused, options, words):
    sentence = refused("limit", *options)
    for word in words:
        assert word in sentence
