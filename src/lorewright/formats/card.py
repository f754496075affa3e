"""Character cards V1, V2 and V3: the parsed JSON of a card -> `Card` (spec formats §3.2-3.4).

A card is read forgivingly: whatever it holds, the result is a card and reports. Its JSON is kept whole in `Card.data`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.javascript import value_as_text
from lorewright.core.model import ABSENT, Book, Character
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.assets import Asset
from lorewright.formats.character_book import read_character_book
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.mojibake import note_text
from lorewright.formats.pointer import pointer
from lorewright.formats.things.scripts import regex_scripts_of
from lorewright.formats.things.thing import RegexScript
from lorewright.formats.wording import describe

__all__ = ["Card", "find_data", "name_of_book", "read_card_value"]

_MIRRORED: Final = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_CARD_SIGNS: Final = frozenset({*_MIRRORED, "character_book", "creator_notes", "system_prompt"})
_TEXTS: Final = (*_MIRRORED, "creator_notes", "system_prompt", "post_history_instructions", "creator", "nickname")
_DATES: Final = ("creation_date", "modification_date")
_LATEST_SECONDS: Final = 10**11
"""In the year 5138; in milliseconds it was 1973 (spec formats §3.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character card.

    `spec` and `spec_version` are as in the file ("" for V1). `name` is the character's name, or a name made of the file
    name when the card has none. `tags` are names (tag ids are the host's affair, so `character.tags` is None).
    `linked_book` names a book outside the card that belongs to it. `data` is the whole JSON object of the file.
    """

    spec: str
    spec_version: str
    name: str
    character: Character
    tags: tuple[str, ...]
    book: Book | None
    linked_book: str
    data: Mapping[str, Any]
    assets: tuple[Asset, ...] = ()
    """What the card lists in `assets`, with its place in the file."""
    parts: tuple[str, ...] = ()
    """The names of everything in the archive or picture that can be read, the card itself among them."""
    regex_scripts: tuple[RegexScript, ...] = ()
    """What stands in the card's `extensions`; whoever allows it gives them to a policy."""


def read_card_value(
    value: object, *, stem: str = "", avatar: str = "", origin: str = "", notes: Notes | None = None
) -> Imported[Card]:
    """Read the parsed JSON of a card. The ledger counts the entries of its book.

    `stem` is the file name without its ending: it names a card, or a book, that has no name. `avatar` is the file name
    of the character's picture, `<stem or name>.png` by default.

    Raises:
        FormatError: no JSON object, or its book is over a limit.
    """
    if not isinstance(value, dict):
        raise FormatError(f"A character card is a JSON object, not {describe(value)}.")
    notes = notes if notes is not None else Notes()
    reader = _Reader(_find_data(value, notes), notes)
    given_name = reader.text("name")
    name = given_name if given_name.strip() else stem or "Character"
    if name != given_name:
        notes.add("card_name_empty", f"The card has no name; it is called `{name}` here.", field="name")
    _report_mirror(value, reader.data, notes)
    book = reader.book(stem or name, origin)
    linked = reader.linked_book(book)
    character = Character(
        name=name,
        avatar=avatar or f"{stem or name}.png",
        description=reader.text("description"),
        personality=reader.text("personality"),
        depth_prompt=reader.depth_prompt(),
        scenario=reader.text("scenario"),
        creator_notes=reader.text("creator_notes") or reader.text("creatorcomment"),
    )
    card = Card(
        spec=value_as_text(value.get("spec", "")),
        spec_version=value_as_text(value.get("spec_version", "")),
        name=name,
        character=character,
        tags=reader.tags(),
        book=book.value if book else None,
        linked_book=linked,
        data=value,
        regex_scripts=regex_scripts_of(reader.extensions, notes, where=pointer((*find_data(value), "extensions"))),
    )
    reader.check_greetings()
    reader.check_texts()
    reader.check_dates()
    counted = (book.found, book.kept, book.refused) if book else (0, 0, 0)
    return Imported(card, *counted, notes.reports())


def name_of_book(card: Card) -> str:
    """What a card's book is called: one without a name of its own after the character, as SillyTavern calls it on import."""
    has_name = card.book is not None and card.book.extra.get("name")
    return card.book.name if card.book is not None and has_name else f"{card.name}'s Lorebook"


def find_data(value: object) -> tuple[str, ...]:
    """The path to the object with the card's fields: to `data` in V2 and V3, none in V1; further if it is nested."""
    path: tuple[str, ...] = ()
    data = value
    for _ in range(limits.CARD_NESTING):
        inner = data.get("data", ABSENT) if isinstance(data, dict) else ABSENT
        if not isinstance(data, dict) or not isinstance(inner, dict):
            break
        if "spec" not in data and "data" not in inner and _CARD_SIGNS.isdisjoint(inner):
            break  # some other program's `data`
        path, data = (*path, "data"), inner
    return path


def _find_data(value: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """The object with the card's fields."""
    path = find_data(value)
    data = value
    for level, name in enumerate(path):
        data = data[name]
        if level:
            message = "The card is wrapped in itself (`data` inside `data`); the inner one is used."
            notes.add("card_data_nested", message, place=pointer(path[: level + 1]))
    if not path and "spec" in value:
        what = f"is {describe(value['data'])}" if "data" in value else "is missing"
        notes.add("card_data_missing", f"The card names its version but `data` {what}; it is read as V1.", field="data")
    return data


def _report_mirror(value: Mapping[str, Any], data: Mapping[str, Any], notes: Notes) -> None:
    """V2 and V3 files often repeat the V1 fields at the top; the copy may be old."""
    if data is value:
        return
    different = [f"`{name}`" for name in _MIRRORED if name in value and name in data and value[name] != data[name]]
    if different:
        message = f"The copy of {', '.join(different)} outside `data` is different; `data` is used."
        notes.add("mirror_differs", message, "info", place="/" + different[0].strip("`"))


class _Reader:
    """Reads the fields of one card."""

    def __init__(self, data: dict[str, Any], notes: Notes) -> None:
        self.data = data
        self.notes = notes
        extensions = data.get("extensions")
        self.extensions: dict[str, Any] = extensions if isinstance(extensions, dict) else {}
        if extensions is not None and not isinstance(extensions, dict):
            self._bad("extensions", extensions)

    def text(self, name: str) -> str:
        return self._text(name, self.data.get(name))

    def depth_prompt(self) -> str:
        """The character's note: `extensions.depth_prompt.prompt`."""
        note = self.extensions.get("depth_prompt")
        if isinstance(note, dict):
            return self._text("extensions.depth_prompt.prompt", note.get("prompt"))
        return self._text("extensions.depth_prompt", note)

    def tags(self) -> tuple[str, ...]:
        """A list of names, or one text with commas as old cards have it."""
        value = self.data.get("tags")
        if isinstance(value, str):
            return tuple(tag for part in value.split(",") if (tag := part.strip()))
        if isinstance(value, list):
            if strange := [tag for tag in value if not isinstance(tag, str)]:
                self._bad("tags", strange[0])
            return tuple(tag for tag in value if isinstance(tag, str))
        if value is not None:
            self._bad("tags", value)
        return ()

    def book(self, fallback: str, origin: str) -> Imported[Book] | None:
        value = self.data.get("character_book")
        if value is None:
            return None
        if not isinstance(value, dict):
            self._bad("character_book", value)
            return None
        own = value.get("name")
        name = own if isinstance(own, str) and own else fallback
        self.notes.book = name
        book = read_character_book(value, name=name, origin=origin, notes=self.notes)
        self.notes.book = ""
        return book

    def linked_book(self, book: Imported[Book] | None) -> str:
        """The name in `extensions.world`. The embedded book is taken for it unless it has a name of its own."""
        name = self._text("extensions.world", self.extensions.get("world"))
        if name and (book is None or book.value.extra.get("name") not in (None, "", name)):
            self.notes.add(
                "linked_book_missing",
                f"The card belongs with the book `{name}`, which is not in this file. Give that book as well.",
                field="extensions.world",
            )
        return name

    def check_greetings(self) -> None:
        value = self.data.get("alternate_greetings")
        if value is not None and not isinstance(value, list):
            self._bad("alternate_greetings", value)

    def check_texts(self) -> None:
        for name in _TEXTS:
            note_text(self.data.get(name), f"`{name}`", self.notes, field=name)

    def check_dates(self) -> None:
        """V3 counts seconds; some programs write milliseconds."""
        for name in _DATES:
            value = self.data.get(name)
            if isinstance(value, (int, float)) and value > _LATEST_SECONDS:
                message = f"`{name}` is {describe(value)}, which must be milliseconds; V3 counts seconds. It is kept."
                self.notes.add("bad_value", message, "info", field=name)

    def _text(self, name: str, value: object) -> str:
        if isinstance(value, str):
            return value
        if value is not None:
            self._bad(name, value)
        return value_as_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""

    def _bad(self, name: str, value: object) -> None:
        used = "read as a text" if isinstance(value, (int, float)) and not isinstance(value, bool) else "not used"
        self.notes.add(
            "bad_value", f"`{name}` holds {describe(value)}, which is not of its type; it is {used}.", field=name
        )
