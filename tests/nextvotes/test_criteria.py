"""Which duels to ask for where there are several criteria, or attributes that are known."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import antichain as ac
from antichain.cli import main
from antichain.nextvotes import sheet
from antichain.votes import read_attributes
from tests.guarantees.error_rates import ErrorCount

ITEMS = ("Ann", "Bob", "Cat", "Dan")
STRENGTHS = {"coding": (0.9, 0.0, 0.0, -0.6), "writing": (-0.9, 0.6, -0.2, -0.7)}


def answer(rng: np.random.Generator, criterion: str, left: str, right: str) -> str:
    ours, theirs = (STRENGTHS[criterion][ITEMS.index(name)] for name in (left, right))
    return left if rng.random() < 1 / (1 + np.exp(2 * (theirs - ours))) else right


def play(most: int = 80, **options: object) -> tuple[list[dict[str, object]], ac.NextVotes]:
    """Ask and answer until it is finished."""
    rng, rows = np.random.default_rng(3), list[dict[str, object]]()
    for _ in range(most):
        found = ac.next_votes(rows, 100, items=ITEMS, forecast=False, **options)
        if found.finished:
            return rows, found
        for ask in found.asks:
            won = answer(rng, ask.criterion or "coding", ask.left, ask.right)
            row = {"ask": ask.ask, "left": ask.left, "right": ask.right, "winner": won}
            rows.append(row | ({"criterion": ask.criterion} if ask.criterion else {}))
    raise AssertionError("never finished")


def test_a_loop_decides_every_item_on_both_criteria() -> None:
    options = {"criterion": "criterion", "criteria": ("coding", "writing")}
    rows, found = play(**options)
    # Bob writes better than Cat, and codes as well.
    assert set(found.certificate.front) == {"Ann", "Bob"}
    assert {row["criterion"] for row in rows} == {"coding", "writing"}
    again = ac.front(rows, criterion="criterion", likely=False)
    assert set(again.front) == set(found.certificate.front)


def test_pairs_that_attributes_settle_are_never_asked() -> None:
    # Ann is the dearest and the fastest: nothing can be above it, nor it above anything.
    known = {
        "Ann": {"price": 3, "speed": 9}, "Bob": {"price": 2, "speed": 1},
        "Cat": {"price": 2, "speed": 1}, "Dan": {"price": 1, "speed": 1},
    }  # fmt: skip
    rows, found = play(attributes=read_attributes(known, ["price:min", "speed:max"]))
    assert rows
    assert not [row for row in rows if "Ann" in (row["left"], row["right"])]
    assert {"Ann", "Dan"} <= set(found.certificate.front)
    assert found.certificate.criteria is not None
    assert set(found.certificate.criteria.without_votes) == {"Ann", "Dan"}


def test_attributes_that_settle_everything_need_no_vote() -> None:
    apart = {"Ann": {"p": 3, "q": 3}, "Bob": {"p": 2, "q": 2}, "Cat": {"p": 1, "q": 1}}
    known = read_attributes(apart, ["p:min", "q:max"])
    found = ac.next_votes([], 10, items=("Ann", "Bob", "Cat"), attributes=known)
    assert found.finished
    assert not found.asks
    assert set(found.certificate.front) == {"Ann", "Bob", "Cat"}


def test_the_same_log_gives_the_same_asks() -> None:
    options = {"items": ITEMS, "criterion": "criterion", "criteria": ("coding", "writing")}
    one, other = (ac.next_votes([], 30, **options) for _ in range(2))
    assert one.asks == other.asks
    assert len(one.asks) == 30
    assert [ask["criterion"] for ask in one.to_dict()["asks"]] == [a.criterion for a in one.asks]


def test_a_budget_counts_votes_on_all_criteria() -> None:
    options = {"items": ITEMS, "criterion": "criterion", "criteria": ("coding", "writing")}
    assert len(ac.next_votes([], 30, budget=12, **options).asks) == 12


def test_within_a_cluster_nothing_is_asked_twice() -> None:
    votes = [
        {"left": "Ann", "right": "Bob", "winner": "left", "about": about, "voter": "v1"}
        for about in ("coding", "writing")
    ]
    found = ac.next_votes(votes, 50, items=ITEMS, criterion="about", cluster="voter")
    asked = [(frozenset((ask.left, ask.right)), ask.criterion) for ask in found.asks]
    assert len(set(asked)) == len(asked) > 0


def test_an_open_ask_holds_nothing_up() -> None:
    votes = [
        {"ask": k, "left": "Ann", "right": "Bob", "winner": won, "about": about}
        for k, (won, about) in enumerate([("Ann", "coding"), ("", "coding"), ("Bob", "writing")], 1)
    ]
    found = ac.next_votes(votes, 5, items=ITEMS, criterion="about")
    assert found.certificate.votes == 2
    assert found.asks[0].ask == 4
    assert not any("until then" in note for note in found.notes)


def test_without_a_column_the_sheet_has_one() -> None:
    options = {"items": ITEMS, "criterion": "criterion", "criteria": ("coding", "writing")}
    header, first, *_ = csv.reader(sheet(ac.next_votes([], 3, **options)).splitlines())
    assert header == ["ask", "left", "right", "winner", "criterion"]
    assert first[4] in ("coding", "writing")


def test_the_loop_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, asks = tmp_path / "votes.csv", tmp_path / "asks.csv"
    log.write_text("ask,left,right,about,winner\n")
    rng = np.random.default_rng(1)
    options = ["--criterion", "about", "--criteria", "coding,writing", "--items", ",".join(ITEMS)]
    for _ in range(40):
        assert main(["next", str(log), "-o", str(asks), "--force", "--json", *options]) == 0
        if json.loads(capsys.readouterr().out)["finished"]:
            break
        with asks.open() as sheet_file, log.open("a") as more:
            for row in csv.DictReader(sheet_file):
                row["winner"] = answer(rng, row["about"], row["left"], row["right"])
                more.write(",".join(row.values()) + "\n")
    else:
        raise AssertionError("never finished")
    assert main(["front", str(log), "-q", *options]) == 0
    assert set(capsys.readouterr().out.split()) == {"Ann", "Bob"}


@pytest.mark.slow
def test_asking_by_what_was_answered_certifies_nothing_false() -> None:
    # The cheaper is better by a hair on both criteria: "in" is false of all but the cheapest.
    items, delta = ITEMS[:3], 0.2
    prices = {item: {"price": k} for k, item in enumerate(items)}
    options = {"criterion": "about", "criteria": ("coding", "writing"), "items": items}
    options |= {"attributes": read_attributes(prices, "price:min"), "delta": delta}
    wrong, runs = 0, 150
    for seed in range(runs):
        rng, rows = np.random.default_rng(seed), list[dict[str, object]]()
        for _ in range(10):
            found = ac.next_votes(rows, 30, epsilon=0.3, forecast=False, **options)
            if {"Bob", "Cat"} & set(found.certificate.front):
                wrong += 1
                break
            if found.finished:
                break
            for ask in found.asks:
                cheaper, dearer = sorted((ask.left, ask.right))
                won = cheaper if rng.random() < 0.501 else dearer
                pair = {"ask": ask.ask, "left": ask.left, "right": ask.right}
                rows.append(pair | {"winner": won, "about": ask.criterion})
    count = ErrorCount(wrong, runs)
    assert count.upper < 1.1 * delta, str(count)
