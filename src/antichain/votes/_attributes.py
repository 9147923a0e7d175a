"""What is known of each item without votes: its price, its size, its speed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from antichain._checks import entries
from antichain._option_names import option
from antichain.errors import InputError, ParameterError

DIRECTIONS = ("min", "max")


@dataclass(frozen=True)
class Attributes:
    """Numbers that are known of each item.

    Attributes:
        directions: For each attribute, "min" if less is better, or "max" if more is.
        values: For each item, its value of each attribute.
        source: Where they come from.
    """

    directions: Mapping[str, str]
    values: Mapping[str, Mapping[str, float]]
    source: str = "the table of attributes"

    def __post_init__(self) -> None:
        if not isinstance(self.directions, Mapping) or not self.directions:
            raise ParameterError(
                f"the attributes that count are {self.directions!r}, but at least one attribute "
                "with min or max was expected, as in {'price': 'min'}"
            )
        for name, way in self.directions.items():
            if way not in DIRECTIONS:
                raise ParameterError(
                    f"the direction of the attribute {name!r} is {way!r}, but min or max was "
                    "expected"
                )
        for item, row in self.values.items():
            for name in self.directions:
                if not _is_number(row.get(name)):
                    raise InputError(
                        f"{self.source} has the {name} {row.get(name)!r} for {item!r}, but a "
                        "number was expected"
                    )

    def of(self, items: Iterable[str], log: str) -> tuple[Attributes, tuple[str, ...]]:
        """The attributes of these items of a log, and a note on others; each must have some."""
        wanted = tuple(items)
        missing = [item for item in wanted if item not in self.values]
        if missing:
            others = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
            raise InputError(
                f"{self.source} has no row for {missing[0]!r}{others}, an item of {log}, but the "
                "attributes of every item were expected (add a row, or leave the item out with "
                "--items)"
            )
        # Only what counts, so that other columns of the table do not enter the fingerprint.
        kept = {
            item: {name: float(self.values[item][name]) for name in self.directions}
            for item in wanted
        }
        more = len(self.values) - len(kept)
        note = f"left out items of {self.source} without any vote: {more:,} ({option('items')} "
        notes = (f"{note}names all that count)",) if more else ()
        return Attributes(dict(self.directions), kept, self.source), notes


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def parsed_directions(given: Mapping[str, str] | str | Iterable[str]) -> dict[str, str]:
    """The direction of each attribute, from a mapping or from texts such as "price:min".

    >>> parsed_directions(["price:min", "speed:max"])
    {'price': 'min', 'speed': 'max'}
    """
    if isinstance(given, Mapping):
        return dict(given)
    found: dict[str, str] = {}
    for text in [given] if isinstance(given, str) else entries("directions", given, "texts"):
        name, _, way = str(text).rpartition(":")
        name, way = name.strip(), way.strip()
        if not name or way not in DIRECTIONS:
            raise ParameterError(
                f"--attribute is {text!r}, but a column with min or max was expected, as in "
                "price:min or speed:max"
            )
        if name in found:
            raise ParameterError(f"--attribute names {name!r} twice, but once was expected")
        found[name] = way
    return found
