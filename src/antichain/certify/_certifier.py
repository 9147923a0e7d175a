"""`certify`: from a log of votes to a certificate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from antichain import _checks
from antichain._text import counted
from antichain.certify import _caveats, _notes
from antichain.certify._certificate import Certificate, Inside, Likely, Missing, Out
from antichain.certify._claims import claims_on_pairs
from antichain.certify._log_checks import checks_on, fewest_votes, sparse
from antichain.certify._missing import Shortfalls
from antichain.certify._naming import Naming, uppers_of
from antichain.certify._replay import is_ordered, judge_in_order
from antichain.certify._several import check_several, is_several
from antichain.certify._several_terms import SeveralCriteria
from antichain.certify._verdicts import Judged, judge_counts
from antichain.certify._weigh import all_answers
from antichain.certify._wording import conclusion
from antichain.errors import InputError
from antichain.referee import Terms
from antichain.votes._vote_log import VoteLog


def certify(
    log: VoteLog,
    delta: float | None = None,
    epsilon: float | None = None,
    *,
    assume: str | Iterable[str] | None = None,
    decoy_gap: float | None = None,
    reading: Mapping[str, Any] | None = None,
    likely: bool = True,
) -> Certificate:
    """Certify which items of a log are in, out or undecided, and why.

    Guarantee: with probability at least 1 − δ every claim of the certificate is true, and so is
    every claim of every certificate made from an earlier part of the same log
    (docs/theory/certificates.md). The likely front is a model's estimate and no part of it.

    Args:
        log: The votes.
        delta: The largest acceptable probability that any claim is false. The default is that of
            the log's own terms, if it has any, and 0.05 otherwise.
        epsilon: The gap by which an item may be beaten and still be in. The default is that of the
            log's own terms, and 0.1 otherwise.
        assume: Further assumptions: "strong" or "cannot-compare" or both. The default is those of
            the log's own terms, and none otherwise.
        decoy_gap: Δ, the gap by which a decoy loses at least to every item at or above its own;
            None leaves out the duels against decoys, unless the log's own terms have a gap.
        reading: The options that the votes were read with, to be stored in the certificate.
        likely: Whether to estimate the likely front.

    >>> log = VoteLog.from_counts([("tea", "rain", 90, 10), ("tea", "fog", 95, 5)])
    >>> certify(log).out["rain"].by
    'tea'
    """
    _checks.instance("log", log, VoteLog, "a VoteLog, as read_votes gives it,")
    _checks.instance("reading", reading, Mapping, "a mapping of options", optional=True)
    _checks.instance("likely", likely, bool, "yes or no (a bool)")
    terms, taken_over = agreed_terms(log, delta, epsilon, assume, decoy_gap)
    _check(log, terms)
    ordered, several = is_ordered(log), None
    if is_several(log):
        several = SeveralCriteria(log, terms)
        judged = several.found.judged
    else:
        judged = judge_in_order(log, terms) if ordered else judge_counts(log, terms)
    others = terms.epsilon_others if ordered else terms.epsilon
    named = _Named(log, judged, terms)
    undecided = named.undecided() if several is None else several.undecided(named.naming)
    estimate: Likely | None = None
    doubts: tuple[str, ...] = ()
    if several is not None:
        estimate, doubts = several.estimated() if likely else (None, ())
    elif likely:
        from antichain.certify._estimate import estimated  # its kernels take a while to load

        # An estimate need not wait for open asks, as claims that are read in order do.
        waits = ordered and log.asks is not None and log.asks.waiting
        read = all_answers(log, terms.cannot_compare) if waits else judged.read
        estimate, doubts = estimated(log, read, terms.epsilon, others)
    warnings = _caveats.warnings_on(log)
    records, fewest = named.naming.records(), named.fewest_votes()
    few = sparse(log, [record.votes for record in records.values()], fewest, len(undecided))
    found = Certificate(
        items=log.items,
        votes=log.votes,
        pairs_seen=log.pairs.size,
        records=records,
        method=_caveats.method_of(log, ordered) if several is None else several.method,
        promise=_caveats.promise_of(terms, others) if several is None else several.promise,
        delta=terms.delta,
        epsilon=terms.epsilon,
        epsilon_others=others,
        assume=terms.assume,
        split=terms.shares,
        front=named.front(),
        inside=named.inside(),
        out=named.out,
        likely_by=named.likely_by(),
        undecided={item: listed for item, (listed, _) in undecided.items()},
        missing={item: missing for item, (_, missing) in undecided.items()},
        groups=named.groups,
        pairs=named.pairs,
        assumptions=(
            _caveats.assumptions_of(log, terms, ordered) if several is None else several.assumptions
        ),
        notes=(
            *warnings,
            *taken_over,
            *_notes.notes_on(log, terms.decoy_gap),
            *_notes.notes_on_terms(log, terms, ordered, several is not None),
            *_notes.undeclared_decoys(log),
            *_notes.contradictions(named.pairs, terms.strong),
            *named.no_front(),
            *doubts,
        ),
        answers=log.answer_counts,
        meanings=log.meanings.words,
        clusters=None if log.clusters is None else (log.clusters.column, log.clusters.clusters),
        fingerprint=log.fingerprint,
        source=log.source,
        reading=dict(reading or {}),
        decoy_gap=terms.decoy_gap,
        decoy_votes=0 if log.decoys is None else int(log.decoys.table.sum()),
        likely=estimate,
        warnings=warnings,
        side_bias=_notes.side_bias_of(log),
        criteria=None if several is None else several.described(named.naming, named.opponents()),
        qualities=None if several is None else several.qualities,
        fewest_votes=fewest,
        checks=(*(() if few is None else (few,)), *checks_on(log)),
    )
    said = [conclusion(found), *(_caveats.held_up(log) if ordered and several is None else ())]
    return replace(found, conclusion=" ".join(said))


def agreed_terms(
    log: VoteLog,
    delta: float | None,
    epsilon: float | None,
    assume: str | Iterable[str] | None,
    decoy_gap: float | None,
) -> tuple[Terms, tuple[str, ...]]:
    """The terms that are given, or else those of the study that the log is of; and a note."""
    given = {"delta": delta, "epsilon": epsilon, "assume": assume, "decoy_gap": decoy_gap}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    exported = dict(log.terms or {})
    if log.decoys is None:
        exported.pop("decoy_gap", None)
    taken = {
        name: exported[name]
        for name in given
        if name not in chosen and exported.get(name) is not None
    }
    note = () if not taken else (_notes.taken_over(taken),)
    return Terms(**taken | chosen), note


def _check(log: VoteLog, terms: Terms) -> None:
    if is_several(log):
        check_several(log, terms)
    if len(log.items) < 2:
        raise InputError(
            f"{log.source} has {counted(len(log.items), 'item')}, but at least two were expected"
        )
    if terms.decoy_gap is not None and log.decoys is None:
        raise InputError(
            f"{log.source} has no duels of an item against another item's decoy, but a decoy gap "
            "needs some (say which names are decoys with --decoys or --decoy-suffix)"
        )
    if terms.cannot_compare and log.clusters is not None:
        raise InputError(
            f"votes with the same {log.clusters.column!r} are one observation, but the assumption "
            "cannot-compare needs every vote to count by itself (leave out --cluster, or "
            "--assume cannot-compare)"
        )


class _Named:
    """Verdicts and claims with names and numbers."""

    def __init__(self, log: VoteLog, judged: Judged, terms: Terms) -> None:
        self._names, self._judged, self._at = log.items, judged, judged.verdicts
        self.naming = naming = Naming(log, judged.read)
        self._claims = claims = claims_on_pairs(judged, terms.shares["pairs"])
        above, levels = judged.pairs.above, claims.levels
        dominated = naming.dominances(claims.dominances, above, levels)
        self._uppers = uppers_of(naming.dominances(claims.outsiders, above, levels))
        self.groups = naming.groups(
            claims.groups, dominated, claims.grouped[claims.outsiders.lowers]
        )
        self.pairs = naming.pairs(
            dominated,
            naming.of_pairs(claims.even, judged.pairs.even),
            naming.of_pairs(claims.incomparable, judged.pairs.incomparable),
            judged.decoys,
            claims.decoys,
        )
        self.out = self._out()

    def front(self) -> tuple[str, ...]:
        return tuple(self._names[i] for i in np.flatnonzero(self._at.inside))

    def inside(self) -> dict[str, Inside]:
        """Why each item is in."""
        cleared = self._at.cleared
        if not self._at.every:  # whoever is out need not be cleared
            ends = np.stack([self._judged.read.first, self._judged.read.second], axis=1)
            cleared = np.where(self._at.out[ends], np.inf, cleared)
        found = self.naming.weakest(cleared, self._at.inside, self._at.weakest)
        inside = {}
        for i in np.flatnonzero(self._at.inside).tolist():
            weakest, votes, share = found.get(i, (None, 0, None))
            evidence = min(float(self._at.evidence[i]), _MOST_EVIDENCE)
            level = math.exp(-float(self._at.required[i]))
            inside[self._names[i]] = Inside(weakest, votes, share, evidence, level)
        return inside

    def opponents(self) -> dict[str, str]:
        """For each item that is in or out, the opponent that matters most, if it is known."""
        found = {item: why.weakest for item, why in self.inside().items()}
        found |= {item: why.by for item, why in self.out.items()} | self.likely_by()
        return {item: name for item, name in found.items() if name is not None}

    def _out(self) -> dict[str, Out]:
        """Why each item is out; items of a cycle only if somebody from outside is above them."""
        found = {}
        for i in np.flatnonzero(self._at.out).tolist():
            uppers = self._uppers.get(self._names[i], [])
            if uppers or self._claims.grouped[i] < 0:
                evidence, level = float(self._at.evidence[i]), math.exp(-self._at.required[i])
                found[self._names[i]] = self.naming.out(i, uppers, True, evidence, level)
        return found

    def likely_by(self) -> dict[str, str]:
        """For items that are out without a named dominator: whom they most likely lose to."""
        unnamed = {item for item, why in self.out.items() if why.by is None}
        return {item: rival for item, rival in self._rivals(unnamed).items() if rival is not None}

    def _rivals(self, items: set[str]) -> dict[str, str | None]:
        """For each of these items, the opponent with the strongest evidence to be above it."""
        read, above = self._judged.read, self._judged.pairs.above
        asked = len(above)
        ours = np.concatenate([read.second[:asked], read.first[:asked]])
        theirs = np.concatenate([read.first[:asked], read.second[:asked]])
        evidence, most = above.T.ravel(), np.zeros(read.size)
        np.maximum.at(most, ours, evidence)
        best: dict[str, str | None] = dict.fromkeys(sorted(items))
        for row in np.flatnonzero((evidence >= most[ours]) & (evidence > 0)).tolist():
            item, rival = self._names[ours[row]], self._names[theirs[row]]
            if item in best:
                best[item] = min(best[item] or rival, rival)
        return best

    def fewest_votes(self) -> int:
        """The fewest votes that could put one of the undecided items out."""
        undecided = ~self._at.out & ~self._at.inside
        return fewest_votes(float(self._at.required[undecided].min())) if undecided.any() else 0

    def no_front(self) -> tuple[str, ...]:
        """A note if every item is out, which fits no order."""
        if not self._at.out.all() or self.groups:
            return ()
        rivals = self._rivals(set(self._names))
        cycle, item = list[str](), min(self._names)
        while item not in cycle:
            cycle.append(item)
            upper = rivals[item]
            if upper is None:
                return (_caveats.NO_FRONT,)
            item = upper
        cycle = cycle[cycle.index(item) :][::-1]
        return (f"{_caveats.NO_FRONT} {_caveats.likely_cycle(cycle)}",)

    def undecided(self) -> dict[str, tuple[tuple[Missing, ...], int]]:
        items = np.flatnonzero(~self._at.out & ~self._at.inside).tolist()
        found = Shortfalls(self._judged, self.naming).of(items)
        return {self._names[i]: missing for i, missing in found.items()}


_MOST_EVIDENCE = 1e6  # a log; where nobody had to be cleared the evidence has no end
