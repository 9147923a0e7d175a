"""What the cells of a table say, where apostrophes stand before what looks like a formula."""

from __future__ import annotations

from collections.abc import Iterable

from antichain._cells import is_formula, unescaped
from antichain._files import is_one_line
from antichain._option_names import option
from antichain._text import IF_THE_SAME, counted, fold_key, folded_alikes, nearest, shown
from antichain._text import names as listed
from antichain.errors import InputError
from antichain.sources._chunks import Text, TextIds
from antichain.votes._decoy_names import DecoyNaming, FileNames
from antichain.votes._read_options import ReadOptions

_MOST_NAMED = 5  # given items that no row mentions
_MOST_SEARCHED = 5_000  # names among which a misspelt one is looked for


class CellTexts:
    """Takes away the apostrophes that tables of our own have, and no others.

    The export of a study announces them: then one goes from every text that has one. The rows of a
    sheet of duels to ask may have been appended to any delimited text: there it goes from a formula
    that names an item which the log has already, or its decoy, and a note says so.

    Args:
        announced: Whether the log is an export that announces apostrophes.
        delimited: Whether rows of a sheet may have been appended to the log.
        options: How the log is read.
        names: All names seen so far, which are none; the given items are added.
    """

    def __init__(
        self, announced: bool, delimited: bool, options: ReadOptions, names: TextIds
    ) -> None:
        self._announced, self._delimited, self._names = announced, delimited, names
        decoys = options.named_decoys if options.decoys is None else options.decoys
        self._naming = None if decoys is None else DecoyNaming(decoys)
        self._files = FileNames(self._naming)
        names.codes(map(self._files.name, options.items or ()))
        self._beside: frozenset[Text | None] = frozenset()
        self._bared: dict[str, None] = {}  # what was found behind apostrophes of sheets
        self._kept: dict[str, None] = {}  # names with an apostrophe that may be of our making
        # The spelling that stands for all that differ by case, spaces or punctuation alone.
        given: dict[str, str] = {fold_key(name): name for name in names.texts}
        self._folded = given if options.fold else None
        self._given = tuple(names.texts)
        self._met: set[str] = set()  # the names in the log, where items are given
        self._spellings: dict[str, set[str]] = {}  # of names that were not given, by what is kept

    def look_at(self, beside: Iterable[Text]) -> None:
        """Take note of texts that are about to be read as names."""
        self._beside = frozenset(beside)

    def plain(self, text: str) -> str:
        """What a cell says that names no item."""
        return unescaped(text) if self._announced else text

    def name(self, text: str) -> str:
        """What a cell says that names an item."""
        text = self._files.name(self._unescaped(text))
        if self._folded is not None and is_one_line(text):
            kept = self._folded.setdefault(fold_key(text), text)
            self._spellings.setdefault(kept, {kept}).add(text)
            text = kept
        if self._given:
            self._met.add(text)
        return text

    def settle_spellings(self, given: int) -> None:
        """Give folded names the spelling that sorts first, whatever came first in the log.

        Capitals do, as people like names. The first names, so many as were given, stay.
        """
        for code, name in enumerate(self._names.texts[given:], start=given):
            self._names.texts[code] = min(self._spellings.get(name, {name}))

    def _unescaped(self, text: str) -> str:
        bare = unescaped(text)
        if self._announced or bare == text:
            return bare
        if self._delimited and is_formula(bare) and self._is_known(bare):
            self._bared[bare] = None
            return bare
        if is_formula(bare):
            self._kept.setdefault(text)
        return text

    def _is_known(self, bare: str) -> bool:
        item = None if self._naming is None else self._naming.item_of(bare)
        return any(name in self._names or name in self._beside for name in (bare, item))

    def check_met(self, label: str) -> None:
        """Raise if rows of the log that is called so name items, but none of those given."""
        if self._met and self._met.isdisjoint(self._given):
            raise InputError(
                f"{label} mentions none of {listed([*map(shown, self._given)], _MOST_NAMED)}, but "
                "at least one of the items that --items names was expected"
            )

    def on_unmet(self) -> list[str]:
        """A sentence on the given items that no row mentions, unless there is none at all."""
        unmet = [name for name in self._given if name not in self._met]
        if not unmet or not self._met:
            return []
        searched = self._met if len(self._met) <= _MOST_SEARCHED else ()
        said, end = [], ""
        for name in unmet[:_MOST_NAMED]:
            said.append(shown(name))
            if meant := nearest(name, searched):
                said[-1] += f" (did you mean {shown(meant)}?)"
                end = f". {IF_THE_SAME}"
        said += unmet[_MOST_NAMED:]
        return [f"no row mentions {listed(said, _MOST_NAMED)}, given by {option('items')}{end}"]

    def notes(self, items: Iterable[str]) -> list[str]:
        """What there is to say about the names of the log's items, in sentences."""
        found = self._files.notes()
        if self._bared:
            first = next(iter(self._bared))
            more = (
                f" (and {counted(len(self._bared) - 1, 'other')})" if len(self._bared) > 1 else ""
            )
            cell = shown("'" + first)
            found.append(
                f"read {cell} as {shown(first)}{more}: sheets of duels to ask put an apostrophe "
                "before text that a spreadsheet would take for a formula"
            )
        items = dict.fromkeys(items)
        if kept := [name for name in self._kept if name in items]:
            found.append(
                f"{shown(kept[0])} keeps its apostrophe: if these votes are a study's export, it "
                "has lost its column 'escape', without which apostrophes are part of names"
            )
        merged = [
            f"{shown(other)} as {shown(name)}"
            for kept, spellings in self._spellings.items()
            for name in [kept if kept in items else min(spellings)]
            for other in sorted(spellings - {name})
            if name in items
        ]
        if merged:
            found.append(
                f"merged names that differ only by case, spaces or punctuation: {listed(merged)}"
            )
        alike = folded_alikes(items, option("fold"))
        return found if alike is None else [*found, alike]
