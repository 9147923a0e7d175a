"""`antichain front`, `explain` and `verify`: from a log of votes to a certified front."""

from collections import Counter
from collections.abc import Collection
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain._text import short, shown
from antichain.cli import _options, _screen
from antichain.cli._certificate_files import CertificateFiles, writes_certificates
from antichain.cli._vote_options import VoteFiles, VoteReading, reads_votes
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.certify import Certificate

Epsilon = Annotated[
    float | None,
    _options.number(
        "--epsilon",
        f"{_options.MAY_BE_BEATEN}  [from a study's export, else 0.1]",
        *(0, 0.5),
    ),
]
Delta = Annotated[
    float | None,
    _options.number(
        "--delta",
        "Acceptable chance of any false verdict.  [from a study's export, else 0.05]",
        *(0, 1),
    ),
]


def _assume(otherwise: str) -> Any:
    return _options.word(
        "--assume",
        "strong|cannot-compare",
        "A further assumption: strong transitivity, or that most voters recognise incomparable "
        f"pairs.  [{otherwise}]",
    )


Assume = Annotated[list[str] | None, _assume("from a study's export, else none")]
NewAssume = Annotated[list[str] | None, _assume("default: none")]
DecoyGap = Annotated[
    float | None,
    _options.number(
        "--decoy-gap",
        "Least gap by which decoys lose (0.1: losing 60% of votes), to use votes on decoys.",
        0,
        0.5,
    ),
]
_MOST_ROWS = 60  # of the table in the terminal
_LONG_NAME = 100  # characters of a name in it
_COLOURS = {"in": "bold green", "out": "dim", "undecided": "yellow", "cycle": "magenta"}


_MOST_SHOWN = 20
_MOST_DIFFERENCES = 3  # of a certificate from its votes: one leads to many more
ALL_BELOW = "every item is shown to be below another"
_READINGS = ("certificate", "strict")
_OF_PATHS = set("./\\*?[")


