"""Explanations, Markdown and the page: what they say, and that names cannot break them."""

import base64
import hashlib
import io
import re
from html.parser import HTMLParser
from itertools import combinations

import pytest

from antichain.certify import Certificate, certify
from antichain.certify._explaining import explain
from antichain.certify._markdown import markdown
from antichain.certify._reading import front, in_words
from antichain.certify._wording import (
    headline,
    level_odds,
    likely_summary,
    more,
    odds,
    on_pairs,
    rows,
)
from antichain.certify.report import page
from antichain.certify.report._charts import needs, timelines, win_rates
from antichain.errors import ParameterError
from antichain.votes._vote_log import VoteLog
from tests.certify.cases import chain, complete, cycle

NASTY = ["<script>alert(1)</script>", 'a "quoted" & <b>', "pipe | *star* `tick`", "ünïcödé 東京 🎬"]


def nasty() -> VoteLog:
    script, quoted, pipe, plain = NASTY
    return VoteLog.from_counts(
        [
            (script, quoted, 300, 10),
            (quoted, pipe, 300, 100),
            (pipe, script, 300, 100),
            (plain, pipe, 9, 3),
            (plain, quoted, 300, 100),
        ],
        source='<img src="x">.csv',
        guessed=("a note with <i>marks</i> | and *stars*",),
    )


def test_beside_no_front_there_is_no_likely_front():
    circle = [("tea", "milk", 300, 100), ("milk", "beer", 300, 100), ("beer", "tea", 300, 100)]
    log = VoteLog.from_counts(circle)
    found = front(log)
    assert found.conclusion.startswith("No front: ")
    assert found.likely is not None
    assert likely_summary(found) == []
    for text in (page(found, log), markdown(found)):
        assert "Likely front" not in text
    assert "likely front" not in str(found)


def test_two_items_are_both():
    log = VoteLog.from_counts([("tea", "milk", 1, 1)], source="drinks.csv")
    found = front(log)
    said, _ = likely_summary(found)
    assert said.endswith(": both items, because the votes do not narrow it down yet.")
    assert "<h1>The best items in drinks.csv</h1>" in page(found, log)
    assert ("too few votes to tell", 1) in on_pairs(found)


def test_a_likely_front_of_all_items_may_be_sure():
    even = VoteLog.from_counts([(a, b, 20, 20) for a, b in combinations("abc", 2)])
    said, meaning = likely_summary(front(even))
    assert said.endswith(": all 3 items.")
    assert meaning.startswith("Its expected F1 is 0.9")


def test_what_would_settle_an_item():
    ahead = [("a", "b", 8, 3), ("a", "c", 8, 3), ("b", "c", 6, 6)]
    found = front(VoteLog.from_counts(ahead))
    votes = more(sum(entry.at_rate or 0 for entry in found.undecided["a"]), "vote")
    (row,) = [row for row in rows(found) if row.item == "a"]
    assert row.why == (f"either opponent may beat it; {votes} would show that none does")
    # Of hundreds of opponents not all are listed.
    many = certify(VoteLog.from_counts([("a", "b", 8, 3)], ["a", "b", *map(str, range(300))]))
    (row,) = [row for row in rows(many) if row.item == "a"]
    assert (
        "any of 301 opponents may beat it (300 without votes); closest to settled: b (" in row.why
    )
    (row, _) = rows(front(VoteLog.from_counts([("a", "b", 8, 3)])))
    assert row.why.startswith("its only opponent may beat it; about ")
    assert row.why.endswith(" more votes would show that b does not")


def test_a_web_page_sets_powers_as_such_and_names_no_number_that_is_not_there():
    found = certify(chain(), epsilon=0.15)
    shown = page(found, chain())
    assert "1 in 10^" in rows(found)[-1].why
    assert "1 in 10^" not in shown
    assert re.search("1 in 10[⁰¹²³⁴⁵⁶⁷⁸⁹]", shown)
    assert '–<span class="unit">' not in shown


def test_an_item_that_is_out_is_explained():
    words = explain(certify(chain(), epsilon=0.15), "c")
    assert "c is out: a is above it. c took 15% of their 400 votes" in words
    assert "Also shown to be above it: b." in words
    assert re.search(r"with probability at most 1 in 10\^\d+, however often", words)
    assert "With this many items, 1 in " in words
    assert "any claim is false is at most 0.05" in words


