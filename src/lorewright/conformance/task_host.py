"""The host of the recorded cases of seed 000, in the task reader's types; its shape is in conformance/mvu/README.md."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

from lorewright.core.javascript import number, trim, truthy, value_as_text
from lorewright.core.logic import LOGIC
from lorewright.errors import InputError
from lorewright.tasks.entry import (
    AFTER,
    AT_DEPTH,
    BEFORE,
    EXAMPLES_BOTTOM,
    EXAMPLES_TOP,
    NOTE_BOTTOM,
    NOTE_TOP,
    TaskEntry,
    split_decorators,
)
from lorewright.tasks.scene import ChatLine, TaskScene
from lorewright.tasks.shelf import name_books

__all__ = ["HostShelf", "host_books", "host_scene"]

Json = Mapping[str, Any]

_POSITIONS: Final = {
    **dict.fromkeys(("before_char", "before", "before_character_definition"), BEFORE),
    **dict.fromkeys(("after_char", "after", "after_character_definition"), AFTER),
    **dict.fromkeys(("em_top", "before_example_messages"), EXAMPLES_TOP),
    **dict.fromkeys(("em_bottom", "after_example_messages"), EXAMPLES_BOTTOM),
    **dict.fromkeys(("an_top", "before_author_note"), NOTE_TOP),
    **dict.fromkeys(("an_bottom", "after_author_note"), NOTE_BOTTOM),
}
_ROLE_IN_POSITION: Final = {"at_depth_as_user": "user", "at_depth_as_assistant": "assistant"}
_STATE: Final = ("globalThis", True, 1)
"""What the recorded host says of itself: source, fallback, revision."""


class HostShelf:
    """The host's books. `loads` are the names that were asked for."""

    def __init__(self, host: Json) -> None:
        self.host = host
        self.loads: list[str] = []

    @property
    def state(self) -> Hashable:
        return _STATE

    def read(self, name: str) -> Sequence[TaskEntry]:
        self.loads.append(name)
        if name in self.host.get("failBooks", ()):
            raise InputError(f"The book `{name}` cannot be read.", book=name)
        comments = _comments(self.host.get("comments"), name)
        return [_entry(raw, name, comments) for raw in self.host["worldbooks"].get(name, ())]


def host_books(host: Json) -> tuple[str, ...]:
    """The books that take part, in the host's order."""
    books = host.get("charBooks", {"primary": "main"})
    return name_books(
        value_as_text(books.get("primary") or ""),
        *(value_as_text(name or "") for name in books.get("additional") or ()),
        _persona_book(host),
        host.get("chatMetadata", {}).get("world") or "",
    )


def host_scene(host: Json, chat_id: str = "") -> TaskScene:
    """The facts of the host's chat."""
    chat = host.get("chat", [{"is_user": True, "mes": "hello"}])
    character = _character(host)
    last = chat[-1] if chat else {}
    versions = last.get("variables") or {}
    swipe = last.get("swipe_id") or 0
    shown = versions[swipe] if isinstance(versions, list) and swipe < len(versions) else {}
    settings = host.get("extensionSettings", {})
    power = host.get("powerUserSettings", {})
    return TaskScene(
        user=host.get("userName", "User"),
        char=host.get("charName", "Alice"),
        persona=power.get("persona_description") or settings.get("persona_description") or host.get("persona", ""),
        description=character.get("description") or "",
        avatar=character.get("avatar") or "",
        chat=tuple(ChatLine(_role(message), _said(message)) for message in chat),
        chat_id=chat_id,
        character_id=host.get("characterId"),
        character_book=(character.get("data") or {}).get("extensions", {}).get("world") or "",
        persona_book=_persona_book(host),
        chat_book=host.get("chatMetadata", {}).get("world") or "",
        variables=host.get("chatMetadata", {}).get("variables") or {},
        global_variables=(settings.get("variables") or {}).get("global") or {},
        message_variables=shown,
    )


def _persona_book(host: Json) -> str:
    name = "persona_description_lorebook"
    return host.get("extensionSettings", {}).get(name) or host.get("powerUserSettings", {}).get(name) or ""


def _character(host: Json) -> Json:
    listed, place = host.get("characters") or (), host.get("characterId")
    return listed[place] if isinstance(place, int) and 0 <= place < len(listed) else {}


def _role(message: Json) -> str:
    if message.get("is_user"):
        return "user"
    return "system" if message.get("is_system") else "assistant"


def _said(message: Json) -> str:
    return next((str(message[key]) for key in ("mes", "message", "content") if message.get(key) is not None), "")


def _comments(given: Any, book: str) -> Mapping[Any, str] | None:
    """Comments by uid as the host's second interface gives them; None: each entry's own, or its name."""
    if given is None or (given and book not in given):
        return None
    return {item["uid"]: str(item.get("comment") or "") for item in given[book]} if given else {}


def _entry(raw: Json, book: str, comments: Mapping[Any, str] | None) -> TaskEntry:
    position = raw.get("position") or {}
    strategy = raw.get("strategy") or {}
    secondary = strategy.get("keys_secondary") or {}
    extra = raw.get("extra") or {}
    content = value_as_text(raw.get("content") or "")
    decorators, text = split_decorators(content)
    own = _or(raw, "comment", raw.get("name") if comments is None else None)
    comment = own if comments is None else comments.get(raw.get("uid"), own)
    kind = _or(position, "type", "at_depth")
    written = (raw.get("extensions") or {}).get("position")
    return TaskEntry(
        book=trim(book),
        uid=_uid(raw.get("uid")),
        name=_text(raw.get("name")),
        comment=_text(comment),
        content=content,
        text=text,
        decorators=decorators,
        enabled=_enabled(raw),
        constant=strategy.get("type") == "constant",
        selective=strategy.get("type") == "selective",
        keys=_texts(strategy.get("keys")),
        secondary=_texts(secondary.get("keys")),
        logic=secondary["logic"] if secondary.get("logic") in LOGIC else "and_any",
        probability=number(_or(raw, "probability", 100)),
        case_sensitive=truthy(extra.get("caseSensitive")),
        whole_words=truthy(extra.get("matchWholeWords")),
        group=_text(extra.get("group")),
        group_override=truthy(extra.get("groupOverride")),
        group_weight=number(_or(extra, "groupWeight", 100)),
        group_scoring=truthy(extra.get("useGroupScoring")),
        position=_place(kind, written),
        depth=number(_or(position, "depth", 0)),
        order=number(_or(position, "order", 100)),
        role=_ROLE_IN_POSITION.get(kind) or _or(position, "role", "system"),
    )


def _place(kind: str, written: Any) -> int:
    if kind in _ROLE_IN_POSITION:
        return AT_DEPTH
    is_number = isinstance(written, int) and not isinstance(written, bool)
    return _POSITIONS.get(kind, written if is_number else AT_DEPTH)


def _enabled(raw: Json) -> bool:
    if isinstance(raw.get("disable"), bool):
        return not raw["disable"]
    return raw["enabled"] if isinstance(raw.get("enabled"), bool) else True


def _or(given: Json, name: str, default: Any) -> Any:
    """The value, or the default for one that is absent or null."""
    value = given.get(name)
    return default if value is None else value


def _text(value: Any) -> str:
    return "" if value is None else trim(value_as_text(value))


def _uid(value: Any) -> float:
    found = number(value)
    return 0 if math.isnan(found) else found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value_as_text(item) if truthy(item) else "" for item in value) if isinstance(value, list) else ()
