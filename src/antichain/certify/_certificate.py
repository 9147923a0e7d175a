"""`Certificate`: what a log of votes shows, in names and plain numbers.

Throughout, `votes` is the number of votes that count, `share` the mean score in them (ties count
half; None without votes), `log_evidence` the natural logarithm of the e-value, and `level` the
level it was tested at: the e-value is at least its inverse.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from antichain import _checks
from antichain._markup import Summarised, Summary
from antichain._text import counted, did_you_mean
from antichain.errors import ParameterError

FORMAT = "antichain-certificate"
VERSION = 5
"""Earlier certificates can still be verified (`_verification`)."""

# The fields of a certificate file in their order, and the keys that differ from their names.
_WRITTEN = (
    *("source", "reading", "fingerprint", "items", "votes", "answers", "meanings", "clusters"),
    *("pairs_seen", "records", "method", "promise", "delta", "epsilon", "epsilon_others"),
    *("assume", "decoy_gap", "decoy_votes", "split", "front", "among", "inside", "out"),
    *("likely_by", "undecided", "missing", "cycles", "groups", "pairs", "assumptions", "notes"),
    *("conclusion", "fewest_votes", "checks"),
)
_KEYS = {"inside": "in"}

LARGEST_EVIDENCE = 1e300
"""Larger e-values are written as this number; their logarithm is written in full."""


_UNITS = ("user", "two-sided vote")  # clusters with a name of their own


class Record(NamedTuple):
    """All votes on an item.

    Attributes:
        votes: How many there are.
        share: Its mean score in them; None without votes.
        opponents: How many items it met.
    """

    votes: int
    share: float | None
    opponents: int


class PairClaim(NamedTuple):
    """One claim about a pair.

    Attributes:
        first: One item; the upper one, if one is above the other.
        second: The other one.
        votes: The number of votes on the pair.
        share: The mean score of the first item in them.
        log_evidence: The natural logarithm of the odds by which the evidence speaks against chance.
        level: The error probability at which the claim was made.
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
        by: The item that is shown most strongly to be above it; None if only all its duels
            together show that something is.
        pooled: Whether all its duels together show that it is not maximal: always, in
            certificates of format version 2 or later.
        votes: The number of votes behind the evidence: on that pair, or in all its duels.
        share: The item's mean score in them.
        log_evidence: The natural logarithm of the odds by which the evidence speaks against chance.
        level: The error probability at which the claim was made.
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
    """Why an item is in: not even `weakest`, its most dangerous opponent, beats it by more than ε.

    Attributes:
        weakest: The opponent against which the claim is least certain; None if no opponent had to
            be ruled out, because all others are out.
        votes: The number of votes on the two.
        share: The item's mean score in them.
        log_evidence: The natural logarithm of the odds by which the evidence speaks against chance.
        level: The error probability at which the claim was made.
    """

    weakest: str | None
    votes: int
    share: float | None
    log_evidence: float
    level: float


class Missing(NamedTuple):
    """What is missing between an undecided item and one opponent.

    Attributes:
        opponent: The opponent.
        votes: The number of votes on the two so far.
        share: The mean score of the undecided item in them.
        if_even: The expected number of further votes (or clusters) until the opponent is ruled
            out, if the two are even.
        at_rate: The same at the rate of the votes so far; None if that is never.
        to_lose: The expected number of further votes until the opponent is shown to be above, at
            that rate; None if that is never.
    """

    opponent: str
    votes: int
    share: float | None
    if_even: int | None
    at_rate: int | None
    to_lose: int | None


def threats_among(entries: Iterable[Missing]) -> list[Missing]:
    """Return the opponents that are ahead, those soonest shown to be above first."""
    ahead = [(e.to_lose, e.opponent, e) for e in entries if e.to_lose is not None]
    return [entry for _, _, entry in sorted(ahead)]


def short_list(entries: Iterable[Missing], most: int) -> tuple[Missing, ...]:
    """The opponents nearest to being ruled out, and the one that may decide the item."""

    def nearest_first(entry: Missing) -> tuple[float, str]:
        return (math.inf if entry.at_rate is None else entry.at_rate, entry.opponent)

    every = list(entries)
    listed, threats = sorted(every, key=nearest_first)[:most], threats_among(every)
    if threats and threats[0] not in listed:
        listed[-1] = threats[0]
    return tuple(listed)


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
    steps: tuple[PairClaim, ...]
    top: bool


