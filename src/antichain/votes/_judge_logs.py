"""The logs that tools for judging write, recognised by their columns.

Each says who met whom, where its verdicts stand, and which rows have none. Where an option names
the columns of a log, the option decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from antichain.votes._vote_log import ANSWERS

_LEFT, _RIGHT, _TIE, _BOTH_BAD = (ANSWERS.index(a) for a in ("left", "right", "tie", "both_bad"))
_FIVE = {"a>>b": _LEFT, "a>b": _LEFT, "a=b": _TIE, "b>a": _RIGHT, "b>>a": _RIGHT}


@dataclass(frozen=True)
class JudgeLog:
    """A kind of log.

    Attributes:
        name: What it is, to follow "read as".
        needs: Columns that it has, as plain names.
        left: The column of the left item, or where it stands inside of a row.
        right: That of the right item.
        how: How verdicts are given, as a `Layout` says it.
        answers: Where they stand.
        anyof: Columns of which it has at least one.
        only: All columns that it may have; any if empty.
        note: What else to say of how it is read.
        words: What words of its own mean, in lower case.
        no_verdict: Words that say that there is no verdict; an empty one always does.
        only_words: Whether rows with any other word are no votes, either.
        positions: Whether the second verdict is about positions, and so about the items exchanged.
        score_range: The scores of a sure win of the left and of the right item.
        tie_score: A score besides that means a tie.
        fallback: What stands for a right item that no row names.
        shared: The columns of one side, an ampersand, and those of the other, which are exchanged
            in a row of its own for the other order of a judgment.
    """

    name: str
    needs: tuple[str, ...]
    left: str
    right: str
    how: str
    answers: tuple[str, ...] = ()
    anyof: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    note: str = ""
    words: Mapping[str, int] = field(default_factory=dict)
    no_verdict: tuple[str, ...] = ("error",)
    only_words: bool = False
    positions: bool = False
    score_range: tuple[float, float] | None = None
    tie_score: float | None = None
    fallback: str | None = None
    shared: str = ""


_BOTH = "both orders of a judgment count as one vote, their mean"
_AUTO_ARENA = ("id", "prompt", "model_a", "model_b", "response_a", "response_b", "judge", "winner",
               "response_a_id", "response_b_id", "judge_id", "judge_name", "model_a_id",
               "model_b_id", "head_to_head_id", "history")  # fmt: skip

JUDGE_LOGS = (
    JudgeLog(
        "MT-bench judge pairs", ("model_1", "model_2", "g1_winner", "g2_winner"),
        "model_1", "model_2", "halves", ("g1_winner", "g2_winner"), note=_BOTH,
    ),
    JudgeLog(
        "evalscope reviews", ("model_a", "model_b", "win_1", "win_2"),
        "model_a", "model_b", "halves", ("win_1", "win_2"), note=_BOTH,
        no_verdict=("error", "unknown"),
    ),
    JudgeLog(
        "Arena-Hard judgments", ("model", "judge", "baseline", "games"),
        "baseline", "model", "halves", ("games[0].score", "games[1].score"), words=_FIVE,
        positions=True, note=f"{_BOTH}; A>>B counts as one win, like A>B",
    ),
    JudgeLog(
        "Arena-Hard judgments", ("model", "judge", "games"),
        "baseline", "model", "halves", ("games[0].score", "games[1].score"), words=_FIVE,
        positions=True, fallback="gpt-4-0314",
        note=f"{_BOTH}; A>>B counts as one win, like A>B; no row names the baseline, so it is "
        "assumed to be 'gpt-4-0314', that of version 0.1",
    ),
    JudgeLog(
        "AlpacaEval annotations", ("generator_1", "generator_2", "preference"),
        "generator_1", "generator_2", "score", ("preference",), score_range=(1.0, 2.0),
        tie_score=0.0, note="a preference of 1 is a win for 'generator_1', and 2 is a win for "
        "'generator_2'; a fraction is a score between the two",
    ),
    JudgeLog(
        "FastChat's raw log of an arena", ("tstamp", "type"),
        "states[0].model_name|models[0]", "states[1].model_name|models[1]", "winner", ("type",),
        anyof=("models", "model", "states", "state"), only_words=True,
        words={"leftvote": _LEFT, "rightvote": _RIGHT, "tievote": _TIE, "bothbad_vote": _BOTH_BAD},
    ),
    JudgeLog(
        "battles of LMSYS on Kaggle", ("model_a", "model_b", "winner_model_a", "winner_model_b"),
        "model_a", "model_b", "scores", ("winner_model_a", "winner_model_b"),
    ),
    JudgeLog(
        "Pick-a-Pic", ("model_0", "model_1", "label_0", "label_1"),
        "model_0", "model_1", "scores", ("label_0", "label_1"),
    ),
    JudgeLog(
        "AutoArena head-to-heads", ("prompt", "model_a", "model_b", "judge", "winner"),
        "model_a", "model_b", "winner", ("winner",), only=_AUTO_ARENA, words={"-": _TIE},
        no_verdict=(),
    ),
    JudgeLog(
        "flexeval matches", ("model1", "model1_item", "model2", "model2_item", "winner"),
        "model1", "model2", "winner", ("winner",), no_verdict=("",),
        shared="model1,model1_item&model2,model2_item",
        note="two rows with the same outputs swapped count as one vote, their mean",
    ),
    JudgeLog(
        "flexeval matches", ("model1", "model2", "winner"),
        "model1", "model2", "winner", ("winner",),
    ),
    JudgeLog(
        "Gavel decisions", ("annotator_id", "winner_id", "loser_id"),
        "winner_id", "loser_id", "loser", no_verdict=(),
    ),
)  # fmt: skip


def recognised(plain: Sequence[str], nested: bool) -> JudgeLog | None:
    """The kind of log that has these columns; None if it is none of them.

    Args:
        plain: The plain names of the columns.
        nested: Whether values inside of others can be read.
    """
    have = set(plain)
    for kind in JUDGE_LOGS:
        fits = have.issuperset(kind.needs) and (not kind.anyof or have.intersection(kind.anyof))
        inside = kind.shared or any("[" in place for place in (kind.left, *kind.answers))
        if fits and nested >= bool(inside) and (not kind.only or have.issubset(kind.only)):
            return kind
    return None
