"""The owner's overview: which lines its diagram has."""

from __future__ import annotations

from antichain.serve._overview import _beliefs, _without_cycles
from antichain.study._state import StudyState
from tests.serve.test_desk import Table, a_desk


def test_a_line_that_closes_a_circle_is_left_out() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "a"), ("a", "d")]
    assert _without_cycles(pairs, ["a", "b", "c", "d"]) == [pairs[k] for k in (0, 1, 3, 5)]


def test_lines_are_likely_where_one_beats_the_other_by_more_than_epsilon() -> None:
    table = Table(a_desk())
    for k in range(120):
        (ask,) = table.ask(f"voter {k % 5}")
        first = "left" if ask["left"] < ask["right"] else "right"
        # "a" is preferred to the others, nobody can compare "c" and "d", and "b" ties with both.
        word = {"a": first, "b": "tie", "c": "incomparable"}[min(ask["left"], ask["right"])]
        table.answer(ask, word)
    state = StudyState(table.desk.settings, history=False)
    state.extend(table.records)
    found = _beliefs(state, 0.1)
    assert {upper for upper, _ in found} == {"a"}
    assert all(0.9 <= chance <= 1.0 for chance in found.values())
    assert len(_beliefs(state, 0.45)) < len(found)
