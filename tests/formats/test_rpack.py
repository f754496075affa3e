"""RPack: a permutation of the bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats import limits, rpack


def test_the_table_is_the_published_one():
    assert rpack.encode(bytes(range(4))).hex() == "c40d1e0b"
    assert rpack.encode(b'{"') == bytes([0xE6, 0x20])
    assert rpack.encode(b"\xff") == b"\xb8"


def test_every_byte_has_one_code():
    everything = bytes(range(256))

    assert sorted(rpack.encode(everything)) == list(everything)
    assert rpack.decode(rpack.encode(everything)) == everything


@given(st.binary(max_size=300))
def test_decoding_is_the_inverse(data):
    assert rpack.decode(rpack.encode(data)) == data
    assert rpack.encode(rpack.decode(data)) == data


@pytest.mark.parametrize("convert", [rpack.encode, rpack.decode])
def test_the_size_is_bounded(convert):
    with pytest.raises(FormatError) as caught:
        convert(bytes(limits.FILE_BYTES + 1))

    assert caught.value.facts["limit"] == limits.FILE_BYTES
