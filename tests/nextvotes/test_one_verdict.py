"""The file study, the loop of `next_votes`, `front` and a run say the same of the same votes."""

import io
import random

import pytest

import antichain as ac
from antichain.algorithms._certifying import Certifying
from antichain.study import Study

ITEMS = ["ash", "birch", "cedar", "elm", "oak"]
TERMS = {"delta": 0.2, "epsilon": 0.25}


def answer(rng, left, right):
    """Ash is above elm and oak; all others are even."""
    if rng.random() < 0.1:
        return "tie"
    low = {"elm", "oak"}
    chance = (
        0.9 if left == "ash" and right in low else 0.1 if right == "ash" and left in low else 0.5
    )
    return "left" if rng.random() < chance else "right"


def verdicts(certificate):
    return {item: certificate.status(item) for item in ITEMS}


def of_run(run):
    """The verdicts of a run by certificate."""
    said = zip(run.items, run.referee.out, run.referee.inside, strict=True)
    return {item: "out" if out else "in" if inside else "undecided" for item, out, inside in said}


@pytest.mark.parametrize("assume", [(), ("strong",)])
@pytest.mark.parametrize("at_once", [1, 13])
def test_whoever_judges_the_same_votes_says_the_same(tmp_path, at_once, assume):
    rng = random.Random(at_once)
    algorithm = Certifying(**TERMS, assume=assume)
    rows, seen = [], set()
    with Study.open(tmp_path / "s.duels", ITEMS, algorithm, seed=1) as study:
        while not study.finished and len(rows) < 5000:
            asks = study.ask(at_once)
            rng.shuffle(asks)
            for ask in asks:
                winner = answer(rng, ask.left, ask.right)
                study.tell(ask, winner)
                rows.append({"ask": ask.id, "left": ask.left, "right": ask.right, "winner": winner})
            if study.finished or rng.random() < 0.02 * at_once:
                seen.update(said_by_all(study, rows, assume).values())
        assert study.finished
    assert seen >= {"in", "out", "undecided"}


def said_by_all(study, rows, assume):
    """What the study, `front` on its export, `next_votes` and `front` on the rows all say."""
    exported = ac.front(io.StringIO(study.votes_csv()), likely=False, items=ITEMS)
    following = ac.next_votes(rows, items=ITEMS, forecast=False, assume=assume, **TERMS)
    by_rows = ac.front(rows, items=ITEMS, likely=False, assume=assume, **TERMS)
    said = of_run(study.search)
    assert said == verdicts(exported) == verdicts(following.certificate) == verdicts(by_rows)
    assert study.finished == following.finished == (not exported.undecided)
    assert bool(following.asks) == (not following.finished)
    return said


@pytest.mark.parametrize("n", [5, 40])
def test_a_run_says_of_the_votes_of_the_loop_what_the_loop_says(n):
    rng, rows = random.Random(n), []
    run = Certifying(**TERMS).start(sorted(ITEMS))
    for _ in range(1000):
        found = ac.next_votes(rows, n, items=ITEMS, forecast=False, **TERMS)
        assert verdicts(found.certificate) == of_run(run)
        assert found.finished == (not found.certificate.undecided) == run.finished
        if found.finished:
            break
        for ask in found.asks:
            winner = answer(rng, ask.left, ask.right)
            rows.append({"ask": ask.ask, "left": ask.left, "right": ask.right, "winner": winner})
            (numbered,) = run.ask_for([(ask.left, ask.right, False)])
            run.tell(numbered, winner)
    assert run.finished
