"""Small imitations of logs as people have them: read as meant, or refused with the way on."""

import gzip
import json
from dataclasses import fields

import pytest

from antichain.certify._reading import restored
from antichain.certify._verification import verify
from antichain.cli._vote_options import VoteReading
from antichain.errors import AntichainError
from antichain.votes import ReadOptions

ARENA = [
    {
        "question_id": f"q{k}", "model_a": a, "model_b": b, "winner": winner, "judge": f"user-{k}",
        "conversation_a": [{"role": "user", "content": 'say "hi",\nplease'}], "turn": 1,
        "anony": True, "tstamp": 1682351591.13 + k, "tags": {"toxic": {"p": 0.1}},
    }
    for k, (a, b, winner) in enumerate(
        [("gpt", "koala", "model_a")] * 30
        + [("koala", "gpt", "model_b")] * 30
        + [("gpt", "vicuna", "tie")] * 6
        + [("vicuna", "koala", "tie (bothbad)")] * 4
    )
]  # fmt: skip
ARENA_COUNTS = {"wins": 60, "tie": 6, "both_bad": 4}
LINES = "".join(json.dumps(row) + "\n" for row in ARENA).encode()
FOOTBALL = (
    "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,Referee\n"
    + "E0,01/08/2020,Leeds,Nott'm Forest,2,1,H,0,M Dean\n" * 30
    + "E0,02/08/2020,Man United,Leeds,0,0,D,0,M Dean\n" * 5
    + "E0,03/08/2020,Nott'm Forest,Man United,0,1,A,0,M Dean\n" * 4
)
FOOTBALL_COUNTS = {"wins": 34, "tie": 5}
NATIONS = (
    "date,home_team,away_team,home_score,away_score,neutral\n"
    + "2001-01-01,Fiji,Malta,3,1,FALSE\n" * 30
    + "2001-01-02,Malta,Fiji,2,2,TRUE\n" * 3
)
TRANSLATION = (
    "srclang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank,rankingID\n"
    + "German,7,j1,online-A.de-en,uedin.de-en,1,2,9\n" * 40
    + "German,8,j2,uedin.de-en,online-A.de-en,3,3,10\n" * 10
)
TENNIS = "tourney_date,winner_id,winner_name,loser_id,loser_name,score\n" + (
    "20200101,1,Graf,2,Seles,6-4 6-4\n" * 30
)
ONE_HOT = 'id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\n' + (
    '1,x,y,"[""a, b""]",1,0,0\n' * 20 + '2,x,y,"[""c""]",0,1,0\n' * 2 + "3,y,x,z,0,0,1\n" * 3
)  # fmt: skip
GERMAN = "links;rechts;sieger\r\n" + "Käse;Brot;links\r\n" * 30 + "Brot;Käse;gleich\r\n" * 4
SIDES = ["--left", "links", "--right", "rechts", "--winner", "sieger"]
WORDS = ["--words", "links=left,gleich=tie"]

READ = {
    "a chatbot arena": ("arena.jsonl", LINES, [], ARENA_COUNTS),
    "the same, packed": ("arena.jsonl.gz", gzip.compress(LINES), [], ARENA_COUNTS),
    "the same, as an array": ("arena.json", json.dumps(ARENA).encode(), [], ARENA_COUNTS),
    "votes of a voter over time": (
        "arena.jsonl", LINES, ["--voter", "judge", "--time", "tstamp"], ARENA_COUNTS,
    ),
    "a league, by its results": ("e0.csv", FOOTBALL.encode(), [], FOOTBALL_COUNTS),
    "a league, by its goals": (
        "e0.csv", FOOTBALL.encode(), ["--scores", "FTHG,FTAG"], FOOTBALL_COUNTS,
    ),
    "nations, with dates": (
        "n.csv", NATIONS.encode(), ["--scores", "home_score,away_score", "--time", "date"],
        {"wins": 30, "tie": 3},
    ),
    "judges of translations": (
        "wmt.csv", TRANSLATION.encode(), ["--ranks", "system1rank,system2rank"],
        {"wins": 40, "tie": 10},
    ),
    "winners and losers": ("atp.csv", TENNIS.encode(), [], {"wins": 30}),
    "a column a winner": (
        "k.csv", ONE_HOT.encode(), [], {"wins": 22, "tie": 3},
    ),
    "semicolons and German": ("g.csv", GERMAN.encode(), SIDES + WORDS, {"wins": 30, "tie": 4}),
    "Windows-1252": (
        "g.csv", GERMAN.encode("cp1252"), [*SIDES, *WORDS, "--encoding", "cp1252"],
        {"wins": 30, "tie": 4},
    ),
    "UTF-16": (
        "u.csv", ("a,b,winner\n" + "x,y,a\n" * 30).encode("utf-16"), ["--encoding", "utf-16"],
        {"wins": 30},
    ),
    "tabs, quotes and a mark in front": (
        "q.tsv", ('\ufeffleft\tright\twinner\n' + '"The ""A"""\tB\tleft\n' * 30).encode(), [],
        {"wins": 30},
    ),
    "scores as floats": ("s.csv", b"a,b,score\n" + b"x,y,1.0\ny,x,0.5\n" * 30, [],
                         {"wins": 30, "tie": 30}),
    "1, 2 and 0": ("z.csv", b"item1,item2,choice\n" + b"x,y,1\n" * 30 + b"y,x,0\n" * 3,
                   ["--words", "0=tie"], {"wins": 30, "tie": 3}),
    "1, -1 and 0": ("z.csv", b"a,b,label\n" + b"x,y,1\n" * 30 + b"x,y,-1\n" + b"y,x,0\n" * 3,
                    ["--words", "0=tie,-1=right"], {"wins": 31, "tie": 3}),
    "an empty answer is a skip": ("e.csv", b"left,right,winner\n" + b"x,y,Left\n" * 30 + b"x,y,\n",
                                  ["--words", "=skipped"], {"wins": 30, "skipped": 1}),
    "chess": ("c.csv", b"White,Black,Result\n" + "M,K,1-0\nK,M,½-½\n".encode() * 30, [],
              {"wins": 30, "tie": 30}),
    "counts": ("n.csv", b"a,b,winner,count\nx,y,a,120\nx,y,tie,30\n", ["--count", "count"],
               {"wins": 120, "tie": 30}),
    "pairs that have nothing in common": (
        "p.csv", b"left,right,winner\n" + b"a,b,left\n" * 30 + b"c,d,right\n" * 30 + b"e,f,tie\n",
        [], {"wins": 60, "tie": 1},
    ),
}  # fmt: skip


