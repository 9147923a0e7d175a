"""`antichain next`: from a log of votes to the votes to ask for next."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._limits import ASKED_DUELS
from antichain.cli import _options, _screen
from antichain.cli._front import Assume, DecoyGap, Delta, Epsilon, assumptions_from
from antichain.cli._vote_options import VoteFiles, VoteReading, reads_votes
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.certify._certificate import Certificate
    from antichain.nextvotes import NextVotes
    from antichain.votes._vote_log import VoteLog

_MOST_ROWS = 20  # of pairs shown at the terminal; a file has them all
_NOTHING_LEFT = "There is nothing left to ask."
_PACKED = b"\x1f\x8b"  # how a text in gz begins
_SHEETS = (".csv", ".tsv", ".txt", "")  # the endings of a table as text


Budget = Annotated[
    int | None,
    _options.count(
        "--budget",
        "Votes you can afford in all, with those in the file.  [otherwise: decide every item]",
    ),
]


@reads_votes
def next_(
    files: VoteFiles,
    reading: VoteReading,
    duels: Annotated[
        int,
        typer.Option(
            "-n",
            parser=_options.whole(1, ASKED_DUELS),
            metavar="N",
            help="Most votes to list.",
        ),
    ] = 100,
    output: Annotated[
        Path | None, _options.output("CSV file to fill in, one row per vote.")
    ] = None,
    delta: Delta = None,
    epsilon: Epsilon = None,
    assume: Assume = None,
    decoy_gap: DecoyGap = None,
    budget: Budget = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """List the pairs to vote on next.

    Answer as many as you can, append the answers to the log in any order, and run the command
    again. If there are several files, append to the last one. In a log with a column named ask,
    that number says which ask (request for a vote) a row answers. Ask for few at a time (-n) if you
    can: each answer changes what is worth asking.
    """
    from antichain import _files
    from antichain.nextvotes import next_votes, sheet, sheet_bytes

    _files.check_targets([output], force, reading.inputs(files))
    if output is not None and output.suffix.lower() not in _SHEETS:
        raise ParameterError(
            f"--output is {output}, but a name that ends in .csv, .tsv or .txt was expected: the "
            "duels are written as CSV"
        )
    with _screen.Bar(quiet) as bar:
        bar.note("reading", f"{' '.join(files[:3])} {_screen.COMPILING}")
        found = next_votes(
            files[0] if len(files) == 1 else files,
            duels,
            delta=delta,
            epsilon=epsilon,
            assume=assumptions_from(assume),
            decoy_gap=decoy_gap,
            budget=budget,
            **_read_by(reading),
        )
    for sentence in found.certificate.warnings:
        _screen.warn(sentence)
    if output is not None:
        _files.write_bytes(output, sheet_bytes(found), force)
    if json:
        _screen.print_json(found.to_dict())
    elif not quiet:
        _show(found, files[-1], output)
    elif output is None:
        _screen.print_file(sheet(found))
        if not found.asks:
            _screen.warn(_standing(found))


def _read_by(reading: VoteReading) -> dict[str, Any]:
    if "graded" in reading.options:
        raise ParameterError(
            "--grades cannot be used with next, which asks for votes on pairs and so needs a log "
            "of them"
        )
    for name, flag in (("min_votes", "--min-votes"), ("sides", "--sides")):
        if name in reading.options:
            raise ParameterError(
                f"{flag} does not apply to next, which asks about every item, with sides drawn at "
                "random (to choose the items, use --items)"
            )
    return reading.options


def say_what_next(
    log: "VoteLog", files: Sequence[str], reading: VoteReading, terms: Mapping[str, object]
) -> None:
    """Name the command that leads on, if there is one, with twice as many votes as an example.

    Args:
        log: The votes.
        files: Where they are.
        reading: How they are read.
        terms: The options of the certificate by their flags; None stands for one not given.
    """
    from antichain.nextvotes._asking import can_ask, collected

    try:
        _read_by(reading)
    except ParameterError:
        return
    if "-" in files or not can_ask(log):
        return
    options = (*reading.typed, *_options.typed(terms))
    command = _options.command_line("next", *map(Path, files), *options)
    budget = max(1, math.ceil(collected(log) / 50)) * 100
    _screen.say(
        f"Next: if you can afford {budget:,} votes in all, {command} --budget {budget} lists the "
        "most informative votes to collect. Without --budget, next aims to decide every item."
    )


def _show(found: "NextVotes", file: str, output: Path | None) -> None:
    shown, items = found.certificate, _screen.counted(len(found.items), "item")
    _screen.say(f"{found.source}: {_screen.counted(shown.votes, 'vote')} on {items}")
    if found.asks:
        _table(found)
    _screen.say(_standing(found))
    if found.remaining is not None:
        first = "The first few may be enough: stop there and run the command again."
        _screen.say(
            f"Deciding every item will take {_screen.to_come(found.remaining)}."
            + (f" {first}" if found.beyond_forecast else "")
        )
    if output is not None:
        what = _what_to_do(found) + (_unended(file) if found.asks else "")
        _screen.say(f"{output}: {_screen.counted(len(found.asks), 'vote')}{what}")
    for note in found.notes:
        _screen.say(f"note: {note}")


def _standing(found: "NextVotes") -> str:
    shown = found.certificate
    if not shown.undecided and not shown.front:
        return f"Every item is shown to be below another, so there is no front. {_NOTHING_LEFT}"
    if not shown.undecided:
        return f"Every item is decided. In: {_screen.names(shown.front)}. {_NOTHING_LEFT}"
    parts = [f"{len(part):,} {what}" for part, what in ((shown.front, "in"), (shown.out, "out"))]
    verdicts = f"{', '.join(parts)}, {len(shown.undecided):,} undecided"
    if found.spent:
        spent = f"The budget of {_screen.counted(found.budget or 0, 'vote')} is spent"
        if shown.votes != found.budget:
            spent += f" (--budget counts all votes, and the log holds {shown.votes:,})"
        return f"{spent}: {verdicts}.{_likely(shown)}"
    return f"So far: {verdicts}: {_screen.names(list(shown.undecided))}."


def _likely(shown: "Certificate") -> str:
    if shown.likely is None:
        return ""
    from antichain.certify._wording import likely_items

    front = _screen.names(likely_items(shown))
    return (
        f" According to a model's estimate, the likely front is: {front} (antichain front gives "
        "the details)."
    )


def _table(found: "NextVotes") -> None:
    from collections import Counter

    several = any(ask.criterion for ask in found.asks)
    asked = Counter(
        (*sorted((ask.left, ask.right)), *((ask.criterion or "",) if several else ()))
        for ask in found.asks
    )
    rows = [(*pair, f"{count:,}") for pair, count in list(asked.items())[:_MOST_ROWS]]
    headings = ("item", "opponent", *(("criterion",) if several else ()), "votes")
    title = f"{_screen.counted(len(found.asks), 'vote')} to collect"
    left = (found.budget or 0) - found.certificate.votes
    if left > len(found.asks):
        title += f", of the {left:,} that the budget leaves (-n lists more)"
    _screen.say(title)
    _screen.show(_screen.table(headings, rows, right=("votes",)))
    if len(asked) > _MOST_ROWS:
        _screen.say(f"and {_screen.counted(len(asked) - _MOST_ROWS, 'more pair')}")


def _what_to_do(found: "NextVotes") -> str:
    from antichain.nextvotes._sheet import fits

    if not found.asks:
        return ""
    columns = found.columns
    if fits(found):
        what = "; answer them and append the rows to the log, without the header"
    elif columns is not None and columns.how == "loser":
        return "; answer them, then add each to the log as a row with its winner and its loser"
    else:
        what = "; answer them and add them to the log"
    if columns is None or not columns.needed:
        return what
    return f"{what}; each row also needs its {' and its '.join(map(repr, columns.needed))}"


def _unended(file: str) -> str:
    """A warning if the log's last line lacks its end, where an appended row would continue it."""
    path = Path(file)
    if not path.is_file():
        return ""
    with path.open("rb") as log:
        start = log.read(len(_PACKED))
        log.seek(-1, 2)
        ended = log.read() in b"\r\n"
    return "" if ended or start == _PACKED else f"; first add a line break at the end of {file}"
