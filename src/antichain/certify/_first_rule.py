"""What certificates of version 1 claim, so that they can still be verified.

Their rule had five families of claims (six with decoys), each with a share of δ of its own and
Holm's step-down. Forecasts (`missing`, and the entries of `undecided`) and the sentences of the
assumptions are not made again: they are no claims, and the digest covers them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from antichain import _checks
from antichain.certify._certificate import Inside, plain
from antichain.certify._claims import (
    decoy_claims,
    dominances_of,
    groups_of,
    labels_of,
    step_down,
)
from antichain.certify._naming import Naming, uppers_of
from antichain.certify._verdicts import least_cleared
from antichain.certify._weigh import all_answers, all_decoy_answers, weigh, weigh_decoys
from antichain.errors import FileError, InputError
from antichain.votes._vote_log import ClusterScores, VoteLog

_SHARES = {"pairs", "pooled", "inside", "even", "incomparable", "decoys"}
NOT_MADE_AGAIN = ("missing", "assumptions")
"""Fields that are not made again; of `undecided` only the names are."""


def by_the_first_rule(
    log: VoteLog, delta: float, epsilon: float, spent: Mapping[str, float], gap: float | None
) -> dict[str, Any]:
    """The fields of a certificate of version 1, `spent` being what each family may spend of δ."""
    _checks.probability("delta", delta)
    _checks.gap("epsilon", epsilon)
    if gap is not None:
        _checks.gap("decoy_gap", gap)
    if set(spent) != _SHARES or not math.isclose(math.fsum(spent.values()), delta, rel_tol=1e-9):
        raise FileError(f"split is {dict(spent)}, but shares that add up to delta were expected")
    if gap is not None and log.decoys is None:
        raise InputError(f"{log.source} has no duels against decoys, but some were expected")
    read = all_answers(log)
    weighed, size = weigh(read, epsilon), read.size
    naming, ordered = Naming(log, read), size * (size - 1)
    dominance = step_down(weighed.above.ravel(), ordered, spent["pairs"])
    pooled = weighed.pooled if log.pooling else np.zeros(size)
    losing = step_down(pooled, size, spent["pooled"])
    least = least_cleared(read, weighed.within, np.ones(size, np.bool_))
    cleared = step_down(least, size, spent["inside"])
    even = step_down(weighed.within.min(axis=1), ordered // 2, spent["even"])
    incomparable = step_down(weighed.incomparable, ordered // 2, spent["incomparable"])
    shown = dominances_of(read, dominance.rejected.reshape(-1, 2))
    groups = groups_of(shown)
    grouped = labels_of(groups, size)
    outside = (grouped[shown.uppers] != grouped[shown.lowers]) | (grouped[shown.uppers] < 0)
    outsiders, levels = shown.only(outside), dominance.levels.reshape(-1, 2)
    out = losing.rejected & (grouped < 0)
    out[outsiders.lowers] = True
    uppers = uppers_of(naming.dominances(outsiders, weighed.above, levels))
    dominated = naming.dominances(shown, weighed.above, levels)
    decoys = None if gap is None else weigh_decoys(all_decoy_answers(log), gap)
    open_ = ~cleared.rejected & ~out & (grouped < 0)
    found_groups = naming.groups(groups, dominated, grouped[outsiders.lowers])
    found: dict[str, Any] = {
        "items": log.items,
        "votes": log.votes,
        "answers": log.answer_counts,
        "meanings": log.meanings.words,
        "clusters": None if log.clusters is None else _clusters(log.clusters),
        "pairs_seen": log.pairs.size,
        "records": naming.records(),
        "delta": delta,
        "epsilon": epsilon,
        "decoy_gap": gap,
        "decoy_votes": 0 if log.decoys is None else int(log.decoys.table.sum()),
        "split": dict(spent),
        "front": _named(log, cleared.rejected & ~out & (grouped < 0)),
        "in": {
            log.items[i]: Inside(*found, float(least[i]), float(cleared.levels[i]))
            for i, found in naming.weakest(weighed.within, cleared.rejected).items()
        },
        "out": {
            log.items[i]: naming.out(
                i,
                uppers.get(log.items[i], ()),
                bool(losing.rejected[i]),
                float(pooled[i]),
                float(losing.levels[i]),
            )
            for i in np.flatnonzero(out).tolist()
        },
        "undecided": sorted(_named(log, open_)),
        "cycles": tuple(group.cycle for group in found_groups),
        "groups": found_groups,
        "pairs": naming.pairs(
            dominated,
            naming.of_pairs(even, weighed.within.min(axis=1)),
            naming.of_pairs(incomparable, weighed.incomparable),
            decoys,
            None if decoys is None else decoy_claims(decoys, size, spent["decoys"]),
        ),
    }
    return {name: plain(value) for name, value in found.items()}


def _named(log: VoteLog, which: np.ndarray) -> tuple[str, ...]:
    return tuple(log.items[i] for i in np.flatnonzero(which))


def _clusters(scores: ClusterScores) -> dict[str, Any]:
    return {"column": scores.column, "clusters": scores.clusters}
