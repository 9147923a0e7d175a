"""`antichain front`, `explain`, `verify` and `matrix`."""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.shared_data import shared_file

import antichain as ac
from antichain.certify._reading import front
from antichain.certify._verification import verify


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """tea above rain, fog below both, sun met by tea only; a tie now and then."""
    rows = ["left,right,winner,prompt,who"]
    for k in range(120):
        winner = "tie" if k % 10 == 0 else "left"
        rows.append(f"tea,rain,{winner},p{k % 40},v{k % 7}")
        rows.append(f"fog,tea,{'right' if k % 8 else 'left'},p{k % 40},v{k % 7}")
        rows.append(f"rain,fog,{'left' if k % 5 else 'right'},p{k % 40},v{k % 7}")
    rows += ["tea,sun,tie,p1,v1"] * 300
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_front_of_a_log(call, votes):
    called = call("front", votes)
    assert called.code == 0, called
    for words in ("tea", "below tea", "4 items: 1 in, 2 out, 1 undecided", "never asked (2)"):
        assert words in called.out
    assert "used 'winner' as the answer" in called.out
    assert "order compatibility" in called.out


def test_a_name_that_may_be_misspelt_is_said_above_the_table(call, tmp_path):
    rows = ["left,right,winner", *["Fox,Leaf,Fox"] * 12, "Foxx,Leaf,Leaf"]
    (tmp_path / "logos.csv").write_text("\n".join(rows) + "\n")
    said = call("front", tmp_path / "logos.csv").out
    assert said.count("'Foxx' (1 vote) looks like 'Fox' (12 votes).") == 1
    assert said.index("looks like 'Fox'") < said.index("undecided")
    chosen = call("front", tmp_path / "logos.csv", "--items", "Fox,Leaff").out
    assert chosen.count("'Leaff' (did you mean 'Leaf'?)") == 1
    assert chosen.index("did you mean 'Leaf'") < chosen.index("undecided")
    shown = str(ac.front(tmp_path / "logos.csv", items=["Fox", "Leaff"]))
    assert "Warning: no row mentions 'Leaff' (did you mean 'Leaf'?)" in shown


def test_json_has_the_promised_fields(call, votes):
    found = json.loads(call("front", votes, "--json", "--delta", 0.1, "--epsilon", 0.1).out)
    promised = {"items", "votes", "pairs_seen", "delta", "epsilon", "front", "out", "undecided"}
    assert promised | {"cycles", "assumptions"} <= set(found)
    assert found["front"] == ["tea"]
    assert (found["delta"], found["epsilon"], found["votes"]) == (0.1, 0.1, 660)
    promised = {"among", "chances", "likely_front", "expected_f1", "exactly_right", "method"}
    assert promised | {"promise", "epsilon_others", "likely_by", "assume"} <= set(found)
    assert found["among"] == ["tea", "sun"]
    assert set(found["chances"]) == set(found["items"])
    assert 0 <= found["exactly_right"] <= 1
    assert {"by", "pooled", "votes", "evidence"} <= set(found["out"]["rain"])
    assert found["out"]["rain"]["by"] == "tea"
    assert [entry["opponent"] for entry in found["undecided"]["sun"]] == ["fog", "rain"]
    assert sum(found["split"].values()) == pytest.approx(0.1)


def test_quiet_prints_the_front_alone(call, votes):
    called = call("front", votes, "--quiet")
    assert (called.out, called.err) == ("tea\n", "")


def test_clusters_change_what_is_shown(call, votes):
    called = call("front", votes, "--cluster", "prompt", "--voter", "who", "--json")
    found = json.loads(called.out)
    assert found["clusters"] == {"column": "prompt", "clusters": 40}
    assert any("cluster's mean is one observation" in sentence for sentence in found["assumptions"])
    assert any("repeat a voter's earlier vote" in note for note in found["notes"])
    single = json.loads(call("front", votes, "--json").out)
    assert found["out"]["fog"]["log_evidence"] < single["out"]["fog"]["log_evidence"]


def test_meanings_are_options(call, votes):
    found = json.loads(call("front", votes, "--ties", "ignore", "--json").out)
    assert found["meanings"]["tie"] == "no evidence"
    assert found["undecided"]["sun"][-1]["votes"] == 0
    assert found["reading"] == {
        "meanings": {"tie": "ignore", "both_bad": "tie", "incomparable": "tie"}
    }


