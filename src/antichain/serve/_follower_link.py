"""The process in which a study's records are judged, as seen from the server."""

from __future__ import annotations

import itertools
import logging
import multiprocessing
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from antichain.errors import StoreError
from antichain.serve._ballot_desk import AskPlan
from antichain.study._records import Settings

_LOG = logging.getLogger(__name__)
_CHUNK = 2_000  # lines in a message
_AGAIN = 2.0  # seconds before a process that has died is started again


class FollowerLink:
    """Keeps a follower going, feeds it lines, and hands on its plans.

    Args:
        settings: The study's settings.
        source: What certificates call the study.
        read: The lines of the store after a number.
        take: Called with each new plan.
    """

    def __init__(
        self,
        settings: Settings,
        source: str,
        read: Callable[[int], Iterator[str]],
        take: Callable[[AskPlan], None],
    ) -> None:
        self._settings, self._source, self._read, self._take = settings, source, read, take
        self._closed = False
        self._numbers = itertools.count()
        self._looks: dict[int, tuple[Future[Any], tuple[Any, ...]]] = {}
        self._thread = threading.Thread(target=self._keep_going, daemon=True, name="follower")
        self._outbox: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._process: Any = None
        self.restarts = 0
        self._wanted_anew = False

    def start(self) -> None:
        self._thread.start()

    def feed(self, after: int, lines: list[str]) -> None:
        """Pass on lines that were appended after that number."""
        self._outbox.put(("lines", after, lines))

    def look(self, what: str, **options: Any) -> Future[Any]:
        """Ask for something to be worked out, from all lines that were fed before."""
        future: Future[Any] = Future()
        number = next(self._numbers)
        message = ("look", number, what, options)
        self._looks[number] = future, message
        self._outbox.put(message)
        return future

    def restart(self) -> None:
        """Begin again with what is in the store now."""
        self._wanted_anew = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        self._closed = True
        self._outbox.put(None)
        if self._process is not None:
            self._process.join(0.2)
            self._process.kill()
        self._fail("the server is stopping.")

    def _keep_going(self) -> None:
        while not self._closed:
            self._wanted_anew = False
            try:
                self._one_life()
            except Exception as error:  # a database that is away, or a process that was killed
                if self._closed:
                    return
                if not self._wanted_anew:
                    self.restarts += 1
                    _LOG.warning("the follower begins again: %s", error)
                    self._fail("what the votes show is being worked out anew; try again.")
                    time.sleep(_AGAIN)
                for _, message in list(self._looks.values()):
                    self._outbox.put(message)

    def _one_life(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_follow,
            args=(theirs, self._settings, self._source),
            daemon=True,
            name="antichain-follower",
        )
        process.start()
        self._process = process
        theirs.close()
        reader = threading.Thread(target=self._hear, args=(ours,), daemon=True)
        reader.start()
        try:
            known = 1
            for chunk in _chunks(self._read(known)):
                ours.send(("lines", chunk))
                known += len(chunk)
            if known == 1:
                ours.send(("lines", []))  # so that it makes its first plan
            while not self._closed and not self._wanted_anew and process.is_alive():
                try:
                    message = self._outbox.get(timeout=0.5)
                except queue.Empty:
                    continue
                if message is None:
                    return
                if message[0] == "look":
                    ours.send(message)
                    continue
                _, after, lines = message
                if after > known:
                    raise StoreError(f"lines {known + 1} to {after} are missing")
                new = lines[known - after :]
                if new:
                    ours.send(("lines", new))
                    known += len(new)
            raise StoreError(f"its process ended (exit code {process.exitcode})")
        finally:
            ours.close()
            process.kill()
            process.join()

    def _hear(self, connection: Any) -> None:
        while True:
            try:
                message = connection.recv()
            except (EOFError, OSError):
                return
            if message[0] == "plan":
                self._take(message[1])
                continue
            _, number, worked, found = message
            future, _ = self._looks.pop(number, (None, ()))
            if future is None:
                continue
            if worked:
                future.set_result(found)
            else:
                future.set_exception(StoreError(f"this could not be worked out: {found}"))

    def _fail(self, sentence: str) -> None:
        for number in list(self._looks):
            future, _ = self._looks.pop(number, (None, ()))
            if future is not None and not future.done():
                future.set_exception(StoreError(sentence))


def _follow(connection: Any, settings: Settings, source: str) -> None:
    from antichain.serve._follower import serve_requests  # what judges is not loaded in the server

    serve_requests(connection, settings, source)


def _chunks(lines: Iterator[str]) -> Iterator[list[str]]:
    while chunk := list(itertools.islice(lines, _CHUNK)):
        yield chunk
