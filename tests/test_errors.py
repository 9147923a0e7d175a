"""Errors name options as the caller knows them: keyword arguments in Python, flags when typed."""

import inspect
import pickle
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import typer

import antichain as ac
from antichain._option_names import as_read, typed
from antichain.algorithms._registry import check_name
from antichain.cli import _app, main
from antichain.errors import AntichainError, FileError, InputError, ParameterError

VOTES = [("tea", "milk", "left")] * 3


@pytest.fixture(autouse=True)
def _messages_as_written():
    """Not here: these tests are about how messages are read."""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"item": "tea"}, "`item='tea'` is given without `unit`, but the column that says"),
        ({"wide": True, "score": "x"}, "`wide=True` and `score` are both given, but they cannot"),
        ({"unit": "x", "left": "y"}, "`higher=False` and `margin` are for a table of scores"),
        ({"cluster": "prompt"}, "a column 'prompt' was expected (see `cluster`)"),
        ({"cluster": "winner"}, "`cluster` is 'winner', which holds the answers in the list of"),
        ({"epsilo": 0.1}, "; did you mean epsilon?"),
        ({"assumption": "strong"}, "'assumption' is not an option; did you mean assume?"),
        ({"detla": 0.1}, "'detla' is not an option; did you mean delta?"),
        ({"zzzzzz": 0.1}, "'zzzzzz' is not an option, but one of answers, ask, assume,"),
        ({"decoy_gap": 0.1}, "(say which names are decoys with `decoys`)"),
        ({"items": ["tea"]}, "items has 1 item, but at least two were expected"),
        ({"skipbad": True}, "; did you mean skip_bad?"),
        (
            {"ties": "ignore"},
            "'ties' is not an option; did you mean meanings=Meanings(tie='ignore')?",
        ),
        ({"budget": 5}, "'budget' is not an option, but one of answers, ask, assume, attributes"),
        ({"margin": -1}, "margin is -1, but a number of at least 0 was expected"),
    ],
)
def test_python_users_read_of_keyword_arguments(given, said):
    with pytest.raises(AntichainError) as caught:
        ac.front(VOTES, **given)
    assert said in str(caught.value)
    assert "--" not in str(caught.value)


def test_a_column_that_is_not_there_says_which_may_be_meant(tmp_path):
    log = tmp_path / "votes.csv"
    log.write_text("left,right,winner\ntea,milk,left\n")
    with pytest.raises(FileError, match=r"a column 'lef' was expected; did you mean left\? \(see"):
        ac.front(log, left="lef")


@pytest.mark.parametrize(
    ("rows", "given", "in_python", "typed_as"),
    [
        (
            "timestamp,favourite,other\n1,tea,milk\n",
            {},
            "(say which with `left` and `right`, or `winner` and `loser`; for files of scores, "
            "rankings or grades: antichain.ReadOptions)",
            "(say which with --left and --right, or --winner and --loser; for files of scores, "
            "rankings or grades: antichain help reading)",
        ),
        (
            "timestamp,one film,other film,picked\n1,tea,milk,tea\n",
            {},
            "as in `left='one film'` `right='other film'` `winner='picked'`; or",
            "as in --left 'one film' --right 'other film' --winner picked; or",
        ),
        (
            "left,right,verdict\ntea,milk,0.7\n",
            {},
            "how much the left item is preferred, give `score='verdict'`",
            "how much the left item is preferred, give --score verdict",
        ),
        (
            "left,right,winner\ntea,milk,left\n",
            {"decoys": "decoys.json"},
            "`decoys` is 'decoys.json', which is the name of a file, but the ending of decoys' "
            "names was expected (or a mapping from each item's name to its decoy's)",
            "--decoy-suffix is 'decoys.json', which is the name of a file, but the ending of "
            "decoys' names was expected (--decoys takes a file)",
        ),
        (
            "left,right,winner\ntea,milk,left\n",
            {"left": "left", "right": "left"},
            "but a different column for each item (not 'left' twice) was expected",
            "but a different column for each item (not 'left' twice) was expected",
        ),
    ],
)
def test_what_is_wrong_with_columns_is_said_in_either_world(
    tmp_path, capsys, rows, given, in_python, typed_as
):
    log = tmp_path / "votes.csv"
    log.write_text(rows)
    with pytest.raises(AntichainError) as caught:
        ac.front(log, **given)
    assert in_python in str(caught.value)
    flags = {"decoys": "decoy-suffix"}
    options = [
        word for name, value in given.items() for word in (f"--{flags.get(name, name)}", value)
    ]
    assert main(["front", str(log), *options]) == 2
    assert typed_as in capsys.readouterr().err


