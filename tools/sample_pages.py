"""Make pages about simulated logs, to look at: few and many items, sparse and dense, long names.

    python tools/sample_pages.py FOLDER [--shots] [--only WORD]

With --shots, Chromium photographs each page: wide and narrow, light and dark, and as it is printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np

from antichain.certify import certify
from antichain.certify.report import page
from antichain.votes._vote_log import VoteLog

CASES = {
    "5-dense": (5, 400, "plain"),
    "5-sparse": (5, 3, "plain"),
    "50-dense": (50, 300, "long"),
    "50-sparse": (50, 3, "long"),
    "500-dense": (500, 60, "plain"),
    "500-sparse": (500, 0.05, "long"),
}
"""The number of items, the mean number of votes on a pair, and the kind of names."""

SHOTS = {"wide": (1280, 5000, ""), "narrow": (390, 5000, ""), "dark": (1280, 2400, "dark")}


def names_of(size: int, kind: str) -> list[str]:
    """Names of so many items, short ones or long ones that differ little."""
    if kind == "plain":
        return [f"item {k + 1}" for k in range(size)]
    sizes = ("7b", "13b", "70b")
    return [
        f"organisation/a-very-long-model-name-{k // 3 + 1:03d}-{sizes[k % 3]}-instruct-q4_K_M.gguf"
        for k in range(size)
    ]


def simulated(size: int, votes: float, kind: str, seed: int = 1) -> VoteLog:
    """Votes on items of three families; the left side wins a little more often than it should."""
    rng = np.random.default_rng(seed)
    names, skill = names_of(size, kind), rng.normal(0, 0.8, size)
    family = rng.integers(0, 3, size)
    number = int(votes * size * (size - 1) / 2)
    ends = rng.integers(0, size, (number, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    lead = np.where(family[ends[:, 0]] == family[ends[:, 1]], 1.0, 0.2)
    lead = lead * (skill[ends[:, 0]] - skill[ends[:, 1]]) + 0.15
    draw, tie = rng.random(len(ends)), 0.2
    left = (1 - tie) / (1 + np.exp(-lead))
    answers = np.select([draw < left, draw < left + tie], ["left", "tie"], default="right")
    rows = [
        (names[i], names[j], answer)
        for (i, j), answer in zip(ends.tolist(), answers.tolist(), strict=True)
    ]
    return VoteLog.from_rows(rows, names, source=f"{size} items.csv")


def photograph(document: Path, chromium: str) -> None:
    """Photograph a page in each way, and print it."""
    for shot, (width, height, theme) in SHOTS.items():
        target = document.with_name(f"{document.stem}-{shot}.png")
        options = [f"--window-size={width},{height}", f"--screenshot={target}"]
        if theme:
            options.append("--blink-settings=preferredColorScheme=0")
        _run(chromium, document, options)
    _run(chromium, document, [f"--print-to-pdf={document.with_suffix('.pdf')}"])


def _run(chromium: str, document: Path, options: list[str]) -> None:
    start = [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
    subprocess.run([*start, *options, document.resolve().as_uri()], check=True, capture_output=True)


def main() -> None:
    """Make the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shots", action="store_true", help="photograph the pages with Chromium")
    parser.add_argument("--only", default="", help="only the pages whose name has this in it")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if given.shots and chromium is None:
        parser.error("--shots is given, but there is no Chromium on the path")
    for name, (size, votes, kind) in CASES.items():
        if given.only not in name:
            continue
        log = simulated(size, votes, kind)
        begun = time.perf_counter()
        found = certify(log)
        judged = time.perf_counter()
        document = given.folder / f"{name}.html"
        document.write_text(page(found, log), encoding="utf-8")
        drawn = time.perf_counter()
        print(
            f"{document}: {log.votes:,} votes, judged in {judged - begun:.1f} s, drawn in "
            f"{drawn - judged:.1f} s, {document.stat().st_size:,} bytes"
        )
        if given.shots:
            photograph(document, str(chromium))


if __name__ == "__main__":
    main()
