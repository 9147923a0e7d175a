"""Judges by code: limits, retries, budgets, and taking a stopped run up again."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import antichain as ac
from antichain.errors import AntichainError, JudgeError, ParameterError, ProtocolError
from antichain.study import Study, judge, judge_async
from antichain.study._judge_calls import Spending

from .world import ITEMS, QUICK, WITH_DECOYS, everything, opened, ticking

ENDLESS = ac.UnchainedBandits(delta=1e-6, decoy_gap=None, epsilon=0.02)


def first(left: str, right: str) -> str:
    return "left" if left < right else "right"


async def first_later(left: str, right: str) -> str:
    await asyncio.sleep(0)
    return first(left, right)


class First:
    async def __call__(self, left: str, right: str) -> str:
        return first(left, right)


class Sleeps:
    """A clock for retries that only notes how long it was to wait."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


def study() -> Study:
    return Study.in_memory(ITEMS, QUICK, 3, now=ticking())


class TestAnswers:
    @pytest.mark.parametrize(
        "function", [first, first_later, First(), functools.partial(first_later)]
    )
    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_functions_of_every_kind(self, function, concurrency: int) -> None:
        result = judge(ITEMS, function, concurrency=concurrency)
        assert (result.front, result.certified) == (("ale",), True)

    def test_it_is_asked_of_both_sides(self) -> None:
        seen: Counter[bool] = Counter()

        def note(left: str, right: str) -> str:
            seen[left < right] += 1
            return "tie"

        judge(Study.in_memory(ITEMS, ENDLESS), note, max_votes=400)
        assert seen[True] + seen[False] == 400
        assert 140 < seen[True] < 260  # six standard deviations of a fair coin

    def test_a_judge_that_loves_the_left_puts_nobody_out(self) -> None:
        result = judge(ITEMS, lambda left, right: "left")
        assert set(result.front) == set(ITEMS)

    def test_votes_are_kept_with_name_and_cost(self, tmp_path: Path) -> None:
        with opened(tmp_path / "s") as kept:
            judge(kept, lambda *pair: (first(*pair), 0.25), voter="model-7", max_votes=5)
            assert [vote.voter for vote in kept.votes()] == ["model-7"] * 5
            assert kept.progress.cost == 1.25

    def test_what_the_judge_is_shown(self) -> None:
        texts = {name: f"text of {name}" for name in ITEMS}
        seen = set()

        def note(left: str, right: str) -> str:
            seen.update((left, right))
            return first(left, right)

        judge(study(), note, show=lambda name, decoy: texts[name])
        assert seen <= set(texts.values())
        degraded = set()

        def show(name: str, decoy: bool) -> str:
            if decoy:
                degraded.add(name)
            return f"{name}, blurred" if decoy else name

        duelled = Study.in_memory(ITEMS, WITH_DECOYS)
        judge(duelled, first, show=show)
        assert degraded
        with pytest.raises(ParameterError, match="give show"):
            judge(Study.in_memory(ITEMS, WITH_DECOYS), first)

    def test_progress(self) -> None:
        seen = []
        result = judge(study(), first, progress=seen.append)
        assert [p.answers for p in seen] == list(range(1, len(seen) + 1))
        assert seen[-1].answers >= result.duels

    def test_inside_an_event_loop(self) -> None:
        async def main() -> ac.Result:
            with pytest.raises(ProtocolError, match="judge_async"):
                judge(study(), first)
            return await judge_async(study(), first_later)

        assert asyncio.run(main()).front == ("ale",)

    @pytest.mark.parametrize(
        "values",
        [
            {"concurrency": 0}, {"retries": -1}, {"timeout": 0}, {"max_votes": 0},
            {"max_cost": -1}, {"expected_cost": 0}, {"judge": "left"}, {"study": "ale"},
            {"study": 3}, {"show": 3}, {"progress": 3}, {"sleep": None}, {"voter": 3},
            {"seed": "x"}, {"timeout": "x"}, {"max_cost": "x"}, {"concurrency": None},
        ],
    )  # fmt: skip
    def test_strange_arguments(self, values) -> None:
        with pytest.raises(AntichainError):
            judge(**({"study": ITEMS, "judge": first} | values))


