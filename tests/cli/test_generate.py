"""`antichain generate` and `antichain draw`."""

import json

import pytest

from antichain import _files
from antichain.plots import _pictures


def test_the_paper_s_poset_is_written_with_its_settings(call, tmp_path):
    path = tmp_path / "poset.json"
    called = call("generate", "--front", 5, "--width", 10, "--height", 10, "--seed", 3, "-o", path)
    assert called.code == 0
    document = json.loads(path.read_text())
    assert (document["format"], document["version"]) == ("antichain-poset", 1)
    assert len(document["items"]) == 95
    meta = document["meta"]
    assert (meta["kind"], meta["seed"], meta["parents"], meta["gaps"]) == (
        "layered", 3, "uniform", "uniform",
    )  # fmt: skip
    model = _files.read_poset(path)
    assert meta["true"] == {
        "front": len(model.front),
        "width": model.poset.width,
        "height": model.poset.height,
    }


@pytest.mark.parametrize(
    ("options", "items", "front"),
    [
        (["--kind", "total-order", "--items", 7], 7, 1),
        (["--kind", "antichain", "--items", 6], 6, 6),
        (["--kind", "chains", "--chains", 3, "--length", 4], 12, 3),
        (["--kind", "dominance", "--items", 9, "--dimensions", 1], 9, 1),
        (["--kind", "dag", "--items", 8, "--probability", 1], 8, 1),
        (["--front", 2, "--width", 3, "--height", 4, "--gaps", "minimum:0.1"], 11, 2),
    ],
)
def test_every_kind_prints_a_poset(call, tmp_path, options, items, front):
    called = call("generate", *options, "--json")
    assert called.code == 0
    path = tmp_path / "printed.json"
    path.write_text(called.out)
    model = _files.read_poset(path)
    assert (model.size, len(model.front)) == (items, front)


def test_another_file_is_told_before_an_option_is_missed(refused, poset, tmp_path):
    votes, certificate = tmp_path / "lunch.csv", tmp_path / "c.json"
    votes.write_text("left,right,winner\na,b,left\n")
    certificate.write_text('{"format": "antichain-certificate", "version": 2}')
    for more in ([], ["-o", tmp_path / "drawn.svg"]):
        said = refused("draw", votes, *more)
        assert f"{votes} is not a poset file, but one was expected" in said
        assert f"(if it holds votes: antichain front {votes})" in said
        assert f"antichain verify {certificate} VOTES" in refused("draw", certificate, *more)
    assert "antichain draw needs --output (see" in refused("draw", poset)


@pytest.mark.parametrize("command", ["simulate", "bounds", "limit"])
def test_votes_are_no_poset(refused, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text("left,right,winner\ntea,rain,tea\n")
    assert (
        "votes.csv is not a poset file, but one was expected, as antichain generate writes it (if "
        "it holds votes: antichain front votes.csv)" in refused(command, "--poset", "votes.csv")
    )


def test_the_same_seed_gives_the_same_poset_and_another_another(call):
    first, again, other = (call("generate", "--seed", s, "--json").out for s in (1, 1, 2))
    assert first == again
    assert json.loads(first)["relations"] != json.loads(other)["relations"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kind", "total-order", "--front", 3], ["--front", "total-order", "--items"]),
        (["--kind", "layered", "--length", 3], ["--length", "layered"]),
        (["--kind", "dag", "--probability", "nan"], ["--probability", "nan"]),
        (["--kind", "dag", "--probability", "1.5"], ["--probability", "1.5"]),
        (["--kind", "spiral"], ["spiral", "layered"]),
        (["--items", "0", "--kind", "total-order"], ["--items"]),
        (["--front", "5", "--width", "3"], ["width is 3", "at least the front (5)"]),
        (["--kind", "total-order", "--items", "20000"], ["20,000 items", "at most 16,384 were"]),
        (["--gaps", "small:0.6"], ["0.6"]),
    ],
)
def test_options_that_make_no_poset_are_refused(refused, options, words):
    sentence = refused("generate", *options, "--json")
    for word in words:
        assert word in sentence


