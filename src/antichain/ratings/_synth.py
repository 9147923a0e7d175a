"""Ratings shaped like MovieLens, made up: to try the whole pipeline at full size, offline.

Popularity falls off like Zipf's law with a flat head, fitted to the published counts of the
20-million release (about 159 films with 20,000 ratings or more). Genres are hidden chains: each
film has a place in its genre's chain, each user a liking for each genre, and a rating is both
together with noise, in half stars. No user rates a film twice.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain._files import check_target, write_bytes
from antichain._kernels import compiled, keyed_uniform
from antichain._text import refusal
from antichain.errors import FileError
from antichain.sources._spans import Bytes

GENRES = (
    "Action", "Animation", "Comedy", "Crime", "Documentary", "Drama", "Horror", "Musical",
    "Sci-Fi", "Western",
)  # fmt: skip

# Set by hand, to look like MovieLens 20M.
_HEAD, _FALL = 76.0, 1.32  # popularity of the r-th film: (r + head) ** -fall
_FILMS, _RATINGS_A_FILM = 27_000, 740
_FEWEST, _MEDIAN, _SPREAD = 20, 70.0, 1.2  # ratings per user: lognormal, none below the fewest
_HEIGHT, _BEST_STARS, _STEP = 16, 4.3, 0.15  # a chain's films, and what they deserve
_USERS_AT_ONCE = 4_000
_LONGEST_LINE = 48
_FIRST_MOMENT = 1_000_000_000
# What a uniform is drawn for, as part of its key.
_FILM, _NOISE, _LIKING = 1, 2, 3

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def synthesize(
    folder: str | Path,
    ratings: int,
    seed: int = 0,
    *,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, int]:
    """How many users and films were made up; `ratings.csv` and `movies.csv` are in `folder`.

    Args:
        folder: Made if it does not exist.
        ratings: How many ratings.
        seed: The same seed makes the same files.
        force: Whether to replace files that are there.
        progress: Called with the number of ratings written.
    """
    ratings = _checks.whole("ratings", ratings, least=100)
    rng = np.random.default_rng(_checks.whole("seed", seed, least=0))
    films = int(np.clip(ratings // _RATINGS_A_FILM, 20, _FILMS))
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {refusal(error)}") from error
    for name in ("ratings.csv", "movies.csv"):
        check_target(folder / name, force)
    genres, places = _chains(films, rng)
    quality = (_BEST_STARS - _STEP * places).astype(np.float64)
    sizes = _ballot_sizes(ratings, films, rng)
    blocks = _blocks(sizes, genres, quality, seed, progress or (lambda _: None))
    write_bytes(folder / "ratings.csv", blocks, force)
    write_bytes(folder / "movies.csv", _movies(genres, rng), force)
    return sizes.size, films


def _chains(films: int, rng: np.random.Generator) -> tuple[Whole, Whole]:
    """The genre of each film and its place in the genre's chain, 0 at the top.

    Films of like popularity make up blocks that hold every place of every chain once, so that
    among the most popular ones every genre has its best film.
    """
    height = min(_HEIGHT, films // len(GENRES))
    block = height * len(GENRES)
    dealt = [rng.permutation(block) for _ in range(-(-films // block))]
    cards = np.concatenate(dealt)[:films]
    return cards % len(GENRES), cards // len(GENRES)


def _ballot_sizes(ratings: int, films: int, rng: np.random.Generator) -> Whole:
    """Ratings of each user; they add up to `ratings` exactly."""
    # A user who saw a third of everything would have to draw long for films not seen yet.
    most = max(2, films // 3)
    least = min(_FEWEST, most // 2)
    sizes: list[NDArray[np.int64]] = []
    total = 0
    while total < ratings:
        draws = rng.lognormal(math.log(_MEDIAN), _SPREAD, 1000)
        sizes.append(np.clip(draws, least, most).astype(np.int64))
        total += int(sizes[-1].sum())
    drawn = np.concatenate(sizes)
    ends = np.cumsum(drawn)
    users = int(np.searchsorted(ends, ratings)) + 1
    drawn = drawn[:users]
    drawn[-1] -= int(ends[users - 1]) - ratings
    return drawn


def _blocks(
    sizes: Whole, genres: Whole, quality: Floats, seed: int, progress: Callable[[int], None]
) -> Iterator[bytes]:
    """The lines of ratings.csv, some users at a time."""
    yield b"userId,movieId,rating,timestamp\n"
    weights = (np.arange(1, genres.size + 1) + _HEAD) ** -_FALL
    cumulated = np.cumsum(weights / weights.sum())
    cumulated[-1] = 1.0
    for first in range(0, sizes.size, _USERS_AT_ONCE):
        part = sizes[first : first + _USERS_AT_ONCE]
        out = np.empty(int(part.sum()) * _LONGEST_LINE, np.uint8)
        yield out[: write_users(first, part, cumulated, genres, quality, seed, out)].tobytes()
        progress(int(sizes[: first + part.size].sum()))


def _movies(genres: Whole, rng: np.random.Generator) -> bytes:
    """movies.csv; every seventh title has a comma and so is quoted, as MovieLens does it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["movieId", "title", "genres"])
    years = rng.integers(1930, 2016, size=genres.size)
    second = rng.integers(len(GENRES), size=genres.size)
    for film, genre in enumerate(genres):
        name = f"{GENRES[genre]} Story {film + 1}"
        title = f"{name}, The" if film % 7 == 0 else name
        listed = sorted({GENRES[genre], GENRES[second[film]]})
        writer.writerow([film + 1, f"{title} ({years[film]})", "|".join(listed)])
    return text.getvalue().encode()


