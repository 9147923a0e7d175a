"""Verification: what agrees agrees, and no field can be changed unnoticed."""

import copy
import json
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from antichain import _files
from antichain.certify import certify
from antichain.certify._certificate import Likely, digest_of
from antichain.certify._reading import in_words, kept
from antichain.certify._verification import read_certificate, verify
from antichain.errors import FileError
from antichain.votes import ReadOptions
from antichain.votes._attributes import Attributes
from antichain.votes._vote_log import DecoyVotes, Meanings, VoteLog
from tests.certify.cases import chain, complete, cycle


def rich_log() -> VoteLog:
    """A log whose certificate leaves no field empty."""
    return VoteLog.from_counts(
        [
            ("a", "b", 300, 100),
            ("b", "c", 300, 100),
            ("c", "a", 300, 100),
            ("a", "d", 300, 100),
            ("top", "even", 900, 900, 300),
            ("top", "d", 90, 10),
            ("top", "z", 900, 900),
            ("even", "z", 900, 900),
            ("x", "y", 5, 5, 0, 0, 300),
            *[("top", rival, 300, 10) for rival in "abcxy"],
            *[("even", rival, 300, 10) for rival in "abcdxy"],
        ],
        source="rich.csv",
        guessed=("took left as left",),
        decoys=DecoyVotes(
            # top and z, each above the other's decoy; top and even, and each even with the decoy.
            np.array([4, 6, 4, 5]),
            np.array([6, 4, 5, 4]),
            np.array([[300, 10, 0, 0, 0, 0]] * 2 + [[300, 300, 9, 0, 0, 0]] * 2),
        ),
    )


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every plain value in a document, and of every list and object."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += leaves(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            found += leaves(inner, (*path, k))
    return found


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.0001 + 1e-6
    if isinstance(value, str):
        return value + "!"
    if isinstance(value, list):
        return [*value, "more"]
    if isinstance(value, dict):
        return {**value, "more": 1}
    return 0


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize("log", [chain(), cycle(), complete(), rich_log()])
def test_a_certificate_agrees_with_its_votes(log):
    found = certify(log, epsilon=0.1)
    assert verify(found, log) == []
    assert verify(json.loads(json.dumps(found.to_dict())), log) == []


@pytest.mark.slow
def test_no_field_can_be_changed_unnoticed():
    log = rich_log()
    document = certify(log, delta=0.1, epsilon=0.1, reading={"left": "l"}, decoy_gap=0.2).to_dict()
    for name in ("front", "in", "out", "undecided", "cycles", "groups", "notes", "reading"):
        assert document[name], name
    for kind, shown in document["pairs"].items():
        assert shown or kind == "not_enough", kind
    for path in leaves(document):
        tampered = copy.deepcopy(document)
        at(tampered, path[:-1])[path[-1]] = changed(at(document, path))
        assert verify(tampered, log), path


@pytest.mark.slow
def test_a_new_digest_does_not_hide_what_votes_contradict():
    # Whoever forges the digest too is still held against the votes.
    log = rich_log()
    document = certify(log, delta=0.1, epsilon=0.1, decoy_gap=0.2).to_dict()
    estimate = {"chances", "likely_front", "expected_f1", "exactly_right"}
    not_from_votes = {"source", "reading", "notes", "digest", "format", "version", *estimate}
    not_from_votes.add("checks")  # they tell of the assumptions, as notes do
    for path in leaves(document):
        if path[0] in not_from_votes or path[0] in ("delta", "epsilon", "decoy_gap"):
            continue
        forged = copy.deepcopy(document)
        at(forged, path[:-1])[path[-1]] = changed(at(document, path))
        forged["digest"] = digest_of(forged)
        assert verify(forged, log), path


def test_every_field_taken_away_or_added_is_noticed():
    log = chain()
    document = certify(log).to_dict()
    for key in document:
        without = {k: v for k, v in document.items() if k != key}
        assert verify(without, log), key
        if key != "digest":
            without["digest"] = digest_of(without)
            noticed = verify(without, log)
            later = ("checks", "conclusion", "fewest_votes")  # earlier certificates lack them
            assert noticed or key in ("source", "reading", "notes", *later, *Likely._fields), key
    added = document | {"approved": True}
    assert verify(added | {"digest": digest_of(added)}, log)


def test_another_level_is_another_certificate():
    log = chain()
    document = certify(log, delta=0.05).to_dict() | {"delta": 0.04}
    assert any(said.startswith("split, 'out'") for said in verify(document, log))


