"""Messages with roles, as model APIs have them -> `Chat`: a list of them, or a whole OpenAI or Anthropic request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from lorewright.core.javascript import value_as_text
from lorewright.core.model import EMPTY, Message
from lorewright.errors import FormatError
from lorewright.formats.chat import Chat
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.wording import describe

__all__ = ["read_chat_request", "read_role_messages"]

_TEXT_PARTS: Final = ("text", "input_text", "output_text")
_SYSTEM: Final = ("system", "developer")
_TOOLS: Final = ("tool", "function")

Speaker = Literal["user", "assistant", "system"]


def read_chat_request(
    body: Mapping[str, Any], *, user: str | None = None, character: str | None = None, notes: Notes | None = None
) -> Imported[Chat]:
    """Read a request body: `messages`, and Anthropic's `system` as a hidden first message."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise FormatError(f"A request has a list of `messages`, not {describe(messages)}.")
    notes = notes if notes is not None else Notes()
    system = body.get("system")
    listed = messages if system is None else [{"role": "system", "content": system}, *messages]
    metadata = {name: value for name, value in body.items() if name not in {"messages", "system"}}
    return _read(listed, metadata, user, character, notes, "chat_request")


def read_role_messages(
    value: object, *, user: str | None = None, character: str | None = None, notes: Notes | None = None
) -> Imported[Chat]:
    """Read a list of `{role, content}`. Content is a text or a list of parts, whose texts are joined with newlines.

    User and assistant messages have the names given here ("User" and "Assistant" without), unless a message has a
    `name` of its own. System and tool messages are hidden.

    Raises:
        FormatError: no list.
    """
    if not isinstance(value, list):
        raise FormatError(f"A chat is a list of messages, not {describe(value)}.")
    return _read(value, EMPTY, user, character, notes if notes is not None else Notes(), "role_messages")


def _read(
    listed: list[Any], metadata: Mapping[str, object], user: str | None, character: str | None, notes: Notes, kind: str
) -> Imported[Chat]:
    reader = _Reader(user or "User", character or "Assistant", notes)
    read = [reader.read(raw, number) for number, raw in enumerate(listed, 1)]
    messages = tuple(message for message in read if message is not None)
    chat = Chat(messages, user, character, metadata, notes.reports())
    return Imported(chat, len(read), len(messages), len(read) - len(messages), chat.reports, kind)


class _Reader:
    """Reads the messages of one list."""

    def __init__(self, user: str, character: str, notes: Notes) -> None:
        self.names: dict[Speaker, str] = {"user": user, "assistant": character, "system": "System"}
        self.notes = notes

    def read(self, raw: object, number: int) -> Message | None:
        if not isinstance(raw, dict):
            message = f"Message {number} is {describe(raw)}, not an object; it is left out."
            self.notes.add("bad_message", message, "error", entry=number)
            return None
        speaker = self.speaker(raw.get("role"), number)
        text, is_spoken = self.text(raw.get("content"), number)
        given = raw.get("name")
        name = given if isinstance(given, str) and given else self.names[speaker]
        hidden = speaker == "system"
        if not hidden and not is_spoken:
            self.notes.add(
                "tool_message_hidden", f"Message {number} holds no text; it is hidden.", "info", entry=number
            )
            hidden = True
        return Message(name, text, speaker, hidden)

    def speaker(self, role: object, number: int) -> Speaker:
        """Whose message it is; whatever is neither the user's nor the model's goes as the system's, hidden."""
        if role == "user":
            return "user"
        if role in ("assistant", "model"):
            return "assistant"
        if role in _TOOLS:
            self.notes.add("tool_message_hidden", f"Message {number} is of a tool; it is hidden.", "info", entry=number)
        elif role not in _SYSTEM:
            message = f"Message {number} has {describe(role)} as its role; it is hidden."
            self.notes.add("unknown_role", message, entry=number, field="role")
        return "system"

    def text(self, content: object, number: int) -> tuple[str, bool]:
        """The text of a message, and whether there is any (an empty text is one; null or only pictures is none)."""
        if isinstance(content, str):
            return content, True
        if isinstance(content, list):
            return self.parts(content, number)
        if content is not None:
            self.notes.add(
                "message_not_text", f"Message {number} has {describe(content)} as its content.", entry=number
            )
        is_number = isinstance(content, (int, float)) and not isinstance(content, bool)
        return (value_as_text(content), True) if is_number else ("", False)

    def parts(self, content: list[Any], number: int) -> tuple[str, bool]:
        texts: list[str] = []
        for part in content:
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
                texts.append(part["text"])
            else:
                kind = part.get("type") if isinstance(part, dict) else part
                message = f"Message {number} has a part that is no text ({describe(kind)}); it is left out."
                self.notes.add("part_ignored", message, "info", entry=number)
        return "\n".join(texts), bool(texts)