@writes_certificates
@reads_votes
def front(
    files: VoteFiles,
    reading: VoteReading,
    outputs: CertificateFiles,
    delta: Delta = None,
    epsilon: Epsilon = None,
    assume: Assume = None,
    decoy_gap: DecoyGap = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Say which items are among the best (in), not among them (out), or undecided.

    An item is in if no item that may be best beats it by more than epsilon, and out if another
    beats it. With probability 1 - delta or more, that is all true.
    """
    from antichain.certify import certify
    from antichain.certify._reading import kept, with_voters

    outputs.check(reading.inputs(files))
    assumed = assumptions_from(assume)
    with _screen.Bar(quiet) as bar:
        bar.note("reading", _screen.names(files))
        log = reading.log(files, history=outputs.report is not None)
        bar.note("judging", f"{_screen.names(files)} {_screen.COMPILING}")
        found = certify(
            log,
            delta,
            epsilon,
            assume=assumed,
            decoy_gap=decoy_gap,
            reading=kept(reading.options),
            likely=not quiet or bool(outputs.targets) or json,
        )
        found = with_voters(found, files, reading.options)
        outputs.write(found, log, bar)
    present(found, json, quiet, pages=True)
    if not json and not quiet:
        outputs.say()
        if found.undecided:
            from antichain.cli._next import say_what_next

            terms = {"--delta": delta, "--epsilon": epsilon, "--assume": assume}
            say_what_next(log, files, reading, terms | {"--decoy-gap": decoy_gap})


def assumptions_from(given: list[str] | None) -> tuple[str, ...] | None:
    """What --assume says: names with commas, or the option several times; None if not given."""
    if not given:
        return None
    return tuple(name.strip() for text in given for name in text.split(",") if name.strip())


def present(found: "Certificate", json: bool, quiet: bool, *, pages: bool) -> None:
    """Print the certificate: as JSON, as the names of the front alone, or as a table.

    `pages` says whether the command can also write it to files (`CertificateFiles`).
    """
    for sentence in found.warnings:
        _screen.warn(sentence)
    if json:
        _screen.print_json(found.to_dict())
    elif quiet:
        _screen.say_items(found.front, nothing_in(found.undecided))
    else:
        show_certificate(found, pages=pages)


def nothing_in(undecided: Collection[str]) -> str:
    """A sentence about a front on which no item is certified to be."""
    if not undecided:
        return f"no item is in: {ALL_BELOW}"
    are = "is" if len(undecided) == 1 else "are"
    return f"no item is certified yet: {_screen.counted(len(undecided), 'item')} {are} undecided"


def show_verdicts(found: "Certificate", *, pages: bool) -> None:
    """Print what a certificate says of each item, and the likely front."""
    from antichain.certify import _several_wording, _wording

    listed = _wording.rows(found)
    estimated = _wording.any_open(found)
    cells = [
        (short(row.item, _LONG_NAME), row.status, f"{row.votes:,}", _wording.percent(row.share))
        + ((row.chance, row.why) if estimated else (row.why,))
        for row in listed[:_MOST_ROWS]
    ]
    headings = ("item", "verdict", "votes", "score", *(["chance"] if estimated else []), "why")
    styles = [_COLOURS[row.status] for row in listed]
    right = ("votes", "score", "chance")
    _screen.say(f"{found.source}: {_wording.basis(found)}")
    _screen.say(found.conclusion)
    for sentence in (*_wording.likely_summary(found), *found.alarms):
        _screen.say(sentence)
    for note in _wording.misspelt(found):
        _screen.say(f"note: {note}")
    optional = [name for name in ("why", "score", "votes", "chance") if name in headings]
    instead = ", or use --report" if pages else ""
    _screen.show(
        _screen.table(
            headings, cells, right=right, styles=styles, optional=optional, instead=instead
        )
    )
    if len(listed) > _MOST_ROWS:
        left = Counter(row.status for row in listed[_MOST_ROWS:])
        kinds = ", ".join(f"{count:,} {status}" for status, count in left.items())
        all_of_them = "--report, --markdown and --json list" if pages else "--json lists"
        _screen.say(f"not shown: {kinds} ({all_of_them} every item)")
    for sentence in _several_wording.summary(found):
        _screen.say(sentence)
    for sentence in (f"Certified verdicts on {_wording.headline(found)}", *_wording.unit(found)):
        _screen.say(sentence)
    if any("1 in " in row.why for row in listed):
        _screen.say(_wording.ODDS)


def show_certificate(found: "Certificate", *, pages: bool) -> None:
    """Print everything that a certificate says to people."""
    from antichain.certify import _wording

    show_verdicts(found, pages=pages)
    pairs = [f"{text} ({count:,})" for text, count in _wording.on_pairs(found) if count]
    if pairs:
        unneeded = (
            "" if found.undecided else ". The front can be settled even if some pairs are not."
        )
        _screen.say(f"pairs: {'; '.join(pairs)}{unneeded}")
    for title, pairs in _wording.named_pairs(found):
        _screen.say(f"{title}: {_screen.names(pairs)}")
    for note in found.notes:
        if note not in _wording.misspelt(found):  # that is said above the table
            _screen.say(f"note: {note}")
    _screen.say(found.method)
    in_full = "--report and -o give them in full" if pages else "--json gives them in full"
    _screen.say(f"{found.promise} The assumptions in brief ({in_full}):")
    for assumption in found.assumptions:
        first, *_ = assumption.split(". ")
        _screen.say(f"- {first.removesuffix('.')}.")


@reads_votes
def explain(
    item: Annotated[str, typer.Argument(metavar="ITEM", help="Name of the item.")],
    files: VoteFiles,
    reading: VoteReading,
    delta: Delta = None,
    epsilon: Epsilon = None,
    assume: Assume = None,
    decoy_gap: DecoyGap = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Explain in words why an item is in, out or undecided."""
    from antichain.certify import certify

    _check_item_comes_first(item, files)
    assumed = assumptions_from(assume)
    log = reading.log(files, history=False)
    found = certify(log, delta, epsilon, assume=assumed, decoy_gap=decoy_gap, likely=not quiet)
    for sentence in found.warnings:
        _screen.warn(sentence)
    words = found.explain(item)
    if json:
        _screen.print_json({"item": item, "status": found.status(item), "why": words})
    elif quiet:
        _screen.say(found.status(item))
    else:
        _screen.say_lines(words)


def _check_item_comes_first(item: str, files: list[str]) -> None:
    """Raise about a file in the item's place, and about a name of several words not in quotes."""
    if Path(item).is_file() and not Path(files[0]).exists():
        name = " ".join(files) if all(map(_is_word, files)) else files[0]
        raise ParameterError(
            f"{shown(item)} is a file, but the name of an item was expected first, and the votes "
            f"after it, as in {_options.command_line('explain', name, item)}"
        )
    words = list(takewhile(_is_word, files))
    if words:
        name, votes = " ".join([item, *words]), files[len(words) :] or ["FILE"]
        raise ParameterError(
            f"{shown(words[0])} is not a file; if it is part of the item's name, put the name in "
            f"quotes: {_options.command_line('explain', name, *votes)}"
        )


def _is_word(text: str) -> bool:
    """Whether what stands for a file is none, and not called like one either."""
    return text != "-" and not set(text) & _OF_PATHS and not Path(text).exists()


@reads_votes
def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="A file written by front -o.")
    ],
    files: VoteFiles,
    reading: VoteReading,
    options_from: Annotated[
        str,
        _options.choice(
            "--reading",
            _READINGS,
            "Read the votes with the certificate's options, or (strict) only with yours.",
        ),
    ] = "certificate",
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Check a certificate by computing it again from the votes.

    The exit code is 0 if everything agrees and 1 if anything differs. The votes are read with the
    options stored in the certificate; options given here take precedence. The output lists the
    options used, because a certificate made with left and right swapped by mistake still agrees
    with votes read the same way. To ignore the stored options, use --reading strict.
    """
    from antichain.certify._notes import notes_on
    from antichain.certify._reading import in_words, kept, restored
    from antichain.certify._verification import read_certificate
    from antichain.certify._verification import verify as differences_of

    document = read_certificate(certificate)
    stored = restored(certificate, document.get("reading"))
    used = (stored if options_from == "certificate" else {}) | reading.options
    log = VoteReading(used).log(files, history=False)
    differences = differences_of(document, log)
    read_with, notes = in_words(kept(used)), notes_on(log, document.get("decoy_gap"))
    if json:
        read = {"from": options_from, "options": kept(used), "in_words": read_with, "notes": notes}
        _screen.print_json({"agrees": not differences, "differences": differences, "reading": read})
    else:
        _show_differences(differences)
        if not differences:
            with_what = f"{certificate} agrees with {_screen.names(files)} in every respect"
            _screen.say("agrees" if quiet else with_what)
        if quiet and read_with:
            _screen.warn(
                f"the votes were read with {_whose(options_from, reading)}: {read_with[0]}"
            )
        if not quiet:
            _show_reading(options_from, reading, read_with)
            for note in notes:
                _screen.say(f"note: {note}")
    if differences:
        raise typer.Exit(1)


def _show_differences(differences: list[str]) -> None:
    for difference in differences[:_MOST_DIFFERENCES]:
        _screen.say(difference)
    more = len(differences) - _MOST_DIFFERENCES
    if more > 0:
        _screen.say(f"and {_screen.counted(more, 'more difference')} (see --json)")


def _whose(options_from: str, given: VoteReading) -> str:
    if options_from == "strict":
        return "only the options given here"
    also = " and those given here" if given.options else ""
    return f"the options stored in the certificate{also}"


def _show_reading(options_from: str, given: VoteReading, sentences: list[str]) -> None:
    """Say what each option that the votes were read with does."""
    if not sentences:
        _screen.say("The votes were read with the default options.")
        return
    _screen.say(f"The votes were read with {_whose(options_from, given)}:")
    for sentence in sentences[:_MOST_SHOWN]:
        _screen.say(f"- {sentence}")
    if len(sentences) > _MOST_SHOWN:
        _screen.say(f"- and {len(sentences) - _MOST_SHOWN:,} more (see --json)")
    if options_from != "strict":
        _screen.say(
            "Check that this is the right way to read the votes; --reading strict uses only the "
            "options you give."
        )
