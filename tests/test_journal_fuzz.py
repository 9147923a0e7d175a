"""Journals with odd lines: any value anywhere is taken or named in one sentence, never a crash."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import antichain as ac
from antichain._journal import JournalKind
from antichain.arenas._recorded import RECORDING
from antichain.errors import FileError
from antichain.experiments import curves, sweep
from antichain.experiments._engine import SWEEP
from antichain.experiments._findings import claims
from antichain.experiments._output import manifest
from antichain.study import Study
from antichain.study._records import STUDY

from .experiments.cases import SMALL
from .run_cases import ALGORITHMS, arena_for
from .study.world import ITEMS, QUICK, opened, played

ODD: list[Any] = [
    None, 0, -1, 3.5, True, "x", "", "\x00", [], {}, [1], {"a": 1}, [["a"]], [[-1] * 6],
    int("9" * 400), -int("9" * 400), 2**63, -(2**63) - 1, 1e308, -5, 1e18, "\ud800",
]  # fmt: skip
DEEP = "[" * 100_000 + "]" * 100_000
FEW = SMALL.chosen(1, ["slicing", "uniform"])
METHOD = ALGORITHMS["unchained"]


def changed(rng: random.Random, value: Any) -> Any:
    """The value with something odd somewhere in it."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.2:
        return rng.choice(ODD)
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = rng.choice(places)
    if rng.random() < 0.2:
        del value[place]
    else:
        value[place] = changed(rng, value[place])
    if isinstance(value, dict) and rng.random() < 0.1:
        value["more"] = rng.choice(ODD)
    return value


def make_study(path: Path) -> None:
    with opened(path) as study:
        played(study, most=4)
        study.expire(study.ask(1)[0], reason="nobody came", cost=0.5)
        study.undo(voter=list(study.votes())[-1].voter)


def use_study(path: Path) -> None:
    json.dumps(asdict(Study.read(path).progress), allow_nan=False)
    with Study.open(path, ITEMS, QUICK) as study:
        played(study, most=2)
        study.votes_csv().encode()


def make_recording(path: Path) -> None:
    ac.find_front(arena_for("unchained"), METHOD, record=path)


def use_recording(path: Path) -> None:
    ac.find_front(arena_for("unchained"), METHOD, record=path, resume=True)


def make_sweep(path: Path) -> None:
    sweep(FEW, store=path)


def use_sweep(path: Path) -> None:
    rows = sweep(FEW, store=path)
    found = [asdict(point) for point in curves(FEW, rows)]
    json.dumps([found, manifest(FEW, 0, rows, claims(FEW, rows))], allow_nan=False)


def refusal(use: Callable[[Path], None], path: Path) -> str | None:
    """What is said against the journal; any other exception is a failure of the test."""
    try:
        use(path)
    except FileError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("kind", "make", "use"),
    [
        (STUDY, make_study, use_study),
        (RECORDING, make_recording, use_recording),
        (SWEEP, make_sweep, use_sweep),
    ],
    ids=lambda part: getattr(part, "noun", ""),
)
def test_odd_lines(
    tmp_path: Path, kind: JournalKind, make: Callable[[Path], None], use: Callable[[Path], None]
) -> None:
    path = tmp_path / "journal"
    make(path)
    whole = [json.loads(line) for line in path.read_bytes().splitlines()]
    rng = random.Random(11)
    came: Counter[str] = Counter()
    for _ in range(200):
        lines = json.loads(json.dumps(whole))
        place = rng.choice([0, 1, len(lines) - 1, rng.randrange(len(lines))])
        lines[place] = changed(rng, lines[place])
        content, checksum = b"", 0
        try:
            for line in lines:
                if kind.chained and isinstance(line, dict):
                    line.pop("crc", None)
                raw, checksum = kind.encode(line, checksum)
                content += raw
        except UnicodeEncodeError:
            continue  # no file holds half a character as it is
        path.write_bytes(content)
        message = refusal(use, path)
        came["taken" if message is None else "refused"] += 1
        if message is not None:
            assert str(path) in message
            assert "\n" not in message
            assert len(message) < 1000
            assert path.read_bytes() == content
    assert came["refused"] > 50, came
    assert came["taken"] > 5, came


@pytest.mark.parametrize(
    ("kind", "make", "use"),
    [(RECORDING, make_recording, use_recording), (SWEEP, make_sweep, use_sweep)],
    ids=lambda part: getattr(part, "noun", ""),
)
@pytest.mark.parametrize("odd", [DEEP, "9" * 5000, '{"a": ' + "9" * 5000 + "}", "{", "7", '"x"'])
def test_lines_that_are_no_object(
    tmp_path: Path,
    kind: JournalKind,
    make: Callable[[Path], None],
    use: Callable[[Path], None],
    odd: str,
) -> None:
    path = tmp_path / "journal"
    make(path)
    header, _, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, odd, *rest, ""]))
    with pytest.raises(FileError, match="line 2 is damaged"):
        use(path)
