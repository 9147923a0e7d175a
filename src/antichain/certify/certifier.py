"""`certify`: from a log of votes to a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antichain import checks
from antichain.certify.assumptions import assumptions_of
from antichain.certify.budget import Rejections, Split
from antichain.certify.certificate import (
    Certificate,
    Claim,
    DecoyClaim,
    Group,
    Inside,
    Missing,
    Out,
    Pairs,
    Record,
)
from antichain.certify.claims import Claims, Dominances, claims_of
from antichain.certify.decoys import WeighedDecoys, decoy_claims, weigh_decoys
from antichain.certify.missing import Shortfalls
from antichain.certify.notes import contradictions, notes_on, undeclared_decoys
from antichain.certify.weigh import weigh
from antichain.errors import InputError
from antichain.evidence.bet import Floats
from antichain.logs.votes import VoteLog
from antichain.orders.closure import find_cycle


def certify(
    log: VoteLog,
    delta: float = 0.05,
    epsilon: float = 0.05,
    split: Split | None = None,
    reading: Mapping[str, Any] | None = None,
    decoy_gap: float | None = None,
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
        decoy_gap: Δ, by how much at least decoys lose to whatever is at or above their items;
            None if the duels against decoys are to be left out.

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
    if decoy_gap is not None:
        split = split.with_decoys()
        _check_decoys(log, decoy_gap)
    writer = _Writer(log, claims_of(weigh(log, epsilon), split, delta))
    undecided = writer.undecided()
    pairs = writer.pairs(None if decoy_gap is None else weigh_decoys(log, decoy_gap), split, delta)
    return Certificate(
        items=log.items,
        votes=log.votes,
        pairs_seen=log.pairs.size,
        records=writer.records(),
        delta=delta,
        epsilon=epsilon,
        split=split,
        front=writer.front(),
        inside=writer.inside(),
        out=writer.out(),
        undecided={item: listed for item, (listed, _) in undecided.items()},
        missing={item: missing for item, (_, missing) in undecided.items()},
        groups=writer.groups(),
        pairs=pairs,
        assumptions=assumptions_of(log, decoy_gap),
        notes=(
            *notes_on(log, decoy_gap),
            *undeclared_decoys(log),
            *contradictions(pairs),
        ),
        answers=log.answer_counts,
        meanings=log.meanings.words,
        clusters=None if log.clusters is None else (log.clusters.column, log.clusters.clusters),
        fingerprint=log.fingerprint,
        source=log.source,
        reading=dict(reading or {}),
        decoy_gap=decoy_gap,
        decoy_votes=0 if log.decoys is None else int(log.decoys.table.sum()),
    )


def _check_decoys(log: VoteLog, decoy_gap: float) -> None:
    checks.gap("decoy_gap", decoy_gap)
    if log.decoys is None:
        raise InputError(
            f"{log.source} has no duels of an item against the decoy of another, but with a decoy "
            "gap some were expected (say which names are decoys by --decoys or --decoy-suffix)"
        )


class _Writer:
    """Puts names and numbers to claims. Ties between equals are broken by name, never by place."""

    def __init__(self, log: VoteLog, claims: Claims) -> None:
        self._names = log.items
        self._weighed = claims.weighed
        self._claims = claims
        wins, halves, losses = log.scored()
        self._counted = wins + halves + losses
        self._votes = _by_item(log, self._counted, self._counted)
        self._met = _by_item(log, self._counted > 0, self._counted > 0)
        scores = _by_item(log, wins + halves / 2, losses + halves / 2)
        self._shares = np.where(self._votes > 0, scores / np.maximum(self._votes, 1), 0.5)
        self._is_out = claims.out()

    def records(self) -> dict[str, Record]:
        numbers = zip(self._votes.tolist(), self._shares.tolist(), self._met.tolist(), strict=True)
        return {
            name: Record(int(votes), share if votes else None, int(met))
            for name, (votes, share, met) in zip(self._names, numbers, strict=True)
        }

    def front(self) -> tuple[str, ...]:
        free = ~self._is_out & (self._claims.grouped < 0)
        return tuple(self._names[i] for i in np.flatnonzero(self._claims.inside.rejected & free))

    def inside(self) -> dict[str, Inside]:
        weighed, (rejected, levels) = self._weighed, self._claims.inside
        weakest: dict[int, tuple[float, str, int, int]] = {}
        # Of an item that is in, each opponent was met: whoever is cleared least is among the pairs.
        for side, (ours, theirs) in enumerate(
            ((weighed.second, weighed.first), (weighed.first, weighed.second))
        ):
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

    def out(self) -> dict[str, Out]:
        uppers: dict[int, list[Claim]] = {i: [] for i in np.flatnonzero(self._is_out).tolist()}
        for lower, claim in self._dominances(self._claims.outsiders):
            uppers[lower].append(claim)
        return {self._names[i]: self._out_by(i, claims) for i, claims in uppers.items()}

    def _out_by(self, i: int, uppers: list[Claim]) -> Out:
        pooled = bool(self._claims.pooled.rejected[i])
        if not uppers:
            return Out(
                None,
                pooled,
                int(self._votes[i]),
                float(self._shares[i]),
                float(self._weighed.pooled[i]),
                float(self._claims.pooled.levels[i]),
                (),
            )
        claim = min(uppers, key=_strongest)
        others = tuple(sorted(other.first for other in uppers if other is not claim))
        return Out(
            claim.first,
            pooled,
            claim.votes,
            1 - claim.share,
            claim.log_evidence,
            claim.level,
            others,
        )

    def _dominances(self, shown: Dominances) -> list[tuple[int, Claim]]:
        """The claim of each of these dominances, with the index of the lower item."""
        found = []
        for upper, lower, row, side in zip(*(part.tolist() for part in shown), strict=True):
            claim = Claim(
                self._names[upper],
                self._names[lower],
                int(self._counted[row]),
                self._score(row, side),
                float(self._weighed.above[row, side]),
                float(self._claims.above_levels[row, side]),
            )
            found.append((lower, claim))
        return found

    def groups(self) -> tuple[Group, ...]:
        shown = {(claim.first, claim.second): claim for claim in self._all_dominances()}
        entered = self._claims.grouped[self._claims.outsiders.lowers]
        found = []
        for number, members in enumerate(self._claims.groups):
            named = [self._names[i] for i in members]
            relation = np.array([[(a, b) in shown for b in named] for a in named])
            cycle = [named[k] for k in find_cycle(relation)]
            start = cycle.index(min(cycle))
            cycle = cycle[start:] + cycle[:start]
            steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
            found.append(
                Group(
                    tuple(sorted(named)),
                    tuple(cycle),
                    tuple(shown[step] for step in steps),
                    number not in entered,
                )
            )
        return tuple(sorted(found))

    def _all_dominances(self) -> list[Claim]:
        return [claim for _, claim in self._dominances(self._claims.dominances)]

    def undecided(self) -> dict[str, tuple[tuple[Missing, ...], int]]:
        """The opponents that each undecided item has yet to clear, and how many these are."""
        open_items = np.flatnonzero(
            ~self._is_out & ~self._claims.inside.rejected & (self._claims.grouped < 0)
        ).tolist()
        found = Shortfalls(self._claims, self._names, self._counted).of(open_items)
        return {self._names[i]: told for i, told in found.items()}

    def pairs(self, decoys: WeighedDecoys | None, split: Split, delta: float) -> Pairs:
        weighed, claims = self._weighed, self._claims
        size = weighed.size
        even = self._of_pairs(claims.even, weighed.within.min(axis=1))
        comparable, incomparable = self._by_decoys(decoys, split.of(delta)["decoys"])
        shown = claims.above.any(axis=1) | claims.even.rejected | claims.incomparable.rejected
        ends = zip(weighed.first[~shown].tolist(), weighed.second[~shown].tolist(), strict=True)
        told = {frozenset(claim[:2]) for claim in (*comparable, *incomparable)}
        dominated = tuple(sorted(self._all_dominances(), key=_strongest))
        ordered = {frozenset(claim[:2]) for claim in dominated}
        close = {frozenset(claim[:2]) for claim in even} - ordered
        return Pairs(
            dominated,
            even,
            self._of_pairs(claims.incomparable, weighed.incomparable),
            sum(frozenset((self._names[i], self._names[j])) not in told for i, j in ends),
            size * (size - 1) // 2 - len(weighed.first),
            incomparable,
            comparable,
            tuple(claim[:2] for claim in comparable if frozenset(claim[:2]) in close),
        )

    def _by_decoys(
        self, decoys: WeighedDecoys | None, alpha: float
    ) -> tuple[tuple[DecoyClaim, ...], tuple[DecoyClaim, ...]]:
        """The pairs that decoys show to be comparable, and those they show not to be."""
        if decoys is None:
            return (), ()
        families = decoy_claims(decoys, self._weighed.size, alpha)
        found = []
        weights = decoys.comparable, decoys.incomparable
        for family, logs in zip(families, weights, strict=True):
            claims = []
            for row in np.flatnonzero(family.rejected).tolist():
                sides = zip(
                    (self._names[decoys.first[row]], self._names[decoys.second[row]]),
                    decoys.votes[row].tolist(),
                    decoys.score[row].tolist(),
                    strict=True,
                )
                (first, n, share), (second, m, other) = sorted(sides)
                shares = share if n else None, other if m else None
                evidence, level = float(logs[row]), float(family.levels[row])
                claims.append(DecoyClaim(first, second, n + m, *shares, evidence, level))
            found.append(tuple(sorted(claims, key=_strongest)))
        return found[0], found[1]

    def _of_pairs(self, family: Rejections, log_evidence: Floats) -> tuple[Claim, ...]:
        found = []
        for row in np.flatnonzero(family.rejected).tolist():
            ends = self._names[self._weighed.first[row]], self._names[self._weighed.second[row]]
            side = int(ends[1] < ends[0])
            evidence, level = float(log_evidence[row]), float(family.levels[row])
            votes = int(self._counted[row])
            first, second = ends[side], ends[1 - side]
            found.append(Claim(first, second, votes, self._score(row, side), evidence, level))
        return tuple(sorted(found, key=_strongest))


def _by_item(log: VoteLog, of_first: Any, of_second: Any) -> Floats:
    """The sums over each item's pairs, of one number where it comes first and another elsewhere."""
    size = len(log.items)
    return np.asarray(
        np.bincount(log.pairs.first, of_first, minlength=size)
        + np.bincount(log.pairs.second, of_second, minlength=size)
    )


def _strongest(claim: Claim | DecoyClaim) -> tuple[float, str, str]:
    return -claim.log_evidence, claim.first, claim.second
