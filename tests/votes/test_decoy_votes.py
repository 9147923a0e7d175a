"""Duels against decoys in a log: kept apart from votes on items, and every one of them counted."""

import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.errors import FileError, InputError, ParameterError
from antichain.votes import read_votes
from antichain.votes._vote_log import FORMS, VoteLog

SUFFIX = " (decoy)"
ITEMS = ("a", "b", "c")
NAMES = [*ITEMS, *(item + SUFFIX for item in ITEMS)]
MAPPING = {item: item + SUFFIX for item in ITEMS}
ANSWERS = ("left", "right", "tie", "both bad", "incomparable", "skipped")
TURNED = (1, 0, 2, 3, 4, 5)

rows = st.lists(
    st.tuples(
        st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(ANSWERS),
        st.sampled_from("xy"),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=30,
)  # fmt: skip


def twin(votes):
    """Counts of duels (item, original, form), and how many rows have a decoy, by plain loops."""
    found, decoys = Counter(), 0
    for left, right, answer, _ in votes:
        form = ANSWERS.index(answer)
        shown = [name.endswith(SUFFIX) for name in (left, right)]
        decoys += any(shown)
        left, right = left.removesuffix(SUFFIX), right.removesuffix(SUFFIX)
        if sum(shown) == 1 and left != right:
            duel = (left, right, form) if shown[1] else (right, left, TURNED[form])
            found[duel] += 1
    return found, decoys


def counts_of(log):
    if log.decoys is None:
        return Counter()
    told = Counter()
    ends = zip(log.decoys.item.tolist(), log.decoys.original.tolist(), strict=True)
    for (item, original), counts in zip(ends, log.decoys.table.tolist(), strict=True):
        for form in range(len(FORMS)):
            told[log.items[item], log.items[original], form] += counts[form]
    return +told


@settings(deadline=None)
@given(rows, st.sampled_from([SUFFIX, MAPPING]))
def test_duels_against_decoys_are_what_plain_loops_count(votes, decoys):
    log = read_votes([row[:3] for row in votes], items=ITEMS, decoys=decoys)
    found, apart = twin(votes)
    assert counts_of(log) == found
    assert log.apart.decoys == apart
    assert log.rows == len(votes) == log.counted_rows + log.apart.rows
    direct = [row[:3] for row in votes if not any(name.endswith(SUFFIX) for name in row[:2])]
    plain = VoteLog.from_rows(
        [(*ends, answer.replace(" ", "_")) for *ends, answer in direct], ITEMS
    )
    assert log.items == plain.items
    assert log.pairs.table.tolist() == plain.pairs.table.tolist()


@settings(deadline=None)
@given(rows)
def test_a_study_s_column_says_the_same(votes):
    header = "left,right,answer,voter,time,reason,decoy,receipt"
    lines = [header]
    kept = [("a", "b", "tie")]
    lines.append("a,b,tie,,,,,evidence")
    for left, right, answer, _ in votes:
        shown = [name.endswith(SUFFIX) for name in (left, right)]
        if all(shown):
            continue  # a study has no column for two decoys
        side = "left" if shown[0] else "right" if shown[1] else ""
        kept.append((left, right, answer))
        ends = f"{left.removesuffix(SUFFIX)},{right.removesuffix(SUFFIX)}"
        lines.append(f"{ends},{answer},,,,{side},evidence")
    by_column = read_votes(io.StringIO("\n".join(lines)), items=ITEMS)
    by_name = read_votes(kept, items=ITEMS, decoys=SUFFIX)
    assert counts_of(by_column) == counts_of(by_name)
    assert by_column.apart.decoys == by_name.apart.decoys
    assert by_column.pairs.table.tolist() == by_name.pairs.table.tolist()
    assert by_column.fingerprint == by_name.fingerprint


@settings(deadline=None)
@given(rows)
def test_clusters_of_duels_have_their_means(votes):
    content = "left,right,winner,prompt\n" + "".join(",".join(row) + "\n" for row in votes)
    log = read_votes(io.StringIO(content), items=ITEMS, decoys=SUFFIX, cluster="prompt")
    scores = {0: 2, 1: 0, 2: 1, 3: 1, 4: 1}
    by_hand: dict[tuple[str, str, str], list[int]] = {}
    for row in votes:
        for item, original, form in twin([row])[0]:
            if form in scores:
                by_hand.setdefault((item, original, row[3]), []).append(scores[form])
    wanted = Counter(
        (item, original, sum(doubled) / (2 * len(doubled)), len(doubled))
        for (item, original, _), doubled in by_hand.items()
    )
    told = Counter()
    if log.decoys is not None:
        for row, score, number in zip(*log.decoys.clusters, strict=True):
            ends = log.items[log.decoys.item[row]], log.items[log.decoys.original[row]]
            told[*ends, float(score), int(number)] += 1
    assert told == wanted


def test_the_votes_against_decoys_are_part_of_the_fingerprint():
    votes = [("a", "b", "left"), ("a", "b (decoy)", "left")]
    one = read_votes(votes, decoys=SUFFIX)
    other = read_votes([*votes[:1], ("a", "b (decoy)", "right")], decoys=SUFFIX)
    turned = read_votes([("b (decoy)", "a", "right"), ("b", "a", "right")], decoys=SUFFIX)
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == turned.fingerprint


def test_an_item_may_meet_its_own_decoy_but_no_decoy_itself():
    votes = [("a", "b", "left"), ("a", "a (decoy)", "left")]
    log = read_votes(votes, decoys=SUFFIX)
    assert (log.apart.decoys, log.decoys, log.items) == (1, None, ("a", "b"))
    with pytest.raises(FileError, match=r"row 3 pits 'a \(decoy\)' against itself"):
        read_votes([*votes, ("a (decoy)", "a (decoy)", "left")], decoys=SUFFIX)


def test_a_duel_against_a_decoy_is_held_to_what_any_vote_is():
    votes = [("a", "b", "left"), ("a", "b (decoy)", "maybe")]
    with pytest.raises(FileError, match="row 2 has 'maybe' in 'winner'"):
        read_votes(votes, decoys=SUFFIX)
    log = read_votes(votes, decoys=SUFFIX, skip_bad=True)
    assert (log.skipped_rows.rows, log.apart.decoys, log.rows) == (1, 0, 2)


def test_the_winner_may_be_named_as_it_was_shown():
    log = read_votes(
        [("a", "b", "a"), ("b (decoy)", "a", "b (decoy)"), ("a", "b (decoy)", "a")], decoys=SUFFIX
    )
    assert log.decoys.table.tolist() == [[1, 1, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("decoys", "words"),
    [
        (" ", "--decoy-suffix is ' ', but a text"),
        ({"a": "a"}, "which is an item"),
        ({"a": "x", "b": "x"}, "decoy of its own"),
        ({"a": 3}, "the name of a decoy"),
        (7, "a mapping"),
    ],
)
def test_decoys_that_are_none_are_refused(decoys, words):
    with pytest.raises((ParameterError, InputError), match=words):
        read_votes([("a", "b", "left")], decoys=decoys)
