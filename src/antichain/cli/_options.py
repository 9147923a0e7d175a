"""The options that several commands share, and the checks on their numbers.

Metavars are of a few sorts: N a whole number, X a number, FILE a path, LAW a law by its name,
METHOD an algorithm by its name.
"""

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._limits import RUNS, SMALLEST
from antichain._text import as_argument, did_you_mean, shown
from antichain.algorithms._registry import OURS, check_name
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain._trials import Posets
    from antichain.algorithms._base import Algorithm
    from antichain.orders import DuelModel

LARGEST_WHOLE = 2**53  # beyond this a JSON reader may round it
MAY_BE_BEATEN = "By how much an item may be beaten and still be in (0.1: losing 60% of the votes)."
DECOYS_LOSE = "Δ: the least gap by which decoys lose (0.1: losing 60% of the votes)."
_BELOW = 1e-12  # how near to its upper bound a number may be


def _refused(text: object, why: str) -> typer.BadParameter:
    """A complaint about an option's value; where errors are worded, the option comes before it."""
    return typer.BadParameter(f"is {shown(text)}{why}")


def whole(low: int, high: int = LARGEST_WHOLE) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(str(text))
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            open_ended = value < low and high == LARGEST_WHOLE
            reach = f"of at least {low}" if open_ended else f"from {low} to {high:,}"
            raise _refused(text, f", but a whole number {reach} was expected")
        return value

    return read


def between(low: float, high: float, high_too: bool = False) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(str(text))
        except ValueError:
            value = math.nan
        # A NaN fails every comparison, and so lands in the error as it should.
        if low + SMALLEST < value < high - _BELOW or (high_too and value == high):
            return value
        near = f" (by at least {SMALLEST:g} and {_BELOW:g})" if low < value < high else ""
        upper = f"{'at most' if high_too else 'below'} {high:g}"
        raise _refused(text, f", but a number above {low:g} and {upper}{near} was expected")

    return read


def at_least_0(text: str) -> float:
    """Reads a number of at least 0."""
    try:
        value = float(str(text))
    except ValueError:
        value = math.nan
    if 0 <= value < math.inf:
        return value
    raise _refused(text, ", but a number of at least 0 was expected")


# What typer.Option gives back has the type of the option's value, so that Any is all there is.
def count(flag: str, meaning: str, low: int = 1, high: int = LARGEST_WHOLE) -> Any:
    return typer.Option(flag, parser=whole(low, high), metavar="N", help=meaning)


def runs(flag: str, meaning: str, low: int = 1) -> Any:
    return count(flag, meaning, low, RUNS)


def number(flag: str, meaning: str, low: float, high: float, high_too: bool = False) -> Any:
    return typer.Option(flag, parser=between(low, high, high_too), metavar="X", help=meaning)


def flag(name: str, meaning: str) -> Any:
    return typer.Option(name, help=meaning)


def word(name: str, metavar: str, meaning: str) -> Any:
    return typer.Option(name, metavar=metavar, help=meaning)


def new_path(what: str = "file") -> Callable[[str], Path]:
    """Reads the name of what is to be written; "-", which means stdout elsewhere, is none."""

    def read(text: str) -> Path:
        if str(text) == "-":
            raise _refused(
                text, f", but the name of a {what} was expected (./- is a {what} of that name)"
            )
        return Path(text)

    return read


def output(meaning: str, *names: str) -> Any:
    """The option of a file to write, which is --output unless it has other names."""
    flags = names or ("--output", "-o")
    return typer.Option(*flags, parser=new_path(), metavar="FILE", help=meaning)


def output_folder(meaning: str) -> Any:
    return typer.Option("--output", "-o", parser=new_path("folder"), metavar="DIR", help=meaning)


def choice(flag: str, names: Collection[str], meaning: str) -> Any:
    def read(text: str) -> str:
        found = next((name for name in names if name == str(text)), None)
        if found is None:
            listed = f", but one of {', '.join(names)} was expected"
            raise _refused(text, did_you_mean(str(text), names) or listed)
        return found

    return typer.Option(flag, parser=read, metavar="|".join(names), help=meaning)


def _known_method(text: str) -> str:
    try:
        return check_name(str(text))
    except ParameterError as error:
        raise _refused(text, f", but {error}") from error


def algorithm(meaning: str, default: str = "") -> Any:
    """The option of a method: its name, or where to import it from."""
    return typer.Option(
        "--algorithm",
        parser=_known_method,
        metavar="METHOD",
        help=f"{meaning} Give a name ({', '.join(OURS)}, or that of a method in an installed "
        "package), or a class of your own as path/to/file.py:Class or module:Class."
        + (f"  [default: {default}]" if default else ""),
    )


