"""Foreign text made harmless, and our own text on streams that cannot have all of it."""

import json
import sys
import unicodedata

from antichain._text import (
    encodable,
    html_text,
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
