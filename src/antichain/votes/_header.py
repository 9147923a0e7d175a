"""The header of a log: its columns, the names to find them by, and what to say without one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from antichain._option_names import in_python, option
from antichain._text import as_argument, did_you_mean, nearest
from antichain.errors import FileError
from antichain.sources._values import path_of
from antichain.votes._answer_words import SIDES
from antichain.votes._column_names import plain_name, sides_of_any_noun
from antichain.votes._read_options import ReadOptions

_NOUNS = ("", "item", "model", "option", "player", "team", "system", "sys", "candidate", "name",
          "choice", "response", "arm", "entry")  # fmt: skip
WON = ("winner", "winner_name", "won", "wteam", "wteamid", "winner_id", "winning_team", "chosen",
       "best")  # fmt: skip
LOST = ("loser", "loser_name", "lost", "lteam", "lteamid", "loser_id", "losing_team", "rejected",
        "worst")  # fmt: skip
_MOST_SEARCHED = 100  # columns among which a misspelt one is looked for
_NUMBERS = {
    "ranks": r"rank$",
    "scores": r"score|goals|points|^ft[ha]g$|^winner_(model_|player_|team_)?([ab12]|left|right)$",
}  # what columns are called that hold a number of either side
_ASKED_OF = re.compile(r"^(what_?i?s_)?(your|my)_")  # as forms ask the voter: Your name
_MATRIX = re.compile(r"[01]?\.\d+(\s+[01]?\.\d+)+")  # the first row of one, taken as a header
USEFUL = {
    "voter": (
        "voter",
        "worker",
        "user",
        "annotator",
        "judge",
        "rater",
        "assessor",
        "person",
        "who",
        "colleague",
        "employee",
        "student",
        "juror",
        "participant",
        "respondent",
        "reviewer",
        "evaluator",
        "email",
        "e_mail",
        "email_address",
        "e_mail_address",
        "mail",
        "login",
        "nickname",
        "initials",
        "full_name",
        "name",
    ),
    "cluster": (
        "prompt",
        "question",
        "instruction",
        "topic",
        "task",
        "segment",
        "conversation",
        "srcindex",
        "uid",
    ),
    "time": ("time", "timestamp", "tstamp", "date", "datetime", "created_at"),
    "count": ("count", "counts", "votes", "weight", "times", "n"),
    "criterion": ("criterion", "criteria", "aspect", "dimension"),
}


class MissingColumnError(FileError):
    """A table has no column for something that is needed, or more than one."""


class Columns:
    """The columns of a log, and names to find them by."""

    def __init__(self, label: str, header: Sequence[str], nested: bool = False) -> None:
        self.label, self._nested = label, nested
        self.header = list(header)
        self.plain = [plain_name(name) for name in self.header]

    def misspelt(self, wanted: Iterable[Sequence[str]]) -> str:
        """A question, if columns have nearly the first of these sets of names that any fit."""
        if len(self.header) > _MOST_SEARCHED:
            return ""
        for names in wanted:
            found = {name: self._nearly(name) for name in names}
            if None not in found.values() and len({*found.values()}) == len(found):
                meant = [f"{n} for {c!r}" for n, c in found.items() if n not in self.plain]
                return f"; did you mean {', '.join(meant)}?" if meant else ""
        return ""

    def _nearly(self, name: str) -> str | None:
        """The column of this name, or one that is nearly called so and not known by its own."""
        if name in self.plain:
            return self.header[self.plain.index(name)]
        unknown = (c for c in self.header if not any(suggests(c, role) for role in USEFUL))
        return nearest(name, unknown)

    def refuse(self, what: str, options: str, meant: str = "") -> NoReturn:
        """Raise about a column that is not there, and say which option names it."""
        hint = ""
        if _MATRIX.fullmatch(" ".join(self.header)):
            hint = "; antichain matrix reads a matrix of chances"
        if self.header[:1] and self.header[0].startswith("# FILE NAME"):
            hint = "; PrefLib files need a name that ends in .soc, .soi, .toc or .toi"
        for role, pattern in _NUMBERS.items():
            fitting = [name for name in self.header if re.search(pattern, plain_name(name))]
            if len(fitting) == 2:
                hint = f"; perhaps --{role}={','.join(fitting)}"
        if not hint and self._is_list():
            typed = f"to let people vote on them: antichain serve {as_argument(self.label)}"
            raise MissingColumnError(
                f"{self.label} looks like a list of items, but votes on them were expected "
                f"({in_python('antichain.Study collects votes', typed=typed)})"
            )
        raise MissingColumnError(
            f"{self.label} has {self.shown()}, but {what} was expected{meant} (say which with "
            f"{options}{hint})"
        )

    def _is_list(self) -> bool:
        """Whether this looks like a list of items, one per line, and not like a table."""
        if len(self.header) != 1 or re.search(r"[>=;|]", self.header[0]):
            return False
        path = Path(self.label)
        return path.suffix in ("", ".txt") and path.is_file()

    def shown(self) -> str:
        """The columns, as a sentence says which ones there are."""
        text = ", ".join(self.header)
        if not self.header:
            return "no columns"
        columns = "column" if len(self.header) == 1 else "columns"
        return f"the {columns} {text if len(text) <= 200 else text[:197] + '...'!r}"

    def exactly(self, column: str | None, option: str) -> str | None:
        """The column of that name, which must be there once; None where none was asked for."""
        if column is None:
            return None
        if self._nested and column not in self.header and path_of(column)[0] in self.header:
            return column  # as in games[0].score
        found = [name for name in self.header if name == column] or [
            name for name in self.header if plain_name(name) == plain_name(column)
        ]
        if len(found) != 1:
            wanted = "exactly one column" if found else "a column"
            meant = "" if found else did_you_mean(column, self.header)
            raise MissingColumnError(
                f"{self.label} has {self.shown()}, but {wanted} {column!r} was expected{meant} "
                f"(see --{option})"
            )
        return found[0]

    def first_of(self, names: Sequence[str]) -> str | None:
        """The first of these names that is a column, or None."""
        for name in names:
            if name in self.plain:
                return self.exactly(self.header[self.plain.index(name)], name)
        return None

    def fitting(self, names: Sequence[str]) -> list[str]:
        """The columns with one of these names, each there once, in the order of the names."""
        found = [name for wanted in names for name in self.header if plain_name(name) == wanted]
        return [name for name in dict.fromkeys(found) if found.count(name) == 1]

    def has_pairs(self) -> bool:
        """Whether columns of two items, or of winners and losers, can be told by their names."""
        both = all(any(name in self.plain for name in names) for names in (WON, LOST))
        return both or self.sides(ReadOptions(), []) is not None

    def sides(self, options: ReadOptions, guessed: list[str]) -> tuple[str, str] | None:
        """The columns of the two items; None where nothing fits."""
        left = self.exactly(options.left, "left")
        right = self.exactly(options.right, "right")
        if left is not None and right is not None:
            if left == right:
                self.refuse(
                    f"a different column for each item (not {left!r} twice)", "--left and --right"
                )
            return left, right
        found = [
            (self.header[self.plain.index(one)], self.header[self.plain.index(other)])
            for one, other in _pairs_of_names()
            if one in self.plain and other in self.plain
        ]
        if not found and not (self.first_of(WON) and self.first_of(LOST)):
            found = sides_of_any_noun(self.header)
        found = [pair for pair in found if left in (None, pair[0]) and right in (None, pair[1])]
        if not found:
            return None
        one, other = (str(self.exactly(column, "left")) for column in found[0])
        rest = [" and ".join(map(repr, pair)) for pair in found[1:]]
        also = f" (not {', '.join(rest)}, which would fit too)" if rest else ""
        guessed.append(f"used {one!r} and {other!r} as the two items{also}")
        return one, other


def unused_columns(
    columns: Columns, given: dict[str, str | None], used: set[str | None]
) -> list[str]:
    """What could be of use among the columns that are not used."""
    notes = []
    for role in USEFUL:
        for name in columns.header:
            if given[role] is None and name not in used and suggests(name, role):
                notes.append(
                    f"did not use the column {name!r}; if it holds the {role}, add "
                    f"{option(role, name)}"
                )
                if role == "voter":
                    notes[-1] += (
                        f" to check for repeated votes, or {option('cluster', name)} for verdicts "
                        "that hold even if each person's votes are alike (for now, every vote "
                        "counts separately)"
                    )
    return notes


def suggests(name: str, role: str) -> bool:
    """Whether a column of this name may have this role."""
    plain = plain_name(name)
    if role == "voter":
        plain = _ASKED_OF.sub("", plain)
    bare = re.sub(r"_?(id|name|hash)$", "", plain)
    return bare in USEFUL[role] or plain in USEFUL[role]


def _pairs_of_names() -> list[tuple[str, str]]:
    """Names of the columns of two items, the likeliest first."""
    pairs = []
    for noun in _NOUNS:
        for one, other in SIDES:
            if noun == "" and one == "1":
                continue
            for form in ("{noun}_{side}", "{noun}{side}", "{side}_{noun}", "{side}{noun}",
                         "{noun}_{side}_name", "{noun}{side}id", "{noun}_{side}_id"):  # fmt: skip
                names = [form.format(noun=noun, side=side).strip("_") for side in (one, other)]
                pairs.append((names[0], names[1]))
    return list(dict.fromkeys(pairs))
