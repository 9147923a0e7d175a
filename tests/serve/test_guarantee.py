"""Studies through the real server, with late, lost, doubled and out-of-order answers.

False claims are at most δ, and what the owner is shown is what `front` says of the export. Whether
an answer is lost, late, skipped or taken back depends on what it says, which no claim may profit
from. Owners pause, leave voters out, delete them and add items, whatever the votes say.
"""

from __future__ import annotations

import heapq
import http.client
import io
import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import antichain as ac
from antichain.certify._verification import verify
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
        """Let the connection go; the next request opens another one."""
        self._connection.close()


class Clumsy:
    """Voters of one study, who favour an item, and an owner who changes things.

    Args:
        voters: The voters' link.
        owner: The owner's.
        model: How the votes come out.
        rng: Chance.
    """

    def __init__(self, voters: Link, owner: Link, model: DuelModel, rng: random.Random) -> None:
        self.voters, self.owner, self.model, self.rng = voters, owner, model, rng
        self.favourite = rng.choice(model.items)
        self._place = {name: k for k, name in enumerate(model.items)}
        self._known: dict[int, dict[str, Any]] = {}
        self._waiting: list[tuple[float, int, str]] = []  # answers on their way, by when they come
        self._changed: set[int] = set()  # asks whose answers were taken back once

    def vote(self, most: int, changes: dict[int, Callable[[], None]]) -> None:
        """Vote until nothing is left to ask or `most` answers are given."""
        given, clock = 0, 0.0
        while given < most:
            clock += 1.0
            voter = f"v{self.rng.randrange(5)}"
            status, found = self.voters.send("POST", "asks", {"voter": voter, "n": _HELD})
            assert status == 200, found
            if found["state"] == "closed":  # left out
                continue
            if found["state"] != "open":
                return
            for ask in found["asks"]:
                if ask["id"] not in self._known:
                    self._known[ask["id"]] = ask | {"voter": voter}
                    self._meet(ask, clock)
            while self._waiting and self._waiting[0][0] <= clock:
                _, number, answer = heapq.heappop(self._waiting)
                self._answer(number, answer, clock)
                given += 1
                if change := changes.pop(given, None):
                    self._let_go()  # the server closes connections that nobody uses
                    change()
                    self._let_go()

    def _let_go(self) -> None:
        self.voters.close()
        self.owner.close()

    def _drawn(self, ask: dict[str, Any]) -> str:
        """An answer; ties leave the mean as it is."""
        gap = self.model.gaps[self._place[ask["left"]], self._place[ask["right"]]]
        ties = min(0.1, 1 - 2 * abs(gap))
        luck = self.rng.random() - ties
        return "tie" if luck < 0 else "left" if luck < 0.5 + gap - ties / 2 else "right"

    def _hurts(self, ask: dict[str, Any], answer: str) -> bool:
        loser = {"left": ask["right"], "right": ask["left"]}.get(answer)
        return loser == self.favourite

    def _meet(self, ask: dict[str, Any], clock: float) -> None:
        answer, luck, number = self._drawn(ask), self.rng.random(), ask["id"]
        hurts = self._hurts(ask, answer)
        if luck < (0.1 if hurts else 0.02):  # lost: somebody gives it up
            self.voters.send("POST", f"asks/{number}/give-up", {})
            if luck < 0.01:  # and it comes in all the same
                heapq.heappush(self._waiting, (clock + 5, number, answer))
            return
        if hurts and luck < 0.2:
            answer = "skipped"
        late = 8.0 if hurts and luck > 0.5 else 3 * self.rng.random()
        heapq.heappush(self._waiting, (clock + late, number, answer))
        if luck > 0.9:  # doubled
            heapq.heappush(self._waiting, (clock + 10 * self.rng.random(), number, answer))

    def _answer(self, number: int, answer: str, clock: float) -> None:
        status, said = self.voters.send("POST", f"asks/{number}/answer", {"answer": answer})
        # Given up; taken back, and doubled; or the voter is deleted.
        assert status in (200, 410, 409 if number in self._changed else 410, 404), said
        ask = self._known[number]
        if status != 200 or number in self._changed or not self._hurts(ask, answer):
            return
        if self.rng.random() < 0.2:  # taken back for what it says, and answered afresh or left
            taken, said = self.voters.send("POST", "undo", {"voter": ask["voter"], "id": number})
            assert taken in (200, 409), said  # the study may be over
            if taken == 200:
                self._changed.add(number)
                if self.rng.random() < 0.8:
                    late = (clock + 2 * self.rng.random(), number, self._drawn(ask))
                    heapq.heappush(self._waiting, late)
                else:
                    self.voters.send("POST", f"asks/{number}/give-up", {})

    # -- what the owner does ---------------------------------------------------------------------

    def pause(self) -> None:
        assert self.owner.send("POST", "pause")[0] == 200
        status, found = self.voters.send("POST", "asks", {"voter": "v0", "n": 1})
        assert found["state"] in ("paused", "finished"), (status, found)
        assert self.owner.send("POST", "resume")[0] == 200

    def change_voter(self, path: str, method: str = "POST") -> None:
        assert self.owner.send(method, f"voters/v4{path}", {})[0] in (200, 404)  # not yet known

    def add(self, item: str) -> None:
        assert self.owner.send("POST", "items", {"name": item})[0] in (200, 201)


