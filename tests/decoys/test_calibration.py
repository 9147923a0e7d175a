"""What votes show of decoys: flags, levels, the Δ to use, and how many votes it takes."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain._intervals import proportion_interval
from antichain.decoys import check_decoys, plan_calibration
from antichain.errors import InputError, ParameterError
from antichain.evidence import mean_score_interval
from antichain.evidence._answers import Answer
from antichain.votes import read_votes

DECOYS = {"a": "a'", "b": "b'"}


def _votes(left: str, right: str, wins: int, losses: int, ties: int = 0):
    return (
        [(left, right, "left")] * wins
        + [(right, left, "left")] * losses  # either side may be shown first
        + [(left, right, "tie")] * ties
    )


class TestFlags:
    """Of an item against its own decoy, and against decoys of what it is incomparable to."""

    @pytest.mark.parametrize(
        ("wins", "losses", "flag"),
        [(900, 100, "ok"), (520, 480, "too weak"), (0, 1000, "too weak"), (60, 40, "not shown"),
         (0, 0, "not shown")],
    )  # fmt: skip
    def test_own_decoys(self, wins: int, losses: int, flag: str) -> None:
        report = check_decoys(_votes("a", "a'", wins, losses), {"a": "a'"}, 0.2)
        assert report.own[0].flag == flag
        assert report.ok is (flag == "ok")

    @pytest.mark.parametrize(
        ("wins", "losses", "flag"),
        [(900, 100, "too strong"), (500, 500, "ok"), (100, 900, "wins"), (5, 5, "not shown")],
    )
    def test_decoys_of_incomparable_items(self, wins: int, losses: int, flag: str) -> None:
        votes = _votes("b", "a'", wins, losses) + _votes("a", "a'", 900, 100)
        report = check_decoys(votes, {"a": "a'"}, 0.2, incomparable=[("a", "b")])
        (check,) = report.incomparable
        assert (check.item, check.original, check.decoy, check.flag) == ("b", "a", "a'", flag)
        assert report.ok is (flag == "ok")

    def test_both_ways_where_both_have_decoys(self) -> None:
        report = check_decoys([], DECOYS, 0.2, incomparable=[("a", "b"), ("b", "a")])
        assert {(check.item, check.decoy) for check in report.incomparable} == {
            ("b", "a'"),
            ("a", "b'"),
        }
        assert report.level == 0.05 / 4

    @given(*[st.integers(0, 60)] * 3, st.floats(0.01, 0.4))
    def test_flags_are_what_the_intervals_say(self, wins, losses, ties, gap) -> None:
        votes = _votes("a", "a'", wins, losses, ties) + _votes("b", "a'", losses, wins, ties)
        report = check_decoys(votes, {"a": "a'"}, gap, delta=0.1, incomparable=[("a", "b")])
        low, high = mean_score_interval(wins, losses, ties, 0.05)
        (own,), (other,) = report.own, report.incomparable
        assert (own.low, own.high) == (low - 0.5, high - 0.5)
        assert (own.flag == "ok") is (low - 0.5 >= gap)
        assert (own.flag == "too weak") is (high - 0.5 < gap)
        # The other check has the mirrored votes.
        assert (other.flag == "too strong") is (1 - high > 0.5)
        assert (other.flag == "wins") is (1 - low < 0.5)

    def test_every_answer_has_its_meaning(self) -> None:
        words = ("left", "a", "Right", "a'", "tie", "both bad", "incomparable", "skipped", *Answer)
        votes = [("a", "a'", word) for word in words]
        (check,) = check_decoys(votes, {"a": "a'"}, 0.2).own
        assert check.tally == (3, 3, 3, 2, 2)
        assert (check.votes, check.gap) == (11, 0)

    def test_rows_tables_files_and_logs_are_read_alike(self, tmp_path) -> None:
        rows = _votes("a", "a'", 9, 4, 2)
        path = tmp_path / "votes.csv"
        path.write_text("left,right,winner\n" + "".join(f"{','.join(row)}\n" for row in rows))
        table = [dict(zip(("left", "right", "winner"), row, strict=True)) for row in rows]
        found = [
            check_decoys(votes, {" a": "a' "}, 0.2).own[0].tally
            for votes in (rows, iter(rows), path, str(path), table, read_votes(path))
        ]
        assert found == [(9, 4, 2, 0, 0)] * len(found)

    def test_other_votes_are_counted_and_said(self) -> None:
        votes = [("a", "b", "left"), ("a", "b'", "left"), ("a", "a'", "left")]
        report = check_decoys(votes, DECOYS, 0.2)
        assert (report.votes, report.unused) == (3, 2)


class TestSuggestion:
    """The largest Δ below all gaps."""

    def test_it_is_the_least_lower_limit_at_the_whole_level(self) -> None:
        votes = _votes("a", "a'", 900, 100) + _votes("b", "b'", 800, 200)
        report = check_decoys(votes, DECOYS, 0.1, delta=0.05)
        low, _ = mean_score_interval(800, 200, 0, 0.05)
        assert report.suggested_gap == low - 0.5
        assert report.suggested_by == "b"
        assert min(check.low for check in report.own) < report.suggested_gap

    def test_none_where_an_item_has_no_votes(self) -> None:
        report = check_decoys(_votes("a", "a'", 900, 100), DECOYS, 0.1)
        assert report.suggested_gap is None
        assert report.suggested_by == "b"

    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.slow
    def test_it_is_too_large_in_at_most_delta_of_studies_whenever_one_looks(self, count) -> None:
        rng = np.random.default_rng(2026)
        delta, gap, runs = 0.2, 0.1, 150
        looks = [10, 20, 40, 80, 160, 320, 640]
        decoys = {f"i{k}": f"d{k}" for k in range(count)}
        wrong = 0
        for _ in range(runs):
            wins = rng.random((looks[-1], count)) < 0.5 + gap
            for look in looks:
                won = wins[:look].sum(axis=0).tolist()
                votes = [
                    vote
                    for k, (item, decoy) in enumerate(decoys.items())
                    for vote in _votes(item, decoy, won[k], look - won[k])
                ]
                report = check_decoys(votes, decoys, gap, delta=delta, tuned_for=100)
                if report.suggested_gap is not None and report.suggested_gap > gap:
                    wrong += 1
                    break
        low = proportion_interval(wrong, runs, 0.98).low
        assert low is not None
        assert low < delta
        if count == 1:
            assert wrong > 0, "limits that never fail are not limits at this level"


class TestPlan:
    """How many votes it takes."""

    @given(st.integers(1, 50), st.floats(0.02, 0.3), st.floats(0.001, 0.3), st.integers(0, 5))
    def test_so_many_votes_are_enough_and_fewer_are_not(self, items, precision, delta, pairs):
        plan = plan_calibration(items, precision, delta=delta, incomparable=pairs)
        assert plan.pairs == items + 2 * pairs
        assert plan.votes == plan.pairs * plan.votes_per_pair
        n = plan.votes_per_pair

        def reach(votes: int) -> float:
            low, high = mean_score_interval(0, 0, votes, delta / plan.pairs, votes)
            return (high - low) / 2

        assert reach(n) <= precision + 1e-12
        assert n == 1 or reach(n - 1) > precision

    @pytest.mark.parametrize(
        "options", [{"items": 0}, {"precision": 0}, {"delta": 1}, {"incomparable": -1}]
    )
    def test_bad_numbers_are_refused(self, options) -> None:
        with pytest.raises(ParameterError):
            plan_calibration(**({"items": 3, "precision": 0.1} | options))


def test_the_report_in_words() -> None:
    votes = _votes("a", "a'", 900, 10) + _votes("b", "a'", 5, 5) + _votes("a", "b", 3, 0)
    report = check_decoys(votes, {"a": "a'"}, 0.2, incomparable=[("a", "b")])
    title, *facts, sure = str(report).splitlines()
    assert title == "Decoys of 1 item, checked at Δ = 0.2: not all pass"
    assert [line.split(maxsplit=1)[0] for line in facts] == ["ok", "not", "suggested", "votes"]
    assert facts[0].endswith("1: a")
    assert facts[1].endswith("1: b against a'")
    assert "(limited by a)" in facts[2]
    assert facts[3].endswith("923 (3 of them on other pairs)")
    assert sure.startswith("With probability at least 0.95, all flags are right")
    assert repr(report) == "DecoyReport(1 of 2 checks ok, decoy_gap=0.2, delta=0.05)"
    assert "<td" in report._repr_html_()
    young = check_decoys([], {"a": "a'"}, 0.2)
    assert "none yet: a is not shown to beat its decoy" in str(young)


def test_the_report_as_json() -> None:
    votes = _votes("a", "a'", 90, 10) + _votes("b", "a'", 5, 5)
    report = check_decoys(votes, {"a": "a'"}, 0.2, incomparable=[("a", "b")])
    record = json.loads(json.dumps(report.to_dict()))
    assert record["own"][0]["tally"]["left"] == 90
    assert record["own"][0]["votes"] == 100
    assert record["incomparable"][0]["original"] == "a"
    assert record["ok"] is False
    assert math.isclose(record["level"], 0.025)


@pytest.mark.parametrize(
    ("votes", "words"),
    [
        ([("a", "a'", "left"), ("a", "a", "left")], "row 2 pits 'a' against itself"),
        ([("a", "a'", "c")], "row 1 has 'c' in 'winner'"),
        ([("a", "a'", "")], "1 without an answer"),
        (
            [("left", "right", "left"), ("right", "left", "left")],
            "row 2 has 'left' in 'winner', but an answer that can mean only one",
        ),
        ([("", "a'", "left")], "row 1 has nothing in 'left'"),
        ([("a", "a'")], "row 1 is"),
        ([("a", [3], "left")], "row 1 has a value of the type list"),
        ([5], "row 1 is 5"),
        ("no such file.csv", "cannot read"),
    ],
)
def test_bad_votes_are_refused(votes, words) -> None:
    with pytest.raises(InputError, match=words):
        check_decoys(votes, {"a": "a'"}, 0.2)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("a", "a")], "pair 1 has 'a' and itself"),
        ([("c", "d")], "pair 1 .* with a decoy"),
        ([("a",)], "pair 1 is"),
    ],
)
def test_bad_pairs_are_refused(pairs, words) -> None:
    with pytest.raises(InputError, match=words):
        check_decoys([], DECOYS, 0.2, incomparable=pairs)


def test_bad_levels_and_decoys_are_refused() -> None:
    for gap, delta in product((0.2, 0.5), (0.05, 1.0)):
        if (gap, delta) != (0.2, 0.05):
            with pytest.raises(ParameterError):
                check_decoys([], DECOYS, gap, delta=delta)
    with pytest.raises(InputError, match="no decoys"):
        check_decoys([], {}, 0.2)
    with pytest.raises(InputError, match="which is an item"):
        check_decoys([], {"a": "b", "b": "c"}, 0.2)
