"""The options of every command that reads a log of votes, in one place.

`reads_votes` gives a command all of them at once: the command takes one `VoteReading`, and its
command line gets an option for each column and choice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._text import as_argument
from antichain.cli._options import at_least_0, count, flag, spelt_out, typed, word
from antichain.errors import FileError, ParameterError

if TYPE_CHECKING:
    from antichain._files import Readable
    from antichain.votes._vote_log import VoteLog

VoteFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A log of votes: .csv, .tsv, .jsonl, .json, .parquet or PrefLib orders (text: also "
        "gzipped); or - for standard input.",
    ),
]
VoteFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Votes, scores or rankings: .csv, .tsv, .jsonl, .json, .parquet or PrefLib orders "
        "(text: also gzipped); several files of one format; a folder of lm-eval samples or HELM "
        "runs; or - for standard input.",
    ),
]


@dataclass(frozen=True)
class VoteReading:
    """The options of reading votes that were given on the command line."""

    options: dict[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()  # that options name: tables of attributes, lists of items, …
    typed: tuple[str, ...] = ()  # the same options as words of a command line

    def inputs(self, files: Sequence[str]) -> "list[Readable]":
        """Every file that is read, of those with votes and of those that options name."""
        from antichain.sources._opening import input_files

        return [*input_files(files), *self.files]

    def log(self, files: list[str], **more: Any) -> "VoteLog":
        from antichain.certify._reading import read_log
        from antichain.votes import votes_from_ratings_counts

        file = files[0] if len(files) == 1 else files
        if "graded" in self.options:
            return votes_from_ratings_counts(file, **self.options["graded"])
        if "ratings" in self.options:
            from antichain.cli._ratings import load

            asked = self.options["ratings"]
            return load(files[0], asked["columns"], asked["choice"]).votes()
        return read_log(file, self.options | more)


def _column(name: str, meaning: str) -> Any:
    return _word(name, "COL", meaning)


def _word(name: str, metavar: str, meaning: str) -> Any:
    return Annotated[str | None, word(name, metavar, meaning)]


def delimiter() -> Any:
    """The option for the character between fields."""
    return typer.Option(
        "--delimiter",
        metavar="CHAR",
        help="Character between fields, or tab.  [guessed]",
        callback=lambda text: "\t" if text in ("\\t", "tab") else text,  # a tab is hard to type
    )


_TWO_COLUMNS = ("scores", "ranks")
_COLUMNS = ("both_orders", "ballots")
_FLAGS = ("fold", "skip_bad", "wide")
_OF_GRADES = ("grades", "grade_seed", "its_item", "delimiter")
_MEANINGS = ("tie", "both_bad", "incomparable")
READING: dict[str, dict[str, Any]] = {
    "Columns": {
        "left": _column("--left", "Column with one item of each pair.  [guessed]"),
        "right": _column("--right", "Column with the other item.  [guessed]"),
        "winner": _column(
            "--winner", "Column with the answer; with --loser, the item that won.  [guessed]"
        ),
        "loser": _column("--loser", "Column with the item that lost."),
        "count": _column("--count", "Column with the number of votes that a row stands for."),
        "voter": _column(
            "--voter", "Column that names the voter; votes that repeat one are reported."
        ),
        "cluster": _column(
            "--cluster", "Column that groups votes which depend on each other, such as the prompt."
        ),
        "both_orders": _word(
            "--both-orders",
            "COL,…",
            "Columns that together identify a judgment, if each was made in both orders (A-B and "
            "B-A), such as question_id,judge; the two rows then count as one vote.",
        ),
        "sides": _word(
            "--sides",
            "SIDE",
            "Side with an advantage, such as home. To cancel it, votes with an item on this side "
            "are matched with votes with it on the other; the two count as one.",
        ),
    },
    "Order and asks": {
        "ask": _column("--ask", "Column with the ask numbers 1, 2, 3, …  [guessed]"),
        "time": _column(
            "--time", "Column with the time of each vote; votes are read in that order."
        ),
        "ordered": Annotated[
            bool | None,
            flag(
                "--ordered/--unordered",
                "Whether the rows are in the order in which the votes were asked for.  [decided by "
                "ask numbers or times]",
            ),
        ],
        "unanswered": _word(
            "--unanswered",
            "stop|ignore",
            "What to do about requests for a vote (asks) without an answer: stop at the first, or "
            "ignore them.  [default: stop, or what a study's export says]",
        ),
    },
    "Scores and rankings": {
        "score": _column(
            "--score",
            "Column with the left item's score, from 0 to 1; with --unit, each item's score.",
        ),
        "score_range": _word(
            "--score-range",
            "LEFT,RIGHT",
            "Scores that mean a sure win for the left and for the right item, such as 1,2.  "
            "[default: 1,0]",
        ),
        "scores": _word("--scores", "COL,COL", "Columns with each side's points; more points win."),
        "ranks": _word("--ranks", "COL,COL", "Columns with each side's rank; the lower rank wins."),
        "ballots": _word(
            "--ballots",
            "COL,…",
            "Columns of a ballot, best place first, or one column with rankings such as "
            "'a > b = c'.  [guessed]",
        ),
        "unit": _column(
            "--unit",
            "Column that says what scored the items in a score table (a question, a task, a "
            "judge). Each unit compares every pair of items it scored, and counts as one cluster.",
        ),
        "its_item": _column("--item", "Column with the item, for --unit, --wide or --grades."),
        "wide": Annotated[
            bool,
            flag(
                "--wide", "The score table has one column per item; with --item, one row per item."
            ),
        ],
        "higher": Annotated[
            bool | None,
            flag("--higher/--lower", "Whether higher or lower scores are better.  [higher]"),
        ],
        "margin": Annotated[
            float | None,
            typer.Option(
                "--margin",
                parser=at_least_0,
                metavar="X",
                help="Treat scores that differ by at most X as a tie.  [default: 0]",
            ),
        ],
        "grades": _word(
            "--grades",
            "COL,COL,…",
            "Columns with the counts of each grade, worst first, in a table with one row per item.",
        ),
        "grade_seed": Annotated[
            int | None,
            count("--grade-seed", "With --grades: seed for the random pairing of grades.", 0),
        ],
    },
    "Criteria": {
        "criterion": _column(
            "--criterion", "Column that says what a vote is about, such as coding or writing."
        ),
        "criteria": _word("--criteria", "A,B,…|@FILE", "Criteria to use.  [all in the column]"),
        "attribute": Annotated[
            list[str] | None,
            word(
                "--attribute",
                "COL:min|max",
                "A known attribute, and whether less or more of it is better. Repeat for several.",
            ),
        ],
        "attributes": _word(
            "--attributes", "FILE", "Table with the known attributes of each item, such as price."
        ),
    },
    "Decoys": {
        "decoys": _word("--decoys", "FILE", "A decoys.json that names each item's decoy."),
        "decoy_suffix": _word(
            "--decoy-suffix",
            "TEXT",
            "Text that is added to an item's name to make its decoy's name, such as ' (decoy)'.",
        ),
    },
    "What answers mean": {
        "words": _word(
            "--words",
            "WORD=FORM,…",
            "What other answers mean, such as 0=tie,A=left. FORM is left, right, tie, …",
        ),
        "answers": _word(
            "--answers",
            "auto|names|sides",
            "Whether answers are item names or words for a side.  [default: auto]",
        ),
        "tie": _word(
            "--ties",
            "half|ignore",
            "Count a tie as half a win for each item, or ignore it.  [default: half]",
        ),
        "both_bad": _word(
            "--both-bad", "tie|ignore", "Count 'both bad' as a tie, or ignore it.  [default: tie]"
        ),
        "incomparable": _word(
            "--incomparable",
            "tie|ignore",
            "In scores, count 'cannot compare' as a tie, or ignore it.  [default: tie]",
        ),
    },
    "Items and files": {
        "items": _word(
            "--items",
            "A,B,…|@FILE",
            "Items to certify; rows about other items are left out, and their number is reported.",
        ),
        "min_votes": Annotated[
            int | None,
            count("--min-votes", "Leave out items with fewer than N votes against the items kept."),
        ],
        "fold": Annotated[
            bool,
            flag("--fold", "Merge names that differ only in case, spaces or punctuation."),
        ],
        "skip_bad": Annotated[
            bool, flag("--skip-bad", "Skip rows that are not votes, and report how many.")
        ],
        "delimiter": Annotated[str | None, delimiter()],
        "encoding": _word(
            "--encoding", "NAME", "Encoding of a text file that is not UTF-8, such as windows-1252."
        ),
        "kind": _word("--kind", "csv|lines|json|parquet", "Format of the file.  [from its name]"),
    },
}
"""By heading, the options of reading files; `antichain help reading` lists them."""


def _hints() -> dict[str, Any]:
    return {name: hint for part in READING.values() for name, hint in part.items()}


def reads_votes(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's parameter `reading` by one option for each choice of reading votes."""
    hints = _hints()
    for hint in hints.values():
        hint.__metadata__[0].hidden = True  # they would fill a command's own page of help
    options = {name: (hint, False if name in _FLAGS else None) for name, hint in hints.items()}
    reader = spelt_out(command, "reading", options, _reading)
    reader.reads_votes = True  # type: ignore[attr-defined]  # its help points to theirs
    return reader


