"""What is decoded is what was encoded, exactly."""

from collections import OrderedDict
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT, EMPTY, Entry, Message, Odd, State, Timer, Turn
from lorewright.core.policy import PROFILES
from lorewright.errors import LedgerError
from lorewright.storage.image import Image, Ref, find_refs
from lorewright.testing import strategies as our

IMAGE = Image()
HIGH, LOW = "\ud83d", "\udc09"

VALUES = {
    "none": None,
    "a flag is no number": (True, 1, 1.0, False, 0, 0.0),
    "minus zero": -0.0,
    "a whole number as a fraction": 100.0,
    "infinities": (float("inf"), float("-inf")),
    "an integer of 4,000 digits": 10**4000,
    "lone surrogates": (HIGH, LOW, "a" + HIGH),
    "two halves are no whole": HIGH + LOW,
    "a whole is no two halves": "\U0001f409",
    "control characters": "\x00\x1f\x7f\u2028",
    "list and tuple": ([1, (2, [3])], (1, [2])),
    "a dict with a name of ours": {"~": 1, "~r": "x"},
    "a dict with names that are no texts": {1: "a", None: 2, (3,): 4},
    "the order of a dict": {"b": 1, "a": 2},
    "a read-only mapping": MappingProxyType({"a": (1,)}),
    "bytes": b"\x00\xff",
    "absent": (ABSENT, None),
    "odd values": Entry(uid="x", keys=Odd(["a", None]), content=None, order=Odd(True), extra={"x": [1, {"y": None}]}),
    "a timer without end": State({"b.1": Timer("h", 1, float("inf"), protected=True)}, {}, 3, {"flag": True}),
    "a reference": Ref("ab" * 32),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_values_come_back(value):
    found = IMAGE.decode(IMAGE.encode(value))

    assert found == value
    assert repr(found) == repr(value)
    assert IMAGE.encode(found) == IMAGE.encode(value)


@given(our.books())
def test_books_come_back_exactly(book):
    entries = IMAGE.decode(IMAGE.encode(book.entries))

    assert repr(entries) == repr(book.entries)


@given(our.turns())
def test_turns_come_back_exactly(turn):
    assert repr(IMAGE.decode(IMAGE.encode(turn))) == repr(turn)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists))
def test_data_of_files_comes_back(value):
    assert repr(IMAGE.decode(IMAGE.encode(value))) == repr(value)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_policies_come_back(name):
    assert IMAGE.decode(IMAGE.encode(PROFILES[name])) == PROFILES[name]


def test_not_a_number_comes_back():
    assert repr(IMAGE.decode(IMAGE.encode(float("nan")))) == "nan"


def test_an_empty_read_only_mapping_is_ours():
    assert IMAGE.decode(IMAGE.encode(Turn())).variables is EMPTY


def test_what_is_kept_with_a_message_is_no_part_of_it():
    message = Message("a", " b ")
    before = IMAGE.encode(message)
    assert (message.trimmed, message.named) == ("b", "a:  b")

    assert IMAGE.encode(message) == before


class Word(str):
    __slots__ = ()


def test_texts_of_another_kind_become_texts():
    assert IMAGE.encode((Word("a"), OrderedDict(b=1))) == IMAGE.encode(("a", {"b": 1}))


def test_what_is_no_data_is_refused():
    with pytest.raises(LedgerError, match="type object cannot be recorded"):
        IMAGE.encode((1, object()))


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b'{"~":"Nothing"}', b'{"~":"Entry"}', b'{"~x":1}', b"[" * 5000])
def test_what_is_no_image_is_refused(data):
    with pytest.raises(LedgerError, match="no image of a value"):
        IMAGE.decode(data)


def test_references_are_found_in_order():
    value = (Ref("aa"), {"x": [Ref("bb")]}, '{"~r":"cc"}', {"~r": "dd"}, Ref("aa"))

    assert find_refs(IMAGE.encode(value)) == ("aa", "bb", "aa")
    assert find_refs(b'no image "~r"') == ()
