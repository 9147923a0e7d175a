"""From counts to verdicts: answers, sequential tests, confidence (pure statistics)."""

from antichain.evidence.answers import Answer, Count, Tally, Verdict, swapped
from antichain.evidence.bet import Bet
from antichain.evidence.confidence import mean_score_interval
from antichain.evidence.sequential import SequentialTest, Streams

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
