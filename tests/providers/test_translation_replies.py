"""Replies and streams in the shape of another API. The SDKs' models read what comes out; what it says is compared with
what went in, or with an answer by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from lorewright.errors import RequestError
from lorewright.providers.dialect import Dialect
from lorewright.providers.sse import Decoder, encode_event
from lorewright.providers.translation.translate import (
    StreamTranslation,
    can_translate,
    translate_error,
    translate_reply,
    translate_request,
)

GOLDEN = Path(__file__).parent / "golden" / "llamacpp"
CREATED = 1_800_000_000
WANTS_USAGE = {"stream_options": {"include_usage": True}}
EVENTS: dict[str, TypeAdapter[Any]] = {
    "chat": TypeAdapter(ChatCompletionChunk),
    "messages": TypeAdapter(RawMessageStreamEvent),
    "responses": TypeAdapter(ResponseStreamEvent),
}
BODIES: dict[str, TypeAdapter[Any]] = {
    "chat": TypeAdapter(ChatCompletion),
    "messages": TypeAdapter(Message),
    "responses": TypeAdapter(Response),
}


def translated(stream, upstream, client, request=WANTS_USAGE, pieces=None):
    translation = StreamTranslation(upstream, client, created=CREATED, request=request)
    out = b"".join(translation.feed(piece) for piece in (pieces or [stream]))
    return out + translation.close(), translation.dropped


def events_of(stream):
    events = Decoder().feed(stream)
    return [json.loads(event.data) for event in events if event.data and not event.is_done]


def checked(stream, api):
    """The events, each read by the SDK's models; pings and errors have none."""
    events = events_of(stream)
    for event in events:
        EVENTS[api].validate_python(event)
    return events


def said_in_chat(events):
    """(texts, thoughts, calls, finish, usage) of chunks, by an accumulator of the tests' own."""
    text = thought = ""
    calls: list[list[str]] = []
    finish = usage = None
    for event in events:
        for choice in event["choices"]:
            delta = choice["delta"]
            text += delta.get("content") or ""
            thought += delta.get("reasoning_content") or ""
            for call in delta.get("tool_calls", []):
                if call["index"] == len(calls):
                    calls.append([call["id"], call["function"]["name"], ""])
                calls[call["index"]][2] += call["function"]["arguments"]
            finish = choice["finish_reason"] or finish
        usage = event.get("usage") or usage
    return text, thought, calls, finish, usage


def said_in_messages(events):
    text = thought = ""
    calls: list[list[str]] = []
    finish = usage = None
    opened = -1
    for event in events:
        kind = event["type"]
        if kind == "content_block_start":
            opened += 1
            assert event["index"] == opened
            block = event["content_block"]
            if block["type"] == "tool_use":
                calls.append([block["id"], block["name"], ""])
        elif kind == "content_block_delta":
            assert event["index"] == opened
            delta = event["delta"]
            text += delta.get("text", "")
            thought += delta.get("thinking", "")
            if "partial_json" in delta:
                calls[-1][2] += delta["partial_json"]
        elif kind == "message_delta":
            finish, usage = event["delta"]["stop_reason"], event["usage"]
    return text, thought, calls, finish, usage


def said_in_responses(events):
    text = thought = ""
    calls: list[list[str]] = []
    for number, event in enumerate(events):
        assert event["sequence_number"] == number
        if event["type"] == "response.output_text.delta":
            text += event["delta"]
        elif event["type"] == "response.reasoning_text.delta":
            thought += event["delta"]
        elif event["type"] == "response.output_item.added" and event["item"]["type"] == "function_call":
            calls.append([event["item"]["call_id"], event["item"]["name"], ""])
        elif event["type"] == "response.function_call_arguments.delta":
            calls[-1][2] += event["delta"]
    last = events[-1]["response"]
    return text, thought, calls, last["status"], last.get("usage")


SAID = {"chat": said_in_chat, "messages": said_in_messages, "responses": said_in_responses}

# --- streams of our own, from what is to be said

