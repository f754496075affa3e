"""The lorebook inside a character card -> `Book`, by way of what SillyTavern makes of it (spec world-info §1.1).

Each entry becomes a world info entry with the fields SillyTavern writes, defaults included, and then an `Entry`. What
has no place there stays in `extra` under its own name. The way back is the card's own data, which is kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, EMPTY, Book, Entry
from lorewright.formats.entry_filter import FILTER_NAMES
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.marks import read_book_marks
from lorewright.formats.risu_import import Lifted, lift
from lorewright.formats.shelf import Place, Shelf, by_key, by_name, check_number
from lorewright.formats.v3_decorators import note_decorators
from lorewright.formats.wording import describe, some_entries
from lorewright.formats.world_info_entry import COLUMNS, EntryReader

__all__ = [
    "EXTENSIONS",
    "id_name_of",
    "is_free",
    "is_native",
    "lift_entry",
    "places_of",
    "read_character_book",
    "read_entry",
]

_BEFORE: Final = 0
_AFTER: Final = 1

EXTENSIONS: Final[tuple[tuple[str, str, object], ...]] = (
    ("excludeRecursion", "exclude_recursion", False),
    ("preventRecursion", "prevent_recursion", False),
    ("delayUntilRecursion", "delay_until_recursion", False),
    ("probability", "probability", 100),
    ("useProbability", "useProbability", True),
    ("depth", "depth", 4),
    ("selectiveLogic", "selectiveLogic", 0),
    ("outletName", "outlet_name", ""),
    ("group", "group", ""),
    ("groupOverride", "group_override", False),
    ("groupWeight", "group_weight", 100),
    ("scanDepth", "scan_depth", None),
    ("matchWholeWords", "match_whole_words", None),
    ("useGroupScoring", "use_group_scoring", None),
    ("automationId", "automation_id", ""),
    ("role", "role", 0),
    ("vectorized", "vectorized", False),
    ("sticky", "sticky", None),
    ("cooldown", "cooldown", None),
    ("delay", "delay", None),
    ("matchPersonaDescription", "match_persona_description", False),
    ("matchCharacterDescription", "match_character_description", False),
    ("matchCharacterPersonality", "match_character_personality", False),
    ("matchCharacterDepthPrompt", "match_character_depth_prompt", False),
    ("matchScenario", "match_scenario", False),
    ("matchCreatorNotes", "match_creator_notes", False),
    ("ignoreBudget", "ignore_budget", False),
)
"""World info name, name in `extensions`, and the value when that is absent or null."""

_MAPPED: Final = frozenset(
    "id keys secondary_keys comment content constant selective insertion_order enabled position case_sensitive "
    "extensions".split()
)


def read_character_book(
    value: Mapping[str, Any], *, name: str, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the object of a `character_book`. `name` is the book's name; its own scan settings are kept in `extra` only.

    `entries` may be a list, an object (as Chub writes), null or absent; an entry without `enabled` counts as switched
    on, which is reported once, since SillyTavern would switch it off.

    Raises:
        FormatError: too many entries.
    """
    noted = notes if notes is not None else Notes(name)
    entries = value.get("entries", ABSENT)
    if not isinstance(entries, (list, dict)):
        what = "has no `entries`" if entries is ABSENT else f"has {describe(entries)} as its `entries`"
        noted.add("book_without_entries", f"The character book {what}; it is read as an empty book.")
        entries = []
    check_number(len(entries), noted)
    reader = _Reader(noted)
    id_name = id_name_of(entries)
    ordered = by_key(entries) if isinstance(entries, dict) else by_name(entries, id_name)
    shelved = Shelf(noted).fill(ordered, id_name, reader.read)
    reader.report_missing_switches(len(shelved.entries))
    extra = {field: kept for field, kept in value.items() if field != "entries"}
    book = Book(name, shelved.entries, extra or EMPTY, origin, **read_book_marks(extra))
    return Imported(book, shelved.found, len(shelved.entries), len(shelved.refused), noted.reports(), "character_book")


def read_entry(raw: Mapping[str, Any], uid: int | str) -> Entry:
    """One entry by itself, under a uid that is known."""
    return _Reader(Notes()).read(raw, uid)


def places_of(entries: object) -> Mapping[Place, int | str]:
    """Which uid stands at which place of the entries of a character book."""
    if not isinstance(entries, (list, dict)):
        return {}
    id_name = id_name_of(entries)
    ordered = by_key(entries) if isinstance(entries, dict) else by_name(entries, id_name)
    return Shelf(Notes()).fill(ordered, id_name, lambda _, uid: Entry(uid=uid)).uids


