"""Cards as files of ours: the JSON of a card -> value of the file, and back.

The texts of a card have names of ours, its lorebook is a book of ours in the same file, and `origin` keeps what a person
does not read: what stands around the fields, which of them are repeated there, and the order of members. A picture or
an archive around the card is no part of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.model import Book
from lorewright.errors import FormatError
from lorewright.formats.card import Card, read_card_value
from lorewright.formats.card_yaml import as_card, is_foreign_card
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.member_order import find_orders, read_names, restore_orders, write_names
from lorewright.formats.native.card_books import book_value, read_book_value, write_card_book
from lorewright.formats.native.documents import document, open_document, without_places
from lorewright.formats.native.lens import Table, hide_object, is_same, member, show_object
from lorewright.formats.shapes import name_json
from lorewright.formats.wording import describe

__all__ = ["CARD", "as_version", "card_format", "card_value", "foreign_card", "read_native_card"]

_BOOK: Final = "book"
_THEIR_BOOK: Final = "character_book"
_DATA: Final = "data"
_ORIGIN: Final = "origin"
_FORMAT: Final = "format"
_AROUND: Final = "around"
_REPEATED: Final = "repeated"

CARD: Final[Table] = (
    member("name", "name", "text"),
    member("description", "description", "text"),
    member("personality", "personality", "text"),
    member("scenario", "scenario", "text"),
    member("greeting", "first_mes", "text"),
    member("greetings", "alternate_greetings", "list"),
    member("group_greetings", "group_only_greetings", "list"),
    member("examples", "mes_example", "text"),
    member("system_prompt", "system_prompt", "text"),
    member("post_history", "post_history_instructions", "text"),
    member("note.text", "extensions.depth_prompt.prompt", "text"),
    member("note.depth", "extensions.depth_prompt.depth", "number"),
    member("note.role", "extensions.depth_prompt.role", "text"),
    member("nickname", "nickname", "text"),
    member("creator", "creator", "text"),
    member("creator_notes", "creator_notes", "text"),
    member("version", "character_version", "text"),
    member("tags", "tags", "list"),
    member("linked_book", "extensions.world", "text"),
)
"""The fields of a card; its lorebook stands behind them."""
_FRESH: Final[Mapping[str, Any]] = {"spec": "chara_card_v3", "spec_version": "3.0"}
"""Around the fields of a card that was written by hand."""
_REQUIRED: Final = (
    "name description personality scenario first_mes mes_example creator_notes system_prompt "
    "post_history_instructions alternate_greetings group_only_greetings tags creator character_version extensions"
).split()
_EMPTY: Final[Mapping[str, Any]] = dict.fromkeys(_REQUIRED, "") | {
    "alternate_greetings": [],
    "group_only_greetings": [],
    "tags": [],
    "extensions": {},
}


def card_value(card: Card, book: Book | None = None) -> dict[str, Any]:
    """The value of our file of a card. `book` stands in it in place of the card's own, perhaps marked by an importer."""
    raw = as_card(card.data) if is_foreign_card(card.data) else dict(card.data)
    inner = raw.get(_DATA)
    fields = dict(inner) if isinstance(inner, dict) else dict(raw)
    origin: dict[str, Any] = {_FORMAT: name_json(raw) or "card_v2"}
    if isinstance(inner, dict):
        around = {name: value for name, value in raw.items() if name != _DATA}
        same = [name for name in around if name in fields and is_same(around[name], fields[name])]
        origin[_AROUND] = {name: value for name, value in around.items() if name not in same}
        origin |= {_REPEATED: write_names(same)} if same else {}
    body: dict[str, Any] = {}
    if card.book is not None and card.book.entries:  # one without entries is kept as it is
        theirs = fields.pop(_THEIR_BOOK, None)
        value, kept = book_value(theirs if isinstance(theirs, dict) else {}, book or card.book)
        body[_BOOK] = value
        origin |= {_BOOK: kept} if kept else {}
    shown = show_object(CARD, fields)
    made = document("card", card.name, {**shown, **body}, origin)
    if "name" not in shown:
        made.pop("name")
    return {**made, _ORIGIN: origin | find_orders(raw, foreign_card(made)[0])}


def foreign_card(
    value: object, notes: Notes | None = None, stem: str = ""
) -> tuple[dict[str, Any], Imported[Book] | None]:
    """The JSON of the card that our file says, and its lorebook.

    Raises:
        FormatError: it is no card of ours, was written for a newer version, or its book is none.
    """
    noted = notes if notes is not None else Notes()
    name, body, origin = open_document(value, "card", noted)
    read = _read_book(body.pop(_BOOK, None), name or stem)
    if isinstance(value, dict) and "name" in value:
        body = {"name": value["name"], **body}
    fields = hide_object(CARD, body, noted, what="a card")
    around, repeated = origin.get(_AROUND), read_names(origin.get(_REPEATED)) or ()
    is_new = _FORMAT not in origin
    if is_new:
        around, fields = _FRESH, {**_EMPTY, **fields}
    if read is not None:
        kept = origin.get(_BOOK)
        fields[_THEIR_BOOK] = write_card_book(read.value, kept if isinstance(kept, dict) else {})
    raw = fields
    if isinstance(around, dict):
        raw = {**around, **{name: fields[name] for name in repeated if name in fields}, _DATA: fields}
    return restore_orders(raw, origin), read


def card_format(value: Mapping[str, Any]) -> str:
    """The format in which the card of a file of ours is written back."""
    kind = value[_ORIGIN].get(_FORMAT)
    return kind if isinstance(kind, str) else "card_v3"


def as_version(raw: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The JSON of a card as one of another version: `card_v1`, `card_v2`, `card_v3`. Fields that a version does not know
    stay in it."""
    if (name_json(raw) or "card_v2") == kind:
        return dict(raw)
    inner = raw.get(_DATA)
    fields = dict(inner) if isinstance(inner, dict) else dict(raw)
    if kind == "card_v1":
        return fields
    version = kind.removeprefix("card_v")
    if not version.isdecimal():
        raise FormatError(f"A card is written as V1, V2 or V3, not as `{kind}`.", format=kind)
    return {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0", _DATA: {**_EMPTY, **fields}}


def read_native_card(value: object, *, stem: str = "", origin: str = "", notes: Notes | None = None) -> Imported[Card]:
    """Read the parsed file. Its lorebook means what the same text means as a book of ours. The ledger counts entries.

    Raises:
        FormatError: as `foreign_card`.
    """
    noted = notes if notes is not None else Notes()
    raw, book = foreign_card(value, noted, stem)
    card = read_card_value(raw, stem=stem, origin=origin)
    told = (*noted.reports(), *without_places(card.reports))
    if book is None:
        return replace(card, reports=told)
    reports = (*(report for report in told if not report.book), *book.reports)
    with_book = replace(card.value, book=replace(book.value, origin=origin))
    return Imported(with_book, book.found, book.kept, book.refused, reports)


def _read_book(value: object, name: str) -> Imported[Book] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise FormatError(f"`book` of a card is a mapping with `entries`; here it is {describe(value)}.")
    return read_book_value(value, name)
