"""Streams in the shape of another API. The SDKs' models read every event that comes out; what it says is compared with
what went in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.providers.sse import Decoder, encode_event
from lorewright.providers.translation.translate import StreamTranslation
from tests.providers.said import (
    CREATED,
    PAIRS,
    SAID,
    SAYINGS,
    STOP_WORDS,
    STOPS,
    STREAMS,
    WANTS_USAGE,
    chat_stream,
    checked,
    events_of,
    expected_of,
    messages_stream,
    said_in_chat,
    said_in_messages,
    translated,
)

GOLDEN = Path(__file__).parent / "golden" / "llamacpp"


@pytest.mark.parametrize(("upstream", "client"), PAIRS)
@given(SAYINGS, STOPS, st.integers(1, 40))
def test_streams_say_the_same_at_every_split(upstream, client, sayings, stop, size):
    stream = STREAMS[upstream](sayings, stop)
    out, dropped = translated(stream, upstream, client)

    text, thought, calls, finish, usage = SAID[client](checked(out, client))
    assert (text, thought, calls) == expected_of(sayings)
    assert finish == STOP_WORDS[client][stop]
    assert dropped == ()
    read = {
        "chat": lambda: (
            usage["prompt_tokens"],
            usage["prompt_tokens_details"]["cached_tokens"],
            usage["completion_tokens"],
        ),
        "messages": lambda: (usage["input_tokens"] + 4, usage["cache_read_input_tokens"], usage["output_tokens"]),
        "responses": lambda: (
            usage["input_tokens"],
            usage["input_tokens_details"]["cached_tokens"],
            usage["output_tokens"],
        ),
    }
    assert read[client]() == (10, 4, 5)
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert translated(stream, upstream, client, pieces=pieces)[0] == out


@pytest.mark.parametrize("client", ["messages", "responses"])
@pytest.mark.parametrize("name", ["13-chat-stream-usage", "15-chat-stream-tool-required", "16-chat-stream-json-schema"])
def test_real_streams_of_chat(name, client):
    stream = (GOLDEN / f"{name}.response.bin").read_bytes()
    expected = said_in_chat(events_of(stream))
    out, dropped = translated(stream, "chat", client)

    text, thought, calls, _, usage = SAID[client](checked(out, client))
    assert (text, thought, calls) == expected[:3]
    assert text or calls
    assert usage["output_tokens"] == (expected[4] or {}).get("completion_tokens", usage["output_tokens"])
    assert set(dropped) <= {"system_fingerprint"}


@pytest.mark.parametrize("client", ["chat", "responses"])
@pytest.mark.parametrize("name", ["18-messages-stream", "19-messages-stream-tool"])
def test_real_streams_of_messages(name, client):
    stream = (GOLDEN / f"{name}.response.bin").read_bytes()
    expected = said_in_messages(events_of(stream))
    out, _ = translated(stream, "messages", client)

    assert SAID[client](checked(out, client))[:3] == expected[:3]
    assert expected[0]


def test_a_chunk_with_the_usage_only_for_who_asked():
    stream = messages_stream([("text", ["a"])], "end")
    with_usage, without = (translated(stream, "messages", "chat", request=request)[0] for request in (WANTS_USAGE, {}))

    assert [event["choices"] for event in events_of(with_usage)][-1] == []
    assert all("usage" not in event for event in events_of(without))
    assert without.endswith(b"data: [DONE]\n\n")


# --- what goes wrong


def failed(stream, upstream, client):
    out, _ = translated(stream, upstream, client)
    return events_of(out)[-1]


GARBAGE = {
    "chat": [b"data: {\n\n", b"data: []\n\n", b'data: {"choices": 5}\n\n', b'data: {"choices": [{"delta": 1}]}\n\n'],
    "messages": [b"data: {\n\n", b"data: []\n\n", b'data: {"type": "content_block_delta", "delta": 1}\n\n'],
}


@pytest.mark.parametrize(("upstream", "client"), PAIRS)
def test_garbage_ends_the_stream_with_an_error(upstream, client):
    begun = STREAMS[upstream]([("text", ["a"])], "end")
    first = Decoder().feed(begun)[0].raw
    for garbage in GARBAGE[upstream]:
        last = failed(first + garbage + begun, upstream, client)

        error = last["response"]["error"] if client == "responses" else last["error"]
        assert error["message"] == "The upstream sent an event that its API does not have."


@pytest.mark.parametrize(("upstream", "client"), PAIRS)
@given(SAYINGS, st.integers(0, 400))
def test_a_stream_that_is_cut_off_says_so(upstream, client, sayings, size):
    stream = STREAMS[upstream](sayings, "end")
    cut = stream[: min(size, len(stream) // 2)]
    last = failed(cut, upstream, client)

    error = last["response"]["error"] if client == "responses" else last["error"]
    assert "ended before the reply did" in error["message"]


def test_a_stream_without_its_last_line_is_whole():
    stream = chat_stream([("text", ["a"])], "end").removesuffix(b"data: [DONE]\n\n")
    events = events_of(translated(stream, "chat", "messages")[0])

    assert events[-1] == {"type": "message_stop"}
    assert said_in_messages(events)[4]["output_tokens"] == 5


def test_an_error_in_the_middle_is_passed_on():
    stream = encode_event({"type": "error", "error": {"type": "overloaded_error", "message": "Too much."}}, "error")

    assert failed(stream, "messages", "chat")["error"]["message"] == "Too much."
    assert failed(encode_event({"error": {"message": "Gone."}}), "chat", "messages")["error"]["message"] == "Gone."


def test_a_call_that_is_taken_up_again_is_an_error():
    def chunk(index, **call):
        return encode_event({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, **call}]}}]})

    function = {"name": "f", "arguments": ""}
    stream = (
        chunk(0, id="a", function=function)
        + chunk(1, id="b", function=function)
        + chunk(0, function={"arguments": "{"})
    )

    assert "went back to a tool call" in failed(stream, "chat", "messages")["error"]["message"]


def test_keep_alives_go_on():
    translation = StreamTranslation("chat", "messages", created=CREATED, request={})

    assert translation.feed(b": wait\n\n") == b": wait\n"
