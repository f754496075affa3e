"""The character filter of an entry: nested in `characterFilter`, or flat in three fields of newer files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, EMPTY, Absent, CharacterFilter, Odd
from lorewright.formats.fields import read_texts

__all__ = ["FILTER_NAMES", "read_filter", "write_filter"]

_NESTED: Final = "characterFilter"
_FLAT: Final = ("characterFilterNames", "characterFilterTags", "characterFilterExclude")
FILTER_NAMES: Final = (_NESTED, *_FLAT)
_INSIDE: Final = ("names", "tags", "isExclude")


def read_filter(raw: Mapping[str, Any]) -> CharacterFilter | Absent | Odd | None:
    """The filter of an entry's object. The nested form is what SillyTavern obeys; the flat one counts without it."""
    nested = raw.get(_NESTED, ABSENT)
    if isinstance(nested, dict):
        extra = {name: value for name, value in nested.items() if name not in _INSIDE}
        return _make([nested.get(name) for name in _INSIDE], extra or EMPTY)
    if nested is not ABSENT and nested is not None:
        return Odd(nested)
    if any(name in raw for name in _FLAT):
        flat = _make([raw.get(name) for name in _FLAT], EMPTY)
        return flat if nested is ABSENT or flat.names or flat.tags else None
    return None if nested is None else ABSENT


def _make(values: Sequence[object], extra: Mapping[str, object]) -> CharacterFilter:
    names, tags, exclude = values
    return CharacterFilter(_texts(names), _texts(tags), truthy(exclude), extra)


def _texts(value: object) -> tuple[str, ...]:
    read = read_texts(value)
    return read if isinstance(read, tuple) else ()


def write_filter(field: object, names: Iterable[str]) -> dict[str, object]:
    """The fields that a filter is written to: those of `names` (in their order) that the entry's file had.

    A filter of an entry that had none goes to the nested form.
    """
    wanted = [name for name in names if name in FILTER_NAMES] or [_NESTED]
    if not isinstance(field, CharacterFilter):
        bare = field.value if isinstance(field, Odd) else None
        return {} if field is ABSENT else {name: bare for name in wanted if name == _NESTED}
    values: dict[str, object] = {
        _NESTED: {"isExclude": field.exclude, "names": list(field.names), "tags": list(field.tags), **field.extra},
        _FLAT[0]: list(field.names),
        _FLAT[1]: list(field.tags),
        _FLAT[2]: field.exclude,
    }
    return {name: values[name] for name in wanted}
