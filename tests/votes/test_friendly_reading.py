"""Guesses that spare an option, and messages that name the one that leads on."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import antichain as ac
from antichain._text import fold_key
from antichain.errors import FileError, InputError


@pytest.mark.parametrize(
    "header",
    ["Prompt A,Prompt B", "design 1,design 2", "film_a,film_b", "song_a,song_b", "p1,p2",
     "image_left,image_right", "first_logo,second_logo", "videoA_id,videoB_id",
     "Home Club,Away Club"],
)  # fmt: skip
def test_any_noun_with_a_side_is_an_item(header: str) -> None:
    log = ac.read_votes(
        io.StringIO(f"id,{header},winner,score_1,score_2\n1,tea,rain,tea,3,4\n2,rain,tea,tea,1,2\n")
    )
    assert log.pairs.wins_first.tolist() == [2]
    left, right = header.split(",")
    assert f"used {left!r} and {right!r} as the two items" in log.guessed


def test_what_an_item_has_is_no_item() -> None:
    for header in ("rating_1,rating_2", "elo_a,elo_b", "response_time_left,response_time_right"):
        with pytest.raises(FileError, match=r"votes on pairs were expected, or a table of scores"):
            ac.read_votes(io.StringIO(f"{header},answer\n1,2,left\n"))
    # As tennis has it: the games of the winner in each set.
    log = ac.read_votes(io.StringIO("winner,loser,W1,W2,L1,L2\nGraf,Seles,6,6,1,2\n"))
    assert log.items == ("Graf", "Seles")


def test_names_are_folded_on_request_only() -> None:
    text = "left,right,winner\nGPT-4,Claude 3,gpt 4\ngpt4,claude-3,left\nclaude_3,GPT-4,GPT-4\n"
    with pytest.raises(
        FileError, match=r"did you mean 'GPT-4', which --fold takes for the same name\?"
    ):
        ac.read_votes(io.StringIO(text))
    log = ac.read_votes(io.StringIO(text), fold=True)
    assert log.items == ("GPT-4", "Claude 3")
    assert log.pairs.wins_first.tolist() == [3]
    assert any("'gpt4' as 'GPT-4'" in note for note in log.guessed)
    certificate = ac.front(io.StringIO(text), fold=True, likely=False)
    assert certificate.reading == {"fold": True}
    apart = ac.read_votes(io.StringIO("left,right,winner\nGPT-4,gpt 4,left\n"))
    assert apart.guessed[-1] == (
        "'GPT-4' and 'gpt 4' differ only by case, spaces or punctuation, but are different items "
        "(--fold treats them as one)."
    )
    given = ac.read_votes(io.StringIO(text), fold=True, items=("gpt-4", "CLAUDE 3", "other"))
    assert given.items == ("gpt-4", "CLAUDE 3", "other")


def test_numbers_that_became_fractions_are_pointed_out() -> None:
    text = "left,right,winner\n1,2,left\n1.0,2,left\n1.5,2,left\n"
    assert any("'1' and '1.0' differ" in note for note in ac.read_votes(io.StringIO(text)).guessed)
    assert ac.read_votes(io.StringIO(text), fold=True).items == ("1", "2", "1.5")


def test_what_tells_names_apart_is_not_folded() -> None:
    for one, other in (("v1.1", "v11"), ("-5", "5"), ("C++", "C"), ("C#", "C"), ("5%", "5"),
                       ("!", "?"), ("3.5", "35")):  # fmt: skip
        assert fold_key(one) != fold_key(other)
    for one, other in (("Café", "cafe\u0301"), ("a  b", "A_B"), ("(x)", "x"), ("gpt-4o", "GPT 4o")):
        assert fold_key(one) == fold_key(other)


def test_a_winner_that_nearly_names_an_item_is_asked_about() -> None:
    with pytest.raises(FileError, match=r"has 'Alein' in 'winner', .*; did you mean 'Alien'\?"):
        ac.read_votes([("Alien", "Saw", "Alein")])
    with pytest.raises(FileError) as caught:
        ac.read_votes([("Alien", "Saw", "Jaws of doom")])
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        ("lef,rihgt,winer", "left for 'lef', right for 'rihgt', winner for 'winer'"),
        ("left,rihgt,winner,voter", "right for 'rihgt'"),
        ("left,right,Winer", "winner for 'Winer'"),
        ("hme,awway,note", "home for 'hme', away for 'awway'"),
        ("winer,losr", "winner for 'winer', loser for 'losr'"),
    ],
)
def test_misspelt_columns_are_pointed_out(header: str, meant: str) -> None:
    with pytest.raises(FileError) as caught:
        ac.read_votes(io.StringIO(f"{header}\na,b,left,x\n"))
    assert f" was expected; did you mean {meant}? (say which with" in str(caught.value)


@pytest.mark.parametrize("header", ["height,weight,sex", "left,right,voter", "lef,voter,winner"])
def test_columns_of_other_names_are_not_taken_for_misspelt(header: str) -> None:
    with pytest.raises(FileError) as caught:
        ac.read_votes(io.StringIO(f"{header}\na,b,left\n"))
    assert "did you mean" not in str(caught.value)


def test_a_list_of_items_or_a_toml_file_is_no_log(tmp_path: Path) -> None:
    listed, spec, ranking = (tmp_path / name for name in ("items.txt", "mine.toml", "ranks.txt"))
    listed.write_text("Alien\nSaw\nLeap\n")
    spec.write_text('title = "Films"\nitems = ["Alien", "Saw"]\n')
    ranking.write_text("Alien > Saw\nSaw > Alien\n")
    with pytest.raises(FileError, match=r"items\.txt looks like a list of items, but votes") as e:
        ac.read_votes(listed)
    assert "to let people vote on them: antichain serve " in str(e.value)
    with pytest.raises(FileError, match=r"mine\.toml is a TOML file, but a table was expected \(a"):
        ac.read_votes(spec)
    with pytest.raises(FileError, match="has the column 'Alien > Saw', but a pair of columns"):
        ac.read_votes(ranking)


def test_given_items_that_no_row_mentions_are_named() -> None:
    text = "left,right,winner\nAlien,Saw,left\nSenna,Jaws,tie\n"
    log = ac.read_votes(io.StringIO(text), items=("Alien", "Alienn", "Sena", "Saw", "Up", "Jaws"))
    assert log.guessed[-1] == (
        "no row mentions 'Alienn' (did you mean 'Alien'?), 'Sena' (did you mean 'Senna'?), 'Up', "
        "given by --items. If they are the same, correct the name."
    )
    many = ac.read_votes(io.StringIO(text), items=["Alien", *(f"film {n}" for n in range(9))])
    assert "'film 4' and 4 more, given by --items" in many.guessed[-1]
    ranked = ac.read_votes(io.StringIO("ballot\nAlien > Saw\n"), items=("Alien", "Saww"))
    assert "'Saww' (did you mean 'Saw'?)" in ranked.guessed[-1]
    scores = io.StringIO("task,model,score\n1,tea,1\n1,milk,0\n")
    scored = ac.read_votes(scores, item="model", unit="task", score="score", items=("tea", "mlik"))
    assert "'mlik' (did you mean 'milk'?)" in scored.guessed[-1]
    for items, rows in ((("Alien", "Saw"), text), (("a", "b"), "left,right,winner\n")):
        known = ac.read_votes(io.StringIO(rows), items=items)
        assert not any("no row mentions" in note for note in known.guessed)


@pytest.mark.parametrize(
    "text",
    [
        "left,right,winner\nAlien,Saw,left\n",
        "ballot\nAlien > Saw\n",
        "task,model,score\n1,Alien,1\n1,Saw,0\n",
    ],
)
def test_a_log_that_mentions_none_of_the_given_items_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        ac.front(io.StringIO(text), items=["Up", "Jaws"])
    assert str(caught.value) == (
        "the open file mentions none of 'Up', 'Jaws', but at least one of the items that --items "
        "names was expected"
    )


def test_all_bad_rows_are_told_together() -> None:
    rows = ["left,right,winner", *["a,b,?"] * 11, "a,a,left", "a,b,left", "a,,left"]
    with pytest.raises(FileError) as caught:
        ac.read_votes(io.StringIO("\n".join(rows)))
    first, *listed = str(caught.value).splitlines()
    assert first == (
        "the open file has 13 rows that are not votes (answer: 11, item: 1, itself: 1), but a vote "
        "in each row was expected (--skip-bad skips and counts such rows); the first 10 are:"
    )
    assert [line.split(" has")[0] for line in listed] == [f"  line {n}" for n in range(2, 12)]
    with pytest.raises(
        FileError, match=r"^the open file, line 2 has .* \(--skip-bad skips such rows\)$"
    ):
        ac.read_votes(io.StringIO("left,right,winner\na,b,?\na,b,left\n"))


@pytest.mark.parametrize(
    ("names", "encoding", "said"),
    [
        ("Café Éclair,Bär", "cp1252", "the open file is not in UTF-8, and probably in windows-12"),
        ("Кафе,Медведь", "cp1251", "the open file is not in UTF-8: name its encoding with --encod"),
    ],
)
def test_another_encoding_is_told_in_one_sentence(names: str, encoding: str, said: str) -> None:
    text = f"left,right,winner\n{names},left\n{names},?\na,b,left\n"
    with pytest.raises(FileError) as caught:
        ac.read_votes(io.BytesIO(text.encode(encoding)))
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
    assert ac.read_votes(io.BytesIO(text.encode(encoding)), skip_bad=True).votes == 1
    some = text.replace("?", "tie").encode() + text.encode(encoding)  # from two files
    with pytest.raises(FileError, match=r"line 6 has the bytes .*\n"):
        ac.read_votes(io.BytesIO(some))


def test_the_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    for name, encoding in (("new.csv", "utf-8"), ("old.csv", "cp1252")):
        text = "left,right,winner\n" + "Café Éclair,Bar,left\n" * 3
        (tmp_path / name).write_bytes(text.encode(encoding))
    with pytest.raises(FileError, match=r"old\.csv is not in UTF-8, and probably in windows-1252"):
        ac.read_votes([tmp_path / "new.csv", tmp_path / "old.csv"])


def test_what_is_wrong_further_up_comes_first() -> None:
    text = 'left,right,winner\na,b,?\na,b,left\na,"b,left\n'
    with pytest.raises(FileError, match=r"line 2 has .* in 'winner'"):
        ac.read_votes(io.StringIO(text))


def test_very_many_bad_rows_end_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antichain.votes._bad_rows.MOST_BAD", 10)
    with pytest.raises(FileError, match=r"at least 50 rows that are not votes"):
        ac.read_votes([("a", "b", "?")] * 50)
