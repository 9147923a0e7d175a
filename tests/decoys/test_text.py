"""Worse texts: what is taken away, in what order, and that chance is in the seed only."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.decoys import maker_of
from antichain.decoys._texts import drop_sentences, sentences, shuffle_sentences, truncate
from antichain.errors import InputError

TEXT = "One is here. Two (really!) follows. Is three next? Four ends it…  Five. Six. Seven."
strengths = st.floats(0, 1)
texts = st.lists(st.sampled_from(["Ab cd.", "Ef!", "Gh ij kl?", "no end", "“Mn.”", "3.5 m."])).map(
    "\n ".join
)


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _numbered(count: int) -> str:
    return " ".join(f"S{place}." for place in range(count))


def _places(text: str) -> list[int]:
    return [int(word.strip("S.")) for word in text.split()]


def test_sentences_end_where_a_reader_would_say() -> None:
    assert [part.strip() for part in sentences(TEXT)] == [
        "One is here.",
        "Two (really!) follows.",
        "Is three next?",
        "Four ends it…",
        "Five.",
        "Six.",
        "Seven.",
    ]
    assert sentences("a 3.5 mm jack, e.g. this") == ["a 3.5 mm jack, e.g. this"]


@pytest.mark.parametrize(
    "text", ["." * 200_000 + "a", "a." * 100_000, "a\n" * 100_000, "a." + " " * 200_000]
)
def test_odd_texts_take_no_longer_than_their_length(text: str) -> None:
    started = time.perf_counter()
    assert "".join(sentences(text)) == text
    assert time.perf_counter() - started < 2


@given(texts, st.sampled_from(["", " ", "\n"]))
def test_sentences_lose_nothing(text: str, start: str) -> None:
    assert "".join(sentences(start + text)) == (start + text if text else "")


@given(st.integers(1, 40), strengths, strengths, st.integers(0, 50))
def test_what_a_small_strength_drops_a_greater_one_drops(count, first, second, seed) -> None:
    weak, strong = sorted((first, second))
    text = _numbered(count)
    kept_weak = _places(drop_sentences(text, weak, _rng(seed)))
    kept_strong = _places(drop_sentences(text, strong, _rng(seed)))
    assert kept_strong == sorted(kept_strong)  # nothing changes places
    assert set(kept_strong) <= set(kept_weak)
    assert len(kept_weak) == max(1, count - round(weak * count))


@given(st.integers(1, 25), strengths, strengths, st.integers(0, 50))
def test_what_a_small_strength_turns_round_a_greater_one_does(count, first, second, seed) -> None:
    weak, strong = sorted((first, second))

    def inversions(strength: float) -> set[tuple[int, int]]:
        order = _places(shuffle_sentences(_numbered(count), strength, _rng(seed)))
        assert sorted(order) == list(range(count))
        return {(b, a) for i, a in enumerate(order) for b in order[i:] if b < a}

    assert inversions(weak) <= inversions(strong)


def test_at_full_strength_sentences_are_well_mixed() -> None:
    order = _places(shuffle_sentences(_numbered(200), 1, _rng(3)))
    inversions = sum(b < a for i, a in enumerate(order) for b in order[i:])
    assert 0.15 < inversions / (200 * 199 / 2) < 0.5


@given(texts.filter(str.strip), strengths, strengths)
def test_truncation_keeps_a_beginning(text: str, first: float, second: float) -> None:
    weak, strong = sorted((first, second))
    long, short = truncate(text, weak, _rng()), truncate(text, strong, _rng())
    assert text.startswith(long)
    assert long.startswith(short)
    words = len(text.split())
    assert len(short.split()) >= 1
    assert abs(len(long.split()) - (1 - weak) * words) <= 1


def test_by_hand() -> None:
    assert truncate("a b c d", 0.5, _rng()) == "a b"
    assert drop_sentences("A. B. C. D.", 0, _rng()) == "A. B. C. D."
    assert len(drop_sentences("A. B. C. D.", 0.5, _rng()).split()) == 2


@pytest.mark.parametrize("how", ["drop", "shuffle", "truncate"])
def test_the_same_seed_gives_the_same_text(how: str) -> None:
    maker = maker_of("text", how)
    long = _numbered(30).encode()
    once = maker.degrade(long, 0.5, seed=4)
    assert once == maker.degrade(long, 0.5, seed=4) != long
    if how != "truncate":
        assert once != maker.degrade(long, 0.5, seed=5)
    assert maker.degrade(long, 0) == long


@pytest.mark.parametrize(("content", "words"), [(b"\xff\xfe", "not UTF-8"), (b" \n", "no words")])
def test_what_is_no_text_is_refused(content: bytes, words: str) -> None:
    for strength in (0, 0.5):
        with pytest.raises(InputError, match=words):
            maker_of("text", "drop").degrade(content, strength)


LAID_OUT = "One a. Two b.\n\nThree c. Four d.\n\nFive e. Six f.\n"


@pytest.mark.parametrize("seed", range(8))
def test_paragraphs_stay_where_they_are(seed: int) -> None:
    moved = shuffle_sentences(LAID_OUT, 1.0, _rng(seed))
    assert [len(part.split(". ")) for part in moved.split("\n\n")] == [2, 2, 2]
    assert moved.endswith(".\n")
    for strength in (0.2, 0.5, 0.8):
        left = drop_sentences(LAID_OUT, strength, _rng(seed))
        of = {name: k // 2 for k, name in enumerate(["One", "Two", "Three", "Four", "Five", "Six"])}
        kept = [{of[part.split()[0]] for part in sentences(some)} for some in left.split("\n\n")]
        assert all(len(places) == 1 for places in kept), left
        assert left.endswith(".\n")
    assert truncate(LAID_OUT, 0.5, _rng(seed)).endswith("\n")
