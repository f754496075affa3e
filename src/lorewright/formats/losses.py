"""What of a book does not come back from its file: found by reading the file, not by knowing the format.

Of entries that fare alike one is written and read; so the report is exact and costs little, whatever the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from lorewright.core.model import ABSENT, Book, Entry, Odd, Report
from lorewright.formats.alike import group_alike
from lorewright.formats.dialect import ENTRIES, Originals
from lorewright.formats.fields import is_exact
from lorewright.formats.markdown.frame import FRAME, Frame
from lorewright.formats.risu_lorebook import RisuFrame
from lorewright.formats.risu_row import KEY_TEXTS

__all__ = ["LOSS", "find_losses", "find_losses_of_edit", "find_partners", "says_the_same"]

LOSS: Final = "loss_on_export"

_FIELDS: Final = tuple(one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"})
_NO_CONTENT: Final = frozenset(KEY_TEXTS.values())
"""Names in `extra` that only say how a field was written."""
_UNSET: Final[Mapping[str, tuple[object, ...]]] = {
    "keys": ((),),
    "secondary": ((),),
    "content": ("",),
    "title": ("",),
    "enabled": (True,),
    "constant": (False,),
    "logic": (0,),
    "order": (100,),
    "position": (0,),
    "depth": (4,),
    "role": (0,),
    "outlet": ("",),
    "probability": (100,),
    "use_probability": (True,),
    "exclude_recursion": (False,),
    "prevent_recursion": (False,),
    "delay_until_recursion": (0, False),
    "group": ("",),
    "group_override": (False,),
    "group_weight": (100,),
    "sticky": (0,),
    "cooldown": (0,),
    "delay": (0,),
    "ignore_budget": (False,),
    "triggers": ((),),
    "match_persona_description": (False,),
    "match_character_description": (False,),
    "match_character_personality": (False,),
    "match_character_depth_prompt": (False,),
    "match_scenario": (False,),
    "match_creator_notes": (False,),
}
"""Values that say what an entry without the field, or with null in it, says (spec formats §1)."""


@dataclass(slots=True)
class _Loss:
    """One field that does not come back: of how many entries, and the first of them before and after."""

    number: int
    uid: int | str
    before: object
    after: object


def says_the_same(name: str, before: Entry, after: Entry) -> bool:
    """Whether a field comes back: it said nothing (absent, null), or is what it was, or means what it meant when it is
    not there. `selective` speaks of secondary keys only."""
    left, right = getattr(before, name), getattr(after, name)
    if left is ABSENT or left is None or (type(left) is type(right) and left == right):
        return True
    if name == "selective" and not before.secondary:
        return not isinstance(left, Odd)
    return _is_unset(name, left) and _is_unset(name, right)


def _is_unset(name: str, value: object) -> bool:
    if value is ABSENT or value is None:
        return True
    return any(type(value) is type(one) and value == one for one in _UNSET.get(name, ()))


def find_losses(book: Book, again: Callable[[Book], Book], *, skip: frozenset[str] = frozenset()) -> list[Report]:
    """The reports for a book in a new file. `again` writes a book and reads the file; `skip` names fields that are not
    looked at."""
    groups = group_alike(book.entries)
    tried = tuple(book.entries[places[0]] for places in groups)
    read = again(replace(book, entries=tried))
    pairs = zip(tried, find_partners(tried, read.entries), map(len, groups), strict=True)
    return [*_of_entries(pairs, book, skip), *_of_book(book, read)]


def find_losses_of_edit(
    book: Book, again: Callable[[Book], Book], *, skip: frozenset[str] = frozenset()
) -> tuple[Report, ...]:
    """The reports for a book in the file that it came from, of what was changed in it."""
    memory = book.extra.get(ENTRIES, book.extra.get(FRAME))
    originals = {id(entry) for entry in _originals(memory)}
    places = [place for place, entry in enumerate(book.entries) if id(entry) not in originals]
    settings = getattr(memory, "extra", getattr(memory, "settings", None))
    extra = {name: value for name, value in book.extra.items() if value is not memory}
    if not places and (settings is None or extra == dict(settings)):
        return ()
    read = again(book)
    partners = list(find_partners(book.entries, read.entries))
    pairs = ((book.entries[place], partners[place], 1) for place in places)
    return (*_of_entries(pairs, book, skip), *_of_book(book, read))


def _originals(memory: object) -> Iterable[Entry]:
    if isinstance(memory, Originals):
        return memory.entries.values()
    if isinstance(memory, RisuFrame):
        return [row.entry for row in memory.rows.values()]
    return memory.entries if isinstance(memory, Frame) else ()


def _of_entries(pairs: Iterable[tuple[Entry, Entry, int]], book: Book, skip: frozenset[str]) -> Iterator[Report]:
    found: dict[str, _Loss] = {}
    for before, after, number in pairs:
        for name, old, new in _differences(before, after):
            if name not in skip:
                loss = found.setdefault(name, _Loss(0, before.uid, old, new))
                loss.number += number
    for name, loss in found.items():
        yield _report(name, loss, book)


def _of_book(book: Book, read: Book) -> Iterator[Report]:
    for name, value in book.extra.items():
        if _is_json(value) and not _is_alike(value, read.extra.get(name, ABSENT)):
            message = f"`{_shown(name)}` of the book has no place in this format and is left out."
            yield Report(code=LOSS, message=message, book=book.name, field=_shown(name))


def find_partners(entries: tuple[Entry, ...], read: tuple[Entry, ...]) -> Iterator[Entry]:
    """For each entry what was read of it: by its uid, in formats without ids by its place; of one text, the whole."""
    by_id = {str(entry.uid): entry for entry in read}
    has_ids = all(str(entry.uid) in by_id for entry in entries)
    for place, entry in enumerate(entries):
        if has_ids:
            yield by_id[str(entry.uid)]
        else:
            yield read[min(place, len(read) - 1)] if read else Entry(uid=entry.uid)


def _differences(before: Entry, after: Entry) -> Iterator[tuple[str, object, object]]:
    for name in _FIELDS:
        if not says_the_same(name, before, after):
            yield name, getattr(before, name), getattr(after, name)
    for name, value in before.extra.items():
        other = after.extra.get(name, ABSENT)
        if name in _NO_CONTENT or not _is_json(value) or _is_alike(value, other):
            continue
        if isinstance(value, dict) and isinstance(other, dict):
            for inner, item in value.items():
                if not _is_alike(item, other.get(inner, ABSENT)):
                    yield f"{name}.{inner}", item, other.get(inner, ABSENT)
        else:
            yield name, value, other


def _report(name: str, loss: _Loss, book: Book) -> Report:
    shown = _shown(name)
    is_gone = name not in _FIELDS or _is_unset(name, loss.after)
    what = "has no place in this format and is left out" if is_gone else "is read from this format as something else"
    whose = f"`{shown}` of {loss.number} entries" if loss.number > 1 else f"`{shown}`"
    entry = str(loss.uid) if loss.number == 1 else ""
    return Report(code=LOSS, message=f"{whose} {what}.", book=book.name, entry=entry, field=shown)


def _shown(name: str) -> str:
    return ascii(name[:40])[1:-1]


def _is_json(value: object) -> bool:
    """What is something else in `extra` is a memory of another format."""
    return value is None or isinstance(value, (str, int, float, list, tuple, dict))


def _is_alike(left: object, right: object) -> bool:
    """As `is_exact`, but for the order of names, and whether a list is one."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_alike(item, right[name]) for name, item in left.items())
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(_is_alike, left, right))
    return is_exact(left, right)
