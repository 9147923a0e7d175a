"""`antichain serve` as a command: what it takes, what it says, and several servers at once."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import httpx
import pytest
from PIL import Image

import antichain as ac
from antichain.algorithms._certifying import Certifying
from antichain.cli import main
from antichain.cli._serve import _check_links, _say_links
from antichain.errors import FileError
from antichain.serve import ServedStudy
from antichain.serve._databases import SqlStore
from antichain.serve._exports import KINDS, packed, unpacked
from antichain.serve._follower import Follower
from antichain.serve._follower_link import _start_in_peace
from antichain.serve._house import House
from antichain.serve._showing import check_files, counted_items
from antichain.study._ballot import read_ballot
from antichain.study._records import STUDY, Settings
from tests.serve.postgres import new_database
from tests.serve.served import Crowd, Server
from tests.serve.test_faults import a_study, check_nothing_lost


def test_without_arguments_it_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve"]) == 0
    said = capsys.readouterr().out
    assert "antichain serve FILE" in said
    assert "--example" in said
    assert "antichain serve --help" in said
    assert "docs/" not in said  # which a package does not bring along
    assert 'items = ["Tea"' in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('title = "x"\n\nsession = "many"\nitems = ["a", "b"]', "line 3: session is 'many'"),
        ('items = ["a", "b"]\n[stop]\nvotes = 0', "line 3: votes is 0"),
        ('items = ["a", "b"]\n[stop]\ndate = "soon"', "line 3: date is 'soon'"),
        ('items = ["a", "b"]\nlanguage = "xx"', "line 2: language is 'xx'"),
        ('items = ["a", "b"]\ndelta = 7', "line 2: delta"),
        ('items = ["a", "b"]\nassume = ["magic"]', "line 2: assume"),
        ('items = ["a", "b"]\nvoters = ["ann", "ann"]', "line 2: voters"),
        ('items = ["a", "b"]\nvoters = ["ann", ".."]', "line 2 has the voter '..', but a name"),
        ('items = ["a", "b"]\nvoters = "none.csv"', "line 2: "),
        ('items = ["a", "b"]\nreasons = "why"', "line 2: reasons"),
        ('items = ["a", "b"]\n\n[answers]\nmaybe = true', "line 4 has 'maybe'"),
        ('items = ["a", "b"]\n[end]\nredirect = "javascript:x"', "line 3: redirect"),
        ('items = ["a", "b"]\nquestions = {taste = "Better?"}', "line 2: either one question or"),
        ('[[items]]\nname = "a"\n\n[[items]]\ntext = "b"', "line 4, item 2 has no name"),
        ('[[items]]\nname = "a"\nlink = "ftp://x"\n[[items]]\nname = "b"', "line 3, item 1: link"),
        (
            'items = [\n  "a",  # x, "y"\n  "b, ]",\n\n  "a",\n]',
            "line 5, item 3 is 'a', but an earlier",
        ),
        (
            'items = [\n  "a", "a",\n]',
            "line 2, item 2 is 'a', but an earlier item has that name (line 2",
        ),
        (
            'items = [\n  {name = "a", text = "x"},\n  {name = "b", txt = ""},\n]',
            "line 3, item 2 has 'txt'",
        ),
        ('[[items]]\nname = "a"\n[[items]]\n\nname = "a"', "line 5, item 2 is 'a'"),
        (
            '[[items]]\nname = "a"\nfile = "no.png"\n[[items]]\nname = "b"',
            "line 3, item 1 names the",
        ),
        ('[[items]]\nname = "a"\nfile = 3\n[[items]]\nname = "b"', "line 3, item 1: file is 3"),
        ('title = "x"\nitems = [\n  "a",\n  "b",\n', "what begins on line 2 is never closed"),
        ('items = ["a", "b"]\ntitle = """x\n', "what begins on line 2 is never closed"),
        ('items = ["a", "b"]\nlease = nan', "line 2: lease"),
        ('items = ["a" "b"]', "line 1"),
    ],
)
def test_malformed_study_files(
    tmp_path: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text)
    assert main(["serve", str(path)]) == 2
    assert words in capsys.readouterr().err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["study.toml"]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--address", "foo", "--address is 'foo', but the beginning of a link, such as https://"),
        ("--address", "http://", "the beginning of a link"),
        ("--address", "https://vote.example.org/?x", "the beginning of a link"),
        ("--proxy", "foo", "--proxy is 'foo', but an IP address or network, such as 127.0.0.1"),
        ("--proxy", "127.0.0.1,foo", "an IP address or network"),
        ("--proxy", "10.0.0.1/8", "an IP address or network"),
        ("--name", "", "--name is '', but a name on one line was expected"),
        ("--name", " \n", "but a name on one line was expected"),
        ("--database", "", "--database is '', but postgresql://… or the name of a file was"),
        ("--example", "-", "--example is '-', but the name of a file was expected"),
    ],
)
def test_links_that_lead_nowhere_and_empty_names_are_refused(
    tmp_path: Path, option: str, value: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    assert main(["serve", str(path), "--port", "0", option, value]) == 2
    assert words in capsys.readouterr().err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt"]


@pytest.mark.parametrize("proxy", ["127.0.0.1", "::1", "10.0.0.0/8", "127.0.0.1, ::1", "*"])
def test_proxies_are_addresses_and_networks(proxy: str) -> None:
    _check_links("https://vote.example.org:8443/films/", proxy)


def test_it_says_that_ctrl_c_ends_it_well(capsys: pytest.CaptureFixture[str]) -> None:
    """As `Server.stop` finds in the tests of stores."""
    assert main(["serve", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Stop with Ctrl-C (exit code 0)" in said


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_it_stops_at_once_while_a_dashboard_is_open(tmp_path: Path, sign: signal.Signals) -> None:
    server = Server(a_study(tmp_path))
    server.errors = tmp_path / "errors"
    with server, server.client("owner") as owner, owner.stream("GET", "/api/events") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        started = time.monotonic()
        assert server.stop(sign) == 0
        assert time.monotonic() - started < 4  # it would wait 5 seconds for an open stream
        assert [*lines][-1] == ""  # the stream was ended, not broken off
    assert server.errors.read_text() == ""


def test_a_missing_extra_is_one_sentence_and_nothing_is_written(tmp_path: Path) -> None:
    path, example = tmp_path / "a.txt", tmp_path / "drinks.toml"
    path.write_text("a\nb\n")
    for words in ([str(path)], ["--example", str(example)]):
        code = (
            "import sys; sys.modules['fastapi'] = None; from antichain.cli import main; "
            f"sys.exit(main(['serve', *{words!r}]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 2
        assert "pip install 'antichain[serve]'" in done.stderr
        assert done.stderr.count("\n") == 1
    assert not example.exists()


def test_a_port_that_is_taken_and_a_key_that_others_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    with Server(path) as server:
        assert main(["serve", str(path), "--port", str(server.port)]) == 2
        assert "give another --host or --port" in capsys.readouterr().err
    os.chmod(tmp_path / "a.key", 0o644)
    assert main(["serve", str(path), "--port", "0"]) == 2
    assert "can be read by other users" in capsys.readouterr().err
    os.chmod(tmp_path / "a.key", 0o600)
    assert main(["serve", str(path), "--port", "0", "--key", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path} is a folder, but the file of a key was expected" in said
    assert "chmod" not in said


_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"0" * 20  # as far as a look at its beginning tells
_BEGUN = """\
question = "Which is better?"
delta = 0.1
[attributes]
price = "min"
[[items]]
name = "tea"
price = 1.5
[[items]]
name = "milk"
price = 1
"""


def opened(path: Path, text: str) -> tuple[str, ...]:
    """What is said when a study is served from a file with this text; then it is closed again."""
    path.write_text(text)
    house = House(b"k" * 32, str(path.with_suffix(".sqlite")))
    try:
        return house.open("study", read_ballot(path)).notes
    finally:
        house.close()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("delta = 0.1", "delta = 0.2", r"line 2: delta is 0.2, .*started with 0.1, .*put it back"),
        ("[attr", "epsilon = 0.3\n[attr", "line 3: epsilon is 0.3, .*started with 0.1"),
        ("[attr", "budget = 50\n[attr", "line 3: budget is 50, .*started with none"),
        ("[attr", 'unanswered = "ignore"\n[attr', "line 3: unanswered is 'ignore'"),
        ('"min"', '"max"', "line 3: attributes is .*max.*started with .*min"),
        ("1.5", "1.6", "line 7: price is 1.6, .*started with 1.5 for 'tea'"),
        ('"milk"', '"mead"', "has no 'milk', which the study was started with: put it back"),
        ("[[items]]", '[[items]]\nname = "mead"\nprice = 2\n[[items]]', "line 6: 'mead' is no"),
    ],
)
def test_what_a_study_was_begun_with_stays(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "study.toml"
    assert opened(path, _BEGUN) == ()
    assert opened(path, _BEGUN) == ()
    with pytest.raises(FileError, match=words):
        opened(path, _BEGUN.replace(old, new, 1))


@pytest.mark.slow
def test_a_changed_study_file_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text('items = ["a", "b"]\nepsilon = 0.2')
    with Server(path):
        pass
    path.write_text('items = ["a", "b"]\nepsilon = 0.3')
    assert main(["serve", str(path), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "a.toml, line 2: epsilon is 0.3, but the study was started with 0.2" in said
    assert said.count("\n") == 1


def test_what_may_change_is_announced_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    plain = 'items = ["a", "b"]\n'
    assert opened(path, "epsilon = 0.2\n" + plain) == ()
    (note,) = opened(path, plain)
    assert "was started with epsilon = 0.2, which stays as it is" in note
    _, note = opened(path, plain + "session = 9\nlanguage = 'de'\n")
    assert "study.toml since this study was last served: session, language." in note
    assert "Earlier votes" not in note
    text = 'question = "Why?"\n' + plain + "answers = {tie = false}"
    _, note = opened(path, text)
    assert "served: question, answers, language, session." in note
    assert "Earlier votes still count, and the certificate mentions the change" in note
    assert len(opened(path, text)) == 1  # it is said once


def test_the_certificate_says_that_the_question_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    for question in ("Which is better?", "Which is worse?"):
        path.write_text(f'question = "{question}"\nitems = ["a", "b", "c"]')
        house = House(b"k" * 32, str(path.with_suffix(".sqlite")))
        try:
            service = house.open("study", read_ballot(path)).service
            (ask,) = service.ask("ann").result(30)["asks"]
            service.answer(ask["id"], "left").result(30)
            follower = Follower(service.settings, "x")
            follower.follow(service.store.read(1))
        finally:
            house.close()
        notes = [n for n in follower.certificate(likely=False).notes if "Changed" in n]
        assert len(notes) == (question == "Which is worse?")
    assert "while votes were coming in: question. Votes from before" in notes[0]


def test_an_exported_study_says_what_its_file_said(tmp_path: Path) -> None:
    (tmp_path / "tea.png").write_bytes(_PNG)
    text = 'items = [{name = "tea", file = "tea.png"}, "milk"]\nstop = {date = 2099-01-01}'
    (tmp_path / "a.toml").write_text(text)
    house = House(b"k" * 32, "memory:")
    try:
        study = house.open("a", read_ballot(tmp_path / "a.toml"))
        (tmp_path / "a.zip").write_bytes(packed(house, study))
    finally:
        house.close()
    assert unpacked(tmp_path / "a.zip").ballot.said == study.ballot.said


def test_an_item_that_was_added_may_stand_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('items = ["a", "b"]')
    house = House(b"k" * 32, str(path.with_suffix(".sqlite")))
    try:
        service = house.open("study", read_ballot(path)).service
        service.submit(lambda desk, now: desk.add_item("c", {}, now)).result(30)
    finally:
        house.close()
    assert opened(path, 'items = ["a", "b", "c"]') == ()


def test_links_of_their_own_are_printed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    each = {"ann": "http://x/v/1", "bob": "http://x/v/2"}
    _say_links({"vote": "http://x/v/1", "owner": "http://x/o/3", "voters": each}, False)
    said = capsys.readouterr().out
    assert all(f"{voter}  {link}\n" in said for voter, link in each.items())
    assert "Send each voter their own link" in said
    assert "first link" not in said


@pytest.mark.slow
def test_pictures_criteria_and_links_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "tea.png").write_bytes(_PNG)
    path = tmp_path / "drinks.toml"
    path.write_text(
        'voters = ["ann", "bob"]\nlanguage = "de"\n[questions]\ntaste = "Better?"\n'
        'looks = "Nicer?"\n[[items]]\nname = "tea"\nfile = "tea.png"\n[[items]]\nname = "milk"\n'
    )
    with Server(path) as server:
        assert set(server.links["voters"]) == {"ann", "bob"}
        with (
            ServedStudy(server.links["voters"]["ann"], "ann") as ann,
            ServedStudy(server.links["voters"]["bob"], "whoever") as bob,
        ):
            (ask,) = ann.ask()
            assert ask.criterion in ("taste", "looks")
            (other,) = bob.ask()
            with httpx.Client(base_url=server.base) as client:
                secret = server.links["voters"]["bob"].rsplit("/", 1)[1]
                headers = {"Authorization": f"Bearer {secret}"}
                body = {"answer": "left"}
                path_of = "/api/asks/{}/answer"
                reply = client.post(path_of.format(ask.id), json=body, headers=headers)
                assert reply.status_code == 404  # it is ann's
                reply = client.post(path_of.format(other.id), json=body, headers=headers)
                assert reply.status_code == 200
                shown = client.get("/api/ballot", headers=headers).json()
                assert shown["voter"] == "bob"
                assert client.get(f"/{shown['items']['tea']['image']}").status_code == 200
        exported = ac.front(io.StringIO(server.export().decode()), likely=False)
        assert exported.votes == server.result()["votes"] == 1


@pytest.mark.parametrize("kind", ["memory:", "journal"])
@pytest.mark.slow
def test_other_stores(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nb\nc\n")
    database = kind if kind == "memory:" else str(tmp_path / "a.duels")
    with Server(path, "--database", database) as server:
        with ServedStudy(server.links["owner"]) as study:
            for _ in range(5):
                (ask,) = study.ask()
                study.tell(ask, "left")
        assert server.result(likely=False)["votes"] == 5
        assert server.stop() == 0
    if kind == "journal":
        assert ac.Study.read(database).certificate(likely=False).votes == 5


@pytest.mark.slow
def test_a_study_is_restored_from_one_file(tmp_path: Path) -> None:
    (tmp_path / "tea.png").write_bytes(_PNG)
    path = tmp_path / "drinks.toml"
    path.write_text(
        'title = "Drinks"\nsession = 50\n[stop]\ndate = 2099-01-01\n'
        '[[items]]\nname = "tea"\nfile = "tea.png"\n[[items]]\nname = "milk"\n'
    )
    with Server(path) as server, server.client("owner") as owner:
        with ServedStudy(server.links["vote"], "ann") as ann:
            for _ in range(3):
                ann.tell(ann.ask()[0], "left")
        assert owner.post("/api/items", json={"name": "mead", "text": "sweet"}).status_code == 200
        before, content = server.result(likely=False), server.export("study.zip")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "copy.zip").write_bytes(content)
    for _ in range(2):  # and opened again
        with Server(elsewhere / "copy.zip") as server, server.client() as voter:
            after = server.result(likely=False)
            for name in ("votes", "records", "undecided", "items", "notes"):
                assert after[name] == before[name]
            shown = voter.get("/api/ballot").json()
            assert shown["items"]["mead"]["html"] == "<p>sweet</p>\n"
            assert httpx.get(f"{server.base}/{shown['items']['tea']['image']}").status_code == 200
            reply = voter.post("/api/asks", json={"voter": "ann"}).json()
            assert (reply["answered"], reply["of"]) == (3, 50)


@pytest.mark.slow
def test_texts_are_exported_and_a_picture_that_is_gone_is_named(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "tea.png")
    (tmp_path / "milk.md").write_text("*white*")
    (tmp_path / "sour.txt").write_text("sour")
    path = tmp_path / "drinks.toml"
    path.write_text(
        '[[items]]\nname = "tea"\nfile = "tea.png"\n'
        '[[items]]\nname = "milk"\nfile = "milk.md"\ndecoy = { file = "sour.txt" }\n'
    )
    with Server(path) as server, server.client("owner") as owner:
        (tmp_path / "copy.zip").write_bytes(server.export("study.zip"))
        (tmp_path / "tea.png").rename(tmp_path / "moved.png")
        reply = owner.get("/api/export/study.zip")
        assert reply.status_code == 422
        assert "'tea.png'" in reply.json()["error"]
    found = unpacked(tmp_path / "copy.zip").ballot.entries[1]
    assert found.file is not None
    assert found.decoy is not None
    assert found.decoy.file is not None
    assert (found.file.read_text(), found.decoy.file.read_text()) == ("*white*", "sour")


def test_a_second_study_of_that_name_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study.zip"
    texts: dict[str, str] = {}
    for name, seed in (("first", 1), ("second", 2)):
        header = Settings.new(["a", "b"], Certifying(), seed).to_header(0.0)
        document = {"items": [{"name": "a", "file": "files/0.png"}, {"name": "b"}]}
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("study.duels", STUDY.encode(header, 0)[0])
            archive.writestr("study.json", json.dumps(document))
            archive.writestr("files/0.png", name)
        found = unpacked(path)
        file = found.ballot.entries[0].file
        assert file is not None
        texts[name] = file.read_text()
        house = House(b"k" * 32, str(tmp_path / "study.sqlite"))
        try:
            if name == "first":
                with monkeypatch.context() as patch:
                    patch.setattr(SqlStore, "append", None)  # one transaction for all lines
                    found.restore(house, "study")
            else:
                with pytest.raises(FileError, match="a different study 'study'"):
                    found.restore(house, "study")
        finally:
            house.close()
    assert texts == {"first": "first", "second": "second"}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jpg", b"hello", "a.jpg does not begin like a picture, but its name ends in .jpg"),
        ("a.png", _PNG[:10], "a.png does not begin like a picture"),
        ("a.png", b"", "a.png is empty, but a picture"),
        ("a.mp3", _PNG, "a.mp3 does not begin like a sound"),
        ("a.webm", b"hello", "a.webm does not begin like a video"),
        ("a.jpg", _PNG, None),  # browsers show it
        ("a.mp3", b"\xff\xfb" + b"0" * 30, None),
        ("a.bmp", b"BM", None),
    ],
)
def test_files_that_are_not_what_they_say(
    tmp_path: Path,
    name: str,
    content: bytes,
    words: str | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, study = tmp_path / "items", tmp_path / "study.toml"
    folder.mkdir()
    (folder / name).write_bytes(content)
    (folder / "b.txt").write_text("b")
    study.write_text(f'[[items]]\nname = "b"\n[[items]]\nname = "a"\nfile = "items/{name}"\n')
    for path, where in ((folder, "items"), (study, "study.toml, line 5, item 2")):
        if words is None:
            check_files(read_ballot(path))
            continue
        assert main(["serve", str(path), "--port", "0"]) == 2
        said = capsys.readouterr().err
        assert where in said
        assert words in said
    assert sorted(file.name for file in tmp_path.iterdir()) == ["items", "study.toml"]


def test_what_was_read_is_said(tmp_path: Path) -> None:
    for name in ("a.png", "b.jpg", "c.mp3"):
        (tmp_path / name).touch()
    (tmp_path / "d.md").write_text("d")
    assert counted_items(read_ballot(tmp_path)) == "4 items: 2 pictures, 1 sound, 1 text"
    path = tmp_path / "study.toml"
    path.write_text('items = ["a", {name = "b", text = "b"}, {name = "c", file = "a.png"}]')
    assert counted_items(read_ballot(path)) == "3 items: 1 picture, 1 text, 1 name only"
    path.write_text('items = ["a", "b"]')
    assert counted_items(read_ballot(path)) == "2 items"


def test_another_picture_has_another_address(tmp_path: Path) -> None:
    """Browsers keep pictures for a while."""
    path, shown = tmp_path / "study.toml", []
    for name, byte in (("a.png", b"1"), ("b.png", b"2")):
        (tmp_path / name).write_bytes(_PNG + byte)
    for order in (("a.png", "b.png"), ("b.png", "a.png")):
        items = ", ".join(f'{{name = "{k}", file = "{name}"}}' for k, name in enumerate(order))
        path.write_text(f"items = [{items}]")
        house = House(b"k" * 32, str(tmp_path / "study.sqlite"))
        try:
            found = house.open("study", read_ballot(path)).items()
            shown.append([found[k]["image"] for k in ("0", "1")])
        finally:
            house.close()
    assert len({address for addresses in shown for address in addresses}) == 4


def test_an_example_where_there_is_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my drinks.toml"
    path.write_text("mine")
    assert main(["serve", "--example", str(path)]) == 2
    assert f"already exists; to serve it: antichain serve '{path}'" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_no_example_is_written_where_the_port_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drinks.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--example", str(path), "--port", str(port)]) == 2
    assert "give another --host or --port" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [[], ["--quiet"], ["--json"]])
def test_the_example_that_is_written_is_told(
    tmp_path: Path,
    option: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "drinks.toml"
    monkeypatch.setattr("antichain.serve._web.WebServer.run", lambda server, sockets: None)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)  # they stay this process's
    assert main(["serve", "--example", str(path), "--port", "0", *option]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"wrote {path}\n{path}: 4 items\n") == (not option)
    assert (f"wrote {path}" in said) == (not option)
    if option == ["--json"]:
        assert set(json.loads(said)) == {"vote", "owner"}
    assert read_ballot(path).title == "Drinks"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_the_process_that_judges_hears_no_ctrl_c_while_it_loads() -> None:
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(30,))
    _start_in_peace(process)
    status = Path(f"/proc/{process.pid}/status").read_text()
    process.kill()
    process.join()
    (blocked,) = [line.split()[1] for line in status.splitlines() if line.startswith("SigBlk")]
    assert int(blocked, 16) >> (signal.SIGINT - 1) & 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("damage", ["no zip", "empty", "evil"])
def test_what_is_no_exported_study(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK")
    if damage != "no zip":
        with zipfile.ZipFile(path, "w") as archive:
            if damage == "evil":
                archive.writestr("study.duels", "{}")
                archive.writestr("study.json", json.dumps({"items": ["a", "b"]}))
                archive.writestr("files/../../evil.txt", "x")
    assert main(["serve", str(path)]) == 2
    assert "a.zip" in capsys.readouterr().err
    assert [file.name for file in tmp_path.parent.rglob("evil.txt")] == []


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.slow
def test_two_servers_agree_on_one_study(tmp_path: Path, kind: str) -> None:
    """On SQLite too, where they take turns with the file."""
    study = a_study(tmp_path, epsilon=0.02)
    database = str(study.with_suffix(".sqlite")) if kind == "sqlite" else new_database()
    options = ("--database", database)
    with (
        Server(study, *options) as one,
        Server(study, *options) as other,
        Crowd(one, 4) as first,
        Crowd(other, 4, name="other") as second,
    ):
        assert one.secret("owner") == other.secret("owner")
        for enough in (40, 80):
            while len(first.acknowledged) < enough or len(second.acknowledged) < enough:
                assert not first.wrong + second.wrong
                time.sleep(0.05)
            if enough == 40:
                other.kill()  # under load, perhaps within a turn: the one goes on, and it returns
                more = len(first.acknowledged) + 20
                while len(first.acknowledged) < more:
                    assert not first.wrong
                    time.sleep(0.05)
                other.start()
        for crowd in (first, second):
            crowd.__exit__()
        assert not first.acknowledged.keys() & second.acknowledged.keys()
        first.acknowledged |= second.acknowledged
        for server in (one, other):
            check_nothing_lost(server, first, database)


@pytest.mark.slow
def test_votes_are_exported_while_new_voters_arrive(tmp_path: Path) -> None:
    with Server(a_study(tmp_path, epsilon=0.02)) as server:
        for k in range(6):
            with Crowd(server, 4, name=f"wave {k}") as crowd:
                for name in ("votes.csv", "votes.parquet"):
                    assert server.export(name)
            assert not crowd.wrong


@pytest.mark.slow
def test_another_key_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    with Server(path):
        pass
    other = str(tmp_path / "other.key")
    assert main(["serve", str(path), "--key", other, "--port", "0"]) == 2
    assert "give the file of that key with --key" in capsys.readouterr().err


@pytest.mark.slow
def test_every_export_is_there_before_the_first_vote(tmp_path: Path) -> None:
    with Server(a_study(tmp_path)) as server:
        for name in KINDS:
            assert server.export(name), name
