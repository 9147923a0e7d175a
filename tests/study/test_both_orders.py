"""A judge by code that is asked in both orders."""

from __future__ import annotations

import pytest

import antichain as ac
from antichain.errors import ParameterError
from antichain.study import Study, judge
from antichain.study._judge_calls import _in_both

ITEMS = ("ale", "bun", "cod")


def asked(judgment, **options) -> tuple[Study, list[tuple[str, str]]]:
    """The study after a judge was asked in both orders, and what the judge was shown."""
    calls = []

    def called(left: str, right: str):
        calls.append((left, right))
        return judgment(left, right)

    study = Study.in_memory(ITEMS)
    judge(study, called, both_orders=True, concurrency=1, retries=0, **options)
    return study, calls


def test_a_judge_that_sees_sides_only_finds_ties() -> None:
    study, calls = asked(lambda left, right: "left", max_votes=30)
    assert calls[::2] == [(right, left) for left, right in calls[1::2]]
    assert len(calls) == 60
    assert {str(vote.answer) for vote in study.votes()} == {"tie"}
    bias = study.certificate(likely=False).side_bias
    assert bias is not None
    assert (bias.judgments, bias.first, bias.changed) == (30, 1.0, 30)
    assert bias.low > 0.7


def test_a_judge_that_says_the_same_in_both_orders_is_believed() -> None:
    study, calls = asked(lambda left, right: "left" if left < right else "right")
    assert study.certificate(likely=False).front == ("ale",)
    bias = study.certificate(likely=False).side_bias
    assert bias is not None
    assert (bias.judgments, bias.first, bias.changed) == (len(calls) // 2, 0.5, 0)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("left", "right", "left"),
        ("right", "left", "right"),
        ("left", "left", "tie"),
        ("left", "tie", "tie"),
        ("tie", "tie", "tie"),
        ("incomparable", "incomparable", "incomparable"),
        ("incomparable", "left", "tie"),
        ("skipped", "left", "skipped"),
    ],
)
def test_what_both_orders_say_counts(first: str, second: str, both: str) -> None:
    assert _in_both(ac.Answer(first), ac.Answer(second)) is ac.Answer(both)


def test_half_a_judgment_is_given_up_and_paid() -> None:
    turns = iter(range(1000))

    def failing(left: str, right: str) -> tuple[str, float]:
        if next(turns) % 4 == 3:  # the second half of every other duel
            raise ValueError("no")
        return "left", 0.5

    study, _ = asked(failing, max_votes=4)
    assert study.progress.answers == 4
    assert study.result().lost >= 3
    # Nobody knows what a failing call cost: it is booked at the price of a whole duel.
    assert study.progress.cost == pytest.approx(4 * 1.0 + study.result().lost * (0.5 + 1.0))


def test_a_budget_knows_that_a_duel_is_two_calls() -> None:
    _, calls = asked(lambda left, right: ("tie", 0.1), max_cost=1.05, expected_cost=0.1)
    assert len(calls) == 10


def test_both_orders_is_yes_or_no() -> None:
    with pytest.raises(ParameterError, match="both_orders is 'yes'"):
        judge(ITEMS, lambda left, right: "tie", both_orders="yes")
