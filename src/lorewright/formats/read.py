"""Files and bytes -> books, cards and chats: recognise the format, then read it (spec formats §2).

Whatever is wrong with a path or a file ends in a `FormatError` with a sentence, or in reports beside the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

from lorewright.core.model import EMPTY, Book
from lorewright.core.protocols import Regexes
from lorewright.errors import FormatError
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.opened import Opened, Source, open_for

if TYPE_CHECKING:
    from lorewright.core.layout.preset import Preset
    from lorewright.formats.card import Card
    from lorewright.formats.chat import Chat
    from lorewright.formats.persona import NamedPersona
    from lorewright.formats.things.thing import Thing

__all__ = [
    "BOOK_READERS",
    "Source",
    "book_reader",
    "read_book",
    "read_card",
    "read_chat",
    "read_persona",
    "read_personas",
    "read_preset",
    "read_thing",
]


class BookReader(Protocol):
    """Reads a book from the content of a recognised file (for most formats a parsed JSON value)."""

    def __call__(self, value: Any, *, name: str | None, origin: str, notes: Notes) -> Imported[Book]: ...


BOOK_READERS: Final[Mapping[str, str]] = {
    "native_yaml": "native.read:read_native",
    "native_json": "native.read:read_native",
    "st_worldinfo": "world_info:read_world_info",
    "character_book": "entry_objects:read_bare_character_book",
    "lorebook_v3": "entry_objects:read_lorebook_v3",
    "chub_lorebook": "entry_objects:read_chub",
    "janitor_lorebook": "entry_objects:read_janitor",
    "entry_list": "entry_objects:read_entry_list",
    "novelai_lorebook": "novelai:read_novelai_lorebook",
    "novelai_lorebook_png": "novelai:read_novelai_lorebook",
    "novelai_story": "novelai:read_novelai_story",
    "markdown_lorebook": "markdown.reader:read_markdown",
    "agnai_book": "agnai:read_agnai_book",
    "agnai_character": "agnai:read_agnai_character",
    "kobold_story": "kobold:read_kobold_story",
    "aidungeon_wi": "kobold:read_ai_dungeon",
    "bundle": "bundle:read_bundle",
    "risu_lorebook": "risu_lorebook:read_risu_lorebook",
    "risu_module": "risu_module:read_risu_module",
    "risum": "risu_module:read_risum_book",
    "static_knowledge": "static_knowledge:read_static_knowledge",
    "agent_rules": "agent_rules:read_agent_rules",
}
"""By format: what reads a book from a file that is no card, as module and function. It is loaded with the first file of
its format; so are the readers of cards, chats and things below."""


def book_reader(kind: str) -> BookReader | None:
    """What reads a book of a format; None for cards, and for what holds no book."""
    home = BOOK_READERS.get(kind)
    if home is None:
        return None
    module, _, name = home.partition(":")
    reader: BookReader = getattr(import_module(f"lorewright.formats.{module}"), name)
    return reader


def read_book(source: Source, name: str | None = None) -> Imported[Book]:
    """Read a lorebook: a world info file, or the book inside a character card.

    The book is called `name`; without it, a world info book is called after its file, a card's book as it calls itself
    or else after the file. A card without a book gives an empty book and the report `card_without_book`.

    Raises:
        FormatError: the file cannot be opened, is too large, or is nothing from which a book can be read.
    """
    file = open_for(source, "book")
    reader = book_reader(file.found.format)
    if reader is not None:
        imported = reader(
            file.found.content, name=name or file.stem or None, origin=file.origin, notes=file.found.notes
        )
        return replace(_renamed(imported, name), format=file.found.format)
    card = _read_card(file)
    book = card.value.book
    if book is None:
        called = name or file.stem or card.value.name
        file.found.notes.add("card_without_book", f"The card `{card.value.name}` has no lorebook in it.")
        return Imported(Book(called, (), EMPTY, file.origin), 0, 0, 0, file.found.notes.reports(), card.format)
    imported = Imported(book, card.found, card.kept, card.refused, card.reports, card.format, card.merged)
    return _renamed(imported, name)


def _renamed(imported: Imported[Book], name: str | None) -> Imported[Book]:
    """The book under the name that the caller gave it."""
    if not name or imported.value.name == name:
        return imported
    reports = tuple(replace(report, book=name) if report.book else report for report in imported.reports)
    return replace(imported, value=replace(imported.value, name=name), reports=reports)


def read_card(source: Source) -> Imported[Card]:
    """Read a character card, from JSON, YAML, a picture or an archive. The ledger counts the entries of its book.

    Raises:
        FormatError: the file cannot be opened, is too large, or is no card.
    """
    return _read_card(open_for(source, "card"))


def read_chat(source: Source, *, user: str | None = None, character: str | None = None) -> Imported[Chat]:
    """Read a chat: SillyTavern's `.jsonl`, a JSON list of messages, or a request body. The ledger counts messages.

    `user` and `character` name the two sides; they overrule names in the header of a file.

    Raises:
        FormatError: the file cannot be opened, is too large, or is no chat.
    """
    from lorewright.formats.chat import read_chat_lines, read_named_messages
    from lorewright.formats.chat_request import read_chat_request, read_role_messages

    found = open_for(source, "chat").found
    match found.content:
        case str() as text:
            return read_chat_lines(text, user=user, character=character, notes=found.notes)
        case dict() as body if found.format == "chat_request":
            return read_chat_request(body, user=user, character=character, notes=found.notes)
        case list() as listed if found.format == "role_messages":
            return read_role_messages(listed, user=user, character=character, notes=found.notes)
        case value:
            read = read_named_messages(value, user=user, character=character, notes=found.notes)
            return replace(read, format=found.format)


def read_thing(source: Source, name: str | None = None, *, regexes: Regexes | None = None) -> Imported[Thing]:
    """Read a preset, a template, regex scripts or quick replies: kept whole, listed in short, never run.

    It is called `name`, else as the file calls itself, else after the file. The ledger counts what is listed. With
    `regexes` (that of `Tools`, for instance) patterns that JavaScript would refuse are reported.

    Raises:
        FormatError: the file cannot be opened, is too large, or is nothing of that sort.
    """
    return _read_thing(open_for(source, "thing"), name, regexes)


def read_preset(source: Source, name: str | None = None) -> Imported[Preset]:
    """Read a preset for chat completion: SillyTavern's, an export of its prompt manager, or our own. The ledger counts
    prompts and regex scripts.

    Raises:
        FormatError: the file cannot be opened, is too large, or is no preset for chat completion.
    """
    from lorewright.formats.things.layout_preset import CHAT_PRESETS

    thing = _read_thing(open_for(source, "thing"), name, None)
    kind = thing.value.kind
    if kind not in CHAT_PRESETS:
        raise FormatError(
            f"This is {KINDS[kind].title}; a preset for chat completion is wanted here, that is one of: "
            f"{'; '.join(KINDS[one].title for one in ('native_preset', *CHAT_PRESETS))}.",
            format=kind,
        )
    return Imported(
        CHAT_PRESETS[kind](thing.value.value), thing.found, thing.kept, thing.refused, thing.reports, thing.format
    )


def read_persona(source: Source, name: str | None = None) -> Imported[NamedPersona]:
    """Read one persona: of SillyTavern's backup or settings the one that is called `name`, else the default one or the
    only one; of our own file its own; any other text is the persona's description, and the file's name its name.

    Raises:
        FormatError: the file cannot be opened, is too large, or has no such persona.
    """
    from lorewright.formats.persona import choose_persona

    return choose_persona(read_personas(source), name)


def read_personas(source: Source) -> Imported[tuple[NamedPersona, ...]]:
    """Read every persona of a file; see `read_persona`. The ledger counts them.

    Raises:
        FormatError: the file cannot be opened, is too large, or has no persona in it.
    """
    from lorewright.formats.persona_files import read_persona_file

    return read_persona_file(source)


def _read_thing(file: Opened, name: str | None, regexes: Regexes | None) -> Imported[Thing]:
    found = file.found
    if found.format == "native_preset":
        from lorewright.formats.native.presets import read_native_preset

        read = read_native_preset(found.content, name=name, stem=file.stem, notes=found.notes, regexes=regexes)
        return replace(read, format=found.format)
    from lorewright.formats.things.reader import read_thing_value

    return read_thing_value(found.format, found.content, name=name, stem=file.stem, notes=found.notes, regexes=regexes)


def _read_card(file: Opened) -> Imported[Card]:
    if file.found.format == "native_card":
        from lorewright.formats.native.cards import read_native_card

        native = read_native_card(file.found.content, stem=file.stem, origin=file.origin, notes=file.found.notes)
        return replace(native, format=file.found.format)
    from lorewright.formats.card import read_card_value
    from lorewright.formats.card_yaml import as_card, is_foreign_card
    from lorewright.formats.module_copy import merge_copy, without_book

    is_picture = file.found.format.endswith(("_png", "_webp", "_jpeg"))
    content = file.found.content
    read = as_card(content) if is_foreign_card(content) else content
    card = read_card_value(
        without_book(read) if file.found.module else read,
        stem=file.stem,
        avatar=file.name if is_picture else "",
        origin=file.origin,
        notes=file.found.notes,
    )
    value = replace(card.value, data=content, assets=file.found.assets, parts=file.found.parts)
    card = replace(card, value=value, format=file.found.format)
    if file.found.module is None:
        return card
    from lorewright.formats.risu_module import read_risum_book

    book = read_risum_book(file.found.module, name=file.stem or value.name, origin=file.origin)
    return merge_copy(replace(card, value=replace(value, book=book.value)), book, content)
