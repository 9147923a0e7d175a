"""The methods of an experiment, and one run of one as one row of a tidy table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from antichain._text import shown
from antichain._trials import Layered, run
from antichain.algorithms import _registry
from antichain.algorithms._base import Algorithm
from antichain.algorithms._ubs import peeling_floor, peeling_schedule
from antichain.algorithms._unchained import UnchainedBandits
from antichain.experiments._spec import LINES, Parameters, Spec, Value
from antichain.orders import DuelModel
from antichain.theory import limit_if_any, unchained_duels


@dataclass(frozen=True)
class ScaledFloor(UnchainedBandits):
    """UnchainedBandits whose last peel is a multiple of the paper's ε_{N−1} = Δ√K.

    The guarantee does not depend on where peeling ends, the theorems' bounds on the cost do.
    """

    floor_factor: float = 1.0

    def schedule(self, items: int) -> tuple[float, ...]:
        assert self.decoy_gap is not None  # experiments with peels all have decoys
        floor = self.floor_factor * peeling_floor(items, self.decoy_gap)
        return peeling_schedule(floor, self.gamma, self.epsilon0)


_FOR_METHODS = ("delta", "decoy_gap", "gamma", "epsilon0", "floor_factor")


@dataclass(frozen=True)
class Method:
    """A method in an experiment.

    Attributes:
        label: What a figure calls it.
        kind: Its class.
        options: Its own options, which no point of an experiment changes.
    """

    label: str
    kind: type[Algorithm]
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self, point: Parameters) -> Algorithm:
        """The algorithm for a point: with those of the point's parameters that it takes."""
        taken = {
            name: value
            for name, value in point.settings().items()
            if name in _FOR_METHODS and name in self.kind.options()
        }
        return self.kind.from_options({**taken, **self.options})


def method_of(line: str) -> Method:
    """The method that a spec calls by this name.

    One of unchained-paper, unchained, uniform, slicing, slicing-if2 and orient, or the name of any
    method.
    """
    name, options, label = LINES.get(line, (line, {}, ""))
    kind = ScaledFloor if name == "unchained" else _registry.find(name)
    found = Method(label or kind.__name__, kind, options)
    if label or not found.build(Parameters()).needs_observable:
        return found
    return replace(found, label=f"{found.label} (fully observable)")


Row = dict[str, Any]

_NUMBER, _TEXT_OR_NUMBER, _MAYBE_NUMBER = (int, float), (int, float, str), (int, float, type(None))
_LARGEST = 2**63 - 1  # what a column of whole numbers holds
_FARTHEST = 1e100  # so that means and variances are finite
_SHAPE: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("experiment", "vary", "algorithm"), (str,)),
    **dict.fromkeys(("value", *(part.name for part in fields(Parameters))), _TEXT_OR_NUMBER),
    **dict.fromkeys(("run", "seed", "items", "true_width", "true_height", "found"), (int,)),
    **dict.fromkeys(("duels", "direct_duels", "decoy_duels", "probes"), (int,)),
    **dict.fromkeys(("correct", "certified"), (bool,)),
    "seconds": _NUMBER,
    **dict.fromkeys(
        ("entering_decoys", "regret", "regret_peeling", "regret_with_decoys", "theorem_1_duels"),
        _MAYBE_NUMBER,
    ),
}
"""What a row of a journal has; the information limit, which came later, is looked at apart."""


def check_row(row: Row) -> None:
    """Raise a ValueError about a line of a journal that is not the row of a run."""
    for name, kinds in {**_SHAPE, "information_limit": _MAYBE_NUMBER}.items():
        if name not in row and name in _SHAPE:
            raise ValueError(f"lacks {name!r}")
        value = row.get(name)
        fits = isinstance(value, kinds) and isinstance(value, bool) == (kinds == (bool,))
        if isinstance(value, str):
            fits = fits and value.isprintable()
        elif isinstance(value, int | float):
            fits = fits and abs(value) <= (_LARGEST if isinstance(value, int) else _FARTHEST)
        if not fits:
            raise ValueError(f"has the {name} {shown(value)}")
    unknown = next((name for name in row if name not in (*_SHAPE, "information_limit")), None)
    if unknown is not None:
        raise ValueError(f"has {shown(unknown)}")


