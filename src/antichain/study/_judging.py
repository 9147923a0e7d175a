"""Judges by code: a function, a script or a language model answers a study's duels."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, cast

from antichain import _checks
from antichain.algorithms._base import Algorithm
from antichain.algorithms._result import Result
from antichain.errors import AntichainError, InputError, JudgeError, ParameterError, ProtocolError
from antichain.evidence._answers import Answer
from antichain.study._judge_calls import (
    Calls,
    Judge,
    LoopApart,
    Reply,
    Show,
    Sleep,
    Spending,
    loop_apart,
)
from antichain.study._records import StudyAsk
from antichain.study._state import StudyProgress
from antichain.study._studies import Study
from antichain.votes._attributes import Attributes

Options = ParamSpec("Options")
# Duels given up in a row, beyond those under way at once, before judging stops; set by hand, for a
# service that is down
_FAILURES = 10


class OpenToVotes(Protocol):
    """What a judge votes in: a study, wherever it is kept."""

    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def outstanding(self) -> tuple[StudyAsk, ...]: ...
    @property
    def finished(self) -> bool: ...
    @property
    def progress(self) -> StudyProgress: ...
    def ask(self, n: int = 1) -> list[StudyAsk]: ...
    def tell(
        self,
        ask: StudyAsk,
        answer: Answer | str,
        *,
        voter: str | None = None,
        reason: str | None = None,
        cost: float | None = None,
    ) -> object: ...
    def expire(
        self, ask: StudyAsk, *, reason: str | None = None, cost: float | None = None
    ) -> None: ...
    def result(self) -> Result: ...


async def judge_async(
    study: OpenToVotes | Iterable[str],
    judge: Judge,
    *,
    concurrency: int = 8,
    retries: int = 3,
    timeout: float = 60.0,
    budget: int | None = None,
    max_votes: int | None = None,
    max_cost: float | None = None,
    expected_cost: float | None = None,
    voter: str = "judge",
    both_orders: bool = False,
    show: Show | None = None,
    progress: Callable[[StudyProgress], None] | None = None,
    sleep: Sleep = asyncio.sleep,
    seed: int = 0,
    criteria: Iterable[str] | None = None,
    attributes: Attributes | None = None,
) -> Result:
    """Find the front with a judge in code, as `judge` does, from a running event loop.

    Takes the same arguments as `judge`.
    """
    if not callable(judge):
        raise InputError(f"A judge is a function of two items; got {judge!r}.")
    _checks.function("show", show)
    _checks.function("progress", progress)
    _checks.function("sleep", sleep, optional=False)
    _checks.text("voter", voter)
    if not hasattr(study, "tell"):
        study = Study.in_memory(study, budget=budget, criteria=criteria, attributes=attributes)
    elif criteria is not None or attributes is not None:
        raise ParameterError(
            "criteria or attributes are given, but the study was started with its own: give them "
            "to Study.open."
        )
    elif budget is not None:
        raise ParameterError(
            f"budget is {budget!r}, but the study was started with its own: give it to Study.open."
        )
    study = cast(OpenToVotes, study)
    if study.algorithm.needs_decoys is not None and show is None:
        raise ParameterError("This study duels items against decoys: give show, to show them.")
    for name, money in (("max_cost", max_cost), ("expected_cost", expected_cost)):
        if money is not None:
            _checks.precision(name, money)
    if max_votes is not None:
        _checks.whole("max_votes", max_votes)
    past = study.progress
    _checks.instance("both_orders", both_orders, bool, "yes or no (a bool)")
    if both_orders and expected_cost is not None:
        expected_cost *= 2  # a duel is two calls
    spending = Spending(max_votes, max_cost, expected_cost, past.answers, past.cost)
    calls = Calls(
        judge=judge,
        show=show or (lambda name, decoy: name),
        retries=_checks.whole("retries", retries, least=0),
        timeout=_checks.precision("timeout", timeout),
        sleep=sleep,
        random=random.Random(_checks.whole("seed", seed, least=0)),
        both_orders=both_orders,
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
        with LoopApart() as apart:
            # Tasks inherit it: the judge's coroutines run there, and cannot hold up this loop.
            token = loop_apart.set(apart)
            try:
                return asyncio.run(function(*arguments, **options))
            finally:
                loop_apart.reset(token)

    call.__name__ = call.__qualname__ = "judge"
    return call


judge = _blocking(judge_async)
judge.__doc__ = """Find the front with a judge in code: each duel calls `judge(left, right)` once.

`antichain.study.judge_async` is the same for programs that have an event loop of their own.

