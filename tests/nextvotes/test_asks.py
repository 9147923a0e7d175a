"""What `next_votes` takes, what it says, and what it refuses."""

import io
import json

import pytest

import antichain as ac
from antichain.errors import InputError, ParameterError
from antichain.nextvotes import next_votes
from antichain.votes import read_votes
from tests.nextvotes.loops import verdicts

ROWS = [("ale", "bun", "left"), ("bun", "cod", "tie"), ("cod", "ale", "right")]


def asked(votes, n=20, **options):
    return next_votes(votes, n, **{"forecast": False} | options)


def test_the_fields():
    found = next_votes(ROWS, 5, delta=0.1, epsilon=0.2).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["asks"][0].keys() == {"ask", "left", "right"}
    assert found["asks"][0]["ask"] == 4
    assert (found["finished"], found["items"], found["votes"]) == (False, ["ale", "bun", "cod"], 3)
    assert (found["delta"], found["epsilon"], found["budget"]) == (0.1, 0.2, None)
    remaining = found["remaining"]
    assert 0 < remaining["low"] <= remaining["median"] <= remaining["high"]
    plain = ac.front(ROWS, delta=0.1, epsilon=0.2, likely=False).to_dict()
    for name in ("front", "out", "undecided", "among", "promise", "notes"):
        assert found[name] == plain[name]


def test_it_is_finished_when_nothing_is_undecided():
    found = next_votes([("ale", "bun", "left")] * 60, 5)
    assert (found.finished, found.asks, found.remaining) == (True, (), None)
    assert found.to_dict()["front"] == ["ale"]
    assert list(found.to_dict()["out"]) == ["bun"]
    circle = [("ale", "bun", "left"), ("bun", "cod", "left"), ("cod", "ale", "left")] * 90
    found = next_votes(circle, 5)
    assert found.finished == (not ac.front(circle, likely=False).undecided)
    assert found.to_dict()["front"] == []


@pytest.mark.parametrize(
    "more", [{}, {"delta": 0.3}, {"epsilon": 0.3}, {"assume": "strong"}, {"cluster": "who"}]
)
def test_it_says_what_front_says(more):
    """Over a growing log, with whatever is promised and assumed."""
    rows = [
        {"left": "ale", "right": item, "winner": "left", "who": f"voter {k}"}
        for k in range(60)
        for item in ("bun", "cod")
    ]
    seen = set()
    for votes in range(10, 121, 10):
        found, plain = asked(rows[:votes], **more), ac.front(rows[:votes], likely=False, **more)
        assert verdicts(found.certificate) == verdicts(plain)
        assert found.finished == (not plain.undecided) == (not found.asks)
        seen.add(found.finished)
    assert seen == {False, True}


def test_the_terms_of_an_export_are_taken_over():
    study = ac.Study.in_memory(["ale", "bun"], ac.Certifying(delta=0.2, epsilon=0.3))
    for ask in study.ask(4):
        study.tell(ask, "tie")
    found = asked(io.StringIO(study.votes_csv()))
    assert (found.certificate.delta, found.certificate.epsilon) == (0.2, 0.3)
    told = asked(io.StringIO(study.votes_csv()), delta=0.1)
    assert (told.certificate.delta, told.certificate.epsilon) == (0.1, 0.3)


def test_a_log_that_was_read_already_serves():
    assert asked(read_votes(ROWS)).asks == asked(ROWS).asks
    numbered = [
        {"ask": k, "left": a, "right": b, "winner": w} for k, (a, b, w) in enumerate(ROWS, 1)
    ]
    assert asked(read_votes(numbered)).asks == asked(numbered).asks


def decoy_rows(decoy):
    """Votes of two items that are even, in direct duels and against each other's decoys."""
    rows = [("ale", "bun", "left"), ("bun", "ale", "left")] * 30
    spoilt = [("ale", decoy("bun"), "left"), (decoy("ale"), "bun", "right")]
    return rows + [*spoilt, ("ale", decoy("ale"), "left")] * 2


