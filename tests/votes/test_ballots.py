"""Rankings: files of PrefLib, and tables with one ballot per row."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antichain as ac
from antichain.errors import FileError, ParameterError

NAMES = ("ebi", "anago", "maguro", "ika")


def orders() -> st.SearchStrategy[list[list[str]]]:
    """Ballots on some of the items, some of them tied."""
    return st.permutations(NAMES).flatmap(
        lambda names: st.tuples(st.integers(1, 4), st.lists(st.booleans(), min_size=3, max_size=3))
        .map(lambda cut: _grouped(names[: cut[0]], cut[1]))
    )  # fmt: skip


def _grouped(names: list[str], tied: list[bool]) -> list[list[str]]:
    groups = [[names[0]]]
    for name, with_last in zip(names[1:], tied, strict=False):
        if with_last:
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


BALLOTS = st.lists(st.tuples(orders(), st.integers(1, 3)), min_size=1, max_size=12)


def preflib(ballots) -> str:
    head = "# FILE NAME: x.toi\n# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 4\n"
    head += "".join(f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate(NAMES, 1))
    return head + "".join(f"{n}: {numbered(groups)}\n" for groups, n in ballots)


def older(ballots) -> str:
    head = "4\n" + "".join(f"{k},{name}\n" for k, name in enumerate(NAMES, 1))
    head += f"{sum(n for _, n in ballots)},0,{len(ballots)}\n"
    return head + "".join(f"{n},{numbered(groups)}\n" for groups, n in ballots)


def numbered(groups: list[list[str]]) -> str:
    parts = [",".join(str(NAMES.index(name) + 1) for name in group) for group in groups]
    return ",".join(f"{{{part}}}" if "," in part else part for part in parts)


def written_out(ballots) -> io.StringIO:
    rows = ["id,ranking"]
    for groups, n in ballots:
        rows += ["1," + " > ".join(" = ".join(group) for group in groups)] * n
    return io.StringIO("\n".join(rows) + "\n")


def by_hand(ballots) -> ac.VoteLog:
    """Every comparison of every voter as a vote, with the voter as its cluster."""
    votes, voters = [], []
    for groups, n in ballots:
        place = {name: k for k, group in enumerate(groups) for name in group}
        for _ in range(n):
            voters_so_far = len(set(voters))
            for one, other in combinations(sorted(place), 2):
                ours, theirs = place[one], place[other]
                answer = "tie" if ours == theirs else "left" if ours < theirs else "right"
                votes.append((one, other, answer))
                voters.append(voters_so_far)
    return ac.VoteLog.from_rows(votes, NAMES, clusters=voters)


@given(BALLOTS)
def test_a_ballot_is_the_cluster_of_its_comparisons(ballots) -> None:
    if all(sum(map(len, groups)) < 2 for groups, _ in ballots):
        return
    log = ac.read_votes(written_out(ballots), items=NAMES)
    told, wanted = (ac.front(some, likely=False).to_dict() for some in (log, by_hand(ballots)))
    for key in (
        "source",
        "notes",
        "fingerprint",
        "digest",
        "clusters",
        "method",
        "assumptions",
        "checks",
    ):
        del told[key], wanted[key]
    assert _close(told, wanted)
    assert log.clusters is not None
    assert log.clusters.clusters == sum(n for groups, n in ballots if sum(map(len, groups)) > 1)


def _close(one, other) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_close(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_close, one, other))
    return one == other or one == pytest.approx(other)


@given(BALLOTS)
def test_all_forms_of_a_file_are_the_same_votes(tmp_path_factory, ballots) -> None:
    folder = tmp_path_factory.mktemp("ballots")
    found = set()
    for name, text in {"new.toi": preflib(ballots), "old.toc": older(ballots)}.items():
        (folder / name).write_text(text)
        found.add(ac.read_votes(folder / name, items=NAMES).fingerprint)
    found.add(ac.read_votes(written_out(ballots), items=NAMES).fingerprint)
    assert len(found) == 1


def test_columns_of_places_are_recognised() -> None:
    for header in ("rank1,rank2,rank3", "1st,2nd,3rd", "Choice 1,Choice 2,Choice 3",
                   "first choice,second choice,third choice"):  # fmt: skip
        text = f"voter,{header}\nv,ebi,ika,\nw,ika,ebi,anago\n"
        log = ac.read_votes(io.StringIO(text))
        assert log.items == ("ebi", "ika", "anago")
        assert log.pairs.table[:, :3].sum() == 4
        assert log.clusters is not None
        assert log.clusters.clusters == 2
        assert "each row as a ballot" in log.guessed[0]
    form = io.StringIO("Timestamp,Your order [1st],Your order [2nd]\n2024-01-01,x,y\n")
    assert ac.read_votes(form).clusters.clusters == 1
    # Two columns beside an answer are the items of a vote.
    log = ac.read_votes(io.StringIO("choice_1,choice_2,winner\nx,y,x\n"))
    assert log.clusters is None
    # So they may be beside any column whose use is unknown: then nothing is guessed.
    assert ac.read_votes(io.StringIO("choice 1,choice 2,pick\nx,y,x\n")).clusters is None
    text = "first place,second place,opinion,person\nx,y,x,ann\n"
    with pytest.raises(FileError, match="a column with the winner was expected"):
        ac.read_votes(io.StringIO(text))
    chosen = ac.read_votes(io.StringIO(text), ballots=("first place", "second place"))
    assert chosen.clusters is not None


def test_two_items_beside_an_answer_are_no_places() -> None:
    rows = [{"left": "tea", "right": "milk", "winner": "right"}]
    with pytest.raises(ParameterError, match="--ballots names 'left' and 'right', which hold the"):
        ac.read_votes(rows, ballots=("left", "right"))
    unanswered = [{"left": "tea", "right": "milk"}]
    assert ac.read_votes(unanswered, ballots=("left", "right")).pairs.wins_first.tolist() == [1]
    places = [{"first choice": "tea", "second choice": "milk", "result": "tea"}]
    assert ac.read_votes(places, ballots=("first choice", "second choice")).votes == 1


def test_rankings_may_be_lists_of_json() -> None:
    rankings = (["ebi", "ika", ["uni", "anago"]], ["ika"], "ebi>ika")
    log = ac.read_votes([{"ranking": ranking} for ranking in rankings])
    texts = ("ebi > ika > uni = anago", "ika", "ebi>ika")
    same = ac.read_votes([{"ranking": text} for text in texts])
    assert log.items == same.items == ("ebi", "ika", "uni", "anago")
    for name in ("wins_first", "wins_second", "ties"):
        assert getattr(log.pairs, name).tolist() == getattr(same.pairs, name).tolist()
    with pytest.raises(FileError, match="ranks nothing"):
        ac.read_votes([{"ranking": []}])


def test_empty_rows_are_no_ballots() -> None:
    log = ac.read_votes(io.StringIO("rank1,rank2,rank3\nebi,,ika\n,,\n,ebi,ika\n\n"))
    assert (log.rows, log.clusters.clusters, log.pairs.wins_first.tolist()) == (2, 2, [2])


def test_rows_may_stand_for_many_voters() -> None:
    text = 'n,order\n70000,a > b > c\n30000,"c,{a,b}"\n'
    certificate = ac.front(io.StringIO(text), ballots=("order",), count="n", likely=False)
    assert certificate.clusters == ("ballot", 100000)
    assert certificate.front == ("a",)
    assert certificate.votes == 300000
    assert certificate.reading == {"ballots": ["order"], "count": "n"}


def test_bad_ballots_are_told_together(tmp_path: Path) -> None:
    path = tmp_path / "x.soc"
    path.write_text(preflib([([["ebi"], ["ika"]], 1)]) + "1: 1,9\n2: 1,1\nx: 1,2\n")
    with pytest.raises(FileError) as caught:
        ac.read_votes(path)
    assert str(caught.value).splitlines()[1:] == [
        "  line 9 ranks '9', but numbers of alternatives were expected",
        "  line 10 ranks 'ebi' twice, but once was expected",
        "  line 11 has the count 'x', but a whole number of voters, up to 1,000,000,000,000, was "
        "expected",
    ]
    log = ac.read_votes(path, skip_bad=True)
    assert (log.rows, log.counted_rows, log.skipped_rows.rows) == (4, 1, 3)


@pytest.mark.parametrize(
    ("options", "words"), [({"voter": "v"}, "--voter is given"), ({"higher": False}, "--lower is")]
)
def test_options_without_a_meaning_for_ballots_are_named_as_typed(tmp_path, options, words) -> None:
    path = tmp_path / "x.soc"
    path.write_text(preflib([([["ebi"], ["ika"]], 1)]))
    with pytest.raises(ParameterError, match=f"holds ballots and {words}"):
        ac.read_votes(path, **options)


def test_several_files_of_orders_are_one_log_by_names(tmp_path: Path) -> None:
    one, other = tmp_path / "a.soc", tmp_path / "b.toi"
    one.write_text(preflib([([["ebi"], ["ika"], ["anago"]], 3)]))
    other.write_text("3\n1,ika\n2,anago\n3,ebi\n2,2,1\n2,2,{3,1}\n")  # numbered otherwise
    log = ac.read_votes([one, other])
    ballots = ["ebi > ika > anago"] * 3 + ["anago > ebi = ika"] * 2
    expected = ac.read_votes([{"ranking": ballot} for ballot in ballots])
    assert log.items == expected.items
    for name in ("wins_first", "wins_second", "ties"):
        assert getattr(log.pairs, name).tolist() == getattr(expected.pairs, name).tolist()
    assert (log.rows, log.clusters.clusters) == (2, 5)
    assert ac.read_votes(str(tmp_path / "*.*o[ci]")).items == log.items
    other.write_text(other.read_text() + "1,9\n")
    with pytest.raises(FileError, match=f"line 7 of {other} ranks '9'"):
        ac.read_votes([one, other])
    (tmp_path / "c.csv").write_text("left,right,winner\nebi,ika,left\n")
    with pytest.raises(FileError, match="files of one kind"):
        ac.read_votes([one, tmp_path / "c.csv"])


def test_ballots_of_single_items_compare_nothing() -> None:
    found = ac.front(io.StringIO("left,right\na,b\nb,c\n"), ballots=["left"])
    assert found.votes == 0
    said = "Each ballot ranks a single item, so no two items have been compared, and nothing can"
    assert any(note.startswith(said) for note in found.notes)
    young = ac.front(io.StringIO("left,right,winner\n"), items=["a", "b"])
    assert any(note.startswith("So far, no two items have been compared") for note in young.notes)
    some = ac.front(io.StringIO("left,right,winner\na,b,left\n"))
    assert not any("no two items" in note for note in some.notes)


def test_a_column_that_may_count_voters_is_pointed_out(tmp_path: Path) -> None:
    log = ac.read_votes(io.StringIO("rank1,rank2,rank3,votes\na,b,c,10\n"))
    assert (
        log.guessed[1] == "did not use the column 'votes'; if it holds the count, add --count votes"
    )
    (tmp_path / "cut.soc").write_text("3\n1,a\n2,b\n")
    with pytest.raises(FileError, match="names 2 alternatives, but 3 were expected"):
        ac.read_votes(tmp_path / "cut.soc")


def test_with_items_the_others_are_left_out_of_each_ballot() -> None:
    ballots = [([["ebi"], ["anago"], ["ika"]], 2), ([["anago"]], 1)]
    log = ac.read_votes(written_out(ballots), items=("ika", "ebi"))
    assert log.items == ("ika", "ebi")
    assert (log.pairs.wins_first.tolist(), log.pairs.wins_second.tolist()) == ([0], [2])
