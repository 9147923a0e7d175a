"""`antichain next`."""

import csv
import io
import json
import random
import shlex

import pytest
from tests.shared_data import shared_file

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


def test_asks_as_json(call, votes):
    called = call("next", votes, *LOG, "-n", 9, *QUICK, "--json")
    assert called.code == 0, called
    found = json.loads(called.out)
    assert 1 <= len(found["asks"]) <= 9
    assert all(set(ask) == {"ask", "left", "right"} for ask in found["asks"])
    assert [ask["ask"] for ask in found["asks"]] == list(range(7, 7 + len(found["asks"])))
    assert found["items"] == ["Alien", "Saw", "Senna"]
    assert (found["votes"], found["finished"], found["budget"]) == (6, False, None)
    remaining = found["remaining"]
    assert 0 < remaining["low"] <= remaining["median"] <= remaining["high"]
    assert {"delta": 0.2, "epsilon": 0.3}.items() <= found.items()
    plain = json.loads(call("front", votes, *LOG, *QUICK, "--json").out)
    assert {name: found[name] for name in ("front", "out", "undecided")} == {
        name: plain[name] for name in ("front", "out", "undecided")
    }
    assert call("next", votes, *LOG, "-n", 9, *QUICK, "--json") == called


def test_several_files_are_one_log(call, votes, tmp_path):
    head, *rows = votes.read_text().splitlines(keepends=True)
    for name, part in (("a.csv", rows[:4]), ("b.csv", rows[4:])):
        (tmp_path / name).write_text(head + "".join(part).rstrip("\n"))
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    told = [json.loads(call("next", *log, *LOG, "-n", 5, "--json").out) for log in ([votes], files)]
    assert told[0].pop("source") != told[1].pop("source")
    assert told[0] == told[1]
    asked = call("next", *files, *LOG, "-n", 5, "-o", tmp_path / "asks.csv")
    assert f"first add a line break at the end of {files[1]}" in asked.out.replace("\n", " ")


def test_asks_for_people(call, votes, monkeypatch):
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        out = call("next", votes, *LOG, *QUICK).out
        told = " ".join(out.split())
        for words in (
            "6 votes on 3 items",
            "votes to collect",
            "So far: 0 in, 0 out, 3 undecided: Alien, Saw, Senna.",
            "Deciding every item will take about",
            "more votes (90% range:",
        ):
            assert words in told
        table = [line for line in out.splitlines() if line[:1] in "┏┃┡│└"]
        assert max(map(len, table)) <= width


def test_more_duels_than_the_forecast_expects_come_with_advice(call, tmp_path):
    advice = "The first few may be enough: stop there and run the command again."
    path = tmp_path / "tiny.csv"
    path.write_text("left,right,winner\n" + "Alien,Saw,left\n" * 5)
    assert advice in " ".join(call("next", path).out.split())
    assert advice not in " ".join(call("next", path, "-n", 1).out.split())


@pytest.mark.parametrize("header", ["ask,film_1,film_2,winner", "id,film_1,film_2,winner"])
def test_asks_in_a_file_are_answered_appended_and_taken_up(call, tmp_path, header):
    """A whole study by the command alone: the better film, by name, always wins."""
    votes, asks = tmp_path / "votes.csv", tmp_path / "asks.csv"
    votes.write_text(header + "\n")
    items = ("--items", "Alien,Saw,Senna")
    for _ in range(40):
        called = call("next", votes, *LOG, *items, "-n", 20, *QUICK, "-o", asks, "--force")
        assert called.code == 0, called
        rows = list(csv.reader(io.StringIO(asks.read_text())))
        assert ",".join(rows[0]) == header
        if len(rows) == 1:
            break
        assert "append the rows to the log" in called.out
        with votes.open("a") as log:
            for number, left, right, winner in rows[1:]:
                assert winner == ""
                assert bool(number) == header.startswith("ask")
                log.write(f"{number},{left},{right},{min(left, right)}\n")
    assert "Every item is decided. In: Alien. There is nothing left to ask." in called.out
    assert asks.read_text() == header + "\n"
    assert f"{asks}: 0 votes\n" in called.out
    certified = json.loads(call("front", votes, *LOG, *QUICK, "--json").out)
    assert (certified["front"], certified["undecided"]) == (["Alien"], {})


def test_a_finished_log_says_so(call, over, tmp_path):
    asks = tmp_path / "asks.csv"
    called = call("next", over, *QUICK, "-o", asks, "--json")
    found = json.loads(called.out)
    assert called.code == 0
    assert (found["finished"], found["front"], found["asks"]) == (True, ["Alien"], [])
    assert found["out"].keys() == {"Saw"}
    assert (found["remaining"], found["undecided"]) == (None, {})
    assert asks.read_text() == "left,right,winner\n"
    quiet = call("next", over, *QUICK, "--quiet")
    assert quiet.out == "left,right,winner\n"
    assert quiet.err.endswith("There is nothing left to ask.\n")


