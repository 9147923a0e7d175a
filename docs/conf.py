"""How Sphinx builds the site from these pages: `make docs` runs it."""

import re
import sys
from collections.abc import Iterable, Iterator
from html import escape
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import inherit
from pygments.lexers.shell import BashLexer
from pygments.lexers.special import TextLexer
from pygments.token import Name, Number, Text
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.util.osutil import relative_uri

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "antichain"
author = "The antichain developers"
copyright = "the antichain developers, BSD-3-Clause"  # noqa: A001
release = installed("antichain")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_nb",
    "sphinx_copybutton",
    "commands",
    "indices",
    "names",
]
exclude_patterns = ["_build", "_ext"]

# Pages are Markdown that also reads well where it is shown as it stands. Every heading can be
# linked to, and a link to a page or heading that does not exist is an error.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["myst.header"]  # pages that include others begin at their level
highlight_language = "text"

# Every notebook is run when the site is built, and one that fails fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 180
nb_merge_streams = True

# Docstrings are in the Google style, with Markdown's single backquotes for code.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
napoleon_custom_sections = [
    "Guarantee",
    "Departures from the paper",
    "Departures from the original",
    "What breaks without it",
    "What it costs",
]
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# Nothing is fetched from elsewhere when a page is read: the theme's files are copied into the site.
html_theme = "furo"
html_title = f"antichain {release}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["antichain.css"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = "$ "

# Pictures that a narrow page does not shrink, because their letters would be too small to read.
SMALL_LETTERS = {
    *("criteria", "criteria-three", "duels", "evidence", "forecast", "likely"),
    *("report", "report-dark", "dashboard", "dashboard-dark", "voting"),
    *("hasse-20", "hasse-50", "hasse-150", "hasse-500"),
}
PROSE = 40  # characters of a cell that holds a sentence and not a number or a name
LONG_WORD = 16  # characters of a word that does not fit into a narrow column
LONG = 25  # a name of more characters may take more than one line, and other code none
TOGETHER = re.compile(r"(?<=\d) (?:±|in|of) (?=\d)|(?<=>) (?=\d)")
RANGE = re.compile(r"(?<=\d)–(?=\d)")
FORMULA = re.compile(r" [+−∖·∥≻≼≽] |(?<=[δεΔ₀]) [=≤] (?=[\d½])")
COLUMNS = re.compile(r"\S   +\S")
OPTION = re.compile(r"(?<=\s)--?\w[\w-]*(?: [\w/+][\w.,:=/-]{,24}(?!\S))?")
SLASH = re.compile(r"(?<=\S)/(?=[\dα-ωΑ-Ω√½(])")
BREAK = re.compile(r"(?<=[/:])(?=[^/:])|(?<=[A-Za-z0-9]_)|(?<=\w)(?=\.(?!(?:json|py|toml)))")


