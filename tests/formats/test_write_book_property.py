"""Any book in a card takes any change, and holds it when it is read again."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT
from lorewright.errors import FormatError
from lorewright.formats.read import read_book
from lorewright.formats.stash import take_stash
from lorewright.formats.write_book import write_book
from tests.formats.pictures import card, chunk, encoded, picture, text
from tests.formats.test_png_write import cards, others

DECORATED = ["@@probability 50\nx", "@@match_full_word\n@@depth 3\n@@role user\nx", "@@exclude_keys a\nx"]
WORDS = st.text(max_size=5) | st.sampled_from(["", " ", "@@depth 4\nx", "/a,b/i", "null", "\ud800", *DECORATED])
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "title": WORDS,
        "content": WORDS,
        "keys": st.lists(WORDS, max_size=3).map(tuple),
        "position": st.integers(0, 7),
        "depth": st.integers(0, 9) | st.just(ABSENT) | st.none(),
        "enabled": st.booleans() | st.just(ABSENT),
        "case_sensitive": st.booleans() | st.none(),
        "order": st.integers() | st.floats(0, 1),
        "role": st.integers(0, 3) | st.just(ABSENT) | st.none(),
        "probability": st.integers(0, 101) | st.floats(allow_nan=False, allow_infinity=False) | st.just(ABSENT),
        "whole_words": st.booleans() | st.none(),
        "secondary": st.lists(WORDS, max_size=2).map(tuple),
        "logic": st.integers(0, 3),
    },
)
VALUES = st.none() | st.booleans() | st.integers(0, 4) | WORDS | st.lists(WORDS, max_size=2)
RAW_NAMES = st.sampled_from(
    "id uid keys key secondary_keys comment name content enabled disable insertion_order order position case_sensitive "
    "depth use_regex priority constant selective".split()
)
RAW_EXTENSIONS = st.dictionaries(
    st.sampled_from(
        "position depth case_sensitive role vectorized lorewright theirs selectiveLogic probability".split()
    ),
    VALUES,
)
RAWS = st.builds(
    lambda raw, risu, extensions: raw | risu | extensions,
    st.dictionaries(RAW_NAMES, VALUES, max_size=8),
    st.just({})
    | st.builds(
        lambda content: {"mode": "normal", "folder": "", "content": content, "secondary_keys": ["a"]},
        st.sampled_from(DECORATED) | WORDS,
    ),
    st.fixed_dictionaries({}, optional={"extensions": RAW_EXTENSIONS | st.none()}),
)


@given(st.lists(RAWS | VALUES, max_size=4) | st.dictionaries(WORDS, RAWS, max_size=3), st.data())
def test_any_book_takes_any_change(entries, data):
    value = card("Ada", character_book={"entries": entries})
    source = json.dumps(value).encode()
    book = take_stash(read_book(source).value)
    assert write_book(source, book).data == source
    changes = {entry.uid: data.draw(CHANGES) for entry in book.entries}
    edited = replace(book, entries=tuple(replace(entry, **changes[entry.uid]) for entry in book.entries))

    made = write_book(source, edited)

    again = take_stash(read_book(made.data).value)
    for wanted, entry in zip(edited.entries, again.entries, strict=True):
        for field in CHANGES_FIELDS:
            assert getattr(entry, field) == getattr(wanted, field), field
    assert write_book(made.data, again).data == made.data


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_lacks_is_refused_in_words(number):
    source = json.dumps(card("Ada", character_book={"entries": [{"keys": ["a"], "content": "x"}]})).encode()
    book = take_stash(read_book(source).value)
    odd = replace(book, entries=(replace(book.entries[0], probability=number),))

    with pytest.raises(FormatError, match="JSON has no infinity"):
        write_book(source, odd)


CHANGES_FIELDS = ("title", "content", "keys", "position", "depth", "enabled", "case_sensitive", "order")


@given(st.permutations(["chara", "ccv3", "iCCP", "eXIf", "acTL", "tEXt"]), st.integers(0, 6), st.text(max_size=5))
def test_chunks_in_any_order_stay(order, split, content):
    raw = {"id": 1, "keys": ["a"], "content": "b", "extensions": {}, "enabled": True, "insertion_order": 1}
    chunks = {
        "chara": text("chara", encoded(card("Ada", character_book={"entries": [raw]}))),
        "ccv3": text("ccv3", encoded(card("Ada", "chara_card_v3", character_book={"entries": [raw]}))),
        "iCCP": chunk(b"iCCP", b"profile"),
        "eXIf": chunk(b"eXIf", b"MM\0*"),
        "acTL": chunk(b"acTL", bytes(8)),
        "tEXt": text("Comment", encoded("by hand")),
    }
    parts = [chunks[name] for name in order]
    data = picture(*parts[:split], after=b"".join(parts[split:]))
    book = read_book(data).value
    edited = replace(book, entries=(replace(book.entries[0], content=content),))

    made = write_book(data, edited).data

    assert others(made) == others(data)
    now = cards(made)
    assert [one["data"]["character_book"]["entries"] for one in (now["chara"], now["ccv3"])] == [
        [{**raw, "content": content}]
    ] * 2
    assert write_book(made, edited).data == made
