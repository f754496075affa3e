"""A card with a book, ways to edit it, and what is different then."""

import json
from dataclasses import replace
from typing import Any

from lorewright.core.model import ABSENT
from lorewright.formats.fields import is_exact
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.stash import take_stash
from tests.formats.pictures import card

GATE: dict[str, Any] = {
    "id": 3,
    "keys": ["gate"],
    "secondary_keys": ["iron"],
    "comment": "Gate",
    "name": "Gate",
    "content": "The gate is iron.",
    "constant": False,
    "selective": True,
    "insertion_order": 10,
    "enabled": True,
    "position": "before_char",
    "case_sensitive": False,
    "use_regex": True,
    "priority": 7,
    "extensions": {
        "position": 0,
        "depth": 2,
        "case_sensitive": False,
        "weight": 3,
        "theirs": {"b": 1, "a": [1.0, None]},
    },
}
BARE: dict[str, Any] = {
    "id": 1,
    "keys": ["geese"],
    "content": "Geese bite.",
    "enabled": True,
    "insertion_order": 5,
    "extensions": {},
}
LORE: dict[str, Any] = {
    "name": "Isles",
    "scan_depth": 2,
    "entries": [GATE, "no entry", BARE],
    "extensions": {"theirs": 1},
}
CARD: dict[str, Any] = card("Ada", character_book=LORE, extensions={"world": "Isles", "fav": False})


def as_bytes(value):
    return json.dumps(value).encode()


def edit(book, which, **changes):
    """The book with other fields of one entry."""
    return replace(book, entries=tuple(replace(e, **changes) if e.uid == which else e for e in book.entries))


def changed_paths(left, right, path=()):
    """Where two JSON values differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in {**left, **right}:
            yield from changed_paths(left.get(name, ABSENT), right.get(name, ABSENT), (*path, name))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, pair in enumerate(zip(left, right, strict=True)):
            yield from changed_paths(*pair, (*path, place))
    elif not is_exact(left, right):
        yield ".".join(map(str, path))


def by_way_of_ours(book, form="yaml"):
    """The book from the file that `import` would make of it."""
    return read_native_text(write_native(as_native(take_stash(book))[0], form)).value
