"""How many votes lead to a verdict with several criteria: for forecasts, and to choose duels.

All of it is a forecast for planning; no claim rests on it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain.certify._certificate import Missing, short_list
from antichain.certify._missing import MOST_ENTRIES, MOST_OPPONENTS
from antichain.certify._naming import Naming
from antichain.certify._several import CriterionEvidence, JudgedCriteria
from antichain.evidence._bet import Floats
from antichain.referee import Terms

_TIES_ADDED = 4  # to the votes of a pair and criterion when their rate is estimated; by hand
_FEWEST = 10  # opponents listed for each undecided item at least


class Route(NamedTuple):
    """By pair and direction: the votes that a claim still takes, and which criterion is next."""

    votes: Floats  # infinite if it is never shown
    criterion: NDArray[np.int64]


class Routes:
    """The ways to a verdict if each criterion of each pair goes on at a rate.

    Args:
        evidence: What is shown so far.
        rates: The mean score of the first item, by criterion and pair.
        epsilon: The ε of the claims.
        asked: Votes that are asked for already, by criterion and pair.
    """

    def __init__(
        self,
        evidence: CriterionEvidence,
        rates: Floats,
        epsilon: float,
        asked: Floats | float = 0.0,
    ) -> None:
        self._evidence, self._possible = evidence, evidence.possible
        means, centre = np.stack([rates, 1 - rates], axis=2), 0.5 + epsilon
        self._above = np.where(means > 0.5, _kl(means, 0.5), 0.0)
        from_centre = _kl(means, centre)
        self._within = np.where(means < centre, from_centre, 0.0)
        self._beyond = np.where(means > centre, from_centre, 0.0)
        self._asked = np.asarray(asked)[..., None]

    def _needs(self, logs: Floats, growth: Floats, wanted: Floats | float) -> Floats:
        deficit = np.maximum(wanted - logs, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            votes = np.where(deficit > 0, deficit / growth, 0.0)
        return np.asarray(np.maximum(np.ceil(votes) - self._asked, 0.0))

    def out(self, wanted: Floats) -> Route:
        """Until the one item alone puts the other out, whose log-evidence is `wanted`."""
        evidence, better = self._evidence, self._possible.better
        count = len(evidence.above)
        wanted = wanted + (math.log(2) if count > 1 else 0.0)
        everywhere = _all(self._needs(evidence.above, self._above, wanted))
        no_worse = self._needs(evidence.within, self._within, wanted[:, ::-1])[:, :, ::-1]
        found = everywhere
        if count > 1:
            clearly = _any(self._needs(evidence.beyond, self._beyond, wanted + math.log(count)))
            both = _all(no_worse)
            first = both.votes > 0
            votes = both.votes + clearly.votes
            criterion = np.where(first, both.criterion, clearly.criterion)
            found = _least(everywhere, Route(votes, criterion))
        found = _where(better, _all(no_worse), found)
        never = Route(np.full_like(found.votes, np.inf), found.criterion)
        return _where(self._possible.above, found, never)

    def inside(self, wanted: float) -> Route:
        """Until the one item leaves the other in, at the log-evidence `wanted`."""
        evidence, better = self._evidence, self._possible.better
        count = len(evidence.above)
        mixed = math.log(2) if count > 1 else 0.0
        ahead = self._needs(evidence.above, self._above, wanted + mixed + math.log(count))
        somewhere = _any(ahead[:, :, ::-1])
        nowhere = _all(self._needs(evidence.within, self._within, wanted + mixed))
        found = nowhere if count == 1 else _least(somewhere, nowhere)
        found = _where(better, somewhere, found)
        done = (evidence.cleared >= wanted) | ~self._possible.above
        return Route(np.where(done, 0.0, np.maximum(found.votes, 1.0)), found.criterion)


def _kl(p: Floats, q: float) -> Floats:
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))


def _all(needs: Floats) -> Route:
    return Route(needs.sum(axis=0), needs.argmax(axis=0))


def _any(needs: Floats) -> Route:
    return Route(needs.min(axis=0), needs.argmin(axis=0))


def _where(mask: NDArray[np.bool_], one: Route, other: Route) -> Route:
    return Route(*(np.where(mask, a, b) for a, b in zip(one, other, strict=True)))


def _least(one: Route, other: Route) -> Route:
    return _where(one.votes <= other.votes, one, other)


# -- what undecided items are missing ------------------------------------------------------------


def shortfalls(
    found: JudgedCriteria, naming: Naming, terms: Terms, values: Floats
) -> dict[int, tuple[tuple[Missing, ...], int]]:
    """For each undecided item, opponents that it has yet to clear, and their number.

    Votes count on whatever criterion; `if_even` supposes that pairs are even on all of them.
    """
    judged, evidence, streams = found
    at, read = judged.verdicts, judged.read
    observed = np.array([stream.observations for stream in streams])
    means = np.array([stream.mean for stream in streams])
    rates = 0.5 + (means - 0.5) * observed / (observed + _TIES_ADDED)
    here = Routes(evidence, rates, terms.epsilon)
    even = Routes(evidence, np.full_like(rates, 0.5), terms.epsilon).inside(at.wanted).votes
    at_rate, to_lose = here.inside(at.wanted).votes, here.out(at.to_lose).votes
    tables = even, at_rate, to_lose
    is_open = ~at.out & ~at.inside
    entries: dict[int, list[Missing]] = {i: [] for i in np.flatnonzero(is_open).tolist()}
    met: dict[int, set[int]] = {i: {i} for i in entries}
    for side, (ours, theirs) in enumerate(((read.second, read.first), (read.first, read.second))):
        wanted = is_open[ours] & evidence.possible.above[:, side]
        for row in np.flatnonzero(wanted).tolist():
            i = int(ours[row])
            met[i].add(int(theirs[row]))
            if at.cleared[row, side] < at.wanted:
                entries[i].append(_entry(naming, row, side, [table[row, side] for table in tables]))
    most = min(MOST_OPPONENTS, max(_FEWEST, MOST_ENTRIES // max(1, len(entries))))
    fresh = _unasked(len(streams), at.wanted, terms.epsilon)
    counted = {}
    for i, listed in entries.items():
        never = np.flatnonzero((values >= values[i]).all(axis=1))
        never = never[~np.isin(never, list(met[i]))]
        missing = len(listed) + len(never)
        better = (values[never] > values[i]).any(axis=1).tolist()
        # An even item that is better on an attribute is never cleared.
        listed += [
            Missing(naming.names[j], 0, None, *(None if ahead else fresh,) * 2, None)
            for j, ahead in zip(never.tolist()[:most], better, strict=False)
        ]
        counted[i] = short_list(listed, most), missing
    return counted


def _entry(naming: Naming, row: int, side: int, needs: list[float]) -> Missing:
    """What is missing between the lower item of a direction and the other one."""
    read, votes = naming.read, int(naming.counted[row])
    opponent = naming.names[(read.first, read.second)[side][row]]
    share = naming.share(row, 1 - side) if votes else None
    return Missing(opponent, votes, share, *(int(n) if math.isfinite(n) else None for n in needs))


def _unasked(criteria: int, wanted: float, epsilon: float) -> int:
    """The votes that clear an opponent that was never met, if the two are even."""
    if criteria > 1:
        wanted += math.log(2)
    return criteria * math.ceil(wanted / float(_kl(np.array(0.5), 0.5 + epsilon)))
