"""Whole replies and errors in the shape of another API. The SDKs' models read what comes out; expected values by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import RequestError
from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.translate import (
    can_translate,
    translate_error,
    translate_reply,
    translate_request,
)
from tests.providers.said import BODIES, CREATED

GOLDEN = Path(__file__).parent / "golden" / "llamacpp"


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
