"""Calls of a judge by code: in time, within the budget, and again if they fail.

A judge is foreign code. It may be slow, block, raise anything, or ignore that it is cancelled; none
of this may hang the run, lose an answer, or spend more than the budget.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import random
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Self

from antichain._checks import said
from antichain._text import shown
from antichain.errors import InputError, JudgeError, ParameterError
from antichain.evidence._answers import Answer, parse_answer
from antichain.study._records import MOST_PAID, StudyAsk, is_cost
from antichain.votes._sides_said import both_orders_note

Judge = Callable[..., Any]
"""Of two items, and of what is asked about them where there are several criteria.

It returns an answer ("left", "right", "tie", "incomparable" or "skipped") or the name of the item
that won; or a pair of that and what it cost. Case, and punctuation or Markdown around it, play no
part.
"""
Show = Callable[[str, bool], Any]
Sleep = Callable[[float], Awaitable[None]]
# Set by hand: pauses suit the rate limits of services that judge for money.
_FIRST_PAUSE = 0.5  # seconds before the first retry; doubled before each further one
_LONGEST_PAUSE = 60.0
_LONGEST_WISH = 300.0  # however long an error asks to be left alone
_FAREWELL = 1.0  # seconds for calls that are given up to end before they are left behind
_AROUND = " \t\r\n.,:;!?*_~`'\"“”‘’()[]{}<>"  # an answer, as models write it
_LONGEST_REASON = 300  # characters of an error that are kept in the study


@dataclass
class Spending:
    """Budgets in votes and in money; calls under way are reserved."""

    max_votes: int | None  # how many answers the study may have at most
    max_cost: float | None  # what they may cost at most
    # What one more call may cost: as given, or the dearest so far. Until that is known there is
    # one call at a time.
    expected: float | None
    votes: int = 0  # how many answers there are
    spent: float = 0.0  # what was paid so far
    under_way: int = 0  # how many calls have not come back, so that their price is not yet known
    unpriced: bool = False  # whether an answer came without a price before any price was known

    def room(self) -> int | None:
        """How many more calls may begin now; None for any number."""
        rooms = []
        if self.max_votes is not None:
            rooms.append(self.max_votes - self.votes - self.under_way)
        if self.max_cost is not None:
            rooms.append(self._room_for_money(self.max_cost) - self.under_way)
        return None if not rooms else max(0, min(rooms))

    def _room_for_money(self, most: float) -> int:
        left = most - self.spent
        if left <= 0:
            return 0
        if self.expected is None:
            return 1
        if self.expected == 0:
            return 2**31
        # The rounding of many small prices must not cost the last call.
        return math.floor(left / self.expected + 1e-9)

    def reserve(self) -> None:
        self.under_way += 1

    def settle(self, cost: float, voted: bool) -> None:
        self.under_way -= 1
        self.votes += voted
        self.spent += cost
        if voted or cost:
            self.expected = max(self.expected or 0.0, cost)

    def priced(self, cost: float | None) -> float:
        """What a call is booked at: one whose price is unknown, at the expected one."""
        return (self.expected or 0.0) if cost is None else cost

    def priced_answer(self, cost: float | None) -> float:
        """The same for a call that brought an answer, which should have come with its price."""
        self.unpriced |= cost is None and self.expected is None
        return self.priced(cost)

    def charge(self, cost: float | None) -> float:
        """Book a call that brought no answer."""
        booked = self.priced(cost)
        self.spent += booked
        if cost:
            self.expected = max(self.expected or 0.0, cost)
        return booked

    @property
    def allows_a_retry(self) -> bool:
        """Whether a call that is already reserved may be made once more."""
        return self.max_cost is None or self._room_for_money(self.max_cost) >= self.under_way


@dataclass(frozen=True)
class Reply:
    """What came of one duel: an answer, or the reason why there is none."""

    answer: Answer | None
    failures: float  # what the calls cost that brought no answer, as they were charged
    cost: float = 0.0  # what the answer cost
    reason: str | None = None  # why there is none, or what was odd about the way to it


@dataclass
class Calls:
    """Calls the judge with a time limit, and again if it fails."""

    judge: Judge
    show: Show
    retries: int
    timeout: float
    sleep: Sleep
    random: random.Random
    both_orders: bool = False

    async def duel(self, ask: StudyAsk, spending: Spending) -> Reply:
        """What came of one duel, whatever the judge does."""
        sides = [
            self.show(name, ask.decoy == side)
            for side, name in (("left", ask.left), ("right", ask.right))
        ]
        about = [] if ask.criterion is None else [ask.criterion]
        names = [ask.left, ask.right]
        reply = await self._reply(names, [*sides, *about], spending)
        if not self.both_orders or reply.answer is None:
            return reply
        again = await self._reply(names[::-1], [*sides[::-1], *about], spending)
        if again.answer is None:  # half a judgment is none, but it was paid for
            spending.spent += reply.cost
            return replace(again, failures=reply.failures + reply.cost + again.failures)
        notes = [
            both_orders_note(reply.answer.value, again.answer.value),
            reply.reason,
            again.reason,
        ]
        return Reply(
            _in_both(reply.answer, again.answer),
            reply.failures + again.failures,
            reply.cost + again.cost,
            "; ".join(filter(None, notes)),
        )

    async def _reply(self, names: list[str], asked: Sequence[Any], spending: Spending) -> Reply:
        """What the judge says of two sides in this order, and of a criterion if there are any."""
        charged, pause, reason, note = 0.0, 0.0, "", None
        for attempt in range(self.retries + 1):
            if attempt:
                if not spending.allows_a_retry:
                    reason += " (and the budget allows no other call)"
                    break
                await self._rest(pause)
            cost: float | None = None
            try:
                answer, cost = _split(await self._in_time(*asked))
                known = _understood(answer, names, asked)
            except _AmbiguousError as error:  # it would be so again
                raise JudgeError(str(error)) from None
            except _LateError as error:
                return Reply(None, charged + spending.charge(None), reason=str(error))
            except _UnclearError as error:  # a pause would not make it clearer
                charged += spending.charge(cost)
                reason, pause = str(error), 0.0
            except Exception as error:
                charged += spending.charge(_cost_of(error) if cost is None else cost)
                reason = _worded(error)
                pause, cut = self._pause(attempt, error)
                note = cut or note
            else:
                return Reply(known, charged, spending.priced_answer(cost), note)
        return Reply(None, charged, reason=reason if note is None else f"{reason}; {note}")

    async def _rest(self, seconds: float) -> None:
        waiting = self.sleep(seconds)
        if not inspect.isawaitable(waiting):
            raise ParameterError(
                f"sleep returned {said(waiting)}, but an async function was expected, such as "
                "asyncio.sleep."
            )
        await waiting

    async def _in_time(self, *asked: Any) -> Any:
        """What the judge returns. It is not trusted to end when it is cancelled, or not to be."""
        call = asyncio.ensure_future(self._call(*asked))
        try:
            await asyncio.wait([call], timeout=self.timeout)
        finally:
            ended = call.done()
            call.cancel()
            # Whatever comes of a call that was given up is no news to anybody.
            call.add_done_callback(lambda call: call.cancelled() or call.exception())
        if not ended:
            raise _LateError(f"it took longer than {self.timeout:g} s")
        if call.cancelled():
            raise JudgeError("the judge raised CancelledError")
        return call.result()

    async def _call(self, *asked: Any) -> Any:
        if _is_async(self.judge):
            return await _awaited(lambda: self.judge(*asked))
        returned = await _in_thread(self.judge, *asked)
        # A function that hands on what another one returns shows only now that it is async.
        return await _awaited(lambda: returned) if inspect.isawaitable(returned) else returned

    def _pause(self, attempt: int, error: Exception) -> tuple[float, str | None]:
        """How long to wait, and a note if that is less than the error asked for."""
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt) * (1 + self.random.random() / 2)
        wish = _said_by(error, "retry_after")
        if not isinstance(wish, int | float) or not wish > 0:
            return pause, None
        if wish <= _LONGEST_WISH:
            return max(pause, wish), None
        # As a float, a whole number may be too large to be shown.
        asked = f"{wish:,.0f}" if wish < 1e9 else "a billion or more"
        note = f"it asked for a pause of {asked} s, and got {_LONGEST_WISH:g} s"
        return _LONGEST_WISH, note


_TURNED = {Answer.LEFT: Answer.RIGHT, Answer.RIGHT: Answer.LEFT}


def _in_both(first: Answer, second: Answer) -> Answer:
    """The answer in both orders: what both say; a tie if they differ, and skipped if one is."""
    second = _TURNED.get(second, second)
    if Answer.SKIPPED in (first, second):
        return Answer.SKIPPED
    return first if first == second else Answer.TIE


class _AmbiguousError(Exception):
    """An answer that is a word for one side and the name of the other."""

    def __init__(self, said: str, names: Sequence[str]) -> None:
        super().__init__(
            f"The judge answered {said!r} about {shown(names[0])} (left) and {shown(names[1])} "
            "(right), which is an answer and also the name of an item: give the item another "
            "name, or give show, to show the judge something else."
        )


class _UnclearError(Exception):
    """An answer of the judge that is neither one of the five nor the name of the winner."""

    def __init__(self, answer: Any, names: Sequence[str]) -> None:
        words = ", ".join(form.value for form in Answer)
        super().__init__(
            f"it returned {shown(answer)}, but {words} or the name of the winner "
            f"({shown(names[0])} or {shown(names[1])}) was expected"
        )


def _understood(answer: Any, names: Sequence[str], seen: Sequence[Any]) -> Answer:
    """The form of an answer, which may also be the name of the item that won, or what was seen."""
    said = answer.strip() if isinstance(answer, str) else answer
    try:
        form = parse_answer(said)
    except InputError:
        if isinstance(said, str) and (found := _read(said, names, seen)):
            return found
        raise _UnclearError(answer, names) from None
    if isinstance(said, str) and _side(said, seen) not in (None, form):
        raise _AmbiguousError(said, names)
    return form


def _read(said: str, names: Sequence[str], seen: Sequence[Any]) -> Answer | None:
    """What is meant by the name of a side, or by an answer as models write it, such as **Left**."""
    bare = _bare(said)
    named = _side(said, names) or _side(said, seen)
    if named is None and bare:
        named = _side(bare, names, _bare) or _side(bare, seen, _bare)
    form = next((form for form in Answer if form.value == bare), None)
    if named and form and named != form:
        raise _AmbiguousError(said, names)
    return named or form


def _bare(said: str) -> str:
    """A word or a name without its case, and without the punctuation or Markdown around it."""
    return said.strip(_AROUND).casefold()


def _side(said: str, sides: Sequence[Any], read: Callable[[str], str] = str.strip) -> Answer | None:
    """The one of two sides that is called so, if only one is."""
    called = [isinstance(side, str) and read(side) == said for side in sides[:2]]
    if sum(called) != 1:
        return None
    return Answer.LEFT if called[0] else Answer.RIGHT


class _LateError(Exception):
    """A call that took too long."""


def _is_async(judge: Judge) -> bool:
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(
        getattr(judge, "__call__", None)  # noqa: B004 - of an object, which may be async
    )


async def _awaited(make: Callable[[], Awaitable[Any]]) -> Any:
    """What an awaitable of the judge's comes to, in the loop where it can do least harm."""
    apart = loop_apart.get()
    if apart is None:
        return await _contained(make, SystemExit)
    return await apart.run(_contained(make, SystemExit, KeyboardInterrupt))


