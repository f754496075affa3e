"""Chats in every form, whole and damaged."""

import json

import pytest

from lorewright.core.model import Message
from lorewright.errors import FormatError
from lorewright.formats.chat import read_chat_lines, read_named_messages
from lorewright.formats.chat_request import read_chat_request, read_role_messages


def codes(imported):
    return [report.code for report in imported.reports]


def lines(*values):
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)


HEADER = {"user_name": "Max", "character_name": "Aria", "create_date": "2026", "chat_metadata": {"note": 1}}
HELLO = {"name": "Aria", "is_user": False, "is_system": False, "mes": "Hello.", "swipes": ["Hello."]}
ANSWER = {"name": "Max", "is_user": True, "is_system": False, "mes": "Hi."}
HIDDEN = {"name": "Aria", "is_user": False, "is_system": True, "mes": "secret"}


def test_a_sillytavern_chat():
    read = read_chat_lines(lines(HEADER, HELLO, ANSWER, HIDDEN) + "\n")
    chat = read.value

    assert chat.messages == (
        Message("Aria", "Hello.", "assistant"),
        Message("Max", "Hi.", "user"),
        Message("Aria", "secret", "assistant", hidden=True),
    )
    assert (chat.user, chat.character, chat.metadata) == ("Max", "Aria", HEADER)
    assert (read.found, read.kept, read.refused, read.reports) == (3, 3, 0, ())


def test_newer_headers_name_nobody():
    header = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}

    chat = read_chat_lines(lines(header, HIDDEN, HELLO, ANSWER)).value

    assert (chat.user, chat.character) == ("Max", "Aria")


def test_without_a_header():
    read = read_chat_lines(lines(HELLO, ANSWER))

    assert read.found == 2
    assert (read.value.user, read.value.character, dict(read.value.metadata)) == ("Max", "Aria", {})


def test_the_caller_overrules_the_names_of_the_file():
    chat = read_chat_lines(lines(HEADER, HELLO), user="Eve", character="Bob").value

    assert (chat.user, chat.character) == ("Eve", "Bob")


def test_blank_lines_and_a_cut_last_line():
    read = read_chat_lines(lines(HEADER, "", HELLO, "  ", json.dumps(ANSWER)[:-5]) + "\r\n\n")

    assert [message.text for message in read.value.messages] == ["Hello."]
    assert (read.found, read.kept, read.refused) == (2, 1, 1)
    assert codes(read) == ["blank_line", "blank_line", "chat_truncated"]
    assert "Line 5" in read.reports[-1].message


def test_lines_that_are_no_messages():
    read = read_chat_lines(lines(HEADER, "null", "5", "[1]", "{x}", HELLO))

    assert (read.found, read.kept, read.refused) == (5, 1, 4)
    assert codes(read) == ["bad_line"] * 4


def test_a_lone_surrogate_and_a_line_separator_inside_a_line():
    read = read_chat_lines(json.dumps({"name": "A", "mes": "\ud83d"}) + "\n" + '{"name": "A", "mes": "a\u2028b\x85c"}')

    assert [message.text for message in read.value.messages] == ["\ud83d", "a\u2028b\x85c"]


def test_a_list_of_named_messages():
    value = [{"name": "Max", "mes": "Hi"}, {"name": "Aria", "mes": "Yes", "is_system": True}, {"mes": "?"}, 5]

    read = read_named_messages(value, user="Max", character="Aria")

    assert read.value.messages == (
        Message("Max", "Hi", "user"),
        Message("Aria", "Yes", "assistant", hidden=True),
        Message("Aria", "?", "assistant"),
    )
    assert (read.found, read.refused, codes(read)) == (4, 1, ["bad_line"])


@pytest.mark.parametrize(("mes", "text"), [(None, ""), (5, "5"), (["x"], ""), (True, "")])
def test_a_message_that_is_no_text(mes, text):
    read = read_named_messages([{"name": "A", "mes": mes}])

    assert [message.text for message in read.value.messages] == [text]
    assert codes(read) == ["message_not_text"]


def test_a_header_alone_is_an_empty_chat():
    read = read_named_messages(HEADER)

    assert read.value.messages == ()
    assert (read.value.user, read.value.metadata) == ("Max", HEADER)


# --- messages with roles


def roles(*messages, **names):
    return read_role_messages(list(messages), **names)


def test_roles_and_names():
    read = roles(
        {"role": "system", "content": "Be kind."},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "name": "Eve", "content": "And me?"},
        user="Max",
    )

    assert read.value.messages == (
        Message("System", "Be kind.", "system", hidden=True),
        Message("System", "Be brief.", "system", hidden=True),
        Message("Max", "Hi", "user"),
        Message("Assistant", "Hello", "assistant"),
        Message("Eve", "And me?", "user"),
    )
    assert (read.value.user, read.value.character) == ("Max", None)
    assert read.reports == ()


def test_parts_are_joined_and_others_reported():
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {}},
        {"type": "input_text", "text": "b"},
        "c",
    ]

    read = roles({"role": "user", "content": parts})

    assert read.value.messages == (Message("User", "a\nb\nc", "user"),)
    assert codes(read) == ["part_ignored"]
    assert "image_url" in read.reports[0].message


def test_tool_traffic_is_hidden():
    read = roles(
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "42", "tool_call_id": "x"},
        {"role": "user", "content": [{"type": "tool_result", "content": "42"}]},
        {"role": "assistant", "content": ""},
    )

    assert [(message.text, message.hidden) for message in read.value.messages] == [
        ("", True),
        ("42", True),
        ("", True),
        ("", False),
    ]
    assert codes(read) == ["tool_message_hidden", "tool_message_hidden", "part_ignored", "tool_message_hidden"]


@pytest.mark.parametrize("role", [None, "narrator", 5, ["user"], {}])
def test_an_unknown_role_is_hidden(role):
    read = roles({"role": role, "content": "x"})

    assert read.value.messages == (Message("System", "x", "system", hidden=True),)
    assert codes(read) == ["unknown_role"]


def test_strange_content():
    read = roles({"role": "user", "content": 5}, {"role": "user", "content": {"a": 1}}, "no object")

    assert [message.text for message in read.value.messages] == ["5", ""]
    assert (read.found, read.kept, read.refused) == (3, 2, 1)
    assert codes(read) == ["message_not_text", "message_not_text", "tool_message_hidden", "bad_message"]


@pytest.mark.parametrize("system", ["Be kind.", [{"type": "text", "text": "Be kind.", "cache_control": {}}]])
def test_an_anthropic_request(system):
    body = {"model": "m", "system": system, "messages": [{"role": "user", "content": "Hi"}]}

    read = read_chat_request(body)

    assert read.value.messages == (Message("System", "Be kind.", "system", hidden=True), Message("User", "Hi", "user"))
    assert read.value.metadata == {"model": "m"}
    assert read.reports == ()


@pytest.mark.parametrize("value", [None, {}, "x"])
def test_what_is_no_list_is_no_chat(value):
    with pytest.raises(FormatError):
        read_role_messages(value)
    with pytest.raises(FormatError):
        read_chat_request({"messages": value})
