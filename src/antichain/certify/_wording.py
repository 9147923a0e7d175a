"""A certificate in words: what the terminal, Markdown and the page all say.

The sentences about a certificate's claims are made here, and those that `explain` adds about one
item in `_explaining`; the others lay them out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from antichain._text import IF_THE_SAME, counted, names, percent_chance
from antichain.certify._certificate import Certificate, Missing, PairClaim, threats_among

VERDICTS = {
    "in": "certified: no item beats it by more than ε",
    "cycle": "in a cycle of dominances, which no order can explain",
    "undecided": "not enough votes to show either",
    "out": "certified: some other item is above it",
}
"""What each verdict means, in the order in which items are listed."""

FAMILIES = {
    "out": "“this item is not maximal”, over all items",
    "in": "“no item beats this one by more than ε”, over all items",
    "pairs": "claims about single pairs, over all pairs",
}
"""The kinds of claims that share δ."""

CAUTIOUS = "After few votes, these forecasts are usually too high."
ESTIMATE = "a model's estimate, not a guarantee"
_NARROW = 0.8  # how likely a likely front of all items must be right to count as an answer

_PAIRS = {
    "dominated": "one is above the other",
    "indistinguishable": "neither beats the other by more than {epsilon:g}",
    "incomparable": "most voters cannot compare them",
    "incomparable_by_decoys": "shown by decoys to be incomparable",
    "comparable_by_decoys": "shown by decoys to be comparable",
    "too_close": "comparable, but too close to order",
    "not_enough": "too few votes to tell",
    "never_asked": "never asked",
}
"""What a pair can show, by the field of `Pairs`."""

WAITS = (
    "every opponent is shown not to beat it, but only at the level for a small front, so the "
    "verdict waits for the other items"
)

ODDS = "“1 in N” says how rarely luck alone produces evidence this strong."

READ_WITH = "The votes were read with these options"

BY_DECOYS = ("incomparable_by_decoys", "comparable_by_decoys", "too_close")
_POWER = re.compile(r"\b1 in 10\^(\d+)")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_FORMS = {
    "wins": ("win", "wins"),
    "tie": ("tie", "ties"),
    "both_bad": ("“both bad”", "“both bad”"),
    "incomparable": ("“cannot compare”", "“cannot compare”"),
    "skipped": ("skipped", "skipped"),
}


# -- numbers -------------------------------------------------------------------------------------


def odds(log_evidence: float) -> str:
    """An e-value as odds: how rarely chance alone produces evidence this strong.

    >>> odds(math.log(4720)), odds(0.1)
    ('1 in 4,720', '1 in 1')
    """
    if log_evidence < math.log(1e6):
        return f"1 in {max(1, math.floor(math.exp(log_evidence) * (1 + 1e-12))):,}"
    return f"1 in 10^{math.floor(log_evidence / math.log(10))}"


def raised(text: str) -> str:
    """The same for a web page, where powers are set as such.

    >>> raised("won 40% of 400 votes, 1 in 10^13")
    'won 40% of 400 votes, 1 in 10¹³'
    """
    return _POWER.sub(lambda found: f"1 in 10{found[1].translate(_SUPERSCRIPTS)}", text)


def level_odds(level: float) -> str:
    return f"1 in {math.ceil(1 / level * (1 - 1e-12)):,}" if level else "never"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"


def needed(votes: int) -> str:
    return f"about {votes:,}" if votes < 100 else f"about {float(f'{votes:.2g}'):,.0f}"


def more(votes: int, unit: str) -> str:
    """A number of votes (or clusters) still needed, with the noun."""
    return f"{needed(votes)} more {unit if votes == 1 else f'{unit}s'}"


def beats(claim: PairClaim) -> str:
    return (
        f"{claim.first} beats {claim.second} ({percent(claim.share)} of "
        f"{counted(claim.votes, 'vote')}, {odds(claim.log_evidence)})"
    )


# -- the certificate as a whole ------------------------------------------------------------------


def conclusion(certificate: Certificate) -> str:
    """What is shown, in one or two sentences: what a reader wants to know first."""
    size = len(certificate.items)
    # By their records alone: the estimate is no part of this, nor is the order of the log.
    records = certificate.records
    among = sorted(
        certificate.among,
        key=lambda item: (-_at_least(records[item].share, records[item].votes), item),
    )
    front = [item for item in among if certificate.status(item) == "in"]
    grouped = {item for group in certificate.groups for item in group.items}
    if not among:
        return "No front: every item is shown to be out, which no order can explain."
    if _no_front(certificate):
        others = "" if len(among) == size else " Every other item is out."
        circles = f"{names(among)} beat each other in circles, which no order can explain"
        return f"No front: {circles}.{others}"
    if not front and len(among) == size:
        none = ", or none" if grouped else ""
        anyone = "either" if size == 2 else f"any of the {size:,}"
        return f"No item is decided yet: {anyone} may be on the front{none}."
    rest = [item for item in among if certificate.status(item) != "in"]
    if front and not rest:
        others = "Every other item is out." if certificate.out else "No item is out."
        return f"The front is decided: {names(front)}. {others}"
    if front:
        others = " Every other item is out." if certificate.out else ""
        more = "" if len(rest) == 1 else f"{len(rest):,} more: "
        return f"In: {names(front)}. The front may also include {more}{names(rest)}.{others}"
    return (
        f"The front is among these {len(among):,} of {size:,} items: {names(among)}. The votes do "
        "not yet show which of them are on it."
    )


def headline(certificate: Certificate) -> str:
    grouped = sum(certificate.status(item) == "cycle" for item in certificate.items)
    parts = [
        f"{len(certificate.front):,} in",
        f"{len(certificate.out):,} out",
        f"{len(certificate.undecided):,} undecided",
    ]
    if grouped:
        parts.append(f"{grouped:,} in cycles")
    return (
        f"{counted(len(certificate.items), 'item')}: {', '.join(parts)} "
        f"(δ = {certificate.delta:g}, ε = {certificate.epsilon:g})"
    )


def unit(certificate: Certificate) -> list[str]:
    """What ε is in votes; nothing where it is a difference between criteria."""
    if certificate.criteria is not None:
        return []
    epsilon = certificate.epsilon
    said = (
        f"To beat an item by {epsilon:g} is to win {50 + 100 * epsilon:g}% of the votes against it"
    )
    coarser = certificate.epsilon_others
    if coarser > epsilon:
        said += f", and by {coarser:g}, {50 + 100 * coarser:g}%"
    return [f"{said}."]


def basis(certificate: Certificate) -> str:
    size = len(certificate.items)
    votes = ", ".join(
        f"{count:,} {_FORMS[form][count > 1]}"
        for form, count in certificate.answers.items()
        if count
    )
    text = (
        f"{counted(certificate.votes, 'vote')} ({votes or 'none'}) on {certificate.pairs_seen:,} "
        f"of {counted(size * (size - 1) // 2, 'pair')}"
    )
    if certificate.clusters is not None:
        column, clusters = certificate.clusters
        text += f", in {counted(clusters, 'cluster')} by {column!r}"
    if certificate.decoy_gap is not None:
        text += f", and {counted(certificate.decoy_votes, 'vote')} against decoys of other items"
    return text


def misspelt(certificate: Certificate) -> list[str]:
    """Return the notes on names that may be misspelt, which a reader must see first."""
    return [note for note in certificate.notes if note.endswith(IF_THE_SAME)]


def is_open(certificate: Certificate, item: str) -> bool:
    """Whether a model's estimate says more of an item than its verdict does.

    It does not if everything is in cycles: there is no front to be on.
    """
    return (
        certificate.likely is not None
        and certificate.status(item) not in ("in", "out")
        and not _no_front(certificate)
    )


def any_open(certificate: Certificate) -> bool:
    """Whether the estimate is worth showing, which it is not without votes."""
    return certificate.votes > 0 and any(is_open(certificate, item) for item in certificate.items)


def _no_front(certificate: Certificate) -> bool:
    return all(certificate.status(item) == "cycle" for item in certificate.among)


def chance(certificate: Certificate, item: str) -> str:
    """A model's estimate of the chance that an item is on the front, unless it is decided."""
    if certificate.likely is None or not is_open(certificate, item):
        return "–"
    return percent_chance(certificate.likely.chances[item])


