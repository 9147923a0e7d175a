"""Methods for voters who say which pairs cannot be compared, and may be wrong about that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from antichain._checks import is_number, said
from antichain.algorithms._base import Algorithm
from antichain.errors import ParameterError
from antichain.evidence._sequential import SequentialTest


@dataclass(frozen=True)
class Observing(Algorithm):
    """The base of methods for fully observable posets.

    Attributes:
        comparability_error: How often voters say "cannot compare" of a pair that can be compared,
            or choose a side of one that cannot, at most; 0 if they never do. Below ½.
    """

    comparability_error: float = field(default=0.0, kw_only=True)

    needs_observable: ClassVar[bool] = True
    earlier: ClassVar[Mapping[str, Any]] = {"comparability_error": 0.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        error = self.comparability_error
        if not is_number(error) or not 0 <= error < 0.5:
            raise ParameterError(
                f"comparability_error is {said(error)}, but a number from 0 to "
                "below 0.5 was expected."
            )

    def probing(self, size: int) -> tuple[SequentialTest, float]:
        """The test of whether a pair can be compared, and what is left of δ for the rest.

        If voters err, half of δ is for the probes of all pairs together: a pair is asked about
        until one kind of answer leads by so many that the other is that unlikely
        (docs/theory/orient.md).
        """
        error = self.comparability_error
        if not error:
            return SequentialTest.probe(), self.delta
        level = self.delta / 2 / max(1, math.comb(size, 2))
        lead = math.ceil(math.log(1 / level) / math.log((1 - error) / error))
        return SequentialTest.probe(max(1, lead)), self.delta / 2
