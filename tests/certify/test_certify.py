"""Certificates: against a plain retelling, and in the cases that matter one by one."""

import itertools
import json
import math
import tracemalloc
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antichain.certify import Certificate, _wording, certify
from antichain.certify._explaining import explain
from antichain.errors import InputError, ParameterError
from antichain.evidence._bet import Bet
from antichain.referee._terms import on_rates
from antichain.votes._vote_log import DecoyVotes, Meanings, VoteLog
from tests.bets import evidence
from tests.certify.cases import chain, complete, cycle, logs
from tests.certify.test_budget import by_definition

DELTA, EPSILON = 0.3, 0.2


def retold(
    log: VoteLog, assume: tuple[str, ...] = (), decoy_gap: float | None = None
) -> dict[str, object]:
    """Front, out and the rest of counts in no order, by loops over names and the definitions."""
    cannot_compare, size = "cannot-compare" in assume, len(log.items)
    counts: dict[tuple[str, str], tuple[int, int, int]] = {}
    cannot: dict[tuple[str, str], tuple[int, int]] = {}
    for i, j, won, lost, tied, bad, neither, _ in zip(
        log.pairs.first, log.pairs.second, *log.pairs.table.T, strict=True
    ):
        a, b = log.items[i], log.items[j]
        halves = int(tied + bad) if cannot_compare else int(tied + bad + neither)
        counts[a, b] = (int(won), int(lost), halves)
        counts[b, a] = (int(lost), int(won), halves)
        cannot[a, b] = cannot[b, a] = (int(neither), int(won + lost + tied + bad))
    ordered = list(itertools.permutations(log.items, 2))
    pairs = list(itertools.combinations(log.items, 2))
    none = (0, 0, 0)

    def against(bet: Bet, pair: tuple[str, str]) -> float:
        return evidence(bet, *counts.get(pair, none))

    def rate(bound: float, above: bool, pair: tuple[str, str]) -> float:
        return evidence(on_rates(bound, above=above), *cannot.get(pair, (0, 0)), 0)

    above = {p: against(Bet.open_ended(), p) for p in ordered}
    within = {p: against(Bet.against_gap(EPSILON), p) for p in ordered}
    cleared = dict(within)
    if cannot_compare:
        above = {p: min(above[p], rate(2 / 3, False, p)) for p in ordered}
        cleared = {p: (within[p] + rate(1 / 3, True, p)) / 2 for p in ordered}
    if decoy_gap is not None:
        for j, i, row in zip(log.decoys.item, log.decoys.original, log.decoys.table, strict=True):
            met = (int(row[0]), int(row[1]), int(row[2]))
            cleared[log.items[j], log.items[i]] *= evidence(Bet.against_gap(decoy_gap), *met)

    against_all = {}
    for i in log.items:
        rivals = [j for j in log.items if j != i]
        products = [
            math.prod(1 - rho + rho * above[j, i] for j in rivals) for rho in (1 / size, 0.15, 0.5)
        ]
        mean = sum(products) / 3
        if not log.pooling:
            mean = sum(above[j, i] for j in rivals) / len(rivals)
        lost = [sum(counts.get((j, i), none)[k] for j in rivals) for k in (0, 1, 2)]
        pooled = evidence(Bet.open_ended(), *lost)
        plain = cannot_compare or not log.pooling
        against_all[i] = mean if plain else 0.75 * mean + 0.25 * pooled
    alpha = 0.2 * DELTA
    out = {
        i
        for i in log.items
        if against_all[i] * alpha
        >= 1 + sum(max(0, 1 - alpha * against_all[j]) for j in log.items if j != i)
    }
    least = {
        i: min(
            (cleared[j, i] for j in log.items if j != i and not ("strong" in assume and j in out)),
            default=math.inf,
        )
        for i in log.items
    }
    inside: set[str] = set()
    for members in range(size, 0, -1):
        passing = {i for i in set(log.items) - out if least[i] * 0.75 * DELTA >= 1 + size - members}
        if len(passing) >= members:
            inside = passing
            break

    def stepped(keys: list, values: list[float], share: float) -> set:
        logs = [math.log(value) for value in values]
        return {keys[k] for k in by_definition(logs, len(keys), share * 0.05 * DELTA)}

    rest = 0.7 if decoy_gap is None else 0.5
    shown = {p for p in stepped(ordered, [above[p] for p in ordered], rest) if p[1] in out}
    even = stepped(pairs, [min(within[a, b], within[b, a]) for a, b in pairs], 0.2)
    said = [evidence(Bet.open_ended(), *cannot.get(p, (0, 0)), 0) for p in pairs]
    incomparable = stepped(pairs, said, 0.1)
    reach = set(shown)
    for k, i, j in itertools.product(log.items, repeat=3):
        if (i, k) in reach and (k, j) in reach:
            reach.add((i, j))
    circular = {i for i in log.items if (i, i) in reach}
    same = {(i, j) for i, j in ordered if (i, j) in reach and (j, i) in reach}
    lower = {j for i, j in shown if (i, j) not in same}
    return {
        "front": inside,
        "inside": inside,
        "out": lower | (out - circular),
        "undecided": set(log.items) - inside - out,
        "grouped": circular,
        "above": shown,
        "even": even,
        "incomparable": incomparable,
    }