class Lines(HtmlFormatter):
    """Code in which each line is an element, so that the rest of a long one can be indented."""

    def wrap(self, source: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """The lines, each in its element, and what stands around them."""
        return super().wrap((code, f'<span class="line">{line}</span>') for code, line in source)


class Commands(BashLexer):
    """Commands for a shell, where an option and its value are one token, and numbers are none."""

    tokens = {"data": [(OPTION.pattern, Name.Attribute), inherit]}  # noqa: RUF012

    def get_tokens_unprocessed(
        self, text: str, **options: object
    ) -> Iterator[tuple[int, Any, str]]:
        """The parts of the text, each with its kind."""
        for at, kind, value in super().get_tokens_unprocessed(text, **options):
            yield at, Text if kind in Number else kind, value


def name_files(app: Sphinx, *pages: str | Path | list[str]) -> None:
    """Show the name of a file above a block that is its content, in a page and what it includes."""
    content: Any = pages[-1]
    content[0] = re.sub(
        r"^```(\w+) (\S+)$", r"```{code-block} \1\n:caption: \2\n", content[0], flags=re.MULTILINE
    )


def break_long_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let long names take several lines; those in tables leave room for the other columns."""
    for name in list(doctree.findall(nodes.literal)):
        text = name.astext()
        if len(text) <= LONG:
            name["classes"].append("short")
        if max(map(len, text.split()), default=0) > LONG:
            name["classes"].append("long")
            if " " not in text:
                cell: Any = name
                while cell is not None and not isinstance(cell, nodes.entry):
                    cell = cell.parent
                if cell is not None:
                    cell["classes"].append("long")
                parts = BREAK.split(text)
                breaks = [nodes.raw("", "<wbr>", format="html") for _ in parts]
                pairs = zip(breaks, map(nodes.Text, parts), strict=True)
                name[:] = [node for pair in pairs for node in pair][1:]


def give_sentences_room(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Mark the cells of tables that hold sentences or long words: a phone does not squeeze them."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) > PROSE and not list(cell.findall(nodes.image)):
            cell["classes"].append("prose")
        words = [word for text in cell.findall(nodes.Text) for word in text.split()]
        if not list(cell.findall(nodes.literal)) and max(map(len, words), default=0) > LONG_WORD:
            cell["classes"].append("wordy")


def link_pictures(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Lead from each picture to the file itself: pages show most of them smaller than they are."""
    for picture in list(doctree.findall(nodes.image)):
        known = app.env.images.get(picture["uri"])
        if known and not isinstance(picture.parent, nodes.reference):
            link = nodes.reference(
                refuri=relative_uri(app.builder.get_target_uri(page), f"_images/{known[1]}"),
                classes=["picture"],
                internal=True,
            )
            name = Path(picture["uri"])
            if name.suffix == ".svg" or name.stem in SMALL_LETTERS or page == "tutorials/notebook":
                link["classes"].append("scrolls")
            picture.replace_self(link)
            link += picture


def keep_numbers_together(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Break no line of a table within "0.59 ± 0.06" or "3 in 1,000"."""
    for cell in doctree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)):
            kept = TOGETHER.sub(
                lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text.astext()
            )
            kept = RANGE.sub("\N{WORD JOINER}–\N{WORD JOINER}", kept)
            if kept != text.astext():
                text.parent.replace(text, nodes.Text(kept))


def keep_formulas_together(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Break a formula before = or ≤ or after a comma, not within a sum, nor within "δ = 0.05"."""
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.literal | nodes.literal_block):
            said = text.astext()
            kept = SLASH.sub("/\N{WORD JOINER}", said) if page.startswith("theory/") else said
            kept = FORMULA.sub(lambda sign: sign[0].replace(" ", "\N{NO-BREAK SPACE}"), kept)
            if kept != said:
                text.parent.replace(text, nodes.Text(kept))


def wrap_sentences(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Show what a command prints line by line: sentences may take more lines, and rows may not."""
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "console":
            lines = []
            for line in block.astext().splitlines():
                shown = escape(line)
                if line.startswith("$ "):
                    kind = "asked"
                    shown = OPTION.sub(r'<span class="na">\g<0></span>', shown)
                else:
                    kind = "row" if line[:1] in "│┃ " or COLUMNS.search(line) else "said"
                lines.append(f'<span class="line {kind}">{shown}\n</span>')
            text = f"<pre>{''.join(lines)}</pre>"
            html = f'<div class="highlight-console"><div class="highlight">{text}</div></div>'
            block.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> None:
    """Show CSV, which has no colours, as plain text, the names of files, and links of pictures."""
    PygmentsBridge.html_formatter = Lines
    app.add_lexer("csv", TextLexer)
    app.add_lexer("sh", Commands)
    app.connect("source-read", name_files)
    app.connect("include-read", name_files)
    app.connect("doctree-resolved", break_long_names)
    app.connect("doctree-resolved", give_sentences_room)
    app.connect("doctree-resolved", link_pictures)
    app.connect("doctree-resolved", keep_numbers_together)
    app.connect("doctree-resolved", keep_formulas_together)
    app.connect("doctree-resolved", wrap_sentences)
