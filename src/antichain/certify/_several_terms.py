"""A certificate on several criteria: what it promises and assumes, and its numbers by criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from antichain._text import names
from antichain.certify import _caveats
from antichain.certify._certificate import Against, Criteria, Likely, Missing, Quality
from antichain.certify._naming import Naming
from antichain.certify._routes import shortfalls
from antichain.certify._several import criteria_of, judge_criteria, oriented
from antichain.certify._weigh import ScoreStreams
from antichain.evidence._bet import Floats
from antichain.referee import Terms
from antichain.votes._vote_log import VoteLog

_DIGITS = 3  # of estimates
_MODEL = (
    "The likely front and the estimated quality of each item come from a Bradley–Terry model of "
    "each criterion."
)


class SeveralCriteria:
    """What a certificate says where there are several criteria, or attributes."""

    def __init__(self, log: VoteLog, terms: Terms) -> None:
        self._log, self._terms, self._values = log, terms, oriented(log)
        self.found = judge_criteria(log, terms)
        self.names = criteria_of(log)
        self.qualities: dict[str, dict[str, Quality]] | None = None

    @property
    def _known(self) -> tuple[str, ...]:
        return () if self._log.attributes is None else tuple(self._log.attributes.directions)

    def undecided(self, naming: Naming) -> dict[str, tuple[tuple[Missing, ...], int]]:
        found = shortfalls(self.found, naming, self._terms, self._values)
        return {self._log.items[i]: missing for i, missing in found.items()}

    def described(self, naming: Naming, opponents: Mapping[str, str]) -> Criteria:
        known, read = self._log.attributes, self.found.judged.read
        parts = [
            Naming(self._log, replace(read, scores=stream)).records()
            for stream in self.found.streams
        ]
        free = np.flatnonzero(self.found.evidence.possible.rivals == 0).tolist()
        return Criteria(
            column=None if self._log.criteria is None else self._log.criteria.column,
            names=self.names,
            attributes={} if known is None else dict(known.directions),
            values={} if known is None else {i: dict(known.values[i]) for i in self._log.items},
            records={
                item: {name: part[item] for name, part in zip(self.names, parts, strict=True)}
                for item in self._log.items
            },
            against=self._against(naming, opponents),
            without_votes=tuple(self._log.items[i] for i in free),
        )

    def _against(self, naming: Naming, opponents: Mapping[str, str]) -> dict[str, Against]:
        read, place = naming.read, {name: k for k, name in enumerate(naming.names)}
        rows = {
            pair: row
            for row, pair in enumerate(zip(read.first.tolist(), read.second.tolist(), strict=True))
        }
        found = {}
        for item, other in opponents.items():
            pair = place[item], place[other]
            row, turned = rows[min(pair), max(pair)], pair[0] > pair[1]
            records = {}
            for name, stream in zip(self.names, self.found.streams, strict=True):
                votes, mean = int(stream.votes[row]), float(stream.mean[row])
                share = 1 - mean if turned else mean
                records[name] = (votes, share if votes else None)
            found[item] = Against(other, records)
        return found

    def estimated(self) -> tuple[Likely | None, tuple[str, ...]]:
        """The likely front by a Bradley–Terry model of each criterion, and notes on it."""
        from antichain.likely import not_estimated
        from antichain.likely._strengths import likely_by_strengths

        items = self._log.items
        order = sorted(range(len(items)), key=items.__getitem__)
        wins = [self._wins(stream)[np.ix_(order, order)] for stream in self.found.streams]
        found = likely_by_strengths(wins, self._values[order], self._terms.epsilon)
        if found is None:
            return None, (str(not_estimated(len(items))),)
        place = {items[i]: k for k, i in enumerate(order)}
        rounded = found.qualities.round(_DIGITS).tolist()
        self.qualities = {
            item: {name: Quality(*rounded[c][place[item]]) for c, name in enumerate(self.names)}
            for item in items
        }
        likely = Likely(
            chances={item: round(float(found.chances[place[item]]), _DIGITS) for item in items},
            likely_front=tuple(items[order[k]] for k in found.front),
            expected_f1=round(found.expected_f1, _DIGITS),
            exactly_right=round(found.exactly_right, _DIGITS),
        )
        return likely, (_MODEL,)

    def _wins(self, stream: ScoreStreams) -> Floats:
        read = self.found.judged.read
        table, observed = np.zeros((read.size, read.size)), stream.observations
        table[read.first, read.second] = stream.mean * observed
        table[read.second, read.first] = (1 - stream.mean) * observed
        return table

    # -- in words --------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        by = " by criterion" if len(self.names) > 1 else ""
        known = f", and {names(self._known)} is known of each item" if self._known else ""
        clusters = self._log.clusters
        how = f"Votes were counted{by}"
        if clusters is not None:
            how = f"Each {clusters.column!r} was counted{by} as one observation"
        return (
            f"{how}{known}. {_caveats.NOT_USED}. Chances and qualities are a model's estimate, "
            "not a guarantee."
        )

    @property
    def promise(self) -> str:
        epsilon = f"{self._terms.epsilon:g}"
        beaten = f", by more than {epsilon} on one of them"
        if self._known:
            beaten = (
                f" and no worse on any attribute, unless all their attributes are the same and it "
                f"is better by no more than {epsilon}"
            )
        return (
            f"With probability at least {1 - self._terms.delta:g}, if the assumptions hold, all "
            "claims are true, whenever and however often you look: every item that is out has some "
            f"item above it, and no item is better than one that is in on every voted criterion"
            f"{beaten}."
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        log, epsilon = self._log, f"{self._terms.epsilon:g}"
        attributes = "no worse on any attribute and " if self._known else ""
        one = " by any amount on an attribute, or" if self._known else ""
        found = [
            f"An item is above another exactly when it is {attributes}either better on every voted "
            f"criterion, or worse by at most {epsilon} on each of them and clearly better on one:"
            f"{one} by more than {epsilon} in votes. “Better by x” means a mean score of one half "
            "plus x in their duels on that criterion.",
            *_caveats.collected(log),
            *self._on_criteria(),
            _caveats.of_answers(log),
            _caveats.of_items(log),
        ]
        return tuple(found)

    def _on_criteria(self) -> list[str]:
        found = []
        if len(self.names) > 1:
            found.append(
                f"The {len(self.names)} criteria ({names(self.names)}) were chosen before the "
                "votes were seen. A voter's answers on one pair may depend on each other across "
                "criteria, so bets on different criteria are never multiplied."
            )
        if self._known:
            found.append(
                f"The attributes ({names(self._known)}) are exactly as given, and were chosen "
                "before the votes were seen."
            )
        return found
