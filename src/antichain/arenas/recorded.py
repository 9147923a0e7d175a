"""Recordings: what an arena answered, line by line, and taking a run up again from there.

A recording is JSON lines: a header (format, version, items, whatever identifies the run), then
one line for each batch of answers, with the arena's random state after it. Answers are appended
and flushed before the algorithm hears them, so that a run that is interrupted, even killed, can
be played again up to its last whole line and go on from there as if it had never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from antichain.algorithms.asks import Ask
from antichain.algorithms.rounds import Race, RaceOutcome, Round
from antichain.arenas.base import Arena, RegretRates
from antichain.errors import FileError
from antichain.evidence.answers import Tally
from antichain.evidence.sequential import COUNTS, Counts

FORMAT = "antichain-recording"
VERSION = 1


class Recorded(Arena):
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
        self.inner = inner
        self.items = inner.items
        self.observable = inner.observable
        self.decoy_gap = inner.decoy_gap
        self.path = Path(path)
        header = {"format": FORMAT, "version": VERSION, "items": list(inner.items), "run": run}
        self._past: list[dict[str, Any]] = []
        if self.path.exists():
            if not resume:
                raise FileError(
                    f"{self.path} is already there; resume from it or choose another name."
                )
            begun = self._read(header)
        else:
            begun = [header | {"state": inner.state()}]
        self._past = begun[1:]
        if not self._past:
            inner.restore(begun[0]["state"])
        self._file = self._open(begun)

    def _open(self, lines: list[dict[str, Any]]) -> IO[str]:
        """The file, holding just these lines, open for appending."""
        draft = self.path.with_name(self.path.name + ".draft")
        try:
            # Written beside and moved, so that a recording is never lost half way.
            draft.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            draft.replace(self.path)
            return self.path.open("a", encoding="utf-8")
        except OSError as cause:
            raise FileError(f"{self.path} cannot be written: {cause.strerror}.") from cause

    def _read(self, header: dict[str, Any]) -> list[dict[str, Any]]:
        """The whole lines of an earlier recording of the same run, header first."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as cause:
            raise FileError(f"{self.path} cannot be read as a recording: {cause}.") from cause
        # A line without its newline was being written when the run was killed: drop it.
        whole = [_parsed(self.path, number, line) for number, line in enumerate(lines[:-1], 1)]
        if not whole:
            return [header | {"state": self.inner.state()}]
        expected = json.loads(json.dumps(header))
        if {key: whole[0].get(key) for key in header} != expected or "state" not in whole[0]:
            raise FileError(
                f"{self.path} is a recording of another run (items, algorithm, parameters or "
                "seed differ); give the same ones to resume it."
            )
        return whole

    def answer(self, asks: Sequence[Ask]) -> list[Tally]:
        """The recorded answers, then the inner arena's."""
        questions = [[ask.left, ask.right, ask.decoy, ask.duels] for ask in asks]
        past = self._replay("asks", questions)
        if past is not None:
            return [Tally(*tally) for tally in past["tallies"]]
        tallies = self.inner.answer(asks)
        self._write({"asks": questions, "tallies": [list(tally) for tally in tallies]})
        return tallies

    def can_settle(self, message: Round | Race, allowance: int | None) -> bool:
        """Whether the inner arena can."""
        return self.inner.can_settle(message, allowance)

    def settle(self, message: Round | Race, allowance: int | None) -> Counts | RaceOutcome:
        """The recorded outcome, then the inner arena's."""
        pairs = [message.lefts.tolist(), message.rights.tolist()]
        past = self._replay("settled", pairs)
        if past is not None:
            counts = np.array(past["counts"], np.int64).reshape(-1, COUNTS)
            if "eliminated" not in past:
                return counts
            return RaceOutcome(tuple((a, b) for a, b in past["eliminated"]), counts)
        outcome = self.inner.settle(message, allowance)
        if isinstance(outcome, RaceOutcome):
            counts = outcome.counts.tolist()
            extra = {"eliminated": [list(pair) for pair in outcome.eliminated]}
            self._write({"settled": pairs, "counts": counts} | extra)
        else:
            self._write({"settled": pairs, "counts": outcome.tolist()})
        return outcome

    def regret_rates(self) -> RegretRates | None:
        """The inner arena's."""
        return self.inner.regret_rates()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _replay(self, kind: str, question: list[Any]) -> dict[str, Any] | None:
        """The next recorded answer, or None when the record is exhausted."""
        if not self._past:
            return None
        past = self._past.pop(0)
        if past.get(kind) != question:
            raise FileError(f"{self.path} does not fit this run: it was asked something else then.")
        if not self._past:
            self.inner.restore(past["state"])
        return past

    def _write(self, event: dict[str, Any]) -> None:
        self._file.write(json.dumps(event | {"state": self.inner.state()}) + "\n")
        self._file.flush()


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as cause:
        raise FileError(f"{path}, line {number}: not JSON ({cause.msg}).") from cause
    if not isinstance(value, dict):
        raise FileError(f"{path}, line {number}: expected an object, got {line[:40]!r}.")
    return value
