"""`Certificate`: what a log of votes shows, in names and plain numbers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from antichain.certify.budget import Split
from antichain.errors import ParameterError

FORMAT = "antichain-certificate"
VERSION = 1

LARGEST_EVIDENCE = 1e300
"""An e-value is written as this when it is larger; its logarithm is written in full."""


class Record(NamedTuple):
    """An item's votes in all.

    Attributes:
        votes: Votes that count.
        share: The mean score in them (ties half); None without votes.
        opponents: How many opponents it has met in them.
    """

    votes: int
    share: float | None
    opponents: int


class Claim(NamedTuple):
    """One claim about a pair: how many votes it rests on, and how strongly.

    Attributes:
        first: An item; of a dominance, the upper one.
        second: The other item.
        votes: Votes on the pair that count.
        share: The mean score of `first` in them (ties half).
        log_evidence: The natural logarithm of the e-value.
        level: The level it was held against: the e-value is at least its inverse.
    """

    first: str
    second: str
    votes: int
    share: float
    log_evidence: float
    level: float


class Out(NamedTuple):
    """Why an item is out.

    Attributes:
        by: The item that is shown most strongly to be above it, or None if only all its duels
            together show that something is.
        pooled: Whether all its duels together show that it is not maximal.
        votes: Votes that the evidence rests on: of that pair, or of all its duels.
        share: The mean score of the item in them.
        log_evidence: The natural logarithm of the e-value.
        level: The level it was held against.
        also_by: Every other item that is shown to be above it.
    """

    by: str | None
    pooled: bool
    votes: int
    share: float
    log_evidence: float
    level: float
    also_by: tuple[str, ...]


class Inside(NamedTuple):
    """Why an item is in: even its most dangerous opponent does not beat it by more than ε.

    Attributes:
        weakest: The opponent against whom this is least certain.
        votes: Votes of that pair that count.
        share: The mean score of the item in them.
        log_evidence: The natural logarithm of the e-value.
        level: The level it was held against.
    """

    weakest: str
    votes: int
    share: float
    log_evidence: float
    level: float


class Missing(NamedTuple):
    """What is missing between an undecided item and one opponent.

    Attributes:
        opponent: The other item.
        votes: Votes of the pair that count so far.
        share: The mean score of the undecided item in them; None without votes.
        if_even: Votes (or clusters) still expected to be needed to clear the opponent if the
            two are even.
        at_rate: The same if the votes to come fall as those so far; None if that never ends.
        to_lose: Votes still expected to be needed to show the opponent above, at the same rate;
            None if that never ends.
    """

    opponent: str
    votes: int
    share: float | None
    if_even: int | None
    at_rate: int | None
    to_lose: int | None


class Group(NamedTuple):
    """Items that are above each other in a cycle, which fits no order.

    Attributes:
        items: All of them.
        cycle: One cycle among them, each above the next and the last above the first.
        steps: The dominances along that cycle.
        top: Whether nothing from outside is shown to be above any of them.
    """

    items: tuple[str, ...]
    cycle: tuple[str, ...]
    steps: tuple[Claim, ...]
    top: bool


class DecoyClaim(NamedTuple):
    """What duels against decoys show of a pair.

    Attributes:
        first: An item.
        second: The other item.
        votes: Votes that count, of either against the other's decoy.
        first_share: The mean score of the first against the second's decoy; None without votes.
        second_share: The mean score of the second against the first's decoy.
        log_evidence: The natural logarithm of the e-value.
        level: The level it was held against.
    """

    first: str
    second: str
    votes: int
    first_share: float | None
    second_share: float | None
    log_evidence: float
    level: float


class Pairs(NamedTuple):
    """What is shown of pairs; these are different things, and a pair may show several.

    Attributes:
        dominated: One is above the other.
        indistinguishable: Neither beats the other by more than ε.
        incomparable: Most voters said that the two cannot be compared.
        not_enough: Pairs that were asked, and show none of these.
        never_asked: Pairs without a vote.
        incomparable_by_decoys: Neither is above the other, as duels against decoys show.
        comparable_by_decoys: One is above the other, whichever it is, as these show.
        too_close: Pairs that are so comparable, and of which neither beats the other by more than
            ε, nor is shown to be above.
    """

    dominated: tuple[Claim, ...]
    indistinguishable: tuple[Claim, ...]
    incomparable: tuple[Claim, ...]
    not_enough: int
    never_asked: int
    incomparable_by_decoys: tuple[DecoyClaim, ...] = ()
    comparable_by_decoys: tuple[DecoyClaim, ...] = ()
    too_close: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Certificate:
    """Which items are in, out or undecided, and why.

    With probability at least 1 − δ *every* claim is true, at whatever time one looked, under
    the `assumptions` (proved in docs/certificates.md).

    Attributes:
        items: All items.
        votes: All votes, of whatever form.
        pairs_seen: Pairs with a vote.
        records: Each item's votes in all.
        delta: The probability of any false claim, at most.
        epsilon: The ε of "no item beats it by more than ε".
        decoy_gap: The Δ by which decoys lose, at least, to whatever is at or above their items;
            None if decoys are no evidence here.
        decoy_votes: Votes on an item and the decoy of another.
        split: The share of δ that each kind of claim may spend.
        front: Items certified to be in: every opponent is shown not to beat them by more than ε,
            and nothing is shown to be above them.
        inside: Why; also of items that are out although nothing beats them by more than ε.
        out: Items that are not maximal, and why.
        undecided: The others, outside cycles: which opponents are missing how many votes (those
            who miss the fewest, when there are very many).
        missing: How many opponents each undecided item has yet to clear.
        groups: Cycles of dominances; their items are neither in nor out unless something from
            outside is above them.
        pairs: What is shown of pairs.
        assumptions: What all this rests on, in words.
        notes: What was guessed, repeated or left out in reading.
        answers: How many answers of each form there are.
        meanings: What each form was taken to mean.
        clusters: What the clusters are and how many, or None for single votes.
        fingerprint: A SHA-256 of the votes.
        source: Where the votes came from.
        reading: The options the votes were read with.
    """

    items: tuple[str, ...]
    votes: int
    pairs_seen: int
    records: Mapping[str, Record]
    delta: float
    epsilon: float
    split: Split
    front: tuple[str, ...]
    inside: Mapping[str, Inside]
    out: Mapping[str, Out]
    undecided: Mapping[str, tuple[Missing, ...]]
    missing: Mapping[str, int]
    groups: tuple[Group, ...]
    pairs: Pairs
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    answers: Mapping[str, int]
    meanings: Mapping[str, str]
    clusters: tuple[str, int] | None
    fingerprint: str
    source: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    decoy_gap: float | None = None
    decoy_votes: int = 0

    @property
    def unit(self) -> str:
        """What one observation is: a vote, or a cluster."""
        return "vote" if self.clusters is None else "cluster"

    @cached_property
    def _front(self) -> frozenset[str]:
        return frozenset(self.front)

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """One cycle of each group, each item above the next."""
        return tuple(group.cycle for group in self.groups)

    def status(self, item: str) -> str:
        """One of "in", "out", "undecided" and "cycle"."""
        if item in self.out:
            return "out"
        if item in self.undecided:
            return "undecided"
        if item in self._front:
            return "in"
        if item in self.records:
            return "cycle"
        raise ParameterError(f"{item!r} is not an item of this log; {_nearest(item, self.items)}")

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain JSON values, with a digest that any change of them breaks."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "source": self.source,
            "reading": dict(self.reading),
            "fingerprint": self.fingerprint,
            "items": list(self.items),
            "votes": self.votes,
            "answers": dict(self.answers),
            "meanings": dict(self.meanings),
            "clusters": self.clusters
            and {"column": self.clusters[0], "clusters": self.clusters[1]},
            "pairs_seen": self.pairs_seen,
            "records": {item: _plain(record) for item, record in self.records.items()},
            "delta": self.delta,
            "epsilon": self.epsilon,
            "decoy_gap": self.decoy_gap,
            "decoy_votes": self.decoy_votes,
            "split": self.split.of(self.delta),
            "front": list(self.front),
            "in": {item: _plain(why) for item, why in self.inside.items()},
            "out": {item: _plain(why) for item, why in self.out.items()},
            "undecided": {
                item: [_plain(entry) for entry in entries]
                for item, entries in self.undecided.items()
            },
            "missing": dict(self.missing),
            "cycles": [list(cycle) for cycle in self.cycles],
            "groups": [_plain(group) for group in self.groups],
            "pairs": _plain(self.pairs),
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
        }
        return document | {"digest": digest_of(document)}


def digest_of(document: Mapping[str, Any]) -> str:
    """The SHA-256 of a certificate's content without its digest.

    It shows that a file was changed, not who changed it: whoever can change the file can also
    compute a new digest, and then only the votes themselves can contradict.
    """
    content = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def e_value(log_evidence: float) -> float:
    """The e-value itself, cut at `LARGEST_EVIDENCE`."""
    return min(math.exp(min(log_evidence, 700.0)), LARGEST_EVIDENCE)


def _plain(entry: Any) -> Any:
    """A named tuple as JSON values; an e-value goes beside its logarithm."""
    if not isinstance(entry, tuple):
        return entry
    if not hasattr(entry, "_asdict"):
        return [_plain(part) for part in entry]
    found: dict[str, Any] = {}
    for name, value in entry._asdict().items():
        if name == "log_evidence":
            found["evidence"] = e_value(value)
        found[name] = _plain(value)
    return found


def _nearest(item: str, items: tuple[str, ...]) -> str:
    import difflib

    # Case and signs are what people get wrong: "gpt-4" for "GPT 4".
    plain: dict[str, str] = {}
    for name in items:
        plain.setdefault(_folded(name), name)
    found = difflib.get_close_matches(_folded(item), plain, n=3, cutoff=0.4)
    close = [plain[name] for name in found]
    if close:
        return f"did you mean {' or '.join(repr(name) for name in close)}?"
    return f"one of the {len(items)} items was expected, such as {items[0]!r}"


def _folded(name: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())
