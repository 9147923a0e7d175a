"""The reference: the directive `names`, and links from the pages to what it describes.

`names` documents what a module exports from its docstrings. Its argument is the module; its content
is the names to list, or all of them if it is empty. Where a page says `ac.front`,
`antichain.theory:limit` or, in the reference, `Result.certified`, the name leads to its
description; where one says "erratum 12", the words lead to that section.
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
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

_CITED = re.compile(r"(?:ac|antichain)((?:[.:]\w+)+)")
_LIST = "reference/api"
_PLAIN = re.compile(r"[A-Z]\w+(\.\w+)?|[a-z]+_\w+")  # what may be a name without its module
_MODULE = re.compile(r"\b(?:\w+\.)+(?=[A-Za-z])")
_PAGE = re.compile(r"docs/([\w/-]+)\.md")
_ERRATUM = re.compile(r"docs/theory/errata\.md, (?:item )?(?=\w)")
_ERRATA_CITED = re.compile(_ERRATUM.pattern + r"(?=\w+(?:, | and | to |–)\d)")
_ERRATA = "theory/errata"
_NUMBERED = re.compile(r"\berrat(?:a|um) (\d+b?|[A-C])\b(?:(?:, | and | to |–)(?:\d+b?|[A-C])\b)*")
_NUMBER = re.compile(r"\berrat(?:a|um) (\d+b?|[A-C])\b|\b(\d+b?|[A-C])\b")
_MANY = 8  # a class made from more fields than this is made by the package, not by its users
_LISTED = 12  # the fields of a class with more than this are easier to read in their list
_MADE_OTHERWISE = {"antichain.Study"}  # by `Study.open`, say
_DEFAULTS = (  # what Python says of a default, and what people would write
    (re.compile(r"Rules\([^()]*'intervals'[^()]*\)"), "Rules.paper()"),
    (re.compile(r"Rules\([^()]+\)"), "Rules()"),
    (re.compile(r"<[^<>]+>"), "…"),
)


class Names(SphinxDirective):
    """One autodoc entry for each public name of a module."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Let autodoc describe each name."""
        module = module_of(self.arguments[0])
        names = " ".join(self.content).split() or exported(module)
        links = [f":py:obj:`{name} <{self.arguments[0]}.{name}>`" for name in names]
        lines = ["\N{NO-BREAK SPACE}· ".join(links), ""] if len(names) > _MANY else []
        for name in names:
            thing, path = getattr(module, name), f"{self.arguments[0]}.{name}"
            kind = kind_of(thing)
            if kind == "type":
                meaning = _MODULE.sub("", str(thing)).replace("~", "")
                lines += [f".. py:type:: {path}", "", f"   Another name for ``{meaning}``.", ""]
            elif kind is not None:
                lines += [f".. auto{kind}:: {path}"]
                lines += [f"   :{_SHOWN[kind]}:"] if kind in _SHOWN else []
                if "\nAttributes:\n" in (inspect.getdoc(thing) or ""):  # it lists the fields
                    lines += [f"   :exclude-members: {', '.join(getattr(thing, '_fields', ()))}"]
                lines += [""]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


_SHOWN = {"class": "members", "exception": "show-inheritance"}


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
    lines[:] = [_ERRATUM.sub("erratum ", _ERRATA_CITED.sub("errata ", line)) for line in lines]
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
    """Leave out how an object is made that only the package makes, or whose fields are many.

    They are listed below. A protocol is not made at all. Defaults are written as people do.
    """
    if getattr(thing, "_is_protocol", False) or name in _MADE_OTHERWISE:
        return "", ""
    if what == "class" and dataclasses.is_dataclass(thing):
        fields = dataclasses.fields(thing)
        needed = [field for field in fields if field.default is dataclasses.MISSING]
        if len(needed) > _MANY or len(fields) > _LISTED:
            return "", ""
    if not signature:
        return None
    for said, written in _DEFAULTS:
        signature = said.sub(written, signature)
    return signature, returned


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let names in the text lead to their description."""
    described = app.env.domains.python_domain.objects
    for name in list(doctree.findall(nodes.literal)):
        text = name.astext()
        plain = page == _LIST or (page.startswith("reference/") and _PLAIN.fullmatch(text))
        cited = _CITED.fullmatch(f"ac.{text}" if plain else text)
        dotted = cited[1].replace(":", ".") if cited else ""
        paths = [f"antichain{dotted}", f"antichain.errors{dotted}"] if cited else []
        found = next((described[path] for path in paths if path in described), None)
        if found and not isinstance(name.parent, nodes.reference):
            name.replace_self(
                make_refnode(app.builder, page, found.docname, found.node_id, name.deepcopy())
            )


def link_errata(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let "erratum 12" lead to that section, and so each number of "errata 2, 3"."""
    sections = app.env.get_doctree(_ERRATA).findall(nodes.section)
    ids = {section.next_node(nodes.title).astext().partition(".")[0]: section["ids"][0]
           for section in sections}  # fmt: skip
    for text in list(doctree.findall(nodes.Text)):
        said = text.astext()
        if not _NUMBERED.search(said) or isinstance(text.parent, nodes.reference | nodes.literal):
            continue
        parts: list[nodes.Node] = []
        at = 0
        for phrase in _NUMBERED.finditer(said):
            for found in _NUMBER.finditer(phrase[0]):
                start = phrase.start() + found.start()
                target = ids.get(found[1] or found[2])
                if target is None:
                    raise ExtensionError(f"{page}: there is no section of {phrase[0]!r}")
                words = nodes.Text(found[0])
                link = make_refnode(app.builder, page, _ERRATA, target, words)
                parts += [nodes.Text(said[at:start]), link]
                at = start + len(found[0])
        text.parent.replace(text, [*parts, nodes.Text(said[at:])])


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
    app.connect("doctree-resolved", link_errata)
    app.connect("doctree-resolved", shorten_types)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    return {"parallel_read_safe": True}
