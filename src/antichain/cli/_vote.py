"""`antichain vote` and `antichain study`: votes collected at the terminal, and a look at them."""

import os
import sys
from collections import deque
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import _options, _screen

if TYPE_CHECKING:
    from antichain.cli._keys import Action, ReadAction
    from antichain.forecast._planning import Forecast
    from antichain.study import Study, StudyAsk
    from antichain.study._ballot import Ballot

_LEGEND = "← → choose   ↑ or = tie   ↓ or x cannot compare   s skip   u undo   q quit"
_WORDS = "l r choose, = tie, x cannot compare, s skip, u undo, q quit"
_FORECAST_RUNS = 20
_JUST_SEEN = 1  # pairs that wait a little before they come up again

Epsilon = Annotated[
    float | None, _options.number("--epsilon", "The ε of the ε-front.  [default: 0.1]", 0, 0.5)
]
Delta = Annotated[
    float | None, _options.number("--delta", "Chance of a wrong front.  [default: 0.05]", 0, 1)
]
Seed = Annotated[
    int | None,
    _options.count("--seed", "The seed of sides and order.  [default: 0]", 0),
]


def vote(
    items: Annotated[Path, typer.Argument(metavar="ITEMS", help="A TOML file with the items.")],
    study: Annotated[
        Path | None,
        _options.word("--study", "FILE", "The study's file.  [default: ITEMS, ending in .duels]"),
    ] = None,
    voter: Annotated[str | None, _options.word("--voter", "NAME", "Who is voting.")] = None,
    algorithm: _options.Method = None,
    delta: Delta = None,
    epsilon: Epsilon = None,
    seed: Seed = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Vote on pairs of items at the terminal until the front is found.

    The votes are kept in the study's file, and the same call goes on from there.
    """
    from antichain.cli._keys import actions
    from antichain.study import Study
    from antichain.study._ballot import read_ballot

    ballot = read_ballot(items)
    method = None
    if (algorithm, delta, epsilon) != (None, None, None):
        method = _options.method(algorithm, delta or 0.05, None, epsilon, {"epsilon": 0.1})
    names = [entry.name for entry in ballot.entries]
    with Study.open(study or items.with_suffix(".duels"), names, method, seed) as opened:
        if opened.note:
            _screen.warn(opened.note)
        with actions(sys.stdin) as read:
            _Booth(opened, ballot, voter, read, quiet).sit()
        _show(opened, json, quiet)
        if not opened.finished:
            raise typer.Exit(1)


def study(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A study's file.")],
    export: Annotated[
        Path | None, _options.word("--export", "FILE", "A CSV file for the votes; - for stdout.")
    ] = None,
    forecast: Annotated[
        bool, _options.flag("--forecast", "Say how many more duels it will take.")
    ] = False,
    algorithm: Annotated[
        str | None, _options.algorithm("The study's method, where only you have it.")
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Look at a study: how far it is, the front so far, the votes as CSV.

    Somebody may be voting in it meanwhile.
    """
    from antichain import _files
    from antichain.algorithms import _registry
    from antichain.errors import FileError
    from antichain.study import Study

    if algorithm is not None:
        _registry.find(algorithm)  # from now on its name is known
    opened = Study.read(file)
    if export == Path("-"):
        _screen.print_file(opened.votes_csv())
        return
    if export is not None:
        if os.path.realpath(export) == os.path.realpath(file):
            raise FileError(f"the votes of {file} would replace it: give another file to --export")
        _files.write_bytes(export, opened.votes_csv().encode(), force)
    _show(opened, json, quiet, _forecast(opened, quiet) if forecast else None)
    if export is not None and not json and not quiet:
        _screen.say(f"{'votes':>10}  {export}")
    if export is None and not opened.finished:
        raise typer.Exit(1)


@dataclass
class _Booth:
    """One voter at one terminal. Duels are shown on stderr, so that stdout is the result's."""

    study: "Study"
    ballot: "Ballot"
    voter: str | None
    read: "ReadAction"
    quiet: bool
    seen: "deque[StudyAsk]" = field(default_factory=lambda: deque(maxlen=_JUST_SEEN))

    def sit(self) -> None:
        """Show duel after duel until the front is found or the voter has had enough."""
        from antichain.cli._keys import Action

        if not self.quiet:
            _screen.tell(
                f"{self.ballot.title}: {_screen.counted(len(self.ballot.entries), 'item')}"
            )
            _screen.tell(_LEGEND if sys.stdin.isatty() else _WORDS)
        waiting = list(self.study.outstanding)
        while not self.study.finished:
            # A duel already out comes first: one shown when the last session ended, or undone.
            waiting = [ask for ask in waiting if ask in self.study.outstanding]
            waiting = waiting or self.study.ask(1, avoid=self.seen)
            if not waiting:
                return  # somebody else has the rest, which cannot be: one process writes
            action = self._put(waiting[0])
            if action is Action.QUIT:
                return
            if action is Action.UNDO:
                waiting = self._undo(waiting)
            else:
                self._answer(waiting[0], action)

    def _put(self, ask: "StudyAsk") -> "Action":
        """Show a duel and wait for a key or word that has a meaning."""
        if not self.quiet:
            progress = self.study.progress
            left = f"{progress.alive} of {_screen.counted(progress.items, 'item')} left"
            _screen.tell("")
            _screen.tell(f"[{_screen.counted(progress.answers, 'answer')}, {left}]")
        _screen.tell(self.ballot.question)
        for arrow, name in (("←", ask.left), ("→", ask.right)):
            self._show_side(arrow, name)
        while (action := self.read()) is None:
            _screen.tell(_LEGEND if sys.stdin.isatty() else _WORDS)
        return action

    def _show_side(self, arrow: str, name: str) -> None:
        import textwrap

        entry = self.ballot.entry(name)
        _screen.tell(f"  {arrow}  {name}")
        for line in entry.text.splitlines():
            for part in textwrap.wrap(line, max(20, _screen.width() - 5)):
                _screen.tell(f"     {part}")
        if entry.file is not None:
            _screen.tell(f"     {entry.file}")

    def _answer(self, ask: "StudyAsk", action: "Action") -> None:
        from antichain.cli._keys import Action

        answer = "skipped" if action is Action.SKIP else action.value
        self.study.tell(ask, answer, voter=self.voter)
        self.seen.append(ask)
        if not self.quiet:
            chosen = {"left": ask.left, "right": ask.right}
            _screen.tell(f"     {chosen.get(answer, answer)}")

    def _undo(self, waiting: "list[StudyAsk]") -> "list[StudyAsk]":
        """The duels to show next: the one whose answer was taken back, then those before."""
        from antichain.errors import ProtocolError

        try:
            again = self.study.undo(voter=self.voter)
        except ProtocolError as error:
            _screen.tell(f"     {error}")
            return waiting
        _screen.tell("     taken back")
        return [again, *(ask for ask in waiting if ask != again)]


def _forecast(study: "Study", quiet: bool) -> "Forecast":
    from antichain.forecast._planning import remaining

    with _screen.Bar(quiet, total=_FORECAST_RUNS) as bar:
        return remaining(study.search, runs=_FORECAST_RUNS, seed=study.seed, progress=bar.runs)


def _show(study: "Study", json: bool, quiet: bool, forecast: "Forecast | None" = None) -> None:
    result, progress = study.result(), study.progress
    if json:
        # Both have answers: how often each form was given, and how many there are.
        record = {**result.to_dict(), "answers_by_form": result.answers, **asdict(progress)}
        remaining = {"remaining": forecast.in_short() if forecast is not None else None}
        _screen.print_json({"study": str(study.path), **record, **remaining})
        return
    front = _screen.names(result.front) or "none: every item is shown below another"
    if quiet:
        _screen.say(front)
        return
    if study.finished and not result.certified:
        front += f" (not certified: {study.search.algorithm.name} states no guarantee)"
    rows = {
        "front" if study.finished else "so far": front,
        "answers": f"{progress.answers:,}: {result.duels:,} count, {progress.spare:,} spare"
        + (f", {skipped:,} skipped" if (skipped := result.answers["skipped"]) else ""),
        "taken back": f"{progress.undone:,}",
        "given up": f"{progress.expired:,}",
        "awaiting": _screen.counted(progress.outstanding, "answer"),
        "still in": f"{progress.alive:,} of {_screen.counted(progress.items, 'item')}",
        "study": str(study.path),
    }
    if forecast is not None:
        rows["to come"] = _screen.to_come(forecast)
    for name, value in rows.items():
        _screen.say(f"{name:>10}  {value}")
