"""Every MovieLens release, as its publisher packs it: where the files are, and what is in them.

ml-20m, 25m, 32m, latest  ratings.csv  userId,movieId,rating,…   movies.csv (quoted titles)
ml-1m, 10m                ratings.dat  user::item::rating::…     movies.dat (Latin-1 in 1m)
ml-100k                   u.data       user<tab>item<tab>rating  u.item (bars, Latin-1)
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import compress
from pathlib import Path, PurePosixPath

from antichain._files import is_one_line
from antichain._limits import FILM_LIST_BYTES, megabytes
from antichain._text import refusal
from antichain.errors import FileError
from antichain.ratings._rating_log import MOST_DIGITS, RatingFormat, RatingLog
from antichain.sources._chunks import cut
from antichain.sources._opening import open_source
from antichain.sources._streams import ByteLog, check_unlocked, members, open_archive

_DEEPEST = 2  # folders around a release
_GENRES_100K = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime",
    "Documentary", "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance",
    "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip


_CSV = RatingFormat("userId", "movieId", "rating", ",", numbered=True)
# Between two colons there is an empty field.
_DAT = RatingFormat(delimiter=":", names=("user", "", "item", "", "rating"), numbered=True)
_DATA = RatingFormat(delimiter="\t", names=("user", "item", "rating"), numbered=True)


@dataclass(frozen=True)
class Film:
    title: str
    genres: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layout:
    """How one family of releases is laid out: its files, what separates films, and what they are.

    `film` makes a film of the fields of a row; None where they are none.
    """

    ratings: str
    films: str
    form: RatingFormat
    separator: str
    film: Callable[[list[str]], Film | None]


@dataclass(frozen=True, eq=False)
class Release:
    """One release: its ratings, and where its films are listed (in a folder or an archive)."""

    log: RatingLog
    container: Path
    ratings_file: str
    films_file: str
    layout: _Layout

    @property
    def files(self) -> list[Path]:
        """The files that are read: ratings and films, or the archive with both."""
        return [_place(self.container, name)[0] for name in (self.ratings_file, self.films_file)]

    def films(self) -> dict[int, Film]:
        found: dict[int, Film] = {}
        listed = self.container / self.films_file
        for line, fields in self._rows():
            film = self.layout.film(fields)
            number = fields[0].strip()
            if film is None or not (number.isdecimal() and len(number) <= MOST_DIGITS):
                text = self.layout.separator.join(fields)[:60]
                raise FileError(
                    f"{listed}, line {line} is {text!r}, but a film's number, title and genres "
                    "were expected"
                )
            if int(number) in found:
                raise FileError(f"{listed}, line {line} lists film {number} again")
            found[int(number)] = film
        return found

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """The fields of each film, with the number of the line."""
        text = _text(*_place(self.container, self.films_file))
        if self.layout.separator == ",":
            reader = csv.reader(io.StringIO(text, newline=""))
            try:
                header = next(reader, [])
                if header[:3] != ["movieId", "title", "genres"]:
                    raise FileError(
                        f"{self.container / self.films_file}, line 1 is {','.join(header)[:60]!r}, "
                        "but 'movieId,title,genres' was expected"
                    )
                yield from ((reader.line_num, row) for row in reader if row)
            except csv.Error as error:
                raise FileError(
                    f"{self.container / self.films_file}, line {reader.line_num} is not a row of "
                    f"a table ({error})"
                ) from error
            return
        # Not splitlines(): it would break a title at characters that Latin-1 bytes turn into.
        for line, row in enumerate(text.split("\n"), start=1):
            if row.rstrip("\r"):
                yield line, row.rstrip("\r").split(self.layout.separator)


def open_release(path: str | Path) -> Release:
    """The release in a folder, up to two folders deeper, or in a zip archive."""
    path = Path(path)
    try:
        if not path.exists():
            raise FileError(f"there is no {path}, but a MovieLens folder or zip was expected")
        if path.is_file() and path.name in {layout.ratings for layout in _LAYOUTS}:
            path = path.parent
        found = _releases_under(path)
    except OSError as error:
        raise FileError(f"cannot read {error.filename or path}: {refusal(error)}") from error
    if not found:
        names = ", ".join(layout.ratings for layout in _LAYOUTS)
        raise FileError(f"{path} has none of {names}, but a MovieLens release was expected")
    if len(found) > 1:
        several = ", ".join(release.log.label for release in found)
        raise FileError(f"{path} has several releases ({several}), but one of them was expected")
    return found[0]


def _releases_under(path: Path) -> list[Release]:
    """The releases at a path; failing that, in folders below; failing that, in its archives."""
    if not path.is_dir():
        return _releases_at(path)
    folders = [path]
    for _ in range(_DEEPEST + 1):
        found = [release for folder in folders for release in _releases_at(folder)]
        if found:
            return found
        folders = sorted(
            child for folder in folders for child in folder.iterdir() if child.is_dir()
        )
    return [release for child in sorted(path.glob("*.zip")) for release in _releases_at(child)]


def _releases_at(container: Path) -> list[Release]:
    """The releases right in a folder, or anywhere in an archive."""
    if container.is_dir():
        names = [child.name for child in container.iterdir() if child.is_file()]
    else:
        names = _archived(container)
    found = []
    for name in names:
        for layout in _LAYOUTS:
            if PurePosixPath(name).name == layout.ratings:
                films = str(PurePosixPath(name).with_name(layout.films))
                if films not in names:
                    raise FileError(f"{container} has {name} but no {films}, which lists the films")
                path, member = _place(container, name)
                log = RatingLog(path, layout.form, member)
                found.append(Release(log, container, name, films, layout))
    return found


def _archived(path: Path) -> list[str]:
    """The files of an archive, none of which that matter needs a password."""
    wanted = {name for layout in _LAYOUTS for name in (layout.ratings, layout.films)}
    with open_archive(path) as archive:
        names = members(archive)
        for name in names:
            if PurePosixPath(name).name in wanted:
                check_unlocked(path, archive, name)
        return names


def _place(container: Path, name: str) -> tuple[Path, str | None]:
    """The file to open, and the member of it if it is an archive."""
    return (container / name, None) if container.is_dir() else (container, name)


def _text(path: Path, member: str | None) -> str:
    """The text of a file that is UTF-8 or, in the old releases, Latin-1."""
    with closing(ByteLog(path, "csv", member=member)) as log:
        content = bytearray()
        for block in log.blocks():
            content += block
            if len(content) > FILM_LIST_BYTES:
                raise FileError(
                    f"{log.label} is larger than {megabytes(FILM_LIST_BYTES)}, but a list of films "
                    "was expected"
                )
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _film_of_csv(row: list[str]) -> Film | None:
    return Film(row[1], _listed(row[2])) if len(row) == 3 else None


def _film_of_dat(row: list[str]) -> Film | None:
    # A title may have two colons, too.
    return Film("::".join(row[1:-1]), _listed(row[-1])) if len(row) >= 3 else None


def _film_of_item(row: list[str]) -> Film | None:
    if len(row) < 5 + len(_GENRES_100K):
        return None
    return Film(row[1], tuple(compress(_GENRES_100K, (flag == "1" for flag in row[5:]))))


def _listed(genres: str) -> tuple[str, ...]:
    return () if genres in ("", "(no genres listed)") else tuple(genres.split("|"))


_LAYOUTS: Sequence[_Layout] = (
    _Layout("ratings.csv", "movies.csv", _CSV, ",", _film_of_csv),
    _Layout("ratings.dat", "movies.dat", _DAT, "::", _film_of_dat),
    _Layout("u.data", "u.item", _DATA, "|", _film_of_item),
)


def film_names(
    identifiers: Sequence[str], films: Mapping[str, Film], nameless: str = "film {}"
) -> list[str]:
    """A name for each film: its title, with its number where several have the same one."""
    titles = [films[text].title if text in films else nameless.format(text) for text in identifiers]
    times = Counter(titles)
    return [
        title if times[title] == 1 else f"{title} [{text}]"
        for title, text in zip(titles, identifiers, strict=True)
    ]


def read_names(path: str | Path) -> dict[str, str]:
    """The names in a table of items: its first column identifies them.

    The names are in the column called title or name, otherwise in the second one.
    """
    found: dict[str, str] = {}
    with open_source(path) as source:
        header = source.header()
        if len(header) < 2:
            raise FileError(
                f"{source.label} has the columns {', '.join(header)}, but a column of items and a "
                "column of their names were expected"
            )
        titles = (column for column in header[1:] if column.lower() in ("title", "name", "names"))
        columns = {"item": header[0], "name": next(titles, header[1])}
        for chunk in source.chunks(columns, frozenset(columns)):
            for row in range(chunk.rows):
                item, name = (chunk.text(role, row) for role in columns)
                where = f"{source.label}, {chunk.place(row)}"
                if row in chunk.flaws:
                    raise FileError(f"{where} {chunk.flaws[row].sentence}")
                if not (isinstance(item, str) and isinstance(name, str) and is_one_line(name)):
                    raise FileError(
                        f"{where} names no item, but an item and its name were expected"
                    )
                if found.setdefault(item, name) != name:
                    raise FileError(f"{where} names the item {cut(item)} again, as {cut(name)}")
    return found
