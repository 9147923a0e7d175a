"""What a reader of votes can be told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from antichain.errors import FileError, ParameterError
from antichain.files import is_one_line
from antichain.logs.votes import Meanings

KINDS = ("csv", "lines", "json", "parquet")
READINGS = ("auto", "names", "sides")


@dataclass(frozen=True)
class ReadOptions:
    """Which column is what, and what to make of the rows. What is None is guessed or not used.

    Attributes:
        left: The column of one item.
        right: The column of the other item.
        winner: The column of the answer, or, together with `loser`, of the item that won.
        loser: The column of the item that lost.
        score: The column of the left item's score: 1, 0 or 0.5.
        scores: The columns of the left and the right item's points: more points win.
        ranks: The columns of the left and the right item's ranks: the lower rank wins.
        count: The column that says how many votes a row stands for.
        voter: The column of who voted.
        time: The column of when, a number or an ISO date: orders the history.
        cluster: The column of what votes share that are not independent.
        items: The items the log is about; rows about others are counted apart.
        delimiter: Between the fields of a text.
        kind: "csv", "lines", "json" or "parquet", where the name does not say it.
        answers: Whether answers are item names, words for sides, or either ("auto").
        meanings: What ties and the like are taken to mean.
        skip_bad: Whether to pass rows that are no votes, and count them.
        history: Whether to keep how the counts grew.
        order: Whether to keep the votes in their order.
        decoys: What the names of decoys end with. A duel of an exported study against a decoy is
            then a vote about the item of that name, and not set apart.
    """

    left: str | None = None
    right: str | None = None
    winner: str | None = None
    loser: str | None = None
    score: str | None = None
    scores: tuple[str, str] | None = None
    ranks: tuple[str, str] | None = None
    count: str | None = None
    voter: str | None = None
    time: str | None = None
    cluster: str | None = None
    items: tuple[str, ...] | None = None
    delimiter: str | None = None
    kind: str | None = None
    answers: str = "auto"
    meanings: Meanings = field(default_factory=Meanings)
    skip_bad: bool = False
    history: bool = True
    order: bool = False
    decoys: str | None = None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS:
            raise ParameterError(
                f"kind is {self.kind!r}, but one of {', '.join(KINDS)} was expected"
            )
        if self.answers not in READINGS:
            raise ParameterError(
                f"answers is {self.answers!r}, but one of {', '.join(READINGS)} was expected"
            )
        if self.delimiter is not None and (
            len(self.delimiter.encode("utf-8", "replace")) != 1 or self.delimiter in '"\r\n'
        ):
            raise ParameterError(
                f"the delimiter is {self.delimiter!r}, but a single character (no quote) was "
                "expected"
            )
        for name in ("scores", "ranks"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, str) or len(value) != 2):
                raise ParameterError(f"{name} is {value!r}, but two columns were expected")
        self._check_answers_said_once()
        if self.items is not None:
            object.__setattr__(self, "items", _checked_items("items", self.items))

    def _check_answers_said_once(self) -> None:
        answers = ("winner", "score", "scores", "ranks")
        given = [name for name in answers if getattr(self, name) is not None]
        if len(given) > 1:
            raise ParameterError(
                f"{' and '.join(given)} are given, but only one of {', '.join(answers)} was "
                "expected"
            )
        if self.loser is not None and (self.left is not None or self.right is not None):
            raise ParameterError(
                f"loser is given ({self.loser!r}) together with left or right, but either winner "
                "and loser or left, right and an answer were expected"
            )
        if self.loser is not None and given not in ([], ["winner"]):
            raise ParameterError(f"loser and {given[0]} are given, but loser and winner belong")


def item_names(text: str) -> tuple[str, ...]:
    """The items an option names: "a,b,c", or "@file" with a name a line."""
    if not text.startswith("@"):
        return _checked_items("the list of items", [name.strip() for name in text.split(",")])
    path = Path(text[1:])
    try:
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text (byte {error.start} is not)") from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot read the items in {path}: {reason}") from error
    return _checked_items(str(path), [line.strip() for line in lines if line.strip()])


def _checked_items(where: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ParameterError(f"{where} is {names!r}, but a list of names was expected")
    items = tuple(names)
    for name in items:
        if not isinstance(name, str) or not is_one_line(name):
            raise ParameterError(f"{where} holds {name!r}, but names of one line were expected")
    if len(items) < 2:
        raise ParameterError(f"{where} has {len(items)} items, but at least two were expected")
    twice = next((name for k, name in enumerate(items) if name in items[:k]), None)
    if twice is not None:
        raise ParameterError(f"{where} holds {twice!r} twice, but different names were expected")
    return items
