"""Files of scores in forms of their own: folders of lm-eval samples, and results of promptfoo.

Both become rows of item, unit and score, as a table of scores has them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from antichain._files import read_json
from antichain._text import counted
from antichain.errors import FileError
from antichain.sources._chunks import Chunk, Flaw, RowGroup, cut
from antichain.sources._json_rows import json_lines
from antichain.sources._streams import ByteLog
from antichain.sources._values import BATCH, RowSource

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(\.gz)?")
_NO_METRIC = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
})  # fmt: skip
_SAMPLE_KEYS = {"doc_id", "doc", "resps"}
_PREFERRED = ("acc", "exact_match", "pass@1", "acc_norm", "f1", "em", "score")
_LOWER = re.compile(r"perplexity|bits_per_byte|loss|error|\b[wct]er\b|brier", re.IGNORECASE)
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
_LONGEST_LABEL = 60  # of a prompt that names an item; longer ones are numbered
_ERROR = 2  # promptfoo's reason of failure if the provider, and no assertion, failed


class ScoreRows(RowSource):
    """Rows of item, unit and score, and perhaps of further scores."""

    scored = ("model", "question", "score")


# -- folders of samples of lm-eval ----------------------------------------------------------------


class _Samples(NamedTuple):
    """A file of samples: of which model and task, and what was chosen in it."""

    path: Path
    model: str
    task: str
    filter: str | None
    metric: str | None  # None where less is better of all of them
    metrics: tuple[str, ...]


class _SampleRows(ScoreRows):
    """The rows of samples, whose notes depend on the metric that is read."""

    def __init__(self, label: str, files: Sequence[_Samples], older: int) -> None:
        metrics = sorted({name for file in files for name in file.metrics})
        super().__init__(label, _sample_rows(files, metrics))
        self._files, self._older = files, older

    def chunks(self, columns: Mapping[str, str], passing: frozenset[str]) -> Iterator[Chunk]:
        metric = None if columns["score"] == self.scored[2] else columns["score"]
        chosen = dict.fromkeys(
            f"{file.task}: {metric or self._usual(file)}"
            + (f" by the filter {file.filter}" if file.filter not in (None, "none") else "")
            for file in self._files
            if metric is None or metric in file.metrics
        )
        self.notes = (f"took it for samples of lm-eval, scored by {_listed(chosen)}",)
        without = {f.task: None for f in self._files if metric and metric not in f.metrics}
        if without:
            self.notes += (f"left out samples without {metric}, of: {_listed(without)}",)
        if self._older:
            self.notes += (f"passed older samples of the same model and task: {self._older:,} "
                           "files",)  # fmt: skip
        return super().chunks(columns, passing)

    @staticmethod
    def _usual(file: _Samples) -> str:
        if file.metric is None:
            raise FileError(
                f"{file.path} has the metrics {', '.join(file.metrics) or 'none'}, but one of "
                "which more is better was expected (or --score with a metric, and --lower)"
            )
        return file.metric


def _listed(texts: Iterable[str]) -> str:
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
            f"{samples[0]} holds samples of lm-eval and {others} does not, but samples alone were "
            f"expected (name their folder: {os.path.relpath(folder)})"
        )
    more = f" and {counted(len(samples) - 1, 'more file')}" if len(samples) > 1 else ""
    return lm_eval_samples(folder, samples, f"{samples[0]}{more}")


def _is_sample(path: Path) -> bool:
    """Whether a file begins with a sample of lm-eval."""
    try:
        return any(row.keys() >= _SAMPLE_KEYS for _, row in islice(_objects(path), 1))
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
    if inside is None:  # not all the way down: a folder may hold anything
        found = (folder.glob("*/" * depth + "samples_*.jsonl*") for depth in range(4))
        inside = [path for paths in found for path in paths]
    for path in sorted(inside):
        named = _SAMPLES.fullmatch(path.name)
        if named is not None:
            inner = Path(os.path.relpath(path.parent, folder)).as_posix()
            model = (folder.resolve().name if inner == "." else inner).replace("__", "/")
            key, date = (model, named["task"]), named["date"] or ""
            older += key in newest
            newest[key] = max(newest.get(key, ("", path)), (date, path))
    if not newest:
        _refuse_folder(folder)
    files = [_chosen(path, *key) for key, (_, path) in newest.items()]
    models = {file.model for file in files}
    if len(models) < 2:
        raise FileError(
            f"{label or folder} holds samples of one model ({files[0].model}), but those of two or "
            "more were expected (name the folder that holds the folders of all models: "
            f"{os.path.relpath(os.path.join(files[0].path.parent, os.pardir))})"
        )
    return _SampleRows(label or str(folder), files, older)


def _refuse_folder(folder: Path) -> NoReturn:
    inside = sorted({path.suffix for path in folder.iterdir() if path.suffix in _TABLES})
    hint = f" (say which, as in '{folder}/*{inside[0]}')" if inside else ""
    raise FileError(
        f"{folder} is a folder without samples_*.jsonl of lm-eval, but a file was expected{hint}"
    )


def _chosen(path: Path, model: str, task: str) -> _Samples:
    """A file, with the filter of its first sample and one of its metrics."""
    for _, row in _objects(path):
        named = row.get("metrics")
        known = named if isinstance(named, list) else [n for n in row if n not in _NO_METRIC]
        metrics = tuple(n for n in map(str, known) if isinstance(row.get(n), int | float))
        rising = [name for name in metrics if not _LOWER.search(name)]
        metric = next((name for name in (*_PREFERRED, *rising) if name in rising), None)
        chosen = row.get("filter")
        chosen = chosen if isinstance(chosen, str) else None
        return _Samples(path, model, task, chosen, metric, metrics)
    raise FileError(f"{path} is empty, but samples were expected")


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a file with one per line, with their lines."""
    with closing(ByteLog(path, "lines")) as log:
        for numbers, rows in json_lines(log):
            for number, row in zip(numbers, rows, strict=True):
                if isinstance(row, Flaw):
                    raise FileError(f"{path}, line {number} {row.sentence}")
                yield number, row


