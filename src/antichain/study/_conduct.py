"""How a study is held: what a study file says besides its items (docs/guides/serve.md).

Every complaint names the line of the file that it is about, as far as a look for the key finds it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from urllib.parse import urlsplit

from antichain._files import is_one_line
from antichain._text import did_you_mean, names, shown
from antichain.algorithms._base import Rules
from antichain.algorithms._certifying import Certifying
from antichain.errors import AntichainError, FileError

ANSWERS_OFFERED = ("tie", "incomparable", "skipped", "dont_know")
LANGUAGES = ("en", "de")
MOST_VOTERS = 20_000
NO_VOTERS = (".", "..")  # addresses would lead past them
_MOST_LEASE = 7 * 86_400
_TABLE = re.compile(r"^\s*(\[\[?)\s*([\w.\"-]+)\s*\]\]?\s*(#.*)?$")
_LONG = ('"""', "'''")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"""[\s\S]*|\'\'\'[\s\S]*'
    r'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{},]',
    re.DOTALL,
)
_KEY = re.compile(r"^\s*([\w-]+|\"[^\"]*\")\s*(\.\s*([\w-]+))?\s*=")


@dataclass(frozen=True)
class Ending:
    """What voters see at the end: a text, and for crowd workers a code and where to go on."""

    text: str = ""
    code: str | None = None
    redirect: str | None = None


@dataclass(frozen=True)
class Conduct:
    """How a study is held.

    Attributes:
        algorithm: Who asks, if the file says what is promised or assumed; None by default.
        answers: Which of `ANSWERS_OFFERED` voters can give besides the two sides.
        reasons: Reasons that voters may choose from.
        voters: Whose links there are, with the token of each if the file has it; None if whoever
            has the link may vote.
        session: After how many answers a voter is done, or None.
        lease: After how many seconds an ask that is not answered is given up.
        checks: After how many asks a voter's attention is checked, where there are decoys.
        language: Of the few words on the voting page.
        most_votes: After how many asks the study is over, or None.
        closes: When it is over (seconds since 1970), or None.
        ending: What voters see at the end.
    """

    algorithm: Certifying | None = None
    answers: tuple[str, ...] = ANSWERS_OFFERED[:3]
    reasons: tuple[str, ...] = ()
    voters: Mapping[str, str | None] | None = None
    session: int | None = None
    lease: float = 600.0
    checks: int = 20
    language: str = "en"
    most_votes: int | None = None
    closes: float | None = None
    ending: Ending = Ending()


CONDUCT_KEYS = (
    "delta", "epsilon", "assume", "budget", "decoy_gap", "unanswered", "answers", "reasons",
    "voters", "session", "lease", "checks", "language", "stop", "end",
)  # fmt: skip


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """The texts, brackets and commas of TOML, each with its line."""
    line, end = 1, 0
    for found in _TOKEN.finditer(text):
        line, end = line + text.count("\n", end, found.start()), found.start()
        if not found[0].startswith("#"):
            yield line, found[0]


def unclosed(text: str) -> int | None:
    """The line of the last list, table or long text that the TOML begins and does not end."""
    open_at: list[int] = []
    for line, token in _tokens(text):
        if token in ("[", "{") or (token[:3] in _LONG and not token[3:].endswith(token[:3])):
            open_at.append(line)
        elif token in ("]", "}") and open_at:
            open_at.pop()
    return open_at[-1] if open_at else None


