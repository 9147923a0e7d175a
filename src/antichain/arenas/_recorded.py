"""Recordings: what an arena answered, line by line, to be replayed or taken up again.

A recording is a journal (`antichain._journal`). Its header has the items, whatever identifies the
arena and the run, and the arena's random state; each further line has one batch of answers and the
state after it. A line is written before the algorithm hears the answers, so that a run that was
interrupted, even killed, can be replayed up to its last whole line and goes on from there as if it
had never stopped.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from antichain import _checks
from antichain._journal import Content, Journal, JournalKind, read
from antichain.algorithms._rounds import Ask, Race, RaceOutcome, Round
from antichain.arenas._arena import Arena, Wrapper
from antichain.errors import FileError, InputError
from antichain.evidence._answers import COUNTS, Counts, Tally

# Not synced: a simulated run writes thousands of lines a second, and can be repeated.
RECORDING = JournalKind("recording", "antichain-recording", 1, synced=False)


class Replay(Arena):
    """An arena that repeats the answers of a recording, in order, up to its end.

    Run the same algorithm with the same seed on it; any other run asks other questions, which is
    an error.
    """

    def __init__(self, path: str | Path, content: Content | None = None) -> None:
        _checks.path("path", path, optional=False)
        self.path = Path(path)
        if content is None:
            content = read(self.path, RECORDING)
        self.header = content.header or {}
        match self.header:
            case {
                "items": list(items),
                "arena": {"observable": bool(observable), "decoy_gap": None | int() | float()},
                "run": dict(),
                "state": state,
            } if all(isinstance(item, str) for item in items):
                pass
            case _:
                raise FileError(
                    f"{self.path}, line 1 lacks items, arena, run or state, so the recording "
                    "cannot be replayed; start a new one."
                )
        self.items = tuple(items)
        self.observable = observable
        self.decoy_gap = self.header["arena"]["decoy_gap"]
        self.lines = deque(content.lines)
        self.line = 1  # the line of the file that was read last
        self._state = state

    def state(self) -> Any:
        return self._state

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Whether the next line is the outcome of a whole round."""
        return bool(self.lines) and "settled" in self.lines[0]

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        line = self._next("asks", _questions(asks))
        try:
            return [Tally.of(Tally(*tally)) for tally in line["tallies"]]
        except (LookupError, TypeError, ValueError, ArithmeticError, InputError) as cause:
            raise self.broken() from cause

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        line = self._next("settled", _pairs(message))
        try:
            counts = np.array(line["counts"], np.int64).reshape(len(message), COUNTS)
            if (counts < 0).any():
                raise ValueError("a count is negative")
            if not isinstance(message, Race):
                return counts
            return RaceOutcome(tuple((int(a), int(b)) for a, b in line["eliminated"]), counts)
        except (LookupError, TypeError, ValueError, ArithmeticError, InputError) as cause:
            raise self.broken() from cause

    def _next(self, kind: str, question: list[Any]) -> dict[str, Any]:
        if not self.lines:
            raise FileError(
                f"{self.path} ends here: the run it records went no further. To continue that run, "
                "give its arena with record=… and resume=True."
            )
        line = self.lines.popleft()
        self.line += 1
        if line.get(kind) != question:
            raise FileError(
                f"{self.path}, line {self.line} does not fit this run: other duels were asked for "
                "at this point of the recording. Give the algorithm, the seed and the options it "
                "was made with."
            )
        if "state" not in line:
            raise self.broken()
        self._state = line["state"]
        return line

    def broken(self) -> FileError:
        """The error that says where the recording is damaged."""
        return FileError(
            f"{self.path}, line {self.line} lacks the answers or the state of a recording: the "
            "file is damaged; restore it from a copy, or start a new one."
        )


class Recorded(Wrapper):
    """Passes questions to another arena and writes its answers down.

    Args:
        inner: Who answers.
        path: Where to write. If the file is there and `resume` is set, its answers are given
            first, and `inner` goes on from the state it had then.
        run: What identifies the run (algorithm, parameters, seed); a recording of another run
            is refused.
        resume: Whether to take an existing file up again.
    """

    def __init__(self, inner: Arena, path: str | Path, run: dict[str, Any], resume: bool) -> None:
        super().__init__(inner)
        self.path = Path(path)
        if os.path.exists(self.path) and not resume:
            raise FileError(
                f"{self.path} already exists; give resume=True to continue it, or another name."
            )
        header = RECORDING.header(items=list(inner.items), arena=inner.identity(), run=run)
        try:  # as it comes back from the file
            header = json.loads(json.dumps(header, allow_nan=False))
            state = json.loads(json.dumps(inner.state(), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"{self.path} cannot record this run, since JSON cannot hold its arena, its "
                f"algorithm's parameters or its state: {error}."
            ) from error
        self._journal = Journal(self.path, RECORDING)
        try:
            content = self._journal.content
            if content.header is None:
                header["state"] = state
                self._past = Replay(self.path, replace(content, header=header))
                self._journal.append([header])
            else:
                self._past = Replay(self.path, content)
                self._check_same(self._past.header, header)
                self._catch_up()
                self._journal.claim()
        except BaseException:
            self.close()
            raise

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        if self._past.lines:
            tallies = self._past.answer(asks)
            self._catch_up()
            return tallies
        tallies = self.inner.answer(asks)
        self._write({"asks": _questions(asks), "tallies": [list(tally) for tally in tallies]})
        return tallies

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        if self._past.lines:
            outcome = self._past.settle(message, allowance)
            self._catch_up()
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
        self._journal.close()

    def _check_same(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        different = [name for name, value in wanted.items() if found.get(name) != value]
        if different:
            raise FileError(
                f"{self.path} is a recording of another run: its {' and '.join(different)} (of "
                "items, arena, and run: algorithm, parameters, seed, budget, batch) differ from "
                "those given. Give the same ones to resume it."
            )

    def _catch_up(self) -> None:
        """Once the recorded answers are used up, put the inner arena in the state it had then."""
        if self._past.lines:
            return
        try:
            self.inner.restore(self._past.state())
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as cause:
            raise self._past.broken() from cause

    def _write(self, line: dict[str, Any]) -> None:
        self._journal.append([line | {"state": self.inner.state()}])


def _questions(asks: Sequence[Ask]) -> list[Any]:
    return [[ask.left, ask.right, ask.decoy, ask.duels] for ask in asks]


def _pairs(message: Round | Race) -> list[Any]:
    return [message.lefts.tolist(), message.rights.tolist()]
