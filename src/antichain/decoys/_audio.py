"""Worse sound: noise, fewer bits per sample, or fewer samples per second, in PCM WAV files."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from antichain.decoys._makers import Maker
from antichain.errors import InputError

Samples = NDArray[np.int64]
_COARSEST = 32  # samples merged into one at strength 1; set by hand


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples (frames × channels, zero is silence), bits per sample, and frames per second."""

    samples: Samples
    bits: int
    rate: int

    @property
    def loudest(self) -> int:
        return int(2 ** (self.bits - 1)) - 1


def noise(sound: Sound, strength: float, rng: Generator) -> Sound:
    """Add white noise, whose loudness is `strength` times that of the sound.

    Silence gets noise of 1% of the full range. The noise is the same at every strength, only
    louder.
    """
    level = float(np.sqrt(np.mean(np.square(sound.samples, dtype=np.float64))))
    level = level or sound.loudest / 100
    hiss = rng.standard_normal(sound.samples.shape) * level * strength
    mixed = np.rint(sound.samples + hiss).astype(np.int64)
    return replace(sound, samples=np.clip(mixed, -sound.loudest - 1, sound.loudest))


def bit_depth(sound: Sound, strength: float, rng: Generator) -> Sound:
    """Use fewer bits per sample, down to two at strength 1; the file keeps its bit depth."""
    gone = round(strength * (sound.bits - 2))
    step = 2**gone
    # Rounding to the middle of each step keeps the mean where it was.
    coarse = (sound.samples // step) * step + step // 2
    return replace(sound, samples=coarse)


def sample_rate(sound: Sound, strength: float, rng: Generator) -> Sound:
    """Replace runs of up to 32 samples by their mean; the file keeps its sample rate.

    The rate falls evenly in octaves as the strength grows.
    """
    group = round(_COARSEST**strength)
    frames = sound.samples.shape[0]
    starts = np.arange(0, frames, group)
    lengths = np.diff(np.append(starts, frames))
    means = np.add.reduceat(sound.samples, starts, axis=0) / lengths[:, None]
    return replace(sound, samples=np.repeat(np.rint(means).astype(np.int64), lengths, axis=0))


def read_wav(content: bytes) -> Sound:
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            announced, frames = file.getnframes(), file.readframes(file.getnframes())
    except (wave.Error, EOFError, RuntimeError, ValueError) as error:
        reason = str(error) or "it ends too early"
        raise InputError(
            f"it cannot be read as sound ({reason}), but a whole WAV file (PCM) was expected"
        ) from error
    if not 1 <= width <= 4:
        raise InputError(f"it has {8 * width} bits per sample, but 8, 16, 24 or 32 were expected")
    if not frames or len(frames) != announced * channels * width:
        raise InputError(
            f"it announces {announced} frames of sound but holds only {len(frames)} bytes, and a "
            "complete file with at least one frame was expected"
        )
    raw = np.frombuffer(frames, np.uint8).reshape(-1, width).astype(np.int64)
    values = (raw << (8 * np.arange(width))).sum(axis=1)
    # Eight bits are unsigned with silence at 128; wider samples are in two's complement.
    half = 1 << (8 * width - 1)
    samples = values - half if width == 1 else (values ^ half) - half
    return Sound(samples.reshape(-1, channels), 8 * width, rate)


def write_wav(sound: Sound) -> bytes:
    width = sound.bits // 8
    values = sound.samples.ravel() + (128 if width == 1 else 0)
    raw = np.stack([(values >> (8 * place)) & 255 for place in range(width)], axis=1)
    packed = io.BytesIO()
    with wave.open(packed, "wb") as file:
        file.setnchannels(sound.samples.shape[1])
        file.setsampwidth(width)
        file.setframerate(sound.rate)
        file.writeframes(raw.astype(np.uint8).tobytes())
    return packed.getvalue()


def _same(one: Sound, other: Sound) -> bool:
    return np.array_equal(one.samples, other.samples)


_WAYS = {"noise": noise, "bits": bit_depth, "rate": sample_rate}
MAKERS = [
    Maker("audio", how, read_wav, work, write_wav, suffix=".wav", same=_same)
    for how, work in _WAYS.items()
]
