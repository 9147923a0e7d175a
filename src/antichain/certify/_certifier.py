"""`certify`: from a log of votes to a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antichain import _checks
from antichain.certify._caveats import (
    assumptions_of,
    contradictions,
    notes_on,
    undeclared_decoys,
)
from antichain.certify._certificate import (
    Certificate,
    DecoyClaim,
    Group,
    Inside,
    Missing,
    Out,
    PairClaim,
    Pairs,
    Record,
)
from antichain.certify._claims import Claims, Dominances, Rejections, Split, claims_of, decoy_claims
from antichain.certify._missing import Shortfalls
from antichain.certify._weigh import WeighedDecoys, by_item, weigh, weigh_decoys
from antichain.errors import InputError
from antichain.evidence._bet import Floats
from antichain.orders._closure import find_cycle
from antichain.votes._vote_log import VoteLog


def certify(
    log: VoteLog,
    delta: float = 0.05,
    epsilon: float = 0.05,
    split: Split | None = None,
    reading: Mapping[str, Any] | None = None,
    decoy_gap: float | None = None,
) -> Certificate:
    """Certify which items of a log are in, out or undecided, and why.

    Guarantee: with probability at least 1 − δ every claim of the certificate is true, and so is
    every claim of every certificate made from an earlier part of the same log
    (docs/certificates.md).

    The arguments are those of `antichain.front`, and `reading`: the options that the votes were
    read with, to be stored in the certificate.

    >>> log = VoteLog.from_counts([("tea", "rain", 90, 10), ("tea", "fog", 95, 5)])
    >>> certify(log).out["rain"].by
    'tea'
    """
    _checks.instance("log", log, VoteLog, "a VoteLog, as read_votes gives it,")
    _checks.instance("reading", reading, Mapping, "a mapping of options", optional=True)
    _checks.probability("delta", delta)
    _checks.gap("epsilon", epsilon)
    if len(log.items) < 2:
        raise InputError(f"{log.source} has {len(log.items)} items, but at least two were expected")
    split = _checked_split(log, Split() if split is None else split, decoy_gap)
    named = _Named(log, claims_of(weigh(log, epsilon), split, delta))
    undecided = named.undecided()
    decoys = None if decoy_gap is None else weigh_decoys(log, decoy_gap)
    pairs = named.pairs(decoys, split.of(delta)["decoys"])
    return Certificate(
        items=log.items,
        votes=log.votes,
        pairs_seen=log.pairs.size,
        records=named.records(),
        delta=delta,
        epsilon=epsilon,
        split=split,
        front=named.front(),
        inside=named.inside(),
        out=named.out(),
        undecided={item: listed for item, (listed, _) in undecided.items()},
        missing={item: missing for item, (_, missing) in undecided.items()},
        groups=named.groups(),
        pairs=pairs,
        assumptions=assumptions_of(log, decoy_gap),
        notes=(*notes_on(log, decoy_gap), *undeclared_decoys(log), *contradictions(pairs)),
        answers=log.answer_counts,
        meanings=log.meanings.words,
        clusters=None if log.clusters is None else (log.clusters.column, log.clusters.clusters),
        fingerprint=log.fingerprint,
        source=log.source,
        reading=dict(reading or {}),
        decoy_gap=decoy_gap,
        decoy_votes=0 if log.decoys is None else int(log.decoys.table.sum()),
    )


def _checked_split(log: VoteLog, split: Split, decoy_gap: float | None) -> Split:
    """The split for the kinds of claims that can be made about this log."""
    _checks.instance("split", split, Split, "a Split of delta among the kinds of claims")
    if not log.pooling:
        split = split.without_pooling()
    if decoy_gap is None:
        return split
    _checks.gap("decoy_gap", decoy_gap)
    if log.decoys is None:
        raise InputError(
            f"{log.source} has no duels of an item against the decoy of another, but with a decoy "
            "gap some were expected (say which names are decoys by --decoys or --decoy-suffix)"
        )
    return split.with_decoys()


class _Named:
    """Claims with names and numbers. Ties are broken by name, never by the order of the items."""

    def __init__(self, log: VoteLog, claims: Claims) -> None:
        self._names = log.items
        self._weighed = claims.weighed
        self._claims = claims
        wins, halves, losses = log.scored()
        self._counted = wins + halves + losses
        self._votes = by_item(log, self._counted, self._counted)
        self._met = by_item(log, self._counted > 0, self._counted > 0)
        scores = by_item(log, wins + halves / 2, losses + halves / 2)
        self._shares = np.where(self._votes > 0, scores / np.maximum(self._votes, 1), 0.5)

    def records(self) -> dict[str, Record]:
        numbers = zip(self._votes.tolist(), self._shares.tolist(), self._met.tolist(), strict=True)
        return {
            name: Record(int(votes), share if votes else None, int(met))
            for name, (votes, share, met) in zip(self._names, numbers, strict=True)
        }

    def front(self) -> tuple[str, ...]:
        return tuple(self._names[i] for i in np.flatnonzero(self._claims.front))

    def inside(self) -> dict[str, Inside]:
        weighed, (rejected, levels) = self._weighed, self._claims.inside
        weakest: dict[int, tuple[float, str, int, int]] = {}
        # An item that is in has met every opponent: the least certain one is among the pairs.
        ends = weighed.first, weighed.second
        for side in (0, 1):
            ours, theirs = ends[1 - side], ends[side]
            for row in np.flatnonzero(rejected[ours]).tolist():
                i, name = int(ours[row]), self._names[theirs[row]]
                entry = (float(weighed.within[row, side]), name, row, 1 - side)
                weakest[i] = min(weakest.get(i, entry), entry)
        return {
            self._names[i]: Inside(
                name, int(self._counted[row]), self._score(row, side), evidence, float(levels[i])
            )
            for i, (evidence, name, row, side) in sorted(weakest.items())
        }

    def _score(self, row: int, side: int) -> float:
        """The mean score of one side of a pair: 0 for its first item, 1 for its second."""
        score = float(self._weighed.score[row])
        return 1 - score if side else score

    def _claim(self, row: int, side: int, log_evidence: float, level: float) -> PairClaim:
        """The claim about a pair, with the item of this side first."""
        ends = self._names[self._weighed.first[row]], self._names[self._weighed.second[row]]
        votes, score = int(self._counted[row]), self._score(row, side)
        return PairClaim(
            ends[side], ends[1 - side], votes, score, float(log_evidence), float(level)
        )

    def _dominances(self, shown: Dominances) -> list[PairClaim]:
        above, levels = self._weighed.above, self._claims.above_levels
        return [
            self._claim(row, side, above[row, side], levels[row, side])
            for row, side in zip(shown.rows.tolist(), shown.sides.tolist(), strict=True)
        ]

    def out(self) -> dict[str, Out]:
        uppers: dict[str, list[PairClaim]] = {}
        for claim in self._dominances(self._claims.outsiders):
            uppers.setdefault(claim.second, []).append(claim)
        return {
            self._names[i]: self._why_out(i, uppers.get(self._names[i], []))
            for i in np.flatnonzero(self._claims.out).tolist()
        }

    def _why_out(self, i: int, uppers: list[PairClaim]) -> Out:
        family = self._claims.pooled
        pooled = bool(family.rejected[i])
        if not uppers:
            votes, share = int(self._votes[i]), float(self._shares[i])
            evidence, level = float(self._weighed.pooled[i]), float(family.levels[i])
            return Out(None, pooled, votes, share, evidence, level, ())
        top = min(uppers, key=_strongest)
        others = tuple(sorted(claim.first for claim in uppers if claim is not top))
        share = 1 - top.share
        return Out(top.first, pooled, top.votes, share, top.log_evidence, top.level, others)

    def groups(self) -> tuple[Group, ...]:
        shown = {claim[:2]: claim for claim in self._dominances(self._claims.dominances)}
        entered = self._claims.grouped[self._claims.outsiders.lowers]
        found = []
        for number, members in enumerate(self._claims.groups):
            named = [self._names[i] for i in members]
            relation = np.array([[(a, b) in shown for b in named] for a in named])
            cycle = [named[k] for k in find_cycle(relation)]
            start = cycle.index(min(cycle))
            cycle = cycle[start:] + cycle[:start]
            steps = tuple(shown[step] for step in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            found.append(Group(tuple(sorted(named)), tuple(cycle), steps, number not in entered))
        return tuple(sorted(found))

    def undecided(self) -> dict[str, tuple[tuple[Missing, ...], int]]:
        items = np.flatnonzero(self._claims.undecided).tolist()
        found = Shortfalls(self._claims, self._names, self._counted).of(items)
        return {self._names[i]: missing for i, missing in found.items()}

    def pairs(self, decoys: WeighedDecoys | None, alpha: float) -> Pairs:
        weighed, claims = self._weighed, self._claims
        dominated = tuple(sorted(self._dominances(claims.dominances), key=_strongest))
        even = self._of_pairs(claims.even, weighed.within.min(axis=1))
        comparable, incomparable = self._by_decoys(decoys, alpha)
        close = {frozenset(claim[:2]) for claim in even}
        close -= {frozenset(claim[:2]) for claim in dominated}
        shown = claims.above.any(axis=1) | claims.even.rejected | claims.incomparable.rejected
        ends = zip(weighed.first[~shown].tolist(), weighed.second[~shown].tolist(), strict=True)
        by_decoys = {frozenset(claim[:2]) for claim in (*comparable, *incomparable)}
        return Pairs(
            dominated,
            even,
            self._of_pairs(claims.incomparable, weighed.incomparable),
            sum(frozenset((self._names[i], self._names[j])) not in by_decoys for i, j in ends),
            weighed.size * (weighed.size - 1) // 2 - len(weighed.first),
            incomparable,
            comparable,
            tuple(claim[:2] for claim in comparable if frozenset(claim[:2]) in close),
        )

    def _of_pairs(self, family: Rejections, log_evidence: Floats) -> tuple[PairClaim, ...]:
        ends = self._weighed.first, self._weighed.second
        found = []
        for row in np.flatnonzero(family.rejected).tolist():
            side = int(self._names[ends[1][row]] < self._names[ends[0][row]])
            found.append(self._claim(row, side, log_evidence[row], family.levels[row]))
        return tuple(sorted(found, key=_strongest))

    def _by_decoys(
        self, decoys: WeighedDecoys | None, alpha: float
    ) -> tuple[tuple[DecoyClaim, ...], tuple[DecoyClaim, ...]]:
        if decoys is None:
            return (), ()
        comparable, incomparable = decoy_claims(decoys, self._weighed.size, alpha)
        return (
            self._of_decoys(decoys, comparable, decoys.comparable),
            self._of_decoys(decoys, incomparable, decoys.incomparable),
        )

    def _of_decoys(
        self, decoys: WeighedDecoys, family: Rejections, log_evidence: Floats
    ) -> tuple[DecoyClaim, ...]:
        found = []
        for row in np.flatnonzero(family.rejected).tolist():
            sides = zip(
                (self._names[decoys.first[row]], self._names[decoys.second[row]]),
                decoys.votes[row].tolist(),
                decoys.score[row].tolist(),
                strict=True,
            )
            (first, n, share), (second, m, other) = sorted(sides)
            shares = share if n else None, other if m else None
            evidence, level = float(log_evidence[row]), float(family.levels[row])
            found.append(DecoyClaim(first, second, n + m, *shares, evidence, level))
        return tuple(sorted(found, key=_strongest))


def _strongest(claim: PairClaim | DecoyClaim) -> tuple[float, str, str]:
    return -claim.log_evidence, claim.first, claim.second
