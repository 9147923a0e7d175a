"""The directive `commands`: the help of the program and of each command, set as text.

The program writes its help as it always does; what takes it down makes a page of it instead of the
columns of a terminal, so that it can be read at any width.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any
from unittest import mock

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from antichain.cli import _app, main

TOPIC = ("help", "reading")
"""The options that several commands share."""

_AS_IT_IS = "\b"
_OPTION = re.compile(
    r"(\bantichain help reading\b|(?<![\w-])--?[a-z](?:[\w-]*\w)?(?: (?:[A-Z]+|strict)\b)?"
    r"|(?<!\w)'[^']+'(?!\w))"
)
_COLUMNS = re.compile(r"\S {2,}\S")
_HELP = "-h, --help"
_CONTEXT = typer.main.get_command(_app.app).context_class  # type: ignore[attr-defined]


class Page(_CONTEXT.formatter_class):  # type: ignore[misc]
    """Takes down a page of help."""

    latest: Page
    told_of_help = False
    of: tuple[str, ...] = ()
    """The words of the command whose help it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Begin the page that was asked for last."""
        super().__init__(*args, **kwargs)
        self.nodes: list[nodes.Node] = []
        Page.latest = self

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Take down how the command is called."""
        text = f"{prog} {args}".rstrip()
        self.nodes.append(nodes.literal_block(text, text, language="text", classes=["wraps"]))

    def write_text(self, text: str) -> None:
        """Take down paragraphs, and lines that are to stay as they are."""
        for part in text.split("\n\n"):
            if part.startswith(_AS_IT_IS):
                lines = part.removeprefix(_AS_IT_IS).strip("\n")
                wraps = [] if _COLUMNS.search(lines) else ["wraps"]
                self.nodes.append(nodes.literal_block(lines, lines, language="text", classes=wraps))
            elif part:
                self.nodes.append(_paragraph(part))

    def write_dl(self, rows: Iterable[tuple[str, str]], *widths: int) -> None:
        """Take down options, arguments or commands and what they mean."""
        listed = nodes.definition_list()
        for term, meaning in rows:
            if term.strip() == _HELP and Page.told_of_help:
                continue
            Page.told_of_help = Page.told_of_help or term.strip() == _HELP
            name = nodes.literal(text=term.strip())
            listed += nodes.definition_list_item(
                "",
                nodes.term("", "", _leading(name, self.of)),
                nodes.definition("", _paragraph(meaning)),
            )
        if len(listed):
            self.nodes.append(listed)

    @contextlib.contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Put a heading above what follows, if anything does."""
        before = len(self.nodes)
        yield
        if len(self.nodes) > before:
            self.nodes.insert(before, nodes.rubric(text=name))


def command_names() -> Iterator[tuple[str, ...]]:
    """The words of each command, those of groups included, in the order of the help."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for name, inner in getattr(command, "commands", {}).items():
            yield (*path, name)
            yield from walk(inner, (*path, name))

    yield from walk(typer.main.get_command(_app.app), ())


def _paragraph(text: str) -> nodes.paragraph:
    """A paragraph with its options set as code."""
    parts = _OPTION.split(" ".join(text.split()))
    made = [
        _leading(nodes.literal(text=part)) if at % 2 else nodes.Text(part)
        for at, part in enumerate(parts)
    ]
    return nodes.paragraph("", "", *made)


def _leading(name: nodes.literal, group: tuple[str, ...] = ()) -> nodes.Node:
    """The name of a command, one of a group's first, leading to its section; others as they are."""
    words = tuple(name.astext().removeprefix("antichain ").split())
    for named in ((*group, *words), words):
        if named == TOPIC or named in command_names():
            return nodes.reference("", "", name, refid=_id_of(named), internal=True)
    return name


def _id_of(words: tuple[str, ...]) -> str:
    return nodes.make_id("antichain " + " ".join(words))


def taken_down(*words: str) -> list[nodes.Node]:
    """What `antichain WORDS` says."""
    Page.of = words[:-1]
    with (
        mock.patch.object(_CONTEXT, "formatter_class", Page),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        code = main([*words])
    if code:
        raise RuntimeError(f"antichain {' '.join(words)} ended with {code}")
    return Page.latest.nodes


class Commands(SphinxDirective):
    """One section for each command."""

    def run(self) -> list[nodes.Node]:
        """Make a section of each command's help."""
        self.env.note_reread()  # the program may have changed since
        made = taken_down("--help")
        shown = [(words, (*words, "--help")) for words in command_names()]
        for words, call in [*shown, (TOPIC, TOPIC)]:
            title = "antichain " + " ".join(words)
            section = nodes.section(ids=[_id_of(words)], names=[title])
            section += [nodes.title(text=title), *taken_down(*call)]
            made.append(section)
        return made


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
