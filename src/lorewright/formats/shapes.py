"""The JSON shape table: which format a parsed JSON value is (spec formats §2).

The rows are tried in order and the first that holds names the format. `signs` are the field names that are typical of
the format, by which `formats/nearest.py` judges a value that no row knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.formats.native.kinds import name_document
from lorewright.formats.shape_values import misfit

__all__ = ["SHAPES", "Shape", "items_of", "name_json"]

_Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """One row: its number in the specification (27 and up are ours), the format, the test and the typical names."""

    row: int
    kind: str
    test: Callable[[Any], bool]
    signs: tuple[str, ...]


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _has(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and all(name in value for name in names)


def _has_any(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and any(name in value for name in names)


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def items_of(value: Any) -> list[_Object]:
    """The objects in a list, or in the `entries` of an object, as list or by key."""
    listed = value.get("entries") if isinstance(value, dict) else value
    found: Iterable[Any] = listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
    return [item for item in found if isinstance(item, dict)]


def _all_items(value: Any, test: Callable[[Any], bool]) -> bool:
    """A non-empty list of objects of which every one passes."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and test(item) for item in value)


def _some_item(value: Any, test: Callable[[Any], bool]) -> bool:
    return any(test(item) for item in items_of(value))


def _holds_entries(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("entries"), (list, dict))


def _native(item: _Object) -> bool:
    return _has_any(item, "key", "keysecondary", "disable")


def _foreign(item: _Object) -> bool:
    return _has_any(item, "keys", "keywords")


def _chub(value: Any) -> bool:
    """SillyTavern opens a Chub book as its own when every entry has the native spelling as well."""
    items = items_of(value)
    return _holds_entries(value) and "is_creation" in value and (not items or not all(map(_native, items)))


def _world_info(value: Any) -> bool:
    """Entries in the native spelling, as many as in any other; or an `entries` object that shows no other spelling."""
    if not _holds_entries(value):
        return False
    items = items_of(value)
    native, foreign = sum(map(_native, items)), sum(map(_foreign, items))
    if native or foreign:
        return native >= foreign
    if not items:
        return isinstance(value["entries"], dict) or (not value["entries"] and not _has_any(value, *_BOOK_NAMES))
    return isinstance(value["entries"], dict) and any(_has_any(item, "content", "comment", "uid") for item in items)


def _told(item: _Object) -> bool:
    """Whether an entry without a text says that it is one, as those do that we write."""
    return "content" in item or _has(item, "enabled") or _has(item, "id", "extensions")


def _dungeon_keys(item: _Object) -> bool:
    """A text; or null and the like in its place, if no other text shows another format."""
    return isinstance(item.get("keys"), str) or ("keys" in item and "content" not in item)


_BOOK_NAMES: Final = ("name", "description", "scan_depth", "token_budget", "recursive_scanning", "extensions")
"""Fields of a `character_book`; they tell an empty one from an empty list of SillyTavern."""


def _empty_character_book(value: Any) -> bool:
    return isinstance(value, dict) and value.get("entries") == [] and _has_any(value, *_BOOK_NAMES)


