"""`antichain next`."""

import csv
import io
import json

import pytest
from tests.shared_data import shared_file

from antichain.cli import _next as command
from antichain.nextvotes._asking import CHANCE

QUICK = ("--delta", 0.2, "--epsilon", 0.3)


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("id,film_1,film_2,winner\n" + "1,Alien,Saw,Alien\n2,Senna,Saw,tie\n" * 3)
    return path


@pytest.fixture
def over(tmp_path):
    path = tmp_path / "over.csv"
    path.write_text("left,right,winner\n" + "Alien,Saw,left\n" * 40)
    return path


LOG = ("--left", "film_1", "--right", "film_2")


def test_what_is_copied_is_the_same():
    assert command._CHANCE == CHANCE


def test_asks_as_json(call, votes):
    called = call("next", votes, *LOG, "-n", 9, *QUICK, "--runs", 4, "--seed", 3, "--json")
    assert called.code == 0, called
    found = json.loads(called.out)
    assert 1 <= len(found["asks"]) <= 9
    assert all(set(ask) == {"left", "right", "sure"} for ask in found["asks"])
    assert found["asks"][0]["sure"]
    assert found["items"] == ["Alien", "Saw", "Senna"]
    assert (found["votes"], found["votes_used"] + found["votes_unused"]) == (6, 6)
    assert found["finished"] is False
    assert found["candidates"] == found["items"]
    assert "front" not in found
    remaining = found["remaining"]
    assert 0 < remaining["low"] <= remaining["median"] <= remaining["high"]
    expected = {"algorithm": "witness", "delta": 0.2, "epsilon": 0.3, "seed": 3}
    assert expected.items() <= found.items()
    assert call("next", votes, *LOG, "-n", 9, *QUICK, "--runs", 4, "--seed", 3, "--json") == called


def test_asks_for_people(call, votes, monkeypatch):
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        out = call("next", votes, *LOG, *QUICK, "--runs", 4).out
        for words in (
            "6 votes on 3 items",
            "needed next",
            "3 of 3 items not shown dominated",
            "took",
        ):
            assert words in out
        assert "more duels (90% range:" in out
        table = [line for line in out.splitlines() if line[:1] in "┏┃┡│└"]
        assert max(map(len, table)) <= width
    bare = call("next", votes, *LOG, *QUICK, "--runs", 0).out
    assert "90% range" not in bare


def test_asks_in_a_file_are_answered_appended_and_taken_up(call, votes, tmp_path):
    """A whole study by the command alone: the better film, by name, always wins."""
    asks = tmp_path / "asks.csv"
    for _ in range(40):
        called = call("next", votes, *LOG, "-n", 20, *QUICK, "--runs", 3, "-o", asks, "--force")
        assert called.code == 0, called
        rows = list(csv.reader(io.StringIO(asks.read_text())))
        assert rows[0] == ["id", "film_1", "film_2", "winner"]
        if len(rows) == 1:
            break
        assert "append the rows to the log" in called.out
        with votes.open("a") as log:
            for number, left, right, winner in rows[1:]:
                assert (number, winner) == ("", "")
                log.write(f",{left},{right},{min(left, right)}\n")
    assert "The front is found: Alien. Nothing more to ask." in called.out
    assert asks.read_text() == "id,film_1,film_2,winner\n"
    assert f"{asks}: 0 duels\n" in called.out


def test_a_finished_log_says_so(call, over, tmp_path):
    asks = tmp_path / "asks.csv"
    called = call("next", over, *QUICK, "-o", asks, "--json")
    found = json.loads(called.out)
    assert called.code == 0
    assert (found["finished"], found["front"], found["asks"]) == (True, ["Alien"], [])
    assert found["dominated"] == {"Saw": "Alien"}
    assert (found["remaining"]["low"], found["remaining"]["high"]) == (0, 0)
    assert found["votes_used"] < found["votes"] == 40
    assert asks.read_text() == "left,right,winner\n"
    assert call("next", over, *QUICK, "--quiet").out == "left,right,winner\n"
    assert "not needed" in call("next", over, *QUICK).out


def test_quiet_prints_the_rows_and_nothing_else(call, votes, tmp_path):
    asks = tmp_path / "asks.csv"
    printed = call("next", votes, *LOG, "-n", 3, *QUICK, "--quiet", "--runs", 2).out
    assert call("next", votes, *LOG, "-n", 3, *QUICK, "--quiet", "--runs", 2, "-o", asks).out == ""
    assert asks.read_text() == printed
    assert printed.startswith("id,film_1,film_2,winner\n,")


