"""What leaves a study: its votes as CSV, and the certificate that is made of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from antichain import _cells
from antichain.certify._certificate import Certificate
from antichain.certify._certifier import certify
from antichain.certify._reading import front, kept
from antichain.study._state import StudyState, Vote
from antichain.votes import read_votes
from antichain.votes._exported_terms import exported_criteria
from antichain.votes._vote_log import VoteLog


def votes_csv(state: StudyState, alias: Callable[[str], str] | None = None) -> str:
    """The votes as CSV, with a header; a spreadsheet finds no formula in it.

    If any text begins like a formula (with =, +, -, @) or with an apostrophe, such texts are
    written with an apostrophe before them, and a last column `escape` says so. `read_votes` takes
    these apostrophes away again.

    Args:
        state: The study.
        alias: The name by which an export has a voter; their own if None.
    """
    votes, terms = list(state.votes()), state.terms
    if terms is not None:  # the judge reads asks in their order, those given up among them
        votes = sorted([*votes, *state.given_up()], key=lambda vote: vote.ask)
    if alias is not None:
        votes = [
            vote if not vote.voter else replace(vote, voter=alias(vote.voter)) for vote in votes
        ]
    header = [*Vote.__dataclass_fields__]
    rows = [["" if cell is None else str(cell) for cell in vars(vote).values()] for vote in votes]
    if terms is not None and "criteria" in terms:
        header.append("criterion")
        about = map(state.criterion_of, votes)
        rows = [[*row, criterion or ""] for row, criterion in zip(rows, about, strict=True)]
    if terms is not None:
        header.append("terms")
        written = [json.dumps(terms, ensure_ascii=False)] + [""] * len(rows)
        rows = [[*row, cell] for row, cell in zip(rows, written, strict=False)]
    else:  # a plan may ask for more than it waits for, so that numbers say nothing
        header, rows = header[1:], [row[1:] for row in rows]
    if any(_cells.needs_escape(cell) for row in rows for cell in row):
        header.append(_cells.ESCAPE)
        rows = [[*map(_cells.escaped, row), _cells.APOSTROPHE] for row in rows]
    return _cells.csv_text([header, *rows])


def certificate_of(state: StudyState, source: str, *, likely: bool = True) -> Certificate:
    """What the votes show, exactly as `antichain.front` says of the exported votes."""
    text, terms = votes_csv(state), state.terms
    given = _known_items(state, text)
    if terms is None or not given:
        return replace(front(io.StringIO(text), likely=likely, **given), source=source)
    given |= exported_criteria(terms)  # no row has the terms: they are those of the study
    log = replace(read_votes(io.StringIO(text), history=False, **given), terms=terms)
    return replace(certify(log, reading=kept(given), likely=likely), source=source)


def exported_log(state: StudyState) -> VoteLog:
    """The exported votes, read as `antichain.front` reads them."""
    text = votes_csv(state)
    return read_votes(io.StringIO(text), **_known_items(state, text))


def _known_items(state: StudyState, text: str) -> dict[str, Any]:
    """The items, unless the first row of the exported votes has them all."""
    has_terms = state.terms is not None and text.count("\n") > 1
    return {} if has_terms else {"items": state.items}
