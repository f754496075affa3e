"""Books of entries in the spelling of cards, alone in a file, and their kin <-> `Book` (spec formats §1, §3.4, §3.11).

A bare `character_book`, the V3 form with `spec` around it, the books of Chub, JanitorAI's lists, and lists of entries
of no known program. All of them mix the spelling of cards with that of SillyTavern; the first that is filled counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from lorewright.core.model import Book
from lorewright.formats import limits
from lorewright.formats.character_book import EXTENSIONS
from lorewright.formats.dialect import ENTRIES, FACTORY, Dialect, Homes, homes, own_homes
from lorewright.formats.foreign import read_foreign, write_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.keylist import join_keys, split_keys
from lorewright.formats.shelf import by_name
from lorewright.formats.wording import some_entries

__all__ = [
    "SPELLINGS",
    "homes_in_card",
    "not_value",
    "position_as_number",
    "position_as_text",
    "read_bare_character_book",
    "read_book_of_card",
    "read_chub",
    "read_entry_list",
    "read_janitor",
    "read_lorebook_v3",
    "write_character_book",
    "write_chub",
    "write_entry_list",
    "write_janitor",
    "write_lorebook_v3",
]

_BEFORE: Final = "before_char"
_AFTER: Final = "after_char"


def not_value(value: Any) -> Any:
    """`enabled` for `disable` and back; what is neither true nor false stays as it is."""
    return not value if isinstance(value, bool) else value


def position_as_number(value: Any) -> Any:
    return {_BEFORE: 0, _AFTER: 1}.get(value, value) if isinstance(value, str) else value


def position_as_text(value: Any) -> Any:
    """As SillyTavern writes it: whatever is not before the character is after it."""
    return _BEFORE if value == 0 else _AFTER


_ENABLED: Final = homes("enabled", into=not_value, back=not_value)
_NUMBERED: Final[Homes] = {
    "key": homes("keys", "key", "keywords"),
    "keysecondary": homes("secondary_keys", "keysecondary", "secondaryKeys"),
    "comment": homes("comment", "name", "title"),
    "content": homes("content"),
    "constant": homes("constant"),
    "selective": homes("selective"),
    "order": homes("insertion_order", "order", "insertionOrder"),
    "disable": (*_ENABLED, *homes("disable")),
    "position": homes("extensions.position", "position"),
    "caseSensitive": homes("extensions.case_sensitive", "case_sensitive", "caseSensitive"),
    "triggers": homes("extensions.triggers", "triggers"),
    "characterFilter": homes("extensions.character_filter", "characterFilter"),
    **{name: homes(f"extensions.{other}", *dict.fromkeys((name, other))) for name, other, _ in EXTENSIONS},
}
"""The places of both spellings, and `position` as a number."""

_WITH_TEXT: Final[Homes] = {
    **_NUMBERED,
    "position": (
        *homes("extensions.position"),
        *homes("position", into=position_as_number, back=position_as_text),
    ),
}


SPELLINGS: Final = frozenset(
    place.path[0]
    for name, places in _WITH_TEXT.items()
    for place in places
    if len(place.path) == 1 and name not in {"automationId", "vectorized"}
)
"""Names at the top of an entry that may stand for a field of the model."""


def homes_in_card(raw: Mapping[str, Any]) -> Homes:
    """The places of the fields of this entry of a card, in either spelling; the first is the usual one."""
    return _WITH_TEXT if isinstance(raw.get("position", _AFTER), str) else _NUMBERED


_CARD_DEFAULTS: Final[Mapping[str, object]] = {
    **{name: default for name, _, default in EXTENSIONS},
    "keysecondary": [],
    "comment": "",
    "constant": False,
    "selective": False,
    "position": 1,
    "caseSensitive": None,
    "triggers": [],
}
_CARD_BLANK: Final[Mapping[str, object]] = MappingProxyType(
    {"keys": [], "content": "", "extensions": {}, "enabled": True, "insertion_order": 100, "use_regex": False}
)


def _card_dialect(kind: str) -> Dialect:
    return Dialect(
        kind, "id", _WITH_TEXT, _CARD_DEFAULTS, _CARD_BLANK, homes_in_card, ordered=lambda e: by_name(e, "id")
    )


_BARE: Final = _card_dialect("character_book")
_V3: Final = _card_dialect("lorebook_v3")
_CHUB: Final = _card_dialect("chub_lorebook")
_LIST: Final = Dialect(
    "entry_list",
    "id",
    _WITH_TEXT,
    FACTORY,
    {"keys": [], "content": "", "enabled": True},
    homes_in_card,
    is_book_field=lambda _: False,
)

_JANITOR_HOMES: Final[Homes] = {
    "key": (*homes("key"), *homes("keysRaw", "keywordsRaw", into=split_keys, back=join_keys)),
    "keysecondary": (*homes("keysecondary"), *homes("keysecondaryRaw", into=split_keys, back=join_keys)),
    "comment": homes("name", "comment"),
    "content": homes("content"),
    "disable": _ENABLED,
    "constant": homes("constant"),
    "order": homes("insertion_order"),
    "probability": homes("probability"),
    "selectiveLogic": homes("selectiveLogic"),
    "matchWholeWords": homes("matchWholeWords"),
    "caseSensitive": homes("case_sensitive"),
    "group": homes("inclusionGroupRaw"),
    "groupWeight": homes("groupWeight"),
    "groupOverride": homes("prioritizeInclusion"),
    "delay": homes("minMessages"),
}
_JANITOR: Final = Dialect(
    "janitor_lorebook",
    "id",
    {**_JANITOR_HOMES, **own_homes(_JANITOR_HOMES)},
    FACTORY,
    {"key": [], "keysRaw": "", "keysecondary": [], "keysecondaryRaw": "", "content": "", "enabled": True},
    is_book_field=lambda _: False,
)


def read_bare_character_book(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a `character_book` that stands alone in its file."""
    return _read(value, _BARE, (ENTRIES,), name, origin, notes)


