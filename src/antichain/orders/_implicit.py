"""Orders computed on demand: no K×K matrix, so that 100,000 items fit in memory.

The gap of a pair is a function of (seed, upper, lower), so it comes out the same in
whatever order pairs are asked for; a Bradley–Terry law needs one strength per item instead.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antichain._checks import entries, numbers_in, whole
from antichain._kernels import compiled, keyed_uniform
from antichain.errors import ParameterError
from antichain.orders._duel_law import Duels, Floats, Indices, Mask
from antichain.orders._gaps import BradleyTerryGaps, GapLaw, UniformGaps, gap_law, unit_strengths
from antichain.orders._generators import chain_lengths, chain_names, item_names
from antichain.orders._model import DuelModel
from antichain.orders._poset import Poset

Signs = NDArray[np.int8]  # +1 where the left item is above, −1 where it is below, else 0
_LARGEST_SEED = 2**63 - 1


class ImplicitDuels(Duels):
    """A model of duels whose order and gaps are computed when asked for.

    A subclass says the order (`_signs`), the strengths a Bradley–Terry law may use
    (`_strengths`), and the front.
    """

    def __init__(self, seed: int, gaps: str | GapLaw) -> None:
        self._seed = whole("seed", seed, least=0)
        if self._seed > _LARGEST_SEED:
            raise ParameterError(f"seed is {seed}, but at most {_LARGEST_SEED} was expected.")
        law = gap_law(gaps)
        if not isinstance(law, UniformGaps | BradleyTerryGaps):
            raise ParameterError(
                f"gaps is {law!r}, but for an implicit order a uniform or a "
                "Bradley–Terry law was expected."
            )
        self._law = law

    @abstractmethod
    def _signs(self, lefts: Indices, rights: Indices) -> Signs:
        """How each of `lefts` stands to the one of `rights` beside it."""

    @abstractmethod
    def _strengths(self) -> Floats:
        """One number per item, larger for whatever is above; any span."""

    def gap_pairs(self, lefts: Indices, rights: Indices) -> Floats:
        if len(lefts) not in (1, len(rights)):
            # The kernels do not check: they would read beyond the end.
            raise ParameterError(
                f"{len(lefts)} left items are given for {len(rights)} right ones, but as many of "
                "each were expected."
            )
        signs = self._signs(lefts, rights)
        if isinstance(self._law, UniformGaps):
            sizes = self._law.scale(_pair_uniforms(self._seed, lefts, rights, signs))
        else:
            strengths = self._unit_strengths
            sizes = self._law.from_differences(np.abs(strengths[lefts] - strengths[rights]))
        return sizes * signs

    def to_model(self) -> DuelModel:
        """The same order and gaps held as matrices: for small orders."""
        everything = np.arange(self.size, dtype=np.int64)
        gaps = np.stack([self.gap_row(item, everything) for item in range(self.size)])
        return DuelModel(Poset(self.items, gaps > 0), gaps)

    @cached_property
    def _unit_strengths(self) -> Floats:
        return unit_strengths(self._strengths())


class ImplicitChains(ImplicitDuels):
    """Disjoint chains (genres, say), `count` of them, of one length or of the lengths given.

    Example:
        >>> genres = ImplicitChains(100, 1000, seed=0)
        >>> genres.size, len(genres.front), genres.gap("c1-1", "c2-1")
        (100000, 100, 0.0)
    """

    def __init__(
        self,
        count: int,
        length: int | Sequence[int],
        seed: int = 0,
        gaps: str | GapLaw = "uniform",
    ) -> None:
        super().__init__(seed, gaps)
        self._lengths = np.array(chain_lengths(count, length), dtype=np.int64)
        # The first item of its chain identifies each chain; smaller indices are higher up.
        tops = np.concatenate([[0], np.cumsum(self._lengths)[:-1]])
        self._top = np.repeat(tops, self._lengths)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The items' names, made when first asked for."""
        return tuple(chain_names(self._lengths.tolist()))

    @property
    def size(self) -> int:
        return len(self._top)

    @property
    def width(self) -> int:
        """The size of the largest antichain: one item per chain."""
        return len(self._lengths)

    @property
    def height(self) -> int:
        """The size of the longest chain."""
        return int(self._lengths.max())

    def front_mask(self) -> Mask:
        return np.asarray(self._top == np.arange(self.size))

    def distances(self) -> Floats:
        return self.gap_pairs(self._top, np.arange(self.size, dtype=np.int64))

    def _signs(self, lefts: Indices, rights: Indices) -> Signs:
        return _chain_signs(self._top, lefts, rights)

    def _strengths(self) -> Floats:
        steps = np.random.default_rng(self._seed).exponential(size=self.size)
        sums = np.cumsum(steps[::-1])[::-1]
        ends = np.cumsum(self._lengths)
        below = np.append(sums, 0.0)[ends]
        strengths: Floats = sums - np.repeat(below, self._lengths)
        return strengths


class ImplicitTotalOrder(ImplicitChains):
    """One chain of `n` items, the first on top."""

    def __init__(self, n: int, seed: int = 0, gaps: str | GapLaw = "uniform") -> None:
        super().__init__(1, whole("n", n), seed, gaps)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The items' names, made when first asked for."""
        return tuple(item_names(self.size))


