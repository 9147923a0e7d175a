"""Files that are no text in UTF-8, by how they begin."""

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
ARRAY = b"\x93NUMPY"  # how a .npy file begins
PARQUET = b"PAR1"
"""How such a table begins."""

WIDE = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""How files begin whose letters take more than a byte each, the longer beginnings first."""

DATABASE = b"SQLite format"
NOT_TABLES = {
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    DATABASE: "an SQLite database",
}
"""How files begin that people try to read by mistake, and what they are."""
_NO_TEXTS = NOT_TABLES | {
    PARQUET: "a Parquet table",
    GZIP: "packed (gz)",
    ZIP: "a zip archive, or an Excel or Word file",
    ARRAY: "a NumPy array",
}


def not_text(start: bytes) -> str | None:
    """What a file is that begins so, if it is no text and that can be told."""
    return next((what for begin, what in _NO_TEXTS.items() if start.startswith(begin)), None)


def why_not_utf8(path: object, content: bytes, place: int) -> str:
    r"""One sentence on a file whose content is not UTF-8, as its byte at that place shows.

    >>> why_not_utf8("cafe.txt", b"caf\xe9", 3)
    'cafe.txt is not UTF-8 text (byte 3 is invalid): save it as UTF-8'
    """
    wide = next((name for start, name in WIDE.items() if content.startswith(start)), None)
    if wide is not None:
        return f"{path} is in {wide}, but UTF-8 was expected: save it as UTF-8"
    what = not_text(content) or ("a binary file" if b"\0" in content else None)
    if what is not None:
        return f"{path} is {what}, but text in UTF-8 was expected"
    return f"{path} is not UTF-8 text (byte {place} is invalid): save it as UTF-8"
