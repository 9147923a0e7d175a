"""The sequential judge once more, slowly: docs/theory/few-votes.md over plain dictionaries.

It has no state but the answers and what was decided; every number is computed from the start, with
e-values in place of their logarithms where they fit.
"""

from __future__ import annotations

import math
from collections import Counter

from antichain.evidence._bet import Bet
from antichain.referee import Terms
from antichain.referee._standing import CANNOT, GIVEN_UP, LOSS, NOTHING, TIE, WIN
from antichain.referee._terms import on_rates
from tests.bets import evidence

TURNED = {WIN: LOSS, LOSS: WIN}
Answer = tuple[int, int, int, bool]  # first, second, what it says, against the second's decoy


class PlainReferee:
    """Reads answers one by one; `out` and `inside` say after how many each item was decided."""

    def __init__(self, size: int, terms: Terms) -> None:
        self.size, self.terms = size, terms
        self.read = 0
        self.out: dict[int, int] = {}
        self.inside: dict[int, int] = {}
        self.by_rule: dict[int, int] = {}
        self.opened: int | None = None
        self.survivors: set[int] = set()
        self.against = dict.fromkeys(range(size), 1.0)  # N_i
        self.all: dict[tuple[int, int], Counter[int]] = {}
        self.lost_by: dict[int, Counter[int]] = {i: Counter() for i in range(size)}
        # By rule: what counts towards clearing j for i, direct and by decoys.
        self.clearing: list[dict[tuple[int, int], tuple[Counter[int], Counter[int]]]] = [{}, {}]
        shares = terms.shares["in"] * 0.3, terms.shares["in"] * 0.7
        self.levels = [1 / share for share in shares]

    # -- e-values --------------------------------------------------------------------------------

    def above(self, j: int, i: int) -> float:
        c = self.all.get((j, i), Counter())
        ties = c[TIE] if self.terms.cannot_compare else c[TIE] + c[CANNOT]
        bet = evidence(Bet.open_ended(), c[WIN], c[LOSS] + c[GIVEN_UP], ties)
        if not self.terms.cannot_compare:
            return bet
        compared = c[WIN] + c[LOSS] + c[TIE]
        can = evidence(on_rates(2 / 3, above=False), c[CANNOT] + c[GIVEN_UP], compared, 0)
        return min(bet, can)

    def cleared(self, rule: int, j: int, i: int) -> float:
        c, d = self.clearing[rule].get((j, i), (Counter(), Counter()))
        strict = rule == 0 or j in self.survivors
        epsilon = self.terms.epsilon if strict else self.terms.epsilon_others
        ties = c[TIE] if self.terms.cannot_compare else c[TIE] + c[CANNOT]
        found = evidence(Bet.clearing(epsilon), c[WIN] + c[GIVEN_UP], c[LOSS], ties)
        if self.terms.cannot_compare:
            compared = c[WIN] + c[LOSS] + c[TIE] + c[GIVEN_UP]
            found = (found + evidence(on_rates(1 / 3, above=True), c[CANNOT], compared, 0)) / 2
        if self.terms.decoy_gap is not None:
            bet = Bet.against_gap(self.terms.decoy_gap)
            found *= evidence(bet, d[WIN] + d[GIVEN_UP], d[LOSS], d[TIE] + d[CANNOT])
        return found

    def not_maximal(self, i: int) -> float:
        rivals = [j for j in range(self.size) if j != i]
        above = [self.above(j, i) for j in rivals]
        products = [math.prod(1 - r + r * e for e in above) for r in (1 / self.size, 0.15, 0.5)]
        mean = sum(products) / 3
        if self.terms.cannot_compare:
            return mean
        c = self.lost_by[i]
        pooled = evidence(Bet.open_ended(), c[WIN], c[LOSS] + c[GIVEN_UP], c[TIE] + c[CANNOT])
        return 0.75 * mean + 0.25 * pooled

    # -- reading ---------------------------------------------------------------------------------

    def tell(self, answer: Answer) -> None:
        """Take in an answer; it counts for the rule of the opening if it comes after that."""
        self.read += 1
        first, second, said, decoy = answer
        if said == NOTHING:
            return
        directions = ((first, second, said), (second, first, TURNED.get(said, said)))
        for j, i, seen in directions[:1] if decoy else directions:
            for rule in (0, 1):
                if rule == 0 or self.opened is not None:
                    self._count_clearing(rule, j, i, seen, decoy)
        if not decoy:
            for j, i, seen in directions:
                self.all.setdefault((j, i), Counter())[seen] += 1
                self.lost_by[i][seen] += 1
            for i in (first, second):
                if i not in self.out:
                    self.against[i] = self.not_maximal(i)
        self._judge_out()
        if self.opened is None and not self._is_anybody_suspect():
            self.opened = self.read
            self.survivors = set(range(self.size)) - set(self.out)
        for rule in (0, 1):
            if rule == 0 or self.opened is not None:
                self._judge_in(rule)

    def _count_clearing(self, rule: int, j: int, i: int, seen: int, decoy: bool) -> None:
        members = self.size if rule == 0 else len(self.survivors)
        if self.cleared(rule, j, i) >= self.levels[rule] * (1 + members):
            return  # it is above every level that can matter, and stands still
        both = self.clearing[rule].setdefault((j, i), (Counter(), Counter()))
        both[1 if decoy else 0][seen] += 1

    def _judge_out(self) -> None:
        alpha = self.terms.shares["out"]
        for i in range(self.size):
            if i in self.out or i in self.inside:
                continue
            others = (max(0.0, 1 - alpha * self.against[j]) for j in range(self.size) if j != i)
            if alpha * self.against[i] >= 1 + sum(others):
                self.out[i] = self.read

    def _is_anybody_suspect(self) -> bool:
        """Whether a duel may show that an undecided item is below another, at a fair price."""
        delta_in = self.terms.shares["in"]
        opponents = self.size - 1
        if self.terms.strong:
            opponents = min(opponents, math.sqrt(self.size))
        price = 0.6 * opponents * (math.log(1 / delta_in) + 1) / (2 * self.terms.epsilon**2)
        undecided = [i for i in range(self.size) if i not in self.out and i not in self.inside]
        return any(
            self.chance_to_show(j, i) * price >= 1
            for i in undecided
            for j in range(self.size)
            if j != i
        )

    def chance_to_show(self, j: int, i: int) -> float:
        """About how likely one more duel is to show that j is above i."""
        c = self.all.get((j, i), Counter())
        wins, losses = c[WIN] + c[TIE] / 2, c[LOSS] + c[TIE] / 2
        gaps = [(k + 0.5) / 24 for k in range(12)]
        up = [(0.3 / 12) * (1 + 2 * g) ** wins * (1 - 2 * g) ** losses for g in gaps]
        down = [(0.3 / 12) * (1 + 2 * g) ** losses * (1 - 2 * g) ** wins for g in gaps]
        missing = max(1.0, math.log(6 * self.size / self.terms.shares["out"] / self.above(j, i)))
        rates = [(0.5 + g) * math.log1p(2 * g) + (0.5 - g) * math.log1p(-2 * g) for g in gaps]
        ours = sum(u / (1 + missing / rate) for u, rate in zip(up, rates, strict=True))
        if self.terms.cannot_compare:
            ours *= math.exp(-0.7 * max(0.0, 1.5 * c[CANNOT] - c[WIN] - c[LOSS] - c[TIE]))
        return ours / (0.4 + sum(up) + sum(down))

    def _judge_in(self, rule: int) -> None:
        """Put in the largest set that is cleared at the level of all that stay behind.

        Who is in already, by this rule or the stricter one, does not stay behind.
        """
        counted = set(range(self.size)) if rule == 0 else self.survivors
        least = {
            i: math.inf
            if self.by_rule.get(i, 2) <= rule
            else min(
                (
                    self.cleared(rule, j, i)
                    for j in range(self.size)
                    if j != i and not (self.terms.strong and j in self.out)
                ),
                default=math.inf,
            )
            for i in counted - set(self.out)
        }
        for members in range(len(counted), 0, -1):
            level = self.levels[rule] * (1 + len(counted) - members)
            passing = [i for i in least if least[i] >= level]
            if len(passing) >= members:
                for i in passing:
                    self.inside.setdefault(i, self.read)
                    self.by_rule.setdefault(i, rule)
                return
