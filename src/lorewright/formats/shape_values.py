"""What the fields that name a format must hold: names alone make no format (spec formats §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.formats.wording import describe

__all__ = ["doubtful_sign", "misfit"]


@dataclass(frozen=True, slots=True)
class _Need:
    """A field, what is wanted of it, and whether a value is that. A field that is absent is no misfit."""

    field: str
    wanted: str
    test: Callable[[Any], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _maybe_text(value: object) -> bool:
    return value is None or (isinstance(value, (str, int, float)) and not isinstance(value, bool))


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _list(value: object) -> bool:
    return isinstance(value, list)


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _says(*texts: str) -> tuple[str, Callable[[Any], bool]]:
    return " or ".join(f"`{text}`" for text in texts), lambda value: value in texts


def _begins(prefix: str) -> tuple[str, Callable[[Any], bool]]:
    return f"`{prefix}`", lambda value: isinstance(value, str) and value.startswith(prefix)


def _needs(test: Callable[[Any], bool], wanted: str, *names: str) -> tuple[_Need, ...]:
    return tuple(_Need(name, wanted, test) for name in names)


_V1_TEXTS: Final = ("name", "first_mes", "mes_example", "personality", "scenario")

_NEEDS: Final[Mapping[str, tuple[_Need, ...]]] = {
    **{
        f"card_{kind}": (_Need("spec", *_begins(f"chara_card{ending}")),)
        for kind, ending in (("v2", "_v2"), ("v3", "_v3"), ("newer", ""))
    },
    "lorebook_v3": (_Need("spec", *_begins("lorebook_v3")), _Need("data", "an object", _object)),
    "novelai_lorebook": (*_needs(_number, "a number", "lorebookVersion"), _Need("entries", "a list", _list)),
    "novelai_story": _needs(_number, "a number", "scenarioVersion", "storyContainerVersion"),
    "agnai_book": (_Need("kind", *_says("memory")), _Need("entries", "a list", _list)),
    "agnai_character": (_Need("kind", *_says("character")), _Need("persona", "an object", _object)),
    "risu_lorebook": (_Need("type", *_says("risu")), _Need("data", "a list", _list)),
    "risu_memory_preset": (_Need("type", *_says("risu")), _Need("data", "an object", _object)),
    "risu_module": (_Need("type", *_says("risuModule")),),
    "risu_regex": (_Need("type", *_says("regex")), _Need("data", "a list", _list)),
    "risu_preset": (_Need("promptTemplate", "a list", _list),),
    "st_preset_chat": (_Need("prompts", "a list", _list),),
    "st_prompt_export": (_Need("type", *_says("full", "character")), _Need("data", "an object", _object)),
    "st_instruct": _needs(_maybe_text, "a text", "input_sequence", "output_sequence"),
    "st_context": _needs(_text, "a text", "story_string"),
    "st_sysprompt": _needs(_text, "a text", "content"),
    "st_regex": _needs(_maybe_text, "a text", "findRegex", "scriptName"),
    "st_quickreply": _needs(_list, "a list", "qrList", "quickReplySlots"),
    "st_worldinfo": (_Need("entries", "a list or an object", lambda value: isinstance(value, (list, dict))),),
    "chub_lorebook": (_Need("entries", "a list or an object", lambda value: isinstance(value, (list, dict))),),
    "character_book": (_Need("entries", "a list or an object", lambda value: isinstance(value, (list, dict))),),
    "kobold_story": (_Need("worldinfo", "a list", lambda value: value is None or _list(value)),),
    "card_pygmalion": _needs(_maybe_text, "a text", "char_name", "char_persona", "char_greeting"),
    "card_ooba": _needs(_maybe_text, "a text", "name", "bot", "context"),
    "card_v1": _needs(_maybe_text, "a text", *_V1_TEXTS),
    "chat_request": _needs(_list, "a list", "messages"),
}


_SIGNS: Final = {
    "lorebookVersion": "novelai_lorebook",
    "scenarioVersion": "novelai_story",
    "storyContainerVersion": "novelai_story",
    "spec": "card_newer",
}
"""Names that only one format has, and which format that is."""
_NAMED_BY_SPEC: Final = ("card_", "lorebook_v3")


def doubtful_sign(kind: str, value: object) -> str:
    """A sentence about a name in the value by which another format than `kind` is known, with a value that it never has."""
    for name, owner in _SIGNS.items():
        if not isinstance(value, dict) or name not in value or kind == owner:
            continue
        if name != "spec" or not kind.startswith(_NAMED_BY_SPEC):
            return f"`{name}` is {describe(value[name])}, which no format has that is known by that name."
    return ""


def misfit(kind: str, value: object) -> str:
    """A sentence about the first field that has the name but not the value of this format; "" if there is none."""
    for item in _items(value):
        for need in _NEEDS.get(kind, ()):
            if need.field in item and not need.test(item[need.field]):
                return f"`{need.field}` is {describe(item[need.field])}; {need.wanted} is wanted."
    return ""


def _items(value: object) -> Iterator[dict[str, Any]]:
    """The object, or the objects of a list."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
