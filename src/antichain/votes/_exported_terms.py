"""The terms of a study in its export: its δ, its ε, its items, and what it assumes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Any

from antichain._files import json_from
from antichain.errors import FileError, ParameterError
from antichain.sources._chunks import Chunk, Flaw, cut
from antichain.votes._attributes import Attributes
from antichain.votes._columns import Layout
from antichain.votes._read_options import ReadOptions, checked_items

_TEXTS = ("items", "assume", "criteria")  # lists of texts
_SHARES = {"delta": 1.0, "epsilon": 0.5, "epsilon_others": 0.5, "decoy_gap": 0.5}


def read_terms(
    label: str, chunks: Iterator[Chunk]
) -> tuple[Mapping[str, Any] | None, Iterator[Chunk]]:
    """The terms in the first row of a log, and all of its chunks, checked as they come.

    Raises:
        FileError: The terms cannot be read, or a later row has others.
    """
    first = next(chunks, None)
    if first is None:
        return None, iter(())
    text = first.text("terms", 0)
    where = f"{label}, {first.place(0)}"
    if isinstance(text, Flaw):
        raise FileError(f"{where} {text.of('terms')}")
    terms = _checked(where, text) if text else None
    return terms, _checked_chunks(label, chain([first], chunks), text)


def with_exported_criteria(
    options: ReadOptions, terms: Mapping[str, Any], layout: Layout
) -> ReadOptions:
    """The options with the criteria and attributes of a study, unless others are given."""
    found = {
        name: value
        for name, value in exported_criteria(terms).items()
        if getattr(options, name) is None
    }
    if layout.criterion is None:
        found.pop("criteria", None)
    return replace(options, **found)


def exported_criteria(terms: Mapping[str, Any]) -> dict[str, Any]:
    """The criteria and attributes of a study, as options."""
    found: dict[str, Any] = {}
    if terms.get("criteria"):
        found["criteria"] = tuple(terms["criteria"])
    if terms.get("attributes"):
        text = str(terms["attributes"])
        known: Any = json_from(text, f"the study's terms have the attributes {cut(text)}, which")
        try:
            found["attributes"] = Attributes(**known, source="the study")
        except (TypeError, AttributeError) as error:
            raise FileError(
                f"the study's terms have the attributes {cut(text)}, but what is better and the "
                "values of each item were expected"
            ) from error
    return found


def _checked_chunks(label: str, chunks: Iterable[Chunk], text: str) -> Iterator[Chunk]:
    for chunk in chunks:
        texts = chunk.new["terms"]
        if any(found not in ("", text) for found in texts):
            row = next(r for r in range(chunk.rows) if chunk.text("terms", r) not in ("", text))
            raise FileError(
                f"{label}, {chunk.place(row)} has the terms {cut(chunk.text('terms', row))}, but "
                "terms in the first row only were expected: one study's export at a time"
            )
        yield chunk


def _checked(where: str, text: str) -> Mapping[str, Any]:
    terms = json_from(text, f"{where} has the terms {cut(text)}, which")
    if not isinstance(terms, dict):
        raise FileError(f"{where} has the terms {cut(text)}, but a JSON object was expected")
    for name, value in terms.items():
        wanted = _wanted(name, value)
        if wanted is not None:
            raise FileError(
                f"{where} has terms with {name} {cut(value)}, but {wanted} was expected"
            )
    if "items" in terms:
        try:
            checked_items(f"{where} has terms whose list of items", terms["items"])
        except ParameterError as error:
            raise FileError(str(error)) from error
    return MappingProxyType(terms)


def _wanted(name: str, value: object) -> str | None:
    """What was expected of a term, or None if it is as expected."""
    if name in _SHARES:
        if value is None and name not in ("delta", "epsilon"):
            return None
        number = isinstance(value, int | float) and not isinstance(value, bool)
        good = number and 0 < value < _SHARES[name]  # type: ignore[operator]
        return None if good else f"a number above 0 and below {_SHARES[name]:g}"
    if name in _TEXTS:
        texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        return None if texts else "a list of texts"
    return None if _is_plain(value) else "a text, a finite number, true, false, null or a list"


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list):
        return all(not isinstance(entry, list) and _is_plain(entry) for entry in value)
    return value is None or isinstance(value, str | int)
