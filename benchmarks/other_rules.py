"""How other tools turn votes into a set of best items, and how Gavel chooses its pairs.

`others.py` runs them. What belongs to a package is called there; Chatbot Arena's intervals and
Crowd-BT are written from their papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import choix
import evalica
import numpy as np
from scipy.special import betaln, expit, psi

from antichain.likely._pair_evidence import Floats

Items = Sequence[int]


def duels_of(wins: Floats) -> list[tuple[int, int]]:
    """One pair (winner, loser) for each vote."""
    winners, losers = np.nonzero(wins)
    each = wins[winners, losers].astype(int)
    return list(zip(np.repeat(winners, each), np.repeat(losers, each), strict=True))


def win_rates(wins: Floats) -> Floats:
    return wins.sum(axis=1) / np.maximum(wins.sum(axis=1) + wins.sum(axis=0), 1)


def top_by_rate(wins: Floats) -> Items:
    rates = win_rates(wins)
    return np.flatnonzero(rates == rates.max())


def never_lost(wins: Floats) -> Items:
    """What Optuna's preferential study calls its best trials."""
    return np.flatnonzero(wins.sum(axis=0) == 0)


def rank_one(low: Floats, high: Floats) -> Items:
    """The items whose interval no other item's interval is wholly above."""
    return np.flatnonzero(high >= low.max())


def by_evalica(wins: Floats, seed: int) -> Items:
    """Bradley–Terry by evalica, with its bootstrap."""
    winners, losers = zip(*duels_of(wins), strict=True)
    said = [evalica.Winner.X] * len(winners)
    found = evalica.bootstrap(
        evalica.bradley_terry,
        winners,
        losers,
        said,
        n_resamples=100,
        bootstrap_method="percentile",
        random_state=seed,
    )
    everyone = range(len(wins))
    low, high = (ends.reindex(everyone).to_numpy() for ends in (found.low, found.high))
    return rank_one(np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=np.inf))


def by_choix(wins: Floats) -> Items:
    """Bradley–Terry by choix: its approximate posterior under a standard normal prior."""
    mean, covariance = choix.ep_pairwise(len(wins), duels_of(wins), alpha=1.0)
    centre = np.eye(len(wins)) - 1 / len(wins)  # a shift of all items alike says nothing
    reach = 1.96 * np.sqrt(np.diag(centre @ covariance @ centre))
    return rank_one(mean - reach, mean + reach)


def arena_intervals(wins: Floats) -> tuple[Floats, Floats, Floats]:
    """Bradley–Terry scores with 95% sandwich intervals, as Chatbot Arena's leaderboard has them."""
    votes, size = wins + wins.T, len(wins)
    score = choix.opt_pairwise(size, duels_of(wins), alpha=1e-3)
    chance = expit(score[:, None] - score)

    def laplacian(weights: Floats) -> Floats:
        return np.diag(weights.sum(axis=1)) - weights

    bend = laplacian(votes * chance * (1 - chance)) + 1e-5 * votes.sum() / 2 * np.eye(size)
    # The squared residuals of all votes on a pair, wins and losses.
    spread = laplacian(wins * (1 - chance) ** 2 + wins.T * chance**2)
    inverse = np.linalg.inv(bend)
    reach = 1.96 * np.sqrt(np.diag(inverse @ spread @ inverse))
    return score, score - reach, score + reach


def by_arena(wins: Floats) -> Items:
    return rank_one(*arena_intervals(wins)[1:])


# -- Gavel: Crowd-BT (Chen et al., WSDM 2013), one new judge after the other -------------------


def after(mean: Floats, spread: Floats, trust: Floats, won: Any, lost: Any) -> tuple[Any, ...]:
    """Means and variances of both and the judge's α and β after a vote, and its chance before."""
    (a, b), p = trust, expit(mean[won] - mean[lost])
    q = a * p / (a * p + b * (1 - p))
    step, bend = q - p, q * (1 - q) - p * (1 - p)
    means = mean[won] + spread[won] * step, mean[lost] - spread[lost] * step
    spreads = [spread[i] * np.maximum(1 + spread[i] * bend, 1e-4) for i in (won, lost)]
    c = p + (spread[won] + spread[lost]) / 2 * p * (1 - p) * (1 - 2 * p)
    chance = (c * a + (1 - c) * b) / (a + b)
    first = a * (c * (a + 1) + (1 - c) * b) / (chance * (a + b + 1) * (a + b))
    second = a * (a + 1) * (c * (a + 2) + (1 - c) * b)
    second = second / (chance * (a + b + 2) * (a + b + 1) * (a + b))
    rate = (first - second) / (second - first**2)
    return means, spreads, (rate * first, rate * (1 - first)), chance


def gain(mean: Floats, spread: Floats, trust: Floats, one: int, others: Floats) -> Floats:
    """What a vote on the item and each of the others is expected to tell."""
    total: Any = 0.0
    ones = np.full_like(others, one)
    for won, lost in ((ones, others), (others, ones)):
        means, spreads, (a, b), chance = after(mean, spread, trust, won, lost)
        told: Any = 0.0
        for item, centre, width in zip((won, lost), means, spreads, strict=True):
            ratio = width / spread[item]
            told = told + ((centre - mean[item]) ** 2 / spread[item] + ratio - 1) / 2
            told = told - np.log(ratio) / 2
        away = betaln(*trust) - betaln(a, b) + (a - trust[0]) * psi(a) + (b - trust[1]) * psi(b)
        away = away + (trust.sum() - a - b) * psi(a + b)
        total = total + chance * (told + 0.1 * away)
    return np.asarray(total)


def gavel(gaps: Floats, budgets: Sequence[int], seed: int) -> Iterator[Items]:
    """Its own pairs; the items whose 95% interval reaches that of the best."""
    rng, size = np.random.default_rng(seed), len(gaps)
    mean, spread, votes = np.zeros(size), np.ones(size), 0
    while votes < max(budgets):
        trust, unseen = np.array([10.0, 1.0]), rng.permutation(size)
        last, unseen = unseen[0], unseen[1:]
        while len(unseen) and votes < max(budgets):
            chosen = int(np.argmax(gain(mean, spread, trust, last, unseen)))
            one = unseen[0 if rng.random() < 0.25 else chosen]
            won, lost = (one, last) if rng.random() < 0.5 + gaps[one, last] else (last, one)
            means, spreads, judge, _ = after(mean, spread, trust, won, lost)
            trust = np.array(judge)
            mean[[won, lost]], spread[[won, lost]] = means, spreads
            last, unseen, votes = one, unseen[unseen != one], votes + 1
            if votes in budgets:
                reach = 1.96 * np.sqrt(spread)
                yield rank_one(mean - reach, mean + reach)