def _sample_rows(files: Sequence[_Samples], metrics: Sequence[str]) -> Iterator[RowGroup]:
    for file in files:
        group: list[Any] = []
        for number, row in _objects(file.path):
            if row.get("filter") == file.filter or file.filter is None:
                unit = row.get("doc_id", row.get("doc_hash", number))
                score = None if file.metric is None else row.get(file.metric)
                if score is not None and not isinstance(score, int | float):
                    raise FileError(
                        f"{file.path}, line {number} has the {file.metric} {cut(score)}, but a "
                        "number was expected"
                    )
                made = {"model": file.model, "question": f"{file.task}/{unit}", "score": score}
                group.append(made | {name: row.get(name) for name in metrics})
        yield range(1, len(group) + 1), group


# -- results of promptfoo --------------------------------------------------------------------------


def score_document(path: Path) -> ScoreRows | None:
    """The scores in a JSON document of a known form; None for any other file."""
    if not _may_hold_results(path):
        return None
    document = read_json(path)
    if not isinstance(document, dict):
        return None
    inner = document.get("results")
    results = inner.get("results") if isinstance(inner, dict) else None
    if not isinstance(results, list):
        return None
    return _promptfoo(path, [entry for entry in results if isinstance(entry, dict)])


def _may_hold_results(path: Path) -> bool:
    """Whether a file is one JSON object, and may be one of promptfoo's."""
    if not path.is_file() or path.suffix.lower() != ".json":
        return False
    with open(path, "rb") as stream:
        start = stream.read(1 << 20)
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"results"' in start


def _promptfoo(path: Path, results: Sequence[Mapping[str, Any]]) -> ScoreRows:
    providers = [_provider(entry) for entry in results]
    prompts = [_prompt(entry) for entry in results]
    by_provider, by_prompt = len(set(providers)) > 1, len(set(prompts)) > 1
    if not by_provider and not by_prompt:
        raise FileError(
            f"{path} holds results of promptfoo of one provider and one prompt, but two or more "
            "were expected"
        )
    failed = sum(entry.get("failureReason") == _ERROR for entry in results)
    rows: list[Any] = []
    for entry, provider, prompt in zip(results, providers, prompts, strict=True):
        names = [provider] * by_provider + [prompt] * by_prompt
        unit = entry.get("testIdx")
        if unit is None:  # earlier versions have the variables only
            unit = json.dumps(entry.get("vars"), sort_keys=True)
        score = None if entry.get("failureReason") == _ERROR else _graded(entry)
        rows.append({"model": ", ".join(names), "question": str(unit), "score": score})
    groups = (
        (range(start + 1, start + BATCH + 1)[: len(rows) - start], rows[start : start + BATCH])
        for start in range(0, len(rows), BATCH)
    )
    found = ScoreRows(str(path), groups, "result")
    what = " and ".join(["provider"] * by_provider + ["prompt"] * by_prompt)
    found.notes = (f"took it for results of promptfoo: an item is a {what}, a unit is a test",)
    if failed:
        found.notes += (f"left out results that ended in an error: {failed:,}",)
    return found


def _provider(entry: Mapping[str, Any]) -> str:
    given = entry.get("provider")
    if isinstance(given, Mapping):
        given = given.get("label") or given.get("id")
    return str(given)


def _prompt(entry: Mapping[str, Any]) -> str:
    given = entry.get("prompt")
    label = given.get("label") if isinstance(given, Mapping) else None
    if isinstance(label, str) and 0 < len(label) <= _LONGEST_LABEL and "\n" not in label:
        return label
    place = entry.get("promptIdx")
    return f"prompt {place + 1 if isinstance(place, int) else entry.get('promptId', 1)}"


def _graded(entry: Mapping[str, Any]) -> Any:
    grading = entry.get("gradingResult")
    inner = grading if isinstance(grading, Mapping) else {}
    for value in (entry.get("score"), inner.get("score"), entry.get("success"), inner.get("pass")):
        if isinstance(value, int | float):
            return value
    return None
