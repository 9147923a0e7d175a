"""The reference: the directive `names`, and links from the pages to what it describes.

`names` documents what a module exports from its docstrings. Its argument is the module; its content
is the names to list, or all of them if it is empty. Where a page says `ac.front` or
`antichain.theory.limit`, the name leads to its description; in the list of all names, so does each.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import typing
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

_CITED = re.compile(r"(?:ac|antichain)((?:\.\w+)+)")
_LIST = "reference/api"
_MODULE = re.compile(r"\b(?:\w+\.)+(?=[A-Za-z])")
_PAGE = re.compile(r"docs/([\w/-]+)\.md")
_ERRATUM = re.compile(r"docs/theory/errata\.md, (?:item )?(?=\w)|\berrata (?=\d)")
_ERRATA_CUT = re.compile(r"docs/theory/errata\.md,$")  # the number is on the next line
_MANY = 8  # a class made from more fields than this is made by the package, not by its users


class Names(SphinxDirective):
    """One autodoc entry for each public name of a module."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Let autodoc describe each name."""
        module = module_of(self.arguments[0])
        lines: list[str] = []
        for name in " ".join(self.content).split() or exported(module):
            thing, path = getattr(module, name), f"{self.arguments[0]}.{name}"
            kind = kind_of(thing)
            if kind == "type":
                meaning = _MODULE.sub("", str(thing)).replace("~", "")
                lines += [f".. py:type:: {path}", "", f"   Another name for ``{meaning}``.", ""]
            elif kind is not None:
                lines += [f".. auto{kind}:: {path}"]
                lines += ["   :members:", ""] if kind == "class" else [""]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def module_of(name: str) -> Any:
    """The module called `name`: a file, or one that the package hands out under another name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        package, _, last = name.rpartition(".")
        return getattr(importlib.import_module(package), last)


def exported(module: Any) -> list[str]:
    """The public names of a module, in order."""
    names = getattr(module, "__all__", None)
    return names or [
        name
        for name, thing in vars(module).items()
        if inspect.isclass(thing) and thing.__module__ == module.__name__
    ]


def kind_of(thing: object) -> str | None:
    """What autodoc calls it; None for modules, which have pages of their own."""
    if inspect.ismodule(thing):
        return None
    if typing.get_origin(thing) is not None:
        return "type"
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if inspect.isroutine(thing) else "data"


def escape(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Read a docstring as people do.

    The bars of |S|, the size of a set, are no markup, the name of a page is a link to it, and what
    Python says of every field of a named tuple is not worth saying.
    """
    lines[:] = ["`".join(_escaped(line.split("`"))) for line in lines]
    lines[:] = [_ERRATUM.sub(r":doc:`errata </theory/errata>` ", line) for line in lines]
    lines[:] = [_ERRATA_CUT.sub(r":doc:`errata </theory/errata>`", line) for line in lines]
    lines[:] = [_PAGE.sub(r":doc:`/\1`", line) for line in lines]
    lines[:] = [line for line in lines if not line.startswith("Alias for field number")]


def rejoin(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Put back what stood before a colon: napoleon takes it for the type of a property."""
    if what in {"attribute", "data", "property"}:
        types = [at for at, line in enumerate(lines) if line.startswith(":type: ")]
        for at in types:
            lines[0] = f"{lines.pop(at).removeprefix(':type: ')}: {lines[0]}"


def leave_out(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out a function of Python's own that is the default of a field."""
    return True if inspect.isbuiltin(thing) else None


def _escaped(parts: list[str]) -> list[str]:
    """The parts of a line between backquotes, with the bars outside of quotes escaped."""
    return [part if at % 2 else part.replace("|", r"\|") for at, part in enumerate(parts)]


def shorten(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """Leave out how an object is made that only the package makes: its fields are listed below.

    A protocol is not made at all.
    """
    if getattr(thing, "_is_protocol", False):
        return "", ""
    if what == "class" and dataclasses.is_dataclass(thing):
        needed = [f for f in dataclasses.fields(thing) if f.default is dataclasses.MISSING]
        if len(needed) > _MANY:
            return "", ""
    return None


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let names in the text lead to their description."""
    described = app.env.domains.python_domain.objects
    for name in list(doctree.findall(nodes.literal)):
        cited = _CITED.fullmatch(f"ac.{name.astext()}" if page == _LIST else name.astext())
        paths = [f"antichain{cited[1]}", f"antichain.errors{cited[1]}"] if cited else []
        found = next((described[path] for path in paths if path in described), None)
        if found and not isinstance(name.parent, nodes.reference):
            name.replace_self(
                make_refnode(app.builder, page, found.docname, found.node_id, name.deepcopy())
            )


def shorten_types(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Name a type without the module that it is in, which is often private."""
    for field in doctree.findall(nodes.field):
        for word in list(field.findall(nodes.emphasis)):
            if word.astext() == "TypeAliasForwardRef":  # then a bracket, the name and a bracket
                parent, at = word.parent, word.parent.index(word)
                name = parent[at + 2].astext().strip("'")
                parent[at : at + 4] = [nodes.emphasis("", f"{name} ")]
        for words in field.findall(nodes.emphasis):
            for text in list(words.findall(nodes.Text)):
                words.replace(text, nodes.Text(_MODULE.sub("", text)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the links."""
    app.add_directive("names", Names)
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", escape, priority=400)  # before napoleon reads it
    app.connect("autodoc-process-docstring", rejoin, priority=600)  # and after
    app.connect("doctree-resolved", link)
    app.connect("doctree-resolved", shorten_types)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    return {"parallel_read_safe": True}