WORDS = st.sampled_from(["a", "灯", "\n", " b", '"', "😀", "\ud83d"])
SAYINGS = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.lists(WORDS, min_size=1, max_size=3)),
        st.tuples(st.just("thought"), st.lists(WORDS, min_size=1, max_size=3)),
        st.tuples(st.just("call"), st.lists(st.sampled_from(['{"a":', "1", "}"]), min_size=1, max_size=3)),
    ),
    max_size=4,
)
STOPS = st.sampled_from(["end", "length", "tools", "refusal"])
CHAT_STOPS = {"end": "stop", "length": "length", "tools": "tool_calls", "refusal": "content_filter"}
MESSAGES_STOPS = {"end": "end_turn", "length": "max_tokens", "tools": "tool_use", "refusal": "refusal"}
STATUS = {"end": "completed", "length": "incomplete", "tools": "completed", "refusal": "incomplete"}


def chat_stream(sayings, stop):
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta, finish=None):
        return encode_event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    out = [chunk({"role": "assistant", "content": None})]
    calls = 0
    for kind, pieces in sayings:
        if kind == "call":
            named = {"name": "f", "arguments": ""}
            out.append(
                chunk({"tool_calls": [{"index": calls, "id": f"c{calls}", "type": "function", "function": named}]})
            )
            out += [chunk({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]}) for piece in pieces]
            calls += 1
        else:
            field = "content" if kind == "text" else "reasoning_content"
            out += [chunk({field: piece}) for piece in pieces]
    out.append(chunk({}, CHAT_STOPS[stop]))
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    out.append(encode_event({**head, "choices": [], "usage": usage}))
    return b"".join([*out, encode_event("[DONE]")])


def messages_stream(sayings, stop):
    def event(kind, **fields):
        return encode_event({"type": kind, **fields}, kind)

    message: dict[str, Any] = {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
    }
    usage = {"input_tokens": 6, "cache_read_input_tokens": 4, "output_tokens": 0}
    out = [event("message_start", message={**message, "usage": usage}), event("ping")]
    starts: dict[str, Any] = {
        "text": {"type": "text", "text": ""},
        "thought": {"type": "thinking", "thinking": "", "signature": ""},
    }
    names = {
        "text": ("text_delta", "text"),
        "thought": ("thinking_delta", "thinking"),
        "call": ("input_json_delta", "partial_json"),
    }
    calls = 0
    for index, (kind, pieces) in enumerate(sayings):
        start = starts.get(kind) or {"type": "tool_use", "id": f"c{calls}", "name": "f", "input": {}}
        calls += kind == "call"
        out.append(event("content_block_start", index=index, content_block=start))
        delta, field = names[kind]
        out += [event("content_block_delta", index=index, delta={"type": delta, field: piece}) for piece in pieces]
        out.append(event("content_block_stop", index=index))
    end = {"stop_reason": MESSAGES_STOPS[stop], "stop_sequence": None}
    out += [event("message_delta", delta=end, usage={"output_tokens": 5}), event("message_stop")]
    return b"".join(out)


def expected_of(sayings):
    texts, thoughts, calls = (
        ["".join(pieces) for kind, pieces in sayings if kind == name] for name in ("text", "thought", "call")
    )
    return "".join(texts), "".join(thoughts), [[f"c{n}", "f", said] for n, said in enumerate(calls)]


STREAMS = {"chat": chat_stream, "messages": messages_stream}
STOP_WORDS = {"chat": CHAT_STOPS, "messages": MESSAGES_STOPS, "responses": STATUS}
PAIRS = [(upstream, client) for upstream in STREAMS for client in SAID if client != upstream]


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


def body_of(name):
    return json.loads((GOLDEN / f"{name}.response.bin").read_bytes())


def test_a_real_body_of_chat_as_messages():
    body = body_of("02-chat-plain-usage")
    made, dropped = translate_reply(body, "chat", "messages", created=CREATED, request={})

    assert made == {
        "id": f"msg_{body['id']}",
        "type": "message",
        "role": "assistant",
        "model": "gemma-3-270m",
        "content": [{"type": "text", "text": body["choices"][0]["message"]["content"]}],
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 5,
            "cache_read_input_tokens": 92,
            "cache_creation_input_tokens": 0,
            "output_tokens": 12,
        },
    }
    assert dropped == ("system_fingerprint",)
    BODIES["messages"].validate_python(made)