@pytest.mark.parametrize("read", [ac.Study.open, ac.Study.read, ac.read_matrix])
def test_what_reads_votes_instead_is_a_call_or_a_command(tmp_path, read):
    log = tmp_path / "my votes.csv"
    log.write_text("left,right,winner\ntea,milk,left\nmilk,rain,left\n")
    with pytest.raises(FileError) as caught:
        read(log)
    assert f"votes: antichain.front('{log}'))" in str(caught.value)
    with typed(), pytest.raises(FileError) as caught:
        read(log)
    assert f"votes: antichain front '{log}')" in str(caught.value)


def test_an_array_of_numpy_leads_to_what_reads_it(tmp_path):
    np.save(tmp_path / "chances.npy", np.full((2, 2), 0.5))
    with pytest.raises(FileError, match=r"is read by: antichain\.read_matrix\('.*chances\.npy'\)"):
        ac.front(tmp_path / "chances.npy")


@pytest.mark.parametrize("name", ["ballots", "both_orders"])
def test_one_column_is_not_a_list_of_columns(name):
    with pytest.raises(ParameterError, match=r"a list of columns was expected, such as \['left'\]"):
        ac.front(VOTES, **{name: "left"})


def test_users_of_the_command_read_of_flags(tmp_path, capsys):
    log = tmp_path / "votes.csv"
    log.write_text("left,right,winner\ntea,milk,left\n")
    assert main(["front", str(log), "--item", "tea"]) == 2
    assert "--item tea is given without --unit, but the column that" in capsys.readouterr().err
    assert "--" not in str(ParameterError("--item is given"))  # the command is over


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("a lower --min-votes was expected", "a lower `min_votes` was expected"),
        ("(or --force, to replace it)", "(or `force=True`, to replace it)"),
        ("give --force to start again", "give `force=True` to start again"),
        ("say --answers=names.", "say `answers='names'`."),
        ("(or --answers names)", "(or `answers='names'`)"),
        ("(--items names those)", "(`items` names those)"),
        (
            "--workers=4 and --dask=tcp://a:1 are given",
            "`workers=4` and `dask='tcp://a:1'` are given",
        ),
        ("give another file to --key", "give another file to --key"),
        ("perhaps --scores=won,lost", "perhaps `scores=('won', 'lost')`"),
        ("well--known, 3--4, a -- b", "well--known, 3--4, a -- b"),
    ],
)
def test_each_way_to_name_an_option(message, said):
    error = pickle.loads(pickle.dumps(FileError(message)))
    assert str(error) == said
    with typed():
        assert str(error) == re.sub(r"(--\w+)=", r"\1 ", message)


NOTED = {  # rows, options of reading, and what notes or checks name in Python and when typed
    "column": (
        ["left,right,winner,rater", *["tea,milk,left,ann"] * 3],
        {},
        ("`voter='rater'`", "--voter rater"),
    ),
    "order": (
        ["left,right,winner,time", *[f"tea,milk,left,{k}" for k in range(3)]],
        {},
        ("`ordered=False`", "--unordered"),
    ),
    "open ask": (
        ["ask,left,right,winner", "1,tea,milk,left", "3,tea,milk,left"],
        {},
        ("`unanswered='ignore'`", "--unanswered ignore"),
    ),
    "names": (
        ["left,right,winner", "tea,milk,left", "Tea,milk,left"],
        {},
        ("`fold=True`", "--fold"),
    ),
    "cannot compare": (
        ["left,right,winner", "tea,milk,incomparable"],
        {},
        ("`assume='cannot-compare'`", "--assume cannot-compare"),
    ),
    "decoys": (
        ["left,right,winner", "tea,milk,left", "tea,milk (decoy),left"],
        {"decoys": " (decoy)"},
        ("`decoy_gap`", "--decoy-gap"),
    ),
    "undeclared decoys": (
        ["left,right,winner", "tea,milk,left", "tea,milk (decoy),left"],
        {},
        ("`decoys=' (decoy)'`", "--decoy-suffix ' (decoy)'"),
    ),
    "sides": (
        ["home,away,winner", *["tea,milk,home", "milk,tea,home"] * 40],
        {},
        ("`sides='home'`", "--sides home"),
    ),
    "voters": (
        ["left,right,winner,who", *["tea,milk,left,ann"] * 3],
        {"voter": "who"},
        ("`cluster='who'`", "--cluster who"),
    ),
    "sparse": (
        [
            "left,right,winner",
            *["a,b,left", "b,c,left", "a,c,left"] * 40,
            *[f"i{k},i{k + 1},left" for k in range(20)],
        ],
        {},
        ("`min_votes=", "--min-votes "),
    ),
}


