"""The directive `commands`: the help of the program and of each command, as it is printed."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any
from unittest import mock

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from antichain.cli import _app, main

TOPIC = ("help", "reading")
"""The options that several commands share."""


def command_names() -> Iterator[tuple[str, ...]]:
    """The words of each command, those of groups included, in the order of the help."""

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for name, inner in getattr(command, "commands", {}).items():
            yield (*path, name)
            yield from walk(inner, (*path, name))

    yield from walk(typer.main.get_command(_app.app), ())


def printed_by(*words: str) -> str:
    """What `antichain WORDS` prints on a terminal of 88 columns."""
    printed = io.StringIO()
    with mock.patch.dict("os.environ", COLUMNS="88"), contextlib.redirect_stdout(printed):
        code = main([*words])
    if code:
        raise RuntimeError(f"antichain {' '.join(words)} ended with {code}")
    return printed.getvalue().strip()


class Commands(SphinxDirective):
    """One section for each command."""

    def run(self) -> list[nodes.Node]:
        """Make a literal block of each command's help."""
        self.env.note_reread()  # the program may have changed since
        shown = [(words, (*words, "--help")) for words in command_names()]
        shown.append((TOPIC, TOPIC))
        made: list[nodes.Node] = [_literal(printed_by("--help"))]
        for words, call in shown:
            title = "antichain " + " ".join(words)
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title(text=title)
            section += _literal(printed_by(*call))
            made.append(section)
        return made


def _literal(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
