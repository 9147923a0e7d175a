"""Certificates of votes whose order is known, case by case."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from antichain.certify import certify
from antichain.certify._verification import verify
from antichain.referee import Referee, Terms
from antichain.referee._standing import CANNOT, GIVEN_UP, LOSS, NOTHING, TIE, WIN
from antichain.votes import read_votes
from antichain.votes._vote_log import AskedVotes, Meanings, VoteLog

CASES = {
    "plain": Terms(0.6, 0.3),
    "strong": Terms(0.6, 0.3, ("strong",)),
    "cannot compare": Terms(0.6, 0.3, ("cannot-compare",)),
    "decoys": Terms(0.6, 0.3, decoy_gap=0.3),
    "all of it": Terms(0.6, 0.3, ("strong", "cannot-compare"), 0.3),
}


def answers(seed: int, size: int, number: int, terms: Terms) -> np.ndarray:
    """Rows first, second, what is said, decoy: a ladder in steps, with everything that may be."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(number):
        i, j = rng.choice(size, 2, replace=False)
        decoy = terms.decoy_gap is not None and rng.random() < 0.4
        ahead = 0.5 if decoy else np.clip(0.5 + 0.3 * (j // 2 - i // 2), 0.05, 0.95)
        said = WIN if rng.random() < ahead else LOSS
        said = rng.choice([said, TIE, CANNOT, GIVEN_UP, NOTHING], p=[0.8, 0.08, 0.08, 0.02, 0.02])
        if i // 2 == j // 2 and terms.cannot_compare and rng.random() < 0.7:
            said = CANNOT
        rows.append((i, j, said, int(decoy)))
    return np.array(rows)


FORMS = {WIN: 0, LOSS: 1, TIE: 2, CANNOT: 4, GIVEN_UP: 6, NOTHING: 5}


def log_of(rows: np.ndarray, size: int, **known) -> VoteLog:
    """The log of these answers, in the order of their rows; nothing of it is in its counts."""
    names = tuple(f"item {k}" for k in range(size))
    first, second, said, decoy = rows.T
    forms = np.array([FORMS[int(value)] for value in said])
    words = ("left", "right", "tie", "both_bad", "incomparable", "skipped")
    votes = [
        (names[i], names[j], words[form])
        for i, j, form, d in zip(first, second, forms, decoy, strict=True)
        if form < 6 and not d
    ]
    turned = (first > second) & (decoy == 0)
    asks = AskedVotes(
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned & (forms < 2), 1 - forms, forms),
        decoy,
        "rows",
    )
    log = VoteLog.from_rows(votes, names, history=False)
    return replace(log, asks=asks, **known)


@pytest.mark.parametrize("name", ["plain", "strong", "cannot compare"])
def test_a_certificate_has_the_verdicts_of_the_referee(name):
    terms = CASES[name]
    for seed in range(6):
        rows = answers(seed, 6, 400, terms)
        referee = Referee(6, terms)
        referee.read(*rows.T)
        found = certify(log_of(rows, 6), 0.6, 0.3, assume=terms.assume, likely=False)
        assert set(found.front) == {f"item {k}" for k in np.flatnonzero(referee.inside)}
        grouped = {item for group in found.groups for item in group.items}
        assert set(found.out) | grouped == {f"item {k}" for k in np.flatnonzero(referee.out)}
        assert found.epsilon_others == terms.epsilon_others
        for why in (*found.out.values(), *found.inside.values(), *found.pairs.dominated):
            assert why.log_evidence >= -np.log(why.level) - 1e-9
        assert verify(found, log_of(rows, 6)) == []


def test_what_was_shown_once_stays_shown():
    terms = CASES["plain"]
    seen = 0
    for seed in range(4):
        rows = answers(seed, 5, 300, terms)
        before = None
        for n in range(20, 301, 20):
            found = certify(log_of(rows[:n], 5), 0.6, 0.3, likely=False)
            pairs = [
                {claim[:2] for claim in claims}
                for claims in (found.pairs.dominated, found.pairs.indistinguishable)
            ]
            now = (set(found.front), set(found.out), *pairs)
            if before is not None and not found.groups:
                assert all(was <= is_ for was, is_ in zip(before, now, strict=True))
            before = now
        seen += sum(map(len, before))
    assert seen > 10


@pytest.mark.slow
def test_the_order_of_the_items_changes_nothing():
    rows = answers(1, 6, 400, CASES["plain"])
    order = [3, 1, 5, 0, 2, 4]
    one = certify(log_of(rows, 6), 0.6, 0.3)
    moved = log_of(rows, 6)
    place = np.argsort(order)
    ends = [place[part] for part in (moved.asks.first, moved.asks.second)]
    turned = ends[0] > ends[1]
    form = moved.asks.form
    asks = AskedVotes(
        np.minimum(*ends),
        np.maximum(*ends),
        np.where(turned & (form < 2), 1 - form, form),
        moved.asks.decoy,
        "rows",
    )
    names = tuple(moved.items[k] for k in order)
    pairs = [
        (moved.items[i], moved.items[j], *counts)
        for i, j, counts in zip(
            moved.pairs.first, moved.pairs.second, moved.pairs.table.tolist(), strict=True
        )
    ]
    moved = replace(VoteLog.from_counts(pairs, names), asks=asks)
    assert verify(one, moved) == []
    assert certify(moved, 0.6, 0.3).likely == one.likely


def test_votes_in_the_order_of_their_wins_are_not_read_in_it():
    rows = [("a", "b", "left")] * 60 + [("a", "b", "right")] * 60
    assert certify(VoteLog.from_rows(rows), likely=False).out == {}
    ordered = VoteLog.from_rows(rows, ordered=True)
    assert certify(ordered, likely=False).out["b"].by == "a"


def test_given_up_asks_count_against_every_claim():
    won = [("a", "b", "left")] * 40
    assert certify(VoteLog.from_rows(won, ordered=True), likely=False).front == ("a",)
    lost = [row for vote in won for row in (vote, ("a", "b", "given_up"))]
    found = certify(VoteLog.from_rows(lost, ordered=True), likely=False)
    assert not found.out
    assert found.front == ()


def test_what_is_said_of_skipped_answers_is_said_once():
    rows = [(ask, "a", "b", "skipped" if ask % 3 else "left") for ask in range(1, 31)]
    lines = ["ask,left,right,answer", *(",".join(map(str, row)) for row in rows)]
    log = read_votes(io.StringIO("\n".join(lines)))
    said = certify(log, likely=False).assumptions
    (answers,) = (text for text in said if text.startswith("Answers without a winner"))
    assert any(text.startswith("Asks that were given up or skipped count against") for text in said)
    assert "skipped, against every claim" in answers
    assert "no evidence" not in answers
    assert "harmless" not in answers
    unordered = certify(VoteLog.from_rows([row[1:] for row in rows]), likely=False).assumptions
    assert any("skipped, no evidence. Leaving answers out" in text for text in unordered)


def test_method_and_promise_say_how():
    rows = [("a", "b", "left")] * 60
    loose, ordered = VoteLog.from_rows(rows), VoteLog.from_rows(rows, ordered=True)
    assert "The order of the votes is not used" in certify(loose, likely=False).method
    found = certify(ordered, likely=False)
    assert "in the order of the rows" in found.method
    assert "by more than 0.1, and no item at all by more than 0.3" in found.promise
    assert (found.epsilon, found.epsilon_others) == (0.1, 0.3)
    assert certify(loose, likely=False).epsilon_others == 0.1


def test_ties_that_are_ignored_say_nothing_in_order():
    rows = [("a", "b", "tie")] * 500
    half = VoteLog.from_rows(rows, ordered=True)
    ignored = VoteLog.from_rows(rows, ordered=True, meanings=Meanings(tie="ignore"))
    assert certify(half, likely=False).front == ("a", "b")
    assert certify(ignored, likely=False).front == ()
