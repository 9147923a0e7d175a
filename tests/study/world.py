"""What the tests of studies are about: three items, quick to decide, and somebody who answers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import antichain as ac
from antichain.study import Study, StudyAsk

ITEMS = ["ale", "beer", "cider"]
QUICK = ac.UnchainedBandits(delta=0.3, decoy_gap=None, epsilon=0.3)
WITH_DECOYS = ac.UnchainedBandits(delta=0.3, decoy_gap=0.3)
WITNESS = ac.Witness(delta=0.3, decoy_gap=None, epsilon=0.3)
WITNESS_WITH_DECOYS = ac.Witness(delta=0.3, decoy_gap=0.3)


def ticking() -> Callable[[], float]:
    """A clock that goes one second on each time somebody looks."""
    ticks = itertools.count(1_000_000)
    return lambda: float(next(ticks))


def opened(path: Path) -> Study:
    return Study.open(path, ITEMS, QUICK, seed=3, now=ticking())


def alphabetical(ask: StudyAsk) -> str:
    """The first in the alphabet wins, against decoys too."""
    if ask.decoy is None:
        return "left" if ask.left < ask.right else "right"
    whole, degraded = (ask.left, ask.right) if ask.decoy == "right" else (ask.right, ask.left)
    if whole > degraded:
        return "tie"
    return "left" if ask.decoy == "right" else "right"


def played(study: Study, seed: int = 0, most: int = 10_000) -> Study:
    """The study after somebody answered at random, with a bias to the first in the alphabet."""
    rng = random.Random(seed)
    for _ in range(most):
        if study.finished:
            break
        (ask,) = study.outstanding[:1] or study.ask(1)
        answer = alphabetical(ask) if rng.random() < 0.8 else rng.choice(["left", "right", "tie"])
        study.tell(ask, answer, voter=rng.choice(["ann", "bob", None]))
    return study


def everything(study: Study) -> Iterator[object]:
    """All that a study shows, to be compared with another's."""
    yield study.result().to_dict()
    yield study.progress
    yield study.outstanding
    yield list(study.votes())
