"""The judge of answers in the order of their asks: a log is read through a `Referee`.

Claims on named pairs are kept as well: each has the strongest evidence that there ever was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from antichain._kernels import compiled
from antichain.certify._several import is_several
from antichain.certify._verdicts import (
    Clearing,
    Judged,
    Mask,
    PairEvidence,
    Verdicts,
    log_not_maximal,
    required_by_averages,
)
from antichain.certify._weigh import (
    DecoyAnswers,
    PairAnswers,
    ScoreStreams,
    WeighedDecoys,
    answers_of,
    weigh,
    weigh_decoys,
)
from antichain.evidence._bet import Bet, Floats, Whole, log_bet
from antichain.referee import Referee, Terms
from antichain.referee._referee import MOST_ITEMS
from antichain.referee._standing import CANNOT, GIVEN_UP, LOSS, NOTHING, TIE, WIN, Standing
from antichain.referee._terms import Rulebook
from antichain.votes._vote_log import ANSWERS, FORMS, VoteLog

_LOST = len(FORMS)  # the form of an ask that was given up
_SKIPPED, _CANNOT = FORMS.index("skipped"), FORMS.index("incomparable")


def is_ordered(log: VoteLog) -> bool:
    """Whether the order of the answers is known, and the items few enough to be judged in it."""
    in_order = log.asks is not None and log.pooling and len(log.items) <= MOST_ITEMS
    return in_order and not is_several(log)


class _Asked(NamedTuple):
    """The answers in their order: items, the form of each, what it says, whether of a decoy."""

    first: Whole
    second: Whole
    form: Whole
    said: Whole
    decoy: Whole


def _asked(log: VoteLog, terms: Terms) -> _Asked:
    asks = log.asks
    assert asks is not None, "the caller has checked that the order is known"
    form = asks.form
    if asks.known_by == "asks" and asks.unanswered == "stop":
        form = np.where(form == _SKIPPED, _LOST, form)  # a numbered ask that stays unanswered
    scores = log.meanings.doubled_scores
    means = [NOTHING if scores[answer] is None else TIE for answer in ANSWERS]
    said = np.array([WIN, LOSS, *means[2:], GIVEN_UP])[form]
    if terms.cannot_compare:
        said = np.where((form == _CANNOT) & (asks.decoy == 0), CANNOT, said)
    return _Asked(asks.first, asks.second, form, said, asks.decoy)


def referees(log: VoteLog, terms: Terms, parts: int = 1) -> Iterator[tuple[Referee, Whole]]:
    """The referee after each of so many parts of the log, and the place of each item there.

    The referee has the items in the order of their names, so that nothing depends on the order
    that the log has them in.
    """
    order = sorted(range(len(log.items)), key=log.items.__getitem__)
    place = np.argsort(np.array(order, np.int64))
    asked, referee = _asked(log, terms), Referee(len(log.items), terms)
    for part in np.array_split(np.arange(len(asked.first)), parts):
        first, second = place[asked.first[part]], place[asked.second[part]]
        referee.read(first, second, asked.said[part], asked.decoy[part])
        yield referee, place


def judge_in_order(log: VoteLog, terms: Terms) -> Judged:
    """Judge a log by its answers in the order of their asks."""
    ((referee, place),) = referees(log, terms)
    asked, size = _asked(log, terms), len(log.items)
    turned = asked.first > asked.second
    keys = np.where(turned, asked.second, asked.first) * size
    keys += np.where(turned, asked.first, asked.second)
    pairs, row = np.unique(keys, return_inverse=True)
    first, second = pairs // size, pairs % size
    direct = asked.decoy == 0
    cells = (row * (_LOST + 1) + asked.form)[direct]
    table = np.bincount(cells, minlength=len(pairs) * (_LOST + 1)).reshape(-1, _LOST + 1)
    read = answers_of(log, first, second, table[:, :_LOST], table[:, _LOST], terms.cannot_compare)
    best = np.zeros((len(pairs), _BEST))
    rules = terms.rulebook(size)
    even = Bet.against_gap(terms.epsilon).packed
    _keep_strongest(best, rules, even, row, turned, asked.form, asked.said, asked.decoy)
    decoys = None
    if terms.decoy_gap is not None:
        decoys = _decoys(asked, terms.decoy_gap, best[np.unique(row[~direct])])
    evidence = PairEvidence(best[:, :2], best[:, 2], best[:, 3])
    return Judged(read, evidence, decoys, _verdicts(read, referee.standing, terms, rules, place))


def _decoys(asked: _Asked, decoy_gap: float, best: Floats) -> WeighedDecoys:
    """Duels against decoys, with the strongest evidence that there ever was."""
    shown = asked.decoy != 0
    ends = np.stack([asked.first, asked.second], axis=1)[shown]
    pairs, row = np.unique(ends, axis=0, return_inverse=True)
    said = asked.said[shown]
    won, tied, lost, gone = (
        np.bincount(row.reshape(-1)[said == what], minlength=len(pairs))
        for what in (WIN, TIE, LOSS, GIVEN_UP)
    )
    duels = DecoyAnswers(pairs[:, 0], pairs[:, 1], ScoreStreams(won, tied, lost), gone)
    weighed = weigh_decoys(duels, decoy_gap)
    return replace(weighed, comparable=best[:, 4], incomparable=best[:, 5])


# -- verdicts as the referee has them ------------------------------------------------------------


def _verdicts(
    read: PairAnswers, at: Standing, terms: Terms, rules: Rulebook, place: Whole
) -> Verdicts:
    out, inside = at.out_at[place] > 0, (at.in_at[place] > 0) & (at.out_at[place] == 0)
    name_of = np.argsort(place)
    rule = 1 if at.numbers[1] else 0
    ends = np.stack([place[read.first], place[read.second]], axis=1)
    uppers, lowers = ends, ends[:, ::-1]
    survived = (at.survived[uppers] > 0) | (rule == 0)
    counts = at.since[rule][uppers, lowers]
    ties = counts[..., 2] + (0 if terms.cannot_compare else counts[..., 3])
    clearing = []
    for epsilon, applies in ((terms.epsilon, survived), (terms.epsilon_others, ~survived)):
        bet = Bet.clearing(epsilon)
        flat = (counts[..., 0] + counts[..., 4], counts[..., 1], ties)
        found = bet.terms_of_counts(*(part.ravel() for part in flat))
        clearing.append(Clearing(bet, found.reshape(*applies.shape, len(bet.stakes)), applies))
    weighed = weigh(read, terms.epsilon, terms.cannot_compare)
    pooled = None if terms.cannot_compare else weighed.pooled
    _, others = log_not_maximal(read, weighed.above, pooled, single=True)
    level = required_by_averages(at.not_maximal, rules.delta_out)[place]
    decided = out | inside
    came_in = int((inside & (at.why[place, 0] <= rule)).sum())
    behind = (int(at.survived.sum()) if rule else read.size) - came_in
    weakest = at.why[place, 1]
    return Verdicts(
        out=out,
        inside=inside,
        evidence=np.where(decided, at.shown[place, 0], at.not_maximal[place]),
        required=np.where(decided, at.shown[place, 1], level),
        above=weighed.above,
        cleared=at.cleared[rule][uppers, lowers],
        clearing=tuple(clearing),
        wanted=float(rules.log_inside[rule] + math.log(max(1, behind))),
        to_lose=level[np.stack([read.second, read.first], axis=1)] - others,
        weakest=np.where(weakest >= 0, name_of[weakest], -1),
        every=not terms.strong,
    )


# -- claims on pairs, kept -----------------------------------------------------------------------

_BEST = 6  # above by direction, even, incomparable; by decoys: comparable, incomparable


@compiled
def _keep_strongest(
    best: Floats,
    rules: Rulebook,
    even: Floats,
    rows: Whole,
    turned: Mask,
    form: Whole,
    said: Whole,
    decoy: Whole,
) -> None:
    """The largest log-evidence of each claim on each pair at any time, after these answers."""
    # Wins of the first, wins of the second, halves, "cannot compare", lost, other answers.
    direct = np.zeros((best.shape[0], 6), np.int64)
    shown = np.zeros((best.shape[0], 2, 4), np.int64)  # by side: wins, losses, halves, lost
    for k in range(rows.size):
        row, best_of = rows[k], best[rows[k]]
        side = 1 if turned[k] else 0
        if decoy[k]:
            d = shown[row]
            column = min(said[k], TIE)
            if said[k] == NOTHING:
                continue
            d[side, 3 if said[k] == GIVEN_UP else column] += 1
            one = log_bet(rules.dominance, d[0, 0], d[0, 1] + d[0, 3], d[0, 2])
            two = log_bet(rules.dominance, d[1, 0], d[1, 1] + d[1, 3], d[1, 2])
            best_of[4] = max(best_of[4], np.logaddexp(one, two) - math.log(2.0))
            one = log_bet(rules.decoy, d[0, 0] + d[0, 3], d[0, 1], d[0, 2])
            two = log_bet(rules.decoy, d[1, 0] + d[1, 3], d[1, 1], d[1, 2])
            best_of[5] = max(best_of[5], min(one, two))
            continue
        c = direct[row]
        if said[k] == WIN or said[k] == LOSS:
            c[1 if (said[k] == WIN) == (side == 1) else 0] += 1
        elif said[k] == TIE:
            c[2] += 1
        elif said[k] == GIVEN_UP:
            c[4] += 1
        if form[k] == _CANNOT:
            c[3] += 1
            best_of[3] = max(best_of[3], log_bet(rules.dominance, c[3], c[5] + c[4], 0))
        elif form[k] < _CANNOT:
            c[5] += 1
        if said[k] == NOTHING or said[k] == GIVEN_UP:
            continue
        can = np.inf
        if rules.cannot_compare:
            can = log_bet(rules.can, c[3] + c[4], c[0] + c[1] + c[2], 0)
        for one in range(2):
            above = log_bet(rules.dominance, c[one], c[1 - one] + c[4], c[2])
            best_of[one] = max(best_of[one], min(above, can))
        best_of[2] = max(
            best_of[2],
            min(
                log_bet(even, c[0] + c[4], c[1], c[2]),
                log_bet(even, c[1] + c[4], c[0], c[2]),
            ),
        )