class DecoyClaim(NamedTuple):
    """What duels of either item against the other's decoy show about a pair.

    Attributes:
        first: One item.
        second: The other one.
        votes: The number of such duels.
        first_share: The mean score of the first item against the second's decoy.
        second_share: The mean score of the second item against the first's decoy.
        log_evidence: The natural logarithm of the odds by which the evidence speaks against chance.
        level: The error probability at which the claim was made.
    """

    first: str
    second: str
    votes: int
    first_share: float | None
    second_share: float | None
    log_evidence: float
    level: float


class Pairs(NamedTuple):
    """What is shown about pairs; one pair may appear under several of these.

    Attributes:
        dominated: One is above the other.
        indistinguishable: Neither beats the other by more than ε.
        incomparable: Most voters say that the two cannot be compared.
        not_enough: The number of pairs that were asked and show none of these.
        never_asked: The number of pairs without a vote.
        incomparable_by_decoys: Duels against decoys show that neither is above the other.
        comparable_by_decoys: Duels against decoys show that one is above the other, but not
            which.
        too_close: Pairs that decoys show to be comparable, in which neither beats the other by
            more than ε or is shown to be above.
    """

    dominated: tuple[PairClaim, ...]
    indistinguishable: tuple[PairClaim, ...]
    incomparable: tuple[PairClaim, ...]
    not_enough: int
    never_asked: int
    incomparable_by_decoys: tuple[DecoyClaim, ...] = ()
    comparable_by_decoys: tuple[DecoyClaim, ...] = ()
    too_close: tuple[tuple[str, str], ...] = ()


class Against(NamedTuple):
    """How an item fared against one opponent.

    Attributes:
        opponent: The opponent.
        records: By criterion, the number of votes on the two and the item's mean score in them.
    """

    opponent: str
    records: Mapping[str, tuple[int, float | None]]


class Criteria(NamedTuple):
    """The criteria of a certificate: those that are voted on, and attributes that are known.

    Attributes:
        column: The column of the log that says what a vote is about; None without one.
        names: The voted criteria; one without a name where there is no such column.
        attributes: For each attribute "min" if less is better, or "max".
        values: For each item, its value of each attribute.
        records: For each item, all votes on it by criterion.
        against: For each item that is in or out, how it fared against the opponent that matters
            most: the one that is least surely ruled out, or one that is above it.
        without_votes: Items that are in, whatever the votes say: attributes let nothing be
            above them.
    """

    column: str | None
    names: tuple[str, ...]
    attributes: Mapping[str, str]
    values: Mapping[str, Mapping[str, float]]
    records: Mapping[str, Mapping[str, Record]]
    against: Mapping[str, Against]
    without_votes: tuple[str, ...]


class Quality(NamedTuple):
    """A mean chance to win against the other items: a model's estimate.

    Attributes:
        middle: The estimate.
        low: The lower end of an interval for it.
        high: The upper end.
    """

    middle: float
    low: float
    high: float


class LogCheck(NamedTuple):
    """What the votes say about an assumption.

    Attributes:
        name: What was looked at.
        finding: What was found, in sentences.
        alarm: Whether something is wrong.
    """

    name: str
    finding: str
    alarm: bool


class Likely(NamedTuple):
    """How likely each item is to be on the front: a model's estimate, not a guarantee.

    Attributes:
        chances: For each item, the chance that no maximal item beats it by more than `epsilon`, and
            no other item by more than `epsilon_others` (fields of the certificate).
        likely_front: The set with the best expected F1.
        expected_f1: What that F1 is expected to be.
        exactly_right: The chance that this set is exactly right.
    """

    chances: Mapping[str, float]
    likely_front: tuple[str, ...]
    expected_f1: float
    exactly_right: float


class SideBias(NamedTuple):
    """How the side shown first did in judgments in both orders: one half if sides do not matter.

    Attributes:
        judgments: How many judgments there are in both orders.
        first: The mean score of the side shown first.
        low: The lower end of an interval for it that holds at all times at once.
        high: The upper end.
        level: The probability that the interval holds.
        changed: In how many judgments the two orders say different things.
    """

    judgments: int
    first: float
    low: float
    high: float
    level: float
    changed: int


