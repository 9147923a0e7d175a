"""The page: what the votes show, why, and under which assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from antichain._text import counted, html_text
from antichain.certify._caveats import on_sides
from antichain.certify._certificate import Certificate
from antichain.certify._reading import in_words
from antichain.certify._wording import (
    ESTIMATE,
    FAMILIES,
    READ_WITH,
    VERDICTS,
    Row,
    basis,
    beats,
    chance,
    level_odds,
    likely_summary,
    named_pairs,
    on_pairs,
    percent,
    rows,
)
from antichain.certify.report._charts import MOST_BARS, MOST_ROWS, bars, timelines, win_rates
from antichain.certify.report._order_diagram import MOST_DRAWN, drawn_items, hasse
from antichain.certify.report._sides_chart import sides_chart
from antichain.votes._vote_log import VoteLog

_MOST_PAIRS = 40  # pairs named under one heading


def page(certificate: Certificate, log: VoteLog) -> str:
    """Return the report as one HTML document; the votes themselves are for the pictures."""
    listed = rows(certificate)
    order = [row.item for row in listed]
    sections = {
        "Items": _items(listed),
        "Cycles": _cycles(certificate),
        "Order": _order(certificate, order),
        "Win rates": _win_rates(log, order),
        "Evidence over time": _over_time(certificate, log),
        "Votes needed": _needed(certificate),
        "Pairs": _pairs(certificate),
        "Side bias": _side_bias(certificate),
        "Assumptions": _footing(certificate),
    }
    sections = {title: body for title, body in sections.items() if body}
    links = " · ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in sections)
    source = html_text(PurePath(certificate.source).name or certificate.source)
    parts = [
        f"<header><h1>Who are the best? {source}</h1>",
        f"<p>{html_text(basis(certificate))}.</p>{_tiles(certificate, listed)}{_front(certificate)}"
        f"{_likely(certificate)}"
        f"<nav>{links}</nav></header><main>",
        *(
            f'<section id="{_anchor(title)}"><h2>{title}</h2>{body}</section>'
            for title, body in sections.items()
        ),
        f"</main><footer><p>Fingerprint of the votes: <code>{certificate.fingerprint}</code>. "
        "<code>antichain verify</code> recomputes all of this from the votes.</p></footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Front of {source}</title><style>\n{_style()}</style></head>\n"
        f"<body>\n{chr(10).join(parts)}\n</body></html>\n"
    )


# -- the head of the page ------------------------------------------------------------------------


def _tiles(certificate: Certificate, listed: list[Row]) -> str:
    counts = {status: sum(row.status == status for row in listed) for status in VERDICTS}
    tiles = "".join(
        f'<li class="{status}"><b>{count:,}</b> {status} <small>{VERDICTS[status]}</small></li>'
        for status, count in counts.items()
        if count or status != "cycle"
    )
    warnings = "".join(
        f'<p class="warning"><strong>Warning:</strong> {html_text(sentence)}</p>'
        for sentence in certificate.warnings
    )
    return f'{warnings}<ul class="tiles">{tiles}</ul><p>{html_text(certificate.promise)}</p>'


def _likely(certificate: Certificate) -> str:
    """The likely front: beside the verdicts, and marked as an estimate."""
    if certificate.likely is None:
        return ""
    chances = certificate.likely.chances
    listed = sorted(certificate.likely.likely_front, key=lambda item: (-chances[item], item))
    names = "".join(
        f"<li>{html_text(item)} <small>{chance(certificate, item)}</small></li>" for item in listed
    )
    _, about = likely_summary(certificate)
    return (
        f'<h2>Likely front <small class="estimate">{ESTIMATE}</small></h2>'
        f'<ul class="front likely">{names}</ul><p>{html_text(about)}</p>'
    )


def _front(certificate: Certificate) -> str:
    if not certificate.front:
        return "<p><strong>No item is certified to be in yet.</strong></p>"
    names = "".join(f"<li>{html_text(name)}</li>" for name in certificate.front)
    return f'<h2>In</h2><ul class="front">{names}</ul>'


# -- the sections --------------------------------------------------------------------------------


def _items(listed: list[Row]) -> str:
    # On a small screen the rows are laid out differently, which would remove the table's roles.
    cells = "".join(
        f'<tr role="row" class="{row.status}"><td role="cell" class="rank number">{rank}</td>'
        f'<th role="rowheader" scope="row" data-rank="{rank}">{html_text(row.item)}</th>'
        f'<td role="cell"><span class="tag {row.status}">{row.status}</span></td>'
        f'<td role="cell" class="number">{row.votes:,}<span class="unit"> votes</span></td>'
        f'<td role="cell" class="number">{percent(row.share)}<span class="unit"> score</span></td>'
        f'<td role="cell" class="number estimate">{row.chance}<span class="unit"> chance</span>'
        f'</td><td role="cell" class="why">{html_text(row.why)}</td></tr>'
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
            ("Chance", ' class="number"'),
            ("Why", ""),
        )
    )
    return (
        '<table role="table" class="items"><caption>Every item with its verdict. The score is its '
        "share of all its votes; ties count half. Its chance to be on the front is "
        f"{ESTIMATE}. “1 in N” says how rarely chance alone produces evidence this strong."
        "</caption>"
        f'<thead role="rowgroup"><tr role="row">{heads}</tr>'
        f'</thead><tbody role="rowgroup">{cells}</tbody></table>'
    )


def _cycles(certificate: Certificate) -> str:
    if not certificate.groups:
        return ""
    parts = []
    for group in certificate.groups:
        steps = "".join(f"<li>{html_text(beats(step))}</li>" for step in group.steps)
        where = "nothing from outside is above it" if group.top else "something is above it"
        parts.append(
            f"<li>{html_text(', '.join(group.items))} ({where}). One cycle:<ol>{steps}</ol></li>"
        )
    return (
        "<p>If there is an order, these dominances contradict each other, although each is shown "
        "on its own. The items are reported as groups, neither in nor out.</p>"
        f"<ul>{''.join(parts)}</ul>"
    )


def _order(certificate: Certificate, order: list[str]) -> str:
    if not certificate.pairs.dominated:
        return "<p>No single pair shows which of its items is above.</p>"
    picture = hasse(certificate, order)
    if not picture:
        return (
            f"<p>More than {MOST_DRAWN} items are above or below others: too many to draw. The "
            "certificate lists all dominances.</p>"
        )
    hidden = len(certificate.items) - drawn_items(certificate)
    more = f" Not drawn, since no line leads to them: {counted(hidden, 'item')}." if hidden else ""
    return _figure(
        picture,
        "The upper of two joined items is above the lower; lines that follow from others are not "
        "drawn. The thicker a line, the stronger the evidence. Filled boxes are in, dashed ones "
        "undecided. Numbers, where there is no room for names, are those of the table of items."
        f"{more}",
    )


def _win_rates(log: VoteLog, order: list[str]) -> str:
    part = f" (its first {MOST_ROWS})" if len(order) > MOST_ROWS else ""
    return _figure(
        win_rates(log, order[:MOST_ROWS]),
        f"Rows against columns, in the order of the table above{part}. Blue: the item of the row "
        "is ahead; orange: it is behind. A small square has few votes and says little.",
    )


def _over_time(certificate: Certificate, log: VoteLog) -> str:
    pictures = timelines(certificate, log)
    if pictures:
        return "".join(_figure(picture, caption) for caption, picture in pictures)
    why = (
        "each cluster is one observation, and its votes may be anywhere in the log"
        if certificate.clusters is not None
        else "the order of the votes is not known"
    )
    return f"<p>Not drawn: {why}.</p>"


def _needed(certificate: Certificate) -> str:
    picture = bars(certificate)
    if not picture:
        return "<p>Nothing is undecided.</p>"
    hidden = len(certificate.undecided) - MOST_BARS
    more = f" Only the {MOST_BARS} items nearest to a decision are drawn; {hidden:,} more are not."
    return _figure(
        picture,
        f"{certificate.unit.capitalize()}s still expected (a forecast, on a logarithmic scale). "
        "Blue, first number: until every missing opponent is cleared, if each pair is even. Grey, "
        "second number: until the opponent furthest ahead is shown to be above, at the rate so "
        f"far.{more if hidden > 0 else ''}",
    )


def _pairs(certificate: Certificate) -> str:
    parts = [
        _table(
            {"Shown": False, "Pairs": True},
            [(words, f"{count:,}") for words, count in on_pairs(certificate)],
            "What the votes show about pairs; one pair may show several of these.",
        )
    ]
    for title, pairs in named_pairs(certificate):
        named = pairs[:_MOST_PAIRS]
        if len(pairs) > _MOST_PAIRS:
            named.append(f"and {len(pairs) - _MOST_PAIRS:,} more, which the certificate lists")
        parts.append(f"<h3>{title}</h3>{_bullets(named)}")
    return "".join(parts)


def _side_bias(certificate: Certificate) -> str:
    bias = certificate.side_bias
    return "" if bias is None else _figure(sides_chart(bias), on_sides(bias))


def _footing(certificate: Certificate) -> str:
    spent = [
        (FAMILIES[name], level_odds(share), f"{share:.3g}")
        for name, share in certificate.split.items()
    ]
    forms = [
        (
            form.replace("_", " "),
            f"{count:,}",
            certificate.meanings.get(form, "a win of one, a loss of the other"),
        )
        for form, count in certificate.answers.items()
    ]
    spending = _table({"Claims": False, "Any of them false": True, "Share": True}, spent)
    answers = _table({"Form": False, "Count": True, "Taken as": False}, forms)
    parts = [
        f"<p>{html_text(certificate.method)}</p>",
        _bullets(certificate.assumptions),
        f"<h3>How δ is spent</h3>{spending}",
        f"<h3>Answers</h3>{answers}",
    ]
    if certificate.reading:
        read_with = _bullets(in_words(certificate.reading))
        parts.append(f"<h3>Reading</h3><p>{READ_WITH}:</p>{read_with}")
    if certificate.notes:
        parts.append(f"<h3>Notes</h3>{_bullets(certificate.notes)}")
    return "".join(parts)


# -- pieces --------------------------------------------------------------------------------------


def _table(heads: dict[str, bool], body: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table; `heads` says of each column whether it holds numbers."""
    css = [' class="number"' if numbers else "" for numbers in heads.values()]
    head = "".join(
        f'<th scope="col"{kind}>{name}</th>' for name, kind in zip(heads, css, strict=True)
    )
    lines = []
    for first, *others in body:
        cells = (
            f"<td{kind}>{html_text(cell)}</td>" for cell, kind in zip(others, css[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row">{html_text(first)}</th>{"".join(cells)}</tr>')
    above = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _bullets(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{html_text(sentence)}</li>' for sentence in sentences)}</ul>"


def _figure(picture: str, caption: str) -> str:
    return (
        f'<figure><div class="scroll" tabindex="0" role="group" aria-label="picture">{picture}'
        f"</div><figcaption>{html_text(caption)}</figcaption></figure>"
    )


@cache
def _style() -> str:
    return files("antichain.certify.report").joinpath("style.css").read_text("utf-8")


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
