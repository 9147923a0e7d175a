"""The two messages of the ask/tell game."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Ask:
    """A request for `duels` duels of `left` against `right` (or against `right`'s decoy)."""

    id: int
    left: str
    right: str
    decoy: bool
    duels: int


class Receipt(Enum):
    """What became of an answer."""

    EVIDENCE = "evidence"
    SPARE = "spare"
