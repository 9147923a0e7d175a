"""Where there is one of something, its noun is singular: in tables, notes, pages and forecasts."""

import html
import re
from pathlib import Path

import pytest

import antichain as ac
from antichain.forecast._planning import forecast_of_answers

PLURAL = re.compile(r"\b1 (?:more |other )?(?:votes|voters|duels|items|clusters|pairs|runs)\b")
VOTE = "left,right,winner,voter,prompt\ntea,rain,tea,Ann,p1\n"
LOGS = {
    "one vote": (VOTE, ()),
    "one voter who repeats a vote": (VOTE + "tea,rain,tea,Ann,p1\n", ("--voter", "voter")),
    "one vote from each side": (VOTE + "rain,tea,rain,Ann,p1\n", ()),
    "sides that are balanced": (VOTE + "rain,tea,tea,Ann,p1\n", ("--sides", "left")),
    "one cluster": (VOTE, ("--cluster", "prompt")),
    "items with at least one vote": (VOTE, ("--min-votes", "1")),
    "an item that is in after one vote": (VOTE, ("--delta", "0.5", "--epsilon", "0.4")),
}


def plain(page: str) -> str:
    """The text of a page, with its tags taken out."""
    return html.unescape(re.sub(r"<[^>]*>", "", page))


@pytest.mark.parametrize("log", LOGS)
def test_what_is_said_of_a_log(call, tmp_path: Path, log: str):
    rows, options = LOGS[log]
    votes, page, words = (tmp_path / name for name in ("votes.csv", "page.html", "page.md"))
    votes.write_text(rows)
    files = ("--report", page, "--markdown", words)
    said = [call("front", votes, *options, *files).out]
    said += [plain(page.read_text()), words.read_text()]
    said += [call("explain", item, votes, *options).out for item in ("tea", "rain")]
    if not {"--sides", "--min-votes"} & {*options}:
        said.append(call("next", votes, "-n", 1, *options).out)
    for text in said:
        assert "rain" in text
        assert PLURAL.search(text) is None, text


def test_what_python_says_of_it():
    votes = [{"ask": 1, "left": "tea", "right": "rain", "winner": "tea"}]
    asked = ac.next_votes(votes, 1, epsilon=0.4, delta=0.5)
    one = forecast_of_answers([1], 2)
    for text in (str(asked), repr(asked), str(one), repr(one), str(ac.front(votes))):
        assert PLURAL.search(text) is None, text
    assert "about 1 duel" in str(one)
    assert "about 1 vote (" in str(ac.nextvotes.NextVotes(**(vars(asked) | {"remaining": one})))


def test_a_forecast_of_one_run(call):
    called = call("plan", "--items", 2, "--runs", 1, "--epsilon", 0.4, "--delta", 0.5)
    assert "1 run" in called.out
    assert PLURAL.search(called.out) is None, called.out
