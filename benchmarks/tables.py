"""How benchmarks print what they found: Markdown tables for people, JSON lines for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Return a Markdown table with `left` columns of text, and numbers in the others."""
    rules = ["---" if number < left else "---:" for number in range(len(heads))]
    lines = [heads, rules, *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def print_records(records: Iterable[Mapping[str, object]], as_json: bool) -> None:
    """Print one JSON line per record as they come, or one table of all when the last is there."""
    if as_json:
        for record in records:
            print(json.dumps(record, ensure_ascii=False), flush=True)
        return
    found = list(records)
    heads = list(dict.fromkeys(head for record in found for head in record))
    print(markdown(heads, [[_cell(record.get(head)) for head in heads] for record in found]))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    return "" if value is None else str(value)
