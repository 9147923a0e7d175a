"""The likely front: how likely each item is to be on the ε-front, by a model, from few votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antichain._checks import is_number, numbers_in, said, whole
from antichain._markup import Summarised, Summary
from antichain._text import counted, names, percent_chance
from antichain.errors import ParameterError
from antichain.likely._doubts import doubts_about
from antichain.likely._pair_evidence import Floats, Whole, weigh
from antichain.likely._sampler import Effort, OrderDraws, sample

MOST_ITEMS = 200
"""More are not estimated: one estimate would take minutes."""


@dataclass(frozen=True, eq=False)
class LikelyFront(Summarised):
    """Each item's chance of being on the ε-front, and the set with the largest expected F1.

    All of this is a model's estimate and not a guarantee: chances are right on average over worlds
    like those of the model.

    Attributes:
        chances: For each item, the chance that no maximal item beats it by more than ε, and no
            other item by more than `epsilon_others`.
        front: The likely front: the indices of the set of items with the largest expected F1.
        expected_f1: The expected F1 of that set.
        exactly_right: The chance that exactly these items are on the ε-front.
        doubts: Sentences that say where the estimate may be poor; empty if there are none.
    """

    chances: Floats
    front: tuple[int, ...]
    expected_f1: float
    exactly_right: float
    doubts: tuple[str, ...]

    def __repr__(self) -> str:
        size = f"{len(self.front)} of {counted(self.chances.size, 'item')}"
        return f"LikelyFront({size}, expected_f1={self.expected_f1:.2f})"

    def _summary(self) -> Summary:
        order = np.argsort(-self.chances, kind="stable").tolist()
        chosen = set(self.front)
        facts = [
            ("items", names([str(item) for item in self.front])),
            ("expected F1", f"{self.expected_f1:.2f}"),
            ("exactly right", f"with a chance of {percent_chance(self.exactly_right)}"),
        ]
        rows = [
            (str(k), percent_chance(float(self.chances[k])), "yes" if k in chosen else "")
            for k in order
        ]
        title = f"Likely front: {len(self.front):,} of {counted(len(rows), 'item')}, by number"
        sentences = ("This is a model's estimate, not a guarantee.", *self.doubts)
        return Summary(title, facts, sentences, ("item", "chance", "likely front"), rows)


def not_estimated(size: int) -> str | None:
    """One sentence that says why chances are not estimated for so many items, or None."""
    if size <= MOST_ITEMS:
        return None
    return (
        f"Chances are not estimated for {size:,} items, because the model handles at most "
        f"{MOST_ITEMS}."
    )


def likely_front(
    wins: Floats,
    *,
    epsilon: float,
    epsilon_others: float | None = None,
    cannot: Floats | None = None,
    seed: int = 0,
) -> LikelyFront:
    """Estimate how likely each item is to be on the ε-front.

    Args:
        wins: `wins[i, j]` says how often i beat j. Ties do not count.
        epsilon: The gap by which a maximal item may beat an item of the front: from 0 to below 1/2.
        epsilon_others: The gap by which any other item may; at least `epsilon`, which is the
            default.
        cannot: How often voters said that they cannot compare two items (symmetric); None or zeros
            if they had no such answer.
        seed: The same seed gives the same estimate.

    Raises:
        ParameterError: If the counts are not a square matrix of numbers of at least 0, ε is out of
            range, or there are more than 200 items.

    Example:
        >>> wins = np.array([[0, 9, 9], [1, 0, 5], [1, 5, 0]], dtype=float)
        >>> found = likely_front(wins, epsilon=0.1)
        >>> found.front
        (0,)
        >>> found
        LikelyFront(1 of 3 items, expected_f1=0.95)
    """
    wins, cannot = checked_counts(wins, cannot)
    limits = checked_limits(epsilon, epsilon_others)
    evidence, gaps = weigh(wins, cannot, limits)
    runs = sample(evidence, gaps, effort_for(len(wins)), whole("seed", seed, least=0))
    return read_runs(runs, wins)


def effort_for(size: int) -> Effort:
    """How hard to try: harder for few items, so that two seeds differ by little."""
    if size <= 30:
        return Effort(2, 12, 1200 if size <= 10 else 600, 500, 16)
    if size <= 60:
        return Effort(2, 0, 144, 80, 24)
    return Effort(2, 4, 16, 40, 12) if size <= 100 else Effort(2, 2, 8, 24, 8)


def read_runs(runs: list[OrderDraws], wins: Floats) -> LikelyFront:
    """What several runs say together."""
    each = np.concatenate([run.chances for run in runs])
    weights = np.full(len(each), 1 / len(each))
    chances = np.clip(weights @ each, 0.0, 1.0) + 0.0  # of rounding, and no -0.0
    front, expected = best_set(np.concatenate([run.fronts for run in runs]), weights, chances)
    chosen = np.zeros(chances.size, np.bool_)
    chosen[front] = True
    exact = float(weights @ np.where(chosen, each, 1.0 - each).prod(axis=1))
    doubts = doubts_about(wins, runs)
    exact = min(max(exact, 0.0), 1.0)
    return LikelyFront(chances, tuple(int(i) for i in front), expected, exact, doubts)


def best_set(fronts: Whole, weights: Floats, chances: Floats) -> tuple[Whole, float]:
    """The items whose set has the largest expected F1, and that F1."""
    order = np.argsort(-chances, kind="stable")
    hits = np.cumsum(fronts[:, order], axis=1)
    sizes = fronts.sum(axis=1)
    f1 = weights @ (2 * hits / (np.arange(1, order.size + 1) + sizes[:, None]))
    best = int(np.argmax(f1)) + 1
    return np.sort(order[:best]), min(float(f1[best - 1]), 1.0)


def checked_counts(wins: Floats, cannot: Floats | None) -> tuple[Floats, Floats | None]:
    """Both matrices as floats with zeros on the diagonal, if they can be counts."""
    wins = _counts("wins", wins)
    reason = not_estimated(len(wins))
    if reason is not None:
        raise ParameterError(reason)
    if cannot is None:
        return wins, None
    cannot = _counts("cannot", cannot)
    if cannot.shape != wins.shape or not np.array_equal(cannot, cannot.T):
        raise ParameterError(
            f"cannot is a matrix of shape {cannot.shape}, but a symmetric one of shape "
            f"{wins.shape} was expected."
        )
    return wins, cannot


def _counts(name: str, values: Floats) -> Floats:
    counts = numbers_in(name, values, "a square matrix of numbers with a row for each item")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise ParameterError(
            f"{name} has the shape {counts.shape}, but a square matrix with a row for each item "
            "was expected."
        )
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ParameterError(
            f"{name} has entries that are not counts, but numbers of at least 0 were expected."
        )
    np.fill_diagonal(counts, 0.0)
    return counts


def checked_limits(epsilon: float, epsilon_others: float | None) -> tuple[float, float]:
    """Both ε, if they are in range."""
    others = epsilon if epsilon_others is None else epsilon_others
    if not is_number(epsilon) or not 0 <= epsilon < 0.5:
        raise ParameterError(
            f"epsilon is {said(epsilon)}, but a number from 0 to below 1/2 was expected."
        )
    if not is_number(others) or not epsilon <= others <= 0.5:
        raise ParameterError(
            f"epsilon_others is {said(others)}, but a number from epsilon ({epsilon:g}) to 1/2 was "
            "expected."
        )
    return float(epsilon), float(others)