async def _contained(make: Callable[[], Awaitable[Any]], *ends: type[BaseException]) -> Any:
    """What it comes to; errors that would end the loop are the judge's like all others."""
    try:
        return await make()
    except ends as error:
        raise JudgeError(f"the judge raised {error!r}") from error


def _split(returned: Any) -> tuple[Any, float | None]:
    """An answer and its cost, None if the judge does not say or know it."""
    if not isinstance(returned, tuple):
        return returned, None
    if len(returned) != 2:
        raise InputError(f"A judge returns an answer, or (answer, cost); got {returned!r}.")
    answer, cost = returned
    if cost is None:
        return answer, None
    if not is_cost(cost):
        raise InputError(
            f"A judge returns (answer, cost), with a cost from 0 to {MOST_PAID:g}; got "
            f"{shown(cost)}."
        )
    return answer, float(cost)


def _cost_of(error: Exception) -> float | None:
    """What a call cost that ended in this error; None if the error does not say."""
    cost = _said_by(error, "cost")
    return float(cost) if is_cost(cost) else None


def _said_by(error: Exception, name: str) -> Any:
    """An attribute of an error of the judge's own, which may do anything."""
    try:
        return getattr(error, name, None)
    except Exception:
        return None


def _worded(error: Exception) -> str:
    """The kind and the message of an error, in one line."""
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:
        said = f"{type(error).__name__}, which cannot be shown"
    return " ".join(said.split())[:_LONGEST_REASON]