Json = Annotated[bool, flag("--json", "Print JSON on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
Force = Annotated[bool, flag("--force", "Overwrite existing output files (never input files).")]
Seed = Annotated[int, count("--seed", "Seed for all random choices.", 0)]
Workers = Annotated[int, count("--workers", "Number of processes.")]
Dask = Annotated[str | None, word("--dask", "ADDRESS", "Address of a Dask scheduler, or local.")]
Delta = Annotated[float, number("--delta", "Highest chance of a wrong front.", 0, 1)]
DecoyGap = Annotated[float, number("--decoy-gap", DECOYS_LOSE, 0, 0.5)]
Gamma = Annotated[
    float, number("--gamma", "Factor by which the gap that peeling looks for shrinks.", 0, 1)
]
Epsilon0 = Annotated[
    float, number("--epsilon0", "The gap that peeling looks for first.", 0, 0.5, high_too=True)
]
PosetFile = Annotated[
    Path | None, word("--poset", "FILE", "Poset file to use instead of a generated poset.")
]
Front = Annotated[int | None, count("--front", "Number of items on the front.  [default: 5]")]
Width = Annotated[
    int | None,
    count(
        "--width",
        "Number of chains below the front, at least the size of the front.  [default: 10]",
    ),
]
Height = Annotated[
    int | None, count("--height", "Number of items in the longest chain.  [default: 10]")
]
Parents = Annotated[
    str | None,
    word(
        "--parents",
        "LAW",
        "How many parents a chain has: uniform, one, all, binomial:P.  [default: uniform]",
    ),
]
Gaps = Annotated[
    str | None,
    word(
        "--gaps",
        "LAW",
        "Distribution of the gaps: uniform, small:S, minimum:M, between:M:S, bradley-terry:R, "
        "constant:G.  [default: uniform]",
    ),
]


def spelt_out(
    command: Callable[..., None],
    parameter: str,
    options: Mapping[str, tuple[Any, Any]],
    made: Callable[[dict[str, Any]], Any],
) -> Callable[..., None]:
    """Replace a command's parameter by options, so that several commands can share them.

    Args:
        command: The command.
        parameter: The name of the parameter.
        options: By name, the annotation and the default of each option.
        made: Makes the parameter's value of the options given.
    """
    signature = inspect.signature(command)
    hints = inspect.get_annotations(command, eval_str=True)

    @wraps(command)
    def with_options(**given: Any) -> None:
        own = {name: given.pop(name) for name in options}
        command(**given, **{parameter: made(own)})

    parameters = []
    for own in signature.parameters.values():
        new = options if own.name == parameter else {own.name: (hints[own.name], own.default)}
        parameters += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint
            )
            for name, (hint, default) in new.items()
        ]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return with_options


def command_line(*arguments: object) -> str:
    """The command line to type; a path that begins like an option does not look like one."""
    words = ["antichain"]
    for argument in arguments:
        plain = isinstance(argument, Path) and str(argument).startswith("-")
        words.append(f"./{argument}" if plain else str(argument))
    return " ".join(map(as_argument, words))


def typed(options: Mapping[str, object]) -> list[str]:
    """The words that give these options on a command line; None stands for one not given.

    >>> typed({"--fold": True, "--ordered/--unordered": False, "--attribute": ["a:min", "b:max"]})
    ['--fold', '--unordered', '--attribute', 'a:min', '--attribute', 'b:max']
    """
    words = []
    for name, value in options.items():
        yes, _, no = name.partition("/")
        if isinstance(value, bool):
            words += [yes] if value else [no] if no else []
        elif value is not None:
            every = value if isinstance(value, list | tuple) else [value]
            words += [word for one in every for word in (yes, str(one))]
    return words


def posets(poset: Path | None, **options: int | str | None) -> "Posets":
    from antichain._trials import Layered

    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if poset is None:
        return Layered(**given)
    if given:
        raise ParameterError(
            f"--poset and --{next(iter(given))} are both given, but they cannot be used together: "
            "a poset is either read from a file or generated"
        )
    from antichain._files import read_poset

    return read_poset(poset)


def one_poset(seed: int, poset: Path | None, **options: int | str | None) -> "DuelModel":
    from antichain._trials import Layered

    found = posets(poset, **options)
    return found.model(seed) if isinstance(found, Layered) else found


def method(
    name: str | None,
    delta: float,
    decoy_gap: float | None,
    epsilon: float | None,
    otherwise: Mapping[str, float],
) -> "Algorithm":
    from antichain.algorithms._registry import chosen_algorithm

    try:
        return chosen_algorithm(name, delta, decoy_gap, epsilon, otherwise)
    except ParameterError as error:
        if decoy_gap is None or epsilon is None:
            raise
        raise ParameterError(
            "--decoy-gap and --epsilon are both given, but they cannot be used together: with "
            "decoys, the front is exact"
        ) from error
