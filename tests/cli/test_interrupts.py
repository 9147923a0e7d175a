"""Ctrl-C that waits for a harmless moment."""

import signal

import pytest

from antichain.cli.interrupts import Deferred


def test_the_first_waits_for_the_check():
    with Deferred() as interrupts:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        interrupts.check()  # it came once, so it comes up once
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_a_check_it_comes_up_at_the_end():
    with pytest.raises(KeyboardInterrupt), Deferred():
        signal.raise_signal(signal.SIGINT)


def test_the_second_does_not_wait():
    with Deferred() as interrupts:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_it_is_ignored_it_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Deferred() as interrupts:
            signal.raise_signal(signal.SIGINT)
            interrupts.check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