@pytest.fixture
def run(call):
    """What the command prints, when it does its work."""

    def printed(*arguments):
        called = call(*arguments)
        assert called.code == 0, called
        return called.out

    return printed


@pytest.mark.parametrize("name", READ)
def test_it_is_read_as_it_was_meant(run, tmp_path, name):
    file, content, options, counts = READ[name]
    path, certificate, page = tmp_path / file, tmp_path / "c.json", tmp_path / "page.html"
    path.write_bytes(content)
    done = run("front", path, *options, "--json", "-o", certificate, "--report", page)
    found = json.loads(done)
    assert {form: n for form, n in found["answers"].items() if n} == counts
    assert found["out"]  # each of these has a clear loser
    assert page.read_text().endswith("</html>\n")
    assert "agrees" in run("verify", certificate, path)
    for item in found["items"]:
        assert run("explain", item, path, *options).startswith(f"{item} is ")


REFUSED = {
    "goals without an option": (FOOTBALL.replace("FTR", "R").encode(), [], "--scores FTHG,FTAG"),
    "scores without an option": (NATIONS.encode(), [], "--scores home_score,away_score"),
    "ranks without an option": (TRANSLATION.encode(), [], "--ranks system1rank,system2rank"),
    "a date that may be two": (
        FOOTBALL.encode(),
        ["--time", "Date"],
        "line 2 has '01/08/2020' in 'Date'",
    ),
    "a game not played": (
        NATIONS.encode() + b"2030-01-01,Fiji,Malta,NA,NA,FALSE\n",
        ["--scores", "home_score,away_score"], "line 35 has 'NA' in 'home_score'",
    ),
    "a word nobody knows": (GERMAN.encode(), SIDES, "line 32 has 'gleich' in 'sieger'"),
    "Windows-1252": (GERMAN.encode("cp1252"), SIDES + WORDS, "add --encoding windows-1252\n"),
    "another encoding than told": (GERMAN.encode("cp1252"), ["--encoding", "utf-8"], "utf-8"),
    "no encoding at all": (b"", ["--encoding", "base64"], "--encoding is 'base64'"),
    "UTF-16": ("a,b,winner\nx,y,a\n".encode("utf-16"), [], "--encoding utf-16"),
    "0 is a tie to some": (b"a,b,winner\nx,y,0\n", [], "line 2 has '0' in 'winner'"),
    "words that are none": (b"a,b,winner\n", ["--words", "0"], "as in 0=tie"),
    "words of no known meaning": (b"a,b,winner\n", ["--words", "0=never"], "meaning 'never'"),
    "graded items": (b"caption,funny,unfunny\nx,3,4\ny,2,1\n", [], "or grades: antichain"),
    "grades and no items": (b"caption,funny,unfunny\n", ["--grades", "a,b"], "without --item"),
    "items and no grades": (b"caption,funny,unfunny\n", ["--item", "a"], "without --unit"),
    "a matrix": (b"0.5 0.55\n0.45 0.5\n", [], "antichain matrix"),
    "a matrix in columns": (b".5,.55\n.45,.5\n", [], "antichain matrix"),
    "decoys said twice": (
        b"a,b,winner\nx,y,a\n", ["--decoys", "f", "--decoy-suffix", "x"], "both given",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_the_way_on(refused, tmp_path, name):
    content, options, words = REFUSED[name]
    path = tmp_path / "votes.csv"
    path.write_bytes(content)
    assert words in refused("front", path, *options)


@pytest.mark.slow
def test_graded_votes_are_certified_and_verified(run, refused, tmp_path):
    path, certificate = tmp_path / "captions.csv", tmp_path / "c.json"
    path.write_text("caption,bad,fair,good\nx,10,20,400\ny,400,20,10\nz,150,140,150\n")
    options = ["--grades", "bad,fair,good", "--item", "caption"]
    found = json.loads(run("front", path, *options, "--json", "-o", certificate))
    assert (found["front"], set(found["out"])) == (["x"], {"y", "z"})
    assert "agrees" in run("verify", certificate, path)
    assert run("explain", "y", path, *options).startswith("y is out")
    other = json.loads(run("front", path, *options, "--grade-seed", "1", "--json"))
    assert other["fingerprint"] != found["fingerprint"]
    broken = json.loads(certificate.read_text())
    broken["reading"]["graded"]["grades"] = "bad"
    certificate.write_text(json.dumps(broken))
    assert "options for reading votes were expected" in refused("verify", certificate, path)
    assert "--grades and --cluster are given" in refused("front", path, *options, "--cluster", "x")


def test_decoys_by_a_manifest(run, tmp_path):
    path, manifest, certificate = (tmp_path / n for n in ("v.csv", "decoys.json", "c.json"))
    manifest.write_text(json.dumps({"decoys": [{"item": x, "decoy": f"{x}, 240p"} for x in "ab"]}))
    rows = ["a,b,left", "a,b,right"] * 200
    rows += ['a,"b, 240p",left', 'a,"b, 240p",right', '"a, 240p",b,left', 'b,"a, 240p",left'] * 150
    path.write_text("left,right,winner\n" + "\n".join(rows) + "\n")
    options = ["--decoys", manifest, "--decoy-gap", "0.2"]
    found = json.loads(run("front", path, *options, "--json", "-o", certificate))
    assert [(c["first"], c["second"]) for c in found["pairs"]["incomparable_by_decoys"]] == [
        ("a", "b")
    ]
    assert (found["items"], found["votes"], found["decoy_votes"]) == (["a", "b"], 400, 600)
    manifest.unlink()  # the certificate itself says which names are decoys
    assert "agrees" in run("verify", certificate, path)


ODD = [None, 3, True, "x", [1, 2], ["x", "y"], {"a": 1}, {"a": "b"}]


@pytest.mark.slow
def test_no_certificate_however_broken_ends_in_a_traceback(call, tmp_path):
    """Each field, and each option of reading there is, replaced by all kinds of values."""
    path, certificate = tmp_path / "v.csv", tmp_path / "c.json"
    rows = ["a,b,left,2,1,p,1", "b,c,tie,1,1,q,2", "a,b (decoy),0,3,3,r,3"] * 20
    path.write_text("left,right,winner,s,t,prompt,n\n" + "\n".join(rows) + "\n")
    options = ["--words", "0=tie", "--decoy-suffix", " (decoy)", "--decoy-gap", "0.1", "--ties"]
    assert call("front", path, *options, "ignore", "-o", certificate, "--quiet").code == 0
    document = json.loads(certificate.read_text())
    assert call("verify", certificate, path).code == 0
    reading = document["reading"]
    assert set(reading) == {"words", "decoys", "meanings"}
    changes = [{key: odd} for key in document for odd in ODD]
    known = [field.name for field in fields(ReadOptions)]
    changes += [{"reading": reading | {name: odd}} for name in known for odd in ODD]
    changes += [{"reading": {"graded": odd}} for odd in ODD]
    spent = document["split"]
    changes += [{"split": spent | {name: odd}} for name in spent for odd in ODD]
    for change in changes:
        if any(document[key] != value for key, value in change.items()):
            assert _noticed(document | change, path), change


def _noticed(document, path):
    """What the command does, without the time it takes to start: says something, and only that."""
    try:
        stored = restored("c.json", document.get("reading"))
        return verify(document, VoteReading(stored).log(str(path), history=False))
    except AntichainError as error:
        return "\n" not in str(error).replace("\n  ", " ")


def test_a_tab_between_fields_can_be_typed(call, tmp_path):
    path = tmp_path / "votes.txt"
    path.write_text("left\tright\twinner\na b\tc, d\tleft\n")
    for typed in ("tab", "\\t", "\t"):
        assert "1 vote (1 win) on 1 of 1 pair" in call("front", path, "--delimiter", typed).out
