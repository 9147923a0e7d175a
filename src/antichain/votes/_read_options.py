"""The options of a reader of votes."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from antichain._checks import is_number, said
from antichain._files import is_one_line, read_text
from antichain._limits import LIST_BYTES, LISTED_NAMES
from antichain._option_names import in_python
from antichain._text import as_argument
from antichain.errors import ParameterError
from antichain.sources._delimited import check_delimiter
from antichain.sources._lm_eval import TABLES
from antichain.votes._attributes import Attributes
from antichain.votes._decoy_names import Decoys, supplied_decoys
from antichain.votes._vote_log import ANSWERS, Meanings

KINDS = ("csv", "lines", "json", "parquet")
READINGS = ("auto", "names", "sides")
UNANSWERED = ("stop", "ignore")
MEANINGS_OF_WORDS = (*ANSWERS, "given_up")
"""What a word may be given as its meaning, in the order of their codes."""

_TEXTS = ("left", "right", "winner", "loser", "score", "count", "voter", "time", "cluster", "ask",
          "criterion", "delimiter", "encoding", "kind", "answers", "unanswered", "item",
          "unit")  # fmt: skip
_SWITCHES = ("skip_bad", "history", "fold", "wide", "higher")
_NOT_OF_SCORES = ("left", "right", "winner", "loser", "scores", "ranks", "count", "voter", "time",
                  "cluster", "ask", "ordered", "decoys", "words", "named_decoys", "score_range",
                  "both_orders", "ballots", "criterion", "criteria")  # fmt: skip
_BELONG = (
    "--item, --unit and --score (or --wide), --lower and --margin are for a table of scores, and "
    "--left, --right, --winner, --cluster, --criterion and the like are for votes on pairs"
)
_OF_SCORES = ("unit", "item", "wide", "higher", "margin")
_DECOYS_BY_NAME = "or a mapping from each item's name to its decoy's"
_DECOYS_FILE = "--decoys takes a file"


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table of votes: which column holds what, and how rows count.

    An option that is None is guessed from the table, or not used.

    Attributes:
        left: The column of one item.
        right: The column of the other item.
        winner: The column of the answer; together with `loser`, the column of the item that won.
        loser: The column of the item that lost.
        score: The column of the left item's score, from 0 to 1: 1 if it won, 0 if the right one
            did, 0.5 for a tie, or anything in between.
        score_range: The score that is a sure win for the left item and the one that is a sure win
            for the right item, if they are not 1 and 0: for example (1, 2) or (10, -10).
        scores: The columns of the left and the right item's points; more points win.
        ranks: The columns of the left and the right item's ranks; the lower rank wins.
        count: The column that says how many votes a row stands for.
        voter: The column of the voter.
        time: The column of the time, a number or an ISO date; it orders the history and the votes.
        cluster: The column that votes share when they are not independent, such as the voter or
            the prompt; each cluster counts as one observation.
        both_orders: The columns that the two orders of one judgment share besides its pair, such as
            the question and the judge. These rows are one vote, with the mean score of both orders.
        ballots: The columns of rankings, if each row is a ballot: one column per place, the best
            first, or a single column with rankings such as "a > b = c".
        fold: Whether names that differ only by case, spaces or punctuation are the same.
        criterion: The column that says what a vote is about, if there are several questions:
            coding, writing, … (docs/guides/criteria.md).
        criteria: The criteria that count, if they were chosen beforehand; rows about other criteria
            do not count, and their number is reported.
        ask: The column of the number of the ask that a row answers: 1, 2, 3, …
        ordered: True if the rows are in the order in which they were asked. False if their order
            means nothing; then no column is guessed to hold ask numbers or times. None to use ask
            numbers or times where there are any.
        unanswered: What asks without an answer mean where the order of the votes is evidence:
            "stop" (answers are read up to the first open ask, and asks that were given up count
            against every claim) or "ignore" (as if never asked, which assumes that whether an ask
            is answered does not depend on what the answer would be). None means "stop", unless a
            study's export says that asks that were given up count for nothing.
        items: The items that the log is about; rows about other items do not count, and their
            number is reported.
        decoys: The name of each item's decoy, or the ending that decoys' names have. Duels against
            decoys are kept apart (`VoteLog.decoys`).
        attributes: What is known of each item without votes, such as its price
            (`antichain.read_attributes`).
        delimiter: The character between the fields of a text file.
        encoding: The encoding of a text file that is not UTF-8, such as "windows-1252".
        kind: The format ("csv", "lines", "json" or "parquet"), if the file's name does not say it.
        words: What further words mean as answers, such as {"0": "tie"}. A meaning is one of left,
            right, tie, both_bad, incomparable, skipped and, with ask numbers, given_up.
        answers: Whether answers are names of items ("names"), words for sides ("sides"), or either
            ("auto").
        meanings: How ties and other answers without a winner count.
        skip_bad: Whether to skip and count rows that are not votes, instead of raising an error.
        history: Whether to keep how the counts grew.
        named_decoys: The names of decoys, as in `decoys`. Where an exported study showed an item's
            decoy, the duel is read as one with an item of that name, and is not kept apart.
        unit: For a table of scores: the column of what scored the items (a question, a task, a
            judge), or several columns separated by commas. Each unit compares every two items that
            it scored, once, and is one cluster.
        item: For a table of scores: the column of the item; `score` is then the item's own score.
        wide: For a table of scores: whether each column is an item and each row a unit (`unit` is
            the column of their names); with `item`, each row is an item and each other column a
            unit.
        higher: For a table of scores: whether higher scores are better.
        margin: For a table of scores: the largest difference at which two scores tie.
    """

    left: str | None = None
    right: str | None = None
    winner: str | None = None
    loser: str | None = None
    score: str | None = None
    score_range: tuple[float, float] | None = None
    scores: tuple[str, str] | None = None
    ranks: tuple[str, str] | None = None
    count: str | None = None
    voter: str | None = None
    time: str | None = None
    cluster: str | None = None
    both_orders: tuple[str, ...] | None = None
    ballots: tuple[str, ...] | None = None
    fold: bool = False
    criterion: str | None = None
    criteria: tuple[str, ...] | None = None
    ask: str | None = None
    ordered: bool | None = None
    unanswered: str | None = None
    items: tuple[str, ...] | None = None
    decoys: Decoys | None = None
    attributes: Attributes | None = None
    delimiter: str | None = None
    encoding: str | None = None
    kind: str | None = None
    words: Mapping[str, str] | None = None
    answers: str = "auto"
    meanings: Meanings = field(default_factory=Meanings)
    skip_bad: bool = False
    history: bool = True
    named_decoys: Decoys | None = None
    unit: str | None = None
    item: str | None = None
    wide: bool = False
    higher: bool = True
    margin: float = 0.0

    def __post_init__(self) -> None:
        self._check_types()
        check_delimiter(self.delimiter)
        self._check_answers_said_once()
        self._check_scores()
        self._check_encoding()
        self._check_decoys()
        self._check_words()
        if self.items is not None:
            object.__setattr__(self, "items", checked_items("items", self.items))
        if self.criteria is not None:
            object.__setattr__(
                self, "criteria", checked_items("criteria", self.criteria, "criteria", 1)
            )

    def _check_types(self) -> None:
        for names, is_good, wanted in (
            (_TEXTS, lambda value: value is None or isinstance(value, str), "a text was"),
            (_SWITCHES, lambda value: isinstance(value, bool), "yes or no (a bool) was"),
            (("attributes",), _is_attributes_or_none, "Attributes, as read_attributes gives, were"),
            (("meanings",), lambda value: isinstance(value, Meanings), "a Meanings was"),
            (("scores", "ranks"), _is_pair_or_none, "two columns were"),
            (("both_orders", "ballots"), _are_columns_or_none, "a list of columns was"),
            (("score_range",), _is_range_or_none, "two different numbers were"),
            (("kind",), (None, *KINDS).__contains__, f"one of {', '.join(KINDS)} was"),
            (("answers",), READINGS.__contains__, f"one of {', '.join(READINGS)} was"),
            (
                ("unanswered",),
                (None, *UNANSWERED).__contains__,
                f"one of {', '.join(UNANSWERED)} was",
            ),
            (("ordered",), _is_switch_or_none, "yes, no (a bool) or None was"),
            (
                ("words",),
                lambda value: value is None or isinstance(value, Mapping),
                "a mapping from words to answers was",
            ),
        ):
            for name in names:
                value = getattr(self, name)
                if not is_good(value):
                    called = name if name in (*_SWITCHES, "ordered") else flag_of(name)
                    like = ""
                    if name in ("both_orders", "ballots") and isinstance(value, str):
                        like = f", such as {[value]!r}"
                    raise ParameterError(f"{called} is {value!r}, but {wanted} expected{like}")

    def _check_scores(self) -> None:
        if not is_number(self.margin) or not 0 <= self.margin < math.inf:
            raise ParameterError(
                f"margin is {said(self.margin)}, but a number of at least 0 was expected"
            )
        asked = next((name for name in ("unit", "item", "wide") if getattr(self, name)), None)
        if asked is None:
            return
        if self.wide and self.score is not None:
            raise ParameterError(
                "--wide and --score are both given, but they cannot be used together: with --wide, "
                "several columns hold the scores"
            )
        self.check_for_scores(f"--{asked}", "are")
        if self.item is not None and self.unit is None and not self.wide:
            raise ParameterError(
                f"--item={as_argument(self.item)} is given without --unit, but the column that "
                "says what scored the items (a question, a task, a judge) was expected too; with "
                "one row per item, use --wide, or --grades if the numbers count votes"
            )
        if self.item is not None and self.unit is not None and self.wide:
            raise ParameterError(
                "--wide is given with --item and --unit, but only one of the two was expected: the "
                "other is in the column names"
            )

    def check_for_scores(self, why: str, given: str = "is") -> None:
        """Raise an error if an option for votes on pairs is given.

        `why` is the reason to expect a table of scores.
        """
        mixed = [name for name in _NOT_OF_SCORES if getattr(self, name) not in (None, False)]
        mixed += ["answers"] * (self.answers != "auto")
        mixed += ["unanswered"] * (self.unanswered is not None)
        if mixed:
            raise ParameterError(f"{why} and {flag_of(mixed[0])} {given} given, but {_BELONG}")

    def check_for_votes(self, label: str) -> None:
        """Refuse options of tables of scores for a log of votes on pairs."""
        usual = ReadOptions()
        given = [name for name in _OF_SCORES if getattr(self, name) != getattr(usual, name)]
        if given:
            raise ParameterError(
                f"{label} holds votes on pairs and {flag_of(given[0])} is given, but {_BELONG}"
            )

    def _check_encoding(self) -> None:
        if self.encoding is None:
            return
        try:
            "".encode(self.encoding)
        except (LookupError, TypeError, ValueError) as error:
            raise ParameterError(
                f"--encoding is {self.encoding!r}, but the name of an encoding was expected, such "
                "as windows-1252"
            ) from error

    def _check_decoys(self) -> None:
        for name in ("decoys", "named_decoys"):
            decoys = getattr(self, name)
            if isinstance(decoys, str) and not decoys.strip():
                raise ParameterError(
                    f"--decoy-suffix is {decoys!r}, but a text that the names of decoys end with "
                    "was expected"
                )
            if isinstance(decoys, str) and (decoys.endswith(TABLES) or os.path.isfile(decoys)):
                raise ParameterError(
                    f"--decoy-suffix is {decoys!r}, which is the name of a file, but the ending of "
                    f"decoys' names was expected ({in_python(_DECOYS_BY_NAME, typed=_DECOYS_FILE)})"
                )
            if decoys is not None and not isinstance(decoys, str):
                object.__setattr__(self, name, supplied_decoys(decoys, decoys))

    def _check_words(self) -> None:
        for word, meaning in (self.words or {}).items():
            if not isinstance(word, str) or meaning not in MEANINGS_OF_WORDS:
                raise ParameterError(
                    f"--words gives {word!r} the meaning {meaning!r}, but one of "
                    f"{', '.join(MEANINGS_OF_WORDS)} was expected"
                )

    def _check_answers_said_once(self) -> None:
        answers = ("winner", "score", "scores", "ranks")
        given = [name for name in answers if getattr(self, name) is not None]
        if len(given) > 1:
            raise ParameterError(
                f"{' and '.join(map(flag_of, given))} are given, but only one of "
                f"{', '.join(map(flag_of, answers))} was expected"
            )
        if self.loser is not None and (self.left is not None or self.right is not None):
            raise ParameterError(
                f"--loser={as_argument(self.loser)} is given together with --left or --right; give "
                "either --winner and --loser, or --left, --right and an answer"
            )
        if self.loser is not None and given not in ([], ["winner"]):
            raise ParameterError(
                f"--loser and {flag_of(given[0])} are given, but --loser belongs to --winner"
            )


