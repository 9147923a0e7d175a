"""Which pairs of a comparability graph must point the same way: its implication classes.

If a is comparable to b and to c, and b and c are incomparable, then a is above both or below both:
otherwise transitivity would put b above c or c above b. Such ties chain into implication classes
(Gallai 1967, Golumbic 1980), and one bit says which way all pairs of a class point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from antichain.errors import OrderError

_CONTRADICTION = (
    "no order fits the answers about which items can be compared: {0} can be compared to {1} and "
    "to {2}, which cannot be compared to each other, and other answers put it above one of the two "
    "and below the other; some of these answers are wrong: give comparability_error, or a larger "
    "one, or use a method for partially observable posets (witness)."
)


class UnfitError(OrderError):
    """Answers that no order fits.

    Args:
        sentence: What is wrong, with a place for each item.
        items: Those at which it showed.
        names: What they are called, if that is known.
    """

    def __init__(self, sentence: str, items: Sequence[int], names: Sequence[str] = ()) -> None:
        self.sentence, self.items = sentence, items
        told = [repr(names[item]) if names else f"number {item}" for item in items]
        super().__init__(sentence.format(*told))


class Implications:
    """What is known of a comparability graph, and the classes that follow from it.

    A pair (i, j) of comparable items has a *class* and a *side* in it: 1 if i is above j in case
    the class points up, −1 if below. `decide` says which way a class points; all pairs
    that are in it, or join it later, are decided with it.

    Attributes:
        comparable: For each item, those known to be comparable to it, and the number of the pair.
        incomparable: For each item, those known to be incomparable to it.
        pairs: The comparable pairs in the order in which they were found, smaller item first.
        news: Pairs decided since somebody last emptied the list, as (upper, lower).

    Example:
        >>> order = Implications(4)
        >>> for pair in ((0, 1), (0, 2), (1, 3)):
        ...     order.note(*pair, comparable=True)
        >>> order.note(1, 2, comparable=False)  # so that 0 is above both or below both
        >>> order.decide(0, 1)
        >>> order.above(0, 2), order.above(2, 0), order.above(1, 3)
        (True, False, None)
    """

    def __init__(self, size: int) -> None:
        self.comparable: list[dict[int, int]] = [{} for _ in range(size)]
        self.incomparable: list[set[int]] = [set() for _ in range(size)]
        self.pairs: list[tuple[int, int]] = []
        self.news: list[tuple[int, int]] = []
        self._parent: list[int] = []
        self._side: list[int] = []  # of each pair, as seen from its parent
        self._members: dict[int, list[int]] = {}
        self._points: dict[int, int] = {}  # of each decided class, by its root

    def knows(self, one: int, other: int) -> bool:
        """Whether the pair was noted."""
        return other in self.comparable[one] or other in self.incomparable[one]

    def note(self, one: int, other: int, *, comparable: bool) -> None:
        """Note whether two items are comparable, and all that follows."""
        if self.knows(one, other):
            return
        if comparable:
            self._join(one, other)
            return
        self.incomparable[one].add(other)
        self.incomparable[other].add(one)
        for apex in self.comparable[one].keys() & self.comparable[other].keys():
            self._tie(apex, one, other)

    def find(self, one: int, other: int) -> tuple[int, int]:
        """The class of a comparable pair, and its side in it."""
        pair = self.comparable[one][other]
        root, side = self._root(pair)
        return root, side if one < other else -side

    def members(self, root: int) -> list[int]:
        """The numbers of the pairs in a class."""
        return self._members[root]

    def side(self, pair: int) -> int:
        """The side of a pair, by its number, with its smaller item first."""
        return self._root(pair)[1]

    def above(self, one: int, other: int) -> bool | None:
        """Whether one is above the other, of a comparable pair; None if nobody has decided."""
        root, side = self.find(one, other)
        points = self._points.get(root)
        return None if points is None else points == side

    def decide(self, upper: int, lower: int) -> None:
        """Note that of a comparable pair one is above the other, and all its class with it.

        What was decided first stays, should two decisions contradict each other.
        """
        root, side = self.find(upper, lower)
        if root not in self._points:
            self._points[root] = side
            self._tell(self._members[root])

    def _join(self, one: int, other: int) -> None:
        number = len(self.pairs)
        self.pairs.append((min(one, other), max(one, other)))
        self._parent.append(number)
        self._side.append(1)
        self._members[number] = [number]
        self.comparable[one][other] = self.comparable[other][one] = number
        for apex, end in ((one, other), (other, one)):
            for third in self.comparable[apex].keys() & self.incomparable[end]:
                self._tie(apex, end, third)

    def _tie(self, apex: int, one: int, other: int) -> None:
        """Note that an item is above both of two others, or below both."""
        (first, mine), (second, theirs) = self.find(apex, one), self.find(apex, other)
        if first == second:
            if mine != theirs:
                raise UnfitError(_CONTRADICTION, (apex, one, other))
            return
        if len(self._members[first]) < len(self._members[second]):
            first, second = second, first
        known, learnt = self._points.get(first), self._points.pop(second, None)
        turned = mine * theirs
        joined = self._members.pop(second)
        earlier = list(self._members[first]) if known is None and learnt is not None else []
        self._parent[second], self._side[second] = first, turned
        self._members[first].extend(joined)
        if known is None and learnt is not None:
            self._points[first] = learnt * turned
        if (known is None) != (learnt is None):
            self._tell(joined if learnt is None else earlier)

    def _tell(self, pairs: Iterable[int]) -> None:
        for pair in pairs:
            low, high = self.pairs[pair]
            self.news.append((low, high) if self.above(low, high) else (high, low))

    def _root(self, pair: int) -> tuple[int, int]:
        path = []
        while self._parent[pair] != pair:
            path.append(pair)
            pair = self._parent[pair]
        side = 1
        for step in reversed(path):
            side *= self._side[step]
            self._parent[step], self._side[step] = pair, side
        return pair, side
