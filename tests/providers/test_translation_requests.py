"""Requests in the shape of another API. Expected values by hand from the SDKs' types and the tables' notes."""

import contextlib
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import RequestError
from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.chat_request import chat_to_messages
from lorewright.providers.translation.messages_request import messages_to_chat
from lorewright.providers.translation.responses_request import responses_to_chat
from tests.providers.conversations import ENDS, STEPS, SYSTEMS, chat_of, messages_of, responses_of
from tests.providers.translation_cases import CHAT_CASES, CHAT_TOOL, HI, MESSAGES_CASES, RESPONSES_CASES, chat, messages
from tests.providers.validator import problems_of_chat, problems_of_messages

FREE = Dialect()
STRICT = Dialect(system_in_middle=False)
NEW = Dialect(sampling=False, max_tokens="max_completion_tokens")


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


@pytest.mark.parametrize(("body", "expected", "dropped"), MESSAGES_CASES.values(), ids=MESSAGES_CASES.keys())
def test_messages_as_chat(body, expected, dropped):
    assert messages_to_chat(body, FREE) == (expected, dropped)


def test_newer_upstreams_of_chat():
    assert messages_to_chat(messages(temperature=1), NEW) == (chat(max_completion_tokens=9), ("temperature",))


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
