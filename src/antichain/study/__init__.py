"""Studies: votes collected one at a time, by people or by code, in a file that survives a kill."""

from antichain.study.judging import judge, judge_async
from antichain.study.settings import default_algorithm
from antichain.study.study import Study, StudyAsk, StudyProgress, Vote

__all__ = [
    "Study",
    "StudyAsk",
    "StudyProgress",
    "Vote",
    "default_algorithm",
    "judge",
    "judge_async",
]
