"""The follower: reads the records, judges them, and says what is worth asking next.

It takes its time (a certificate of many votes takes seconds), so that it runs in a process of its
own (`_follower_link`), and neither voters nor the desk wait for it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from antichain.algorithms._certifying import Inquiry, Wish
from antichain.certify._certificate import Certificate
from antichain.serve._ask_plans import AskPlan
from antichain.serve._overview import overview
from antichain.study._exported import certificate_of, exported_log, votes_csv
from antichain.study._records import Settings, StudyRecord, record_from
from antichain.study._state import StudyState

_MANY = 1_000  # messages that are read before anything is planned
_IDLE = 1.0  # seconds without a message
_WANTED = 100  # duels that are prepared at a time
_OTHERS = 400  # pairs beside them, for voters who have met the others


class Follower:
    """What the records amount to, and what is shown of that.

    Args:
        settings: The study's settings.
        source: What certificates call it.
    """

    def __init__(self, settings: Settings, source: str) -> None:
        self.source = source
        self.state = StudyState(settings, history=False)
        self._seen: dict[bool, tuple[int, Certificate]] = {}

    @property
    def line(self) -> int:
        return self.state.next_line - 1

    def follow(self, lines: Iterable[str]) -> None:
        """Take in the next lines."""
        records: list[StudyRecord] = [record_from(json.loads(line)) for line in lines]
        self.state.check(records)
        self.state.extend(records)

    def plan(self) -> AskPlan:
        """What is worth asking now."""
        search = self.state.search
        assert isinstance(search, Inquiry), "only such studies are served"
        wanted = search.wishes(_WANTED)
        others: dict[tuple[frozenset[str], str | None], Wish] = {}
        avoid: set[frozenset[str]] = set()
        found = wanted
        while len(others) < _OTHERS and not search.finished:
            new = {(frozenset(wish[:2]), wish.criterion): wish for wish in found}
            if not new.keys() - others.keys():
                break
            others |= new
            avoid |= {pair for pair, _ in new}
            found = search.wishes(_WANTED, avoid)
        return AskPlan(self.line, wanted, list(others.values()), search.finished)

    def certificate(self, likely: bool = True) -> Certificate:
        """What the votes show now."""
        known = self._seen.get(likely)
        if known is None or known[0] != self.line:
            found = certificate_of(self.state, self.source, likely=likely)
            known = self._seen[likely] = (self.line, found)
        return known[1]

    def look(self, what: str, options: dict[str, Any]) -> Any:
        """What somebody wants to see: each kind has a method below."""
        look: Callable[..., Any] = _LOOKS[what]
        return look(self, **options)

    def _result(self, likely: bool = True) -> dict[str, Any]:
        return self.certificate(likely).to_dict()

    def _overview(self) -> dict[str, Any]:
        return overview(self.state, self.certificate(), self.line, time.time())

    def _votes(self, salt: str) -> str:
        """The votes as CSV, with voters under names that only the salt leads to."""

        def alias(voter: str) -> str:
            return "v" + sha256(f"{salt}\0{voter}".encode()).hexdigest()[:10]

        return votes_csv(self.state, alias)

    def _report(self) -> str:
        from antichain.certify.report import page

        return page(self.certificate(), exported_log(self.state))


_LOOKS: dict[str, Callable[..., Any]] = {
    "result": Follower._result,
    "overview": Follower._overview,
    "votes": Follower._votes,
    "report": Follower._report,
}


def serve_requests(connection: Any) -> None:
    """Follow what comes through a pipe, until it is closed: the whole life of the process.

    Messages are ("open", study, settings, source), ("lines", study, lines) and ("look", study,
    number, what, options); answers are ("plan", study, plan) and ("seen", study, number, whether it
    worked, what was found).
    """
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.SIG_IGN)  # these are for the server, which closes the pipe
    if hasattr(os, "nice"):
        os.nice(5)  # voters go first
    followers: dict[str, Follower | str] = {}  # or why a study cannot be followed
    pause, warm = 0.0, False
    with suppress(EOFError, OSError):
        while True:
            if not warm and not connection.poll(_IDLE):
                warm = True  # kernels are compiled now, not when somebody looks
                _warm_up(followers)
            messages = [connection.recv()]
            if messages[0][0] == "lines":
                time.sleep(pause)
            while connection.poll() and len(messages) < _MANY:
                messages.append(connection.recv())
            moved = dict.fromkeys(
                study for kind, study, *rest in messages if _taken(followers, kind, study, rest)
            )
            for kind, study, *rest in messages:
                if kind == "look":
                    connection.send(("seen", study, rest[0], *_looked(followers[study], *rest[1:])))
            started = time.perf_counter()
            for study in moved:
                follower = followers[study]
                if isinstance(follower, Follower):
                    worked, plan = _tried(follower.plan)
                    if worked:
                        connection.send(("plan", study, plan))
            # It may take half of a processor, and no more, to plan ahead.
            pause = min(1.0, time.perf_counter() - started)


def _warm_up(followers: dict[str, Follower | str]) -> None:
    for follower in list(followers.values())[:1]:
        _looked(follower, "overview", {})


def _taken(
    followers: dict[str, Follower | str], kind: str, study: str, rest: Sequence[Any]
) -> bool:
    """Take in a message; says whether there is something new to plan from."""
    if kind == "open":
        followers[study] = Follower(*rest)
        return True
    follower = followers[study]
    if kind != "lines" or not isinstance(follower, Follower):
        return False
    try:
        follower.follow(rest[0])
    except Exception as error:  # votes are still taken, on pairs that are drawn
        followers[study] = f"{type(error).__name__}: {error}"
    return True


def _looked(follower: Follower | str, what: str, options: dict[str, Any]) -> tuple[bool, Any]:
    if isinstance(follower, str):
        return False, follower
    return _tried(lambda: follower.look(what, options))


def _tried(work: Callable[[], Any]) -> tuple[bool, Any]:
    """Whether it worked, and what came of it: one study must not stop the others."""
    try:
        return True, work()
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