class _Reader:
    """Reads the entries of one character book."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self._entries = EntryReader(notes)
        self._without_switch = 0

    def read(self, raw: Mapping[str, Any], uid: int | str) -> Entry:
        if is_native(raw):
            return self._read_native(raw, uid)
        extensions = raw.get("extensions")
        if extensions is not None and not isinstance(extensions, dict):
            message = f"`extensions` is {describe(extensions)}, not an object; it is not used."
            self.notes.add("bad_value", message, entry=uid)
        converted = self._convert(raw, extensions if isinstance(extensions, dict) else EMPTY, uid)
        unknown = {name: value for name, value in raw.items() if name not in _MAPPED and is_free(name)}
        if lifted := lift_entry(raw):
            converted |= {**lifted.fields, "content": lifted.content}
        entry = self._entries.read(converted | unknown, uid)
        note_decorators(entry.content, self.notes, uid)
        return entry

    def _read_native(self, raw: Mapping[str, Any], uid: int | str) -> Entry:
        """An entry that somebody put into a card in the spelling of world info."""
        self._without_switch += raw.get("disable", raw.get("enabled")) is None
        filled = {name: value for name, value in raw.items() if name not in {"keys", "id"} and value is not None}
        entry = self._entries.read({**filled, "uid": uid}, uid)
        note_decorators(entry.content, self.notes, uid)
        return entry

    def report_missing_switches(self, number: int) -> None:
        if self._without_switch:
            self.notes.add(
                "enabled_missing",
                f"{some_entries(self._without_switch, number, 'does', 'do')} not say whether they are enabled. "
                "They are on here; SillyTavern switches them off when it imports the card.",
                field="enabled",
            )

    def _convert(self, raw: Mapping[str, Any], extensions: Mapping[str, Any], uid: int | str) -> dict[str, object]:
        """The world info entry that SillyTavern makes of it. A field without a default here stays absent."""
        made: dict[str, object] = {"uid": uid}
        if "keys" in raw:
            made["key"] = raw["keys"]
        made["keysecondary"] = raw.get("secondary_keys") or []
        made["comment"] = raw.get("comment") or raw.get("name") or ""
        if "content" in raw:
            made["content"] = raw["content"]
        made["constant"] = raw.get("constant") or False
        made["selective"] = raw.get("selective") or False
        if "insertion_order" in raw:
            made["order"] = raw["insertion_order"]
        made["position"] = _first(
            extensions.get("position"), _BEFORE if raw.get("position") == "before_char" else _AFTER
        )
        made.update(self._switch(raw, uid))
        made.update({name: _first(extensions.get(other), default) for name, other, default in EXTENSIONS})
        made["caseSensitive"] = _first(extensions.get("case_sensitive"), raw.get("case_sensitive"))
        made["triggers"] = _first(extensions.get("triggers"), [])
        if extensions.get("character_filter") is not None:
            made["characterFilter"] = extensions["character_filter"]
        made["extensions"] = raw.get("extensions") or {}
        return made

    def _switch(self, raw: Mapping[str, Any], uid: int | str) -> dict[str, object]:
        enabled = raw.get("enabled")
        if enabled is None:
            self._without_switch += 1
            return {}
        if not isinstance(enabled, bool):
            message = f"`enabled` holds {describe(enabled)}; it counts as {'true' if truthy(enabled) else 'false'}."
            self.notes.add("bad_value", message, entry=uid, field="enabled")
        return {"disable": not truthy(enabled)}


def _first(value: object, default: object) -> object:
    """JavaScript's `??`: the default in place of null and absent."""
    return default if value is None else value


def is_native(raw: Mapping[str, Any]) -> bool:
    """Whether the names of world info are the filled ones (spec formats §2)."""
    return not raw.get("keys") and (bool(raw.get("key")) or ("keys" not in raw and "disable" in raw))


_RISU_MODES: Final = ("normal", "multiple", "constant", "folder", "child")
_IN_EXTENSIONS: Final = {"position": "position"} | {name: other for name, other, _ in EXTENSIONS}


def lift_entry(raw: Mapping[str, Any]) -> Lifted | None:
    """The decorators of RisuAI's import at the top of an entry of a card that RisuAI wrote (spec formats §3.4, §3.7).

    Such an entry has a `mode` or a `folder`. None for any other, and for one that says a field of the decorators under
    `extensions` as well.
    """
    if raw.get("mode") not in _RISU_MODES and not isinstance(raw.get("folder"), str):
        return None
    secondary = raw.get("secondary_keys")
    texts = [key.strip() for key in secondary if isinstance(key, str)] if isinstance(secondary, list) else []
    lifted = lift(raw.get("content"), texts)
    extensions = raw.get("extensions")
    if lifted is None or not isinstance(extensions, dict):
        return lifted
    said = (extensions.get(_IN_EXTENSIONS.get(name, "")) for name in lifted.fields)
    return None if any(value is not None for value in said) else lifted


def id_name_of(entries: Mapping[Any, Any] | list[Any]) -> str:
    """`id`, or `uid` if all entries have that and none has the other."""
    listed = entries.values() if isinstance(entries, Mapping) else entries
    ids = [raw.keys() & {"id", "uid"} for raw in listed if isinstance(raw, dict)]
    return "uid" if ids and all(one == {"uid"} for one in ids) else "id"


def is_free(name: str) -> bool:
    """Whether a name of the card's entry can stand beside the converted fields, and is kept as it is."""
    return name not in COLUMNS and name not in FILTER_NAMES and name not in {"uid", "automationId", "vectorized"}
