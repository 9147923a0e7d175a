"""Indices and powers in running text: γ_ji, ε_{N−1} and α^{n−1} are shown below and above the line.

Pages and docstrings are written so that they also read well as plain text. Code stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_PART = r"\{[^{}]*\}|"
_INDEX = re.compile(
    r"(?<![A-Za-z0-9_])(?P<base>(?:[A-Za-zΑ-Ωα-ω]|max|mean|min|width)ᶜ?)"
    rf"_(?P<sub>{_PART}[A-Za-zδε₁]{{1,3}}|\d)(?![A-Za-z0-9_])"
    rf"|(?<=[A-Za-zα-ω)}}′2])\^(?P<sup>{_PART}\([^()]*\)|[−-]?[\d.]*\d|[A-Za-z])(?![A-Za-z0-9])"
)
_CODE = (nodes.literal, nodes.literal_block, nodes.FixedTextElement, nodes.Invisible, nodes.raw)


def lower_and_raise(app: Sphinx, doctree: nodes.document) -> None:
    """Replace each index and power of a page by a node of its own."""
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        if parent is not None and _INDEX.search(text) and not _is_code(parent):
            parent.replace(text, _parts(str(text)))


def _is_code(node: Any) -> bool:
    """Whether the node is in code, or not shown."""
    while node is not None:
        if isinstance(node, _CODE) or node.tagname.startswith("desc_sig"):
            return True
        node = node.parent
    return False


def _parts(text: str) -> list[nodes.Node]:
    """The text, cut into what is on the line, below and above."""
    found: list[nodes.Node] = []
    done = 0
    for match in _INDEX.finditer(text):
        low, high = match["sub"], match["sup"]
        found.append(nodes.Text(text[done : match.start()] + (match["base"] or "")))
        kind = nodes.superscript if low is None else nodes.subscript
        part = low or high
        found.append(kind("", part[1:-1] if part[0] in "{(" else part))
        done = match.end()
    return [*found, nodes.Text(text[done:])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Do it before the table of contents is made."""
    app.connect("doctree-read", lower_and_raise, priority=400)
    return {"parallel_read_safe": True}
