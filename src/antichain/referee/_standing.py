"""The sequential judge as compiled code: what is shown after each answer, in the order of asks.

Arrays over ordered pairs [j, i] are about "j against i". The proofs are in
docs/theory/few-votes.md.

*Out.* `dominance[j, i]` is the log of the bet that j is above i. For each item, products over j of
1 − ρ + ρ·E for three ρ, and the pooled bet of all its duels, are averaged into N_i. A closed test
by averages says who is out. What is out stays out, and its N_i is not moved any more.

*In.* Two rules, each with its share: rule 0 from the first answer on, at ε for every opponent;
rule 1 from the *opening* on (when no item is worth suspecting any more), at ε for those who were
not out then and at the coarser ε₂ for the others. `cleared[rule, j, i]` is the log of the bet that
j does not beat i by more than that; it stands still once it is above any level that can matter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled
from antichain.evidence._bet import Floats, Whole, log_bet
from antichain.referee._terms import Rulebook

WIN, LOSS, TIE, CANNOT, GIVEN_UP, NOTHING = range(6)
"""What one answer says, seen from the first item of its pair."""

# Columns of counts, seen from j in [j, i]: what lost answers are depends on the claim.
_WINS, _LOSSES, _TIES, _CANNOT, _LOST = range(5)
COLUMNS = 5
SHRINK = (0.0, 0.15, 0.5)  # the shares ρ; the first is 1/K. Set by hand
POOLED_WEIGHT = 0.25
READ, OPENED, RIVALS, SURVIVORS = range(4)  # places in `numbers`


class Standing(NamedTuple):
    """What the answers read so far amount to."""

    counts: Whole  # [j, i, column] since the start
    dominance: Floats  # [j, i]
    products: Floats  # [i, ρ]
    pooled: Whole  # [i, column], seen from whoever met i
    not_maximal: Floats  # [i]: log N_i
    out_at: Whole  # [i]: the number of the answer that put it out; 0 if it is not
    in_at: Whole  # [i]: the same for in
    why: Whole  # [i, 2]: the rule by which it is in, and its weakest opponent then
    shown: Floats  # [i, 2]: the log-evidence when it went in or out, and what it had to reach
    survived: Whole  # [i]: whether it was not out at the opening
    since: Whole  # [rule, j, i, column]
    decoy: Whole  # [rule, j, i, column]: j against the decoy of i
    cleared: Floats  # [rule, j, i]
    lacking: Whole  # [rule, i]: opponents that are below the least level that can matter
    rivals: Floats  # [j, i]: how much a duel may do to show i to be below j, in [0, 1]
    # READ; OPENED: after how many, 0 if not yet; RIVALS worth asking about; SURVIVORS then
    numbers: Whole


def fresh(size: int, rules: Rulebook) -> Standing:
    """The standing before the first answer."""
    decoys = size if rules.decoys else 0
    standing = Standing(
        np.zeros((size, size, COLUMNS), np.int64),
        np.zeros((size, size)),
        np.zeros((size, len(SHRINK))),
        np.zeros((size, COLUMNS), np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.full((size, 2), -1, np.int64),
        np.zeros((size, 2)),
        np.zeros(size, np.int64),
        np.zeros((2, size, size, COLUMNS), np.int64),
        np.zeros((2, decoys, decoys, COLUMNS), np.int64),
        np.zeros((2, size, size)),
        np.full((2, size), size - 1, np.int64),
        np.zeros((size, size)),
        np.zeros(4, np.int64),
    )
    _begin(standing, rules)
    return standing


@compiled
def _begin(at: Standing, rules: Rulebook) -> None:
    size = at.dominance.shape[0]
    if size == 1:  # nobody can beat it
        at.in_at[0] = 1
    for j in range(size):
        for i in range(size):
            if i != j:
                at.rivals[j, i] = _rivalry(at.counts[j, i], 0.0, rules)
                at.numbers[RIVALS] += at.rivals[j, i] * rules.rival_cost >= 1.0


@compiled
def read_answers(
    at: Standing, rules: Rulebook, firsts: Whole, seconds: Whole, said: Whole, decoy: Whole
) -> None:
    """Take in answers in their order."""
    for k in range(firsts.size):
        at.numbers[READ] += 1
        a, b = firsts[k], seconds[k]
        if said[k] == NOTHING:
            continue
        if decoy[k]:
            _count_decoy(at, rules, a, b, said[k])
        else:
            _count(at, rules, a, b, said[k])
        moved = _judge_out(at, rules)
        if at.numbers[OPENED] == 0 and at.numbers[RIVALS] == 0:
            _open(at)
        for rule in range(2 if at.numbers[OPENED] else 1):
            if moved or at.lacking[rule, a] == 0 or at.lacking[rule, b] == 0:
                moved |= _judge_in(at, rules, rule)


@compiled
def weigh_again(at: Standing, rules: Rulebook) -> None:
    """Weigh all counts, which were set from outside, as they stand; nothing is judged."""
    for j in range(at.out_at.size):
        for i in range(at.out_at.size):
            if i != j and at.counts[j, i].sum():
                _rival(at, rules, j, i)
                _weigh_cleared(at, rules, 0, j, i)


# -- counting ------------------------------------------------------------------------------------


@compiled
def _columns(said: int) -> tuple[int, int]:
    """The column of an answer for its first item and for its second."""
    if said == WIN:
        return _WINS, _LOSSES
    if said == LOSS:
        return _LOSSES, _WINS
    if said == TIE:
        return _TIES, _TIES
    if said == CANNOT:
        return _CANNOT, _CANNOT
    return _LOST, _LOST


@compiled
def _count(at: Standing, rules: Rulebook, a: int, b: int, said: int) -> None:
    ours, theirs = _columns(said)
    at.counts[a, b, ours] += 1
    at.counts[b, a, theirs] += 1
    at.pooled[b, ours] += 1
    at.pooled[a, theirs] += 1
    _rival(at, rules, a, b)
    _rival(at, rules, b, a)
    for rule in range(2):
        if rule == 0 or at.numbers[OPENED]:
            _clear(at, rules, rule, a, b, ours)
            _clear(at, rules, rule, b, a, theirs)


@compiled
def _count_decoy(at: Standing, rules: Rulebook, a: int, b: int, said: int) -> None:
    """Take in a duel of a against the decoy of b: it can only clear a, and only at a known gap."""
    if not rules.decoys:
        return  # there is no place to count it: writing there would spoil memory
    ours, _ = _columns(said)
    for rule in range(2):
        if (rule == 0 or at.numbers[OPENED]) and not _is_frozen(at, rules, rule, a, b):
            at.decoy[rule, a, b, ours] += 1
            _weigh_cleared(at, rules, rule, a, b)


@compiled
def _rival(at: Standing, rules: Rulebook, j: int, i: int) -> None:
    """Weigh again whether j is above i."""
    if at.out_at[i]:
        return
    evidence = _dominance(at.counts[j, i], rules)
    size = at.dominance.shape[0]
    for k in range(len(SHRINK)):
        share = 1.0 / size if k == 0 else SHRINK[k]
        before = _mixed(at.dominance[j, i], share)
        at.products[i, k] += _mixed(evidence, share) - before
    at.dominance[j, i] = evidence
    at.not_maximal[i] = _log_n(at.products[i], at.pooled[i], rules)
    if at.in_at[i]:
        return
    was = at.rivals[j, i] * rules.rival_cost >= 1.0
    at.rivals[j, i] = _rivalry(at.counts[j, i], evidence, rules)
    at.numbers[RIVALS] += (at.rivals[j, i] * rules.rival_cost >= 1.0) - was


@compiled
def _mixed(evidence: float, share: float) -> float:
    """log(1 − share + share·e^evidence)."""
    return _log_sum(math.log1p(-share), math.log(share) + evidence)


@compiled
def _log_sum(a: float, b: float) -> float:
    top = max(a, b)
    return top + math.log1p(math.exp(min(a, b) - top))


@compiled
def _dominance(c: Whole, rules: Rulebook) -> float:
    """Log of the bet that the item these counts are of is above the other one."""
    if not rules.cannot_compare:
        # What cannot be compared has no winner: half a win each.
        return log_bet(rules.dominance, c[_WINS], c[_LOSSES] + c[_LOST], c[_TIES] + c[_CANNOT])
    above = log_bet(rules.dominance, c[_WINS], c[_LOSSES] + c[_LOST], c[_TIES])
    compared = c[_WINS] + c[_LOSSES] + c[_TIES]
    return min(above, log_bet(rules.can, c[_CANNOT] + c[_LOST], compared, 0))


@compiled
def _log_n(products: Floats, pooled: Whole, rules: Rulebook) -> float:
    """Log of N_i, from its products and all its duels as its opponents see them."""
    top = max(products.max(), 0.0)
    total = 0.0
    for value in products:
        total += math.exp(value - top)
    mean = top + math.log(total / products.size)
    if not rules.pooling:
        return float(mean)
    c = pooled
    every = log_bet(rules.dominance, c[_WINS], c[_LOSSES] + c[_LOST], c[_TIES] + c[_CANNOT])
    return _log_sum(math.log(1 - POOLED_WEIGHT) + mean, math.log(POOLED_WEIGHT) + every)


@compiled
def _rivalry(c: Whole, evidence: float, rules: Rulebook) -> float:
    """How much one more duel may do to show that the item these counts are of is above.

    A model for choosing duels, on which no claim rests: even with probability 0.4, and either
    item above with 0.3, at any gap alike.
    """
    wins, losses = float(c[_WINS]), float(c[_LOSSES])
    halves = 0.5 * c[_TIES]
    top = 0.0
    for g in rules.gaps:
        up, down = math.log1p(2 * g), math.log1p(-2 * g)
        top = max(top, (wins + halves) * up + (losses + halves) * down)
        top = max(top, (losses + halves) * up + (wins + halves) * down)
    all_, ours = 0.4 * math.exp(-top), 0.0
    missing = max(1.0, rules.log_out - evidence)
    weight = 0.3 / rules.gaps.size
    for k in range(rules.gaps.size):
        up, down = math.log1p(2 * rules.gaps[k]), math.log1p(-2 * rules.gaps[k])
        mine = weight * math.exp((wins + halves) * up + (losses + halves) * down - top)
        all_ += mine + weight * math.exp((losses + halves) * up + (wins + halves) * down - top)
        ours += mine / (1.0 + missing / rules.rates[k])
    if rules.cannot_compare:  # those who say so take away from it
        ours *= math.exp(-0.7 * max(0.0, 1.5 * c[_CANNOT] - wins - losses - c[_TIES]))
    return ours / all_


# -- clearing ------------------------------------------------------------------------------------


@compiled
def _size_of(at: Standing, rule: int) -> int:
    """How many items a rule counts: all, or those not out at the opening."""
    return at.out_at.size if rule == 0 else at.numbers[SURVIVORS]


@compiled
def _is_frozen(at: Standing, rules: Rulebook, rule: int, j: int, i: int) -> bool:
    most = rules.log_inside[rule] + math.log(1.0 + _size_of(at, rule))
    return bool(at.cleared[rule, j, i] >= most)


@compiled
def _clear(at: Standing, rules: Rulebook, rule: int, j: int, i: int, column: int) -> None:
    if not _is_frozen(at, rules, rule, j, i):
        at.since[rule, j, i, column] += 1
        _weigh_cleared(at, rules, rule, j, i)


@compiled
def _weigh_cleared(at: Standing, rules: Rulebook, rule: int, j: int, i: int) -> None:
    """Weigh again whether j does not beat i by more than ε."""
    c = at.since[rule, j, i]
    bet = rules.clearing if rule == 0 or at.survived[j] else rules.clearing_others
    if rules.cannot_compare:
        within = log_bet(bet, c[_WINS] + c[_LOST], c[_LOSSES], c[_TIES])
        compared = c[_WINS] + c[_LOSSES] + c[_TIES] + c[_LOST]
        apart = log_bet(rules.cannot, c[_CANNOT], compared, 0)
        evidence = _log_sum(within, apart) - math.log(2.0)
    else:
        evidence = log_bet(bet, c[_WINS] + c[_LOST], c[_LOSSES], c[_TIES] + c[_CANNOT])
    if rules.decoys:
        d = at.decoy[rule, j, i]
        evidence += log_bet(rules.decoy, d[_WINS] + d[_LOST], d[_LOSSES], d[_TIES] + d[_CANNOT])
    least = rules.log_inside[rule]
    counts = not (rules.strong and at.out_at[j])
    if counts:
        at.lacking[rule, i] += (evidence < least) - (at.cleared[rule, j, i] < least)
    at.cleared[rule, j, i] = evidence


# -- judging -------------------------------------------------------------------------------------


@compiled
def _judge_out(at: Standing, rules: Rulebook) -> bool:
    """Put out whom the closed test by averages rejects; says whether that is anybody."""
    size, fell = at.out_at.size, False
    while True:
        short, best = 0.0, -1
        for i in range(size):
            value = rules.delta_out * math.exp(min(at.not_maximal[i], 700.0))
            if value < 1.0:
                short += 1.0 - value
            elif (
                at.out_at[i] == 0
                and at.in_at[i] == 0
                and (best < 0 or at.not_maximal[i] > at.not_maximal[best])
            ):
                best = i
        if best < 0:
            return fell
        if rules.delta_out * math.exp(min(at.not_maximal[best], 700.0)) < 1.0 + short:
            return fell
        at.shown[best, 0] = at.not_maximal[best]
        at.shown[best, 1] = math.log((1.0 + short) / rules.delta_out)
        put_out(at, rules, best)
        fell = True


@compiled
def put_out(at: Standing, rules: Rulebook, i: int) -> None:
    """Note that an item is out, whoever says so."""
    at.out_at[i] = max(1, at.numbers[READ])
    _suspect_no_more(at, rules, i)
    for j in range(at.out_at.size):
        if j != i and rules.strong:  # it need not be cleared any more
            for rule in range(2):
                at.lacking[rule, j] -= at.cleared[rule, i, j] < rules.log_inside[rule]


@compiled
def put_in(at: Standing, rules: Rulebook, i: int) -> None:
    """Note that an item is in, whoever says so."""
    at.in_at[i] = max(1, at.numbers[READ])
    _suspect_no_more(at, rules, i)


@compiled
def _suspect_no_more(at: Standing, rules: Rulebook, i: int) -> None:
    """What is decided need not be shown to be below anybody."""
    for j in range(at.out_at.size):
        at.numbers[RIVALS] -= at.rivals[j, i] * rules.rival_cost >= 1.0
        at.rivals[j, i] = 0.0


@compiled
def _open(at: Standing) -> None:
    at.numbers[OPENED] = at.numbers[READ]
    for i in range(at.out_at.size):
        at.survived[i] = at.out_at[i] == 0
        at.numbers[SURVIVORS] += at.survived[i]


@compiled
def _weakest(at: Standing, rules: Rulebook, rule: int, i: int) -> tuple[float, int]:
    """The opponent that is cleared least, of those that must be, and the log-evidence for it."""
    least, who = np.inf, -1
    for j in range(at.out_at.size):
        if j != i and not (rules.strong and at.out_at[j]) and at.cleared[rule, j, i] < least:
            least, who = at.cleared[rule, j, i], j
    return least, who


@compiled
def _judge_in(at: Standing, rules: Rulebook, rule: int) -> bool:
    """Put in the largest set whose members are cleared at the level of all that stay behind.

    Says whether that is anybody new.

    Who is in by this rule, or by a stricter one, does not stay behind, whatever became of the
    bets since: up to the first false claim they are no items of which it would be false.
    """
    size = at.out_at.size
    count = _size_of(at, rule)
    values = np.full(size, -np.inf)
    for i in range(size):
        if at.in_at[i] and at.why[i, 0] <= rule:
            values[i] = np.inf
        elif at.out_at[i] == 0 and at.lacking[rule, i] == 0:
            values[i] = _weakest(at, rules, rule, i)[0]
    order, came = np.argsort(-values), False
    for members in range(count, 0, -1):
        level = rules.log_inside[rule] + math.log(1.0 + count - members)
        if values[order[members - 1]] >= level:
            for i in order[:members]:
                if at.in_at[i] == 0:
                    put_in(at, rules, i)
                    at.shown[i, 0], at.why[i, 1] = _weakest(at, rules, rule, i)
                    at.shown[i, 1], at.why[i, 0] = level, rule
                    came = True
            return came
    return came
