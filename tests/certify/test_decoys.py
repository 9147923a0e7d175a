"""What duels against decoys show of pairs: against the definitions, and case by case."""

import io
import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain import front
from antichain.certify import certify
from antichain.certify._explaining import explain
from antichain.certify._markdown import markdown
from antichain.certify._verification import verify
from antichain.certify.report import page
from antichain.errors import InputError, ParameterError
from antichain.evidence._bet import Bet
from antichain.votes import read_votes
from tests.bets import evidence

SUFFIX = " (decoy)"
GAP, DELTA = 0.2, 0.4
PAIRS = list(itertools.permutations("abc", 2))


def log_of(direct=(), decoys=(), **options):
    """The log of counts (left, right, won, lost, tied), `decoys` against the right one's decoy."""
    rows = [("a", "b", "skipped"), ("b", "c", "skipped")]
    for named, counts in (("", direct), (SUFFIX, decoys)):
        for left, right, *numbers in counts:
            for answer, number in zip(("left", "right", "tie"), numbers, strict=False):
                rows.append((left, right + named, answer, number))
    rows = [(*row, 1)[:4] for row in rows]
    return read_votes(rows, decoys=SUFFIX, **options)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(PAIRS), st.integers(0, 80), st.integers(0, 80), st.integers(0, 40)
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda row: row[0],
    )
)
def test_decoys_show_what_the_definitions_say(counts):
    log = log_of(decoys=[(*pair, *numbers) for pair, *numbers in counts])
    found = certify(log, DELTA, 0.1, decoy_gap=GAP).pairs
    told = {pair: tuple(numbers) for pair, *numbers in counts}
    level = 0.2 * 0.05 * DELTA / 3
    comparable, incomparable = set(), set()
    for a, b in itertools.combinations("abc", 2):
        both = [told.get(pair, (0, 0, 0)) for pair in ((a, b), (b, a))]
        if sum(evidence(Bet.open_ended(), *some) for some in both) / 2 >= 1 / level:
            comparable.add((a, b))
        if min(evidence(Bet.against_gap(GAP), *some) for some in both) >= 1 / level:
            incomparable.add((a, b))
    assert {claim[:2] for claim in found.comparable_by_decoys} == comparable
    assert {claim[:2] for claim in found.incomparable_by_decoys} == incomparable
    for claim in (*found.comparable_by_decoys, *found.incomparable_by_decoys):
        assert claim.log_evidence >= -math.log(claim.level) == pytest.approx(-math.log(level))
        mine, theirs = (told.get(pair, (0, 0, 0)) for pair in (claim[:2], claim[1::-1]))
        assert claim.votes == sum(mine) + sum(theirs)
        share = None if not sum(mine) else (mine[0] + mine[2] / 2) / sum(mine)
        assert claim.first_share == pytest.approx(share)


EVEN = ("a", "b", 400, 400)


def test_even_against_both_decoys_is_incomparable():
    found = certify(log_of([EVEN], [("a", "b", 150, 150), ("b", "a", 150, 150)]), decoy_gap=GAP)
    assert [claim[:2] for claim in found.pairs.incomparable_by_decoys] == [("a", "b")]
    assert found.pairs.comparable_by_decoys == found.pairs.too_close == ()
    assert found.pairs.not_enough == 1  # b and c: skipped votes only
    assert "Shown by decoys to be incomparable: b." in explain(found, "a")
    assert "shown by decoys to be incomparable (1)" in markdown(found)


def test_one_decoy_met_is_not_enough_to_be_incomparable():
    found = certify(log_of([EVEN], [("a", "b", 1500, 1500)]), decoy_gap=GAP)
    assert found.pairs.incomparable_by_decoys == ()


def test_one_decoy_beaten_is_enough_to_be_comparable_but_never_to_be_above():
    log = log_of([("a", "b", 4000, 4000)], [("a", "b", 290, 10)])
    found = certify(log, epsilon=0.1, decoy_gap=GAP)
    assert [claim[:2] for claim in found.pairs.comparable_by_decoys] == [("a", "b")]
    assert found.pairs.comparable_by_decoys[0].second_share is None
    assert found.pairs.too_close == (("a", "b"),)
    assert found.pairs.dominated == ()
    assert not found.out
    assert "too close to order: a." in explain(found, "b")


def test_an_ordered_pair_is_never_too_close():
    log = log_of([("a", "b", 42_000, 38_000)], [("a", "b", 290, 10)])
    found = certify(log, epsilon=0.1, decoy_gap=GAP)
    assert found.pairs.indistinguishable
    assert found.pairs.dominated
    assert found.pairs.too_close == ()


