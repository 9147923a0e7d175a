"""Worse sound: noise, fewer bits a sample, or fewer samples a second, in WAV files (PCM)."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from antichain.errors import InputError
from antichain.makers.base import Maker

Samples = NDArray[np.int64]
_COARSEST = 32  # how many samples become one at strength 1


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples (frames × channels, zero is silence), bits a sample, and frames a second."""

    samples: Samples
    bits: int
    rate: int

    @property
    def loudest(self) -> int:
        """The greatest sample that fits."""
        return int(2 ** (self.bits - 1)) - 1


def noise(sound: Sound, strength: float, rng: Generator) -> Sound:
    """The sound under white noise, at strength 1 as loud as the sound itself (silence: 1% full).

    The noise is the same for every strength, only louder.
    """
    level = float(np.sqrt(np.mean(np.square(sound.samples, dtype=np.float64))))
    level = level or sound.loudest / 100
    hiss = rng.standard_normal(sound.samples.shape) * level * strength
    mixed = np.rint(sound.samples + hiss).astype(np.int64)
    return replace(sound, samples=np.clip(mixed, -sound.loudest - 1, sound.loudest))


def bit_depth(sound: Sound, strength: float, rng: Generator) -> Sound:
    """The sound in fewer bits a sample, two at strength 1, in a file of the old depth."""
    gone = round(strength * (sound.bits - 2))
    step = 2**gone
    # To the middle of each step, so that nothing drifts to one side.
    coarse = (sound.samples // step) * step + step // 2
    return replace(sound, samples=coarse)


def sample_rate(sound: Sound, strength: float, rng: Generator) -> Sound:
    """The sound with up to 32 samples in a row made one (their mean), in a file of the old rate."""
    group = round(_COARSEST**strength)
    frames = sound.samples.shape[0]
    starts = np.arange(0, frames, group)
    lengths = np.diff(np.append(starts, frames))
    means = np.add.reduceat(sound.samples, starts, axis=0) / lengths[:, None]
    return replace(sound, samples=np.repeat(np.rint(means).astype(np.int64), lengths, axis=0))


def read_wav(content: bytes) -> Sound:
    """The sound in the contents of a WAV file."""
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
        raise InputError(f"it has {8 * width} bits a sample, but 8, 16, 24 or 32 were expected")
    if not frames or len(frames) != announced * channels * width:
        raise InputError(
            f"it announces {announced} frames of sound and holds {len(frames)} bytes, but all of "
            "them, and at least one, were expected"
        )
    raw = np.frombuffer(frames, np.uint8).reshape(-1, width).astype(np.int64)
    values = (raw << (8 * np.arange(width))).sum(axis=1)
    # Eight bits are unsigned with silence at 128; wider samples are in two's complement.
    half = 1 << (8 * width - 1)
    samples = values - half if width == 1 else (values ^ half) - half
    return Sound(samples.reshape(-1, channels), 8 * width, rate)


def write_wav(sound: Sound) -> bytes:
    """The contents of a WAV file with that sound."""
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


class _OnWav:
    """A function on sound as one on the contents of a WAV file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, item: bytes, strength: float, rng: Generator) -> bytes:
        """The contents of a WAV file, degraded."""
        return write_wav(_WAYS[self.name](read_wav(item), strength, rng))


_WAYS = {"noise": noise, "bits": bit_depth, "rate": sample_rate}
_MEANINGS = {
    "noise": "the loudness of the noise, as a share of the sound's own",
    "bits": "the share of bits a sample taken away, all but two at most",
    "rate": "samples a second fall to a 32nd, evenly in octaves",
}
MAKERS = [Maker("audio", how, meaning, _OnWav(how), ".wav") for how, meaning in _MEANINGS.items()]
