"""Macros that read the chat and the lore: messages, histories, lore rows, times between messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from lorewright.core.javascript import value_as_text
from lorewright.templates.cbs.context import Row
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import Thrown, list_text
from lorewright.templates.context import Json
from lorewright.templates.variables import json_text

__all__ = ["CHAT", "message_at"]


def _greeting(given: Given) -> str:
    """The greeting of this chat.

    Raises:
        Thrown: no character is selected, or it has no such greeting.
    """
    given.run.record.read("chat:greeting")
    character = given.run.character()
    index = given.run.context.chat.greeting
    if index == -1:
        return character.first_message
    if index is None or not 0 <= index < len(character.alternate_greetings):
        raise Thrown
    return character.alternate_greetings[index]


def message_at(given: Given, index: int) -> Row:
    """A message by its index.

    Raises:
        Thrown: there is none.
    """
    messages = given.run.messages()
    if not 0 <= index < len(messages):
        raise Thrown
    return messages[index]


def _last_of(role: str, given: Given, before: int) -> str:
    messages = given.run.messages()
    if before > len(messages):
        raise Thrown
    found = next((message for message in reversed(messages[:before]) if message.get("role") == role), None)
    return _greeting(given) if found is None else value_as_text(found.get("data"))


def previous_char_chat(given: Given) -> str:
    index = given.run.context.call.message
    return _last_of("char", given, len(given.run.messages()) if index == -1 else index)


def previous_user_chat(given: Given) -> str:
    given.run.record.read("call:message")
    index = given.run.context.call.message
    return "" if index == -1 else _last_of("user", given, index)


def previous_chat_log(given: Given) -> str:
    index = given.number(0)
    messages = given.run.messages()
    return value_as_text(messages[int(index)].get("data")) if index in range(len(messages)) else "Out of range"


def last_message(given: Given) -> str:
    given.run.record.read("chat")
    if given.run.context.character is None:
        return ""
    return value_as_text(message_at(given, len(given.run.context.chat.messages) - 1).get("data"))


def last_message_id(given: Given) -> str:
    given.run.record.read("chat")
    return "" if given.run.context.character is None else str(len(given.run.context.chat.messages) - 1)


def _shown(given: Given, message: Row) -> str:
    """A message as JSON; in RisuAI its macros run."""
    data = message.get("data")
    if given.run.context.switches.history_runs_messages:
        data = given.reading.parse(value_as_text(data))
    return json_text({**message, "data": data})


def _history_of(role: str) -> Callable[[Given], str]:
    def history(given: Given) -> str:
        messages = given.run.messages()
        return list_text([_shown(given, message) for message in messages if message.get("role") == role])

    return history


def history(given: Given) -> str:
    messages = given.run.messages()
    if not given.arguments:
        greeting: Mapping[str, Json] = {"role": "char", "data": _greeting(given)}
        first = json_text({**greeting, "data": given.reading.parse(greeting["data"])})
        return list_text([first, *(_shown(given, message) for message in messages)])
    texts = [value_as_text(message.get("data")) for message in messages]
    if given.arguments[0] == "role":
        texts = [f"{message.get('role')}: {data}" for message, data in zip(messages, texts, strict=True)]
    return list_text(texts)


def lorebook(given: Given) -> str:
    given.run.record.read("lore")
    character = given.run.character()
    rows = [*(() if character.is_group else character.lore), *given.run.context.chat.lore]
    rows += [row for module in given.run.context.modules for row in module.lore]
    return list_text([json_text(dict(row)) for row in rows])


def times(given: Given) -> str:
    return list_text([value_as_text(message.get("time") or 0) for message in given.run.messages()])


CHAT: Final = (
    Macro("previouscharchat", "", "state", previous_char_chat, ("lastcharmessage",)),
    Macro("previoususerchat", "", "state", previous_user_chat, ("lastusermessage",)),
    Macro("previouschatlog", "index", "state", previous_chat_log),
    Macro("lastmessage", "", "state", last_message),
    Macro("lastmessageid", "", "state", last_message_id, ("lastmessageindex",)),
    Macro("lorebook", "", "state", lorebook, ("worldinfo",)),
    Macro("userhistory", "", "state", _history_of("user"), ("usermessages",)),
    Macro("charhistory", "", "state", _history_of("char"), ("charmessages",)),
    Macro("history", "role?", "state", history, ("messages",)),
    Macro("messageunixtimearray", "", "state", times),
)
