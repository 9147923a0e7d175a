"""The settings of a study (items, algorithm, seed) and the header that keeps them in its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antichain import checks
from antichain.algorithms import registry
from antichain.algorithms.base import Algorithm
from antichain.errors import AntichainError, FileError, InputError
from antichain.study.records import STUDY


def default_algorithm(delta: float = 0.05, epsilon: float = 0.1) -> Algorithm:
    """The algorithm of a study that names none: no decoys, an ε-front."""
    return registry.default_algorithm(delta, decoy_gap=None, epsilon=epsilon)


@dataclass(frozen=True)
class Settings:
    """All that decides a study's state besides its records."""

    items: tuple[str, ...]
    algorithm: Algorithm
    seed: int

    @classmethod
    def new(
        cls, items: Iterable[str], algorithm: Algorithm | None = None, seed: int | None = None
    ) -> Settings:
        """The settings of a new study, checked."""
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise InputError(f"Items are a list of names; got {items!r}.")
        names = tuple(checks.text("an item's name", item) for item in items)
        algorithm = default_algorithm() if algorithm is None else algorithm
        if not isinstance(algorithm, Algorithm):
            raise InputError(f"The algorithm is {algorithm!r}, but an Algorithm was expected.")
        algorithm.start(names)  # refuses names given twice, and none at all
        return cls(names, algorithm, checks.whole("seed", 0 if seed is None else seed, least=0))

    def to_header(self, time: float) -> dict[str, Any]:
        """The first line of a study's file."""
        return STUDY.header(
            items=list(self.items),
            algorithm=_described(self.algorithm),
            seed=self.seed,
            time=time,
        )

    @classmethod
    def from_header(
        cls,
        path: Path,
        header: Mapping[str, Any],
        items: Sequence[str] | None = None,
        algorithm: Algorithm | None = None,
        seed: int | None = None,
    ) -> Settings:
        """The settings in a file's first line; those given must agree with it."""
        try:
            found = [str(name) for name in header["items"]]
            described, kept_seed = dict(header["algorithm"]), header["seed"]
            name, parameters = described["name"], dict(described["parameters"])
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(
                f"{path}, line 1 lacks items, algorithm or seed, so that the study cannot be "
                "opened; restore the file from a copy, or begin a new study."
            ) from error
        if items is not None:
            _check_items(path, found, items)
        if seed is not None and seed != kept_seed:
            raise FileError(
                f"{path} has the seed {kept_seed}, but {seed!r} was given; leave the seed out to "
                "go on with this study."
            )
        if algorithm is None:
            algorithm = _rebuilt(path, name, parameters)
        else:
            _check_algorithm(path, described, _described(algorithm))
        return cls.new(found, algorithm, kept_seed)


def _described(algorithm: Algorithm) -> dict[str, Any]:
    """An algorithm as plain data, as it comes back from JSON."""
    described = {"name": algorithm.name, "parameters": algorithm.parameters()}
    plain: dict[str, Any] = json.loads(json.dumps(described))
    return plain


def _rebuilt(path: Path, name: str, parameters: dict[str, Any]) -> Algorithm:
    """The algorithm that a description describes."""
    if name not in registry.names():  # never an import path: a study's file must not run code
        raise FileError(
            f"{path} is a study with the algorithm {name!r}, which is not known here; register it "
            "(antichain.register), or give the algorithm it was begun with (--algorithm)."
        )
    try:
        return registry.build(name, parameters)
    except (TypeError, AntichainError) as error:
        raise FileError(
            f"{path} is a study with the algorithm {name!r}, which cannot be made from its "
            f"parameters there ({str(error).rstrip('.')}); give the algorithm it was begun with."
        ) from error


def _check_items(path: Path, found: Sequence[str], given: Sequence[str]) -> None:
    """Raise unless these are the study's items, in whatever order."""
    new = [name for name in given if name not in set(found)]
    gone = [name for name in found if name not in set(given)]
    if new or gone or len(given) != len(found):
        parts = [f"{name!r} is not in it" for name in new[:1]]
        parts += [f"{name!r} is" for name in gone[:1]]
        raise FileError(
            f"{path} is a study of {len(found)} items, but {len(given)} were given "
            f"({' and '.join(parts) or 'some twice'}); items cannot be added to a study or removed "
            "from it: begin a new one for them."
        )


def _check_algorithm(path: Path, found: dict[str, Any], given: dict[str, Any]) -> None:
    if found["name"] != given["name"]:
        raise FileError(
            f"{path} is a study with the algorithm {found['name']!r}, but {given['name']!r} was "
            "given; leave the algorithm out to go on with this study."
        )
    mine, theirs = _flat(found["parameters"]), _flat(given["parameters"])
    for name in [*mine, *theirs]:
        if mine.get(name) != theirs.get(name):
            raise FileError(
                f"{path} is a study with {name} = {mine.get(name)!r}, but {theirs.get(name)!r} was "
                "given; the settings of a study cannot be changed: leave the algorithm out to go "
                "on with it, or begin a new one."
            )


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Parameters by name, those of nested values with the outer name in front."""
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
