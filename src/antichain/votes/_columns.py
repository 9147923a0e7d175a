"""Which column of a log is what, and what the words in it mean: as options say, or guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from antichain._cells import ESCAPE
from antichain._option_names import in_python
from antichain._text import as_argument
from antichain.errors import ParameterError
from antichain.votes._answer_words import SIDES
from antichain.votes._column_names import (
    answer_in_other_words,
    places_of_ballots,
    plain_name,
)
from antichain.votes._header import (
    LOST,
    USEFUL,
    WON,
    Columns,
    suggests,
    unused_columns,
)
from antichain.votes._judge_logs import JudgeLog, recognised
from antichain.votes._read_options import ReadOptions

_ANSWER = ("winner", "answer", "vote", "result", "outcome", "verdict", "preference", "preferred",
           "judgment", "judgement", "label", "choice", "ftr", "vote_type")  # fmt: skip
_ANSWER_OF_FORM = tuple(f"answer_{name}" for name in _ANSWER)  # as in Answer.preference of MTurk
_SCORE = ("score",)
# Sets of names that may be misspelt: of an answer, of two items, and of both.
_AN_ANSWER = tuple((name,) for name in ("winner", "answer", "result", "outcome", "preference"))
_IN_WORDS = tuple(pair for pair in SIDES if min(map(len, pair)) > 1)
_TWO_ITEMS = (*_IN_WORDS, ("winner", "loser"))
_ANSWERED = tuple((*pair, "winner") for pair in _IN_WORDS)
_STUDY = ("left", "right", "answer", "voter", "time", "reason", "decoy", "receipt")
_PLAIN_ROLES = ("decoy", "receipt", "ask", "terms", "when", "reason")
_ASK = ("ask", "ask_number")
_TERMS = "terms"
_APART = {  # columns of their own, and what each holds
    "cluster": "says who voted or what was asked",
    "voter": "says who voted",
    "time": "says when each vote was given",
    "count": "says how many votes a row stands for",
    "criterion": "says what a vote is about",
    "ask": "numbers the asks",
}
_ITEM = ("item", "items", "name", "model", "option", "product", "system", "player", "title", "id")


@dataclass(frozen=True)
class Layout:
    """Which columns to read, and as what."""

    left: str  # the column of the left item
    right: str  # the column of the right item
    # How an answer is given: "winner" (a word or a name), "loser" (the left one won), "score" (of
    # the left one), "scores" (points of both), "ranks" (of both) or "halves" (words for both
    # orders of a judgment).
    how: str
    answers: tuple[str, ...]  # the columns of the answer: one, none or two
    count: str | None  # the column of counts
    voter: str | None  # the column of voters
    time: str | None  # the column of times
    cluster: str | None  # the column of clusters
    criterion: str | None  # the column of criteria
    decoy: str | None  # the column of an exported study that says which side showed a decoy
    receipt: str | None  # the column of an exported study that says what became of an answer
    escape: str | None  # its column that says that its texts have apostrophes (`antichain._cells`)
    ask: str | None  # the column of the numbers of asks
    terms: str | None  # the column of an exported study that holds its terms
    # The column whose times say the order of the votes: that of `time`, or one recognised by its
    # name, some of whose times may not be readable.
    when: str | None
    known_by: str | None  # what says the order of the votes, if anything does (see `AskedVotes`)
    judge: JudgeLog | None  # the kind of judge's log that this is, if it is one
    both_orders: tuple[str, ...]  # the columns that both orders of a judgment share
    reason: str | None  # the column of an exported study that may say what both orders said
    score_range: tuple[float, float]  # the scores of a sure win of the left and the right item
    guessed: tuple[str, ...]  # what was guessed, in sentences

    @property
    def roles(self) -> dict[str, str]:
        named = {"left": self.left, "right": self.right}
        named |= {f"answer {k}": column for k, column in enumerate(self.answers)}
        others = {name: getattr(self, name) for name in (*USEFUL, *_PLAIN_ROLES)}
        if self.when == self.time:
            del others["when"]
        others |= {f"judgment {k}": column for k, column in enumerate(self.both_orders)}
        return named | {role: column for role, column in others.items() if column is not None}

    @property
    def passing(self) -> frozenset[str]:
        """The roles whose texts need not be known beyond their chunk."""
        numbers = set() if self.how == "winner" else {"answer 0", "answer 1"}
        return frozenset({"count", "time", *_PLAIN_ROLES} | numbers)


def lay_out(
    label: str, header: Sequence[str], options: ReadOptions, nested: bool = False
) -> Layout:
    """The layout of a log with these columns, or a FileError that says what is missing.

    Args:
        label: The log.
        header: Its columns.
        options: What is known about them.
        nested: Whether values may stand inside of others, as in JSON.
    """
    columns = Columns(label, header, nested)
    guessed: list[str] = []
    judge = None if _says_columns(options) else recognised(columns.plain, nested)
    given = {name: columns.exactly(getattr(options, name), name) for name in USEFUL}
    if judge is None:
        left, right, how, answers = _both_and_answer(columns, options, guessed)
    else:
        ends = (columns.first_of([name]) or name for name in (judge.left, judge.right))
        (left, right), how = ends, judge.how
        answers = tuple(columns.first_of([name]) or name for name in judge.answers)
        guessed.append(f"read as {judge.name}{judge.note and ': '}{judge.note}")
        if judge.shared and not options.both_orders:
            options = replace(options, both_orders=(judge.shared,))
    decoy, receipt, escape = _of_study(columns, guessed)
    if receipt is not None and given["criterion"] is None:
        given["criterion"] = columns.first_of(["criterion"])
    ask = _ask_column(columns, options, guessed)
    # Of our own exports only: elsewhere terms are anything.
    terms = columns.first_of([_TERMS]) if receipt and ask else None
    if terms is not None and given["voter"] is None:
        given["voter"] = columns.first_of(["voter"])
    if how == "halves" and options.both_orders:
        raise ParameterError(
            f"both_orders is {options.both_orders!r}, but each row of {label} already holds both "
            "orders: leave it out"
        )
    used = {left, right, *answers, ask, *given.values(), *(options.both_orders or ())}
    if options.score_range is not None:
        if how != "score":
            raise ParameterError(
                f"score_range is {options.score_range!r}, but {label} has no column of scores: "
                "name it with --score"
            )
        low, high = options.score_range
        guessed.append(
            f"read a score of {low:g} as a sure win for {left!r}, and {high:g} as one for {right!r}"
        )
    when, known_by = _order(columns, options, given, used, ask)
    given["criterion"] = _criterion(columns, options, given["criterion"])
    _check_apart(columns.label, {**given, "ask": ask}, (left, right), answers)
    if given["criterion"] is not None and options.criterion is None and receipt is None:
        guessed.append(f"used {given['criterion']!r} as the criterion")
    if terms is not None:  # the asks are the order, and no better one can be named
        used.add(columns.first_of(["time"]))
    guessed += unused_columns(columns, given, used | {when})
    return Layout(
        left,
        right,
        how,
        answers,
        **given,
        decoy=decoy,
        receipt=receipt,
        escape=escape,
        ask=ask,
        terms=terms,
        when=when,
        known_by=known_by,
        judge=judge,
        reason=columns.first_of(["reason"]) if receipt else None,
        both_orders=_shared(columns, options.both_orders, given["criterion"]),
        score_range=options.score_range or (judge and judge.score_range) or (1.0, 0.0),
        guessed=tuple(guessed),
    )


def _criterion(columns: Columns, options: ReadOptions, given: str | None) -> str | None:
    """The column of criteria: as given, or by its name where criteria are given."""
    if given is None and options.criteria is not None:
        given = columns.first_of(USEFUL["criterion"])
        if given is None:
            columns.refuse("a column of criteria", "--criterion")
    return given


def _check_apart(
    label: str, named: Mapping[str, str | None], sides: Sequence[str], answers: Sequence[str]
) -> None:
    """Raise about a column of the items or of the answer that is to say something else, too."""
    for option, what in _APART.items():
        column = named[option]
        held = "an item of each pair" if column in sides else "the answers"
        if column in sides or column in answers:
            raise ParameterError(
                f"--{option} is {column!r}, which holds {held} in {label}, but the column that "
                f"{what} was expected"
            )


def _shared(
    columns: Columns, given: tuple[str, ...] | None, criterion: str | None
) -> tuple[str, ...]:
    """The columns that both orders of a judgment share; a judgment is about one criterion."""
    if not given:
        return ()
    found = [c if "&" in c else str(columns.exactly(c, "both-orders")) for c in given]
    return tuple(dict.fromkeys([*found, *([] if criterion is None else [criterion])]))


def _says_columns(options: ReadOptions) -> bool:
    """Whether options say which columns are the items' and the answer's."""
    said = ("left", "right", "winner", "loser", "score", "scores", "ranks")
    return any(getattr(options, name) is not None for name in said)


def _ask_column(columns: Columns, options: ReadOptions, guessed: list[str]) -> str | None:
    given = columns.exactly(options.ask, "ask")
    if given is not None or options.ordered is False:
        return given
    found = columns.first_of(_ASK)
    if found is not None:
        guessed.append(f"used {found!r} as the number of the ask that a row answers")
    return found


def _order(
    columns: Columns,
    options: ReadOptions,
    given: dict[str, str | None],
    used: set[str | None],
    ask: str | None,
) -> tuple[str | None, str | None]:
    """The column whose times say the order of the votes, and what says it, if anything does."""
    if options.ordered is False:
        return None, None
    if ask is not None or options.ordered:
        return None, "asks" if ask is not None else "rows"
    if given["cluster"] is not None:
        return None, None
    when = given["time"]
    if when is None and given["count"] is None:
        header = columns.header
        fitting = (n for n in header if suggests(n, "time") and header.count(n) == 1)
        when = next((name for name in fitting if name not in used), None)
    return when, None if when is None else "time"


def _of_study(columns: Columns, guessed: list[str]) -> tuple[str | None, str | None, str | None]:
    """The columns that only an exported study has.

    They say which rows are no evidence about its items, and that texts have apostrophes.
    """
    if not set(_STUDY) <= set(columns.plain):
        return None, None, None
    decoy, receipt = (columns.first_of([name]) for name in _STUDY[-2:])
    guessed.append(
        f"read as the export of a study: {receipt!r} says which answers are not used, and "
        f"{decoy!r} which duels were against a decoy"
    )
    escape = columns.first_of([ESCAPE])
    if escape is not None:
        guessed.append(f"removed the apostrophes that the column {escape!r} marks")
    return decoy, receipt, escape


def ballot_columns(
    label: str, header: Sequence[str], options: ReadOptions
) -> tuple[str, ...] | None:
    """The columns of ballots, if a row is one and not a vote on two items."""
    columns = Columns(label, header)
    if options.ballots is not None:
        given = tuple(str(columns.exactly(column, "ballots")) for column in options.ballots)
        _check_places(columns, given)
        return given
    found = places_of_ballots(header)
    if options.wide or options.unit or options.item:
        return None
    if not found or _says_columns(options) or recognised(columns.plain, nested=False):
        return None
    if len(found) == 1:  # a column of text beside two items or an answer is no ranking
        answered = columns.first_of((*_ANSWER, *_SCORE)) not in (None, *found)
        return None if answered or columns.sides(options, []) else found
    # Two places may be two items, and any column of unknown use beside them the answer.
    others = (name for name in header if name not in found)
    unknown = any(not any(suggests(name, role) for role in USEFUL) for name in others)
    return None if len(found) == 2 and unknown else found


def _check_places(columns: Columns, given: tuple[str, ...]) -> None:
    """Raise about columns of ballots that are those of the two items beside an answer."""
    if {*given} <= {*places_of_ballots(columns.header)}:
        return
    answer = columns.first_of(_ANSWER)
    sides = columns.sides(ReadOptions(), [])
    if answer is not None and sides is not None and {*given} == {*sides}:
        raise ParameterError(
            f"--ballots names {given[0]!r} and {given[1]!r}, which hold the two items of each vote "
            f"in {columns.label}, beside the answers in {answer!r}, but columns of places were "
            "expected: leave --ballots out, to read each row as a vote"
        )


def count_hints(
    label: str, header: Sequence[str], options: ReadOptions, used: Sequence[str]
) -> list[str]:
    """A sentence on each column that may say how many voters a ballot stands for."""
    columns = Columns(label, header)
    given = dict.fromkeys(USEFUL, "") | {"count": columns.exactly(options.count, "count")}
    return unused_columns(columns, given, set(used))


def _as_said(header: Sequence[str]) -> str:
    """How to say which columns are which, with the names of a file that may have just these."""
    # Those of times, voters and the like are neither items nor answers.
    fitting = [name for name in header if not any(suggests(name, role) for role in USEFUL)]
    if len(fitting) < 3:
        return "--left and --right, or "
    left, right, winner = map(as_argument, fitting[:3])
    return f"--left and --right, as in --left={left} --right={right} --winner={winner}; or "


def two_items(label: str, header: Sequence[str]) -> tuple[str, str]:
    """The columns of the two items of a pair, or a FileError if there are none."""
    columns = Columns(label, header)
    found = columns.sides(ReadOptions(), [])
    if found is None:
        columns.refuse(
            "a pair of columns with the two items",
            "the names left and right",
            columns.misspelt(_TWO_ITEMS),
        )
    return found


def item_column(header: Sequence[str], others: Sequence[str]) -> str:
    """The column of items in a table with a row per item: one called so, else the first."""
    plain = {plain_name(name): name for name in reversed(header) if name not in others}
    return next((plain[name] for name in _ITEM if name in plain), header[0])


def only_column(label: str, header: Sequence[str], column: str, option: str) -> str:
    """The column of that name, or a FileError if there is none, or more than one."""
    return str(Columns(label, header).exactly(column, option))


def _both_and_answer(
    columns: Columns, options: ReadOptions, guessed: list[str]
) -> tuple[str, str, str, tuple[str, ...]]:
    answer = _given_answer(columns, options)
    given_sides = options.left is not None or options.right is not None
    sides = None if options.loser else columns.sides(options, guessed)
    if sides is None and not given_sides and answer is None:
        won = columns.exactly(options.winner, "winner") or columns.first_of(WON)
        lost = columns.exactly(options.loser, "loser") or columns.first_of(LOST)
        if won is not None and lost is not None:
            if options.winner is None or options.loser is None:
                guessed.append(
                    f"used {won!r} as the item that won and {lost!r} as the one that lost"
                )
            return won, lost, "loser", ()
    if sides is None:
        columns.refuse(
            "a pair of columns with the two items",
            f"{_as_said(columns.header)}--winner and --loser; for files of scores, rankings or "
            f"grades: {in_python('antichain.ReadOptions', typed='antichain help reading')}",
            columns.misspelt(_ANSWERED + _TWO_ITEMS),
        )
    if answer is None:
        given = columns.exactly(options.winner, "winner")
        if given is not None and given in sides:
            raise ParameterError(
                f"--winner is {given!r}, which already names one item of each pair in "
                f"{columns.label}, but the column with the answer was expected"
            )
        column = given or columns.first_of((*_ANSWER, *_ANSWER_OF_FORM))
        score = None if column else columns.first_of(_SCORE)
        if column is None and score is None:
            column = answer_in_other_words([c for c in columns.header if c not in sides])
        if column is None and score is None:
            columns.refuse(
                "a column with the winner",
                "--winner, --score, --scores or --ranks; if columns hold items' scores, --wide",
                columns.misspelt(_AN_ANSWER),
            )
        if given is None:
            what = "the answer" if column else "the score of the left item (from 0 to 1)"
            guessed.append(f"used {column or score!r} as {what}")
        answer = ("winner", (column,)) if column else ("score", (str(score),))
    return *sides, *answer


def _given_answer(columns: Columns, options: ReadOptions) -> tuple[str, tuple[str, ...]] | None:
    for how in ("scores", "ranks"):
        pair = getattr(options, how)
        if pair is not None:
            return how, tuple(str(columns.exactly(column, how)) for column in pair)
    if options.score is not None:
        return "score", (str(columns.exactly(options.score, "score")),)
    return None