class Places:
    """Where the keys of a TOML file stand."""

    def __init__(self, path: object, text: str = "") -> None:
        self._path = path
        self._lines: dict[tuple[str, int, str], int] = {}
        table, count, quote = "", {"": 0}, ""
        for number, line in enumerate(text.split("\n"), start=1):
            if quote:  # inside a text of several lines
                quote = "" if quote in line else quote
                continue
            if found := _TABLE.match(line):
                table = found[2].strip('"')
                count[table] = count.get(table, 0) + (found[1] == "[[")
                self._lines.setdefault((table, count[table], ""), number)
            elif found := _KEY.match(line):
                key = found[1].strip('"')
                place = (key, 0, found[3]) if found[3] else (table, count.get(table, 0), key)
                self._lines.setdefault(place, number)
            for mark in ('"""', "'''"):
                if line.count(mark) % 2:
                    quote = mark

        if (begins := self._lines.get(("", 0, "items"))) is not None:
            self._add_list("items", begins, "\n".join(text.split("\n")[begins - 1 :]))

    def _add_list(self, key: str, begins: int, text: str) -> None:
        """Take in where each entry of a list stands, given the text from its key on."""
        depth, number, started = 0, 1, False
        for line, token in _tokens(text):
            depth -= token in ("]", "}")
            if depth == 0 and token == "]":
                return
            if depth == 1 and token == ",":
                number, started = number + 1, False
            elif depth == 1 and not started:
                started = True
                self._lines[key, number, ""] = begins + line - 1
            depth += token in ("[", "{")

    def line(self, table: str, key: str, index: int) -> str:
        """The line of a key of a numbered table, or of the table, and the number."""
        for place in ((table, index, key), (table, index, "")):
            if number := self._lines.get(place):
                return f"line {number}, item {index}"
        return f"item {index}"

    def __call__(self, table: str = "", key: str = "", index: int = 0) -> str:
        """The file and the line of a key, or of its table if the key stands nowhere."""
        for place in (
            (table, index, key), (table, index, ""), ("", 0, table), ("", 0, key), (key, 0, ""),
        ):  # fmt: skip
            if number := self._lines.get(place):
                return f"{self._path}, line {number}"
        return str(self._path)


