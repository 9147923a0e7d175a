"""Answers that are scores between 0 and 1, verdicts in both orders, and rows without a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from antichain.sources._chunks import NO_CODE, Chunk, Text
from antichain.sources._plain_numbers import PlainTexts
from antichain.sources._spans import Codes
from antichain.votes._answer_words import BOTH_BAD, TIE, form_of
from antichain.votes._columns import Layout
from antichain.votes._sides_said import score_of_first_side
from antichain.votes._tallies import TURNED, KeyedSums
from antichain.votes._vote_log import UNIT, Counts

Mask = NDArray[np.bool_]
_UNITS = np.array([UNIT, 0, UNIT // 2, UNIT // 2], np.int64)  # by form, up to both bad
_ROUNDING = 1e-9  # how far beyond its range a score may be by being written down


class ScoredAnswers:
    """Reads the answers of a log that are no single words.

    Args:
        layout: Which column is what.
        words: The forms of words that the user gave a meaning.
    """

    def __init__(self, layout: Layout, words: Mapping[str, int]) -> None:
        self._layout, self._judge, self._words = layout, layout.judge, words
        self._judgments = [KeyedSums(1) for _ in layout.both_orders[1:]]

    def word(self, text: str) -> int | None:
        """The form of a word of this kind of judge's log; None if it has no such word."""
        return None if self._judge is None else self._judge.words.get(text.strip().casefold())

    def without_verdict(self, chunk: Chunk) -> Mask:
        """The rows of a judge's log that hold no verdict: an error, or no vote at all."""
        found = np.zeros(chunk.rows, np.bool_)
        if self._judge is None or self._layout.how in ("scores", "loser"):
            return found
        for k in range(len(self._layout.answers)):
            if not isinstance(chunk.new[f"answer {k}"], PlainTexts):
                found |= self._by_text(chunk, f"answer {k}", self._is_none).astype(np.bool_)
        return found

    def _is_none(self, text: Text) -> int:
        assert self._judge is not None
        if not isinstance(text, str):
            return 0
        plain = text.strip().casefold()
        if plain in self._words:
            return 0
        if self._judge.only_words:
            return plain not in self._judge.words
        # A log whose words are anybody's may hold an empty answer by mistake.
        is_empty = plain == "" and self._layout.how in ("halves", "score")
        return is_empty or plain in self._judge.no_verdict

    def scores(self, chunk: Chunk) -> tuple[Counts, Mask]:
        """The left items' scores in `UNIT`s, and the rows that have none."""
        left, right = self._layout.score_range
        given = chunk.numbers("answer 0")
        score = (given - right) / (left - right)
        if self._judge is not None and self._judge.tie_score is not None:
            score = np.where(given == self._judge.tie_score, 0.5, score)
        bad = ~((score >= -_ROUNDING) & (score <= 1 + _ROUNDING))
        units = np.rint(np.clip(np.where(bad, 0, score), 0, 1) * UNIT)
        return units.astype(np.int64), bad

    def halves(self, chunk: Chunk) -> tuple[Counts, Counts, Mask]:
        """The mean scores of the left item and of the side shown first; rows that have none."""
        forms = [self._by_text(chunk, f"answer {k}", self._half) for k in (0, 1)]
        bad = np.logical_or.reduce([(form < 0) | (form > BOTH_BAD) for form in forms])
        first, second = (np.where(bad, TIE, form) for form in forms)
        if self._judge is not None and self._judge.positions:
            second = TURNED[second]
        ours, theirs = _UNITS[first], _UNITS[second]
        # The left item is shown first in the first order, and second in the second one.
        return (ours + theirs) // 2, (ours + UNIT - theirs) // 2, bad

    def _half(self, text: Text) -> int:
        if not isinstance(text, str):
            return NO_CODE
        form = self._words.get(text.strip().casefold(), self.word(text))
        if form is None:
            form = form_of(text, self._layout.left, self._layout.right)
        return NO_CODE if form is None else form

    @staticmethod
    def _by_text(chunk: Chunk, role: str, value_of: Callable[[Text], int]) -> Codes:
        values = [value_of(text) for text in chunk.new[role]]
        return np.array(values, np.int32)[chunk.codes[role]]

    def sides_in_reasons(self, chunk: Chunk) -> Counts | None:
        """The mean score of the side shown first where a study says it, and −1 elsewhere."""
        if "reason" not in chunk.codes:
            return None
        texts = (text if isinstance(text, str) else "" for text in chunk.new["reason"])
        scores = [score_of_first_side(text) for text in texts]
        units = [-1 if score is None else round(score * UNIT) for score in scores]
        return np.array(units, np.int64)[chunk.codes["reason"]]

    def judgments(self, chunk: Chunk) -> Codes | None:
        """A number for what both orders of a judgment share, besides the pair."""
        if not self._layout.both_orders:
            return None
        codes = chunk.codes["judgment 0"]
        for k, ids in enumerate(self._judgments, start=1):
            codes = ids.codes(codes, chunk.codes[f"judgment {k}"])
        return codes
