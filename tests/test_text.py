"""Foreign text made harmless, and our own text on streams that cannot have all of it."""

import json
import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from antichain._text import (
    encodable,
    html_text,
    labels,
    look_alikes,
    printable,
    printable_json,
    short,
    without_middle,
)

NEEDED = "\u200c\u200d\u200e\u200f\ufe0f"  # joiners, marks and variants of scripts and emoji


def test_whatever_acts_instead_of_being_seen_becomes_an_escape():
    assert printable("\x1b[31mred\x9b\r\n\t\x07\x7f") == r"\x1b[31mred\x9b\r\n\t\x07\x7f"
    assert printable("\u202eabc\u2066\u2028\ud800\u200b") == r"\u202eabc\u2066\u2028\ud800\u200b"


def test_no_control_character_and_no_surrogate_is_printable():
    for letter in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp"):
            assert printable(letter).isascii(), hex(ord(letter))
            assert json.loads(printable_json(json.dumps(letter, ensure_ascii=False))) == letter


def test_text_of_every_script_stays_as_it_is():
    for text in ("Ærø 茶 שלום", "👩\u200d👧 \u2764\ufe0f", NEEDED, r"C:\new", "[red]", "<b>$x$"):
        assert printable(text) == text
        assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text


def test_a_short_text_is_printable_and_short():
    assert short("tea", 3) == "tea"
    assert short("\x1b" * 9, 6) == r"\x1b\…"
    assert len(short("x" * 10_000, 22)) == 22


def test_html_has_neither_markup_nor_control_characters():
    assert html_text('<i title="\x1b">') == r"&lt;i title=&quot;\x1b&quot;&gt;"


def test_a_stream_that_lacks_a_letter_gets_it_spelt_out():
    text = "δ = 0.1 … “tea” — 茶 Ærø"
    assert encodable(text, "utf-8") == text
    assert encodable(text, "cp1252") == r"delta = 0.1 … “tea” — \u8336 Ærø"
    assert encodable(text, "ascii") == 'delta = 0.1 ... "tea" - \\u8336 \\xc6r\\xf8'


def test_names_that_differ_in_what_nobody_sees_look_alike() -> None:
    assert "'a\\u200b'" in (look_alikes(["a", "a\u200b"]) or "")
    assert look_alikes(["a", "b"]) is None


def test_a_long_text_keeps_its_two_ends() -> None:
    text = "the name " + "x" * 10_000 + " was not expected"
    cut = without_middle(text, 100)
    assert len(cut) <= 100
    assert cut.startswith("the name xxx")
    assert " … " in cut
    assert cut.endswith("xxx was not expected")
    assert without_middle("short", 100) == "short"


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=30, unique=True), st.integers(8, 40))
def test_no_two_labels_are_alike_and_none_is_too_long(texts, most):
    found = labels(texts, most)
    assert len(set(found)) == len(texts)
    assert max(map(len, found)) <= most


def test_labels_keep_what_tells_names_apart():
    texts = [f"org/model-{size}-{kind}-q4.gguf" for size in ("7b", "70b") for kind in ("it", "pt")]
    assert labels(texts, 12) == ["7b-it", "7b-pt", "70b-it", "70b-pt"]
    assert labels(texts, 40) == texts  # short enough as they are
    assert labels(["model 101", "model 102 with a long tail"], 12) == ["101", "102 with…ail"]
    assert labels(["same", "same"], 12) == ["same…1", "same…2"]