def test_files_are_written_and_never_over_others(call, refused, votes, tmp_path):
    targets = {
        "--report": tmp_path / "page.html",
        "--markdown": tmp_path / "page.md",
        "--certificate": tmp_path / "certificate.json",
    }
    options = [part for pair in targets.items() for part in pair]
    called = call("front", votes, *options)
    assert called.code == 0
    for path in targets.values():
        assert f"{path}: " in called.out
    assert targets["--report"].read_text().startswith("<!doctype html>")
    assert "| tea |" in targets["--markdown"].read_text()
    assert json.loads(targets["--certificate"].read_text())["front"] == ["tea"]
    for flag, path in targets.items():
        assert "already exists" in refused("front", votes, flag, path)
    assert call("front", votes, *options, "--force").code == 0
    assert call("front", votes, *options, "--force", "--quiet").out == "tea\n"
    same = tmp_path / "same.html"
    assert "same file" in refused("front", votes, "--report", same, "--markdown", same)


@pytest.mark.parametrize("option", ["-o", "--report", "--markdown", "--certificate"])
def test_a_file_is_not_called_like_standard_output(
    call, refused, votes, tmp_path, monkeypatch, option
):
    monkeypatch.chdir(tmp_path)
    said = refused("front", votes, option, "-")
    assert "is '-', but the name of a file was expected (./- is a file of that name)" in said
    assert not Path("-").exists()
    if option != "--report":
        assert call("front", votes, option, "./-").code == 0
        assert Path("-").exists()


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.html.gz", ".html"])
def test_a_report_has_the_name_of_a_web_page(refused, votes, tmp_path, name):
    path = tmp_path / name
    words = f"--report is {path}, but a name that ends in .html was expected"
    assert words in refused("front", votes, "--report", path)
    assert words in refused("ratings", votes, "--report", path)
    assert not path.exists()


def test_a_study_itself_is_no_log_but_its_export_is(refused, tmp_path):
    with ac.Study.open(tmp_path / "s.duels", ["tea", "rain"]) as study:
        study.tell(study.ask(1)[0], "left")
    path = tmp_path / "s.duels"
    assert f"antichain study {path} --export" in refused("front", path)


def test_verify_agrees_without_repeating_options(call, votes, tmp_path):
    path = tmp_path / "c.json"
    options = (
        "--left",
        "left",
        "--cluster",
        "prompt",
        "--ties",
        "ignore",
        "--items",
        "tea,fog,sun",
    )
    assert call("front", votes, *options, "-o", path).code == 0
    called = call("verify", path, votes)
    assert called.code == 0, called
    assert "agrees" in called.out
    found = json.loads(call("verify", path, votes, "--json").out)
    assert (found["agrees"], found["differences"]) == (True, [])
    other = call("verify", path, votes, "--ties", "half")
    assert other.code == 1
    assert "meanings" in other.out


def test_verify_shows_the_first_differences_and_counts_the_others(call, votes, tmp_path):
    path, other = tmp_path / "c.json", tmp_path / "other.csv"
    assert call("front", votes, "-o", path).code == 0
    other.write_text("\n".join(votes.read_text().splitlines()[:300]) + "\n")
    called = call("verify", path, other)
    assert called.code == 1
    shown = called.out.partition("The votes were read")[0].splitlines()
    every = json.loads(call("verify", path, other, "--json").out)["differences"]
    assert shown == [*every[:3], f"and {len(every) - 3} more differences (see --json)"]


def _swapped(call, votes, path):
    """A certificate of the votes that takes the words left and right for each other."""
    options = ("--words", "left=right,right=left")
    assert call("front", votes, *options, "-o", path, "--quiet").out != "tea\n"
    return path


def test_verify_says_which_reading_of_the_certificate_it_followed(call, votes, tmp_path):
    path = _swapped(call, votes, tmp_path / "c.json")
    called = call("verify", path, votes)
    assert called.code == 0
    said = "with the options stored in the certificate:\n- The word 'left' means right (by default"
    assert said in called.out
    assert "--reading strict" in called.out
    reading = json.loads(call("verify", path, votes, "--json").out)["reading"]
    assert reading["from"] == "certificate"
    assert reading["options"] == {"words": {"left": "right", "right": "left"}}
    assert len(reading["in_words"]) == 2
    assert "used 'winner' as the answer" in reading["notes"]


