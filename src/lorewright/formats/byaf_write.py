"""The lore of a Backyard archive, edited as the book of its card -> the archive (spec formats §3.6, §4).

Only the lore items of the first character change, and of them only what was edited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.archive import open_archive, replace_member
from lorewright.formats.byaf import find_character, ours
from lorewright.formats.charx import read_json_member
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.json_layout import dump_like

__all__ = ["write_byaf"]

_BOOK: Final = "character_book"
_LORE: Final = "loreItems"
_MACRO: Final = re.compile(r"\{\{(user|char)\}\}(:?)")
_THEIRS: Final = {"user": "user", "char": "character"}


def write_byaf(original: bytes, before: Mapping[str, Any], after: Mapping[str, Any]) -> bytes:
    """The archive with the lore of `after`. Both are cards as they are read from such an archive.

    Raises:
        FormatError: something else than the book has changed (`fields`), or the archive cannot be read.
    """
    old, new = before["data"], after.get("data")
    if not isinstance(new, dict) or before.keys() != after.keys():
        raise FormatError(
            "A Backyard archive takes only the lore of a card. Give the card that was read.", format="byaf"
        )
    other = [name for name in {**old, **new} if name != _BOOK and not is_exact(old.get(name), new.get(name))]
    if other:
        shown = ", ".join(f"`{name}`" for name in other)
        raise FormatError(
            f"Only the lore in a Backyard archive is written; {shown} of the card is different. "
            "Write the card as JSON or into a PNG picture.",
            format="byaf",
            fields=other,
        )
    archive = open_archive(original, Notes())
    member = find_character(archive, Notes())
    if member is None:
        raise FormatError("The archive's `manifest.json` names no character that is in the archive.", format="byaf")
    character = read_json_member(archive, member, Notes())
    items = character.get(_LORE)
    lore = _write_items(items if isinstance(items, list) else [], _entries(old.get(_BOOK)), _entries(new.get(_BOOK)))
    written = dump_like(archive.read(member), {**character, _LORE: lore})
    return replace_member(original, member.name, written)


def _entries(book: object) -> list[Any]:
    entries = book.get("entries") if isinstance(book, dict) else None
    return list(entries.values()) if isinstance(entries, dict) else entries if isinstance(entries, list) else []


def _write_items(items: list[Any], before: list[Any], after: list[Any]) -> list[object]:
    """The items in their order without those that are gone, then new ones. An entry's id is the place of its item."""
    left = {repr(entry.get("id", place)): entry for place, entry in enumerate(after) if isinstance(entry, dict)}
    written: list[object] = []
    for place, (item, old) in enumerate(zip(items, before, strict=False)):
        if not isinstance(item, dict):
            written.append(item)
        elif (new := left.pop(repr(place), None)) is not None:
            written.append(_write_item(item, old, new))
    return [*written, *(_write_item({"key": "", "value": ""}, {}, entry) for entry in left.values())]


def _write_item(item: dict[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(item)
    keys, content = new.get("keys"), new.get("content")
    if not is_exact(keys, old.get("keys")):
        made["key"] = ", ".join(map(str, keys)) if isinstance(keys, list) else keys
    if not is_exact(content, old.get("content")):
        made["value"] = theirs(content, item.get("value")) if isinstance(content, str) else content
    return made


def theirs(text: str, was: object) -> str:
    """The text with Backyard's macros in place of ours, `#{user}:` where the old text has it so.

    A text that would not be read again as it is keeps our macros.
    """
    mark = "#" if isinstance(was, str) and re.search(r"#\{(?:user|character)\}:", was) else ""
    made = _MACRO.sub(lambda found: f"{mark if found[2] else ''}{{{_THEIRS[found[1]]}}}{found[2]}", text)
    return made if ours(made) == text else text
