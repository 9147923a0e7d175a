"""UBSRoutine and peeling: the pivots that no item beats, and ever finer calls of that.

From top to bottom: the ways to compare a candidate with the pivots (the 𝒜 of the paper's
UBSRoutine), the routine itself, the schedule of gaps ε_1 > ε_2 > …, and `peel`, which calls the
routine with direct duels at each gap of a schedule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from antichain import _checks
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import NEVER, Ahead, Indices, Plan, Round, round_of
from antichain.evidence._answers import FORMS, Verdict, swapped
from antichain.evidence._bet import Bet, Floats, log_bets
from antichain.evidence._sequential import SequentialTest

# -- the ways to compare ---------------------------------------------------------------------------


class Meeting(NamedTuple):
    """How a candidate fared against the pivots."""

    beaten: NDArray[np.bool_]
    """Pivots shown below the candidate."""
    dominator: int
    """Position of the first pivot shown above it, or −1."""


class Compare(Protocol):
    """A way to compare a candidate with the pivots, given who comes after it."""

    def __call__(
        self, state: PlanState, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """The plan of one candidate's comparisons."""
        ...


class DirectComparisons:
    """Item against item, starting from all duels of the pair in earlier epochs."""

    def __init__(self, test: SequentialTest, early_exit: bool) -> None:
        self.test = test
        self.early_exit = early_exit

    def __call__(
        self, state: PlanState, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Compare with every pivot, or until one is above."""

        def ahead() -> Iterable[Round]:
            # Who comes next will meet these pivots, and the candidate if it becomes one.
            everyone = np.append(pivots, candidate)
            for other in upcoming.tolist():
                yield self._round(state, other, everyone)

        round_ = self._round(state, candidate, pivots, ahead if self.early_exit else None)
        outcome = yield round_
        return Meeting(outcome.said(Verdict.LEFT), outcome.first(Verdict.RIGHT))

    def _round(
        self, state: PlanState, candidate: int, pivots: Indices, ahead: Ahead = None
    ) -> Round:
        return round_of(
            candidate,
            pivots,
            self.test,
            start=state.counts.direct(candidate, pivots),
            stop=frozenset({Verdict.RIGHT}) if self.early_exit else NEVER,
            ahead=ahead,
        )


class DecoysInStep:
    """The paper's decoy comparison: both directions of every pair, in step."""

    def __init__(self, test: SequentialTest, early_exit: bool) -> None:
        self.test = test
        self.stop = frozenset({Verdict.RIGHT}) if early_exit else NEVER

    def __call__(
        self, state: PlanState, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Compare with every pivot, or until one is above."""
        outcome = yield round_of(candidate, pivots, self.test, stop=self.stop)
        return Meeting(outcome.said(Verdict.LEFT), outcome.first(Verdict.RIGHT))


class DecoysOneSided:
    """Each direction by itself: first whether a pivot is above, then which pivots are below.

    Direct duels already played multiply into the bet on dominance, never into the bet against
    it (docs/theory/errata.md, 7).
    """

    def __init__(self, test: SequentialTest, early_exit: bool, direct: Bet | None = None) -> None:
        self.test = test
        self.early_exit = early_exit
        self.direct = direct
        """The bet on dominance that the direct duels feed; None to leave them out."""

    def __call__(
        self, state: PlanState, candidate: int, pivots: Indices, upcoming: Indices
    ) -> Plan[Meeting]:
        """Is some pivot above? If not, which pivots are below?"""

        def after() -> Iterable[Round]:
            everyone = np.append(pivots, candidate)
            for other in upcoming.tolist():
                yield self._above(state, other, everyone)
                yield self._below(state, other, everyone)

        def ahead() -> Iterable[Round]:
            yield self._below(state, candidate, pivots)
            yield from after()

        above = yield self._above(state, candidate, pivots, ahead if self.early_exit else None)
        dominator = above.first(Verdict.LEFT)
        if dominator >= 0 and self.early_exit:
            return Meeting(np.zeros(pivots.size, np.bool_), dominator)
        below = yield self._below(state, candidate, pivots, after if self.early_exit else None)
        return Meeting(below.said(Verdict.LEFT), dominator)

    def _above(
        self, state: PlanState, candidate: int, pivots: Indices, ahead: Ahead = None
    ) -> Round:
        """Each pivot against the candidate's decoy."""
        return round_of(
            pivots,
            candidate,
            self.test,
            start=state.counts.decoys(pivots, np.full(pivots.size, candidate)),
            prior_evidence=self._prior_evidence(state, candidate, pivots, of_pivots=True),
            stop=frozenset({Verdict.LEFT}) if self.early_exit else NEVER,
            ahead=ahead,
        )

    def _below(
        self, state: PlanState, candidate: int, pivots: Indices, ahead: Ahead = None
    ) -> Round:
        """The candidate against each pivot's decoy."""
        return round_of(
            candidate,
            pivots,
            self.test,
            start=state.counts.decoys(np.full(pivots.size, candidate), pivots),
            prior_evidence=self._prior_evidence(state, candidate, pivots, of_pivots=False),
            ahead=ahead,
        )

    def _prior_evidence(
        self, state: PlanState, candidate: int, pivots: Indices, of_pivots: bool
    ) -> Floats | None:
        """Log-evidence of the direct duels for dominance of one side."""
        if self.direct is None:
            return None
        counts = state.counts.direct(candidate, pivots)[:, :FORMS]
        return log_bets(self.direct.packed, swapped(counts) if of_pivots else counts.copy())


# -- the routine -----------------------------------------------------------------------------------


def ubs_routine(
    state: PlanState, items: Indices, compare: Compare, *, favour_winners: bool = False
) -> Plan[Indices]:
    """The items that remain pivots after each has met the pivots before it.

    Items come in random order. A candidate is compared with every pivot; the pivots it beats
    are removed, and it joins if no pivot beat it (docs/theory/errata.md, 5).

    Args:
        state: Where eliminations are noted.
        items: Who takes part.
        compare: The paper's 𝒜: direct or decoy comparisons at some level.
        favour_winners: Move a pivot forward whenever it beats a candidate, so that candidates
            meet likely dominators first. Pays when comparisons end at the first dominator.
    """
    order = state.rng.permutation(items)
    pivots = np.empty(order.size, np.int64)
    pivots[:1] = order[:1]
    count = min(1, order.size)
    for position in range(1, order.size):
        candidate = int(order[position])
        meeting = yield from compare(state, candidate, pivots[:count], order[position + 1 :])
        if meeting.dominator >= 0:
            state.eliminate(candidate, pivots[meeting.dominator])
            if favour_winners:
                here, there = meeting.dominator, meeting.dominator // 2
                pivots[[here, there]] = pivots[[there, here]]
                meeting.beaten[[here, there]] = meeting.beaten[[there, here]]
        if meeting.beaten.any():
            for loser in pivots[:count][meeting.beaten]:
                state.eliminate(loser, candidate)
            kept = pivots[:count][~meeting.beaten]
            count = kept.size
            pivots[:count] = kept
        if meeting.dominator < 0:
            pivots[count] = candidate
            count += 1
    return pivots[:count].copy()


# -- peeling ---------------------------------------------------------------------------------------


def peeling_schedule(floor: float, gamma: float = 0.9, epsilon0: float = 0.5) -> tuple[float, ...]:
    """The gaps ε_1 > … > ε_{N−1} of the peeling epochs, ending exactly at `floor`.

    ε_t = max(ε_0·γ^t, floor) for t up to N−1 = ⌈log(floor/ε_0)/log γ⌉, and none at all if the
    floor is not below ε_0 (docs/theory/errata.md, 10). With decoys the floor is Δ√K
    (`peeling_floor`), without them the ε of the approximation wanted.

    >>> len(peeling_schedule(peeling_floor(items=95, decoy_gap=0.01)))
    16
    >>> len(peeling_schedule(0.05))
    22
    """
    check_peeling(gamma, epsilon0)
    _checks.precision("the gap at which peeling ends", floor)
    if floor >= epsilon0:
        return ()
    # 1e-12: ε_0·γ^t may equal the floor but for rounding, and must not be repeated then.
    epochs = math.ceil(math.log(floor / epsilon0) / math.log(gamma) - 1e-12)
    return tuple(max(epsilon0 * gamma**t, floor) for t in range(1, epochs + 1))


def check_peeling(gamma: float, epsilon0: float) -> None:
    """Raise unless the gaps ε_0·γ^t fall and the first is below 1/2."""
    _checks.between("gamma", gamma, 0, 1)
    _checks.between("epsilon0", epsilon0, 0, 0.5 / gamma)


def peeling_floor(items: int, decoy_gap: float) -> float:
    """Δ√K: the finest peel that Theorems 1 and 2 together allow without knowing the width."""
    return decoy_gap * math.sqrt(items)


TestAt = Callable[[float, int], SequentialTest]
"""The test of a peeling epoch, given its gap and how many items enter it."""


def bets_at(level: float, bet: Bet, doubt: float) -> TestAt:
    """The usual test of a peel: bets on direct duels, one process per pair for all epochs.

    Args:
        level: The level of "above", for each ordered pair.
        bet: The bet on dominance.
        doubt: A pair is left to a later epoch once a gap of ε_t is this unlikely.
    """
    return lambda gap, entering: SequentialTest.two_sided_bets(level, bet, gap, doubt)


def peel(
    state: PlanState,
    items: Indices,
    schedule: Iterable[float],
    test_at: TestAt,
    *,
    early_exit: bool = True,
    worthwhile: Callable[[float, int], bool] | None = None,
    phases: bool = True,
) -> Plan[Indices]:
    """Who is left after one call of `ubs_routine` with direct duels per gap of the schedule.

    Args:
        state: Where eliminations and epochs are noted.
        items: Who takes part.
        schedule: The gaps ε_1 > ε_2 > …, perhaps without end.
        test_at: The test of each epoch.
        early_exit: Leave the rest of a candidate's comparisons out once it is dominated, and let
            candidates meet likely dominators first.
        worthwhile: Whether to go on with an epoch, given its gap and how many items would enter
            it; by default every epoch of the schedule takes place.
        phases: Note each epoch as a phase of the run.
    """
    for t, gap in enumerate(schedule, start=1):
        if worthwhile is not None and not worthwhile(gap, items.size):
            break
        compare = DirectComparisons(test_at(gap, items.size), early_exit)
        with state.epoch(f"peel {t}", gap, items.size) if phases else nullcontext():
            items = yield from ubs_routine(state, items, compare, favour_winners=early_exit)
    return items
