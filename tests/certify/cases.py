"""Logs for the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from antichain.votes._vote_log import VoteLog


def chain() -> VoteLog:
    """a above b above c, and d even with a; all clear, and nobody met d but a."""
    return VoteLog.from_counts(
        [("a", "b", 280, 120), ("b", "c", 290, 110), ("a", "c", 340, 60), ("a", "d", 60, 60, 80)],
        source="chain.csv",
    )


def cycle() -> VoteLog:
    """a, b and c in a circle, e above a only, d below a; e even with d."""
    return VoteLog.from_counts(
        [
            ("a", "b", 300, 100),
            ("b", "c", 300, 100),
            ("c", "a", 300, 100),
            ("e", "a", 300, 100),
            ("a", "d", 300, 100),
            ("d", "e", 50, 50),
        ]
    )


def complete(seed: int = 0, items: int = 6, votes: int = 600) -> VoteLog:
    """Every pair of a noisy ladder, in the order the votes came."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(votes * items):
        i, j = rng.choice(items, 2, replace=False)
        tie = rng.random() < 0.2
        first = rng.random() < 1 / (1 + np.exp(-(j - i) * 0.5))
        rows.append((f"i{i}", f"i{j}", "tie" if tie else "left" if first else "right"))
    return VoteLog.from_rows(rows, source="ladder.csv")


counts = st.integers(0, 60)


@st.composite
def logs(draw: st.DrawFn, most: int = 5) -> VoteLog:
    """Any small log, with cycles, unasked pairs, ties and answers that nobody can use."""
    size = draw(st.integers(2, most))
    names = [f"item {k}" for k in range(size)]
    pairs = [(i, j) for i in range(size) for j in range(i)]
    asked = draw(st.lists(st.sampled_from(pairs), unique=True))
    rows = [(names[i], names[j], *draw(st.tuples(*[counts] * 6))) for i, j in asked]
    return VoteLog.from_counts(rows, names, pooling=draw(st.booleans()))
