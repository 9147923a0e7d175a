"""Asking for single duels, for chosen duels, and around those just seen."""

import random

import pytest

import antichain as ac

ALGORITHMS = {
    "witness, no decoys": ac.Witness(delta=0.1, decoy_gap=None, epsilon=0.2),
    "witness": ac.Witness(delta=0.1, decoy_gap=0.2),
    "no decoys": ac.UnchainedBandits(delta=0.1, decoy_gap=None, epsilon=0.2),
    "decoys": ac.UnchainedBandits(delta=0.1, decoy_gap=0.2),
    "paper": ac.UnchainedBandits(delta=0.1, decoy_gap=0.2, rules=ac.Rules.paper()),
    "slicing": ac.SlicingBandits(delta=0.1),
    "uniform": ac.UniformSampling(delta=0.1, decoy_gap=0.2),
}
ITEMS = list("abcdef")
every = pytest.mark.parametrize("name", ALGORITHMS)


def answer(ask: ac.Ask, rng: random.Random) -> str:
    if ask.decoy:
        return "left" if ask.left < ask.right else rng.choice(["left", "right"])
    return "left" if (ask.left < ask.right) == (rng.random() < 0.85) else "right"


@every
def test_singly_asks_for_the_same_duels_one_by_one(name: str) -> None:
    # Twins: one asks in bundles, the other duel by duel; both hear the same.
    bundled, single = ALGORITHMS[name].start(ITEMS), ALGORITHMS[name].start(ITEMS)
    rng = random.Random(1)
    for n in [1, 3, 17, 100] * 10:
        asks, ones = bundled.ask(n), single.ask(n, singly=True)
        assert all(one.duels == 1 for one in ones)
        spread = [(a.left, a.right, a.decoy) for a in asks for _ in range(a.duels)]
        assert [(a.left, a.right, a.decoy) for a in ones] == spread
        said = [answer(one, rng) for one in ones]
        for ask in asks:
            bundled.tell(ask, [said[spread.index((ask.left, ask.right, ask.decoy)) + k]
                               for k in range(ask.duels)])  # fmt: skip
        for one, form in zip(ones, said, strict=True):
            single.tell(one, form)
        assert single.result() == bundled.result()


@every
def test_asking_for_what_another_was_asked_is_being_that_other(name: str) -> None:
    first, second = ALGORITHMS[name].start(ITEMS, seed=4), ALGORITHMS[name].start(ITEMS, seed=4)
    rng = random.Random(2)
    for n in [1, 2, 9, 40] * 12:
        asks = first.ask(n, singly=True)
        wanted = [(ask.left, ask.right, ask.decoy) for ask in asks]
        same = second.ask_for(wanted)
        assert [(ask.left, ask.right, ask.decoy) for ask in same] == wanted
        for ask, other in rng.sample(list(zip(asks, same, strict=True)), len(asks)):
            if rng.random() < 0.1:
                first.expire(ask)
                second.expire(other)
            else:
                said = answer(ask, rng)
                assert first.tell(ask, said) is second.tell(other, said)
        assert first.result() == second.result()
        if first.finished:
            break


def test_what_is_not_wanted_is_not_asked() -> None:
    search = ALGORITHMS["no decoys"].start(ITEMS)
    (ask,) = search.ask(1)
    pair = (ask.left, ask.right, False)
    assert search.ask_for([(*pair[:2], True), ("x", "y", False)]) == [None, None]
    rest = search.ask_for([pair] * 1000)
    asked = [one for one in rest if one is not None]
    assert 0 < len(asked) < 1000
    assert rest == asked + [None] * (1000 - len(asked))
    assert search.ask_for([pair]) == [None]
    search.expire(asked[0])
    assert search.ask_for([pair]) != [None]


def test_an_ask_is_wanted_until_it_is_answered_given_up_or_needless() -> None:
    search = ALGORITHMS["no decoys"].start(ITEMS)
    first, second, *others = search.ask(60, singly=True)
    assert all(search.wants(ask) for ask in (first, second, *others))
    search.tell(first, "left")
    search.expire(second)
    assert not search.wants(first)
    assert not search.wants(second)
    needless = []
    for _ in range(10_000):
        if search.finished:
            break
        for ask in search.ask(1):
            search.tell(ask, "left" if ask.left < ask.right else "right")
        needless = [ask for ask in others if not search.wants(ask)]
        if needless:
            break
    assert needless
    assert all(search.tell(ask, "left") is ac.Receipt.SPARE for ask in needless)
    with pytest.raises(ac.AntichainError, match="No ask has the number"):
        search.wants(10**6)


@pytest.mark.parametrize("name", ["no decoys", "witness, no decoys", "witness"])
def test_pairs_to_avoid_come_last(name: str) -> None:
    search = ALGORITHMS[name].start(ITEMS)
    (ask,) = search.ask(1)
    pair = frozenset((ask.left, ask.right))
    others = search.ask(1, avoid={pair})
    assert others
    assert frozenset((others[0].left, others[0].right)) != pair
    everything = search.ask(10**6, singly=True, avoid={pair})
    seen = [frozenset((one.left, one.right)) == pair for one in everything]
    assert any(seen)
    assert seen == sorted(seen)