@dataclass(frozen=True)
class Certificate(Summarised):
    """Which items are in, out or undecided, with the evidence, and how likely each is on the front.

    With probability at least 1 − δ *every* claim is true, whenever and however often you look, if
    the `assumptions` hold (proved in docs/theory/certificates.md). The likely front is an estimate.

    Attributes:
        items: All items.
        votes: The number of votes, whatever the answer.
        pairs_seen: The number of pairs with a vote.
        records: All votes on each item.
        method: How the verdicts were reached, in a sentence.
        promise: What holds with which probability, in a sentence.
        delta: δ, an upper bound on the probability that any claim is false.
        epsilon: ε: no item that may be maximal beats one that is in by more than this.
        epsilon_others: The bound for opponents that were already out when the item came in: larger
            than `epsilon` only if the votes were judged in a known order
            (docs/theory/few-votes.md).
        assume: Further assumptions, made on request (`antichain.Certifying`).
        decoy_gap: Δ, the smallest gap by which a decoy loses to any item at or above its own;
            None if decoys are not used as evidence.
        decoy_votes: The number of votes on an item and the decoy of another.
        split: How much of δ each kind of claim may spend.
        front: Items certified to be in.
        inside: The evidence for each item that is in.
        out: Items certified to be out, with the evidence.
        likely_by: For items that are out without a named dominator, the likeliest one; this is not
            a claim.
        undecided: The undecided items, with the votes still missing against each opponent (only the
            opponents that need the fewest, if there are very many).
        missing: For each undecided item, the number of opponents that may still beat it.
        groups: Cycles of dominances. Their items are neither in nor out, unless an item outside the
            cycle is above them.
        pairs: What is shown about pairs.
        assumptions: The assumptions behind the claims, in sentences.
        notes: What was guessed, repeated or left out when the votes were read.
        answers: The number of answers of each form.
        meanings: How each form of answer counts.
        clusters: The column and the number of clusters; None for single votes.
        fingerprint: A SHA-256 of the votes.
        source: Where the votes came from.
        reading: The options that the votes were read with.
        likely: The likely front, if it was estimated; an estimate, never a claim.
        warnings: The notes that say that the guarantee may not hold.
        side_bias: How the side shown first did, if judgments were made in both orders.
        criteria: The criteria and known attributes, if there are any.
        qualities: A model's estimate of how good each item is on each criterion.
        conclusion: What the votes show, in one or two sentences.
        fewest_votes: The fewest votes that could put an undecided item out, if it lost all of them.
        checks: What the votes say about the assumptions; not part of the guarantee.

    Example:
        >>> from antichain import front
        >>> certificate = front([("tea", "rain", "left")] * 20 + [("tea", "fog", "left")] * 20)
        >>> certificate
        Certificate(3 items, 40 votes: 1 in, 2 out, 0 undecided; delta=0.05, epsilon=0.1)
        >>> print(certificate)
        Certificate of 40 votes on 3 items
          in         1: tea
          out        2: rain, fog
          undecided  none
          terms      δ = 0.05, ε = 0.1
        The front is decided: tea. Every other item is out.
    """

    items: tuple[str, ...]
    votes: int
    pairs_seen: int
    records: Mapping[str, Record]
    method: str
    promise: str
    delta: float
    epsilon: float
    epsilon_others: float
    assume: tuple[str, ...]
    split: Mapping[str, float]
    front: tuple[str, ...]
    inside: Mapping[str, Inside]
    out: Mapping[str, Out]
    likely_by: Mapping[str, str]
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
    likely: Likely | None = None
    warnings: tuple[str, ...] = ()
    side_bias: SideBias | None = None
    criteria: Criteria | None = None
    qualities: Mapping[str, Mapping[str, Quality]] | None = None
    conclusion: str = ""
    fewest_votes: int = 0
    checks: tuple[LogCheck, ...] = ()

    @property
    def alarms(self) -> tuple[str, ...]:
        """The findings of the checks that raise an alarm."""
        return tuple(check.finding for check in self.checks if check.alarm)

    @property
    def among(self) -> tuple[str, ...]:
        """Every item that is not shown to be out."""
        return tuple(item for item in self.items if item not in self.out)

    @property
    def unit(self) -> str:
        """What one observation is: a vote, or a cluster by the name it has."""
        if self.clusters is None:
            return "vote"
        return self.clusters[0] if self.clusters[0] in _UNITS else "cluster"

    @cached_property
    def _front(self) -> frozenset[str]:
        return frozenset(self.front)

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """One cycle of each group, each item above the next."""
        return tuple(group.cycle for group in self.groups)

    @property
    def chances(self) -> Mapping[str, float]:
        """Each item's estimated chance of being on the front; empty if it was not estimated."""
        return {} if self.likely is None else self.likely.chances

    def status(self, item: str) -> str:
        """Return "in", "out", "undecided" or "cycle"."""
        _checks.instance("item", item, str, "the name of an item")
        if item in self.out:
            return "out"
        if item in self.undecided:
            return "undecided"
        if item in self._front:
            return "in"
        if item in self.records:
            return "cycle"
        listed = f"; one of the {len(self.items)} items was expected, such as {self.items[0]!r}"
        meant = did_you_mean(item, self.items, repr)
        raise ParameterError(f"{item!r} is not an item of this log{meant or listed}")

    def group_of(self, item: str) -> Group:
        """Return the group of an item that is in a cycle."""
        status = self.status(item)
        for group in self.groups:
            if item in group.items:
                return group
        raise ParameterError(f"{item!r} is {status}, but an item in a cycle was expected")

    def never_met(self, item: str) -> int:
        """Count the opponents that an item never met."""
        self.status(item)  # raises if there is no such item
        return len(self.items) - 1 - self.records[item].opponents

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain JSON values, with a digest that reveals any change."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            **{_KEYS.get(name, name): plain(getattr(self, name)) for name in _WRITTEN},
        }
        for name in Likely._fields:
            document[name] = None if self.likely is None else plain(getattr(self.likely, name))
        if self.clusters is not None:
            document["clusters"] = dict(zip(("column", "clusters"), self.clusters, strict=True))
        if self.side_bias is not None:
            document["side_bias"] = plain(self.side_bias)
        if self.criteria is not None:
            document |= {"criteria": plain(self.criteria), "qualities": plain(self.qualities)}
        return document | {"digest": digest_of(document)}

    def __repr__(self) -> str:
        size, votes = counted(len(self.items), "item"), counted(self.votes, "vote")
        verdicts = ", ".join(f"{len(items):,} {word}" for word, items in self.by_verdict().items())
        terms = f"delta={self.delta:g}, epsilon={self.epsilon:g}"
        return f"Certificate({size}, {votes}: {verdicts}; {terms})"

    def by_verdict(self) -> dict[str, tuple[str, ...]]:
        """Return the items that are in, out, undecided and (if there are any) in cycles."""
        cycles = tuple(dict.fromkeys(item for group in self.groups for item in group.items))
        verdicts = {"in": self.front, "out": tuple(self.out), "undecided": tuple(self.undecided)}
        in_cycles = tuple(item for item in cycles if item not in self.out)
        return verdicts | ({"in cycles": in_cycles} if in_cycles else {})

    def explain(self, item: str) -> str:
        """Explain in a few sentences why an item is in, out or undecided.

        Example:
            >>> from antichain import front
            >>> print(front([("Alien", "Saw", "left")] * 60).explain("Saw").splitlines()[0])
            Saw is out: Alien is above it. Saw took 0% of their 60 votes (ties count half).
        """
        from antichain.certify._explaining import explain  # which knows certificates

        return explain(self, item)

    def _summary(self) -> Summary:
        from antichain.certify._brief import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from antichain.certify._brief import brief_with_items

        return brief_with_items(self).html()


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a certificate's content without its digest.

    It reveals accidental changes. Whoever changes a file on purpose can compute a new digest; then
    only the votes themselves can contradict it.
    """
    content = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plain(entry: Any) -> Any:
    """Turn tuples and mappings into JSON values, and add e-values next to their logarithms."""
    if isinstance(entry, Mapping):
        return {name: plain(value) for name, value in entry.items()}
    if not isinstance(entry, tuple):
        return entry
    if not hasattr(entry, "_asdict"):
        return [plain(part) for part in entry]
    found: dict[str, Any] = {}
    for name, value in entry._asdict().items():
        if name == "log_evidence":
            found["evidence"] = min(math.exp(min(value, 700.0)), LARGEST_EVIDENCE)
        found[name] = plain(value)
    return found
