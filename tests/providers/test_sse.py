"""The decoder of server-sent events: the same events however the bytes were cut, and no byte lost."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.providers.sse import Decoder, Event, encode_event

GOLDEN = Path(__file__).parent / "golden"
STREAMS = sorted(path for path in GOLDEN.rglob("*.response.bin") if "-stream" in path.name)


def decode(chunks, **options):
    decoder = Decoder(**options)
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.close()]


def data_of(events):
    return [(event.name, event.data) for event in events if event.data is not None]


# Expected values by hand from the HTML standard's rules for event streams.
CASES = {
    "line feeds": (b"data: a\n\ndata: b\n\n", [("", "a"), ("", "b")]),
    "carriage returns": (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
    "both": (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
    "mixed": (b"data: a\n\r\ndata: b\r\n\rdata: c\r\r\ndata: d\n\n", [("", "a"), ("", "b"), ("", "c"), ("", "d")]),
    "a mark at the front": (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
    "a mark later on": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("", "a")]),
    "lines of data": (b"data: a\ndata:\ndata: b\n\n", [("", "a\n\nb")]),
    "one space is cut": (b"data:  a \ndata:b\n\n", [("", " a \nb")]),
    "a field without a colon": (b"data\n\n", [("", "")]),
    "the last name counts": (b"event: a\nevent: b\ndata: c\n\n", [("b", "c")]),
    "a name without data": (b"event: a\n\ndata: b\n\n", [("", "b")]),
    "comments": (b": wait\n\n: wait\ndata: a\n: inside\ndata: b\n\n", [("", "a\nb")]),
    "unknown fields": (b"id: 1\nretry: 10\nother: x\ndata: a\n\n", [("", "a")]),
    "empty lines": (b"\n\n\r\n\r\rdata: a\n\n\n\n", [("", "a")]),
    "a broken letter": (b"data: \xff\n\n", [("", "\ufffd")]),
    "the end": (b"data: [DONE]\n\n", [("", "[DONE]")]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("stream", "expected"), CASES.values(), ids=CASES.keys())
def test_events_at_every_split(stream, expected):
    whole = decode([stream])

    assert data_of(whole) == expected
    assert b"".join(event.raw for event in whole) == stream
    for at in range(len(stream) + 1):
        assert decode([stream[:at], stream[at:]]) == whole
    assert decode(stream[at : at + 1] for at in range(len(stream))) == whole


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name.split(".")[0])
def test_real_streams_at_every_split(path):
    stream = path.read_bytes()
    whole = decode([stream])

    assert b"".join(event.raw for event in whole) == stream
    assert len(data_of(whole)) == stream.count(b"data: ")
    assert all(event.is_whole for event in whole)
    assert decode(stream[at : at + 1] for at in range(len(stream))) == whole
    # A stream of 16 KB has as many splits; every one of them lies in one of these windows, between two events.
    bounds = [0]
    for event in whole:
        bounds.append(bounds[-1] + len(event.raw))
    for first, last in zip(bounds, bounds[2:], strict=False):
        window = stream[first:last]
        expected = decode([window])
        for at in range(len(window) + 1):
            assert decode([window[:at], window[at:]]) == expected


def test_there_are_real_streams():
    assert len(STREAMS) >= 8


def test_the_last_event_says_so():
    first, last = decode([b"data: [DONEX]\n\ndata: [DONE] \n\n"])

    assert not first.is_done
    assert last.is_done


def test_an_event_is_out_as_soon_as_its_bytes_are():
    assert [event.data for event in Decoder().feed(b"data: a\n\n")] == ["a"]
    assert [event.data for event in Decoder().feed(b"data: a\r\r")] == ["a"]
    assert [event.data for event in Decoder().feed(b"data: a\r\n\r\n")] == ["a"]
    assert [event.raw for event in Decoder().feed(b": keep-alive\n")] == [b": keep-alive\n"]


def test_a_cut_event_has_what_it_got():
    assert decode([b"event: x\ndata: a\nda"]) == [Event(b"event: x\ndata: a\nda", "a", "x", is_whole=False)]
    assert decode([b"\xef\xbb\xbfdata: [DONE]"]) == [Event(b"\xef\xbb\xbfdata: [DONE]", "[DONE]", is_whole=False)]


def test_an_event_beyond_the_limit_goes_by_in_slices():
    stream = b"data: a\n\n" + b"data: " + b"x" * 30 + b"\ndata: y\n\n" + b"data: b\n\n"
    events = decode([stream], limit_bytes=16)

    assert data_of(events) == [("", "a"), ("", "b")]
    assert [len(event.raw) for event in events] == [9, 16, 16, 14, 9]
    assert [event.is_whole for event in events] == [True, False, False, False, True]


def test_a_comment_beyond_the_limit_ends_with_its_line():
    stream = b": " + b"x" * 30 + b"\ndata: a\n\n"
    events = decode([stream], limit_bytes=16)

    assert data_of(events) == [("", "a")]
    assert [len(event.raw) for event in events] == [16, 16, 1, 9]
    assert decode((stream[at : at + 1] for at in range(len(stream))), limit_bytes=16) == events


def test_a_limit_that_is_too_low_is_refused():
    with pytest.raises(ValueError, match="`limit_bytes` is 15"):
        Decoder(15)


STREAM = st.lists(
    st.sampled_from(
        [b"\r", b"\n", b"\r\n", b"data: a", b"data", b":", b"event: e", b" ", b"\xef\xbb\xbf", b"\xe7", b"x" * 19]
    ),
    max_size=30,
).map(b"".join)


@given(STREAM, st.integers(16, 48), st.randoms(use_true_random=False))
def test_no_split_changes_anything(stream, limit_bytes, chance: random.Random):
    whole = decode([stream], limit_bytes=limit_bytes)
    cuts = sorted(chance.randrange(len(stream) + 1) for _ in range(chance.randrange(8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert b"".join(event.raw for event in whole) == stream
    assert decode(pieces, limit_bytes=limit_bytes) == whole
    assert decode((stream[at : at + 1] for at in range(len(stream))), limit_bytes=limit_bytes) == whole
    assert all(len(event.raw) <= limit_bytes for event in whole)


@given(st.text(), st.sampled_from(["", "message_start"]))
def test_our_own_events_are_read_back(text, name):
    said = {"text": text, "lone": "\ud800"}
    (event,) = decode([encode_event(said, name)])

    assert event.name == name
    assert event.is_whole
    assert json.loads(event.data) == said
