"""One protocol for every maker of degraded versions: a file's contents in, a worse one out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from antichain import checks
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from numpy.random import Generator


class Degrade(Protocol):
    """A way of making something worse."""

    def __call__(self, item: bytes, strength: float, rng: Generator) -> bytes:
        """The contents of a file, degraded; raises `InputError` for contents it cannot read."""
        ...


@dataclass(frozen=True)
class Maker:
    """A maker of degraded versions, by what it works on and what it does.

    Attributes:
        kind: What it works on: "image", "text" or "audio".
        how: What it does, such as "blur".
        meaning: What strength means there, in a few words.
        suffix: The ending of the files it writes; None to keep that of the original.
    """

    kind: str
    how: str
    meaning: str
    work: Degrade
    suffix: str | None = None

    def degrade(self, item: bytes, strength: float, seed: int = 0) -> bytes:
        """The contents `item` of a file, made worse.

        The same item, strength and seed give the same result. Strength 0 changes nothing, and
        with one seed a greater strength only ever takes more away.

        Args:
            item: The contents of a file of this maker's kind.
            strength: How much worse, from 0 (not at all) to 1 (as bad as this maker can).
            seed: Of what is left to chance (which sentences go, what the noise is).
        """
        import numpy as np

        checked_strength(strength)
        if not isinstance(item, bytes):
            raise ParameterError(
                f"an item to degrade is given as {type(item).__name__}, but the contents of a "
                "file (bytes) were expected."
            )
        rng = np.random.default_rng(checks.whole("seed", seed, least=0))
        worse = self.work(item, float(strength), rng)
        # Reading and writing again may change a file although nothing was taken away.
        return worse if strength else item


def checked_strength(strength: float) -> float:
    """`strength`, if it is a number from 0 to 1."""
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
    from antichain.makers import audio, image, text

    return [*image.MAKERS, *text.MAKERS, *audio.MAKERS]


def kinds() -> dict[str, tuple[str, ...]]:
    """What each kind of item can be degraded by."""
    found: dict[str, tuple[str, ...]] = {}
    for maker in _makers():
        found[maker.kind] = (*found.get(maker.kind, ()), maker.how)
    return found


def maker_of(kind: str, how: str) -> Maker:
    """The maker of that name.

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
