"""The way in: any log of votes, read and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from antichain import _checks
from antichain._text import counted, did_you_mean, misspelt
from antichain.errors import InputError, ParameterError
from antichain.sources._chunks import Chunk, ChunkSource
from antichain.sources._opening import open_source
from antichain.votes._bad_rows import told_of_encoding
from antichain.votes._columns import Layout, ballot_columns, lay_out
from antichain.votes._counting import VoteCounts
from antichain.votes._criteria import CriterionCounts
from antichain.votes._exported_terms import read_terms, with_exported_criteria
from antichain.votes._folders import told_with_a_file
from antichain.votes._headless import told_without_header
from antichain.votes._preference_matrix import told_of_matrix
from antichain.votes._ranked_ballots import preflib_files, read_ballots, read_preflib
from antichain.votes._read_options import ReadOptions
from antichain.votes._score_columns import score_columns
from antichain.votes._score_tables import read_scores
from antichain.votes._validate import Validator
from antichain.votes._vote_log import LogColumns, Meanings, VoteLog


def read_votes(
    source: Any,
    options: ReadOptions | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    **changes: Any,
) -> VoteLog:
    """Read a log of votes: how often each pair was voted on, and how the votes came out.

    Memory does not grow with the number of rows, with two exceptions: where the order of the votes
    is known (up to ten million rows), and where `time`, `voter` or `cluster` is given, which takes
    some bytes per row, per voter and pair, or per cluster and pair.

    Args:
        source: A path (wildcards are allowed) or a list of paths, a folder of samples, "-" for
            standard input, an open file, a pandas, polars or pyarrow table, an iterable of rows
            ((left, right, winner[, count]) or mappings), or your own `ValueSource`.
        options: How to read the table: which column holds what, and how rows count.
        progress: Called with the number of rows read so far.
        changes: Single options by name, as in `read_votes("log.csv", winner="won")`.

    Raises:
        FileError: The log cannot be read, or a row is not a vote; the message says which and why.

    >>> log = read_votes([("Alien", "Saw", "left"), ("Saw", "Alien", "Alien")])
    >>> log.items, log.pairs.wins_first
    (('Alien', 'Saw'), array([2]))
    """
    _checks.instance("options", options, ReadOptions, "ReadOptions", optional=True)
    _checks.function("progress", progress)
    chosen = _with(options or ReadOptions(), changes)
    if orders := preflib_files(source):
        return _with_attributes(read_preflib(orders, chosen), chosen)
    with (
        told_with_a_file(),
        told_of_matrix(source),
        open_source(
            source, delimiter=chosen.delimiter, encoding=chosen.encoding, kind=chosen.kind
        ) as opened,
        told_without_header(opened),
        told_of_encoding(opened),
    ):
        if chosen.count is None:
            chosen = replace(chosen, count=opened.counts)
        ballots = ballot_columns(opened.label, opened.header(), chosen)
        if ballots is not None:
            return _with_attributes(read_ballots(opened, ballots, chosen), chosen)
        scored = score_columns(opened.label, opened.header(), chosen, opened.scored, opened.nested)
        if scored is not None:
            return _with_attributes(read_scores(opened, scored, chosen, progress), chosen)
        return _read_pairs(opened, chosen, progress)


def _read_pairs(
    opened: ChunkSource, chosen: ReadOptions, progress: Callable[[int], None] | None
) -> VoteLog:
    """Votes on two items, or on an item and a decoy, each in a row of its own."""
    chosen.check_for_votes(opened.label)
    layout = lay_out(opened.label, opened.header(), chosen, opened.nested)
    chunks = opened.chunks(layout.roles, layout.passing)
    terms, named = None, chosen.items is not None
    if layout.terms is not None:
        terms, chunks = read_terms(opened.label, chunks)
        if terms is not None and chosen.items is None and "items" in terms:
            chosen = replace(chosen, items=tuple(terms["items"]))
        chosen = with_exported_criteria(chosen, terms or {}, layout)
    validator = Validator(opened.label, layout, chosen, opened.delimiter is not None)
    ignores = chosen.unanswered is None and (terms or {}).get("unanswered") == "ignore"
    if ignores and validator.order is not None:
        validator.order.ignore_given_up()
    counts, by_criterion = _counted(validator, layout, chunks, progress)
    _check_any(validator, counts)
    if named and validator.other_rows:  # else decoys may be all that met
        validator.cells.check_met(opened.label)
    validator.cells.settle_spellings(len(chosen.items or ()))
    attributes = counts.log_attributes()
    validator.check_words(attributes["items"])
    asks = None
    if validator.order is not None:
        asks = validator.order.asked(counts.items_by_name(), validator.asks)
    # Where the items are given, all of them are in the log, and no others are wanted.
    apart = () if chosen.items else counts.names_without_votes(validator.apart)
    log = VoteLog(
        **attributes,
        criteria=None if by_criterion is None else by_criterion.votes(),
        asks=asks,
        book=None if validator.asks is None else validator.asks.book(counts.items_by_name()),
        terms=terms,
        columns=_columns(opened, layout, chosen),
        guessed=(
            *opened.notes,
            *layout.guessed,
            *validator.notes(),
            *([] if by_criterion is None else by_criterion.notes(len(chosen.criteria or ()))),
            *validator.cells.notes(attributes["items"]),
            *(validator.cells.on_unmet() if named else ()),
        ),
        rows=validator.rows,
        other_rows=validator.other_rows,
        skipped_rows=validator.bad.skipped,
        apart=validator.set_apart(apart),
    )
    return _with_attributes(_with_doubts(log), chosen)  # as an export may say


def _with_doubts(log: VoteLog) -> VoteLog:
    """The log with a note on names that look misspelt."""
    votes, size = np.sum(log.scored(), axis=0), len(log.items)
    each = np.bincount(log.pairs.first, votes, size) + np.bincount(log.pairs.second, votes, size)
    doubt = misspelt(dict(zip(log.items, each.astype(int).tolist(), strict=True)))
    return log if doubt is None else replace(log, guessed=(*log.guessed, doubt))


def _counted(
    validator: Validator,
    layout: Layout,
    chunks: Iterable[Chunk],
    progress: Callable[[int], None] | None,
) -> tuple[VoteCounts, CriterionCounts | None]:
    """The counts of all votes, and those by criterion."""
    options = validator.options
    begin = partial(
        VoteCounts,
        validator.label,
        validator.names,
        meanings=options.meanings,
        cluster=layout.cluster,
        scored=layout.how in ("score", "halves"),
        both_orders=bool(layout.both_orders),
    )
    counts = begin(
        len(validator.names),
        voters=None if layout.voter is None else validator.voters,
        history=options.history,
        sides=layout.reason is not None,
    )
    by_criterion = None
    if layout.criterion is not None:
        each = partial(begin, 0, history=False)
        by_criterion = CriterionCounts(validator.label, layout.criterion, validator.criteria, each)
    with validator.bad.reported_first():
        for chunk in chunks:
            votes, against_decoys = validator.votes(chunk)
            counts.add(votes, against_decoys)
            if by_criterion is not None:
                by_criterion.add(votes)
            if progress is not None:
                progress(validator.rows)
        validator.settle_answers()
    return counts, by_criterion


def _with_attributes(log: VoteLog, options: ReadOptions) -> VoteLog:
    """The log with what is known of its items without votes."""
    if options.attributes is None:
        return log
    known, unvoted = options.attributes.of(log.items, log.source)
    return replace(log, attributes=known, guessed=(*log.guessed, *unvoted))


def _check_any(validator: Validator, counts: VoteCounts) -> None:
    """Raise about a log that has no votes and no given items to say what it is about."""
    if validator.options.items is None and counts.rows == 0:
        decoys = validator.decoy_rows
        apart = f", {decoys:,} of them duels against decoys" if decoys else ""
        unanswered = validator.set_apart(()).open
        unjudged = validator.set_apart(()).no_verdicts
        apart += f", {unjudged:,} without a verdict" if unjudged else ""
        apart += f", {unanswered:,} without an answer" if unanswered else ""
        rows = counted(validator.rows, "row")
        passed = f" that count (of its {rows}{apart})" if validator.rows else ""
        raise InputError(
            f"{validator.label} has no votes{passed}, but at least one was expected (to start "
            "without votes, list the items with --items)"
        )


def _columns(source: ChunkSource, layout: Layout, options: ReadOptions) -> LogColumns:
    return LogColumns(
        tuple(source.header()),
        layout.left,
        layout.right,
        layout.how,
        layout.answers,
        layout.decoy,
        layout.receipt,
        source.delimiter,
        options.encoding,
        layout.count,
        tuple(dict.fromkeys(filter(None, (layout.cluster, layout.time)))),
        layout.escape,
        layout.ask,
        layout.terms,
        layout.criterion,
    )


_OF_CALLERS = {"delta", "epsilon", "assume", "decoy_gap", "likely", "budget", "min_votes", "sides"}
# Options of the command line that are fields of `Meanings` in Python.
_IN_MEANINGS = {"ties": "tie", "tie": "tie", "both_bad": "both_bad", "incomparable": "incomparable"}


def _with(options: ReadOptions, changes: dict[str, Any]) -> ReadOptions:
    known = {field.name for field in fields(ReadOptions)}
    for name in changes:
        if name not in known:
            others = (known | _OF_CALLERS) - {name}
            listed = f", but one of {', '.join(sorted(others))} was expected"
            meant = did_you_mean(name, others, by_start=True) or listed
            if name in _IN_MEANINGS:
                field = _IN_MEANINGS[name]
                known_words = (getattr(Meanings(), field), "ignore")
                said = changes[name] if changes[name] in known_words else "ignore"
                inside = f"{field}={said!r}"
                meant = f"; did you mean meanings=Meanings({inside})?"
            raise ParameterError(f"{name!r} is not an option{meant}")
    return replace(options, **changes)