@compiled
def _write_number(out: Bytes, at: int, number: int) -> int:
    """Write `number` in decimal digits; where it ends."""
    digits, rest = 1, number // 10
    while rest > 0:
        digits += 1
        rest //= 10
    for k in range(at + digits - 1, at - 1, -1):
        out[k] = 48 + number % 10
        number //= 10
    return at + digits


@compiled
def _normal(seed: int, user: int, draw: int) -> float:
    """A standard normal that depends on the key only (Box and Muller)."""
    first = keyed_uniform(seed, user, _NOISE, 2 * draw)
    second = keyed_uniform(seed, user, _NOISE, 2 * draw + 1)
    return math.sqrt(-2.0 * math.log(1.0 - first)) * math.cos(2.0 * math.pi * second)


@compiled
def write_users(
    first_user: int,
    sizes: Whole,
    cumulated: Floats,
    genres: Whole,
    quality: Floats,
    seed: int,
    out: Bytes,
) -> int:
    """Write the users' lines into `out`; where they end."""
    at = 0
    last_rater = np.full(genres.size, -1, np.int64)
    for k in range(sizes.size):
        user = first_user + k
        draw = 0
        for _ in range(sizes[k]):
            film = np.searchsorted(cumulated, keyed_uniform(seed, user, _FILM, draw), side="right")
            draw += 1
            while last_rater[film] == k:
                uniform = keyed_uniform(seed, user, _FILM, draw)
                film = np.searchsorted(cumulated, uniform, side="right")
                draw += 1
            last_rater[film] = k
            liking = keyed_uniform(seed, user, _LIKING, genres[film]) - 0.5
            stars = quality[film] + 1.6 * liking + 0.8 * _normal(seed, user, draw)
            halves = int(min(10.0, max(1.0, np.round(2.0 * stars))))
            at = _write_number(out, at, user + 1)
            out[at] = 44
            at = _write_number(out, at + 1, int(film) + 1)
            out[at] = 44
            out[at + 1] = 48 + halves // 2
            out[at + 2] = 46
            out[at + 3] = 48 + 5 * (halves % 2)
            out[at + 4] = 44
            at = _write_number(out, at + 5, _FIRST_MOMENT + 1000 * user + draw)
            out[at] = 10
            at += 1
    return at
