"""Ctrl-C waits while compiled code reads the generator, and is never lost."""

import signal
import threading
from collections.abc import Iterator

import pytest

from antichain._interrupts import interrupts_heard, interrupts_wait


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