def told(found: Certificate) -> dict[str, object]:
    return {
        "front": set(found.front),
        "inside": set(found.inside),
        "out": set(found.out),
        "undecided": set(found.undecided),
        "grouped": {item for group in found.groups for item in group.items},
        "above": {claim[:2] for claim in found.pairs.dominated},
        "even": {claim[:2] for claim in found.pairs.indistinguishable},
        "incomparable": {claim[:2] for claim in found.pairs.incomparable},
    }


@settings(max_examples=150, deadline=None)
@given(logs())
def test_a_certificate_says_what_the_definitions_say(log):
    assert told(certify(log, DELTA, EPSILON, likely=False)) == retold(log)


@settings(max_examples=100, deadline=None)
@given(logs(), st.sampled_from([("strong",), ("cannot-compare",), ("strong", "cannot-compare")]))
def test_so_it_does_under_assumptions(log, assume):
    found = certify(log, DELTA, EPSILON, assume=assume, likely=False)
    assert told(found) == retold(log, assume)
    assert found.assume == assume


@settings(max_examples=100, deadline=None)
@given(logs(most=4), st.data())
def test_duels_against_decoys_multiply_into_clearing(log, data):
    ends = list(itertools.permutations(range(len(log.items)), 2))
    met = data.draw(st.lists(st.sampled_from(ends), unique=True, min_size=1))
    table = [[*data.draw(st.tuples(*[st.integers(0, 40)] * 3)), 0, 0, 0] for _ in met]
    duels = DecoyVotes(*np.array(met).T, np.array(table))
    log = replace(log, decoys=duels, pooling=True)
    found = certify(log, DELTA, EPSILON, decoy_gap=0.3, likely=False)
    assert told(found) == retold(log, decoy_gap=0.3)


@settings(max_examples=100, deadline=None)
@given(logs())
def test_every_item_has_one_verdict_and_its_numbers_add_up(log):
    found = certify(log, DELTA, EPSILON, likely=False)
    loose = {i for g in found.groups for i in g.items if i not in found.out}
    parts = [set(found.front), set(found.out), set(found.undecided), loose]
    assert sum(map(len, parts)) == len(log.items)
    assert set().union(*parts) == set(log.items)
    assert found.votes == sum(found.answers.values()) == log.votes
    for why in [*found.out.values(), *found.inside.values(), *found.pairs.dominated]:
        assert why.log_evidence >= -math.log(why.level) - 1e-9
    for item, entries in found.undecided.items():
        assert found.missing[item] == len(entries) > 0
        assert item not in {entry.opponent for entry in entries}
    size = len(log.items)
    shown = {frozenset(c[:2]) for family in found.pairs[:3] for c in family}
    asked = found.pairs_seen
    assert found.pairs.not_enough == asked - len(shown)
    assert found.pairs.never_asked == size * (size - 1) // 2 - asked
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_chain():
    found = certify(chain(), epsilon=0.15)
    assert found.out["b"].by == "a"
    assert found.out["c"].by == "a"
    assert found.out["c"].also_by == ("b",)
    assert found.out["b"].votes == 400
    assert found.out["b"].share == pytest.approx(0.3)
    assert found.front == ("a",)
    assert found.inside["a"].weakest == "d"
    assert list(found.undecided) == ["d"]
    assert [entry.opponent for entry in found.undecided["d"]] == ["b", "c"]
    assert found.pairs.indistinguishable[0][:3] == ("a", "d", 200)
    assert found.cycles == ()