@pytest.mark.parametrize(
    "change",
    [
        {"delta": 0},
        {"delta": "x"},
        {"delta": True},
        {"epsilon": None},
        {"decoy_gap": "x"},
        {"decoy_gap": 0.5},
        {"decoy_gap": [0.1]},
        {"epsilon": 7},
        {"votes": 10**400},
        {"epsilon": 10**400},
        {"split": 3},
        {"split": {}},
        {"split": {"out": 1}},
        {"assume": None},
        {"assume": "strong"},
        {"assume": ["weak"]},
        {"assume": [1]},
        {"items": 5, "front": {"a": 1}, "out": [], "undecided": None},
    ],
)
def test_nonsense_is_told_as_a_difference(change):
    log = chain()
    assert verify(certify(log).to_dict() | change, log)


def test_other_votes_are_told():
    found = certify(chain())
    said = verify(found, VoteLog.from_counts([("a", "b", 280, 121)]))
    assert any("fingerprints differ" in sentence for sentence in said)
    assert len(said) > 1


def test_the_same_votes_in_another_order_and_place_are_the_same():
    rows = [("a", "b", 280, 120), ("b", "c", 290, 110), ("a", "d", 60, 60, 80)]
    turned = [(b, a, lost, won, *rest) for a, b, won, lost, *rest in rows[::-1]]
    found = certify(VoteLog.from_counts(rows, source="here.csv"))
    assert verify(found, VoteLog.from_counts(turned, source="there.csv", guessed=("x",))) == []


def test_rounding_is_forgiven():
    log = chain()
    document = certify(log).to_dict()
    document["out"]["b"]["log_evidence"] *= 1 + 1e-12
    document["digest"] = digest_of(document)
    assert verify(document, log) == []
    document["out"]["b"]["log_evidence"] *= 1 + 1e-7
    document["digest"] = digest_of(document)
    (said,) = verify(document, log)
    assert said.startswith("out, 'b', 'log_evidence': ")


def test_a_certificate_survives_its_file(tmp_path):
    path = tmp_path / "certificate.json"
    _files.write_json(path, certify(rich_log(), epsilon=0.1).to_dict())
    assert verify(read_certificate(path), rich_log()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "not a certificate"),
        ('{"format": "antichain-poset"}', "is a poset file"),
        ('{"format": "antichain-certificate", "version": 6}', "version 6"),
        ("{", "not valid JSON"),
    ],
)
def test_what_is_no_certificate_is_refused(tmp_path, text, words):
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(FileError, match=words):
        read_certificate(path)


def test_every_option_of_reading_has_its_words():
    given = {
        "left": "l", "right": "r", "winner": "w", "loser": "x", "score": "s", "count": "n",
        "scores": ("p", "q"), "ranks": ("p", "q"), "voter": "v", "time": "t", "cluster": "c",
        "items": ("a", "b"), "decoys": " (decoy)", "named_decoys": {"a": "a'"}, "delimiter": ";",
        "encoding": "cp1252", "kind": "lines", "words": {"links": "left", "left": "right"},
        "answers": "sides", "meanings": Meanings("ignore", "ignore", "ignore"), "skip_bad": True,
        "ask": "k", "ordered": False, "unanswered": "ignore", "unit": "u", "wide": True,
        "higher": False, "margin": 0.5, "criterion": "about",
        "criteria": ("funny", "well drawn"),
        "attributes": Attributes({"price": "min"}, {"a": {"price": 1}, "b": {"price": 2}}),
        "score_range": (1, 2), "both_orders": ("q", "judge"), "ballots": ("1st", "2nd"),
        "fold": True,
    }  # fmt: skip
    known = {field.name for field in fields(ReadOptions)}
    assert set(given) == known - {"history", "item"}
    assert in_words(kept({"item": "i", "unit": "u"})) == [
        "Each 'u' compares every two items that it scored.",
        "Column 'i' holds the item.",
    ]
    alone = {name: in_words(kept({name: value})) for name, value in given.items()}
    sentences = [sentence for found in alone.values() for sentence in found]
    assert all(alone.values())
    assert len(set(sentences)) == len(sentences) == len(given) + 3
    assert alone["words"] == [
        "The word 'left' means right (by default: left).",
        "The word 'links' means left.",
    ]
    assert in_words(kept({"graded": {"grades": ["bad", "good"], "item": "i", "seed": 0}})) == [
        "Votes are drawn from the grades in bad, good, worst first, of the items in 'i', paired "
        "with seed 0."
    ]
    assert in_words(kept({})) == []
