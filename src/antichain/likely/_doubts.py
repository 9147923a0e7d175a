"""Where an estimate is known to be poor, in words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from antichain.likely._pair_evidence import Floats
from antichain.likely._particles import KIND_NAMES
from antichain.likely._sampler import OrderDraws

_APART = 0.1  # difference of two runs at which their mean may be off by 0.05
_COLLAPSED = 0.99  # share of one kind
_MISFIT = 4.0  # standard deviations
MANY_ITEMS = 30
"""Beyond so many items two estimates of the same votes may differ a lot although the runs of each
agree: docs/theory/likely-front.md, "Where it is poor"."""


def doubts_about(wins: Floats, runs: list[OrderDraws]) -> tuple[str, ...]:
    """Sentences for people who read the chances; none when nothing is known to be wrong."""
    found = [_unmet(wins), _misfit(runs), _unsteady(runs), _many(len(wins))]
    return tuple(sentence for sentence in found if sentence)


def _unmet(wins: Floats) -> str:
    votes = wins + wins.T
    if len(wins) > 1 and not votes.any():
        return "There are no wins or losses, so the chances are nearly those before any vote."
    alone = int((~votes.any(axis=0)).sum())
    if alone and len(wins) > 1:
        items = "1 item has" if alone == 1 else f"{alone} items have"
        return f"{items} neither wins nor losses, so the estimate says little there."
    groups, _ = connected_components(csr_array(votes), directed=False)
    if groups > 1:
        return (
            f"The wins and losses leave the items in {groups} unconnected groups, so the chances "
            "say little about how the groups compare."
        )
    return ""


def _misfit(runs: list[OrderDraws]) -> str:
    if min(float(run.misfit) for run in runs) < _MISFIT:
        return ""
    return (
        "The votes fit no order: items beat each other in circles, or pairs that no order could "
        "compare are far from even. Do not rely on the chances."
    )


def _unsteady(runs: list[OrderDraws]) -> str:
    means = np.array([run.chances.mean(axis=0) for run in runs])
    apart = float(np.ptp(means, axis=0).max())
    if apart <= _APART:
        return ""
    kinds = np.array([run.kinds for run in runs])
    sentence = f"Two runs of the estimate differ by up to {apart:.2f} for one item"
    if kinds.max(axis=1).min() >= _COLLAPSED:
        names = sorted({KIND_NAMES[k] for k in kinds.argmax(axis=1)})
        sentence += f", each settled on one kind of order ({' or '.join(names)})"
    return sentence + ": treat the chances as rough."


def _many(size: int) -> str:
    if size <= MANY_ITEMS:
        return ""
    return (
        f"With more than {MANY_ITEMS} items, another seed may give different chances (by 0.3 in "
        "the worst of six trials with 60 items): treat them as rough."
    )