@pytest.mark.parametrize(
    ("decoys", "decoy"),
    [
        (None, "{} (decoy)"),
        ("(decoy)", "{}(decoy)"),
        (" 240p", "{} 240p"),
        ({"ale": "worse ale", "bun": "bun, spoilt"}, None),
    ],
)
@pytest.mark.parametrize("items", [None, ("ale", "bun")])
def test_decoys_may_have_any_names(decoys, decoy, items):
    """Whatever decoys are called and whoever says so, the asks are the same, in the log's words."""
    method = {"delta": 0.3, "decoy_gap": 0.3, "items": items}
    called = decoys.get if decoy is None else decoy.format
    usual = asked(decoy_rows("{} (decoy)".format), **method)
    found = asked(decoy_rows(called), decoys=decoys, **method)
    assert found.items == ("ale", "bun")
    assert found.decoys == {"ale": called("ale"), "bun": called("bun")}
    new = {"ale (decoy)": called("ale"), "bun (decoy)": called("bun")}
    expected = [(new.get(x.left, x.left), new.get(x.right, x.right)) for x in usual.asks]
    assert [(ask.left, ask.right) for ask in found.asks] == expected
    assert {name for pair in expected for name in pair} & set(new.values())
    assert found.certificate.decoy_votes == usual.certificate.decoy_votes == 4


def test_without_a_gap_duels_against_decoys_are_left_out_and_told():
    rows = decoy_rows("{} (decoy)".format)
    plain = asked(rows[:60])
    for decoys in (" (decoy)", {"ale": "ale (decoy)"}):
        found = asked(rows, decoys=decoys, items=("ale", "bun"))
        assert found.items == ("ale", "bun")
        assert found.asks == plain.asks
        assert any("decoy" in note for note in found.notes)
    unsaid = asked(rows)
    assert len(unsaid.items) == 4
    assert any("--decoy-suffix" in note for note in unsaid.notes)


def test_each_item_needs_a_decoy():
    rows = decoy_rows("{} (decoy)".format)
    with pytest.raises(InputError, match="names no decoy for the item 'bun', but"):
        asked(rows[:60], decoy_gap=0.3, decoys={"ale": "ale (decoy)"})
    with pytest.raises(InputError, match="a mapping"):
        asked(rows, decoy_gap=0.3, decoys=7)


def test_rows_that_are_left_out_are_told():
    text = "left,right,winner,who\nale,bun,left,x\nale,bun,left,x\nale,cod,left,y\nale,bun,what,y\n"
    options = {"items": ["ale", "bun"], "voter": "who", "skip_bad": True}
    found = asked(io.StringIO(text), **options)
    told = " ".join(found.notes)
    assert found.certificate.votes == 2
    assert "Not counted: 1" in told
    assert "Skipped 1" in told


def test_rows_may_stand_for_several_votes():
    rows = [{"left": "ale", "right": "bun", "winner": "left", "n": 60}]
    found = asked(rows, count="n")
    assert found.finished
    assert found.certificate.votes == 60


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"n": 0}, "n is 0"),
        ({"n": 1.5}, "n is 1.5"),
        ({"n": 1_000_001}, "n is 1,000,001, but a whole number of at most 1,000,000"),
        ({"budget": 0}, "budget is 0"),
        ({"budget": "many"}, "budget is 'many'"),
        ({"delta": 2}, "delta is 2"),
        ({"epsilon": 0.9}, "epsilon is 0.9"),
        ({"assume": "luck"}, "luck"),
        ({"runs": 3}, "'runs' is not an option"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(options, told):
    with pytest.raises(ParameterError, match=told):
        next_votes(ROWS, **options)


def test_more_asks_than_the_forecast_expects_come_with_advice():
    advice = "the first asks may be enough: stop there and call again"
    for n, given in ((100, True), (1, False)):
        found = next_votes([("ale", "bun", "left")] * 5, n)
        assert found.beyond_forecast == given
        assert (advice in str(found)) == given


def test_too_many_items_are_refused():
    items = [f"item {k}" for k in range(1001)]
    with pytest.raises(ParameterError, match="1,001 items, but duels can be chosen among at most"):
        next_votes([], 3, items=items)


def test_a_single_item_is_refused():
    with pytest.raises(InputError, match="at least two were expected"):
        next_votes([], 3, items=["ale"])