def test_pooling_puts_out_what_no_pair_can():
    rivals = [(f"rival {k}", "weak", 9, 2) for k in range(12)]
    found = certify(VoteLog.from_counts(rivals))
    assert found.out["weak"].by is None
    assert found.out["weak"].pooled
    assert found.out["weak"].votes == 132
    assert found.pairs.dominated == ()
    forbidden = certify(VoteLog.from_counts(rivals, pooling=False, pooling_reason="shared votes"))
    assert forbidden.out == {}
    assert any("shared votes" in sentence for sentence in forbidden.assumptions)


def test_a_small_certain_gap_is_out_and_within_epsilon():
    found = certify(VoteLog.from_counts([("a", "b", 53_000, 47_000)]), epsilon=0.1)
    assert found.out["b"].by == "a"
    assert found.front == ("a",)
    assert len(found.pairs.dominated) == len(found.pairs.indistinguishable) == 1


def test_a_cycle_is_one_group_and_only_outsiders_put_its_items_out():
    found = certify(cycle(), epsilon=0.1)
    (group,) = found.groups
    assert group.items == ("a", "b", "c")
    assert group.cycle == ("a", "b", "c")
    assert [step[:3] for step in group.steps] == [("a", "b", 400), ("b", "c", 400), ("c", "a", 400)]
    assert not group.top
    assert set(found.out) == {"a", "d"}
    assert found.out["a"].by == "e"
    assert found.status("b") == found.status("c") == "cycle"
    assert not {"a", "b", "c"} & {*found.front, *found.undecided}


def test_a_top_cycle_is_in_nobody_s_front_even_within_epsilon():
    rows = [("a", "b", 60_000, 40_000), ("b", "c", 60_000, 40_000), ("c", "a", 60_000, 40_000)]
    found = certify(VoteLog.from_counts(rows), epsilon=0.2)
    assert found.groups[0].top
    assert found.front == ()
    assert not found.inside
    assert not found.out
    assert found.among == ("a", "b", "c")
    assert not found.undecided


def test_only_voters_make_a_pair_incomparable():
    said = certify(VoteLog.from_counts([("a", "b", 10, 10, 0, 0, 180)]))
    assert [claim[:2] for claim in said.pairs.incomparable] == [("a", "b")]
    for quiet in ([("a", "b", 500, 500, 0, 0, 0)], [("a", "b", 100, 100, 0, 0, 190)]):
        assert certify(VoteLog.from_counts(quiet)).pairs.incomparable == ()


def test_ties_count_by_their_meaning():
    rows = [("a", "b", 20, 20, 400)]
    half = certify(VoteLog.from_counts(rows), epsilon=0.1)
    ignored = certify(VoteLog.from_counts(rows, meanings=Meanings(tie="ignore")), epsilon=0.1)
    assert half.front == ("a", "b")
    assert ignored.front == ()
    assert ignored.undecided["a"][0].votes == 40
    assert any("Leaving answers out" in sentence for sentence in ignored.assumptions)


def clustered(clusters: int, size: int, wins: float) -> VoteLog:
    """Clusters of `size` votes each, all of one mind; a share `wins` of them for a."""
    rows, which = [], []
    for k in range(clusters):
        for _ in range(size):
            rows.append(("a", "b", "left" if k < wins * clusters else "right"))
            which.append(k)
    return VoteLog.from_rows(rows, clusters=which)


def test_a_cluster_is_one_observation_however_many_votes_it_has():
    few = certify(clustered(40, 1, 0.9))
    many = certify(clustered(40, 25, 0.9))
    assert few.out["b"].log_evidence == pytest.approx(many.out["b"].log_evidence)
    assert (few.out["b"].votes, many.out["b"].votes) == (40, 1000)
    assert certify(clustered(4, 100, 1.0)).out == {}
    assert many.clusters == ("cluster", 40)
    assert many.unit == "cluster"
    assert any("cluster's mean is one observation" in words for words in many.assumptions)


def test_pooled_clusters_take_an_item_s_mean_over_all_opponents():
    # In each cluster the item wins once and loses three times, against four opponents: 1/4.
    rows, which = [], []
    for k in range(60):
        for rival, answer in zip("bcde", ("left", "right", "right", "right"), strict=True):
            rows.append(("a", rival, answer))
            which.append(k)
    log = VoteLog.from_rows(rows, clusters=which)
    bet = Bet.open_ended()
    by_hand = sum(w * (1 + s * 0.25) ** 60 for s, w in zip(bet.stakes, bet.weights, strict=True))
    from antichain.certify._weigh import all_answers, weigh

    assert weigh(all_answers(log), 0.05).pooled[0] == pytest.approx(math.log(by_hand))


