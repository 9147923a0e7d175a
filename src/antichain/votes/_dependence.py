"""Whether what a cluster was asked next depended on its own answers.

Clustered votes are evidence only if which pairs a cluster votes on, and how many, is settled by
earlier clusters. Then what follows a vote in its cluster is independent of who won it, given the
pair. Tournaments and sorts break that: who wins stays, or is asked about again, or meets a
stronger opponent next.

For each vote four things are looked at, seen from the first item of its pair: whether it or the
other one is asked about more often later on in the cluster, which of the two is in the next vote,
how strong the next opponent of that one is (by the votes of other clusters), and whether the one
that the cluster has met less often is in the next vote. From each, and from the answer, goes what
the pair explains: the difference of two items' effects, and the mean of the pair as far as there
are votes to tell. What is left of the two is multiplied and summed by cluster, as the votes of a
cluster may depend on each other. These sums U have mean zero if nothing depends, even where only
one of the two explanations is right. For symmetric U of any sort,
P(|ΣU| ≥ x·√ΣU²) ≤ 2·exp(−x²/2) (Efron 1969), from which the threshold comes. All four together
are held against χ² with as many degrees of freedom, with room for what was fitted.
"""

from __future__ import annotations

import math

import numpy as np

from antichain.votes._vote_log import Counts, Floats, VoteLog

FALSE_ALARMS = 1 / 1000
"""How likely a note on clusters that depend on nothing may be."""

_MOST_ITEMS = 2000  # the effects of more are not worth their time
_PRIOR_VOTES = 8.0  # how many votes of a pair weigh as much as the effects of its items
_OWN_MEAN = 5  # from so many votes on, a pair is explained by its own mean
_MOST_ALONE = math.sqrt(2 * math.log(8 / FALSE_ALARMS))  # of one of the four, by either sign
_MOST_TOGETHER = 27.0  # set by hand: χ² with four degrees of freedom is beyond in 1 of 50,000 cases


def dependent_clusters(log: VoteLog) -> str | None:
    """A sentence if what clusters were asked depended on their own answers; otherwise None.

    Args:
        log: The votes, read with a column of clusters.
    """
    if log.clusters is None or len(log.items) > _MOST_ITEMS:
        return None
    within = _Within.of(log)
    if within is None or not within.depends():
        return None
    column = log.clusters.column
    return (
        f"dependent clusters: what a {column!r} was asked next depended on its own earlier "
        "answers, as when the winner stays on, in a knock-out or in a sort. The guarantee does not "
        f"hold then, because the pairs of a {column!r} and their number may depend only on earlier "
        "clusters."
    )