def check_keys(where: str, document: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in document:
        if key not in known:
            listed = f", but only {', '.join(known)} are known."
            raise FileError(f"{where} has {shown(key)}{did_you_mean(key, known) or listed}")


def text_of(where: str, document: Mapping[str, Any], key: str, default: str) -> str:
    value = document.get(key, default)
    if not isinstance(value, str):
        raise FileError(f"{where}: {key} is {shown(value)}, but text was expected.")
    return value


def read_conduct(
    document: Mapping[str, Any],
    at: Places,
    tokens: Callable[[str, str], Mapping[str, str | None]] | None = None,
) -> Conduct:
    """What a study file says of how the study is held.

    Args:
        document: The file.
        at: Where its keys stand.
        tokens: Reads the voters that a file beside this one has, given its place and its name;
            None where there are no files.
    """
    read = _TableReader(document, at)
    answers, stop, end = read.table("answers"), read.table("stop"), read.table("end")
    return Conduct(
        algorithm=_promised(document, at),
        answers=answers.chosen(ANSWERS_OFFERED, ("tie", "incomparable", "skipped")),
        reasons=read.texts("reasons", 20),
        voters=_voters(document, at, tokens),
        session=read.number("session", 1, 10**6, whole=True),
        lease=read.number("lease", 1, _MOST_LEASE) or 600.0,
        checks=read.number("checks", 1, 10**6, whole=True) or 20,
        language=read.word("language", LANGUAGES),
        most_votes=stop.number("votes", 1, 10**9, whole=True),
        closes=stop.moment("date"),
        ending=Ending(end.text("text") or "", end.text("code"), end.address("redirect")),
    )


def _promised(document: Mapping[str, Any], at: Places) -> Certifying | None:
    given = {
        key: document[key]
        for key in ("delta", "epsilon", "assume", "budget", "decoy_gap")
        if key in document
    }
    if "unanswered" in document:
        how = _TableReader(document, at).word("unanswered", ("against", "ignore"))
        given["rules"] = Rules(lost="ignore" if how == "ignore" else "against")
    _TableReader(document, at).number("budget", 1, 10**9, whole=True)
    if isinstance(given.get("assume"), str):
        given["assume"] = [given["assume"]]
    for key in given:
        try:  # one by one, so that the line is that of the key that is wrong
            Certifying.from_options({key: given[key]})
        except (AntichainError, TypeError, ValueError) as error:
            raise FileError(f"{at('', key)}: {str(error).rstrip('.')}.") from error
    return Certifying.from_options(given) if given else None


def _voters(
    document: Mapping[str, Any],
    at: Places,
    tokens: Callable[[str, str], Mapping[str, str | None]] | None,
) -> Mapping[str, str | None] | None:
    given, where = document.get("voters", "open"), at("", "voters")
    if given == "open":
        return None
    found: Mapping[str, str | None] | None = None
    if isinstance(given, str) and tokens is not None:
        found = tokens(where, given)
    elif isinstance(given, int) and not isinstance(given, bool) and 0 < given <= MOST_VOTERS:
        found = {f"voter {k}": None for k in range(1, given + 1)}
    elif isinstance(given, list) and all(isinstance(name, str) for name in given):
        found = dict.fromkeys(given)
    for name in found or ():
        if not is_one_line(name) or name in NO_VOTERS:
            raise FileError(f"{where} has the voter {name!a}, but a name on one line was expected.")
    if (
        not found
        or len(found) > MOST_VOTERS
        or (isinstance(given, list) and len(found) < len(given))
    ):
        raise FileError(
            f'{where}: voters is {shown(given)}, but "open", the number of voters, a list of '
            f"different names or the name of a CSV file was expected, with at most {MOST_VOTERS:,} "
            "voters."
        )
    return found


@dataclass(frozen=True)
class _TableReader:
    """Values of a table of the file, each checked."""

    document: Mapping[str, Any]
    at: Places
    name: str = ""

    def table(self, key: str) -> _TableReader:
        found = self.document.get(key, {})
        if not isinstance(found, dict):
            raise FileError(
                f"{self.at('', key)}: {key} is {shown(found)}, but a table was expected."
            )
        known = {"answers": ANSWERS_OFFERED, "stop": ("votes", "date")}
        reader = _TableReader(found, self.at, key)
        for one in found:
            check_keys(self.at(key, one), {one: 0}, known.get(key, ("text", "code", "redirect")))
        return reader

    def _refuse(self, key: str, wanted: str) -> FileError:
        where = self.at(self.name, key)
        return FileError(
            f"{where}: {key} is {shown(self.document[key])}, but {wanted} was expected."
        )

    def number(self, key: str, least: int, most: int, *, whole: bool = False) -> Any:
        value = self.document.get(key)
        if value is None:
            return None
        good = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not good or not (math.isfinite(value) and least <= value <= most):
            kind = "a whole number" if whole else "a number"
            raise self._refuse(key, f"{kind} from {least:,} to {most:,}")
        return value

    def word(self, key: str, known: tuple[str, ...]) -> str:
        value = self.document.get(key, known[0])
        if value not in known:
            raise self._refuse(key, f"one of {names(known)}")
        return str(value)

    def text(self, key: str) -> str | None:
        return text_of(self.at(self.name, key), self.document, key, "") or None

    def texts(self, key: str, most: int) -> tuple[str, ...]:
        value = self.document.get(key, [])
        texts = isinstance(value, list) and all(isinstance(text, str) and text for text in value)
        if not texts or len(value) > most:
            raise self._refuse(key, f"a list of at most {most} texts")
        return tuple(value)

    def chosen(self, known: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...]:
        for key, value in self.document.items():
            if not isinstance(value, bool):
                raise self._refuse(key, "true or false")
        return tuple(key for key in known if self.document.get(key, key in default))

    def moment(self, key: str) -> float | None:
        value = self.document.get(key)
        if isinstance(value, str):
            try:
                value = (date if len(value) == 10 else datetime).fromisoformat(value)
            except ValueError:
                raise self._refuse(key, "a date such as 2030-01-31") from None
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time.max)  # that day is the last one
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if value is not None:
            raise self._refuse(key, "a date such as 2030-01-31")
        return None

    def address(self, key: str) -> str | None:
        value = self.text(key)
        if value is not None and not is_web_address(value):
            raise self._refuse(key, "an address that begins with https:// or http://")
        return value


def is_web_address(text: str) -> bool:
    """Whether a page may link to this."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    good = parts.scheme in ("http", "https") and bool(parts.netloc)
    return good and text.isprintable() and " " not in text and len(text) < 2000
