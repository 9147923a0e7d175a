"""Reading and writing files: whole or not at all, never over another file unasked.

A poset file is JSON::

    {"format": "antichain-poset", "version": 1,
     "items": ["a", "b"],
     "relations": [["a", "b", 0.2]],
     "meta": {}}

`["a", "b", 0.2]` says that a is above b and wins a duel with probability 1/2 + 0.2. The
relations are closed transitively: every pair that follows from others is listed with its gap.
"""

import json
import os
import re
import secrets
import stat
import sys
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from antichain import _disks
from antichain._journal import check_ordinary
from antichain._limits import (
    DOCUMENT_BYTES,
    DOCUMENT_VALUES,
    POSET_ITEMS,
    POSET_RELATIONS,
    SMALLEST,
    TOML_BYTES,
    megabytes,
)
from antichain._no_texts import why_not_utf8
from antichain._option_names import call_on
from antichain._own_formats import described, form_of, read_by
from antichain._text import printable, refusal, shown_json
from antichain.errors import FileError, OrderError, ParameterError

if TYPE_CHECKING:
    from antichain.orders import DuelModel

POSET_FORMAT = "antichain-poset"
POSET_VERSION = 1
_BEGINNING = 200  # bytes of a file, by which its kind is told

# Control characters, line separators and halves of surrogate pairs break a table or a drawing.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

Relation = tuple[str, str, float]
Readable = str | Path | int
"""A file to read: its path, or the number of a stream that is open."""


def check_targets(
    targets: Iterable[str | Path | None], force: bool, inputs: Iterable[Readable | None] = ()
) -> None:
    """Raise about a file that may not be written, is one of those to read, or is named twice.

    Args:
        targets: The files to write; None stands for one that is not wanted.
        force: Whether they may replace others, but never those to read.
        inputs: The files to read; None stands for one that is not given.
    """
    wanted = [target for target in targets if target is not None]
    read = [path for path in inputs if path is not None]
    for target in wanted:
        if any(_is_same(target, path) for path in read):
            raise FileError(
                f"{target} is also one of the input files: write to another file (not even --force "
                "replaces an input)"
            )
    if len({check_target(target, force) for target in wanted}) < len(wanted):
        raise ParameterError("two outputs name the same file, but each needs a file of its own")


def _is_same(target: str | Path, path: Readable) -> bool:
    """Whether two names are those of one file, links followed."""
    try:
        return os.path.samefile(target, path)
    except (OSError, ValueError):  # one of them is no file, as will be said in its own place
        return False


def check_target(path: str | Path, force: bool) -> Path:
    """The file that `path` names, links followed; raises if it may not be written."""
    target = Path(path)
    try:
        if target.exists():
            check_ordinary("write", target, target.stat().st_mode)
            if not force:
                raise FileError(_in_the_way(target))
        target = Path(os.path.realpath(target))
        if not target.parent.is_dir():
            raise FileError(f"cannot write {path}: there is no directory {target.parent}")
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {path}: {refusal(error)}") from error
    return target


def _in_the_way(path: str | Path) -> str:
    return f"{path} already exists: give another name, or use --force to replace it"


def write_bytes(path: str | Path, content: bytes | Iterable[bytes], force: bool = False) -> None:
    """Write `content`, whole or in blocks, so that the file is complete or untouched."""
    target = check_target(path, force)
    draft = target.with_name(f".{target.name[:60]}.{secrets.token_hex(8)}.tmp")
    # What replaces a private file is private from its first byte on.
    mode = 0o600 if target.exists() else 0o666
    try:
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
            stream.writelines([content] if isinstance(content, bytes) else content)
            stream.flush()
            keep_rights(stream.fileno(), target)
            _disks.sync(stream.fileno())
        _publish(draft, target, force)
    except FileExistsError as error:
        raise FileError(_in_the_way(path)) from error
    except OSError as error:
        raise FileError(f"cannot write {path}: {refusal(error)}") from error
    finally:
        with suppress(OSError):  # on a read-only disk even this fails
            draft.unlink()


