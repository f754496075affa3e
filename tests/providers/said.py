"""Replies of the tests' own: streams made of what is to be said, and what is said in a stream."""

import json
from typing import Any

from anthropic.types import Message, RawMessageStreamEvent
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from lorewright.providers.sse import Decoder, encode_event
from lorewright.providers.translation.translate import StreamTranslation

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
