"""Run the benchmarks again and put what they find into the tables of the documentation.

    python tools/measurements.py [--only NAME] [--list] [--quick] [--stored]

A page marks a table by `<!-- measured: NAME -->` and `<!-- end -->`. MEASURED says which commands
make it, and `benchmarks/measured.py` how their output becomes Markdown. Everything takes hours:
`--list` says how long each table takes on two quiet cores, and `--only` makes one. `--quick` takes
few runs, prints, and writes nothing. Output is kept in out/measurements, and `--stored` uses what
is there instead of running again, so that an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import measured  # noqa: E402
from measured import AGAINST_LIMIT, FINDERS, RULES, SHOWN, SIMULATE, Records  # noqa: E402


@dataclass(frozen=True)
class Measured:
    """One table or picture of a page."""

    name: str
    page: str
    commands: tuple[str, ...]
    runs: str
    minutes: float
    render: Callable[[Records], str]
    quick: dict[str, str] = field(default_factory=dict)
    """For a quick look: what some options are instead, and after "" what else to say."""

    def block(self, outputs: Records) -> str:
        """What stands between the markers: the table, and how it was made."""
        return f"{self.render(outputs)}\n\n{self.source()}\n"

    def source(self) -> str:
        """The line below the table, with what the commands have in common said once."""
        words = [command.split() for command in self.commands]
        same = [word for word, *others in zip(*words, strict=False) if set(others) <= {word}]
        shared = " ".join(same[:-1] if same and same[-1].startswith("--") else same)
        if len(words) == 1 or not all(command.startswith(shared) for command in self.commands):
            return f"{self.runs}. Made by {_listed(self.commands)}."
        rest = [command.removeprefix(shared).strip() for command in self.commands]
        return f"{self.runs}. Made by `{shared}` with {_listed(rest)}."

    def commands_for(self, quick: bool) -> list[str]:
        """The commands, with few runs where `quick` asks for them."""
        return [_with(command, self.quick) if quick else command for command in self.commands]


def _listed(quotes: Sequence[str]) -> str:
    *first, last = (f"`{quote}`" for quote in quotes)
    return f"{', '.join(first)} and {last}" if first else last


def _with(command: str, options: dict[str, str]) -> str:
    words = shlex.split(command)
    for option, value in options.items():
        if option in words:
            place = words.index(option) + 1
            end = place
            while end < len(words) and not words[end].startswith("--"):
                end += 1
            words[place:end] = value.split()
    words += options.get("", "").split()
    return shlex.join(words)


# What is measured ---------------------------------------------------------------------------------

NUMBERS = "docs/measurements/numbers.md"
DUELS = "python benchmarks/duels.py --posets 100 --picture docs/images/duels.png"
MANY = "python -m tests.guarantees.many_runs"
CALIBRATION = "python benchmarks/likely.py calibration --worlds 400 --seed 41 --json"
SEEDS = "Seeds 0 to 99"
FEWER = {"": "--divide 500"}
FEW = {"--runs": "2", "--posets": "2", "--picture": "out/quick.png"}

LIKELY, LIMIT = "docs/theory/likely-front.md", "docs/theory/limit.md"
MEASURED = [
    Measured("defaults", NUMBERS, tuple(RULES.values()), SEEDS, 1, measured.defaults, FEW),
    Measured(
        "chain-finders", NUMBERS,
        tuple(f"{SIMULATE} --algorithm slicing --gaps minimum:0.02 --maximum {finder}"
              for *_, finder in FINDERS),
        SEEDS, 1, measured.chain_finders, FEW,
    ),
    Measured("orient", NUMBERS, ("python benchmarks/observable.py --posets 100",), SEEDS, 2,
             measured.orient, FEW),
    Measured("orient-misjudged", NUMBERS,
             ("python benchmarks/observable.py --posets 100 --error 0.1",), SEEDS, 3,
             measured.orient_misjudged, FEW),
    Measured("orient-chains", NUMBERS, ("python benchmarks/observable.py --chains 10000",),
             "One run for each number of items", 1, measured.orient_chains, {"--chains": "200"}),
    Measured("duels", NUMBERS, (DUELS,), SEEDS, 8, measured.duels, FEW),
    Measured("duels-picture", NUMBERS, (DUELS,), "Seeds 0 to 19 at each point", 8,
             measured.duels_picture, FEW),
    Measured("regret", NUMBERS, (DUELS,), SEEDS, 8, measured.regret, FEW),
    Measured("witness-errors", NUMBERS,
             ("python benchmarks/errors.py --delta 0.05 --runs 20000",
              "python benchmarks/errors.py --delta 0.2 --runs 5000"),
             "Each cell gives the errors and the number of runs", 240, measured.errors,
             {"--runs": "250 --world retries"}),
    Measured("error-rates", NUMBERS, (f"{MANY} default_rules",),
             "Each cell gives the errors and the number of runs", 30, measured.errors, FEWER),
    Measured("speed", NUMBERS, ("python benchmarks/speed.py --json",),
             "20 runs of whole comparisons, one of the others", 2, measured.speed,
             {"": "--runs 2"}),
    Measured("scale", NUMBERS, ("python benchmarks/scale.py --sizes 1000 10000 100000 --json",),
             "One run for each number of items", 1, measured.scale, {"--sizes": "200 1000"}),
    Measured("votes", NUMBERS,
             ("python benchmarks/votes.py --votes 1000000 --repeats 3 --memory 100000000",),
             "The best of three runs; one run with 10 and 100 million rows", 6, measured.votes,
             {"--votes": "20000", "--memory": "100000", "--repeats": "1"}),
    Measured("certificate-errors", NUMBERS, (f"{MANY} certificates families clusters",),
             "Each cell gives the errors and the number of runs", 30, measured.errors, FEWER),
    Measured("decoy-log-errors", NUMBERS, (f"{MANY} decoys_in_logs",),
             "Each cell gives the errors and the number of runs", 15, measured.errors, FEWER),
    Measured("real-decoy-errors", NUMBERS, (f"{MANY} real_decoys",),
             "Each cell gives the errors and the number of runs", 30, measured.errors, FEWER),
    Measured("figures", "docs/measurements/reproduction.md",
             tuple(f"antichain reproduce figure-{which} -o out --runs 10 --workers 2"
                   for which in SHOWN),
             "Seed 0, ten runs per point", 2, measured.figures, {"--runs": "1"}),
    Measured("likely-skill", LIKELY, (CALIBRATION,), "400 worlds", 15, measured.likely_skill,
             {"--worlds": "2"}),
    Measured("likely-tenths", LIKELY, (CALIBRATION,), "400 worlds", 15, measured.likely_tenths,
             {"--worlds": "2"}),
    Measured("likely-intervals", LIKELY, (CALIBRATION,), "400 worlds", 15,
             measured.likely_intervals, {"--worlds": "2"}),
    *(Measured(f"likely-budget-{items}", LIKELY,
               (f"python benchmarks/likely.py budget --items {items} --worlds {worlds} --seed 12 "
                "--json",),
               f"{worlds} worlds", minutes, measured.likely_budget, {"--worlds": "1"})
      for items, worlds, minutes in ((8, 60, 20), (12, 30, 15), (20, 20, 15))),
    Measured("limits", LIMIT, ("python benchmarks/duels.py --limits --posets 100",), SEEDS, 0.5,
             measured.limits, FEW),
    Measured("limit-runs", LIMIT, tuple(command for *_, command in AGAINST_LIMIT), SEEDS, 2,
             measured.limit_runs, FEW),
    Measured("judge", "docs/theory/few-votes.md",
             ("python benchmarks/judge.py --worlds 20 --sizes 8 12 20 30 --json",), "20 worlds",
             10, measured.judge, {"--worlds": "2", "--sizes": "8"}),
    Measured("serve", "docs/guides/deploy.md",
             ("python benchmarks/serve.py --json --seconds 10 --database sqlite",
              "python benchmarks/serve.py --json --seconds 10 --database postgresql"),
             "200 voters, 10 seconds each", 1, measured.serve, {"--seconds": "2"}),
    *(Measured(f"others-{what}", "docs/measurements/others.md",
               (f"python benchmarks/others.py {what}{worlds} --json",), runs, minutes,
               measured.others, {"": "--quick"})
      for what, worlds, runs, minutes in (
          ("films", "", "Exact shares of votes", 0.1),
          ("budget", " --worlds 9", "9 worlds of each kind and size", 5),
          ("winner", " --worlds 9", "9 worlds of each kind and size", 5),
          ("set", " --worlds 9", "9 worlds of each kind and size", 5))),
]  # fmt: skip


# Running, and writing pages ----------------------------------------------------------------------


def slug(command: str) -> str:
    """A command as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", command.lower())


