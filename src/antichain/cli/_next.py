"""`antichain next`: from a log of votes to the votes to ask for next."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain.cli import _options, _screen
from antichain.cli._vote_options import VoteFile, VoteReading, reads_votes
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.nextvotes import NextVotes

_MOST_ROWS = 20  # of pairs shown at the terminal; a file has them all
_PACKED = b"\x1f\x8b"  # how a text in gz begins
_CHANCE = 0.9  # as in nextvotes.asking, which would import numpy


@reads_votes
def next_(
    file: VoteFile,
    reading: VoteReading,
    duels: Annotated[
        int, typer.Option("-n", parser=_options.whole(1), metavar="N", help="Duels at most.")
    ] = 100,
    output: Annotated[
        Path | None, _options.output("Write the duels as rows to be answered: a CSV file.")
    ] = None,
    delta: _options.Delta = 0.05,
    epsilon: Annotated[
        float | None, _options.number("--epsilon", "The ε of the ε-front.  [default: 0.1]", 0, 0.5)
    ] = None,
    decoy_gap: Annotated[
        float | None,
        _options.number("--decoy-gap", "The Δ of the Δ-decoys, if there are decoys.", 0, 0.5),
    ] = None,
    algorithm: Annotated[
        str | None, _options.algorithm("The method of the run to take up.", "witness")
    ] = None,
    runs: Annotated[
        int,
        _options.runs("--runs", "Futures to simulate, to forecast and to ask ahead.", 0),
    ] = 20,
    chance: Annotated[
        float,
        _options.number(
            "--chance", "How likely a duel must be needed to be asked ahead.", 0, 1, high_too=True
        ),
    ] = _CHANCE,
    seed: _options.Seed = 0,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Which duels to ask for next, and how many more it will take.

    Answer the duels, append them to the log in any order, as many as there are, and call again:
    the run goes on. Use the same seed, delta and epsilon throughout.
    """
    from antichain import _files
    from antichain.nextvotes import next_votes, sheet, sheet_bytes

    method = _options.method(algorithm, delta, decoy_gap, epsilon, {"epsilon": 0.1})
    if output is not None:
        _files.check_target(output, force)
    with _screen.Bar(quiet, total=runs) as bar:
        bar.note("reading", file)
        found = next_votes(
            file,
            duels,
            algorithm=method,
            seed=seed,
            runs=runs,
            chance=chance,
            progress=bar.runs,
            **_read_by(reading),
        )
    if output is not None:
        _files.write_bytes(output, sheet_bytes(found), force)
    if json:
        _screen.print_json(found.to_dict())
    elif not quiet:
        _show(found, file, output)
    elif output is None:
        _screen.print_file(sheet(found))


def _read_by(reading: VoteReading) -> dict[str, Any]:
    if "graded" in reading.options:
        raise ParameterError(
            "--grades is given, but a log of votes on pairs was expected: a run asks for such "
            "votes, and grades are not votes"
        )
    return reading.options


def _show(found: "NextVotes", file: str, output: Path | None) -> None:
    items = _screen.counted(len(found.items), "item")
    _screen.say(f"{found.source}: {_screen.counted(found.votes, 'vote')} on {items}")
    _screen.say(_used(found))
    if found.finished and not found.front:
        _screen.say("Every item is shown below another: there is no front. Nothing more to ask.")
    elif found.finished:
        _screen.say(f"The front is found: {_screen.names(found.front)}. Nothing more to ask.")
    else:
        _table(found)
        _screen.say(
            f"{len(found.front):,} of {items} not shown dominated: {_screen.names(found.front)}"
        )
        if found.remaining is not None:
            _screen.say(f"It will take {_screen.to_come(found.remaining)}.")
    if output is not None:
        what = _what_to_do(found) + (_unended(file) if found.asks else "")
        _screen.say(f"{output}: {_screen.counted(len(found.asks), 'duel')}{what}")
    for note in found.notes:
        _screen.say(f"note: {note}")
    if not found.finished and found.votes_unused - found.aside.votes > found.votes_used:
        _screen.say(
            "note: A run takes pairs in an order of its own and waits at the first that lacks "
            "votes; votes in hand on other pairs are used when it comes to them. What all votes "
            "show together: antichain front."
        )


def _used(found: "NextVotes") -> str:
    aside = found.aside
    waiting = found.votes_unused - aside.votes
    if found.finished:
        parts = [f"{found.votes_used:,} used", f"{waiting:,} not needed"]
    else:
        parts = [f"{found.votes_used:,} used so far", f"{waiting:,} in hand{_later(found)}"]
    reasons = {
        "skipped": aside.skipped,
        "ignored": aside.ignored,
        "not the first of their cluster and pair": aside.clustered,
        "with their own decoy, or of two decoys": aside.other,
    }
    parts += [f"{number:,} {reason}" for reason, number in reasons.items() if number]
    return ", ".join(parts)


def _later(found: "NextVotes") -> str:
    if found.votes_later is None or found.votes_unused == found.aside.votes:
        return ""
    number = f"about {_screen.rounded(found.votes_later)}" if found.votes_later else "none"
    return f" (the run will use {number} of them)"


def _table(found: "NextVotes") -> None:
    from collections import Counter

    needed: Counter[tuple[str, str]] = Counter()
    likely: Counter[tuple[str, str]] = Counter()
    for ask in found.asks:
        pair = min(ask.left, ask.right), max(ask.left, ask.right)
        needed[pair] += ask.sure
        likely[pair] += not ask.sure
    rows = [
        (*pair, *(f"{counts[pair]:,}" if counts[pair] else "" for counts in (needed, likely)))
        for pair in list(needed)[:_MOST_ROWS]
    ]
    numbers = ("needed next", "probably needed")
    title = f"{_screen.counted(len(found.asks), 'duel')} to ask"
    _screen.show(_screen.table(("one", "other", *numbers), rows, right=numbers, title=title))
    if len(needed) > _MOST_ROWS:
        _screen.say(f"and {len(needed) - _MOST_ROWS:,} pairs more")


def _what_to_do(found: "NextVotes") -> str:
    from antichain.nextvotes._sheet import fits

    if not found.asks:
        return ""
    columns = found.columns
    if fits(found):
        what = "; answer them and append the rows to the log, without the header"
    elif columns is not None and columns.how == "loser":
        return "; answer them and add them to the log as winners and losers"
    else:
        what = "; answer them and add them to the log"
    if columns is None or not columns.needed:
        return what
    return f"{what}; each needs its {' and its '.join(map(repr, columns.needed))}"


def _unended(file: str) -> str:
    """A warning if the log's last line lacks its end, where an appended row would continue it."""
    path = Path(file)
    if not path.is_file():
        return ""
    with path.open("rb") as log:
        start = log.read(len(_PACKED))
        log.seek(-1, 2)
        ended = log.read() in b"\r\n"
    return "" if ended or start == _PACKED else f"; first end the last line of {file}"
