"""Prompts and their order in presets (spec formats §3.13).

Which prompts are on, and in which order, is said by a list beside the prompts. A file may have several: 100001 is the
one in use, 100000 an older default, any other belongs to a character.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.javascript import truthy, value_as_text
from lorewright.core.protocols import Regexes
from lorewright.formats.imported import Notes
from lorewright.formats.things.scripts import objects, read_risu_regexes, regex_scripts_of, text_of
from lorewright.formats.things.thing import Part, Prompt

__all__ = ["read_chat_preset", "read_prompt_export", "read_risu_preset"]

_IN_USE: Final = ("100001", "100000")
_OLD_PROMPTS: Final = {"main_prompt": "main", "nsfw_prompt": "nsfw", "jailbreak_prompt": "jailbreak"}
_SCRIPT_EXTENSIONS: Final = ("tavern_helper", "TavernHelper", "TavernHelper_scripts", "SPreset")
_TEMPLATE_CODE: Final = "<%"


@dataclass(frozen=True, slots=True)
class _Order:
    """The list in use. Without one, prompts stand in the order of the file and their own flags count."""

    places: Mapping[str, int]
    enabled: Mapping[str, bool]
    where: str


def read_chat_preset(value: Mapping[str, Any], notes: Notes, regexes: Regexes | None) -> tuple[Part, ...]:
    if "prompts" not in value:
        raws: list[Mapping[str, Any]] = [
            {"identifier": identifier, "name": name, "content": value[name], "role": "system"}
            for name, identifier in _OLD_PROMPTS.items()
            if isinstance(value.get(name), str)
        ]
    else:
        raws = objects(value["prompts"], "prompt", notes, "/prompts")
    extensions = value.get("extensions")
    order = _choose_order(value.get("prompt_order"), "/prompt_order", notes)
    parts = (*_read_prompts(raws, order, "/prompts" if "prompts" in value else "", notes),)
    _note_code(extensions, notes)
    return parts + regex_scripts_of(extensions, notes, regexes, "/extensions")


def read_prompt_export(value: Mapping[str, Any], notes: Notes) -> tuple[Part, ...]:
    data = value["data"]
    order = _choose_order(data.get("prompt_order"), "/data/prompt_order", notes)
    raws = objects(data.get("prompts"), "prompt", notes, "/data/prompts")
    return (*_read_prompts(raws, order, "/data/prompts", notes),)


def read_risu_preset(value: Mapping[str, Any], notes: Notes, regexes: Regexes | None) -> tuple[Part, ...]:
    """The blocks of the prompt template, and regex scripts. All of them are on: the program has no switch."""
    prompts = tuple(
        Prompt(
            identifier=str(at),
            name=text_of(raw.get("name")) or text_of(raw.get("type")) or text_of(raw.get("role")),
            role=text_of(raw.get("role")),
            content=text_of(raw.get("text")) or text_of(raw.get("content")),
            enabled=True,
            marker="text" not in raw and "content" not in raw,
            place=at,
        )
        for at, raw in enumerate(objects(value.get("promptTemplate"), "prompt", notes, "/promptTemplate"))
    )
    scripts = read_risu_regexes(value.get("regex"), notes, regexes, "/regex")
    return prompts + scripts + read_risu_regexes(value.get("customScripts"), notes, regexes, "/customScripts")


def _choose_order(listed: object, where: str, notes: Notes) -> _Order | None:
    """The list of the prompts in use, out of all lists or from the flat list of an export. `where` is its pointer."""
    items = objects(listed, "order", notes, where)
    if not items:
        return None
    lists: dict[str, object] = {}
    pointers = {"": where}
    if any("identifier" in item for item in items):
        lists[""] = items
    else:
        for at, item in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(item, dict):
                owner = value_as_text(item.get("character_id"))
                lists[owner], pointers[owner] = item.get("order"), f"{where}/{at}/order"
    name = next((known for known in _IN_USE if known in lists), next(iter(lists)))
    if len(lists) > 1:
        others = ", ".join(other or "none" for other in lists if other != name)
        message = f"The file has {len(lists)} orders of its prompts; that of {name} is used, these are kept: {others}."
        notes.add(
            "multiple_prompt_orders",
            message,
            "info" if name == _IN_USE[0] else "warning",
            field="prompt_order",
            place=where,
        )
    places: dict[str, int] = {}
    enabled: dict[str, bool] = {}
    for at, item in enumerate(objects(lists[name], "order", notes, pointers[name])):
        identifier = text_of(item.get("identifier"))
        places.setdefault(identifier, at)
        enabled[identifier] = truthy(item.get("enabled"))
    return _Order(places, enabled, pointers[name])


def _read_prompts(raws: list[Mapping[str, Any]], order: _Order | None, where: str, notes: Notes) -> list[Prompt]:
    prompts: list[Prompt] = []
    seen: set[str] = set()
    for at, raw in enumerate(raws):
        prompt = _read_prompt(raw, at, order)
        place = f"{where}/{at}" if where else f"/{raw['name']}"
        if prompt.identifier in seen:
            message = f"Two prompts are called `{prompt.identifier}`; SillyTavern keeps the later, here both are kept."
            notes.add(
                "prompt_duplicate_identifier",
                message,
                entry=prompt.identifier,
                field="identifier",
                place=f"{place}/identifier",
            )
        elif prompt.place is None:
            message = f"The prompt `{prompt.identifier}` is not in the order that is used, so it is off; it is kept."
            notes.add(
                "prompt_not_in_order", message, "info", entry=prompt.identifier, field="prompt_order", place=place
            )
        if _TEMPLATE_CODE in prompt.content:
            message = f"The prompt `{prompt.identifier}` holds template code (`<% %>`); it is kept and never run."
            notes.add("script_inert", message, entry=prompt.identifier, field="content", place=f"{place}/content")
        seen.add(prompt.identifier)
        prompts.append(prompt)
    for identifier, at in order.places.items() if order else ():
        if order and identifier not in seen:
            message = f"The order names the prompt `{identifier}`, which is not in the file; the name is kept."
            notes.add(
                "order_unknown_identifier", message, entry=identifier, field="prompt_order", place=f"{order.where}/{at}"
            )
    return prompts


def _read_prompt(raw: Mapping[str, Any], at: int, order: _Order | None) -> Prompt:
    identifier = text_of(raw.get("identifier"))
    triggers = raw.get("injection_trigger")
    return Prompt(
        identifier=identifier,
        name=text_of(raw.get("name")),
        role=text_of(raw.get("role")),
        content=text_of(raw.get("content")),
        enabled=order.enabled.get(identifier, False) if order else raw.get("enabled", True) is not False,
        marker=truthy(raw.get("marker")),
        position="in_chat" if raw.get("injection_position") in (1, "1") else "relative",
        depth=_number(raw.get("injection_depth")),
        order=_number(raw.get("injection_order")),
        triggers=tuple(one for one in triggers if isinstance(one, str)) if isinstance(triggers, list) else (),
        place=order.places.get(identifier) if order else at,
    )


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _note_code(extensions: object, notes: Notes) -> None:
    for name in _SCRIPT_EXTENSIONS:
        if isinstance(extensions, dict) and extensions.get(name):
            message = f"`extensions.{name}` may hold scripts; it is kept and never run."
            notes.add("script_inert", message, field=f"extensions.{name}", place=f"/extensions/{name}")