def _reading(given: dict[str, Any]) -> VoteReading:
    options = {
        name: value
        for name, value in given.items()
        if value is not None and (value is not False or name in ("ordered", "higher"))
    }
    files, words = _named_files(options), _typed(given)
    if "its_item" in options:  # a command may have an item of its own
        options["item"] = options.pop("its_item")
    for name in _TWO_COLUMNS:
        if name in options:
            options[name] = _two(name, options[name])
    for name in _COLUMNS:
        if name in options:
            options[name] = tuple(part.strip() for part in options[name].split(","))
    if "score_range" in options:
        options["score_range"] = _range(options["score_range"])
    for name, least in (("items", 2), ("criteria", 1)):
        if name in options:
            from antichain.votes import item_names

            options[name] = item_names(options[name], f"--{name}", name, least)
    if "words" in options:
        from antichain.votes._read_options import word_meanings

        options["words"] = word_meanings(options["words"])
    _rewrite_attributes(options)
    _rewrite_decoys(options)
    _rewrite_grades(options, given)
    chosen = {name: options.pop(name) for name in _MEANINGS if name in options}
    if chosen:
        from antichain.votes._vote_log import Meanings

        options["meanings"] = Meanings(**chosen)
    return VoteReading(options, files, words)


def _typed(given: dict[str, Any]) -> tuple[str, ...]:
    hints = _hints()
    return tuple(typed({_flag(hints[name]): value for name, value in given.items()}))


