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
        self.model = model
        arena = ac.SimulatedArena(model, decoy_gap=decoy_gap)
        self.arena = ac.KeyedArena(arena, seed=seed, tie_chance=tie_chance)

    def answer(self, left, right):
        """The next vote on that pair: "left", "right" or "tie"."""
        if not (left + right).count(DECOY):
            tally = self.arena.answer([Ask(1, left, right, False, 1)])[0]
            return "left" if tally.left else "right" if tally.right else "tie"
        item, decoy = (left, right) if right.endswith(DECOY) else (right, left)
        tally = self.arena.answer([Ask(1, item, decoy.removesuffix(DECOY), True, 1)])[0]
        return "tie" if tally.tie else "left" if bool(tally.left) == (item == left) else "right"

    def row(self, ask, **more):
        """A row of a log that answers an ask."""
        winner = self.answer(ask.left, ask.right)
        return {"ask": ask.ask, "left": ask.left, "right": ask.right, "winner": winner, **more}


def numberless(row):
    return {name: value for name, value in row.items() if name != "ask"}


def verdicts(certificate):
    """What a certificate says of the items."""
    return {item: certificate.status(item) for item in certificate.items}


@dataclass
class Looped:
    last: NextVotes
    rows: list
    calls: int


def loop(voters, n, share=1.0, *, rows=(), seed=0, numbered=True, empty="open", most=400, **terms):
    """Go round until all is decided; a random `share` of the asks is answered, in any order.

    Args:
        voters: Who answers.
        n: How many duels are asked for at a time.
        share: How many of them are answered.
        rows: The log to begin with.
        seed: Of who answers what, and in which order.
        numbered: Whether rows have the number of their ask.
        empty: What becomes of the others: "open" (they stay in the log without an answer), "given
            up", or "late": those rows come the next time, answered, and may have been asked again.
        most: Calls after which nobody goes on.
        terms: What is promised and assumed.
    """
    rng = np.random.default_rng([seed, n])
    rows, late, items = list(rows), [], list(voters.model.items)
    for calls in range(1, most + 1):
        found = next_votes(rows, n, items=items, forecast=False, **terms)
        assert len(found.asks) <= n
        assert len({ask.ask for ask in found.asks}) == len(found.asks)
        if terms.get("budget") is None:
            kept = {name: value for name, value in terms.items() if name != "budget"}
            plain = ac.front(rows, items=items, likely=False, **kept) if rows else found.certificate
            assert found.finished == (not plain.undecided) == (not found.asks)
            assert verdicts(found.certificate) == verdicts(plain)
        if found.finished or found.spent:
            return Looped(found, rows, calls)
        asks = [found.asks[k] for k in rng.permutation(len(found.asks))]
        answered = max(1, round(share * len(asks)))
        new = [voters.row(ask) for ask in asks[:answered]]
        rest = asks[answered:]
        word = "given up" if empty == "given up" else ""
        new += [{"ask": a.ask, "left": a.left, "right": a.right, "winner": word} for a in rest]
        new, late = [*new, *late], [voters.row(ask) for ask in rest if empty == "late"]
        rows += new if numbered else [numberless(row) for row in new if row["winner"]]
    raise AssertionError(f"the loop went round {most} times")
