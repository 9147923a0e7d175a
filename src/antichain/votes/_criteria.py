"""Votes on several criteria: one log for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from antichain._text import did_you_mean
from antichain._text import names as listed
from antichain.errors import FileError
from antichain.sources._chunks import TextIds, cut
from antichain.votes._counting import VoteCounts
from antichain.votes._read_options import ReadOptions
from antichain.votes._tallies import Votes
from antichain.votes._vote_log import VoteLog

MOST_CRITERIA = 50
"""A column with more different texts is hardly one of criteria; set by hand."""


@dataclass(frozen=True, eq=False)
class CriterionVotes:
    """The votes of a log by what they are about."""

    column: str  # the column that says which criterion a row answers
    logs: Mapping[str, VoteLog]  # by name, in the order of names; each has items of its own

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.logs)


def no_votes_yet(options: ReadOptions) -> CriterionVotes | None:
    """The criteria that are given, before the first vote."""
    if options.criteria is None:
        return None
    none = VoteLog.from_rows([], history=False)
    return CriterionVotes(
        options.criterion or "criterion", dict.fromkeys(sorted(options.criteria), none)
    )


class CriterionCounts:
    """Counts the votes of a log once more, by criterion."""

    def __init__(
        self,
        label: str,
        column: str,
        criteria: TextIds,
        begin: Callable[[], VoteCounts],
    ) -> None:
        self._label, self._column, self._criteria = label, column, criteria
        self._begun = begin
        self._counts: dict[int, VoteCounts] = {}
        self._begin(range(len(criteria)))  # those that are given

    def _begin(self, codes: Iterable[int]) -> None:
        for code in codes:
            if code not in self._counts:
                self._counts[code] = self._begun()

    def add(self, votes: Votes) -> None:
        assert votes.criterion is not None, "the layout has a column of criteria"
        codes = np.unique(votes.criterion).tolist()
        self._begin(codes)
        for code in codes:
            self._counts[code].add(votes.only(votes.criterion == code))
        if len(self._counts) > MOST_CRITERIA:
            raise FileError(
                f"{self._label} has more than {MOST_CRITERIA} different texts in the column "
                f"{cut(self._column)}, but a few criteria were expected (perhaps it belongs to "
                "--cluster)"
            )

    def notes(self, given: int) -> list[str]:
        """What there is to say about the criteria; the first ones are given.

        Raises:
            FileError: A given criterion that no row is about is spelt nearly as one that is not.
        """
        names = [str(name) for name in self._criteria.names]
        others = names[given:] if given else []
        unmet = [name for code, name in enumerate(names[:given]) if not self._counts[code].rows]
        for name in unmet:
            if meant := did_you_mean(name, others, cut):
                raise FileError(
                    f"{self._label} has no row about the criterion {cut(name)}{meant} (--criteria)"
                )
        found = [f"no row is about the criterion {cut(name)}" for name in unmet if others]
        if others:
            found.append(f"did not count rows about other criteria: {listed(others)}")
        return found

    def votes(self) -> CriterionVotes:
        found = {
            str(self._criteria.names[code]): VoteLog(**counts.log_attributes())
            for code, counts in self._counts.items()
        }
        return CriterionVotes(self._column, dict(sorted(found.items())))