class _Within:
    """Votes sorted by cluster, in their order within each.

    Args:
        cluster: The cluster of each vote, 0, 1, 2, …
        first: One item of each pair.
        second: The other one.
        pair: The number of the pair.
        answer: 1 if the first won, −1 if the second did, otherwise 0.
        items: The number of items.
    """

    def __init__(
        self,
        cluster: Counts,
        first: Counts,
        second: Counts,
        pair: Counts,
        answer: Floats,
        items: int,
    ) -> None:
        self.cluster, self.first, self.second, self.pair = cluster, first, second, pair
        self.answer, self.items = answer, items
        self.has_next = np.append(cluster[1:] == cluster[:-1], False)

    @classmethod
    def of(cls, log: VoteLog) -> _Within | None:
        order = None if log.clusters is None else log.clusters.order
        if order is None or order.cluster is None:
            return None
        rows = np.flatnonzero(order.number > 0)
        rows = rows[np.argsort(order.cluster[rows], kind="stable")]
        _, cluster = np.unique(order.cluster[rows], return_inverse=True)
        pair = order.pair_row[rows]
        signs = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
        found = cls(
            cluster,
            log.pairs.first[pair],
            log.pairs.second[pair],
            pair,
            signs[order.form[rows]],
            len(log.items),
        )
        return found if found.has_next.any() else None

    def depends(self) -> bool:
        alone, together = self.scores()
        return max(alone) > _MOST_ALONE or together > _MOST_TOGETHER

    def scores(self) -> tuple[list[float], float]:
        """|ΣU| / √ΣU² for each of the things looked at, and for all together its square."""
        rows = np.flatnonzero(self.has_next)
        answer = self._unexplained(self.answer, rows)
        columns = [
            np.bincount(self.cluster[rows], answer * self._unexplained(feature, rows))
            for feature in self._features()
        ]
        lengths = [math.sqrt(float(column @ column)) for column in columns]
        table = np.column_stack(
            [
                u / length if length > 1e-9 else 0 * u
                for u, length in zip(columns, lengths, strict=True)
            ]
        )
        sums = table.sum(axis=0)
        together = sums @ np.linalg.pinv(table.T @ table, rcond=1e-6) @ sums
        return np.abs(sums).tolist(), float(together)

    def _met(self) -> tuple[Counts, Counts]:
        """How often both items of each vote were voted on earlier, and later, in the cluster.

        Both as the difference between the first and the second.
        """
        votes = self.cluster.size
        keys = np.concatenate([self.cluster, self.cluster]) * self.items
        keys += np.concatenate([self.first, self.second])
        order = np.lexsort((np.tile(np.arange(votes), 2), keys))
        ends = np.append(np.flatnonzero(np.diff(keys[order])), keys.size - 1)
        sizes = np.diff(ends, prepend=-1)
        earlier, later = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
        later[order] = np.repeat(ends, sizes) - np.arange(keys.size)
        earlier[order] = np.repeat(sizes, sizes) - 1 - later[order]
        return earlier[:votes] - earlier[votes:], later[:votes] - later[votes:]

    def _features(self) -> list[Floats]:
        """What follows each vote, as numbers that change their sign with the sides."""
        earlier, later = self._met()
        after = np.minimum(np.arange(self.first.size) + 1, self.first.size - 1)
        one, other = self.first[after], self.second[after]
        first_stays = (self.first == one) | (self.first == other)
        second_stays = (self.second == one) | (self.second == other)
        stays = np.where(self.has_next, first_stays.astype(np.int64) - second_stays, 0)
        kept = np.where(stays > 0, self.first, self.second)
        opponent = np.where(one == kept, other, one)
        strength = np.where(stays == 0, 0.0, self._strength(opponent))
        newer = -np.sign(earlier)
        newer_stays = np.where(newer > 0, first_stays, second_stays)
        usual = newer_stays[self.has_next & (newer != 0)]
        share = float(usual.mean()) if usual.size else 0.0
        return [
            np.sign(later).astype(np.float64),
            stays.astype(np.float64),
            stays * strength,
            newer * (newer_stays - share),
        ]

    def _strength(self, item: Counts) -> Floats:
        """How much an item wins in the votes of clusters other than that of each row."""
        won, met = np.zeros(self.items), np.zeros(self.items)
        for who, sign in ((self.first, 1), (self.second, -1)):
            won += np.bincount(who, sign * self.answer, self.items)
            met += np.bincount(who, minlength=self.items)
        keys = np.concatenate([self.cluster, self.cluster]) * self.items
        keys += np.concatenate([self.first, self.second])
        known, place = np.unique(keys, return_inverse=True)
        own_won = np.bincount(place, np.concatenate([self.answer, -self.answer]))
        own_met = np.bincount(place)
        at = np.minimum(np.searchsorted(known, self.cluster * self.items + item), known.size - 1)
        own = known[at] == self.cluster * self.items + item
        won_elsewhere = won[item] - np.where(own, own_won[at], 0)
        met_elsewhere = met[item] - np.where(own, own_met[at], 0)
        return won_elsewhere / (met_elsewhere + _PRIOR_VOTES)

    def _unexplained(self, values: Floats, rows: Counts) -> Floats:
        """What is left of values that change their sign with the sides, once pairs explain them."""
        values, first, second = values[rows], self.first[rows], self.second[rows]
        weights = np.eye(self.items)
        for one, other, sign in ((first, first, 1), (second, second, 1), (first, second, -1)):
            found = np.bincount(one * self.items + other, minlength=self.items**2) * sign
            found = found.reshape(self.items, self.items)
            weights += found + found.T if sign < 0 else found
        sums = np.bincount(first, values, self.items) - np.bincount(second, values, self.items)
        effect = np.linalg.solve(weights, sums)
        rest = values - effect[first] + effect[second]
        _, pair = np.unique(self.pair[rows], return_inverse=True)
        votes = np.bincount(pair)
        # Where all agree nothing must be left, or what was fitted would look like evidence.
        means = np.bincount(pair, rest) / np.where(votes < _OWN_MEAN, votes + _PRIOR_VOTES, votes)
        return np.asarray(rest - means[pair])