class Key(NamedTuple):
    """Which run: the point's value, the algorithm and the number of the run, from 0."""

    value: Value
    """The value of the parameter that varies."""
    algorithm: str
    """The name of the algorithm, as in the spec."""
    run: int
    """The number of the run."""

    @classmethod
    def of(cls, row: Row) -> Key:
        """Return the key of the run that a row is from."""
        return cls(row["value"], str(row["algorithm"]), int(row["run"]))


def keys_of(spec: Spec) -> list[Key]:
    """Every run of an experiment, in whole rounds over the points, so that a rate is meaningful."""
    return [
        Key(value, algorithm, run)
        for run in range(spec.runs)
        for value in spec.values
        for algorithm in spec.algorithms
    ]


def seed_of(spec: Spec, key: Key, seed: int) -> int:
    """The seed of a run: of its poset, its voters and the algorithm's choices.

    The first 48 bits of the SHA-256 of "seed/experiment/value/run"; the value is left out in a
    paired experiment, and the algorithm always, so that all algorithms meet the same posets.
    """
    value = "" if spec.paired else repr(key.value)
    text = f"{seed}/{spec.name}/{value}/{key.run}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def run_row(spec: Spec, key: Key, seed: int = 0, method: Method | None = None) -> Row:
    """The row of one run: its parameters, the truth, the cost, the outcome.

    All of it but `seconds` depends only on the arguments and on the versions of the software.
    `method` is what `key.algorithm` names, where that is known already.
    """
    point = spec.parameters(key.value)
    method = method_of(key.algorithm) if method is None else method
    own_seed = seed_of(spec, key, seed)
    model = _poset(point, own_seed)
    done = run(method.build(point), model, own_seed)
    record = done.record()
    last = done.result.epochs[-1] if done.result.epochs else None
    return {
        "experiment": spec.name,
        "vary": spec.vary,
        "value": key.value,
        "algorithm": key.algorithm,
        "run": key.run,
        "seed": own_seed,
        **point.settings(),
        "items": record["items"],
        "true_width": record["width"],
        "true_height": record["height"],
        "correct": record["correct"],
        "certified": record["certified"],
        "found": len(done.result.front),
        **{name: record[name] for name in ("duels", "direct_duels", "decoy_duels", "probes")},
        "entering_decoys": last.entering if last and last.name == "decoys" else None,
        **{name: record[name] for name in ("regret", "regret_peeling", "regret_with_decoys")},
        "theorem_1_duels": _theorem_1(point, model),
        "information_limit": _limit(point, own_seed) if _shows_limit(spec) else None,
        "seconds": record["seconds"],
    }


def with_limit(spec: Spec, row: Row) -> Row:
    """The row with its poset's information limit, if the spec shows it.

    A journal has none if it is older than the limit, or if the spec did not show it then.
    """
    found = row.get("information_limit")
    if found is None and _shows_limit(spec):
        found = _limit(spec.parameters(row["value"]), int(row["seed"]))
    return {**row, "information_limit": found}


def run_rows(spec: Spec, methods: Mapping[str, Method], keys: list[Key], seed: int) -> list[Row]:
    return [run_row(spec, Key(*key), seed, methods[key.algorithm]) for key in keys]


def _poset(point: Parameters, own_seed: int) -> DuelModel:
    shape = Layered(point.front, point.chains, point.height, point.parents, point.gaps)
    return shape.model(own_seed)


def _shows_limit(spec: Spec) -> bool:
    return "information-limit" in spec.references


@lru_cache(maxsize=10_000)  # one number each: all algorithms of an experiment meet these posets
def _limit(point: Parameters, own_seed: int) -> float | None:
    return limit_if_any(_poset(point, own_seed), point.delta, point.decoy_gap)


def _theorem_1(point: Parameters, model: DuelModel) -> float | None:
    """The bound of Theorem 1 with its constants; None where peeling ends elsewhere."""
    if point.floor_factor != 1.0:
        return None
    schedule = UnchainedBandits(
        decoy_gap=point.decoy_gap, gamma=point.gamma, epsilon0=point.peeling_start
    ).schedule(model.size)
    return unchained_duels(model.size, model.poset.width, schedule, point.delta, point.decoy_gap)
