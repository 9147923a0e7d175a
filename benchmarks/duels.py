"""How many duels: the paper's rules, ours, and the information limit, as one JSON and a picture.

    python benchmarks/duels.py [--posets 100] [--workers 2] [--picture out/duels.png]
    python benchmarks/duels.py --limits [--posets 100]     # the parts of the limit alone
    python benchmarks/duels.py --where "p=20, w=40, h=10" --first 100 --posets 6 [--json]

Every number is a mean over the same posets; `over_limit` and `paper_over_ours` are ratios of
means. The picture shows duels against the size of the front: ours should grow like the limit,
the paper's like its square. With `--where`, what `Witness` spends its duels on in one setting.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import antichain as ac
from antichain import theory
from antichain._intervals import mean_interval
from tables import print_records
from where import as_table, means, where

DELTA, GAP = 0.001, 0.01
SETTINGS = {
    "defaults: p=5, w=10, h=10": partial(ac.posets.layered, 5, 10, 10),
    "p=20, w=40, h=10": partial(ac.posets.layered, 20, 40, 10),
    "p=5, w=10, h=10, one parent per chain": partial(ac.posets.layered, 5, 10, 10, parents="one"),
    "total order of 50": partial(ac.posets.total_order, 50),
    "antichain of 10": partial(ac.posets.antichain, 10),
    "few items: p=2, w=3, h=4": partial(ac.posets.layered, 2, 3, 4),
    "gaps below the decoys': p=5, w=10, h=3": partial(
        ac.posets.layered, 5, 10, 3, gaps="between:0.001:0.01"
    ),
}
FRONTS = (2, 3, 5, 8, 12, 20)
METHODS = {
    "paper": ac.UnchainedBandits(delta=DELTA, decoy_gap=GAP, rules=ac.Rules.paper()),
    "unchained": ac.UnchainedBandits(delta=DELTA, decoy_gap=GAP),
    "witness": ac.Witness(delta=DELTA, decoy_gap=GAP),
    "witness_least_regret": ac.Witness(delta=DELTA, decoy_gap=GAP, aim="regret"),
}


def run(setting: str, front: int | None, method: str, seed: int) -> dict[str, float]:
    """One method on one poset."""
    make = SETTINGS[setting] if front is None else partial(ac.posets.layered, front, 2 * front, 10)
    model = make(seed=seed)
    if method == "limit":
        return {"duels": theory.limit(model, DELTA, GAP).limit}
    arena = ac.SimulatedArena(model, decoy_gap=GAP, seed=seed)
    start = time.perf_counter()
    result = ac.find_front(arena, METHODS[method], seed=seed)
    return {
        "duels": result.duels,
        "regret": result.regret or 0.0,
        "regret_with_decoys": result.regret_with_decoys or 0.0,
        "wrong": float(set(result.front) != set(model.front)),
        "seconds": time.perf_counter() - start,
    }


def measured(
    pool: ProcessPoolExecutor, posets: int, setting: str, front: int | None, method: str
) -> dict[str, object]:
    """Means over the posets, with a 95% interval for the duels."""
    rows = list(pool.map(partial(run, setting, front, method), range(posets)))
    duels = mean_interval([row["duels"] for row in rows])
    summary: dict[str, object] = {"duels": duels.middle, "interval": [duels.low, duels.high]}
    for name in rows[0].keys() - {"duels", "wrong", "seconds"}:
        summary[name] = sum(row[name] for row in rows) / posets
    if "wrong" in rows[0]:
        summary["wrong"] = int(sum(row["wrong"] for row in rows))
        summary["median_seconds"] = sorted(row["seconds"] for row in rows)[posets // 2]
    return summary


def limits(posets: int) -> Iterator[dict[str, object]]:
    """The parts of the information limit, as means over the posets."""
    for setting, make in SETTINGS.items():
        models = [make(seed=seed) for seed in range(posets)]
        found = [theory.limit(model, DELTA, GAP) for model in models]
        spread = mean_interval([one.limit for one in found])
        parts = ("dominated_part", "front_part", "pairwise_front_part")
        means = {part: sum(getattr(one, part) for one in found) / posets for part in parts}
        yield {
            "posets": setting,
            "items": len(models[0].items),
            "limit": spread.middle,
            "interval": [spread.low, spread.high],
            **means,
            "cover": sum(sum(one.cover) for one in found) / posets,
            "pairs": len(models[0].front) * (len(models[0].front) - 1),
        }


def table(pool: ProcessPoolExecutor, posets: int) -> dict[str, object]:
    """All settings: each method, and the ratios the reader wants."""
    rows: dict[str, object] = {}
    for setting in SETTINGS:
        row = {
            method: measured(pool, posets, setting, None, method) for method in ("limit", *METHODS)
        }
        duels = {method: float(str(summary["duels"])) for method, summary in row.items()}
        row["over_limit"] = {m: duels[m] / duels["limit"] for m in METHODS}  # type: ignore[assignment]
        rows[setting] = {
            **row,
            "paper_over_ours": duels["paper"] / duels["witness"],
            "ours_over_unchained": duels["witness"] / duels["unchained"],
        }
        print(f"{setting}: {duels}", file=sys.stderr, flush=True)
    return rows


def curves(pool: ProcessPoolExecutor, posets: int) -> dict[str, list[float]]:
    """Mean duels against the size of the front, with twice as many chains."""
    lines: dict[str, list[float]] = {"front": [float(front) for front in FRONTS]}
    for method in ("paper", "witness", "limit"):
        lines[method] = [
            float(str(measured(pool, posets, "", front, method)["duels"])) for front in FRONTS
        ]
    return lines


def draw(lines: dict[str, list[float]], path: Path) -> None:
    """Duels against front size, on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    labels = {
        "paper": ("UnchainedBandits, the paper's rules", "#b2452f", "o"),
        "witness": ("Witness", "#1f5f8b", "s"),
        "limit": ("information limit", "#555555", None),
    }
    figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
    for name, (label, colour, marker) in labels.items():
        style = ":" if name == "limit" else "-"
        axes.plot(lines["front"], lines[name], style, color=colour, marker=marker, label=label)
    axes.set(
        xscale="log", yscale="log", xlabel="items on the front (twice as many chains below)",
        ylabel="duels until the front is certain (mean)",
        title="δ = 0.001, Δ = 0.01, ten layers",
    )  # fmt: skip
    axes.set_xticks(lines["front"], [f"{front:g}" for front in lines["front"]])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posets", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--picture", type=Path, default=Path("out/duels.png"))
    parser.add_argument("--limits", action="store_true", help="print the parts of the limit only")
    parser.add_argument("--where", choices=SETTINGS, help="where the duels of Witness go")
    parser.add_argument("--first", type=int, default=0, help="with --where, the first seed")
    parser.add_argument("--json", action="store_true", help="with --where, JSON for the table")
    options = parser.parse_args()
    if options.limits:
        print_records(limits(options.posets), as_json=True)
        return
    if options.where:
        seeds = range(options.first, options.first + options.posets)
        runs = [where(SETTINGS[options.where](seed=seed), seed, DELTA, GAP) for seed in seeds]
        found = {"setting": options.where, "seeds": [*seeds], "means": means(runs), "runs": runs}
        print(json.dumps(found, indent=1) if options.json else as_table(found["means"]))
        return
    with ProcessPoolExecutor(options.workers) as pool:
        for method in METHODS:  # compiled before anything is timed
            for _ in pool.map(partial(run, "few items: p=2, w=3, h=4", None, method), range(4)):
                pass
        rows = table(pool, options.posets)
        lines = curves(pool, max(2, options.posets // 5))
    draw(lines, options.picture)
    print(json.dumps({"posets": options.posets, "settings": rows, "curves": lines}, indent=1))


if __name__ == "__main__":
    main()
