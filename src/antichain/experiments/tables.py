"""Tidy tables as files: Parquet and CSV."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from antichain.errors import MissingExtraError

if TYPE_CHECKING:
    import polars

Records = Sequence[dict[str, object]]


def require_polars() -> None:
    """Raise a MissingExtraError that says how to install polars, if it is not installed."""
    try:
        import polars  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "writing tables needs polars, which is not installed: "
            "pip install 'antichain[plots,tables]'"
        ) from error


def parquet(records: Records) -> bytes:
    """The records as a Parquet file."""
    stream = io.BytesIO()
    _frame(records).write_parquet(stream)
    return stream.getvalue()


def csv(records: Records) -> bytes:
    """The records as a CSV file, the names of the columns first."""
    return _frame(records).write_csv().encode()


def _frame(records: Records) -> polars.DataFrame:
    require_polars()
    import polars

    # Every record counts for the types: a column may begin with nulls, or with whole numbers.
    return polars.DataFrame(list(records), infer_schema_length=None, strict=False)