def test_undecided_items_are_told_what_is_missing():
    found = certify(VoteLog.from_counts([("a", "b", 35, 25), ("b", "c", 10, 10)]), epsilon=0.1)
    missing = {entry.opponent: entry for entry in found.undecided["a"]}
    assert set(missing) == {"b", "c"}
    assert missing["c"].votes == 0
    assert missing["c"].share is None
    assert missing["c"].at_rate == missing["c"].if_even
    # a is ahead of b, so at that rate b is cleared sooner than if the two were even.
    assert missing["b"].at_rate < missing["b"].if_even < missing["c"].if_even
    assert missing["b"].to_lose is None
    assert {entry.opponent: entry for entry in found.undecided["b"]}["a"].to_lose > 0


def test_forecast_votes_do_decide():
    before = VoteLog.from_counts([("a", "b", 30, 30)])
    need = certify(before, epsilon=0.1).undecided["a"][0].if_even
    more = math.ceil(need / 2)
    after = certify(VoteLog.from_counts([("a", "b", 30 + more, 30 + more)]), epsilon=0.1)
    assert after.front == ("a", "b")
    fewer = math.floor(0.75 * more)
    short = certify(VoteLog.from_counts([("a", "b", 30 + fewer, 30 + fewer)]), epsilon=0.1)
    assert short.front == ()


def test_many_opponents_are_counted_and_the_nearest_listed(monkeypatch):
    monkeypatch.setattr("antichain.certify._missing.MOST_OPPONENTS", 3)
    rows = [("a", f"b{k}", 10 + k, 10) for k in range(9)]
    found = certify(VoteLog.from_counts(rows))
    assert found.missing["a"] == 9
    assert [entry.opponent for entry in found.undecided["a"]] == ["b8", "b7", "b6"]


def test_whoever_may_decide_an_item_is_listed_however_many_are_nearer(monkeypatch):
    rows = [("a", f"b{k}", 10 + k, 10) for k in range(9)] + [("a", "rival", 10, 20)]
    threat = min(e.to_lose for e in certify(VoteLog.from_counts(rows)).undecided["a"] if e.to_lose)
    monkeypatch.setattr("antichain.certify._missing.MOST_OPPONENTS", 3)
    listed = certify(VoteLog.from_counts(rows)).undecided["a"]
    assert [entry.opponent for entry in listed] == ["b8", "b7", "rival"]
    assert listed[-1].to_lose == threat


def test_a_sparse_log_of_thousands_of_items_is_no_matter_of_minutes_or_gigabytes():
    size, votes = 3_000, 6_000
    rng = np.random.default_rng(8)
    ends = rng.integers(size, size=(votes, 2))
    rows = [(f"i{a}", f"i{b}", "left") for a, b in ends.tolist() if a != b]
    log = VoteLog.from_rows(rows, [f"i{k}" for k in range(size)], history=False)
    tracemalloc.start()
    found = certify(log)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A single table of all pairs would take 72 MB, and a list of all missing ones a gigabyte.
    assert peak < 120e6
    assert sum(map(len, found.undecided.values())) <= 100_000
    met = Counter()
    for pair in {frozenset(row[:2]) for row in rows}:
        met.update(pair)
    assert set(found.undecided) == set(log.items) - set(found.out)
    for item, entries in found.undecided.items():
        assert found.missing[item] == size - 1
        assert found.records[item].opponents == met[item]
        assert len({entry.opponent for entry in entries} - {item}) == len(entries)
    lonely = min(found.undecided, key=lambda item: (met[item], item))
    assert f"{size - 1 - met[lonely]:,} without votes" in _row(found, lonely).why
    assert f" and {size - 1 - met[lonely] - 5:,} more; for each, " in explain(found, lonely)


def _row(found, item):
    return next(row for row in _wording.rows(found) if row.item == item)


def test_the_order_of_the_log_changes_nothing():
    rows = [("a", "b", 300, 100), ("c", "d", 300, 100), ("a", "d", 30, 30), ("c", "b", 300, 100)]
    turned = [(b, a, lost, won) for a, b, won, lost in rows[::-1]]
    one, other = (certify(VoteLog.from_counts(r)).to_dict() for r in (rows, turned))
    for document in (one, other):
        document["items"].sort()
        document["front"].sort()
        document["among"].sort()
        del document["digest"]
    assert one == other


