"""Folders of samples of lm-eval, read as a table of scores: rows of item, unit and score."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from antichain._text import counted
from antichain.errors import FileError
from antichain.sources._chunks import Chunk, Flaw, RowGroup
from antichain.sources._json_rows import json_lines
from antichain.sources._streams import ByteLog
from antichain.sources._values import RowSource

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(\.gz)?")
_NO_METRIC = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
})  # fmt: skip
_SAMPLE_KEYS = {"doc_id", "doc", "resps"}
_PREFERRED = ("acc", "exact_match", "pass@1", "acc_norm", "f1", "em", "score")
_LOWER = re.compile(r"perplexity|bits_per_byte|loss|error|\b[wct]er\b|brier", re.IGNORECASE)
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
"""How the names of files of tables end."""
_APART = 1 << 40  # the number of a row: that of its file times this, and of its line
DEPTHS = range(4)
"""How far below a folder its files are looked for."""

_LOOKED_AT = 100  # lines of a file that may be broken before a sample is found


class ScoreRows(RowSource):
    """Rows of item, unit and score, and perhaps of further scores."""

    scored = ("model", "question", "score")


class Samples(NamedTuple):
    """A file of samples: of which model and task, and what was chosen in it."""

    path: Path
    model: str
    task: str
    filter: str | None
    metric: str | None  # None where less is better of all of them
    metrics: tuple[str, ...]
    # How to read it: each sample (or a Flaw) with its number.
    read: Callable[[Path], Iterable[tuple[int, Any]]]


class SampleRows(ScoreRows):
    """The rows of samples, whose notes depend on the metric that is read.

    Args:
        label: Where they come from.
        files: The files, of two models or more.
        tool: What wrote them.
        notes: What else to say.
    """

    def __init__(
        self, label: str, files: Sequence[Samples], tool: str, notes: tuple[str, ...] = ()
    ) -> None:
        if len({file.model for file in files}) < 2:
            raise FileError(
                f"{label} holds samples of one model ({files[0].model}), but those of two or more "
                "were expected (give the folder that holds the folders of all models: "
                f"{os.path.relpath(os.path.join(files[0].path.parent, os.pardir))})"
            )
        metrics = sorted({name for file in files for name in file.metrics})
        super().__init__(label, _sample_rows(files, metrics))
        self._files, self._tool, self._more = files, tool, notes

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        metric = None if columns["score"] == self.scored[2] else columns["score"]
        read = [f for f in self._files if (metric in f.metrics if metric else f.metric)]
        if not read:
            found = listed(dict.fromkeys(n for file in self._files for n in file.metrics))
            raise FileError(
                f"{self.label} has samples with the metrics {found or 'none'}, but a metric where "
                "more is better was expected (for another, give --score with a metric, and "
                "--lower)"
            )
        chosen = dict.fromkeys(
            f"{file.task}: {metric or file.metric}"
            + (f" by the filter {file.filter}" if file.filter not in (None, "none") else "")
            for file in read
        )
        self.notes = (f"read as {self._tool} samples, scored by {listed(chosen)}",)
        without = {file.task: None for file in self._files if file not in read}
        if without:
            wanted = metric or "a number where more is better"
            self.notes += (f"left out samples without {wanted}, of: {listed(without)}",)
        self.notes += self._more
        return super().chunks(columns, passing)

    def _placing(self, numbers: Sequence[int]) -> Callable[[int], str]:
        def place(row: int) -> str:
            file, line = divmod(numbers[row], _APART)
            return f"line {line} of {self._files[file].path}"

        return place


def listed(texts: Iterable[str]) -> str:
    """The first ones of some texts, in one line."""
    first = list(texts)
    return "; ".join(first[:12]) + (" and so on" if len(first) > 12 else "")


def named_samples(paths: Sequence[Any]) -> ScoreRows | None:
    """The samples of lm-eval in files that are named; None where the files are no such samples."""
    files = [Path(path) for path in paths if isinstance(path, str | os.PathLike)]
    samples = [file for file in files if _SAMPLES.fullmatch(file.name) and os.path.isfile(file)]
    if not samples or not _is_sample(samples[0]):
        return None
    folder = Path(os.path.commonpath([os.path.abspath(file.parent) for file in samples]))
    if len({file.parent for file in samples}) == 1:
        folder = folder.parent  # the name of the only folder is that of a model
    if len(samples) < len(paths):
        others = next(file for file in files if file not in samples)
        raise FileError(
            f"{samples[0]} holds lm-eval samples and {others} does not, but only samples were "
            f"expected (give their folder: {os.path.relpath(folder)})"
        )
    more = f" and {counted(len(samples) - 1, 'more file')}" if len(samples) > 1 else ""
    return lm_eval_samples(folder, samples, f"{samples[0]}{more}")


def _is_sample(path: Path) -> bool:
    """Whether a file begins with a sample of lm-eval."""
    try:
        return next(_good(path), {}).keys() >= _SAMPLE_KEYS
    except FileError:  # some other file, whose reader says what is wrong
        return False


def lm_eval_samples(
    folder: Path, inside: Sequence[Path] | None = None, label: str | None = None
) -> ScoreRows:
    """The samples in a folder of lm-eval: `<model>/samples_<task>_<date>.jsonl`.

    Args:
        folder: The folder.
        inside: The files in it that count, where these are named.
        label: What to call them.
    """
    newest: dict[tuple[str, str], tuple[str, Path]] = {}
    older = 0
    for path in sample_files(folder) if inside is None else sorted(inside):
        named = _SAMPLES.fullmatch(path.name)
        if named is not None:
            inner = Path(os.path.relpath(path.parent, folder)).as_posix()
            key = (folder.resolve().name if inner == "." else inner, named["task"])
            older += key in newest
            newest[key] = max(newest.get(key, ("", path)), (named["date"] or "", path))
    if not newest:
        _refuse_folder(folder)
    models, alike = _models(list(newest))
    files = [_chosen(path, models[inner], task) for (inner, task), (_, path) in newest.items()]
    notes = (
        "skipped older samples of the same model and task: "
        f"{counted(older, 'file')} (the newest one counts)",
    )
    return SampleRows(
        label or str(folder), files, "lm-eval", notes * bool(older) + (alike,) * bool(alike)
    )


def sample_files(folder: Path) -> list[Path]:
    """The files in a folder that are called like samples of lm-eval."""
    # Not all the way down: a folder may hold anything.
    found = (folder.glob("*/" * depth + "samples_*.jsonl*") for depth in DEPTHS)
    return sorted(path for paths in found for path in paths)


def _models(found: Sequence[tuple[str, str]]) -> tuple[dict[str, str], str]:
    """The model of each folder with samples, and what to say of folders that are called alike.

    Folders of one name in several places are one model if each has tasks of its own, as where
    every task was written to another place. Otherwise they are different runs, and so different
    items, which the whole path tells apart.
    """
    last = {inner: inner.rpartition("/")[2] for inner, _ in found}
    times = Counter((last[inner], task) for inner, task in found)
    twice = {name for (name, _), number in times.items() if number > 1}
    if len(set(last.values())) < 2:  # the folders around them tell what they are
        twice = set(last.values())
    names = {inner: inner if name in twice else name for inner, name in last.items()}
    apart = [inner for inner, name in last.items() if name in twice and "/" in inner]
    together = [inner for inner, name in names.items() if name != inner]
    alike = ""
    if apart:
        alike = f"used each folder with samples as one item: {listed(apart)}"
    elif len(set(names.values())) < len(together):
        alike = (
            f"used folders of the same name with different tasks as one model: {listed(together)}"
        )
    return {inner: name.replace("__", "/") for inner, name in names.items()}, alike


class FolderError(FileError):
    """A folder was given that holds nothing that is read as a whole.

    Attributes:
        folder: The folder.
        tables: The tables in it, any of which may be meant.
    """

    folder: Path
    tables: Iterable[Path]


def instead_of_folder(folder: Path, wanted: str) -> str:
    """A sentence on a folder, and on what was expected instead."""
    return (
        f"{folder} is a folder, but {wanted} (a folder is read if it holds lm-eval samples or "
        "HELM runs)"
    )


def _refuse_folder(folder: Path) -> NoReturn:
    tables = (path for depth in DEPTHS for path in sorted(folder.glob("*/" * depth + "*"))
              if path.suffix in TABLES)  # fmt: skip
    first = list(islice(tables, 1))
    if not first and any(folder.glob("*.eval")):
        raise FileError(
            f"{folder} is a folder with Inspect logs, but a table was expected (give the path of "
            "one of them to be told how to turn it into a table)"
        )
    error = FolderError(instead_of_folder(folder, "a file was expected"))
    error.folder, error.tables = folder, chain(first, tables)
    raise error


def _chosen(path: Path, model: str, task: str) -> Samples:
    """A file, with the filter of its first sample and one of its metrics."""
    row = next(_good(path), None)
    if row is None:
        raise FileError(f"{path} has no samples, but one JSON object per line was expected")
    named = row.get("metrics")
    known = named if isinstance(named, list) else [n for n in row if n not in _NO_METRIC]
    metrics = tuple(n for n in map(str, known) if isinstance(row.get(n), int | float))
    rising = [name for name in metrics if not _LOWER.search(name)]
    metric = next((name for name in (*_PREFERRED, *rising) if name in rising), None)
    chosen = row.get("filter")
    chosen = chosen if isinstance(chosen, str) else None
    return Samples(path, model, task, chosen, metric, metrics, json_objects)


def _good(path: Path) -> Iterator[dict[str, Any]]:
    """The objects among the first lines of a file."""
    return (row for _, row in islice(json_objects(path), _LOOKED_AT) if not isinstance(row, Flaw))


def json_objects(path: Path) -> Iterator[tuple[int, Any]]:
    """The objects in a file with one per line (or a Flaw for each bad one), with their lines."""
    with closing(ByteLog(path, "lines")) as log:
        for numbers, rows in json_lines(log):
            yield from zip(numbers, rows, strict=True)


def _sample_rows(files: Sequence[Samples], metrics: Sequence[str]) -> Iterator[RowGroup]:
    for place, file in enumerate(files):
        numbers: list[int] = []
        group: list[Any] = []
        for number, row in file.read(file.path):
            if isinstance(row, Flaw):
                group.append(row)
            elif file.filter in (None, row.get("filter")):
                unit = row.get("doc_id", row.get("doc_hash", number))
                score = None if file.metric is None else row.get(file.metric)
                made = {"model": file.model, "question": f"{file.task}/{unit}", "score": score}
                group.append(made | {name: row.get(name) for name in metrics})
            else:
                continue
            numbers.append(place * _APART + number)
        yield numbers, group
