"""`antichain serve`: a study in which people vote in their browsers."""

import json as json_format
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._text import as_argument, refusal, shown
from antichain.cli import _options, _screen
from antichain.errors import FileError, MissingExtraError, ParameterError

if TYPE_CHECKING:
    from socket import socket

    from antichain.serve._exports import Packed
    from antichain.serve._house import House
    from antichain.study._ballot_entries import Ballot

_EXAMPLE = """\
title = "Drinks"
question = "Which would you rather have?"
items = ["Tea", "Coffee", "Milk", "Water"]
"""
_WITHOUT = f"""\
antichain serve FILE turns a list of items into a study, in which people vote in their browsers.

FILE is a list with one name per line, a CSV file with a column called name, a folder of pictures,
or a TOML file, which can hold more settings. An example to begin with, drinks.toml:

{_EXAMPLE}
antichain serve --example drinks.toml   # write this file and serve it
antichain serve --help                  # all options, such as --host and --port
"""


def serve(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="The items: a list, a CSV or TOML file, a folder, or an exported study.",
        ),
    ] = None,
    host: Annotated[
        str, _options.word("--host", "ADDRESS", "Address to listen on; 0.0.0.0 for every network.")
    ] = "127.0.0.1",
    port: Annotated[int, _options.count("--port", "Port to listen on.", 0, 65_535)] = 8000,
    database: Annotated[
        str | None,
        _options.word(
            "--database",
            "URL",
            "The database: postgresql://… or a file.  [default: FILE with the ending .sqlite]",
        ),
    ] = None,
    address: Annotated[
        str | None,
        _options.word(
            "--address", "URL", "Address that links start with, if the server is behind a proxy."
        ),
    ] = None,
    key: Annotated[
        Path | None,
        _options.word(
            "--key",
            "FILE",
            "File with the key that links are made from.  [default: FILE with the ending .key]",
        ),
    ] = None,
    name: Annotated[
        str | None, _options.word("--name", "NAME", "Name of the study in the database.")
    ] = None,
    proxy: Annotated[
        str | None,
        _options.word(
            "--proxy",
            "ADDRESS",
            "IP address or network of the proxy whose X-Forwarded headers to trust.",
        ),
    ] = None,
    example: Annotated[
        Path | None,
        _options.output("Write an example study file and serve it.", "--example"),
    ] = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Let people vote on your items in their browsers.

    Prints a voting link to share and an owner's link to the dashboard; both stay the same after a
    restart. Every vote is on disk before it is confirmed. Stop with Ctrl-C (exit code 0).
    """
    from antichain import _files

    if file is None and example is None:
        _screen.say_lines(_WITHOUT)
        return
    _check_extra()
    _check_links(address, proxy)
    _check_names(name, database)
    if example is not None:
        if file is not None:
            raise ParameterError(
                "FILE and --example are both given, but they cannot be used together"
            )
        if os.path.exists(example):
            raise FileError(
                f"{example} already exists; to serve it: antichain serve "
                f"{shlex.quote(str(example))}"
            )
        _listening(host, port).close()  # or else nothing is written
        _files.write_bytes(example, _EXAMPLE.encode())
        if not (json or quiet):
            _screen.say(f"wrote {example}")
        file = example
    assert file is not None
    from antichain.serve._exports import is_packed, unpacked
    from antichain.serve._showing import check_files, counted_items
    from antichain.study._ballot import read_ballot, study_file

    packed = unpacked(file) if is_packed(file) else None
    ballot = read_ballot(file) if packed is None else packed.ballot
    check_files(ballot)
    with _listening(host, port) as listening:
        house, study = _opened(file, ballot, packed, database, key, name)
        try:
            port = listening.getsockname()[1]
            base = (address or f"http://{_shown(host)}:{port}").rstrip("/")
            links = house.links(study, base)
            if not (json or quiet):
                _screen.say(f"{file}: {counted_items(ballot)}")
            _run(house, listening, address, proxy, links, json, quiet)
        finally:
            house.close()
    if database is None and not (json or quiet):
        votes = study_file(file).with_suffix(".sqlite")
        _screen.say(
            f"Stopped. The votes are in {votes}. To export them: antichain study "
            f"{as_argument(str(votes))} --export votes.csv"
        )


def _listening(host: str, port: int) -> "socket":
    from socket import AF_INET6, create_server

    family: dict[str, Any] = {"family": AF_INET6} if ":" in host else {}
    try:
        return create_server((host, port), backlog=2048, **family)
    except OSError as error:
        reason = refusal(error).partition(" (")[0]
        raise FileError(
            f"cannot listen on {host}, port {port}: {reason}; give another --host or --port"
        ) from error


def _check_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"serving a study needs {error.name}, which is not installed: "
            "pip install 'antichain[serve]'"
        ) from error


def _check_links(address: str | None, proxy: str | None) -> None:
    """Refuse an address that links cannot begin with, and a proxy that would never be known."""
    from ipaddress import ip_network

    from antichain.study._conduct import is_web_address

    if address is not None and (not is_web_address(address) or set(address) & set("?#")):
        raise ParameterError(
            f"--address is {address!r}, but the beginning of a link, such as "
            "https://vote.example.org, was expected"
        )
    if proxy is not None and proxy != "*":
        for part in proxy.split(","):
            try:
                ip_network(part.strip())
            except ValueError as error:
                raise ParameterError(
                    f"--proxy is {proxy!r}, but an IP address or network, such as 127.0.0.1 or "
                    "10.0.0.0/8, or several separated by commas, was expected (host names are not "
                    "looked up)"
                ) from error


def _check_names(name: str | None, database: str | None) -> None:
    """Refuse names that are given but empty, as they would count for nothing."""
    from antichain._files import is_one_line

    if name is not None and not is_one_line(name):
        raise ParameterError(f"--name is {shown(name)}, but a name on one line was expected")
    if database is not None and not database.strip():
        raise ParameterError(
            f"--database is {shown(database)}, but postgresql://… or the name of a file was "
            "expected"
        )


def _opened(
    file: Path,
    ballot: "Ballot",
    packed: "Packed | None",
    database: str | None,
    key: Path | None,
    name: str | None,
) -> tuple["House", str]:
    from antichain.serve._house import House
    from antichain.serve._secrets import read_key
    from antichain.study._ballot import study_file

    beside = study_file(file)
    study = name or re.sub(r"[^\w.-]+", "-", beside.stem)[:60]
    if ballot.note:
        _screen.warn(ballot.note)
    secret = read_key(key or beside.with_suffix(".key"))
    house = House(secret, database or str(beside.with_suffix(".sqlite")))
    try:
        if packed is not None:
            packed.restore(house, study)
        house.main = study
        for note in house.open(study, ballot).notes:
            _screen.warn(note)
        house.take_up()
    except BaseException:
        house.close()
        raise
    return house, study


def _run(
    house: "House",
    listening: "socket",
    address: str | None,
    proxy: str | None,
    links: dict[str, object],
    json: bool,
    quiet: bool,
) -> None:
    import logging
    import signal

    import uvicorn

    from antichain.serve._web import WebServer, create_app

    logging.basicConfig(level=logging.WARNING, format="antichain: %(message)s")
    config = uvicorn.Config(
        create_app(house, address),
        access_log=False,  # secrets stand in addresses
        log_level="warning",
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy,
        timeout_graceful_shutdown=5,
    )
    server = WebServer(config)
    for ending in (signal.SIGINT, signal.SIGTERM):
        # From before the links are shown, so that none gets lost while the server starts. uvicorn
        # ends in good order and then passes the signal on, once more to this handler.
        signal.signal(ending, server.handle_exit)
    if json:
        _screen.say(json_format.dumps(links, ensure_ascii=False))
    else:
        _say_links(links, quiet)
    _screen.flush()
    server.run(sockets=[listening])


def _say_links(links: dict[str, object], quiet: bool) -> None:
    voters = links.get("voters")
    if isinstance(voters, dict):
        for voter, link in voters.items():
            _screen.say(f"{voter:>10}  {link}")
    else:
        _screen.say(f"{'vote':>10}  {links['vote']}")
    _screen.say(f"{'owner':>10}  {links['owner']}")
    if not quiet:
        send = "Send the first link to voters"
        if isinstance(voters, dict):
            send = "Send each voter their own link, which nobody else should see,"
        _screen.say(f"{send} and keep the owner's link to yourself. Stop with Ctrl-C.")


def _shown(host: str) -> str:
    """The host as others can reach it; of all networks, the one that leads outside."""
    if host in ("0.0.0.0", "::"):
        import socket

        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
                outward.connect(("192.0.2.1", 9))  # sends nothing
                return str(outward.getsockname()[0])
        except OSError:
            return socket.gethostname()
    return f"[{host}]" if ":" in host else host
