"""Judges by code: a function, a script or a language model answers a study's duels."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
import random
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ParamSpec

from antichain import _checks
from antichain.algorithms._result import Result
from antichain.errors import InputError, JudgeError, ParameterError, ProtocolError
from antichain.evidence._answers import Answer, parse_answer
from antichain.study._records import StudyAsk
from antichain.study._state import StudyProgress
from antichain.study._studies import Study

Judge = Callable[[Any, Any], Any]
Show = Callable[[str, bool], Any]
Sleep = Callable[[float], Awaitable[None]]
Options = ParamSpec("Options")
# Set by hand: pauses suit the rate limits of services that judge for money, and failures suit
# one that is down.
_FIRST_PAUSE = 0.5  # seconds before the first retry; doubled before each further one
_LONGEST_PAUSE = 60.0
_LONGEST_REASON = 300  # characters of an error that are kept in the study
_FAILURES = 10  # duels given up in a row, beyond those under way at once, before judging stops


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

    @property
    def price(self) -> float:
        """What to book for a call whose price will never be known."""
        return self.expected or 0.0


@dataclass(frozen=True)
class _Reply:
    """What came of one duel: an answer, or the reason why there is none."""

    answer: Answer | None
    cost: float
    reason: str | None = None
    late: bool = False


async def judge_async(
    study: Study | Iterable[str],
    judge: Judge,
    *,
    concurrency: int = 8,
    retries: int = 3,
    timeout: float = 60.0,
    max_votes: int | None = None,
    max_cost: float | None = None,
    expected_cost: float | None = None,
    voter: str = "judge",
    show: Show | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
    sleep: Sleep = asyncio.sleep,
    seed: int = 0,
) -> Result:
    """The front that a judge by code finds: `judge(left, right)` is called once per duel.

    `judge` and `judge_async` take the same arguments; `judge_async` is for programs that have an
    event loop of their own.

    The judge returns "left", "right", "tie", "incomparable" or "skipped", or a pair of that and
    what it cost. Which item is on the left is tossed for each duel. Each answer is in the
    study's file before the next question is asked, so that a run that was stopped (Ctrl-C, a
    crash, a budget) is taken up by the same call, and no answer is paid for twice.

    Args:
        study: An open study, or items for one that is not written to any file.
        judge: A function or an async function. Functions run in threads of their own.
        concurrency: How many calls may be under way at a time.
        retries: How often a call is repeated that raises or returns something that is not an
            answer: after a pause that doubles each time, lengthened at random by up to a half,
            and at least `error.retry_after` seconds long if the error has that. Then the duel is
            given up.
        timeout: Seconds after which a call is given up, and its duel with it. A thread cannot be
            stopped: it runs on, and its answer is ignored.
        max_votes: How many answers the study may have, including those already in it.
        max_cost: What they may cost, including what was already paid. A call begins only if its
            expected cost is left, beyond that of all calls under way.
        expected_cost: What a duel may cost; if None, the dearest so far, and until one is known
            one call at a time. The budget is kept exactly if no duel costs more. A duel that
            timed out is booked at this price, an error at its `error.cost`.
        voter: The name under which answers are kept.
        show: Makes what the judge is given from an item's name and whether its decoy is meant;
            if None, the judge is given the name.
        progress: Called after every answer.
        sleep: How to wait before a retry.
        seed: The seed of the random part of those pauses.
    """
    if not callable(judge):
        raise InputError(f"A judge is a function of two items; got {judge!r}.")
    if not isinstance(study, Study):
        study = Study.in_memory(study)
    if study.algorithm.needs_decoys is not None and show is None:
        raise ParameterError("This study duels items against decoys: give show, to show them.")
    for name, money in (("max_cost", max_cost), ("expected_cost", expected_cost)):
        if money is not None:
            _checks.precision(name, money)
    if max_votes is not None:
        _checks.whole("max_votes", max_votes)
    past = study.progress
    spending = Spending(max_votes, max_cost, expected_cost, past.answers, past.cost)
    calls = _Calls(
        judge=judge,
        show=show or (lambda name, decoy: name),
        retries=_checks.whole("retries", retries, least=0),
        timeout=_checks.precision("timeout", timeout),
        sleep=sleep,
        random=random.Random(seed),
    )
    bench = _Bench(
        study, calls, spending, _checks.whole("concurrency", concurrency), voter, progress
    )
    await bench.sit()
    return study.result()


def _blocking(
    function: Callable[Options, Coroutine[Any, Any, Result]],
) -> Callable[Options, Result]:
    @functools.wraps(function)
    def call(*arguments: Options.args, **options: Options.kwargs) -> Result:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise ProtocolError(
                "judge() was called inside a running event loop; use `await judge_async(…)` there."
            )
        return asyncio.run(function(*arguments, **options))

    call.__name__ = call.__qualname__ = "judge"
    return call


judge = _blocking(judge_async)


@dataclass
class _Bench:
    """Keeps up to `concurrency` calls under way, and tells the study what comes back."""

    study: Study
    calls: _Calls
    spending: Spending
    concurrency: int
    voter: str
    progress: Callable[[StudyProgress], None] | None
    failed: int = 0
    tasks: dict[asyncio.Task[_Reply], StudyAsk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left_over = list(self.study.outstanding)  # asked for when an earlier run was stopped

    async def sit(self) -> None:
        """Judge until the front is found, a budget is spent, or the judge keeps failing."""
        try:
            while True:
                self._begin_more()
                if not self.tasks:
                    return
                done, _ = await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(done, key=lambda task: self.tasks[task].id):
                    self._take(self.tasks.pop(task), task.result())
        finally:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    def _begin_more(self) -> None:
        free = self.concurrency - len(self.tasks)
        room = self.spending.room()
        wanted = free if room is None else min(free, room)
        if wanted <= 0 or self.study.finished:
            return
        asks, self.left_over = self.left_over[:wanted], self.left_over[wanted:]
        if len(asks) < wanted:
            asks += self.study.ask(wanted - len(asks))
        for ask in asks:
            self.spending.reserve()
            self.tasks[asyncio.create_task(self.calls.duel(ask))] = ask

    def _take(self, ask: StudyAsk, reply: _Reply) -> None:
        cost = reply.cost + (self.spending.price if reply.late else 0.0)
        self.spending.settle(cost, voted=reply.answer is not None)
        if reply.answer is None:
            self.study.expire(ask, reason=reply.reason, cost=cost or None)
            self._fail(reply.reason)
        else:
            self.failed = 0
            self.study.tell(
                ask, reply.answer, voter=self.voter, reason=reply.reason, cost=cost or None
            )
        if self.progress is not None:
            self.progress(self.study.progress)

    def _fail(self, reason: str | None) -> None:
        self.failed += 1
        if self.failed >= _FAILURES + self.concurrency:
            raise JudgeError(
                f"The judge gave no answer to {self.failed} duels in a row; the last reason was: "
                f"{reason}. Its earlier answers are kept: mend the judge, then call again with the "
                "same study."
            )


@dataclass
class _Calls:
    """Calls the judge with a time limit, and again if it fails."""

    judge: Judge
    show: Show
    retries: int
    timeout: float
    sleep: Sleep
    random: random.Random

    async def duel(self, ask: StudyAsk) -> _Reply:
        """What came of one duel, whatever the judge does."""
        sides = [
            self.show(name, ask.decoy == side)
            for side, name in (("left", ask.left), ("right", ask.right))
        ]
        paid, reason = 0.0, ""
        for attempt in range(self.retries + 1):
            try:
                async with asyncio.timeout(self.timeout) as limit:
                    returned = await self._call(*sides)
                answer, cost = _split(returned)
                paid += cost
                return _Reply(parse_answer(answer), paid)
            except Exception as error:
                if isinstance(error, TimeoutError) and limit.expired():
                    return _Reply(None, paid, f"it took longer than {self.timeout:g} s", late=True)
                paid += _number_of(error, "cost")
                # In one line: the kind and the message of the error.
                reason = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_REASON]
                pause = self._pause(attempt, error)
            if attempt < self.retries:
                await self.sleep(pause)
        return _Reply(None, paid, reason)

    async def _call(self, left: Any, right: Any) -> Any:
        if inspect.iscoroutinefunction(self.judge):
            return await self.judge(left, right)
        returned = await _in_thread(self.judge, left, right)
        # A partial or an object with an async __call__ shows only now what it is.
        return await returned if inspect.isawaitable(returned) else returned

    def _pause(self, attempt: int, error: Exception) -> float:
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt) * (1 + self.random.random() / 2)
        return max(pause, _number_of(error, "retry_after"))


def _split(returned: Any) -> tuple[Any, float]:
    if not isinstance(returned, tuple):
        return returned, 0.0
    if len(returned) != 2:
        raise InputError(f"A judge returns an answer, or (answer, cost); got {returned!r}.")
    answer, cost = returned
    return answer, 0.0 if cost == 0 else float(_checks.precision("the cost of an answer", cost))


def _number_of(error: Exception, name: str) -> float:
    """A positive number that an error carries under that name, or 0."""
    value = getattr(error, name, 0.0)
    return float(value) if isinstance(value, int | float) and 0 < value < math.inf else 0.0


def _in_thread(function: Judge, left: Any, right: Any) -> asyncio.Future[Any]:
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
            returned = function(left, right)
        except BaseException as error:
            # A future takes no StopIteration, and a judge must not end the program.
            failure = JudgeError(f"the judge raised {error!r}")
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                failure = error
        with suppress(RuntimeError):  # the loop is closed, so nobody is waiting
            loop.call_soon_threadsafe(settle, returned, failure)

    threading.Thread(target=work, daemon=True).start()
    return future
