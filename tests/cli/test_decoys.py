"""`antichain decoys`: make, check, plan."""

import json

import pytest

import antichain as ac
from antichain.cli._decoys import _SUFFIX
from antichain.votes._decoy_names import DECOY_SUFFIX, DecoyNaming

TEXT = " ".join(f"Sentence {n}." for n in range(20))


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    rows = ["left,right,winner"]
    rows += ["ode,ode (decoy),left"] * 90 + ["ode (decoy),ode,left"] * 10
    rows += ["elegy,elegy (decoy),left"] * 52 + ["elegy,elegy (decoy),right"] * 48
    rows += ["elegy,ode (decoy),elegy"] * 95 + ["elegy,ode (decoy),tie"] * 5
    rows += ["ode,elegy,left"]
    path.write_text("\n".join(rows))
    return path


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("left,right\node,elegy\n")
    return path


def test_make_writes_decoys_that_check_can_name(call, tmp_path, votes):
    for name in ("ode", "elegy"):
        (tmp_path / f"{name}.txt").write_text(TEXT)
    files = [tmp_path / "ode.txt", tmp_path / "elegy.txt"]
    out = tmp_path / "out"
    make = ("decoys", "make", *files, "--kind", "text", "--how", "drop", "--strength", 0.5)
    called = call(*make, "-o", out)
    assert (called.code, called.out) == (0, f"{out}: 2 decoys and decoys.json\n")
    assert (out / "ode-decoy.txt").read_text().count("Sentence") == 10
    named = call("decoys", "check", votes, "--manifest", out / "decoys.json", "--json")
    ended = call("decoys", "check", votes, "--json")
    # As `front` and `next` have these options, so does `check`.
    options = ("decoys", "check", votes, "--json")
    assert call(*options, "--decoys", out / "decoys.json") == named
    assert call(*options, "--decoy-suffix", " (decoy)") == ended
    found = [json.loads(one.out)["own"] for one in (named, ended)]
    assert sorted(found[0], key=str) == sorted(found[1], key=str)
    again = json.loads(call(*make, "-o", tmp_path / "two", "--seed", 1, "--json").out)
    assert again["seed"] == 1
    assert len(again["decoys"]) == 2
    assert call(*make, "-o", tmp_path / "three", "--quiet").out == ""


def test_check_as_json(call, votes, pairs):
    called = call(
        "decoys", "check", votes, "--incomparable", pairs, "--decoy-gap", 0.2, "--json",
        "--tuned-for", 100,
    )  # fmt: skip
    assert called.code == 1
    report = json.loads(called.out)
    flags = {check["item"]: check["flag"] for check in report["own"]}
    assert flags == {"elegy": "too weak", "ode": "ok"}
    strong = {(c["item"], c["original"]): c["flag"] for c in report["incomparable"]}
    assert strong == {("elegy", "ode"): "too strong", ("ode", "elegy"): "not shown"}
    assert report["unused"] == 1
    assert report["level"] == 0.05 / 4


def test_check_for_people(call, votes, pairs):
    called = call("decoys", "check", votes, "--incomparable", pairs, "--decoy-gap", 0.2)
    assert called.code == 1
    for words in (
        "too strong",
        "No Δ is certified yet",
        "probability at least 0.95",
        "1 vote on other pairs",
    ):
        assert words in called.out
    quiet = call("decoys", "check", votes, "--quiet").out
    assert "probability" not in quiet


def test_check_of_good_decoys_ends_with_0(call, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "[red]x,[red]x (decoy),left\n" * 200)
    called = call("decoys", "check", path, "--decoy-gap", 0.1)
    assert called.code == 0
    assert "suggested Δ: 0." in called.out
    assert "(limited by [red]x)" in called.out
    assert "The suggested Δ is valid with the same probability." in called.out
    assert "[red]x (decoy)" in called.out


