"""The likely front on mixed worlds: calibration, other answers, and votes chosen by it.

    python benchmarks/likely.py calibration [--worlds 400] [--seed 1] [--epsilon 0.1]
    python benchmarks/likely.py budget [--worlds 60] [--seed 1] [--items 8 12 20]
    python benchmarks/likely.py seeds [--items 8 20 60]

Prints Markdown tables. `calibration` estimates the chances of worlds of all kinds, with the kind
in the model and left out of it, and compares the likely front with "the interval by Bradley-Terry
overlaps the leader's". `budget` runs studies in batches of ten, with pairs chosen by the model, at
random, by round robin and by a Swiss system, and takes the answer of a run of `Witness` that stops
at the same number of votes. `seeds` times the estimate and compares two seeds.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator, Sequence

import numpy as np

import antichain as ac
from antichain.likely import OrderBeliefs, likely_front
from antichain.likely._likely_front import effort_for, read_runs
from antichain.likely._pair_evidence import Floats, weigh
from antichain.likely._sampler import Effort, sample
from antichain.testing._mixed_worlds import KINDS, MixedLog, mixed_log

Answer = tuple[Floats, Floats, tuple[int, ...], float]
BATCH = 10
LIGHT = Effort(2, 6, 200, 200, 12)  # less than `likely_front` takes, for thousands of estimates


def f1(front: tuple[int, ...], truth: Floats) -> float:
    return float(2 * truth[list(front)].sum() / (len(front) + truth.sum()))


def on_front(log: MixedLog, epsilon: float) -> Floats:
    return np.asarray(log.gaps.max(axis=0) <= epsilon, float)


def overlapping(wins: Floats) -> tuple[int, ...]:
    """The items whose 95% interval by Bradley-Terry overlaps that of the strongest."""
    votes, size = wins + wins.T, len(wins)
    strength = np.zeros(size)
    for _ in range(50):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        slope = (wins - votes * chance).sum(axis=1) - 0.1 * strength
        bend = -votes * chance * (1 - chance)
        bend[np.diag_indices(size)] = 0.1 - bend.sum(axis=1)
        strength += np.clip(np.linalg.solve(bend, slope), -1, 1)
    deviation = np.sqrt(np.diag(np.linalg.inv(bend)))
    leader = int(np.argmax(strength))
    reach = strength + 1.96 * deviation >= strength[leader] - 1.96 * deviation[leader]
    return tuple(int(i) for i in np.flatnonzero(reach))


def estimate(
    log: MixedLog, epsilon: float, seed: int, left_out: bool, effort: Effort | None = None
) -> Answer:
    evidence, gaps = weigh(log.wins, None, (epsilon, epsilon))
    effort = effort or effort_for(len(log.wins))
    if left_out:
        kinds = [kind for kind in range(len(KINDS)) if KINDS[kind] != log.kind]
        effort = effort._replace(kinds=kinds)
    found = read_runs(sample(evidence, gaps, effort, seed), log.wins)
    return found.chances, on_front(log, epsilon), found.front, found.expected_f1


def calibration(worlds: int, seed: int, epsilon: float) -> None:
    logs = [mixed_log(seed * 1_000_000 + number) for number in range(worlds)]
    for left_out in (False, True):
        answers = [estimate(log, epsilon, k, left_out) for k, log in enumerate(logs)]
        said, true = (np.concatenate([answer[part] for answer in answers]) for part in (0, 1))
        tenth = np.minimum((said * 10).astype(int), 9)
        means = [(said[tenth == k].mean(), true[tenth == k].mean()) for k in np.unique(tenth)]
        brier, base = ((said - true) ** 2).mean(), true.mean() * (1 - true.mean())
        print(f"\n{worlds} worlds, their kind {'left out of' if left_out else 'in'} the model\n")
        print(f"Brier score {brier:.4f}, skill {1 - brier / base:.3f}; mean |said - true| over")
        print(f"tenths {np.mean([abs(a - b) for a, b in means]):.3f};", end=" ")
        reached = [f1(answer[2], answer[1]) for answer in answers]
        print(f"F1 said {np.mean([a[3] for a in answers]):.3f}, true {np.mean(reached):.3f}\n")
        print("| said | " + " | ".join(f"{a:.2f}" for a, _ in means) + " |")
        print("| --- |" + " --- |" * len(means))
        print("| true | " + " | ".join(f"{b:.2f}" for _, b in means) + " |")
        if not left_out:
            against_intervals(logs, answers, reached)


def against_intervals(logs: list[MixedLog], answers: list[Answer], reached: list[float]) -> None:
    print("\n| votes per pair | worlds | F1 likely front | F1 overlapping intervals | apart |")
    print("| --- | --- | --- | --- | --- |")
    edges = (0.5, 1.0, 2.0, 4.0, 8.0, 16.1)
    for low, high in itertools.pairwise(edges):
        rows = [k for k, log in enumerate(logs) if low <= log.per_pair < high]
        other = [f1(overlapping(logs[k].wins), answers[k][1]) for k in rows]
        mine = np.array([reached[k] for k in rows])
        errors = in_errors(mine - other)
        cells = f"{mine.mean():.3f} | {np.mean(other):.3f} | {errors:.1f} standard errors"
        print(f"| {low:g}-{high:.3g} | {len(rows)} | {cells} |")


def in_errors(differences: Floats) -> Floats:
    """The mean over worlds, in standard errors."""
    error = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
    return np.asarray(differences.mean(axis=0) / (error + 1e-12))


def swiss(wins: Floats, played: Floats, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs of neighbours by share of wins, those that met least first."""
    pairs: list[tuple[int, int]] = []
    while len(pairs) < n:
        share = (wins.sum(axis=1) + 1) / (wins.sum(axis=1) + wins.sum(axis=0) + 2)
        left = list(np.argsort(-share + 1e-6 * rng.random(share.size)))
        while len(left) > 1 and len(pairs) < n:
            i = left.pop(0)
            j = min(left[:4], key=lambda other: played[i, other])
            left.remove(j)
            played[i, j] += 1
            played[j, i] += 1
            pairs.append((int(i), int(j)))
    return pairs