class ImplicitDominance(ImplicitDuels):
    """Points, each above those that are nowhere larger and somewhere smaller.

    The front and the distances take time in proportion to items × front.

    Example:
        >>> offers = ImplicitDominance([[3, 1], [1, 3], [1, 1]])
        >>> offers.front
        ('item-1', 'item-2')
    """

    def __init__(
        self,
        points: ArrayLike,
        seed: int = 0,
        gaps: str | GapLaw = "uniform",
        items: Sequence[str] | None = None,
    ) -> None:
        super().__init__(seed, gaps)
        self._points = numbers_in("points", points, "a matrix of numbers with a row for each item")
        if self._points.ndim != 2 or 0 in self._points.shape:
            raise ParameterError(
                f"the points have shape {self._points.shape}, "
                "but (items, dimensions), each at least 1, was expected."
            )
        if not np.isfinite(self._points).all():
            raise ParameterError(
                "the points have NaN or infinite entries, but finite numbers were expected."
            )
        names = item_names(len(self._points)) if items is None else entries("items", items)
        if len(names) != len(self._points) or len(set(names)) != len(names):
            raise ParameterError(
                f"{len(set(names))} different names are given, "
                f"but one for each of the {len(self._points)} points was expected."
            )
        self._items = tuple(names)

    @property
    def items(self) -> tuple[str, ...]:
        return self._items

    def front_mask(self) -> Mask:
        mask = np.zeros(self.size, dtype=np.bool_)
        mask[self._front_rows] = True
        return mask

    def distances(self) -> Floats:
        return self._distances.copy()

    @cached_property
    def _front_rows(self) -> Indices:
        # Whoever is above comes first in this order, so each point meets all that could beat it.
        return _front_of_sorted(self._points, np.lexsort(self._points.T)[::-1].astype(np.int64))

    @cached_property
    def _distances(self) -> Floats:
        front = self.front_mask()
        least = np.full(self.size, np.inf)
        everything = np.arange(self.size, dtype=np.int64)
        for top in self._front_rows:
            gaps = self.gap_row(int(top), everything)
            np.minimum(least, gaps, out=least, where=gaps > 0)
        return np.where(front, 0.0, least)

    def _signs(self, lefts: Indices, rights: Indices) -> Signs:
        return _dominance_signs(self._points, lefts, rights)

    def _strengths(self) -> Floats:
        # Ranks, not the coordinates themselves: whatever their scales, no coordinate is lost.
        ranks = np.stack([np.unique(column, return_inverse=True)[1] for column in self._points.T])
        strengths: Floats = ranks.sum(axis=0).astype(np.float64)
        return strengths


# In the kernels `lefts` has one entry, which then stands beside every right, or as many as
# `rights`: `step` is 0 or 1.


@compiled
def _pair_uniforms(seed: int, lefts: Indices, rights: Indices, signs: Signs) -> Floats:
    """One uniform on [0, 1) per comparable pair, the same both ways round; 0 for the others."""
    uniforms = np.zeros(len(rights))
    step = 0 if len(lefts) == 1 else 1
    for k in range(len(rights)):
        left, right = lefts[k * step], rights[k]
        if signs[k] > 0:
            uniforms[k] = keyed_uniform(seed, left, right, 0)
        elif signs[k] < 0:
            uniforms[k] = keyed_uniform(seed, right, left, 0)
    return uniforms


@compiled
def _chain_signs(top: Indices, lefts: Indices, rights: Indices) -> Signs:
    """How items stand to each other when `top` is the first item of each one's chain."""
    signs = np.zeros(len(rights), dtype=np.int8)
    step = 0 if len(lefts) == 1 else 1
    for k in range(len(rights)):
        left, right = lefts[k * step], rights[k]
        if top[left] == top[right]:
            if left < right:
                signs[k] = 1
            elif left > right:
                signs[k] = -1
    return signs


@compiled
def _dominance_signs(points: Floats, lefts: Indices, rights: Indices) -> Signs:
    signs = np.zeros(len(rights), dtype=np.int8)
    step = 0 if len(lefts) == 1 else 1
    for k in range(len(rights)):
        larger, smaller = False, False
        for d in range(points.shape[1]):
            left, right = points[lefts[k * step], d], points[rights[k], d]
            larger |= left > right
            smaller |= left < right
        if larger and not smaller:
            signs[k] = 1
        elif smaller and not larger:
            signs[k] = -1
    return signs


@compiled
def _front_of_sorted(points: Floats, order: Indices) -> Indices:
    """The maximal rows, given an order in which whatever is above comes first."""
    front = np.empty(len(order), dtype=np.int64)
    count = 0
    for item in order:
        beaten = False
        for k in range(count):
            above, differs = True, False
            for d in range(points.shape[1]):
                if points[front[k], d] < points[item, d]:
                    above = False
                    break
                differs |= points[front[k], d] > points[item, d]
            if above and differs:
                beaten = True
                break
        if not beaten:
            front[count] = item
            count += 1
    return front[:count].copy()