@pytest.mark.parametrize("case", NOTED)
def test_notes_and_checks_name_options_as_the_reader_gives_them(tmp_path, case):
    rows, options, (in_python, when_typed) = NOTED[case]
    log = tmp_path / "votes.csv"
    log.write_text("\n".join(rows) + "\n")

    def said() -> str:
        found = ac.front(log, likely=False, **options)
        return " ".join([*found.notes, *(check.finding for check in found.checks)])

    assert in_python in said()
    assert "--" not in said()
    with typed():
        assert when_typed in said().replace('"', "'")


def flags_in(path: Path) -> list[str]:
    """The flags that the messages of a module name."""
    code = path.read_text(encoding="utf-8")
    by_function = re.findall(r"""option\(["']([a-z-]+)["']""", code)
    return [
        *re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*\b(?!-?\{)", code),
        *(f"--{flag}" for flag in by_function),
    ]


def test_messages_name_only_flags_that_a_command_has():
    def flags(group):
        for command in group.commands.values():
            for param in command.params:
                yield from (*param.opts, *param.secondary_opts)
            yield from flags(command) if hasattr(command, "commands") else ()

    known = {*flags(typer.main.get_command(_app.app)), "--help", "--version"}
    for path in Path(ac.__file__).parent.rglob("*.py"):
        named = set(flags_in(path))
        assert named <= known, (path, named - known)


def test_messages_on_reading_votes_name_only_what_python_has():
    known = {*inspect.signature(ac.front).parameters, "min_votes", "sides", "directions"}
    known |= {field.name for kind in (ac.ReadOptions, ac.Meanings) for field in fields(kind)}
    known |= {f"antichain.{name}" for name in ac.__all__}
    package = Path(ac.__file__).parent
    for path in (*package.glob("votes/*.py"), *package.glob("certify/*.py")):
        if path.stem == "_preference_matrix":  # `front` does not read those
            continue
        read = as_read(" ".join(flags_in(path)))
        named = {name.partition("=")[0] for name in re.findall("`([^`]+)`", read)}
        assert named <= known, (path, named - known)


def test_a_table_without_columns_has_no_columns():
    frame = pytest.importorskip("pandas").DataFrame()
    with pytest.raises(FileError, match="the table has no columns, but a pair of columns"):
        ac.front(frame)


def test_an_unknown_option_of_a_method_says_which_may_be_meant():
    with pytest.raises(ParameterError, match=r"did you mean decoy_gap\?"):
        ac.Witness.from_options({"decoygap": 0.1})
    with pytest.raises(ParameterError, match=r"did you mean witness\?"):
        check_name("witnes")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ac.likely_front("films.csv", epsilon=0.1), "wins is 'films.csv', but a square"),
        (lambda: ac.likely_front([[0, 1], [0]], epsilon=0.1), "wins is [[0, 1], [0]], but a sq"),
        (lambda: ac.likely_front([[0, 1], [1, 0]], epsilon="a"), "epsilon is 'a', but a number"),
        (
            lambda: ac.likely_front([[0, 1], [1, 0]], epsilon=0.1, epsilon_others=[0.2]),
            "epsilon_others is [0.2], but a number from epsilon (0.1) to 1/2 was expected",
        ),
        (lambda: ac.posets.layered(2, 3, 3, parents=None), "parents is None, but one of uniform"),
        (lambda: ac.Study.open(None), "path is None, but the path of a file was expected"),
        (lambda: ac.Study.read(3), "path is 3, but the path of a file was expected"),
        (lambda: ac.front(VOTES, margin="x"), "margin is 'x', but a number of at least 0 was"),
        (lambda: ac.front(VOTES, likely="x"), "likely is 'x', but yes or no (a bool) was expected"),
        (lambda: ac.front(VOTES).explain(None), "item is None, but the name of an item was"),
        (lambda: ac.read_matrix([[0.5]]), "path is [[0.5]], but the path of a file was expected"),
        (lambda: ac.CallableArena(3, print), "The items must be a list of names; got 3."),
        (lambda: ac.CallableArena(["a", 2], print), "Items are named by strings; got 2."),
        (lambda: ac.CallableArena(["a", "b"], 3), "judge is 3, but a function was expected."),
        (lambda: ac.MatrixArena([[0.5]], 3), "The items must be a list of names; got 3."),
        (lambda: ac.Rules(tests=["bets"]), "tests is ['bets'], but one of bets, intervals was"),
        (lambda: ac.Rules(early_exit="no"), "early_exit is 'no', but yes or no (a bool) was"),
        (lambda: ac.plan(5, assume="x"), "assume is 'x', but one of strong, cannot-compare was"),
        (lambda: ac.next_votes(VOTES, forecast="x"), "forecast is 'x', but yes or no (a bool)"),
        (lambda: ac.Search(ac.Orient(), ["a", "b"], direct=3), "direct is 3, but a mapping from"),
        (
            lambda: ac.SimulatedArena(ac.posets.antichain(3), observable="x"),
            "observable is 'x', but yes or no (a bool) was expected",
        ),
        (lambda: ac.Budgeted(3, 5), "the arena inside is 3, but an Arena was expected."),
        (lambda: ac.KeyedArena(None), "arena is None, but a SimulatedArena was expected."),
        (lambda: ac.RatingsArena("x"), "counts is 'x', but a PairCounts was expected."),
        (lambda: ac.Replay(None), "path is None, but the path of a file was expected."),
        (lambda: ac.DuelModel(3, [[0]]), "poset is 3, but a Poset was expected."),
        (lambda: ac.DuelModel(ac.Poset(("a",), [[False]]), "x"), "gaps is 'x', but a square"),
        (lambda: ac.Poset(3, [[False]]), "items is 3, but a list of names was expected."),
        (lambda: ac.Poset.from_relations(None), "relations is None, but a list of pairs was"),
        (lambda: ac.ImplicitDominance("x"), "points is 'x', but a matrix of numbers with a row"),
        (lambda: ac.ImplicitDominance([[1.0]], items=3), "items is 3, but a list of names was"),
        (lambda: ac.Orient(comparability_error="x"), "comparability_error is 'x', but a number"),
        (lambda: ac.posets.random_dag(3, "x"), "probability is 'x', but a number from 0 to 1 was"),
        (lambda: ac.load_movielens(None), "path is None, but the path of a file was expected."),
        (lambda: ac.load_ratings("x.csv", 3), "form is 3, but a RatingFormat was expected."),
        (lambda: ac.Study.in_memory(["a", "b"], criteria="taste"), "criteria is 'taste', but a l"),
        (lambda: ac.Study.open("x.duels", ["a", "b"], now=3), "now is 3, but a function was"),
        (lambda: ac.front(VOTES, sides=3), "sides is 3, but the name of one of the log's sides"),
        (lambda: ac.read_votes(VOTES, {"left": "a"}), "options is {'left': 'a'}, but ReadOptions"),
        (lambda: ac.read_votes(VOTES, progress=3), "progress is 3, but a function was expected"),
        (lambda: ac.read_votes(VOTES, delimiter=3), "`delimiter` is 3, but a text was expected"),
        (lambda: ac.votes_from_ratings_counts("x", grades=3), "grades is 3, but a list of columns"),
        (
            lambda: ac.votes_from_ratings_counts(__file__, delimiter=3),
            "`delimiter` is 3, but a single",
        ),
        (lambda: ac.read_attributes({}, 3), "directions is 3, but a list of texts was expected."),
        (lambda: ac.read_attributes({}, "a:min", item=3), "item is 3, but the name of a column"),
    ],
)
def test_a_value_of_the_wrong_type_is_told_at_once(call, said):
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)


@pytest.mark.parametrize("decoys", ["films.csv", "decoys.json", __file__])
def test_a_file_is_no_ending_of_decoys_names(decoys):
    with pytest.raises(ParameterError, match="which is the name of a file, but the ending of deco"):
        ac.front(VOTES, decoys=decoys)
