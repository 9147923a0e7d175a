"""The API: what voters, owners and programs can ask a server for (docs/guides/serve.md)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from antichain.serve import _exports
from antichain.serve._ballot_desk import MOST_HELD, BallotDesk, Decision
from antichain.serve._entrance import Anybody, Hall, Owner, Visitor, hall_of
from antichain.serve._guard import ask_id, ask_number
from antichain.serve._house import OpenStudy
from antichain.serve._showing import words
from antichain.study._ballot_entries import QUESTION

_HEARTBEAT = 15.0  # seconds between signs of life in a stream
_FINISHED = ("session", "finished")

_ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"description": "No secret, or an unknown one"},
    403: {"description": "For the owner only"},
    404: {"description": "No such ask or voter"},
    409: {"description": "Already answered, or already there"},
    410: {"description": "The ask was given up"},
    413: {"description": "Too large"},
    422: {"description": "Not as expected; `error` says what was expected"},
    429: {"description": "Too many requests; see `Retry-After`"},
    503: {"description": "Could not be saved just now; try again"},
}
router = APIRouter(prefix="/api", responses=_ERRORS)

VoterName = Annotated[str, Field(min_length=1, max_length=200)]
VoterPath = Annotated[str, Path(min_length=1, max_length=200)]
AskId = Annotated[int, Path(ge=-(2**53), le=2**53, description="The ask's `id`")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WantsAsks(_Body):
    """Who wants to vote, and on how many pairs; 0 returns only those they already have."""

    voter: VoterName | None = None
    n: int = Field(1, ge=0, le=MOST_HELD)


class GivesAnswer(_Body):
    """A voter's answer to an ask, and perhaps the reason."""

    answer: Literal["left", "right", "tie", "incomparable", "skipped", "dont_know"]
    reason: str | None = Field(None, max_length=500)
    voter: VoterName | None = None


class TakesBack(_Body):
    """Whose last answer is taken back, or whose answer to which ask."""

    voter: VoterName | None = None
    id: int | None = Field(None, ge=-(2**53), le=2**53)


class Reason(_Body):
    reason: str | None = Field(None, max_length=500)


class Upload(_Body):
    """A picture, a sound or a video, in base64."""

    data: str = Field(max_length=11 << 20)


class NewItem(_Body):
    """An item to be added."""

    name: str = Field(min_length=1, max_length=300)
    text: str = Field("", max_length=1 << 20)
    link: str | None = Field(None, max_length=2000)
    file: Upload | None = None


async def _done(future: Future[Any]) -> Any:
    """What a future gives, without keeping others waiting."""
    return await asyncio.wrap_future(future)


async def _decided(visitor: Visitor, command: Callable[[BallotDesk, float], Decision]) -> Any:
    return await _done(visitor.service.submit(command))


def _seal(request: Request, visitor: Visitor) -> str:
    """What the ids of a study's asks are sealed with."""
    return hall_of(request).house.doors.derive(visitor.study.id, "asks")


# -- voters --------------------------------------------------------------------------------------


@router.get("/ballot")
async def ballot(visitor: Anybody) -> JSONResponse:
    """What the voting page shows."""
    study, conduct = visitor.study, visitor.study.ballot.conduct
    questions: list[tuple[str | None, str]] = [*study.ballot.criteria.items()]
    said, own = study.ballot.question, words(conduct.language)
    terms = study.service.settings.algorithm
    found = {
        "title": study.ballot.title,
        "questions": [
            {"criterion": key, "text": text}
            for key, text in questions or [(None, own["question"] if said == QUESTION else said)]
        ],
        "items": await asyncio.to_thread(study.items),
        "answers": {
            key: key in conduct.answers for key in ("tie", "incomparable", "skipped", "dont_know")
        },
        "reasons": list(conduct.reasons),
        "language": conduct.language,
        "words": own,
        "session": conduct.session,
        "end": {"text": conduct.ending.text, "code": None, "redirect": None},
        "voter": visitor.access.voter,
        **{key: getattr(terms, key) for key in ("delta", "epsilon", "decoy_gap")},
        "open": study.service.desk is not None and not study.service.desk.paused,
    }
    return JSONResponse(found)


