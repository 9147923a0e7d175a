"""The methods by name: ours, those of installed packages, and a user's own.

A name is one of

- the names of `OURS`;
- a method added with `register`;
- an entry point of the group `antichain.algorithms` of an installed package, such as

      [project.entry-points."antichain.algorithms"]
      mine = "my_package.my_module:MyMethod"

- an import path: `my_module:MyMethod`, or a file, `path/to/file.py:MyMethod`.

Classes are imported when they are first asked for, so that listing names costs nothing.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from antichain._text import did_you_mean
from antichain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from antichain.algorithms._base import Algorithm

GROUP = "antichain.algorithms"
OURS = {
    "certificate": "antichain.algorithms._certifying:Certifying",
    "witness": "antichain.algorithms.witness._witness:Witness",
    "unchained": "antichain.algorithms._unchained:UnchainedBandits",
    "real-decoys": "antichain.algorithms._real_decoys:RealDecoys",
    "slicing": "antichain.algorithms._slicing:SlicingBandits",
    "orient": "antichain.algorithms._orient:Orient",
    "uniform": "antichain.algorithms._uniform:UniformSampling",
}
"""The methods that come with antichain: where to import each from."""
DEFAULT = "witness"
"""The method that runs where nobody has chosen one."""
PAPER = "unchained"
"""The method that runs where the paper is to be followed to the letter."""

_registered: dict[str, type[Algorithm]] = {}

Kind = TypeVar("Kind", bound="type[Algorithm]")


def register(kind: Kind) -> Kind:
    """Add a method, so that its name can be used wherever a method is named.

    Use it as a decorator or call it. Commands, sweeps, plans and studies of this process then
    know the method by its `name`.

    Args:
        kind: A class derived from `Algorithm`, with a `name` of its own.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import ClassVar
        >>> import antichain as ac
        >>> @ac.register
        ... @dataclass(frozen=True)
        ... class Hasty(ac.Witness):
        ...     name: ClassVar[str] = "hasty"
        >>> Hasty.name
        'hasty'
    """
    _check_kind(kind)
    taken = OURS.get(kind.name) or _home(_registered.get(kind.name))
    # The same class from the same place may come again, when a module or a cell is run again.
    if taken is not None and taken != _home(kind):
        raise ParameterError(
            f"{_home(kind)} is named {kind.name!r}, which is the name of {taken}; give it a name "
            "of its own."
        )
    if taken is None or kind.name in _registered:
        _registered[kind.name] = kind
    return kind


def find(name: str) -> type[Algorithm]:
    """The class of the method with that name, or at that import path."""
    if ":" in name:
        imported = _imported(name)
        _check_kind(imported, name)
        return register(imported)
    if name in OURS:
        kind: type[Algorithm] = _attribute(OURS[name])
        return kind
    if name in _registered:
        return _registered[name]
    points = _entry_points(name)
    if not points:
        raise ParameterError(_unknown(name))
    return _loaded(points)


def build(name: str, options: Mapping[str, Any] | None = None) -> Algorithm:
    """The method with that name and these options; see `Algorithm.from_options`."""
    return find(name).from_options(options or {})


def check_name(name: str) -> str:
    """`name`, if a method can be found by it; nothing is imported."""
    known = ":" in name or name in OURS or name in _registered
    if not known and not _entry_points(name):
        raise ParameterError(_unknown(name))
    return name


def file_of(name: str | None) -> Path | None:
    """The file that a method is imported from, where the name says which: "file.py:Class"."""
    place = (name or "").rpartition(":")[0]
    return Path(place) if place.endswith(".py") else None


def names() -> tuple[str, ...]:
    """The names of all methods, ours first."""
    found = (*OURS, *_registered, *(point.name for point in _entry_points()))
    return tuple(dict.fromkeys(found))


def takers(option: str) -> tuple[str, ...]:
    """Those of our methods that take an option."""
    return tuple(name for name in OURS if option in find(name).options())


def _entry_points(name: str | None = None) -> tuple[EntryPoint, ...]:
    """The entry points of installed packages, all or those of one name."""
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    return tuple(p for p in entry_points(group=GROUP) if name is None or p.name == name)


def _unknown(name: str) -> str:
    meant = did_you_mean(name, names())
    listed = f"; give one of {', '.join(names())} or an import path such as module:Class"
    return f"there is no method {name!r}{meant or listed}"


def _loaded(points: tuple[EntryPoint, ...]) -> type[Algorithm]:
    """The class behind the entry points of one name."""
    packages = [point.dist.name if point.dist else "?" for point in points]
    name = points[0].name
    if len(set(packages)) > 1:
        raise InputError(
            f"the packages {' and '.join(sorted(set(packages)))} both have a method {name!r}; "
            "uninstall one of them"
        )
    try:
        kind: type[Algorithm] = points[0].load()
    except Exception as error:  # whatever somebody else's module does when it is imported
        raise InputError(
            f"the method {name!r} of the package {packages[0]} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    _check_kind(kind)
    if kind.name != name:
        raise InputError(
            f"the package {packages[0]} has {_home(kind)} under the name {name!r}, but the class "
            f"names itself {kind.name!r}; the two must be the same"
        )
    return register(kind)


def _imported(path: str) -> type[Algorithm]:
    """The class at an import path, "module:Class" or "file.py:Class"."""
    from antichain import _pools  # only what is imported here must be sent along to workers

    place, _, attribute = path.rpartition(":")
    if not place or not attribute:
        raise ParameterError(
            f"the method is {path!r}, but module:Class or path/to/file.py:Class was expected"
        )
    named = file_of(path)
    if named is None:
        _pools.import_from(os.getcwd())  # as for a module that is run with python -m
        kind: type[Algorithm] = _attribute(path)
        return kind
    file = named.resolve()
    if not file.is_file():
        raise ParameterError(f"there is no file {place}, from which {path!r} was to be imported")
    # Under its own name, from its own folder, so that worker processes can import it too.
    _pools.import_from(str(file.parent))
    found: type[Algorithm] = _attribute(f"{file.stem}:{attribute}", file)
    return found


def _attribute(path: str, file: Path | None = None) -> Any:
    """What an import path names; where a file is given, the module must be that file."""
    module_name, _, attribute = path.partition(":")
    where = file or module_name
    try:
        module = import_module(module_name)
    except Exception as error:  # whatever somebody else's module does when it is imported
        raise InputError(f"{where} cannot be imported: {type(error).__name__}: {error}") from error
    if file is not None and Path(getattr(module, "__file__", None) or "").resolve() != file:
        raise InputError(
            f"{file} cannot be imported as {module_name!r}, which is the name of another module; "
            "rename the file"
        )
    if not hasattr(module, attribute):
        raise InputError(f"{where} has no class {attribute!r}")
    return getattr(module, attribute)


def _check_kind(kind: object, path: str | None = None) -> None:
    """Raise unless this is a class of algorithms that can be named.

    Args:
        kind: What to check.
        path: The import path that it was named by, if it was.
    """
    from antichain.algorithms._base import Algorithm

    if not isinstance(kind, type) or not issubclass(kind, Algorithm):
        raise ParameterError(
            f"{path or kind!r} was given as a method, but a class derived from "
            "antichain.Algorithm was expected."
        )
    if inspect.isabstract(kind):
        missing = ", ".join(sorted(kind.__abstractmethods__))
        raise ParameterError(f"{_home(kind)} is not a complete method yet: it lacks {missing}.")
    name = getattr(kind, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[^\s:,]+", name):
        raise ParameterError(
            f"{_home(kind)} has the name {name!r}, but a class variable `name` was expected: a "
            "word without spaces, commas and colons."
        )


def _home(kind: type | None) -> str | None:
    return None if kind is None else f"{kind.__module__}:{kind.__qualname__}"


def default_algorithm(
    delta: float, decoy_gap: float | None = None, epsilon: float | None = None
) -> Algorithm:
    """The method for partially observable posets, with decoys or to within an ε.

    Args:
        delta: The probability with which the answer may be wrong.
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the front looked for.
    """
    options = {"delta": delta, "decoy_gap": decoy_gap, "epsilon": epsilon}
    return build(DEFAULT, options)


def chosen_algorithm(
    name: str | None,
    delta: float,
    decoy_gap: float | None = None,
    epsilon: float | None = None,
    otherwise: Mapping[str, float] | None = None,
) -> Algorithm:
    """The method of that name, given the numbers that were chosen.

    Args:
        name: A method's name; None for the default method.
        delta: The probability with which the answer may be wrong.
        decoy_gap: Δ, the gap of the decoys, if it was chosen.
        epsilon: ε, if it was chosen; a method that can then does without decoys.
        otherwise: What to take where neither of the two was chosen, if the method takes it.
    """
    kind = find(name or DEFAULT)
    options: dict[str, float | None] = {"delta": delta}
    given = {"decoy_gap": decoy_gap, "epsilon": epsilon}
    options |= {option: value for option, value in given.items() if value is not None}
    if decoy_gap is None and epsilon is None:
        options |= {k: value for k, value in (otherwise or {}).items() if k in kind.options()}
    if "epsilon" in options and "decoy_gap" in kind.options():
        options.setdefault("decoy_gap", None)
    return kind.from_options(options)
