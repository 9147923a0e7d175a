"""The contract of an arena: what it answers, what it refuses, and its random state."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from antichain.algorithms.rounds import Ask, Race, RaceOutcome, Round, round_of
from antichain.arenas.arena import Arena
from antichain.errors import AntichainError, InputError, NotObservableError
from antichain.evidence import Bet, SequentialTest, Verdict
from antichain.evidence.sequential import COUNTS
from antichain.testing._contract import Check, checks_of, require, require_error, run_checks

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

    def check_it_describes_itself(self) -> None:
        arena = self.make()
        items = arena.items
        named = isinstance(items, tuple) and all(isinstance(item, str) for item in items)
        require(named, f"items must be a tuple of names; got {items!r}.")
        require(
            len(set(items)) == len(items) >= 2,
            f"items must be two or more different names; got {items}.",
        )
        require(isinstance(arena.observable, bool), f"observable is {arena.observable!r}.")
        gap = arena.decoy_gap
        require(gap is None or 0 < gap < 0.5, f"decoy_gap is {gap!r}, not None or in (0, 1/2).")
        allowance = arena.allowance
        require(
            allowance is None or (isinstance(allowance, int) and allowance >= 0),
            f"allowance is {allowance!r}, not None or a whole number.",
        )
        _require_plain("identity()", arena.identity())

    def check_tallies_add_up_to_the_asks(self) -> None:
        arena = self.make()
        require(arena.answer([]) == [], "answer([]) must be an empty list.")
        asks = _asks(arena)
        _require_sums(asks, arena.answer(asks))

    def check_decoys_are_answered_only_where_offered(self) -> None:
        arena = self.make()
        asks = _asks(arena, decoy=True)
        if arena.decoy_gap is None:
            require_error(
                NotObservableError, "decoys", lambda: arena.answer(asks), "an ask about a decoy"
            )
        else:
            _require_sums(asks, arena.answer(asks))

    def check_an_unknown_item_is_named(self) -> None:
        arena = self.make()
        first = arena.items[0]
        for left, right in (("nobody", first), (first, "nobody")):
            ask = Ask(1, left, right, False, 1)
            what = f"a duel of {left!r} and {right!r}"
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
        if not arena.can_settle(race, None):
            return
        require(not arena.can_settle(race, 100), "a race on an allowance has no law of its own.")
        outcome = arena.settle(race, None)
        require(isinstance(outcome, RaceOutcome), f"a race was settled with {type(outcome)}.")
        assert isinstance(outcome, RaceOutcome)
        require((outcome.counts.sum(axis=1) <= 200).all(), "a pair went beyond the race's cap.")
        losers = [loser for loser, _ in outcome.eliminated]
        require(len(set(losers)) == len(losers) < size, f"the race's losers are {losers}.")

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
        require(again == first, "restored to an earlier state, it gave other answers.")

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
            require(set(sizes) == {len(arena.items)}, f"regret rates of sizes {sizes}.")


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


def _require_sums(asks: list[Ask], tallies: list[Any]) -> None:
    require(len(tallies) == len(asks), f"{len(asks)} asks got {len(tallies)} tallies.")
    for ask, tally in zip(asks, tallies, strict=True):
        require(
            tally.total == ask.duels and min(tally) >= 0,
            f"{ask.duels} duels of {ask.left!r} and {ask.right!r} were answered with {tally}.",
        )


def _require_settled(message: Round, counts: Any, allowance: int | None) -> None:
    start = message.start
    require(np.shape(counts) == start.shape, f"counts of shape {np.shape(counts)}.")
    require((counts >= start).all(), "settling lost counts that the round started from.")
    spent = int((counts - start).sum())
    require(allowance is None or spent <= allowance, f"{spent} duels with {allowance} allowed.")
    verdicts = [Verdict(code) for code in message.verdicts(counts)]
    end = next((k for k, verdict in enumerate(verdicts) if verdict in _STOP), len(message) - 1)
    behind = slice(end + 1, None)
    require((counts[behind] == start[behind]).all(), "duels were played behind the stopping one.")
    if allowance is None:
        require(Verdict.OPEN not in verdicts[: end + 1], "a comparison was left open.")
