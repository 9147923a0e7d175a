"""The votes of a log one after the other, for whoever must not mix early and late ones."""

from __future__ import annotations

import numpy as np

from antichain.logs.duels.judge import Votes
from antichain.logs.ids import Codes
from antichain.logs.votes import Counts, Floats, VoteOrder


class Order:
    """The rows told so far, in the order in which they came."""

    def __init__(self) -> None:
        self._pairs: list[Codes] = []
        self._forms: list[Codes] = []
        self._numbers: list[Counts] = []
        self._clusters: list[Codes] = []
        self._times: list[Floats] = []

    def add(self, pair: Codes, form: Codes, votes: Votes) -> None:
        """Take note of further rows: their pairs by code, and the form of each answer."""
        self._pairs.append(pair)
        self._forms.append(form.astype(np.int8))
        self._numbers.append(votes.number)
        if votes.cluster is not None:
            self._clusters.append(votes.cluster)
        if votes.time is not None:
            self._times.append(votes.time)

    def of_pairs(self, row_of: Counts) -> VoteOrder:
        """The rows by time, if there are times, with pairs numbered by `row_of`."""
        if not self._pairs:
            return VoteOrder.empty()
        rows = np.arange(sum(some.size for some in self._pairs))
        if self._times:
            rows = np.argsort(np.concatenate(self._times), kind="stable")
        return VoteOrder(
            row_of[np.concatenate(self._pairs)][rows],
            np.concatenate(self._forms)[rows].astype(np.int64),
            np.concatenate(self._numbers)[rows],
            np.concatenate(self._clusters)[rows].astype(np.int64) if self._clusters else None,
        )
