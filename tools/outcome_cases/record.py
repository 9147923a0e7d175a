"""What is kept of an outcome, and how the command is called."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from importlib import metadata
from typing import Any

Case = tuple[str, Callable[[], Any]]

TEXT = "text"
_VOLATILE = {
    "seconds", "run_seconds", "versions", "machine", "digest", "source", "folder", "page",
}  # fmt: skip
_WORDS = {
    "assumptions", "claims", "explanation", "guessed", "meanings", "note", "notes", "phase",
    "seeds", "settings", "sentence", "sentences", "title", "why", "words",
}  # fmt: skip
_LONG = 2_000  # characters of JSON from which on a digest stands for a value


def clean(value: Any) -> Any:
    """The value as plain JSON, without what is volatile, and with words put aside."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        kept = {str(k): clean(v) for k, v in value.items() if k not in _VOLATILE and k != TEXT}
        text = {key: kept.pop(key) for key in list(kept) if key in _WORDS and _is_text(kept[key])}
        if TEXT in value:  # put aside before
            text |= value[TEXT] if isinstance(value[TEXT], dict) else {"said": value[TEXT]}
        if text:
            kept[TEXT] = text
        return kept
    if isinstance(value, list | tuple):
        return [clean(entry) for entry in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()  # a numpy number
    return value


def _is_text(value: Any) -> bool:
    """Whether a value is words, or a list or table of them, and no number that counts."""
    if isinstance(value, list):
        return all(_is_text(entry) for entry in value)
    if isinstance(value, dict):
        return all(_is_text(entry) for entry in value.values())
    return isinstance(value, str)


def without_text(value: Any) -> Any:
    """A cleaned value without what is under "text"."""
    if isinstance(value, dict):
        return {key: without_text(inner) for key, inner in value.items() if key != TEXT}
    if isinstance(value, list):
        return [without_text(entry) for entry in value]
    return value


def sha(value: Any) -> str:
    """A digest of a value's canonical JSON, words and volatile parts left out."""
    text = json.dumps(without_text(clean(value)), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def sha_bytes(content: bytes) -> str:
    """A digest of a file's bytes."""
    return hashlib.sha256(content).hexdigest()[:24]


def shortened(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with a digest in the place of every long part."""
    plain = clean(document)
    short: dict[str, Any] = {}
    for key, value in plain.items():
        if key != TEXT and len(json.dumps(value)) > _LONG:
            short[key] = {"sha256": sha(value), "entries": len(value)}
        else:
            short[key] = value
    return short


def result_record(result: Any) -> dict[str, Any]:
    """What counts of a `Result`."""
    document = result.to_dict()
    epochs = [[e["epsilon"], e["entering"], e["surviving"], e["duels"]] for e in document["epochs"]]
    document["epochs"] = {"count": len(epochs), "sha256": sha(epochs)}
    document["dominated"] = dict(sorted(document["dominated"].items()))
    document["certain"] = list(result.certain)
    return document


def call(*arguments: object) -> dict[str, Any]:
    """Exit code and output of the `antichain` command; JSON output is parsed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _main()([str(argument) for argument in arguments])
    found: dict[str, Any] = {"code": code, TEXT: {"stderr": err.getvalue()}}
    if "--json" not in arguments:
        found[TEXT]["stdout"] = out.getvalue()
        return found
    documents = list(_documents(out.getvalue()))
    found["json"] = [shortened(d) if isinstance(d, dict) else d for d in documents]
    return found


def _main() -> Callable[[list[str]], int]:
    """The function behind the `antichain` command, wherever it lives."""
    for script in metadata.entry_points(group="console_scripts", name="antichain"):
        return script.load()  # type: ignore[no-any-return]
    sys.exit("the command antichain is not installed for this interpreter; install the package")


def _documents(text: str) -> Iterable[Any]:
    """JSON documents one after the other, each on one line or on several."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].lstrip()
