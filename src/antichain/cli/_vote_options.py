"""The options of every command that reads a log of votes, in one place.

`reads_votes` gives a command all of them at once: the command takes one `VoteReading`, and its
command line gets an option for each column and choice.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._text import as_argument
from antichain.cli._options import count, flag, spelt_out, word
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.votes._vote_log import VoteLog

VoteFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A log of votes: .csv, .tsv, .jsonl or .parquet, text also as .gz, or PrefLib's "
        "orders; - reads standard input.",
    ),
]
VoteFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Votes, scores or rankings: .csv, .tsv, .jsonl, .json, .parquet or PrefLib's orders, "
        "text also as .gz; several files of one sort; a folder of lm-eval samples or HELM runs; - "
        "reads standard input.",
    ),
]


@dataclass(frozen=True)
class VoteReading:
    """The options of reading votes that were given on the command line."""

    options: dict[str, Any] = field(default_factory=dict)

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


_TWO_COLUMNS = ("scores", "ranks")
_COLUMNS = ("both_orders", "ballots")
_FLAGS = ("fold", "skip_bad", "wide")
_MEANINGS = ("tie", "both_bad", "incomparable")
_OPTIONS: dict[str, Any] = {
    "left": _column("--left", "The column of one item.  [guessed]"),
    "right": _column("--right", "The column of the other item.  [guessed]"),
    "winner": _column("--winner", "The column of the answer.  [guessed]"),
    "loser": _column("--loser", "The column of the loser, if winners and losers are named."),
    "score": _column(
        "--score", "The column of the left item's score, from 0 to 1; with --unit, of the item's."
    ),
    "score_range": _word(
        "--score-range",
        "LEFT,RIGHT",
        "The scores of a sure win of the left item and of the right one, as in 1,2.  "
        "[default: 1,0]",
    ),
    "scores": _word("--scores", "COL,COL", "The columns of both sides' points: more wins."),
    "ranks": _word("--ranks", "COL,COL", "The columns of both sides' ranks: lower wins."),
    "count": _column("--count", "The column that says how many votes a row stands for."),
    "voter": _column("--voter", "The column of voters: their repeated votes are reported."),
    "time": _column("--time", "The column of times, which put the votes in order."),
    "cluster": _column("--cluster", "The column that dependent votes share, such as the prompt."),
    "both_orders": _word(
        "--both-orders",
        "COL,…",
        "What both orders of a judgment share, such as question_id,judge: they are one vote.",
    ),
    "ballots": _word(
        "--ballots",
        "COL,…",
        "The columns of a ballot, best place first, or one as in 'a > b = c'.  [guessed]",
    ),
    "criterion": _column("--criterion", "The column of what a vote is about: coding, writing, …"),
    "criteria": _word(
        "--criteria", "A,B,…|@FILE", "The criteria that count.  [those in the column]"
    ),
    "attribute": Annotated[
        list[str] | None,
        word(
            "--attribute", "COL:min|max", "A known attribute and what is better, with --attributes."
        ),
    ],
    "attributes": _word(
        "--attributes", "FILE", "A table of what is known of each item: price, size, …"
    ),
    "ask": _column("--ask", "The column of ask numbers: 1, 2, 3, …  [guessed]"),
    "ordered": Annotated[
        bool | None,
        flag(
            "--ordered/--unordered",
            "The rows stand in the order in which they were asked, or their order says nothing.  "
            "[by ask numbers or times]",
        ),
    ],
    "unanswered": _word(
        "--unanswered",
        "stop|ignore",
        "Read up to the first open ask, or leave open asks and those given up out.  "
        "[default: stop, or as a study's export says]",
    ),
    "items": _word(
        "--items", "A,B,…|@FILE", "The items to certify; rows about others are counted."
    ),
    "min_votes": Annotated[
        int | None,
        count("--min-votes", "Leave out items with fewer than N votes against those kept."),
    ],
    "sides": _word(
        "--sides", "SIDE", "Balance the sides, such as home: a vote from each side is one."
    ),
    "decoys": _word("--decoys", "FILE", "A decoys.json that says which names are decoys."),
    "decoy_suffix": _word("--decoy-suffix", "TEXT", "What a decoy's name adds to its item's name."),
    "grades": _word(
        "--grades", "COL,COL,…", "Columns of grade counts, worst first, with one row per item."
    ),
    "its_item": _column("--item", "The column of the items, with --unit, --wide or --grades."),
    "unit": _column(
        "--unit",
        "Of a table of scores, the column of what scored the items (a question, a task, a judge): "
        "each compares every two items it scored, once, and is the cluster.",
    ),
    "wide": Annotated[
        bool,
        flag("--wide", "Scores have one column per item; with --item, one row per item."),
    ],
    "higher": Annotated[
        bool | None, flag("--higher/--lower", "Which scores are better.  [default: higher]")
    ],
    "margin": Annotated[
        float | None,
        typer.Option(
            "--margin", min=0, metavar="X", help="Scores that differ by at most this tie."
        ),
    ],
    "grade_seed": Annotated[
        int | None, count("--grade-seed", "How graded votes are paired, with --grades.", 0)
    ],
    "delimiter": _word("--delimiter", "CHAR", "The character between fields of a text.  [guessed]"),
    "encoding": _word(
        "--encoding", "NAME", "The encoding of a text that is not UTF-8, such as windows-1252."
    ),
    "kind": _word("--kind", "csv|lines|json|parquet", "What the file is.  [by its name]"),
    "words": _word("--words", "WORD=FORM,…", "What other words mean, as in 0=tie,links=left."),
    "answers": _word("--answers", "auto|names|sides", "What answers are.  [default: auto]"),
    "tie": _word("--ties", "half|ignore", "What a tie means.  [default: half]"),
    "both_bad": _word("--both-bad", "tie|ignore", "What 'both bad' means.  [default: tie]"),
    "incomparable": _word(
        "--incomparable", "tie|ignore", "What 'cannot compare' means for scores.  [default: tie]"
    ),
    "fold": Annotated[
        bool,
        flag("--fold", "Merge names that differ only by case, spaces or punctuation."),
    ],
    "skip_bad": Annotated[
        bool, flag("--skip-bad", "Skip rows that are not votes, and count them.")
    ],
}


def reads_votes(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's parameter `reading` by one option for each choice of reading votes."""
    options = {name: (hint, False if name in _FLAGS else None) for name, hint in _OPTIONS.items()}
    return spelt_out(command, "reading", options, _reading)


