"""Requests, what they are in the shape of another API, and what is dropped. By hand, from the SDKs' types and the
tables' notes."""

from typing import Any

from tests.providers.conversations import PIXEL

DATA_URL = f"data:image/png;base64,{PIXEL}"
SCHEMA = {"type": "object", "properties": {"harbour": {"type": "string"}}}
CHAT_TOOL = {"type": "function", "function": {"name": "tide", "description": "d", "parameters": SCHEMA, "strict": True}}
MESSAGES_TOOL = {"name": "tide", "description": "d", "strict": True, "input_schema": SCHEMA}
HI: dict[str, Any] = {"role": "user", "content": "Hi"}


def chat(**more):
    return {"model": "m", "messages": [HI], **more}


def messages(**more):
    return {"model": "m", "max_tokens": 9, "messages": [HI], **more}


CHAT_CASES = {
    "the least": (chat(), {"model": "m", "max_tokens": 4096, "messages": [HI]}, ()),
    "limits and stops": (
        chat(max_completion_tokens=5, stop=["END", " "], temperature=1.5, top_p=0.9, stream=True),
        {**messages(max_tokens=5), "stop_sequences": ["END"], "temperature": 1, "top_p": 0.9, "stream": True},
        ("temperature",),
    ),
    "system": (
        chat(messages=[{"role": "system", "content": "A"}, {"role": "developer", "content": "B"}, HI]),
        messages(max_tokens=4096, system=[{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]),
        (),
    ),
    "pictures and files": (
        chat(
            messages=[
                {
                    "role": "user",
                    "name": "ann",
                    "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}},
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "auto"}},
                        {
                            "type": "file",
                            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="},
                        },
                    ],
                }
            ]
        ),
        messages(
            max_tokens=4096,
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                        {
                            "type": "document",
                            "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="},
                            "title": "a.pdf",
                        },
                    ],
                }
            ],
        ),
        ("messages[user].name", "messages[user].content[image_url].image_url.detail"),
    ),
    "tools": (
        chat(
            tools=[CHAT_TOOL],
            tool_choice={"type": "function", "function": {"name": "tide"}},
            parallel_tool_calls=False,
            messages=[
                HI,
                {
                    "role": "assistant",
                    "content": None,
                    "reasoning_content": "hm",
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": "tide", "arguments": '{"a": 1}'}},
                        {"id": "2", "type": "function", "function": {"name": "tide", "arguments": ""}},
                    ],
                },
                {"role": "tool", "tool_call_id": "1", "content": "high"},
                {"role": "tool", "tool_call_id": "2", "content": [{"type": "text", "text": "low"}]},
                {"role": "user", "content": "And?"},
            ],
        ),
        messages(
            max_tokens=4096,
            tools=[MESSAGES_TOOL],
            tool_choice={"type": "tool", "name": "tide", "disable_parallel_tool_use": True},
            messages=[
                HI,
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "1", "name": "tide", "input": {"a": 1}},
                        {"type": "tool_use", "id": "2", "name": "tide", "input": {}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "1", "content": "high"},
                        {"type": "tool_result", "tool_use_id": "2", "content": "low"},
                        {"type": "text", "text": "And?"},
                    ],
                },
            ],
        ),
        ("messages[assistant].reasoning_content",),
    ),
    "what has no place": (
        chat(seed=1, user="u", n=1, frequency_penalty=0, logit_bias={"1": 2}, top_logprobs=None, made_up=1),
        messages(max_tokens=4096, metadata={"user_id": "u"}),
        ("seed", "logit_bias", "made_up"),
    ),
    "thought and form": (
        chat(
            reasoning_effort="minimal",
            response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA, "strict": True}},
        ),
        messages(max_tokens=4096, output_config={"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}),
        ("response_format[json_schema].json_schema.name",),
    ),
    "no thought": (chat(reasoning_effort="none"), messages(max_tokens=4096, thinking={"type": "disabled"}), ()),
    "a prefill": (
        chat(messages=[HI, {"role": "assistant", "content": "Sure \n"}]),
        messages(max_tokens=4096, messages=[HI, {"role": "assistant", "content": "Sure"}]),
        (),
    ),
}

