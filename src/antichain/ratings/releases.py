"""Every MovieLens release, as its publisher packs it: where the files are, and what is in them.

ml-20m, 25m, 32m, latest  ratings.csv  userId,movieId,rating,…   movies.csv (quoted titles)
ml-1m, 10m                ratings.dat  user::item::rating::…     movies.dat (Latin-1 in 1m)
ml-100k                   u.data       user<tab>item<tab>rating  u.item (bars, Latin-1)
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from antichain.errors import FileError
from antichain.ratings.rating_log import RatingFormat, RatingLog
from antichain.sources.streams import ByteLog, check_unlocked, members, open_archive

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
    """A film's title and genres."""

    title: str
    genres: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Member:
    """A file in a folder, or in a zip archive; `name` is its path inside the container."""

    container: Path
    name: str

    def __str__(self) -> str:
        return str(self.container / self.name)

    @property
    def place(self) -> tuple[Path, str | None]:
        """The file to open, and the member of it if it is an archive."""
        if self.container.is_dir():
            return self.container / self.name, None
        return self.container, self.name


@dataclass(frozen=True)
class _Layout:
    """How one family of releases is laid out."""

    ratings: str
    films: str
    form: RatingFormat
    read_films: Callable[[_Member], Iterator[tuple[int, str, str, Film]]]


@dataclass(frozen=True, eq=False)
class Release:
    """One release: its ratings, and where its films are listed."""

    log: RatingLog
    films_file: _Member
    layout: _Layout

    def films(self) -> dict[int, Film]:
        """The films by number."""
        found: dict[int, Film] = {}
        for line, number, text, film in self.layout.read_films(self.films_file):
            if not number.isdigit():
                raise FileError(
                    f"{self.films_file}, line {line} is {text[:60]!r}, but a film's number, title "
                    "and genres were expected"
                )
            if int(number) in found:
                raise FileError(f"{self.films_file}, line {line} lists film {number} again")
            found[int(number)] = film
        return found


def open_release(path: str | Path) -> Release:
    """The release in a folder, up to two folders deeper, or in a zip archive."""
    path = Path(path)
    if not path.exists():
        raise FileError(f"there is no {path}, but a folder or zip of MovieLens was expected")
    if path.is_file() and path.name in {layout.ratings for layout in _LAYOUTS}:
        path = path.parent
    try:
        found = _releases_under(path)
    except OSError as error:
        raise FileError(f"cannot read {error.filename or path}: {error.strerror}") from error
    if not found:
        names = ", ".join(layout.ratings for layout in _LAYOUTS)
        raise FileError(f"{path} has none of {names}, but a release of MovieLens was expected")
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
                path, member = _Member(container, name).place
                log = RatingLog(path, layout.form, member)
                found.append(Release(log, _Member(container, films), layout))
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


def _text(member: _Member) -> str:
    """The text of a file that is UTF-8 or, in the old releases, Latin-1."""
    path, name = member.place
    with closing(ByteLog(path, "csv", member=name)) as log:
        content = b"".join(log.blocks())
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _films_csv(member: _Member) -> Iterator[tuple[int, str, str, Film]]:
    reader = csv.reader(io.StringIO(_text(member), newline=""))
    header = next(reader, [])
    if header[:3] != ["movieId", "title", "genres"]:
        raise FileError(
            f"{member}, line 1 is {','.join(header)[:60]!r}, but 'movieId,title,genres' was "
            "expected"
        )
    for row in reader:
        if row:
            number = row[0] if len(row) == 3 else ""
            film = Film(row[1], _listed(row[2])) if number else Film("")
            yield reader.line_num, number, ",".join(row), film


def _films_dat(member: _Member) -> Iterator[tuple[int, str, str, Film]]:
    for line, text in _numbered(member):
        fields = text.split("::")
        good = len(fields) >= 3
        film = Film("::".join(fields[1:-1]), _listed(fields[-1])) if good else Film("")
        yield line, fields[0] if good else "", text, film


def _films_item(member: _Member) -> Iterator[tuple[int, str, str, Film]]:
    for line, text in _numbered(member):
        fields = text.split("|")
        good = len(fields) >= 5 + len(_GENRES_100K)
        flags = zip(_GENRES_100K, fields[5:], strict=False)
        film = Film(fields[1] if good else "", tuple(name for name, flag in flags if flag == "1"))
        yield line, fields[0] if good else "", text, film


def _numbered(member: _Member) -> Iterator[tuple[int, str]]:
    # Not splitlines(): it would break a title at characters that Latin-1 bytes turn into.
    for line, text in enumerate(_text(member).split("\n"), start=1):
        text = text.rstrip("\r")
        if text:
            yield line, text


def _listed(genres: str) -> tuple[str, ...]:
    return () if genres in ("", "(no genres listed)") else tuple(genres.split("|"))


_LAYOUTS: Sequence[_Layout] = (
    _Layout("ratings.csv", "movies.csv", _CSV, _films_csv),
    _Layout("ratings.dat", "movies.dat", _DAT, _films_dat),
    _Layout("u.data", "u.item", _DATA, _films_item),
)


def film_names(numbers: Sequence[int], films: dict[int, Film]) -> list[str]:
    """A name for each film: its title, with its number where several have the same one."""
    titles = [films[number].title if number in films else f"film {number}" for number in numbers]
    return [
        title if titles.count(title) == 1 else f"{title} [{number}]"
        for title, number in zip(titles, numbers, strict=True)
    ]
