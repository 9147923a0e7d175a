"""Worse sound: round trips, distances, and files that are no sound."""

import io
import wave
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.decoys import maker_of
from antichain.decoys._audio import Sound, bit_depth, read_wav, sample_rate, write_wav
from antichain.errors import InputError

WAYS = ("noise", "bits", "rate")


def _tone(bits: int = 16, channels: int = 2, frames: int = 4000) -> Sound:
    time = np.arange(frames)[:, None] / 8000
    tone = np.sin(2 * np.pi * 440 * time * (1 + np.arange(channels)[None, :])) * 0.4
    return Sound(np.rint(tone * (2 ** (bits - 1) - 1)).astype(np.int64), bits, 8000)


@given(
    st.sampled_from([8, 16, 24, 32]),
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(0, 2**32 - 1),
)
def test_reading_what_was_written_gives_the_same(bits, channels, frames, seed) -> None:
    most = 2 ** (bits - 1)
    samples = np.random.default_rng(seed).integers(-most, most, (frames, channels))
    again = read_wav(write_wav(Sound(samples, bits, 44100)))
    assert (again.bits, again.rate) == (bits, 44100)
    assert np.array_equal(again.samples, samples)


def test_silence_of_eight_bits_is_in_the_middle() -> None:
    content = write_wav(Sound(np.zeros((5, 1), np.int64), 8, 8000))
    with wave.open(io.BytesIO(content)) as file:
        assert file.readframes(5) == bytes([128] * 5)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_a_greater_strength_is_farther_from_the_original(how: str, bits: int) -> None:
    original = _tone(bits)
    content = write_wav(original)
    far = []
    for strength in (0, 0.3, 0.6, 0.8, 1):
        worse = read_wav(maker_of("audio", how).degrade(content, strength, seed=1))
        assert worse.samples.shape == original.samples.shape
        far.append(float(np.mean((worse.samples - original.samples) ** 2.0)))
    assert far[0] == 0
    assert all(near < farther for near, farther in pairwise(far)), far


def test_noise_is_as_loud_as_the_sound_at_full_strength() -> None:
    original = _tone()
    worse = read_wav(maker_of("audio", "noise").degrade(write_wav(original), 1, seed=3))
    hiss = worse.samples - original.samples
    loudness = np.sqrt(np.mean(hiss**2.0) / np.mean(original.samples**2.0))
    assert 0.9 < loudness < 1.05


def test_noise_is_of_the_seed() -> None:
    content = write_wav(_tone())
    maker = maker_of("audio", "noise")
    assert maker.degrade(content, 0.5, seed=1) == maker.degrade(content, 0.5, seed=1)
    assert maker.degrade(content, 0.5, seed=1) != maker.degrade(content, 0.5, seed=2)


def test_bits_and_rates_fall_as_told() -> None:
    rng = np.random.default_rng(0)
    original = _tone(16)
    assert len(np.unique(bit_depth(original, 1, rng).samples)) <= 4
    assert len(np.unique(bit_depth(original, 0.5, rng).samples)) <= 2**9
    coarse = sample_rate(original, 1, rng).samples
    assert len(np.unique(np.flatnonzero(np.diff(coarse[:, 0])) % 32)) == 1
    assert np.array_equal(sample_rate(original, 0, rng).samples, original.samples)


def test_silence_can_be_made_worse() -> None:
    silence = write_wav(Sound(np.zeros((500, 1), np.int64), 16, 8000))
    assert np.ptp(read_wav(maker_of("audio", "noise").degrade(silence, 1)).samples) > 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF",
        b"no sound at all, and quite long",
        write_wav(_tone())[:-7],
        write_wav(_tone())[:30],
    ],
)
def test_what_is_no_sound_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match=r"expected"):
        maker_of("audio", "bits").degrade(content, 0.5)


def test_no_frames_are_refused() -> None:
    empty = write_wav(Sound(np.zeros((0, 1), np.int64), 16, 8000))
    with pytest.raises(InputError, match="at least one"):
        maker_of("audio", "bits").degrade(empty, 0.5)


@given(st.binary(max_size=200))
def test_no_bytes_cause_anything_but_an_input_error(content: bytes) -> None:
    for start in (b"", write_wav(_tone(frames=3))[:20], write_wav(_tone(frames=3))[:40]):
        with suppress(InputError):
            maker_of("audio", "rate").degrade(start + content, 0.5)
