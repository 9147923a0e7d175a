"""`antichain vote` and `antichain study`: votes collected at the terminal, and a look at them."""

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from antichain.cli import INTERRUPTED, _options, _screen
from antichain.cli._front import ALL_BELOW, NewAssume, assumptions_from, nothing_in, show_verdicts
from antichain.cli._next import Budget
from antichain.cli._vote_options import chosen_criteria
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.algorithms._base import Algorithm
    from antichain.forecast._planning import Forecast
    from antichain.study import Study
    from antichain.study._ballot_entries import Ballot

_FORECAST_RUNS = 20
_PICTURES = ("auto", "kitty", "iterm", "sixel", "off")

Epsilon = Annotated[
    float | None,
    _options.number("--epsilon", f"{_options.MAY_BE_BEATEN}  [default: 0.1]", 0, 0.5),
]
Delta = Annotated[
    float | None,
    _options.number("--delta", "Highest chance of any false claim.  [default: 0.05]", 0, 1),
]
Seed = Annotated[
    int | None,
    _options.count("--seed", "Seed for the sides and the order of the pairs.  [default: 0]", 0),
]


def vote(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="ITEMS",
            help="A list with one name per line, a TOML file, or a folder of items.",
        ),
    ],
    study: Annotated[
        Path | None,
        _options.word(
            "--study", "FILE", "File to keep the study in.  [default: ITEMS with the ending .duels]"
        ),
    ] = None,
    voter: Annotated[
        str | None,
        _options.word("--voter", "NAME", "Name of the voter; several people can take turns."),
    ] = None,
    pictures: Annotated[
        str | None,
        _options.choice(
            "--pictures", _PICTURES, "How the terminal shows pictures.  [default: auto]"
        ),
    ] = None,
    algorithm: Annotated[str | None, _options.algorithm("The method.", "certificate")] = None,
    delta: Delta = None,
    epsilon: Epsilon = None,
    assume: NewAssume = None,
    budget: Budget = None,
    criteria: Annotated[
        str | None,
        _options.word("--criteria", "A,B,…|@FILE", "Criteria to ask about for each pair."),
    ] = None,
    attribute: Annotated[
        list[str] | None,
        _options.word(
            "--attribute",
            "COL:min|max",
            "A known attribute, and whether less or more of it is better.",
        ),
    ] = None,
    attributes: Annotated[
        str | None,
        _options.word("--attributes", "FILE", "Table with the known attributes of each item."),
    ] = None,
    seed: Seed = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Vote on pairs of items at the terminal until every item is in or out.

    ITEMS is a text file with one name per line, a TOML file with [[items]] or items = [...], or a
    folder of pictures, texts, sounds or videos. Every vote is saved at once in the study's file; to
    continue later, run the same command again.
    """
    from antichain.study import Study
    from antichain.study._ballot import read_ballot, study_file

    ballot, voter = read_ballot(items), _name(voter)
    method = _method(algorithm, delta, epsilon, assumptions_from(assume), budget, ballot)
    names = [entry.name for entry in ballot.entries]
    given: dict[str, object] = {"--study": study, "--voter": voter, "--pictures": pictures}
    given |= {"--algorithm": algorithm, "--delta": delta, "--epsilon": epsilon}
    given |= {"--assume": ",".join(assume or ()) or None, "--budget": budget}
    given |= {"--criteria": criteria, "--attributes": attributes, "--attribute": attribute}
    several = chosen_criteria(
        {"criteria": criteria, "attribute": attribute, "attributes": attributes}
    )
    if algorithm is None:  # what the ballot says holds where no option says otherwise
        said = {"criteria": tuple(ballot.criteria) or None, "attributes": ballot.attributes}
        several = {key: value for key, value in said.items() if value} | several
    with Study.open(study or study_file(items), names, method, seed, **several) as opened:
        if opened.note:
            _screen.warn(opened.note)
        again = _options.command_line("vote", items, *_options.typed(given))
        _sit(opened, ballot, voter, _protocol(pictures), quiet, again)
        _show(opened, json, quiet)
        if not quiet:
            _part(opened, again)
        if not opened.result().certified:
            raise typer.Exit(1)


def _method(
    algorithm: str | None,
    delta: float | None,
    epsilon: float | None,
    assume: tuple[str, ...] | None,
    budget: int | None,
    ballot: "Ballot",
) -> "Algorithm | None":
    """Who asks, if an option or the ballot says so: by default the certificate of the votes."""
    from antichain.algorithms._certifying import Certifying

    if algorithm is not None:
        for option, value in (("--assume", assume), ("--budget", budget)):
            if value is not None:
                raise ParameterError(
                    f"--algorithm {algorithm} and {option} are both given, but they cannot be used "
                    f"together: {option} is for the default method, which needs no --algorithm"
                )
        return _options.method(algorithm, delta or 0.05, None, epsilon, {"epsilon": 0.1})
    given: dict[str, Any] = {"delta": delta, "epsilon": epsilon}
    given |= {"assume": assume, "budget": budget}
    chosen = {name: value for name, value in given.items() if value is not None}
    said = ballot.conduct.algorithm
    if said is not None:
        return replace(said, **chosen)
    return Certifying.from_options(chosen) if chosen else None


def study(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="File of a study: FILE.duels, or FILE.sqlite of antichain serve."
        ),
    ],
    export: Annotated[
        Path | None,
        _options.word("--export", "FILE", "Write the votes to a CSV file; - writes to stdout."),
    ] = None,
    forecast: Annotated[
        bool, _options.flag("--forecast", "Estimate how many more votes it will take.")
    ] = False,
    algorithm: Annotated[
        str | None, _options.algorithm("The study's method, if it is one of your own.")
    ] = None,
    name: Annotated[
        str | None, _options.word("--name", "NAME", "Name of the study, if FILE has several.")
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Show how far along a study is, with its front so far, or export its votes as CSV.

    This works while somebody is voting, too. The exit code is 1 until the front is certified; with
    --export, it is 0 once the votes are written.
    """
    from antichain import _files
    from antichain.algorithms import _registry
    from antichain.study import Study

    if export == Path("-") and (json or forecast):
        raise ParameterError(
            f"--export - and {'--json' if json else '--forecast'} are both given, but they cannot "
            "be used together: both would be printed on stdout (give --export a file)"
        )
    # Once it was found, a study that stores its name can be read.
    method = None if algorithm is None else _registry.find(algorithm)
    opened = Study.read(file, name)
    if method is not None and method.name != opened.algorithm.name:
        raise ParameterError(
            f"--algorithm is {algorithm}, but {file} is a study with the method "
            f"{opened.algorithm.name}: leave out --algorithm"
        )
    if opened.note and not quiet and not json:
        _screen.warn(opened.note)
    if export == Path("-"):
        _screen.print_file(opened.votes_csv())
        return
    if export is not None:
        _files.check_targets([export], force, [file, _registry.file_of(algorithm)])
        _files.write_bytes(export, opened.votes_csv().encode(), force)
    _show(opened, json, quiet, _forecast(opened, quiet) if forecast else None)
    if export is not None and not json and not quiet:
        _screen.say(f"{'votes':>10}  {export}")
    if export is None and not opened.result().certified:
        raise typer.Exit(1)


