"""Reading what is known of each item: a table with one row per item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from antichain import _checks
from antichain.errors import FileError
from antichain.sources._chunks import cut, parsed_number
from antichain.sources._opening import open_source
from antichain.votes._attributes import Attributes, parsed_directions
from antichain.votes._columns import item_column, only_column
from antichain.votes._small_tables import name_in, table_rows


def read_attributes(
    source: Any, directions: Mapping[str, str] | str | Iterable[str], item: str | None = None
) -> Attributes:
    """Read what is known of each item: a table with one row per item and columns of numbers.

    Args:
        source: A file or a table that `read_votes` accepts, or a mapping from items to mappings
            from attributes to numbers.
        directions: For each attribute that counts, "min" if less is better or "max" if more is
            better; or texts such as "price:min".
        item: The column of the items. The default is a column with such a name, or else the first.

    >>> table = [{"model": "a", "price": 3}, {"model": "b", "price": "2.5"}]
    >>> read_attributes(table, "price:min").values
    {'a': {'price': 3.0}, 'b': {'price': 2.5}}
    """
    _checks.instance("item", item, str, "the name of a column", optional=True)
    wanted = parsed_directions(directions)
    if isinstance(source, Mapping):
        return Attributes(wanted, source)
    with open_source(source) as opened:
        label, header = opened.label, opened.header()
        if label == "the list of votes":
            label = "the table of attributes"
        if item is None:
            item = item_column(header, tuple(wanted))
        columns = {"item": only_column(label, header, item, "attributes")}
        columns |= {name: only_column(label, header, name, "attribute") for name in wanted}
        # An attribute may be called "item".
        roles = {f"column {k}": column for k, column in enumerate(columns.values())}
        values: dict[str, dict[str, float]] = {}
        for place, texts in table_rows(opened, roles):
            where = f"{label}, {place}"
            first, *others = texts.values()
            name = name_in(where, item, first)
            if name in values:
                raise FileError(f"{where} has {cut(name)} again, but one row per item was expected")
            values[name] = {
                column: _number(where, name, column, text)
                for column, text in zip(wanted, others, strict=True)
            }
    return Attributes(wanted, values, label)


def _number(where: str, item: str, column: str, text: Any) -> float:
    number = parsed_number(text)
    if math.isfinite(number):
        return number
    found = f"no {column}" if text == "" else f"the {column} {cut(text)}"
    raise FileError(
        f"{where} has {found} for {cut(item)}, but a plain number was expected (without a currency "
        "or a unit; if it is unknown, remove the row and leave the item out with --items)"
    )
