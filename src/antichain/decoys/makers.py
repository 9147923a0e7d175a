"""Makers of degraded versions: the content of a file goes in, a worse one comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from antichain import checks
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from numpy.random import Generator

# Each of these modules has a list MAKERS; it is imported when a maker is asked for.
_MODULES = ("images", "texts", "audio")


@dataclass(frozen=True)
class Maker:
    """One way of making files of one kind worse.

    Attributes:
        kind: What it works on: "image", "text" or "audio".
        how: What it does, such as "blur".
        read: Turns the content of a file into what `work` takes; raises `InputError` for content
            that is not of this kind.
        work: Makes that worse, by a strength from 0 to 1; whatever it leaves to chance it draws
            from the generator.
        write: Turns the result back into the content of a file.
        suffix: The extension of the files it writes; None to keep that of the original.
    """

    kind: str
    how: str
    read: Callable[[bytes], Any]
    work: Callable[[Any, float, Generator], Any]
    write: Callable[[Any], bytes]
    suffix: str | None = None

    def degrade(self, item: bytes, strength: float, seed: int = 0) -> bytes:
        """Return the content `item` of a file, made worse.

        The same item, strength and seed give the same result. Strength 0 changes nothing, and
        with one seed a greater strength takes away at least as much as a smaller one.

        Args:
            item: The content of a file of this maker's kind.
            strength: How much worse, from 0 (not at all) to 1 (as bad as this maker can make it).
            seed: Decides what is left to chance (which sentences go, what the noise is).
        """
        import numpy as np

        checked_strength(strength)
        if not isinstance(item, bytes):
            raise ParameterError(
                f"an item to degrade is given as {type(item).__name__}, but the content of a file "
                "(bytes) was expected."
            )
        rng = np.random.default_rng(checks.whole("seed", seed, least=0))
        worse = self.write(self.work(self.read(item), float(strength), rng))
        # Reading and writing alone may change a file, so at strength 0 the original is returned.
        return worse if strength else item


def checked_strength(strength: float) -> float:
    if (
        isinstance(strength, bool)
        or not isinstance(strength, int | float)
        or not 0 <= strength <= 1
    ):
        raise ParameterError(
            f"the strength of a decoy is {strength!r}, but a number from 0 to 1 was expected."
        )
    return strength


def _makers() -> list[Maker]:
    modules = (import_module(f"antichain.decoys.{name}") for name in _MODULES)
    return [maker for module in modules for maker in module.MAKERS]


def kinds() -> dict[str, tuple[str, ...]]:
    """For each kind of item, the ways to degrade it."""
    found: dict[str, tuple[str, ...]] = {}
    for maker in _makers():
        found[maker.kind] = (*found.get(maker.kind, ()), maker.how)
    return found


def maker_of(kind: str, how: str) -> Maker:
    """Return the maker that degrades items of this kind in this way.

    >>> maker_of("text", "truncate").degrade(b"One two. Three four.", strength=0.5)
    b'One two.'
    """
    known = kinds()
    if kind not in known:
        raise ParameterError(f"the kind of decoy is {kind!r}, but {_any_of(known)} was expected.")
    for maker in _makers():
        if (maker.kind, maker.how) == (kind, how):
            return maker
    raise ParameterError(
        f"a decoy of kind {kind!r} is made by {how!r}, but {_any_of(known[kind])} was expected."
    )


def _any_of(names: Iterable[str]) -> str:
    words = list(names)
    return f"{', '.join(words[:-1])} or {words[-1]}"