def _flag(hint: Any) -> str:
    """What an option is called when it is typed; typer keeps it where a default would be."""
    info = hint.__metadata__[0]
    return str((*info.param_decls, info.default)[0])


def _named_files(options: dict[str, Any]) -> tuple[Path, ...]:
    """The files that options are read from."""
    from antichain.votes._read_options import list_file

    lists = [list_file(options[name]) for name in ("items", "criteria") if name in options]
    tables = [Path(options[name]) for name in ("attributes", "decoys") if name in options]
    return tuple(path for path in (*lists, *tables) if path is not None)


def _rewrite_grades(options: dict[str, Any], given: dict[str, Any]) -> None:
    grades = options.pop("grades", None)
    seed = options.pop("grade_seed", None)
    if grades is None:
        if seed is not None:
            raise ParameterError(
                "--grade-seed is given without --grades, but the columns with the grades are "
                "needed too"
            )
        return
    item = options.pop("item", None)
    if item is None:
        raise ParameterError(
            "--grades is given without --item, but the column with the items is needed too"
        )
    others = _typed({name: value for name, value in given.items() if name not in _OF_GRADES})
    if others:
        raise ParameterError(
            f"--grades and {others[0]} are given, but only --item, --grade-seed and --delimiter "
            "can be used with --grades"
        )
    columns = [column.strip() for column in grades.split(",")]
    options["graded"] = {"grades": columns, "item": item, **options}
    options.pop("delimiter", None)
    options["graded"]["seed"] = seed or 0


def chosen_criteria(given: dict[str, Any]) -> dict[str, Any]:
    """The criteria and attributes that --criteria, --attribute and --attributes name."""
    options = {name: value for name, value in given.items() if value or value == ""}
    if "criteria" in options:
        from antichain.votes import item_names

        options["criteria"] = item_names(options["criteria"], "--criteria", "criteria")
    _rewrite_attributes(options)
    return options


def _rewrite_attributes(options: dict[str, Any]) -> None:
    directions, table = options.pop("attribute", None), options.pop("attributes", None)
    if not directions and table is None:
        return
    if table is None:
        raise ParameterError(
            f"--attribute {as_argument(directions[0])} is given without --attributes, but the "
            "table with that attribute is needed too, as in --attributes models.csv"
        )
    if not directions:
        raise ParameterError(
            f"--attributes {as_argument(str(table))} is given without --attribute, but the columns "
            "that count are needed too, as in --attribute price:min"
        )
    from antichain.votes import read_attributes

    options["attributes"] = read_attributes(table, directions)


def _rewrite_decoys(options: dict[str, Any]) -> None:
    suffix = options.pop("decoy_suffix", None)
    if "decoys" in options and suffix is not None:
        raise ParameterError(
            "--decoys and --decoy-suffix are both given, but they cannot be used together"
        )
    if suffix is not None:
        options["decoys"] = suffix
    elif "decoys" in options:
        from antichain.decoys._makers import read_manifest

        try:
            options["decoys"] = read_manifest(options["decoys"]).by_any_name
        except FileError as error:
            raise FileError(f"--decoys: {error}") from error


def _two(name: str, text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise ParameterError(
            f"--{name} is {text!r}, but two columns separated by a comma were expected"
        )
    return parts[0], parts[1]


def _range(text: str) -> tuple[float, float]:
    try:
        left, right = map(float, text.split(","))
    except ValueError:
        raise ParameterError(
            f"--score-range is {text!r}, but two numbers separated by a comma were expected: the "
            "score that means a win for the left item, and the one for the right item"
        ) from None
    return left, right
