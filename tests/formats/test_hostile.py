"""Whatever a file holds, a reader gives a value with reports or a `FormatError`; nothing else is raised."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.card import read_card_value
from lorewright.formats.chat import read_chat_lines, read_named_messages
from lorewright.formats.chat_request import read_chat_request, read_role_messages
from lorewright.formats.detect import detect
from lorewright.formats.read import read_book, read_card, read_chat
from lorewright.formats.world_info import write_world_info
from tests.formats.test_round_trip import BOOKS, TEXTS, VALUES

CARD_FIELDS = st.sampled_from(
    "name description personality scenario first_mes mes_example creator_notes creatorcomment tags extensions "
    "alternate_greetings character_book data spec".split()
)
EXTENSIONS = st.dictionaries(st.sampled_from(["world", "depth_prompt", "x"]), VALUES, max_size=3)
ENTRY_FIELDS = st.sampled_from(
    "id keys secondary_keys comment content constant selective insertion_order enabled position case_sensitive "
    "extensions name priority uid key".split()
)
ENTRY_EXTENSIONS = st.dictionaries(
    st.sampled_from("position depth role probability triggers character_filter case_sensitive group".split()), VALUES
)
ENTRIES = st.dictionaries(ENTRY_FIELDS, VALUES | ENTRY_EXTENSIONS, max_size=8)
CARD_BOOKS = st.fixed_dictionaries(
    {"entries": st.lists(ENTRIES | VALUES, max_size=4) | st.dictionaries(TEXTS, ENTRIES | VALUES, max_size=4) | VALUES},
    optional={"name": VALUES},
)
DATA = st.dictionaries(CARD_FIELDS, VALUES | EXTENSIONS | CARD_BOOKS, max_size=8)
CARDS = st.fixed_dictionaries({"spec": st.just("chara_card_v2") | VALUES, "data": DATA | VALUES}) | DATA
MESSAGES = st.dictionaries(
    st.sampled_from("name mes is_user is_system role content".split()),
    VALUES | st.lists(st.fixed_dictionaries({"type": st.just("text") | VALUES, "text": VALUES}), max_size=2),
    max_size=5,
)
CHATS = st.lists(MESSAGES | VALUES, max_size=5)


@given(CARDS)
def test_any_card(value):
    read = read_card_value(value)

    assert read.value.name
    if read.value.book:
        assert len({str(entry.uid) for entry in read.value.book.entries}) == read.kept
        json.dumps(write_world_info(read.value.book))


@given(CHATS)
def test_any_chat(value):
    for read in (
        read_named_messages(value),
        read_role_messages(value),
        read_chat_request({"messages": value, "system": value}),
        read_chat_lines("\n".join(json.dumps(item) for item in value)),
    ):
        assert {type(text) for message in read.value.messages for text in (message.name, message.text)} <= {str}


@given(VALUES | BOOKS | CARDS | CHATS | st.fixed_dictionaries({"messages": CHATS, "system": VALUES}))
def test_any_json_file(value):
    data = json.dumps(value).encode()

    for reader in (read_book, read_card, read_chat):
        try:
            reader(data)
        except FormatError as error:
            error.message.encode()


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"{", b"[", b'"', b"PK\x03\x04", b"\xff\xfe", b"\xff\xd8\xff", b"\x6f\0"]),
)
def test_any_bytes(junk, prefix):
    try:
        detect(prefix + junk)
    except FormatError as error:
        error.message.encode()


@given(BOOKS, st.integers(0, 400), st.binary(max_size=3))
def test_a_damaged_book(value, place, junk):
    data = json.dumps(value).encode()

    try:
        read_book(data[:place] + junk + data[place + len(junk) :])
    except FormatError as error:
        error.message.encode()
