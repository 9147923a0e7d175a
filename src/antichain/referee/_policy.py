"""Which duel to ask for next, as compiled code. No claim rests on it."""

from __future__ import annotations

import math

import numpy as np

from antichain._kernels import compiled, keyed_uniform
from antichain.evidence._bet import Floats, Whole, log_bet
from antichain.referee._standing import (
    CANNOT,
    LOSS,
    OPENED,
    READ,
    TIE,
    WIN,
    Standing,
    read_answers,
)
from antichain.referee._terms import Rulebook

_LATER = 100.0  # what a pair loses that should wait; more than any pair has
_SUSPECT = 10.0  # what a pair gains in which one item may be shown to be below the other
_TRIED = 20  # duels with a decoy before it is asked whether they lead anywhere


@compiled
def level_wanted(at: Standing, rules: Rulebook) -> float:
    """The log-evidence that clears an opponent if every item that is not out comes in."""
    opened = at.numbers[OPENED] > 0
    gone = 0
    for k in range(at.out_at.size):
        gone += at.out_at[k] > 0 and (at.survived[k] or not opened)
    return float(rules.log_inside[1 if opened else 0] + math.log(1.0 + gone))


@compiled
def votes_missing(
    at: Standing, rules: Rulebook, paces: Floats, level: float, j: int, i: int
) -> float:
    """About how many votes clear j for i if the two are even; 0 if it is cleared or need not be.

    Args:
        at: The standing.
        rules: The rules.
        paces: What a duel of an even pair tells against a gap of ε, in nats: for opponents not
            out at the opening, and for the others.
        level: The log-evidence that is wanted.
        j: The opponent.
        i: The item.
    """
    if at.out_at[i] or at.in_at[i] or (rules.strong and at.out_at[j]):
        return 0.0
    opened = at.numbers[OPENED] > 0
    missing = level - at.cleared[1 if opened else 0, j, i]
    if missing <= 0.0:
        return 0.0
    return float(missing / (paces[0] if at.survived[j] or not opened else paces[1]))


@compiled
def is_done(at: Standing) -> bool:
    """Whether every item is in or out."""
    return bool(((at.out_at > 0) | (at.in_at > 0)).all())


@compiled
def next_duel(
    at: Standing, rules: Rulebook, paces: Floats, asked: Whole, later: Whole, most: int
) -> tuple[int, int, int]:
    """The duel that does most: two items and whether the second is shown as its decoy.

    A pair in which one item is suspected to be below the other comes first, for as long as that is
    cheaper than clearing it; then the pairs that keep items undecided. Two items of −1 if nothing
    is worth asking for.

    Args:
        at: The standing.
        rules: The rules.
        paces: As in `votes_missing`.
        asked: How often each pair [smaller, larger] has been asked for without an answer.
        later: Pairs [smaller, larger] that should wait while another is useful.
        most: How many duels are asked for on this occasion.
    """
    size = at.out_at.size
    found, one, other = -np.inf, -1, -1
    suspects = max(3, most // 2)
    level = level_wanted(at, rules)
    for a in range(size):
        for b in range(a + 1, size):
            suspicion = max(at.rivals[a, b], at.rivals[b, a]) * rules.rival_cost
            penalty = _LATER * later[a, b] + 1e-6 * asked[a, b]
            if suspicion >= 1.0 and asked[a, b] < suspects:
                value = _SUSPECT + suspicion / rules.rival_cost - penalty
            else:
                value = at.rivals[a, b] + at.rivals[b, a] - penalty
                if value <= found:
                    continue
                need = max(
                    votes_missing(at, rules, paces, level, a, b),
                    votes_missing(at, rules, paces, level, b, a),
                )
                if need <= 0.0 or asked[a, b] >= max(2.0, 0.5 * need):
                    continue
            if value > found:
                found, one, other = value, a, b
    if one >= 0 and rules.decoys and found < _SUSPECT:
        return _by_decoy(at, rules, paces, one, other)
    return one, other, 0


@compiled
def _by_decoy(at: Standing, rules: Rulebook, paces: Floats, a: int, b: int) -> tuple[int, int, int]:
    """The pair as a duel against a decoy, where that is likely to clear it sooner."""
    level = level_wanted(at, rules)
    if votes_missing(at, rules, paces, level, a, b) < votes_missing(at, rules, paces, level, b, a):
        a, b = b, a  # now a is to be cleared for b
    rule = 1 if at.numbers[OPENED] else 0
    met = at.decoy[rule, a, b]
    duels = met.sum()
    if duels < _TRIED:
        return a, b, 1
    gained = log_bet(rules.decoy, met[0] + met[4], met[1], met[2] + met[3]) / duels
    return (a, b, 1) if gained > paces[0] else (min(a, b), max(a, b), 0)


@compiled
def play(
    at: Standing,
    rules: Rulebook,
    paces: Floats,
    chances: Floats,
    cannot: Floats,
    decoys: Floats,
    ties: float,
    seed: int,
    budget: int,
) -> None:
    """Ask one duel after the other, answered at random, until all is decided or the budget spent.

    Args:
        at: The standing, which is moved on.
        rules: The rules.
        paces: As in `votes_missing`.
        chances: The chance of each item to win against each other one, if nobody ties.
        cannot: The share of voters who say that a pair cannot be compared.
        decoys: The chance of each item to win against the decoy of each other one.
        ties: The share of ties among the other answers.
        seed: Of the answers.
        budget: The largest number of answers.
    """
    size = at.out_at.size
    asked = np.zeros((size, size), np.int64)
    later = np.zeros((size, size), np.int64)
    one, other = np.zeros(1, np.int64), np.zeros(1, np.int64)
    said, decoy = np.zeros(1, np.int64), np.zeros(1, np.int64)
    while at.numbers[READ] < budget and not is_done(at):
        a, b, by_decoy = next_duel(at, rules, paces, asked, later, 1)
        if a < 0:
            return
        number = at.numbers[READ]
        one[0], other[0], decoy[0] = a, b, by_decoy
        chance = decoys[a, b] if by_decoy else chances[a, b]
        if not by_decoy and keyed_uniform(seed, 0, number, 0) < cannot[a, b]:
            said[0] = CANNOT
        elif keyed_uniform(seed, 1, number, 0) < ties:
            said[0] = TIE
        else:
            said[0] = WIN if keyed_uniform(seed, 2, number, 0) < chance else LOSS
        read_answers(at, rules, one, other, said, decoy)
