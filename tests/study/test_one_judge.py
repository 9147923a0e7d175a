"""A study without an algorithm of its own is judged by its certificate, as `front` judges votes."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import antichain as ac
from antichain.study import Study

from .world import ITEMS, ticking

QUICK = ac.Certifying(delta=0.2, epsilon=0.3)


def exported(study: Study) -> ac.Certificate:
    return ac.front(io.StringIO(study.votes_csv()), likely=False)


def check_the_same(study: Study) -> None:
    """The study, its certificate and `front` on its export say the same of every item."""
    certificate, result = exported(study), study.result()
    mine = replace(study.certificate(likely=False), source=certificate.source)
    assert mine.to_dict() == certificate.to_dict()
    assert study.finished == (not certificate.undecided)
    alive = {item for item in study.items if certificate.status(item) != "out"}
    assert study.progress.alive == len(alive)
    if study.finished:
        assert set(result.front) == set(certificate.front)
    else:
        assert not result.certified
    counted = [vote for vote in study.votes() if vote.receipt == "evidence"]
    assert certificate.votes == len(counted) == study.progress.answers - study.progress.spare


def answer(rng: random.Random, ask: ac.StudyAsk) -> str:
    if rng.random() < 0.2:
        return rng.choice(["left", "right", "tie", "incomparable"])
    return "left" if ask.left < ask.right else "right"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("at_once", [1, 7])
def test_whatever_happens_it_says_what_front_says(tmp_path: Path, seed: int, at_once: int) -> None:
    """Several voters, late and doubled answers, skips, expiry, undo, reopening."""
    rng, path = random.Random(seed), tmp_path / "s.duels"
    study = Study.open(path, ITEMS, QUICK, seed=seed, now=ticking())
    for turn in range(400):
        if study.finished:
            break
        out = list(study.outstanding)
        if len(out) < at_once:
            out += study.ask(at_once - len(out))
        ask, luck = rng.choice(out), rng.random()
        if luck < 0.05:
            study.expire(ask)
        elif luck < 0.1:
            study.tell(ask, "skipped", voter="ann")
        else:
            voter = rng.choice(["ann", "bob", None])
            study.tell(ask, answer(rng, ask), voter=voter)
            if luck < 0.2:
                study.tell(ask, "left", voter="late")  # spare
            elif luck < 0.25:
                study.undo(voter=voter)
        if turn % 8 == 1 and any(vote.answer != "skipped" for vote in study.votes()):
            check_the_same(study)
        if turn % 50 == 49:
            study.close()
            study = Study.open(path, now=ticking())
    study.close()
    assert study.finished
    check_the_same(study)
    read = Study.read(path)
    assert read.votes_csv() == study.votes_csv()
    check_the_same(read)


def test_a_kill_changes_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "s.duels"
    program = (
        "import os, sys, antichain as ac\n"
        "study = ac.Study.open(sys.argv[1], ['ale', 'beer', 'cider'],"
        " ac.Certifying(delta=0.2, epsilon=0.3), now=lambda: 1e6)\n"
        "for ask in study.ask(5) + study.ask(4):\n"
        "    if ask.id != 3:\n"
        "        study.tell(ask, 'left' if ask.left < ask.right else 'right')\n"
        "os._exit(9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert killed.returncode == 9
    with Study.open(path, now=ticking()) as study:
        assert (study.progress.answers, len(study.outstanding)) == (8, 1)
        check_the_same(study)
        assert exported(study).notes != ()
        while not study.finished:
            for ask in study.outstanding or study.ask(3):
                study.tell(ask, "left" if ask.left < ask.right else "right")
        assert study.result().front == ("ale",)
        check_the_same(study)


def test_answers_behind_an_open_ask_wait() -> None:
    """Quick answers may differ from slow ones, so they are read in the order of the asks."""
    study = Study.in_memory(["ale", "beer"], QUICK)
    asks = study.ask(30)
    assert len(asks) > 4
    for ask in asks[1:]:
        study.tell(ask, "left" if ask.left == "ale" else "right")
    assert study.progress.alive == 2
    before = exported(study)
    assert before.undecided
    assert any("wait" in note for note in before.notes)
    study.tell(asks[0], "left" if asks[0].left == "ale" else "right")
    check_the_same(study)


def test_no_vote_of_a_single_voter_is_spare() -> None:
    rng, study = random.Random(2), Study.in_memory(ITEMS)
    while not study.finished:
        (ask,) = study.ask(1)
        receipt = study.tell(ask, answer(rng, ask))
        assert receipt is ac.Receipt.EVIDENCE
    assert study.progress.spare == 0
    assert exported(study).votes == study.progress.answers
    check_the_same(study)


def test_nothing_is_asked_once_it_is_finished_and_what_comes_then_is_spare() -> None:
    study = Study.in_memory(["ale", "beer"], QUICK)
    out = []
    while not study.finished:
        out = study.ask(10) or out
        for ask in out:
            if not study.finished:
                study.tell(ask, "left" if ask.left == "ale" else "right")
    assert study.ask(5) == []
    last = [ask for ask in out if ask.id > study.progress.answers]
    for ask in last:
        assert study.tell(ask, "left") is ac.Receipt.SPARE
    check_the_same(study)


def test_an_answer_that_was_taken_back_is_an_ask_given_up_and_asked_anew(tmp_path: Path) -> None:
    """It may have been taken back for what it said, so that it counts against every claim."""
    path = tmp_path / "s.duels"
    with Study.open(path, ITEMS, QUICK, now=ticking()) as study:
        asks = study.ask(4)
        for ask in asks:
            study.tell(ask, "left", voter="ann" if ask is asks[1] else "bob")
        study.tell(asks[1], "right", voter="late")  # spare, and stays so
        assert study.undo(voter="ann") == asks[1]
        assert study.outstanding == (asks[1],)
        study.tell(asks[1], "right", voter="ann")
        (new,) = study.ask(1)
        study.tell(new, "left", voter="bob")
        table = study.votes_csv()
        rows = [line.split(",") for line in table.splitlines()[1:]]
        assert [(row[0], row[3], row[4], row[8]) for row in rows if row[8] == "evidence"] == [
            ("1", "left", "bob", "evidence"),
            ("2", "given up", "", "evidence"),
            ("3", "left", "bob", "evidence"),
            ("4", "left", "bob", "evidence"),
            ("5", "right", "ann", "evidence"),
            ("6", "left", "bob", "evidence"),
        ]
        assert [row[4] for row in rows if row[8] == "spare"] == ["late"]
        assert (study.progress.undone, study.progress.expired) == (1, 0)
        check_the_same(study)
        study.undo(voter="ann")  # and then nobody answers
        study.expire(asks[1])
        assert (study.progress.undone, study.progress.expired) == (2, 1)
        check_the_same(study)
        table = study.votes_csv()
    assert Study.read(path).votes_csv() == table
    assert table.count("given up") == 3


@pytest.mark.parametrize("criteria", [None, ("taste", "look")])
def test_what_is_given_up_or_taken_back_spends_no_budget(criteria: tuple[str, ...] | None) -> None:
    study = Study.in_memory(ITEMS, budget=8, criteria=criteria)
    study.expire(study.ask(1)[0])
    study.tell(study.ask(1)[0], "left", voter="ann")
    study.tell(study.undo(voter="ann"), "right", voter="ann")
    while not study.finished:
        (ask,) = study.ask(1)
        study.tell(ask, "tie")
    assert study.progress.answers == 8


def test_an_undo_is_said_on_the_certificate() -> None:
    study = Study.in_memory(ITEMS, QUICK)
    for ask in study.ask(6):
        study.tell(ask, "left" if ask.left < ask.right else "right", voter="ann")
    plain = exported(study)
    study.undo(voter="ann")
    again = exported(study)
    assert again.fingerprint != plain.fingerprint
    assert any("taken back" in note for note in again.notes)
    assert not any("taken back" in note for note in plain.notes)
    check_the_same(study)


def test_before_the_first_vote_everything_is_undecided() -> None:
    for algorithm in (None, QUICK, ac.Certifying(decoy_gap=0.3, assume=("strong",)), ac.Witness(
        delta=0.05, decoy_gap=None, epsilon=0.1
    )):  # fmt: skip
        study = Study.in_memory(ITEMS, algorithm)
        certificate = study.certificate(likely=False)
        assert set(certificate.undecided) == set(ITEMS)
        assert (certificate.front, dict(certificate.out), certificate.votes) == ((), {}, 0)
        if isinstance(algorithm, ac.Certifying):
            promised = certificate.delta, certificate.epsilon, certificate.assume
            assert promised == (algorithm.delta, algorithm.epsilon, algorithm.assume)


def test_the_export_of_an_empty_study_is_its_header() -> None:
    text = Study.in_memory(ITEMS).votes_csv()
    assert text == "ask,left,right,answer,voter,time,reason,decoy,receipt,terms\n"
    with pytest.raises(ac.AntichainError, match="no votes"):
        ac.front(io.StringIO(text))
    begun = ac.next_votes(io.StringIO(text), 2, items=ITEMS, forecast=False)
    assert [ask.ask for ask in begun.asks] == [1, 2]


def test_asks_given_up_are_in_the_export_and_count_against() -> None:
    study = Study.in_memory(["ale", "beer"], QUICK)
    first, *rest = study.ask(5)
    study.expire(first)
    for ask in rest:
        study.tell(ask, "tie")
    assert study.votes_csv().splitlines()[1].startswith("1,")
    assert ",given up," in study.votes_csv().splitlines()[1]
    assert exported(study).votes == len(rest)
    check_the_same(study)


@pytest.mark.parametrize(
    "algorithm",
    [
        ac.Witness(delta=0.05, decoy_gap=None, epsilon=0.1),  # the default of earlier versions
        ac.RealDecoys(delta=0.2, decoy_gap=0.3, epsilon=0.2),
        ac.UnchainedBandits(delta=0.3, decoy_gap=None, epsilon=0.3),
        ac.Certifying(delta=0.1, epsilon=0.2, assume=("strong",)),
    ],
    ids=lambda algorithm: algorithm.name,
)
def test_an_algorithm_that_was_named_is_kept(tmp_path: Path, algorithm: ac.Algorithm) -> None:
    path = tmp_path / "s.duels"
    Study.open(path, ITEMS, algorithm).close()
    for study in (Study.read(path), Study.open(path)):
        assert (study.algorithm, study.note) == (algorithm, None)
        study.close()
    with pytest.raises(ac.errors.FileError, match=r"leave the algorithm out|cannot be changed"):
        Study.open(path, algorithm=ac.Certifying(delta=0.01))


def test_a_study_without_a_budget_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.duels"
    Study.open(path, ITEMS, QUICK).close()
    with pytest.raises(ac.errors.FileError, match=r"s\.duels has no budget, but 5 was given; the"):
        Study.open(path, algorithm=replace(QUICK, budget=5))


def test_a_budget_ends_a_study() -> None:
    study = Study.in_memory(ITEMS, ac.Certifying(budget=12))
    for _ in range(30):
        for ask in study.ask(5):
            study.tell(ask, "tie")
    assert study.finished
    assert study.progress.answers == 12
    assert not study.result().certified
    assert set(exported(study).undecided) == set(ITEMS)


@pytest.mark.parametrize("seed", range(6))
def test_it_never_stands_still(seed: int) -> None:
    """Until every item is decided there is something to ask, whatever was lost on the way."""
    rng, study = random.Random(seed), Study.in_memory([*ITEMS, "mead"], QUICK)
    even = {"ale", "cider"}
    while not study.finished:
        (ask,) = study.ask(1)
        if rng.random() < 0.1:
            study.expire(ask)
        elif {ask.left, ask.right} == even or {ask.left, ask.right} == {"beer", "mead"}:
            study.tell(ask, rng.choice(["left", "right"]))
        else:
            study.tell(ask, answer(rng, ask))
    check_the_same(study)
