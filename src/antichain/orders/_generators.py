"""Random and regular orders with gaps, each a `DuelModel` (public as `antichain.posets`).

Every generator takes a seed (or a numpy Generator) and a law for the gaps (see
`antichain.orders._gaps`). The same seed gives the same model; the order does not depend on the
law of the gaps.
"""

from collections.abc import Callable, Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from antichain._checks import is_number, said, whole
from antichain._option_names import in_python
from antichain.errors import ParameterError
from antichain.orders._closure import Relation, transitive_closure
from antichain.orders._gaps import GapLaw, gap_law
from antichain.orders._model import DuelModel
from antichain.orders._poset import Poset

__all__ = ["antichain", "chains", "dominance", "layered", "random_dag", "total_order"]

Seed = int | np.random.Generator
_MOST_DIMENSIONS = 1_000  # long before that, no two items are comparable
_LARGEST_MATRIX = 2 * 2**30  # bytes; several of the kind are held while a model is made
_PARENTS = "one of uniform, one, all, binomial or binomial:chance was expected"


def layered(
    front: int,
    width: int,
    height: int,
    seed: Seed = 0,
    parents: str = "uniform",
    gaps: str | GapLaw = "uniform",
) -> DuelModel:
    """A front with disjoint chains hung below it: the paper's simulated poset.

    There are front + width·(height − 1) items: a front, and `width` chains of `height` − 1 whose
    top has at least one parent on the front (else the front would grow). The true width can
    exceed `width`, especially with one parent each: `model.poset.width` is what was generated.

    Args:
        front: The size of the front, at least 1.
        width: The number of chains, at least `front`.
        height: The number of layers, at least 1; 1 is the front alone.
        seed: An integer, or a numpy Generator to draw from.
        parents: How many front items are above each chain: "uniform" on 1..front, "one", "all",
            or "binomial:q" (one, and each other one with chance q; 1/2 unless given).
        gaps: The distribution of the gaps, such as "uniform" or "minimum:0.1".

    Example:
        >>> model = layered(front=5, width=10, height=10, seed=0)
        >>> model.size, len(model.front), model.poset.height
        (95, 5, 10)
    """
    front, height = whole("front", front), whole("height", height)
    if whole("width", width) < front:
        raise ParameterError(
            f"width is {width}, but a whole number of at least the front ({front}) was expected."
        )
    _dense(front + width * (height - 1))
    return _hung(front, [height - 1] * width if height > 1 else [], seed, parents, gaps)


