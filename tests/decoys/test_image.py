"""Worse pictures: how far they are from the original, and files that are no pictures."""

import io
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from antichain.decoys import maker_of
from antichain.errors import InputError

pillow = pytest.importorskip("PIL.Image", reason="Pillow (the extra images) is not installed")
WAYS = ("resolution", "blur", "jpeg")


def _picture(mode: str = "RGB", size: tuple[int, int] = (64, 48), form: str = "PNG") -> bytes:
    """Shapes and grain, so that every way of degrading has something to take away."""
    width, height = size
    grain = np.random.default_rng(1).integers(0, 60, (height, width, 3))
    stripes = (np.arange(width)[None, :, None] // 6 % 2) * 150 + grain
    image = pillow.fromarray(stripes.astype(np.uint8), "RGB").convert(mode)
    packed = io.BytesIO()
    image.save(packed, form)
    return packed.getvalue()


def _pixels(content: bytes) -> np.ndarray:
    return np.asarray(pillow.open(io.BytesIO(content)).convert("RGB"), dtype=float)


@pytest.mark.parametrize("how", WAYS)
def test_a_greater_strength_is_farther_from_the_original(how: str) -> None:
    original = _picture()
    far = []
    for strength in (0, 0.3, 0.6, 0.8, 1):
        worse = maker_of("image", how).degrade(original, strength)
        far.append(float(np.mean((_pixels(worse) - _pixels(original)) ** 2)))
    assert far[0] == 0
    assert all(near < farther for near, farther in pairwise(far)), far


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P", "RGBA", "LA", "CMYK"])
def test_every_mode_of_picture_keeps_its_size(how: str, mode: str) -> None:
    form = "TIFF" if mode == "CMYK" else "PNG"
    worse = maker_of("image", how).degrade(_picture(mode, (21, 13), form), 0.4)
    assert pillow.open(io.BytesIO(worse)).size == (21, 13)
    assert pillow.open(io.BytesIO(worse)).format == "PNG"


@pytest.mark.parametrize("how", WAYS)
def test_a_single_pixel_survives(how: str) -> None:
    worse = maker_of("image", how).degrade(_picture(size=(1, 1)), 1)
    assert pillow.open(io.BytesIO(worse)).size == (1, 1)


def test_full_strength_leaves_one_colour_of_the_resolution() -> None:
    pixels = _pixels(maker_of("image", "resolution").degrade(_picture(), 1))
    assert np.ptp(pixels.reshape(-1, 3), axis=0).max() == 0
    assert np.allclose(pixels[0, 0], _pixels(_picture()).mean(axis=(0, 1)), atol=1)


def test_half_the_resolution_has_a_quarter_of_the_detail() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    packed = io.BytesIO()
    pillow.fromarray(noise, "RGB").save(packed, "PNG")
    worse = _pixels(maker_of("image", "resolution").degrade(packed.getvalue(), 0.5))
    # Means of 2 × 2 independent pixels: the spread falls to a half, and further by interpolation.
    assert 0.2 < worse.std() / noise.std() < 0.5


def test_a_photograph_on_its_side_is_put_upright() -> None:
    image = pillow.open(io.BytesIO(_picture(size=(40, 20))))
    exif = pillow.Exif()
    exif[0x0112] = 6
    packed = io.BytesIO()
    image.save(packed, "JPEG", exif=exif)
    worse = maker_of("image", "blur").degrade(packed.getvalue(), 0.2)
    assert pillow.open(io.BytesIO(worse)).size == (20, 40)


@pytest.mark.parametrize(
    "content", [b"", b"no picture", _picture()[:200], b"\x89PNG\r\n\x1a\n" + b"\0" * 40]
)
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read as a picture") as caught:
        maker_of("image", "blur").degrade(content, 0.5)
    assert "BytesIO" not in str(caught.value)


def test_without_pillow_it_says_how_to_get_it() -> None:
    program = (
        "import sys; sys.modules['PIL'] = None\n"
        "from antichain.decoys import maker_of\n"
        "from antichain.errors import MissingExtraError\n"
        "try: maker_of('image', 'blur').degrade(b'x', 0.5)\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'antichain[images]'" in done.stdout, done.stderr
