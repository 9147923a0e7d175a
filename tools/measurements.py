"""Run the benchmarks again and put what they find into the tables of the documentation.

    python tools/measurements.py [--only NAME] [--list] [--quick] [--stored]

A page marks a table by `<!-- measured: NAME -->` and `<!-- end -->`; `benchmarks/measured.py` says
which commands make it and how their output becomes Markdown. Everything takes hours: `--list` says
how long each table takes on two quiet cores, and `--only` makes one. `--quick` takes few runs,
prints, and writes nothing. Output is kept in out/measurements, and `--stored` uses what is there
instead of running again, so that an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from measured import MEASURED  # noqa: E402


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
