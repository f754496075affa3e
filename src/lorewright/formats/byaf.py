"""BYAF: the character archive of Backyard AI -> a V2 card (spec formats §3.6). The originals stay in `extensions.byaf`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.archive import Archive, Member
from lorewright.formats.charx import read_json_member
from lorewright.formats.imported import Notes
from lorewright.formats.wording import describe

__all__ = ["MANIFEST", "find_character", "ours", "read_byaf"]

MANIFEST: Final = "manifest.json"
_SCENARIOS: Final = 500
_MACRO: Final = re.compile(r"(?:#(?=\{\w+\}:)|(?<!\{))\{(user|character)\}(?!\})")
_OURS: Final = {"user": "{{user}}", "character": "{{char}}"}


def read_byaf(archive: Archive, notes: Notes) -> Mapping[str, Any]:
    """The first character of the archive as the JSON of a V2 card.

    Raises:
        FormatError: no manifest, or no character that it names.
    """
    manifest = _member(archive, MANIFEST, notes)
    if manifest is None:
        raise FormatError("The archive has no `manifest.json` that can be read.", format="byaf")
    characters = _names(manifest.get("characters"))
    character = _member(archive, characters[0], notes) if characters else None
    if character is None:
        raise FormatError("The archive's `manifest.json` names no character that is in the archive.", format="byaf")
    if len(characters) > 1:
        notes.add("byaf_more_characters", f"The archive holds {len(characters)} characters; the first is read.")
    paths = _names(manifest.get("scenarios"))
    if len(paths) > _SCENARIOS:
        notes.add("byaf_scenario_missing", f"The archive names {len(paths):,} scenarios; {_SCENARIOS} are read.")
    scenarios: list[dict[str, Any]] = []
    for path in paths[:_SCENARIOS]:
        try:
            scenario = _member(archive, path, notes)
        except FormatError as error:
            notes.add("byaf_scenario_missing", f"The scenario {path!a} is left out: {error.message}")
            continue
        if scenario is None:
            notes.add("byaf_scenario_missing", f"The scenario {path!a} is not in the archive; it is left out.")
        else:
            scenarios.append(scenario)
    return _make_card(manifest, character, scenarios, notes)


def find_character(archive: Archive, notes: Notes) -> Member | None:
    """The file of the first character that the manifest names.

    Raises:
        FormatError: the manifest cannot be read.
    """
    characters = _names((_member(archive, MANIFEST, notes) or {}).get("characters"))
    return archive.find(characters[0]) if characters else None


def _member(archive: Archive, path: str, notes: Notes) -> dict[str, Any] | None:
    member = archive.find(path)
    return None if member is None else read_json_member(archive, member, notes)


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _make_card(
    manifest: dict[str, Any], character: dict[str, Any], scenarios: list[dict[str, Any]], notes: Notes
) -> dict[str, Any]:
    first = scenarios[0] if scenarios else {}
    greetings = [text for scenario in scenarios for text in _texts(scenario.get("firstMessages"))]
    author = manifest.get("author")
    data: dict[str, Any] = {
        "name": character.get("displayName") or character.get("name"),
        "description": ours(character.get("persona")),
        "personality": "",
        "scenario": ours(first.get("narrative")),
        "first_mes": greetings[0] if greetings else "",
        "mes_example": "\n".join(_texts(first.get("exampleMessages"))),
        "creator_notes": "",
        "system_prompt": ours(first.get("formattingInstructions")),
        "post_history_instructions": "",
        "alternate_greetings": greetings[1:],
        "tags": [],
        "creator": author.get("name", "") if isinstance(author, dict) else "",
        "character_version": "",
        "extensions": {"byaf": {"manifest": manifest, "character": character, "scenarios": scenarios}},
    }
    lore = character.get("loreItems")
    if isinstance(lore, list) and lore:
        data["character_book"] = {"extensions": {}, "entries": [_entry(item, n) for n, item in enumerate(lore)]}
    elif lore not in (None, []):
        notes.add("bad_value", f"`loreItems` holds {describe(lore)}, not a list; it is not used.", field="loreItems")
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def _entry(item: object, number: int) -> object:
    """A lore item as an entry of a character book. What is no object is left for the reader of books to report."""
    if not isinstance(item, dict):
        return item
    keys = item.get("key")
    return {
        "id": number,
        "keys": [key for part in keys.split(",") if (key := part.strip())] if isinstance(keys, str) else keys,
        "content": ours(item.get("value")),
        "enabled": True,
        "insertion_order": number,
        "extensions": {"byaf": {name: value for name, value in item.items() if name not in {"key", "value"}}},
    }


def _texts(messages: object) -> list[str]:
    if not isinstance(messages, list):
        return []
    found = (message.get("text") for message in messages if isinstance(message, dict))
    return [text for text in map(ours, found) if isinstance(text, str)]


def ours(value: Any) -> Any:
    """The text with our macros in place of Backyard's; anything else as it is."""
    return _MACRO.sub(lambda match: _OURS[match[1]], value) if isinstance(value, str) else value