def _version(prefix: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and str(value.get("spec", "")).startswith(prefix)


def _card(value: Any) -> bool:
    return _version("chara_card")(value) or (
        _has(value, "name") and _has_any(value, "first_mes", "description", "mes_example", "personality")
    )


def _card_v1(value: Any) -> bool:
    """A name and a greeting or example; or a description, if there is little else (other formats describe themselves)."""
    if not _has(value, "name") or "entries" in value:
        return False
    return _has_any(value, "first_mes", "mes_example") or (
        "description" in value
        and (_has_any(value, "personality", "scenario") or value.keys() <= {"name", "description"})
    )


_V1: Final = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_ROLES: Final = ("role", "content")
_PERSONAS: Final = ("personas", "persona_descriptions")

SHAPES: Final[tuple[Shape, ...]] = (
    Shape(
        35, "native_preset", lambda v: name_document(v) == "native_preset", ("lorewright", "kind", "prompts", "orders")
    ),
    Shape(35, "native_card", lambda v: name_document(v) == "native_card", ("lorewright", "kind", "greeting", "book")),
    Shape(35, "native_persona", lambda v: name_document(v) == "native_persona", ("lorewright", "kind", "text")),
    Shape(32, "native_json", lambda v: _has(v, "lorewright"), ("lorewright", "name", "entries")),
    Shape(1, "card_v2", _version("chara_card_v2"), ("spec", "spec_version", "data")),
    Shape(1, "card_v3", _version("chara_card_v3"), ("spec", "spec_version", "data")),
    Shape(1, "card_newer", _version("chara_card"), ("spec", "spec_version", "data")),
    Shape(
        2,
        "lorebook_v3",
        lambda v: _version("lorebook_v3")(v) and _has_any(v, "data"),
        ("spec", "data"),
    ),
    Shape(
        3,
        "novelai_lorebook",
        lambda v: _has(v, "lorebookVersion") and _number(v["lorebookVersion"]),
        ("lorebookVersion", "entries", "settings", "categories"),
    ),
    Shape(
        4,
        "novelai_story",
        lambda v: _has_any(v, "scenarioVersion", "storyContainerVersion"),
        ("scenarioVersion", "storyContainerVersion", "lorebook"),
    ),
    Shape(
        5,
        "agnai_book",
        lambda v: _has(v, "kind", "entries") and v["kind"] == "memory" and isinstance(v["entries"], list),
        ("kind", "name", "entries"),
    ),
    Shape(
        6,
        "agnai_character",
        lambda v: _has(v, "kind", "persona") and v["kind"] == "character",
        ("kind", "persona", "greeting", "sampleChat"),
    ),
    Shape(
        7,
        "risu_lorebook",
        lambda v: _has(v, "type", "data") and v["type"] == "risu" and isinstance(v["data"], list),
        ("type", "ver", "data"),
    ),
    Shape(
        7,
        "risu_memory_preset",
        lambda v: _has(v, "type", "data") and v["type"] == "risu" and _is_object(v["data"]),
        ("type", "ver", "data"),
    ),
    Shape(
        8,
        "risu_module",
        lambda v: (
            (_has(v, "type") and v["type"] == "risuModule")
            or (_has(v, "lorebook") and _has_any(v, "cjs", "trigger", "triggerscript"))
        ),
        ("type", "module", "lorebook", "regex", "trigger", "cjs"),
    ),
    Shape(
        8,
        "risu_regex",
        lambda v: _has(v, "type", "data") and v["type"] == "regex",
        ("type", "data"),
    ),
    Shape(
        9,
        "st_preset_chat",
        lambda v: (
            _has(v, "prompts")
            and isinstance(v["prompts"], list)
            and ("prompt_order" in v or any(_has(item, "identifier") for item in v["prompts"]))
        ),
        ("prompts", "prompt_order", "chat_completion_source", "temperature"),
    ),
    Shape(
        10,
        "st_prompt_export",
        lambda v: (
            _has(v, "version", "type", "data") and v["type"] in ("full", "character") and _has(v["data"], "prompts")
        ),
        ("version", "type", "data"),
    ),
    Shape(
        11,
        "st_master_export",
        lambda v: (
            sum(_is_object(v.get(n)) for n in ("instruct", "context", "sysprompt", "preset", "reasoning")) > 1
            if _is_object(v)
            else False
        ),
        ("instruct", "context", "sysprompt", "preset", "reasoning"),
    ),
    Shape(
        12,
        "st_instruct",
        lambda v: _has(v, "input_sequence", "output_sequence"),
        ("input_sequence", "output_sequence", "system_sequence", "stop_sequence", "wrap", "macro"),
    ),
    Shape(12, "st_context", lambda v: _has(v, "story_string"), ("story_string", "example_separator", "chat_start")),
    Shape(
        12,
        "st_sysprompt",
        lambda v: _has(v, "name", "content") and set(v) <= {"name", "content", "post_history"},
        ("name", "content", "post_history"),
    ),
    Shape(
        13,
        "st_regex",
        lambda v: _has(v, "findRegex", "scriptName") or _all_items(v, lambda i: _has(i, "findRegex", "scriptName")),
        ("findRegex", "scriptName", "replaceString", "placement"),
    ),
    Shape(
        14,
        "st_quickreply",
        lambda v: _has_any(v, "qrList", "quickReplySlots"),
        ("qrList", "quickReplySlots", "quickReplyEnabled"),
    ),
    Shape(15, "chub_lorebook", _chub, ("is_creation", "entries", "scan_depth", "token_budget")),
    Shape(16, "st_worldinfo", _world_info, ("entries",)),
    Shape(
        17,
        "character_book",
        lambda v: (
            _holds_entries(v) and (_some_item(v, lambda i: _has(i, "keys") and _told(i)) or _empty_character_book(v))
        ),
        ("entries", "name", "scan_depth", "token_budget", "recursive_scanning"),
    ),
    Shape(
        18,
        "agnai_book",
        lambda v: _holds_entries(v) and _some_item(v, lambda i: _has(i, "keywords", "entry")),
        ("name", "entries", "scanDepth"),
    ),
    Shape(
        19,
        "kobold_story",
        lambda v: (
            _has(v, "gamestarted")
            or (_has(v, "worldinfo") and _has_any(v, "memory", "prompt", "actions", "savedsettings"))
        ),
        ("gamestarted", "worldinfo", "memory", "prompt", "actions", "savedsettings"),
    ),
    Shape(
        20,
        "card_pygmalion",
        lambda v: _has(v, "char_name") and _has_any(v, "char_persona", "char_greeting"),
        ("char_name", "char_persona", "char_greeting", "world_scenario", "example_dialogue"),
    ),
    Shape(
        20,
        "card_ooba",
        lambda v: _has_any(v, "name", "bot") and _has(v, "context") and not _has_any(v, "first_mes", "messages"),
        ("name", "bot", "context", "greeting", "example_dialogue"),
    ),
    Shape(
        21,
        "card_v1",
        _card_v1,
        _V1,
    ),
    Shape(
        34,
        "st_preset_chat",
        lambda v: _has(v, "temperature") and _has_any(v, "main_prompt", "nsfw_prompt", "jailbreak_prompt"),
        ("temperature", "main_prompt", "nsfw_prompt", "jailbreak_prompt"),
    ),
    Shape(
        22,
        "st_preset_textgen",
        lambda v: (
            _has(v, "temp", "rep_pen")
            or (_has(v, "temperature") and _has_any(v, "rep_pen", "top_k") and not _has_any(v, "prompts", "messages"))
        ),
        ("temp", "temperature", "rep_pen", "top_k", "top_p"),
    ),
    Shape(
        23,
        "aidungeon_wi",
        lambda v: _all_items(v, lambda i: _dungeon_keys(i) and _has_any(i, "value", "entry")),
        ("keys", "value", "entry", "hidden"),
    ),
    Shape(
        24,
        "janitor_lorebook",
        lambda v: (
            _all_items(v, lambda i: _has(i, "key", "content"))
            and _some_item(v, lambda i: _has_any(i, "keysRaw", "keywordsRaw", "activationMode"))
        ),
        ("key", "content", "keysRaw", "keywordsRaw", "activationMode"),
    ),
    Shape(
        25,
        "entry_list",
        lambda v: _all_items(v, lambda i: _has_any(i, "keys", "key", "keywords") and _told(i)),
        ("keys", "key", "keywords", "content"),
    ),
    Shape(
        26,
        "bundle",
        lambda v: _all_items(v, lambda i: _card(i) or _holds_entries(i)),
        ("spec", "data", "entries"),
    ),
    Shape(27, "chat_request", lambda v: _has(v, "messages") and isinstance(v["messages"], list), ("messages", "model")),
    Shape(28, "role_messages", lambda v: isinstance(v, list) and _some_item(v, lambda i: _has(i, *_ROLES)), _ROLES),
    Shape(
        29, "named_messages", lambda v: isinstance(v, list) and _some_item(v, lambda i: _has(i, "mes")), ("name", "mes")
    ),
    Shape(
        30,
        "st_chat",
        lambda v: _has_any(v, "chat_metadata", "user_name") or _has(v, "mes"),
        ("chat_metadata", "user_name", "character_name", "create_date", "mes"),
    ),
    Shape(
        31,
        "st_settings",
        lambda v: _has(v, "power_user") or _has(v, "world_info_settings"),
        ("power_user", "world_info_settings", "extension_settings", "user_avatar"),
    ),
    Shape(
        36,
        "st_personas",
        lambda v: _has(v, "personas", "persona_descriptions") and all(map(_is_object, map(v.get, _PERSONAS))),
        ("personas", "persona_descriptions", "default_persona"),
    ),
    Shape(
        33,
        "risu_preset",
        lambda v: (
            _has(v, "promptTemplate")
            and isinstance(v["promptTemplate"], list)
            and _has_any(v, "promptSettings", "apiType", "aiModel", "formatingOrder")
        ),
        ("promptTemplate", "promptSettings", "apiType", "aiModel", "formatingOrder", "customScripts"),
    ),
)


def name_json(value: object) -> str:
    """The id of the format of a parsed JSON value, or "" when no row of the table holds."""
    return next((shape.kind for shape in SHAPES if shape.test(value) and not misfit(shape.kind, value)), "")
