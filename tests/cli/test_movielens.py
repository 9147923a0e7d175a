"""`movielens` and `ratings`: the JSON contract, the tables, and bad input in one sentence."""

import json

import pytest

from antichain.ratings._synth import synthesize

FIELDS = {
    "films", "ratings", "users", "pairs", "min_co_raters", "front", "top_mean", "exact_front",
    "duels", "membership", "ids",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("ml")
    synthesize(made, 30_000, seed=2)
    return made


def record(called):
    assert (called.code, called.err) == (0, "")
    return json.loads(called.out)


def small(folder, rows, films="1,A\n2,B\n3,C\n"):
    lines = "".join(f"{u},{i},{r},0\n" for u, i, r in rows)
    (folder / "ratings.csv").write_text("userId,movieId,rating,timestamp\n" + lines)
    listed = films.replace("\n", ",Drama\n")
    (folder / "movies.csv").write_text("movieId,title,genres\n" + listed)
    return folder


# A hundred users each rate all three: A above B by 10 of them more, C below both.
ROWS = [
    (u, i, r)
    for u in range(100)
    for i, r in ((1, 4), (2, 3 if u < 55 else 5), (3, 1))
]  # fmt: skip


@pytest.mark.slow
def test_the_record_says_all_it_should(call, folder):
    found = record(call("movielens", folder, "--top", 12, "--seeds", 4, "--json"))
    assert found.keys() >= FIELDS
    assert (found["films"], found["ratings"], found["pairs"]) == (12, 30_000, 66)
    assert found["min_co_raters"] > 0
    assert found["unpaired"] == []
    titles = set(found["means"])
    for key in ("front", "top_mean", "exact_front", "within_reach"):
        assert set(found[key]) <= titles
    assert found["duels"] == found["duels_by_seed"][0] > 0
    assert len(found["duels_by_seed"]) == 4
    assert all(0 < share <= 1 for share in found["membership"].values())
    assert set(found["front"]) <= set(found["membership"])
    means = [found["means"][title] for title in found["top_mean"]]
    assert means == sorted(found["means"].values(), reverse=True)[: len(means)]
    assert found["genres"][found["front"][0]]


@pytest.mark.slow
def test_the_seed_decides_the_answer_and_every_way_agrees_on_the_counts(call, folder):
    arguments = ("movielens", folder, "--top", 6, "--seeds", 2, "--json")
    plain = record(call(*arguments))
    assert record(call(*arguments)) == plain
    for option in ("--faithful", "--replay"):
        other = record(call(*arguments, option))
        assert other["duels"] != plain["duels"]
        for key in ("exact_front", "top_mean", "min_co_raters", "means"):
            assert other[key] == plain[key]


def test_a_small_case_by_hand(call, tmp_path):
    small(tmp_path, ROWS)
    arguments = ("movielens", tmp_path, "--min-ratings", 100, "--seeds", 3, "--json")
    found = record(call(*arguments, "--epsilon", 0.05))
    assert found["exact_front"] == ["A", "B"]  # 55 to 45: a gap of 0.05, not above it
    assert found["within_reach"] == ["B"]  # the 95% interval of that gap is 0.05 ± 0.0975
    assert (found["films"], found["users"], found["ratings"]) == (3, 100, 300)
    assert found["min_co_raters"] == 100
    assert found["means"] == {"A": 4.0, "B": 3.9, "C": 1.0}
    assert found["top_mean"] == ["A", "B", "C"]
    assert found["ids"] == {"A": 1, "B": 2, "C": 3}
    assert record(call(*arguments, "--epsilon", 0.04))["exact_front"] == ["A"]


def test_the_pair_counts_can_be_kept(call, refused, tmp_path):
    small(tmp_path, ROWS)
    target = tmp_path / "counts.json"
    arguments = ("movielens", tmp_path, "--top", 3, "--seeds", 1, "--counts", target)
    assert call(*arguments, "--quiet").code == 0
    kept = json.loads((tmp_path / "counts.json").read_text())
    assert (kept["format"], kept["version"]) == ("antichain-pair-counts", 1)
    assert kept["names"] == ["A", "B", "C"]
    assert kept["ids"] == {"A": 1, "B": 2, "C": 3}
    assert kept["wins"] == [[0, 55, 100], [45, 0, 100], [0, 0, 0]]
    assert kept["ties"] == [[0, 0, 0]] * 3
    assert "already exists" in refused(*arguments)


@pytest.mark.slow
def test_tables_are_printed_and_quiet_prints_names_only(call, folder):
    shown = call("movielens", folder, "--top", 6, "--seeds", 2)
    assert shown.code == 0
    assert "15 pairs, each with" in " ".join(shown.out.split())
    for words in ("front found", "highest average", "of 2", "exact ε-front", "duels", "Story"):
        assert words in shown.out
    quiet = call("movielens", folder, "--top", 6, "--seeds", 2, "--quiet")
    found = record(call("movielens", folder, "--top", 6, "--seeds", 2, "--json"))
    assert quiet.out.splitlines() == found["front"]


def test_a_cycle_and_pairs_without_raters_are_reported(call, tmp_path):
    cycle = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    rows = [(u, i, r) for u in range(90) for i, r in zip((1, 2, 3), cycle[u % 3], strict=True)]
    rows += [(u, i, i) for u in range(90, 120) for i in (1, 4)]
    small(tmp_path, rows, "1,A\n2,B\n3,C\n4,D\n")
    found = record(call("movielens", tmp_path, "--top", 4, "--seeds", 1, "--json"))
    assert found["cycle_groups"] == [["A", "B", "C"]]
    assert found["cycles"] == [["A", "C", "B"]]  # two of three rate C above B, B above A, A above C
    assert sorted(map(sorted, found["unpaired"])) == [["B", "D"], ["C", "D"]]
    assert (found["pairs"], found["min_co_raters"]) == (4, 0)
    assert found["exact_front"] == ["D"]
    shown = call("movielens", tmp_path, "--top", 4, "--seeds", 1).out
    assert "a cycle of clear wins: A > C > B > A" in shown
    assert "nobody rated both" in shown
    assert "4 pairs with common raters, and 2 that nobody rated both of" in " ".join(shown.split())


def test_the_first_answer_is_the_certificate_of_the_ratings(call, tmp_path):
    small(tmp_path, ROWS)
    options = ("movielens", tmp_path, "--top", 3, "--seeds", 1)
    found = record(call(*options, "--json"))
    assert (found["delta"], found["epsilon"], found["parameters"]["delta"]) == (0.05, 0.05, 0.001)
    assert set(found["out"]) == {"C"}
    assert found["among"] == ["A", "B"]
    assert set(found["undecided"]) == {"A", "B"}
    assert found["certified_front"] == []
    assert set(found["likely_front"]) <= set(found["chances"]) == {"A", "B", "C"}
    assert found["clusters"] == {"column": "user", "clusters": 100}
    shown = call(*options).out
    assert shown.index("The front is among these") < shown.index("front found")


def test_ratings_get_a_certificate_a_page_and_markdown_that_verify(call, tmp_path):
    small(tmp_path, ROWS)
    names = tmp_path / "names.csv"
    names.write_text("id,genre,title\n1,x,Alien\n2,x,Brazil\n3,x,Chaplin\n9,x,Unrated\n")
    target, page, text = (tmp_path / name for name in ("c.json", "p.html", "m.md"))
    columns = ("--user", "userId", "--item", "movieId", "--names", names, "--seeds", 1)
    made = call("ratings", tmp_path / "ratings.csv", *columns, "--items", "Alien,Brazil,3",
                "-o", target, "--report", page, "--markdown", text)  # fmt: skip
    assert made.code == 0
    assert json.loads(target.read_text())["items"] == ["Alien", "Brazil", "Chaplin"]
    for written in (page, text):
        assert "Brazil" in written.read_text()
    checked = call("verify", target, tmp_path / "ratings.csv")
    assert (checked.code, checked.err) == (0, "")
    assert "agrees" in checked.out
    rows = (tmp_path / "ratings.csv").read_text().replace("\n0,1,4", "\n0,1,0")
    (tmp_path / "ratings.csv").write_text(rows)
    assert call("verify", target, tmp_path / "ratings.csv").code == 1


def test_few_common_raters_are_left_out_on_request(call, refused, tmp_path):
    rows = [*ROWS, (200, 1, 1), (200, 4, 5), (201, 3, 1), (201, 4, 5)]
    small(tmp_path, rows, "1,A\n2,B\n3,C\n4,D\n")
    options = ("movielens", tmp_path, "--seeds", 1, "--json")
    found = record(call(*options))  # few items: the most rated ones are taken
    assert set(found["exact_front"]) == {"B", "D"}  # one rater puts D above A
    assert {"A", "B", "D"} <= set(found["within_reach"])  # but that is not certain
    assert found["chances"]["D"] < 1
    assert "D" in found["undecided"]
    assert "fewer than 5 users" in refused(*options, "--min-raters", 5)


def test_quiet_says_of_any_table_what_is_certified(call, tmp_path):
    small(tmp_path, ROWS)
    table = tmp_path / "ratings.csv"
    one, all_of_them = (call("ratings", table, *more, "-q") for more in ((), ("--epsilon", 0.3)))
    assert (one.out, one.code) == ("", 0)
    assert "no item is certified yet: 2 items are undecided" in one.err
    assert sorted(all_of_them.out.split()) == ["1", "2"]


def test_columns_of_a_usual_name_are_found_and_told(call, tmp_path):
    small(tmp_path, ROWS)
    found = record(call("ratings", tmp_path / "ratings.csv", "--seeds", 1, "--json"))
    assert found["among"] == ["1", "2"]
    assert "used 'movieId' as the item" in found["notes"]


def test_several_releases_are_answered_one_by_one(call, refused, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        small(tmp_path / name, ROWS)
    folders = tmp_path / "one", tmp_path / "two"
    lines = call("movielens", *folders, "--seeds", 1, "--json").out.splitlines()
    assert [json.loads(line)["among"] for line in lines] == [["A", "B"]] * 2
    assert "only one is allowed" in refused("movielens", *folders, "-o", tmp_path / "c.json")


def test_an_empty_front_is_explained(call, tmp_path):
    cycle = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    rows = [(u, i, r) for u in range(900) for i, r in zip((1, 2, 3), cycle[u % 3], strict=True)]
    small(tmp_path, rows)
    shown = " ".join(call("movielens", tmp_path, "--seeds", 1).out.split())
    assert "the exact ε-front is empty" in shown
    assert "fit no order" in shown or "no order can explain" in shown


def test_made_up_from_the_command_to_the_table(call, tmp_path):
    made = call("movielens", "--synthesize", tmp_path, "--ratings", 5000, "--seed", 3, "--json")
    assert record(made)["ratings"] == 5000
    assert record(call("movielens", tmp_path, "--top", 5, "--seeds", 1, "--json"))["films"] == 5


@pytest.mark.slow
def test_any_table_gives_the_same_as_the_release(call, folder):
    options = ("--top", 8, "--seeds", 1, "--json")
    columns = ("--user", "userId", "--item", "movieId", "--rating", "rating")
    release = record(call("movielens", folder, *options))
    table = record(call("ratings", folder / "ratings.csv", *columns, *options))
    for key in ("films", "ratings", "users", "pairs", "min_co_raters"):
        assert table[key] == release[key]
    assert sorted(table["means"].values()) == sorted(release["means"].values())
    assert len(table["exact_front"]) == len(release["exact_front"])
    few = ("--top", 6, "--seeds", 1)
    assert "genres" in call("movielens", folder, *few).out
    assert "genres" not in call("ratings", folder / "ratings.csv", *columns, *few).out


@pytest.mark.slow
def test_on_a_cluster_the_same(call, tmp_path):
    pytest.importorskip("distributed", reason="the cluster is Dask's")
    small(tmp_path, ROWS)
    arguments = ("movielens", tmp_path, "--top", 3, "--seeds", 1, "--json")
    there, here = record(call(*arguments, "--dask", "local")), record(call(*arguments))
    assert there | {"parameters": None} == here | {"parameters": None}


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([*ROWS, (7, 2, 4)], (), ["ratings.csv, line 302", "line 24", "user 7", "again"]),
        ([*ROWS, (7, 4, "x")], (), ["ratings.csv, line 302", "'x'", "number"]),
        ([*ROWS, ("200;4;1", "", "")], (), ["ratings.csv, line 302", "'200;4;1'"]),
        ([*ROWS, (200, 4, 1)], (), ["ratings.csv, line 302", "'film 4'", "nobody rated together"]),
        (ROWS, ("--min-ratings", 20000), ["0 items with at least 20,000", "most rated has 100"]),
        (ROWS, ("--min-ratings", 5, "--top", 5), ["--min-ratings 5", "--top 5"]),
        (ROWS, ("--epsilon", 0.7), ["--epsilon", "0.7"]),
        (ROWS, ("--ratings", 500), ["--ratings", "--synthesize"]),
        (ROWS, ("--synthesize", "--download", "ml-x"), ["--download", "--synthesize"]),
        (ROWS, ("--synthesize",), ["ratings.csv already exists"]),
        (ROWS, ("--download", "x"), ["'x'", "ml-20m"]),
        (ROWS, ("--download", "ml-x", "--base-url", "http://127.0.0.1:9/"), ["cannot reach"]),
    ],
)
def test_bad_input_is_told_in_one_sentence(refused, tmp_path, rows, options, words):
    small(tmp_path, rows)
    if not options:
        options = ("--min-ratings", 1)
    sentence = refused("movielens", tmp_path, *options)
    for word in words:
        assert word in sentence


def test_a_refused_rating_in_a_table_is_told_with_its_line(refused, tmp_path):
    (tmp_path / "t.csv").write_text("user,item,rating\n\n1,a, 3\n1,b,good\n\n")
    sentence = refused("ratings", tmp_path / "t.csv", "--top", 2)
    assert "t.csv, line 4 has the rating 'good', but a number was expected" in sentence


def test_missing_files_are_told(refused, tmp_path):
    assert "there is no" in refused("movielens", tmp_path / "none")
    assert "none of ratings.csv" in refused("movielens", tmp_path)
    assert "no such file" in refused("ratings", tmp_path / "none.csv")


def test_ratings_of_one_item_cannot_be_compared(refused, tmp_path):
    (tmp_path / "one.csv").write_text("user,item,rating\n1,a,5\n")
    assert "has ratings of 1 item, but at least two items to compare" in refused(
        "ratings", tmp_path / "one.csv"
    )
