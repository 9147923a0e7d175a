"""A served study as seen from a program: the interface of `Study`, through HTTP."""

from __future__ import annotations

import http.client
import io
import json
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from antichain import _checks, _journal
from antichain.algorithms._certifying import Certifying
from antichain.algorithms._result import Result
from antichain.algorithms._rounds import Receipt
from antichain.certify._certificate import Certificate
from antichain.errors import ParameterError, ProtocolError, StoreError
from antichain.evidence._answers import Answer, parse_answer
from antichain.serve._ballot_desk import DONT_KNOW
from antichain.study import Study
from antichain.study._records import STUDY, StudyAsk
from antichain.study._state import StudyProgress

_TRIES = 60  # of a request, until the server can be reached again
_PAUSE = 1.0  # seconds between two tries, unless the server says otherwise
_OVER = ("finished", "session", "closed")


class ServedStudy:
    """A study on a server, in which this program votes alongside people.

    Its interface is that of `antichain.Study`, so `antichain.judge` can vote in it. Requests that
    fail because the server cannot be reached, or cannot write just now, are repeated, and none of
    them counts twice.

    Args:
        link: The voting link, or the owner's link, which also shows results.
        voter: The name under which this program votes.
        timeout: Seconds to wait for a reply.
    """

    path = None

    def __init__(self, link: str, voter: str = "judge", *, timeout: float = 60.0) -> None:
        _checks.text("link", link)
        self.voter, self._timeout = _checks.text("voter", voter), timeout
        parts = urlsplit(link)
        pieces = parts.path.rstrip("/").split("/")
        if parts.scheme not in ("http", "https") or len(pieces) < 3 or pieces[-2] not in ("v", "o"):
            raise ParameterError(
                f"link is {link!r}, but a voting link or an owner's link from antichain serve was "
                "expected."
            )
        self._secure, self._host = parts.scheme == "https", parts.netloc
        self._root, self._secret = "/".join(pieces[:-2]), pieces[-1]
        self._local = threading.local()  # one connection for each thread
        self._connections: list[http.client.HTTPConnection] = []
        self._owner = pieces[-2] == "o"
        self._state, self._answered = "open", 0
        self._out: dict[int, StudyAsk] = {}
        ballot = self._call("GET", "ballot")
        self.items: tuple[str, ...] = tuple(ballot["items"])
        terms = {key: ballot[key] for key in ("delta", "epsilon", "decoy_gap")}
        self.algorithm = Certifying(**terms)
        self._reasons, self._answers = tuple(ballot["reasons"]), ballot["answers"]

    def close(self) -> None:
        """Close the connections to the server."""
        for connection in self._connections:
            connection.close()
        self._local = threading.local()

    def __enter__(self) -> ServedStudy:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- asking and telling ----------------------------------------------------------------------

    def ask(self, n: int = 1, *, avoid: object = ()) -> list[StudyAsk]:
        """Up to `n` new duels; none if there is nothing to do at the moment."""
        n = _checks.whole("the number of duels to ask for", n)
        found = self._asks(len(self._out) + n)
        new = [ask for ask in found if ask.id not in self._out][:n]
        self._out |= {ask.id: ask for ask in new}
        return new

    @property
    def outstanding(self) -> tuple[StudyAsk, ...]:
        """Duels that this voter was handed and has not answered yet."""
        self._out = {ask.id: ask for ask in self._asks(0)}
        return tuple(self._out.values())

    def _asks(self, n: int) -> list[StudyAsk]:
        found = self._call("POST", "asks", {"voter": self.voter, "n": min(n, 100)})
        self._state, self._answered = found["state"], found["answered"]
        return [_ask(entry) for entry in found["asks"]]

    def tell(
        self,
        ask: StudyAsk | int,
        answer: Answer | str,
        *,
        voter: str | None = None,
        reason: str | None = None,
        cost: float | None = None,
    ) -> Receipt:
        """Give an answer; one to an ask that was given up, or already answered, is spare.

        The voter is always that of this object. Costs are not kept, and of reasons only those that
        the study offers.
        """
        number = ask.id if isinstance(ask, StudyAsk) else ask
        said = parse_answer(answer).value
        self._out.pop(number, None)
        unsure = said == "skipped" and reason == DONT_KNOW and self._answers["dont_know"]
        kept = reason if unsure or reason in self._reasons else None
        body = {"answer": said, "reason": kept, "voter": self.voter}
        try:
            found = self._call("POST", f"asks/{int(number)}/answer", body)
        except _GoneError:
            return Receipt.SPARE
        self._answered = found["answered"]
        return Receipt(found["receipt"])

    def expire(
        self, ask: StudyAsk | int, *, reason: str | None = None, cost: float | None = None
    ) -> None:
        """Give up a duel that will not be answered."""
        number = ask.id if isinstance(ask, StudyAsk) else ask
        self._out.pop(number, None)
        self._call("POST", f"asks/{int(number)}/give-up", {"reason": reason and reason[:500]})

    def undo(self, *, voter: str | None = None) -> StudyAsk:
        """Take back this voter's last answer, and return its ask, to be answered again."""
        ask = _ask(self._call("POST", "undo", {"voter": self.voter}))
        self._out[ask.id] = ask
        return ask

    # -- looking ---------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do for this voter."""
        return self._state in _OVER

    @property
    def progress(self) -> StudyProgress:
        """How far this voter has come; the answers of others do not count."""
        out, items = len(self._out), len(self.items)
        done = self.finished
        return StudyProgress(self._answered, 0, 0, 0, out, items, items, self._state, done, 0.0)

    def snapshot(self) -> Study:
        """The whole study as it is now, to look at; this takes the owner's link."""
        content = self._send("GET", "export/study.zip", None)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = _journal.parse(archive.read("study.duels"), Path("the study"), STUDY)
        return Study.of_lines(found, "the study")

    def result(self) -> Result:
        """The front so far; without the owner's link, which shows results, it is empty."""
        if not self._owner:
            return replace(
                Study.in_memory(self.items, self.algorithm).result(), front=(), dominated={}
            )
        return self.snapshot().result()

    def certificate(self, *, likely: bool = True) -> Certificate:
        """What the votes show; this takes the owner's link."""
        return self.snapshot().certificate(likely=likely)

    # -- inside ----------------------------------------------------------------------------------

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._send(method, path, body))
        return found

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        """The reply to a request, which is repeated while the server is away or busy."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        trouble = ""
        for _ in range(_TRIES):
            pause = _PAUSE
            try:
                connection = self._connection()
                connection.request(method, f"{self._root}/api/{path}", content, headers)
                reply = connection.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException) as error:
                self._forget()
                trouble = f"{type(error).__name__}: {error}"
            else:
                if reply.status < 300:
                    return text
                trouble = _complaint(text, reply.status)
                if reply.status not in (429, 503):
                    kind = _GoneError if reply.status in (409, 410) else ProtocolError
                    raise kind(trouble)
                pause = min(60.0, float(reply.headers.get("retry-after") or _PAUSE))
            time.sleep(pause)
        raise StoreError(f"the server at {self._host} cannot be reached: {trouble}")

    def _forget(self) -> None:
        found = getattr(self._local, "connection", None)
        if found is not None:
            found.close()
            self._connections.remove(found)
            self._local.connection = None

    def _connection(self) -> http.client.HTTPConnection:
        found: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if found is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            found = self._local.connection = kind(self._host, timeout=self._timeout)
            self._connections.append(found)
        return found


class _GoneError(ProtocolError):
    """An ask was given up, or has another answer already."""


def _ask(entry: dict[str, Any]) -> StudyAsk:
    parts = (entry[name] for name in ("id", "left", "right", "decoy", "criterion"))
    return StudyAsk(*parts)


def _complaint(text: bytes, status: int) -> str:
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {status}"
