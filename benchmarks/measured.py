"""How what the benchmarks print becomes the tables of the documentation.

`tools/measurements.py` says which command makes which table, and writes it.
"""

from __future__ import annotations

from statistics import fmean, median, stdev
from typing import Any

from antichain._intervals import mean_interval
from tables import markdown

Records = list[list[Any]]
"""What the commands of a table printed: for each command its JSON records."""

# The rows of tables that several commands make, with what each command is ------------------------

SIMULATE = "antichain simulate --json --runs 100"
RULES = {
    "UnchainedBandits, the paper's rules (`--faithful`)": f"{SIMULATE} --faithful",
    "UnchainedBandits, default rules": f"{SIMULATE} --algorithm unchained",
    "UniformSampling": f"{SIMULATE} --algorithm uniform",
}
FINDERS = [
    ("`Challenge` (default)", "order compatibility", "challenge"),
    ("`PeelToOne`", "order compatibility", "peel"),
    ("`Knockout`", "order compatibility", "knockout"),
    ("`InterleavedFilter`", "strong transitivity, which these gaps break", "if2"),
    ("`BeatTheMean`", "relaxed transitivity, triangle inequality", "beat-the-mean"),
]
POSETS = {
    "p=20": "p=20, w=40, h=10",
    "2-d": "2-dimensional dominance, 100 items",
    "3-d": "3-dimensional dominance, 100 items",
}
AGAINST_LIMIT = [
    (posets, rules, f"{SIMULATE} {options} {more}".strip())
    for posets, more in (
        ("p=5, w=10, h=10", ""),
        ("p=5, w=10, h=10, one parent per chain", "--parents one"),
        ("p=20, w=40, h=10", "--front 20 --width 40"),
    )
    for rules, options in (("the paper's", "--faithful"), ("default", "--algorithm unchained"))
]
SHOWN = {"width": (5, 10, 20, 40), "height": (2, 10, 20, 30), "front": (1, 4, 8, 20)}
WHAT_IS_DRAWN = "the paper's rules grow fastest, and Witness stays close to the information limit"

# Tables -------------------------------------------------------------------------------------------


def defaults(outputs: Records) -> str:
    rows = []
    for name, runs in zip(RULES, outputs, strict=True):
        duels = [run["duels"] for run in runs]
        error = stdev(duels) / len(duels) ** 0.5
        share = fmean(run["decoy_duels"] for run in runs) / fmean(duels)
        regret = fmean(run["regret"] for run in runs)
        rows.append(
            [name, f"{_thousands(fmean(duels))} ({_thousands(error)})", f"{share:.1%}",
             _exact(runs), f"{regret:,.0f}"]
        )  # fmt: skip
    return markdown(
        ["", "mean duels (standard error)", "decoy share", "front exact", "mean regret"], rows
    )


def _thousands(value: float) -> str:
    return f"{round(value, -3):,.0f}"


def _exact(runs: list[Any]) -> str:
    return f"{sum(run['correct'] for run in runs)} of {len(runs)}"


def chain_finders(outputs: Records) -> str:
    rows = []
    for (name, assumes, _), runs in zip(FINDERS, outputs, strict=True):
        duels = [run["duels"] for run in runs]
        rows.append([name, assumes, f"{fmean(duels):,.0f}", f"{median(duels):,.0f}", _exact(runs)])
    heads = ["finder of a chain's maximum", "assumes", "mean duels", "median", "front exact"]
    return markdown(heads, rows, left=2)


def orient(outputs: Records, limit: bool = True) -> str:
    heads = ["posets", "SlicingBandits", "Orient (median)", "Orient's probes", "ratio of means",
             "median ratio", *["Orient ÷ limit"][:limit], "wrong fronts"]  # fmt: skip
    rows = []
    for name, found in outputs[0][0]["settings"].items():
        ours = f"{found['orient']:,.0f} ({found['orient_median']:,.0f})"
        wrong = f"{found['slicing_wrong']}, {found['wrong']}"
        ratios = [f"{found['ratio']:.3f}", f"{found['median_ratio']:.3f}"]
        rows.append(
            [POSETS.get(name, name), f"{found['slicing']:,.0f}", ours, f"{found['probes']:,.0f}",
             *ratios, *[f"{found['to_limit']:.1f}"][:limit], wrong]
        )  # fmt: skip
    return markdown(heads, rows)


def orient_misjudged(outputs: Records) -> str:
    return orient(outputs, limit=False)  # the limit is for voters who never misjudge


def orient_chains(outputs: Records) -> str:
    heads = ["items", "probes", "probes per width × items", "pulls", "seconds", "MB"]
    rows = [
        [f"{row['items']:,}", f"{row['probes']:,}", f"{row['per_item']:.1f}", f"{row['pulls']:,}",
         row["seconds"], f"{row['megabytes']:,}"]
        for row in outputs[0]
    ]  # fmt: skip
    return markdown(heads, rows, left=0)


