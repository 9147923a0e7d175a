"""Recordings: what an arena answered, line by line; played again, or taken up from there.

A recording is JSON lines: a header (format, version, items, whatever identifies the run and the
arena, and the arena's random state), then one line for each batch of answers with the state
after it. Answers are appended and flushed before the algorithm hears them, so that a run that is
interrupted, even killed, can be played again up to its last whole line and go on from there as
if it had never stopped.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from antichain.algorithms.rounds import Ask, Race, RaceOutcome, Round
from antichain.arenas.base import Arena
from antichain.arenas.wrappers import Wrapper
from antichain.errors import FileError
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import COUNTS, Counts

FORMAT = "antichain-recording"
VERSION = 1


class Replay(Arena):
    """Gives the answers of a recording again, in order, and none beyond its end.

    Run the same algorithm with the same seed over it: anything else would ask other questions,
    and is refused.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.header, *lines = _read(self.path)
        self.items = tuple(self.header["items"])
        self.observable = self.header["arena"]["observable"]
        self.decoy_gap = self.header["arena"]["decoy_gap"]
        self.lines = deque(lines)
        self._state = self.header["state"]

    def state(self) -> Any:
        """The recorded arena's state after the last answer given."""
        return self._state

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Whether the next line is the outcome of a whole round."""
        return bool(self.lines) and "settled" in self.lines[0]

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The recorded answers to these very asks."""
        line = self._next("asks", _questions(asks))
        try:
            return [Tally.of(Tally(*tally)) for tally in line["tallies"]]
        except (KeyError, TypeError, ValueError) as cause:
            raise self._broken() from cause

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """The recorded outcome of this very round."""
        line = self._next("settled", _pairs(message))
        try:
            counts = np.array(line["counts"], np.int64).reshape(len(message), COUNTS)
            if "eliminated" not in line:
                return counts
            return RaceOutcome(tuple((int(a), int(b)) for a, b in line["eliminated"]), counts)
        except (KeyError, TypeError, ValueError) as cause:
            raise self._broken() from cause

    def _next(self, kind: str, question: list[Any]) -> dict[str, Any]:
        if not self.lines:
            raise FileError(f"{self.path} ends here; the run it records went no further.")
        line = self.lines.popleft()
        if line.get(kind) != question:
            raise FileError(f"{self.path} does not fit this run: it was asked something else then.")
        if "state" not in line:
            raise self._broken()
        self._state = line["state"]
        return line

    def _broken(self) -> FileError:
        return FileError(f"{self.path} has a line that is no answer of a recording; it is damaged.")


class Recorded(Wrapper):
    """Passes questions to another arena and writes its answers down.

    Args:
        inner: Who answers.
        path: Where to write. If the file is there and `resume` is set, its answers are given
            first, and `inner` goes on from the state it had then.
        run: What identifies the run (algorithm, parameters, seed); a recording of another run
            is refused.
        resume: Whether an existing file is to be taken up again.
    """

    def __init__(self, inner: Arena, path: str | Path, run: dict[str, Any], resume: bool) -> None:
        super().__init__(inner)
        self.path = Path(path)
        self._past: Replay | None = None
        header = {
            "format": FORMAT,
            "version": VERSION,
            "items": list(inner.items),
            "arena": inner.identity(),
            "run": run,
        }
        if not self.path.exists() or (resume and _barely_begun(self.path)):
            self._rewrite([header | {"state": inner.state()}])
        elif not resume:
            raise FileError(f"{self.path} is already there; resume from it or choose another name.")
        else:
            self._past = self._take_up(json.loads(json.dumps(header)))
        self._file = self._append()

    def _take_up(self, header: dict[str, Any]) -> Replay:
        past = Replay(self.path)
        if {key: past.header.get(key) for key in header} != header:
            raise FileError(
                f"{self.path} is a recording of another run (items, arena, algorithm, parameters "
                "or seed differ); give the same ones to resume it."
            )
        self._rewrite([past.header, *past.lines])  # a half-written last line goes
        if not past.lines:
            self.inner.restore(past.state())
        return past

    def _rewrite(self, lines: list[dict[str, Any]]) -> None:
        """Make the file hold just these lines; written beside and moved, so it is never lost."""
        draft = self.path.with_name(self.path.name + ".draft")
        try:
            draft.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            draft.replace(self.path)
        except OSError as cause:
            raise FileError(f"{self.path} cannot be written: {cause.strerror}.") from cause

    def _append(self) -> IO[str]:
        try:
            return self.path.open("a", encoding="utf-8")
        except OSError as cause:
            raise FileError(f"{self.path} cannot be written: {cause.strerror}.") from cause

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The recorded answers, then the inner arena's."""
        if self._past is not None and self._past.lines:
            tallies = self._past.answer(asks)
            self._catch_up(self._past)
            return tallies
        tallies = self.inner.answer(asks)
        self._write({"asks": _questions(asks), "tallies": [list(tally) for tally in tallies]})
        return tallies

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """The recorded outcome, then the inner arena's."""
        if self._past is not None and self._past.lines:
            outcome = self._past.settle(message, allowance)
            self._catch_up(self._past)
            return outcome
        outcome = self.inner.settle(message, allowance)
        line: dict[str, Any] = {"settled": _pairs(message)}
        if isinstance(outcome, RaceOutcome):
            line["counts"] = outcome.counts.tolist()
            line["eliminated"] = [list(pair) for pair in outcome.eliminated]
        else:
            line["counts"] = outcome.tolist()
        self._write(line)
        return outcome

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _catch_up(self, past: Replay) -> None:
        """Once the record is exhausted, the inner arena goes on from where it was then."""
        if not past.lines:
            self.inner.restore(past.state())

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line | {"state": self.inner.state()}) + "\n")
        self._file.flush()


def _barely_begun(path: Path) -> bool:
    """Whether a run was killed while it wrote the very first line."""
    start = f'{{"format": "{FORMAT}"'
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return "\n" not in text and (text.startswith(start) or start.startswith(text))


def _questions(asks: Sequence[Ask]) -> list[Any]:
    return [[ask.left, ask.right, ask.decoy, ask.duels] for ask in asks]


def _pairs(message: Round | Race) -> list[Any]:
    return [message.lefts.tolist(), message.rights.tolist()]


def _read(path: Path) -> list[dict[str, Any]]:
    """The header and the whole lines of a recording."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        raise FileError(f"{path} cannot be read as a recording: {cause}.") from cause
    # A line without its newline was being written when the run was killed: drop it.
    lines = [_parsed(path, number, line) for number, line in enumerate(text.split("\n")[:-1], 1)]
    header = lines[0] if lines else {}
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise FileError(
            f"{path} is no recording of this version: its first line should say format "
            f"{FORMAT!r}, version {VERSION}."
        )
    if not {"items", "arena", "run", "state"} <= header.keys():
        raise FileError(f"{path}, line 1: items, arena, run or state is missing.")
    return lines


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as cause:
        raise FileError(f"{path}, line {number}: not JSON ({cause.msg}).") from cause
    if not isinstance(value, dict):
        raise FileError(f"{path}, line {number}: expected an object, got {line[:40]!r}.")
    return value
