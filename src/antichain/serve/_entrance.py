"""Who sends a request, what they may do, and how often; and errors as sentences."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from antichain._files import is_one_line
from antichain.errors import AntichainError, InputError, StoreError
from antichain.serve._ballot_desk import RefusalError
from antichain.serve._guard import Bucket, Metrics
from antichain.serve._house import House, OpenStudy
from antichain.serve._secrets import Access
from antichain.study._conduct import NO_VOTERS

_WANTED = {  # by what pydantic calls the fault
    "json_invalid": "JSON",
    "model_attributes_type": "a JSON object",
    "dict_type": "a JSON object",
    "missing": "a value",
    "extra_forbidden": "no such key",
    "string_type": "text",
    "string_too_short": "text of {min_length} character or more",
    "string_too_long": "text of at most {max_length} characters",
    "literal_error": "{expected}",
    "enum": "{expected}",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "greater_than_equal": "a number of {ge} or more",
    "less_than_equal": "a number of at most {le}",
}
_STATUS = {"unknown": 404, "taken": 409, "gone": 410, "bad": 422}
RETRY = 2  # seconds after which to try again what could not be written
_STREAMS = 100  # open at a time, for each study


class Hall:
    """What all requests share.

    Args:
        house: The studies.
        address: What links begin with; that of the request if None.
        rate: How many requests a voter may send per second; ten times that in a burst.
    """

    def __init__(self, house: House, address: str | None, rate: float) -> None:
        self.house, self.metrics, self._address = house, Metrics(), address
        self._rate = Bucket(rate, 10 * rate)
        self._failed = Bucket(0.5, 30)  # wrong secrets from one address
        self._new = Bucket(50, 5_000)  # voters nobody has seen before, for each study
        self.streams: dict[str, set[asyncio.Event]] = {}  # what wakes each that is open
        self.ended = False

    def end(self) -> None:
        """Keep nobody waiting any longer: the server is being stopped."""
        self.ended = True
        for waking in self.streams.values():
            for changed in waking:
                changed.set()
        for study in self.house.studies.values():
            study.service.follower.fail("the server is being stopped.")

    def base(self, request: Request) -> str:
        """What links begin with."""
        return (self._address or str(request.base_url)).rstrip("/")

    async def visitor(self, request: Request, secret: str) -> Visitor | None:
        """Whoever has this secret, if it opens anything; guessing is slow."""
        if (known := self.house.known(secret)) is not None:
            return Visitor(*known)
        sender = request.client.host if request.client else ""
        if wait := self._failed.take(sender):  # before the store is asked
            raise too_many(wait)
        found = await asyncio.to_thread(self.house.find, secret)
        if found is None:
            return None
        self._failed.take(sender, -1)  # it was no guess
        return Visitor(*found)

    def check_pace(self, visitor: Visitor, voter: str, *, new: bool = True) -> None:
        """Raise if a voter sends too much, or too many new ones come at once."""
        wait = self._rate.take((visitor.study.id, voter))
        desk = visitor.study.service.desk
        if new and not wait and desk is not None and voter not in desk.voters:
            wait = self._new.take(visitor.study.id)
        if wait:
            raise too_many(wait)

    def check_streams(self, visitor: Visitor) -> None:
        if len(self.streams.get(visitor.study.id, ())) >= _STREAMS:
            raise too_many(30.0)


class Visitor:
    """Whoever sends a request: the study and what they may do there."""

    def __init__(self, study: OpenStudy, access: Access) -> None:
        self.study, self.access, self.service = study, access, study.service

    def voter(self, given: str | None) -> str:
        """The voter: whom their own link names, or who they say they are."""
        if self.access.voter is not None:
            return self.access.voter
        if given is None or not is_one_line(given):
            raise RefusalError("bad", "The voter's name on one line was expected (voter).")
        if given in NO_VOTERS:
            raise RefusalError("bad", f"The voter {given!r} was given, but a name was expected.")
        return given


def hall_of(request: Request) -> Hall:
    hall: Hall = request.app.state.hall
    return hall


class _Door(HTTPBearer):
    """Finds out who sends a request, in one step: every vote passes here."""

    def __init__(self, role: str | None = None) -> None:
        says = "The secret in the voter's or owner's link"
        super().__init__(scheme_name="link", description=says, auto_error=False)
        self._role = role

    async def __call__(self, request: Request) -> Any:  # type: ignore[override]
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        found = None
        if scheme.lower() == "bearer":
            found = await hall_of(request).visitor(request, secret.strip())
        if found is None:
            sentence = "The secret of a link was expected (Authorization: Bearer …)."
            raise HTTPException(401, sentence, {"www-authenticate": "Bearer"})
        if self._role is not None and found.access.role != self._role:
            raise HTTPException(403, "This is for the owner of the study.")
        request.state.role = found.access.role
        return found


Anybody = Annotated[Visitor, Depends(_Door())]
Owner = Annotated[Visitor, Depends(_Door("owner"))]


# -- errors --------------------------------------------------------------------------------------


def too_many(wait: float) -> HTTPException:
    seconds = max(1, round(wait))
    return HTTPException(
        429, f"Too many requests; try again in {seconds} s.", {"retry-after": str(seconds)}
    )


async def refused(request: Request, error: Exception) -> Response:
    """What antichain refuses: bad input, or a store that cannot be written just now."""
    if isinstance(error, RefusalError):
        return JSONResponse({"error": str(error)}, _STATUS[error.kind])
    if isinstance(error, InputError):
        return JSONResponse({"error": str(error)}, 422)
    body = {"error": "This could not be saved just now; nothing is lost. Please try again soon."}
    if getattr(request.state, "role", None) == "owner":
        body["hint"] = str(error)  # it may name the database, which is no business of voters
    elif isinstance(error, StoreError) and "full" in str(error):
        body["hint"] = "The server's disk is full; whoever runs it has to make room."
    return JSONResponse(body, 503, {"retry-after": str(RETRY)})


async def invalid(_: Request, error: Exception) -> Response:
    """A request that does not fit the description of the API, in one sentence."""
    assert isinstance(error, RequestValidationError)
    first: Any = error.errors()[0]
    where = [str(part) for part in first["loc"] if part not in ("body", "path", "query")]
    kind, limits = first["type"], first.get("ctx", {})
    wanted = _WANTED.get(kind, "{}").format(str(first["msg"]).rstrip("."), **limits)
    place = ".".join(where) if kind != "json_invalid" and where else "The body"
    sentence = f"{place}: {wanted}{' was expected' * (kind in _WANTED)}."
    return JSONResponse({"error": sentence[:500].encode("utf-8", "replace").decode()}, 422)


ERRORS: tuple[tuple[type[Exception], Any], ...] = (
    (AntichainError, refused),
    (RequestValidationError, invalid),
)