def layered_of(
    items: int,
    front: int,
    seed: Seed = 0,
    parents: str = "uniform",
    gaps: str | GapLaw = "uniform",
) -> DuelModel:
    """The paper's simulated poset with exactly that many items and that front.

    As in the paper's defaults there are twice as many chains as front items (fewer where there
    are not enough items for them), here of lengths that differ by one at most.

    Example:
        >>> model = layered_of(items=95, front=5, seed=0)
        >>> model == layered(front=5, width=10, height=10, seed=0)
        True
    """
    items, front = whole("items", items), whole("front", front)
    if front > items:
        raise ParameterError(
            f"front is {front}, but a whole number of at most the items ({items}) was expected."
        )
    rest = _dense(items) - front
    count = min(2 * front, rest)
    lengths = [rest // count + (chain < rest % count) for chain in range(count)]
    return _hung(front, lengths, seed, parents, gaps)


def _hung(
    front: int, lengths: Sequence[int], seed: Seed, parents: str, gaps: str | GapLaw
) -> DuelModel:
    number_of_parents = _parents_law(parents)
    order_rng, gap_rng = generator(seed).spawn(2)
    size = front + sum(lengths)
    relation = np.zeros((size, size), dtype=np.bool_)
    top = front
    for length in lengths:
        uppers = order_rng.choice(front, number_of_parents(front, order_rng), replace=False)
        relation[uppers, top] = True
        members = np.arange(top, top + length)
        relation[members[:-1], members[1:]] = True
        top += length
    names = [f"front-{i + 1}" for i in range(front)]
    names += chain_names(lengths)
    return _model(names, transitive_closure(relation), gaps, gap_rng)


def total_order(n: int, seed: Seed = 0, gaps: str | GapLaw = "uniform") -> DuelModel:
    """A chain of `n` items, the first on top."""
    size = _dense(whole("n", n), "ImplicitTotalOrder")
    gap_rng = generator(seed).spawn(2)[1]
    above = np.triu(np.ones((size, size), dtype=np.bool_), 1)
    return _model(item_names(size), above, gaps, gap_rng)


def antichain(n: int, seed: Seed = 0, gaps: str | GapLaw = "uniform") -> DuelModel:
    """An antichain of `n` items: no two are comparable (so that seed and gaps change nothing)."""
    size = _dense(whole("n", n), "ImplicitChains")
    gap_rng = generator(seed).spawn(2)[1]
    return _model(item_names(size), np.zeros((size, size), dtype=np.bool_), gaps, gap_rng)


def chains(
    count: int, length: int | Sequence[int], seed: Seed = 0, gaps: str | GapLaw = "uniform"
) -> DuelModel:
    """Disjoint chains (genres, say), `count` of them, of one length or of the lengths given."""
    _dense(whole("count", count), "ImplicitChains")  # each has at least one item
    lengths = chain_lengths(count, length)
    _dense(sum(lengths), "ImplicitChains")
    gap_rng = generator(seed).spawn(2)[1]
    chain = np.repeat(np.arange(len(lengths)), lengths)
    above = np.triu(chain[:, None] == chain[None, :], 1)
    return _model(chain_names(lengths), above, gaps, gap_rng)


def dominance(n: int, dimensions: int, seed: Seed = 0, gaps: str | GapLaw = "uniform") -> DuelModel:
    """Uniform points of the unit cube; one is above another when no coordinate is smaller."""
    size = _dense(whole("n", n), "ImplicitDominance")
    if whole("dimensions", dimensions) > _MOST_DIMENSIONS:
        raise ParameterError(
            f"dimensions is {dimensions}, but a whole number of at most {_MOST_DIMENSIONS} was "
            "expected."
        )
    order_rng, gap_rng = generator(seed).spawn(2)
    points = order_rng.random((size, dimensions))
    above = np.ones((size, size), dtype=np.bool_)
    differs = np.zeros((size, size), dtype=np.bool_)
    for coordinate in points.T:
        above &= coordinate[:, None] >= coordinate[None, :]
        differs |= coordinate[:, None] != coordinate[None, :]
    return _model(item_names(size), above & differs, gaps, gap_rng)


def random_dag(
    n: int, probability: float, seed: Seed = 0, gaps: str | GapLaw = "uniform"
) -> DuelModel:
    """The order of a random graph: each item is put above each later one with a probability."""
    size = _dense(whole("n", n))
    if not is_number(probability) or not 0 <= probability <= 1:
        raise ParameterError(
            f"probability is {said(probability)}, but a number from 0 to 1 was expected."
        )
    order_rng, gap_rng = generator(seed).spawn(2)
    relation = np.triu(order_rng.random((size, size)) < probability, 1)
    return _model(item_names(size), transitive_closure(relation), gaps, gap_rng)


def generator(seed: Seed) -> np.random.Generator:
    """The numpy Generator for a non-negative integer seed; a Generator as it is."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole("seed", seed, least=0))


def chain_lengths(count: int, length: int | Sequence[int]) -> list[int]:
    """The lengths of `count` chains, from one common length or one each."""
    count = whole("count", count)
    if not isinstance(length, Sequence) or isinstance(length, str):
        return [whole("length", length)] * count
    if len(length) != count:
        raise ParameterError(f"{len(length)} lengths are given, but {count} were expected.")
    return [whole("length", one) for one in length]


def _dense(size: int, implicit: str | None = None) -> int:
    """`size`, if the matrix of as many items' gaps is small enough to be held in memory."""
    if size**2 * np.dtype(np.float64).itemsize <= _LARGEST_MATRIX:
        return size
    most = isqrt(_LARGEST_MATRIX // np.dtype(np.float64).itemsize)
    larger = (
        f"antichain.{implicit} holds"
        if implicit
        else "antichain.ImplicitChains, ImplicitTotalOrder and ImplicitDominance hold"
    )
    raise ParameterError(
        f"{size:,} items were asked for, but at most {most:,} were expected"
        + in_python(
            f", whose matrix of gaps takes {_LARGEST_MATRIX / 2**30:g} GiB; {larger} larger orders "
            "without a matrix",
            typed="",
        )
        + "."
    )


def _parents_law(law: str) -> Callable[[int, np.random.Generator], int]:
    """How many of a number of front items are above a chain, as a draw of at least one."""
    name, colon, word = law.partition(":") if isinstance(law, str) else ("", "", "")
    if not colon and name in ("uniform", "one", "all"):
        return {
            "uniform": lambda front, rng: int(rng.integers(1, front + 1)),
            "one": lambda front, rng: 1,
            "all": lambda front, rng: front,
        }[name]
    try:
        chance = float(word) if colon else 0.5
    except ValueError:
        chance = float("nan")
    if name != "binomial" or not 0 <= chance <= 1:
        raise ParameterError(f"parents is {said(law)}, but {_PARENTS}.")
    return lambda front, rng: 1 + int(rng.binomial(front - 1, chance))


def item_names(size: int) -> list[str]:
    """The names of items in no structure: "item-1" and so on."""
    return [f"item-{i + 1}" for i in range(size)]


def chain_names(lengths: Sequence[int]) -> list[str]:
    """The names of items in chains: "c2-1" is the top of the second chain."""
    return [f"c{c + 1}-{i + 1}" for c, length in enumerate(lengths) for i in range(length)]


def _model(
    names: Sequence[str], above: Relation, gaps: str | GapLaw, rng: np.random.Generator
) -> DuelModel:
    poset = Poset(tuple(names), above)
    drawn: NDArray[np.float64] = gap_law(gaps).draw(poset, rng)
    return DuelModel(poset, drawn)
