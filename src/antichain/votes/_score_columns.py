"""Which columns of a table of scores are what: as options say, or guessed from their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from antichain._text import as_argument, short
from antichain.errors import FileError, ParameterError
from antichain.votes._column_names import plain_name
from antichain.votes._header import Columns
from antichain.votes._judge_logs import recognised
from antichain.votes._read_options import ReadOptions

_ITEMS = ("model", "model_name", "model_id", "system", "system_name", "system_id", "item",
          "item_name", "item_id", "itemid", "method", "agent", "candidate", "llm", "provider",
          "generator", "submission", "algorithm", "player", "team", "product", "movie", "movie_id",
          "movieid", "film", "song")  # fmt: skip
_UNITS = ("question", "question_id", "qid", "prompt", "prompt_id", "task", "task_id", "instance",
          "instance_id", "doc_id", "sample", "sample_id", "example", "example_id", "problem",
          "problem_id", "test", "test_id", "testidx", "test_case", "case", "case_id", "query",
          "query_id", "topic", "segment", "segment_id", "benchmark", "dataset", "user", "user_id",
          "userid", "judge", "rater", "annotator", "reviewer", "participant", "subject", "unit",
          "id", "idx", "index")  # fmt: skip
_SCORES = ("score", "acc", "accuracy", "exact_match", "correct", "is_correct", "passed", "pass",
           "success", "resolved", "solved", "rating", "grade", "points", "reward", "f1", "em",
           "pass_1", "value")  # fmt: skip
_INSPECT = ("id", "epoch")  # and a column per scorer: what Inspect's samples_df() makes
_BESIDE = re.compile("_(answer|explanation|metadata|history)$")  # what a scorer says besides
_MT_BENCH = ("question_id", "model", "judge", "score", "turn")  # of its judge's grades
_INSPECT_ITEMS = ("model", "eval_id", "log")
_NEARLY_ALL = 0.9  # of the cells of a column of names are no scores (set by hand)
_PAIR_OPTIONS = ("left", "right", "winner", "loser", "scores", "ranks")


@dataclass(frozen=True)
class ScoreLayout:
    """Which columns of a table of scores to read, and as what."""

    item: str | None  # the column of the items; None where each column of scores is an item
    units: tuple[str, ...]  # the columns that tell units apart; none where they are not known yet
    score: str | None  # the column of the scores; None where there is one for each item or unit
    guessed: tuple[str, ...] = ()  # what was guessed, in sentences
    sure: bool = True  # whether the options say that it is such a table, or its columns do
    missing: float | None = None  # a number that stands for a score that is missing

    @property
    def unit(self) -> str:
        """What units are called."""
        return ", ".join(self.units) or ("row" if self.item is None else "column")

    def with_names(self, label: str, column: str, numbered: bool) -> ScoreLayout:
        """The same, with the only column of names (or numbers): of units, or else of items."""
        is_item = not self.sure and plain_name(column) in _ITEMS
        # Names below no name, as pandas writes an index, may be those of items just as well.
        is_unit = names_units(column) and (numbered or plain_name(column) in _UNITS)
        if not (self.sure or is_item or is_unit):
            raise FileError(
                f"{label} has names in the column {column!r} and numbers in all others, but votes "
                "on pairs were expected, or a table of scores (say --wide if each other column is "
                f"an item, --wide --item={as_argument(short(column, 60))} if each row is one, or "
                "--grades, with --item, if the numbers count votes)"
            )
        whose, others = ("items", "a unit") if is_item else ("units", "an item")
        note = f"used {column!r} as the names of the {whose}, and every other column as {others}"
        found = replace(self, guessed=(*self.guessed, note))
        return replace(found, item=column) if is_item else replace(found, units=(column,))


def score_columns(
    label: str,
    header: Sequence[str],
    options: ReadOptions,
    scored: tuple[str, str, str] | None = None,
    nested: bool = False,
) -> ScoreLayout | None:
    """The layout of a table of scores, or None where these columns are none.

    Args:
        label: The table.
        header: Its columns.
        options: Which column is what.
        scored: The columns of item, unit and score, where the form of the file says so.
        nested: Whether values may stand inside of others, as in JSON.

    Raises:
        FileError: If the options say that it is one, but not which columns are what.
    """
    columns = Columns(label, header)
    if scored is not None:
        known = next((name for name in ("wide", "item", "unit") if getattr(options, name)), None)
        if known is not None:
            raise ParameterError(
                f"--{known} is given, but the format of {label} already says what its items and "
                "units are: leave it out"
            )
        score = columns.exactly(options.score, "score") or scored[2]
        return ScoreLayout(scored[0], scored[1:2], score)
    if options.wide:
        item = columns.exactly(options.item, "item")
        return ScoreLayout(item, _given_units(columns, options), None)
    asked = options.unit is not None or options.item is not None
    pairs = any(getattr(options, name) for name in _PAIR_OPTIONS) or columns.has_pairs()
    if not asked and (pairs or recognised(columns.plain, nested) is not None):
        return None
    found = _by_name(columns, options, asked)
    if found is None and len(set(header)) > 2:
        # With a column of names and two of numbers, each row may be a unit, or an item.
        return ScoreLayout(None, (), None, sure=False)
    return found


def _by_name(columns: Columns, options: ReadOptions, asked: bool) -> ScoreLayout | None:
    """The layout of a table with one row per item and unit; None where that cannot be told.

    Where it was `asked` for, or all but one of the columns can be told, it is an error instead.
    """
    inspect = _inspect(columns, options)
    found: dict[str, str] = {}
    guessed = []
    for name, likely in (("item", _ITEMS), ("score", _SCORES)):
        column = columns.exactly(getattr(options, name), name) or inspect.get(name)
        if column is None:
            fitting = columns.fitting(likely)
            if not fitting or (name == "score" and len(fitting) > 1):
                if not asked and not (fitting and columns.fitting(_ITEMS)):
                    return None
                columns.refuse(f"one column with the {name}s", _say(name, fitting))
            column = fitting[0]
        if getattr(options, name) is None:
            guessed.append(f"used {column!r} as the {name}" + " of an item" * (name == "score"))
        found[name] = column
    single = set(_MT_BENCH) <= set(columns.header)
    units = _given_units(columns, options) or inspect.get("units") or _MT_BENCH[:1] * single
    if not units:
        fitting = [name for name in columns.fitting(_UNITS) if name not in found.values()]
        if len(fitting) != 1:
            if not asked and not fitting:
                return None
            columns.refuse(
                "a column that says what the items were scored on", _say("unit", fitting)
            )
        units = (fitting[0],)
    if options.unit is None:
        guessed.append(
            f"used {' and '.join(map(repr, units))} as the unit that the items were scored on"
        )
    missing = None
    if single and found["score"] == "score":
        missing = -1.0
        guessed.append("read as MT-bench grades, where -1 means that the judge failed")
    return ScoreLayout(found["item"], units, found["score"], tuple(guessed), missing=missing)


def names_units(column: str) -> bool:
    """Whether a column of such a name holds the names (or numbers) of units."""
    return plain_name(column) in ("", "unnamed_0", *_UNITS)


def holds_names(column: str, texts: int, scores: int) -> bool:
    """Whether a column with so many texts and so many scores holds names, and no bad scores."""
    usual = names_units(column) or plain_name(column) in _ITEMS
    return texts > 0 and (usual or texts >= _NEARLY_ALL * (texts + scores))


def _say(option: str, fitting: Sequence[str]) -> str:
    if not fitting:
        return f"--{option}; scores have --item, --unit and --score, or --wide"
    both = f" or --{option}={','.join(fitting[:2])}" if option == "unit" and fitting[1:] else ""
    return " or ".join(f"--{option}={name}" for name in fitting[:4]) + both


def _given_units(columns: Columns, options: ReadOptions) -> tuple[str, ...]:
    """The columns that --unit names: one, or several with commas."""
    if options.unit is None:
        return ()
    parts = [options.unit]
    if "," in options.unit and options.unit not in columns.header:
        parts = [part.strip() for part in options.unit.split(",")]
    return tuple(str(columns.exactly(part, "unit")) for part in parts)


def _inspect(columns: Columns, options: ReadOptions) -> dict[str, Any]:
    """The columns of Inspect's samples_df(), if these are its columns."""
    named = [name for name in columns.header if name.startswith("score_")]
    scores = [n for n in named if n.rpartition("_")[0] not in named or not _BESIDE.search(n)]
    if not scores or not set(_INSPECT) <= set(columns.header):
        return {}
    item = next((name for name in _INSPECT_ITEMS if name in columns.header), None)
    if item is None:
        columns.refuse("a column with the models", "--item; samples_df() has it with EvalModel")
    if len(scores) > 1 and options.score is None:
        columns.refuse("one column of scores", _say("score", scores))
    units = tuple(name for name in ("task_name", "id") if name in columns.header)
    return {"item": item, "score": scores[0], "units": units}
