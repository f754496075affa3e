"""What a prompt is laid out from, in a SillyTavern chat: its lines, the author's note, texts in place of the card's.

The fields are those that the recorded cases of the prompt hold (spec prompt-assembly §2); the note for one character
stands in the user's settings, not in a chat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lorewright.core.javascript import truthy
from lorewright.core.layout.scene import ChatTexts, Line, Note, NotePosition
from lorewright.core.model import EMPTY, Message
from lorewright.formats.chat import Chat
from lorewright.formats.imported import Notes
from lorewright.formats.odd_values import Values

__all__ = ["NOTE_POSITIONS", "NOTE_ROLES", "chat_lines", "chat_note", "chat_texts", "group_names", "metadata_of"]

NOTE_POSITIONS: Final[Mapping[float, NotePosition]] = {-1: "none", 0: "end", 1: "in_chat", 2: "start"}
NOTE_ROLES: Final[Mapping[float, str]] = {0: "system", 1: "user", 2: "assistant"}
_METADATA: Final = "chat_metadata"


def metadata_of(chat: Chat) -> Mapping[str, object]:
    """What SillyTavern keeps with the chat; nothing where the file has no header, or one without it."""
    kept = chat.metadata.get(_METADATA)
    return kept if isinstance(kept, Mapping) else EMPTY


def chat_lines(chat: Chat) -> tuple[Line, ...]:
    """The messages with all that a prompt asks of them. Those of a request body have only names and roles.

    A name that is empty in the file stays so: a prompt shows it, and only scanning wants another one.
    """
    if len(chat.originals) == len(chat.messages):
        return tuple(map(_line, chat.messages, chat.originals))
    return tuple(_line(message, EMPTY) for message in chat.messages)


def _line(message: Message, raw: Mapping[str, object]) -> Line:
    extra = raw.get("extra")
    beside: Mapping[str, object] = extra if isinstance(extra, Mapping) else EMPTY
    name, bias = raw.get("name"), beside.get("bias")
    return Line(
        name=name if isinstance(name, str) else message.name,
        text=message.text,
        is_user=message.role == "user",
        hidden=message.hidden,
        narrator=beside.get("type") == "narrator",
        named=truthy(raw.get("force_avatar")),
        bias=bias if isinstance(bias, str) else "",
    )


def chat_note(chat: Chat, notes: Notes) -> Note:
    """The author's note; SillyTavern's shipped place, depth 4 and each message, where the chat does not say."""
    values = Values(metadata_of(chat), _METADATA, notes)
    usual = Note()
    position, role = values.number("note_position", 1), values.number("note_role", 0)
    for name, value, known in (("note_position", position, NOTE_POSITIONS), ("note_role", role, NOTE_ROLES)):
        if value not in known:
            choice = ", ".join(f"{number:g} ({meant})" for number, meant in known.items())
            message = f"`{_METADATA}.{name}` is {value:g}, which SillyTavern does not know: {choice}. The note stands nowhere."
            notes.add("bad_value", message, field=f"{_METADATA}.{name}")
    return Note(
        text=values.text("note_prompt"),
        position=NOTE_POSITIONS.get(position, "none"),
        depth=values.number("note_depth", usual.depth),
        role=NOTE_ROLES.get(role, f"{role:g}"),
        interval=values.number("note_interval", usual.interval),
    )


def chat_texts(chat: Chat, notes: Notes) -> ChatTexts:
    """Texts of this chat that stand for those of the card."""
    values = Values(metadata_of(chat), _METADATA, notes)
    return ChatTexts(
        scenario=values.text("scenario"),
        examples=values.text("mes_example"),
        system_prompt=values.text("system_prompt"),
    )


def group_names(chat: Chat) -> tuple[str, ...]:
    """The characters of a group chat in the order in which they first speak; empty: the chat is of one character.

    In a group each message of a character keeps its picture (`original_avatar`); elsewhere only those do that the user
    sent in somebody's name.
    """
    said = [
        (line.name, bool(raw.get("original_avatar")))
        for line, raw in zip(chat_lines(chat), chat.originals, strict=False)
        if not (line.is_user or line.hidden or line.narrator)
    ]
    return tuple(dict.fromkeys(name for name, _ in said)) if all(kept for _, kept in said) else ()
