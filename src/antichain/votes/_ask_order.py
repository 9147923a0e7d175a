"""The answers of a log in the order of their asks, where that order is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antichain._option_names import option
from antichain._text import counted
from antichain.sources._spans import Codes
from antichain.votes._tallies import TURNED, Votes
from antichain.votes._vote_log import GIVEN_UP, AskedVotes, Counts, Floats

if TYPE_CHECKING:
    from antichain.votes._ask_numbers import AskNumbers

MOST_ORDERED = 10_000_000
"""More rows than this are not kept in their order (set by hand: some 60 bytes each)."""

_MOST_TIED = 0.05  # set by hand: more rows that share their time say no order

Mask = NDArray[np.bool_]


class _AskedRows(NamedTuple):
    """Rows that are votes, or asks given up."""

    left: Codes  # one item, by the number of its name
    right: Codes  # the other item, whose decoy was shown where `decoy` is set
    form: NDArray[np.int8]  # the answer, or `GIVEN_UP`
    decoy: Mask
    key: Floats | None  # the number of the ask, or the time; None if rows are in their order

    def taken(self, rows: Mask | Counts) -> _AskedRows:
        columns: list[Any] = [None if column is None else column[rows] for column in self]
        return _AskedRows(*columns)

    @classmethod
    def joined(cls, parts: list[_AskedRows]) -> _AskedRows:
        if not parts:
            none = np.zeros(0, np.int32)
            return cls(none, none, none.astype(np.int8), none.astype(np.bool_), None)
        columns: list[Any] = [
            None if column[0] is None else np.concatenate(column)
            for column in zip(*parts, strict=True)
        ]
        return cls(*columns)


class AskOrder:
    """Keeps the rows of a log by what says their order.

    Args:
        known_by: What says it: "asks", "time" or "rows".
        column: The column that does, where one does.
        assured: Whether the user, or a study's export, says so. Otherwise the column was found by
            its name, and is given up if it cannot be read or if many rows share a time: rows of
            one time are taken in the order of the log, which may be any.
        ignore: Whether asks without an answer are as if never asked.

    Attributes:
        notes: What was made of the order, in sentences.
    """

    def __init__(
        self,
        known_by: str,
        column: str | None = None,
        *,
        assured: bool = True,
        ignore: bool = False,
    ) -> None:
        self.notes: list[str] = []
        self._known_by, self._column = known_by, column
        self._assured, self._ignore, self._waits = assured, ignore, not ignore
        self._rows: list[_AskedRows] | None = []
        self._size = 0

    @property
    def is_kept(self) -> bool:
        return self._rows is not None

    def ignore_given_up(self) -> None:
        """Take asks that were given up as never asked, but wait for those that are open."""
        self._ignore = True

    def stop(self, reason: str) -> None:
        """Give the order up."""
        if self._rows is not None:
            self._rows = None
            self.notes.append(f"did not use the order of the votes, {reason}")

    def add(
        self,
        votes: Votes,
        kept: Mask,
        decoys: tuple[Mask, Mask] | None,
        key: Floats | None,
    ) -> None:
        """Keep further rows.

        Args:
            votes: The rows, those that were given up among them.
            kept: Which of them are votes, or asks given up.
            decoys: Which of them are against a decoy, and which have it on the left; None if no
                row has one.
            key: The numbers of their asks, or their times.
        """
        if self._rows is None:
            return
        self._size += int(np.count_nonzero(kept))
        if self._size > MOST_ORDERED:
            self.stop(f"because there are more than {MOST_ORDERED:,}")
        elif (votes.number[kept & (votes.form != GIVEN_UP)] != 1).any():
            self.stop("because some rows stand for several votes, or for none")
        elif key is not None and np.isnan(key[kept]).any():
            self.stop(f"because {self._column!r} cannot be read in some rows")
        if self._rows is None:
            return
        decoy = np.zeros(kept.size, np.bool_)
        if decoys is not None:
            decoy, on_left = decoys
            votes = votes.turned(on_left)
        form = votes.form.astype(np.int8)
        self._rows.append(_AskedRows(votes.left, votes.right, form, decoy, key).taken(kept))

    def asked(self, item_of: Codes, asks: AskNumbers | None = None) -> AskedVotes | None:
        """The rows in their order, or None if it was given up.

        Args:
            item_of: The index of each item by the number of its name, −1 for no item of the log.
            asks: The numbers of the asks, if these say the order.
        """
        if asks is not None and asks.full:
            self.stop(f"because there are more than {MOST_ORDERED:,}")
        if self._rows is None:
            return None
        rows, self._rows = _AskedRows.joined(self._rows), None
        if rows.key is not None:
            rows = rows.taken(np.argsort(rows.key, kind="stable"))
        if not self._assured and not self._says_order(rows.key):
            return None
        rows = rows.taken((item_of[rows.left] >= 0) & (item_of[rows.right] >= 0))
        first_open = None
        if self._ignore:
            rows = rows.taken(rows.form != GIVEN_UP)
        if self._waits and asks is not None:
            first_open = asks.first_open()
        waiting = 0
        if first_open is not None and rows.key is not None:
            behind = rows.key > first_open
            waiting = int(np.count_nonzero(behind & (rows.form != GIVEN_UP)))
            rows = rows.taken(~behind)
            self._note_waiting(first_open, waiting)
        return AskedVotes(
            **_seen_from_first(rows, item_of),
            known_by=self._known_by,
            unanswered="ignore" if self._ignore else "stop",
            waiting=waiting,
            first_open=first_open,
            last=rows.left.size if asks is None else asks.last,
        )

    def _says_order(self, times: Floats | None) -> bool:
        """Whether a column that was found by its name says the order; a note tells."""
        times = np.zeros(0) if times is None else times
        same = np.diff(times) == 0
        tied = np.zeros(times.size, np.bool_)
        tied[:-1] |= same
        tied[1:] |= same
        if tied.sum() > _MOST_TIED * times.size:
            self.notes.append(
                f"did not use the order of {self._column!r}, because many rows share a time (if "
                "rows with the same time are in order, give "
                f"{option('time', str(self._column))})"
            )
            return False
        self.notes.append(
            f"read the votes in the order of {self._column!r} (if that means nothing, give "
            f"{option('unordered')})"
        )
        return True

    def _note_waiting(self, first_open: int, waiting: int) -> None:
        if waiting:
            have = "has" if waiting == 1 else "have"
            self.notes.append(
                f"ask {first_open:,} has been neither answered nor given up, so "
                f"{counted(waiting, 'answer')} to later asks {have} to wait for it "
                f"({option('unanswered', 'ignore')} reads them now, on the assumption that whether "
                "an ask is answered does not depend on what the answer would be)"
            )


def _seen_from_first(rows: _AskedRows, item_of: Codes) -> dict[str, Counts]:
    """Both items, the answer and the decoys of an `AskedVotes`."""
    ours, theirs = (item_of[names].astype(np.int64) for names in (rows.left, rows.right))
    turned = (ours > theirs) & ~rows.decoy
    return {
        "first": np.where(turned, theirs, ours),
        "second": np.where(turned, ours, theirs),
        "form": np.where(turned, TURNED[rows.form], rows.form).astype(np.int64),
        "decoy": rows.decoy.astype(np.int64),
    }