def likely_items(certificate: Certificate) -> list[str]:
    """The likely front as people see it: what is certified, and the estimate where nothing is.

    The model does not know the verdicts: an item that is out, because some item is above it, may
    well be one that no item beats by more than ε.
    """
    likely = certificate.likely
    if likely is None:
        return []
    listed = [item for item in likely.likely_front if is_open(certificate, item)]
    listed.sort(key=lambda item: (-likely.chances[item], item))
    return [*certificate.front, *listed]


def likely_summary(certificate: Certificate) -> list[str]:
    """The likely front in a few sentences; none if there is nothing to estimate."""
    likely = certificate.likely
    if likely is None or not any_open(certificate):
        return []
    listed = likely_items(certificate)
    shown = names(listed) or "none of the items that are not out"
    if len(listed) == len(certificate.items):
        shown = "both items" if len(listed) == 2 else f"all {counted(len(listed), 'item')}"
    how_good = ""
    if len(listed) == len(certificate.items) and likely.exactly_right < _NARROW:
        shown += ", because the votes do not narrow it down yet"
    elif set(listed) == set(likely.likely_front):  # what the model says of its own set
        knows = " (The estimate does not use the verdicts.)" if certificate.out else ""
        how_good = (
            f"Its expected F1 is {likely.expected_f1:.2f} (1 is a perfect match), and the chance "
            f"that it is exactly right is {few_percent(likely.exactly_right)}.{knows} "
        )
    return [
        f"Likely front ({ESTIMATE}): {shown}.",
        f"{how_good}An item's chance is the estimated probability that {front_means(certificate)}.",
    ]


