"""Worse pictures: fewer pixels, blur, or strong JPEG compression.

Needs Pillow (the extra `images`).
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from numpy.random import Generator

from antichain.decoys._makers import Maker
from antichain.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from PIL.Image import Image

# The radius of the strongest blur is one eighth of the shorter side; set by hand, as the
# qualities below.
_WIDEST_BLUR = 8
_BEST_QUALITY, _WORST_QUALITY = 95, 1


def resolution(image: Image, strength: float, rng: Generator) -> Image:
    """Keep a share 1 − `strength` of the pixels along each side, enlarged to the original size."""
    from PIL.Image import Resampling

    width, height = image.size
    small = (max(1, round(width * (1 - strength))), max(1, round(height * (1 - strength))))
    return image.resize(small, Resampling.BOX).resize(image.size, Resampling.BILINEAR)


def blur(image: Image, strength: float, rng: Generator) -> Image:
    """Apply a Gaussian blur with a radius of up to an eighth of the shorter side.

    The radius grows with the square of the strength, because useful decoys need a small one.
    """
    from PIL import ImageFilter

    radius = strength**2 * min(image.size) / _WIDEST_BLUR
    return image.filter(ImageFilter.GaussianBlur(radius))


def jpeg(image: Image, strength: float, rng: Generator) -> Image:
    """Compress as JPEG at a quality from 95 (strength 0) down to 1; transparency is lost."""
    from PIL import Image as pillow  # noqa: N813 (a module that is named like its class)

    quality = round(_BEST_QUALITY - strength * (_BEST_QUALITY - _WORST_QUALITY))
    packed = io.BytesIO()
    image.convert("RGB").save(packed, "JPEG", quality=quality)
    unpacked = pillow.open(io.BytesIO(packed.getvalue()))
    unpacked.load()
    return unpacked


def opened_image(item: bytes) -> Image:
    """Return the picture in a file, upright, and in a colour mode whose pixels can be averaged."""
    try:
        from PIL import Image as pillow  # noqa: N813
        from PIL import ImageOps
    except ImportError:
        raise MissingExtraError(
            "pictures need Pillow, which is not installed: pip install 'antichain[images]'"
        ) from None
    try:
        with warnings.catch_warnings():
            # Pillow warns about damage, which shows or raises below, and about pictures that are
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
    # Palette indices and single bits cannot be averaged.
    opaque = "A" not in image.getbands() and "transparency" not in image.info
    return image.convert("RGB" if opaque else "RGBA")


def _first_line(error: Exception) -> str:
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    return "unknown format" if "BytesIO" in words else words


def as_png(image: Image) -> bytes:
    packed = io.BytesIO()
    image.save(packed, "PNG")
    return packed.getvalue()


def _same(one: Image, other: Image) -> bool:
    both = [image.convert("RGBA") for image in (one, other)]
    return one.size == other.size and both[0].tobytes() == both[1].tobytes()


_WAYS = {"resolution": resolution, "blur": blur, "jpeg": jpeg}
MAKERS = [
    Maker("image", how, opened_image, work, as_png, suffix=".png", same=_same)
    for how, work in _WAYS.items()
]
