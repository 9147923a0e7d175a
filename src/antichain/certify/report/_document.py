"""The page: what the votes show, why, and under which assumptions."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from antichain._text import counted, html_text, labels
from antichain.certify._certificate import Certificate
from antichain.certify._notes import on_sides
from antichain.certify._reading import in_words
from antichain.certify._several_wording import summary
from antichain.certify._wording import (
    ESTIMATE,
    FAMILIES,
    READ_WITH,
    VERDICTS,
    Row,
    any_open,
    basis,
    beats,
    chance,
    conclusion,
    front_means,
    is_open,
    level_odds,
    likely_items,
    likely_summary,
    named_pairs,
    on_pairs,
    percent,
    raised,
    rows,
)
from antichain.certify.report._charts import MOST_BARS, MOST_ROWS, bars, timelines, win_rates
from antichain.certify.report._criteria_charts import picture_of_criteria
from antichain.certify.report._item_table import FOLDED, SEARCH, items_table
from antichain.certify.report._order_diagram import MOST_DRAWN, drawn_items, hasse
from antichain.certify.report._sides_chart import sides_chart
from antichain.likely import not_estimated
from antichain.votes._vote_log import VoteLog

_MOST_PAIRS = 40  # pairs named under one heading
_LONGEST = 60  # characters of a name in sentences
_SHORTENED = "<p><small>Long names are shortened here; the table has them in full.</small></p>"
_CHIPS = 12  # of a longer front, the names that are not folded


def page(
    certificate: Certificate, log: VoteLog, progress: Callable[[str], None] | None = None
) -> str:
    """Return the report as one HTML document.

    Args:
        certificate: The certificate to show.
        log: Its votes, which the pictures need.
        progress: Called with the title of each section before the section is made.
    """
    listed = rows(certificate)
    order = [row.item for row in listed]
    brief = _with_labels(certificate)
    if brief is not certificate:
        why = {row.item: row.why for row in rows(brief)}
        called = dict(zip(certificate.items, brief.items, strict=True))
        listed = [row._replace(why=why[called[row.item]]) for row in listed]
    makers: dict[str, Callable[[], str]] = {
        "Front": lambda: _criteria_picture(certificate),
        "Items": lambda: items_table(certificate, listed),
        "Criteria": lambda: _criteria(certificate, order),
        "Cycles": lambda: _cycles(certificate),
        "Order": lambda: _order(certificate, order),
        "Win rates": lambda: _win_rates(log, order),
        "Evidence over time": lambda: _over_time(certificate, log),
        "Votes needed": lambda: _needed(certificate),
        "Pairs": lambda: _pairs(certificate),
        "Side bias": lambda: _side_bias(certificate),
        "Checks": lambda: _checks(certificate),
        "Assumptions": lambda: _footing(certificate),
    }
    sections = {}
    for title, make in makers.items():
        if progress is not None:
            progress(title)
        if body := make():
            sections[title] = body
    search = f"<script>{SEARCH}</script>\n" if len(listed) > FOLDED else ""
    links = " · ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in sections)
    source = html_text(PurePath(certificate.source).name or certificate.source)
    parts = [
        f"<header><h1>The best items in {source}</h1>",
        f"<p>{html_text(basis(certificate))}.</p>{_conclusion(brief)}"
        f"{'' if brief is certificate else _SHORTENED}"
        f"{_tiles(certificate, listed)}{_front(brief)}{_likely(brief)}"
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
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'
        f"<title>Front of {source}</title><style>\n{_style()}</style></head>\n"
        f"<body>\n{chr(10).join(parts)}\n{search}</body></html>\n"
    )


# -- the head of the page ------------------------------------------------------------------------


def _with_labels(certificate: Certificate) -> Certificate:
    """The certificate itself, or the same with shorter names for its items if some are long."""
    called = dict(zip(certificate.items, labels(certificate.items, _LONGEST), strict=True))
    if all(name == label for name, label in called.items()):
        return certificate
    fields = ("items", "records", "front", "inside", "out", "likely_by", "undecided", "missing")
    renamed = {
        name: _renamed(getattr(certificate, name), called) for name in (*fields, "groups", "likely")
    }
    found = replace(certificate, **renamed)
    return replace(found, conclusion=conclusion(found))


def _renamed(value: Any, called: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return called.get(value, value)
    if isinstance(value, Mapping):
        return {called.get(key, key): _renamed(entry, called) for key, entry in value.items()}
    if isinstance(value, tuple):
        parts = [_renamed(entry, called) for entry in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _conclusion(certificate: Certificate) -> str:
    """What is shown, and what is wrong, before anything else."""
    alarms = "".join(f"<p>{html_text(sentence)}</p>" for sentence in certificate.alarms)
    return f'<p class="conclusion">{html_text(certificate.conclusion)}</p>{alarms}'


def _tiles(certificate: Certificate, listed: list[Row]) -> str:
    counts = {status: sum(row.status == status for row in listed) for status in VERDICTS}
    beaten = front_means(certificate)
    if certificate.criteria is not None:
        beaten = "no item is clearly better on everything"
    said = VERDICTS | {"in": f"certified: {beaten}"}
    tiles = "".join(
        f'<li class="{status}"><b>{count:,}</b> {status} <small>{said[status]}</small></li>'
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
        reason = not_estimated(len(certificate.items))
        return "" if reason is None else f"<h2>Likely front</h2><p>{reason}</p>"
    if not any_open(certificate):
        return ""
    chips = [
        f"{html_text(item)} <small>"
        f"{chance(certificate, item) if is_open(certificate, item) else 'in'}</small>"
        for item in likely_items(certificate)
    ]
    _, about = likely_summary(certificate)
    return (
        f'<h2>Likely front <small class="estimate">{ESTIMATE}</small></h2>'
        f"{_chips(chips, 'front likely')}<p>{html_text(about)}</p>"
    )


def _front(certificate: Certificate) -> str:
    if not certificate.front:
        return ""
    return f"<h2>In</h2>{_chips([html_text(name) for name in certificate.front], 'front')}"


def _chips(names: list[str], css: str) -> str:
    """The names of a front; of a long one the first ones, and the others folded."""
    first, others = (
        f'<ul class="{css}">{"".join(f"<li>{name}</li>" for name in part)}</ul>'
        for part in (names[:_CHIPS], names[_CHIPS:])
    )
    if len(names) <= _CHIPS:
        return first
    return f"{first}<details><summary>{len(names) - _CHIPS:,} more</summary>{others}</details>"


# -- the sections --------------------------------------------------------------------------------


def _criteria_picture(certificate: Certificate) -> str:
    picture = picture_of_criteria(certificate)
    if picture is None:
        return ""
    about = "".join(f"<p>{html_text(sentence)}</p>" for sentence in summary(certificate))
    return about + _figure(*picture)


def _criteria(certificate: Certificate, order: list[str]) -> str:
    """Every item's record on each criterion, and its attributes."""
    criteria = certificate.criteria
    if criteria is None:
        return ""
    heads = {"Item": False, **{html_text(name): True for name in criteria.attributes}}
    heads |= {html_text(name) or "Votes won": True for name in criteria.names}
    body = [
        (
            item,
            *(f"{criteria.values[item][name]:g}" for name in criteria.attributes),
            *(
                f"{percent(record.share)} of {record.votes:,}"
                for record in criteria.records[item].values()
            ),
        )
        for item in order
    ]
    return _table(heads, body, "The share of its votes that each item won; ties count half.")


