"""The pages that map the paper to the code, held against the tree: a page that lies fails."""

import importlib
import re
from functools import reduce

import pytest

from tests.doc_pages import PAGES, ROOT, name_of

QUOTED = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"antichain(\.\w+)*(:\w+(\.\w+)*)?")
FILE = re.compile(r"(?:src|tests|docs|examples|benchmarks|tools)/[\w/.-]+(?:::\w+)?")
SAVED = re.compile(r"[Ss]ave this as\s`(\w+\.py)`")  # files of the reader's own
LINK = re.compile(r"\]\(([^)#:]+)\)")
HEADING = re.compile(r"^### (\w+)\. ", re.MULTILINE)
CITATION = re.compile(r"errata(?:\.md)?,? (?:item )?(\d+b?|[A-Z])\b")


def quoted(pattern: re.Pattern[str]) -> list[str]:
    """What the pages quote in full agreement with `pattern`, each once."""
    found = (quote for page in PAGES for quote in QUOTED.findall(page.read_text("utf-8")))
    return sorted({quote for quote in found if pattern.fullmatch(quote)})


@pytest.mark.parametrize("name", quoted(NAME))
def test_every_name_cited_can_be_imported(name):
    module, _, path = name.partition(":")
    reduce(getattr, path.split(".") if path else [], importlib.import_module(module))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent.name in ("guides", "tutorials")], ids=name_of
)
def test_guides_name_nothing_private(page):
    names = (name for name in QUOTED.findall(page.read_text("utf-8")) if NAME.fullmatch(name))
    assert [name for name in names if re.search(r"[.:]_", name)] == []


@pytest.mark.parametrize("cited", quoted(FILE))
def test_every_file_and_test_cited_exists(cited):
    path, _, function = cited.partition("::")
    assert (ROOT / path).exists(), f"{path} is cited but does not exist"
    if function:
        source = (ROOT / path).read_text("utf-8")
        found = re.search(rf"^ *(def|class) {function}\b", source, re.MULTILINE)
        assert found, f"{path} has no {function}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


def test_every_quote_that_looks_like_code_is_checked():
    # A misspelt prefix would otherwise slip past the patterns above.
    looks = re.compile(r"antichain[.:].*|.*\.py(?:::.*)?")
    readers = {name for page in PAGES for name in SAVED.findall(page.read_text("utf-8"))}
    found = set(quoted(looks)) - readers
    assert [q for q in sorted(found) if not (NAME.fullmatch(q) or FILE.fullmatch(q))] == []


def test_every_erratum_cited_has_its_item():
    items = set(HEADING.findall((ROOT / "docs" / "theory" / "errata.md").read_text("utf-8")))
    assert {str(number) for number in range(1, 20)} <= items
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    cited = {
        (number, path.name)
        for path in sources
        for number in CITATION.findall(path.read_text("utf-8"))
    }
    assert [(number, name) for number, name in sorted(cited) if number not in items] == []
