"""What the votes say about the assumptions, and sides that are balanced."""

import io
import re

import numpy as np
import pytest

import antichain as ac
from antichain.certify._log_checks import checks_on, most_for_well_voted, well_voted
from antichain.certify._reading import front, read_log
from antichain.certify._sides import balanced
from antichain.errors import InputError, ParameterError
from antichain.votes import read_votes


def home_games(advantage, games=4000, seed=1, drift=0.0):
    """Eight teams that are all even, but the left one wins by so much more."""
    rng = np.random.default_rng(seed)
    rows = []
    for game in range(games):
        home, away = rng.choice(8, 2, replace=False)
        chance = 0.5 + advantage + (drift if (home < away) == (game * 2 < games) else -drift)
        won = rng.random() < chance
        rows.append({"home": f"t{home}", "away": f"t{away}", "winner": "home" if won else "away"})
    return rows


def check(rows, name, **options):
    return {found.name: found for found in checks_on(read_votes(rows, **options))}.get(name)


def test_sides_that_matter_are_told_with_an_interval_and_the_way_out():
    found = check(home_games(0.15), "sides")
    assert found.alarm
    assert "--sides home" in found.finding
    low, high = map(float, re.findall(r"(\d+\.\d)%", found.finding))
    assert low < 65 < high
    assert high - low < 5


def test_a_study_drew_its_sides_and_has_no_options_of_reading():
    with ac.Study.in_memory(["ale", "beer", "cider", "mead"]) as study:
        for _ in range(150):
            for ask in study.ask(2):
                study.tell(ask, "left")
        exported = ac.front(io.StringIO(study.votes_csv()))
        for found in (study.certificate(), exported):
            (alarm,) = found.alarms
            assert alarm.endswith("drew sides at random, so the verdicts hold all the same.")
            assert "sides=" not in alarm


def test_sides_that_do_not_matter_raise_no_alarm():
    alarms = [check(home_games(0.0, 400, seed), "sides").alarm for seed in range(60)]
    assert not any(alarms)


def test_a_side_is_told_from_the_items_on_it():
    # The better item always stands on the left: that says nothing about sides.
    rows = [{"left": "good", "right": f"bad {k % 5}", "winner": "left"} for k in range(300)]
    found = check(rows, "sides")
    assert not found.alarm
    assert "cannot be told apart from that of the items" in found.finding
    losers = [{"winner": "a", "loser": "b"}] * 50
    assert check(losers, "sides") is None


def test_drift_is_told():
    assert check(home_games(0.0, drift=0.2), "drift").alarm
    quiet = [check(home_games(0.0, 600, seed), "drift").alarm for seed in range(40)]
    assert not any(quiet)


def test_tallies_and_criteria_in_turn_are_no_drift(tmp_path):
    votes = [("tea", "ale", 300), ("ale", "tea", 100)]
    tallies = [{"left": x, "right": y, "winner": x, "votes": n} for x, y, n in votes]
    assert check(tallies, "drift", count="votes") is None
    singly = [row | {"votes": 1} for row in tallies for _ in range(row["votes"])]
    assert check(singly, "drift", count="votes").alarm  # one row per vote, and they do differ
    soft = [{"left": "tea", "right": "ale", "winner": "tea", "on": "looks"}] * 60
    hard = [{"left": "tea", "right": "ale", "winner": "ale", "on": "price"}] * 60
    assert check(soft + hard, "drift", criterion="on") is None
    ballots = tmp_path / "two.soc"
    ballots.write_text("# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: ale\n300: 1,2\n100: 2,1\n")
    assert check(ballots, "drift") is None


def test_voters_are_counted_and_what_clusters_would_change_is_told(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "votes.csv"
    lines = ["left,right,winner,who"]
    for voter in range(12):  # each voter says one thing, ten times
        lines += [f"a,b,{'a' if rng.random() < 0.8 else 'b'},v{voter}"] * 10
    path.write_text("\n".join(lines))
    found = {check.name: check for check in front(path, voter="who").checks}
    assert "12 voters, with a median of 10 votes and at most 10" in found["voters"].finding
    assert "108 votes repeat" in found["repeated votes"].finding
    assert found["voters as clusters"].alarm
    assert "--cluster who" in found["voters as clusters"].finding


def test_balanced_sides_hold_what_a_side_gains_against_nobody(tmp_path):
    # The favourite is at home three times in four: unbalanced, its opponents seem to be out.
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(2000):
        home, away = ("a", "b") if rng.random() < 0.75 else ("b", "a")
        rows.append(
            {"home": home, "away": away, "winner": "home" if rng.random() < 0.7 else "away"}
        )
    assert set(front(rows).out) == {"b"}
    found = front(rows, sides="home")
    assert found.out == {}
    assert found.clusters[0] == "two-sided vote"
    assert found.records["a"].share == pytest.approx(0.5, abs=0.05)
    assert any("any advantage of a side cancels out" in text for text in found.assumptions)
    log = read_votes(rows)
    assert balanced(log, "left").votes <= log.votes
    assert balanced(log, "Away").fingerprint == balanced(log, "home").fingerprint


def test_bad_sides_get_a_sentence():
    rows = [{"home": "a", "away": "b", "winner": "home", "who": "x"}]
    with pytest.raises(ParameterError, match="one of the log's sides was expected: home or away"):
        front(rows, sides="north")
    with pytest.raises(ParameterError, match="cannot be used together"):
        front(rows, sides="home", cluster="who")
    with pytest.raises(InputError, match="does not say which item was on which side"):
        front([{"winner": "a", "loser": "b"}], sides="home")


def test_each_item_that_is_kept_has_its_votes_among_those_kept():
    rows = [("a", "b", "left")] * 6 + [("b", "c", "left")] * 4 + [("c", "d", "left")] * 2
    log = read_votes(rows)
    assert well_voted(log, 4) == ("a", "b", "c")
    assert well_voted(log, 5) == ("a", "b")
    assert well_voted(log, 7) == ()
    assert most_for_well_voted(log) == 6
    assert read_log(rows, {}).items == ("a", "b", "c", "d")


def test_sides_are_not_balanced_where_rows_are_more_than_one_vote():
    rows = [dict(row, about="speed" if k % 2 else "looks") for k, row in enumerate(home_games(0.2))]
    with pytest.raises(ParameterError, match=r"has criteria, and sides can be balanced only where"):
        read_log(rows, {"criterion": "about", "sides": "home"})
    scored = [{"left": "a", "right": "b", "score": k / 10} for k in range(11)]
    with pytest.raises(ParameterError, match=r"has scores, or judgments in both orders"):
        read_log(scored, {"score": "score", "sides": "left"})
