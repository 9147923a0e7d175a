"""From counts to verdicts: answers, sequential tests, confidence (pure statistics)."""

from antichain.evidence.answers import Answer, Tally
from antichain.evidence.confidence import mean_score_interval
from antichain.evidence.mixture import geometric_grid, maximality_evidence, open_grid
from antichain.evidence.sequential import SequentialTest, Streams
from antichain.evidence.verdicts import Verdict

__all__ = [
    "Answer",
    "SequentialTest",
    "Streams",
    "Tally",
    "Verdict",
    "geometric_grid",
    "maximality_evidence",
    "mean_score_interval",
    "open_grid",
]
