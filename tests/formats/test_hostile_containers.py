"""Bombs and random damage in archives and pictures: a refusal or a report, in little time and memory."""

import gzip
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.read import read_book, read_card
from lorewright.formats.write_card import write_card
from tests.effort import cpu_below, memory_below
from tests.formats.archives import CARD, Raw, charx, zipped
from tests.formats.pictures import encoded, picture, text
from tests.formats.test_round_trip import VALUES

MIB = 1024 * 1024


def nested(depth):
    data = zipped({"card.json": json.dumps(CARD), "zeros": bytes(MIB)})
    for number in range(depth):
        data = zipped({"card.json": json.dumps(CARD), **{f"{number}-{copy}.zip": data for copy in range(8)}})
    return data


def overlapping():
    raw = Raw().add(b"card.json", json.dumps(CARD).encode()).add(b"kernel", bytes(10 * MIB), size=10_000)
    for number in range(1_500):
        raw.add(b"%d" % number, bytes(10 * MIB) if not number else b"", offset=len(raw.body) - 10_300)
    return raw.end()


BOMBS = {
    "one large member": lambda: charx(zeros=bytes(49 * MIB)),
    "a member that lies": lambda: Raw().add(b"card.json", bytes(49 * MIB), size=5).end(),
    "a card of blanks": lambda: charx({**CARD, "x": " " * 40 * MIB}),
    "a stored card of brackets": lambda: zipped({"card.json": b"[" * 30 * MIB}, method=zipfile.ZIP_STORED),
    "a nested card": lambda: zipped({"card.json": '{"a":' * 5_000}),
    "archives in archives": lambda: nested(4),
    "members over each other": overlapping,
    "many members": lambda: zipped({"card.json": json.dumps(CARD), **{f"a/{n}": "" for n in range(20_000)}}),
    "long names": lambda: zipped({"card.json": json.dumps(CARD), **{f"{'é' * 9000}{n}": "" for n in range(200)}}),
    "gzip": lambda: gzip.compress(bytes(10 * MIB)),
    "many scenarios": lambda: zipped(
        {
            "manifest.json": json.dumps({"characters": ["c.json"], "scenarios": ["s.json"] * 100_000}),
            "c.json": '{"name": "A"}',
            "s.json": json.dumps({"narrative": "x" * 90_000}),
        }
    ),
    "many assets": lambda: charx({**CARD, "data": {"name": "A", "assets": [{"uri": "embeded://x"}] * 200_000}}),
    "many asset chunks": lambda: picture(
        *(text(f"chara-ext-asset_:{n}", b"A" * 9_000) for n in range(4_000)), text("chara", encoded(CARD))
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_cost_little(name):
    data = BOMBS[name]()

    with cpu_below(6), memory_below(200 * MIB):
        try:
            read_card(data)
        except FormatError as error:
            error.message.encode()


@given(
    st.dictionaries(
        st.sampled_from("card.json manifest.json module.risum c.json s.json ../x Card.json a/card.json".split()),
        st.binary(max_size=40)
        | VALUES.map(lambda value: json.dumps(value).encode())
        | st.just(json.dumps(CARD).encode()),
        max_size=5,
    )
)
def test_any_members(members):
    try:
        read_book(zipped(members))
    except FormatError as error:
        error.message.encode()


@given(
    st.dictionaries(
        st.sampled_from("name displayName persona loreItems images".split()),
        VALUES | st.lists(st.dictionaries(st.sampled_from(["key", "value", "x"]), VALUES), max_size=3),
    ),
    st.dictionaries(
        st.sampled_from("narrative firstMessages exampleMessages formattingInstructions".split()),
        VALUES | st.lists(st.dictionaries(st.just("text"), VALUES), max_size=3),
    ),
)
def test_any_byaf(character, scenario):
    manifest = {"characters": ["c.json"], "scenarios": ["s.json"]}
    members = {"manifest.json": manifest, "c.json": character, "s.json": scenario}

    try:
        read_card(zipped({name: json.dumps(value) for name, value in members.items()}))
    except FormatError as error:  # Infinity is no JSON
        error.message.encode()


@given(st.sampled_from([charx(), picture(text("chara", encoded(CARD)))]), st.integers(0, 400), st.binary(max_size=4))
def test_any_damage(data, place, junk):
    try:
        detect(data[:place] + junk + data[place + len(junk) :])
    except FormatError as error:
        error.message.encode()


@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"#%@,? \n\t~<"), max_size=60))
def test_any_yaml(junk):
    try:
        read_card(f"name: a\ncontext: b\n{junk}".encode())
    except FormatError as error:
        error.message.encode()


def test_an_archive_of_too_many_members_is_not_written():
    data = BOMBS["many members"]()

    with pytest.raises(FormatError, match="more than 2,000 members; such a one is only read"):
        write_card(data, {**CARD, "x": 1})
