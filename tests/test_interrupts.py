"""Ctrl-C waits while compiled code reads the generator, and is never lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from antichain import _interrupts
from antichain._interrupts import (
    call_deaf,
    endings_heard,
    interrupts_come_up,
    interrupts_heard,
    interrupts_wait,
)


@pytest.fixture(autouse=True)
def _ctrl_c_as_usual() -> Iterator[None]:
    """The ordinary handler, also where the tests run in the background and Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_it_comes_up_at_the_end() -> None:
    reached = []

    def work() -> None:
        with interrupts_wait():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_inside_comes_first() -> None:
    def work() -> None:
        with interrupts_wait():
            signal.raise_signal(signal.SIGINT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_it_is_ignored_it_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_wait():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_left_alone() -> None:
    handlers = []

    def work() -> None:
        with interrupts_wait():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


class TestInsideARun:
    """A run installs the handler once; blocks inside it are protected all the same."""

    def test_between_blocks_it_comes_up_at_once(self) -> None:
        def work() -> None:
            with interrupts_heard():
                with interrupts_wait():
                    pass
                signal.raise_signal(signal.SIGINT)
                pytest.fail("Ctrl-C went unheard")

        with pytest.raises(KeyboardInterrupt):
            work()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_in_a_block_it_comes_up_at_the_end(self) -> None:
        reached = []

        def work() -> None:
            with interrupts_heard(), interrupts_wait():
                signal.raise_signal(signal.SIGINT)
                reached.append("the end")

        with pytest.raises(KeyboardInterrupt):
            work()
        assert reached == ["the end"]

    def test_nothing_is_left_over_for_the_next_run(self) -> None:
        def work() -> None:
            with interrupts_heard(), interrupts_wait():
                signal.raise_signal(signal.SIGINT)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            work()
        with interrupts_heard(), interrupts_wait():
            pass


class TestEndings:
    """Other signals that end a process take effect where Ctrl-C would."""

    SIGNALS = tuple(
        getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
    )

    @pytest.mark.parametrize("number", SIGNALS)
    def test_they_wait_where_ctrl_c_waits(self, number: signal.Signals) -> None:
        reached = []

        def work() -> None:
            with endings_heard(), interrupts_wait():
                signal.raise_signal(number)
                reached.append("the end")

        before = signal.signal(number, signal.SIG_DFL)  # the tests may run where it is ignored
        try:
            with pytest.raises(KeyboardInterrupt):
                work()
            assert reached == ["the end"]
            assert signal.getsignal(number) is signal.SIG_DFL
        finally:
            signal.signal(number, before)

    @pytest.mark.parametrize("number", SIGNALS)
    def test_what_is_ignored_stays_ignored(self, number: signal.Signals) -> None:
        before = signal.signal(number, signal.SIG_IGN)
        try:
            with endings_heard():
                signal.raise_signal(number)
                assert signal.getsignal(number) is signal.SIG_IGN
        finally:
            signal.signal(number, before)


class TestStartingProcesses:
    """Processes started deaf never hear Ctrl-C; this one hears it afterwards, and always."""

    def test_they_do_not_hear_it(self) -> None:
        program = "import time; print('up', flush=True); time.sleep(60)"
        child = call_deaf(
            lambda: subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        )
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"up\n"
            child.send_signal(signal.SIGINT)
            time.sleep(0.2)
            assert child.poll() is None
        finally:
            child.kill()
            child.communicate()

    def test_it_is_not_lost_meanwhile(self) -> None:
        reached = []

        def start() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            reached.append("the end")

        with pytest.raises(KeyboardInterrupt):
            call_deaf(start)
        assert reached == ["the end"]

    def test_what_fails_is_told(self) -> None:
        with pytest.raises(ZeroDivisionError):
            call_deaf(lambda: 1 // 0)

    def test_it_wakes_a_wait_after_polars_was_imported(self) -> None:
        pytest.importorskip("polars", reason="polars is not installed")
        program = (
            "import signal, threading, polars\n"
            "from antichain._interrupts import interrupts_end_waits\n"
            "interrupts_end_waits()\n"
            "done = threading.Event()\n"
            "threading.Timer(20, done.set).start()\n"
            "print('up', flush=True)\n"
            "try:\n"
            "    done.wait()\n"
            "except KeyboardInterrupt:\n"
            "    print('woken', flush=True)\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "up\n"
            time.sleep(0.2)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "woken\n"
            assert time.monotonic() - began < 10
        finally:
            child.kill()
            child.communicate()


class TestCommands:
    """A command has the process to itself: a second Ctrl-C does not disturb the cleaning up."""

    @pytest.fixture(autouse=True)
    def _own_ear(self, monkeypatch) -> None:
        monkeypatch.setattr(_interrupts, "_ear", _interrupts._Ear())

    def test_the_second_is_ignored_while_it_cleans_up(self) -> None:
        reached = []

        def work() -> None:
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)
                reached.append("the end")

        _interrupts.hear_interrupts_once()
        with pytest.raises(KeyboardInterrupt):
            work()
        assert reached == ["the end"]

    def test_but_not_for_ever(self, monkeypatch) -> None:
        _interrupts.hear_interrupts_once()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        monkeypatch.setattr(_interrupts, "_UNWINDING", 0.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    def test_blocks_wait_all_the_same(self) -> None:
        reached = []

        def work() -> None:
            with interrupts_wait():
                signal.raise_signal(signal.SIGINT)
                reached.append("the end")

        _interrupts.hear_interrupts_once()
        with pytest.raises(KeyboardInterrupt):
            work()
        assert reached == ["the end"]


def test_it_can_come_up_within_a_block() -> None:
    def work() -> None:
        with interrupts_wait():
            interrupts_come_up()  # nothing was pressed
            signal.raise_signal(signal.SIGINT)
            interrupts_come_up()
            pytest.fail("Ctrl-C went unheard")

    with pytest.raises(KeyboardInterrupt):
        work()
    with interrupts_wait():
        interrupts_come_up()  # and it comes up once


def test_in_the_midst_of_an_import_it_waits_for_a_moment() -> None:
    """An exception there may get lost, or leave a module behind that is half imported."""
    code = "def importing(press, key):\n    press(key)\n    return 'whole'\n"
    names: dict[str, Callable[..., str]] = {}
    exec(compile(code, "<frozen importlib._bootstrap>", "exec"), names)
    returned = []

    def work() -> None:
        with interrupts_heard():
            returned.append(names["importing"](signal.raise_signal, signal.SIGINT))
            time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert returned == ["whole"]


def test_ctrl_c_as_compiled_code_returns_is_still_ctrl_c() -> None:
    """Python wraps it in a SystemError then."""
    wrapped = SystemError("<built-in function> returned a result with an exception set")
    wrapped.__cause__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), _interrupts.interrupts_as_such():
        raise wrapped
    with pytest.raises(SystemError, match="another"), _interrupts.interrupts_as_such():
        raise SystemError("another")
