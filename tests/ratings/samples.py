"""Small ratings, written the way each release of MovieLens is, and counted the slow way."""

import zipfile
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import numpy as np

from antichain.ratings._rating_log import RatingFormat, RatingLog

Row = tuple[int, int, float]

FILMS = {
    1: ("Toy Story (1995)", ("Animation", "Comedy")),
    2: ("Américain, L' (1969)", ("Drama",)),
    31: ('American President, The "A" (1995)', ("Comedy", "Romance")),
    40: ("Toy Story (1995)", ()),
}
ROWS: list[Row] = [
    (1, 1, 4.5), (1, 2, 3.0), (1, 31, 4.5),
    (7, 2, 5.0), (7, 1, 1.0),
    (9, 31, 2.0), (9, 1, 3.0), (9, 2, 2.0), (9, 40, 5.0),
    (1000000, 40, 0.5), (1000000, 31, 1.0),
]  # fmt: skip
_FLAGS = ("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime",
          "Documentary", "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery",
          "Romance", "Sci-Fi", "Thriller", "War", "Western")  # fmt: skip


def write_csv(folder: Path, rows: Iterable[Row] = ROWS, newline: str = "\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["userId,movieId,rating,timestamp", *(f"{u},{i},{r},964982703" for u, i, r in rows)]
    (folder / "ratings.csv").write_bytes((newline.join(lines) + newline).encode())
    films = ["movieId,title,genres"]
    for number, (title, genres) in FILMS.items():
        escaped = title.replace('"', '""')
        films.append(f'{number},"{escaped}",{"|".join(genres) or "(no genres listed)"}')
    (folder / "movies.csv").write_bytes((newline.join(films) + newline).encode())
    return folder


def write_dat(folder: Path, encoding: str = "latin-1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ratings.dat").write_text("".join(f"{u}::{i}::{r:g}::9\n" for u, i, r in ROWS))
    films = (f"{n}::{title}::{'|'.join(genres)}\n" for n, (title, genres) in FILMS.items())
    (folder / "movies.dat").write_text("".join(films), encoding=encoding)
    return folder


def write_100k(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "u.data").write_text("".join(f"{u}\t{i}\t{r:g}\t881250949\n" for u, i, r in ROWS))
    lines = []
    for number, (title, genres) in FILMS.items():
        flags = "|".join("1" if name in genres else "0" for name in _FLAGS)
        lines.append(f"{number}|{title}|01-Jan-1995||http://example.org|{flags}\n")
    (folder / "u.item").write_text("".join(lines), encoding="latin-1")
    return folder


def zipped(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(folder.iterdir()):
            out.write(path, f"{folder.name}/{path.name}")
    return archive


def locked(archive: Path) -> Path:
    """The archive with every member marked as encrypted, as a program with a password does."""
    data = bytearray(archive.read_bytes())
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(signature, at + 1)
    archive.write_bytes(data)
    return archive


def csv_log(folder: Path, **options: int) -> RatingLog:
    form = RatingFormat("userId", "movieId", "rating", ",", numbered=True)
    return RatingLog(folder / "ratings.csv", form, **options)


def slow_counts(rows: Iterable[Row], items: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties, from the definition."""
    by_user: dict[int, dict[int, float]] = {}
    for user, item, rating in rows:
        by_user.setdefault(user, {})[item] = rating
    wins, ties = (np.zeros((len(items), len(items)), np.int64) for _ in range(2))
    for ratings in by_user.values():
        for (a, i), (b, j) in permutations(enumerate(items), 2):
            if i in ratings and j in ratings:
                wins[a, b] += ratings[i] > ratings[j]
                ties[a, b] += ratings[i] == ratings[j]
    return wins, ties