def test_votes_in_a_circle_have_no_front(call, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "x,y,left\ny,z,left\nz,x,left\n" * 120)
    told = " ".join(call("next", path, *QUICK).out.split())
    assert "there is no front" in told


def test_quiet_prints_the_rows_and_nothing_else(call, votes, tmp_path):
    asks = tmp_path / "asks.csv"
    printed = call("next", votes, *LOG, "-n", 3, *QUICK, "--quiet").out
    assert call("next", votes, *LOG, "-n", 3, *QUICK, "--quiet", "-o", asks).out == ""
    assert asks.read_text() == printed
    assert printed.startswith("id,film_1,film_2,winner\n,")


def test_items_begin_a_log(call, refused, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n")
    found = json.loads(call("next", path, "--items", "x,y,z", "--json").out)
    assert found["items"] == ["x", "y", "z"]
    assert (found["votes"], found["finished"]) == (0, False)
    assert {found["asks"][0]["left"], found["asks"][0]["right"]} < {"x", "y", "z"}
    assert "no votes, but at least one was expected (to start" in refused("next", path)


def test_a_budget(call, votes):
    found = json.loads(call("next", votes, *LOG, "--budget", 10, "--json").out)
    assert (len(found["asks"]), found["budget"], found["remaining"]) == (4, 10, None)
    assert found["finished"] is False
    spent = call("next", votes, *LOG, "--budget", 6)
    assert spent.code == 0
    told = " ".join(spent.out.split())
    assert "The budget of 6 votes is spent: 0 in, 0 out, 3 undecided." in told
    assert "According to a model's estimate, the likely front is: " in told
    found = json.loads(call("next", votes, *LOG, "--budget", 6, "--json").out)
    assert (found["finished"], found["spent"], found["asks"]) == (False, True, [])
    told = " ".join(call("next", votes, *LOG, "--budget", 4).out.split())
    assert (
        "budget of 4 votes is spent (--budget counts all votes, and the log holds 6): 0 in" in told
    )


def test_decoys(call, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "a,b,left\na,b,right\na,b (decoy),tie\n" * 40)
    found = json.loads(call("next", path, "--decoy-gap", 0.3, "--delta", 0.2, "--json").out)
    assert (found["items"], found["decoy_gap"]) == (["a", "b"], 0.3)
    shown = {name for ask in found["asks"] for name in (ask["left"], ask["right"])}
    assert shown <= {"a", "b", "a (decoy)", "b (decoy)"}
    path.write_text("left,right,winner\n")
    begun = call("next", path, "--decoy-gap", 0.3, "--items", "a,b", "--json")
    assert json.loads(begun.out)["asks"]


def test_decoys_of_a_manifest(call, tmp_path):
    path, manifest = tmp_path / "votes.csv", tmp_path / "decoys.json"
    path.write_text("left,right,winner\n" + "a,b,left\na,b,right\n" * 40 + "a,worse b,left\n" * 5)
    named = [{"item": "a", "decoy": "worse a"}, {"item": "b", "decoy": "worse b"}]
    manifest.write_text(json.dumps({"decoys": named}))
    options = ("next", path, "--decoys", manifest, "--delta", 0.2, "--json")
    found = json.loads(call(*options, "--decoy-gap", 0.3).out)
    assert found["items"] == ["a", "b"]
    shown = {name for ask in found["asks"] for name in (ask["left"], ask["right"])}
    assert shown & {"worse a", "worse b"}
    without = json.loads(call(*options).out)
    assert (without["items"], without["votes"]) == (["a", "b"], 80)


def test_what_to_do_with_the_rows_is_told(call, tmp_path):
    path, asks = tmp_path / "votes.csv", tmp_path / "asks.csv"
    path.write_text("left,right,winner,prompt\n" + "a,b,left,p\nb,c,left,p\n" * 9)
    options = ("next", path, *QUICK, "-o", asks, "--force")
    told = " ".join(call(*options, "--cluster", "prompt").out.split())
    assert "to the log, without the header; each row also needs its 'prompt'" in told
    assert "one new 'prompt'" in told
    told = " ".join(call(*options).out.split())
    assert "each row also needs" not in told
    assert "first add a line break" not in told
    path.write_text("left,right,winner\na,b,left")
    told = " ".join(call(*options).out.split())
    assert f"without the header; first add a line break at the end of {path}" in told
    path.write_text("winner,loser\na,b\n")
    assert "as a row with its winner and its loser" in call(*options).out


def test_bad_input_is_refused_in_one_sentence(refused, votes, tmp_path):
    assert "from 1 to 1,000,000 was" in refused("next", votes, "-n", 0)
    assert "99999999999" in refused("next", votes, "-n", 99_999_999_999)
    for name in ("a.parquet", "a.xlsx", "a.json"):
        output = tmp_path / name
        said = refused("next", votes, *LOG, "-o", output)
        assert f"--output is {output}, but a name that ends in .csv, .tsv or .txt" in said
        assert not output.exists()
    assert "abc" in refused("next", votes, "-n", "abc")
    assert "--budget" in refused("next", votes, *LOG, "--budget", 0)
    assert "luck" in refused("next", votes, *LOG, "--assume", "luck")
    assert "there.csv" in refused("next", tmp_path / "there.csv")
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text(votes.read_text().replace("film_1,film_2", "film,other"))
    assert "two items" in refused("next", unnamed)
    assert "suffix" in refused("next", votes, *LOG, "--decoy-gap", 0.1, "--decoy-suffix", " ")
    grades = ("--grades", "x,y", "--item", "z")
    assert "--grades cannot be used with next" in refused("next", votes, *grades)
    assert "already exists" in refused("next", votes, *LOG, "-o", unnamed)
    with votes.open("a") as log:
        log.write("3,Alien,Senna,nobody\n")
    assert "line 8 has 'nobody' in 'winner'" in refused("next", votes, *LOG)


def test_dependent_clusters_are_warned_of(call, tmp_path):
    """The winner stays: what a voter is asked depends on that voter's answers."""
    path = tmp_path / "votes.csv"
    rng, lines = random.Random(4), ["left,right,winner,who"]
    for who in range(200):
        champion, *rest = rng.sample(["ale", "bun", "cod", "dal", "eel"], 3)
        for other in rest:
            winner = rng.choice([champion, other])
            lines.append(f"{champion},{other},{winner},{who}")
            champion = winner
    path.write_text("\n".join(lines) + "\n")
    called = call("next", path, "--cluster", "who", "--json")
    assert any("dependent clusters" in note for note in json.loads(called.out)["notes"])
    assert "dependent clusters" in called.err


@pytest.mark.slow
def test_a_real_log(call):
    path = shared_file("llmfao-crowd-comparisons.csv")
    called = call("next", path, "--cluster", "prompt", "--json")
    found = json.loads(called.out)
    assert (len(found["items"]), found["votes"], len(found["asks"])) == (59, 8931, 100)
    plain = json.loads(call("front", path, "--cluster", "prompt", "--json").out)
    assert (found["out"], found["undecided"]) == (plain["out"], plain["undecided"])
    decided = set(found["items"]) - set(found["undecided"])
    assert not any({ask["left"], ask["right"]} <= decided for ask in found["asks"])
    pairs = {frozenset((ask["left"], ask["right"])) for ask in found["asks"]}
    assert len(pairs) == 100


ODD = "upper,lower,who,price\n" + "Alien,Saw II,Alien,1\nSenna,Saw II,tie,1\n" * 3
HINTS = {
    "options are repeated": (
        ODD,
        "--left upper --right lower --winner who --epsilon 0.2 --delta 0.1 --assume strong",
        "--left upper --right lower --winner who --delta 0.1 --epsilon 0.2 --assume strong "
        "--budget 100 lists",
    ),
    "words are quoted, and switches are as they were": (
        ODD.replace("tie", "draw it"),
        "--left upper --right lower --winner who --unordered --fold --words 'draw it=tie'",
        "--left upper --right lower --winner who --unordered --words 'draw it=tie' --fold "
        "--budget 100 lists",
    ),
    "no votes yet": ("left,right,winner\n", "--items Alien,Saw", "--items Alien,Saw --budget 100 "),
    "twice as many votes as there are": (
        "left,right,winner\n" + "Alien,Saw,left\nSaw,Alien,left\n" * 60,
        "",
        "--budget 300 lists the most informative votes to collect",
    ),
}


@pytest.mark.parametrize("case", HINTS)
def test_front_names_the_command_that_leads_on_and_it_works(call, tmp_path, case):
    text, options, expected = HINTS[case]
    path = tmp_path / "my votes.csv"
    path.write_text(text)
    shown = call("front", path, *shlex.split(options)).out
    (line,) = [line for line in shown.splitlines() if line.startswith("Next: ")]
    assert f"'{path}' {expected}" in line
    _, *command = shlex.split(line.partition(" in all, ")[2].partition(" lists ")[0])
    followed = call(*command, "--json")
    assert followed.code == 0, followed
    assert json.loads(followed.out)["asks"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (ODD, ("--left", "upper", "--right", "lower", "--winner", "who", "--min-votes", "1")),
        ("ranking\nAlien > Saw\nSaw > Alien\n", ("--ballots", "ranking")),
        ("film,bad,good\nAlien,1,2\nSaw,2,1\n", ("--grades", "bad,good", "--item", "film")),
    ],
)
def test_front_names_no_command_that_would_be_refused(call, tmp_path, text, options):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    shown = call("front", path, *options)
    assert shown.code == 0, shown
    assert "undecided" in shown.out
    assert "Next: " not in shown.out


def test_front_names_no_command_for_standard_input(call, votes, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(votes.read_bytes())))
    shown = call("front", "-", *LOG)
    assert shown.code == 0, shown
    assert "Next: " not in shown.out