class TestLimits:
    @pytest.mark.parametrize("threads", [True, False])
    @pytest.mark.parametrize("limit", [1, 3])
    def test_never_more_at_once(self, threads: bool, limit: int) -> None:
        lock, now, most = threading.Lock(), [0], [0]

        def enter(step: int) -> None:
            with lock:
                now[0] += step
                most[0] = max(most[0], now[0])

        def in_thread(left: str, right: str) -> str:
            enter(1)
            time.sleep(0.002)
            enter(-1)
            return first(left, right)

        async def in_loop(left: str, right: str) -> str:
            enter(1)
            await asyncio.sleep(0.002)
            enter(-1)
            return first(left, right)

        judge(study(), in_thread if threads else in_loop, concurrency=limit)
        assert most[0] == limit

    def test_a_slow_call_is_given_up_and_the_duel_asked_again(self) -> None:
        calls = [0]

        async def slow_at_first(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] <= 2:
                await asyncio.sleep(30)
            return first(left, right)

        taken = study()
        began = time.monotonic()
        judge(taken, slow_at_first, timeout=0.05)
        assert time.monotonic() - began < 15
        assert taken.finished
        assert taken.progress.expired == 2

    def test_a_thread_that_hangs_is_left_behind(self) -> None:
        release = threading.Event()
        calls = [0]

        def hangs_at_first(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1:
                release.wait(30)
            return first(left, right)

        taken = study()
        judge(taken, hangs_at_first, timeout=0.1, concurrency=2)
        release.set()
        assert taken.finished
        assert taken.progress.expired == 1
        assert all(vote.receipt == "evidence" for vote in list(taken.votes())[:3])

    @pytest.mark.parametrize("blocks", [True, False])
    def test_cancelling_it_is_no_use(self, blocks: bool) -> None:
        """A coroutine that goes on when it is cancelled, or never lets go of its loop."""
        calls, release = [0], threading.Event()

        async def stubborn_at_first(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1 and not blocks:
                while not release.is_set():
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.sleep(0.01)
            if blocks:
                release.wait(30)
            return first(left, right)

        taken, began = study(), time.monotonic()
        try:
            if blocks:
                with pytest.raises(JudgeError, match="longer than"):
                    judge(taken, stubborn_at_first, timeout=0.02, concurrency=1)
                assert taken.progress.expired == 11
            else:
                judge(taken, stubborn_at_first, timeout=0.1, concurrency=2)
                assert taken.finished
                assert taken.progress.expired == 1
        finally:
            release.set()
        assert time.monotonic() - began < 20

    def test_nor_in_a_loop_of_the_callers(self) -> None:
        calls, over = [0], [False]

        async def stubborn_at_first(left: str, right: str) -> str:
            calls[0] += 1
            while calls[0] == 1 and not over[0]:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.01)
            return first(left, right)

        async def main(taken: Study) -> None:
            await judge_async(taken, stubborn_at_first, timeout=0.1, concurrency=1)
            over[0] = True

        taken = study()
        asyncio.run(asyncio.wait_for(main(taken), 20))
        assert taken.finished
        assert taken.progress.expired == 1

    def test_a_timeout_of_the_judges_own_is_an_error_like_others(self) -> None:
        calls = [0]

        def refuses_once(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1:
                raise TimeoutError
            return first(left, right)

        taken, sleeps = study(), Sleeps()
        judge(taken, refuses_once, sleep=sleeps, concurrency=1)
        assert len(sleeps.pauses) == 1
        assert taken.progress.expired == 0


class TestRetries:
    @pytest.mark.parametrize("threads", [True, False])
    @pytest.mark.parametrize(
        "error",
        [ValueError("no"), StopIteration(), SystemExit(3), KeyboardInterrupt(),
         asyncio.CancelledError(), concurrent.futures.CancelledError()],
    )  # fmt: skip
    def test_pauses_double_with_some_chance(self, error: BaseException, threads: bool) -> None:
        calls = [0]

        def fails_thrice(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] <= 3:
                raise error
            return first(left, right)

        async def fails_later(left: str, right: str) -> str:
            return fails_thrice(left, right)

        taken, sleeps = study(), Sleeps()
        judge(taken, fails_thrice if threads else fails_later, sleep=sleeps, concurrency=1)
        assert taken.progress.expired == 0
        for pause, base in zip(sleeps.pauses, (0.5, 1, 2), strict=True):
            assert base <= pause <= 1.5 * base
        assert (
            len({pause / base for pause, base in zip(sleeps.pauses, (0.5, 1, 2), strict=True)}) == 3
        )

    def test_as_long_as_the_error_says(self) -> None:
        class BusyError(Exception):
            retry_after = 17

        calls = [0]

        def busy_once(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1:
                raise BusyError
            return first(left, right)

        sleeps = Sleeps()
        judge(study(), busy_once, sleep=sleeps, concurrency=1)
        assert sleeps.pauses == [17]

    @pytest.mark.parametrize("wish", [301, 86_400, 1e300, math.inf, 10**400])
    def test_but_not_for_days(self, wish: float, tmp_path: Path) -> None:
        calls = [0]

        class BusyError(Exception):
            retry_after = wish

        def busy_once(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1:
                raise BusyError
            return first(left, right)

        sleeps = Sleeps()
        with opened(tmp_path / "s") as kept:
            judge(kept, busy_once, sleep=sleeps, concurrency=1, max_votes=1)
            assert sleeps.pauses == [300]
            assert re.search(r"asked for a pause of .*, and got 300 s", kept.path.read_text())

    @pytest.mark.parametrize("wish", [-5, 0, math.nan, "7", None, -math.inf])
    def test_a_wish_that_makes_no_sense_is_none(self, wish: object) -> None:
        calls = [0]

        class BusyError(Exception):
            retry_after = wish

        def busy_once(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] == 1:
                raise BusyError
            return first(left, right)

        sleeps = Sleeps()
        judge(study(), busy_once, sleep=sleeps, concurrency=1)
        assert 0.5 <= sleeps.pauses[0] <= 0.75

    def test_then_the_duel_is_given_up_with_the_reason(self, tmp_path: Path) -> None:
        calls = [0]

        def fails_four_times(left: str, right: str) -> str:
            calls[0] += 1
            if calls[0] <= 4:
                raise ValueError("out of\nideas")
            return first(left, right)

        with opened(tmp_path / "s") as kept:
            sleeps = Sleeps()
            judge(kept, fails_four_times, sleep=sleeps, concurrency=1, retries=3)
            assert (len(sleeps.pauses), kept.progress.expired) == (3, 1)
            assert '"reason":"ValueError: out of ideas"' in kept.path.read_text()
            assert kept.finished

    @pytest.mark.parametrize("said", ["up", None, ("left",), ("left", -1), ("left", 1, 2), 3])
    def test_what_is_no_answer_is_retried(self, said) -> None:
        calls = [0]

        def garbage_once(left: str, right: str):
            calls[0] += 1
            return said if calls[0] == 1 else first(left, right)

        taken, sleeps = study(), Sleeps()
        judge(taken, garbage_once, sleep=sleeps, concurrency=1)
        assert len(sleeps.pauses) == 1
        assert taken.finished
        assert sum(taken.result().answers.values()) == calls[0] - 1

    def test_a_judge_that_is_of_no_use(self, tmp_path: Path) -> None:
        def broken(left: str, right: str) -> str:
            raise ConnectionError("nobody there")

        with opened(tmp_path / "s") as kept:
            with pytest.raises(JudgeError, match="nobody there"):
                judge(kept, broken, sleep=Sleeps(), concurrency=4)
            judge(kept, first)
            assert kept.finished


class TestBudgets:
    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_votes_are_counted_over_all_runs(self, concurrency: int) -> None:
        calls = [0]

        async def count(left: str, right: str) -> str:
            calls[0] += 1
            await asyncio.sleep(0)
            return "tie"

        taken = Study.in_memory(ITEMS, ENDLESS)
        for most in (7, 7, 20):
            judge(taken, count, max_votes=most, concurrency=concurrency)
            assert taken.progress.answers == calls[0] == most

    @pytest.mark.parametrize("concurrency", [1, 8])
    @pytest.mark.parametrize("expected", [0.1, None])
    def test_money_is_reserved(self, concurrency: int, expected: float | None) -> None:
        calls, under_way, worst = [0], [0], [0.0]

        async def pay(left: str, right: str) -> tuple[str, float]:
            calls[0] += 1
            under_way[0] += 1
            worst[0] = max(worst[0], 0.1 * calls[0])
            await asyncio.sleep(0.001)
            under_way[0] -= 1
            return "tie", 0.1

        taken = Study.in_memory(ITEMS, ENDLESS)
        result = judge(taken, pay, max_cost=2.05, expected_cost=expected, concurrency=concurrency)
        assert not result.certified
        assert calls[0] == 20  # a twenty-first would have cost too much
        assert worst[0] <= 2.05
        judge(taken, pay, max_cost=2.05, expected_cost=0.1)
        assert calls[0] == 20
        judge(taken, pay, max_cost=3, expected_cost=0.1)
        assert calls[0] == 30

    def test_without_a_known_price_the_first_goes_alone(self) -> None:
        together = []
        running = [0]

        async def pay(left: str, right: str) -> tuple[str, float]:
            running[0] += 1
            together.append(running[0])
            await asyncio.sleep(0.002)
            running[0] -= 1
            return "tie", 1.0

        judge(Study.in_memory(ITEMS, ENDLESS), pay, max_cost=10)
        assert together[0] == 1
        assert max(together[1:]) > 1
        assert len(together) == 10

    def test_slow_and_failed_calls_are_booked(self) -> None:
        class RefusedError(Exception):
            cost = 0.5

        calls = [0]

        async def hard(left: str, right: str) -> tuple[str, float]:
            calls[0] += 1
            if calls[0] == 2:
                await asyncio.sleep(30)
            if calls[0] == 3:
                raise RefusedError
            if calls[0] == 4:
                return "nonsense", 0.25
            return "tie", 1.0

        taken = Study.in_memory(ITEMS, ENDLESS)
        judge(taken, hard, max_cost=4, timeout=0.05, concurrency=1, sleep=Sleeps())
        # 1; then 1 for the call that was too slow; then 0.5, 0.25 and 1 for one duel.
        assert taken.progress.cost == 3.75
        assert calls[0] == 5

    @pytest.mark.parametrize("concurrency", [1, 8])
    def test_errors_that_say_no_price_count_at_the_expected_one(self, concurrency: int) -> None:
        calls = [0]

        async def breaks(left: str, right: str) -> str:
            calls[0] += 1
            raise ConnectionError("lost")

        taken = Study.in_memory(ITEMS, ENDLESS)
        judge(
            taken, breaks, max_cost=2.05, expected_cost=0.1, concurrency=concurrency, sleep=Sleeps()
        )
        assert calls[0] == 20  # a twenty-first might have cost too much
        assert taken.progress.cost == pytest.approx(2.0)

    def test_free_errors_cost_nothing_and_tell_no_price(self) -> None:
        class RefusedError(Exception):
            cost = 0

        calls, running, most = [0], [0], [0]

        async def refuses_at_first(left: str, right: str) -> tuple[str, float]:
            calls[0] += 1
            running[0] += 1
            most[0] = max(most[0], running[0] if calls[0] <= 4 else 0)
            await asyncio.sleep(0)
            running[0] -= 1
            if calls[0] <= 3:
                raise RefusedError
            return "tie", 1.0

        taken = Study.in_memory(ITEMS, ENDLESS)
        judge(taken, refuses_at_first, max_cost=4, sleep=Sleeps())
        assert (calls[0], taken.progress.cost, most[0]) == (7, 4.0, 1)

    @pytest.mark.parametrize("odd", [10**400, 1e200, -1, True, "much", None, float("nan")])
    def test_what_is_no_price_is_booked_at_the_expected_one(self, odd: Any) -> None:
        calls = [0]

        class OddError(Exception):
            cost = odd

            def __str__(self) -> str:
                raise ZeroDivisionError

            @property
            def retry_after(self) -> float:
                raise ZeroDivisionError

        def odd_at_first(left: str, right: str) -> Any:
            calls[0] += 1
            if calls[0] == 1:
                raise OddError
            return "tie", odd if calls[0] == 2 else 0.25

        taken = Study.in_memory(ITEMS, ENDLESS)
        judge(taken, odd_at_first, max_cost=1, expected_cost=0.25, sleep=Sleeps(), concurrency=1)
        assert taken.progress.cost == 1.0
        assert calls[0] == 4

    def test_an_answer_without_a_known_price(self) -> None:
        taken = Study.in_memory(ITEMS, ENDLESS)
        judge(taken, lambda *pair: ("tie", None), max_cost=1, expected_cost=0.25)
        assert (taken.progress.answers, taken.progress.cost) == (4, 1.0)

    def test_a_limit_in_money_needs_a_price(self) -> None:
        taken = Study.in_memory(ITEMS, ENDLESS)
        with pytest.raises(JudgeError, match=r"max_cost is 0.5, but .* or give expected_cost"):
            judge(taken, first, max_cost=0.5)
        assert taken.progress.answers == 1  # the one that came without its cost
        judge(taken, lambda *pair: ("tie", 0.1), max_cost=0.5, concurrency=1)
        assert taken.progress.answers == 6

    def test_what_came_in_with_the_end_is_kept(self) -> None:
        """One judge fails for good at the moment at which the others answer."""
        together = asyncio.Barrier(4)

        async def at_once(left: str, right: str) -> tuple[str, float]:
            await together.wait()
            return "tie", 1.0

        async def main(taken: Study) -> None:
            def stop(progress: object) -> None:
                raise ZeroDivisionError

            await judge_async(taken, at_once, concurrency=4, progress=stop)

        taken = Study.in_memory(ITEMS, ENDLESS)
        with pytest.raises(ZeroDivisionError):
            asyncio.run(main(taken))
        assert (taken.progress.answers, taken.progress.cost) == (4, 4.0)

    def test_the_spending(self) -> None:
        spending = Spending(max_votes=None, max_cost=None, expected=None)
        assert spending.room() is None
        spending = Spending(max_votes=3, max_cost=1.0, expected=0.3)
        assert spending.room() == 3
        spending.reserve()
        assert spending.room() == 2
        spending.settle(0.5, voted=True)  # dearer than expected
        assert (spending.expected, spending.room()) == (0.5, 1)
        spending.reserve()
        assert spending.room() == 0
        spending.settle(0.6, voted=False)
        assert spending.room() == 0
        cents = Spending(None, 1.0, 0.1)
        for _ in range(9):
            cents.reserve()
            cents.settle(0.1, voted=True)
        assert cents.room() == 1  # though the sum is 0.8999999999999999


class TestTakingUp:
    def test_what_was_answered_is_never_asked_again(self, tmp_path: Path) -> None:
        calls = [0]

        def count(left: str, right: str) -> str:
            calls[0] += 1
            return first(left, right)

        for most in (3, 4, 9, None):
            with opened(tmp_path / "s") as kept:
                result = judge(kept, count, max_votes=most, concurrency=1)
                assert calls[0] == kept.progress.answers
        assert result.certified
        whole = judge(study(), first, concurrency=1)
        assert (result.front, result.duels) == (whole.front, whole.duels)

    def test_ctrl_c(self, tmp_path: Path) -> None:
        path = tmp_path / "s"
        program = (
            "import os, sys, time, antichain as ac\n"
            "def slow(left, right):\n"
            "    os.write(1, b'called\\n')\n"
            "    time.sleep(0.01)\n"
            "    return 'tie'\n"
            "endless = ac.UnchainedBandits(delta=1e-6, decoy_gap=None, epsilon=0.02)\n"
            "with ac.Study.open(sys.argv[1], ['a', 'b', 'c'], endless) as study:\n"
            "    try:\n"
            "        ac.judge(study, slow)\n"
            "    except KeyboardInterrupt:\n"
            "        print('stopped', study.progress.answers, flush=True)\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as child:  # fmt: skip
            assert child.stdout is not None
            try:
                for _ in range(30):
                    assert child.stdout.readline() == "called\n"
                os.kill(child.pid, signal.SIGINT)
                rest = child.stdout.read().splitlines()
                assert child.wait(60) == 0
            finally:
                child.kill()
        word, answers = rest[-1].split()
        assert word == "stopped"
        with Study.open(path) as kept:
            assert kept.note is None
            assert kept.progress.answers == int(answers) > 0
            assert 0 < len(kept.outstanding) <= 8
            again = list(everything(kept))
            judge(kept, lambda *pair: "tie", max_votes=int(answers) + 8, concurrency=8)
            # Duels that were out when it stopped came first.
            assert not {ask.id for ask in kept.outstanding} & {ask.id for ask in again[2]}


# -- the name of the winner as an answer ----------------------------------------------------------


def test_a_judge_may_return_the_winner_s_name():
    calls: list[tuple[str, str]] = []

    def best(left: str, right: str) -> str:
        calls.append((left, right))
        return min(left, right) + " "

    study = Study.in_memory(["a", "b", "c"])
    judge(study, best, max_votes=12, retries=0)
    votes = list(study.votes())
    assert len(votes) == len(calls) == 12  # none was called again
    for vote in votes:
        assert (vote.left if vote.answer == "left" else vote.right) == min(vote.left, vote.right)


def test_a_judge_in_both_orders_may_return_the_winner_s_name():
    study = Study.in_memory(["a", "b"])
    judge(study, lambda left, right: min(left, right), max_votes=4, both_orders=True, retries=0)
    assert {vote.left if vote.answer == "left" else vote.right for vote in study.votes()} == {"a"}


def test_a_judge_may_return_what_it_was_shown():
    study = Study.in_memory(["a", "b"])
    judge(study, min, max_votes=4, retries=0, show=lambda name, decoy: f"the text of {name}")
    assert {vote.left if vote.answer == "left" else vote.right for vote in study.votes()} == {"a"}


def test_an_answer_that_is_also_the_other_item_s_name_ends_judging_with_a_sentence():
    study = Study.in_memory(["right", "tie", "b"])
    with pytest.raises(JudgeError, match="is an answer and also the name of an item"):
        judge(study, lambda left, right: max(left, right), max_votes=50, retries=3)
    study = Study.in_memory(["left", "right"])
    judge(study, first, max_votes=3, retries=0, show=lambda name, decoy: name.upper())
    assert study.progress.answers == 3


@pytest.mark.parametrize(
    ("said", "won"),
    [
        ("Left", "left"),
        ("**right**", "right"),
        ("`TIE`.", "tie"),
        ("Senna.", "senna"),
        ('"ALIEN (1979)"', "Alien (1979)"),
    ],
)
def test_case_and_marks_around_an_answer_play_no_part(said, won):
    study = Study.in_memory(["senna", "Alien (1979)"])
    judge(study, lambda left, right: said, max_votes=2, retries=0)
    votes = list(study.votes())
    assert len(votes) == 2
    for vote in votes:
        assert won in (vote.answer, getattr(vote, vote.answer, None))


def test_a_name_is_not_guessed_where_several_may_be_meant():
    study = Study.in_memory(["Left", "b"])
    with pytest.raises(JudgeError, match="is an answer and also the name of an item"):
        judge(study, lambda left, right: "LEFT.", max_votes=50, retries=0)
    study = Study.in_memory(["saw", "Saw!"])
    with pytest.raises(JudgeError, match="the name of the winner "):
        judge(study, lambda left, right: "SAW", retries=0, sleep=lambda seconds: asyncio.sleep(0))
    judge(study, lambda left, right: "Saw!", max_votes=2, retries=0)  # as it is written
    assert {getattr(vote, vote.answer) for vote in study.votes()} == {"Saw!"}


def test_an_answer_that_is_neither_says_that_a_name_would_do():
    study = Study.in_memory(["a", "b"])
    said = r"it returned 'neither', but left, .* or the name of the winner \('.' or '.'\) was"
    sleeps = Sleeps()
    with pytest.raises(JudgeError, match=said):
        judge(study, lambda left, right: "neither", sleep=sleeps)
    assert set(sleeps.pauses) == {0}  # no pause would make it clearer


def test_a_pause_that_is_not_async_is_told():
    def refuses(left, right):
        raise OSError("busy")

    with pytest.raises(ParameterError, match="sleep returned None, but an async function was"):
        judge(["a", "b"], refuses, sleep=lambda seconds: None)
