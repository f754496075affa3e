"""Changes to a SillyTavern chat as data: a chat in, a chat out; `formats/chat_write.py` writes what became different.

Messages are counted from 0, hidden ones too, as in `Chat.messages`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.layout.scene import Note
from lorewright.errors import FormatError
from lorewright.formats.chat import Chat, read_message
from lorewright.formats.chat_scene import NOTE_POSITIONS, NOTE_ROLES, chat_note, metadata_of
from lorewright.formats.chat_write import source_of
from lorewright.formats.imported import Notes
from lorewright.formats.wording import describe

__all__ = [
    "add_message",
    "add_swipe",
    "choose_swipe",
    "edit_message",
    "hide_message",
    "with_metadata",
    "with_note",
    "with_variables",
]

Raw = Mapping[str, Any]

_OF_GENERATION: Final = ("gen_started", "gen_finished")
_OF_SWIPES: Final = ("send_date", *_OF_GENERATION, "extra")
"""What a message keeps for each of its versions (`swipe_info`)."""


# -- what stands in the header -----------------------------------------------------------------------------------------


def with_metadata(chat: Chat, changes: Mapping[str, object], *, without: Sequence[str] = ()) -> Chat:
    """The chat with these members in its `chat_metadata`. A header is made where there is none.

    Raises:
        FormatError: not a chat of JSON lines, or its `chat_metadata` is no object.
    """
    source_of(chat)
    if not changes and not without:
        return chat
    kept = metadata_of(chat)
    given = chat.metadata.get("chat_metadata")
    if given is not None and given is not kept:
        raise FormatError(f"The `chat_metadata` of the chat is {describe(given)}, not an object; correct the file.")
    header = dict(chat.metadata) or {"user_name": chat.user or "User", "character_name": chat.character or "Assistant"}
    header["chat_metadata"] = {**{name: kept[name] for name in kept if name not in without}, **changes}
    return replace(chat, metadata=header)


def with_variables(chat: Chat, variables: Mapping[str, object]) -> Chat:
    """The chat with these variables in place of its own.

    Raises:
        FormatError: as `with_metadata`.
    """
    return replace(with_metadata(chat, {"variables": dict(variables)}), variables=variables)


def with_note(chat: Chat, note: Note) -> Chat:
    """The chat with this author's note. What the chat says already is not written.

    Raises:
        FormatError: as `with_metadata`; a role that SillyTavern does not know; a note for one character, which has no
            place in a chat.
    """
    if note.own is not None:
        raise FormatError("A note for one character stands in SillyTavern's settings, not in a chat. Leave `own` out.")
    roles = {role: number for number, role in NOTE_ROLES.items()}
    if note.role not in roles:
        raise FormatError(f"A note has the role {', '.join(roles)}; `{note.role}` is none of them.", role=note.role)
    old = chat_note(chat, Notes())
    positions = {position: number for number, position in NOTE_POSITIONS.items()}
    fields = {
        "note_prompt": (old.text, note.text, note.text),
        "note_interval": (old.interval, note.interval, note.interval),
        "note_position": (old.position, note.position, positions[note.position]),
        "note_depth": (old.depth, note.depth, note.depth),
        "note_role": (old.role, note.role, roles[note.role]),
    }
    return with_metadata(chat, {name: value for name, (before, after, value) in fields.items() if before != after})


# -- messages ----------------------------------------------------------------------------------------------------------


def add_message(chat: Chat, name: str, text: str, *, is_user: bool, send_date: str = "") -> Chat:
    """The chat with one more message at its end. `send_date`: when it was sent, as the program writes it.

    Raises:
        FormatError: not a chat of JSON lines.
    """
    source_of(chat)
    dated = {"send_date": send_date} if send_date else {}
    raw: Raw = {"name": name, "is_user": is_user, "is_system": False, **dated, "mes": text, "extra": {}}
    return _with_messages(chat, (*chat.originals, raw))


def edit_message(chat: Chat, at: int, text: str) -> Chat:
    """The message with another text, which its chosen version has as well.

    Raises:
        FormatError: not a chat of JSON lines, or no such message.
    """
    raw = _message(chat, at)
    made = {**raw, "mes": text}
    current = _current(raw)
    if current is not None:
        made["swipes"] = [text if place == current else one for place, one in enumerate(raw["swipes"])]
    return _with_message(chat, at, made)


def hide_message(chat: Chat, at: int, *, hidden: bool = True) -> Chat:
    """The message hidden from prompts, or shown again.

    Raises:
        FormatError: not a chat of JSON lines, or no such message.
    """
    return _with_message(chat, at, {**_message(chat, at), "is_system": hidden})


def add_swipe(chat: Chat, at: int, text: str) -> Chat:
    """The message with one more version of its text, which is chosen.

    Raises:
        FormatError: not a chat of JSON lines; no such message; or its versions are no list.
    """
    raw = _message(chat, at)
    swipes, current = _put_away(raw, at)
    made = {**raw, "swipes": [*swipes, text]}
    info = raw.get("swipe_info")
    if isinstance(info, list) and len(info) == len(swipes):
        made["swipe_info"] = [*info, {"extra": {}}]
    return _with_message(chat, at, _show(made, len(swipes), current))


def choose_swipe(chat: Chat, at: int, swipe: int) -> Chat:
    """The message with another one of its versions as its text, and what the file keeps for that version.

    Raises:
        FormatError: not a chat of JSON lines; no such message or version.
    """
    raw = _message(chat, at)
    count = len(_swipes(raw, at))
    swipes, current = _put_away(raw, at)
    if not 0 <= swipe < count or not isinstance(swipes[swipe], str):
        raise FormatError(f"Message {at} has no version {swipe} of its text; it has {count}.", value=swipe)
    if swipe == _current(raw):
        return chat
    return _with_message(chat, at, _show({**raw, "swipes": swipes}, swipe, current))


def _put_away(raw: Raw, at: int) -> tuple[list[Any], int]:
    """All versions of a message, with the text that it shows now, and which one that is."""
    swipes, shown, current = list(_swipes(raw, at)), raw.get("mes"), _current(raw)
    if current is not None:
        swipes[current] = shown
    elif shown in swipes:
        current = swipes.index(shown)
    else:
        swipes, current = [*swipes, shown], len(swipes)
    return swipes, current


def _show(raw: Raw, swipe: int, current: int) -> Raw:
    """The message with another version as its text; what it keeps for the current one is put away."""
    made = {**raw, "swipe_id": swipe, "mes": raw["swipes"][swipe]}
    info = raw.get("swipe_info")
    if isinstance(info, list) and len(info) == len(raw["swipes"]) and all(isinstance(one, dict) for one in info):
        shown = {name: raw[name] for name in _OF_SWIPES if name in raw}
        info = [{**one, **shown} if place == current else one for place, one in enumerate(info)]
        made = {name: value for name, value in made.items() if name not in _OF_GENERATION}
        made |= {"swipe_info": info, **{name: info[swipe][name] for name in _OF_SWIPES if name in info[swipe]}}
    return made


def _current(raw: Raw) -> int | None:
    """Which version of the text is shown; None where the file does not say."""
    swipes, chosen = raw.get("swipes"), raw.get("swipe_id", 0)
    if not isinstance(swipes, list) or type(chosen) is not int or not 0 <= chosen < len(swipes):
        return None
    return chosen


def _swipes(raw: Raw, at: int) -> list[Any]:
    swipes = raw.get("swipes")
    if swipes is not None and not isinstance(swipes, list):
        raise FormatError(f"The versions (`swipes`) of message {at} are {describe(swipes)}, not a list.", value=at)
    return swipes or []


def _message(chat: Chat, at: int) -> Raw:
    source_of(chat)
    if not 0 <= at < len(chat.originals):
        count = len(chat.originals)
        raise FormatError(f"There is no message {at}: the chat has {count}, counted from 0.", value=at, limit=count)
    return chat.originals[at]


def _with_message(chat: Chat, at: int, raw: Raw) -> Chat:
    return _with_messages(chat, (*chat.originals[:at], raw, *chat.originals[at + 1 :]))


def _with_messages(chat: Chat, originals: tuple[Raw, ...]) -> Chat:
    """The chat with other originals; messages are read anew where they changed."""
    known = zip(chat.originals, chat.messages, strict=True)
    messages = [
        message if raw is new else read_message(new, number, chat.user, chat.character, Notes())
        for number, (new, (raw, message)) in enumerate(zip(originals, known, strict=False), 1)
    ]
    for raw in originals[len(messages) :]:
        messages.append(read_message(raw, len(messages) + 1, chat.user, chat.character, Notes()))
    return replace(chat, messages=tuple(messages), originals=originals)