def _cycles(certificate: Certificate) -> str:
    if not certificate.groups:
        return ""
    parts = []
    for group in certificate.groups:
        steps = "".join(f"<li>{html_text(raised(beats(step)))}</li>" for step in group.steps)
        where = "no item outside is above it" if group.top else "some item outside is above it"
        parts.append(
            f"<li>{html_text(', '.join(group.items))} ({where}). One cycle:<ol>{steps}</ol></li>"
        )
    return (
        "<p>Each of these dominances is shown on its own, but no order can explain them all. Each "
        "group is reported as a whole, neither in nor out.</p>"
        f"<ul>{''.join(parts)}</ul>"
    )


def _order(certificate: Certificate, order: list[str]) -> str:
    if not certificate.pairs.dominated:
        return "<p>No pair has enough votes to show which of its two items is above the other.</p>"
    picture = hasse(certificate, order)
    if not picture:
        return (
            f"<p>More than {MOST_DRAWN} items are above or below others, which is too many to "
            "draw. The certificate lists all dominances.</p>"
        )
    hidden = len(certificate.items) - drawn_items(certificate)
    more = ""
    if hidden:
        verb = "is" if hidden == 1 else "are"
        more = f" {counted(hidden, 'item')} without lines {verb} not drawn."
    return _figure(
        picture,
        "A line means that the upper item is above the lower one; lines that follow from others "
        "are left out. A thicker line means stronger evidence. Filled boxes are in, dashed ones "
        "are undecided. Where there is no room for names, boxes show the item numbers from the "
        f"table.{more}",
    )


