"""Runs cases, inside this process or by the real command, and says what is wrong with each."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .damage import damaged
from .materials import PRECIOUS, RECIPES, Case

SECONDS = 20
MEGABYTES = 850  # beside some 150 that a process has before it begins: less than 1 GB in all
# What no output may hold, since it steers a terminal or breaks the encoding.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_CODES = {0, 1, 2}


class TooSlow(BaseException):
    """Not an Exception, so that no handler of the command's own takes it for one of its errors."""


@dataclass
class Outcome:
    code: int | None
    out: str
    err: str
    seconds: float
    megabytes: int = 0  # that the process grew by meanwhile, where that is known
    troubles: list[str] = field(default_factory=list)


def make(seed: int) -> Case:
    """The case of a seed."""
    rng = Random(seed)
    recipe = rng.choices(list(RECIPES), list(RECIPES.values()))[0]
    return damaged(rng, recipe(rng))


def run(case: Case, *, really: bool = False) -> Outcome:
    """Run a case in a folder of its own; `really` by the command in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as name:
        folder = Path(name)
        _set_up(case, folder)
        before = _contents(folder)
        outcome = _by_command(case, folder) if really else _inside(case, folder)
        _judge(case, outcome, before, _contents(folder))
    return outcome


def _set_up(case: Case, folder: Path) -> None:
    for name, content in (PRECIOUS | case.files).items():
        path = folder / name
        with contextlib.suppress(OSError, ValueError):
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.mkdir(exist_ok=True)
            else:
                path.write_bytes(content)
    with contextlib.suppress(OSError):
        (folder / "loop").symlink_to("loop")


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).digest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _inside(case: Case, folder: Path) -> Outcome:
    from antichain.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    stdin = io.TextIOWrapper(io.BytesIO(case.stdin), "utf-8")
    start, before, code = time.monotonic(), _forget_peak(), None
    quiet = contextlib.suppress(TooSlow)
    with quiet, _alarm(), contextlib.chdir(folder), _streams(stdin, out, err):
        code = main(case.line)
    took = time.monotonic() - start
    texts = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
    outcome = Outcome(code, *texts, took, _memory("VmHWM") - before)
    if outcome.megabytes > MEGABYTES:
        outcome.troubles.append(f"{outcome.megabytes:,} MB")
    return outcome


def _memory(which: str) -> int:
    """What this process has ("VmRSS"), or had at most since `_forget_peak` ("VmHWM"), in MB."""
    found = re.search(rf"{which}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


def _forget_peak() -> int:
    """Begin to measure anew; what there is to begin with."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # not every machine lets a process do that; then only a new peak counts
        return _memory("VmHWM")
    return _memory("VmRSS")


@contextlib.contextmanager
def _streams(stdin: object, out: object, err: object) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = stdin, out, err  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _by_command(case: Case, folder: Path) -> Outcome:
    program = "import sys; from antichain.cli import main; sys.exit(main())"
    line = [sys.executable, "-c", program, *case.line]
    start = time.monotonic()
    try:
        done = subprocess.run(
            line, input=case.stdin, capture_output=True, cwd=folder, timeout=2 * SECONDS,
            preexec_fn=_bounded, check=False,
        )  # fmt: skip
    except ValueError:  # a zero byte cannot be handed to a process
        return Outcome(2, "", "antichain: error: not a command line\n", 0.0)
    except subprocess.TimeoutExpired:
        return Outcome(None, "", "", 2.0 * SECONDS)
    texts = [text.decode("utf-8", "replace") for text in (done.stdout, done.stderr)]
    return Outcome(done.returncode, *texts, time.monotonic() - start)


def _bounded() -> None:
    # Address space, which is more than memory: the compiler alone maps over a gigabyte.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def _judge(case: Case, outcome: Outcome, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    said, code = outcome.troubles, outcome.code
    if code is None or outcome.seconds > 2 * SECONDS:
        said.append(f"more than {SECONDS} seconds")
        return
    if code not in _CODES:
        said.append(f"exit code {code}: {outcome.err.strip()[:300]}")
    if "Traceback" in outcome.err or "Traceback" in outcome.out:
        said.append("a traceback")
    if code == 2 and not _is_one_sentence(outcome.err):
        said.append(f"not one sentence: {outcome.err[:300]!r}")
    for name, text in (("stdout", outcome.out), ("stderr", outcome.err)):
        if steering := _STEERING.search(text):
            said.append(f"{name} holds {steering[0]!a}")
    if "--json" in case.arguments and code in (0, 1) and case.command != "study":
        lines = outcome.out.splitlines()
        said += [f"not JSON: {line[:80]!r}" for line in lines if not _is_json(line)]
    gone = [name for name in before if after.get(name) != before[name]]
    if forced := [name for name in gone if name not in case.changing]:
        said.append(f"changed {forced}")
    _check_rows(case, outcome)


def _check_rows(case: Case, outcome: Outcome) -> None:
    """Every row of a log is counted, counted as bad, or the log is refused."""
    if case.rows is None or case.command != "front" or outcome.code not in (0, 1):
        return
    good, bad = case.rows
    if bad and "--skip-bad" not in case.arguments:
        outcome.troubles.append(f"{bad} bad rows, and no word of them")
    if "--json" in case.arguments:
        found = json.loads(outcome.out)
        counted = found["votes"]
        noted = f"Skipped {bad:,} bad row" in " ".join(found["notes"])
        if counted != good or (bad and not noted):
            outcome.troubles.append(f"{good} good rows and {bad} bad, but {counted} votes counted")


def _is_one_sentence(err: str) -> bool:
    # Bad rows are listed below their sentence, indented.
    last = err.strip().split("\n  ")[0].split("\n")[-1]
    errors = err.count("antichain: error: ")
    return last.startswith("antichain: error: ") and errors == 1 and len(last) < 2_000


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@dataclass
class Tally:
    """What became of many cases."""

    cases: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    codes: Counter[int | None] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)  # seconds and seed
    largest: tuple[int, int] = (0, -1)  # megabytes and seed
    troubles: dict[int, list[str]] = field(default_factory=dict)

    def add(self, seed: int, case: Case, outcome: Outcome) -> None:
        self.cases += 1
        self.classes.update(case.classes)
        self.commands[case.command] += 1
        self.codes[outcome.code] += 1
        self.slowest = max(self.slowest, (outcome.seconds, seed))
        self.largest = max(self.largest, (outcome.megabytes, seed))
        if outcome.troubles:
            self.troubles[seed] = outcome.troubles


def run_many(
    seeds: range, *, really: bool = False, report: Callable[[str], None] = lambda text: None
) -> Tally:
    """Run the cases of these seeds; what is wrong with one is reported at once."""
    tally = Tally()
    for seed in seeds:
        case = make(seed)
        outcome = run(case, really=really)
        tally.add(seed, case, outcome)
        if outcome.troubles:
            report(f"{seed}, {case.command}, {', '.join(case.classes)}: {outcome.troubles}")
    return tally


def keep(seed: int, folder: Path) -> Case:
    """Write the files of a case to a folder, to look at it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case = make(seed)
    _set_up(case, folder)
    (folder / "command.txt").write_text(ascii(case.line) + "\n")
    return case
