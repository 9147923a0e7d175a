"""The process in which records are judged, as seen from the server: one for all of its studies."""

from __future__ import annotations

import itertools
import logging
import multiprocessing
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from multiprocessing import resource_tracker
from typing import Any

from antichain._option_names import typed
from antichain.errors import StoreError
from antichain.serve._ask_plans import AskPlan
from antichain.study._records import Settings

_LOG = logging.getLogger(__name__)
_CHUNK = 2_000  # lines in a message
_AGAIN = 2.0  # seconds before a process that has died is started again
_LATER = "what the votes show is being recomputed; try again."


class FollowerProcess:
    """Keeps the process going, and passes messages to and fro."""

    def __init__(self) -> None:
        self._links: dict[str, FollowerLink] = {}
        self._outbox: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._closed = False
        self._process: Any = None
        self._thread = threading.Thread(target=self._keep_going, daemon=True, name="followers")
        self.restarts = 0

    def open(self, link: FollowerLink) -> None:
        """Follow a study from now on, or follow it anew."""
        self._links[link.study] = link
        self.send("open", link.study)
        if not self._thread.is_alive():
            self._thread.start()

    def send(self, *message: Any) -> None:
        self._outbox.put(message)

    def close(self) -> None:
        self._closed = True
        self.send("end", None)
        if self._thread.is_alive():
            self._thread.join(10)
        for link in self._links.values():
            link.fail("the server is stopping.")

    def _keep_going(self) -> None:
        while not self._closed:
            try:
                self._one_life()
            except Exception as error:  # a store that is away, or a process that was killed
                self.restarts += 1
                _LOG.warning("the follower begins again: %s", error)
                for link in self._links.values():
                    link.fail(_LATER)
                time.sleep(_AGAIN)

    def _one_life(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_follow, args=(theirs,), daemon=True)
        _start_in_peace(process)
        theirs.close()
        threading.Thread(target=self._hear, args=(ours,), daemon=True).start()
        known: dict[str, int] = {}  # the last line of each study that was sent
        try:
            for link in list(self._links.values()):
                known[link.study] = link.open_in(ours)
            while process.is_alive():
                try:
                    kind, study, *rest = self._outbox.get(timeout=0.5)
                except queue.Empty:
                    continue
                if kind == "end":
                    return
                if kind == "open":
                    known[study] = self._links[study].open_in(ours)
                elif kind == "look":
                    ours.send((kind, study, *rest))
                else:
                    after, lines = rest
                    new = lines[known[study] - after :]
                    if after > known[study]:
                        raise StoreError(f"lines of {study} before {after} are missing")
                    if new:
                        ours.send((kind, study, new))
                        known[study] += len(new)
            raise StoreError(f"its process ended (exit code {process.exitcode})")
        finally:
            ours.close()
            process.kill()
            process.join()

    def _hear(self, connection: Any) -> None:
        while True:
            try:
                kind, study, *rest = connection.recv()
            except (EOFError, OSError):
                return
            self._links[study].hear(kind, *rest)


class FollowerLink:
    """Ties one study to the process.

    Args:
        process: The process.
        study: The study's name.
        settings: The study's settings.
        source: What certificates call the study.
        read: The lines of the store after a number.
        take: Called with each new plan.
    """

    def __init__(
        self,
        process: FollowerProcess,
        study: str,
        settings: Settings,
        source: str,
        read: Callable[[int], Iterator[str]],
        take: Callable[[AskPlan], None],
    ) -> None:
        self.study, self._process = study, process
        self._settings, self._source, self._read, self._take = settings, source, read, take
        self._numbers = itertools.count()
        self._looks: dict[int, Future[Any]] = {}

    def start(self) -> None:
        """Begin, or begin again with what is in the store now."""
        self._process.open(self)

    def feed(self, after: int, lines: list[str]) -> None:
        """Pass on lines that were appended after that number."""
        self._process.send("lines", self.study, after, lines)

    def look(self, what: str, **options: Any) -> Future[Any]:
        """Ask for something to be worked out, from all lines that were fed before."""
        future: Future[Any] = Future()
        number = next(self._numbers)
        self._looks[number] = future
        self._process.send("look", self.study, number, what, options)
        return future

    def open_in(self, connection: Any) -> int:
        """Send all that the store has; returns the number of the last line."""
        connection.send(("open", self.study, self._settings, self._source))
        known, lines = 1, self._read(1)
        while chunk := list(itertools.islice(lines, _CHUNK)):
            connection.send(("lines", self.study, chunk))
            known += len(chunk)
        return known

    def hear(self, kind: str, *rest: Any) -> None:
        """Take what the process says: a plan, or what somebody wanted to see."""
        if kind == "plan":
            self._take(rest[0])
            return
        number, worked, found = rest
        future = self._looks.pop(number, None)
        if future is None or future.done():
            return
        if worked:
            future.set_result(found)
        else:
            future.set_exception(StoreError(f"this could not be worked out: {found}"))

    def fail(self, sentence: str) -> None:
        """Tell all who are waiting that it takes another try."""
        for number in list(self._looks):
            future = self._looks.pop(number, None)
            if future is not None and not future.done():
                future.set_exception(StoreError(sentence))


def _start_in_peace(process: Any) -> None:
    """Start a process that no Ctrl-C disturbs, not even while it is loading."""
    if sys.platform == "win32":
        process.start()
        return
    resource_tracker.ensure_running()  # or it would start now, and let signals through again
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _follow(connection: Any) -> None:
    from antichain.serve._follower import serve_requests  # what judges is not loaded in the server

    with typed():  # notes name options as owners type them, like those of the server itself
        serve_requests(connection)
