"""One row of a RisuAI lorebook <-> `Entry` (spec formats §3.7).

A row that was read is kept beside its entry, and only what was changed in the entry is written into it. Fields without
a place in the model stand in `Entry.extra` under their own names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.keys import read_regex
from lorewright.core.model import ABSENT, Entry
from lorewright.formats.fields import write_plain
from lorewright.formats.imported import Notes
from lorewright.formats.risu_import import Lifted, decorate, lift
from lorewright.formats.v3_decorators import note_decorators
from lorewright.formats.world_info_entry import EntryReader

__all__ = ["KEY_TEXTS", "ReadRow", "RowReader", "write_row"]

_AFTER_CHARACTER: Final = 1
"""RisuAI puts lore without a place of its own into one slot beside the description."""
_ORDER: Final = 100

_KEY_LISTS: Final = {"key": ("key", "keys"), "secondkey": ("keysecondary", "secondary")}
_PLAIN: Final = {
    "comment": ("comment", "title"),
    "content": ("content", "content"),
    "insertorder": ("order", "order"),
    "alwaysActive": ("constant", "constant"),
    "selective": ("selective", "selective"),
    "activationPercent": ("probability", "probability"),
}
"""RisuAI's name, SillyTavern's name and the field of the model."""
_ORDER_NAMES: Final = ("insertorder", "order")
"""Some tools write `order`."""

KEY_TEXTS: Final = {"key": "key_text", "secondkey": "secondkey_text"}
"""Names in `Entry.extra` of key lists as they were written, where joining the keys would give another text."""

_PLAIN_NAMES: Final = frozenset({*_KEY_LISTS, *_PLAIN})

_OWN_NAMES: Final = ("mode", "useRegex", "folder", "id", "extentions", "loreCache", "bookVersion")
"""Fields in `Entry.extra` that are RisuAI's, also in a book that came by way of another format."""