def played(
    gaps: Floats, way: str, budgets: Sequence[int], epsilon: float, seed: int, batch: int = BATCH
) -> Iterator[Floats]:
    """Who beat whom how often when each budget is spent; pairs are chosen in batches."""
    rng, size = np.random.default_rng(seed), len(gaps)
    wins, met = np.zeros((size, size)), np.zeros((size, size))
    beliefs = OrderBeliefs(size, epsilon, seed=seed)
    everyone = [(i, j) for i in range(size) for j in range(i)]
    turns = rng.permutation(len(everyone))
    for asked in range(0, max(budgets), batch):
        if way == "model":
            pairs = beliefs.pairs(batch)
        elif way == "random":
            pairs = [everyone[k] for k in rng.integers(len(everyone), size=batch)]
        elif way == "round robin":
            pairs = [everyone[turns[(asked + k) % len(turns)]] for k in range(batch)]
        else:
            pairs = swiss(wins, met, batch, rng)
        for i, j in pairs:
            won = rng.random() < 0.5 + gaps[i, j]
            wins[(i, j) if won else (j, i)] += 1
        if way == "model":
            beliefs.learn(wins)
        if asked + batch in budgets:
            yield wins.copy()


def study(gaps: Floats, way: str, budgets: list[int], epsilon: float, seed: int) -> Floats:
    """Brier score and F1 at each budget."""
    truth, found = (gaps.max(axis=0) <= epsilon).astype(float), []
    for wins in played(gaps, way, budgets, epsilon, seed):
        answer = read_runs(sample(*weigh(wins, None, (epsilon, epsilon)), LIGHT, seed), wins)
        brier = float(((answer.chances - truth) ** 2).mean())
        found.append((brier, f1(answer.front, truth)))
    return np.array(found)


