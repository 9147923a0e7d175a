"""Lists, TOML files and folders that people vote on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from antichain import _files, _limits, front
from antichain.errors import FileError
from antichain.study import Study, _ballot_entries, _records
from antichain.study import _ballot as ballots
from antichain.study._ballot import read_ballot, study_file
from antichain.study._ballot_entries import BallotEntry


def names(path: Path) -> list[str]:
    return [entry.name for entry in read_ballot(path).entries]


def refusal(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        read_ballot(path)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "logos.v2"
    (path / "old").mkdir(parents=True)
    for name in ("tea.PNG", "milk.txt", "song.mp3", "film.mov", ".hidden.png", "old/x.png"):
        (path / name).touch()
    return path


class TestLists:
    @pytest.mark.parametrize("name", ["films.txt", "films", "films.lst", "films.md"])
    def test_one_name_per_line(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(
            "\ufeffAlien\r\n\r\n  Crouching Tiger, Hidden Dragon \n[Rec]\n#9\na = 1".encode()
        )
        ballot = read_ballot(path)
        assert names(path) == ["Alien", "Crouching Tiger, Hidden Dragon", "[Rec]", "#9", "a = 1"]
        assert (ballot.title, ballot.question) == ("films", "Which is better?")
        assert ballot.entry("#9") == BallotEntry("#9")
        assert not ballot.has_files
        assert study_file(path) == tmp_path / "films.duels"

    def test_even_where_it_could_be_toml(self, tmp_path: Path) -> None:
        path = tmp_path / "films.txt"
        path.write_text("[Rec]\n[Saw]\n")
        assert names(path) == ["[Rec]", "[Saw]"]

    @pytest.mark.parametrize(
        ("name", "text", "words"),
        [
            ("a.txt", "", "has no items, but at least two were expected: one name per line"),
            ("a.txt", " \n\n", "has no items"),
            ("a.txt", "tea\n", "has one item, but at least two were expected"),
            (
                "a.txt",
                "tea\nmilk\n\ntea",
                "line 4 is 'tea', but an earlier item has that name (line 1)",
            ),
            ("a.txt", "tea\nmi\u200blk", "line 2 has the name 'mi\\u200blk'"),
            ("a.txt", "tea\nmi\0lk", "line 2 has the name"),
            ("a.json", '{"items": ["tea", "milk"]}', "begins with a JSON object"),
            ("a.csv", "left,right\ntea,milk", "is a table (its first line is 'left,right')"),
            ("a.csv", "what\ntea\nmilk", "'what'), but one with a column called name was"),
            ("a.ini", "[[items]]\nname = tea", "is not TOML"),
            ("a.json", '{\n  "x": 1,\n  "y": 2\n}', "begins with a JSON object, but a list"),
            ("a.jsonl", '{"a": 1}\n{"a": 2}', "begins with a JSON object"),
            ("a.json", '[\n "tea",\n "milk"\n]', "begins with a JSON list, but a list with"),
            ("a.json", '[{"a": 1},\n{"a": 2}]', "begins with a JSON list"),
            ("a.html", "<!DOCTYPE html>\n<p>\n", "is a web page, but a list with one name"),
            ("a.htm", "\n<HTML lang='en'>\n<p>\n", "is a web page"),
            ("a.pdf", "%PDF-1.7\n1 0 obj", "is a PDF document, but a list with one name"),
            ("a.json", '{"format": "antichain-poset",\n "version": 1}', "is a poset file (read"),
        ],
    )
    def test_what_is_no_list(self, tmp_path: Path, name: str, text: str, words: str) -> None:
        path = tmp_path / name
        path.write_text(text)
        assert words in refusal(path)

    @pytest.mark.parametrize(
        ("start", "words"),
        [
            (b"\x89PNG\r\n", "is a picture, but a list with one name per line"),
            (b"PAR1\x15\x04", "is a Parquet table, but"),
            (b"\x1f\x8b\x08", "is packed (gz), but"),
            (b"PK\x03\x04", "is a zip archive, or an Excel or Word file, but"),
            (b"SQLite format 3\0", "is an SQLite database, but"),
            (b"\x93NUMPY", "is a NumPy array, but"),
            (b"ab", "is not UTF-8 text (byte 3 is invalid): save it as UTF-8"),
            (b"\xff\xfea\0", "is in UTF-16, but UTF-8 was expected: save it as UTF-8"),
            (b"a\0", "is a binary file, but text in UTF-8 was expected"),
        ],
    )
    def test_what_is_no_text_is_called_what_it_is(
        self, tmp_path: Path, start: bytes, words: str
    ) -> None:
        path = tmp_path / "a.txt"
        path.write_bytes(start + b"\n\xff\xfe\n")
        assert words in refusal(path)

    def test_a_name_that_a_table_begins_with(self, tmp_path: Path) -> None:
        path = tmp_path / "genes.txt"
        path.write_text("PAR1\nGIF8\nPK")
        assert names(path) == ["PAR1", "GIF8", "PK"]
        path.write_bytes(b"SQLite format 3\0\x10\0")
        assert "is an SQLite database" in refusal(path)

    def test_a_certificate_is_no_list(self, tmp_path: Path) -> None:
        path = tmp_path / "c.json"
        votes = [("tea", "milk", "left")] * 9
        _files.write_json(path, front(votes, likely=False).to_dict())
        assert f"is a certificate (read by: antichain verify {path} VOTES)" in refusal(path)

    def test_a_study_is_no_list(self, tmp_path: Path) -> None:
        path = tmp_path / "films.duels"
        Study.open(path, ["tea", "milk"]).close()
        assert (
            "is a study, but a list with one name per line, a TOML file or a folder was expected"
            in refusal(path)
        )

    def test_too_much(self, tmp_path: Path, monkeypatch) -> None:
        path = tmp_path / "a.txt"
        path.write_text("\n".join(map(str, range(_limits.LISTED_NAMES + 1))))
        assert "has more than 20,000 items" in refusal(path)
        monkeypatch.setattr(ballots, "LIST_BYTES", 1 << 20)
        path.write_text("x" * (1 << 20) + "\ny")
        assert "is larger than 1 MB" in refusal(path)


class TestToml:
    @pytest.mark.parametrize("name", ["films.toml", "films.conf"])
    def test_names_and_tables(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_text('title = "Films"\nitems = ["Alien", {name = "Saw", text = "Ouch."}]')
        ballot = read_ballot(path)
        assert ballot.title == "Films"
        assert ballot.entries == (BallotEntry("Alien"), BallotEntry("Saw", "Ouch."))

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ('items = ["tea"]', "has one item"),
            ('items = ["tea", "tea"]', "item 2 is 'tea', but an earlier item has that name"),
            ('items = ["tea", ""]', "one line of text was expected"),
            ('items = ["tea", ["milk"]]', "item 2 is ['milk'], but a name, as in "),
            ("title = 'x'", "has no [[items]] and no items = ["),
        ],
    )
    def test_what_is_wrong(self, tmp_path: Path, text: str, words: str) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text)
        assert words in refusal(path)


class TestFolders:
    def test_files_are_items(self, folder: Path) -> None:
        ballot = read_ballot(folder)
        assert names(folder) == ["film", "milk", "song", "tea"]
        assert ballot.entry("tea").file == folder / "tea.PNG"
        assert (ballot.title, ballot.note) == ("logos.v2", None)
        assert study_file(folder) == folder.parent / "logos.v2.duels"

    def test_other_files_are_passed_over_and_named(self, folder: Path) -> None:
        for name in ("run.sh", "Thumbs.db", "a.py", "b.exe"):
            (folder / name).touch()
        assert len(names(folder)) == 4
        note = read_ballot(folder).note
        assert note is not None
        assert "'Thumbs.db', 'a.py', 'b.exe' and 1 more. Items are pictures" in note

    def test_the_folder_one_is_in(self, folder: Path, monkeypatch) -> None:
        monkeypatch.chdir(folder)
        assert read_ballot(".").title == "logos.v2"
        assert study_file(Path(".")) == folder.parent.resolve() / "logos.v2.duels"
        assert study_file(Path("old/..")).name == "logos.v2.duels"
        with pytest.raises(FileError, match="give a file for them with --study"):
            study_file(Path("/"))

    def test_names_that_clash(self, folder: Path) -> None:
        (folder / "tea.jpg").touch()
        assert "holds 'tea.PNG' and 'tea.jpg', which would both be the item 'tea'" in refusal(
            folder
        )

    @pytest.mark.parametrize("name", ["a\nb.png", " a.png"])
    def test_names_that_no_item_can_have(self, folder: Path, name: str) -> None:
        (folder / name).touch()
        assert "the file " in refusal(folder)

    def test_too_few_and_too_many(self, tmp_path: Path, folder: Path, monkeypatch) -> None:
        (tmp_path / "empty").mkdir()
        assert "empty has no items, but at least two were expected: files" in refusal(
            tmp_path / "empty"
        )
        (tmp_path / "empty" / "a.png").touch()
        assert "has one item" in refusal(tmp_path / "empty")
        monkeypatch.setattr(_ballot_entries, "LISTED_NAMES", 3)
        assert "has more than 3 items" in refusal(folder)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
    def test_one_that_cannot_be_read(self, folder: Path) -> None:
        folder.chmod(0)
        assert "cannot read" in refusal(folder)
        folder.chmod(0o700)


def test_a_large_study_is_taken_up_again_with_few_looks_at_its_items(tmp_path: Path) -> None:
    class Watched(list[str]):
        looks = 0

        def __iter__(self):
            Watched.looks += 1
            return super().__iter__()

    items = Watched(map(str, range(100)))
    _records._check_items(tmp_path, items, items)
    assert Watched.looks < 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('titel = "Films"\nitems = ["a", "b"]\n', "line 1 has 'titel'; did you mean title?"),
        ('title = "Films"\nitmes = ["a", "b"]\n', "line 2 has 'itmes'; did you mean items?"),
        ('[[items]]\nname = "a"\nfiel = "a.png"\n', "item 1 has 'fiel'; did you mean file?"),
        ('zzz = 1\nitems = ["a", "b"]\n', "line 1 has 'zzz', but only title, question,"),
    ],
)
def test_a_misspelt_key_is_told_the_one_that_may_be_meant(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "films.toml"
    path.write_text(text)
    assert words in refusal(path)
