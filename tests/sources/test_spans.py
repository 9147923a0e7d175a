"""The kernels of delimited text: fields are found, and equal ones get equal codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.sources import _spans
from antichain.sources._spans import KeyIds, span_key, split_fields


def coded(ids, texts):
    """The codes of texts that stand one behind the other."""
    data = np.frombuffer(b"".join(texts) + b"\0", np.uint8)
    edges = np.cumsum([0, *(len(text) for text in texts)]).astype(np.int32)
    spans = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    keys = np.array([span_key(data, *span) for span in spans], np.uint64)
    return ids.codes(keys, data, edges[:-1], edges[1:]).tolist()


@given(st.lists(st.binary(max_size=6) | st.binary(min_size=6, max_size=20), max_size=300))
def test_fields_have_the_codes_of_a_dictionary(texts):
    ids = KeyIds()
    half = len(texts) // 2
    codes = coded(ids, texts[:half]) + coded(ids, texts[half:])
    known: dict[bytes, int] = {}
    assert codes == [known.setdefault(text, len(known)) for text in texts]
    assert ids.fields_since(0) == list(known)
    assert ids.fields_since(1) == list(known)[1:]


@pytest.mark.parametrize("size", range(18))
def test_fields_that_differ_in_one_byte_or_in_length_have_different_codes(size):
    plain = bytes(size)
    texts = [plain] + [plain[:k] + b"\1" + plain[k + 1 :] for k in range(size)] + [plain + b"\0"]
    assert coded(KeyIds(), texts * 2) == [*range(size + 2)] * 2


def test_long_fields_of_equal_hashes_stay_apart():
    ids = KeyIds()
    data = np.frombuffer(b"first longer field other longer field", np.uint8)
    starts, ends = np.array([0, 19, 0, 19], np.int32), np.array([18, 37, 18, 37], np.int32)
    same = np.full(4, 255 << 56, np.uint64)
    assert ids.codes(same, data, starts, ends).tolist() == [0, 1, 0, 1]
    assert ids.fields_since(0) == [b"first longer field", b"other longer field"]


def test_many_fields_make_room():
    texts = [str(k).encode() for k in range(5_000)] + [b"x" * 10_000]
    ids = KeyIds()
    assert coded(ids, texts) == list(range(5_001))
    assert ids.fields_since(0) == texts


@given(st.lists(st.lists(st.integers(0, 2**62), max_size=300), max_size=20))
def test_numbers_are_coded_in_the_order_they_are_seen(batches):
    ids = KeyIds()
    seen: dict[int, int] = {}
    for batch in batches:
        codes = ids.codes(np.array(batch, np.uint64))
        assert codes.tolist() == [seen.setdefault(number, len(seen)) for number in batch]
    assert ids.keys.tolist() == list(seen)


def test_many_numbers_are_coded_too():
    ids = KeyIds()
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.integers(0, 2**40, 50_000), rng.integers(0, 2**20, 50_000)])
    rng.shuffle(numbers)
    codes = ids.codes(numbers.astype(np.uint64))
    assert np.array_equal(ids.keys[codes], numbers)
    assert len(ids) == np.unique(numbers).size


@given(st.text(alphabet='ab,"\n ', max_size=40))
def test_fields_are_split_alike_by_the_compiler_and_by_python(text):
    data = np.frombuffer((text + "\n").encode(), np.uint8)

    def split(function):
        room = data.size + 1
        places = np.zeros((3, room), np.int32), np.zeros((3, room), np.int32)
        others = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.int64)
        slots = np.array([0, 1, 2], np.int32)
        arrays = (*places, np.zeros((3, room), np.uint64), *others)
        count, *rest = function(data, ord(","), slots, 1, *arrays)
        return count, rest, [values[..., :count].tolist() for values in arrays]

    assert split(split_fields) == split(_spans._split_fields)
