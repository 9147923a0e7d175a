"""Laws for the gaps γ of comparable pairs, by name or as objects.

uniform             independent, uniform on (0, 1/2)
minimum:m           independent, uniform on (m, 1/2)
small:s             independent, uniform on (0, s)
between:m:s         independent, uniform on (m, s)
constant:g          every gap is g
bradley-terry[:r]   each item has a strength, and γ = logistic(difference) − 1/2; strengths
                    span r in all (4 unless given); satisfies strong stochastic transitivity
                    and the triangle inequality
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from antichain._limits import SMALLEST
from antichain.errors import ParameterError
from antichain.orders._poset import Poset

Floats = NDArray[np.float64]
_SMALLEST_GAP = float(np.finfo(np.float64).tiny)
_LARGEST_GAP = float(np.nextafter(0.5, 0.0))
_LARGEST_SPREAD = 30.0  # beyond this the logistic function rounds to 1, a gap of exactly 1/2


class GapLaw(Protocol):
    """How the gaps of an order's comparable pairs are drawn."""

    def draw(self, poset: Poset, rng: np.random.Generator) -> Floats:
        """An antisymmetric matrix of gaps, positive exactly where the poset's row is above."""
        ...


@dataclass(frozen=True)
class UniformGaps:
    """Independent gaps, uniform between `low` and `high` (constant when the two are equal)."""

    low: float = 0.0
    high: float = 0.5

    def __post_init__(self) -> None:
        proper = 0 <= self.low <= self.high <= 0.5
        if not proper or (self.low == self.high and self.low in (0, 0.5)):
            raise ParameterError(
                f"low is {self.low} and high is {self.high}, but 0 <= low <= high <= 1/2 was "
                "expected, with gaps above 0 and below 1/2."
            )

    def scale(self, uniforms: Floats) -> Floats:
        """The gaps that uniforms on [0, 1) stand for, strictly inside (0, 1/2)."""
        gaps = self.low + (self.high - self.low) * uniforms
        return np.clip(gaps, _SMALLEST_GAP, _LARGEST_GAP, out=gaps)

    def draw(self, poset: Poset, rng: np.random.Generator) -> Floats:
        size = len(poset)
        return _antisymmetric(poset, self.scale(rng.random((size, size))))


@dataclass(frozen=True)
class BradleyTerryGaps:
    """Gaps from one strength per item: γ = logistic(difference of strengths) − 1/2.

    Along every chain these satisfy strong stochastic transitivity and the triangle inequality.
    """

    spread: float = 4.0

    def __post_init__(self) -> None:
        if not 0 < self.spread <= _LARGEST_SPREAD:
            raise ParameterError(
                f"the spread of the strengths is {self.spread}, "
                f"but a number above 0 and at most {_LARGEST_SPREAD:g} was expected."
            )

    def from_differences(self, differences: Floats) -> Floats:
        """The gaps for upper minus lower unit strength, strictly inside (0, 1/2)."""
        # tanh(x/2)/2 is logistic(x) − 1/2 without the cancellation at small x.
        gaps = np.tanh(differences * (self.spread / 2)) / 2
        return np.clip(gaps, _SMALLEST_GAP, _LARGEST_GAP, out=gaps)

    def draw(self, poset: Poset, rng: np.random.Generator) -> Floats:
        strengths = unit_strengths(_compatible_strengths(poset, rng))
        differences = strengths[:, None] - strengths[None, :]
        return _antisymmetric(poset, self.from_differences(differences))


def _antisymmetric(poset: Poset, sizes: Floats) -> Floats:
    """The gaps of the sizes given where the row is above, and minus those the other way round."""
    gaps = np.where(poset.above, sizes, 0.0)
    gaps -= gaps.T.copy()
    return gaps


def unit_strengths(strengths: Floats) -> Floats:
    """The strengths moved and scaled to span exactly 0 to 1 (all 0 when they are equal)."""
    span = float(np.ptp(strengths))
    scaled: Floats = (strengths - strengths.min()) / (span or 1.0)
    return scaled


def _compatible_strengths(poset: Poset, rng: np.random.Generator) -> Floats:
    """One strength per item: an exponential step above the strongest item below it."""
    strengths = rng.exponential(size=len(poset))
    # Fewer items below first: whatever is below has strictly fewer.
    for item in np.argsort(poset.above.sum(axis=1), kind="stable"):
        below = strengths[poset.above[item]]
        if len(below):
            strengths[item] += below.max()
    return strengths


# For each name: how many numbers may follow it, and the law they make.
_LAWS: dict[str, tuple[tuple[int, ...], Callable[..., GapLaw]]] = {
    "uniform": ((0,), UniformGaps),
    "minimum": ((1,), lambda low: UniformGaps(low=low)),
    "small": ((1,), lambda high: UniformGaps(high=high)),
    "between": ((2,), UniformGaps),
    "constant": ((1,), lambda gap: UniformGaps(gap, gap)),
    "bradley-terry": ((0, 1), BradleyTerryGaps),
}
_NUMBERS_EXPECTED = {
    "between": "two gaps from 0 to 1/2, the smaller one first, were",
    "bradley-terry": f"a spread above 0 and at most {_LARGEST_SPREAD:g} was",
}
_EXPECTED = (
    "one of uniform, minimum:m, small:s, between:m:s, constant:g, bradley-terry or "
    "bradley-terry:spread was expected"
)


def gap_law(law: str | GapLaw) -> GapLaw:
    """The law that a name such as "uniform" or "minimum:0.05" stands for; a law as it is.

    Example:
        >>> gap_law("minimum:0.05")
        UniformGaps(low=0.05, high=0.5)
    """
    if not isinstance(law, str):
        if not callable(getattr(law, "draw", None)):
            raise ParameterError(f"gaps is {law!r:.200}, but {_EXPECTED}.")
        return law
    name, *words = law.split(":")
    arities, build = _LAWS.get(name, ((), UniformGaps))
    if len(words) not in arities:
        raise ParameterError(f"gaps is {law!r}, but {_EXPECTED}.")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise ParameterError(f"gaps is {law!r}, but {_EXPECTED}.") from None
    if any(0 < number < SMALLEST for number in numbers):
        raise ParameterError(
            f"gaps is {law!r}, but numbers of at least {SMALLEST:g} were expected."
        )
    try:
        return build(*numbers)
    except ParameterError:
        wanted = _NUMBERS_EXPECTED.get(name, "a gap above 0 and below 1/2 was")
        raise ParameterError(f"gaps is {law!r}, but {wanted} expected.") from None