def is_false(model: DuelModel, shown: dict[str, Any]) -> bool:
    """Whether a certificate claims anything that is not so."""
    listed = [k for k, name in enumerate(model.items) if name in shown["items"]]
    gaps = np.asarray(model.gaps)[np.ix_(listed, listed)]
    names = [model.items[k] for k in listed]
    maximal = ~(gaps > 0).any(axis=0)
    out, inside = (np.isin(names, list(shown[verdict])) for verdict in ("out", "in"))
    beaten = gaps[np.ix_(maximal, inside)] > EPSILON
    too_far = gaps[:, inside] > shown["epsilon_others"]
    return bool((out & maximal).any() or beaten.any() or too_far.any())


def one_study(server: Server, seed: int, most: int) -> tuple[bool, int]:
    """Play a study; says whether it made a false claim, and how many claims it made."""
    model, rng = world(seed), random.Random(seed)
    creator = Link(server.links["owner"])
    joins = rng.random() < 0.3  # the last item joins later
    items = list(model.items)[: -1 if joins else None]
    document = {"items": items, "delta": DELTA, "epsilon": EPSILON}
    status, links = creator.send("POST", "studies", document)
    assert status == 201, links
    creator.close()
    voters, owner = Link(links["vote"]), Link(links["owner"])
    clumsy = Clumsy(voters, owner, model, rng)
    times = sorted(rng.sample(range(5, most), 4))
    changes: dict[int, Callable[[], None]] = {}
    if rng.random() < 0.3:
        changes[times[0]] = lambda: clumsy.change_voter("/exclude")
        changes[times[2]] = lambda: clumsy.change_voter("/include")
    if rng.random() < 0.1:
        changes[times[3]] = lambda: clumsy.change_voter("", "DELETE")
    changes[times[1]] = (lambda: clumsy.add(model.items[-1])) if joins else clumsy.pause
    clumsy.vote(most, changes)
    check_the_export(owner, shown := owner.send("GET", "result?likely=false")[1])
    voters.close()
    owner.close()
    return is_false(model, shown), len(shown["in"]) + len(shown["out"])


def check_the_export(owner: Link, shown: dict[str, Any]) -> None:
    """Raise unless `front` says the same of the exported votes."""
    _, text = owner.send("GET", "export/votes.csv")
    exported = ac.front(io.StringIO(text), likely=False).to_dict()
    for name in shown.keys() - {"source", "digest", "fingerprint"}:
        assert shown[name] == exported[name], name
    assert verify(shown, ac.read_votes(io.StringIO(text))) == []


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


@pytest.mark.slow
def test_a_few_studies_with_clumsy_voters(tmp_path: Path) -> None:
    false, _ = many_studies(tmp_path, range(4), 50)
    assert false <= 3  # that all are wrong has a chance below 0.002


@pytest.mark.slow
def test_false_claims_are_rare(tmp_path: Path) -> None:
    studies = 150
    false, claims = many_studies(tmp_path, range(100, 100 + studies), 120)
    highest = beta.ppf(0.99, false + 1, studies - false)
    assert highest < 1.1 * DELTA, f"{false} of {studies} studies made a false claim"
    assert claims > studies // 2  # otherwise this would say little


def check_after_each_change(server: Server, questions: dict[str, Any]) -> None:
    """Raise unless dashboard, certificate and export agree, and the certificate says what was."""
    creator, rng = Link(server.links["owner"]), random.Random(3)
    document = {"items": ["a", "b", "c"], "delta": 0.2, "epsilon": 0.3, **questions}
    _, links = creator.send("POST", "studies", document)
    creator.close()
    voters, owner = Link(links["vote"]), Link(links["owner"])

    def some_votes(voter: str) -> None:
        for _ in range(4):
            _, found = voters.send("POST", "asks", {"voter": voter, "n": 2})
            for ask in found["asks"]:
                better = "left" if ask["left"] < ask["right"] else "right"
                answer = rng.choice((better, better, better, "tie", "incomparable", "skipped"))
                voters.send("POST", f"asks/{ask['id']}/answer", {"answer": answer})

    changes: dict[str, Callable[[], object]] = {
        "took back 2": lambda: [voters.send("POST", "undo", {"voter": "v1"}) for _ in "12"],
        "left out 1 voter": lambda: owner.send("POST", "voters/v2/exclude", {}),
        "coming in: d": lambda: owner.send("POST", "items", {"name": "d"}),
        "1 voter were deleted": lambda: owner.send("DELETE", "voters/v3"),
        "left out 2 voters": lambda: owner.send("POST", "voters/v1/exclude", {}),
        "left out 1 voter with": lambda: owner.send("POST", "voters/v1/include", {}),
    }
    for note, change in changes.items():
        for k in range(5):
            some_votes(f"v{k}")
        owner.close()
        change()
        check_the_export(owner, shown := owner.send("GET", "result?likely=false")[1])
        assert any(note in said for said in shown["notes"]), (note, shown["notes"])
        voters.close()
    _, seen = owner.send("GET", "dashboard")
    assert (seen["front"], seen["counts"]["votes"]) == (shown["front"], shown["votes"])
    assert [row["name"] for row in seen["out"]] == sorted(shown["out"])
    owner.close()


@pytest.mark.slow
def test_whatever_happened_the_export_says_what_the_dashboard_says(tmp_path: Path) -> None:
    path = tmp_path / "main.txt"
    path.write_text("a\nb\n")
    with Server(path, "--database", str(tmp_path / "main.sqlite")) as server:
        for questions in ({}, {"questions": {"taste": "Tastier?", "look": "Nicer?"}}):
            check_after_each_change(server, questions)
