"""`certify`: from a log of votes to a certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antichain import checks
from antichain.certify.assumptions import assumptions_of
from antichain.certify.bets import Floats, Whole
from antichain.certify.budget import Rejections, Split
from antichain.certify.certificate import (
    Certificate,
    Claim,
    Group,
    Inside,
    Missing,
    Out,
    Pairs,
    Record,
)
from antichain.certify.claims import Claims, claims_of
from antichain.certify.forecast import votes_needed
from antichain.certify.weigh import Weighed, weigh
from antichain.errors import InputError
from antichain.logs.votes import VoteLog
from antichain.orders.closure import find_cycle
from antichain.words import names

MOST_OPPONENTS = 200
"""Opponents listed of one undecided item, the nearest to being cleared first."""

_TIES_ADDED = 4  # to the votes of a pair, where its rate is guessed for a forecast


def certify(
    log: VoteLog,
    delta: float = 0.05,
    epsilon: float = 0.05,
    split: Split | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Certificate:
    """The certificate of a log: which items are in, out or undecided, and why.

    Guarantee: with probability at least 1 − δ every claim of it is true, and so was every claim
    of every certificate made from an earlier part of the same log (docs/certificates.md).

    Args:
        log: The votes.
        delta: The probability of any false claim, at most.
        epsilon: The gap up to which an item may be beaten and still be in.
        split: The share of δ for each kind of claim.
        reading: The options the votes were read with, to be kept in the certificate.

    >>> log = VoteLog.from_counts([("tea", "rain", 90, 10), ("tea", "fog", 95, 5)])
    >>> certify(log).out["rain"].by
    'tea'
    """
    checks.probability("delta", delta)
    checks.gap("epsilon", epsilon)
    if len(log.items) < 2:
        raise InputError(f"{log.source} has {len(log.items)} items, but at least two were expected")
    split = split or Split()
    if not log.pooling:
        split = split.without_pooling()
    weighed = weigh(log, epsilon)
    writer = _Writer(log, weighed, claims_of(weighed, split, delta))
    front, undecided = writer.front(), writer.undecided()
    return Certificate(
        items=log.items,
        votes=log.votes,
        pairs_seen=log.pairs.size,
        records=writer.records(),
        delta=delta,
        epsilon=epsilon,
        split=split,
        front=front,
        inside=writer.inside(),
        out=writer.out(),
        undecided={item: entries[:MOST_OPPONENTS] for item, entries in undecided.items()},
        missing={item: len(entries) for item, entries in undecided.items()},
        groups=writer.groups(),
        pairs=writer.pairs(),
        assumptions=assumptions_of(log),
        notes=notes_on(log),
        answers=log.answer_counts,
        meanings=log.meanings.words,
        clusters=None if log.clusters is None else (log.clusters.column, log.clusters.clusters),
        fingerprint=log.fingerprint,
        source=log.source,
        reading=dict(reading or {}),
    )


class _Writer:
    """Puts names and numbers to claims. Ties between equals are broken by name, never by place."""

    def __init__(self, log: VoteLog, weighed: Weighed, claims: Claims) -> None:
        self._names = log.items
        self._weighed = weighed
        self._claims = claims
        wins, halves, losses = log.scored()
        counted = wins + halves + losses
        self._counted = counted
        self._votes = _square(weighed, counted, counted)
        self._scores = weighed.matrix(np.stack([weighed.score, 1 - weighed.score], axis=1), np.nan)
        self._above = weighed.matrix(weighed.above)
        self._cleared = weighed.cleared()
        self._is_out = claims.out()
        self._pooled_scores = _pooled_scores(log)

    def records(self) -> dict[str, Record]:
        votes = self._votes.sum(axis=1).tolist()
        met = (self._votes > 0).sum(axis=1).tolist()
        shares = self._pooled_scores.tolist()
        return {
            name: Record(votes[i], shares[i] if votes[i] else None, met[i])
            for i, name in enumerate(self._names)
        }

    def front(self) -> tuple[str, ...]:
        free = ~self._is_out & (self._claims.grouped < 0)
        return tuple(self._names[i] for i in np.flatnonzero(self._claims.inside.rejected & free))

    def inside(self) -> dict[str, Inside]:
        rejected, levels = self._claims.inside
        found = {}
        for i in np.flatnonzero(rejected):
            j = self._first(self._cleared[:, i], smallest=True)
            found[self._names[i]] = Inside(
                self._names[j],
                int(self._votes[i, j]),
                float(self._scores[i, j]),
                float(self._cleared[j, i]),
                float(levels[i]),
            )
        return found

    def out(self) -> dict[str, Out]:
        outsiders = self._claims.outsiders()
        return {
            self._names[i]: self._out_by(i, np.flatnonzero(outsiders[:, i]))
            for i in np.flatnonzero(self._is_out).tolist()
        }

    def _out_by(self, i: int, uppers: NDArray[np.intp]) -> Out:
        pooled = bool(self._claims.pooled.rejected[i])
        if not len(uppers):
            return Out(
                None,
                pooled,
                int(self._votes[i].sum()),
                float(self._pooled_scores[i]),
                float(self._weighed.pooled[i]),
                float(self._claims.pooled.levels[i]),
                (),
            )
        by = min(uppers, key=lambda j: (-self._above[j, i], self._names[j]))
        claim = self._dominance(by, i)
        others = tuple(sorted(self._names[j] for j in uppers if j != by))
        return Out(
            claim.first,
            pooled,
            claim.votes,
            1 - claim.share,
            claim.log_evidence,
            claim.level,
            others,
        )

    def _dominance(self, upper: int, lower: int) -> Claim:
        return Claim(
            self._names[upper],
            self._names[lower],
            int(self._votes[upper, lower]),
            float(self._scores[upper, lower]),
            float(self._above[upper, lower]),
            float(self._claims.above_levels[upper, lower]),
        )

    def groups(self) -> tuple[Group, ...]:
        outsiders = self._claims.outsiders()
        found = []
        for members in self._claims.groups:
            cycle = [
                int(members[k]) for k in find_cycle(self._claims.above[np.ix_(members, members)])
            ]
            start = cycle.index(min(cycle, key=lambda i: self._names[i]))
            cycle = cycle[start:] + cycle[:start]
            steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
            found.append(
                Group(
                    tuple(sorted(self._names[i] for i in members)),
                    tuple(self._names[i] for i in cycle),
                    tuple(self._dominance(upper, lower) for upper, lower in steps),
                    not outsiders[:, members].any(),
                )
            )
        return tuple(sorted(found))

    def undecided(self) -> dict[str, tuple[Missing, ...]]:
        open_items = np.flatnonzero(
            ~self._is_out & ~self._claims.inside.rejected & (self._claims.grouped < 0)
        )
        forecast = self._forecast()
        return {self._names[i]: self._missing(i, forecast) for i in open_items.tolist()}

    def _missing(self, i: int, forecast: tuple[Floats, Floats, Floats]) -> tuple[Missing, ...]:
        level = self._claims.inside.levels[i]
        wanted = -math.log(level) if level else math.inf
        opponents = np.flatnonzero(self._cleared[:, i] < wanted)
        if_even, at_rate, to_lose = (_whole_or_none(table[opponents, i]) for table in forecast)
        votes = self._votes[i, opponents].tolist()
        scores = self._scores[i, opponents].tolist()
        entries = [
            Missing(
                self._names[j],
                votes[k],
                scores[k] if votes[k] else None,
                if_even[k],
                at_rate[k],
                to_lose[k],
            )
            for k, j in enumerate(opponents)
        ]
        return tuple(sorted(entries, key=_nearest_first))

    def _forecast(self) -> tuple[Floats, Floats, Floats]:
        """Votes needed by row against column: cleared if even, cleared at its rate, shown above.

        A rate is estimated with a few ties added, so that two votes do not foretell all.
        """
        weighed, claims = self._weighed, self._claims
        level = claims.inside.levels.max()  # that of those still open, the last in the step-down
        clear = -math.log(level) if level else math.inf
        spent = claims.above_levels[claims.above_levels > 0]
        above = -math.log(spent.max()) if len(spent) else math.inf
        asked = weighed.observations
        rate = 0.5 + (weighed.score - 0.5) * asked / (asked + _TIES_ADDED)
        fresh = np.log(weighed.bet_within.weights)[None, :]
        unasked = float(
            votes_needed(weighed.bet_within, fresh, clear, np.array([0.5]), weighed.decisive)[0]
        )
        tables = []
        for bet, terms, threshold, even in (
            (weighed.bet_within, weighed.within_terms, clear, True),
            (weighed.bet_within, weighed.within_terms, clear, False),
            (weighed.bet_above, weighed.above_terms, above, False),
        ):
            columns = [
                votes_needed(
                    bet,
                    terms[:, turned],
                    threshold,
                    np.full(len(rate), 0.5) if even else (1 - rate if turned else rate),
                    weighed.decisive,
                )
                for turned in (0, 1)
            ]
            blank = unasked if bet is weighed.bet_within else np.inf
            tables.append(weighed.matrix(np.stack(columns, axis=1), blank))
        return tables[0], tables[1], tables[2]

    def pairs(self) -> Pairs:
        weighed, claims = self._weighed, self._claims
        uppers, lowers = np.nonzero(claims.above)
        dominated = sorted(
            (self._dominance(i, j) for i, j in zip(uppers.tolist(), lowers.tolist(), strict=True)),
            key=_strongest,
        )
        size = weighed.size
        shown = (
            (claims.above | claims.above.T)[weighed.first, weighed.second]
            | claims.even.rejected
            | claims.incomparable.rejected
        )
        return Pairs(
            tuple(dominated),
            self._of_pairs(claims.even, weighed.within.min(axis=1)),
            self._of_pairs(claims.incomparable, weighed.incomparable),
            int((~shown).sum()),
            size * (size - 1) // 2 - len(weighed.first),
        )

    def _of_pairs(self, family: Rejections, log_evidence: Floats) -> tuple[Claim, ...]:
        found = []
        for row in np.flatnonzero(family.rejected):
            i, j = int(self._weighed.first[row]), int(self._weighed.second[row])
            if self._names[j] < self._names[i]:
                i, j = j, i
            score = float(self._scores[i, j])
            evidence, level = float(log_evidence[row]), float(family.levels[row])
            votes = int(self._counted[row])
            found.append(Claim(self._names[i], self._names[j], votes, score, evidence, level))
        return tuple(sorted(found, key=_strongest))

    def _first(self, values: Floats, smallest: bool) -> int:
        """The index of the smallest (or largest) value, the first name among equals."""
        wanted = values.min() if smallest else values.max()
        return int(min(np.flatnonzero(values == wanted), key=lambda j: self._names[j]))


def _square(weighed: Weighed, first: Whole, second: Whole) -> Whole:
    table = np.zeros((weighed.size, weighed.size), dtype=np.int64)
    table[weighed.first, weighed.second] = first
    table[weighed.second, weighed.first] = second
    return table


def _pooled_scores(log: VoteLog) -> Floats:
    """The mean score of each item over all its votes."""
    wins, halves, losses = log.scored()
    sums, votes = np.zeros(len(log.items)), np.zeros(len(log.items))
    for ends, won in ((log.pairs.first, wins), (log.pairs.second, losses)):
        np.add.at(sums, ends, won + halves / 2)
        np.add.at(votes, ends, wins + halves + losses)
    return np.asarray(np.divide(sums, votes, out=np.full(len(sums), 0.5), where=votes > 0))


def _whole_or_none(votes: Floats) -> list[int | None]:
    return [int(value) if math.isfinite(value) else None for value in votes.tolist()]


def _nearest_first(entry: Missing) -> tuple[float, str]:
    return (math.inf if entry.at_rate is None else entry.at_rate, entry.opponent)


def _strongest(claim: Claim) -> tuple[float, str, str]:
    return -claim.log_evidence, claim.first, claim.second


def notes_on(log: VoteLog) -> tuple[str, ...]:
    """What whoever relies on a log should know of how its votes were read, in sentences."""
    found = list(log.guessed)
    if log.other_rows:
        found.append(f"{log.other_rows:,} rows are about other items and were not counted.")
    if log.apart.rows:
        found.append(
            f"{log.apart.spare:,} spare answers and {log.apart.decoys:,} duels against decoys are "
            "no evidence about the items and were not counted."
        )
    if log.apart.items:
        found.append(
            f"Only there {names(log.apart.items)} occur: no item is compared with them; name all "
            "items (--items) to have them counted."
        )
    if log.skipped_rows.rows:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in log.skipped_rows.kinds.items())
        found.append(f"{log.skipped_rows.rows:,} bad rows were passed over ({kinds}).")
    if log.repeated is not None and log.repeated.votes:
        again = log.repeated
        found.append(
            f"{again.votes:,} votes repeat a voter's earlier vote on the same pair "
            f"({again.voters:,} of {again.most:,} voters did so): they are hardly independent."
        )
    return tuple(found)