def flag_of(name: str) -> str:
    """What an option that is not as usual is called on the command line."""
    return "--lower" if name == "higher" else f"--{name.replace('_', '-')}"


def _is_switch_or_none(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_range_or_none(value: object) -> bool:
    return value is None or (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(end, int | float) and abs(end) < 1e15 for end in value)
        and value[0] != value[1]
    )


def _are_columns_or_none(value: object) -> bool:
    return value is None or (
        isinstance(value, tuple | list)
        and len(value) > 0
        and all(isinstance(column, str) for column in value)
    )


def _is_attributes_or_none(value: object) -> bool:
    return value is None or isinstance(value, Attributes)


def _is_pair_or_none(value: object) -> bool:
    return value is None or (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(column, str) for column in value)
    )


def list_file(text: str) -> Path | None:
    """The file of a list that an option gives as "@file"; None where it names them itself."""
    return Path(text[1:]) if text.startswith("@") else None


def item_names(
    text: str, flag: str = "--items", noun: str = "items", least: int = 2
) -> tuple[str, ...]:
    """The names that an option gives: "a,b,c", or "@file" with one per line.

    Args:
        text: What was given.
        flag: The option, as errors name it.
        noun: What the names are of.
        least: The smallest number of names.
    """
    path = list_file(text)
    if path is None:
        listed = [name.strip() for name in text.split(",")]
        return checked_items(flag, listed, noun, least)
    if text == "@":
        raise ParameterError(f"{flag} is '@', but the name of a file was expected after the @")
    text = read_text(path, LIST_BYTES, "one name per line")
    # Not splitlines(): it would break a name at characters that no other reader takes for an end.
    lines = (line.strip() for line in text.split("\n"))
    where = f"{flag}={as_argument(f'@{path}')}"
    return checked_items(where, [line for line in lines if line], noun, least)


