"""The public names, pinned: adding or losing one is a decision, not an accident."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest

import antichain
from antichain import errors
from tests.doc_pages import ROOT, blocks

NAMES = [
    "Algorithm",
    "Answer",
    "AntichainError",
    "Arena",
    "Ask",
    "Batch",
    "BeatTheMean",
    "Bet",
    "Budgeted",
    "CallableArena",
    "Certificate",
    "Certifying",
    "Challenge",
    "Count",
    "DegradedArena",
    "DuelModel",
    "Forecast",
    "ImplicitChains",
    "ImplicitDominance",
    "ImplicitTotalOrder",
    "InterleavedFilter",
    "KeyedArena",
    "Knockout",
    "LikelyFront",
    "MatrixArena",
    "MaximumFinder",
    "Meanings",
    "NextVote",
    "NextVotes",
    "Orient",
    "Outcome",
    "PairCounts",
    "PeelToOne",
    "Plan",
    "PlanState",
    "Poset",
    "Progress",
    "Race",
    "RaceOutcome",
    "RatingFormat",
    "RatingsArena",
    "ReadOptions",
    "RealDecoys",
    "Receipt",
    "RegretRates",
    "Replay",
    "Result",
    "Round",
    "Rules",
    "Search",
    "SequentialTest",
    "SimulatedArena",
    "SlicingBandits",
    "Streams",
    "Study",
    "StudyAsk",
    "Tally",
    "UnchainedBandits",
    "UniformSampling",
    "ValueSource",
    "Verdict",
    "VoteLog",
    "Witness",
    "check_decoys",
    "errors",
    "find_front",
    "front",
    "judge",
    "likely_front",
    "load_movielens",
    "load_ratings",
    "make_decoys",
    "next_votes",
    "plan",
    "plan_calibration",
    "plots",
    "posets",
    "read_attributes",
    "read_matrix",
    "read_votes",
    "register",
    "remaining",
    "round_of",
    "testing",
    "theory",
    "votes_from_ratings_counts",
]


def test_the_names_are_these() -> None:
    assert antichain.__all__ == NAMES
    assert dir(antichain) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_name_resolves_to_something_documented(name: str) -> None:
    thing = getattr(antichain, name)
    if name == "Plan":  # an alias for the type of a generator, which can carry no docstring
        return
    assert inspect.getdoc(thing)
    if not inspect.ismodule(thing):
        assert thing.__name__ == name


def test_the_docs_list_these_names_and_no_others() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == NAMES


ROOMS = (
    *("certify", "likely", "study", "serve", "decoys", "theory", "testing", "experiments"),
    *("errors", "plots", "certify.report"),
)


def exported(room: str) -> set[str]:
    """The names that a room hands out and the package itself does not."""
    module = importlib.import_module(f"antichain.{room}")
    own = (n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__)
    names = set(getattr(module, "__all__", None) or own)
    return names - {name for name in NAMES if getattr(antichain, name) is vars(module).get(name)}


def test_the_reference_documents_every_public_name_once() -> None:
    documented: dict[str, list[str]] = {}
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        for block in blocks(page):
            if block.language == "{names}":
                documented.setdefault(block.file, []).extend(block.text.split() or ["*"])
    elsewhere = [name for name in NAMES if inspect.ismodule(getattr(antichain, name))]
    elsewhere += ["AntichainError"]  # with the other errors
    assert sorted([*documented["antichain"], *elsewhere]) == NAMES
    assert documented["antichain.posets"] == ["*"]
    for room in ROOMS:
        listed = documented[f"antichain.{room}"]
        assert listed == ["*"] or sorted(listed) == sorted(exported(room)), room


def silent_in(thing: object) -> list[str]:
    """The public methods and properties of a class that do not say what they do."""
    if not inspect.isclass(thing):
        return []
    return [
        attribute
        for attribute, value in vars(thing).items()
        if not attribute.startswith("_")
        and (inspect.isroutine(value) or isinstance(value, property))
        and not inspect.getdoc(getattr(thing, attribute))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_method_says_what_it_does(name: str) -> None:
    assert silent_in(getattr(antichain, name)) == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_room_says_what_it_does(room: str) -> None:
    module = importlib.import_module(f"antichain.{room}")
    things = {name: getattr(module, name) for name in exported(room)}
    callables = {name: thing for name, thing in things.items() if callable(thing)}
    assert [name for name, thing in callables.items() if not inspect.getdoc(thing)] == []
    assert {name: silent for name, thing in things.items() if (silent := silent_in(thing))} == {}


def test_posets_are_the_generators() -> None:
    assert set(antichain.posets.__all__) == {
        "antichain",
        "chains",
        "dominance",
        "layered",
        "random_dag",
        "total_order",
    }
    for name in antichain.posets.__all__:
        assert callable(getattr(antichain.posets, name))


def test_there_are_no_other_names() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        antichain.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "numpy", "numba", "scipy", "typer", "rich", "networkx", "matplotlib", "polars", "pandas",
        "dask", "distributed", "PIL", "fastapi", "uvicorn", "sqlalchemy",
    ]  # fmt: skip
    program = f"import antichain, sys; print([m for m in {heavy} if m in sys.modules])"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"


def test_the_error_tree_shows_every_error_under_its_parent() -> None:
    tree = inspect.getdoc(errors) or ""
    classes = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    }
    drawn: list[tuple[int, str]] = []
    for line in tree.splitlines():
        bare = line.lstrip(" │├└─")
        name = bare.split(" ")[0]
        if name in classes:
            drawn.append((len(line) - len(bare), name))
    assert {name for _, name in drawn} == set(classes)
    for position, (depth, name) in enumerate(drawn):
        above = [other for far, other in drawn[:position] if far < depth]
        parent = classes[above[-1]] if above else Exception
        assert parent in classes[name].__bases__