def _sit(
    study: "Study",
    ballot: "Ballot",
    voter: str | None,
    pictures: str | None,
    quiet: bool,
    again: str,
) -> None:
    """Let a voter vote; where that is interrupted, say that nothing is lost, and end."""
    from antichain._interrupts import endings_heard
    from antichain.cli._booth import Booth
    from antichain.cli._keys import actions

    try:
        with endings_heard(), actions(sys.stdin) as read:
            Booth(study, ballot, voter, read, quiet, pictures).sit()
    except KeyboardInterrupt:
        _screen.murmur("")
        _screen.warn(f"interrupted; everything is saved in {study.path}.")
        _hint({"continue": again})
        raise typer.Exit(INTERRUPTED) from None


def _name(voter: str | None) -> str | None:
    """The voter's name without spaces around it, which nobody sees."""
    from antichain._files import is_one_line
    from antichain._text import shown
    from antichain.errors import ParameterError

    if voter is None or is_one_line(voter):
        return voter and voter.strip()
    raise ParameterError(f"--voter is {shown(voter)}, but a name on one line was expected")


def _protocol(pictures: str | None) -> str | None:
    """How pictures are shown, if they are: never where stderr is no terminal."""
    from antichain.cli._exhibits import picture_protocol

    if pictures == "off" or not sys.stderr.isatty():
        return None
    return picture_protocol(os.environ) if pictures in (None, "auto") else pictures