def test_nobody_voted():
    found = certify(VoteLog.from_counts([], items=["a", "b"]))
    assert list(found.undecided) == ["a", "b"]
    assert found.records["a"].share is None
    assert found.pairs.never_asked == 1


def test_skipped_answers_are_never_evidence():
    found = certify(VoteLog.from_counts([("a", "b", 0, 0, 0, 0, 0, 10_000)]))
    assert found.undecided["a"][0].votes == 0
    assert found.answers["skipped"] == 10_000


@pytest.mark.parametrize(
    ("numbers", "words"),
    [({"delta": 0}, "delta is 0"), ({"delta": 1.5}, "delta is 1.5"), ({"epsilon": 0.5}, "epsilon")],
)
def test_impossible_numbers_are_refused(numbers, words):
    with pytest.raises(ParameterError, match=words):
        certify(chain(), **numbers)


def test_one_item_is_no_question():
    with pytest.raises(InputError, match="1 item, but at least two"):
        certify(VoteLog.from_counts([], items=["alone"]))


def test_an_unknown_item_is_told_similar_ones():
    found = certify(VoteLog.from_counts([("horror", "comedy", 1, 1)]))
    with pytest.raises(ParameterError, match="did you mean 'horror'"):
        found.status("horor")
    with pytest.raises(ParameterError, match="one of the 2 items"):
        found.status("zzz")


def test_a_million_votes_take_a_moment():
    import time

    rng = np.random.default_rng(0)
    rows = []
    for i, j in itertools.combinations(range(100), 2):
        won = int(rng.binomial(202, 0.5 + 0.4 * (j - i) / 100))
        rows.append((f"m{i}", f"m{j}", won, 202 - won))
    log = VoteLog.from_counts(rows)
    certify(log, likely=False)
    start = time.perf_counter()
    found = certify(log, likely=False)
    assert time.perf_counter() - start < 1.0  # some 0.03 s on a quiet machine
    assert found.votes == 999_900
    assert len(found.out) > 50


def test_evidence_beyond_floats_is_cut_and_its_logarithm_is_not():
    document = certify(VoteLog.from_counts([("a", "b", 90_000, 10_000)])).to_dict()
    assert document["out"]["b"]["evidence"] == 1e300
    assert document["out"]["b"]["log_evidence"] > 10_000


def test_a_ladder_comes_out():
    found = certify(complete(), epsilon=0.15)
    assert found.front == ("i0",)
    assert {"i3", "i4", "i5"} <= set(found.out)


def test_if_every_item_is_out_there_is_no_front_and_a_likely_cycle_is_told():
    # Weak evidence everywhere, which together shows that nothing is maximal.
    rows = [(f"i{k}", f"i{(k + 1) % 3}", 105, 55) for k in range(3)]
    found = certify(VoteLog.from_counts(rows), delta=0.2)
    assert set(found.out) == {"i0", "i1", "i2"}
    assert found.groups == ()
    (note,) = [note for note in found.notes if "there is no front" in note]
    assert (
        "(not certified): i0 > i1 > i2 > i0" in note or "(not certified): i1 > i2 > i0 > i1" in note
    )
    assert set(found.likely_by.items()) == {("i0", "i2"), ("i1", "i0"), ("i2", "i1")}


def test_votes_that_contradict_strong_transitivity_are_told():
    rows = [("a", "b", 300, 50), ("b", "c", 300, 50), ("c", "a", 300, 50)]
    found = certify(VoteLog.from_counts(rows), assume="strong", likely=False)
    assert any("Do not assume it here" in note for note in found.notes)
    assert any("Strong stochastic transitivity" in words for words in found.assumptions)


def test_cannot_compare_decides_items_if_that_is_assumed():
    rows = [(a, b, 3, 3, 0, 0, 60) for a, b in itertools.combinations("abc", 2)]
    log = VoteLog.from_counts(rows)
    plain = certify(log, epsilon=0.02, likely=False)
    assert plain.front == ()
    assert any("--assume cannot-compare" in note for note in plain.notes)
    assumed = certify(log, epsilon=0.02, assume=["cannot-compare"], likely=False)
    assert assumed.front == ("a", "b", "c")
    assert "that can be compared with it" in assumed.promise
    clustered = VoteLog.from_rows([("a", "b", "left")], clusters=[0])
    with pytest.raises(InputError, match="needs every vote to count by itself"):
        certify(clustered, assume="cannot-compare")
