"""How many duels will it take? Forecasts by simulation, before a run and in the middle of one.

A forecast is as good as the worlds it simulates: `plan` draws posets of one kind, `remaining` draws
worlds that agree with what a run has seen so far (docs/guides/planning.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from antichain import _checks
from antichain._intervals import median_interval, median_range
from antichain._markup import Summarised, Summary
from antichain._run import find_front
from antichain._text import counted
from antichain.algorithms._base import Algorithm
from antichain.algorithms._certifying import Certifying, Inquiry
from antichain.algorithms._registry import default_algorithm
from antichain.algorithms._search import Search
from antichain.arenas._simulated import SimulatedArena
from antichain.errors import ParameterError
from antichain.forecast._rollouts import all_runs, draw_seed, rollouts
from antichain.orders import _generators
from antichain.orders._gaps import gap_law
from antichain.orders._model import DuelModel
from antichain.referee import Referee
from antichain.referee._ahead import MOST_AHEAD, answers_to_come
from antichain.referee._terms import checked_assumptions

PosetKind = Literal["layered", "total-order", "antichain", "dominance"]
KINDS: tuple[PosetKind, ...] = get_args(PosetKind)

_DELTA, _EPSILON = 0.05, 0.1  # what a study has that names neither
# The share of voters who call comparable items incomparable, or who compare incomparable ones,
# where they are simulated: set by hand.
_MISJUDGED = 0.1
_RANGE = 0.9  # the share of runs between `low` and `high`
# How much `remaining` stretches its range about the median, on a logarithmic scale: worlds drawn
# from counts vary less than real ones do. Of the factors 1, 1.5 and 2, 2 covered the truth best
# (docs/guides/planning.md, "How well it is calibrated").
_STRETCH = 2.0
_MOST_DIMENSIONS = 12  # beyond that nearly all points of a practical number are maximal


@dataclass(frozen=True)
class Forecast(Summarised):
    """A forecast of how many duels a search will take.

    Attributes:
        median: Half of the simulated runs took at most this many.
        low: One run in twenty took fewer.
        high: One run in twenty took more: `low` to `high` is the 90% range. `remaining` widens
            this range somewhat (docs/guides/planning.md).
        mean: The mean over the runs.
        median_low: With `median_high`, the 95% interval of the median: how far it would move with
            other seeds. None if there are too few runs.
        median_high: See `median_low`.
        runs: The number of simulated runs.
        right: The share of runs that found the right answer; None if it was not judged.
        settings: What was simulated, in words.
        duels: The duels of each run.

    Example:
        >>> print(plan(8, 2, runs=20))
        Forecast of 20 simulated runs: about 1,600 duels
          median     1,564 (95% interval 1,268 to 2,137)
          90% range  801 to 3,582
          right      100% of the runs
        Simulated: layered posets of 8 items with a front of 2, gaps uniform; certificate, ...
    """

    median: float
    low: float
    high: float
    mean: float
    median_low: float | None
    median_high: float | None
    runs: int
    right: float | None
    settings: str
    duels: tuple[int, ...]

    def in_short(self) -> dict[str, float]:
        """Return the median, the range and the number of runs as plain data."""
        numbers = {"median": self.median, "low": self.low, "high": self.high}
        return {name: round(value, 1) for name, value in numbers.items()} | {"runs": self.runs}

    def __repr__(self) -> str:
        reach = f"90% from {self.low:,.0f} to {self.high:,.0f}"
        median, runs = counted(round(self.median), "duel"), counted(self.runs, "run")
        return f"Forecast(median of {median}, {reach}, {runs})"

    def _summary(self) -> Summary:
        median = f"{self.median:,.0f}"
        if self.median_low is not None and self.median_high is not None:
            median += f" (95% interval {self.median_low:,.0f} to {self.median_high:,.0f})"
        facts = [("median", median), ("90% range", f"{self.low:,.0f} to {self.high:,.0f}")]
        if self.right is not None:
            facts.append(("right", f"{100 * self.right:.0f}% of the runs"))
        about = counted(round(float(f"{self.median:.2g}")), "duel")
        title = f"Forecast of {counted(self.runs, 'simulated run')}: about {about}"
        return Summary(title, facts, [f"Simulated: {self.settings}."])


def plan(
    items: int,
    front: int | None = None,
    *,
    delta: float | None = None,
    decoy_gap: float | None = None,
    epsilon: float | None = None,
    assume: str | Iterable[str] = (),
    gaps: str = "uniform",
    kind: PosetKind = "layered",
    runs: int = 100,
    seed: int = 0,
    algorithm: Algorithm | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Forecast:
    """Forecast by simulation how many duels it takes to find the front.

    Args:
        items: How many items there are, at least two.
        front: How many of them are maximal. If unknown, each run draws a number from 1 to half
            the items, uniformly on a logarithmic scale. For dominance orders, the number of
            dimensions is chosen so that about this many items are maximal.
        delta: The largest acceptable probability that the answer is wrong (0.05).
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the approximation (0.1).
        assume: Without decoys, further assumptions (`Certifying.assume`).
        gaps: The distribution of the gaps, as for `antichain.posets.layered`.
        kind: "layered" (the paper's posets), "total-order", "antichain" or "dominance".
        runs: How many runs to simulate, each on a new poset.
        seed: The source of all randomness. Run r is the same for any `runs` and `workers`.
        algorithm: An algorithm, instead of delta, decoy_gap and epsilon.
        workers: The number of processes. With several, call this under
            `if __name__ == "__main__":`.
        progress: Called after each run with the number of finished runs.

    Example:
        >>> forecast = plan(8, 2, runs=20)
        >>> forecast.low <= forecast.median <= forecast.high, forecast.right
        (True, 1.0)
    """
    method = given_algorithm(algorithm, delta, decoy_gap, epsilon, assume)
    family = _Family(kind, items, front, gaps)
    seed = _checks.whole("seed", seed, least=0)
    work = partial(_planned_run, method, family, seed)
    if isinstance(method, Certifying):
        work = partial(_certified_run, method, family, seed)
    played = all_runs(work, _checks.whole("runs", runs), workers, progress)
    duels, right = zip(*played, strict=True)
    settings = f"{family.words()}; {_method_words(method)}"
    return _forecast(duels, sum(right) / len(right), settings)


def remaining(
    search: Search,
    *,
    runs: int = 50,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Forecast:
    """Forecast by simulation how many duels a run in progress still needs.

    Each simulated run is a twin of this one (`Search.twin`) that plays to its end in a world that
    could have produced the counts so far. Duels that are asked but not answered count as still to
    come. Duels that are asked ahead of need are not forecast; most spare answers come from them.

    Args:
        search: A run for partially observable posets, started with its history kept.
        runs: How many runs to simulate.
        seed: The source of all randomness.
        workers: The number of processes; see `plan`.
        progress: Called after each run with the number of finished runs.
    """
    runs = _checks.whole("runs", runs)
    if isinstance(search, Inquiry) and not search.has_forecast:
        raise ParameterError(
            "A run with several criteria or attributes is given, but there is no forecast for "
            "such runs: a run on one question was expected."
        )
    if isinstance(search, Inquiry):
        return _of_inquiry(search, answers_to_come(search.referee, runs, seed))
    duels = rollouts(search, runs, seed=seed, workers=workers, progress=progress)
    return _of_search(search, duels)


def _of_search(search: Search, duels: Sequence[int]) -> Forecast:
    so_far = search.result().duels
    method = _method_words(search.algorithm)
    settings = f"{counted(len(search.items), 'item')}, {counted(so_far, 'duel')} so far; {method}"
    forecast = _forecast(duels, None, settings)
    return forecast if search.finished else _stretched(forecast)


def _of_inquiry(search: Inquiry, answers: Sequence[int]) -> Forecast:
    if (left := search.answers_left) is not None:
        answers = [min(number, left) for number in answers]
    return forecast_of_answers(answers, len(search.items))


def forecast_of_answers(answers: Sequence[int], items: int) -> Forecast:
    """Return the forecast of what remains of a study, from simulated ways to go on."""
    return _stretched(_forecast(answers, None, f"{counted(items, 'item')}, by its certificate"))


# -- the runs ------------------------------------------------------------------------------------


def _certified_run(algorithm: Certifying, family: _Family, seed: int, run: int) -> tuple[int, bool]:
    """A study that is judged by its certificate, played as one piece of compiled code."""
    rng = np.random.default_rng([seed, run])
    model = family.draw(rng)
    gaps, terms = np.asarray(model.gaps), algorithm.terms
    referee = Referee(family.items, terms)
    cannot = np.where(gaps == 0, 1 - _MISJUDGED, _MISJUDGED) if terms.cannot_compare else None
    most = algorithm.budget or MOST_AHEAD
    referee.play(0.5 + gaps, cannot=cannot, seed=draw_seed(rng), budget=most)
    maximal = ~(gaps > 0).any(axis=0)
    beaten = (gaps[maximal] > terms.epsilon).any(axis=0) | (gaps > terms.epsilon_others).any(axis=0)
    wrong = (referee.out & maximal) | (referee.inside & beaten)
    return referee.answers, not wrong.any()


def _planned_run(algorithm: Algorithm, family: _Family, seed: int, run: int) -> tuple[int, bool]:
    rng = np.random.default_rng([seed, run])
    model = family.draw(rng)
    arena = SimulatedArena(
        model,
        algorithm.needs_decoys,
        observable=algorithm.needs_observable,
        seed=draw_seed(rng),
    )
    result = find_front(arena, algorithm, seed=draw_seed(rng))
    # With ε = 0 only the front itself is an approximation.
    epsilon = getattr(algorithm, "epsilon", None) or 0.0
    return result.duels, model.is_eps_approximation(result.front, epsilon)


def _forecast(duels: Sequence[int], right: float | None, settings: str) -> Forecast:
    reach, middle = median_range(duels, _RANGE), median_interval(duels)
    return Forecast(
        median=float(reach.middle),
        low=float(duels[0] if reach.low is None else reach.low),
        high=float(duels[0] if reach.high is None else reach.high),
        mean=sum(duels) / len(duels),
        median_low=middle.low,
        median_high=middle.high,
        runs=len(duels),
        right=right,
        settings=settings,
        duels=tuple(duels),
    )


def _stretched(forecast: Forecast) -> Forecast:
    def moved(end: float) -> float:
        # One is added because the number of remaining duels may be zero.
        far = math.log((end + 1) / (forecast.median + 1))
        return (forecast.median + 1) * math.exp(_STRETCH * far) - 1

    low = max(0.0, moved(forecast.low))
    return replace(forecast, low=low, high=moved(forecast.high))


# -- what is simulated ---------------------------------------------------------------------------


def given_algorithm(
    algorithm: Algorithm | None,
    delta: float | None,
    decoy_gap: float | None,
    epsilon: float | None,
    assume: str | Iterable[str] = (),
) -> Algorithm:
    """Return the algorithm given, or the one that a study would have with these numbers."""
    if algorithm is None:
        delta = _DELTA if delta is None else delta
        if decoy_gap is not None:
            return default_algorithm(delta, decoy_gap, epsilon)
        epsilon = _EPSILON if epsilon is None else epsilon
        return Certifying(delta, epsilon=epsilon, assume=checked_assumptions(assume))
    _checks.instance("algorithm", algorithm, Algorithm, "an algorithm, such as Witness(),")
    numbers = {"delta": delta, "decoy_gap": decoy_gap, "epsilon": epsilon}
    for name, value in numbers.items():
        if value is not None:
            raise ParameterError(
                f"algorithm and {name} are both given, but they cannot be used together: an "
                "algorithm has numbers of its own."
            )
    return algorithm


@dataclass(frozen=True)
class _Family:
    """The posets that `plan` simulates."""

    kind: PosetKind
    items: int
    front: int | None
    gaps: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(
                f"kind is {self.kind!r}, but one of {', '.join(KINDS)} was expected."
            )
        _checks.whole("items", self.items, least=2)
        gap_law(self.gaps)  # raises if there is no such distribution
        if self.front is None:
            return
        if _checks.whole("front", self.front) > self.items:
            raise ParameterError(
                f"front is {self.front}, but a whole number of at most the items ({self.items}) "
                "was expected."
            )
        only = {"total-order": 1, "antichain": self.items}.get(self.kind, self.front)
        if self.front != only:
            raise ParameterError(
                f"front is {self.front}, but {only} was expected: that is the front of every "
                f"{self.kind.replace('-', ' ')} of {self.items}."
            )

    def draw(self, rng: np.random.Generator) -> DuelModel:
        if self.kind == "total-order":
            return _generators.total_order(self.items, rng, self.gaps)
        if self.kind == "antichain":
            return _generators.antichain(self.items, rng, self.gaps)
        front = self.front
        if front is None:
            front = int(np.exp(rng.random() * np.log(self._largest_front + 1)))
        if self.kind == "dominance":
            return _generators.dominance(self.items, _dimensions(self.items, front), rng, self.gaps)
        return _generators.layered_of(self.items, front, rng, gaps=self.gaps)

    @property
    def _largest_front(self) -> int:
        return max(1, self.items // 2)

    def words(self) -> str:
        laws, items = f"gaps {self.gaps}", counted(self.items, "item")
        if self.kind == "total-order":
            return f"total orders of {items}, {laws}"
        if self.kind == "antichain":
            return f"antichains of {items}"
        unknown = f"a front of unknown size (1 to {self._largest_front}, smaller more likely)"
        if self.kind == "layered":
            front = unknown if self.front is None else f"a front of {self.front}"
            return f"layered posets of {items} with {front}, {laws}"
        points = f"dominance orders of {counted(self.items, 'point')}"
        if self.front is None:
            return f"{points} with {unknown}, {laws}"
        where = f"in {counted(_dimensions(self.items, self.front), 'dimension')}"
        return f"{points} {where} with a front of about {self.front}, {laws}"


def _dimensions(items: int, front: int) -> int:
    """Return the dimension in which random points have about this many maximal ones on average."""
    # The mean number of maximal points among the first 1, 2, …; in one dimension there is one.
    means = np.ones(items)
    steps = np.arange(1, items + 1)
    best, distance = 1, abs(np.log(front))
    for dimensions in range(2, _MOST_DIMENSIONS + 1):
        means = np.cumsum(means / steps)
        if abs(np.log(means[-1] / front)) < distance:
            best, distance = dimensions, abs(np.log(means[-1] / front))
    return best


def _method_words(algorithm: Algorithm) -> str:
    numbers = [f"δ = {algorithm.delta:g}"]
    if algorithm.needs_decoys is not None:
        numbers.append(f"Δ = {algorithm.needs_decoys:g}")
    epsilon = getattr(algorithm, "epsilon", None)
    if epsilon is not None:
        numbers.append(f"ε = {epsilon:g}")
    return f"{algorithm.name}, {', '.join(numbers)}"
