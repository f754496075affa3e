"""Books -> files: one table of writers, and conversion from any format to any other (spec formats §4).

A book in its own format is written as it was read, with what has changed since. In another format everything goes to
its native place; what has none is kept under our name in `extensions` (world info, character books, cards), or is
listed as lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final

from lorewright.core.model import Book, Report
from lorewright.errors import FormatError
from lorewright.formats import agnai, bundle, entry_objects, kobold, limits, novelai
from lorewright.formats.agent_rules import CHARACTERS as AGENT_CHARACTERS
from lorewright.formats.agent_rules import FRONT as AGENT_FRONT
from lorewright.formats.agent_rules import AgentFile, write_agent_rules
from lorewright.formats.character_book import read_character_book
from lorewright.formats.foreign import ENTRIES, Originals
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.losses import find_losses, find_losses_of_edit
from lorewright.formats.lost_gates import find_lost_gates, has_gates, with_gates_first
from lorewright.formats.markdown.frame import FRAME as MARKDOWN_FRAME
from lorewright.formats.markdown.reader import CHARACTERS as MARKDOWN_CHARACTERS
from lorewright.formats.markdown.writer import write_markdown
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.read import book_reader, read_book
from lorewright.formats.risu_lorebook import RisuFrame, write_risu_lorebook
from lorewright.formats.risu_module import write_risu_module, write_risum
from lorewright.formats.risum import read_risum
from lorewright.formats.stash import take_stash, with_stash
from lorewright.formats.world_info import Frame, read_world_info, write_world_info

__all__ = ["TOO_LARGE", "WRITERS", "Converted", "Writer", "convert", "format_of"]


TOO_LARGE: Final = "too_large_to_read"


@dataclass(frozen=True, slots=True)
class Converted:
    """The bytes of a file, and what of the book is not in it."""

    data: bytes
    losses: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True)
class Writer:
    """How a format is written. `keeps_all`: nothing is lost, since what has no place goes to `extensions`."""

    write: Callable[[Book], bytes]
    keeps_all: bool = False


def convert(book: Book, to: str) -> Converted:
    """Write a book as `to`, an id of `KINDS`.

    Raises:
        FormatError: there is no writer for it (`writes` lists those that there are), or the book cannot be written.
    """
    writer = WRITERS.get(to)
    if writer is None:
        known = KINDS.get(to)
        what = f"{known.title} cannot be written" if known else f"`{to}` is no known format"
        raise FormatError(
            f"{what[:1].upper()}{what[1:]}; choose one of: {', '.join(WRITERS)}.", format=to, writes=tuple(WRITERS)
        )
    made = _convert(book, to, writer)
    return (
        replace(made, losses=with_gates_first(_lost_gates(book, made.data), made.losses)) if has_gates(book) else made
    )


def _lost_gates(book: Book, data: bytes) -> Iterable[Report]:
    try:
        read = read_book(data, book.name).value
    except FormatError:
        read = Book(book.name, ())
    return find_lost_gates(book, read)


def _convert(book: Book, to: str, writer: Writer) -> Converted:
    skip = _IN_TEXT.get(to, frozenset())
    if format_of(book) == to:
        is_image = to == "st_worldinfo"  # whatever is in an entry has a place there
        data = writer.write(book)
        losses = _too_large(data, to, book)
        if not is_image and not losses:
            losses = find_losses_of_edit(book, lambda edited: _read_again(edited, to), skip=skip)
        return Converted(data, losses)
    whole = take_stash(book)
    plain, moved = as_native(
        whole if writer.keeps_all else replace(whole, entries=()), keep_layout=to != "st_worldinfo"
    )
    left_behind = tuple(report for report in moved if report.code == "not_written" and _holds_more(whole))
    if writer.keeps_all:
        data = writer.write(plain)
        return Converted(data, (*_too_large(data, to, book), *left_behind))
    plain = replace(plain, entries=whole.entries)
    own = _OWN_SIGNS.get(to, frozenset())
    lost = find_losses(plain, lambda tried: _read_again(_clean(tried, own), to), skip=skip)
    data = writer.write(_clean(plain, own))
    return Converted(data, (*_too_large(data, to, book), *left_behind, *lost))


def _too_large(data: bytes, to: str, book: Book) -> tuple[Report, ...]:
    """A report on a file that our own reader would refuse (spec formats §6)."""
    limit = _LIMITS.get(to, limits.JSON_CHARACTERS)
    if len(data) <= limit or (size := len(data.decode("utf-8", "replace"))) <= limit:
        return ()
    message = (
        f"The file has {size:,} characters; {KINDS[to].title} is read up to {limit:,}, so it will not be read again here. "
        "Split the book, or keep it in another format."
    )
    return (Report(code=TOO_LARGE, message=message, book=book.name),)


def _read_again(book: Book, to: str) -> Book:
    """What is read from the file of a book."""
    data = WRITERS[to].write(book)
    if to == "risum":
        value: Any = read_risum(data, Notes())
    elif to == "markdown_lorebook":
        value = data.decode()
    elif to == "agent_rules":
        value = AgentFile(data.decode("utf-8", "surrogatepass"))
    else:
        value = json.loads(data)
    reader = book_reader(to)
    assert reader is not None
    return reader(value, name=None, origin="", notes=Notes()).value


def format_of(book: Book) -> str:
    """The format whose file a book remembers, "" if there is none: it is written into that file unchanged."""
    frame = book.extra.get(ENTRIES)
    if isinstance(frame, Frame):
        return "st_worldinfo"
    if isinstance(frame, Originals):
        return frame.format
    if isinstance(frame, bundle.Bundle):
        return "bundle"
    if isinstance(frame, RisuFrame):
        return "risum" if frame.file is not None else f"risu_{frame.holder}"
    if AGENT_FRONT in book.extra:
        return "agent_rules"
    return "markdown_lorebook" if MARKDOWN_FRAME in book.extra else ""


def _holds_more(book: Book) -> bool:
    """Whether the file of a book holds more than the book: folders, a story, the cards around the books."""
    frame = book.extra.get(ENTRIES)
    if isinstance(frame, RisuFrame):
        return bool(frame.kept or frame.children or frame.file)
    return isinstance(frame, bundle.Bundle) or (isinstance(frame, Originals) and frame.format in _LARGER)


_LARGER: Final = frozenset({"novelai_story", "kobold_story", "agnai_character"})


def _dump(value: object) -> bytes:
    """As UTF-8; lone surrogates, which have none, as escapes. Indented, but each entry of a book on one line: a
    book of 10,000 entries is written in a moment, and one piece after the other."""
    out = BytesIO()
    out.writelines(_pieces(value))
    return out.getvalue()


def _pieces(value: object, indent: bytes = b"") -> Iterator[bytes]:
    if not isinstance(value, (list, dict)) or not value:
        yield _encode(value)
        return
    is_list = isinstance(value, list)
    before = b"%b\n%b    " % (b"[" if is_list else b"{", indent)
    for name in value:
        yield before
        before = b",\n%b    " % indent
        if is_list:
            yield _encode(name)
            continue
        yield b"%b: " % _encode(name)
        yield from [_encode(value[name])] if indent else _pieces(value[name], b"    ")
    yield b"\n%b%b" % (indent, b"]" if is_list else b"}")


_PLAIN: Final = json.JSONEncoder(ensure_ascii=False).encode


def _encode(value: object) -> bytes:
    try:
        return _PLAIN(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _json(write: Callable[[Book], Any], *, keeps_all: bool = False) -> Writer:
    return Writer(lambda book: _dump(write(book)), keeps_all)


_SIGNS: Final = frozenset(
    "spec kind type lorebookVersion scenarioVersion storyContainerVersion is_creation prompts prompt_order data "
    "instruct context sysprompt preset qrList quickReplySlots findRegex gamestarted worldinfo lorewright "
    "categories name entries".split()
)
"""Names at the top of a file by which another format is recognised; they do not go to the top of a new file."""
_ENTRY_SIGNS: Final = frozenset(
    "keys secondary_keys insertion_order enabled key keysecondary order disable uid id keywords entry".split()
)


_OWN_SIGNS: Final[Mapping[str, frozenset[str]]] = {"novelai_lorebook": frozenset({"categories"})}
"""Those of them that a format has for itself."""
_LIMITS: Final = {
    "markdown_lorebook": MARKDOWN_CHARACTERS,
    "agent_rules": AGENT_CHARACTERS,
    "risum": limits.FILE_BYTES,
}
"""Characters that are read of a format that is no JSON."""
_IN_TEXT: Final[Mapping[str, frozenset[str]]] = {"agent_rules": frozenset({"title", "content"})}
"""Fields that stand in the text of a file which is read as one entry."""


def _clean(book: Book, own: frozenset[str] = frozenset()) -> Book:
    """Without foreign names that would mean something else in the new file."""
    entries = tuple(
        replace(entry, extra={name: kept for name, kept in entry.extra.items() if name not in _ENTRY_SIGNS})
        if entry.extra.keys() & _ENTRY_SIGNS
        else entry
        for entry in book.entries
    )
    extra = {name: kept for name, kept in book.extra.items() if name not in _SIGNS - own}
    return replace(book, entries=entries, extra=extra)


def _world_info(book: Book) -> Any:
    if format_of(book) == "st_worldinfo":
        return write_world_info(book)
    fresh = {"name": _title(book), **write_world_info(_clean(book))}
    return with_stash(fresh, book, lambda value: read_world_info(value).value)


def _character_book(book: Book) -> Any:
    if format_of(book) == "character_book":
        return entry_objects.write_character_book(book)
    return with_stash(_fresh_book(book), book, lambda value: entry_objects.read_bare_character_book(value).value)


def _fresh_book(book: Book) -> Any:
    return {**entry_objects.write_character_book(_clean(book)), "name": _title(book)}


def _title(book: Book) -> str:
    own = book.extra.get("name")
    return own if isinstance(own, str) else book.name


def _card(version: int) -> Callable[[Book], Any]:
    """A card that is nothing but a name and the book."""

    def write(book: Book) -> Any:
        data: dict[str, Any] = dict.fromkeys(
            "name description personality scenario first_mes mes_example creator_notes system_prompt "
            "post_history_instructions creator character_version".split(),
            "",
        )
        data |= {"name": book.name, "alternate_greetings": [], "tags": [], "extensions": {}}
        if version == 3:
            data["group_only_greetings"] = []
        data["character_book"] = with_stash(
            _fresh_book(book), book, lambda value: read_character_book(value, name=book.name).value
        )
        return {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0", "data": data}

    return write


WRITERS: Final[Mapping[str, Writer]] = {
    "native_yaml": Writer(lambda book: write_native(book, "yaml").encode(), keeps_all=True),
    "native_json": Writer(lambda book: write_native(book, "json").encode(), keeps_all=True),
    "st_worldinfo": _json(_world_info, keeps_all=True),
    "character_book": _json(_character_book, keeps_all=True),
    "card_v2": _json(_card(2), keeps_all=True),
    "card_v3": _json(_card(3), keeps_all=True),
    "markdown_lorebook": Writer(lambda book: write_markdown(book).encode()),
    "lorebook_v3": _json(entry_objects.write_lorebook_v3),
    "chub_lorebook": _json(entry_objects.write_chub),
    "janitor_lorebook": _json(entry_objects.write_janitor),
    "entry_list": _json(entry_objects.write_entry_list),
    "novelai_lorebook": _json(novelai.write_novelai_lorebook),
    "novelai_story": _json(novelai.write_novelai_story),
    "agnai_book": _json(agnai.write_agnai_book),
    "agnai_character": _json(agnai.write_agnai_character),
    "kobold_story": _json(kobold.write_kobold_story),
    "aidungeon_wi": _json(kobold.write_ai_dungeon),
    "risu_lorebook": _json(write_risu_lorebook),
    "risu_module": _json(write_risu_module),
    "risum": Writer(write_risum),
    "bundle": _json(bundle.write_bundle),
    "agent_rules": Writer(lambda book: write_agent_rules(book).encode("utf-8", "surrogatepass")),
}
"""By format: how it is written. `bundle` is only written by what was read as one."""
