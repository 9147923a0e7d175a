"""What three tests of a pair show together, held against every world the assumptions allow."""

from itertools import product

import pytest

from antichain.evidence._answers import Verdict
from antichain.evidence._relations import Relation, relation

GAP, EPSILON = 0.1, 0.05
DIRECT = (Verdict.OPEN, Verdict.LEFT, Verdict.RIGHT, Verdict.EVEN)
DECOY = (Verdict.OPEN, Verdict.LEFT, Verdict.EVEN)
ANYTHING = (-0.3, -0.02, 0.0, 0.02, 0.09, 0.1, 0.3)  # how a decoy may fare against items below


def _worlds():
    """(truth, direct gap, left's gap over right's decoy, right's over left's), by (D1), (D2)."""
    for gap in (0.01, 0.05, 0.06, 0.3):
        for most, any_gap in product((GAP, 0.3), ANYTHING):
            yield "above", gap, most, any_gap
            yield "below", -gap, any_gap, most
    for left, right in product((-0.2, 0.0), repeat=2):
        yield "incomparable", 0.0, left, right


def _direct_is_true(verdict: Verdict, gap: float) -> bool:
    return {
        Verdict.OPEN: True,
        Verdict.LEFT: gap > 0,
        Verdict.RIGHT: gap < 0,
        Verdict.EVEN: abs(gap) <= EPSILON,
    }[verdict]


def _decoy_is_true(verdict: Verdict, gap: float) -> bool:
    return {Verdict.OPEN: True, Verdict.LEFT: gap > 0, Verdict.EVEN: gap < GAP}[verdict]


def _holds(said: Relation, truth: str, gap: float) -> bool:
    return {
        Relation.OPEN: True,
        Relation.ABOVE: truth == "above",
        Relation.BELOW: truth == "below",
        Relation.INCOMPARABLE: truth == "incomparable",
        Relation.COMPARABLE: truth != "incomparable",
        Relation.TOO_CLOSE: truth != "incomparable" and abs(gap) <= EPSILON,
    }[said]


def test_true_verdicts_never_give_a_false_relation() -> None:
    seen = set()
    for truth, gap, left, right in _worlds():
        for verdicts in product(DIRECT, DECOY, DECOY):
            direct, left_decoy, right_decoy = verdicts
            if (
                _direct_is_true(direct, gap)
                and _decoy_is_true(left_decoy, left)
                and _decoy_is_true(right_decoy, right)
            ):
                said = relation(*verdicts)
                seen.add(said)
                assert _holds(said, truth, gap), (truth, gap, left, right, verdicts, said)
    assert seen == set(Relation)


@pytest.mark.parametrize("verdicts", list(product(DIRECT, DECOY, DECOY)))
def test_turning_the_pair_round_turns_the_relation_round(verdicts) -> None:
    mirror = {Verdict.LEFT: Verdict.RIGHT, Verdict.RIGHT: Verdict.LEFT}
    turned = {Relation.ABOVE: Relation.BELOW, Relation.BELOW: Relation.ABOVE}
    direct, left_decoy, right_decoy = verdicts
    said = relation(direct, left_decoy, right_decoy)
    back = relation(mirror.get(direct, direct), right_decoy, left_decoy)
    assert back is turned.get(said, said)


@pytest.mark.parametrize("decoys", list(product(DECOY, DECOY)))
def test_no_decoy_gives_a_direction_or_takes_one_away(decoys) -> None:
    assert relation(Verdict.LEFT, *decoys) is Relation.ABOVE
    assert relation(Verdict.RIGHT, *decoys) is Relation.BELOW
    for direct in (Verdict.OPEN, Verdict.EVEN):
        assert relation(direct, *decoys) not in (Relation.ABOVE, Relation.BELOW)
