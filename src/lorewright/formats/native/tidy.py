"""The fields of our files that are no books, in the order in which we write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lorewright.formats.imported import Notes
from lorewright.formats.native.cards import CARD, foreign_card
from lorewright.formats.native.kinds import name_document
from lorewright.formats.native.lens import Table, tidy_object
from lorewright.formats.native.personas import PERSONA, read_native_persona
from lorewright.formats.native.presets import read_native_preset
from lorewright.formats.native.thing_tables import PRESET_FORMATS

__all__ = ["tidy_document"]

_PRESET: Final[Table] = tuple(one for kind in PRESET_FORMATS for one in PRESET_FORMATS[kind])
_TABLES: Final[Mapping[str, tuple[Table, Callable[[object], object]]]] = {
    "native_preset": (_PRESET, lambda value: read_native_preset(value, notes=Notes())),
    "native_card": (CARD, foreign_card),
    "native_persona": (PERSONA, lambda value: read_native_persona(value, notes=Notes())),
}
_FIRST: Final = ("lorewright", "kind", "name", "picture")
_LAST: Final = ("book", "extra", "origin")


def tidy_document(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a file in that order; a card's lorebook is the caller's affair.

    Raises:
        FormatError: nothing of ours that can be read.
    """
    table, read = _TABLES[name_document(value)]
    read(value)
    body = tidy_object(table, {name: item for name, item in value.items() if name not in (*_FIRST, *_LAST)})
    first, last = ({name: value[name] for name in names if name in value} for names in (_FIRST, _LAST))
    return {**first, **body, **last}