def read_book_of_card(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the book inside the JSON of a card, so that `write_character_book` gives the whole card."""
    path: tuple[str, ...] = ()
    data = value
    for _ in range(limits.CARD_NESTING):
        if not isinstance(data.get("data"), dict):
            break
        path, data = (*path, "data"), data["data"]
    return _read(value, _BARE, (*path, "character_book", ENTRIES), name, origin, notes)


def write_character_book(book: Book) -> Any:
    return write_foreign(book, _BARE, lambda entries, extra: {"name": book.name, **extra, ENTRIES: entries})


def read_lorebook_v3(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a book of the V3 specification; some programs put it one step deeper, into `data.lorebook`."""
    data = value.get("data")
    deeper = isinstance(data, dict) and ENTRIES not in data and isinstance(data.get("lorebook"), dict)
    return _read(value, _V3, ("data", "lorebook", ENTRIES) if deeper else ("data", ENTRIES), name, origin, notes)


def write_lorebook_v3(book: Book) -> Any:
    def envelope(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> Any:
        data = {"name": book.name, "extensions": {}, **extra, ENTRIES: entries}
        return {"spec": "lorebook_v3", "data": data}

    return write_foreign(book, _V3, envelope)


def read_chub(value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None) -> Imported[Book]:
    """Read a book of Chub (or Venus): entries by their ids, in both spellings."""
    return _read(value, _CHUB, (ENTRIES,), name, origin, notes)


def write_chub(book: Book) -> Any:
    def envelope(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> Any:
        by_id = {str(entry["id"]): entry for entry in entries}
        return {"name": book.name, "description": "", "is_creation": False, "extensions": {}, **extra, ENTRIES: by_id}

    return write_foreign(book, _CHUB, envelope)


def read_janitor(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read JanitorAI's list. The scripts of its entries are kept and never run."""
    return read_foreign(value, _JANITOR, path=(), name=name, origin=origin, notes=notes, effects=_note_script)


def _note_script(raw: Mapping[str, Any], _: dict[str, Any], uid: int | str, notes: Notes) -> None:
    if raw.get("activationScript"):
        message = "`activationScript` holds a script; it is kept and never run. The entry goes by its keys."
        notes.add("script_inert", message, entry=uid)


def write_janitor(book: Book) -> Any:
    return write_foreign(book, _JANITOR, lambda entries, _: entries)


def read_entry_list(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a list of entries with nothing around it."""
    return read_foreign(value, _LIST, path=(), name=name, origin=origin, notes=notes)


def write_entry_list(book: Book) -> Any:
    return write_foreign(book, _LIST, lambda entries, _: entries)


def _read(
    value: Any, dialect: Dialect, path: tuple[str, ...], name: str | None, origin: str, notes: Notes | None
) -> Imported[Book]:
    noted = notes if notes is not None else Notes()
    container: Any = value
    for step in path:
        container = container.get(step) if isinstance(container, dict) else None
    listed = container.values() if isinstance(container, dict) else container if isinstance(container, list) else ()
    silent = sum(isinstance(raw, dict) and raw.get("enabled", raw.get("disable")) is None for raw in listed)
    if silent:
        message = (
            f"{some_entries(silent, len(listed), 'does', 'do')} not say whether they are enabled. "
            "They are on here; SillyTavern switches such entries of a card off."
        )
        noted.add("enabled_missing", message, field="enabled")
    return read_foreign(value, dialect, path=path, name=name, origin=origin, notes=noted)
