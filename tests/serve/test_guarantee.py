"""Studies through the real server, with late, lost, doubled and out-of-order answers.

False claims are at most δ, and what the owner is shown is what `front` says of the export. Whether
an answer is lost or late depends on what it says, which no claim may profit from.
"""

from __future__ import annotations

import heapq
import http.client
import io
import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import antichain as ac
from antichain.orders import DuelModel
from tests.serve.served import Server

DELTA, EPSILON = 0.2, 0.25
_HELD = 4  # asks that a voter has at a time


def world(seed: int) -> DuelModel:
    """Few items: all even, or in an order with gaps on either side of ε."""
    kind = seed % 3
    if kind == 0:
        return ac.posets.antichain(4)
    if kind == 1:
        return ac.posets.chains(2, 2, seed=seed, gaps="minimum:0.26")
    return ac.posets.total_order(3, seed=seed, gaps="between:0.05:0.4")


class Link:
    """One connection to the server with one secret."""

    def __init__(self, link: str) -> None:
        host, self._secret = link.split("/")[2], link.rsplit("/", 1)[1]
        self._connection = http.client.HTTPConnection(host, timeout=120)

    def send(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/{path}", content, headers)
        reply = self._connection.getresponse()
        text = reply.read()
        is_json = reply.headers["content-type"] == "application/json"
        return reply.status, json.loads(text) if is_json else text.decode()

    def close(self) -> None:
        self._connection.close()


def vote(voters: Link, model: DuelModel, rng: random.Random, most: int) -> None:
    """Let some voters vote, clumsily, until nothing is left to ask or `most` answers are given."""
    place = {name: k for k, name in enumerate(model.items)}
    favourite = rng.choice(model.items)
    waiting: list[tuple[float, int, str]] = []  # answers on their way, by when they come in
    known: set[int] = set()
    given, clock = 0, 0.0
    while given < most:
        clock += 1.0
        status, found = voters.send("POST", "asks", {"voter": f"v{rng.randrange(5)}", "n": _HELD})
        assert status == 200, found
        if found["state"] != "open":
            return
        for ask in found["asks"]:
            if ask["id"] in known:
                continue
            known.add(ask["id"])
            gap = model.gaps[place[ask["left"]], place[ask["right"]]]
            answer = "left" if rng.random() < 0.5 + gap else "right"
            loser = ask["right"] if answer == "left" else ask["left"]
            luck = rng.random()
            if luck < (0.2 if loser == favourite else 0.03):  # lost: somebody gives it up
                voters.send("POST", f"asks/{ask['id']}/give-up", {})
                if luck < 0.02:  # and it comes in all the same
                    heapq.heappush(waiting, (clock + 5, ask["id"], answer))
                continue
            late = 8.0 if loser == favourite and luck > 0.5 else 3 * rng.random()
            heapq.heappush(waiting, (clock + late, ask["id"], answer))
            if luck > 0.9:  # doubled
                heapq.heappush(waiting, (clock + 10 * rng.random(), ask["id"], answer))
        while waiting and waiting[0][0] <= clock:
            _, number, answer = heapq.heappop(waiting)
            status, said = voters.send("POST", f"asks/{number}/answer", {"answer": answer})
            assert status in (200, 410), said
            given += 1


def is_false(model: DuelModel, shown: dict[str, Any]) -> bool:
    """Whether a certificate claims anything that is not so."""
    place = {name: k for k, name in enumerate(model.items)}
    front = [place[name] for name in model.front]
    if any(place[name] in front for name in shown["out"]):
        return True
    inside = [place[name] for name in shown["in"]]
    gaps = np.asarray(model.gaps)
    beaten = gaps[np.ix_(front, inside)] > EPSILON
    return bool(beaten.any() or (gaps[:, inside] > shown["epsilon_others"]).any())


def one_study(server: Server, seed: int, most: int) -> tuple[bool, int]:
    """Play a study; says whether it made a false claim, and how many claims it made."""
    model, rng = world(seed), random.Random(seed)
    creator = Link(server.links["owner"])
    document = {"items": list(model.items), "delta": DELTA, "epsilon": EPSILON}
    status, links = creator.send("POST", "studies", document)
    assert status == 201, links
    creator.close()
    voters, owner = Link(links["vote"]), Link(links["owner"])
    vote(voters, model, rng, most)
    _, shown = owner.send("GET", "result?likely=false")
    _, text = owner.send("GET", "export/votes.csv")
    exported = ac.front(io.StringIO(text), likely=False).to_dict()
    for name in ("votes", "in", "out", "undecided", "records"):
        assert shown[name] == exported[name], name
    voters.close()
    owner.close()
    return is_false(model, shown), len(shown["in"]) + len(shown["out"])


def many_studies(folder: Path, seeds: range, most: int) -> tuple[int, int]:
    """How many of these studies made a false claim, and how many claims there were."""
    path = folder / "main.txt"
    path.write_text("a\nb\n")
    # In memory, where there is such a place: this is not about disks, and waits for them.
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
        options = ("--database", f"{place}/main.sqlite")
        with Server(path, *options) as server, ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda seed: one_study(server, seed, most), seeds))
    return sum(false for false, _ in found), sum(claims for _, claims in found)


def test_a_few_studies_with_clumsy_voters(tmp_path: Path) -> None:
    false, _ = many_studies(tmp_path, range(4), 50)
    assert false <= 3  # that all are wrong has a chance below 0.002


@pytest.mark.slow
def test_false_claims_are_rare(tmp_path: Path) -> None:
    studies = 300
    false, claims = many_studies(tmp_path, range(100, 100 + studies), 120)
    highest = beta.ppf(0.99, false + 1, studies - false)
    assert highest < 1.1 * DELTA, f"{false} of {studies} studies made a false claim"
    assert claims > studies // 2  # otherwise this would say little