def best_so_far(gaps: Floats, budgets: list[int], epsilon: float, seed: int) -> Floats:
    """The same for the answer of a run that did not finish, as a chance of 0 or 1."""
    truth, found = (gaps.max(axis=0) <= epsilon).astype(float), []
    method = ac.Witness(decoy_gap=None, epsilon=epsilon, delta=0.05)
    for votes in budgets:
        arena = ac.MatrixArena(0.5 + gaps, seed=seed)
        result = ac.find_front(arena, method, budget=votes, seed=seed)
        front = tuple(arena.items.index(item) for item in result.front)
        said = np.isin(np.arange(truth.size), front)
        found.append((float(((said - truth) ** 2).mean()), f1(front, truth)))
    return np.array(found)


def budget(worlds: int, seed: int, epsilon: float, items: list[int]) -> None:
    ways, budgets = ("model", "random", "round robin", "Swiss"), [50, 100, 200, 400]
    for size in items:
        logs = [mixed_log(seed * 1_000_000 + 7 * size + number, size) for number in range(worlds)]
        found = {
            way: np.array([study(log.gaps, way, budgets, epsilon, k) for k, log in enumerate(logs)])
            for way in ways
        }
        found["a run that stops"] = np.array(
            [best_so_far(log.gaps, budgets, epsilon, k) for k, log in enumerate(logs)]
        )
        print(f"\n{size} items, {worlds} worlds: Brier score / F1\n")
        print("| pairs | " + " | ".join(f"{b} votes" for b in budgets) + " |")
        print("| --- |" + " --- |" * len(budgets))
        for way in found:
            cells = [f"{a:.3f} / {b:.2f}" for a, b in found[way].mean(axis=0)]
            print(f"| {way} | " + " | ".join(cells) + " |")
        for way in list(found)[1:]:
            cells = [f"{a:.1f} / {-b:.1f}" for a, b in in_errors(found[way] - found["model"])]
            print(f"| model against {way}, in standard errors | " + " | ".join(cells) + " |")
        half = in_errors(found["round robin"][:, 3] - found["model"][:, 2])
        print(
            f"\n200 votes of the model against a round robin's 400: {half[0]:.1f} / {-half[1]:.1f}"
        )
        print("standard errors better.", flush=True)


def seeds(epsilon: float, items: list[int]) -> None:
    print("| items | kind | votes | seconds | of processors | largest difference of two seeds |")
    print("| --- | --- | --- | --- | --- | --- |")
    likely_front(np.ones((3, 3)), epsilon=epsilon)  # compiled beforehand
    for size in items:
        per_pair = 10_000 / (size * (size - 1) / 2) if size >= 60 else 6.0
        for number in range(6):
            log = mixed_log(77 + number, size, per_pair)
            begun, used = time.perf_counter(), time.process_time()
            one = likely_front(log.wins, epsilon=epsilon, seed=1)
            taken, used = time.perf_counter() - begun, time.process_time() - used
            other = likely_front(log.wins, epsilon=epsilon, seed=2)
            apart = np.abs(one.chances - other.chances).max()
            cells = (
                f"{size} | {log.kind}, {log.law} | {log.wins.sum():.0f} | {taken:.2f} | {used:.2f}"
            )
            print(f"| {cells} | {apart:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("calibration", "budget", "seeds"))
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--items", type=int, nargs="+", default=[])
    asked = parser.parse_args()
    if asked.what == "calibration":
        calibration(asked.worlds or 400, asked.seed, asked.epsilon)
    elif asked.what == "budget":
        budget(asked.worlds or 60, asked.seed, asked.epsilon, asked.items or [8, 12, 20])
    else:
        seeds(asked.epsilon, asked.items or [8, 20, 60])


if __name__ == "__main__":
    main()