def output_of(command: str, root: Path, stored: bool) -> list[Any]:
    """The JSON records that a command prints, or the rows of the curves of an experiment."""
    kept = root / "out" / "measurements" / f"{slug(command)}.txt"
    if not (stored and kept.exists()):
        print(f"running {command}", file=sys.stderr, flush=True)
        words = shlex.split(command)
        program = [sys.executable]
        if words[0] == "antichain":
            program += ["-c", "import sys; from antichain.cli import main; sys.exit(main())"]
        done = subprocess.run(
            [*program, *words[1:]], cwd=root, check=True, stdout=subprocess.PIPE, text=True
        )
        text = done.stdout
        if words[1] == "reproduce":
            text = (root / "out" / words[2] / "curves.csv").read_text("utf-8")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(text, "utf-8")
    return parsed(kept.read_text("utf-8"))


def parsed(text: str) -> list[Any]:
    """The records of CSV with a head, of JSON lines, or the one record of a JSON text."""
    if not text.lstrip().startswith(("{", "[")):
        import csv

        return list(csv.DictReader(text.splitlines()))
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def marked(name: str) -> re.Pattern[str]:
    """The place that a page marks by this name, in three groups: marker, block, end."""
    return re.compile(rf"(<!-- measured: {name} -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL)


def rewrite(page: Path, name: str, block: str) -> None:
    """Put a block between the markers of a page."""
    text, found = marked(name).subn(
        lambda match: match[1] + block + match[3], page.read_text("utf-8")
    )
    if found != 1:
        raise SystemExit(f"{page} has {found} places marked '<!-- measured: {name} -->', not one")
    page.write_text(text, "utf-8")


def main() -> None:
    """Make the tables that are asked for."""
    names = [one.name for one in MEASURED]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=names, metavar="NAME")
    parser.add_argument("--list", action="store_true", help="list the tables, and do nothing")
    parser.add_argument("--quick", action="store_true", help="few runs; print, and write nothing")
    parser.add_argument("--stored", action="store_true", help="use output that is there already")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to work in")
    options = parser.parse_args()
    chosen = [one for one in MEASURED if one.name in (options.only or names)]
    done: dict[str, list[Any]] = {}
    for one in chosen:
        if options.list:
            print(f"{one.name:20} {one.minutes:5g} min  {one.page}  {' ; '.join(one.commands)}")
            continue
        commands = one.commands_for(options.quick)
        for command in commands:
            if command not in done:  # several tables may come from one command
                done[command] = output_of(command, options.root, options.stored)
        outputs = [done[command] for command in commands]
        if options.quick:
            print(f"{one.name}\n\n{one.render(outputs)}\n")
        else:
            rewrite(options.root / one.page, one.name, one.block(outputs))


if __name__ == "__main__":
    main()