def test_an_item_that_is_out_by_pooling_is_explained():
    log = VoteLog.from_counts([(f"rival {k}", "weak", 9, 2) for k in range(12)])
    words = explain(certify(log), "weak")
    assert "not maximal" in words
    assert "Overall, it took 18% of its 132 votes" in words
    assert "No single opponent" in words


@pytest.mark.slow
def test_an_item_with_a_good_score_is_out_by_its_losses_to_several():
    rivals = [(f"rival {k}", "weak", 9, 2) for k in range(20)]
    found = certify(VoteLog.from_counts([*rivals, ("weak", "bad", 800, 100)]))
    assert (found.records["weak"].share or 0) > 0.6
    why = {row.item: row.why for row in rows(found)}["weak"]
    assert why.startswith("below some item, most likely rival ")
    assert "losses to several items together show it; 1 in " in why
    assert "%" not in why


# b is below a, but by less than ε, so that a model finds both on the ε-front.
DECIDED = [("a", "b", 5300, 4700), ("a", "c", 900, 100), ("b", "c", 900, 100)]


def test_what_is_decided_is_not_estimated_once_more():
    log = VoteLog.from_counts(DECIDED)
    found = certify(log)
    assert found.likely is not None
    assert set(found.out) == {"b", "c"}
    assert found.likely.likely_front == ("a", "b")  # the JSON has what the model says
    assert found.conclusion == "The front is decided: a. Every other item is out."
    assert likely_summary(found) == []
    assert {row.chance for row in rows(found)} == {"–"}
    for text in (markdown(found), page(found, log)):
        assert "ikely front" not in text.partition("otes:")[0].partition("<h3>Notes")[0]
        assert "| chance" not in text
        assert ">Chance<" not in text
    assert "chance of being on the front" not in explain(found, "b")


def test_an_item_that_is_out_is_not_on_the_likely_front_that_people_see():
    log = VoteLog.from_counts([*DECIDED, ("d", "a", 3, 2), ("d", "b", 2, 3), ("d", "c", 5, 0)])
    found = certify(log)
    assert found.likely is not None
    assert "b" in found.likely.likely_front
    assert "d" in found.undecided
    listed, about = likely_summary(found)
    assert listed.endswith((": a, d.", ": d, a."))
    assert "F1" not in about  # which is that of the model's own set
    assert "b <small>" not in page(found, log)


def test_no_item_is_out_where_all_are_in():
    found = certify(VoteLog.from_counts([("a", "b", 5000, 5000)]))
    assert found.conclusion == "The front is decided: a, b. No item is out."


def test_a_page_says_why_very_many_items_have_no_likely_front():
    log = VoteLog.from_counts([(f"item {k}", f"item {k + 1}", 2, 1) for k in range(201)])
    assert "not estimated for 202 items" in page(certify(log), log).partition("<main>")[0]


def test_an_item_that_is_in_is_explained():
    words = explain(certify(chain(), epsilon=0.15), "a")
    assert "a is in: no item beats it by more than 0.15. (To beat it by 0.15 is to win 65%" in words
    assert "least certain against d: a took 50% of their 200 votes" in words


def test_an_undecided_item_is_explained():
    words = explain(certify(chain(), epsilon=0.15), "d")
    assert "d is undecided" in words
    assert "2 of 3 opponents may still beat it by more than 0.15" in words
    assert "No votes count yet against b, c; for each, about" in words
    log = VoteLog.from_counts([("a", "b", 20, 12), ("b", "c", 10, 10)])
    behind = explain(certify(log), "b")
    assert "Ahead of it so far: a (b took 38% of 32 votes" in behind
    assert "Soonest shown not to beat it: c (about" in behind


def test_an_item_of_a_cycle_is_explained():
    words = explain(certify(cycle()), "b")
    assert "a beats b (75% of 400 votes, 1 in 10^" in words
    assert "neither in nor out" in words


def test_only_an_item_of_a_cycle_has_a_group():
    found = certify(cycle())
    assert "b" in found.group_of("b").items
    with pytest.raises(ParameterError, match="'f' is not an item of this log; one of the 5"):
        found.group_of("f")
    with pytest.raises(ParameterError, match="'f' is not an item of this log"):
        found.never_met("f")
    with pytest.raises(ParameterError, match="'c' is out, but an item in a cycle was expected"):
        certify(chain(), epsilon=0.15).group_of("c")