def test_a_real_body_of_messages_as_chat():
    body = body_of("07-messages-plain")
    made, dropped = translate_reply(body, "messages", "chat", created=CREATED, request={})

    message = {"role": "assistant", "content": body["content"][0]["text"], "refusal": None}
    assert made == {
        "id": body["id"],
        "object": "chat.completion",
        "created": CREATED,
        "model": "gemma-3-270m",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "length"}],
        "usage": {
            "prompt_tokens": 97,
            "completion_tokens": 24,
            "total_tokens": 121,
            "prompt_tokens_details": {"cached_tokens": 92, "cache_write_tokens": 0},
        },
    }
    assert dropped == ()
    BODIES["chat"].validate_python(made)


def test_a_body_with_everything():
    body: dict[str, Any] = {
        "id": "x",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "t",
                    "reasoning_content": "h",
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}],
                    "annotations": [{"type": "url_citation"}],
                },
            },
            {"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": "other"}},
        ],
    }
    made, dropped = translate_reply(body, "chat", "messages", created=CREATED, request={})
    back, _ = translate_reply(made, "messages", "chat", created=CREATED, request={})
    request = {"tools": [{"type": "function", "name": "f", "parameters": {}, "strict": True}], "temperature": 0.5}
    response, _ = translate_reply(body, "chat", "responses", created=CREATED, request=request)

    assert made["content"] == [
        {"type": "thinking", "thinking": "h", "signature": ""},
        {"type": "text", "text": "t"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
    ]
    assert made["stop_reason"] == "tool_use"
    assert dropped == ("choices.message[assistant].annotations", "choices")
    assert back["choices"][0]["message"] == {
        "role": "assistant",
        "content": "t",
        "refusal": None,
        "reasoning_content": "h",
        "tool_calls": body["choices"][0]["message"]["tool_calls"],
    }
    assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call"]
    assert response["tools"] == request["tools"]
    assert (response["status"], response["temperature"]) == ("completed", 0.5)
    BODIES["responses"].validate_python(response)
    BODIES["messages"].validate_python(made)
    BODIES["chat"].validate_python(back)


def test_arguments_that_are_no_object_are_shown():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "[1"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"id": "x", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    made, _ = translate_reply(body, "chat", "messages", created=CREATED, request={})

    assert made["content"] == [{"type": "tool_use", "id": "c", "name": "f", "input": {"arguments": "[1"}}]


def test_what_anthropic_ran_is_dropped_and_reported():
    body = {
        "id": "x",
        "model": "m",
        "content": [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "text", "text": "t"},
        ],
        "stop_reason": "pause_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    made, dropped = translate_reply(body, "messages", "chat", created=CREATED, request={})

    assert made["choices"][0]["message"]["content"] == "t"
    assert made["choices"][0]["finish_reason"] == "length"
    assert dropped == ("content[server_tool_use]",)


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


def test_an_error_for_a_body_is_raised():
    with pytest.raises(RequestError, match=r"is an error: Gone\."):
        translate_reply({"error": {"message": "Gone."}}, "chat", "messages", created=CREATED, request={})
    with pytest.raises(RequestError, match="of the type that"):
        translate_reply({"choices": [5]}, "chat", "messages", created=CREATED, request={})


def test_errors_of_the_upstream_in_the_clients_shape():
    body = body_of("27-error-context-overflow")

    assert translate_error(body, "messages", 400) == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": body["error"]["message"]},
    }
    assert translate_error({"type": "error", "error": {"type": "x", "message": "No."}}, "chat", 429)["error"] == {
        "message": "No.",
        "type": "rate_limit_error",
        "param": None,
        "code": None,
    }
    assert "status 502" in str(translate_error("", "chat", 502))


def test_responses_go_to_messages_in_two_steps():
    made, dropped = translate_request(
        {"model": "m", "input": "Hi", "instructions": "Be.", "store": True}, "responses", "messages", Dialect()
    )

    assert made == {"model": "m", "max_tokens": 4096, "system": "Be.", "messages": [{"role": "user", "content": "Hi"}]}
    assert dropped == ("store",)
    assert can_translate("responses", "messages")
    assert not can_translate("completions", "chat")
    with pytest.raises(RequestError, match="cannot be sent to an upstream that speaks `responses`"):
        translate_request({}, "chat", "responses", Dialect())
