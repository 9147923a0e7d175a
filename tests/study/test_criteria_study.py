"""Studies with several criteria or known attributes: asked, kept, exported, judged by code."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

import antichain as ac
from antichain.cli import main
from antichain.errors import AntichainError, FileError, InputError, ParameterError
from antichain.votes import read_attributes

ITEMS = ("Ann", "Bob", "Cat", "Dan")
CRITERIA = ("writing", "coding")
STRENGTHS = {"coding": (0.9, 0.0, 0.0, -0.6), "writing": (-0.9, 0.6, -0.2, -0.7)}
PRICES = {"Ann": 3, "Bob": 2, "Cat": 2, "Dan": 1}


def prices():
    return read_attributes({item: {"price": p} for item, p in PRICES.items()}, "price:min")


class Voter:
    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, left: str, right: str, criterion: str = "coding") -> str:
        ours, theirs = (STRENGTHS[criterion][ITEMS.index(name)] for name in (left, right))
        return "left" if self.rng.random() < 1 / (1 + np.exp(2 * (theirs - ours))) else "right"


def played(study: ac.Study, most: int = 10_000) -> ac.Study:
    voter = Voter()
    while not study.finished and study.progress.answers < most:
        for ask in study.ask(20):
            about = () if ask.criterion is None else (ask.criterion,)
            study.tell(ask, voter(ask.left, ask.right, *about), voter="ann")
    return study


def test_every_ask_has_its_criterion_and_the_study_ends_with_the_front() -> None:
    study = played(ac.Study.in_memory(ITEMS, criteria=CRITERIA))
    assert study.finished
    assert set(study.result().front) == {"Ann", "Bob"}
    assert study.result().certified
    assert study.result().dominated["Cat"] == "Bob"


def test_a_study_and_its_export_say_the_same(tmp_path: Path) -> None:
    with ac.Study.open(
        tmp_path / "s.duels", ITEMS, criteria=CRITERIA, attributes=prices()
    ) as study:
        certificate = played(study).certificate(likely=False)
        text = study.votes_csv()
    assert set(certificate.front) == set(study.result().front)
    assert certificate.criteria is not None
    assert certificate.criteria.names == ("coding", "writing")
    assert certificate.criteria.values["Ann"] == {"price": 3.0}
    again = ac.front(io.StringIO(text), likely=False)
    assert again.to_dict()["in"] == certificate.to_dict()["in"]
    assert "criterion" in text.splitlines()[0]


def test_after_any_number_of_answers_both_agree() -> None:
    study, voter = ac.Study.in_memory(ITEMS, criteria=CRITERIA, attributes=prices()), Voter(2)
    for _ in range(12):
        shown = study.certificate(likely=False)
        fallen = {item for item in ITEMS if shown.status(item) == "out"}
        assert fallen == set(study.result().dominated)
        assert study.finished == (not shown.undecided)
        for ask in study.ask(40):
            study.tell(ask, voter(ask.left, ask.right, ask.criterion or ""))


@pytest.mark.slow
def test_a_study_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "s.duels"
    with ac.Study.open(path, ITEMS, criteria=CRITERIA, attributes=prices()) as study:
        played(study, 100)
        left, asked = study.progress, study.ask(3)
    with ac.Study.open(path) as study:
        assert study.outstanding == tuple(asked)
        assert study.progress.answers == left.answers
        played(study)
        assert set(study.result().front) == {"Ann", "Bob", "Dan"}
    assert ac.Study.read(path).finished


def test_other_criteria_are_another_study(tmp_path: Path) -> None:
    path = tmp_path / "s.duels"
    ac.Study.open(path, ITEMS, criteria=CRITERIA).close()
    with pytest.raises(FileError, match="criteria"):
        ac.Study.open(path, ITEMS, criteria=("coding", "humour"))
    plain = tmp_path / "plain.duels"
    ac.Study.open(plain, ITEMS).close()
    with pytest.raises(FileError, match="algorithm"):
        ac.Study.open(plain, ITEMS, criteria=CRITERIA)


def test_an_answer_may_be_taken_back_and_an_ask_given_up() -> None:
    study = ac.Study.in_memory(ITEMS, criteria=CRITERIA)
    one, other = study.ask(2)
    study.tell(one, "left", voter="ann")
    study.expire(other)
    assert study.undo(voter="ann") == one
    study.tell(one, "right", voter="ann")
    certificate = study.certificate(likely=False)
    assert certificate.votes == 1
    assert certificate.criteria is not None


def test_attributes_alone_need_fewer_votes_than_none() -> None:
    known = {"Ann": {"p": 3, "q": 3}, "Bob": {"p": 2, "q": 2}, "Cat": {"p": 1, "q": 1},
             "Dan": {"p": 1, "q": 1}}  # fmt: skip
    attributes = read_attributes(known, ["p:min", "q:max"])
    study = ac.Study.in_memory(ITEMS, attributes=attributes)
    asks = study.ask(30)
    # Only Cat and Dan are alike in both.
    assert {frozenset((ask.left, ask.right)) for ask in asks} == {frozenset(("Cat", "Dan"))}
    assert {ask.criterion for ask in asks} == {None}


@pytest.mark.slow
def test_a_judge_is_asked_about_a_criterion() -> None:
    result = ac.judge(ITEMS, Voter(), criteria=CRITERIA, concurrency=1)
    assert set(result.front) == {"Ann", "Bob"}
    assert result.certified
    result = ac.judge(ITEMS, lambda left, right: "tie", attributes=prices(), budget=20)
    assert result.duels == 20


def test_what_a_study_with_criteria_refuses() -> None:
    with pytest.raises(InputError, match="leave the algorithm out"):
        ac.Study.in_memory(ITEMS, ac.Witness(delta=0.05, decoy_gap=0.1), criteria=CRITERIA)
    some = read_attributes({item: {"p": 1} for item in ITEMS[:3]}, "p:min")
    with pytest.raises(AntichainError, match="no row for 'Dan'"):
        ac.Study.in_memory(ITEMS, attributes=some)
    with pytest.raises(InputError, match="strong is assumed"):
        ac.Study.in_memory(ITEMS, ac.Certifying(assume=("strong",)), criteria=CRITERIA)
    study = ac.Study.in_memory(ITEMS, criteria=CRITERIA)
    with pytest.raises(ParameterError, match=r"give them to Study\.open"):
        ac.judge(study, Voter(), criteria=CRITERIA)
    with pytest.raises(ParameterError, match="no forecast for such runs"):
        ac.remaining(study.search)


def test_voting_at_the_terminal_names_the_criterion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "models.txt").write_text("\n".join(ITEMS) + "\n")
    table = "model,price\n" + "".join(f"{item},{price}\n" for item, price in PRICES.items())
    (tmp_path / "prices.csv").write_text(table)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("left\nright\nquit\n"))
    several = ["--criteria", "coding,writing", "--attributes", "prices.csv"]
    assert main(["vote", "models.txt", *several, "--attribute", "price:min"]) == 1
    said = capsys.readouterr()
    assert "(coding)" in said.err or "(writing)" in said.err
    assert "--attribute price:min" in said.err
    assert main(["study", "models.duels", "--export", "votes.csv", "-q"]) == 0
    assert main(["front", "votes.csv"]) == 0
    assert "Known attributes: price" in capsys.readouterr().out


def test_before_the_first_vote_criteria_and_attributes_are_known() -> None:
    study = ac.Study.in_memory(ITEMS, criteria=CRITERIA, attributes=prices())
    found = study.certificate(likely=False).criteria
    assert found is not None
    assert found.names == tuple(sorted(CRITERIA))
    assert dict(found.attributes) == {"price": "min"}
    assert found.without_votes == ("Dan",)