The judge returns "left", "right", "tie", "incomparable" or "skipped", or the name of the item
that won (case and surrounding punctuation play no part), or a pair of that and its cost (None
if unknown). A coin toss decides which item is on the left of each duel. Each answer is in the
study's file before the next question is asked. If a run was stopped (Ctrl-C, a crash, a
budget), the same call resumes it, and no answer is paid for twice.

Args:
    study: An open study, a study on a server (`antichain.serve.ServedStudy`), or a list of
        items for a study that is not written to any file.
    judge: A function or an async function. Plain functions run in threads.
    concurrency: The largest number of calls at a time.
    retries: How often to repeat a call that raises an error or returns something other than
        an answer; then the duel is given up. The pause before each retry doubles, plus up to
        a half at random; an answer that is not understood is asked for again at once. The
        pause is at least `error.retry_after` seconds if the error has that,
        and at most five minutes; if that is shorter than requested, the study's file says so.
    timeout: Seconds after which a call and its duel are given up. A thread cannot be
        stopped, nor can an async function that ignores its cancellation: it runs on, and its
        answer is ignored.
    budget: With a list of items: how many answers there will be in all; the duels are chosen
        to make the best use of them. An open study has its own, and after it is spent,
        `study.certificate().likely` has the likely front, which the result of a list lacks.
    max_votes: The largest number of answers in the study, including those already in it.
    max_cost: The largest total cost, including what was already paid. A call or a retry
        starts only if this leaves room for its expected cost, beyond that of all calls under
        way. An answer without its cost ends the run, unless `expected_cost` is given or an
        earlier call said what it cost.
    expected_cost: What a call may cost. If None, the highest cost so far; until one is
        known, calls are made one at a time. The budget is kept exactly if no call costs
        more. A failed call counts at its `error.cost` (0 if nothing was paid). Without one,
        and for a call that timed out or whose cost is None, it counts at this price, since
        it may have been paid.
    voter: The name under which answers are kept.
    both_orders: Whether to ask the judge in both orders, with two calls for each duel. Both
        make one answer: what the two orders say, or a tie if they differ. If only one of the
        two calls brings an answer, the duel is given up. The certificate says which side the
        judge prefers (`Certificate.side_bias`).
    show: Makes what the judge sees from an item's name and whether to show its decoy; if
        None, the judge sees the name.
    progress: Called after every answer.
    sleep: How to wait before a retry.
    seed: The seed of the random part of those pauses.
    criteria: With a list of items: the criteria, if there are several questions; the judge
        is then called as `judge(left, right, criterion)`. An open study has its own.
    attributes: With a list of items: what is known of each (`antichain.read_attributes`).
"""


@dataclass
class _Bench:
    """Keeps up to `concurrency` calls under way, and tells the study what comes back."""

    study: OpenToVotes
    calls: Calls
    spending: Spending
    concurrency: int
    voter: str
    progress: Callable[[StudyProgress], None] | None
    failed: int = 0
    tasks: dict[asyncio.Task[Reply], StudyAsk] = field(default_factory=dict)

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
            replies = await asyncio.gather(*self.tasks, return_exceptions=True)
            # Some may have come in together with what ended it: they are paid for.
            with suppress(AntichainError):
                for ask, reply in zip(self.tasks.values(), replies, strict=True):
                    if isinstance(reply, Reply):
                        self._keep(ask, reply)

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
            self.tasks[asyncio.create_task(self.calls.duel(ask, self.spending))] = ask

    def _take(self, ask: StudyAsk, reply: Reply) -> None:
        self._keep(ask, reply)
        if reply.answer is None:
            self._fail(reply.reason)
        else:
            self.failed = 0
        if self.progress is not None:
            self.progress(self.study.progress)
        if self.spending.max_cost is not None and self.spending.unpriced:
            raise JudgeError(
                f"max_cost is {self.spending.max_cost:g}, but the judge's answer came without its "
                'cost, so nobody knows what is spent: return a pair such as ("left", 0.002), or '
                "give expected_cost. The answer is kept."
            )

    def _keep(self, ask: StudyAsk, reply: Reply) -> None:
        self.spending.settle(reply.cost, voted=reply.answer is not None)
        cost, reason = (reply.failures + reply.cost) or None, reply.reason
        if reply.answer is None:
            self.study.expire(ask, reason=reason, cost=cost)
        else:
            self.study.tell(ask, reply.answer, voter=self.voter, reason=reason, cost=cost)

    def _fail(self, reason: str | None) -> None:
        self.failed += 1
        if self.failed >= _FAILURES + self.concurrency:
            raise JudgeError(
                f"The judge gave no answer to {self.failed} duels in a row; the last reason was: "
                f"{(reason or 'unknown').rstrip('.')}. Its earlier answers are kept: fix the "
                "judge, then call again with the same study."
            )
