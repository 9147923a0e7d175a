"""Experiments as small declarative files, read and checked.

A spec is TOML::

    name = "figure-width"
    title = "Duels against the width"
    vary = "width"                 # the parameter that changes along the x-axis
    values = [5, 10, 20, 40]
    algorithms = ["unchained-paper", "unchained", "uniform", "slicing"]
    runs = 10                      # per point
    panels = ["duels", "regret_with_decoys"]
    references = ["theorem-1"]     # lines to compare with; also "information-limit" and "delta"

    [fixed]                        # what differs from the paper's defaults
    front = 5
    width = "2p"                   # or a number

`algorithms` names lines of the paper's figures (`LINES`) or any method, as for
`antichain simulate --algorithm`: "witness", one of an installed package or of `antichain.register`,
or "path/to/file.py:MyMethod". A method gets those of the parameters that it takes.

`paired = true` gives run r the same seed at every point, so that points differ in the varied
parameter only. `note` is a sentence for the reader of the figure.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import resources
from typing import Any

from antichain import _checks, _files
from antichain._text import did_you_mean
from antichain.algorithms import _registry
from antichain.algorithms._ubs import peeling_floor
from antichain.errors import FileError, ParameterError
from antichain.orders._generators import layered

PAPER_FIGURES = ("figure-width", "figure-height", "figure-front")
LINES: dict[str, tuple[str, dict[str, Any], str]] = {
    "unchained-paper": ("unchained", {"faithful": True}, "UnchainedBandits, the paper's rules"),
    "unchained": ("unchained", {}, "UnchainedBandits, default rules"),
    "uniform": ("uniform", {}, "UniformSampling"),
    "slicing": ("slicing", {"finder": "challenge"}, "SlicingBandits (fully observable)"),
    "slicing-if2": ("slicing", {"finder": "if2"}, "SlicingBandits with IF2 (fully observable)"),
    "orient": ("orient", {}, "Orient (fully observable)"),
}
"""The lines of the figures: a method, its options, and what figures call it."""
PANELS = {
    "duels": ("Duels until the front is found", "duels"),
    "direct_duels": ("Direct duels", "duels, item against item"),
    "decoy_duels": ("Decoy duels", "duels, item against decoy"),
    "decoy_share": ("Share of decoy duels", "share of all duels"),
    "entering_decoys": ("Items left for the decoy epoch", "items"),
    "regret": ("Regret, decoys counted as nothing", "regret"),
    "regret_with_decoys": ("Regret, decoys included", "regret"),
    "error_rate": ("Runs with a wrong front", "share of runs"),
}
"""What can be measured: the title of the panel, and the label of its axis."""
REFERENCES = {
    "theorem-1": "Theorem 1, with its constants",
    "information-limit": "information limit (partially observable)",
    "delta": "δ, what is allowed",
}
"""The lines that methods can be compared with, and what a figure calls them."""

Value = int | float | str


@dataclass(frozen=True)
class Parameters:
    """The parameters of one point; the defaults are the paper's."""

    front: int = 5  # p, the size of the front
    width: int | str = "2p"  # w, the number of chains below it, or "2p"
    height: int = 10  # h, the layers
    parents: str = "uniform"  # the law of the number of parents of a chain
    gaps: str = "uniform"  # the law of the gaps
    delta: float = 0.001  # δ, the chance of a wrong front
    decoy_gap: float = 0.01  # Δ of the decoys
    gamma: float = 0.9  # γ, the peeling rate
    # ε_0, where peeling starts, or "floor": where it ends, so that nothing is peeled.
    epsilon0: float | str = 0.5
    floor_factor: float = 1.0  # ε_{N−1} as a multiple of the paper's Δ√K

    def __post_init__(self) -> None:
        _checks.whole("front", self.front)
        _checks.whole("height", self.height)
        if self.width != "2p":
            if isinstance(self.width, str):
                raise ParameterError(f'width is {self.width!r}, but "2p" or a number was expected.')
            _checks.whole("width", self.width, least=self.front)
        for name, law in (("parents", self.parents), ("gaps", self.gaps)):
            if not isinstance(law, str):
                raise ParameterError(f"{name} is {law!r}, but the name of a law was expected.")
        layered(1, 1, 2, parents=self.parents, gaps=self.gaps)  # refuses an unknown law
        _checks.probability("delta", self.delta)
        _checks.gap("decoy_gap", self.decoy_gap)
        _checks.between("gamma", self.gamma, 0, 1)
        _checks.precision("floor_factor", self.floor_factor)
        if self.epsilon0 != "floor":
            if isinstance(self.epsilon0, str):
                raise ParameterError(
                    f'epsilon0 is {self.epsilon0!r}, but "floor" or a number was expected.'
                )
            _checks.between("epsilon0", self.epsilon0, 0, 0.5 / self.gamma)

    @property
    def chains(self) -> int:
        return 2 * self.front if isinstance(self.width, str) else self.width

    @property
    def peeling_start(self) -> float:
        if isinstance(self.epsilon0, str):
            items = self.front + self.chains * (self.height - 1)
            return min(0.5, peeling_floor(items, self.decoy_gap))
        return self.epsilon0

    def settings(self) -> dict[str, Any]:
        """The parameters by name, with numbers for "2p" and "floor"."""
        return asdict(self) | {"width": self.chains, "epsilon0": self.peeling_start}


_NAMES = tuple(item.name for item in fields(Parameters))


