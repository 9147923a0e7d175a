"""Results of promptfoo, as JSON, JSON lines or CSV, read as a table of scores.

An item is a provider, a prompt, or both where there are several of each; a unit is a test.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from antichain.errors import FileError
from antichain.sources._chunks import Flaw, parsed_number
from antichain.sources._delimited import DelimitedSource
from antichain.sources._lm_eval import ScoreRows, json_objects
from antichain.sources._streams import ByteLog
from antichain.sources._values import BATCH

_LONGEST_LABEL = 60  # of a prompt that names an item; longer ones are numbered
_ERROR = 2  # the reason of failure if the provider, and no assertion, failed
_BESIDE = ["Status", "Score", "Named Scores"]  # what follows an output in a table
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?:\s*\((-?\d*\.?\d+))?")  # an output, in older tables
_COLUMN = re.compile(r"(?:\[(?P<provider>[^\]]+)\]\s*)?(?P<label>.*)", re.DOTALL)


class _Result(NamedTuple):
    """What counts of a result."""

    row: int  # where it stands
    provider: str
    prompt: str
    test: str
    score: Any  # None if the provider failed


def is_result(entry: Any) -> bool:
    """Whether a JSON object looks like a result."""
    return (
        isinstance(entry, Mapping)
        and entry.keys() >= {"provider", "prompt"}
        and not entry.keys().isdisjoint(("gradingResult", "success", "namedScores"))
    )


def promptfoo_results(path: Path, entries: Iterable[Any]) -> ScoreRows:
    """Results from a JSON document."""
    return _scored(path, _of_entries(enumerate(entries, 1)), "result")


def promptfoo_lines(path: Path) -> ScoreRows | None:
    """Results with one per line; None for a file of anything else."""
    try:
        first = [row for _, row in islice(json_objects(path), 1)]
    except FileError:  # its reader says what is wrong
        return None
    if not first or not is_result(first[0]):
        return None
    return _scored(path, _of_entries(json_objects(path)), "line")


def promptfoo_table(path: Path, start: bytes) -> ScoreRows | None:
    """Results as a table, with a row for each test; None for a table that starts otherwise."""
    if not re.search(rb",Status,Score,Named Scores,|\[(PASS|FAIL|ERROR)\]", start):
        return None
    with closing(ByteLog(path)) as log:
        header = DelimitedSource(log).header()
    new = [k for k in range(len(header)) if header[k + 1 : k + 4] == _BESIDE]
    outputs = new or [k for k, name in enumerate(header) if re.match(r"\[[^\]]+\]", name)]
    if not outputs:
        return None
    return _scored(path, _of_table(path, header, outputs, bool(new)), "row")


def _scored(path: Path, results: Iterable[_Result | tuple[int, Flaw]], word: str) -> ScoreRows:
    """The table of scores that these results are."""
    listed = list(results)
    good = [result for result in listed if isinstance(result, _Result)]
    by_provider = len({result.provider for result in good}) > 1
    by_prompt = len({result.prompt for result in good}) > 1
    if good and not by_provider and not by_prompt:
        raise FileError(
            f"{path} holds promptfoo results for one provider and one prompt, but two or more "
            "were expected"
        )
    prompts = _labels(dict.fromkeys(result.prompt for result in good))
    rows: list[Any] = []
    for result in listed:
        if isinstance(result, _Result):
            names = [result.provider] * by_provider + [prompts[result.prompt]] * by_prompt
            made = {"model": ", ".join(names), "question": result.test, "score": result.score}
            rows.append(made)
        else:
            rows.append(result[1])
    numbers = [result[0] for result in listed]
    groups = ((numbers[k : k + BATCH], rows[k : k + BATCH]) for k in range(0, len(rows), BATCH))
    found = ScoreRows(str(path), groups, word)
    what = " and ".join(["provider"] * by_provider + ["prompt"] * by_prompt)
    found.notes = (f"read as promptfoo results: each {what} is an item, each test is a unit",)
    if failed := sum(result.score is None for result in good):
        found.notes += (f"left out results that ended in an error: {failed:,}",)
    return found


def _labels(prompts: Iterable[str]) -> dict[str, str]:
    """What prompts are called: their label, or a number where it is long."""
    return {
        prompt: prompt
        if 0 < len(prompt) <= _LONGEST_LABEL and "\n" not in prompt
        else f"prompt {k}"
        for k, prompt in enumerate(prompts, 1)
    }


# -- results as objects ---------------------------------------------------------------------------


def _of_entries(entries: Iterable[tuple[int, Any]]) -> Iterator[_Result | tuple[int, Flaw]]:
    tests: dict[str, str] = {}
    first: dict[str, str] = {}
    for number, entry in entries:
        if isinstance(entry, Flaw) or not isinstance(entry, Mapping):
            flaw = (
                entry
                if isinstance(entry, Flaw)
                else Flaw("json", "is not a result, but one was expected")
            )
            yield number, flaw
            continue
        case = entry.get("testCase")
        variables = entry.get("vars") or (case.get("vars") if isinstance(case, Mapping) else None)
        said = json.dumps(variables, sort_keys=True) if variables else ""
        place = entry.get("testIdx", entry.get("testCaseIdx"))
        if place is None:  # as in earlier versions
            test = said
        else:
            # A repeated test has a place of its own. Variables may change as a test runs, so
            # that those of its first result count.
            known = first.setdefault(str(place), said)
            test = tests.setdefault(known, str(place)) if known else str(place)
        yield _Result(number, _provider(entry), _prompt(entry), test, _graded(entry))


def _provider(entry: Mapping[str, Any]) -> str:
    given = entry.get("provider")
    if isinstance(given, Mapping):
        given = given.get("label") or given.get("id")
    return str(given)


def _prompt(entry: Mapping[str, Any]) -> str:
    """What tells prompts apart; promptIdx does not, as it counts providers, too."""
    given = entry.get("prompt")
    label = given.get("label") if isinstance(given, Mapping) else None
    return str(label or entry.get("promptId") or "")


def _graded(entry: Mapping[str, Any]) -> Any:
    grading = entry.get("gradingResult")
    inner = grading if isinstance(grading, Mapping) else {}
    values = (entry.get("score"), inner.get("score"), entry.get("success"), inner.get("pass"))
    if entry.get("failureReason") != _ERROR:
        return next((value for value in values if isinstance(value, int | float)), None)
    return None


# -- results as a table ---------------------------------------------------------------------------


def _of_table(
    path: Path, header: Sequence[str], outputs: Sequence[int], new: bool
) -> Iterator[_Result | tuple[int, Flaw]]:
    """The results in a table: of older versions, each output begins with its grade."""
    items = [_COLUMN.fullmatch(header[k]) for k in outputs]
    named = [(str(item["provider"]), item["label"]) for item in items if item is not None]
    before = [str(k) for k in range(outputs[0]) if header[k] != "Description"]
    read = [[str(k + 1), str(k + 2)] if new else [str(k)] for k in outputs]
    roles = {name: name for name in (*before, *(name for names in read for name in names))}
    with closing(ByteLog(path)) as log:
        # Columns of outputs are called alike, so that they go by their places here.
        table = DelimitedSource(log, None, [str(k) for k in range(len(header))])
        done = 0
        for chunk in table.chunks(roles, frozenset(roles)):
            for row in range(0 if done else 1, chunk.rows):  # the first one is the header
                number = done + row
                if row in chunk.flaws:
                    yield number, chunk.flaws[row]
                    continue
                test = json.dumps([str(chunk.text(name, row)) for name in before] or number)
                for (provider, label), names in zip(named, read, strict=True):
                    texts = [str(chunk.text(name, row)) for name in names]
                    yield _Result(number, provider, label, test, _grade(texts))
            done += chunk.rows


def _grade(texts: Sequence[str]) -> float | None:
    """The score in an output that begins with it, or in a status and a score."""
    found = _CELL.match(texts[0])
    status, score = found.groups() if found else (texts[0], texts[-1])
    if status not in ("PASS", "FAIL"):
        return None
    value = parsed_number(score or "")
    return float(status == "PASS") if math.isnan(value) else value
