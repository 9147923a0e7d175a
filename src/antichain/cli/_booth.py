"""A voting booth at the terminal: one voter, duel after duel."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from antichain._text import shown
from antichain.cli import _exhibits, _screen
from antichain.cli._keys import Action, ReadAction
from antichain.errors import ProtocolError
from antichain.study import Study, StudyAsk

if TYPE_CHECKING:
    from antichain.study import StudyProgress
    from antichain.study._ballot_entries import Ballot

_KEYS = "← → choose  ↑ or = tie  ↓ or x cannot compare  s skip  u undo  {}q quit"
_WORDS = "l r choose, = tie, x cannot compare, s skip, u undo, {}q quit"
_OTHER_ROWS = 9  # of a duel, besides what is shown of the two items
_MOST_LINES = 20  # of a text
_LEFT = "left on the screen by one voter, and the next one had met the pair before"

_FEW = 10  # answers after which it is estimated again what is to come
_PLANNED = 20  # simulated studies for that before there are answers
Pair = frozenset[str]


def pair_of(duel: StudyAsk) -> Pair:
    return frozenset((duel.left, duel.right))


def what_remains(progress: StudyProgress, more: str | None = None) -> str:
    """How far the study is, in a few words: what each duel is headed with.

    Args:
        progress: How far it is.
        more: How many more answers are to come, in words, where that is known.
    """
    words = [
        _screen.counted(progress.answers, "answer"),
        f"{progress.alive:,} of {_screen.counted(progress.items, 'item')} still in the running",
        more,
    ]
    return ", ".join(word for word in words if word)


@dataclass
class Booth:
    """One voter at one terminal. Duels are shown on stderr, so that stdout is the result's.

    Attributes:
        study: Where the answers go.
        ballot: What the items look like.
        voter: The voter's name, or None.
        read: Waits for the voter's next key or word.
        quiet: Whether only duels are shown.
        pictures: How the terminal shows pictures; None if it does not.
        met: How often the voter has answered or skipped each pair.
        last: The pair that the voter saw last.
        ahead: After how many answers it was last estimated what is to come, and the estimate.
    """

    study: Study
    ballot: Ballot
    voter: str | None
    read: ReadAction
    quiet: bool
    pictures: str | None = None
    met: Counter[Pair] = field(default_factory=Counter)
    last: Pair | None = None
    ahead: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        self.met.update(
            frozenset((vote.left, vote.right))
            for vote in self.study.votes()
            if vote.voter == self.voter
        )

    def sit(self) -> None:
        """Show duel after duel until the front is found or the voter has had enough."""
        if not self.quiet:
            self._greet()
        if self.study.finished:
            return
        waiting = self._left_over()
        while not self.study.finished:
            # A duel that is out comes first: one that was undone, or asked together with another.
            waiting = [ask for ask in waiting if ask in self.study.outstanding]
            waiting = waiting or list(self.study.outstanding) or self._ask()
            if not waiting:
                return  # somebody else has the rest, which cannot be: one process writes
            action = self._put(waiting[0])
            if action is Action.QUIT:
                return
            if action is Action.UNDO:
                waiting = self._undo(waiting)
            else:
                self._answer(waiting[0], action)

    def _more(self) -> float | None:
        """About how many more answers it will take; looked at again after every few answers."""
        from antichain.algorithms._certifying import Inquiry
        from antichain.forecast._planning import plan, remaining
        from antichain.referee._ahead import WAYS_AHEAD

        search = self.study.search
        if not isinstance(search, Inquiry) or not search.has_forecast:
            return None
        moment = search.referee.answers // _FEW
        if self.ahead is None or self.ahead[0] != moment:
            # Before there are answers, only orders as `plan` imagines them say anything.
            forecast = (
                remaining(search, runs=WAYS_AHEAD)
                if moment
                else plan(len(search.items), algorithm=search.algorithm, runs=_PLANNED)
            )
            self.ahead = moment, forecast.median
        return self.ahead[1]

    def _to_come(self) -> str | None:
        """How many more answers are to come, in a few words."""
        budget = getattr(self.study.search.algorithm, "budget", None)
        if budget is not None:
            return f"{max(0, budget - self.study.progress.answers):,} left in the budget"
        more = self._more()
        return None if more is None else f"about {_screen.rounded(more)} more to come"

    # -- what to expect ----------------------------------------------------------------------------

    def _greet(self) -> None:
        progress = self.study.progress
        self._say(f"{self.ballot.title}: {_screen.counted(progress.items, 'item')}")
        if self.ballot.note:
            self._say(self.ballot.note)
        if self.study.finished:
            self._say("Voting is over: there is nothing left to ask.")
            return
        until, certain = self._what_to_expect()
        self._say(
            f"You will see two items at a time until {until}.{certain} Every answer is saved at "
            f"once in {self.study.path}; stop whenever you like, and continue later with the same "
            "command."
        )
        self._say(self._who(progress.answers))
        self._say(self._legend)

    def _what_to_expect(self) -> tuple[str, str]:
        """When the vote ends, and what that will take, in words."""
        probable = "whenever you stop, you will see which items are probably the best."
        budget = getattr(self.study.search.algorithm, "budget", None)
        if budget is not None:
            left = max(0, budget - self.study.progress.answers)
            given = f"the budget of {_screen.counted(budget, 'vote')} is spent ({left:,} left)"
            return given, f" A budget rarely decides many items for certain; {probable}"
        ahead = self._more()
        clear = "it is clear which ones are best"
        if ahead is None:
            return clear, ""
        more = _screen.about(ahead, "more answer")
        certain = f" {more[0].upper()}{more[1:]} would decide every item;"
        return clear, f"{certain} {probable}"

    def _who(self, answers: int) -> str:
        """A sentence to the voter: who it is, and how many answers there are."""
        so_far = f"{_screen.counted(answers, 'answer')} so far"
        if self.voter is None:
            return f"Voting anonymously (use --voter NAME); {so_far}."
        votes = list(self.study.votes())
        mine = [vote.answer for vote in votes if vote.voter == self.voter]
        if not mine:
            others = {vote.voter for vote in votes if vote.voter}
            alike = [name for name in others if name.casefold() == self.voter.casefold()]
            but = f" (not the same voter as {min(alike)})" if alike else ""
            return f"Welcome, {self.voter}{but}; {so_far}."
        skipped = mine.count("skipped")
        given = _screen.counted(len(mine) - skipped, "answer")
        also = f" and skipped {_screen.counted(skipped, 'pair')}" if skipped else ""
        total = f"{_screen.counted(answers, 'answer')} in all"
        return f"Welcome back, {self.voter}: you have given {given}{also}; {total}."

    @property
    def _legend(self) -> str:
        if sys.stdin.isatty():
            return _KEYS.format("o open  " if self.ballot.has_files else "")
        return _WORDS.format("o open files, " if self.ballot.has_files else "")

    def _say(self, text: str) -> None:
        columns, _ = _screen.room()
        for line in textwrap.wrap(text, columns, break_on_hyphens=False, break_long_words=False):
            _screen.tell(line)

    # -- what to ask -------------------------------------------------------------------------------

    def _left_over(self) -> list[StudyAsk]:
        """The duels that are out as the voter sits down, as far as they suit this voter.

        One was on the screen when the last voter left. If this voter has met the pair before, and
        there is another that is useful and new to this voter, the old one is given up: as long as
        it is out, what is answered after it waits.
        """
        out = list(self.study.outstanding)
        new = [ask for ask in out if pair_of(ask) not in self.met]
        if len(new) == len(out):
            return out
        if not new:
            asked = self._ask_avoiding(self.met)
            if not asked or pair_of(asked[0]) in self.met:
                return [*out, *asked]
            new = asked
        for ask in out:
            if ask not in new:
                self.study.expire(ask, reason=_LEFT)
        return new

    def _ask(self) -> list[StudyAsk]:
        """A new duel: of a pair the voter has not met, or at least not just now."""
        asked = self._ask_avoiding(self.met)
        if self.last is None or not asked or pair_of(asked[0]) != self.last:
            return asked
        if len(self.study.items) == 2:
            return asked
        # The voter has met all useful pairs: another one than the last goes between.
        others = self._ask_avoiding([self.last])
        return sorted((*asked, *others), key=lambda ask: pair_of(ask) == self.last)

    def _ask_avoiding(self, pairs: Iterable[Pair]) -> list[StudyAsk]:
        return self.study.ask(1, avoid=[StudyAsk(0, *pair) for pair in pairs])

    # -- a duel ------------------------------------------------------------------------------------

    def _put(self, ask: StudyAsk) -> Action:
        """Show a duel and wait for a key or word that has a meaning."""
        if ask.decoy is not None:  # to show the item instead would be another duel
            raise ProtocolError(
                f"{self.study.path} asks for a duel with a decoy ({ask.left!r} against "
                f"{ask.right!r}, the one on the {ask.decoy} as its decoy), but only duels between "
                "items can be shown here: show decoys from a program of your own "
                "(antichain.Study)."
            )
        if not self.quiet:
            _screen.tell("")
            _screen.tell(f"[{what_remains(self.study.progress, self._to_come())}]")
        about = "" if ask.criterion is None else f" ({ask.criterion})"
        question = self.ballot.criteria.get(ask.criterion or "", self.ballot.question)
        self._say(f"{question}{about}")
        self._show(ask)
        while not isinstance(action := self.read(), Action) or action is Action.OPEN:
            if action is Action.OPEN:
                self._say(f"     {_exhibits.open_outside(self._files(ask))}")
            else:
                self._say((action and f"{shown(action)} is not one of the keys: ") + self._legend)
        return action

    def _files(self, ask: StudyAsk) -> list[Path]:
        entries = (self.ballot.entry(name) for name in (ask.left, ask.right))
        return [entry.file for entry in entries if entry.file is not None]

    def _show(self, ask: StudyAsk) -> None:
        sides = [self.ballot.entry(name) for name in (ask.left, ask.right)]
        drawn = [False, False]
        box = _exhibits.picture_box(*_screen.room(), _screen.cell(), _OTHER_ROWS)
        if self.pictures is not None and box is not None:
            files = [entry.file for entry in sides]
            sequence, drawn = _exhibits.side_by_side(files, self.pictures, box)
            _screen.draw(sequence)
        for arrow, entry, seen in zip("←→", sides, drawn, strict=True):
            _screen.tell(f"  {arrow}  {entry.name}")
            self._indented(entry.text.splitlines())
            if entry.file is not None and not seen:
                self._show_file(entry.file)

    def _show_file(self, file: Path) -> None:
        text = _exhibits.text_of(file)
        if text is None:
            _screen.tell(f"     {file}")
            return
        lines, whole = text
        _, rows = _screen.room()
        most = max(4, min(_MOST_LINES, (rows - _OTHER_ROWS) // 2))
        if not self._indented(lines, most) or not whole:
            _screen.tell(f"     … (more in {file})")

    def _indented(self, lines: Iterable[str], most: int | None = None) -> bool:
        """Show lines below a name, at most so many; says whether those are all."""
        columns, _ = _screen.room()
        parts = [
            part for line in lines for part in textwrap.wrap(line, max(20, columns - 5)) or [""]
        ]
        while parts and not parts[-1]:
            parts.pop()
        for part in parts[:most]:
            _screen.tell(f"     {part}".rstrip())
        return most is None or len(parts) <= most

    def _answer(self, ask: StudyAsk, action: Action) -> None:
        answer = "skipped" if action is Action.SKIP else action.value
        self.study.tell(ask, answer, voter=self.voter)
        self.last = pair_of(ask)
        self.met[self.last] += 1
        if not self.quiet:
            chosen = {"left": ask.left, "right": ask.right, "incomparable": "cannot compare"}
            _screen.tell(f"     {chosen.get(answer, answer)}")

    def _undo(self, waiting: list[StudyAsk]) -> list[StudyAsk]:
        """The duels to show next: the one whose answer was taken back, then those before."""
        try:
            again = self.study.undo(voter=self.voter)
        except ProtocolError as error:
            self._say(f"     {error}")
            return waiting
        self.met -= Counter([pair_of(again)])
        self.last = None
        _screen.tell("     taken back")
        return [again, *(ask for ask in waiting if ask != again)]
