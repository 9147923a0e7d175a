"""Every algorithm in every arena that suits it, by `find_front` and by ask and tell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import antichain as ac

from .record import Case, result_record, sha

GAP, EPSILON, DELTA = 0.15, 0.15, 0.05

WITH_DECOYS: dict[str, ac.Algorithm] = {
    "witness": ac.Witness(delta=DELTA, decoy_gap=GAP),
    "witness, least regret": ac.Witness(delta=DELTA, decoy_gap=GAP, aim="regret"),
    "witness, lost answers against": ac.Witness(
        delta=DELTA, decoy_gap=GAP, rules=ac.Rules(lost="against")
    ),
    "unchained": ac.UnchainedBandits(delta=DELTA, decoy_gap=GAP),
    "unchained, lost answers against": ac.UnchainedBandits(
        delta=DELTA, decoy_gap=GAP, rules=ac.Rules(lost="against")
    ),
    "unchained, paper": ac.UnchainedBandits(delta=DELTA, decoy_gap=GAP, rules=ac.Rules.paper()),
    "uniform": ac.UniformSampling(delta=DELTA, decoy_gap=GAP),
    "real decoys": ac.RealDecoys(delta=DELTA, decoy_gap=GAP),
    "real decoys, epsilon": ac.RealDecoys(delta=DELTA, decoy_gap=GAP, epsilon=0.05),
}
WITHOUT_DECOYS: dict[str, ac.Algorithm] = {
    "witness, epsilon": ac.Witness(delta=DELTA, decoy_gap=None, epsilon=EPSILON),
    "unchained, epsilon": ac.UnchainedBandits(delta=DELTA, decoy_gap=None, epsilon=EPSILON),
    "unchained, epsilon, coins for ties": ac.UnchainedBandits(
        delta=DELTA, decoy_gap=None, epsilon=EPSILON, rules=ac.Rules(ties="coin")
    ),
    "unchained, epsilon, paper": ac.UnchainedBandits(
        delta=DELTA, decoy_gap=None, epsilon=EPSILON, rules=ac.Rules.paper()
    ),
}
_FINDERS = (
    ac.Challenge(), ac.PeelToOne(), ac.InterleavedFilter(), ac.BeatTheMean(), ac.Knockout(),
)  # fmt: skip
OBSERVABLE: dict[str, ac.Algorithm] = {
    "uniform, observable": ac.UniformSampling(delta=DELTA, decoy_gap=None),
    "orient": ac.Orient(delta=DELTA),
    **{
        f"slicing, {type(finder).__name__}": ac.SlicingBandits(delta=DELTA, maximum=finder)
        for finder in _FINDERS
    },
    **{
        f"slicing, {type(finder).__name__}, paper": ac.SlicingBandits(
            delta=DELTA, maximum=finder, rules=ac.Rules.paper()
        )
        for finder in _FINDERS
    },
}
ALL = {**WITH_DECOYS, **WITHOUT_DECOYS, **OBSERVABLE}


def posets() -> dict[str, Any]:
    """Small seeded orders of every kind."""
    return {
        "layered": ac.posets.layered(3, 5, 4, seed=11),
        "chains": ac.posets.chains(3, 4, seed=12, gaps="minimum:0.1"),
        "total order": ac.posets.total_order(8, seed=13, gaps="minimum:0.05"),
        "antichain": ac.posets.antichain(5, seed=14),
        "dominance": ac.posets.dominance(10, 2, seed=15, gaps="minimum:0.08"),
    }


def quick() -> Any:
    """An order that is decided soon, for runs that play one duel at a time."""
    return ac.posets.layered(2, 3, 3, seed=21, gaps="minimum:0.2")


def simulated(model: Any, name: str, seed: int = 5) -> ac.SimulatedArena:
    """A simulated arena that suits the algorithm of that name."""
    decoys = GAP if name in WITH_DECOYS else None
    return ac.SimulatedArena(model, decoys, observable=name in OBSERVABLE, seed=seed)


def cases() -> Iterator[Case]:
    """All runs."""
    for poset in posets():
        for name in ALL:
            for seed in (0, 1):
                yield (
                    f"find_front / simulated / {poset} / {name} / seed {seed}",
                    lambda p=poset, n=name, s=seed: _found(simulated(posets()[p], n, s), n, s),
                )
    for name in ALL:
        yield from _cases_of(name)
    yield from _other_arenas()
    yield from _warm()


def _cases_of(name: str) -> Iterator[Case]:
    """The ways one algorithm is run on the quick order."""
    yield f"find_front / keyed / {name}", lambda: _found(_keyed(name), name)
    yield f"find_front / keyed with ties / {name}", lambda: _found(_keyed(name, 0.1), name)
    yield f"find_front / callable / {name}", lambda: _by_calls(name)
    for batch in (1, 7, 100):
        yield (
            f"find_front / batch {batch} / {name}",
            lambda b=batch: _found(_keyed(name), name, batch=b),
        )
    for budget in (0, 10, 300):
        yield (
            f"find_front / budget {budget} / {name}",
            lambda b=budget: _found(simulated(posets()["layered"], name), name, budget=b),
        )
    yield (
        f"find_front / budget 50, batch 7 / {name}",
        lambda: _found(_keyed(name), name, budget=50, batch=7),
    )
    yield (
        f"find_front / Budgeted twice / {name}",
        lambda: _found(ac.Budgeted(ac.Budgeted(simulated(quick(), name), 90), 120), name),
    )
    yield f"find_front / progress / {name}", lambda: _with_progress(name)
    for size in (1, 7, 100, None):
        yield f"ask and tell / size {size} / {name}", lambda n=size: _told(name, n, rough=False)
        yield f"ask and tell / size {size}, rough / {name}", lambda n=size: _told(name, n)
    yield f"ask and tell / singly, avoiding pairs / {name}", lambda: _singly(name)


def _found(arena: ac.Arena, name: str, seed: int = 3, **options: Any) -> dict[str, Any]:
    return result_record(ac.find_front(arena, ALL[name], seed=seed, **options))


def _keyed(name: str, ties: float = 0.0) -> ac.KeyedArena:
    return ac.KeyedArena(simulated(quick(), name), seed=8, tie_chance=ties)


def _by_calls(name: str) -> dict[str, Any]:
    """A function as the judge; the calls it got are part of the outcome."""
    model, rng, calls = quick(), random.Random(4), []
    place = {item: k for k, item in enumerate(model.items)}

    def judge(left: str, right: str, decoy: bool = False) -> str:
        calls.append((left, right, decoy))
        gap = float(model.gaps[place[left], place[right]])
        if decoy and (gap > 0 or left == right):
            gap = max(gap, GAP)
        if name in OBSERVABLE and gap == 0 and left != right:
            return "incomparable"
        if rng.random() < 0.05:
            return "tie"
        return "left" if rng.random() < 0.5 + gap else "right"

    arena = ac.CallableArena(
        model.items,
        judge,
        against_decoy=(lambda a, b: judge(a, b, True)) if name in WITH_DECOYS else None,
        decoy_gap=GAP if name in WITH_DECOYS else None,
        observable=name in OBSERVABLE,
    )
    return _found(arena, name) | {"calls": len(calls), "calls_sha256": sha(calls)}


def _with_progress(name: str) -> dict[str, Any]:
    seen: list[tuple[int, ...]] = []

    def note(progress: ac.Progress) -> None:
        seen.append((progress.duels, progress.alive, progress.items, progress.epochs_done))

    found = _found(simulated(posets()["dominance"], name), name, progress=note)
    return found | {"progress": len(seen), "progress_sha256": sha(seen)}


def _told(name: str, size: int | None, rough: bool = True) -> dict[str, Any]:
    """A run by ask and tell, its answers shuffled; rough voters skip, tie, are late or silent."""
    arena, rng = _keyed(name), random.Random(f"{name}/{size}")
    search = ALL[name].start(arena.items, 3)
    log: list[Any] = []
    receipts: Counter[str] = Counter()
    late: list[tuple[ac.Ask, ac.Tally]] = []
    most = 100_000 if size != 1 else 20_000
    while not search.finished and len(log) < most:
        asks = search.ask(size)
        if not asks and not search.outstanding:
            break
        rng.shuffle(asks)
        for ask in asks:
            log.append((ask.left, ask.right, ask.decoy, ask.duels))
            tally = arena.answer([ask])[0]
            if rough and rng.random() < 0.05:
                search.expire(ask)
                late.append((ask, tally))
                continue
            if rough and rng.random() < 0.2:
                tally = _blurred(tally, rng, name)
            receipts[search.tell(ask, tally).value] += 1
            if rough and late and rng.random() < 0.5:
                receipts["late " + search.tell(*late.pop()).value] += 1
    found = result_record(search.result())
    return found | {
        "finished": search.finished,
        "asks": len(log),
        "asks_sha256": sha(log),
        "receipts": dict(sorted(receipts.items())),
    }


def _blurred(tally: ac.Tally, rng: random.Random, name: str) -> ac.Tally:
    """One answer of the tally turned into a tie, a skip or an "incomparable"."""
    side = "left" if tally.left else "right"
    if not getattr(tally, side):
        return tally
    # Where incomparable pairs show, calling others incomparable would be a lie about the order.
    forms = ("tie", "skipped") if name in OBSERVABLE else ("tie", "skipped", "incomparable")
    form = rng.choice(forms)
    return tally._replace(**{side: getattr(tally, side) - 1, form: getattr(tally, form) + 1})


def _singly(name: str) -> dict[str, Any]:
    """Duels handed out one each, away from the pairs just seen, with several out at a time."""
    arena, rng = _keyed(name), random.Random(name)
    search = ALL[name].start(arena.items, 4)
    out: list[ac.Ask] = []
    log: list[Any] = []
    seen: list[frozenset[str]] = []
    while not search.finished and len(log) < 20_000:
        asks = search.ask(3, singly=True, avoid=seen[-2:])
        seen += [frozenset((ask.left, ask.right)) for ask in asks]
        out += asks
        if not out:
            break
        wanted = [search.wants(ask) for ask in out]
        ask = out.pop(rng.randrange(len(out)))
        receipt = search.tell(ask, arena.answer([ask])[0])
        log.append((ask.left, ask.right, ask.decoy, ask.duels, receipt.value, wanted))
    for ask in out:
        log.append(search.tell(ask, arena.answer([ask])[0]).value)
    found = result_record(search.result())
    return found | {"finished": search.finished, "asks": len(log), "asks_sha256": sha(log)}


def _other_arenas() -> Iterator[Case]:
    for name in ("real decoys", "real decoys, epsilon", "witness", "unchained"):
        for poset in ("layered", "chains", "dominance"):
            yield (
                f"find_front / degraded / {poset} / {name}",
                lambda n=name, p=poset: _found(ac.DegradedArena(posets()[p], GAP, seed=6), n),
            )
    for name in WITHOUT_DECOYS:
        yield f"find_front / matrix / {name}", lambda n=name: _found(_matrix(), n)
        yield f"find_front / ratings / {name}", lambda n=name: _found(_ratings(), n)
        yield (
            f"find_front / ratings, batch 20 / {name}",
            lambda n=name: _found(_ratings(), n, batch=20),
        )
    implicit: dict[str, Callable[[], Any]] = {
        "implicit chains": lambda: ac.ImplicitChains(20, 10, seed=1, gaps="minimum:0.1"),
        "implicit total order": lambda: ac.ImplicitTotalOrder(300, seed=1, gaps="minimum:0.1"),
        "implicit dominance": lambda: ac.ImplicitDominance(
            np.random.default_rng(1).random((150, 2)), seed=1, gaps="minimum:0.1"
        ),
    }
    for poset, make in implicit.items():
        for name in ("witness", "unchained", "slicing, Challenge"):
            yield (
                f"find_front / {poset} / {name}",
                lambda m=make, n=name: _found(simulated(m(), n), n),
            )
    paper = {
        "witness": ac.Witness(),
        "unchained": ac.UnchainedBandits(),
        "unchained, paper": ac.UnchainedBandits(rules=ac.Rules.paper()),
    }
    for name, algorithm in paper.items():
        yield (
            f"find_front / paper's defaults / {name}",
            lambda a=algorithm: result_record(
                ac.find_front(
                    ac.SimulatedArena(ac.posets.layered(5, 10, 10, seed=2), 0.01, seed=2), a
                )
            ),
        )


def _matrix() -> ac.MatrixArena:
    """Chances with a cycle at the top, which no order has."""
    gaps = np.zeros((6, 6))
    for a, b, gap in ((0, 1, 0.3), (1, 2, 0.3), (2, 0, 0.3), (0, 3, 0.4), (3, 4, 0.2)):
        gaps[a, b], gaps[b, a] = gap, -gap
    return ac.MatrixArena(0.5 + gaps, list("abcdef"), seed=2)


def _ratings() -> ac.RatingsArena:
    rng = np.random.default_rng(9)
    quality = np.linspace(2.0, 4.0, 7)
    stars = np.clip(np.round(quality + rng.normal(0, 1, (300, 7))), 1, 5)
    given = rng.random((300, 7)) < 0.6
    both = given[:, :, None] & given[:, None, :]
    wins = ((stars[:, :, None] > stars[:, None, :]) & both).sum(0).astype(np.int64)
    ties = ((stars[:, :, None] == stars[:, None, :]) & both).sum(0).astype(np.int64)
    np.fill_diagonal(ties, 0)
    return ac.RatingsArena(ac.PairCounts(tuple("pqrstuv"), wins, ties), seed=3)


def _warm() -> Iterator[Case]:
    """Runs that start from counts somebody else collected."""
    items = quick().items
    direct = {(items[0], items[2]): (60, 20, 3), (items[3], items[1]): (4, 30)}
    decoys = {(items[0], items[1]): (20, 25), (items[1], items[0]): (30, 29)}
    for name in ("witness", "unchained", "witness, epsilon", "unchained, epsilon", "real decoys"):
        against = decoys if name in WITH_DECOYS else None
        yield (
            f"find_front / initial counts / {name}",
            lambda n=name, a=against: _found(simulated(quick(), n), n, direct=direct, decoys=a),
        )