def duels(outputs: Records) -> str:
    heads = ["posets", "limit", "paper's rules", "default rules", "Witness (± 95%)",
             "Witness ÷ limit", "paper ÷ Witness", "wrong fronts"]  # fmt: skip
    rows = []
    for setting, found in outputs[0][0]["settings"].items():
        means = {name: f"{found[name]['duels']:,.0f}" for name in ("limit", "paper", "unchained")}
        witness = found["witness"]
        low, high = witness["interval"]
        wrong = sum(found[name]["wrong"] for name in ("paper", "unchained", "witness"))
        rows.append(
            [setting, *means.values(), f"{witness['duels']:,.0f} ± {(high - low) / 2:,.0f}",
             f"{found['over_limit']['witness']:.2f}", f"{found['paper_over_ours']:.1f}", wrong]
        )  # fmt: skip
    return markdown(heads, rows)


def regret(outputs: Records) -> str:
    names = {"paper": "the paper's rules", "unchained": "UnchainedBandits, default rules",
             "witness": "Witness", "witness_least_regret": 'Witness, `aim="regret"`'}  # fmt: skip
    rows = []
    for setting, found in list(outputs[0][0]["settings"].items())[:2]:
        for name, method in names.items():
            numbers = (found[name][part] for part in ("duels", "regret", "regret_with_decoys"))
            rows.append([setting, method, *(f"{number:,.0f}" for number in numbers)])
    return markdown(["posets", "method", "duels", "regret", "regret with decoys"], rows, left=2)


def duels_picture(outputs: Records) -> str:
    del outputs  # the command has drawn it
    return f"![Mean duels against the size of the front: {WHAT_IS_DRAWN}](../images/duels.png)"


def errors(outputs: Records) -> str:
    """Errors in so many runs with their bounds: one row per world, two columns per δ."""
    rows: dict[str, list[str]] = {}
    found = [row for records in outputs for row in records]
    deltas = sorted({row["delta"] for row in found})
    for row in found:
        cells = rows.setdefault(row["world"], ["–"] * 2 * len(deltas))
        place = 2 * deltas.index(row["delta"])
        cells[place] = f"{row['errors']:,} in {row['runs']:,}"
        cells[place + 1] = f"{row['upper_bound']:.4f}"
    heads = [head for delta in deltas for head in (f"δ = {delta}: errors", "upper bound")]
    return markdown(["world", *heads], [[world, *cells] for world, cells in rows.items()])


def speed(outputs: Records) -> str:
    rows = []
    for name, found in outputs[0][0].items():
        seconds = found["seconds_per_run"]
        taken = f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
        pace = float(f"{found['duels_a_second']:.2g}")
        slower = found["times_slower_a_duel"]
        times = f"{slower:,.0f}" if slower >= 100 else f"{slower:.2g}"
        rows.append([name, taken, f"{pace:,.0f}", times])
    return markdown(["", "per run", "duels per second", "times slower per duel"], rows)


def scale(outputs: Records) -> str:
    rows = [
        [f"{row['items']:,}", f"{row['duels']:,}", f"{row['seconds']:.3g}",
         f"{row['peak_mib']:.0f} MiB", row["found"], "yes" if row["holds_the_front"] else "no"]
        for row in outputs[0][0]
    ]  # fmt: skip
    heads = ["items", "duels", "seconds", "peak memory", "items returned (100 are maximal)",
             "all 100 among them"]  # fmt: skip
    return markdown(heads, rows, left=0)


def votes(outputs: Records) -> str:
    found = outputs[0][0]
    seconds = found["seconds"]
    rows = [
        [f"{found['votes']:,} votes: read and certified", f"{seconds['antichain']:.2f} s"],
        ["of that, reading", f"{seconds['reading']:.2f} s"],
        ["with the likely front of the 100 items, a model's estimate",
         f"{seconds['with the likely front']:.2f} s"],
        ["the same file read by pandas, Bradley–Terry fitted by evalica",
         f"{seconds['evalica']:.2f} s"],
    ]  # fmt: skip
    for number, peak in found["peaks"].items():
        cells = f"{peak['seconds']} s, {peak['mib']} MiB"
        rows.append([f"{int(number):,} rows: time, peak memory", cells])
    return markdown(["", ""], rows)


def figures(outputs: Records) -> str:
    """Mean duels, at every point of the sweeps that SHOWN names."""
    lines = ("unchained-paper", "unchained", "uniform", "slicing", "orient")
    rows = []
    for (experiment, points), records in zip(SHOWN.items(), outputs, strict=True):
        middles = {
            (row["line"], int(float(row["value"]))): float(row["middle"])
            for row in records
            if row["panel"] == "duels"
        }
        for point in points:
            shown = [f"{middles[line, point]:,.0f}" for line in lines]
            bound = f"{middles['theorem-1', point]:.1e}".replace("e+", "e").replace("e0", "e")
            rows.append([experiment, point, *shown, bound])
    heads = ["varied", "value", "paper's rules", "default rules", "UniformSampling",
             "Slicing (median)", "Orient (median)", "Theorem 1"]  # fmt: skip
    return markdown(heads, rows, left=2)