def _win_rates(log: VoteLog, order: list[str]) -> str:
    if log.criteria is not None:
        return "".join(
            f"<h3>{html_text(name)}</h3>{_win_rates(part, order)}"
            for name, part in log.criteria.logs.items()
        )
    part = f" (its first {MOST_ROWS})" if len(order) > MOST_ROWS else ""
    return _figure(
        win_rates(log, order, MOST_ROWS),
        f"Each row is an item against the others, in the order of the table above{part}. Blue "
        "means that the row's item is ahead, orange that it is behind. A small square has few "
        "votes and says little.",
    )


def _over_time(certificate: Certificate, log: VoteLog) -> str:
    if certificate.criteria is not None:
        return ""
    pictures = timelines(certificate, log)
    if pictures:
        return "".join(_figure(picture, caption) for caption, picture in pictures)
    why = (
        "each cluster is one observation, and its votes may be anywhere in the log"
        if certificate.clusters is not None
        else "the order of the votes is not known"
    )
    return f"<p>There is no picture, because {why}.</p>"


def _needed(certificate: Certificate) -> str:
    picture = bars(certificate)
    if not picture:
        return "<p>Nothing is undecided.</p>"
    hidden = len(certificate.undecided) - MOST_BARS
    more = f" Only the {MOST_BARS} items closest to a decision are drawn, and {hidden:,} are not."
    return _figure(
        picture,
        f"{certificate.unit.capitalize()}s still needed (a forecast, on a logarithmic scale). "
        "Blue, first number: to show that no opponent beats the item, if each pair is "
        "even. Grey, second number: to show that the opponent furthest ahead is above it, at the "
        f"rate so far.{more if hidden > 0 else ''}",
    )


def _pairs(certificate: Certificate) -> str:
    parts = [
        _table(
            {"Shown": False, "Pairs": True},
            [(words, f"{count:,}") for words, count in on_pairs(certificate)],
            "What the votes show about pairs. A pair may be in several rows.",
        )
    ]
    for title, pairs in named_pairs(certificate):
        named = pairs[:_MOST_PAIRS]
        if len(pairs) > _MOST_PAIRS:
            named.append(f"and {len(pairs) - _MOST_PAIRS:,} more, which the certificate lists")
        parts.append(f"<h3>{title}</h3>{_bullets(named)}")
    return "".join(parts)


def _checks(certificate: Certificate) -> str:
    if not certificate.checks:
        return "<p>Nothing in this log says whether the assumptions hold.</p>"
    listed = "".join(
        f"<dt{' class=alarm' if check.alarm else ''}>{html_text(check.name.capitalize())}</dt>"
        f"<dd>{html_text(check.finding)}</dd>"
        for check in certificate.checks
    )
    return (
        "<p>What the votes themselves say about the assumptions. These checks are not part of the "
        f"guarantee.</p><dl>{listed}</dl>"
    )


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
            certificate.meanings.get(form, "a win for one item, a loss for the other"),
        )
        for form, count in certificate.answers.items()
    ]
    spending = _table(
        {"Claims": False, "Chance that any is false, at most": True, "Share of δ": True}, spent
    )
    answers = _table({"Answer": False, "Count": True, "Counts as": False}, forms)
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
def _policy() -> str:
    """What a browser may do with the page: show it, and run its one script."""
    digest = b64encode(hashlib.sha256(SEARCH.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


@cache
def _style() -> str:
    return files("antichain.certify.report").joinpath("style.css").read_text("utf-8")


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