def keep_rights(descriptor: int, target: Path) -> None:
    """Give a file that is to replace `target` its owner, group and mode, as far as permitted."""
    try:
        old = target.stat()
    except OSError:
        return  # there is nothing to replace: the file keeps what new files get
    mode = stat.S_IMODE(old.st_mode) & 0o777
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.fchown(descriptor, -1, old.st_gid)
    with suppress(OSError):
        os.fchown(descriptor, old.st_uid, -1)
    if os.fstat(descriptor).st_gid != old.st_gid:
        mode = mode & ~0o070 | (mode & 0o007) << 3  # another group may do no more than anybody
    os.fchmod(descriptor, mode)


def _publish(draft: Path, target: Path, force: bool) -> None:
    """Give the finished draft its name; by force even if a file appeared there meanwhile."""
    if not force:
        try:
            os.link(draft, target)
            return
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the check came a moment ago
            if target.exists():
                raise FileExistsError from None
    os.replace(draft, target)


def write_json(path: str | Path, document: Mapping[str, object], force: bool = False) -> None:
    # The name of a file may hold bytes that are not UTF-8; so written, they are escapes of JSON.
    write_bytes(path, json_text(document).encode(errors="backslashreplace"), force)


def json_text(document: Mapping[str, object]) -> str:
    """`document` as JSON: one line per key, and one per entry of a list of lists or objects."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], list | tuple | dict):
            entries = ",\n  ".join(_compact(entry) for entry in value)
            lines.append(f"{_compact(key)}: [\n  {entries}\n ]")
        else:
            lines.append(f"{_compact(key)}: {_compact(value)}")
    return "{" + ",\n ".join(lines) + "}\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read_json(path: str | Path) -> object:
    """What the JSON file at `path` holds; NaN, infinities and keys given twice are refused."""
    text = read_text(Path(path), DOCUMENT_BYTES, "a smaller document")
    if not text.strip():
        raise FileError(f"{path} is empty, but JSON was expected")
    return json_from(text, str(path))


def is_other_than_json(error: FileError) -> bool:
    """Whether `read_json` refused a file that is no JSON object at all, not one with a mistake."""
    cause = error.__cause__
    if not isinstance(cause, json.JSONDecodeError):
        return isinstance(cause, UnicodeDecodeError)
    return cause.msg == "Extra data" or not cause.doc.lstrip().startswith("{")


def json_from(text: str, where: object, *, constants: bool = False) -> Any:
    """What a JSON text holds; NaN, infinities and keys given twice are refused.

    Args:
        text: The text.
        where: What holds it, as errors begin.
        constants: Whether NaN and infinities are read, as Python writes them.
    """
    # Values take far more memory than their text: `[[],[],…` more than twenty times as much.
    values = sum(map(text.count, ",[{"))
    if values > DOCUMENT_VALUES:
        raise FileError(
            f"{where} has {values:,} values, but at most {DOCUMENT_VALUES:,} were expected"
        )
    try:
        refuse = None if constants else _refuse_constant
        return json.loads(text, parse_constant=refuse, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        known = read_by(where, text[:200]) if error.msg == "Extra data" else None
        if known is not None:  # a journal, with an object per line
            raise FileError(f"{known}, but one JSON document was expected") from error
        place = f"line {error.lineno}, column {error.colno}"
        raise FileError(f"{where} is not valid JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise FileError(
            f"{where} is nested too deeply to be read, but a flat document was expected"
        ) from error
    except ValueError as error:
        raise FileError(f"{where} is not valid JSON: {json_reason(error)}") from error
    except MemoryError as error:
        raise FileError(f"there is not enough memory to read {where}") from error


def read_toml(path: str | Path) -> dict[str, Any]:
    """What the TOML file at `path` holds."""
    return parse_toml(path, read_text(Path(path), TOML_BYTES, "a smaller document"))


def parse_toml(path: str | Path, text: str) -> dict[str, Any]:
    """What the TOML holds that was read from `path`."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise FileError(
            f"{path} is nested too deeply to be read, but a flat document was expected"
        ) from error
    except ValueError as error:  # not TOML, a number too long, or a date that does not exist
        raise FileError(f"{path} is not TOML: {json_reason(error)}") from error


