"""Votes exported from a study: what is spare or about decoys is told, and is no evidence."""

import csv
import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antichain as ac
from antichain.certify._certifier import certify
from antichain.errors import FileError, InputError
from antichain.votes import read_votes

HEADER = "left,right,answer,voter,time,reason,decoy,receipt\n"
LEVELS = {"ham": 3, "left": 2, "jam": 1, "yam": 0}  # an item may well be called "left"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with decoys, some of whose asks were answered twice."""
    algorithm = ac.UnchainedBandits(delta=0.2, decoy_gap=0.2)
    path = tmp_path_factory.mktemp("study") / "food.duels"
    with ac.Study.open(path, list(LEVELS), algorithm, seed=3) as opened:
        while not opened.finished:
            for n, ask in enumerate(opened.ask(20)):
                left, right = (
                    LEVELS[name] - 0.5 * (ask.decoy == side)
                    for side, name in (("left", ask.left), ("right", ask.right))
                )
                # The lower half of the items wins now and then.
                better = "left" if (left > right) != (n % 7 == 0) else "right"
                opened.tell(ask, "tie" if n % 5 == 0 else better, voter="ann")
                if n % 4 == 0:
                    opened.tell(ask, "right", voter="bob")
        yield opened


def _twin(votes):
    """How often each item beat which, and ties, of votes on items that are evidence."""
    counts = Counter()
    for vote in votes:
        if vote.receipt == "evidence" and vote.decoy is None:
            pair = (vote.left, vote.right)
            if vote.answer == "tie":
                counts["tie", frozenset(pair)] += 1
            else:
                won = pair[0] if vote.answer == "left" else pair[1]
                counts[won, frozenset(pair)] += 1
    return counts


def test_a_study_is_read_as_it_counted_itself(study):
    votes = list(study.votes())
    log = read_votes(io.StringIO(study.votes_csv()))
    found = Counter()
    for row in range(log.pairs.size):
        first, second = log.items[log.pairs.first[row]], log.items[log.pairs.second[row]]
        pair = frozenset((first, second))
        found[first, pair] = int(log.pairs.wins_first[row])
        found[second, pair] = int(log.pairs.wins_second[row])
        found["tie", pair] = int(log.pairs.ties[row])
    assert +found == _twin(votes)
    spare = sum(vote.receipt == "spare" for vote in votes)
    decoys = sum(vote.receipt == "evidence" and vote.decoy is not None for vote in votes)
    assert min(spare, decoys, log.votes) > 0
    assert (log.apart.spare, log.apart.decoys, log.rows) == (spare, decoys, len(votes))
    assert log.rows == log.counted_rows + log.apart.rows
    assert any("the export of a study" in note for note in log.guessed)


def test_a_certificate_says_what_was_set_apart(study):
    log = read_votes(io.StringIO(study.votes_csv()))
    told = " ".join(certify(log, 0.05, 0.05).notes)
    spare, decoys = log.apart.spare, log.apart.decoys
    assert f"Not counted: {spare:,} spare answers, too late to be evidence." in told
    assert f"Not counted: {decoys:,} duels against decoys." in told


def test_rows_of_objects_are_read_alike(study):
    by_file = read_votes(io.StringIO(study.votes_csv()))
    by_rows = read_votes([vars(vote) for vote in study.votes()])
    assert by_rows.fingerprint == by_file.fingerprint
    assert by_rows.apart == by_file.apart


def test_items_that_only_decoys_met_are_named():
    text = HEADER + "a,b,left,,,,,evidence\na,c,right,,,,right,evidence\nd,a,tie,,,,,spare\n"
    log = read_votes(io.StringIO(text))
    assert log.items == ("a", "b")
    assert log.apart.items == ("c", "d")
    assert "occur only in rows that do not count: c, d." in " ".join(certify(log, 0.05, 0.05).notes)
    told = read_votes(io.StringIO(text), items=("a", "b", "c"))
    assert told.items == ("a", "b", "c")
    assert told.apart.items == ()
    assert (told.rows, told.counted_rows, told.apart.rows, told.other_rows) == (3, 1, 2, 0)


def test_a_study_of_decoys_alone_says_nothing_of_items():
    text = HEADER + "a,b,left,,,,right,evidence\n" * 3
    with pytest.raises(InputError, match="no votes that count"):
        read_votes(io.StringIO(text))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,b,left,,,,,", "line 2 has nothing in 'receipt', but evidence or spare was expected"),
        ("a,b,left,,,,,Spare?", "line 2 has 'Spare\\?' in 'receipt'"),
        ("a,b,left,,,,both,evidence", "line 2 has 'both' in 'decoy', but left, right or nothing"),
        ("a,b,what,,,,,evidence", "line 2 has 'what' in 'answer'"),
        ("a,b,left,,,,evidence", "line 2 has 7 fields"),
    ],
)
def test_what_no_study_writes_is_refused_or_counted(row, words):
    with pytest.raises(FileError, match=words):
        read_votes(io.StringIO(HEADER + row + "\n"))
    text = HEADER + row + "\na,b,left,,,,,evidence\n"
    log = read_votes(io.StringIO(text), skip_bad=True)
    assert (log.rows, log.counted_rows, log.skipped_rows.rows, log.apart.rows) == (2, 1, 1, 0)


