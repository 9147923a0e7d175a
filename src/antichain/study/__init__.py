"""Studies: votes collected one at a time, by people or by code, in a file that survives a crash."""

from antichain.study._judging import judge, judge_async
from antichain.study._records import StudyAsk, default_algorithm
from antichain.study._state import StudyProgress, Vote
from antichain.study._studies import Study

__all__ = [
    "Study",
    "StudyAsk",
    "StudyProgress",
    "Vote",
    "default_algorithm",
    "judge",
    "judge_async",
]
