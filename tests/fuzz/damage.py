"""What is done to well-formed inputs: each class of trouble that an attack has found, and bytes."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from random import Random

from .materials import NAMES, Case, journal

Damage = Callable[[Random, Case], None]

NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
TOKEN = re.compile(rb'"[^"\n]*"|[\w.]+')
ODD_NUMBERS = [
    b"9" * 400, b"-" + b"9" * 400, b"9" * 5000, b"1e400", b"-1e400", b"1e-400", b"5e-324", b"0",
    b"-0", b"-1", b"NaN", b"Infinity", b"0x10", b"1_000", b"18446744073709551616",
    b"9223372036854775807", b"-9223372036854775809", b"1.5", b"true", b"null", b'"7"',
    b"0." + b"0" * 400 + b"1", "٣".encode(), b"1e5", b"1000000000000", b"2147483648",
]  # fmt: skip
SCRAPS = [
    b"", b"\xff", b"\0", b'"', b"\n", b",", b"{", b"]", b"\r", b"::", b"\xef\xbb\xbf", b"\x1f\x8b",
]  # fmt: skip
ODD_OPTIONS = [
    "5e-324", "1e-320", "0", "-0.0", "1", "nan", "inf", "-inf", "1e400", "0.9999999999999999999",
    "-1", "9" * 400, "1e-17", "0.5", "x", "", " ", "1,2", "0.25,0.25,0.25,0.25", "1e-9",
    "99999999999999999999", "٣", "1e3", "0x1", "true",
]  # fmt: skip
ODD_TEXTS = [
    "", " ", "a\x1b[31mb", "\x9b5n", "a\u202eb", "\x07", "\u2028", "caf\u00e9", "cafe\u0301",
    "<script>alert(1)</script>", "[red]x[/red]", "[/]", "=SUM(A1)", "-5%", "'quoted", "$\\frac{",
    "x" * 10_000, "\ufeff", "a\0b", "\ufffe", "😀" * 40, "ABC", "abc", "..", "/", "a/b", "%s%n",
    "{}", "null", "\u0085", "a\tb", "@file", "@/", "-", "--", "*", "\\", '"', "a\nb", "a\rb",
]  # fmt: skip
_NUMERIC = {
    "--delta", "--epsilon", "--decoy-gap", "-n", "--runs", "--seeds", "--min-ratings", "--votes",
    "--strength", "--budget", "--seed",
}  # fmt: skip


def _some_file(rng: Random, case: Case) -> str | None:
    names = [name for name, content in case.files.items() if content]
    return rng.choice(names) if names else None


def _edit(rng: Random, case: Case, change: Callable[[bytes], bytes]) -> None:
    name = _some_file(rng, case)
    if name is not None:
        content = case.files[name]
        assert content is not None
        case.files[name] = change(content)
        case.rows = None


def _replace_one(rng: Random, content: bytes, what: re.Pattern[bytes], by: bytes) -> bytes:
    found = list(what.finditer(content))
    if not found:
        return content + by
    at = rng.choice(found)
    return content[: at.start()] + by + content[at.end() :]


def edited_bytes(rng: Random, case: Case) -> None:
    def change(content: bytes) -> bytes:
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content) + 1)
            scrap = rng.choice([*SCRAPS, rng.randbytes(3), content[:20]])
            content = content[:at] + scrap + content[at + rng.randint(0, 6) :]
        return content

    _edit(rng, case, change)


def cut_off(rng: Random, case: Case) -> None:
    _edit(rng, case, lambda content: content[: rng.randrange(len(content) + 1)])


def odd_number(rng: Random, case: Case) -> None:
    _edit(rng, case, lambda text: _replace_one(rng, text, NUMBER, rng.choice(ODD_NUMBERS)))


def odd_text(rng: Random, case: Case) -> None:
    """A name or value is something that a screen, a page or a spreadsheet may stumble over."""
    said = rng.choice(ODD_TEXTS)
    quoted = rng.random() < 0.5
    by = json.dumps(said, ensure_ascii=rng.random() < 0.5).encode() if quoted else said.encode()
    _edit(rng, case, lambda text: _replace_one(rng, text, TOKEN, by))


def everywhere(rng: Random, case: Case) -> None:
    """One of the names is odd wherever it stands, so that it gets through to the output."""
    said, name = rng.choice(ODD_TEXTS), rng.choice(NAMES)
    plain = json.dumps(said)[1:-1] if rng.random() < 0.7 else said
    for file, content in case.files.items():
        if content and content[:2] not in (b"PK", b"\x1f\x8b"):
            case.files[file] = content.replace(name.encode(), plain.encode("utf-8", "replace"))
    case.arguments = [argument.replace(name, said.replace("\0", "")) for argument in case.arguments]
    case.rows = None


def lone_surrogate(rng: Random, case: Case) -> None:
    if rng.random() < 0.3:
        case.arguments = [
            argument.replace(rng.choice(NAMES), "a\udcff") for argument in case.arguments
        ]
        return
    by = rng.choice([b'"\\ud800"', b'"a\\udfff"', b"\xed\xa0\x80", b'"\\ud83d\\ud83d"'])
    _edit(rng, case, lambda text: _replace_one(rng, text, TOKEN, by))


def deep_nesting(rng: Random, case: Case) -> None:
    depth = rng.choice([50, 500, 5_000, 100_000])
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}")])
    by = opening * depth + b"1" + closing * rng.choice([depth, depth, 0])
    _edit(rng, case, lambda text: _replace_one(rng, text, TOKEN, by))


def long_field(rng: Random, case: Case) -> None:
    by = rng.choice([b"x", b"1", b"ab,", b"\n", b'"', b"a\n"])
    by *= rng.choice([300, 100_000, 3_000_000])
    _edit(rng, case, lambda text: _replace_one(rng, text, TOKEN, by))


def many_rows(rng: Random, case: Case) -> None:
    """The same lines over and over, or lines that each bring a new name."""

    def change(content: bytes) -> bytes:
        lines = content.split(b"\n")
        line = rng.choice(lines)
        most = (4 << 20) // (len(line) + 1)
        if rng.random() < 0.5:
            return b"\n".join([*lines[:-1], *[line] * min(30_000, most), b""])
        numbers = range(min(3_000, most))
        new = [line.replace(b"ale", b"item %d" % n).replace(b"1", b"%d" % n) for n in numbers]
        return b"\n".join([*lines[:-1], *new, b""])

    _edit(rng, case, change)


def bad_rows(rng: Random, case: Case) -> None:
    """Rows that are no votes, of which every one must be counted or refused."""
    name = next(iter(case.files), "")
    content = case.files.get(name)
    if case.rows is None or content is None or not name.endswith("csv") or b";" in content[:20]:
        return
    bad = rng.randint(1, 5)
    lines = content.split(b"\n")[:-1]
    for _ in range(bad):
        row = rng.choice([b"ale,beer,nobody", b"ale,beer", b"ale,beer,left,more", b",beer,left",
                          b"ale,ale,left", b"ale,beer,", b"ale,beer,\xff"])  # fmt: skip
        lines.insert(rng.randrange(1, len(lines) + 1), row)
    case.files[name] = b"\n".join(lines) + b"\n"
    case.arguments = [a for a in case.arguments if not a.startswith(("--words", "tie="))]
    if rng.random() < 0.7:
        case.arguments.append("--skip-bad")
    case.rows = (case.rows[0], bad)


def packed(rng: Random, case: Case) -> None:
    """A log is packed, and perhaps damaged in transit."""
    name = _some_file(rng, case)
    if name is None or name.endswith(".zip"):
        return edited_bytes(rng, case)
    content = case.files.pop(name)
    assert content is not None
    if rng.random() < 0.5:
        made, new = gzip.compress(content), name + ".gz"
    else:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])) as z:
            z.writestr(rng.choice([name, "../" + name, "a/b.csv", ""]) or "x", content)
            if rng.random() < 0.3:
                z.writestr("other.csv", content)
        made, new = out.getvalue(), name + ".zip"
    for _ in range(rng.choice([0, 0, 1, 3])):
        at = rng.randrange(len(made))
        made = made[:at] + rng.randbytes(rng.randint(0, 4)) + made[at + rng.randint(0, 4) :]
    case.files[new] = made
    case.arguments = [new if argument == name else argument for argument in case.arguments]
    case.rows = None
    return None


def bomb(rng: Random, case: Case) -> None:
    """A small packed file that unpacks to a great deal of the same."""
    name = _some_file(rng, case)
    if name is None:
        return
    content = case.files.pop(name)
    assert content is not None
    start = rng.choice([b"", content[: rng.randrange(len(content) + 1)], b"[", b'["', b'{"a":"'])
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = rng.choice([b"\0", b"a", b"[", b" ", b"1", b"0", b","]) * (1 << 20)
    made = packer.compress(start) + b"".join(packer.compress(block) for _ in range(100))
    new = name + ".gz"
    case.files[new] = made + packer.flush()
    case.arguments = [new if argument == name else argument for argument in case.arguments]
    case.rows = None


def foreign_encoding(rng: Random, case: Case) -> None:
    encoding = rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig"])
    _edit(rng, case, lambda text: text.decode("latin-1").encode(encoding, "replace"))
    if rng.random() < 0.4 and case.command in ("front", "explain", "next"):
        said = rng.choice([encoding, "utf-7", "idna", "zip", "x", "rot13"])
        case.arguments += ["--encoding", said]


def odd_option(rng: Random, case: Case) -> None:
    """An option has a value outside its range, of another form, or none."""
    places = [n for n, argument in enumerate(case.arguments[:-1]) if argument.startswith("-")]
    numeric = [n for n in places if case.arguments[n] in _NUMERIC]
    if numeric and rng.random() < 0.6:
        case.arguments[rng.choice(numeric) + 1] = rng.choice(ODD_OPTIONS)
    elif places:
        odd = rng.choice([*ODD_OPTIONS, *ODD_TEXTS])
        case.arguments[rng.choice(places) + 1] = odd.replace("\0", "")
    else:
        case.arguments += ["--delta", rng.choice(ODD_OPTIONS)]
    case.rows = None


def new_option(rng: Random, case: Case) -> None:
    """An option of reading that does not fit the file."""
    if case.command not in ("front", "explain", "next", "verify", "decoys check"):
        return odd_option(rng, case)
    case.arguments += rng.choice([
        ["--count", "winner"], ["--voter", "left"], ["--cluster", "right"], ["--time", "winner"],
        ["--score", "winner"], ["--scores", "left,right"], ["--ranks", "left"], ["--left", ""],
        ["--items", "@items.txt"], ["--items", ""], ["--items", "a,a"], ["--items", "@"],
        ["--kind", "parquet"], ["--kind", "json"], ["--kind", "lines"], ["--kind", ""],
        ["--delimiter", ""], ["--delimiter", "xx"], ["--delimiter", "\x1b"], ["--words", "="],
        ["--words", "a=b=c"], ["--decoys", "votes.csv"], ["--decoy-suffix", ""],
        ["--grades", "left,right"], ["--winner", "nobody"], ["--answers", "names"],
    ])  # fmt: skip
    case.rows = None
    return None


def odd_path(rng: Random, case: Case) -> None:
    """An input is no ordinary file."""
    name = _some_file(rng, case)
    if name is None:
        return
    other = rng.choice(["nowhere", "a\0b", "folder", f"{name}/inside", "x" * 300, "/dev/null",
                        "-", "", "a\x1b[2J", "loop", "/proc/self/mem", "~",
                        "/dev/zero"])  # fmt: skip
    if other == "folder":
        case.files["folder"] = None
    case.arguments = [other if argument == name else argument for argument in case.arguments]
    case.rows = None


def odd_output(rng: Random, case: Case) -> None:
    """An output cannot be written where it is to go."""
    places = [n for n, a in enumerate(case.arguments[:-1]) if a in ("-o", "--report", "--export")]
    if not places:
        return odd_option(rng, case)
    other = rng.choice(["/dev/full", "folder", "missing/out.json", "out.json.part", "", "x" * 300,
                        "/proc/out.json", "folder/", "out.xyz", "study.duels.writer"])  # fmt: skip
    case.files["folder"] = None
    case.arguments[rng.choice(places) + 1] = other
    if rng.random() < 0.3:
        case.arguments.append("--no-such-option")
    return None


def odd_journal_line(rng: Random, case: Case) -> None:
    """A line of a study is JSON with the right checksum, but nothing that a study writes."""
    from antichain.study._records import STUDY

    content = case.files.get("study.duels")
    if case.command != "study" or content is None:
        return edited_bytes(rng, case)
    try:
        lines = [json.loads(raw) for raw in content.splitlines()]
        for line in lines:
            line.pop("crc", None)
    except (ValueError, AttributeError, RecursionError):  # damaged before
        return edited_bytes(rng, case)
    odd = [None, -1, 10**400, 1e300, "x", [], {}, True, "\ud800", {"a": {"a": {}}}, 1.5, "", "left"]
    for _ in range(rng.randint(1, 2)):
        line = rng.choice(lines)
        key = rng.choice([*line, "new"])
        if rng.random() < 0.2:
            line.pop(key, None)
        else:
            line[key] = rng.choice(odd)
    if rng.random() < 0.2:
        rng.shuffle(lines)
    try:
        case.files["study.duels"] = journal(STUDY, lines)
    except (UnicodeEncodeError, ValueError):
        return edited_bytes(rng, case)
    return None


def struct_columns(rng: Random, case: Case) -> None:
    """A Parquet file whose columns hold what is no text and no number."""
    import datetime

    import polars as pl

    name = next(iter(case.files), "")
    if case.command not in ("front", "explain", "next", "ratings", "decoys check"):
        return edited_bytes(rng, case)
    odd = [
        [{"a": 1}, {"a": 2}], [[1], [2]], [b"x", b"\xff"], [datetime.date(2024, 1, 1)] * 2,
        [datetime.timedelta(1)] * 2, [None, None], [1.5, float("nan")], [True, False],
        [2**63 - 1, -1], ["a\x1b", "\x9b"], ["ale", "beer"], ["left", "tie"],
    ]  # fmt: skip
    of_votes, of_ratings = ["left", "right", "winner"], ["user", "item", "rating"]
    header = of_ratings if case.command == "ratings" else of_votes
    frame = pl.DataFrame({column: pl.Series(rng.choice(odd)) for column in header})
    frame.write_parquet(out := io.BytesIO())
    made = out.getvalue()
    if rng.random() < 0.3:
        at = rng.randrange(len(made))
        made = made[:at] + rng.randbytes(3) + made[at + 3 :]
    case.files = {"table.parquet": made}
    case.arguments = ["table.parquet" if a == name else a for a in case.arguments]
    case.rows = None
    return None


def odd_film_numbers(rng: Random, case: Case) -> None:
    if case.command not in ("movielens", "ratings"):
        return odd_number(rng, case)
    odd = rng.choice([b"0", b"-7", b"999999999999", b"1e9", b"9" * 30, b"", b"x", b"1.0", b"01"])
    for name, content in case.files.items():
        if content and not name.endswith(".zip"):
            case.files[name] = re.sub(rb"(?<=[\n,:])3(?=[,:])", odd, content)
    return None


def missing_part(rng: Random, case: Case) -> None:
    name = _some_file(rng, case)
    if name is not None:
        del case.files[name]
        case.rows = None


DAMAGES: dict[Damage, int] = {
    edited_bytes: 6, cut_off: 2, odd_number: 5, odd_text: 5, everywhere: 5, lone_surrogate: 3,
    deep_nesting: 2, long_field: 2, many_rows: 1, bad_rows: 4, packed: 3, foreign_encoding: 2,
    odd_option: 6, new_option: 4, odd_path: 3, odd_output: 3, odd_journal_line: 3,
    struct_columns: 2, odd_film_numbers: 2, missing_part: 1,
}  # fmt: skip
BOMBS = 0.004  # the share of cases that are a bomb: each takes about a second


def damaged(rng: Random, case: Case) -> Case:
    """The case with one to three kinds of damage, named in its `classes`."""
    if rng.random() < BOMBS:
        chosen: list[Damage] = [bomb]
    else:
        chosen = rng.choices(list(DAMAGES), list(DAMAGES.values()), k=rng.choice([1, 1, 1, 2, 3]))
    for damage in chosen:
        damage(rng, case)
        case.classes.append(damage.__name__)
    if rng.random() < 0.4:
        case.arguments.append("--json")
    return case
