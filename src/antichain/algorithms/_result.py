"""What a plan notes while it runs (`PlanState`), and what a run reports in the end (`Result`)."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

from antichain._markup import Summarised, Summary, listed
from antichain._text import counted, short
from antichain.algorithms._counts import DuelCounts

_OF_STUDIES = "certificate"  # the method of studies, whose votes give the likely front, too
_LIKELY = (
    "study.certificate().likely estimates the front from the votes so far. It takes an open study "
    "(antichain.Study.open), not a list of items."
)


@dataclass(frozen=True)
class Epoch:
    """One phase of a run: its name, how fine it looked, and what came of it."""

    name: str
    epsilon: float | None
    entering: int
    surviving: int
    duels: int


@dataclass(frozen=True)
class LostShare:
    """How many of the duels asked of a pair were lost."""

    left: str
    right: str
    decoy: bool
    lost: int
    asked: int


@dataclass(frozen=True)
class Result(Summarised):
    """The front found, what it took, and how far it can be trusted.

    Attributes:
        algorithm: The method's name.
        front: The items found, in the order they were given. If the run did not come to its end
            (`finished`), because its budget ran out, these are only the items that are already
            shown to be on the front, often none: `undecided` has the others that may be.
        certified: Whether the run came to its own end, so that the method's guarantee holds
            (`Algorithm.guarantee`). Never true of a method without a guarantee. Under the paper's
            rules, whose guarantee does not always hold (docs/theory/errata.md, 2), it says only
            that the run is finished.
        duels: Duels that counted as evidence: direct duels, decoy duels and probes.
        direct_duels: Duels of an item against an item.
        decoy_duels: Duels of an item against a decoy.
        probes: Duels asked only to learn whether a pair is comparable.
        spare: Answers that came too late, twice, or for a question that another answer had
            settled: kept apart, never evidence, not among `duels`.
        lost: Duels whose ask was given up.
        lost_by_pair: For each pair with lost duels, how many were lost of how many asked.
        answers: How often each form of answer came in, spare ones included.
        dominated: For each eliminated item, the item that was shown above it or, with Beat the
            Mean and IF2's pruning, the item that it was dropped for.
        too_close: With `RealDecoys`, pairs of the front that were shown to be comparable and closer
            than its ε: one of the two is above the other, but which one is not known.
        undecided: If the run did not come to its end, the items that are neither in `front` nor in
            `dominated`; empty if it did.
        epochs: The phases of the run.
        regret: The sum over `duels` of the items' distances to the front, with 0 for decoys; None
            where the truth is not known (docs/theory/errata.md, 8).
        regret_peeling: The same for the duels of the peels only.
        regret_with_decoys: The same with the decoys' own distances for decoys.
        seed: The seed of the algorithm's own choices.
        parameters: The algorithm's parameters and rules.
        versions: The versions of the software that ran.

    Example:
        A run whose budget is spent has no front yet, and says so:

        >>> from antichain import SimulatedArena, Witness, find_front, posets
        >>> arena = SimulatedArena(posets.layered(2, 3, 3, seed=0), decoy_gap=0.1)
        >>> print(find_front(arena, Witness(delta=0.01, decoy_gap=0.1), budget=300))
        Not finished (method: witness): the front is not decided yet
          in         none
          undecided  6: front-1, front-2, c1-2, c2-1, c3-1, c3-2
          out        2: c1-1, c2-2
          duels      300
          terms      δ = 0.01, Δ = 0.1
        Undecided items may or may not be on the front. More duels would decide them.
    """

    algorithm: str
    front: tuple[str, ...]
    certified: bool
    duels: int
    direct_duels: int
    decoy_duels: int
    probes: int
    spare: int
    lost: int
    answers: dict[str, int]
    dominated: dict[str, str]
    epochs: tuple[Epoch, ...]
    seed: int
    parameters: dict[str, Any]
    versions: dict[str, str]
    regret: float | None = None
    regret_peeling: float | None = None
    regret_with_decoys: float | None = None
    lost_by_pair: tuple[LostShare, ...] = ()
    too_close: tuple[tuple[str, str], ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether the run came to its own end, so that `front` is its answer."""
        return not self.undecided

    @property
    def among(self) -> tuple[str, ...]:
        """All items not shown to be dominated: the front is among them."""
        return self.front + self.undecided

    @property
    def certain(self) -> tuple[str, ...]:
        """The items of the front that are in no too-close pair."""
        doubtful = {item for pair in self.too_close for item in pair}
        return tuple(item for item in self.front if item not in doubtful)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        held = "certified" if self.certified else "not certified"
        if self.certified and self._by_the_papers_rules():
            held = "finished by the paper's rules"
        front = f"front={listed(self.front)}"
        if not self.finished:
            front, held = f"undecided={listed(self.undecided)}", "not finished"
        return f"Result({self.algorithm!r}, {held}, {short(front, 120)}, duels={self.duels})"

    def verdicts_in_words(self) -> list[tuple[str, str]]:
        """Return the items of the front (or those in and undecided), and those that are out."""
        verdicts = {"front": self.front, "out": tuple(self.dominated)}
        if not self.finished:
            verdicts = {"in": self.front, "undecided": self.undecided, "out": verdicts["out"]}
        return [(word, listed(items)) for word, items in verdicts.items()]

    def _summary(self) -> Summary:
        facts = self.verdicts_in_words()
        facts += [("duels", self._duels_in_words()), ("terms", _terms_in_words(self.parameters))]
        return Summary(self._title(), facts, self._how_far_to_trust())

    def _title(self) -> str:
        if not self.finished:
            return f"Not finished (method: {self.algorithm}): the front is not decided yet"
        return f"Front of {self._items_in_words()} (method: {self.algorithm})"

    def _items_in_words(self) -> str:
        return counted(len(self.among) + len(self.dominated), "item")

    def _duels_in_words(self) -> str:
        kinds = {"against decoys": self.decoy_duels, "to learn what is comparable": self.probes}
        others = [
            f"all {words}" if number == self.duels else f"{number:,} of them {words}"
            for words, number in kinds.items()
            if number
        ]
        return f"{self.duels:,}" + (f" ({', '.join(others)})" if others else "")

    def _by_the_papers_rules(self) -> bool:
        """Whether the guarantee is the paper's, which does not always hold (erratum 2)."""
        return bool(self.parameters.get("rules", {}).get("tests") == "intervals")

    def _how_far_to_trust(self) -> list[str]:
        if not self.finished:
            said = ["Undecided items may or may not be on the front. More duels would decide them."]
            if self.algorithm == _OF_STUDIES:
                said.append(_LIKELY)
            return said
        if not self.certified:
            return [f"Not certified: {self.algorithm} states no guarantee."]
        right = f"right with probability at least {1 - self.parameters['delta']:g}"
        sentences = [f"Certified: {right}."]
        if self._by_the_papers_rules():
            sentences = [
                f"Finished by the paper's rules, which promise that this is {right}. In places "
                "they err more often, because their intervals hold for a single look but are "
                "checked after every duel."
            ]
        if self.too_close:
            pairs = counted(len(self.too_close), "pair")
            sentences.append(f"{pairs} of the front can be compared, but are too close to order.")
        return sentences