def test_check_names_no_option_that_it_has_not_got(call, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner,prompt\n" + "ode,ode (decoy),left,p\n" * 200)
    called = call("decoys", "check", path)
    assert "note: did not use the column 'prompt'\n" in called.out
    assert "--cluster" not in called.out + call("decoys", "check", path, "--json").out


def test_plan(call):
    found = json.loads(call("decoys", "plan", "--items", 10, "--precision", 0.1, "--json").out)
    assert (found["votes_per_pair"], found["votes"]) == (357, 3570)
    told = call("decoys", "plan", "--items", 10, "--precision", 0.1).out
    assert "357 votes on each of 10 pairs, 3,570 in all" in told
    assert "--tuned-for 357" in told
    assert "--tuned" not in call("decoys", "plan", "--items", 10, "--precision", 0.1, "-q").out


def test_the_suffix_is_the_one_that_make_gives():
    assert _SUFFIX == DECOY_SUFFIX


def test_every_command_takes_json_and_quiet(call):
    assert "decoys" in call("--help").out
    alone = call("decoys")
    assert alone.code == 0
    for name in ("make", "check", "plan"):
        assert name in alone.out
        page = call("decoys", name, "--help").out
        assert "--json" in page
        assert "--quiet" in page


def test_bad_input_is_one_sentence(refused, tmp_path, votes, pairs):
    (tmp_path / "bad.png").write_bytes(b"no picture")
    made = ("decoys", "make", tmp_path / "bad.png", "-o", tmp_path / "out", "--kind", "image")
    assert "cannot degrade" in refused(*made, "--how", "blur", "--strength", 0.5)
    assert "resolution, blur or jpeg" in refused(*made, "--how", "drop", "--strength", 0.5)
    for strength in (0, 1.5, "x"):
        assert "strength" in refused(*made, "--how", "blur", "--strength", strength)
    assert "cannot read" in refused("decoys", "check", tmp_path / "none.csv")
    assert "ends with" in refused("decoys", "check", votes, "--suffix", " fake")
    both = ("decoys", "check", votes, "--suffix", "x", "--manifest", pairs)
    assert "both given" in refused(*both)
    assert "is not a list of decoys" in refused("decoys", "check", votes, "--manifest", pairs)
    assert "precision" in refused("decoys", "plan", "--items", 3, "--precision", 2)
    pairs.write_text("left,right\nx,y\n")
    sentence = refused("decoys", "check", votes, "--incomparable", pairs)
    assert "pairs.csv, line 2" in sentence
    votes.write_text("left,right,winner\na,b,c\n")
    assert "votes.csv, line 2 has 'c' in 'winner'" in refused("decoys", "check", votes)


def test_check_reads_an_exported_calibration_study(call, tmp_path):
    """Items and decoys as the items of a study: its own votes, spare ones left out."""
    path, votes = tmp_path / "study.duels", tmp_path / "votes.csv"
    with ac.Study.open(
        path, ["ode", "ode (decoy)"], ac.Witness(0.001, decoy_gap=None, epsilon=0.1)
    ) as study:
        while not study.finished:
            for n, ask in enumerate(study.ask(10)):
                better = "left" if ask.left == "ode" else "right"
                study.tell(ask, better)
                if n == 0:
                    study.tell(ask, "tie")
        counted = study.result().duels
        assert study.result().spare > 0
    call("study", path, "--export", votes)
    report = json.loads(call("decoys", "check", votes, "--decoy-gap", 0.05, "--json").out)
    (own,) = report["own"]
    assert (own["item"], own["decoy"], own["votes"]) == ("ode", "ode (decoy)", counted)
    assert own["tally"]["left"] == counted
    manifest = tmp_path / "decoys.json"
    manifest.write_text('{"decoys": [{"item": "ode", "decoy": "ode (decoy)"}]}')
    named = call("decoys", "check", votes, "--decoy-gap", 0.05, "--json", "--manifest", manifest)
    assert json.loads(named.out)["own"] == report["own"]


@pytest.mark.parametrize("name", ["ode (decoy)", "ode, spoilt"])
def test_check_reads_the_decoy_duels_of_an_exported_study(call, tmp_path, pairs, name):
    """Duels against decoys speak of pairs known to be incomparable, by whatever name."""
    path, votes = tmp_path / "study.duels", tmp_path / "votes.csv"
    algorithm = ac.RealDecoys(delta=0.2, decoy_gap=0.2)
    with ac.Study.open(path, ["ode", "elegy"], algorithm) as study:
        for turn in range(2000):
            if study.finished:
                break
            for ask in study.ask(1):
                study.tell(ask, ("left", "right")[turn % 2])
        exported = [vote for vote in study.votes() if vote.receipt == "evidence"]
    duels = [
        v for v in exported if v.decoy and {"left": v.left, "right": v.right}[v.decoy] == "ode"
    ]
    assert duels
    call("study", path, "--export", votes)
    manifest = tmp_path / "decoys.json"
    manifest.write_text(json.dumps({"decoys": [{"item": "ode", "decoy": name}]}))
    called = call(
        "decoys", "check", votes, "--incomparable", pairs, "--manifest", manifest, "--json",
    )  # fmt: skip
    report = json.loads(called.out)
    (met,) = report["incomparable"]
    assert (met["item"], met["decoy"], met["votes"]) == ("elegy", name, len(duels))
    won = sum(vote.answer != vote.decoy for vote in duels)
    assert (met["tally"]["left"], met["tally"]["right"]) == (won, len(duels) - won)
    assert report["own"][0]["votes"] == 0
    assert report["votes"] == len(exported)


@pytest.mark.parametrize(
    ("name", "decoy"),
    [("{}", "{} (decoy)"), ("{}", "{}-decoy"), ("{}.txt", "{}-decoy.txt")],
)
def test_votes_may_name_decoys_by_their_files(call, tmp_path, name, decoy):
    for item in ("ode", "elegy"):
        (tmp_path / f"{item}.txt").write_text(TEXT)
    made = tmp_path / "made"
    make = ("decoys", "make", tmp_path / "ode.txt", tmp_path / "elegy.txt", "-o", made, "-q")
    call(*make, "--kind", "text", "--how", "drop", "--strength", 0.5)
    log, (ode, elegy) = tmp_path / "votes.csv", map(name.format, ("ode", "elegy"))
    rows = [f"{ode},{decoy.format('ode')},left", f"{elegy},{decoy.format('elegy')},left"] * 50
    rows += [f"{ode},{elegy},left", f"{ode},{decoy.format('elegy')},left"] * 10
    log.write_text("\n".join(["left,right,winner", *rows]))
    checked = call("decoys", "check", log, "--decoys", made / "decoys.json", "--json")
    assert [one["votes"] for one in json.loads(checked.out)["own"]] == [50, 50]
    given = ("--decoys", made / "decoys.json", "--decoy-gap", 0.1, "--json")
    found = json.loads(call("front", log, *given).out)
    assert sorted(found["items"]) == sorted((ode, elegy))
    # An earlier manifest does not say what the originals are called.
    old = json.loads((made / "decoys.json").read_text())
    for entry in old["decoys"]:
        del entry["original"]
    (made / "decoys.json").write_text(json.dumps(old))
    assert call("decoys", "check", log, "--decoys", made / "decoys.json", "--json") == checked


@pytest.mark.parametrize(
    ("name", "decoy"),
    [("{}", "{} (decoy)"), ("{}", "{}-decoy"), ("{}.txt", "{}-decoy.txt")],
)
@pytest.mark.parametrize("met", [True, False])
def test_an_item_without_votes_on_its_decoy_is_called_like_the_others(
    call, tmp_path, name, decoy, met
):
    made = tmp_path / "made"
    for item in ("ode", "elegy"):
        (tmp_path / f"{item}.txt").write_text(TEXT)
    make = ("decoys", "make", tmp_path / "ode.txt", tmp_path / "elegy.txt", "-o", made, "-q")
    call(*make, "--kind", "text", "--how", "drop", "--strength", 0.5)
    log, (ode, elegy) = tmp_path / "votes.csv", map(name.format, ("ode", "elegy"))
    rows = [f"{ode},{decoy.format('ode')},left"] * 50 + [f"{ode},{elegy},left"] * met
    log.write_text("\n".join(["left,right,winner", *rows]))
    checked = call("decoys", "check", log, "--decoys", made / "decoys.json")
    for item in ("ode", "elegy"):
        assert f"│ {name.format(item)} " in checked.out
        assert f"│ {decoy.format(item)} " in checked.out
    assert f"No Δ is certified yet: {elegy} is not shown to beat its decoy." in checked.out


@pytest.fixture
def poems(call, tmp_path):
    """The decoys.json of two poems, and what writes votes with the folders of all files."""
    (tmp_path / "poems").mkdir()
    for item in ("ode", "elegy"):
        (tmp_path / "poems" / f"{item}.txt").write_text(TEXT)
    make = ("decoys", "make", tmp_path / "poems", "-o", tmp_path / "dec", "-q")
    call(*make, "--kind", "text", "--how", "drop", "--strength", 0.5)

    def vote(*rows):
        votes = tmp_path / "votes.csv"
        votes.write_text("\n".join(["left,right,winner", *rows]))
        return votes

    return tmp_path / "dec" / "decoys.json", vote


def test_votes_may_name_files_with_their_folders(call, poems):
    manifest, vote = poems
    files = {"o": "poems/ode.txt", "e": "poems\\elegy.txt", "d": "dec/ode-decoy.txt"}
    rows = ("{d},{o},{o}", "{e},{d},left", "{o},{e},{e}") * 30
    votes = vote(*(row.format(**files) for row in rows))
    checked = json.loads(call("decoys", "check", votes, "--decoys", manifest, "--json").out)
    assert {one["item"]: one["votes"] for one in checked["own"]} == {"ode.txt": 30, "elegy.txt": 0}
    given = ("front", votes, "--decoys", manifest, "--decoy-gap", 0.1)
    for items in ((), ("--items", f"{files['o']},{files['e']}")):
        found = json.loads(call(*given, *items, "--json").out)
        assert sorted(found["items"]) == ["elegy.txt", "ode.txt"]
        assert found["decoy_votes"] == 30
    said = call(*given).out
    assert "read 'dec/ode-decoy.txt' as 'ode-decoy.txt' (and 2 others): decoys have no" in said


def test_files_of_one_name_in_two_folders_are_not_mixed_up(refused, poems):
    manifest, vote = poems
    votes = vote("poems/ode.txt,old/ode.txt,left")
    sentence = refused("front", votes, "--decoys", manifest)
    assert "both 'poems/ode.txt' and 'old/ode.txt', but for the decoys one file" in sentence


def test_decoys_without_a_vote_are_told(call, refused, poems):
    manifest, vote = poems
    votes = vote("ode,elegy,left")
    assert (
        "no vote names any of the decoys given, such as '"
        in call("front", votes, "--decoys", manifest).out
    )
    ending = call("front", votes, "--decoy-suffix", " (fake)").out
    assert "no name ends with ' (fake)', so every name was read as that of an item" in ending
    sentence = refused("decoys", "check", votes, "--decoys", manifest)
    assert "has votes on ode, elegy, but on none of the decoys (2 decoys such as '" in sentence


def test_a_decoy_s_file_is_not_taken_for_an_item_of_that_name():
    naming = DecoyNaming({"a": "a (decoy)", "a-decoy": "a-decoy (decoy)", "b": "b, worse"})
    assert naming.item_of("a-decoy") is None
    assert naming.item_of("b-decoy") is None
    assert naming.item_of("a-decoy-decoy") == "a-decoy"
