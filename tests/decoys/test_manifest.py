"""Folders of decoys, the manifest that names them, and decoys somebody else made."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from antichain.decoys import kinds, make_decoys, maker_of, read_manifest
from antichain.decoys._audio import Sound, write_wav
from antichain.errors import FileError, InputError, ParameterError
from antichain.votes._decoy_names import supplied_decoys

TEXT = " ".join(f"Sentence {n}." for n in range(40))


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{name}.txt" for name in ("ode", "elegy")]
    for path in paths:
        path.write_text(TEXT)
    return paths


def test_files_and_manifest_are_written(texts, tmp_path) -> None:
    made = make_decoys(texts, "text", "drop", 0.5, tmp_path / "new" / "out", seed=3)
    folder = tmp_path / "new" / "out"
    assert sorted(path.name for path in folder.iterdir()) == [
        "decoys.json", "elegy-decoy.txt", "ode-decoy.txt",
    ]  # fmt: skip
    assert made.decoys == {"ode": "ode (decoy)", "elegy": "elegy (decoy)"}
    assert read_manifest(folder / "decoys.json") == made
    assert made.made == {"kind": "text", "how": "drop", "strength": 0.5, "seed": 3}
    decoys = {name: (folder / made.files[name]).read_text() for name in made.decoys}
    assert all(text.count("Sentence") == 20 for text in decoys.values())
    assert decoys["ode"] != decoys["elegy"]  # the same text: chance is each item's own


def test_adding_a_file_changes_no_other_decoy(texts, tmp_path) -> None:
    make_decoys(texts, "text", "drop", 0.5, tmp_path / "two")
    make_decoys(texts[1:], "text", "drop", 0.5, tmp_path / "one")
    name = "elegy-decoy.txt"
    assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_nothing_is_replaced_unasked(texts, tmp_path) -> None:
    make_decoys(texts, "text", "drop", 0.5, tmp_path / "out")
    before = (tmp_path / "out" / "ode-decoy.txt").read_bytes()
    with pytest.raises(FileError, match="already exists"):
        make_decoys(texts, "text", "truncate", 0.5, tmp_path / "out")
    assert (tmp_path / "out" / "ode-decoy.txt").read_bytes() == before
    make_decoys(texts, "text", "truncate", 0.5, tmp_path / "out", force=True)
    assert (tmp_path / "out" / "ode-decoy.txt").read_bytes() != before


def test_an_original_is_never_replaced_even_by_force(texts, tmp_path) -> None:
    for name in ("ode-decoy.txt", "decoys.json"):
        other = tmp_path / name
        other.write_text(TEXT)
        (link := tmp_path / "link.txt").symlink_to(other)
        for given in (other, link):
            with pytest.raises(InputError, match=f"{name} is also one of the input files"):
                make_decoys([*texts, given], "text", "drop", 0.5, tmp_path, force=True)
        assert other.read_text() == TEXT
        link.unlink()
        other.unlink()


def test_strength_0_keeps_the_file_and_its_ending(tmp_path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow (the extra images) is not installed")
    pillow.linear_gradient("L").save(tmp_path / "red.jpg")
    make_decoys([tmp_path / "red.jpg"], "image", "blur", 0, tmp_path / "same")
    make_decoys([tmp_path / "red.jpg"], "image", "blur", 0.5, tmp_path / "worse")
    same = tmp_path / "same" / "red-decoy.jpg"
    assert same.read_bytes() == (tmp_path / "red.jpg").read_bytes()
    assert (tmp_path / "worse" / "red-decoy.png").exists()


@pytest.mark.parametrize(
    ("text", "how", "strength", "said"),
    [
        ("One. Two. Three. Four.", "drop", 0.1, "a greater strength, or use shuffle or truncate"),
        ("Same. Same. Same.", "shuffle", 1.0, "was expected; use drop or truncate"),
        ("One sentence.", "drop", 1.0, "one sentence, but drop leaves out whole sentences; use tr"),
        ("\ufeffOne sentence.", "drop", 0.5, "leaves out whole sentences; use truncate"),
        ("One sentence.", "shuffle", 1.0, "but shuffle moves whole sentences; use truncate"),
        ("word", "truncate", 1.0, "one word, but truncate leaves at least one; give more content"),
    ],
)
def test_a_text_that_would_stay_as_it_is_is_refused(tmp_path, text, how, strength, said) -> None:
    fine, bad = tmp_path / "a.txt", tmp_path / "b.txt"
    fine.write_text("Z one a. Y two b. X three c. W four d. V five e. U six f. T seven g.")
    bad.write_text(text)
    folder = tmp_path / "made"
    with pytest.raises(FileError, match=rf"cannot degrade .*b\.txt: .*{said}"):
        make_decoys([fine, bad], "text", how, strength, folder)
    assert not folder.exists()


def test_a_failure_leaves_no_new_folder_and_removes_no_other(texts, tmp_path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    for folder in (tmp_path / "a" / "b", tmp_path):
        with pytest.raises(FileError, match="cannot degrade"):
            make_decoys([*texts, tmp_path / "bad.txt"], "text", "drop", 0.5, folder)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["bad.txt", "elegy.txt", "ode.txt"]


def test_a_picture_that_would_stay_as_it_is_is_refused(tmp_path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="Pillow (the extra images) is not installed")
    pillow.new("RGB", (8, 8), (250, 10, 10)).save(tmp_path / "red.png")
    for how in ("resolution", "blur"):
        with pytest.raises(FileError, match="leaves it unchanged"):
            make_decoys([tmp_path / "red.png"], "image", how, 0.5, tmp_path / "made")
    pillow.linear_gradient("L").save(tmp_path / "grey.png")
    make_decoys([tmp_path / "grey.png"], "image", "blur", 0.5, tmp_path / "made")


@pytest.mark.parametrize(("how", "strength"), [("bits", 0.01), ("rate", 0.01), ("noise", 1e-9)])
def test_sound_that_would_stay_as_it_is_is_refused(tmp_path, how, strength) -> None:
    samples = np.arange(200, dtype=np.int64)[:, None] * 100
    (tmp_path / "hum.wav").write_bytes(write_wav(Sound(samples, 16, 8000)))
    with pytest.raises(FileError, match="leaves it unchanged"):
        make_decoys([tmp_path / "hum.wav"], "audio", how, strength, tmp_path / "made")
    make_decoys([tmp_path / "hum.wav"], "audio", how, 0.9, tmp_path / "made")


def test_a_file_whose_name_cannot_be_an_items_is_refused(tmp_path) -> None:
    for name in ("a\nb.txt", "a .txt", os.fsdecode(b"a\xff.txt")):
        (tmp_path / name).write_text(TEXT)
        with pytest.raises(FileError, match="has the name"):
            make_decoys([tmp_path / name], "text", "drop", 0.5, tmp_path / "made")


def test_what_is_wrong_is_said_of_the_file(texts, tmp_path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    with pytest.raises(FileError, match=r"cannot degrade .*bad\.txt: it is not UTF-8"):
        make_decoys([*texts, tmp_path / "bad.txt"], "text", "drop", 0.5, tmp_path / "out")
    assert not (tmp_path / "out" / "decoys.json").exists()
    with pytest.raises(FileError, match=r"cannot read .*missing\.txt"):
        make_decoys([tmp_path / "missing.txt"], "text", "drop", 0.5, tmp_path / "out2")
    with pytest.raises(InputError, match="both be the item 'ode'"):
        make_decoys([texts[0], tmp_path / "x" / "ode.md"], "text", "drop", 0.5, tmp_path / "o")
    with pytest.raises(InputError, match="no files"):
        make_decoys([], "text", "drop", 0.5, tmp_path / "o")
    with pytest.raises(FileError, match="cannot make the folder"):
        make_decoys(texts, "text", "drop", 0.5, texts[0])


@pytest.mark.parametrize("seed", [-1, 0.5, "x", None])
def test_a_bad_seed_is_refused_before_anything_is_written(texts, tmp_path, seed) -> None:
    with pytest.raises(ParameterError, match="seed is"):
        make_decoys(texts, "text", "drop", 0.5, tmp_path / "out", seed=seed)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan"), "much", None, True])
def test_strengths_are_from_0_to_1(strength) -> None:
    with pytest.raises(ParameterError, match="from 0 to 1"):
        maker_of("text", "drop").degrade(b"A. B.", strength)


def test_makers_are_known_by_name() -> None:
    assert kinds() == {
        "image": ("resolution", "blur", "jpeg"),
        "text": ("drop", "shuffle", "truncate"),
        "audio": ("noise", "bits", "rate"),
    }
    with pytest.raises(ParameterError, match="image, text or audio was expected"):
        maker_of("smell", "drop")
    with pytest.raises(ParameterError, match="drop, shuffle or truncate was expected"):
        maker_of("text", "blur")
    with pytest.raises(ParameterError, match="bytes"):
        maker_of("text", "drop").degrade("A. B.", 0.5)
    with pytest.raises(ParameterError, match="seed"):
        maker_of("text", "drop").degrade(b"A. B.", 0.5, seed=-1)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            [],
            r"decoys.json is not a list of decoys, but the format 'antichain-decoys' was expected, "
            'with a list "decoys"$',
        ),
        ({"format": "antichain-poset"}, 'is a poset file .* was expected, with a list "decoys"$'),
        ({"format": "antichain-decoys"}, 'has null as its "decoys"'),
        ({"format": "antichain-decoys", "decoys": []}, r"has \[\] as its"),
        ({"decoys": {"a": "b"}}, 'has {"a": "b"} as its "decoys", but a list of items'),
        ({"decoys": [["a", "b"]]}, "decoy 1 is .*an object with"),
        ({"decoys": [{"item": "a"}]}, "decoy 1 is .*an object with"),
        ({"decoys": [{"item": " ", "decoy": "b"}]}, "decoy 1 is .*an object with"),
        (
            {"decoys": [{"item": "a", "decoy": "b"}, {"item": "a", "decoy": "c"}]},
            "decoy 2 belongs to",
        ),
        ({"decoys": [{"item": "a", "decoy": "a"}]}, "which is an item"),
        ({"decoys": [{"item": "a", "decoy": ""}]}, "the name of a decoy was expected"),
        ({"decoys": [{"item": "a", "decoy": "b"}], "version": 2}, "version 1 was expected"),
        ({"decoys": [{"item": "a", "decoy": "b"}], "format": "x"}, "format 'x'"),
    ],
)
def test_bad_manifests_are_refused(tmp_path, document, words) -> None:
    path = tmp_path / "decoys.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=words):
        read_manifest(path)


@pytest.mark.parametrize("content", [b"left,right\na,b\n", b"\x89PNG\r\n", b"\xff"])
def test_a_file_that_is_no_manifest_is_told_from_a_broken_one(tmp_path, content) -> None:
    path = tmp_path / "decoys.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match="is not a list of decoys, but a JSON file was expected"):
        read_manifest(path)
    path.write_bytes(b'{"decoys": [')
    with pytest.raises(FileError, match="is not valid JSON"):
        read_manifest(path)


def test_a_manifest_by_hand(tmp_path) -> None:
    path = tmp_path / "decoys.json"
    path.write_text('{"decoys": [{"item": "Alien", "decoy": "Alien, 240p"}]}')
    assert read_manifest(path).decoys == {"Alien": "Alien, 240p"}


@pytest.mark.parametrize(
    ("decoys", "words"),
    [
        ({"a": "a-"}, "'b' has the decoy None"),
        ({"a": "a-", "b": "a-"}, "of 'a' and of 'b'"),
        ({"a": "b", "b": "b-"}, "which is an item"),
        ({"a": "a-", "b": 3}, "'b' has the decoy 3"),
        ({"a": "a-", "b": "b-", "c": "c-"}, "'c', which is not among"),
        ([("a", "b")], "a mapping"),
    ],
)
def test_supplied_decoys_are_complete_and_ones_own(decoys, words) -> None:
    with pytest.raises(InputError, match=words):
        supplied_decoys(["a", "b"], decoys)


@pytest.mark.parametrize("names", [("Ode", "ode"), ("Caf\u00e9", "Cafe\u0301")])
def test_decoys_that_would_be_one_file_elsewhere_are_refused(tmp_path, names) -> None:
    paths = [tmp_path / str(k) / f"{name}.txt" for k, name in enumerate(names)]
    for path in paths:
        path.parent.mkdir()
        path.write_text("One sentence. Another one. A third one.")
    with pytest.raises(InputError, match="differ only in case or Unicode form"):
        make_decoys(paths, "text", "drop", 0.5, tmp_path / "out", force=True)
    assert not (tmp_path / "out").exists()


def test_a_folder_stands_for_its_files(tmp_path) -> None:
    folder = tmp_path / "texts"
    (folder / "inner").mkdir(parents=True)
    for name in ("b.txt", "a.txt", ".hidden"):
        (folder / name).write_text("One. Two.")
    made = make_decoys([folder], "text", "drop", 0.5, tmp_path / "out")
    assert list(made.decoys) == ["a", "b"]
    with pytest.raises(InputError, match="holds no files"):
        make_decoys([folder / "inner"], "text", "drop", 0.5, tmp_path / "other")


def test_decoys_in_the_folder_of_their_items_get_no_decoys(texts, tmp_path) -> None:
    made = make_decoys([tmp_path], "text", "truncate", 0.5, tmp_path)
    assert list(made.decoys) == ["elegy", "ode"]
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(FileError, match="already exists"):
        make_decoys([tmp_path], "text", "truncate", 0.5, tmp_path)
    assert make_decoys([tmp_path], "text", "truncate", 0.7, tmp_path, force=True).decoys == (
        made.decoys
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    for path in texts:
        path.unlink()
    with pytest.raises(InputError, match="holds only decoys"):
        make_decoys([tmp_path], "text", "truncate", 0.5, tmp_path, force=True)


def test_a_folder_whose_list_of_decoys_cannot_be_read_is_refused(texts, tmp_path) -> None:
    (tmp_path / "decoys.json").write_text("{}")
    with pytest.raises(FileError, match=r"decoys\.json is not a list of decoys"):
        make_decoys([tmp_path], "text", "truncate", 0.5, tmp_path / "out")
    by_hand = {"decoys": [{"item": "ode", "decoy": "short ode"}]}
    (tmp_path / "decoys.json").write_text(json.dumps(by_hand))
    (tmp_path / "short ode.txt").write_text("An ode.")
    made = make_decoys([tmp_path], "text", "truncate", 0.5, tmp_path / "out")
    assert list(made.decoys) == ["elegy", "ode"]
