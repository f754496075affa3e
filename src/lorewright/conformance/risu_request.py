"""The request that RisuAI builds around its lore, as far as the recorded cases go (spec risu §8.5).

What the host does stands here: prompts, cards, the chat. Which rows there are and where they go comes from the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.core.active_rows import inject_text
from lorewright.core.row_places import RowPlaces, RowText, insert_rows

__all__ = ["Parts", "build_request"]

Json = Mapping[str, Any]
Render = Callable[[str], str]
Line = dict[str, str]

_SPOT = re.compile(r"\{\{position::(.+?)\}\}")
_START = "[Start a new chat]"
_SLOT = "{{slot}}"
_CARD_TEXTS = {"persona": "persona", "description": "description", "authornote": "note"}
"""Cards with an inner format around a text of their own."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the host has: the texts of its slots, the greeting, the messages after it, what it is set to."""

    description: str
    persona: str
    note: str
    greeting: str
    messages: Sequence[tuple[str, str]]
    settings: Json


def build_request(parts: Parts, places: RowPlaces, render: Render) -> list[Line]:
    """Role and content of all messages."""
    builder = _Builder(parts, places, render)
    template = parts.settings.get("promptTemplate")
    body = builder.by_order() if template is None else builder.by_template(template)
    lines = [*body, *map(_line, places.end), *builder.after_end(template is not None)]
    return [line for line in lines if line["content"]]


class _Builder:
    def __init__(self, parts: Parts, places: RowPlaces, render: Render) -> None:
        self.parts = parts
        self.places = places
        self.render = render

    def by_order(self) -> Iterator[Line]:
        """Without a template: slots in the order of the settings. The newest message is no part of the chat."""
        settings = self.parts.settings
        chat = self.chat()
        newest = [chat.pop()] if self.parts.messages else []
        slots: dict[str, Callable[[], Iterable[Line]]] = {
            "main": lambda: [self.system(settings["mainPrompt"])],
            "description": lambda: self.description(self.system(self.parts.description)),
            "personaPrompt": lambda: [self.system(self.parts.persona)],
            "chats": lambda: self.with_rows(chat),
            "lastChat": lambda: newest,
            "jailbreak": lambda: [self.system(settings["jailbreak"])] if settings["jailbreakToggle"] else [],
            "lorebook": lambda: map(_line, self.places.lore),
            "globalNote": lambda: [self.system(settings["globalNote"])],
            "authorNote": lambda: [self.system(self.parts.note)],
        }
        for name in settings["formatingOrder"]:
            yield from slots[name]() if name in slots else ()

    def by_template(self, template: Sequence[Json]) -> Iterator[Line]:
        chat = self.with_rows(self.chat())
        for card in template:
            match card["type"]:
                case "plain" | "jailbreak" | "cot":
                    if card["type"] != "jailbreak" or self.parts.settings["jailbreakToggle"]:
                        name = card.get("type2", card["type"]) if card["type"] == "plain" else card["type"]
                        yield {"role": _role(card.get("role", "system")), "content": self.card(card["text"], name)}
                case "chat":
                    end = card["rangeEnd"]
                    yield from chat[slice(card["rangeStart"], None if end == "end" else end)]
                case "lorebook":
                    yield from map(_line, self.places.lore)
                case "persona" | "description" | "authornote":
                    yield from self.inner(card)

    def inner(self, card: Json) -> Iterable[Line]:
        text = getattr(self.parts, _CARD_TEXTS[card["type"]])
        if text and (form := card.get("innerFormat")):
            text = self.fill(form, card["type"]).replace(_SLOT, text)
        line = self.system(text)
        return self.description(line) if card["type"] == "description" else [line]

    def after_end(self, has_template: bool) -> Iterable[Line]:
        form = self.parts.settings.get("promptSettings", {}).get("postEndInnerFormat")
        return [self.system(form)] if has_template and form and self.places.end else []

    def description(self, line: Line) -> Iterable[Line]:
        return [*map(_line, self.places.before), line, *map(_line, self.places.behind)]

    def chat(self) -> list[Line]:
        lines = [self.system(_START), {"role": "assistant", "content": self.render(self.parts.greeting).strip()}]
        return lines + [{"role": role, "content": text.strip()} for role, text in self.parts.messages]

    def with_rows(self, chat: list[Line]) -> list[Line]:
        return insert_rows(chat, [(item, _line(item.text)) for item in self.places.at_depth])

    def card(self, text: str, name: str) -> str:
        return self.render(self.fill(text, name)).strip()

    def fill(self, text: str, name: str) -> str:
        """A card's text with what rows put into it, and with its spots filled."""
        for injection, row in self.places.injections:
            if injection.place == name:
                text = inject_text(injection, text, row.text)
        spots = self.places.spots
        return _SPOT.sub(lambda found: "\n".join(row.text for row in spots.get(found[1], ())), text)

    def system(self, text: str) -> Line:
        return {"role": "system", "content": self.render(text).strip()}


def _line(row: RowText) -> Line:
    return {"role": row.role, "content": row.text.strip()}


def _role(written: str) -> str:
    return {"bot": "assistant"}.get(written, written)
