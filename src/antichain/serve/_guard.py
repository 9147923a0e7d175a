"""What stands before every request: limits, security headers, counts for /metrics."""

from __future__ import annotations

import hmac
import logging
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from antichain.serve._ballot_desk import RefusalError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_LOG = logging.getLogger(__name__)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ITEM_POLICY = "default-src 'none'; sandbox"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
}
_ISOLATED = {"cross-origin-opener-policy": "same-origin"}
_LOCAL = re.compile(rb"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?")
_BODY = 64 << 10
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_LARGE = {"/api/items": 12 << 20, "/api/studies": 4 << 20}
_NUMBER_BITS, _SEAL_BITS = 25, 28  # of an ask's id, which JavaScript must not round
_TIMES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


def ask_id(secret: str, number: int) -> int:
    """The id by which voters know an ask.

    It has a seal, so that nobody can guess it, and the number under a mask that the seal makes, so
    that nobody can tell a check of attention by it.
    """
    code = abs(number) << 1 | (number < 0)
    seal = _keyed(secret, f"seal {code}", _SEAL_BITS)
    return seal << _NUMBER_BITS | code ^ _keyed(secret, f"mask {seal}", _NUMBER_BITS)


def ask_number(secret: str, given: int) -> int:
    """The number of the ask with this id; a `RefusalError` if the seal is none of ours."""
    seal, masked = divmod(given, 1 << _NUMBER_BITS)
    code = masked ^ _keyed(secret, f"mask {seal}", _NUMBER_BITS)
    number = -(code >> 1) if code & 1 else code >> 1
    if ask_id(secret, number) != given:
        raise RefusalError("unknown", f"No ask has the id {given}.")
    return number


def _keyed(secret: str, text: str, bits: int) -> int:
    """So many bits, which nobody can tell without the secret."""
    digest = hmac.digest(secret.encode(), text.encode(), "sha256")
    return int.from_bytes(digest[:8], "big") >> (64 - bits)


class Bucket:
    """Lets so many through per second, for each key, and more in a burst.

    The least recent of many keys are forgotten, so that memory is bounded.
    """

    def __init__(self, rate: float, burst: float, most: int = 50_000) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, key: object, cost: float = 1.0) -> float:
        """0 if one more is let through; otherwise in how many seconds it may be."""
        now = time.monotonic()
        left, since = self._left.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        good = left >= cost
        self._left[key] = (left - cost if good else left), now
        if len(self._left) > self._most:
            self._left.popitem(last=False)
        return 0.0 if good else (cost - left) / self._rate


class Metrics:
    """Counts of requests and how long they took, as Prometheus reads them."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests[method if method in _METHODS else "other", route, status] += 1
        slots = self._times.setdefault(route, [0] * (len(_TIMES) + 1))
        slots[next((k for k, most in enumerate(_TIMES) if seconds <= most), len(_TIMES))] += 1
        self._sums[route] += seconds  # type: ignore[assignment]

    def text(self, more: dict[str, float]) -> str:
        """All counts, and the numbers given."""
        lines = ["# TYPE antichain_requests_total counter"]
        lines += [
            f'antichain_requests_total{{method="{method}",route="{route}",status="{status}"}} {n}'
            for (method, route, status), n in sorted(self._requests.items())
        ]
        name = "antichain_request_seconds"
        lines.append(f"# TYPE {name} histogram")
        for route, slots in sorted(self._times.items()):
            total = 0
            for most, count in zip((*_TIMES, "+Inf"), slots, strict=True):
                total += count
                lines.append(f'{name}_bucket{{route="{route}",le="{most}"}} {total}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._sums[route]:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {total}')
        for gauge, value in more.items():
            kind = "counter" if gauge.endswith("_total") else "gauge"
            lines += [f"# TYPE antichain_{gauge} {kind}", f"antichain_{gauge} {value}"]
        return "\n".join(lines) + "\n"


def _is_trustworthy(scope: Message) -> bool:
    """Whether browsers heed an opener policy here; elsewhere they complain about it."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    return scope.get("scheme") == "https" or any(map(_LOCAL.fullmatch, hosts))


class Guard:
    """ASGI middleware: limits the size of requests, sets headers, counts.

    Args:
        app: What stands behind it.
        metrics: Where requests are counted.
        failed: The reply where something went wrong that nobody thought of.
    """

    def __init__(self, app: Any, metrics: Metrics, failed: Callable[[Message], Any]) -> None:
        self._app, self._metrics, self._failed = app, metrics, failed

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        most = _LARGE.get(scope["path"], _BODY)
        too_large = f"The request is larger than {most:,} bytes, which is the limit here."
        read, headers = 0, _HEADERS | (_ISOLATED if _is_trustworthy(scope) else {})

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise HTTPException(413, too_large)
            return message

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                present = {name for name, _ in message["headers"]}
                message["headers"] = list(message["headers"]) + [
                    (name.encode(), value.encode())
                    for name, value in headers.items()
                    if name.encode() not in present
                ]
            await send(message)

        try:
            sizes = [value for name, value in scope["headers"] if name == b"content-length"]
            if any(not size.isdigit() or int(size) > most for size in sizes):
                await JSONResponse({"error": too_large}, 413)(scope, receive, guarded)
            else:
                await self._app(scope, counted, guarded)
        except Exception:
            if status:  # the reply has begun, and can only be broken off
                raise
            _LOG.exception("a request failed")
            await self._failed(scope)(scope, receive, guarded)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.note(scope["method"], route, status, time.perf_counter() - started)