@dataclass(frozen=True)
class Spec:
    """An experiment: what varies, what is fixed, which methods run, and what is shown.

    Attributes:
        name: Its name.
        title: The title of its figure.
        vary: The parameter that varies.
        values: The values that it takes, one for each point of the figure.
        algorithms: The methods.
        runs: How many runs each method has at each point.
        panels: What is measured, one panel of the figure for each.
        references: Reference lines to draw beside the methods.
        paired: Whether every point meets the same posets.
        note: A remark that is shown with the figure.
        axis: The label of the horizontal axis; a usual one for `vary` if empty.
        log_axis: Whether that axis is logarithmic.
        fixed: Other parameters, where they are not at their defaults.
    """

    name: str
    title: str
    vary: str
    values: tuple[Value, ...]
    algorithms: tuple[str, ...]
    runs: int = 10
    panels: tuple[str, ...] = ("duels",)
    references: tuple[str, ...] = ()
    paired: bool = False
    note: str = ""
    axis: str = ""
    log_axis: bool = False
    fixed: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _checks.whole("runs", self.runs)
        _among("vary", [self.vary], _NAMES)
        for name in self.algorithms:
            _check_method(name)
        _among("panels", self.panels, PANELS)
        _among("references", self.references, REFERENCES)
        _among("fixed", self.fixed, _NAMES)
        for name in ("values", "algorithms", "panels"):
            entries = getattr(self, name)
            if not entries or len(set(entries)) < len(entries):
                raise ParameterError(
                    f"{name} is {list(entries)}, but a list without repetitions was expected."
                )
        if self.vary in self.fixed:
            raise ParameterError(
                f"{self.vary} is both varied and fixed, but it can be only one of the two."
            )
        for value in self.values:
            self.parameters(value)

    @property
    def categorical(self) -> bool:
        """Whether the values are names, not numbers."""
        return any(isinstance(value, str) for value in self.values)

    def parameters(self, value: Value) -> Parameters:
        """Return the parameters of the runs at one value."""
        return replace(Parameters(), **{**self.fixed, self.vary: value})  # type: ignore[arg-type]

    def chosen(self, runs: int | None = None, algorithms: Iterable[str] | None = None) -> Spec:
        """Return the experiment with another number of runs, or with other algorithms."""
        names = self.algorithms if algorithms is None else tuple(dict.fromkeys(algorithms))
        return replace(self, runs=self.runs if runs is None else runs, algorithms=names)

    def to_dict(self) -> dict[str, object]:
        """Return the experiment as plain data, ready for JSON."""
        plain = asdict(self)
        return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}

    def identity(self) -> dict[str, object]:
        """All that decides a row besides its key: not the number of runs, nor how it is drawn."""
        fixed = asdict(self.parameters(self.values[0]))
        del fixed[self.vary]
        return {"name": self.name, "vary": self.vary, "paired": self.paired, "fixed": fixed}


_SHAPES: tuple[tuple[type, str, tuple[str, ...]], ...] = (
    (str, "text", ("name", "title", "vary", "note", "axis")),
    (bool, "true or false", ("paired", "log_axis")),
    (list, "a list", ("values", "algorithms", "panels", "references")),
    (dict, "a table", ("fixed",)),
)


def spec_from(table: Mapping[str, object], where: str) -> Spec:
    known = {item.name for item in fields(Spec)}
    for key in table:
        if key not in known:
            raise FileError(
                f"{where} has the key {key!r}"
                + (
                    did_you_mean(key, known)
                    or f", but one of {', '.join(sorted(known))} was expected"
                )
            )
    for key in ("name", "title", "vary", "values", "algorithms"):
        if key not in table:
            raise FileError(f"{where} has no {key!r}, but an experiment needs one")
    for kind, word, keys in _SHAPES:
        for key in keys:
            if key in table and not isinstance(table[key], kind):
                raise FileError(f"{where}: {key} is {table[key]!r}, but {word} was expected")
    if not str(table["name"]).replace("-", "").replace("_", "").isalnum():
        raise FileError(
            f"{where}: name is {table['name']!r}, but letters, digits and hyphens were expected"
        )
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    try:
        return Spec(**plain)  # type: ignore[arg-type]  # checked above and by Spec itself
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from error
    except TypeError as error:  # a list in a list, say: nothing a parameter can be
        raise FileError(f"{where} cannot be used: {error}") from error


def builtin_names() -> tuple[str, ...]:
    """The names of the experiments that come with the package, the paper's figures first."""
    found = {
        entry.name.removesuffix(".toml")
        for entry in resources.files(__package__).joinpath("specs").iterdir()
        if entry.name.endswith(".toml")
    }
    return PAPER_FIGURES + tuple(sorted(found - set(PAPER_FIGURES)))


def load_spec(name: str) -> Spec:
    """Load an experiment: a built-in one by its name, or one of your own by its .toml file."""
    if name.endswith(".toml"):
        return spec_from(_files.read_toml(name), name)
    if name not in builtin_names():
        listed = f": one of {', '.join(builtin_names())} or a .toml file was expected"
        meant = did_you_mean(name, builtin_names())
        raise ParameterError(f"there is no experiment {name!r}{meant or listed}")
    source = resources.files(__package__).joinpath("specs").joinpath(f"{name}.toml")
    return spec_from(tomllib.loads(source.read_text("utf-8")), f"{name}.toml")


def _check_method(name: str) -> None:
    """Raise unless this is a line of the figures or a method that can be imported."""
    try:
        if name not in LINES:
            _registry.find(name)
    except ParameterError as error:
        lines = ", ".join(LINES)
        raise ParameterError(f"{error} (the methods of the figures are {lines})") from error


def _among(name: str, given: Iterable[str], choices: Iterable[str]) -> None:
    for entry in given:
        if entry not in choices:
            raise ParameterError(
                f"{name} has {entry!r}, but one of {', '.join(choices)} was expected."
            )
