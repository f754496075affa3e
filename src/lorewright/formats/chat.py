"""Chats: SillyTavern's JSON lines, lists of messages, and request bodies of model APIs -> `Chat`.

Hidden messages (`Message.hidden`) are neither scanned nor counted by the engine: SillyTavern's system messages, and
the system prompt and tool traffic of a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lorewright.core.javascript import truthy, value_as_text
from lorewright.core.model import EMPTY, Message, Report
from lorewright.errors import FormatError
from lorewright.formats.chat_source import ChatSource
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.wording import describe

__all__ = ["Chat", "read_chat_lines", "read_message", "read_named_messages"]

_PLACEHOLDER: Final = "unused"
"""What newer SillyTavern writes in place of the names in the header."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation, oldest message first. `user` and `character` are names as far as the file or the caller knows.

    `metadata` is the header of the file, or the request without its messages. `reports` are those of the reading.
    `variables`: those that SillyTavern keeps with the chat (`{{getvar::…}}`), from its header.
    `originals`: each message as it stands in a file of SillyTavern, with all that it keeps beside the text.
    `source`: the lines of such a file, to write them back (`formats/chat_write.py`).
    """

    messages: tuple[Message, ...]
    user: str | None = None
    character: str | None = None
    metadata: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    reports: tuple[Report, ...] = ()
    originals: tuple[Mapping[str, object], ...] = ()
    variables: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    source: ChatSource | None = None


def read_chat_lines(
    text: str, *, user: str | None = None, character: str | None = None, notes: Notes | None = None
) -> Imported[Chat]:
    """Read a SillyTavern `.jsonl` chat: a header line (or none), then one message a line.

    Blank lines and lines that are no JSON object (a cut last line) are reported; the latter count as refused.
    `user` and `character` overrule the names in the file.
    """
    notes = notes if notes is not None else Notes()
    objects: list[tuple[int, object]] = []
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    for number, line in enumerate(lines, 1):
        if line.strip():
            objects.append((number, _parse_line(line, number, last, notes)))
        elif number < last:
            notes.add("blank_line", f"Line {number} is blank.", "info", entry=number)
    header: Mapping[str, object] = EMPTY
    place: int | None = None
    if objects and isinstance(first := objects[0][1], dict) and "mes" not in first:
        header, place = first, objects[0][0] - 1
        del objects[0]
    read = _finish(objects, header, user, character, notes)
    places = tuple(number - 1 for number, raw in objects if isinstance(raw, dict))
    source = ChatSource(tuple(lines), place, places, header, read.value.originals)
    return replace(read, value=replace(read.value, source=source))


def read_named_messages(
    value: object, *, user: str | None = None, character: str | None = None, notes: Notes | None = None
) -> Imported[Chat]:
    """Read a list of `{name, mes, is_user?, is_system?}`, or one such object or header by itself.

    Raises:
        FormatError: neither a list nor an object.
    """
    notes = notes if notes is not None else Notes()
    if isinstance(value, dict):
        return _finish(
            [(1, value)] if "mes" in value else [], EMPTY if "mes" in value else value, user, character, notes
        )
    if not isinstance(value, list):
        raise FormatError(f"A chat is a list of messages, not {describe(value)}.")
    return _finish(list(enumerate(value, 1)), EMPTY, user, character, notes)


def _parse_line(line: str, number: int, last: int, notes: Notes) -> object:
    """The value of a line, or None (which is no message either) for a line that is not JSON."""
    attempt = Notes()
    try:
        value = parse_json(line, attempt)
    except FormatError as error:
        code, what = (
            ("chat_truncated", "The last line is cut off") if number == last else ("bad_line", "It is left out")
        )
        notes.add(code, f"Line {number} cannot be read: {error.message} {what}.", "error", entry=number)
        return None
    notes.include(attempt)
    if value is None:
        notes.add("bad_line", f"Line {number} is null, not a message.", "error", entry=number)
    return value


def _finish(
    objects: Sequence[tuple[int, object]],
    header: Mapping[str, object],
    user: str | None,
    character: str | None,
    notes: Notes,
) -> Imported[Chat]:
    found = [(number, raw) for number, raw in objects if isinstance(raw, dict)]
    user = user or _name_in(header, "user_name") or _first_name(found, of_user=True)
    character = character or _name_in(header, "character_name") or _first_name(found, of_user=False)
    for number, raw in objects:
        if not isinstance(raw, dict) and raw is not None:
            notes.add("bad_line", f"Message {number} is {describe(raw)}, not an object.", "error", entry=number)
    messages = tuple(read_message(raw, number, user, character, notes) for number, raw in found)
    variables = _variables_in(header, notes)
    chat = Chat(messages, user, character, header, notes.reports(), tuple(raw for _, raw in found), variables)
    return Imported(chat, len(objects), len(messages), len(objects) - len(messages), chat.reports, "st_chat")


def _name_in(header: Mapping[str, object], field: str) -> str | None:
    name = header.get(field)
    return name if isinstance(name, str) and name and name != _PLACEHOLDER else None


def _variables_in(header: Mapping[str, object], notes: Notes) -> Mapping[str, object]:
    kept = header.get("chat_metadata")
    found = kept.get("variables") if isinstance(kept, Mapping) else None
    if found is None or isinstance(found, Mapping):
        return found or EMPTY
    message = f"The variables of the chat are {describe(found)}, not an object of names and values; they are left out."
    notes.add("chat_variables_not_object", message, field="chat_metadata.variables")
    return EMPTY


def _first_name(found: Iterable[tuple[int, dict[str, Any]]], *, of_user: bool) -> str | None:
    """The name of the first visible message of the user, or of the other side, where messages say whose they are."""
    for _, raw in found:
        name = raw.get("name")
        if "is_user" in raw and truthy(raw["is_user"]) is of_user and not truthy(raw.get("is_system")):
            return name if isinstance(name, str) and name else None
    return None


def read_message(raw: Mapping[str, Any], number: int, user: str | None, character: str | None, notes: Notes) -> Message:
    """Read one message of SillyTavern. `number` names it in reports, `user` and `character` where it has no name."""
    given = raw.get("name")
    name = given if isinstance(given, str) else ""
    is_user = truthy(raw["is_user"]) if "is_user" in raw else bool(name) and name == user
    if not name:
        name = (user or "User") if is_user else (character or "Assistant")
    text = raw.get("mes")
    if not isinstance(text, str):
        what = "no text" if text is None else f"{describe(text)} as its text"
        notes.add("message_not_text", f"Message {number} has {what}.", entry=number, field="text")
        text = value_as_text(text) if isinstance(text, (int, float)) and not isinstance(text, bool) else ""
    return Message(name, text, "user" if is_user else "assistant", hidden=truthy(raw.get("is_system")))