def test_verify_by_ones_own_reading_unmasks_swapped_words(call, votes, tmp_path):
    path = _swapped(call, votes, tmp_path / "c.json")
    called = call("verify", path, votes, "--reading", "strict")
    assert called.code == 1
    assert "fingerprints differ" in called.out
    assert "read with the default options" in called.out
    strict = ("--reading", "strict", "--words", "left=right,right=left")
    again = call("verify", path, votes, *strict)
    assert again.code == 0
    assert "read with only the options given here:\n- The word" in again.out
    found = json.loads(call("verify", path, votes, "--reading", "strict", "--json").out)
    assert (found["agrees"], found["reading"]["from"]) == (False, "strict")
    assert found["reading"]["options"] == {}


def test_a_quiet_verify_warns_of_another_reading(call, votes, tmp_path):
    path = _swapped(call, votes, tmp_path / "c.json")
    called = call("verify", path, votes, "--quiet")
    assert (called.code, called.out) == (0, "agrees\n")
    assert "read with the options stored in the certificate: The word 'left' means" in called.err
    assert "means right (by default: left)" in called.err


def test_an_honest_certificate_agrees_either_way(call, votes, refused, tmp_path):
    path = tmp_path / "c.json"
    call("front", votes, "-o", path)
    for reading in ("certificate", "strict"):
        called = call("verify", path, votes, "--reading", reading)
        assert called.code == 0
        assert "The votes were read with the default options." in called.out
        assert call("verify", path, votes, "--reading", reading, "--quiet").out == "agrees\n"
    assert "certificate, strict" in refused("verify", path, votes, "--reading", "mine")


def test_rows_left_out_are_in_the_verdict(call, votes, tmp_path):
    path = tmp_path / "c.json"
    with votes.open("a") as log:
        log.write("tea,tea,left,p1,v1\ntea,mud,left,p1,v1\n")
    call("front", votes, "--skip-bad", "--items", "tea,rain,fog,sun", "-o", path)
    called = call("verify", path, votes)
    assert called.code == 0
    for words in (
        "- Rows that are not votes are skipped.",
        "- Only these 4 items count: tea, rain, fog, sun.",
        "note: Skipped 1 bad row ",
        "note: Not counted: 1 row about other items.",
    ):
        assert words in called.out


def test_verify_tells_what_was_changed(call, votes, tmp_path):
    path = tmp_path / "c.json"
    call("front", votes, "-o", path)
    document = json.loads(path.read_text())
    document["front"].append("rain")
    path.write_text(json.dumps(document))
    called = call("verify", path, votes)
    assert called.code == 1
    assert "digest does not match" in called.out
    assert "front" in called.out
    with votes.open("a") as log:
        log.write("tea,rain,left,p1,v1\n")
    grown = call("verify", path, votes)
    assert grown.code == 1
    assert "fingerprints differ" in grown.out


def test_a_table_given_as_decoys_names_the_option_and_the_file(refused, votes):
    said = refused("front", votes, "--decoys", votes)
    assert f"--decoys: {votes} is not a list of decoys, but a JSON file was expected" in said
    assert "the decoys.json that antichain decoys make writes" in said


def test_verify_given_votes_first_says_what_comes_first(refused, call, votes, tmp_path):
    log = _written(tmp_path, '{"left": "a", "right": "b", "winner": "a"}\n' * 2)
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n")
    for first in (votes, log, picture):
        said = refused("verify", first, votes)
        assert "is not a certificate, but a certificate (a file written by antichain front" in said
        assert "was expected first, followed by the votes" in said
    path = tmp_path / "c.json"
    call("front", votes, "-o", path)
    path.write_text(path.read_text()[:100])
    assert "is not valid JSON" in refused("verify", path, votes)  # a certificate that was cut off


@pytest.mark.parametrize(
    "reading", ['"x"', '{"colour": 1}', '{"scores": 3}', '{"meanings": {"a": 1}}']
)
def test_verify_refuses_options_that_are_none(call, refused, votes, tmp_path, reading):
    path = tmp_path / "c.json"
    call("front", votes, "-o", path)
    document = json.loads(path.read_text()) | {"reading": json.loads(reading)}
    path.write_text(json.dumps(document))
    assert "c.json" in refused("verify", path, votes) or "expected" in refused(
        "verify", path, votes
    )


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["Curry", "House", "{}"], "antichain explain 'Curry House' {}"),
        (["Curry", "House"], "antichain explain 'Curry House' FILE"),
        (["The", "Curry", "House", "{}"], "antichain explain 'The Curry House' {}"),
        (["{}", "Curry", "House"], "antichain explain 'Curry House' {}"),
    ],
)
def test_a_name_of_several_words_needs_quotes(refused, votes, words, command):
    said = refused("explain", *(word.format(votes) for word in words))
    assert f"{command.format(votes)} (see" in said