def test_help_states_the_default_of_each_kind(call):
    page = " ".join(call("generate", "--help").out.split())
    for words in (
        "Number of items. [default: 10 for total- order, 20 for antichain, 50 for dominance and",
        "Number of chains. [default: 10]",
        "items in each chain. [default: 10]",
        "coordinates of a dominance order. [default: 2]",
        "each edge of a dag. [default: 0.1]",
    ):
        assert words in page


def test_an_option_of_another_kind_is_told_those_of_this_one(refused):
    for kind, own in {
        "total-order": "--items",
        "chains": "--chains and --length",
        "layered": "--front, --width, --height and --parents",
    }.items():
        told = f"but --kind {kind} takes {own} instead"
        assert told in refused("generate", "--kind", kind, "--dimensions", 3, "--json")


def test_somewhere_to_write_to_is_needed(refused):
    assert "--output" in refused("generate")


def test_nothing_is_overwritten_without_force(call, refused, tmp_path):
    path = tmp_path / "poset.json"
    path.write_text("mine")
    assert "--force" in refused("generate", "-o", path)
    assert path.read_text() == "mine"
    assert call("generate", "-o", path, "--force", "--quiet").out == ""
    assert _files.read_poset(path).size == 95


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_draw_writes_a_picture(call, poset, tmp_path, suffix):
    picture = tmp_path / f"hasse.{suffix}"
    called = call("draw", poset, "-o", picture, "--json")
    assert called.code == 0
    assert json.loads(called.out) == {"output": str(picture), "items": 4, "front": ["a", "d"]}
    assert len(picture.read_bytes()) > 1000


def test_one_item_is_not_told_in_the_plural(call, tmp_path):
    path = tmp_path / "one.json"
    options = ("--kind", "antichain", "--items", 1)
    assert call("generate", *options, "-o", path).out == f"{path}: 1 item, 1 on the front\n"
    assert call("draw", path, "-o", tmp_path / "one.svg").out.endswith("1 item, 1 on the front\n")


def test_draw_says_which_letters_no_font_has(call, tmp_path, monkeypatch):
    path = tmp_path / "poset.json"
    path.write_text('{"items": ["千と千尋"]}', "utf-8")
    # Only matplotlib's own font is left.
    monkeypatch.setattr(_pictures, "_is_upright", lambda entry: False)
    called = call("draw", path, "-o", tmp_path / "a.png")
    assert called.code == 0
    assert called.err == (
        "antichain: no installed font has と, 千, 尋: the picture shows boxes instead\n"
    )
    assert call("draw", path, "-o", tmp_path / "b.png", "--quiet").err == ""


def test_draw_refuses_before_it_reads(refused, poset, tmp_path):
    assert ".svg, .png or .pdf" in refused("draw", poset, "-o", tmp_path / "hasse.gif")
    taken = tmp_path / "taken.svg"
    taken.touch()
    sentence = refused("draw", poset, "-o", taken)
    assert "--force" in sentence
    assert "force=True" not in sentence
    assert "is a directory" in refused("draw", poset, "-o", tmp_path)
    assert "no directory" in refused("draw", poset, "-o", tmp_path / "no" / "hasse.svg")


@pytest.mark.parametrize("command", [["draw", "-o", "x.svg"], ["bounds", "--poset"]])
@pytest.mark.parametrize(
    ("content", "word"),
    [
        ('{"relations": [["a","b",0.1],["b","c",0.1],["c","a",0.1]]}', "cycle"),
        ('{"relations": [["a","b",0.5]]}', "0.5"),
        ('{"relations": [["a","b",NaN]]}', "NaN"),
        ('{"items": ["a","a"]}', "'a'"),
        ('{"items": ["a",', "line 1"),
        ("", "empty"),
        (None, "cannot read"),
    ],
)
def test_bad_poset_files_are_told_in_one_sentence(
    refused, tmp_path, monkeypatch, command, content, word
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content)
    sentence = refused(*command, path)
    assert word in sentence
    assert "bad.json" in sentence
    assert not (tmp_path / "x.svg").exists()
