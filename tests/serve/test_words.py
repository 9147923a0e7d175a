"""The words of the pages: the same in each language, and none missing or idle."""

from __future__ import annotations

import json
import re
from importlib.resources import files

PAGES = files("antichain.serve") / "pages"
EN, DE = (
    json.loads((PAGES / "words" / f"{language}.json").read_text(encoding="utf-8"))
    for language in ("en", "de")
)
# Views whose heading and text are found by the state that the server names.
STATES = ("waiting", "sending", "paused", "session", "finished", "closed")


def test_languages_have_the_same_words_with_the_same_blanks() -> None:
    blanks = {
        language: {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in words.items()}
        for language, words in (("en", EN), ("de", DE))
    }
    assert blanks["en"] == blanks["de"]


def test_the_voting_page_has_each_word_it_uses_and_uses_each_word() -> None:
    template = (PAGES / "vote.html").read_text(encoding="utf-8")
    scripts = "".join(
        (PAGES / "static" / name).read_text(encoding="utf-8") for name in ("vote.js", "cards.js")
    )
    used = set(re.findall(r"words\.(\w+)", template))
    used |= set(re.findall(r'\("(\w+)", "[^"]+", "\w+"\)', template))  # the answers, in a loop
    used -= {"left", "right"}
    for call in re.findall(r"say\(([^{}]*?)[,)]", scripts):
        used |= set(re.findall(r'"(\w+)"', call))
    used |= {word for state in STATES for word in (state, f"{state}_text")} | {"lost", "busy"}
    used.add("question")  # by the server, where a study has none of its own
    assert used == set(EN)


def test_no_page_has_script_or_style_of_its_own_or_of_others() -> None:
    for name in ("vote.html", "dashboard.html", "message.html"):
        page = (PAGES / name).read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|https?://(?!\")", page)
        assert re.findall(r"<script(?![^>]*\ssrc=\"\{\{ root \}\}/static/)", page) == []
    for script in (PAGES / "static").iterdir():
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
