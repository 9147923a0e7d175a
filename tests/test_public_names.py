"""The public names, pinned: adding or losing one is a decision, not an accident."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import antichain
from antichain import errors

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
    page = (Path(__file__).parent.parent / "docs" / "api.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == NAMES


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
