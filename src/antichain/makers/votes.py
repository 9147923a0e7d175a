"""Votes between items and decoys, read from names and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from antichain.errors import InputError
from antichain.evidence.answers import Answer, Tally
from antichain.makers.rows import Row

_SIDES = {answer.value: answer for answer in Answer}
_TURNED = {Answer.LEFT: Answer.RIGHT, Answer.RIGHT: Answer.LEFT}


class VoteCounts:
    """How often each of two names won against the other, whichever side they were shown on."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Counter[Answer]] = defaultdict(Counter)
        self.votes = 0

    @classmethod
    def of(cls, rows: Iterable[Row]) -> VoteCounts:
        """The counts of rows of (left, right, winner)."""
        counts = cls()
        for where, (left, right, winner) in rows:
            if not left or not right:
                raise InputError(f"{where} has an empty name, but two names were expected")
            if left == right:
                raise InputError(f"{where} has {left!r} against itself, but two were expected")
            answer = _answer(where, left, right, winner)
            if left > right:
                left, right, answer = right, left, _TURNED.get(answer, answer)
            counts._counts[left, right][answer] += 1
            counts.votes += 1
        return counts

    def of_pair(self, left: str, right: str) -> Tally:
        """The votes on a pair, seen from `left`."""
        counts = self._counts.get((min(left, right), max(left, right)), Counter())
        tally = Tally(*(counts[answer] for answer in Answer))
        return tally if left < right else tally._replace(left=tally.right, right=tally.left)

    def names(self) -> list[str]:
        """Every name there is a vote on, in order."""
        return sorted({name for pair in self._counts for name in pair})


def rows_of(votes: Iterable[tuple[str, str, str | Answer]], called: str = "vote") -> Iterator[Row]:
    """Votes that are not from a file as rows, numbered."""
    for n, vote in enumerate(votes, start=1):
        try:
            left, right, winner = vote
        except (TypeError, ValueError):
            raise InputError(
                f"{called} {n} is {vote!r}, but (left, right, winner) was expected"
            ) from None
        word = winner.value if isinstance(winner, Answer) else winner
        if not (isinstance(left, str) and isinstance(right, str) and isinstance(word, str)):
            raise InputError(f"{called} {n} is {vote!r}, but two names and a winner were expected")
        yield Row(f"{called} {n}", (left, right, word))


def decoys_by_suffix(counts: VoteCounts, suffix: str) -> Mapping[str, str]:
    """The decoy of each item, told by how its name ends."""
    if not suffix:
        raise InputError("the suffix of decoys is empty, but a text they end with was expected")
    ends = [name for name in counts.names() if name.endswith(suffix) and name != suffix]
    if not ends:
        raise InputError(
            f"no name in the votes ends with {suffix!r}, but the decoys' names were expected to"
        )
    return {name.removesuffix(suffix): name for name in ends}


def _answer(where: str, left: str, right: str, winner: str) -> Answer:
    """What a winner's entry says: a side, a name, or a word for neither."""
    meanings = set()
    if winner.casefold() in _SIDES:
        meanings.add(_SIDES[winner.casefold()])
    if winner in (left, right):
        meanings.add(Answer.LEFT if winner == left else Answer.RIGHT)
    if len(meanings) == 1:
        return meanings.pop()
    if meanings:
        raise InputError(
            f"{where} has the winner {winner!r}, which is a name and a side that differ; names "
            f"other than {', '.join(_SIDES)} were expected"
        )
    raise InputError(
        f"{where} has the winner {winner!r}, but {', '.join(_SIDES)} or one of the two names was "
        "expected"
    )
