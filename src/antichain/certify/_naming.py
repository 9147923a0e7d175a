"""Claims by index turned to names and numbers. Ties are broken by name, never by order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antichain.certify._certificate import DecoyClaim, Group, Out, PairClaim, Pairs, Record
from antichain.certify._claims import Dominances, Indices, Mask, Rejections
from antichain.certify._weigh import PairAnswers, WeighedDecoys
from antichain.evidence._bet import Floats
from antichain.orders._closure import find_cycle
from antichain.votes._vote_log import VoteLog


def _mean_scores(log: VoteLog, observed: Floats) -> Floats | None:
    """The mean score of each pair's votes, where the counts say only how they lean."""
    if log.scores is not None:
        return observed
    if log.clusters is None or log.clusters.unit == 2:
        return None
    (row, mean, votes), times = log.clusters.pairs, log.clusters.times[0]
    weights = votes if times is None else votes * times
    total = np.bincount(row, weights, minlength=len(observed))
    return np.asarray(np.bincount(row, mean * weights, minlength=len(observed)) / total.clip(1))


class Naming:
    """Names and numbers for claims about the answers that were read."""

    def __init__(self, log: VoteLog, read: PairAnswers) -> None:
        self.names, self.read = log.items, read
        self._asked = log.pairs.first * read.size + log.pairs.second
        scores = read.scores
        self.counted = scores.votes
        self.score = scores.mean  # of the observations of each pair
        self.votes = read.per_item(self.counted, self.counted)
        self._met = read.per_item(self.counted > 0, self.counted > 0)
        won = read.per_item(scores.wins + scores.ties / 2, scores.losses + scores.ties / 2)
        if (mean := _mean_scores(log, self.score)) is not None:
            won = read.per_item(mean * self.counted, (1 - mean) * self.counted)
        self.shares = np.where(self.votes > 0, won / np.maximum(self.votes, 1), 0.5)

    def records(self) -> dict[str, Record]:
        numbers = zip(self.votes.tolist(), self.shares.tolist(), self._met.tolist(), strict=True)
        return {
            name: Record(int(votes), share if votes else None, int(met))
            for name, (votes, share, met) in zip(self.names, numbers, strict=True)
        }

    # -- pairs -----------------------------------------------------------------------------------

    def share(self, row: int, side: int) -> float:
        """The mean score of one side of a pair: 0 for its first item, 1 for its second."""
        score = float(self.score[row])
        return 1 - score if side else score

    def claim(self, row: int, side: int, log_evidence: float, level: float) -> PairClaim:
        """The claim about a pair, with the item of this side first."""
        ends = self.names[self.read.first[row]], self.names[self.read.second[row]]
        votes, share = int(self.counted[row]), self.share(row, side)
        return PairClaim(
            ends[side], ends[1 - side], votes, share, float(log_evidence), float(level)
        )

    def dominances(self, shown: Dominances, above: Floats, levels: Floats) -> list[PairClaim]:
        return [
            self.claim(row, side, above[row, side], levels[row, side])
            for row, side in zip(shown.rows.tolist(), shown.sides.tolist(), strict=True)
        ]

    def of_pairs(self, family: Rejections, log_evidence: Floats) -> tuple[PairClaim, ...]:
        ends = self.read.first, self.read.second
        found = []
        for row in np.flatnonzero(family.rejected).tolist():
            side = int(self.names[ends[1][row]] < self.names[ends[0][row]])
            found.append(self.claim(row, side, log_evidence[row], family.levels[row]))
        return tuple(sorted(found, key=strongest))

    def of_decoys(
        self, decoys: WeighedDecoys, family: Rejections, log_evidence: Floats
    ) -> tuple[DecoyClaim, ...]:
        found = []
        for row in np.flatnonzero(family.rejected).tolist():
            sides = zip(
                (self.names[decoys.first[row]], self.names[decoys.second[row]]),
                decoys.votes[row].tolist(),
                decoys.score[row].tolist(),
                strict=True,
            )
            (first, n, share), (second, m, other) = sorted(sides)
            shares = share if n else None, other if m else None
            evidence, level = float(log_evidence[row]), float(family.levels[row])
            found.append(DecoyClaim(first, second, n + m, *shares, evidence, level))
        return tuple(sorted(found, key=strongest))

    def pairs(
        self,
        dominated: Sequence[PairClaim],
        even: tuple[PairClaim, ...],
        incomparable: tuple[PairClaim, ...],
        decoys: WeighedDecoys | None,
        by_decoys: tuple[Rejections, Rejections] | None,
    ) -> Pairs:
        """Everything that is shown about pairs."""
        comparable: tuple[DecoyClaim, ...] = ()
        apart: tuple[DecoyClaim, ...] = ()
        if decoys is not None and by_decoys is not None:
            comparable = self.of_decoys(decoys, by_decoys[0], decoys.comparable)
            apart = self.of_decoys(decoys, by_decoys[1], decoys.incomparable)
        close = {frozenset(claim[:2]) for claim in even}
        close -= {frozenset(claim[:2]) for claim in dominated}
        place = {name: k for k, name in enumerate(self.names)}
        shown = {
            tuple(sorted(place[name] for name in claim[:2]))
            for claims in (dominated, even, incomparable, comparable, apart)
            for claim in claims
        }
        keys = np.array([i * self.read.size + j for i, j in shown], np.int64)
        asked, size = len(self._asked), self.read.size
        return Pairs(
            tuple(sorted(dominated, key=strongest)),
            even,
            incomparable,
            asked - int(np.isin(self._asked, keys).sum()),
            size * (size - 1) // 2 - asked,
            apart,
            comparable,
            tuple(claim[:2] for claim in comparable if frozenset(claim[:2]) in close),
        )

    # -- items -----------------------------------------------------------------------------------

    def out(
        self, i: int, uppers: Sequence[PairClaim], pooled: bool, evidence: float, level: float
    ) -> Out:
        """Why an item is out; `evidence` is that of all its duels together."""
        if not uppers:
            votes, share = int(self.votes[i]), float(self.shares[i])
            return Out(None, pooled, votes, share, evidence, level, ())
        top = min(uppers, key=strongest)
        others = tuple(sorted(claim.first for claim in uppers if claim is not top))
        share = 1 - top.share
        return Out(top.first, pooled, top.votes, share, top.log_evidence, top.level, others)

    def weakest(
        self, cleared: Floats, inside: Mask, known: Indices | None = None
    ) -> dict[int, tuple[str, int, float | None]]:
        """For each item that is in: the opponent cleared least, their votes, the item's share.

        An item that is in has met every opponent that counts: this one is among the pairs, unless
        nobody counts. It is looked up by `cleared`, or `known`.
        """
        least: dict[int, tuple[float, str, int, int]] = {}
        ends = self.read.first, self.read.second
        for side in (0, 1):
            ours, theirs = ends[1 - side], ends[side]
            counts = inside[ours]
            counts &= np.isfinite(cleared[:, side]) if known is None else known[ours] == theirs
            for row in np.flatnonzero(counts).tolist():
                i, name = int(ours[row]), self.names[theirs[row]]
                entry = (float(cleared[row, side]), name, row, 1 - side)
                least[i] = min(least.get(i, entry), entry)
        return {
            i: (name, int(self.counted[row]), self.share(row, side) if self.counted[row] else None)
            for i, (_, name, row, side) in sorted(least.items())
        }

    def groups(
        self, groups: Sequence[Indices], dominated: Sequence[PairClaim], entered: Indices
    ) -> tuple[Group, ...]:
        """The cycles; `entered` has the numbers of groups that have somebody above them."""
        shown = {claim[:2]: claim for claim in dominated}
        found = []
        for number, members in enumerate(groups):
            named = [self.names[i] for i in members]
            relation = np.array([[(a, b) in shown for b in named] for a in named])
            cycle = [named[k] for k in find_cycle(relation)]
            start = cycle.index(min(cycle))
            cycle = cycle[start:] + cycle[:start]
            steps = tuple(shown[step] for step in zip(cycle, cycle[1:] + cycle[:1], strict=True))
            found.append(Group(tuple(sorted(named)), tuple(cycle), steps, number not in entered))
        return tuple(sorted(found))


def uppers_of(dominated: Sequence[PairClaim]) -> dict[str, list[PairClaim]]:
    """The dominances by their lower item."""
    found: dict[str, list[PairClaim]] = {}
    for claim in dominated:
        found.setdefault(claim.second, []).append(claim)
    return found


def strongest(claim: PairClaim | DecoyClaim) -> tuple[float, str, str]:
    return -claim.log_evidence, claim.first, claim.second
