"""Files that hold rows in a form of their own: JSON documents, and results of known tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

from antichain._files import json_from
from antichain._limits import DOCUMENT_BYTES, megabytes
from antichain._no_texts import why_not_utf8
from antichain._own_formats import read_by
from antichain._text import names
from antichain.errors import FileError
from antichain.sources._lm_eval import ScoreRows
from antichain.sources._promptfoo import (
    is_result,
    promptfoo_lines,
    promptfoo_results,
    promptfoo_table,
)
from antichain.sources._streams import ByteLog
from antichain.sources._values import RowSource, row_groups

_ROWS = ("performances", "battles", "votes", "judgments", "results", "rows", "data")
_SPLIT = {"columns", "index", "data"}  # what pandas writes with orient="split"


def known_document(path: Path) -> RowSource | None:
    """The rows in a file of a form of its own; None for a plain table or one object per line."""
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix == ".eval" and path.is_file():
        _refuse_inspect(path)
    if suffix in (".jsonl", ".ndjson"):
        return promptfoo_lines(path)
    if suffix not in (".csv", ".json") or not path.is_file():
        return None
    try:
        start = _content(path, 1).lstrip()
    except FileError:  # its reader says what is wrong
        return None
    if suffix == ".csv":
        return promptfoo_table(path, start)
    if start.startswith(b"[") and b'"promptIdx"' in start:
        results = json_from(_text(path), path, constants=True)
        return promptfoo_results(path, results) if results and is_result(results[0]) else None
    if not start.startswith(b"{") or read_by(path, start[:200].decode("utf-8", "replace")):
        return None
    first, _, rest = start.partition(b"\n")
    whole = _is_object(first)
    if whole and rest.strip():
        return promptfoo_lines(path)
    text = _text(path)
    if first.strip() != b"{" and not whole and not _is_object(text):
        return None  # broken lines, of which the reader of lines says what is wrong
    return _of_document(path, json_from(text, path, constants=True), alone=not whole)


def _content(path: Path, most: int) -> bytes:
    """What is in a file, unpacked: all of it, or the first blocks with so many bytes."""
    blocks, size = [], 0
    with closing(ByteLog(path, "lines")) as log:
        for block in log.blocks():
            blocks.append(block)
            size += len(block)
            if size >= most:
                break
    return b"".join(blocks)


def _text(path: Path) -> str:
    content = _content(path, DOCUMENT_BYTES + 1)
    if len(content) > DOCUMENT_BYTES:
        raise FileError(
            f"{path} is larger than {megabytes(DOCUMENT_BYTES)}, but a smaller document was "
            "expected, or one object per line"
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise FileError(why_not_utf8(path, content, error.start)) from error


def _is_object(text: str | bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _of_document(path: Path, document: Any, alone: bool) -> RowSource | None:
    """The rows in a document.

    Args:
        path: The file.
        document: What it holds.
        alone: Whether it cannot be a single row, either.
    """
    inner = document.get("results")
    results = inner.get("results") if isinstance(inner, Mapping) else inner
    if isinstance(results, list) and results and is_result(results[0]):
        return promptfoo_results(path, results)
    if {"eval", "samples"} <= document.keys():
        _refuse_inspect(path)
    if isinstance(document.get("resolved_ids"), list):
        return _swe_bench(path, document)
    lists = {
        key: value
        for key, value in document.items()
        if isinstance(value, list) and value and isinstance(value[0], Mapping)
    }
    key = next((key for key in _ROWS if key in lists), next(iter(lists), None))
    if key is not None and (key in _ROWS or len(lists) == 1):
        found = RowSource(str(path), row_groups(lists[key]))
        found.notes = (f"read the rows in {key!r}",)
        return found
    columns = _columns(document)
    if columns is not None:
        found = RowSource(str(path), row_groups(columns))
        found.notes = ("read a JSON object of columns",)
        return found
    if not alone:
        return None
    raise FileError(
        f"{path} is one JSON object with the keys {names(list(document))}, but rows were expected: "
        "a list of objects, or one object per line"
    )


def _refuse_inspect(path: Path) -> NoReturn:
    raise FileError(
        f"{path} is an Inspect log, but a table was expected (inspect_ai.analysis makes one: "
        "samples_df(LOGS, columns=EvalModel + SampleSummary).to_csv('samples.csv'))"
    )


def _columns(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of a table that is written by column, as pandas does; None for anything else."""
    index: Sequence[Any]
    if document.keys() == _SPLIT and all(isinstance(part, list) for part in document.values()):
        head, index, rows = (document[key] for key in ("columns", "index", "data"))
        if not all(isinstance(row, list) and len(row) == len(head) for row in rows):
            return None
        return _with_index(index, [dict(zip(map(str, head), row, strict=True)) for row in rows])
    columns = list(document.values())
    if len(columns) < 2:
        return None
    if all(isinstance(column, list) for column in columns):
        index = range(len(columns[0]))
        if {len(column) for column in columns} != {len(index)}:
            return None
        by_row = [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]
    elif all(isinstance(column, Mapping) for column in columns):
        index = list(dict.fromkeys(key for column in columns for key in column))
        by_row = [{name: column.get(k) for name, column in document.items()} for k in index]
    else:
        return None
    plain = all(not isinstance(v, Mapping | list) for row in by_row for v in row.values())
    return _with_index(index, by_row) if plain and by_row else None


def _with_index(index: Sequence[Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with their names in front unless these are numbers only."""
    if all(str(name).isdigit() for name in index):
        return rows
    return [{"": name} | row for name, row in zip(index, rows, strict=True)]


def _swe_bench(path: Path, report: Mapping[str, Any]) -> ScoreRows:
    """A report of SWE-bench, which is about one item: what it resolved, and what it did not."""
    name = path.name.removesuffix(".json")
    resolved = set(map(str, report["resolved_ids"]))
    tried = [key for key in ("submitted_ids", "unresolved_ids", "error_ids", "empty_patch_ids")
             if isinstance(report.get(key), list)]  # fmt: skip
    units = dict.fromkeys([*resolved, *(str(unit) for key in tried for unit in report[key])])
    rows = ({"model": name, "question": u, "score": int(u in resolved)} for u in sorted(units))
    found = ScoreRows(str(path), row_groups(rows))
    found.notes = ("read each file as a SWE-bench report on one item, named after the file",)
    return found
