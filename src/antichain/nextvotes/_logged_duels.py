"""From a log of votes to the duels a run can be answered from, and what is set aside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antichain.algorithms._base import Rules
from antichain.algorithms._rounds import Indices
from antichain.errors import InputError
from antichain.nextvotes._stacks import Stacks
from antichain.votes._decoy_names import DecoyNaming, Decoys
from antichain.votes._vote_log import ANSWERS, VoteLog, VoteOrder

Mask = NDArray[np.bool_]

_WIN, _LOSS, _HALF, _LOST = range(4)
_SKIPPED = ANSWERS.index("skipped")
_TURNED = np.array([_LOSS, _WIN, _HALF, _LOST])


@dataclass(frozen=True)
class Aside:
    """The numbers of votes in a log that answer no duel, by reason.

    Attributes:
        skipped: No answer was given.
        ignored: The meaning of the answer is "ignore" (`antichain.votes._vote_log:Meanings`).
        clustered: Another vote of the same cluster on the pair came first.
        other: Neither a duel of two items nor one of an item against another's decoy.
    """

    skipped: int = 0
    ignored: int = 0
    clustered: int = 0
    other: int = 0

    @property
    def votes(self) -> int:
        return self.skipped + self.ignored + self.clustered + self.other


@dataclass(frozen=True, eq=False)
class LoggedDuels:
    """The duels of a log.

    Attributes:
        items: In the order of the log, with decoys under the names of their items.
        stacks: The duels of each pair, in their order.
        aside: The votes that are not duels.
        decoys: The name of each item's decoy; None if there are none.
        decoys_met: Whether the log has votes on decoys.
    """

    items: tuple[str, ...]
    stacks: Stacks
    aside: Aside
    decoys: dict[str, str] | None = None
    decoys_met: bool = False


def duels_of(log: VoteLog, rules: Rules, decoys: Decoys | None = None) -> LoggedDuels:
    """Return the duels in a log that was read with its order.

    Args:
        log: The votes.
        rules: Say whether a skipped vote counts against every claim, and so as a duel.
        decoys: Which names are those of decoys; None if there are none.
    """
    order = _checked(log, decoys)
    originals = _originals(log.items, decoys)
    items, item_of, is_decoy = _parted(log.items, originals)
    rows = np.flatnonzero(order.number > 0)
    form = order.form[rows]
    first = log.pairs.first[order.pair_row[rows]]
    second = log.pairs.second[order.pair_row[rows]]
    turned = is_decoy[first]
    lefts, rights = np.where(turned, second, first), np.where(turned, first, second)
    decoy = is_decoy[rights]
    lefts_out = is_decoy[lefts]
    lefts, rights = item_of[lefts], item_of[rights]
    scores = _scores(log, rules)[form]
    scores = np.where(turned, _TURNED[scores], scores)
    # Of a direct pair, the first is the one with the smaller number among the items of the run.
    scores = np.where(~decoy & (lefts > rights), _TURNED[scores], scores)
    kept = scores >= 0
    other = kept & (lefts_out | (lefts == rights))
    kept &= ~other
    keys = Stacks.key(len(items), lefts, rights, decoy)
    again = np.zeros(rows.size, np.bool_)
    if order.cluster is not None:
        again[kept] = _repeated(keys[kept], order.cluster[rows][kept])
        kept &= ~again
    skipped = int(((scores < 0) & (form == _SKIPPED)).sum())
    aside = Aside(skipped, int((scores < 0).sum()) - skipped, int(again.sum()), int(other.sum()))
    stacks = Stacks(len(items), keys[kept], scores[kept])
    if decoys is None:
        return LoggedDuels(items, stacks, aside)
    shown = {item_of[k]: log.items[k] for k in np.unique([first, second]) if is_decoy[k]}
    called = _called(items, shown, DecoyNaming(decoys), log.source)
    return LoggedDuels(items, stacks, aside, called, bool(shown))


def _checked(log: VoteLog, decoys: Decoys | None) -> VoteOrder:
    if log.order is None:
        raise InputError(
            f"{log.source} was read without the order of its votes, but a log read with order=True "
            "was expected"
        )
    if (log.order.number > 1).any():
        raise InputError(
            f"{log.source} has rows that stand for several votes, but one row per vote was "
            "expected: a run takes votes in the order in which they were given, which such rows "
            "do not show"
        )
    if decoys is not None and log.decoys is not None:
        raise InputError(
            f"{log.source} was read with its duels against decoys kept apart, but a log read with "
            "named_decoys was expected: a run takes them in their order"
        )
    return log.order


def _originals(names: tuple[str, ...], decoys: Decoys | None) -> dict[str, str]:
    if decoys is None:
        return {}
    naming = DecoyNaming(decoys)
    return {name: item for name in names if (item := naming.item_of(name)) is not None}


def _parted(
    names: tuple[str, ...], originals: dict[str, str]
) -> tuple[tuple[str, ...], Indices, Mask]:
    """Return the items and, for each name of the log, its item and whether it is a decoy."""
    place: dict[str, int] = {}
    item_of = [place.setdefault(originals.get(name, name), len(place)) for name in names]
    decoys = [name in originals for name in names]
    return tuple(place), np.array(item_of, np.int64), np.array(decoys, np.bool_)


def _called(
    items: tuple[str, ...], shown: dict[int, str], naming: DecoyNaming, source: str
) -> dict[str, str]:
    """Return the name of each item's decoy: as it was shown before or, if never, as it is named."""
    alone = [item for item in items if not naming.names(item)]
    if alone:
        raise InputError(
            f"{source} has the item {alone[0]!r} without a named decoy, but a decoy of every item "
            "was expected: a run may ask for any of them"
        )
    return {item: shown.get(k) or naming.decoy_of(item) for k, item in enumerate(items)}


def _scores(log: VoteLog, rules: Rules) -> Indices:
    """Return what each form of answer means to a run, −1 if it is not a duel."""
    meant = log.meanings.doubled_scores
    known: dict[int | None, int] = {2: _WIN, 0: _LOSS, 1: _HALF, None: -1}
    scores = [known[meant[form]] for form in ANSWERS]
    if rules.lost == "against":
        scores[_SKIPPED] = _LOST
    return np.array(scores, np.int64)


def _repeated(keys: Indices, clusters: Indices) -> Mask:
    """Say which votes come after another of the same pair and cluster."""
    pairs = np.column_stack([keys, clusters])
    _, first = np.unique(pairs, axis=0, return_index=True)
    again = np.ones(keys.size, np.bool_)
    again[first] = False
    return again
