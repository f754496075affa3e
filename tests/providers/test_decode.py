"""Requests of every API in one shape. Expected values by hand from the SDKs' types."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.core.chain import digest, in_chain
from lorewright.errors import RequestError
from lorewright.providers import anthropic_messages, openai_chat, openai_completions, openai_responses
from lorewright.providers.body import read_body, write_body
from lorewright.providers.identity import to_messages
from lorewright.providers.request import Media, Place, Reasoning, Text, ToolCall, ToolResult

GOLDEN = Path(__file__).parent / "golden"
PIXEL = base64.b64encode(b"a picture").decode()
PIXEL_SHA = hashlib.sha256(b"a picture").hexdigest()

CHAT: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "messages": [
        {"role": "developer", "content": "Be short."},
        {
            "role": "user",
            "name": "ann",
            "content": [
                {"type": "text", "text": "Look"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
                {"type": "text", "text": "here"},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"b": 1, "a": 2}'}},
                {"id": "c2", "type": "custom", "custom": {"name": "run", "input": "ls -l"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "high"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "done"}]},
        {"role": "assistant", "content": "It is"},
    ],
}
MESSAGES: dict[str, Any] = {
    "model": "m",
    "system": [{"type": "text", "text": "Be short."}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                {"type": "text", "text": "here"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "c1", "name": "tide", "input": {"b": 1, "a": 2}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "high"}]},
                {"type": "text", "text": "And now?"},
            ],
        },
        {"role": "assistant", "content": "It is"},
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "m",
    "instructions": "Be short.",
    "previous_response_id": "resp_1",
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
                {"type": "input_text", "text": "here"},
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": '{"b": 1, "a": 2}'},
        {"type": "function_call_output", "call_id": "c1", "output": "high"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is"}]},
    ],
}
TIDE = ToolCall("c1", "tide", '{"a":2,"b":1}')
LOOK = (Text("Look"), Media("image", PIXEL_SHA), Text("here"))


def shape(request):
    return [(message.role, message.parts, message.place) for message in request.messages]


def test_chat():
    request = openai_chat.decode(CHAT)

    assert shape(request) == [
        ("developer", (Text("Be short."),), Place(0)),
        ("user", LOOK, Place(1, 0, 3)),
        ("assistant", (Reasoning(), TIDE, ToolCall("c2", "run", "ls -l")), Place(2)),
        ("tool", (ToolResult("c1"), Text("high")), Place(3)),
        ("tool", (ToolResult("c2"), Text("done")), Place(4, 0, 1)),
        ("assistant", (Text("It is"),), Place(5)),
    ]
    assert request.messages[1].name == "ann"
    assert (request.model, request.is_stream, request.wants_usage, request.prefill) == ("m", True, False, 5)


def test_messages():
    request = anthropic_messages.decode(MESSAGES)

    assert shape(request) == [
        ("system", (Text("Be short."),), Place(None, 0, 1)),
        ("user", LOOK, Place(0, 0, 3)),
        ("assistant", (Reasoning(), TIDE), Place(1, 0, 2)),
        ("tool", (ToolResult("c1"), Text("high")), Place(2, 0, 1)),
        ("user", (Text("And now?"),), Place(2, 1, 2)),
        ("assistant", (Text("It is"),), Place(3)),
    ]
    assert (request.is_stream, request.wants_usage, request.prefill) == (False, True, 5)


def test_responses():
    request = openai_responses.decode(RESPONSES)

    assert shape(request) == [
        ("system", (Text("Be short."),), Place(None)),
        ("user", LOOK, Place(0, 0, 3)),
        ("assistant", (Reasoning(),), Place(1)),
        ("assistant", (TIDE,), Place(2)),
        ("tool", (ToolResult("c1"), Text("high")), Place(3)),
        ("assistant", (Text("It is"),), Place(4, 0, 1)),
    ]
    assert (request.previous, request.wants_usage, request.prefill) == ("resp_1", True, 5)
    assert openai_responses.decode({"input": "hi"}).messages[0].text == "hi"


def test_completions():
    assert shape(openai_completions.decode({"prompt": "Once"})) == [("user", (Text("Once"),), Place(None))]
    assert openai_completions.decode({"prompt": [1, 2]}).messages == ()


def test_one_conversation_is_the_same_in_every_api():
    chat, messages, responses = (
        to_messages(decode(body))
        for decode, body in [
            (
                openai_chat.decode,
                CHAT | {"messages": [*CHAT["messages"][:1], *CHAT["messages"][1:4], CHAT["messages"][5]]},
            ),
            (anthropic_messages.decode, MESSAGES),
            (openai_responses.decode, RESPONSES),
        ]
    )

    look = digest(messages[1])
    assert digest(responses[1]) == look
    assert digest(chat[1]) != look, "the client named the speaker"
    assert messages[1].attachments == (f"image:{PIXEL_SHA}",)
    assert digest(messages[2]) == digest(responses[3])
    assert not in_chain(responses[2]), "a thought alone says nothing"
    assert in_chain(responses[3])
    assert messages[2].hidden, "a call alone is not scanned"
    assert digest(messages[3]) == digest(responses[4]) == digest(chat[3])
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert [message.hidden for message in messages] == [True, False, True, True, False, False]


LOOKS_NEW = {
    "ids": ({"id": "a", "cache_control": {"type": "ephemeral"}}, {"id": "b"}, True),
    "what it says": ({"data": "a"}, {"data": "b"}, False),
}


@pytest.mark.parametrize(("first", "second", "same"), LOOKS_NEW.values(), ids=LOOKS_NEW.keys())
def test_unknown_parts_are_told_apart_by_what_they_say(first, second, same):
    one, other = (
        to_messages(openai_chat.decode({"messages": [{"role": "user", "content": [{"type": "new", **part}]}]}))[0]
        for part in (first, second)
    )

    assert (digest(one) == digest(other)) is same
    assert in_chain(one)


REFUSED = {
    "no messages": (openai_chat, {}, "`messages` is null"),
    "messages of text": (openai_chat, {"messages": "hi"}, "`messages` is a text; send a list"),
    "a message of text": (openai_chat, {"messages": ["hi"]}, "`messages[0]` is a text; send an object"),
    "a number as content": (openai_chat, {"messages": [{"content": 1}]}, "`messages[0].content` is a number"),
    "a list of texts": (openai_chat, {"messages": [{"content": ["a"]}]}, "`messages[0].content[0]` is a text"),
    "system": (anthropic_messages, {"system": {}, "messages": []}, "`system` is an object"),
    "a result": (
        anthropic_messages,
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": 7}]}]},
        "`messages[0].content[0].content` is a number",
    ),
    "input": (openai_responses, {"input": 5}, "`input` is a number"),
    "instructions": (openai_responses, {"instructions": []}, "`instructions` is a list; send a text"),
}


@pytest.mark.parametrize(("api", "body", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_read_is_named(api, body, message):
    with pytest.raises(RequestError) as caught:
        api.decode(body)

    assert message in str(caught.value)
    assert caught.value.facts["param"] in message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[]", "is a list; send one JSON object"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": 1e999}', "1e999 is too large"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "no JSON"),
    ],
)
def test_bodies_that_are_refused(data, message):
    with pytest.raises(RequestError, match=message):
        read_body(data)


def test_a_body_comes_back_as_it_was():
    data = '{"b":1,"a":[1.5,12345678901234567890,"灯\\ud800"],"c":null}'.encode()

    assert write_body(read_body(data)) == data


DECODERS = {
    "/v1/chat/completions": openai_chat,
    "/v1/responses": openai_responses,
    "/v1/messages": anthropic_messages,
    "/v1/completions": openai_completions,
}
# Those of errors are no requests of their APIs: one has no messages, one only says how the real one was made.
REQUESTS = {
    path.name.split(".")[0]: sent
    for path in sorted(GOLDEN.rglob("*.request.json"))
    if (sent := json.loads(path.read_text("utf-8")))["path"] in DECODERS and "-error-" not in path.name
}


@pytest.mark.parametrize(("name", "sent"), REQUESTS.items(), ids=REQUESTS.keys())
def test_real_requests_are_read(name, sent):
    request = DECODERS[sent["path"]].decode(sent["body"])

    assert request.messages
    assert request.model == sent["body"]["model"]
    assert request.is_stream == ("-stream" in name)