def test_a_log_that_only_has_some_of_the_columns_is_no_study():
    text = "left,right,answer,receipt\na,b,left,spare\n"
    log = read_votes(io.StringIO(text))
    assert (log.votes, log.apart.rows) == (1, 0)


HOSTILE = ["-5%", "=SUM(A1)", "'quoted", "''", "'=x", "=x", "@you", "+1", "ham", "＝wide", "a,b"]


def voted(items, voters=("ann",)):
    """A study of these items in which every pair that was asked for was answered."""
    opened = ac.Study.in_memory(items, ac.UnchainedBandits(delta=0.3, decoy_gap=None, epsilon=0.3))
    for n in range(200):
        for ask in opened.ask(1):
            opened.tell(ask, "tie", voter=voters[n % len(voters)], reason="=HYPERLINK(1)")
    return opened


def test_no_cell_is_a_formula_and_every_name_comes_back():
    opened = voted(HOSTILE, HOSTILE)
    text = opened.votes_csv()
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == [*HEADER.strip().split(","), "escape"]
    assert not any(cell.startswith(tuple("=+-@\t\r＝＋－＠")) for row in rows for cell in row)
    assert {row[-1] for row in rows[1:]} == {"apostrophe"}
    plain = read_votes([vars(vote) for vote in opened.votes()], voter="voter")
    for source in (io.StringIO(text), io.StringIO(text.replace("escape\n", "Escape\n"))):
        log = read_votes(source, voter="voter")
        assert log.items == plain.items
        assert set(log.items) <= set(HOSTILE)
        assert log.fingerprint == plain.fingerprint
        assert log.repeated == plain.repeated
    assert "removed the apostrophes that the column 'Escape' marks" in log.guessed


@settings(max_examples=150, deadline=None)
@given(
    names=st.lists(
        st.text(max_size=6) | st.text(st.sampled_from("'\"=+-@,;\t\n\r ax|"), max_size=5),
        min_size=2,
        max_size=3,
    ),
    who=st.text(max_size=5),
)
def test_whatever_a_study_accepts_comes_back_from_its_export(names, who):
    try:
        opened = ac.Study.in_memory(names)
    except InputError:
        return
    for ask in opened.ask(4):
        opened.tell(ask, "tie", voter=who, reason=who)
    votes = list(opened.votes())
    for source in (
        io.StringIO(opened.votes_csv(), newline=""),
        io.BytesIO(opened.votes_csv().encode()),
    ):
        log = read_votes(source)
        assert set(log.items) == {name for vote in votes for name in (vote.left, vote.right)}
        assert log.votes == len(votes)


def test_an_export_without_such_names_is_as_it_always_was():
    opened = ac.Study.in_memory(["ham", "jam"], ac.Witness(delta=0.05, decoy_gap=None, epsilon=0.1))
    for ask in opened.ask(3):
        opened.tell(ask, "left", voter="ann")
    assert opened.votes_csv().startswith(HEADER)
    assert "'" not in opened.votes_csv()


def test_the_apostrophes_of_other_logs_stay():
    text = "left,right,winner\n'=x,'quoted,left\n'quoted,''y,left\n"
    log = read_votes(io.StringIO(text))
    assert log.items == ("'=x", "'quoted", "''y")
    (note,) = [note for note in log.guessed if "apostrophe" in note]
    assert note.startswith("\"'=x\" keeps its apostrophe: if these votes are a study's export")
    # An export of an earlier version has no column that announces apostrophes.
    text = HEADER + "'quoted,'-5%,left,,,,,evidence\n"
    assert read_votes(io.StringIO(text)).items == ("'quoted", "'-5%")


def test_the_rows_of_a_sheet_name_what_the_log_has_and_a_note_says_so():
    text = "left,right,winner\n-5%,ham,left\nham,'-5%,right\n'+1,ham,left\n"
    log = read_votes(io.StringIO(text))
    assert log.items == ("-5%", "ham", "'+1")
    note, kept = [note for note in log.guessed if "apostrophe" in note]
    assert kept.startswith('"\'+1" keeps its apostrophe')
    assert note.startswith("read \"'-5%\" as '-5%': sheets")


def test_names_that_look_alike_are_told():
    log = read_votes([("Alien", "alien", "left"), ("caf\xe9", "cafe\u0301", "left")])
    assert log.items == ("Alien", "alien", "caf\xe9", "cafe\u0301")
    assert log.guessed[-1].endswith("are different items (--fold treats them as one).")
    assert log.guessed[-1] in certify(log, 0.05, 0.05).notes


def test_an_export_with_asks_needs_no_hint_about_its_times():
    study = ac.Study.in_memory(["ham", "jam"])
    study.tell(study.ask(1)[0], "left", voter="ann")
    log = read_votes(io.StringIO(study.votes_csv()))
    assert log.asks is not None
    assert [note for note in log.guessed if "did not use" in note] == []
    rows = "ask,left,right,winner,voter,time\n1,ham,jam,left,ann,2030-01-01\n"  # anybody's log
    assert any("--time time" in note for note in read_votes(io.StringIO(rows)).guessed)