MESSAGES_CASES = {
    "the least": (messages(), chat(max_tokens=9), ()),
    "a stream tells its usage": (
        messages(stream=True, temperature=1, top_k=5, stop_sequences=["END"]),
        chat(max_tokens=9, temperature=1, stop=["END"], stream=True, stream_options={"include_usage": True}),
        ("top_k",),
    ),
    "system": (
        messages(
            system=[
                {"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "B"},
            ]
        ),
        chat(max_tokens=9, messages=[{"role": "system", "content": "A\n\nB"}, HI]),
        ("system[text].cache_control",),
    ),
    "pictures and files": (
        messages(
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "T"}},
                        {
                            "type": "document",
                            "title": "a.pdf",
                            "source": {"type": "base64", "media_type": "application/pdf", "data": "QQ=="},
                        },
                    ],
                }
            ]
        ),
        chat(
            max_tokens=9,
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image_url", "image_url": {"url": DATA_URL}},
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                        {"type": "text", "text": "T"},
                        {
                            "type": "file",
                            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="},
                        },
                    ],
                }
            ],
        ),
        (),
    ),
    "tools": (
        messages(
            tools=[MESSAGES_TOOL],
            tool_choice={"type": "any", "disable_parallel_tool_use": True},
            messages=[
                HI,
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hm", "signature": "s"},
                        {"type": "text", "text": "Let me see."},
                        {"type": "tool_use", "id": "1", "name": "tide", "input": {"b": 1, "a": 2}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "1", "content": "high", "is_error": False},
                        {"type": "text", "text": "And?"},
                    ],
                },
            ],
        ),
        chat(
            max_tokens=9,
            tools=[CHAT_TOOL],
            tool_choice="required",
            parallel_tool_calls=False,
            messages=[
                HI,
                {
                    "role": "assistant",
                    "content": "Let me see.",
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": "tide", "arguments": '{"a":2,"b":1}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "1", "content": "high"},
                {"role": "user", "content": "And?"},
            ],
        ),
        ("messages[assistant].content[thinking]",),
    ),
    "thought and form": (
        messages(
            thinking={"type": "adaptive"},
            metadata={"user_id": "u"},
            output_config={"effort": "max", "format": {"type": "json_schema", "schema": SCHEMA}},
        ),
        chat(
            max_tokens=9,
            user="u",
            reasoning_effort="max",
            response_format={"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}},
        ),
        ("thinking",),
    ),
}

RESPONSES_CASES = {
    "a text": ({"model": "m", "input": "Hi"}, chat(), ()),
    "a conversation": (
        {
            "model": "m",
            "instructions": "Be.",
            "max_output_tokens": 9,
            "store": True,
            "stream": True,
            "input": [
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": DATA_URL}],
                },
                {"type": "reasoning", "id": "r", "summary": []},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "b"}],
                    "status": "completed",
                },
                {"type": "function_call", "call_id": "1", "name": "tide", "arguments": "{}"},
                {"type": "function_call", "call_id": "2", "name": "tide", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "1", "output": "high"},
                {"type": "function_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "low"}]},
            ],
        },
        chat(
            max_tokens=9,
            stream=True,
            stream_options={"include_usage": True},
            messages=[
                {"role": "system", "content": "Be."},
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": DATA_URL}}],
                },
                {
                    "role": "assistant",
                    "content": "b",
                    "tool_calls": [
                        {"id": n, "type": "function", "function": {"name": "tide", "arguments": "{}"}} for n in "12"
                    ],
                },
                {"role": "tool", "tool_call_id": "1", "content": "high"},
                {"role": "tool", "tool_call_id": "2", "content": "low"},
            ],
        ),
        ("store", "input[reasoning]"),
    ),
    "tools and form": (
        {
            "model": "m",
            "input": "Hi",
            "tools": [{"type": "function", "name": "tide", "description": "d", "parameters": SCHEMA, "strict": True}],
            "tool_choice": {"type": "function", "name": "tide"},
            "parallel_tool_calls": True,
            "reasoning": {"effort": "low", "summary": "auto"},
            "text": {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}, "verbosity": "low"},
        },
        chat(
            tools=[CHAT_TOOL],
            tool_choice={"type": "function", "function": {"name": "tide"}},
            parallel_tool_calls=True,
            reasoning_effort="low",
            response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
        ),
        ("reasoning.summary", "text.verbosity"),
    ),
}
