"""The quota is never too large: no verdict is possible before it is spent."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.evidence._answers import Count

from .kinds import KINDS, LABELS, Counts, Kind, any_kind, states

_EXHAUSTIVE = 24


def _splits(duels: int, parts: int) -> NDArray[np.int64]:
    """Every way to split so many duels, or fewer, into wins, losses, ties and lost answers."""
    ways = [way for way in product(range(duels + 1), repeat=parts) if sum(way) <= duels]
    return np.array(ways, np.int64).reshape(-1, parts)


def _continuations(kind: Kind, short: int, rng: np.random.Generator) -> Counts:
    """What may come within `short` duels: all of it if that is little, else the extremes."""
    if kind.in_step:
        lengths = np.arange(short + 1) if short < 2000 else rng.integers(0, short + 1, 2000)
        shares = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
        rows = [(n, int(a * n), int(b * n)) for n in lengths for a, b in product(shares, shares)]
        n, first, second = np.array(rows, np.int64).T
        zero = np.zeros_like(n)
        return np.stack([first, n - first, zero, zero, second, n - second, zero, zero], axis=1)
    parts = 4 if kind.ties else 2
    if short <= (_EXHAUSTIVE if parts == 2 else 9):
        ways = _splits(short, parts)
    else:
        lengths = np.unique(np.append(rng.integers(0, short + 1, 300), [1, short - 1, short]))
        corners = [
            (n * np.array(mix)).astype(np.int64)
            for n in lengths
            for mix in product((0.0, 0.5, 1.0), repeat=parts)
            if sum(mix) <= 1
        ]
        mixed = [rng.multinomial(n, rng.dirichlet(np.ones(parts))) for n in lengths]
        ways = np.array(corners + mixed, np.int64)
    more = np.zeros((len(ways), 8), np.int64)
    more[:, :parts] = ways
    return more


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_no_verdict_within_the_quota(data: st.DataObject) -> None:
    kind = data.draw(any_kind())
    counts = data.draw(states(kind))
    test = kind.test
    if test.verdict(counts, kind.prior_evidence) is not Verdict.OPEN:
        assert test.quota(counts, kind.prior_evidence) == 0
        return
    quota = test.quota(counts, kind.prior_evidence)
    assert quota >= 1
    rng = np.random.default_rng(0)
    later = counts + _continuations(kind, quota - 1, rng)
    verdicts = kind.verdicts(later)
    wrong = later[verdicts != Verdict.OPEN]
    assert not len(wrong), f"{kind}, {counts} has quota {quota} but stops at {wrong[0]}"


def _soonest(kind: Kind, counts: Counts, horizon: int) -> float:
    """The least number of equal (or alternating) duels that closes the test."""
    even = [np.array([1, 0, 0, 0, 1, 0, 0, 0]), np.array([0, 1, 0, 0, 0, 1, 0, 0])]
    paths = [even[:1], even[1:], even]
    if kind.ties:
        paths.append([np.array([0, 0, 1, 0, 0, 0, 0, 0])])
    if not kind.in_step:
        paths = [[step * np.array([1, 1, 1, 1, 0, 0, 0, 0]) for step in path] for path in paths]
    found = math.inf
    for path in paths:
        steps = np.array([path[k % len(path)] for k in range(horizon)])
        later = counts + np.cumsum(steps, axis=0)
        codes = kind.verdicts(later)
        if codes.any():
            found = min(found, 1 + int((codes != Verdict.OPEN).argmax()))
    return found


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_quota_is_worth_having(data: st.DataObject) -> None:
    # A quota of 1 would be safe, and useless: it must be of the size of the real distance.
    kind = data.draw(any_kind())
    horizon = 3000
    soonest = _soonest(kind, kind.fresh(), horizon)
    assume(soonest <= horizon)
    quota = kind.test.quota(kind.fresh(), kind.prior_evidence)
    assert quota <= soonest <= 2 * quota + 2


@pytest.mark.parametrize("kind", KINDS, ids=LABELS)
def test_quotas_of_many_rows_are_those_of_each(kind: Kind) -> None:
    rng = np.random.default_rng(1)
    rows = np.zeros((200, 8), np.int64)
    rows[:, :2] = rng.integers(0, 40, (200, 2))
    if kind.in_step:
        rows[:, 4] = rng.integers(0, rows[:, :2].sum(axis=1) + 1)
        rows[:, 5] = rows[:, :2].sum(axis=1) - rows[:, 4]
    quotas = kind.quotas(rows)
    assert quotas.tolist() == [kind.test.quota(row, kind.prior_evidence) for row in rows]
    assert (quotas == 0).any()
    assert (quotas > 0).any()


def test_fixed_and_probe() -> None:
    fixed, probe = SequentialTest.fixed(), SequentialTest.probe()
    counts = np.array([3, 2, 1, 1, 0, 0, 0, 0], np.int64)
    assert fixed.quota(counts, target=10) == 3
    assert fixed.verdict(counts, target=10) is Verdict.OPEN
    assert fixed.verdict(counts, target=7) is Verdict.EVEN
    assert fixed.quota(counts, target=7) == 0
    nothing = np.zeros(8, np.int64)
    assert probe.quota(nothing) == 1
    for column, verdict in ((0, 4), (1, 4), (2, 4), (4, 5)):
        told = nothing.copy()
        told[column] = 1
        assert probe.verdict(told) == Verdict(verdict)


def test_lost_answers_are_held_against_every_claim() -> None:
    test = SequentialTest.two_sided_bets(0.05, Bet.geometric(0.1), 0.2, 0.05)
    for counts, verdict in (
        ([30, 5, 0, 0], Verdict.LEFT),
        ([5, 30, 0, 0], Verdict.RIGHT),
        ([45, 45, 0, 0], Verdict.EVEN),
    ):
        row = np.array([*counts, 0, 0, 0, 0], np.int64)
        assert test.verdict(row) is verdict
        row[3] = 40
        assert test.verdict(row) is Verdict.OPEN


def test_a_probe_by_a_lead() -> None:
    probe = SequentialTest.probe(3)
    counts = np.zeros(len(Count), np.int64)
    assert probe.quota(counts) == 3
    counts[Count.INCOMPARABLE] = 2
    assert (probe.verdict(counts), probe.quota(counts)) == (Verdict.OPEN, 1)
    counts[Count.WINS] = 1
    counts[Count.TIES] = 1
    assert (probe.verdict(counts), probe.quota(counts)) == (Verdict.OPEN, 3)
    counts[Count.LOSSES] = 3
    assert probe.verdict(counts) is Verdict.COMPARABLE
    counts[Count.INCOMPARABLE] = 8
    assert probe.verdict(counts) is Verdict.INCOMPARABLE
