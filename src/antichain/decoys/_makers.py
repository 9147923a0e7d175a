"""Degraded versions of files: the makers, whole folders of them, and the manifest that lists them.

A manifest is JSON::

    {"format": "antichain-decoys", "version": 1,
     "kind": "image", "how": "blur", "strength": 0.3, "seed": 0,
     "decoys": [{"item": "alien", "decoy": "alien (decoy)", "file": "alien-decoy.jpg",
                 "original": "alien.png"}]}

For decoys made by hand, a manifest needs only `decoys`, with an `item` and a `decoy` each. Votes
may name items and decoys as the manifest does, or by their files: without the extension, or with it
and perhaps with a folder before it.
"""

from __future__ import annotations

import operator
import unicodedata
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antichain import _checks, _files
from antichain._text import refusal, shown_json
from antichain.errors import FileError, InputError, ParameterError
from antichain.votes._decoy_names import DECOY_SUFFIX, FILE_SUFFIX, DecoyNaming, supplied_decoys

if TYPE_CHECKING:
    from numpy.random import Generator

# Each of these modules has a list MAKERS; it is imported when a maker is asked for.
_MODULES = ("_images", "_texts", "_audio")


@dataclass(frozen=True)
class Maker:
    """One way of making files of one kind worse.

    Attributes:
        kind: What it works on: "image", "text" or "audio".
        how: What it does, such as "blur".
        read: Turns the content of a file into what `work` takes; raises `InputError` for content
            that is not of this kind.
        work: Makes that worse, by a strength from 0 to 1; all randomness comes from the given
            generator.
        write: Turns the result back into the content of a file.
        suffix: The extension of the files it writes; None to keep that of the original.
        same: Tells whether what `work` takes and what it returns look the same.
        too_short: A function that says why no strength changes what `work` takes, or returns None
            if some strength does. Leave it as None if some strength always does.
    """

    kind: str
    how: str
    read: Callable[[bytes], Any]
    work: Callable[[Any, float, Generator], Any]
    write: Callable[[Any], bytes]
    suffix: str | None = None
    same: Callable[[Any, Any], bool] = operator.eq
    too_short: Callable[[Any], str | None] | None = None

    def degrade(self, item: bytes, strength: float, seed: int = 0) -> bytes:
        """Return the content `item` of a file, made worse.

        The same item, strength and seed give the same result. Strength 0 changes nothing, and
        with one seed a greater strength takes away at least as much as a smaller one.

        Args:
            item: The content of a file of this maker's kind.
            strength: How much worse, from 0 (not at all) to 1 (as bad as this maker can make it).
            seed: Decides what is left to chance (which sentences go, what the noise is).
        """
        return self._degraded(item, strength, seed)[0]

    def made_worse(self, item: bytes, strength: float, seed: int = 0) -> bytes:
        """Do as `degrade` does, but raise `InputError` if the result looks like the item."""
        worse, same = self._degraded(item, strength, seed)
        if same and strength:
            raise InputError(self._why_same(self.read(item), strength))
        return worse

    def _why_same(self, content: Any, strength: float) -> str:
        """A sentence about content that stays as it is, and what leads on."""
        reason = self._unchangeable(content)
        others = [
            maker.how
            for maker in _makers()
            if (maker.kind, maker.how) != (self.kind, self.how)
            and maker.kind == self.kind
            and maker._unchangeable(content) is None
        ]
        ways = [f"use {_any_of(others)}"] if others else []
        if reason is None:
            reason = (
                f"{self.how!r} with strength {strength:g} leaves it unchanged, but a worse version "
                "was expected"
            )
            ways = ["give a greater strength"] * (strength < 1) + ways
        return f"{reason}; {', or '.join(ways) or 'give more content'}"

    def _unchangeable(self, content: Any) -> str | None:
        return None if self.too_short is None else self.too_short(content)

    def _degraded(self, item: bytes, strength: float, seed: int) -> tuple[bytes, bool]:
        """The content made worse, and whether it cannot be told from the original."""
        import numpy as np

        checked_strength(strength)
        if not isinstance(item, bytes):
            raise ParameterError(
                f"an item to degrade is given as {type(item).__name__}, but the content of a file "
                "(bytes) was expected."
            )
        rng = np.random.default_rng(_checks.whole("seed", seed, least=0))
        before = self.read(item)
        after = self.work(before, float(strength), rng)
        # Reading and writing alone may change a file, so at strength 0 the original is returned.
        return self.write(after) if strength else item, self.same(before, after)


def checked_strength(strength: float) -> float:
    if (
        isinstance(strength, bool)
        or not isinstance(strength, int | float)
        or not 0 <= strength <= 1
    ):
        raise ParameterError(f"--strength is {strength!r}, but a number from 0 to 1 was expected.")
    return strength


def _makers() -> list[Maker]:
    modules = (import_module(f"antichain.decoys.{name}") for name in _MODULES)
    return [maker for module in modules for maker in module.MAKERS]


