"""The contract of an arena: what it answers, what it refuses, and its random state."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from antichain.algorithms._rounds import Ask, Race, RaceOutcome, Round, round_of
from antichain.arenas._arena import Arena
from antichain.errors import AntichainError, InputError, NotObservableError
from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.evidence._answers import COUNTS, Tally
from antichain.testing._contract import (
    Check,
    checks_of,
    require,
    require_error,
    run_checks,
    vital,
)

_STOP = frozenset({Verdict.RIGHT})
_DUELS = 400
_CHANCE = 1e-6
"""A false alarm of the comparison of laws is this unlikely."""


def check_arena(arena: Arena | Callable[[], Arena]) -> None:
    """Run the contract suite of arenas on `arena`; raise `ContractError` if it fails.

    Args:
        arena: The arena, or a function that makes a new one for each check. Give a function if
            answers are limited in number, such as those of a budget. At least two items are
            needed.

    Example:
        >>> import antichain as ac
        >>> from antichain.testing import check_arena
        >>> check_arena(ac.MatrixArena([[0.5, 0.8], [0.2, 0.5]], ["tea", "coffee"]))
    """
    run_checks(arena, arena_checks(arena))


def arena_checks(arena: Arena | Callable[[], Arena]) -> list[Check]:
    """The checks of `check_arena` one by one, for `pytest.mark.parametrize(..., ids=str)`."""
    return checks_of(_ArenaSuite((lambda: arena) if isinstance(arena, Arena) else arena))


class _ArenaSuite:
    """The checks; each makes its arena anew."""

    def __init__(self, make: Callable[[], Arena]) -> None:
        self.make = make

    @vital
    def check_it_describes_itself(self) -> None:
        arena = self.make()
        require(isinstance(arena, Arena), f"{arena!r} is not an Arena: derive its class from it.")
        items = getattr(arena, "items", None)
        named = isinstance(items, tuple) and all(isinstance(item, str) for item in items)
        require(named, f"items must be a tuple of names; it is {items!r}.")
        assert items is not None
        require(
            len(set(items)) == len(items) >= 2,
            f"items must be two or more different names; got {items}.",
        )
        require(
            isinstance(arena.observable, bool),
            f"observable must be True or False; it is {arena.observable!r}.",
        )
        gap = arena.decoy_gap
        require(
            gap is None or 0 < gap < 0.5,
            f"decoy_gap must be None or between 0 and 1/2; it is {gap!r}.",
        )
        allowance = arena.allowance
        require(
            allowance is None or (isinstance(allowance, int) and allowance >= 0),
            f"allowance must be None or a whole number of at least 0; it is {allowance!r}.",
        )
        _require_plain("identity()", arena.identity())

    def check_tallies_add_up_to_the_asks(self) -> None:
        arena = self.make()
        none = arena.answer([])
        require(none == [], f"answer([]) must return an empty list; it returned {none!r}.")
        asks = _asks(arena)
        _require_sums(asks, arena.answer(asks))

    def check_decoys_are_answered_only_where_offered(self) -> None:
        arena = self.make()
        asks = _asks(arena, decoy=True)
        if arena.decoy_gap is None:
            what = "an ask with decoy=True (to an arena whose decoy_gap is None)"
            require_error(NotObservableError, "decoys", lambda: arena.answer(asks), what)
        else:
            _require_sums(asks, arena.answer(asks))

    def check_an_unknown_item_is_named(self) -> None:
        arena = self.make()
        first = arena.items[0]
        for left, right in (("nobody", first), (first, "nobody")):
            ask = Ask(1, left, right, False, 1)
            what = f"a duel of {left!r} and {right!r} (there is no item 'nobody')"
            require_error(InputError, "'nobody'", partial(arena.answer, [ask]), what)

    def check_rounds_are_settled_or_declined(self) -> None:
        arena = self.make()
        size = min(7, len(arena.items) - 1)
        rng = np.random.default_rng(0)
        for test in _tests(arena):
            start = np.zeros((size, COUNTS), np.int64)
            if not test.is_probe:
                start[:, :2] = rng.integers(0, 3, (size, 2))
            message = round_of(
                0, np.arange(1, size + 1), test, start=start, targets=[9] * size, stop=_STOP
            )
            message.start.flags.writeable = False
            for allowance in (None, 5):
                if arena.can_settle(message, allowance):
                    limits = [n for n in (allowance, arena.allowance) if n is not None]
                    counts = arena.settle(message, allowance)
                    _require_settled(message, counts, min(limits, default=None))

    def check_races_are_settled_or_declined(self) -> None:
        arena = self.make()
        size = min(4, len(arena.items))
        lefts, rights = (side.astype(np.int64) for side in np.triu_indices(size, 1))
        race = Race(lefts, rights, SequentialTest.capped_interval(5.0, 200.0))
        require(
            not arena.can_settle(race, 100),
            "can_settle accepts a race with an allowance, but a race cannot stop half way.",
        )
        if arena.allowance is not None or not arena.can_settle(race, None):
            return
        outcome = arena.settle(race, None)
        require(
            isinstance(outcome, RaceOutcome),
            f"a race was settled with {outcome!r}, but a RaceOutcome was expected.",
        )
        assert isinstance(outcome, RaceOutcome)
        require(
            outcome.counts.shape == (len(race), COUNTS),
            f"a race of {len(race)} pairs was settled with counts of shape "
            f"{outcome.counts.shape}; {(len(race), COUNTS)} was expected.",
        )
        require((outcome.counts.sum(axis=1) <= 200).all(), "a pair went beyond the race's cap.")
        losers = [loser for loser, _ in outcome.eliminated]
        require(
            len(set(losers)) == len(losers) < size,
            f"the losers of a race of {size} items are {losers}, but each leaves once and one "
            "stays.",
        )

    def check_settling_has_the_law_of_answering(self) -> None:
        arena = self.make()
        left, right = arena.items[:2]
        message = round_of(0, np.array([1]), SequentialTest.fixed(), targets=[_DUELS])
        if not arena.can_settle(message, None) or arena.allowance is not None:
            return
        settled = np.asarray(arena.settle(message, None))[0, :2]
        answered = arena.answer([Ask(1, left, right, False, _DUELS)])[0]
        if answered.incomparable:
            return
        table = [settled.tolist(), [answered.left, answered.right]]
        require(
            fisher_exact(np.array(table)).pvalue > _CHANCE,
            f"of {_DUELS} duels {left!r} and {right!r} won {table[0]} when settled and {table[1]} "
            "when asked.",
        )

    def check_going_back_to_a_state_brings_the_same_answers(self) -> None:
        arena = self.make()
        asks = _asks(arena)[:5]
        arena.answer(asks)
        state = arena.state()
        if state is None:
            return
        _require_plain("state()", state)
        first = [arena.answer(asks) for _ in range(2)]
        arena.restore(json.loads(json.dumps(state)))
        again = [arena.answer(asks) for _ in range(2)]
        require(
            again == first,
            "after restore(), it gave other answers than the first time from that state.",
        )

    def check_a_state_that_is_none_of_its_own_is_refused(self) -> None:
        arena = self.make()
        require_error(
            AntichainError, "state", lambda: arena.restore({"nonsense": 1}), "restore(nonsense)"
        )

    def check_regret_rates_fit_the_items(self) -> None:
        arena = self.make()
        rates = arena.regret_rates()
        if rates is not None:
            sizes = [np.size(some) for some in (rates.items, rates.decoys) if some is not None]
            require(
                set(sizes) == {len(arena.items)},
                f"regret_rates() has {sizes} rates for {len(arena.items)} items.",
            )


def _asks(arena: Arena, decoy: bool = False) -> list[Ask]:
    names = arena.items
    pairs = [(a, b) for a in names for b in names if a != b][:20]
    return [Ask(k, a, b, decoy, 1 + k % 7) for k, (a, b) in enumerate(pairs)]


def _tests(arena: Arena) -> list[SequentialTest]:
    """A test of each kind that the arena can be asked to play."""
    tests = [
        SequentialTest.two_sided_bets(0.01, Bet.geometric(0.1), 0.2, 0.05),
        SequentialTest.probe(),
        SequentialTest.fixed(),
    ]
    if arena.decoy_gap is not None:
        tests += [
            SequentialTest.one_sided_bets(0.01, Bet.geometric(0.1), 0.1, 0.05),
            SequentialTest.decoys_in_step(0.01, 0.1),
        ]
    return tests


def _require_plain(what: str, value: Any) -> None:
    try:
        json.dumps(value)
    except TypeError as error:
        require(False, f"{what} must be plain data for JSON: {error}.")


def _require_sums(asks: list[Ask], tallies: Any) -> None:
    require(
        isinstance(tallies, list),
        f"answer() must return a list with a Tally for each ask; it returned {tallies!r}.",
    )
    require(
        len(tallies) == len(asks), f"answer() returned {len(tallies)} tallies for {len(asks)} asks."
    )
    for ask, tally in zip(asks, tallies, strict=True):
        require(
            isinstance(tally, Tally),
            f"answer() must return a Tally for each ask; {ask} was answered with {tally!r}. "
            "Tally.of makes one from a list of answers.",
        )
        whole = all(isinstance(count, int | np.integer) and count >= 0 for count in tally)
        require(
            whole and tally.total == ask.duels,
            f"{ask.duels} duels of {ask.left!r} and {ask.right!r} were answered with {tally}; "
            "whole numbers with that sum were expected.",
        )


def _require_settled(message: Round, counts: Any, allowance: int | None) -> None:
    start = message.start
    require(
        isinstance(counts, np.ndarray) and counts.shape == start.shape,
        f"settle() must return counts in the shape of the round's start, {start.shape}; it "
        f"returned {type(counts).__name__} of shape {np.shape(counts)}.",
    )
    require((counts >= start).all(), "settle() lost counts that the round started from.")
    spent = int((counts - start).sum())
    require(
        allowance is None or spent <= allowance,
        f"settle() played {spent} duels, but {allowance} were allowed.",
    )
    verdicts = [Verdict(code) for code in message.verdicts(counts)]
    end = next((k for k, verdict in enumerate(verdicts) if verdict in _STOP), len(message) - 1)
    behind = slice(end + 1, None)
    require(
        (counts[behind] == start[behind]).all(),
        "settle() went on after a verdict that ends the round.",
    )
    if allowance is None:
        require(
            Verdict.OPEN not in verdicts[: end + 1],
            "settle() left a comparison open, although there was no limit to the duels.",
        )
