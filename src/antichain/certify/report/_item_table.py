"""The table of items: those that matter first, the others folded, and a search box."""

from __future__ import annotations

from collections.abc import Iterable

from antichain._text import counted, html_text
from antichain.certify._certificate import Certificate
from antichain.certify._wording import ESTIMATE, ODDS, Row, any_open, percent, raised

FOLDED = 40
"""With more items, those that matter least are folded, and there is a search box."""

_SHOWN = 25  # of very many items, those that are not folded

SEARCH = """
const box = document.querySelector(".search input");
const told = document.querySelector(".search output");
box.addEventListener("input", () => {
  const wanted = box.value.trim().toLowerCase();
  let found = 0;
  for (const row of document.querySelectorAll(".items tbody tr")) {
    row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
    found += !row.hidden;
  }
  for (const fold of document.querySelectorAll("#items details")) {
    const any = fold.querySelector("tbody tr:not([hidden])") !== null;
    fold.open = wanted !== "" && any;
    fold.hidden = !any;
  }
  told.textContent = wanted === "" ? "" : found + " found";
});
"""
"""The one script of the page: it shows the rows whose name has the text in it."""


def items_table(certificate: Certificate, listed: list[Row]) -> str:
    """One row per item; of very many, those that matter first and the others folded."""
    numbered, estimated = list(enumerate(listed, start=1)), any_open(certificate)
    chance_is = (
        f"An undecided item's chance of being on the front is {ESTIMATE}. " if estimated else ""
    )
    about = (
        "Every item with its verdict. The score is the share of its votes that it won; ties count "
        f"half. {chance_is}{ODDS}"
    )
    if len(listed) <= FOLDED:
        return _item_table(numbered, about, estimated)
    first = [entry for entry in numbered if entry[1].status in ("in", "cycle")]
    first = numbered[: max(len(first), _SHOWN)]
    groups: dict[str, list[tuple[int, Row]]] = {}
    for entry in numbered[len(first) :]:
        row = entry[1]
        few = row.status == "undecided" and row.votes < certificate.fewest_votes
        groups.setdefault("too few votes for a verdict" if few else row.status, []).append(entry)
    folded = "".join(
        f"<details><summary>{counted(len(entries), 'more item')}: {name}</summary>"
        f"{_item_table(entries, '', estimated)}</details>"
        for name, entries in groups.items()
    )
    return (
        '<p class="search"><label>Find an item: <input type="search" autocomplete="off"></label> '
        f'<output aria-live="polite"></output></p>{_item_table(first, about, estimated)}{folded}'
    )


def _item_table(numbered: Iterable[tuple[int, Row]], caption: str, estimated: bool) -> str:
    """A table of items; without a column of chances if there are none."""

    def likely(row: Row) -> str:
        if not estimated:
            return ""
        return f'<td role="cell" class="number estimate">{_named(row.chance, "chance")}</td>'

    # On a small screen the rows are laid out differently, which would remove the table's roles.
    cells = "".join(
        f'<tr role="row" class="{row.status}"><td role="cell" class="rank number">{rank}</td>'
        f'<th role="rowheader" scope="row" data-rank="{rank}">{html_text(row.item)}</th>'
        f'<td role="cell"><span class="tag {row.status}">{row.status}</span></td>'
        f'<td role="cell" class="number">{row.votes:,}<span class="unit"> '
        f"{'vote' if row.votes == 1 else 'votes'}</span></td>"
        f'<td role="cell" class="number">{_named(percent(row.share), "score")}</td>'
        f'{likely(row)}<td role="cell" class="why">{html_text(raised(row.why))}</td></tr>'
        for rank, row in numbered
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
        if estimated or name != "Chance"
    )
    above = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<table role="table" class="items">{above}<thead role="rowgroup"><tr role="row">{heads}'
        f'</tr></thead><tbody role="rowgroup">{cells}</tbody></table>'
    )


def _named(number: str, name: str) -> str:
    """A number with its name, which small screens show in place of a heading; if there is one."""
    return number if number in ("", percent(None)) else f'{number}<span class="unit"> {name}</span>'