def test_a_file_that_is_missing_is_no_part_of_a_name(refused, votes):
    for missing in ("votes.csv", "folder/votes", "*.csv"):
        said = refused("explain", "tea", missing)
        assert "quotes" not in said
        assert "cannot read" in said or "no file matches" in said


def test_explain_says_why(call, refused, votes):
    assert "rain is out: tea is above it" in call("explain", "rain", votes).out
    assert json.loads(call("explain", "sun", votes, "--json").out)["status"] == "undecided"
    assert call("explain", "tea", votes, "-q").out == "in\n"
    for word in ("rein", "Rain", "ran"):
        assert "log; did you mean 'rain'? (see" in refused("explain", word, votes)
    assert "one of the 4 items was expected, such as" in refused("explain", "Paddington", votes)


def test_bad_options_are_refused_in_a_sentence(refused, votes, tmp_path):
    said = refused("front", votes, "--assume", "weak")
    assert "assume is 'weak', but one of strong, cannot-compare" in said
    clustered = ("--cluster", "prompt", "--assume", "cannot-compare")
    assert "needs every vote to count by itself" in refused("front", votes, *clustered)
    assert "two columns separated by a comma" in refused("front", votes, "--scores", "a")
    assert "half or ignore was expected" in refused("front", votes, "--ties", "maybe")
    assert "--epsilon is 0.5, but" in refused("front", votes, "--epsilon", 0.5).replace("'", "")
    assert "nothing.csv" in refused("front", tmp_path / "nothing.csv")
    assert "not a certificate" in refused("verify", _written(tmp_path, "{}"), votes)


def _written(folder: Path, text: str) -> Path:
    path = folder / "text.json"
    path.write_text(text)
    return path


def test_a_matrix(call, refused, tmp_path):
    path = tmp_path / "m.txt"
    path.write_text("0.5 0.6 0.7\n0.4 0.5 0.6\n0.3 0.4 0.5\n")
    assert "The dominances form an order." in call("matrix", path).out
    exact = json.loads(call("matrix", path, "--json").out)
    assert len(exact["front"]) == 1
    assert exact["is_poset"]
    certified = json.loads(call("matrix", path, "--votes", 2000, "--json").out)
    assert certified["format"] == "antichain-certificate"
    assert certified["front"] == exact["front"]
    words = call("matrix", path, "--votes", 2000).out
    assert "The assumptions in brief (--json gives them in full):" in words
    assert "--report" not in words
    assert call("matrix", path, "-q").out.strip() == exact["front"][0]
    path.write_text("0.5 0.6\n0.6 0.5\n")
    assert "m.txt" in refused("matrix", path)


def test_in_python_any_table_will_do(votes):
    found = front(votes, epsilon=0.1)
    assert found.front == ("tea",)
    import pandas as pd

    assert front(pd.read_csv(votes), epsilon=0.1).fingerprint == found.fingerprint
    rows = [("a", "b", "left")] * 100
    assert front(rows).out["b"].by == "a"
    assert front(iter(rows), cluster=None).votes == 100


@pytest.mark.slow
def test_llmfao(call):
    path = shared_file("llmfao-crowd-comparisons.csv")
    found = json.loads(call("front", path, "--json").out)
    assert (len(found["items"]), found["votes"], found["pairs_seen"]) == (59, 8931, 927)
    assert found["chances"]["GPT 4"] > 0.75  # seeds and processors differ by up to 0.1
    assert "GPT 4" in found["likely_front"]
    # Pooling puts about a dozen out where no single pair can.
    assert 13 <= len(found["out"]) <= 18
    assert all(why["by"] is None and why["pooled"] for why in found["out"].values())
    assert found["front"] == []
    assert found["pairs"]["dominated"] == []
    clustered = json.loads(call("front", path, "--cluster", "prompt", "--json").out)
    assert len(clustered["out"]) < len(found["out"])
    assert re.search("column 'prompt'", " ".join(found["notes"]))


