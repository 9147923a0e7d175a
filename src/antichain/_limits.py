"""How much a file may hold: every limit of what is read, in one place.

A small file can unpack to a thousand times its size, and a line or a document that never ends
would fill the memory before anybody could say what is wrong with it. Logs as such have no limit,
as they are read block by block. docs/guides/logs.md has these numbers in a table. All are set by
hand, so that reading takes less than 1 GB; what is then worked out may take more.
"""

ROW_BYTES = 16 << 20
"""Bytes of a single row, a header or an object in JSON; more is a quote that is never closed."""

EMPTY_LINES = 10_000_000
"""Empty lines in a row, and rows without a single value."""

NAME_BYTES = 256 << 20
"""Characters of all different names in a column that has to be remembered."""

PACKED_TABLE_BYTES = 1 << 30
"""Bytes of a Parquet table that is packed, or comes as a stream, and is put on disk."""

FILM_LIST_BYTES = 16 << 20
"""Bytes of the list of films in a release of MovieLens."""

DOCUMENT_BYTES = 128 << 20
"""Bytes of a JSON document: a poset, a certificate or a list of decoys."""

DOCUMENT_VALUES = 10_000_000
"""Values in a JSON document."""

TOML_BYTES = 8 << 20
"""Bytes of a ballot or an experiment."""

LIST_BYTES = 16 << 20
"""Bytes of a list of names."""

LISTED_NAMES = 20_000
"""Names in a list of items, and items of a ballot."""

POSET_ITEMS = 5_000
"""Items of a poset file: the matrix of their gaps takes 200 MB."""

POSET_RELATIONS = 1_000_000
"""Relations of a poset file."""

MATRIX_BYTES = 64 << 20
"""Bytes of a preference matrix."""

MATRIX_ITEMS = 2_000
"""Items of a preference matrix."""

SCORED_ITEMS = 2_000
"""Items of a table of scores, every two of which are compared."""

GRADED_ITEMS = 800
"""Items with graded votes, every two of which are compared."""

VOTED_MATRIX_ITEMS = 400
"""Items of a matrix that is taken as votes on every pair (`matrix --votes`)."""

DRAWN_ITEMS = 500
"""Items of a Hasse diagram that `draw` makes: more can neither be laid out soon nor be read."""

RUNS = 1_000_000
"""Runs, seeds or futures of one command: more is a slip of the finger."""

ASKED_DUELS = 1_000_000
"""Duels that `next` lists at once: more is a slip of the finger."""

SMALLEST = 1e-50
"""The smallest gap, ε or δ, and the least distance from its lower bound: with less, 1/x² is
infinite."""


def megabytes(size: int) -> str:
    """A limit on bytes in words, as in "16 MB (16,777,216 bytes)"."""
    return f"{size >> 20:,} MB ({size:,} bytes)"
