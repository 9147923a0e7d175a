"""`antichain matrix`: what a table of chances says, taken as exact or as so many votes per pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain._limits import VOTED_MATRIX_ITEMS
from antichain.cli import _options, _screen
from antichain.cli._front import present
from antichain.errors import FileError, ParameterError

if TYPE_CHECKING:
    from antichain.certify._exact import ExactMatrix

_MOST_SHOWN = 20


def matrix(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A square table (text, .npy or .npz) with the chance that the row beats the "
            "column.",
        ),
    ],
    names: Annotated[
        str | None,
        _options.word("--names", "A,B,…|@FILE", "Names of the items, in the order of the table."),
    ] = None,
    epsilon: Annotated[
        float,
        _options.number(
            "--epsilon",
            "The ε of the ε-front: how much its items may be beaten by (0.1: losing 60% of the "
            "votes).",
            *(0, 0.5),
        ),
    ] = 0.05,
    votes: Annotated[
        int | None,
        _options.count(
            "--votes", "Treat each chance as the outcome of N votes, and certify the front."
        ),
    ] = None,
    delta: Annotated[
        float | None,
        _options.number(
            "--delta", "With --votes: highest chance of any false claim.  [default: 0.05]", 0, 1
        ),
    ] = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Find the order in a matrix of preferences: dominances, cycles, front and ε-front."""
    from antichain.certify._exact import exact_matrix, votes_from_matrix
    from antichain.votes import item_names
    from antichain.votes._preference_matrix import read_matrix

    if delta is not None and votes is None:
        raise ParameterError(
            "--delta is given, but it needs --votes: without --votes, the chances are taken as "
            "exact and leave nothing uncertain"
        )
    named = None if names is None else item_names(names, "--names", "names")
    table = read_matrix(file, named)
    if votes is not None:
        from antichain.certify import certify

        if len(table.names) > VOTED_MATRIX_ITEMS:
            raise FileError(
                f"{file} has {len(table.names):,} items, but with --votes at most "
                f"{VOTED_MATRIX_ITEMS:,} were expected"
            )
        log = votes_from_matrix(table.names, table.chances, votes, str(file))
        present(certify(log, delta, epsilon), json, quiet, pages=False)
        return
    found = exact_matrix(table.names, table.chances, epsilon)
    if json:
        _screen.print_json(found.to_dict())
    elif quiet:
        _screen.say_items(found.front, "the front is empty: each item is beaten by another")
    else:
        _show(file, found)


def _show(file: Path, found: "ExactMatrix") -> None:
    size = len(found.items)
    _screen.say(
        f"{file}: {_screen.counted(size, 'item')}; "
        f"{_screen.counted(size * (size - 1) // 2, 'pair')}, "
        f"{len(found.dominances):,} with a winner and {len(found.even):,} even"
    )
    _screen.say(f"front (no item beats them): {_screen.names(found.front) or 'empty'}")
    _screen.say(
        f"exact ε-front (no item beats them by more than {found.epsilon:g}): "
        f"{_screen.names(found.eps_front) or 'empty'}"
    )
    for cycle in found.cycles[:_MOST_SHOWN]:
        _screen.say(f"a cycle: {' > '.join([*cycle, cycle[0]])}")
    for a, b, c in found.violations[:_MOST_SHOWN]:
        _screen.say(f"not transitive: {a} > {b} > {c}, but {a} does not beat {c}")
    if found.violation_count > _MOST_SHOWN:
        more = _screen.counted(found.violation_count - _MOST_SHOWN, "more triple")
        _screen.say(f"and {more} (see --json)")
    _screen.say(
        "The dominances form an order."
        if found.is_poset
        else "The dominances do not form an order."
    )