@router.post("/asks")
async def asks(request: Request, body: WantsAsks, visitor: Anybody) -> JSONResponse:
    """Hand out asks; those the voter has already come first."""
    voter = visitor.voter(body.voter)
    hall_of(request).check_pace(visitor, voter)
    reply: dict[str, Any] = await _done(visitor.service.ask(voter, body.n))
    seal = _seal(request, visitor)
    reply["asks"] = [ask | {"id": ask_id(seal, ask["id"])} for ask in reply["asks"]]
    if reply["state"] in _FINISHED:
        ending = visitor.study.ballot.conduct.ending
        reply["end"] = {"text": ending.text, "code": ending.code, "redirect": ending.redirect}
    return JSONResponse(reply)


@router.post("/asks/{id}/answer")
async def answer(
    request: Request,
    id: AskId,  # noqa: A002
    body: GivesAnswer,
    visitor: Anybody,
) -> JSONResponse:
    """Take an answer; the same answer again changes nothing."""
    voter = visitor.access.voter or body.voter
    hall_of(request).check_pace(visitor, voter or f"ask {id % 1000}", new=False)
    number = ask_number(_seal(request, visitor), id)
    reply = await _done(visitor.service.answer(number, body.answer, body.reason, voter))
    return JSONResponse(reply | {"id": id})


@router.post("/asks/{id}/give-up")
async def give_up(
    request: Request,
    id: AskId,  # noqa: A002
    body: Reason,
    visitor: Anybody,
) -> dict[str, Any]:
    """Give up an ask that will not be answered; it then counts against every claim."""
    voter, number = visitor.access.voter, ask_number(_seal(request, visitor), id)
    reply: dict[str, Any] = await _decided(
        visitor, lambda desk, now: desk.expire(number, body.reason, voter, now)
    )
    return reply | {"id": id}


@router.post("/undo")
async def undo(request: Request, body: TakesBack, visitor: Anybody) -> dict[str, Any]:
    """Take back a voter's last answer, or the one to a given ask, which they then have again."""
    voter = visitor.voter(body.voter)
    hall_of(request).check_pace(visitor, voter)
    seal = _seal(request, visitor)
    number = None if body.id is None else ask_number(seal, body.id)
    reply: dict[str, Any] = await _decided(visitor, lambda desk, now: desk.undo(voter, number, now))
    return reply | {"id": ask_id(seal, reply["id"])}


# -- the owner -----------------------------------------------------------------------------------


@router.get("/result")
async def result(visitor: Owner, likely: bool = True) -> dict[str, Any]:
    """The certificate of all votes so far, as `antichain front` makes it from the export."""
    found: dict[str, Any] = await _exports.looked(visitor.service, "result", likely=likely)
    return found


@router.get("/dashboard")
async def dashboard(request: Request, visitor: Owner) -> dict[str, Any]:
    """Everything that the owner's page shows."""
    found: dict[str, Any] = await _exports.looked(visitor.service, "overview")
    study, house, desk = visitor.study, hall_of(request).house, visitor.service.desk
    state = "open" if desk is None else desk.state_for(None, visitor.service.time())
    links = house.links(study.id, hall_of(request).base(request))
    return found | {
        "title": study.ballot.title,
        "vote": links["vote"],
        "voter_links": links.get("voters"),
        "state": state,
        "paused": desk is not None and desk.paused,
        "add_items": not study.ballot.directions,
        "exports": list(_exports.KINDS),
    }


