"""From counts to verdicts: answers, sequential tests, confidence (pure statistics)."""

from antichain.evidence.answers import Answer, Tally
from antichain.evidence.confidence import mean_score_interval
from antichain.evidence.mixture import geometric_grid, open_grid
from antichain.evidence.sequential import SequentialTest, Streams
from antichain.evidence.verdicts import Count, Verdict, swapped

__all__ = [
    "Answer",
    "Count",
    "SequentialTest",
    "Streams",
    "Tally",
    "Verdict",
    "geometric_grid",
    "mean_score_interval",
    "open_grid",
    "swapped",
]