def test_decoys_that_contradict_direct_duels_are_told():
    log = log_of([("a", "b", 300, 10)], [("a", "b", 150, 150), ("b", "a", 150, 150)])
    found = certify(log, decoy_gap=GAP)
    assert found.out["b"].by == "a"
    assert any("put one above the other" in note for note in found.notes)


def test_without_a_gap_decoys_change_nothing_and_are_told():
    direct, decoys = [("a", "b", 300, 10)], [("a", "c", 150, 150)]
    found, bare = certify(log_of(direct, decoys)), certify(log_of(direct))
    assert (found.out, found.undecided, found.split) == (bare.out, bare.undecided, bare.split)
    assert any("(--decoy-gap)" in note for note in found.notes)
    assert found.decoy_gap is None


def test_names_of_decoys_that_were_taken_as_items_are_told():
    found = front([("a", "b (decoy)", "left")])
    assert any("--decoy-suffix" in note for note in found.notes)


def test_decoys_alone_can_put_an_item_in():
    even = [("a", "b", 100, 100), ("b", "c", 5, 5), ("a", "c", 5, 5)]
    met = [(j, i, 100, 100) for j, i in PAIRS]
    assert certify(log_of(even), epsilon=0.1).front == ()
    found = certify(log_of(even, met), epsilon=0.1, decoy_gap=0.3)
    assert found.front == ("a", "b", "c")
    assert any("and of 'in' rest" in sentence for sentence in found.assumptions)


def test_with_clusters_decoys_put_no_item_in():
    rows = [("a", "b", "tie", 1), ("a", "b (decoy)", "right", 1), ("b", "a (decoy)", "right", 1)]
    rows = [(*row[:3], k) for k in range(200) for row in rows]
    keys = ("left", "right", "winner", "prompt")
    table = [dict(zip(keys, row, strict=True)) for row in rows]
    found = front(table, decoys=SUFFIX, decoy_gap=0.3, cluster="prompt", epsilon=0.01)
    assert found.front == ()
    assert found.pairs.incomparable_by_decoys
    single = front(table, decoys=SUFFIX, decoy_gap=0.3, epsilon=0.01)
    assert single.front == ("a", "b")


def test_a_gap_without_decoys_is_refused():
    with pytest.raises(InputError, match="no duels of an item against another item's decoy"):
        certify(log_of([EVEN]), decoy_gap=GAP)
    with pytest.raises(ParameterError, match=r"decoy_gap is 0\.5"):
        certify(log_of([EVEN], [("a", "b", 9, 9)]), decoy_gap=0.5)


@pytest.mark.slow
def test_clusters_of_one_mind_count_once():
    content = "left,right,winner,prompt\na,b,left,p\n"
    content += "".join(f"a,b (decoy),left,{k % 3}\n" for k in range(300))
    found = front(io.StringIO(content), decoys=SUFFIX, cluster="prompt", decoy_gap=GAP)
    assert found.pairs.comparable_by_decoys == ()
    content = content.replace("prompt", "other") + ""
    single = front(io.StringIO(content), decoys=SUFFIX, decoy_gap=GAP)
    assert len(single.pairs.comparable_by_decoys) == 1


def test_verification_sees_the_votes_against_decoys():
    log = log_of([EVEN], [("a", "b", 150, 150), ("b", "a", 150, 150)])
    document = certify(log, decoy_gap=GAP).to_dict()
    assert verify(document, log) == []
    other = log_of([EVEN], [("a", "b", 190, 110), ("b", "a", 150, 150)])
    told = " ".join(verify(document, other))
    assert "fingerprints differ" in told
    assert "incomparable_by_decoys" in told
    # At another Δ other evidence is found, and other words say what is assumed.
    told = verify(document | {"decoy_gap": 0.3}, log)
    assert any("'incomparable_by_decoys', entry 1, 'log_evidence'" in words for words in told)
    assert any("assumptions" in words for words in told)


def test_the_page_names_the_pairs():
    log = log_of([EVEN], [("a", "b", 150, 150), ("b", "a", 150, 150)])
    text = page(certify(log, decoy_gap=GAP), log)
    assert "<h3>Shown by decoys to be incomparable</h3><ul><li>a and b</li></ul>" in text
    assert "<h3>Comparable" not in text
    log = log_of([EVEN], [("a", "b", 190, 10), ("b", "a", 150, 150)])
    assert "Shown by decoys to be comparable: a and b." in markdown(certify(log, decoy_gap=GAP))