def _part(study: "Study", again: str) -> None:
    """Say that all is saved, and what to type next."""
    assert study.path is not None
    _screen.murmur("")
    _screen.murmur(f"Everything is saved in {study.path}.")
    calls = {} if study.finished else {"continue": again}
    export = study.path.with_suffix(".csv")
    calls |= {"results": _options.command_line("study", study.path)}
    calls |= {"export": _options.command_line("study", study.path, "--export", export)}
    _hint(calls)


def _hint(calls: Mapping[str, str]) -> None:
    for name, call in calls.items():
        _screen.murmur(f"{name:>10}  {call}")


def _forecast(study: "Study", quiet: bool) -> "Forecast":
    from antichain.forecast._planning import remaining

    with _screen.Bar(quiet, total=_FORECAST_RUNS) as bar:
        return remaining(study.search, runs=_FORECAST_RUNS, seed=study.seed, progress=bar.runs)


def _show(study: "Study", json: bool, quiet: bool, forecast: "Forecast | None" = None) -> None:
    from antichain.algorithms._certifying import Certifying

    result, progress = study.result(), study.progress
    by_certificate = isinstance(study.algorithm, Certifying)
    if json:
        # Both have answers: how often each form was given, and how many there are.
        record = {**result.to_dict(), "answers_by_form": result.answers, **asdict(progress)}
        shown = study.certificate().to_dict() if by_certificate else {}
        record |= {name: value for name, value in shown.items() if name not in ("answers", "items")}
        remaining = {"remaining": forecast.in_short() if forecast is not None else None}
        note = {"note": study.note}
        _screen.print_json({"study": str(study.path), **record, **remaining, **note})
        return
    inside, undecided = result.front, result.undecided
    if by_certificate:
        shown_by = study.certificate()
        inside, undecided = shown_by.front, tuple(shown_by.undecided)
    if quiet:
        _screen.say_items(inside, nothing_in(undecided))
        return
    if by_certificate:
        show_verdicts(shown_by, pages=False)
    if undecided and study.finished:
        _screen.say(
            f"The budget is spent, but {_screen.counted(len(undecided), 'item')} "
            f"{'is' if len(undecided) == 1 else 'are'} still undecided: the front is not known yet."
        )
    front = _screen.names(inside) or ("none yet" if undecided else f"none: {ALL_BELOW}")
    if not by_certificate and study.finished and not result.certified:
        front += f" (not certified: {study.search.algorithm.name} states no guarantee)"
    rows = {
        "in" if undecided else "front": front,
        "undecided": _screen.names(undecided),
        "answers": _answers(progress.answers, result.duels, progress.spare, result.answers),
        "taken back": f"{progress.undone:,}" if progress.undone else "",
        "given up": f"{progress.expired:,}" if progress.expired else "",
        "awaiting": _screen.counted(waiting, "answer") if (waiting := progress.outstanding) else "",
        "not out": f"{progress.alive:,} of {_screen.counted(progress.items, 'item')}",
        "study": str(study.path),
        "to come": "" if forecast is None or study.finished else _screen.to_come(forecast),
    }
    if by_certificate or progress.alive == progress.items:
        del rows["not out"]  # the verdicts say more, or nothing is out
    for name, value in rows.items():
        if value:
            _screen.say(f"{name:>10}  {value}")


def _answers(given: int, counting: int, spare: int, by_form: Mapping[str, int]) -> str:
    """How many answers there are, and what became of those that do not count."""
    others = {"not needed": spare, "skipped": by_form["skipped"]}
    told = ", ".join(f"{number:,} {what}" for what, number in others.items() if number)
    if given == counting:
        return f"{given:,}"
    return f"{given:,}, of which {counting:,} {'counts' if counting == 1 else 'count'}" + (
        f" ({told})" if told else ""
    )