def _reading(given: dict[str, Any]) -> VoteReading:
    options = {
        name: value
        for name, value in given.items()
        if value is not None and (value is not False or name in ("ordered", "higher"))
    }
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

            options[name] = item_names(options[name], name, least)
    if "words" in options:
        from antichain.votes._read_options import word_meanings

        options["words"] = word_meanings(options["words"])
    _rewrite_attributes(options)
    _rewrite_decoys(options)
    _rewrite_grades(options)
    chosen = {name: options.pop(name) for name in _MEANINGS if name in options}
    if chosen:
        from antichain.votes._vote_log import Meanings

        options["meanings"] = Meanings(**chosen)
    return VoteReading(options)


def _rewrite_grades(options: dict[str, Any]) -> None:
    grades = options.pop("grades", None)
    seed = options.pop("grade_seed", None)
    if grades is None:
        if seed is not None:
            raise ParameterError(
                "--grade-seed is given without --grades, but the columns of grades were expected"
            )
        return
    item = options.pop("item", None)
    if item is None:
        raise ParameterError(
            "--grades is given without --item, but the column of the items was expected too"
        )
    others = ", ".join(sorted(set(options) - {"delimiter"}))
    if others:
        raise ParameterError(f"--grades is given together with {others}, which have no meaning")
    columns = [column.strip() for column in grades.split(",")]
    options["graded"] = {"grades": columns, "item": item, **options}
    options.pop("delimiter", None)
    options["graded"]["seed"] = seed or 0


def chosen_criteria(given: dict[str, Any]) -> dict[str, Any]:
    """The criteria and attributes that --criteria, --attribute and --attributes name."""
    options = {name: value for name, value in given.items() if value}
    if "criteria" in options:
        from antichain.votes import item_names

        options["criteria"] = item_names(options["criteria"], "criteria", 1)
    _rewrite_attributes(options)
    return options


def _rewrite_attributes(options: dict[str, Any]) -> None:
    directions, table = options.pop("attribute", None), options.pop("attributes", None)
    if not directions and table is None:
        return
    if table is None:
        raise ParameterError(
            f"--attribute {as_argument(directions[0])} is given without --attributes, but the "
            "table that has it was expected too, as in --attributes models.csv"
        )
    if not directions:
        raise ParameterError(
            f"--attributes {as_argument(str(table))} is given without --attribute, but what counts "
            "in it was expected too, as in --attribute price:min"
        )
    from antichain.votes import read_attributes

    options["attributes"] = read_attributes(table, directions)


def _rewrite_decoys(options: dict[str, Any]) -> None:
    suffix = options.pop("decoy_suffix", None)
    if "decoys" in options and suffix is not None:
        raise ParameterError("--decoys and --decoy-suffix are both given, but one was expected")
    if suffix is not None:
        options["decoys"] = suffix
    elif "decoys" in options:
        from antichain.decoys._makers import read_manifest

        options["decoys"] = dict(read_manifest(options["decoys"]).decoys)


def _two(name: str, text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise ParameterError(f"--{name} is {text!r}, but two columns with a comma were expected")
    return parts[0], parts[1]


def _range(text: str) -> tuple[float, float]:
    try:
        left, right = map(float, text.split(","))
    except ValueError:
        raise ParameterError(
            f"--score-range is {text!r}, but two numbers with a comma were expected: the score of "
            "a win of the left item, and that of the right one"
        ) from None
    return left, right
