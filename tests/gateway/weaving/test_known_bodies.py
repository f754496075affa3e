"""Requests that begin like earlier ones are read as `json.loads` reads them, whatever follows."""

import json
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.weaving import known_bodies
from lorewright.gateway.weaving.known_bodies import KnownBodies


@contextmanager
def short_ones_too():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_bodies, "_LEAST_BYTES", 0)
        yield


def read(reader, body):
    """What comes of it, or the kind of error."""
    try:
        return reader(body)
    except (ValueError, RecursionError) as error:
        return type(error)


def written(value):
    """With the order of names, and 1 and 1.0 and true told apart."""
    return value if isinstance(value, type) else json.dumps(value)


ITEMS = st.sampled_from(
    [
        '{"role":"user","content":"a"}',
        '{"role": "user", "content": "[\\"]}"}',
        '"é猫😀"',
        "1",
        "1.0",
        "true",
        "[]",
        "[1]",
    ]
)
SPACES = st.sampled_from(["", " ", "\n\t"])
FIELDS = st.sampled_from(['"model":"m"', '"x":[1,{"messages":[2]}]', '"stream":true', '"input":[3]', '"messages":[4]'])


@st.composite
def chats(draw):
    """One request after the other of a chat that goes on, is cut, is written with other spaces or other fields."""
    items = draw(st.lists(ITEMS, max_size=6))
    ahead, behind = draw(st.lists(FIELDS, max_size=2)), draw(st.lists(FIELDS, max_size=2))
    found = []
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            behind = draw(st.lists(FIELDS, max_size=2))
        items = items[: draw(st.integers(0, len(items)))] if draw(st.booleans()) else items
        items = [*items, *draw(st.lists(ITEMS, max_size=2))]
        comma, end = f"{draw(SPACES)},{draw(SPACES)}", draw(SPACES)
        fields = [*ahead, f'"messages":{draw(SPACES)}[{end}{comma.join(items)}{end}]', *behind]
        body = f"{end}{{{comma.join(fields)}{end}}}{draw(SPACES)}".encode()
        if draw(st.integers(0, 9)) == 0:
            place = draw(st.integers(0, len(body)))
            body = body[:place] + draw(st.sampled_from([b"", b",", b"]", b"\xff", b"\x00", b'"'])) + body[place + 1 :]
        found.append(body)
    return found


@given(chats())
def test_a_chat_is_read_as_json_reads_it(bodies):
    known = KnownBodies()
    with short_ones_too():
        for body in bodies:
            assert written(read(known.read, body)) == written(read(json.loads, body))


@given(st.lists(st.binary(max_size=12) | st.text('{}[]",:0 m', max_size=12).map(str.encode), max_size=5))
def test_anything_is_read_as_json_reads_it(tails):
    known = KnownBodies()
    with short_ones_too():
        known.read(b'{"messages":[{"a":1}]}')
        for tail in tails:
            for body in (tail, b'{"messages":[{"a":1}' + tail):
                assert written(read(known.read, body)) == written(read(json.loads, body))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_other_encodings_are_left_to_the_library(encoding):
    with short_ones_too():
        assert KnownBodies().read('{"messages":[1]}'.encode(encoding)) == {"messages": [1]}


def test_what_is_known_is_the_same_object():
    known = KnownBodies()
    text = "x" * 20_000
    [first] = known.read(json.dumps({"messages": [{"content": text}], "n": 1}).encode())["messages"]
    later = known.read(json.dumps({"messages": [{"content": text}, {"content": "b"}], "n": 2}).encode())

    assert later["messages"][0] is first
    assert later == {"messages": [{"content": text}, {"content": "b"}], "n": 2}


def test_so_much_is_kept_and_no_more(monkeypatch):
    monkeypatch.setattr(known_bodies, "_MOST_KEPT_BYTES", 100_000)
    known = KnownBodies()
    bodies = [json.dumps({"messages": [{"content": f"{number}" * 30_000}]}).encode() for number in range(5)]
    firsts = [known.read(body)["messages"][0] for body in bodies]

    assert known.read(bodies[-1])["messages"][0] is firsts[-1]
    assert known.read(bodies[0])["messages"][0] is not firsts[0]
    assert sum(head.size_bytes for head in known._heads) <= 100_000


def test_many_small_items_weigh_more_than_their_bytes(monkeypatch):
    monkeypatch.setattr(known_bodies, "_MOST_KEPT_BYTES", 1_000_000)
    known = KnownBodies()
    for number in range(10):
        known.read(json.dumps({"messages": [{"content": f"{number}"}] * 1000}).encode())

    assert len(known._heads) == 2
