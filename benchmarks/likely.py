"""The likely front on mixed worlds: calibration, other answers, and votes chosen by it.

    python benchmarks/likely.py calibration [--worlds 400] [--seed 1] [--epsilon 0.1]
    python benchmarks/likely.py budget [--worlds 60] [--seed 1] [--items 8 12 20]
    python benchmarks/likely.py seeds [--items 8 20 60]

Prints a Markdown table, or with --json one JSON line per record. `calibration` estimates the
chances of worlds of all kinds, with the kind in the model and left out of it, and compares the
likely front with "the interval by Bradley-Terry overlaps the leader's". `budget` runs studies in
batches of ten, with pairs chosen by the model, at random, by round robin and by a Swiss system, and
takes the answer of a run of `Witness` that stops at the same number of votes; `model_ahead` says by
how many standard errors of the Brier score and of F1 the model's pairs are better. `seeds` times
the estimate and compares two seeds.
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
from tables import print_records

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
    centre = np.eye(size) - 1 / size  # a shift of all items alike says nothing
    deviation = np.sqrt(np.diag(centre @ np.linalg.inv(bend) @ centre))
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


def calibration(worlds: int, seed: int, epsilon: float) -> Iterator[dict[str, object]]:
    """One record with the kind of each world in the model, and one with it left out."""
    logs = [mixed_log(seed * 1_000_000 + number) for number in range(worlds)]
    for left_out in (False, True):
        answers = [estimate(log, epsilon, k, left_out) for k, log in enumerate(logs)]
        said, true = (np.concatenate([answer[part] for answer in answers]) for part in (0, 1))
        tenth = np.minimum((said * 10).astype(int), 9)
        means = [(said[tenth == k].mean(), true[tenth == k].mean()) for k in np.unique(tenth)]
        brier, base = ((said - true) ** 2).mean(), true.mean() * (1 - true.mean())
        reached = [f1(answer[2], answer[1]) for answer in answers]
        yield {
            "kind": "left out of the model" if left_out else "in the model",
            "worlds": worlds,
            "brier": float(brier),
            "skill": float(1 - brier / base),
            "mean_gap": float(np.mean([abs(a - b) for a, b in means])),
            "f1_said": float(np.mean([answer[3] for answer in answers])),
            "f1_true": float(np.mean(reached)),
            "said": [round(float(a), 4) for a, _ in means],
            "true": [round(float(b), 4) for _, b in means],
            "intervals": [] if left_out else against_intervals(logs, answers, reached),
        }


def against_intervals(
    logs: list[MixedLog], answers: list[Answer], reached: list[float]
) -> list[dict[str, object]]:
    """F1 beside that of overlapping intervals, by the number of votes per pair."""
    found: list[dict[str, object]] = []
    for low, high in itertools.pairwise((0.5, 1, 2, 4, 8, 16)):
        rows = [k for k, log in enumerate(logs) if low <= log.per_pair < high + (high == 16)]
        other = np.array([f1(overlapping(logs[k].wins), answers[k][1]) for k in rows])
        mine = np.array([reached[k] for k in rows])
        found.append(
            {
                "votes_per_pair": f"{low:g}–{high:g}",
                "worlds": len(rows),
                "likely_front": float(mine.mean()) if rows else None,
                "overlapping": float(other.mean()) if rows else None,
                "standard_errors": float(in_errors(mine - other)) if len(rows) > 1 else None,
            }
        )
    return found


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
        front = tuple(arena.items.index(item) for item in result.among)
        said = np.isin(np.arange(truth.size), front)
        found.append((float(((said - truth) ** 2).mean()), f1(front, truth)))
    return np.array(found)


def budget(worlds: int, seed: int, epsilon: float, items: list[int]) -> Iterator[dict[str, object]]:
    """One record per number of items and way of choosing pairs."""
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
        for way, scores in found.items():
            record: dict[str, object] = {"items": size, "worlds": worlds, "pairs": way}
            ahead = in_errors(scores - found["model"]) if worlds > 1 else None
            for k, votes in enumerate(budgets):
                record[f"brier_{votes}"], record[f"f1_{votes}"] = scores.mean(axis=0)[k].tolist()
                if way != "model" and ahead is not None:
                    record[f"model_ahead_{votes}"] = [float(ahead[k, 0]), float(-ahead[k, 1])]
            yield record


def seeds(epsilon: float, items: list[int]) -> Iterator[dict[str, object]]:
    """One record per log: how long the estimate takes, and how far two seeds are apart."""
    likely_front(np.ones((3, 3)), epsilon=epsilon)  # compiled beforehand
    for size in items:
        per_pair = 10_000 / (size * (size - 1) / 2) if size >= 60 else 6.0
        for number in range(6):
            log = mixed_log(77 + number, size, per_pair)
            begun, used = time.perf_counter(), time.process_time()
            one = likely_front(log.wins, epsilon=epsilon, seed=1)
            taken, used = time.perf_counter() - begun, time.process_time() - used
            other = likely_front(log.wins, epsilon=epsilon, seed=2)
            yield {
                "items": size,
                "kind": f"{log.kind}, {log.law}",
                "votes": int(log.wins.sum()),
                "seconds": taken,
                "processor_seconds": used,
                "largest_difference": float(np.abs(one.chances - other.chances).max()),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("calibration", "budget", "seeds"))
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--items", type=int, nargs="+", default=[])
    parser.add_argument("--json", action="store_true", help="one JSON line per record")
    asked = parser.parse_args()
    if asked.what == "calibration":
        found = calibration(asked.worlds or 400, asked.seed, asked.epsilon)
    elif asked.what == "budget":
        found = budget(asked.worlds or 60, asked.seed, asked.epsilon, asked.items or [8, 12, 20])
    else:
        found = seeds(asked.epsilon, asked.items or [8, 20, 60])
    print_records(found, asked.json)


if __name__ == "__main__":
    main()