def _terms_in_words(parameters: dict[str, Any]) -> str:
    signs = {"delta": "δ", "decoy_gap": "Δ", "epsilon": "ε"}
    given = ((sign, parameters.get(name)) for name, sign in signs.items())
    return ", ".join(f"{sign} = {value:g}" for sign, value in given if value is not None)


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Versions of what runs: a result names them."""
    packages = ("antichain", "numpy", "numba")
    return ("python", platform.python_version()), *((name, _version(name)) for name in packages)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


class PlanState:
    """The state of a plan: survivors, eliminations, epochs, evidence, random choices.

    Items are numbered from 0, in the order in which they were given.

    Attributes:
        size: How many items there are.
        rng: The source of every random choice the plan makes.
        counts: The evidence so far; `counts.direct(left, rights)` is what a comparison of a
            pair can start from.
        fallen: Each eliminated item and the one that was shown above it.
        too_close: Pairs shown comparable and too close to order.
        epochs: The phases that are over.
        phase: The name of the one under way.

    Example:
        >>> state = PlanState(3, seed=0)
        >>> with state.epoch("peel 1", 0.1, entering=3):
        ...     state.eliminate(2, winner=0)
        >>> state.fallen, state.epochs[0].surviving
        ({2: 0}, 2)
    """

    def __init__(self, size: int, seed: int, counts: DuelCounts | None = None) -> None:
        self.size = size
        self.rng = np.random.default_rng(seed)
        self.counts = DuelCounts(size) if counts is None else counts
        self.fallen: dict[int, int] = {}
        self.too_close: list[tuple[int, int]] = []
        self.epochs: list[Epoch] = []
        self.phase = ""

    def eliminate(self, loser: int, winner: int) -> None:
        """Note that `winner` was shown above `loser`, which leaves the game."""
        self.fallen[int(loser)] = int(winner)
        self.counts.retire(int(loser))

    @contextmanager
    def epoch(self, name: str, epsilon: float | None, entering: int) -> Iterator[None]:
        """Note down what happens inside as one phase of the run.

        Args:
            name: What the phase is called in the result.
            epsilon: The gap that the phase looks for, if it looks for one.
            entering: How many items enter it.
        """
        self.phase = name
        before, fallen = self.counts.duels, len(self.fallen)
        yield
        surviving = entering - (len(self.fallen) - fallen)
        self.epochs.append(Epoch(name, epsilon, entering, surviving, self.counts.duels - before))