def test_items_begin_a_log_and_others_are_told(call, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n")
    found = json.loads(call("next", path, "--items", "x,y,z", "--runs", 0, "--json").out)
    assert found["items"] == ["x", "y", "z"]
    assert (found["votes"], found["finished"]) == (0, False)
    assert {found["asks"][0]["left"], found["asks"][0]["right"]} < {"x", "y", "z"}


@pytest.mark.parametrize("algorithm", ["witness", "unchained", "real-decoys"])
def test_decoys(call, tmp_path, algorithm):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "a,b,left\na,b,right\na,b (decoy),tie\n" * 40)
    found = json.loads(
        call("next", path, "--decoy-gap", 0.3, "--delta", 0.2, "--algorithm", algorithm,
             "--runs", 2, "--json").out
    )  # fmt: skip
    assert (found["items"], found["decoy_gap"]) == (["a", "b"], 0.3)
    shown = {name for ask in found["asks"] for name in (ask["left"], ask["right"])}
    assert shown <= {"a", "b", "a (decoy)", "b (decoy)"}
    assert shown & {"a (decoy)", "b (decoy)"}


def test_decoys_of_a_manifest(call, tmp_path):
    path, manifest = tmp_path / "votes.csv", tmp_path / "decoys.json"
    path.write_text("left,right,winner\n" + "a,b,left\na,b,right\na,worse b,tie\n" * 40)
    named = [{"item": "a", "decoy": "worse a"}, {"item": "b", "decoy": "worse b"}]
    manifest.write_text(json.dumps({"decoys": named}))
    options = ("next", path, "--decoys", manifest, "--delta", 0.2, "--runs", 2, "--json")
    found = json.loads(call(*options, "--decoy-gap", 0.3).out)
    assert found["items"] == ["a", "b"]
    shown = {name for ask in found["asks"] for name in (ask["left"], ask["right"])}
    assert shown & {"worse a", "worse b"}
    without = json.loads(call(*options).out)
    assert (without["items"], without["votes"]) == (["a", "b"], 80)


def test_what_to_do_with_the_rows_is_told(call, tmp_path):
    path, asks = tmp_path / "votes.csv", tmp_path / "asks.csv"
    path.write_text("left,right,winner,prompt\n" + "a,b,left,p\nb,c,left,p\n" * 9)
    options = ("next", path, *QUICK, "--runs", 2, "-o", asks, "--force")
    told = " ".join(call(*options, "--cluster", "prompt").out.split())
    assert "append the rows to the log, without the header; each needs its 'prompt'" in told
    assert "not the first of their cluster" in told
    told = " ".join(call(*options).out.split())
    assert "each needs" not in told
    assert "in hand (the run will use" in told
    assert "antichain front" in told
    assert "first end the last line" not in told
    path.write_text("left,right,winner\na,b,left")
    told = " ".join(call(*options).out.split())
    assert f"without the header; first end the last line of {path}" in told
    path.write_text("left,right,winner\n" + "x,y,left\ny,z,left\nz,x,left\n" * 80)
    told = " ".join(call(*options).out.split())
    assert "there is no front" in told
    assert "No order fits" in told
    path.write_text("winner,loser\na,b\n")
    assert "as winners and losers" in call(*options).out


def test_bad_input_is_refused_in_one_sentence(refused, votes, tmp_path):
    assert "at least 1" in refused("next", votes, "-n", 0)
    assert "abc" in refused("next", votes, "-n", "abc")
    assert "there.csv" in refused("next", tmp_path / "there.csv")
    assert "two items" in refused("next", votes)
    assert "one of the two" in refused("next", votes, *LOG, "--decoy-gap", 0.1, "--epsilon", 0.1)
    assert "decoy_gap is None" in refused("next", votes, "--algorithm", "real-decoys")
    assert "slicing" in refused("next", votes, "--algorithm", "slicing")
    assert "suffix" in refused("next", votes, *LOG, "--decoy-gap", 0.1, "--decoy-suffix", " ")
    grades = ("--grades", "x,y", "--item", "z")
    assert "grades are not votes" in refused("next", votes, *grades)
    assert "several votes" in refused("next", _counted(tmp_path), "--count", "n")
    assert "exists already" in refused("next", votes, *LOG, "-o", votes)
    with votes.open("a") as log:
        log.write("3,Alien,Senna,\n")
    assert "line 8 has no winner" in refused("next", votes, *LOG)


def _counted(folder):
    path = folder / "counted.csv"
    path.write_text("left,right,winner,n\na,b,left,7\n")
    return path


def test_a_real_log(call):
    called = call(
        "next", shared_file("llmfao-crowd-comparisons.csv"), "--cluster", "prompt", "--runs", 2,
        "--json",
    )  # fmt: skip
    found = json.loads(called.out)
    assert (len(found["items"]), found["votes"], len(found["asks"])) == (59, 8931, 100)
    assert found["votes_aside"]["clustered"] > 1000
    assert found["remaining"]["median"] > 10_000