def test_an_explanation_names_what_it_rests_on():
    votes = [("a", "b", "left")] * 40
    single = explain(certify(VoteLog.from_rows(votes)), "b")
    shared = explain(certify(VoteLog.from_rows(votes, clusters=[k % 20 for k in range(40)])), "b")
    assert "provided that votes are independent of each other" in single
    assert "provided that votes with different 'cluster' are independent" in shared


def test_odds_never_flatter():
    assert odds(0.0) == odds(-3.0) == "1 in 1"
    assert level_odds(0.0125 / 59) == "1 in 4,720"
    assert odds(13.8) == "1 in 984,609"
    assert odds(20.72) == "1 in 10^8"  # e^20.72 is a little below 10^9


def test_rows_come_by_verdict_and_score():
    found = certify(chain(), epsilon=0.15)
    assert [(row.item, row.status) for row in rows(found)] == [
        ("a", "in"),
        ("d", "undecided"),
        ("b", "out"),
        ("c", "out"),
    ]
    assert headline(found) == "4 items: 1 in, 2 out, 1 undecided (δ = 0.05, ε = 0.15)"


def test_markdown_keeps_names_in_their_cells():
    text = markdown(certify(nasty()))
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 4
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) == 7, line
    assert "<script>" not in text.replace(r"\<script\>", "")
    assert r"pipe \| \*star\* \`tick\`" in text


def test_page_and_markdown_say_how_the_votes_were_read():
    log, swapped = chain(), {"words": {"left": "right"}}
    found, usual = certify(log, reading=swapped), certify(log)
    words = in_words(swapped)
    assert "- The word 'left' means right (by default: left)." in markdown(found, words)
    assert "means right (by default: left).</li>" in page(found, log)
    assert "were read with" in page(found, log)
    assert "were read with" not in page(usual, log) + markdown(usual)


def test_control_characters_in_names_are_seen_and_do_not_act():
    log = VoteLog.from_counts([("a\x1b[31m", "b\u202e", 300, 10)], source="c\x9b.csv")
    for text in (page(certify(log), log), markdown(certify(log))):
        assert not set(text) & set("\x1b\u202e\x9b")
    assert r"a\x1b[31m" in page(certify(log), log)
    assert r"c\x9b.csv" in page(certify(log), log)