def read_text(path: Path, most: int, wanted: str) -> str:
    """The text of a file, which may be a device that never ends, of at most that many bytes."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(most + 1)
        if len(content) > most:
            raise FileError(f"{path} is larger than {megabytes(most)}, but {wanted} was expected")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(why_not_utf8(path, content, error.start)) from error
    except MemoryError as error:
        raise FileError(f"there is not enough memory to read {path}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot read {path}: {refusal(error)}") from error


def json_reason(error: ValueError) -> str:
    """Why a text is no JSON or TOML that can be read, in words."""
    if "int_max_str_digits" in str(error):
        return "a number has thousands of digits"
    return str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, but only finite numbers are allowed")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} is given twice")
        found[key] = value
    return found


def write_poset(
    path: str | Path,
    model: "DuelModel",
    meta: Mapping[str, object] | None = None,
    force: bool = False,
) -> None:
    relations = int(model.poset.above.sum())
    check_poset_size(path, model.size, relations)  # before anything of that size is made
    write_json(path, poset_document(model, meta), force)


def poset_document(
    model: "DuelModel", meta: Mapping[str, object] | None = None
) -> dict[str, object]:
    """`model` in the form of a poset file: every pair of the closed order, with its gap."""
    return {
        "format": POSET_FORMAT,
        "version": POSET_VERSION,
        "items": list(model.items),
        "relations": [list(relation) for relation in model.relations()],
        "meta": dict(meta or {}),
    }


def read_poset(path: str | Path) -> "DuelModel":
    """The duel model in the poset file at `path`; an error says where the file goes wrong.

    A file written by hand may leave out `format`, `version` and `meta`, and `items` when every
    item occurs in a relation.
    """
    try:
        document = read_json(path)
    except FileError as error:
        if isinstance(error.__cause__, json.JSONDecodeError):
            check_begins_as_poset(path)
        raise
    if not isinstance(document, dict):
        raise FileError(
            f"{path} holds {_kind(document)}, but an object with items and relations was expected"
        )
    _check_format(path, document)
    relations = _relations(path, document)
    items = _items(path, document, relations)
    from antichain.orders import DuelModel

    try:
        return DuelModel.from_relations(relations, items)
    except OrderError as error:
        raise OrderError(f"{path}: {error}") from error
    except MemoryError as error:
        raise FileError(
            f"there is not enough memory for the {len(items):,} items and {len(relations):,} "
            f"relations of {path}"
        ) from error


def check_begins_as_poset(path: str | Path) -> None:
    """Raise about a file that is none with a poset, as far as its beginning tells."""
    if not os.path.isfile(path):
        return  # what is read of a pipe is gone
    try:
        with open(path, "rb") as stream:
            start = stream.read(_BEGINNING).decode("utf-8-sig", "replace")
    except OSError as error:
        raise FileError(f"cannot read {path}: {refusal(error)}") from error
    form = form_of(start)
    if form not in (None, POSET_FORMAT):
        raise FileError(other_format(path, {"format": form}, POSET_FORMAT))
    if start.strip() and not start.lstrip().startswith("{"):
        votes = f"if it holds votes: {call_on(path, 'front', 'front')}"
        raise FileError(
            f"{path} is not {described(POSET_FORMAT)}, but one was expected, as antichain "
            f"generate writes it ({votes})"
        )


def other_format(path: str | Path, document: object, wanted: str) -> str:
    """A sentence about a document that is not of the wanted format, and what reads it."""
    form = document.get("format") if isinstance(document, dict) else None
    begun = {"format": form} if form is not None else document
    known = read_by(path, json.dumps(begun, default=str)[:200])
    if known is None and form is not None:
        known = f"{path} has the format {form!r}"
    other = known or f"{path} is not {described(wanted)}"
    return f"{other}, but the format {wanted!r} was expected"


def _check_format(path: str | Path, document: Mapping[str, object]) -> None:
    form = document.get("format", POSET_FORMAT)
    if form != POSET_FORMAT:
        raise FileError(other_format(path, document, POSET_FORMAT))
    version = document.get("version", POSET_VERSION)
    if type(version) is not int or version < 1:
        raise FileError(f"{path} has the version {version!r}, but a whole number was expected")
    if version > POSET_VERSION:
        raise FileError(
            f"{path} has version {version} of the poset format, but at most {POSET_VERSION} was "
            "expected: a newer antichain is needed"
        )
    if "items" not in document and "relations" not in document:
        raise FileError(f"{path} has neither items nor relations, but a poset was expected")


def _relations(path: str | Path, document: Mapping[str, object]) -> list[Relation]:
    entries = document.get("relations", [])
    if not isinstance(entries, list):
        raise FileError(f"{path}: relations is {_kind(entries)}, but a list was expected")
    check_poset_size(path, relations=len(entries))
    first: dict[tuple[str, str], int] = {}
    names: set[str] = set()  # that are good: the same few stand in very many relations
    relations = []
    for n, entry in enumerate(entries, start=1):
        where = f"{path}, relation {n}"
        upper, lower, gap = _relation(where, entry)
        for name in {upper, lower} - names:
            check_name(where, name)
            names.add(name)
        if first.setdefault((upper, lower), n) != n:
            raise OrderError(
                f"{where} puts {upper!r} above {lower!r}, as relation {first[upper, lower]} "
                "does already"
            )
        relations.append((upper, lower, gap))
    return relations


def _relation(where: str, entry: object) -> Relation:
    match entry:
        case [str(upper), str(lower), int() | float() as gap] if not isinstance(gap, bool):
            pass
        case _:
            said = shown_json(entry)
            raise FileError(f'{where} is {said}, but ["upper", "lower", gap] was expected')
    if not SMALLEST <= gap < 0.5:
        least = f", of at least {SMALLEST:g}," if 0 < gap < SMALLEST else ""
        raise OrderError(
            f"{where} puts {upper!r} above {lower!r} with gap {shown_json(gap)}, "
            f"but a gap strictly between 0 and 1/2{least} was expected"
        )
    return upper, lower, float(gap)


def _items(
    path: str | Path, document: Mapping[str, object], relations: Iterable[Relation]
) -> list[str]:
    if "items" not in document:
        named = list(dict.fromkeys(name for relation in relations for name in relation[:2]))
        check_poset_size(path, len(named))
        return named
    entries = document["items"]
    if not isinstance(entries, list):
        raise FileError(f"{path}: items is {_kind(entries)}, but a list of names was expected")
    check_poset_size(path, len(entries))
    items: dict[str, None] = {}
    for n, entry in enumerate(entries, start=1):
        if not isinstance(entry, str):
            raise FileError(f"{path}, item {n} is {shown_json(entry)}, but a name was expected")
        check_name(f"{path}, item {n}", entry)
        if entry in items:
            raise OrderError(f"{path}, item {n} is {entry!r}, which is listed already")
        items[entry] = None
    return list(items)


def check_poset_size(path: str | Path, items: int = 0, relations: int = 0) -> None:
    """Raise about a poset that is too large for a file, whether it is read or written."""
    for number, most, what in (
        (items, POSET_ITEMS, "items"),
        (relations, POSET_RELATIONS, "relations"),
    ):
        if number > most:
            raise FileError(
                f"{path} has {number:,} {what}, but a poset file with at most {most:,} was expected"
            )


def check_name(where: str, name: str) -> None:
    if not is_one_line(name):
        raise FileError(f"{where} has the name {name!a}, but one line of text was expected")


def check_new_name(where: str, name: str) -> None:
    """Raise about a name that a table written by us would not give back as it is.

    Files of others and of earlier versions may hold such names; nothing new begins with one.
    """
    check_name(where, name)
    if name != printable(name):
        raise FileError(
            f"{where} has the name {name!a}, but a name without invisible characters was expected"
        )
    if name != name.strip():
        raise FileError(
            f"{where} has the name {name!a}, but a name without spaces around it was expected: in "
            "a table it would look like the name without them"
        )


def is_one_line(name: str) -> bool:
    """Whether `name` can stand in a table or a drawing: one line with something to see in it."""
    return bool(name.strip()) and not _UNPRINTABLE.search(name)


def _kind(value: object) -> str:
    """What sort of JSON value this is, in words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