class LoopApart:
    """An event loop in a thread of its own, for coroutines that may never end or block it.

    It starts with the first of them, and does not keep the program from ending.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.Future[Any]:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._work, args=(self._loop,), daemon=True)
            self._thread.start()
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._loop))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(2 * _FAREWELL)

    @staticmethod
    def _work(loop: asyncio.AbstractEventLoop) -> None:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_FAREWELL))
        loop.run_until_complete(loop.shutdown_asyncgens())
        for task in tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]
        loop.close()


loop_apart: ContextVar[LoopApart | None] = ContextVar("loop_apart", default=None)


def _in_thread(function: Judge, *asked: Any) -> asyncio.Future[Any]:
    """What the function returns, from a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(returned: Any, error: Exception | None) -> None:
        if future.done():
            return  # the call timed out meanwhile
        if error is None:
            future.set_result(returned)
        else:
            future.set_exception(error)

    def work() -> None:
        returned: Any = None
        failure: Exception | None = None
        try:
            returned = function(*asked)
        except BaseException as error:
            # A future takes no StopIteration, and a judge must not end the program.
            failure = JudgeError(f"the judge raised {error!r}")
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                failure = error
        with suppress(RuntimeError):  # the loop is closed, so nobody is waiting
            loop.call_soon_threadsafe(settle, returned, failure)

    threading.Thread(target=work, daemon=True).start()
    return future
