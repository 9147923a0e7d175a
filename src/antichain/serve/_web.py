"""The web application: the API, the pages, and what stands before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import socket
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from jinja2 import Environment, FileSystemLoader
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from antichain.serve._api import router
from antichain.serve._entrance import ERRORS, RETRY, Hall, hall_of
from antichain.serve._guard import ITEM_POLICY, Guard
from antichain.serve._house import House
from antichain.serve._showing import PAGES, media_type, words

_TEMPLATES = Environment(loader=FileSystemLoader(PAGES), autoescape=True)


def create_app(house: House, address: str | None = None, rate: float = 200.0) -> FastAPI:
    """The application that serves the studies of a house.

    Args:
        house: The studies, which are closed when the application ends.
        address: What links begin with; None for whatever a request was sent to.
        rate: How many requests a voter may send per second; ten times that in a burst.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(house.close)

    app = FastAPI(
        title="antichain",
        description="Votes on pairs of items, and the front that they show.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.hall = hall = Hall(house, address, rate)
    app.add_middleware(Guard, metrics=hall.metrics, failed=_failed)
    for kind, handler in ERRORS:
        app.add_exception_handler(kind, handler)
    app.add_exception_handler(HTTPException, _http_error)
    app.include_router(router)
    app.get("/health")(health)
    app.get("/metrics", response_class=PlainTextResponse)(metrics)
    for path, call in (("/", home), ("/v/{secret}", vote_page), ("/o/{secret}", owner_page)):
        app.get(path, include_in_schema=False)(call)
    app.get("/items/{secret}/{name}", include_in_schema=False)(item_file)
    if (PAGES / "static").is_dir():
        app.mount("/static", StaticFiles(directory=PAGES / "static"))
    return app


class WebServer(uvicorn.Server):
    """A server that stops at once, even while dashboards are open."""

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        app: Any = self.config.app
        app.state.hall.end()
        await super().shutdown(sockets)


async def health(request: Request) -> Response:
    """Whether votes can be taken just now."""
    services = [study.service for study in hall_of(request).house.studies.values()]
    good = all(service.trouble is None for service in services)
    return JSONResponse({"status": "ok" if good else "waiting for the store"}, 200 if good else 503)


async def metrics(request: Request) -> Response:
    """Counts for Prometheus; nothing in them tells what was voted."""
    hall = hall_of(request)
    services = [study.service for study in hall.house.studies.values()]
    more: dict[str, float] = {
        "studies": len(services),
        "streams": sum(map(len, hall.streams.values())),
        "commits_total": sum(service.commits for service in services),
        "records_total": sum(service.committed for service in services),
        "store_failures_total": sum(service.failures for service in services),
        "commands_waiting": sum(service.waiting for service in services),
        "follower_restarts_total": hall.house.followers.restarts,
    }
    return PlainTextResponse(hall.metrics.text(more))


async def home(request: Request) -> Response:
    text = (
        "To vote here you need the link that you were sent. If you have none, ask whoever invited "
        "you: each voter may have a link of their own."
    )
    return _message(request, "A study", text)


async def vote_page(request: Request, secret: str) -> Response:
    return await _page(request, secret, "vote.html", "voter")


async def owner_page(request: Request, secret: str) -> Response:
    return await _page(request, secret, "dashboard.html", "owner")


async def _page(request: Request, secret: str, template: str, role: str) -> Response:
    found = await hall_of(request).visitor(request, secret)
    if found is None or found.access.role != role:
        text = "This link does not lead anywhere. Is it complete?"
        return _message(request, "Nothing here", text, 404)
    ballot = found.study.ballot
    language = ballot.conduct.language if role == "voter" else "en"
    return _rendered(request, template, language, title=ballot.title)


def _message(request: Request, heading: str, text: str, status: int = 200) -> Response:
    return _rendered(request, "message.html", "en", status, heading=heading, text=text)


def _rendered(
    request: Request, template: str, language: str, status: int = 200, **values: Any
) -> Response:
    root = request.scope.get("root_path", "").rstrip("/")
    given = {"root": root, "language": language, "words": words(language), **values}
    return HTMLResponse(_TEMPLATES.get_template(template).render(given), status)


async def item_file(request: Request, secret: str, name: str) -> Response:
    """A picture, a sound or a film; whoever knows the address may see it."""
    house = hall_of(request).house
    headers = {"content-security-policy": ITEM_POLICY, "cache-control": "private, max-age=3600"}
    for study in house.studies.values():
        if not house.doors.is_for(secret, study.id, "items"):
            continue
        if (file := study.gallery.files.get(name)) is not None and file.is_file():
            return FileResponse(file, media_type=media_type(name), headers=headers)
        kept = await asyncio.to_thread(house.media, study.id, name)
        if name in kept:
            return Response(kept[name], media_type=media_type(name), headers=headers)
    raise HTTPException(404, "There is no such file.")


def _failed(scope: Any) -> Response:
    """What is said where something went wrong that nobody thought of."""
    text = "Something went wrong on the server; nothing is lost. Please try again soon."
    if _is_for_people(request := Request(scope)):
        reply = _message(request, "Something went wrong", text, 503)
    else:
        reply = JSONResponse({"error": text}, 503)
    reply.headers["retry-after"] = str(RETRY)
    return reply


def _is_for_people(request: Request) -> bool:
    """Whether a browser wants to show the reply as a page."""
    return "text/html" in request.headers.get("accept", "")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_page = _is_for_people(request) or not request.url.path.startswith(("/api/", "/items/"))
    if error.status_code == 404 and is_page:
        text = "There is no such page. To vote, open the link that you were sent."
        return _message(request, "Nothing here", text, 404)
    headers = dict(error.headers or {})
    return JSONResponse({"error": str(error.detail)}, error.status_code, headers)
