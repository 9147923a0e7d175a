"""Several files read as one log, and headers that are repeated inside a file."""

from pathlib import Path

import polars as pl
import pytest

from antichain.errors import FileError
from antichain.votes import read_votes

HEAD = "model_a,model_b,winner,prompt\n"
FIRST = HEAD + "a,b,model_a,1\nb,c,tie,1\n"
SECOND = "winner,prompt,model_b,model_a\nmodel_b,2,a,c\nmodel_a,1,d,b\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text(FIRST)
    paths[1].write_text(SECOND)
    return paths


def test_several_files_are_read_as_one(files: list[Path], tmp_path: Path) -> None:
    together = tmp_path / "all.jsonl"
    pl.concat([pl.read_csv(files[0]), pl.read_csv(files[1]).select(HEAD.strip().split(","))]
              ).write_ndjson(together)  # fmt: skip
    one = read_votes(together, cluster="prompt", winner="winner")
    for source in (files, [str(path) for path in files], tuple(files), str(tmp_path / "?.csv")):
        log = read_votes(source, cluster="prompt")
        assert (log.items, log.rows, log.fingerprint) == (one.items, 4, one.fingerprint)
        assert log.source == f"{files[0]} and {files[1]}"
    assert read_votes([files[0]]).rows == 2
    pl.read_csv(files[1]).write_parquet(tmp_path / "b.parquet")
    mixed = read_votes([files[0], tmp_path / "b.parquet"], cluster="prompt")
    assert mixed.fingerprint == one.fingerprint


def test_a_wildcard_finds_files_in_their_order(files: list[Path], tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"part-{k}.csv").write_text(HEAD + f"x{k},y,model_a,{k}\n")
    log = read_votes(str(tmp_path / "part-*.csv"))
    assert log.items == ("x0", "y", "x1", "x2")
    assert log.source.endswith("part-0.csv and 2 more files")
    odd = tmp_path / "odd[1].csv"  # a name, and no wildcard
    odd.write_text(FIRST)
    assert read_votes(str(odd)).rows == 2


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("model_a,model_b,prompt\n", ["b.csv has no column 'winner'", "a.csv"]),
        (HEAD.replace("prompt", "prompt,judge"), ["b.csv has a column 'judge'", "a.csv"]),
        (HEAD + "a,b,perhaps,1\n", ["line 2 of", "b.csv", "'perhaps'"]),
        ("", ["b.csv is empty"]),
    ],
)
def test_what_differs_is_named(files: list[Path], second: str, words: list[str]) -> None:
    files[1].write_text(second)
    with pytest.raises(FileError) as caught:
        read_votes(files)
    for word in words:
        assert word in str(caught.value)


def test_files_that_cannot_be_are_refused(files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(FileError, match="given twice"):
        read_votes([files[0], files[1], files[0]])
    with pytest.raises(FileError, match="no file matches"):
        read_votes(str(tmp_path / "*.tsv"))
    with pytest.raises(FileError, match="cannot read"):
        read_votes([files[0], tmp_path / "c.csv"])


@pytest.mark.parametrize("again", [HEAD, "\ufeff" + HEAD])
def test_a_repeated_header_is_passed_and_counted(tmp_path: Path, again: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(FIRST + again + "a,c,model_b,9\n" + again + "c,d,model_a,2\n")
    log = read_votes(path)
    assert log.items == ("a", "b", "c", "d")
    assert (log.rows, log.votes) == (4, 4)
    assert "skipped lines that repeat the header: 2" in log.guessed
    with pytest.raises(FileError, match=r"line 8 "):
        read_votes(_with_bad_line(path))


def _with_bad_line(path: Path) -> Path:
    path.write_text(path.read_text() + "a,b,perhaps,1\n")
    return path


def test_winners_named_like_columns_are_no_repeated_header(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser,time\nwinner,other,5\nwinner,loser,6\nwinner,loser,time\n")
    for options in ({"ordered": False}, {"time": "time"}):
        assert read_votes(path, **options).votes == 2
