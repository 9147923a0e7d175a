"""How many votes undecided items still need, as bars."""

from __future__ import annotations

import math
from typing import NamedTuple

from antichain.certify.certificate import Certificate
from antichain.certify.report.svg import LETTER, short, svg, text
from antichain.certify.wording import needed

MOST_BARS = 40
"""Items that bars are drawn for."""

_ROW = 20
_BAR = 260
_LONGEST = 24


class Need(NamedTuple):
    """The votes an undecided item needs.

    Attributes:
        item: The item.
        to_clear: Votes to clear every opponent that is missing, if each pair is even.
        to_lose: Votes until the opponent that is furthest ahead is shown to be above, if the
            votes to come fall as those so far; None if nobody is ahead.
    """

    item: str
    to_clear: int | None
    to_lose: int | None


def needs(certificate: Certificate) -> list[Need]:
    """What each undecided item needs, the nearest to any decision first."""
    found = []
    for item, entries in certificate.undecided.items():
        clear = [entry.if_even for entry in entries]
        told = [votes for votes in clear if votes is not None]
        # Beyond the listed opponents each needs about as much as the last of them.
        beyond = (certificate.missing[item] - len(entries)) * (told[-1] if told else 0)
        lose = [entry.to_lose for entry in entries if entry.to_lose is not None]
        total = sum(told) + beyond if len(told) == len(clear) else None
        found.append(Need(item, total, min(lose, default=None)))
    return sorted(found, key=lambda need: (_soonest(need), need.item))


def _soonest(need: Need) -> float:
    return min(math.inf if votes is None else votes for votes in (need.to_clear, need.to_lose))


def bars(certificate: Certificate) -> str:
    """The picture; empty if nothing is undecided."""
    shown = needs(certificate)[:MOST_BARS]
    if not shown:
        return ""
    names = max(len(short(need.item, _LONGEST)) for need in shown) * LETTER + 14
    largest = max([10.0, *(votes for need in shown for votes in need[1:] if votes is not None)])
    parts = []
    for k, need in enumerate(shown):
        y = k * _ROW + 4
        parts.append(text(names - 8, y + 13, short(need.item, _LONGEST), "end"))
        parts.append(_bar(names, y + 1, need.to_clear, largest, "in"))
        parts.append(_bar(names, y + 9, need.to_lose, largest, "out"))
        words = " / ".join("–" if v is None else needed(v) for v in (need.to_clear, need.to_lose))
        parts.append(text(names + _BAR + 8, y + 13, words, css="small"))
    label = "Votes that undecided items still need, on a logarithmic scale; numbers beside the bars"
    return svg(names + _BAR + 170, len(shown) * _ROW + 8, label, "".join(parts), "bars")


def _bar(x: float, y: float, votes: int | None, largest: float, css: str) -> str:
    if votes is None:
        return ""
    wide = max(2.0, _BAR * math.log10(1 + votes) / math.log10(1 + largest))
    return f'<rect class="{css}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="7" rx="2"/>'
