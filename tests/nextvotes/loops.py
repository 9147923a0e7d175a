"""The loop of next → answer → append → next, with voters whose answers are known beforehand."""

from dataclasses import dataclass

import numpy as np

import antichain as ac
from antichain.algorithms._rounds import Ask
from antichain.nextvotes import NextVotes, next_votes

DECOY = " (decoy)"


class Voters:
    """The k-th vote on a pair is a function of the seed, whoever asks for it and when."""

    def __init__(self, model, seed, decoy_gap=None, tie_chance=0.1):
        self.model, self.seed, self.decoy_gap, self.ties = model, seed, decoy_gap, tie_chance
        self.arena = self.fresh()

    def fresh(self):
        arena = ac.SimulatedArena(self.model, decoy_gap=self.decoy_gap)
        return ac.KeyedArena(arena, seed=self.seed, tie_chance=self.ties)

    def live(self, algorithm, seed):
        """The result of asking one duel after the other."""
        return ac.find_front(self.fresh(), algorithm, seed=seed, batch=1)

    def vote(self, left, right):
        """A row of a log: the next vote on that pair."""
        against = [name for name in (left, right) if name.endswith(DECOY)]
        if not against:
            tally = self.arena.answer([Ask(1, left, right, False, 1)])[0]
            return left, right, "left" if tally.left else "right" if tally.right else "tie"
        item = left if against == [right] else right
        ask = Ask(1, item, against[0].removesuffix(DECOY), True, 1)
        tally = self.arena.answer([ask])[0]
        return left, right, "tie" if tally.tie else item if tally.left else against[0]


@dataclass
class Looped:
    last: NextVotes
    rows: list
    calls: int


def loop(voters, algorithm, seed, n, share=1.0, runs=0, rows=()):
    """Go round until the front is found; a random `share` of the asks is answered, in any order."""
    rng = np.random.default_rng([seed, n])
    rows, calls = list(rows), 0
    items = list(voters.model.items)
    while True:
        found = next_votes(rows, n, algorithm=algorithm, seed=seed, runs=runs, items=items)
        calls += 1
        assert found.votes == len(rows) == found.votes_used + found.votes_unused
        assert len(found.asks) <= n
        if found.finished:
            assert found.asks == ()
            return Looped(found, rows, calls)
        assert any(ask.sure for ask in found.asks)
        asks = list(found.asks)
        rng.shuffle(asks)
        answered = asks[: max(1, round(share * len(asks)))]
        rows += [voters.vote(ask.left, ask.right) for ask in answered]
