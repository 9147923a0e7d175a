"""Worse pictures: fewer pixels, blur, or heavy JPEG. Needs Pillow (the extra `images`)."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from numpy.random import Generator

from antichain.errors import InputError, MissingExtraError
from antichain.makers.base import Maker

if TYPE_CHECKING:
    from PIL.Image import Image

_WIDEST_BLUR = 8  # of the shorter side, the part that the radius of the strongest blur is
_BEST_QUALITY, _WORST_QUALITY = 95, 1


def resolution(image: Image, strength: float) -> Image:
    """The picture with a share 1 − `strength` of its pixels a side, shown at its old size."""
    from PIL.Image import Resampling

    width, height = image.size
    small = (max(1, round(width * (1 - strength))), max(1, round(height * (1 - strength))))
    return image.resize(small, Resampling.BOX).resize(image.size, Resampling.BILINEAR)


def blur(image: Image, strength: float) -> Image:
    """The picture under a Gaussian blur, at most an eighth of its shorter side in radius.

    The radius grows with the square of the strength: small ones are where decoys are made.
    """
    from PIL import ImageFilter

    radius = strength**2 * min(image.size) / _WIDEST_BLUR
    return image.filter(ImageFilter.GaussianBlur(radius))


def jpeg(image: Image, strength: float) -> Image:
    """The picture after JPEG at a quality from 95 (strength 0) down to 1; no transparency left."""
    from PIL import Image as pillow  # noqa: N813 (a module that is named like its class)

    quality = round(_BEST_QUALITY - strength * (_BEST_QUALITY - _WORST_QUALITY))
    packed = io.BytesIO()
    image.convert("RGB").save(packed, "JPEG", quality=quality)
    unpacked = pillow.open(io.BytesIO(packed.getvalue()))
    unpacked.load()
    return unpacked


class _OnImage:
    """A function on pictures as one on the contents of a file; what comes out is PNG."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, item: bytes, strength: float, rng: Generator) -> bytes:
        """The contents of a picture file, degraded."""
        worse = _WAYS[self.name](_opened(item), strength)
        packed = io.BytesIO()
        worse.save(packed, "PNG")
        return packed.getvalue()


def _opened(item: bytes) -> Image:
    """The picture in a file, upright and in colours that can be mixed."""
    try:
        from PIL import Image as pillow  # noqa: N813
        from PIL import ImageOps
    except ImportError:
        raise MissingExtraError(
            "degrading pictures needs Pillow, which is not installed: "
            "pip install 'antichain[images]'"
        ) from None
    try:
        with warnings.catch_warnings():
            # Pillow warns of damage, which shows or is told below, and of pictures that are
            # suspiciously large when unpacked, which are refused.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            opened = pillow.open(io.BytesIO(item))
            opened.load()
    except Exception as error:  # each format's reader has exceptions of its own
        raise InputError(
            f"it cannot be read as a picture ({_first_line(error)}), but a whole PNG, JPEG or "
            "other picture that Pillow knows was expected"
        ) from error
    image: Image = ImageOps.exif_transpose(opened)
    # Pixels that are numbers of a palette, or single bits, cannot be averaged.
    opaque = "A" not in image.getbands() and "transparency" not in image.info
    return image.convert("RGB" if opaque else "RGBA")


def _first_line(error: Exception) -> str:
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "unknown format" if "BytesIO" in words else words


_WAYS = {"resolution": resolution, "blur": blur, "jpeg": jpeg}
_MEANINGS = {
    "resolution": "the share of pixels a side taken away",
    "blur": "its square is the radius, in eighths of the shorter side",
    "jpeg": "how far the quality falls from 95 to 1",
}
MAKERS = [Maker("image", how, meaning, _OnImage(how), ".png") for how, meaning in _MEANINGS.items()]