_ONE_OF = {"items": "item", "names": "name", "criteria": "criterion"}


def checked_items(
    where: str, names: object, noun: str = "items", least: int = 2
) -> tuple[str, ...]:
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ParameterError(f"{where} is {names!r}, but a list of names was expected")
    items = tuple(names)
    for name in items:
        if not isinstance(name, str) or not is_one_line(name):
            raise ParameterError(
                f"{where} holds {name!r}, but a name (one line of text) was expected"
            )
    if len(items) < least:
        raise ParameterError(
            f"{where} has {len(items)} {_ONE_OF[noun] if len(items) == 1 else noun}, "
            f"but at least {['', 'one', 'two'][least]} "
            f"{'was' if least == 1 else 'were'} expected"
        )
    if len(items) > LISTED_NAMES:
        raise ParameterError(
            f"{where} has {len(items):,} {noun}, but at most {LISTED_NAMES:,} were expected"
        )
    if len(set(items)) < len(items):
        twice = next(name for name, times in Counter(items).items() if times > 1)
        raise ParameterError(f"{where} holds {twice!r} twice, but different names were expected")
    return items


def word_meanings(text: str) -> dict[str, str]:
    """The meanings that an option gives to further words: "0=tie,links=left".

    >>> word_meanings("0=tie, -1=both bad")
    {'0': 'tie', '-1': 'both_bad'}
    """
    found = {}
    for part in text.split(","):
        word, mark, meaning = part.rpartition("=")
        if not mark:
            raise ParameterError(
                f"--words is {text!r}, but words and their meanings were expected, as in "
                "0=tie,links=left"
            )
        found[word.strip()] = meaning.strip().replace(" ", "_").replace("-", "_")
    return found
