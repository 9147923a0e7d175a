"""The options that several commands share, and the checks on their numbers.

Metavars are of four sorts: N a whole number, X a number, FILE a path, LAW a law by its name.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.orders import DuelModel

LARGEST_SEED = 2**53  # beyond this a JSON reader may round it


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """What reads a whole number from `low` to `high` on the command line."""

    def read(text: str) -> int:
        try:
            value = int(str(text))
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            reach = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise typer.BadParameter(f"{text!r} was given, but a whole number {reach} was expected")
        return value

    return read


def between(low: float, high: float, high_too: bool = False) -> Callable[[str], float]:
    """What reads a number strictly between `low` and `high` (or `high` too) there."""

    def read(text: str) -> float:
        try:
            value = float(str(text))
        except ValueError:
            value = math.nan
        # A NaN fails every comparison, and so lands in the error as it should.
        if low < value < high or (high_too and value == high):
            return value
        raise typer.BadParameter(
            f"{text!r} was given, but a number above {low:g} and "
            f"{'at most' if high_too else 'below'} {high:g} was expected"
        )

    return read


# What typer.Option gives back has the type of the option's value, so that Any is all there is.
def count(flag: str, meaning: str, low: int = 1, high: int | None = None) -> Any:
    """The option of a whole number from `low` to `high`."""
    return typer.Option(flag, parser=whole(low, high), metavar="N", help=meaning)


def number(flag: str, meaning: str, low: float, high: float, high_too: bool = False) -> Any:
    """The option of a number strictly between `low` and `high` (or `high` too)."""
    return typer.Option(flag, parser=between(low, high, high_too), metavar="X", help=meaning)


def output(meaning: str) -> Any:
    """The option of the file a command writes."""
    return typer.Option("--output", "-o", metavar="FILE", help=meaning)


def choice(flag: str, names: type[StrEnum], meaning: str) -> Any:
    """The option of one of the names of an enumeration."""
    return typer.Option(flag, metavar="|".join(names), help=meaning)


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result and nothing else.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists already.")]
Seed = Annotated[int, count("--seed", "Where all randomness comes from.", 0, LARGEST_SEED)]
Delta = Annotated[float, number("--delta", "Chance of a wrong front.", 0, 1)]
DecoyGap = Annotated[float, number("--decoy-gap", "The Δ of the Δ-decoys.", 0, 0.5)]
Gamma = Annotated[float, number("--gamma", "Peeling rate.", 0, 1)]
Epsilon0 = Annotated[
    float, number("--epsilon0", "Where the peeling starts.", 0, 0.5, high_too=True)
]
PosetFile = Annotated[
    Path | None,
    typer.Option("--poset", metavar="FILE", help="A poset file, instead of a generated poset."),
]
Front = Annotated[int | None, count("--front", "Items on the front.  [default: 5]")]
Width = Annotated[int | None, count("--width", "Chains below it, at least as many.  [default: 10]")]
Height = Annotated[int | None, count("--height", "Items of a longest chain.  [default: 10]")]
Parents = Annotated[
    str | None,
    typer.Option(
        "--parents",
        metavar="LAW",
        help="Number of parents of a chain: uniform, one, all, binomial:P.  [default: uniform]",
    ),
]
Gaps = Annotated[
    str | None,
    typer.Option(
        "--gaps",
        metavar="LAW",
        help="Law of the gaps: uniform, bradley-terry:R, minimum:M, small:S, between:M:S, "
        "constant:G.  [default: uniform]",
    ),
]


@dataclass(frozen=True)
class Source:
    """Where the posets of a command come from: a file, or the paper's generator."""

    poset: Path | None = None
    front: int = 5
    width: int = 10
    height: int = 10
    parents: str = "uniform"
    gaps: str = "uniform"

    @classmethod
    def chosen(cls, poset: Path | None, **options: int | str | None) -> "Source":
        """The source that the options ask for; a poset file leaves nothing to generate."""
        given = {name: value for name, value in options.items() if value is not None}
        if poset is not None and given:
            raise ParameterError(
                f"--poset and --{next(iter(given))} are both given, but one of the two was "
                "expected: a poset is read or generated"
            )
        return cls(poset, **given)  # type: ignore[arg-type]  # typer has checked each option's type

    def model(self, seed: int) -> "DuelModel":
        """The poset of one seed; a file holds the same for every seed."""
        if self.poset is not None:
            from antichain.files import read_poset

            return read_poset(self.poset)
        from antichain.orders import generators

        return generators.layered(
            front=self.front,
            width=self.width,
            height=self.height,
            seed=seed,
            parents=self.parents,
            gaps=self.gaps,
        )
