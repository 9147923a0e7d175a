"""Other tools and this one on the same worlds: votes to a set or a winner, equal budgets, films.

    python benchmarks/others.py [winner set budget films] [--worlds 2] [--items 8 12] [--json]
    python benchmarks/others.py --quick

Prints Markdown tables, or JSON with `--json`. `winner` runs algorithms that stop by themselves at
the same δ on orders with one best item, and `set` those that can stop with a set on orders with
several. `budget` turns the same number of votes into a set of best items by each tool's rule.
`films` shows one table of votes in which two genres cannot be compared.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

import antichain as ac
from antichain._intervals import proportion_interval
from antichain.likely._pair_evidence import Floats
from antichain.orders import DuelModel, _generators
from antichain.referee import Referee, Terms
from antichain.testing._mixed_worlds import MixedLog
from judge import front_size
from likely import LIGHT, estimate, f1, played
from other_rules import (
    Items,
    arena_intervals,
    by_arena,
    by_choix,
    by_evalica,
    duels_of,
    gavel,
    never_lost,
    top_by_rate,
    win_rates,
)
from stopping import (
    DELTA,
    EPSILON,
    MOST,
    Stopped,
    by_fixed_tests,
    by_front,
    by_front_in_order,
    by_hoeffding,
    by_intervals,
)

BATCH = 20
STEP = 0.5  # of Bradley–Terry strength between neighbours: the better one wins 62% of the votes
LAW = "minimum:0.1"  # every gap is above ε, so that the front and the ε-front are the same set
BUDGETS = (100, 200, 400)
PATIENCE = 1_000  # steps without a vote after which a run counts as one that never stops
Rows = list[dict[str, Any]]


def ladder(size: int, seed: int) -> DuelModel:
    """A total order in which Bradley–Terry holds exactly, in equal steps."""
    order = _generators.total_order(size, seed)
    strength = -STEP * np.arange(size)
    return DuelModel(order.poset, np.tanh((strength[:, None] - strength) / 2) / 2)


# Each kind of order, and what the model of the likely front calls it.
WORLDS: dict[str, tuple[Callable[[int, int], DuelModel], str]] = {
    "layered": (
        lambda k, seed: _generators.layered_of(k, max(2, front_size(k, seed)), seed, gaps=LAW),
        "layered",
    ),
    "2-d dominance": (
        lambda k, seed: _generators.dominance(k, 2, seed, gaps=LAW),
        "dominance-2",
    ),
    "total order": (lambda k, seed: _generators.total_order(k, seed, gaps=LAW), "total"),
    "Bradley–Terry ladder": (ladder, "total"),
}
SEVERAL = ("layered", "2-d dominance")
ONE_WINNER = ("Bradley–Terry ladder", "total order")


def gaps_of(name: str, size: int, seed: int) -> Floats:
    """The gaps of one world, its items in no order that a method could profit from."""
    order = np.random.default_rng(seed).permutation(size)
    return np.asarray(WORLDS[name][0](size, seed).gaps)[np.ix_(order, order)]


# -- the same number of votes --------------------------------------------------------------------

SHEET = "spreadsheet: highest win rate"
TOLD = "spreadsheet: the best k, with k given"
EVALICA = "Bradley–Terry by evalica, bootstrap"
CHOIX = "Bradley–Terry by choix, posterior"
ARENA = "Chatbot Arena, rank 1"
SWISS = "the same, Swiss pairs"
NEVER = "Optuna's best trials"
GAVEL = "Gavel, its own pairs"
LEFT_OUT = "likely front, order unknown to its model"
ROBIN = "likely front"
CHOSEN = "likely front, its own pairs (`--budget`)"
INSIDE = "certified in, its own pairs"
NOT_OUT = "not certified out, its own pairs"
METHODS = (SHEET, TOLD, EVALICA, CHOIX, ARENA, SWISS, NEVER, GAVEL)
OURS = (LEFT_OUT, ROBIN, CHOSEN, INSIDE, NOT_OUT)


def answers(
    kind: str, gaps: Floats, seed: int, budgets: Sequence[int]
) -> Iterator[dict[str, Items]]:
    """The set that each method names when each budget is spent."""
    best = int((gaps.max(axis=0) <= 0).sum())
    referee = Referee(len(gaps), Terms(DELTA, EPSILON))
    ways = ("round robin", "Swiss", "model")
    logs = [played(gaps, way, budgets, EPSILON, seed, BATCH) for way in ways]

    def likely(wins: Floats, left_out: bool = False) -> Items:
        log = MixedLog(wins, gaps, kind, LAW, "full", 0.0)
        return estimate(log, EPSILON, seed, left_out, LIGHT)[2]

    for budget, robin, swiss, chosen, judged in zip(
        budgets, *logs, gavel(gaps, budgets, seed), strict=True
    ):
        referee.play(0.5 + gaps, seed=seed, budget=budget)
        yield {
            SHEET: top_by_rate(robin),
            TOLD: np.argsort(-win_rates(robin), kind="stable")[:best],
            EVALICA: by_evalica(robin, seed),
            CHOIX: by_choix(robin),
            ARENA: by_arena(robin),
            SWISS: by_arena(swiss),
            NEVER: never_lost(robin),
            GAVEL: judged,
            LEFT_OUT: likely(robin, left_out=True),
            ROBIN: likely(robin),
            CHOSEN: likely(chosen),
            INSIDE: np.flatnonzero(referee.inside),
            NOT_OUT: np.flatnonzero(~referee.out),
        }


def budget_rows(name: str, size: int, seed: int, budgets: Sequence[int] = BUDGETS) -> Rows:
    """One row per budget and method."""
    rows: Rows = []
    gaps = gaps_of(name, size, seed)
    truth = (gaps.max(axis=0) <= 0).astype(float)
    found = answers(WORLDS[name][1], gaps, seed, budgets)
    for votes, sets in zip(budgets, found, strict=True):
        for method, items in sets.items():
            right = truth[list(items)].sum()
            rows.append(
                {
                    "world": name,
                    "items": size,
                    "seed": seed,
                    "votes": votes,
                    "method": method,
                    "f1": f1(tuple(items), truth),
                    "exact": bool(len(items) == right == truth.sum()),
                    "false": int(len(items) - right),
                    "missing": int(truth.sum() - right),
                }
            )
    return rows


def column(rows: Rows, key: str, **where: Any) -> Floats:
    return np.array([row[key] for row in rows if all(row[k] == v for k, v in where.items())], float)


def error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def budget_tables(rows: Rows) -> Iterator[str]:
    budgets, sizes = (sorted({row[key] for row in rows}) for key in ("votes", "items"))
    middle, kinds = budgets[len(budgets) // 2], dict.fromkeys(row["world"] for row in rows)
    for size in sizes:
        count = len(column(rows, "f1", items=size, votes=middle, method=SHEET))
        yield f"\n{size} items, {count} worlds: F1 ± standard error, exactly right, false items:\n"
        yield "| set | " + " | ".join(f"{votes} votes" for votes in budgets) + " |"
        yield "| --- |" + " --- |" * len(budgets)
        for method in METHODS + OURS:
            cells = []
            for votes in budgets:
                here = {"items": size, "votes": votes, "method": method}
                score, exact, false = (column(rows, k, **here) for k in ("f1", "exact", "false"))
                cells.append(
                    f"{score.mean():.2f} ± {error(score):.2f}, {exact.mean():.0%}, "
                    f"{false.mean():.1f}"
                )
            yield f"| {method} | " + " | ".join(cells) + " |"
    yield f"\n{middle} votes, by the kind of order: F1, exactly right (95% interval):\n"
    yield "| set | " + " | ".join(kinds) + " | F1 behind `--budget`, all worlds |"
    yield "| --- |" + " --- |" * (len(kinds) + 1)
    chosen = column(rows, "f1", votes=middle, method=CHOSEN)
    for method in METHODS + OURS:
        cells = []
        for world in kinds:
            here = {"world": world, "votes": middle, "method": method}
            score, exact = (column(rows, key, **here) for key in ("f1", "exact"))
            share = proportion_interval(int(exact.sum()), len(exact))
            ends = f"{100 * (share.low or 0):.0f}–{100 * (share.high or 0):.0f}%"
            cells.append(f"{score.mean():.2f}, {share.middle:.0%} ({ends})")
        lead = chosen - column(rows, "f1", votes=middle, method=method)
        cells.append("" if method == CHOSEN else f"{lead.mean():+.2f} ± {error(lead):.2f}")
        yield f"| {method} | " + " | ".join(cells) + " |"


# -- votes to a winner or a set at the same δ ---------------------------------------------------


def import_duelpy() -> Any:
    """The algorithms of duelpy 1.0, which uses two names that numpy 2 has removed."""
    vars(np).update(float=float, infty=np.inf)
    import duelpy.algorithms

    return duelpy.algorithms


def by_duelpy(name: str, options: dict[str, Any], gaps: Floats, seed: int) -> Stopped:
    algorithms = import_duelpy()
    from duelpy.feedback import FeedbackMechanism

    class Voters(FeedbackMechanism):
        """As its own, but every draw is seeded, and votes are counted."""

        votes, rng = 0, np.random.default_rng(seed)

        def duel(self, one: int, other: int) -> bool:
            return bool(self.duel_repeatedly(one, other, 1))

        def duel_repeatedly(self, one: int, other: int, count: int) -> int:
            self.votes += count
            return int(self.rng.binomial(count, 0.5 + gaps[one, other]))

    voters = Voters(list(range(len(gaps))))
    state = partial(np.random.RandomState, seed)
    if "random_state" in options:
        options = options | {"random_state": state()}
    # Some of its algorithms draw from the global state, from a default argument, or unseeded.
    np.random.seed(seed)  # noqa: NPY002
    for part in vars(getattr(algorithms, name)).values():
        for default in getattr(part, "__defaults__", None) or ():
            if isinstance(default, np.random.RandomState):
                default.seed(seed)
    idle = 0
    with mock.patch.object(np.random, "RandomState", state):
        method = getattr(algorithms, name)(voters, failure_probability=DELTA, **options)
        while not method.is_finished():
            before = voters.votes
            method.step()
            idle = idle + 1 if voters.votes == before else 0
            if idle == PATIENCE or voters.votes >= MOST:
                return voters.votes, ()
    for result in ("condorcet_winner", "copeland_winner", "approximate_condorcet_winners"):
        if hasattr(method, f"get_{result}"):
            return voters.votes, np.atleast_1d(getattr(method, f"get_{result}")())
    raise AssertionError(name)


def by_us(method: ac.Algorithm, gaps: Floats, seed: int) -> Stopped:
    above = gaps > 0
    names = tuple(f"item-{k}" for k in range(len(gaps)))
    model = ac.DuelModel(ac.Poset(names, above), gaps)
    observable = isinstance(method, ac.Orient | ac.SlicingBandits)
    arena = ac.SimulatedArena(
        model, observable=observable, decoy_gap=method.needs_decoys, seed=seed
    )
    result = ac.find_front(arena, method)
    return result.duels, [names.index(item) for item in result.front]


SEEDED = {"random_state": None}
DUELPY = {
    "PlackettLucePACItem": ("Plackett–Luce", {"epsilon": EPSILON, **SEEDED}),
    "SequentialElimination": ("strong transitivity", {"epsilon_upper": EPSILON, **SEEDED}),
    "OptMax": ("moderate transitivity", {"epsilon_range": EPSILON, **SEEDED}),
    "KnockoutTournament": ("strong transitivity", {"epsilon": EPSILON, "stochasticity": 1.0}),
    "MallowsMPI": ("Mallows", SEEDED),
    "KLDivergenceBasedPAC": ("no even pair", {"epsilon": EPSILON, **SEEDED}),
    "Savage": ("nothing", {}),
}
ANTICHAIN = {
    "SlicingBandits": ("an order, comparability seen", ac.SlicingBandits(delta=DELTA)),
    "Orient": ("an order, comparability seen", ac.Orient(delta=DELTA)),
    "Witness": ("an order", ac.Witness(delta=DELTA, decoy_gap=None, epsilon=EPSILON)),
    "Certifying": ("an order", ac.Certifying(DELTA, epsilon=EPSILON)),
    "Certifying, strong": (
        "strong transitivity",
        ac.Certifying(DELTA, epsilon=EPSILON, assume=("strong",)),
    ),
}
Methods = dict[str, tuple[str, Callable[[Floats, int], Stopped]]]
OF_DUELPY: Methods = {
    f"duelpy {name}": (assumes, partial(by_duelpy, name, options))
    for name, (assumes, options) in DUELPY.items()
}
OF_US: Methods = {
    f"antichain {name}": (assumes, partial(by_us, method))
    for name, (assumes, method) in ANTICHAIN.items()
}
BASE = "antichain Certifying"
WINNERS = OF_DUELPY | OF_US

DECOYS = "an order, decoys"
UNCHAINED = partial(ac.UnchainedBandits, delta=DELTA)
BY_DECOYS, BY_VOTES = {"decoy_gap": EPSILON}, {"decoy_gap": None, "epsilon": EPSILON}
PAPER = {"rules": ac.Rules.paper()}
SETS: Methods = {
    "Bradley–Terry intervals, until one is best": ("one scale", by_intervals),
    "duelpy PlackettLucePACItem": OF_DUELPY["duelpy PlackettLucePACItem"],
    "a test of each pair, votes fixed beforehand": ("an order", by_fixed_tests),
    "an interval for each pair, looks not counted": (
        "an order",
        partial(by_hoeffding, looks=False),
    ),
    "an interval for each pair, looks counted": ("an order", partial(by_hoeffding, looks=True)),
    "the paper's UniformSampling, decoys": (
        DECOYS,
        partial(by_us, ac.UniformSampling(delta=DELTA, **BY_DECOYS)),
    ),
    "the paper's UnchainedBandits, decoys": (
        DECOYS,
        partial(by_us, UNCHAINED(**BY_DECOYS, **PAPER)),
    ),
    "the paper's UnchainedBandits": ("an order", partial(by_us, UNCHAINED(**BY_VOTES, **PAPER))),
    "round robin, `antichain front`": ("an order", by_front),
    "round robin, `antichain front --ordered`": ("an order", by_front_in_order),
    "antichain UnchainedBandits, decoys": (DECOYS, partial(by_us, UNCHAINED(**BY_DECOYS))),
    "antichain UnchainedBandits": ("an order", partial(by_us, UNCHAINED(**BY_VOTES))),
    "antichain Witness, decoys": (DECOYS, partial(by_us, ac.Witness(delta=DELTA, **BY_DECOYS))),
    "antichain Witness": OF_US["antichain Witness"],
    BASE: OF_US[BASE],
}


def stopping_rows(methods: Methods, name: str, size: int, seed: int) -> Rows:
    """One row per method; only the front is a right answer, as every gap is above ε."""
    rows: Rows = []
    gaps = gaps_of(name, size, seed)
    truth = np.flatnonzero(gaps.max(axis=0) <= 0).tolist()
    for method, (_, run) in methods.items():
        votes, found = run(gaps, seed)
        world = {"world": name, "items": size, "seed": seed, "method": method}
        named = sorted(int(item) for item in found)
        world |= {"votes": votes, "stuck": not named, "wrong": bool(named) and named != truth}
        rows.append(world)
    return rows


def stopping_tables(methods: Methods, goal: str, rows: Rows) -> Iterator[str]:
    sizes = sorted({row["items"] for row in rows})
    places = list(itertools.product(dict.fromkeys(row["world"] for row in rows), sizes))
    count = len({row["seed"] for row in rows})
    cut = any(row["votes"] >= MOST for row in rows)
    lower = " (> marks a lower bound: some runs never stopped)" if cut else ""
    yield f"\nVotes to {goal}, δ = {DELTA}, ε = {EPSILON}, {count} worlds each: mean votes"
    yield "± standard error, and the mean as a multiple of Certifying's; wrong answers with a 95%"
    yield f"upper bound{lower}:\n"
    heads = " | ".join(f"{world}, {size} items" for world, size in places)
    yield f"| method | assumes | wrong | never stopped | {heads} |"
    yield "| --- | --- | --- | --- |" + " --- |" * len(places)
    for method, (assumes, _) in methods.items():
        wrong = column(rows, "wrong", method=method)
        most = proportion_interval(int(wrong.sum()), len(wrong), 0.9).high or 0.0
        stuck = column(rows, "stuck", method=method)
        cells = [f"{wrong.sum():.0f} of {len(wrong)} (≤ {most:.0%})", f"{stuck.sum():.0f}"]
        for world, size in places:
            here = {"world": world, "items": size}
            votes = column(rows, "votes", **here, method=method)
            times = votes.mean() / column(rows, "votes", **here, method=BASE).mean()
            least = "> " if votes.max() >= MOST else ""
            cells.append(f"{least}{votes.mean():,.0f} ± {error(votes):,.0f}, {times:.1f}×")
        yield f"| {method} | {assumes} | " + " | ".join(cells) + " |"


winner_tables = partial(stopping_tables, WINNERS, "one winner")
set_tables = partial(stopping_tables, SETS, "the front")


# -- two genres ----------------------------------------------------------------------------------

FILMS = ("Alien", "Saw", "Troll 2", "Senna", "Amy")
BEATS = {
    ("Alien", "Saw"): 65,
    ("Alien", "Troll 2"): 95,
    ("Saw", "Troll 2"): 95,
    ("Senna", "Amy"): 65,
}


def film_rows(votes: int) -> Rows:
    """Each pair has so many votes, in exactly the shares of `BEATS`, and even across genres."""
    wins = np.full((len(FILMS), len(FILMS)), votes / 2)
    np.fill_diagonal(wins, 0)
    for (upper, lower), share in BEATS.items():
        i, j = FILMS.index(upper), FILMS.index(lower)
        wins[i, j], wins[j, i] = votes * share / 100, votes * (100 - share) / 100
    score, low, high = arena_intervals(wins)
    log = [{"winner": FILMS[i], "loser": FILMS[j]} for i, j in duels_of(wins)]
    certificate = ac.front(log, delta=DELTA, epsilon=EPSILON)
    likely = certificate.likely
    assert likely is not None
    verdicts = {"in": certificate.front, "out": certificate.out}
    return [
        {
            "film": film,
            "votes": votes,
            "win_rate": win_rates(wins)[k],
            "score": score[k],
            "low": low[k],
            "high": high[k],
            "rank": 1 + int((low > high[k]).sum()),
            "chance": likely.chances[film],
            "verdict": next(
                (said for said, those in verdicts.items() if film in those), "undecided"
            ),
        }
        for k, film in enumerate(FILMS)
    ]


def film_tables(rows: Rows) -> Iterator[str]:
    for votes in sorted({row["votes"] for row in rows}):
        yield f"\n{votes} votes on each of the ten pairs\n"
        yield "| film | win rate | Bradley–Terry score (95%) | Arena rank | certificate | chance |"
        yield "| --- | --- | --- | --- | --- | --- |"
        here = [row for row in rows if row["votes"] == votes]
        for row in sorted(here, key=lambda row: -row["score"]):
            yield (
                f"| {row['film']} | {row['win_rate']:.0%} | {row['score']:+.2f} "
                f"({row['low']:+.2f} to {row['high']:+.2f}) | {row['rank']} | {row['verdict']} | "
                f"{row['chance']:.2f} |".replace("-", "−")
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", choices=("winner", "set", "budget", "films", []))
    parser.add_argument("--worlds", type=int, default=2, help="worlds of each kind and size")
    parser.add_argument("--items", type=int, nargs="+", default=[8, 12])
    parser.add_argument("--quick", action="store_true", help="one world of four items, 40 votes")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    kinds, sizes, worlds = list(WORLDS), asked.items, asked.worlds
    budget, winning, several = budget_rows, ONE_WINNER, SEVERAL
    if asked.quick:
        kinds, sizes, worlds, winning, several = kinds[:1], [4], 1, ONE_WINNER[:1], SEVERAL[:1]
        budget = partial(budget_rows, budgets=(40,))

    def over(those: Sequence[str], make: Callable[[str, int, int], Rows]) -> Rows:
        rows: Rows = []
        for world in itertools.product(those, sizes, range(worlds)):
            print(*world, file=sys.stderr, flush=True)
            rows += make(*world)
        return rows

    made: dict[str, Callable[[], tuple[Rows, Callable[[Rows], Iterator[str]]]]] = {
        "winner": lambda: (over(winning, partial(stopping_rows, WINNERS)), winner_tables),
        "set": lambda: (over(several, partial(stopping_rows, SETS)), set_tables),
        "budget": lambda: (over(kinds, budget), budget_tables),
        "films": lambda: ([row for n in (40, 400) for row in film_rows(n)], film_tables),
    }
    found = {what: made[what]() for what in asked.what or made}
    if asked.json:
        print(json.dumps({what: rows for what, (rows, _) in found.items()}))
        return
    for rows, tables in found.values():
        print("\n".join(tables(rows)), flush=True)


if __name__ == "__main__":
    main()