@router.get("/events", response_class=StreamingResponse)
async def events(
    request: Request, visitor: Owner, last: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> Response:
    """A stream of server-sent events, one after every change; their ids are lines of the log."""
    hall = hall_of(request)
    hall.check_streams(visitor)
    given = request.headers.get("last-event-id", "")
    start = int(given) if given.isascii() and given.isdigit() and len(given) < 15 else last
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(
        _stream(hall, visitor.study, start), headers=headers, media_type="text/event-stream"
    )


async def _stream(hall: Hall, study: OpenStudy, last: int) -> AsyncIterator[str]:
    service, loop, changed = study.service, asyncio.get_running_loop(), asyncio.Event()

    def listener(_: int) -> None:
        loop.call_soon_threadsafe(changed.set)

    service.listen(listener)
    seen = (last, service.edition)
    waking = hall.streams.setdefault(study.id, set())
    waking.add(changed)
    try:
        yield "retry: 2000\n\n"
        while not hall.ended:
            line = seen[0] if service.desk is None else service.desk.line
            if seen != (line, service.edition):
                seen = (line, service.edition)
                yield f'id: {line}\nevent: change\ndata: {{"line": {line}}}\n\n'
            try:
                await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                await asyncio.sleep(0.2)  # changes of one moment are one event
                changed.clear()
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        service.forget(listener)
        waking.discard(changed)


@router.post("/pause")
async def pause(visitor: Owner) -> dict[str, Any]:
    """Hand out no asks until further notice; answers to earlier asks are still accepted."""
    found: dict[str, Any] = await _decided(visitor, lambda desk, now: desk.pause(True, now))
    return found


@router.post("/resume")
async def resume(visitor: Owner) -> dict[str, Any]:
    """Resume after a pause."""
    found: dict[str, Any] = await _decided(visitor, lambda desk, now: desk.pause(False, now))
    return found


@router.post("/items")
async def add_item(request: Request, body: NewItem, visitor: Owner) -> dict[str, Any]:
    """Add an item while votes are coming in."""
    house, data = hall_of(request).house, None if body.file is None else body.file.data
    entry = await asyncio.to_thread(
        _exports.new_entry, house, visitor.study.id, body.name, body.text, body.link, data
    )
    found: dict[str, Any] = await _decided(
        visitor, lambda desk, now: desk.add_item(body.name, entry, now)
    )
    return found


@router.post("/voters/{voter:path}/exclude")
async def exclude(voter: VoterPath, body: Reason, visitor: Owner) -> dict[str, Any]:
    """Leave a voter out: everything is recomputed without their votes."""
    found: dict[str, Any] = await _decided(
        visitor, lambda desk, now: desk.leave_out(voter, True, body.reason, now)
    )
    return found


@router.post("/voters/{voter:path}/include")
async def include(voter: VoterPath, visitor: Owner) -> dict[str, Any]:
    """Include a voter again."""
    found: dict[str, Any] = await _decided(
        visitor, lambda desk, now: desk.leave_out(voter, False, None, now)
    )
    return found


@router.delete("/voters/{voter:path}")
async def delete(request: Request, voter: VoterPath, visitor: Owner) -> dict[str, Any]:
    """Delete everything from a voter, for good; their own link no longer works."""
    house, study = hall_of(request).house, visitor.study.id
    closed = await asyncio.to_thread(house.forget_voter, study, voter)  # nothing more comes in
    found: dict[str, Any] = await _done(visitor.service.delete_voter(voter, doors=closed))
    return found


@router.get("/export/{name}", response_class=Response)
async def export(request: Request, name: _exports.Kind, visitor: Owner) -> Response:
    """A file: the votes, the certificate, a page about it, or the whole study."""
    content = await _exports.exported(hall_of(request).house, visitor.study, name)
    headers = {"content-disposition": f"attachment; filename={name}"}
    return Response(content, media_type=_exports.KINDS[name], headers=headers)


@router.post("/studies", status_code=201)
async def create(request: Request, body: dict[str, Any], visitor: Owner) -> Response:
    """Start another study on this server, from the content of a study file; returns its links."""
    hall = hall_of(request)
    if visitor.study.id != hall.house.main:
        raise HTTPException(403, "This is for the owner of the server.")
    made = await asyncio.to_thread(hall.house.create, body)
    return JSONResponse(hall.house.links(made.id, hall.base(request)), 201)