def kinds() -> dict[str, tuple[str, ...]]:
    """Return the ways to degrade each kind of item."""
    found: dict[str, tuple[str, ...]] = {}
    for maker in _makers():
        found[maker.kind] = (*found.get(maker.kind, ()), maker.how)
    return found


def maker_of(kind: str, how: str) -> Maker:
    """Return the maker that degrades items of this kind in this way.

    >>> maker_of("text", "truncate").degrade(b"One two. Three four.", strength=0.5)
    b'One two.'
    """
    known = kinds()
    if not isinstance(kind, str) or kind not in known:
        raise ParameterError(f"--kind is {kind!r}, but {_any_of(known)} was expected.")
    for maker in _makers():
        if (maker.kind, maker.how) == (kind, how):
            return maker
    raise ParameterError(f"--how is {how!r}, but for {kind} {_any_of(known[kind])} was expected.")


def _any_of(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


FORMAT = "antichain-decoys"
VERSION = 1
FILE_NAME = "decoys.json"


@dataclass(frozen=True)
class Manifest:
    """Which decoy belongs to which item, and how they were made.

    Attributes:
        decoys: The name of each item's decoy.
        files: The file of each item's decoy, if there is one.
        originals: The file of each item, if there is one.
        made: How the decoys were made (kind, how, strength, seed), if known.
    """

    decoys: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    originals: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_any_name(self) -> dict[str, str]:
        """Each item's decoy, by their names and by their files: votes may use either."""
        found = dict(self.decoys)
        for item in self.files:
            original, file = self._files_of(item)
            if not {original, file} & {*self.decoys, *self.decoys.values()}:
                found[original] = file
        return found

    def named_in(self, votes: Collection[str]) -> dict[str, str]:
        """Each item's decoy by its name in the votes; `votes` holds all names that occur there.

        An item of which no decoy occurs is called as the votes call the others.
        """
        naming, seen = DecoyNaming(self.decoys), set(votes)
        called = {item: name for name in votes if (item := naming.item_of(name)) is not None}
        files = {item: self._files_of(item) for item in self.decoys}
        all_by_file = not called and any(file in seen for _, file in files.values())
        all_by_stem = bool(called) and all(name == i + FILE_SUFFIX for i, name in called.items())
        found = {}
        for item, decoy in self.decoys.items():
            original, file = files[item]
            by_file = all_by_file or original in seen
            if item not in called and (file in seen or (by_file and item not in seen)):
                found[original] = file
            elif all_by_stem and item not in called and decoy == item + DECOY_SUFFIX:
                found[item] = item + FILE_SUFFIX
            else:
                found[item] = decoy if decoy in seen else called.get(item, decoy)
        return found

    def _files_of(self, item: str) -> tuple[str, str]:
        file = self.files.get(item, self.decoys[item])
        return self.originals.get(item, item + Path(file).suffix), file

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as plain data, as its file holds it."""
        entries = []
        for item, decoy in self.decoys.items():
            entry = {"item": item, "decoy": decoy}
            if item in self.files:
                entry["file"] = self.files[item]
            if item in self.originals:
                entry["original"] = self.originals[item]
            entries.append(entry)
        return {"format": FORMAT, "version": VERSION, **self.made, "decoys": entries}


def make_decoys(
    originals: Sequence[str | Path],
    kind: str,
    how: str,
    strength: float,
    folder: str | Path,
    seed: int = 0,
    force: bool = False,
) -> Manifest:
    """Write degraded versions of files, and a manifest of them, to a folder.

    Each item is named after its file, without the extension. The manifest is written last, so a
    folder without one is incomplete. If a degraded version does not differ from its original, an
    error is raised, and what was written so far is removed, new folders too.

    Args:
        originals: The files; a folder stands for the files in it, without decoys.json and the
            decoys that it lists.
        kind: What they are: "image", "text" or "audio".
        how: How to degrade them; see `kinds`.
        strength: How strongly, from 0 to 1; 0 copies the files as they are.
        folder: Where the decoys go; it is created if it does not exist.
        seed: The seed of random choices, which are independent for each item.
        force: Whether to replace existing files.

    Returns:
        The manifest.
    """
    maker = maker_of(kind, how)
    checked_strength(strength)
    seed = _checks.whole("seed", seed, least=0)
    paths = [path for original in originals for path in _files_at(Path(original))]
    targets = _targets(paths, maker, strength, Path(folder))
    decoys = supplied_decoys(targets, {item: item + DECOY_SUFFIX for item in targets})
    manifest = Manifest(
        decoys,
        {item: target.name for item, target in targets.items()},
        {"kind": kind, "how": how, "strength": strength, "seed": seed},
        {item: path.name for item, path in zip(targets, paths, strict=True)},
    )
    new: list[Path] = []  # files that this call has made, where none was before
    made = _make_folder(Path(folder))
    try:
        _files.check_targets([*targets.values(), Path(folder) / FILE_NAME], force, paths)
        for path, (item, target) in zip(paths, targets.items(), strict=True):
            worse = _degraded(path, maker, strength, _seed_of(seed, item))
            was_there = target.exists()
            _files.write_bytes(target, worse, force)
            new += [] if was_there else [target]
        _files.write_json(Path(folder) / FILE_NAME, manifest.to_dict(), force)
    except BaseException:
        for target in new:
            with suppress(OSError):
                target.unlink()
        with suppress(OSError):
            for inner in made:
                inner.rmdir()
        raise
    return manifest


def _files_at(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder by name, without hidden ones and decoys."""
    try:
        if not path.is_dir():
            return [path]
        found = sorted(inner for inner in path.iterdir() if inner.is_file())
    except OSError as error:
        raise FileError(f"cannot read {path}: {refusal(error)}") from error
    found = [inner for inner in found if not inner.name.startswith(".")]
    what = "no files"
    if path / FILE_NAME in found:  # decoys made there before are no items
        made, what = read_manifest(path / FILE_NAME), "only decoys"
        files, names = {FILE_NAME, *made.files.values()}, {*made.decoys.values()}
        found = [inner for inner in found if inner.name not in files and inner.stem not in names]
    if not found:
        raise InputError(f"the folder {path} holds {what}, but files to degrade were expected.")
    return found


def _targets(paths: Iterable[Path], maker: Maker, strength: float, folder: Path) -> dict[str, Path]:
    sources: dict[str, Path] = {}
    for path in paths:
        _files.check_new_name(repr(str(path)), path.stem)
        if path.stem in sources:
            raise InputError(
                f"{sources[path.stem]} and {path} would both be the item {path.stem!r}, but files "
                "with different names were expected; rename one of them."
            )
        sources[path.stem] = path
    if not sources:
        raise InputError("no files were given, but at least one to degrade was expected.")
    targets: dict[str, Path] = {}
    known: dict[str, Path] = {}
    for item, path in sources.items():
        ending = path.suffix if maker.suffix is None or not strength else maker.suffix
        targets[item] = folder / f"{item}{FILE_SUFFIX}{ending}"
        plain = unicodedata.normalize("NFC", targets[item].name.casefold())
        other = known.setdefault(plain, path)
        if other is not path:  # on Windows and macOS the two decoys would be one file
            raise InputError(
                f"the decoys of {other} and {path} would have names that differ only in case or "
                "Unicode form, but different names were expected; rename one of the two."
            )
    return targets


def _make_folder(folder: Path) -> list[Path]:
    """Make the folder if there is none, and return all folders made, the innermost first."""
    try:
        new = [inner for inner in (folder, *folder.parents) if not inner.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot make the folder {folder}: {refusal(error)}") from error
    return new


def _degraded(path: Path, maker: Maker, strength: float, seed: int) -> bytes:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {refusal(error)}") from error
    try:
        return maker.made_worse(content, strength, seed)
    except InputError as error:
        raise FileError(f"cannot degrade {path}: {error}") from error


def _seed_of(seed: int, item: str) -> int:
    """Return a seed for one item, so that adding a file changes no other file's decoy."""
    return (seed << 32) | zlib.crc32(item.encode("utf-8", "surrogateescape"))


def read_manifest(path: str | Path) -> Manifest:
    """Read a manifest and check that every item has one decoy, which no other item shares."""
    try:
        document = _files.read_json(path)
    except FileError as error:
        if not _files.is_other_than_json(error):
            raise
        raise FileError(
            f"{path} is not a list of decoys, but a JSON file was expected, such as the "
            f"{FILE_NAME} that antichain decoys make writes"
        ) from error
    if not isinstance(document, dict) or not (
        "decoys" in document or document.get("format") == FORMAT
    ):
        raise FileError(f'{_files.other_format(path, document, FORMAT)}, with a list "decoys"')
    entries = document.get("decoys")
    if not isinstance(entries, list) or not entries:
        raise FileError(
            f'{path} has {shown_json(entries)} as its "decoys", but a list of items with their '
            "decoys was expected"
        )
    if document.get("format", FORMAT) != FORMAT or document.get("version", 1) != VERSION:
        raise FileError(
            f"{path} has the format {document.get('format')!r} in version "
            f"{document.get('version')!r}, but {FORMAT!r} in version {VERSION} was expected"
        )
    decoys: dict[str, str] = {}
    places: dict[str, str] = {}
    originals: dict[str, str] = {}
    for n, entry in enumerate(entries, start=1):
        match entry:
            case {"item": str(item), "decoy": str(decoy)} if item.strip():
                pass
            case _:
                raise FileError(
                    f'{path}, decoy {n} is {entry!r}, but an object with the texts "item" and '
                    '"decoy" was expected'
                )
        if item in decoys:
            raise FileError(
                f"{path}, decoy {n} belongs to {item!r}, which already has one, but one decoy per "
                "item was expected"
            )
        decoys[item] = decoy
        if isinstance(entry.get("file"), str):
            places[item] = entry["file"]
        if isinstance(entry.get("original"), str):
            originals[item] = entry["original"]
    try:
        supplied_decoys(decoys, decoys)
    except InputError as error:
        raise FileError(f"{path}: {error}") from error
    made = {key: document[key] for key in ("kind", "how", "strength", "seed") if key in document}
    return Manifest(decoys, places, made, originals)
