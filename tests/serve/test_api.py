"""What the server's interface promises to voters, owners and programs."""

from __future__ import annotations

import base64
import io
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import antichain as ac
from antichain.errors import ParameterError, ProtocolError
from antichain.serve import ServedStudy
from tests.serve.served import Server

_STUDY = """\
title = "Films"
question = "Which would you rather see?"
reasons = ["plot", "music"]
session = 30
[end]
text = "Thank you."
code = "C0DE"
redirect = "https://example.org/done?who={voter}"
[[items]]
name = "Alien"
text = "A *crew* <script>alert(1)</script> [x](javascript:alert(1)) ![p](http://x/y.png)"
decoy = "A crew meets nobody."
[[items]]
name = "Saw"
text = "=cmd()"
[[items]]
name = "Senna"
[[items]]
name = "Up"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("study") / "films.toml"
    path.write_text(_STUDY)
    with Server(path) as server:
        yield server


@pytest.fixture
def voter(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def owner(server: Server) -> Iterator[httpx.Client]:
    with server.client("owner") as client:
        yield client


def asks(client: httpx.Client, voter: str, n: int = 1) -> list[dict]:
    reply = client.post("/api/asks", json={"voter": voter, "n": n})
    assert reply.status_code == 200, reply.text
    return list(reply.json()["asks"])


def answer(client: httpx.Client, ask: dict, said: str = "left", **more: str) -> httpx.Response:
    return client.post(f"/api/asks/{ask['id']}/answer", json={"answer": said, **more})


def whole_session(client: httpx.Client, voter: str) -> tuple[list[dict], list[tuple[int, int]]]:
    """Vote as long as there are asks; the checks of attention, and the progress after each vote."""
    checks: list[dict] = []
    votes: list[tuple[int, int]] = []
    while found := asks(client, voter):
        reply = answer(client, found[0], "right" if found[0]["decoy"] == "left" else "left").json()
        if found[0]["left"] == found[0]["right"]:
            checks += found
        else:
            votes.append((reply["answered"], reply["of"]))
    return checks, votes


def unzipped(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(map(archive.read, archive.namelist()))


class TestVoters:
    def test_the_ballot_is_harmless(self, voter: httpx.Client) -> None:
        ballot = voter.get("/api/ballot").json()
        html = ballot["items"]["Alien"]["html"]
        assert "<em>crew</em>" in html
        assert "&lt;script&gt;" in html
        assert "<script" not in html
        assert 'href="javascript' not in html
        assert "<img" not in html
        assert ballot["items"]["Alien"]["decoy"]["html"].startswith("<p>A crew meets nobody")
        assert ballot["questions"] == [{"criterion": None, "text": "Which would you rather see?"}]
        assert ballot["end"] == {"text": "Thank you.", "code": None, "redirect": None}
        assert ballot["answers"]["tie"]
        assert not ballot["answers"]["dont_know"]

    def test_asks_are_kept_for_their_voter(self, voter: httpx.Client) -> None:
        first = asks(voter, "kim", 2)
        assert len(first) == 2
        assert asks(voter, "kim", 2) == first  # a return visit, or a second device
        assert asks(voter, "kim", 0) == first
        assert not {ask["id"] for ask in asks(voter, "lou", 2)} & {ask["id"] for ask in first}

    def test_an_answer_counts_once(self, voter: httpx.Client) -> None:
        (ask,) = asks(voter, "max")
        said = [answer(voter, ask) for _ in range(3)]
        assert [reply.status_code for reply in said] == [200, 200, 200]
        assert {reply.json()["answered"] for reply in said} == {1}
        other = answer(voter, ask, "right")
        assert other.status_code == 409
        assert "already answered" in other.json()["error"]

    def test_an_ask_that_was_never_made(self, voter: httpx.Client) -> None:
        assert answer(voter, {"id": 10**6}).status_code == 404
        assert answer(voter, {"id": 0}).status_code == 404
        assert answer(voter, {"id": -5}).status_code == 404

    def test_somebody_elses_ask(self, voter: httpx.Client) -> None:
        (ask,) = asks(voter, "ned")
        assert answer(voter, ask, voter="pat").status_code == 404
        assert answer(voter, ask, voter="ned").status_code == 200

    def test_ids_cannot_be_guessed(self, voter: httpx.Client) -> None:
        """With an open link whoever knows an id may answer the ask: only its voter does."""
        first, second = asks(voter, "ned", 2)
        assert all(answer(voter, {"id": number}).status_code == 404 for number in range(1, 60))
        next_one = {"id": first["id"] + (second["id"] > first["id"] or -1)}
        assert answer(voter, next_one).status_code == 404
        path = f"/api/asks/{next_one['id']}/give-up"
        assert voter.post(path, json={}).status_code == 404
        assert answer(voter, first).json()["id"] == first["id"]

    def test_undo(self, voter: httpx.Client) -> None:
        (ask,) = asks(voter, "una")
        assert voter.post("/api/undo", json={"voter": "una"}).status_code == 409
        answer(voter, ask, "right")
        again = [voter.post("/api/undo", json={"voter": "una", "id": ask["id"]}) for _ in range(2)]
        assert [reply.json()["id"] for reply in again] == [ask["id"]] * 2
        assert asks(voter, "una")[0]["id"] == ask["id"]
        assert answer(voter, ask, "left").json()["answered"] == 1

    def test_giving_up(self, voter: httpx.Client) -> None:
        (ask,) = asks(voter, "val")
        assert voter.post(f"/api/asks/{ask['id']}/give-up", json={}).json()["given_up"]
        assert answer(voter, ask).status_code == 410
        assert asks(voter, "val")[0]["id"] != ask["id"]

    def test_a_pair_comes_back_only_after_the_others(self, voter: httpx.Client) -> None:
        met: list[frozenset[str]] = []
        for _ in range(6):
            (ask,) = asks(voter, "walt")
            met.append(frozenset((ask["left"], ask["right"])))
            answer(voter, ask, "skipped")
        assert len(set(met)) == 6  # four items have six pairs
        (ask,) = asks(voter, "walt")
        assert frozenset((ask["left"], ask["right"])) != met[-1]

    def test_a_session_ends_with_its_code(self, voter: httpx.Client) -> None:
        checks, votes = whole_session(voter, "zac")
        assert votes == [(k + 1, 30) for k in range(30)]
        assert len(checks) == 1
        assert checks[0]["left"] == checks[0]["right"] == "Alien"
        assert checks[0]["decoy"] in ("left", "right")
        assert checks[0]["id"] > 0  # like any other
        end = voter.post("/api/asks", json={"voter": "zac"}).json()
        assert (end["asks"], end["state"]) == ([], "session")
        assert end["end"]["code"] == "C0DE"

    @pytest.mark.parametrize(
        ("path", "body", "sentence"),
        [
            ("asks", {}, "The voter's name on one line was expected (voter)."),
            ("asks", {"voter": ""}, "voter: text of 1 character or more was expected."),
            ("asks", {"voter": "a\nb"}, "The voter's name on one line was expected (voter)."),
            ("asks", {"voter": "a", "n": -1}, "n: a number of 0 or more was expected."),
            ("asks", {"voter": "a", "n": 10**9}, "n: a number of at most 100 was expected."),
            ("asks", {"voter": "a", "n": "x"}, "n: a whole number was expected."),
            ("asks", {"voter": "a", "more": 1}, "more: no such key was expected."),
            ("asks", [], "The body: a JSON object was expected."),
            (
                "asks/1/answer",
                {"answer": "up"},
                "answer: 'left', 'right', 'tie', 'incomparable', 'skipped' or 'dont_know' was "
                "expected.",
            ),
            ("asks/1/answer", {}, "answer: a value was expected."),
            ("asks/x/answer", {"answer": "left"}, "id: a whole number was expected."),
            (
                "asks/99999999999999999999/answer",
                {"answer": "left"},
                "id: a number of at most 9007199254740992 was expected.",
            ),
        ],
    )
    def test_bad_input_gets_one_sentence(
        self, voter: httpx.Client, path: str, body: object, sentence: str
    ) -> None:
        reply = voter.post(f"/api/{path}", json=body)
        assert reply.status_code == 422
        assert reply.json()["error"] == sentence

    def test_an_answer_that_is_not_offered(self, voter: httpx.Client) -> None:
        reply = answer(voter, asks(voter, "ned", 1)[0], "dont_know")
        assert reply.status_code == 422
        assert "but one of left, right, tie" in reply.json()["error"]

    def test_a_reason_that_is_not_offered(self, voter: httpx.Client) -> None:
        (ask,) = asks(voter, "ron")
        reply = answer(voter, ask, reason="=cmd()")
        assert reply.status_code == 422
        assert "'=cmd()', but one of none, plot, music was expected" in reply.json()["error"]
        assert answer(voter, ask, reason="plot").status_code == 200

    def test_what_is_no_json_or_too_large(self, voter: httpx.Client) -> None:
        kind = {"Content-Type": "application/json"}
        reply = voter.post("/api/asks", content=b"{{", headers=kind)
        assert (reply.status_code, reply.json()["error"]) == (422, "The body: JSON was expected.")
        assert voter.post("/api/asks", content=b"\xff" * 10).status_code == 422
        assert voter.post("/api/asks", content=b" " * 100_000).status_code == 413
        chunks = (b" " * 10_000 for _ in range(20))
        assert voter.post("/api/asks", content=chunks).status_code == 413


class TestSecrets:
    def test_voters_see_no_results(self, voter: httpx.Client) -> None:
        for path in ("result", "dashboard", "events", "export/votes.csv"):
            assert voter.get(f"/api/{path}").status_code == 403
        assert voter.post("/api/pause").status_code == 403

    def test_without_a_secret(self, server: Server) -> None:
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp4"}):
            reply = httpx.get(f"{server.base}/api/ballot", headers=headers)
            assert reply.status_code == 401
            assert "error" in reply.json()
        assert httpx.get(f"{server.base}/v/{server.secret('owner')}").status_code == 404
        assert httpx.get(f"{server.base}/o/{server.secret('vote')}").status_code == 404
        for path in ("v/nothing", "nothing"):
            reply = httpx.get(f"{server.base}/{path}")
            assert (reply.status_code, "<h1>Nothing here</h1>" in reply.text) == (404, True)
        assert "error" in httpx.get(f"{server.base}/api/nothing").json()

    def test_headers(self, server: Server) -> None:
        for path in (f"/v/{server.secret('vote')}", "/", "/health", "/static/vote.js", "/x"):
            headers = httpx.get(f"{server.base}{path}").headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "*" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers

    @pytest.mark.parametrize(
        ("host", "isolated"),
        [
            ("localhost:1", True),
            ("127.0.0.1", True),
            ("192.0.2.7:8000", False),
            ("localhost.example.org", False),
        ],
    )
    def test_no_opener_policy_where_browsers_complain(
        self, server: Server, host: str, isolated: bool
    ) -> None:
        headers = httpx.get(f"{server.base}/", headers={"host": host}).headers
        assert ("cross-origin-opener-policy" in headers) == isolated

    def test_no_secret_is_kept_in_the_database(self, server: Server) -> None:
        folder = Path(server.study).parent
        for file in folder.glob("films.sqlite*"):
            content = file.read_bytes()
            for role in ("vote", "owner"):
                assert server.secret(role).encode() not in content
        assert (folder / "films.key").stat().st_mode & 0o077 == 0

    @pytest.mark.slow
    def test_guessing_is_slow(self, server: Server) -> None:
        codes = set()
        for k in range(80):
            headers = {"Authorization": f"Bearer guess{k}"}
            codes.add(httpx.get(f"{server.base}/api/ballot", headers=headers).status_code)
        assert codes == {401, 429}
        assert httpx.get(server.links["vote"]).status_code == 200  # guesses lock nobody out


@pytest.fixture(scope="class")
def zoe(server: Server) -> None:
    """A voter with 30 votes and a check of attention."""
    with server.client() as client:
        whole_session(client, "zoe")


@pytest.mark.usefixtures("zoe")
class TestOwner:
    def test_the_result_is_that_of_the_export(self, server: Server, owner: httpx.Client) -> None:
        shown = server.result()
        exported = ac.front(io.StringIO(server.export().decode())).to_dict()
        assert shown["votes"] > 0
        for name in ("votes", "in", "out", "undecided", "chances", "records", "fingerprint"):
            assert shown[name] == exported[name]
        found = owner.get("/api/dashboard").json()
        assert found["counts"]["votes"] == shown["votes"]
        assert found["front"] == shown["front"]
        assert {entry["name"] for entry in found["out"]} == set(shown["out"])
        assert {entry["name"] for entry in found["undecided"]} == set(shown["undecided"])
        zoe = next(voter for voter in found["voters"] if voter["voter"] == "zoe")
        assert (zoe["votes"], zoe["checks"], zoe["checks_passed"]) == (30, 1, 1)

    def test_exports_name_nobody_and_hold_no_formula(self, server: Server) -> None:
        text = server.export().decode()
        assert "zoe" not in text
        assert "\n=" not in text.replace(",", "\n")
        import polars

        table = polars.read_parquet(io.BytesIO(server.export("votes.parquet")))
        assert len(table) == text.strip().count("\n")
        assert json.loads(server.export("certificate.json"))["format"] == "antichain-certificate"
        assert server.export("report.html").lstrip().lower().startswith(b"<!doctype html")

    def test_the_whole_study_is_a_study_file(self, server: Server, tmp_path: Path) -> None:
        with zipfile.ZipFile(io.BytesIO(server.export("study.zip"))) as archive:
            archive.extract("study.duels", tmp_path)
            assert json.loads(archive.read("study.json"))["title"] == "Films"
        study = ac.Study.read(tmp_path / "study.duels")
        assert study.certificate(likely=False).votes == server.result()["votes"]

    def test_pause_and_resume(self, voter: httpx.Client, owner: httpx.Client) -> None:
        (ask,) = asks(voter, "pia")
        assert owner.post("/api/pause").json()["paused"]
        found = voter.post("/api/asks", json={"voter": "pia"}).json()
        assert (found["asks"], found["state"]) == ([ask], "paused")
        found = voter.post("/api/asks", json={"voter": "somebody else"}).json()
        assert (found["asks"], found["state"]) == ([], "paused")
        assert answer(voter, ask).status_code == 200  # what is out may be answered
        assert not owner.post("/api/resume").json()["paused"]
        assert asks(voter, "pia")

    def test_leaving_a_voter_out_and_in_again(self, server: Server, owner: httpx.Client) -> None:
        before = server.result(likely=False)
        assert owner.post("/api/voters/zoe/exclude", json={"reason": "a test"}).status_code == 200
        without = server.result(likely=False)
        assert without["votes"] == before["votes"] - 30
        assert any("left out 1 voter with 30 votes" in note for note in without["notes"])
        exported = ac.front(io.StringIO(server.export().decode()), likely=False).to_dict()
        assert exported["records"] == without["records"]
        assert exported["undecided"] == without["undecided"]
        with server.client() as client:
            assert client.post("/api/asks", json={"voter": "zoe"}).json()["state"] == "closed"
        assert owner.post("/api/voters/zoe/include").status_code == 200
        again = server.result(likely=False)
        assert again["records"] == before["records"]
        assert owner.post("/api/voters/nobody/exclude", json={}).status_code == 404

    def test_adding_an_item(self, server: Server, voter: httpx.Client, owner: httpx.Client) -> None:
        pixel = b"\x89PNG\r\n\x1a\n" + b"0" * 20

        body = {
            "name": "Brazil",
            "text": "*Ducts*",
            "file": {"data": base64.b64encode(pixel).decode()},
        }
        assert owner.post("/api/items", json=body).json() == {"name": "Brazil", "items": 5}
        assert owner.post("/api/items", json=body).status_code == 409
        bad = {"name": "Evil", "file": {"data": base64.b64encode(b"<script>").decode()}}
        assert owner.post("/api/items", json=bad).status_code == 422
        assert owner.post("/api/items", json={"name": "a\u202eb"}).status_code == 422
        item = voter.get("/api/ballot").json()["items"]["Brazil"]
        reply = httpx.get(f"{server.base}/{item['image']}")
        assert (reply.content, reply.headers["content-type"]) == (pixel, "image/png")
        assert "sandbox" in reply.headers["content-security-policy"]
        shown = server.result(likely=False)
        assert "Brazil" in shown["undecided"]
        assert any("Added while votes were coming in: Brazil" in note for note in shown["notes"])
        seen = [asks(voter, f"new {k}", 6) for k in range(5)]
        assert any("Brazil" in (ask["left"], ask["right"]) for some in seen for ask in some)

    def test_deleting_a_voter(self, server: Server, owner: httpx.Client) -> None:
        before = server.result(likely=False)["votes"]
        with server.client() as client:
            whole_session(client, "yan")
        assert server.result(likely=False)["votes"] == before + 30
        assert owner.delete("/api/voters/yan").status_code == 200
        shown = server.result(likely=False)
        assert shown["votes"] == before
        assert any("deleted on request" in note for note in shown["notes"])
        exported = ac.front(io.StringIO(server.export().decode()), likely=False).to_dict()
        assert exported["records"] == shown["records"]
        assert b"yan" not in unzipped(server.export("study.zip"))
        assert owner.delete("/api/voters/yan").status_code == 404

    def test_changes_are_streamed(
        self, server: Server, voter: httpx.Client, owner: httpx.Client
    ) -> None:
        line = owner.get("/api/dashboard").json()["line"]
        headers = {"Last-Event-ID": str(line)}
        with owner.stream("GET", "/api/events", headers=headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = stream.iter_lines()
            assert next(lines).startswith("retry")
            asks(voter, f"streamed {time.time()}")
            found = next(line for line in lines if line.startswith("id: "))
            assert int(found.removeprefix("id: ")) > line

    def test_another_study_on_the_same_server(self, server: Server, owner: httpx.Client) -> None:
        reply = owner.post("/api/studies", json={"title": "Drinks", "items": ["tea", "milk"]})
        assert reply.status_code == 201
        links = reply.json()
        with ServedStudy(links["vote"], "ann") as study:
            assert study.items == ("tea", "milk")
            assert study.ask()[0].left in study.items
        secret = links["owner"].rsplit("/", 1)[1]
        headers = {"Authorization": f"Bearer {secret}"}
        reply = httpx.post(
            f"{server.base}/api/studies", headers=headers, json={"items": ["a", "b"]}
        )
        assert reply.status_code == 403
        bad = owner.post("/api/studies", json={"items": ["tea"]})
        assert (bad.status_code, "two were expected" in bad.json()["error"]) == (422, True)

    def test_metrics_and_health(self, server: Server) -> None:
        assert httpx.get(f"{server.base}/health").json() == {"status": "ok"}
        text = httpx.get(f"{server.base}/metrics").text
        assert "antichain_commits_total" in text
        for k in range(3):  # anybody could fill the memory with labels
            httpx.request(f"GUESS{k}", f"{server.base}/health")
        text = httpx.get(f"{server.base}/metrics").text
        assert 'method="other",route="/health",status="405"} 3' in text
        assert "GUESS" not in text
        assert server.secret("vote") not in text
        paths = httpx.get(f"{server.base}/openapi.json").json()["paths"]
        assert {"/api/asks", "/api/asks/{id}/answer", "/api/result"} <= set(paths)


class TestClient:
    @pytest.mark.slow
    def test_a_judge_votes_next_to_people(self, tmp_path: Path) -> None:
        path = tmp_path / "letters.txt"
        path.write_text("a\nb\nc\n")
        with (
            Server(path) as server,
            ServedStudy(server.links["vote"], "ann") as people,
            ServedStudy(server.links["owner"]) as study,
        ):
            (ask,) = people.ask()
            people.tell(ask, "tie")
            assert people.undo() == ask
            people.tell(ask, "left" if ask.left < ask.right else "right")
            assert people.result().front == ()
            people.tell(*people.ask(), "tie", reason="a reason that nobody offered")
            result = ac.judge(study, lambda left, right: "left" if left < right else "right")
            assert (result.front, result.certified) == (("a",), True)
            assert study.certificate(likely=False).front == ("a",)
            with pytest.raises(ProtocolError, match="owner"):
                people.certificate()

    def test_the_result_has_the_terms_of_the_study(self, tmp_path: Path) -> None:
        path = tmp_path / "letters.toml"
        path.write_text('items = ["a", "b"]\ndelta = 0.2\nepsilon = 0.3')
        with Server(path) as server, ServedStudy(server.links["vote"], "ann") as study:
            assert (study.algorithm.delta, study.algorithm.epsilon) == (0.2, 0.3)
            found = study.result().parameters
            assert (found["delta"], found["epsilon"]) == (0.2, 0.3)

    @pytest.mark.parametrize("link", ["", "x", "http://host/z/secret", "ftp://host/v/secret"])
    def test_what_is_no_link(self, link: str) -> None:
        with pytest.raises(ParameterError):
            ServedStudy(link)