def few_percent(share: float) -> str:
    if not 0.01 <= share <= 0.99:
        return "under 1%" if share < 0.01 else "over 99%"
    return f"about {100 * share:.0f}%"


def front_means(certificate: Certificate) -> str:
    """What it means to be in, or likely on the front, in this certificate."""
    if certificate.criteria is not None:
        return (
            f"no item is clearly better on one criterion and at most {certificate.epsilon / 2:g} "
            "worse on the others"
        )
    if certificate.epsilon_others > certificate.epsilon:
        return (
            f"no item on the front beats it by more than {certificate.epsilon:g}, and no other "
            f"item by more than {certificate.epsilon_others:g}"
        )
    return f"no item beats it by more than {certificate.epsilon:g}"


def on_pairs(certificate: Certificate) -> list[tuple[str, int]]:
    """Each thing that a pair can show, and how many pairs show it; one pair may show several."""
    found = []
    for field, words in _PAIRS.items():
        shown = getattr(certificate.pairs, field)
        if certificate.decoy_gap is not None or field not in BY_DECOYS:
            number = shown if isinstance(shown, int) else len(shown)
            found.append((words.format(epsilon=certificate.epsilon), number))
    return found


def named_pairs(certificate: Certificate) -> list[tuple[str, list[str]]]:
    """The names of the pairs that cannot be compared, can be compared, or cannot be ordered."""
    return [
        (title_of(field), [f"{first} and {second}" for first, second in ends])
        for field in ("incomparable", *BY_DECOYS)
        if (ends := ends_of(certificate, field))
    ]


def ends_of(certificate: Certificate, field: str) -> list[tuple[str, str]]:
    """The names of the pairs that show this."""
    return [claim[:2] for claim in getattr(certificate.pairs, field)]


def title_of(field: str) -> str:
    """What a pair shows, as a heading."""
    return _PAIRS[field][0].upper() + _PAIRS[field][1:]


# -- one row per item ----------------------------------------------------------------------------


class Row(NamedTuple):
    item: str
    status: str
    votes: int
    share: float | None
    chance: str
    why: str


