"""Which names in a log are those of decoys, and of what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from antichain._text import counted, shown
from antichain.errors import InputError
from antichain.sources._chunks import NO_CODE, TextIds, one_line
from antichain.sources._spans import Codes

Decoys = Mapping[str, str] | str
"""The name of each item's decoy, or what a decoy's name has behind that of its item."""


DECOY_SUFFIX = " (decoy)"
"""What follows the name of an item in that of its decoy, by default."""
FILE_SUFFIX = "-decoy"
"""The same in the name of a decoy's file."""
_FOLDER = re.compile(r"^.*[/\\]")
_ENDING = re.compile(r"\.\w{1,8}$")  # of a file's name


class DecoyNaming:
    """Whose decoy a name is, and what an item's decoy is called.

    Args:
        decoys: Which names are decoys. Behind a suffix spaces do not count: with "(decoy)", "Saw
            (decoy)" is the decoy of "Saw" as "Saw(decoy)" is.

    An item's decoy "Saw (decoy)" may also be called as its file is, "Saw-decoy".

    >>> naming = DecoyNaming({"Alien": "Alien, 240p"})
    >>> naming.item_of("Alien, 240p"), naming.item_of("Saw"), naming.decoy_of("Saw")
    ('Alien', None, 'Saw (decoy)')
    """

    def __init__(self, decoys: Decoys) -> None:
        self._suffix, self._names = DECOY_SUFFIX, None
        if isinstance(decoys, str):
            self._suffix = decoys
        else:
            self._names = {one_line(item): one_line(decoy) for item, decoy in decoys.items()}
        self._items = {decoy: item for item, decoy in (self._names or {}).items()}
        for item, decoy in (self._names or {}).items():
            if decoy == item + DECOY_SUFFIX and item + FILE_SUFFIX not in (self._names or ()):
                self._items.setdefault(item + FILE_SUFFIX, item)

    def item_of(self, name: str) -> str | None:
        """The item whose decoy has this name, or None if it is no decoy's."""
        if self._names is not None:
            return self._items.get(name)
        ends = name.endswith(self._suffix)
        return (name.removesuffix(self._suffix).strip() or None) if ends else None

    def knows(self, name: str) -> bool:
        """Whether a name is listed, as that of an item or of a decoy."""
        return self._names is not None and (name in self._names or name in self._items)

    def names(self, item: str) -> bool:
        """Whether the decoy of an item has a given name."""
        return self._names is None or item in self._names

    def decoy_of(self, item: str) -> str:
        return (self._names or {}).get(item, item + self._suffix)


class FileNames:
    """Names of files, without the folders that votes have before them and the decoys have not.

    Only files that are listed lose their folder, so `originals/ode.txt` is the item `ode.txt`.

    Args:
        naming: What items and decoys are called; None if there are no decoys.
    """

    def __init__(self, naming: DecoyNaming | None) -> None:
        self._naming = naming
        self._said: dict[str, str] = {}  # what votes call each listed file

    def name(self, text: str) -> str:
        """What a name is without its folder; an InputError if two files would have one name."""
        bare = _FOLDER.sub("", text)
        if self._naming is None or not _ENDING.search(bare):
            return text
        if not self._naming.knows(bare) or (text != bare and self._naming.knows(text)):
            return text
        said = self._said.setdefault(bare, text)
        if said != text:
            raise InputError(
                f"the votes have both {shown(said)} and {shown(text)}, but for the decoys one file "
                f"{shown(bare)} was expected (name items and decoys with their folders in the file "
                "that --decoys gives)"
            )
        return bare

    def notes(self) -> list[str]:
        """A sentence on names that lost their folders, if any did."""
        lost = [text for bare, text in self._said.items() if text != bare]
        if not lost:
            return []
        more = f" (and {counted(len(lost) - 1, 'other')})" if len(lost) > 1 else ""
        bare = _FOLDER.sub("", lost[0])
        return [f"read {shown(lost[0])} as {shown(bare)}{more}: decoys have no folders"]


class DecoyNames:
    """The names of decoys among the names of a log, by number.

    Args:
        decoys: Which names are decoys; None if no name is.
        names: All names seen so far; items whose decoy is seen are added.
    """

    def __init__(self, decoys: Decoys | None, names: TextIds) -> None:
        self._decoys, self._names = decoys, names
        self._naming = None if decoys is None else DecoyNaming(decoys)
        self._found: dict[int, int] = {}

    def learn(self, text: str, code: int) -> None:
        item = None if self._naming is None else self._naming.item_of(text)
        if item is not None:
            self._found[code] = self._names.code(item)

    def notes(self) -> list[str]:
        """A sentence on decoys of which the log names none."""
        if self._decoys is None or self._found:
            return []
        if isinstance(self._decoys, str):
            what = f"no name ends with {shown(self._decoys)}"
        else:
            example = next(iter(self._decoys.values()), "")
            what = f"no vote names any of the decoys given, such as {shown(example)}"
        return [f"{what}, so every name was read as that of an item"]

    def originals(self, codes: Codes) -> Codes:
        """The number of the item behind each decoy, −1 for a name that is no decoy's."""
        if not self._found:
            return np.full(codes.shape, NO_CODE, np.int32)
        behind = np.full(len(self._names), NO_CODE, np.int32)
        behind[list(self._found)] = list(self._found.values())
        return np.where(codes >= 0, behind[codes], NO_CODE).astype(np.int32)


def supplied_decoys(items: Iterable[str], decoys: Mapping[str, str]) -> dict[str, str]:
    """The decoy of each item, once it is known that each has one of its own.

    Args:
        items: The items' names.
        decoys: For each of them the name of its decoy.

    >>> supplied_decoys(["Alien"], {"Alien": "Alien, 240p"})
    {'Alien': 'Alien, 240p'}
    """
    if not isinstance(decoys, Mapping):
        raise InputError(
            f"decoys are given as {type(decoys).__name__}, but a mapping from each item's name to "
            "its decoy's was expected."
        )
    names = dict.fromkeys(items)  # in their order, and quick to look in
    owner: dict[str, str] = {}
    for item in names:
        decoy = decoys.get(item)
        if not isinstance(decoy, str) or not decoy.strip():
            raise InputError(
                f"{item!r} has the decoy {decoy!r}, but the name of a decoy was expected."
            )
        if decoy in names:
            raise InputError(
                f"{item!r} has the decoy {decoy!r}, which is an item, but another name was "
                "expected."
            )
        if decoy in owner:
            raise InputError(
                f"{decoy!r} is the decoy of {owner[decoy]!r} and of {item!r}, but each item needs "
                "a decoy of its own."
            )
        owner[decoy] = item
    for item in decoys:
        if item not in names:
            raise InputError(f"a decoy is given for {item!r}, which is not among the items.")
    return {item: decoys[item] for item in names}