def limits(outputs: Records) -> str:
    rows = []
    for row in outputs[0]:
        low, high = row["interval"]
        parts = ("dominated_part", "front_part", "pairwise_front_part")
        between = f" ({low:,.0f} to {high:,.0f})" if low < high else ""
        rows.append(
            [row["posets"], row["items"], f"{row['limit']:,.0f}{between}",
             *(f"{row[part]:,.0f}" for part in parts), f"{row['cover']:.1f} of {row['pairs']}"]
        )  # fmt: skip
    heads = ["posets", "items", "limit (95% interval)", "dominated part", "front part",
             "pairwise front part", "tests (`cover`)"]  # fmt: skip
    return markdown(heads, rows)


def limit_runs(outputs: Records) -> str:
    rows = []
    for (posets, rules, _), runs in zip(AGAINST_LIMIT, outputs, strict=True):
        ratio = mean_interval([run["ratio_to_limit"] for run in runs])
        between = "" if ratio.low is None else f" ({ratio.low:.1f} to {ratio.high:.1f})"
        mean = fmean(run["duels"] for run in runs)
        rows.append([posets, rules, f"{mean:,.0f}", f"{ratio.middle:.1f}{between}", _exact(runs)])
    heads = ["posets", "rules", "mean duels", "mean of duels ÷ limit (95% interval)", "front exact"]
    return markdown(heads, rows, left=2)


def judge(outputs: Records) -> str:
    found = {(row["worlds"], row["items"], row["epsilon"]): row for row in outputs[0]}
    rows = []
    for world, items in dict.fromkeys(key[:2] for key in found):
        cells: list[object] = [world, items]
        for epsilon in (0.1, 0.2):
            row = found[world, items, epsilon]
            cells += [f"{row['run_median']:,.0f}", f"{row['judge_median']:,.0f}"]
            cells.append(f"{row['of_all_votes']:.2f}")
            if epsilon == 0.1:
                cells.append(f"{row['paired_ratio']:.2f} ± {row['standard_error']:.2f}")
        rows.append(cells)
    heads = ["", "K", "run, ε = 0.1", "referee", "referee ÷ run", "paired ratio", "run, ε = 0.2",
             "referee", "referee ÷ run"]  # fmt: skip
    return markdown(heads, rows)


def likely_skill(outputs: Records) -> str:
    rows = [
        [f"kind {row['kind']}", row["worlds"], f"{row['skill']:.2f}", f"{row['mean_gap']:.3f}",
         f"{row['f1_said']:.2f} / {row['f1_true']:.2f}"]
        for row in outputs[0]
    ]  # fmt: skip
    heads = ["", "worlds", "Brier skill", "calibration error", "F1 estimated / actual"]
    return markdown(heads, rows)


def likely_tenths(outputs: Records) -> str:
    said, true = ([f"{value:.2f}" for value in outputs[0][0][part]] for part in ("said", "true"))
    return markdown(["estimated", *said], [["actual", *true]])


def likely_intervals(outputs: Records) -> str:
    rows = [
        [row["votes_per_pair"], row["worlds"],
         *("–" if row[part] is None else f"{row[part]:.{digits}f}"
           for part, digits in (("likely_front", 2), ("overlapping", 2), ("standard_errors", 1)))]
        for row in outputs[0][0]["intervals"]
    ]  # fmt: skip
    heads = ["votes per pair", "worlds", "likely front", "overlapping intervals",
             "difference in standard errors"]  # fmt: skip
    return markdown(heads, rows)


def likely_budget(outputs: Records) -> str:
    numbers = (50, 100, 200, 400)
    rows = [
        ["chosen by the model" if row["pairs"] == "model" else row["pairs"],
         *(f"{row[f'brier_{n}']:.3f} / {row[f'f1_{n}']:.2f}" for n in numbers)]
        for row in outputs[0]
    ]  # fmt: skip
    return markdown(["pairs", *(f"{number} votes" for number in numbers)], rows)


def serve(outputs: Records) -> str:
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    rows = []
    for (row,) in outputs:
        times = [", ".join(f"{ms:.0f}" for ms in row[kind]) for kind in ("ask_ms", "answer_ms")]
        rows.append(
            [names[row["database"]], f"{row['votes_per_second']:.0f}",
             *(f"{time} ms" for time in times),
             f"{row['bare_rows_per_second']:.0f} rows per second", f"{row['ratio']:.2f}"]
        )  # fmt: skip
    heads = ["", "votes per second", "time to get a duel: median, 99th percentile",
             "time to answer it: median, 99th percentile", "bare endpoint", "ratio"]  # fmt: skip
    return markdown(heads, rows)


def others(outputs: Records) -> str:
    import others as programs  # which needs the other tools

    tables = {
        "films": programs.film_tables,
        "budget": programs.budget_tables,
        "winner": programs.winner_tables,
        "set": programs.set_tables,
    }
    [[found]] = outputs
    return "\n".join(line for what, rows in found.items() for line in tables[what](rows)).strip()
