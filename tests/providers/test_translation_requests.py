"""Requests in the shape of another API. Expected values by hand from the SDKs' types and the tables' notes."""

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import RequestError
from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.chat_request import chat_to_messages
from lorewright.providers.translation.messages_request import messages_to_chat
from lorewright.providers.translation.responses_request import responses_to_chat
from tests.providers.conversations import ENDS, PIXEL, STEPS, SYSTEMS, chat_of, messages_of, responses_of
from tests.providers.validator import problems_of_chat, problems_of_messages

FREE = Dialect()
STRICT = Dialect(system_in_middle=False)
NEW = Dialect(sampling=False, max_tokens="max_completion_tokens")
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


@pytest.mark.parametrize(("body", "expected", "dropped"), CHAT_CASES.values(), ids=CHAT_CASES.keys())
def test_chat_as_messages(body, expected, dropped):
    assert chat_to_messages(body, FREE) == (expected, dropped)


def test_system_text_in_the_middle_as_messages():
    body = chat(messages=[HI, {"role": "assistant", "content": "a"}, {"role": "system", "content": "S"}])

    assert chat_to_messages(body, FREE).body["messages"][2] == {"role": "system", "content": "S"}
    assert chat_to_messages(body, STRICT).body["messages"][2] == {"role": "user", "content": "S"}


def test_upstreams_without_sampling():
    assert chat_to_messages(chat(temperature=0.5, top_p=1), NEW) == (
        messages(max_tokens=4096),
        ("temperature", "top_p"),
    )


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


@pytest.mark.parametrize(("body", "expected", "dropped"), MESSAGES_CASES.values(), ids=MESSAGES_CASES.keys())
def test_messages_as_chat(body, expected, dropped):
    assert messages_to_chat(body, FREE) == (expected, dropped)


def test_newer_upstreams_of_chat():
    assert messages_to_chat(messages(temperature=1), NEW) == (chat(max_completion_tokens=9), ("temperature",))


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


@pytest.mark.parametrize(("body", "expected", "dropped"), RESPONSES_CASES.values(), ids=RESPONSES_CASES.keys())
def test_responses_as_chat(body, expected, dropped):
    assert responses_to_chat(body, FREE) == (expected, dropped)


REFUSED = {
    "audio": (
        chat_to_messages,
        chat(messages=[{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]),
        "messages[user].content[input_audio]",
    ),
    "two replies": (chat_to_messages, chat(n=2), "n"),
    "a kind of part nobody knows": (
        chat_to_messages,
        chat(messages=[{"role": "user", "content": [{"type": "smell"}]}]),
        "messages[user].content[smell]",
    ),
    "a role nobody knows": (chat_to_messages, chat(messages=[{"role": "ghost", "content": "x"}]), "messages[ghost]"),
    "arguments that are no JSON": (
        chat_to_messages,
        chat(
            messages=[
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}],
                }
            ]
        ),
        "messages[assistant].tool_calls[function].function.arguments",
    ),
    "a picture of another kind": (
        chat_to_messages,
        chat(
            messages=[
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "data:image/tiff;base64,QQ=="}}],
                }
            ]
        ),
        "messages[user].content[image_url].image_url.url",
    ),
    "a word nobody knows": (chat_to_messages, chat(tools=[CHAT_TOOL], tool_choice="maybe"), "tool_choice=maybe"),
    "a tool of Anthropic's": (
        messages_to_chat,
        messages(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
        "tools[web_search_20250305]",
    ),
    "a picture as a result": (
        messages_to_chat,
        messages(
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "image", "source": {}}]}
                    ],
                }
            ]
        ),
        "messages[user].content[tool_result].content[image]",
    ),
    "a place to run": (messages_to_chat, messages(inference_geo="eu"), "inference_geo"),
    "a stored response": (
        responses_to_chat,
        {"model": "m", "input": "Hi", "previous_response_id": "r"},
        "previous_response_id",
    ),
    "a tool of OpenAI's": (
        responses_to_chat,
        {"model": "m", "input": "Hi", "tools": [{"type": "web_search"}]},
        "tools[web_search]",
    ),
    "an item of another kind": (
        responses_to_chat,
        {"model": "m", "input": [{"type": "computer_call"}]},
        "input[computer_call]",
    ),
    "a file": (
        responses_to_chat,
        {"model": "m", "input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]},
        "input[message].content[input_file]",
    ),
}


@pytest.mark.parametrize(("translate", "body", "param"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_is_named(translate, body, param):
    with pytest.raises(RequestError, match="cannot be translated from") as caught:
        translate(body, FREE)

    assert caught.value.facts["param"] == param
    assert f"`{param}`" in str(caught.value)


@given(STEPS, ENDS, SYSTEMS, st.sampled_from([FREE, STRICT]))
def test_conversations_of_chat_are_valid_messages(steps, end, system, dialect):
    body = chat_of(steps, end, system)
    before = copy.deepcopy(body)

    made, dropped = chat_to_messages(body, dialect)

    assert list(problems_of_messages(made, system_in_middle=dialect.system_in_middle)) == []
    assert set(dropped) <= {"x_unknown", "messages[assistant].reasoning_content"}
    assert body == before


@given(STEPS, ENDS, SYSTEMS)
def test_conversations_of_messages_are_valid_chats(steps, end, system):
    made, dropped = messages_to_chat(messages_of(steps, end, system), FREE)

    assert list(problems_of_chat(made)) == []
    assert set(dropped) <= {"x_unknown", "messages[assistant].content[thinking]"}


@given(STEPS, ENDS, SYSTEMS)
def test_conversations_of_responses_are_valid_chats(steps, end, system):
    made, dropped = responses_to_chat(responses_of(steps, end, system), FREE)

    assert list(problems_of_chat(made)) == []
    assert set(dropped) <= {"x_unknown", "input[reasoning]"}


@given(STEPS, ENDS, SYSTEMS)
def test_there_and_back_says_the_same(steps, end, system):
    """Of a conversation in Messages without thoughts, texts and calls are the same after a walk through Chat."""
    body = messages_of([step._replace(has_thought=False) for step in steps], end, system)
    back = chat_to_messages(messages_to_chat(body, FREE).body, FREE).body

    assert back["messages"] == [plain(message) for message in body["messages"]]


def plain(message):
    """A message with one text as a text."""
    content = message["content"]
    is_text = isinstance(content, list) and len(content) == 1 and content[0]["type"] == "text"
    return {**message, "content": content[0]["text"] if is_text else content}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "user", "text", "auto", "data:,"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "text", "function", "source", "image_url"]), inner
        )
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        *(
            "messages",
            "model",
            "tools",
            "tool_choice",
            "stop",
            "temperature",
            "response_format",
            "reasoning_effort",
            "system",
        ),
        *(
            "input",
            "instructions",
            "text",
            "reasoning",
            "output_config",
            "metadata",
            "stop_sequences",
            "stream_options",
        ),
    ]
)
TRANSLATIONS = [chat_to_messages, messages_to_chat, responses_to_chat]


@pytest.mark.parametrize("translate", TRANSLATIONS)
@given(st.dictionaries(NAMES, JSON))
def test_hostile_requests_are_translated_or_refused(translate, body):
    with contextlib.suppress(RequestError):
        made = translate(body, FREE)
        assert isinstance(made.body, dict)
