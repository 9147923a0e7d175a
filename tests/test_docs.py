"""The pages that map the paper to the code, held against the tree: a page that lies fails."""

import re
from itertools import chain, count
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests.doc_pages import PAGES, ROOT, name_of

QUOTED = re.compile(r"`([^`\n]+)`")
# `antichain.votes._bulk:total` is a name in a module, and `ac.front` one that users import.
NAME = re.compile(r"antichain(\.\w+)*(:\w+(\.\w+)*)?|ac(\.\w+)+")
FILE = re.compile(r"(?:src|tests|docs|examples|benchmarks|tools)/[\w/.-]+(?:::\w+)?")
SAVED = re.compile(r"[Ss]ave this as\s`(\w+\.py)`")  # files of the reader's own
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)#:]+))?\)")  # to a file, a heading, or both
TITLE = re.compile(r"^#+ +(.+?)(?: +#+)?$", re.MULTILINE)
EXPLICIT = re.compile(r"^\(([\w-]+)\)=$|<a (?:id|name)=\"([^\"]+)\"", re.MULTILINE)
MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[`*]")  # links have their text, and marks nothing
HEADING = re.compile(r"^### (\w+)\. ", re.MULTILINE)
CITATION = re.compile(r"errat(?:a|um)(?:\.md)?,? (?:item )?(\d+b?|[A-Z])\b")


def quoted(pattern: re.Pattern[str]) -> list[str]:
    """What the pages quote in full agreement with `pattern`, each once."""
    found = (quote for page in PAGES for quote in QUOTED.findall(page.read_text("utf-8")))
    return sorted({quote for quote in found if pattern.fullmatch(quote)})


@pytest.mark.parametrize("name", quoted(NAME))
def test_every_name_cited_can_be_imported(name):
    resolve_name(re.sub(r"^ac\b", "antichain", name))


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
    for path, anchor in LINK.findall(prose(page)):
        target = page.parent / path if path else page
        assert target.exists(), f"{name_of(page)} links to {path}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)} links to {path}#{anchor}"


def prose(page: Path) -> str:
    """The text of a page outside its fenced blocks."""
    parts = re.split(r"^(?:```|~~~).*$", page.read_text("utf-8"), flags=re.MULTILINE)
    return "\n".join(parts[::2])


def anchors(page: Path) -> set[str]:
    """Where links into a page can lead: its headings, as GitHub and MyST name them, and targets."""
    found: set[str] = set()
    for title in TITLE.findall(prose(page)):
        first = slug(title)
        again = (f"{first}-{n}" for n in count(1))
        found.add(next(name for name in chain([first], again) if name not in found))
    return found | {one or other for one, other in EXPLICIT.findall(prose(page))}


def slug(title: str) -> str:
    """What a heading is called in an address."""
    text = MARKUP.sub(r"\1", title).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Verifying somebody else's certificate", "verifying-somebody-elses-certificate"),
        ("Three things called an ε-front", "three-things-called-an-ε-front"),
        ("*Out*: [one](x.md) `a_b`", "out-one-a_b"),
    ],
)
def test_headings_are_named_as_on_github(title, name):
    assert slug(title) == name


def test_headings_of_one_name_are_numbered(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n## A\n(there)=\n### B\n```sh\n# no heading\n```\n## A\n")
    assert anchors(page) == {"a", "a-1", "a-2", "b", "there"}


def test_every_quote_that_looks_like_code_is_checked():
    # A misspelt prefix would otherwise slip past the patterns above.
    looks = re.compile(r"antichain[.:].*|ac\.[\w.]*|.*\.py(?:::.*)?")
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
