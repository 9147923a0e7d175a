"""Several criteria and known attributes: what is read, certified, verified, shown and refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import antichain as ac
from antichain.certify._explaining import explain
from antichain.certify._markdown import markdown
from antichain.certify._verification import verify
from antichain.certify.report import page
from antichain.certify.report._criteria_charts import picture_of_criteria
from antichain.errors import AntichainError, FileError, InputError, ParameterError
from antichain.votes import read_attributes, read_votes

ITEMS = ("Ann", "Bob", "Cat", "Dan")
CHANCES = {  # of the first against the second
    "coding": {"Ann Bob": 0.8, "Ann Cat": 0.8, "Ann Dan": 0.9, "Bob Cat": 0.5, "Bob Dan": 0.8,
               "Cat Dan": 0.8},
    "writing": {"Ann Bob": 0.05, "Ann Cat": 0.3, "Ann Dan": 0.5, "Bob Cat": 0.75, "Bob Dan": 0.9,
                "Cat Dan": 0.7},
}  # fmt: skip
PRICES = {"Ann": 3, "Bob": 2, "Cat": 2, "Dan": 1}


def rows(votes: int = 1000) -> list[dict[str, object]]:
    found = []
    for criterion, chances in CHANCES.items():
        for pair, chance in chances.items():
            left, right = pair.split()
            for who, count in ((left, votes * chance), (right, votes * (1 - chance))):
                found.append(
                    {"left": left, "right": right, "winner": who, "n": round(count),
                     "aspect": criterion}
                )  # fmt: skip
    return found


def prices() -> object:
    return read_attributes({item: {"price": price} for item, price in PRICES.items()}, "price:min")


def test_an_item_is_out_if_another_is_clearly_better_on_one_and_not_worse_on_the_rest() -> None:
    found = ac.front(rows(), criterion="aspect", count="n")
    # Cat is as good as Bob at coding; Dan is below everybody.
    assert set(found.front) == {"Ann", "Bob"}
    assert found.out["Cat"].by == "Bob"
    assert set(found.out) == {"Cat", "Dan"}
    assert found.likely is not None
    assert set(found.likely.likely_front) == {"Ann", "Bob"}


def test_votes_on_all_criteria_together_would_say_something_else() -> None:
    assert "Ann" in ac.front(rows(), count="n", likely=False).out


def test_nothing_dearer_is_ever_above() -> None:
    found = ac.front(rows(), criterion="aspect", count="n", attributes=prices())
    assert found.criteria is not None
    assert found.criteria.without_votes == ("Dan",)
    assert set(found.front) == {"Ann", "Bob", "Dan"}
    assert found.out["Cat"].by == "Bob"
    assert found.inside["Dan"].votes == 0


def test_a_cheaper_item_that_is_as_good_puts_a_dearer_one_out() -> None:
    votes = [("Ann", "Bob", "left", 500), ("Ann", "Bob", "right", 500)]
    assert set(ac.front(votes, likely=False).front) == {"Ann", "Bob"}
    found = ac.front(votes, attributes=read_attributes({"Ann": {"p": 2}, "Bob": {"p": 1}}, "p:min"))
    assert found.front == ("Bob",)
    assert found.out["Ann"].by == "Bob"


def test_records_are_those_of_each_criterion() -> None:
    found = ac.front(rows(), criterion="aspect", count="n", likely=False)
    assert found.criteria is not None
    record = found.criteria.records["Dan"]["writing"]
    assert record.votes == 3000
    assert record.share == pytest.approx((0.5 + 0.1 + 0.3) / 3)
    fared = found.criteria.against["Cat"]
    assert fared.opponent == "Bob"
    assert fared.records == {"coding": (1000, 0.5), "writing": (1000, 0.25)}


@pytest.mark.parametrize("attributes", [None, prices()])
def test_a_certificate_is_verified_and_a_changed_one_is_not(attributes) -> None:
    options = {"criterion": "aspect", "count": "n", "attributes": attributes}
    document = json.loads(json.dumps(ac.front(rows(), **options).to_dict()))
    assert verify(document, read_votes(rows(), **options)) == []
    document["criteria"]["records"]["Ann"]["coding"]["votes"] = 7
    assert any("records" in text for text in verify(document, read_votes(rows(), **options)))
    other = read_votes(rows(), **(options | {"criterion": None}))
    assert any("fingerprints differ" in text for text in verify(document, other))


def test_other_prices_are_other_evidence() -> None:
    one = read_votes(rows(), count="n", attributes=prices())
    dearer = read_attributes({item: {"price": 1} for item in ITEMS}, "price:min")
    assert one.fingerprint != read_votes(rows(), count="n", attributes=dearer).fingerprint


def test_the_order_of_rows_does_not_matter() -> None:
    mixed = [rows()[k] for k in np.random.default_rng(0).permutation(len(rows()))]
    options = {"criterion": "aspect", "count": "n", "attributes": prices()}
    assert verify(ac.front(rows(), **options), read_votes(mixed, **options)) == []


def test_clusters_count_once_on_each_criterion() -> None:
    votes = [
        {"left": "Ann", "right": "Bob", "winner": "Ann", "about": about, "voter": f"v{k}"}
        for k in range(40)
        for about in ("coding", "writing")
        for _ in range(5)
    ]
    single = ac.front(votes, criterion="about", likely=False)
    clustered = ac.front(votes, criterion="about", cluster="voter", likely=False)
    assert clustered.clusters == ("voter", 40)
    assert clustered.out["Bob"].log_evidence < single.out["Bob"].log_evidence / 3


def test_why_is_said_by_criterion() -> None:
    found = ac.front(rows(), criterion="aspect", count="n", attributes=prices())
    assert "below Bob (coding 50% of 1,000 votes, writing 25%" in explain(found, "Cat")
    assert "price 2 against 2" in explain(found, "Cat")
    assert "every other item is worse on price" in explain(found, "Dan")


def test_a_single_criterion_is_judged_as_without_one() -> None:
    one = [row for row in rows() if row["aspect"] == "coding"]
    found = ac.front(one, criterion="aspect", count="n", likely=False)
    assert found.criteria is None
    assert found.front == ac.front(one, count="n", likely=False).front


def test_criteria_that_are_given_leave_others_out() -> None:
    log = read_votes(rows(), criterion="aspect", count="n", criteria=("coding", "humour"))
    assert log.criteria is not None
    assert log.criteria.names == ("coding", "humour")
    assert log.votes == 6000
    assert log.other_rows == 12


def test_asks_without_an_answer_count_for_nothing_and_that_is_assumed() -> None:
    votes = [
        {"ask": k, "left": "Ann", "right": "Bob", "winner": won, "about": about}
        for k, (won, about) in enumerate(
            [("Ann", "coding"), ("Bob", "writing"), ("given up", "coding"), ("", "coding")], 1
        )
    ]
    found = ac.front(votes, criterion="about", likely=False)
    assert found.votes == 2
    assert any("whether an ask is answered does not depend" in text for text in found.assumptions)
    assert not any("order of the votes was not used" in note for note in found.notes)


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "directions", "words"),
    [
        ([{"item": "Ann", "price": "3 €"}], "price:min", "has the price '3 .*a plain number"),
        ([{"item": "Ann", "price": ""}], "price:min", "has no price for 'Ann'"),
        ([{"item": "Ann", "price": 1}] * 2, "price:min", "has 'Ann' again"),
        ([{"item": "Ann", "price": 1}], "cost:min", "a column 'cost' was expected"),
        ([{"item": "Ann", "price": 1}], "price", "price:min or speed:max"),
        ([{"item": "Ann", "price": 1}], "price:less", "price:min or speed:max"),
        ({"Ann": {"price": "dear"}}, "price:min", "the price 'dear' for 'Ann'"),
        ({"Ann": {}}, "price:min", "the price None for 'Ann'"),
        ({"Ann": {"price": 1}}, {"price": "low"}, "min or max"),
        ({"Ann": {"price": 1}}, {}, "at least one"),
    ],
)
def test_what_is_no_table_of_attributes_is_refused(table, directions, words) -> None:
    with pytest.raises(AntichainError, match=words):
        read_attributes(table, directions)


def test_an_item_without_attributes_is_named() -> None:
    some = read_attributes({"Ann": {"price": 1}, "Bob": {"price": 2}}, "price:min")
    with pytest.raises(InputError, match=r"no row for 'Cat' \(and 1 more\).*--items"):
        read_votes(rows(), count="n", attributes=some)
    log = read_votes(rows(), count="n", attributes=some, items=("Ann", "Bob"))
    assert log.items == ("Ann", "Bob")


def test_items_without_votes_are_pointed_out() -> None:
    more = {item: {"price": 1} for item in (*ITEMS, "Eve")}
    log = read_votes(rows(), count="n", attributes=read_attributes(more, "price:min"))
    assert any("without any vote: 1" in note for note in log.guessed)


def test_a_row_without_its_criterion_is_no_vote() -> None:
    votes = [{"left": "Ann", "right": "Bob", "winner": "Ann", "about": ""}]
    with pytest.raises(
        FileError, match="has nothing in 'about', but the name of a criterion was expected"
    ):
        read_votes(votes, criterion="about")


def test_too_many_criteria_are_hardly_criteria() -> None:
    votes = [
        {"left": "Ann", "right": "Bob", "winner": "Ann", "about": f"question {k}"}
        for k in range(60)
    ]
    with pytest.raises(FileError, match=r"more than 50 different texts.*--cluster"):
        read_votes(votes, criterion="about")


@pytest.mark.parametrize("terms", [{"assume": "strong"}, {"decoy_gap": 0.2}])
def test_what_is_about_one_order_is_refused(terms) -> None:
    with pytest.raises((InputError, ParameterError), match=r"several criteria|decoy"):
        ac.front(rows(), criterion="aspect", count="n", **terms)


# -- pictures ------------------------------------------------------------------------------------


_TEXT = re.compile(
    r'<text x="([\d.-]+)" y="([\d.-]+)" text-anchor="(\w+)"(?: class="(\w+)")?>([^<]*)<'
)


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    """Where the texts of a picture are, as wide as a character is on average."""
    found = []
    for x, y, anchor, css, words in _TEXT.findall(picture):
        wide = len(words) * (6.0 if css else 6.8)
        left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        found.append((left, float(y) - 9, left + wide, float(y) + 1))
    return found


@pytest.mark.parametrize("size", [3, 12, 60])
@pytest.mark.parametrize("kind", ["price", "two criteria", "four"])
def test_labels_stay_on_the_canvas_and_off_each_other(size: int, kind: str) -> None:
    rng = np.random.default_rng(size)
    items = [f"organisation-{k % 3}/a model with a long name {k}" for k in range(size)]
    about = {"price": [""], "two criteria": ["p", "q"], "four": ["p", "q", "r", "s"]}[kind]
    votes = [
        {"left": items[i], "right": items[j], "winner": items[min(i, j)], "about": str(name)}
        for i, j in rng.integers(size, size=(800, 2))
        if i != j
        for name in about
    ]
    attributes = None
    if kind != "two criteria":
        known = {item: {"price": float(rng.lognormal(0, 2))} for item in items}
        attributes = read_attributes(known, "price:min")
    criterion = None if kind == "price" else "about"
    found = ac.front(votes, criterion=criterion, attributes=attributes, items=items)
    drawn = picture_of_criteria(found)
    assert drawn is not None
    wide, high = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', drawn[0])[0])
    placed = boxes(drawn[0])
    assert len(placed) > 10
    for left, top, right, bottom in placed:
        assert left >= -1, drawn[0]
        assert right <= wide + 1
        assert top >= 0
        assert bottom <= high
    names = re.findall(r">(\d/a [^<]*)</text>", drawn[0])
    assert len(set(names)) == len(names) > 0
    for k, one in enumerate(placed):
        for other in placed[:k]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1]
            assert apart or other[3] <= one[1], (one, other)


def test_all_voted_criteria_have_one_scale() -> None:
    votes = [
        {"left": "A", "right": other, "winner": "A", "about": name, "n": count}
        for other in ("B", "C")
        for name, count in (("clear", 400), ("close", 20))
    ]
    known = read_attributes({"A": {"price": 3}, "B": {"price": 2}, "C": {"price": 1}}, "price:min")
    drawn = picture_of_criteria(ac.front(votes, criterion="about", count="n", attributes=known))
    assert drawn is not None
    axes: dict[str, list[tuple[str, str]]] = {}
    for x, y, _, _, said in _TEXT.findall(drawn[0]):
        if said.endswith("%"):
            axes.setdefault(x, []).append((y, said))
    one, other = axes.values()
    assert one == other


def test_the_page_shows_the_front_and_the_records() -> None:
    log = read_votes(rows(), criterion="aspect", count="n", attributes=prices())
    written = page(ac.front(log), log)
    assert '<section id="front">' in written
    assert "50% of 1,000" in written
    assert "coding</h3>" in written


def test_markdown_names_the_criteria() -> None:
    found = ac.front(rows(), criterion="aspect", count="n", attributes=prices(), likely=False)
    written = markdown(found)
    assert "Criteria (aspect): coding, writing." in written
    assert "In without any vote" in written


def test_without_criteria_the_document_is_as_before() -> None:
    found = ac.front(rows(), count="n", likely=False).to_dict()
    assert not {"criteria", "qualities"} & set(found)