_REGEX: Final = re.compile(r"/.+/[a-z]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row as it stood in the file and the entry that was made of it."""

    raw: Mapping[str, Any]
    entry: Entry


class RowReader:
    """Reads the rows of one lorebook."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self._entries = EntryReader(notes)

    def read(self, raw: Mapping[str, Any], uid: int | str) -> Entry:
        """The entry of a row that is no folder. RisuAI's rows are always on; their probability always counts."""
        made: dict[str, object] = {"uid": uid}
        by_regex = raw.get("useRegex") is True
        for name, (native, _) in _KEY_LISTS.items():
            if name in raw:
                made[native] = _split(raw[name], by_regex=by_regex)
        for name, (native, _) in _PLAIN.items():
            source = _order_name(raw) if name == "insertorder" else name
            if source in raw and (raw[source] is not None or name != "activationPercent"):
                made[native] = raw[source]
        made.setdefault("order", _ORDER)
        made |= {"position": _AFTER_CHARACTER, "useProbability": True}
        if lifted := _lift(raw):
            made |= {**lifted.fields, "content": lifted.content}
        extensions = raw.get("extentions")
        if isinstance(extensions, dict) and isinstance(extensions.get("risu_case_sensitive"), bool):
            made["caseSensitive"] = extensions["risu_case_sensitive"]
        known = {*_PLAIN_NAMES, _order_name(raw)}
        other = {name: value for name, value in raw.items() if name not in known}
        for name, kept in KEY_TEXTS.items():
            if isinstance(text := raw.get(name), str) and text != _join(_split(text, by_regex=by_regex)):
                other[kept] = text
        entry = self._entries.read(made, uid, other)
        if len(entry.extra) != len(other):  # the reader kept what was odd; the row is kept whole anyway
            entry = replace(entry, extra=other)
        note_decorators(entry.content, self.notes, uid)
        self._note_kinds_of_keys(entry, by_regex=by_regex)
        return entry

    def _note_kinds_of_keys(self, entry: Entry, *, by_regex: bool) -> None:
        """Here a key is a pattern by its form, in RisuAI by `useRegex`."""
        for field in ("keys", "secondary"):
            keys = getattr(entry, field)
            for key in keys if isinstance(keys, tuple) else ():
                if (read_regex(key) is not None) is by_regex:
                    continue
                there, here = ("a pattern", "plain text") if by_regex else ("plain text", "a pattern")
                message = f"The key {key[:40]!a} is {there} in RisuAI and {here} here."
                self.notes.add("key_kind_differs", message, entry=entry.uid, field=field)


def write_row(entry: Entry, read: ReadRow | None) -> dict[str, object]:
    """The row of an entry; `read` is what stood in the file, None for an entry that was made since."""
    if read is None:
        return _new_row(entry)
    if entry is read.entry:
        return dict(read.raw)
    row: dict[str, object] = {}
    for name, value in read.raw.items():
        field = _field_of(name, read.raw)
        if not field:
            if name in entry.extra:
                row[name] = entry.extra[name]
        elif (changed := getattr(entry, field)) is not ABSENT or getattr(read.entry, field) is ABSENT:
            is_same = _is_same(changed, getattr(read.entry, field))
            row[name] = value if is_same else _write(name, changed, value)
    for name in (*_KEY_LISTS, *_PLAIN):
        field = (_KEY_LISTS.get(name) or _PLAIN[name])[1]
        target = _order_name(read.raw) if name == "insertorder" else name
        now = getattr(entry, field)
        if target not in row and now is not ABSENT and not _is_same(now, getattr(read.entry, field)):
            row[target] = _write(name, now, None)
    if _lift(read.raw):
        row["content"] = decorate(entry, str(_or(entry.content, "")))
        if "activationPercent" not in read.raw:
            row.pop("activationPercent", None)
    ours = {*KEY_TEXTS.values()}
    return row | {
        name: value for name, value in entry.extra.items() if name not in {*row, *read.raw} and name not in ours
    }


def _new_row(entry: Entry) -> dict[str, object]:
    by_regex = isinstance(entry.keys, tuple) and len(entry.keys) == 1 and bool(_REGEX.fullmatch(entry.keys[0]))
    row: dict[str, object] = {
        "key": _write("key", entry.keys, None),
        "secondkey": _write("secondkey", entry.secondary, None),
        "comment": _or(entry.title, ""),
        "content": _or(entry.content, ""),
        "mode": "normal",
        "insertorder": _or(entry.order, _ORDER),
        "alwaysActive": _or(entry.constant, default=False),
        "selective": _or(entry.selective, default=False),
        "useRegex": by_regex,
    }
    if entry.probability is not ABSENT and entry.use_probability not in (False, None):
        row["activationPercent"] = _or(entry.probability, 100)
    if "mode" in entry.extra and "useRegex" not in entry.extra:  # RisuAI's own row, which said nothing of it
        del row["useRegex"]
    for name, kept in KEY_TEXTS.items():
        text, keys = entry.extra.get(kept), getattr(entry, _KEY_LISTS[name][1])
        if isinstance(text, str) and tuple(_split(text, by_regex=entry.extra.get("useRegex") is True)) == keys:
            row[name] = text
    return row | {name: entry.extra[name] for name in _OWN_NAMES if name in entry.extra}


def _lift(raw: Mapping[str, Any]) -> Lifted | None:
    secondary = _split(raw.get("secondkey"), by_regex=False)
    return lift(raw.get("content"), secondary if isinstance(secondary, list) else [])


def _join(keys: object) -> str:
    return ",".join(keys) if isinstance(keys, list) else ""


def _split(value: object, *, by_regex: bool) -> Any:
    """A text with commas as a list; with `useRegex` the text is one key. Anything else as it stands."""
    if not isinstance(value, str):
        return value
    parts = [value] if by_regex else value.split(",")
    return [key for part in parts if (key := part.strip())]


def _order_name(raw: Mapping[str, Any]) -> str:
    return next((name for name in _ORDER_NAMES if name in raw), _ORDER_NAMES[0])


def _field_of(name: str, raw: Mapping[str, Any]) -> str:
    """The field of the model that a name of the row goes to, or ""."""
    if name in _ORDER_NAMES:
        return "order" if name == _order_name(raw) else ""
    names = _KEY_LISTS.get(name) or _PLAIN.get(name)
    return names[1] if names else ""


def _is_same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _write(name: str, value: object, original: object) -> object:
    if name in _KEY_LISTS and (isinstance(value, tuple) or value is ABSENT):
        keys = list(value) if isinstance(value, tuple) else []
        return keys if isinstance(original, list) else ",".join(keys)
    return write_plain(value)


def _or(value: object, default: object) -> object:
    return default if value is ABSENT else write_plain(value)