def test_the_chance_of_a_false_claim_about_exact_chances_is_refused(refused, tmp_path):
    path = tmp_path / "m.txt"
    path.write_text("0.5 0.6\n0.4 0.5\n")
    assert "--delta is given, but it needs --votes" in refused("matrix", path, "--delta", 0.1)


def test_arxiv_matrix(call):
    path = shared_file("pref_arxiv.txt")
    found = json.loads(call("matrix", path, "--json").out)
    assert found["front"] == ["item 1"]
    assert found["eps_front"] == ["item 1", "item 2", "item 3", "item 4"]
    assert found["violations"] == [["item 4", "item 5", "item 6"]]
    assert not found["is_poset"]


def test_captions():
    from antichain.certify import certify
    from antichain.votes import votes_from_ratings_counts

    log = votes_from_ratings_counts(shared_file("newyorker-captions-559.csv"), seed=0)
    found = certify(log, likely=False)
    assert len(found.items) == 138
    assert 40 <= len(found.out) <= 90
    assert "I can't believe my eye!" in found.among
    assert verify(found, log) == []


def test_a_name_is_shown_as_it_is(call, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("left,right,winner\n[bold]x[/bold],:smile:,left\n")
    shown = call("front", path).out
    assert "│ [bold]x[/bold] " in shown
    assert "│ :smile: " in shown


def test_the_terminal_names_the_pairs(call, tmp_path):
    path = tmp_path / "votes.csv"
    rows = ["a,b,tie", "a,b (decoy),tie", "b,a (decoy),tie"] * 300
    path.write_text("left,right,winner\n" + "\n".join(rows) + "\n")
    options = ("--decoy-suffix", " (decoy)", "--decoy-gap", 0.1)
    assert "Shown by decoys to be incomparable: a and b\n" in call("front", path, *options).out


# -- few votes ---------------------------------------------------------------------------------


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Eight items in two chains, a round robin by four people: 112 votes."""
    rng = np.random.default_rng(7)
    names = ["oak", "elm", "ash", "fir", "tea", "mate", "cocoa", "chai"]
    rows = ["left,right,winner,voter"]
    for voter in range(4):
        for i, j in itertools.combinations(range(8), 2):
            lead = 0.2 * (j - i) if i // 4 == j // 4 else 0.0
            winner = names[i] if rng.random() < min(0.95, 0.5 + lead) else names[j]
            rows.append(f"{names[i]},{names[j]},{winner},v{voter}")
    path = tmp_path / "few.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_few_votes_get_a_useful_answer_that_is_marked_as_an_estimate(call, few, tmp_path):
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    called = call("front", few, "--report", page, "--markdown", text)
    found = json.loads(call("front", few, "--json").out)
    likely = found["likely_front"]
    assert "oak" in likely
    assert set(likely) < set(found["items"])
    chances = found["chances"]
    assert min(chances["oak"], chances["tea"]) > 0.3 > max(chances["fir"], chances["chai"])
    assert 0.5 < found["expected_f1"] <= 1
    for shown in (called.out, text.read_text()):
        assert "Likely front (a model's estimate, not a guarantee): " in shown
        assert "the chance that it is exactly right is" in shown
    shown = page.read_text()
    assert "Likely front <small" in shown
    assert shown.count("a model&#x27;s estimate") + shown.count("a model's estimate") >= 3
    assert "To beat an item by 0.1 is to win 60% of the votes against it." in called.out
    assert "a model's estimate, not a guarantee" in call("explain", "oak", few).out


def test_too_many_items_are_not_estimated_and_a_note_says_so():
    rows = [(f"i{k}", f"i{k + 1}", "left") for k in range(400)]
    found = front(rows)
    assert found.likely is None
    assert found.to_dict()["chances"] is None
    assert any("not estimated" in note for note in found.notes)


@pytest.mark.slow
def test_clusters_that_depend_on_their_own_answers_are_warned_of(call, tmp_path):
    rng = np.random.default_rng(1)
    rows = ["left,right,winner,voter"]
    for voter in range(400):
        first, *others = rng.permutation(8)[:3].tolist()
        for other in others:  # the winner stays
            winner = first if rng.random() < 1 / (1 + np.exp(first - other)) else other
            rows.append(f"i{first},i{other},i{winner},v{voter}")
            first = winner
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(rows) + "\n")
    page = tmp_path / "page.html"
    called = call("front", path, "--cluster", "voter", "--json", "--report", page)
    assert "dependent clusters" in called.err
    assert any("dependent clusters" in note for note in json.loads(called.out)["notes"])
    assert "dependent clusters" in page.read_text()
    single = call("front", path, "--json")
    assert "dependent clusters" not in single.out + single.err


def test_what_a_study_s_export_says_is_used_unless_told_otherwise(call, tmp_path):
    terms = {"delta": 0.2, "epsilon": 0.15, "assume": ["strong"], "items": ["a", "b", "c"]}
    cell = '"' + json.dumps(terms).replace('"', '""') + '"'
    path = tmp_path / "export.csv"
    rows = [f"a,b,left,me,2026-01-01,,,evidence,{k},{cell if k == 1 else ''}" for k in range(1, 31)]
    head = "left,right,answer,voter,time,reason,decoy,receipt,ask,terms"
    path.write_text("\n".join([head, *rows]) + "\n")
    found = json.loads(call("front", path, "--json").out)
    assert (found["delta"], found["epsilon"], found["assume"]) == (0.2, 0.15, ["strong"])
    assert found["items"] == ["a", "b", "c"]
    assert any("delta 0.2, epsilon 0.15, assume strong" in note for note in found["notes"])
    assert "numbers of their asks" in found["method"]
    given = ("--delta", 0.1, "--epsilon", 0.1, "--assume", "strong,cannot-compare")
    told = json.loads(call("front", path, "--json", *given).out)
    assert (told["delta"], told["epsilon"]) == (0.1, 0.1)
    assert told["assume"] == ["strong", "cannot-compare"]
    assert not any("export says" in note for note in told["notes"])
    certificate = tmp_path / "c.json"
    call("front", path, *given, "-o", certificate)
    assert call("verify", certificate, path).code == 0


def test_items_and_sides_are_restricted_and_verified(call, refused, tmp_path):
    rng = np.random.default_rng(1)
    rows = ["home,away,winner"]
    for _ in range(400):
        home, away = rng.choice(list("abc"), 2, replace=False)
        rows.append(f"{home},{away},{'home' if rng.random() < 0.8 else 'away'}")
    rows += [f"a,rare {k},home" for k in range(9)]
    path, target = tmp_path / "games.csv", tmp_path / "certificate.json"
    path.write_text("\n".join(rows))
    shown = call("front", path).out
    assert "the side matters" in " ".join(shown.split())
    assert "--min-votes" in shown
    found = call("front", path, "--min-votes", 20, "--sides", "home", "-o", target)
    assert found.code == 0
    assert sorted(json.loads(target.read_text())["items"]) == list("abc")
    assert call("verify", target, path).code == 0
    assert call("verify", target, path, "--reading", "strict").code == 1
    assert "does not apply to next" in refused("next", path, "--sides", "home")
    assert "home or away" in refused("front", path, "--sides", "north")


def test_quiet_says_on_stderr_that_nothing_is_in(call, tmp_path):
    log = tmp_path / "few.csv"
    log.write_text("left,right,winner\ntea,rain,left\nrain,fog,left\n")
    called = call("front", log, "-q")
    assert (called.code, called.out) == (0, "")
    assert called.err == "antichain: no item is certified yet: 3 items are undecided\n"
    cycle = tmp_path / "cycle.csv"
    rows = [f"{pair},left" for pair in ("tea,rain", "rain,fog", "fog,tea") for _ in range(400)]
    cycle.write_text("\n".join(["left,right,winner", *rows]))
    called = call("front", cycle, "-q")
    assert called.out == ""
    assert "no item is " in called.err
    matrix = tmp_path / "cycle.txt"
    matrix.write_text("0.5 0.9 0.1\n0.1 0.5 0.9\n0.9 0.1 0.5\n")
    called = call("matrix", matrix, "-q")
    assert (called.code, called.out) == (0, "")
    assert called.err == "antichain: the front is empty: each item is beaten by another\n"
    two = tmp_path / "two.txt"
    two.write_text("0.5 0.9\n0.1 0.5\n")
    assert "2 items; 1 pair, 1 with a winner" in call("matrix", two).out


def test_arguments_in_the_wrong_order_are_told_the_right_one(refused, tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\na,b,left\n")
    assert f"antichain explain a {votes}" in refused("explain", votes, "a")
    assert f"antichain front {votes}" in refused(votes)
