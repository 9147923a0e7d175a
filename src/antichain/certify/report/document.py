"""The page: what is shown, why, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import PurePath

from antichain.certify.certificate import Certificate
from antichain.certify.report.matrix import MOST_ROWS, win_rates
from antichain.certify.report.needed import MOST_BARS, bars
from antichain.certify.report.order import MOST_DRAWN, drawn_items, hasse
from antichain.certify.report.style import STYLE
from antichain.certify.report.timeline import timelines
from antichain.certify.summary import Row, basis, named_pairs, on_pairs, rows
from antichain.certify.wording import level_odds, odds, percent
from antichain.votes.vote_log import VoteLog
from antichain.words import counted

_MOST_PAIRS = 40  # named, of those that show one thing
_WORDS = {
    "in": "certified: no item beats it by more than ε",
    "out": "not maximal: something is above it",
    "undecided": "not enough votes to say either",
    "cycle": "in a cycle of dominances, which fits no order",
}
_FAMILIES = {
    "pairs": "“this item is above that one”, over all ordered pairs",
    "pooled": "“this item is not maximal”, from all its duels, over all items",
    "inside": "“no item beats this one by more than ε”, over all items",
    "even": "“neither is ahead by more than ε”, over all pairs",
    "incomparable": "“most voters cannot compare these”, over all pairs",
    "decoys": "“decoys show these to be comparable”, or incomparable, over all pairs",
}


def page(certificate: Certificate, log: VoteLog) -> str:
    """The report as one HTML document.

    Args:
        certificate: What is shown.
        log: The votes it was made from, for the pictures.
    """
    listed = rows(certificate)
    source = PurePath(certificate.source).name or certificate.source
    body = [
        f"<header><h1>Who are the best? {escape(source)}</h1>",
        f"<p>{escape(basis(certificate))}.</p>{_tiles(certificate, listed)}{_front(certificate)}"
        f"{_contents(certificate)}</header><main>",
        _items(listed),
        _cycles(certificate),
        _order(certificate, [row.item for row in listed]),
        _section(
            "Win rates",
            _figure(
                win_rates(log, [row.item for row in listed[:MOST_ROWS]]),
                "Rows against columns, in the order of the table above"
                f"{f' (its first {MOST_ROWS})' if len(listed) > MOST_ROWS else ''}. Blue: the "
                "row’s item is ahead; orange: behind. A small square has few votes, and says "
                "little.",
            ),
        ),
        _section("Evidence over time", _over_time(certificate, log)),
        _section("Votes needed", _needed(certificate)),
        _pairs(certificate),
        _footing(certificate),
        f"</main><footer><p>Fingerprint of the votes: <code>{certificate.fingerprint}</code>. "
        "<code>antichain verify</code> computes all of this again from the votes.</p></footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Front of {escape(source)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(part for part in body if part)}\n</body></html>\n"
    )


def _contents(certificate: Certificate) -> str:
    """Links to the sections: with many items the first is long."""
    titles = ["Items", "Order", "Win rates", "Evidence over time", "Votes needed", "Pairs"]
    titles.append("What this rests on")
    if certificate.groups:
        titles.insert(1, "Cycles")
    links = " · ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in titles)
    return f"<nav>{links}</nav>"


def _tiles(certificate: Certificate, listed: list[Row]) -> str:
    counts = {status: sum(row.status == status for row in listed) for status in _WORDS}
    tiles = "".join(
        f'<li class="{status}"><b>{count:,}</b> {status} <small>{_WORDS[status]}</small></li>'
        for status, count in counts.items()
        if count or status != "cycle"
    )
    return (
        f'<ul class="tiles">{tiles}</ul><p>All claims together are false with probability at most '
        f"δ = {certificate.delta:g}, whenever one looks; ε = {certificate.epsilon:g}.</p>"
    )


def _front(certificate: Certificate) -> str:
    if not certificate.front:
        return "<p><strong>No item is certified to be in yet.</strong></p>"
    names = "".join(f"<li>{escape(name)}</li>" for name in certificate.front)
    return f'<h2>In</h2><ul class="front">{names}</ul>'


def _items(listed: list[Row]) -> str:
    # On a small screen rows are laid out anew, which would take the table's roles away.
    cells = "".join(
        f'<tr role="row" class="{row.status}"><td role="cell" class="rank number">{rank}</td>'
        f'<th role="rowheader" scope="row" data-rank="{rank}">{escape(row.item)}</th>'
        f'<td role="cell"><span class="tag {row.status}">{row.status}</span></td>'
        f'<td role="cell" class="number">{row.votes:,}<span class="unit"> votes</span></td>'
        f'<td role="cell" class="number">{percent(row.share)}</td>'
        f'<td role="cell" class="why">{escape(row.why)}</td></tr>'
        for rank, row in enumerate(listed, start=1)
    )
    heads = "".join(
        f'<th role="columnheader" scope="col"{css}>{name}</th>'
        for name, css in (
            ("No.", ' class="rank number"'),
            ("Item", ""),
            ("Verdict", ""),
            ("Votes", ' class="number"'),
            ("Score", ' class="number"'),
            ("Why", ""),
        )
    )
    return (
        '<section id="items"><h2>Items</h2><table role="table" class="items"><caption>Every item '
        "with its verdict; the score is its share of all its votes, ties half. “1 in N”: how "
        "rarely chance alone would show as much.</caption>"
        f'<thead role="rowgroup"><tr role="row">{heads}</tr>'
        f'</thead><tbody role="rowgroup">{cells}</tbody></table></section>'
    )


def _cycles(certificate: Certificate) -> str:
    if not certificate.groups:
        return ""
    parts = []
    for group in certificate.groups:
        steps = "".join(
            f"<li>{escape(step.first)} beats {escape(step.second)}: {percent(step.share)} of "
            f"{counted(step.votes, 'vote')}, {odds(step.log_evidence)}</li>"
            for step in group.steps
        )
        where = "nothing from outside is above it" if group.top else "something is above it"
        parts.append(
            f"<li>{escape(', '.join(group.items))} ({where}). One cycle:<ol>{steps}</ol></li>"
        )
    return _section(
        "Cycles",
        "<p>These dominances contradict each other if there is an order: each is shown on its "
        f"own. The items are reported as groups, neither in nor out.</p><ul>{''.join(parts)}</ul>",
    )


def _order(certificate: Certificate, order: list[str]) -> str:
    picture = hasse(certificate, order)
    if not certificate.pairs.dominated:
        return _section("Order", "<p>No single pair shows which of its items is above.</p>")
    if not picture:
        words = f"More than {MOST_DRAWN} items are above or below others: too many to draw."
        return _section("Order", f"<p>{words} The certificate lists all dominances.</p>")
    hidden = len(certificate.items) - drawn_items(certificate)
    more = f" Left out, as no line leads to them: {counted(hidden, 'item')}." if hidden else ""
    return _section(
        "Order",
        _figure(
            picture,
            "The upper of two joined items is above the lower; what follows from other lines is "
            "not drawn. The thicker a line, the surer. Filled boxes are in, dashed ones undecided. "
            f"Numbers, where there is no room for names, are those of the table of items.{more}",
        ),
    )


def _over_time(certificate: Certificate, log: VoteLog) -> str:
    pictures = timelines(certificate, log)
    if pictures:
        return "".join(_figure(picture, caption) for caption, picture in pictures)
    why = (
        "each cluster is one observation, and its votes may stand anywhere in the log"
        if certificate.clusters is not None
        else "the order in which the votes came is not known"
    )
    return f"<p>Not drawn: {why}.</p>"


def _needed(certificate: Certificate) -> str:
    picture = bars(certificate)
    hidden = len(certificate.undecided) - MOST_BARS
    more = f" The {MOST_BARS} nearest to a decision; {hidden:,} more are not drawn."
    if not picture:
        return "<p>Nothing is undecided.</p>"
    return _figure(
        picture,
        f"{certificate.unit.capitalize()}s still expected (logarithmic scale; a forecast, not a "
        "promise). Blue, first number: to clear every opponent that is missing, if each pair is "
        "even. Grey, second: until the opponent furthest ahead is shown to be above, at the rate "
        f"so far.{more if hidden > 0 else ''}",
    )


def _pairs(certificate: Certificate) -> str:
    cells = "".join(
        f'<tr><th scope="row">{escape(words)}</th><td class="number">{count:,}</td></tr>'
        for words, count in on_pairs(certificate)
    )
    return _section(
        "Pairs",
        "<table><caption>What pairs show; these are different things, and a pair may show several "
        'of them.</caption><thead><tr><th scope="col">Shown</th><th scope="col" class="number">'
        f"Pairs</th></tr></thead><tbody>{cells}</tbody></table>",
        *_named_pairs(certificate),
    )


def _named_pairs(certificate: Certificate) -> Iterable[str]:
    """The pairs of which comparing itself is in question, by name."""
    for title, pairs in named_pairs(certificate):
        told = pairs[:_MOST_PAIRS]
        if len(pairs) > _MOST_PAIRS:
            told.append(f"and {len(pairs) - _MOST_PAIRS:,} more, which the certificate lists")
        yield f"<h3>{title}</h3>{_bullets(told)}"


def _footing(certificate: Certificate) -> str:
    spent = "".join(
        f'<tr><th scope="row">{_FAMILIES[name]}</th><td class="number">{level_odds(share)}</td>'
        f'<td class="number">{share:.3g}</td></tr>'
        for name, share in certificate.split.of(certificate.delta).items()
        if share or name != "decoys"
    )
    forms = "".join(
        f'<tr><th scope="row">{escape(form.replace("_", " "))}</th><td class="number">{count:,}'
        f"</td><td>{escape(certificate.meanings.get(form, 'a win of one, a loss of the other'))}"
        "</td></tr>"
        for form, count in certificate.answers.items()
    )
    return _section(
        "What this rests on",
        _bullets(certificate.assumptions),
        "<h3>How δ is spent</h3><table><thead><tr><th scope='col'>Claims</th><th scope='col' "
        "class='number'>Any of them false</th><th scope='col' class='number'>Share</th></tr>"
        f"</thead><tbody>{spent}</tbody></table>",
        "<h3>Answers</h3><table><thead><tr><th scope='col'>Form</th><th scope='col' "
        f"class='number'>Count</th><th scope='col'>Taken as</th></tr></thead><tbody>{forms}</tbody>"
        "</table>",
        f"<h3>Notes</h3>{_bullets(certificate.notes)}" if certificate.notes else "",
    )


def _bullets(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def _figure(picture: str, caption: str) -> str:
    return (
        f'<figure><div class="scroll" tabindex="0" role="group" aria-label="picture">{picture}'
        f"</div><figcaption>{escape(caption)}</figcaption></figure>"
    )


def _section(title: str, *parts: str) -> str:
    body = "".join(parts)
    return f'<section id="{_anchor(title)}"><h2>{title}</h2>{body}</section>' if body else ""


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