class _Checked(HTMLParser):
    """Collects tags and text, and minds that every tag is closed in its turn."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(found: Certificate, log: VoteLog) -> _Checked:
    parsed = _Checked(page(found, log))
    assert parsed.open == []
    return parsed


LOGS = {
    "chain": chain(),
    "cycle": cycle(),
    "ladder": complete(),
    "nasty": nasty(),
    "two items": VoteLog.from_rows([("a", "b", "left")]),
    "nobody voted": VoteLog.from_counts([], items=["a", "b", "c"]),
    "only skipped": VoteLog.from_counts([("a", "b", 0, 0, 0, 0, 0, 5)]),
    "wide": VoteLog.from_counts([("top", f"item {k}", 300, 10) for k in range(70)]),
    "clusters": VoteLog.from_rows(
        [("a", "b", "left"), ("b", "c", "tie")] * 30, clusters=[k // 4 for k in range(60)]
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_page_is_whole_and_loads_nothing(name):
    log = LOGS[name]
    parsed = read(certify(log, epsilon=0.1), log)
    tags = {tag for tag, _ in parsed.tags}
    assert not tags & {"link", "img", "iframe", "object", "i"}
    assert ("script" in tags) == (name == "wide")  # only many items have a search box
    for _, attributes in parsed.tags:
        assert not set(attributes) & {"src", "onload", "onclick"}
        assert attributes.get("href", "#").startswith("#")
        assert not any("url(" in (value or "") for value in attributes.values())
    places = {attributes["id"] for _, attributes in parsed.tags if "id" in attributes}
    links = {attributes["href"] for _, attributes in parsed.tags if "href" in attributes}
    assert links == {f"#{place}" for place in places}
    text = "".join(parsed.words)
    for item in log.items:
        assert item in text


@pytest.mark.parametrize("name", LOGS)
def test_tables_and_pictures_say_what_they_are(name):
    log = LOGS[name]
    parsed = read(certify(log, epsilon=0.1), log)
    for tag, attributes in parsed.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    rows_told = [a for tag, a in parsed.tags if tag == "th" and a.get("role") == "rowheader"]
    assert len(rows_told) == len(log.items)
    assert dict(parsed.tags)["html"] == {"lang": "en"}


def test_pictures_show_what_was_found():
    log = complete()
    document = page(certify(log, epsilon=0.15), log)
    assert 'class="node in"' in document
    assert 'class="edge"' in document
    assert "beats i5 (" in document  # how sure, when pointed at
    assert document.count("<polyline") >= 3
    assert "nan" not in re.sub(r"<style>.*</style>", "", document, flags=re.S).lower().split()


def test_evidence_over_time_ends_where_the_certificate_is():
    log = complete()
    found = certify(log, epsilon=0.15)
    (decided, picture), _ = timelines(found, log)
    assert f"{len(found.out)} out, {len(found.front)} in" in picture
    assert "The guarantee holds whenever you look" in decided


@pytest.mark.slow
def test_from_the_dashed_line_on_an_item_is_out():
    for votes in (10, 20, 40, 80, 600):
        log = complete(votes=votes)
        found = certify(log, epsilon=0.15)
        _, (caption, picture) = timelines(found, log)
        assert "Above the dashed line, an item is out" in caption
        (dashed,) = map(float, re.findall(r'class="limit" points="[\d.]+,([\d.]+)', picture))
        ends = [float(end) for end in re.findall(r',([\d.]+)"/>', picture)]
        drawn = re.findall(r'lead" .*?<text [^>]*>([\w ]+)</text>', picture)
        above = {name for name, end in zip(drawn, ends, strict=True) if end < dashed}
        assert above <= set(found.out)
    assert above == set(found.out)  # strong evidence, so that something is above


@pytest.mark.slow
def test_a_wide_diagram_uses_the_numbers_of_the_table():
    log = LOGS["wide"]
    document = page(certify(log, epsilon=0.1), log)
    picture = document[document.index('<svg class="hasse"') :]
    assert ">71</text>" in picture[: picture.index("</svg>")]


def test_votes_needed_are_those_of_the_certificate():
    found = certify(chain(), epsilon=0.15)
    (need,) = needs(found)
    assert need.item == "d"
    assert need.to_clear == sum(entry.if_even for entry in found.undecided["d"])
    assert need.to_lose is None


@pytest.mark.slow
def test_a_page_about_very_many_items_stays_small(monkeypatch):
    log = LOGS["wide"]
    found = certify(log, epsilon=0.1)
    whole = page(found, log)
    monkeypatch.setattr("antichain.certify.report._document.MOST_ROWS", 10)
    monkeypatch.setattr("antichain.certify.report._order_diagram.MOST_DRAWN", 20)
    cut = page(found, log)
    assert "too many to draw" in cut
    assert "(its first 10)" in cut
    assert "Win rates of 9 pairs among 10 items" in cut
    assert "Win rates of 70 pairs among 71 items" in whole
    assert cut.count('role="rowheader"') == whole.count('role="rowheader"') == 71


def test_words_stand_out_from_their_ground():
    document = page(certify(chain(), likely=False), chain())
    light, dark = re.findall(r":root \{(.*?)\}", document, flags=re.S)
    for theme in (light, dark):
        colours = dict(re.findall(r"--([\w-]+): (#\w+)", theme))
        for ink in ("ink", "soft", "in", "undecided", "cycle"):
            assert _contrast(colours[ink], colours["ground"]) >= 4.5, ink
        assert _contrast(colours["on-in"], colours["in"]) >= 4.5


def _contrast(one: str, other: str) -> float:
    """The ratio of luminances, as the Web Content Accessibility Guidelines define it."""

    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
        parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        red, green, blue = (c / 12.92 if c < 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_only_script_is_the_one_that_the_page_allows():
    log = LOGS["wide"]
    document = page(certify(log, epsilon=0.1, likely=False), log)
    (script,) = re.findall(r"<script>(.*?)</script>", document, flags=re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in document
    assert "default-src 'none'" in document


def test_the_conclusion_says_what_waits():
    rows = "ask,left,right,answer\n1,a,b,left\n3,a,b,left\n4,b,a,right\n"
    found = front(io.StringIO(rows), likely=False)
    waits = "votes count for the claims so far: ask 2 has been neither answered nor given up."
    assert found.conclusion.endswith(f" Only 1 of 3 {waits}")
    read = front(io.StringIO(rows), likely=False, unanswered="ignore")
    assert "so far: ask" not in read.conclusion


def test_the_conclusion_comes_first():
    log = chain()
    found = certify(log, epsilon=0.15)
    said = "In: a. The front may also include d. Every other item is out."
    assert found.conclusion == said == found.to_dict()["conclusion"]
    document, text = page(found, log), markdown(found)
    assert document.index(said) < document.index("<h2>")
    assert text.splitlines()[2] == f"**{said}**"
    few = certify(VoteLog.from_counts([("a", "b", 3, 2)]))
    assert few.conclusion == "No item is decided yet: either may be on the front."
    some = certify(VoteLog.from_counts([("a", "c", 90, 10), ("b", "c", 90, 10), ("a", "b", 5, 5)]))
    assert some.conclusion == (
        "The front is among these 2 of 3 items: a, b. The votes do not yet show which of them "
        "are on it."
    )
    both = certify(VoteLog.from_counts([("a", "b", 900, 100)]))
    assert both.conclusion == "The front is decided: a. Every other item is out."


def test_an_item_with_one_win_is_not_first():
    counts = [(f"good {k}", f"bad {j}", 30, 10) for k in range(3) for j in range(3)]
    log = VoteLog.from_counts([*counts, ("lucky", "bad 0", 1, 0)])
    for likely in (True, False):
        listed = [row.item for row in rows(certify(log, likely=likely)) if row.status != "out"]
        assert listed[-1] == "lucky"


@pytest.mark.slow
def test_a_sparse_log_says_what_would_help(tmp_path):
    sure = [("a", "b"), ("b", "c"), ("a", "c")] * 20
    rare = [("a", f"rare {k}") for k in range(9)]
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "".join(f"{a},{b},left\n" for a, b in sure + rare))
    found = front(path)
    (said,) = [check.finding for check in found.checks if check.name == "sparse"]
    assert "Too sparse: 9 of 12 items have fewer than" in said
    least = found.fewest_votes
    assert f"Keep only the 3 items with at least {least} votes (--min-votes {least})" in said
    kept = front(path, min_votes=least)
    assert kept.items == ("a", "b", "c")
    assert any("does not depend on how they came out" in text for text in kept.assumptions)
    assert kept.reading == {"min_votes": least}
    with pytest.raises(ParameterError, match="at least two were expected"):
        front(path, min_votes=1000)
    with pytest.raises(ParameterError, match="read only once"):
        front([("a", "b", "left")], min_votes=3)


def test_long_names_lose_what_they_have_in_common():
    names = [
        f"organisation/a-very-long-name-of-a-model-{k}-instruct-q4_K_M.gguf" for k in range(60)
    ]
    log = VoteLog.from_counts([(names[0], name, 300, 10) for name in names[1:]])
    document = page(certify(log, likely=False), log)
    assert document.count(names[7]) >= 1  # in the table in full
    assert "below 0: won 3%" in document
    for picture in re.findall(r"<svg.*?</svg>", document, flags=re.S):
        assert "organisation" not in re.sub(r"<title>.*?</title>", "", picture)


def test_rows_and_columns_of_the_matrix_have_the_same_numbers():
    log = complete()
    picture = win_rates(log, log.items, 4)
    assert [picture.count(f">{k}</text>") for k in (1, 2, 3, 4, 5)] == [2, 2, 2, 2, 0]


def test_many_items_are_folded_and_none_is_lost():
    log = LOGS["wide"]
    document = page(certify(log, epsilon=0.1, likely=False), log)
    assert "<summary>46 more items: out</summary>" in document
    assert 'type="search"' in document
    assert document.count('role="rowheader"') == 71


def test_a_voter_who_repeats_in_several_clusters_is_named_once():
    rows = [{"left": "a", "right": "b", "winner": "a", "who": "x", "p": k // 2} for k in range(8)]
    (note,) = [n for n in front(rows, voter="who", cluster="p").notes if "repeat" in n]
    assert "4 votes repeat a voter's earlier vote on the same pair and 'p'" in note
    assert note.count("x on a and b (2 times)") == 1
    (note,) = [n for n in front(rows, voter="who").notes if "repeat" in n]
    assert "7 votes repeat a voter's earlier vote on the same pair (1 of 1" in note


def test_a_cycle_is_said_first():
    round_about = [("a", "b", 300, 60), ("b", "c", 300, 60), ("c", "a", 300, 60)]
    found = certify(VoteLog.from_counts(round_about))
    circles = "a, b, c beat each other in circles, which no order can explain"
    assert found.conclusion == f"No front: {circles}."
    below = certify(VoteLog.from_counts([*round_about, ("a", "d", 300, 60)]))
    assert below.conclusion.endswith("which no order can explain. Every other item is out.")
