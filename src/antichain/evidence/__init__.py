"""From counts to verdicts: answers, sequential tests, confidence (pure statistics)."""

from antichain.evidence._answers import Answer, Count, Tally, Verdict, swapped
from antichain.evidence._bet import Bet
from antichain.evidence._confidence import mean_score_interval
from antichain.evidence._sequential import SequentialTest, Streams

__all__ = [
    "Answer",
    "Bet",
    "Count",
    "SequentialTest",
    "Streams",
    "Tally",
    "Verdict",
    "mean_score_interval",
    "swapped",
]
