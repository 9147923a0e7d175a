"""Picture files: the kinds there are, what drawing needs, and a figure as the bytes of a file."""

import io
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from antichain.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = ("svg", "png", "pdf")
_DPI = 150


def suffix_of(path: str | PurePath) -> str:
    """The kind of picture that a file name asks for, as one of `SUFFIXES`."""
    suffix = PurePath(path).suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise FileError(
            f"cannot draw to {str(path)!r}: a name that ends in .svg, .png or .pdf was expected"
        )
    return suffix


def require_matplotlib() -> None:
    """Raise a `MissingExtraError` that says how to install matplotlib, unless it is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "drawing needs matplotlib, which is not installed: pip install 'antichain[plots]'"
        ) from error


def content(figure: "Figure", suffix: str, about: Mapping[str, str | None] | None) -> bytes:
    """A figure as the content of a picture file that says `about` itself what is given.

    The caller leaves the date out of `about`, so that the same figure gives the same bytes.
    """
    stream = io.BytesIO()
    figure.savefig(stream, format=suffix, dpi=_DPI, metadata=about)
    return stream.getvalue()
