"""Made-up ratings have the shape they should, and the same seed makes the same bytes."""

import numpy as np
import pytest

from antichain.errors import FileError, ParameterError
from antichain.ratings._ballots import pair_counts, take_census
from antichain.ratings._releases import open_release
from antichain.ratings._synth import GENRES, synthesize


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "new"
    return folder, synthesize(folder, 60_000, seed=5)


def test_it_is_read_as_a_release_with_every_rating_once(made):
    folder, (users, films) = made
    release = open_release(folder)
    census = take_census(release.log)
    assert census.ratings == 60_000
    assert census.users == users
    assert len(release.films()) == films
    # This raises if a user rates a film twice.
    pair_counts(release.log, census, np.arange(2), ["a", "b"])
    stars = np.concatenate([chunk.ratings for chunk in release.log.chunks()])
    assert set(2 * stars) <= set(range(1, 11))
    assert len(set(stars)) == 10
    assert census.user_ratings[:-1].min() >= 13  # the last user gets what is left


def test_popularity_falls_and_titles_have_commas_and_genres(made):
    folder, _ = made
    release = open_release(folder)
    census = take_census(release.log)
    by_rank = census.item_ratings[np.argsort(release.log.items.names)]
    assert by_rank[:10].mean() > 1.5 * by_rank[-10:].mean()
    films = release.films()
    assert "," in films[1].title
    assert {genre for film in films.values() for genre in film.genres} == set(GENRES)


def test_the_seed_decides_every_byte(made, tmp_path):
    folder, _ = made
    synthesize(tmp_path / "same", 60_000, seed=5)
    synthesize(tmp_path / "other", 60_000, seed=6)
    for name in ("ratings.csv", "movies.csv"):
        assert (tmp_path / "same" / name).read_bytes() == (folder / name).read_bytes()
        assert (tmp_path / "other" / name).read_bytes() != (folder / name).read_bytes()


def test_nothing_is_replaced_unasked(made):
    folder, _ = made
    before = (folder / "ratings.csv").read_bytes()
    with pytest.raises(FileError, match="already exists"):
        synthesize(folder, 200)
    assert (folder / "ratings.csv").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["movies.csv", "ratings.csv"]


def test_too_few_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="ratings is 5"):
        synthesize(tmp_path, 5)
