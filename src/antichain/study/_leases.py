"""For how long asks may still be answered, and which of them holds up the votes behind it.

A served study gives up an ask that nobody answers in time. Votes are read in the order of their
asks, so until then those behind it do not count.
"""

from __future__ import annotations

from typing import NamedTuple

from antichain.algorithms._certifying import Inquiry
from antichain.study._records import (
    AnswerRecord,
    AskRecord,
    ExpiryRecord,
    PauseRecord,
    ResumeRecord,
    UndoRecord,
)
from antichain.study._state import FIRST_LINE, StudyState

NOT_IN_TIME = "not answered in time"
"""Why an ask was given up, if nobody answered it."""


class HeldUp(NamedTuple):
    """An ask without an answer, and what it holds up.

    Attributes:
        ask: The ask.
        votes: How many votes behind it do not count yet.
        since: How many seconds ago it was handed out.
        seconds: For how many more it may be answered.
    """

    ask: AskRecord
    votes: int
    since: float
    seconds: float


def held_up(state: StudyState, now: float) -> HeldUp | None:
    """The ask that holds up votes, if one does that is given up by itself."""
    search = state.search
    if not isinstance(search, Inquiry) or not search.has_forecast:
        return None  # with several criteria nothing waits
    # An ask that was taken back is asked again, with a later number than it has in the log.
    numbers = {state.number_of(ask.ask) or 0: ask for ask in state.open_asks()}
    number = min(numbers, default=0)
    held = sum(answer.number > number for answer in state.answers)
    if not numbers or not held or (first := numbers[number]).until is None:
        return None
    since, left = _lease(state, first, now)
    return HeldUp(first, held, now - since, max(0.0, left))


def give_up_overdue(state: StudyState, now: float) -> None:
    """Give up the asks whose time is over, as the server does whenever it looks."""
    for ask in list(state.open_asks()):
        if ask.until is not None and ask.until <= now and _lease(state, ask, now)[1] <= 0:
            state.add(ExpiryRecord(now, ask.ask, NOT_IN_TIME))


def _lease(state: StudyState, ask: AskRecord, now: float) -> tuple[float, float]:
    """When the ask was handed out last, and for how long it still may be answered.

    Time stands still while the study is paused.
    """
    given: set[int] = set()  # lines of answers to it
    since, until, paused = ask.time, ask.until or now, None
    for line, record in enumerate(state.records, start=FIRST_LINE):
        if isinstance(record, AnswerRecord) and record.ask == ask.ask:
            given.add(line)
        elif isinstance(record, UndoRecord) and record.line in given:
            since, until = record.time, record.until or until
        elif isinstance(record, PauseRecord):
            paused = record.time
        elif isinstance(record, ResumeRecord) and paused is not None:
            until += max(0.0, record.time - max(paused, since))
            paused = None
    return since, until - (now if paused is None else max(paused, since))
