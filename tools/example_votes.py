"""Make the README's example again: `examples/films.csv`, and the picture of its films.

    python tools/example_votes.py

A simulated film club votes on eight films until every film is certified to be in or out. Within a
genre the better film wins 80% of its duels; across genres the club is evenly split.
"""

from __future__ import annotations

import csv
import random
import tempfile
from itertools import pairwise
from pathlib import Path

import antichain as ac
from antichain.plots import _hasse
from antichain.study import Vote

ROOT = Path(__file__).resolve().parent.parent
GENRES = (
    ("Alien", "The Thing", "Saw", "Cube"),
    ("Senna", "Amy"),
    ("Paddington 2", "Airplane!"),
)
"""The films of each genre, best first."""
FILMS = tuple(sorted(film for genre in GENRES for film in genre))
WIN = 0.8


def better(film: str, other: str) -> bool:
    """Whether `film` is of the same genre as `other`, and the better one."""
    return any(
        film in genre and other in genre and genre.index(film) < genre.index(other)
        for genre in GENRES
    )


def votes(seed: int) -> list[dict[str, object]]:
    """The votes of a study that ran to its end, in the order in which they were asked for."""
    rng = random.Random(seed)

    def vote(left: str, right: str) -> str:
        chance = WIN if better(left, right) else 1 - WIN if better(right, left) else 0.5
        return "left" if rng.random() < chance else "right"

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "films.duels"
        with ac.Study.open(path, items=FILMS) as study:
            ac.judge(study, vote, voter="club", concurrency=1)
            return [
                {"ask": number, "left": v.left, "right": v.right, "winner": winner(v)}
                for number, v in enumerate(study.votes(), 1)
            ]


def winner(vote: Vote) -> str:
    """The name of the film that won."""
    return str(getattr(vote, vote.answer))


def main() -> None:
    """Write both files."""
    rows = votes(seed=1)
    with (ROOT / "examples" / "films.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    order = ac.Poset.from_relations(pair for genre in GENRES for pair in pairwise(genre))
    picture = _hasse.render(order, "png")
    (ROOT / "docs" / "images" / "films.png").write_bytes(picture)
    print(f"{len(rows):,} votes on {len(FILMS)} films")


if __name__ == "__main__":
    main()