def rows(certificate: Certificate) -> list[Row]:
    """One row per item: by verdict, then by chance if seen, then by a score its votes bear out.

    Undecided items with too few votes for any verdict come after the other undecided ones.
    """
    from antichain.certify._several_wording import in_short

    found = []
    for item in certificate.items:
        status = certificate.status(item)
        record = certificate.records[item]
        why = in_short(certificate, item) or _IN_SHORT[status](certificate, item)
        said = chance(certificate, item)
        found.append(Row(item, status, record.votes, record.share, said, why))
    order = list(VERDICTS)
    chances = certificate.chances

    def place(row: Row) -> tuple[Any, ...]:
        few = row.status == "undecided" and row.votes < certificate.fewest_votes
        seen = is_open(certificate, row.item)
        chance = round(chances[row.item], 2) if seen else 0.0
        return order.index(row.status), few, -chance, -_at_least(row.share, row.votes), row.item

    return sorted(found, key=place)


def _at_least(share: float | None, votes: int) -> float:
    """The lower end of Wilson's interval of a score: a single win is no reason to come first."""
    if share is None:
        return 0.0
    square = 1.96**2
    reach = 1.96 * math.sqrt(votes * share * (1 - share) + square / 4)
    return (votes * share + square / 2 - reach) / (votes + square)


def _short_out(certificate: Certificate, item: str) -> str:
    why = certificate.out[item]
    if why.by is None:
        rival = certificate.likely_by.get(item)
        likely = "" if rival is None else f", most likely {rival}"
        return (
            f"below some item{likely}: its losses to several items together show it; "
            f"{odds(why.log_evidence)}"
        )
    others = f"; also below {counted(len(why.also_by), 'other')}" if why.also_by else ""
    return (
        f"below {why.by}: won {percent(why.share)} of {counted(why.votes, 'vote')}, "
        f"{odds(why.log_evidence)}{others}"
    )


def _short_in(certificate: Certificate, item: str) -> str:
    why = certificate.inside[item]
    if why.weakest is None:
        return "every other item is out"
    return f"{front_means(certificate)}; closest call: {why.weakest} ({odds(why.log_evidence)})"


def _short_undecided(certificate: Certificate, item: str) -> str:
    entries, unit = certificate.undecided[item], certificate.unit
    if not certificate.missing[item]:
        return WAITS
    text = f"{opponents_left(certificate, item)} may beat it"
    if never := certificate.never_met(item):
        text += f" ({never:,} without votes)"
    if threats := threats_among(entries):
        votes = more(threats[0].to_lose or 0, unit)
        return f"{text}; {threats[0].opponent} is ahead ({votes} would prove it)"
    return text + _settled_by(entries, certificate.missing[item], unit)


def _settled_by(entries: Sequence[Missing], missing: int, unit: str) -> str:
    """How many votes would show that no opponent beats an item, or at least that one does not."""
    rates = [entry.at_rate for entry in entries]
    known = [rate for rate in rates if rate is not None]
    if len(known) == missing == 1:
        return f"; {more(known[0], unit)} would show that {entries[0].opponent} does not"
    if len(known) == missing:
        return f"; {more(sum(known), unit)} would show that none does"
    if not entries or rates[0] is None:
        return ""
    return f"; closest to settled: {entries[0].opponent} ({more(rates[0], unit)})"


def opponents_left(certificate: Certificate, item: str) -> str:
    """How many opponents are not yet shown not to beat an item clearly."""
    others = len(certificate.items) - 1
    if certificate.missing[item] == others:
        few = {1: "its only opponent", 2: "either opponent"}
        return few.get(others, f"any of {others:,} opponents")
    return f"{certificate.missing[item]:,} of {counted(others, 'opponent')}"


def _short_cycle(certificate: Certificate, item: str) -> str:
    cycle = certificate.group_of(item).cycle
    return f"in a cycle: {' > '.join([*cycle, cycle[0]])}"


_IN_SHORT = {
    "out": _short_out,
    "in": _short_in,
    "undecided": _short_undecided,
    "cycle": _short_cycle,
}
