"""The slot of an entry from its fields and those of its book."""

from __future__ import annotations

from typing import Final

from lorewright.core.fields import FieldReader, brief
from lorewright.core.hosts import HOST_0_1_7
from lorewright.core.layers import (
    CHANNELS,
    DEFAULT_CHANNEL,
    DEFAULT_LAYER,
    Channel,
    Defaults,
    Slot,
    find_route,
    order_of,
    read_channel,
    read_layer,
)
from lorewright.core.model import ABSENT, Book, Entry, Odd

__all__ = ["SLOT_FIELDS", "SlotReader"]

SLOT_FIELDS: Final = ("layer", "channel", "cache_unsafe")


class SlotReader:
    """Reads the slots of the entries of one book. Without a book, entries stand for themselves."""

    def __init__(self, fields: FieldReader, book: Book | None = None) -> None:
        self.fields = fields
        defaults = book.defaults if book else ABSENT
        self.cache_safe = defaults.cache_safe if isinstance(defaults, Defaults) else True

    def read(self, entry: Entry, *, selective: bool) -> Slot | None:
        """The slot of an entry; None: it stands by its position. Where entries are rows, they have no slots."""
        channel, layer = self.channel(entry.channel), self.layer(entry.layer)
        if channel is None and layer is None and not self.fields.policy.layered:
            return None
        if self.fields.policy.rows is not None:
            self.fields.report(
                "field_without_effect",
                f"`channel` and `layer` have no effect in the profile `{self.fields.policy.name}`.",
                "channel" if channel else "layer",
            )
            return None
        unsafe = self.fields.flag("cache_unsafe", entry.cache_unsafe)
        route = find_route(
            channel or DEFAULT_CHANNEL, selective=selective, cache_safe=self.cache_safe, cache_unsafe=unsafe
        )
        is_live = route.effective == "system" and (unsafe or not self.cache_safe)
        return Slot(route, order_of(DEFAULT_LAYER if layer is None else layer), is_live)

    def channel(self, value: object) -> Channel | None:
        """The channel that is named; one that does not exist is reported and counts as none."""
        if _is_blank(value):
            return None
        found = read_channel(value)
        if found is None:
            self.fields.report(
                "unknown_channel",
                f"There is no channel {_shown(value)}, and it counts as not set; channels are {' and '.join(CHANNELS)}.",
                "channel",
            )
        return found

    def layer(self, value: object) -> str | float | None:
        """The layer that is named; one that does not exist is reported and counts as none."""
        if _is_blank(value):
            return None
        found = read_layer(value.value if isinstance(value, Odd) else value)
        if found is None:
            self.fields.report(
                "unknown_layer",
                f"There is no layer {_shown(value)}, and it counts as not set; layers are "
                f"{', '.join(HOST_0_1_7.layers)}, or a number.",
                "layer",
            )
        return found


def _is_blank(value: object) -> bool:
    return value is ABSENT or value is None or (isinstance(value, str) and not value.strip())


def _shown(value: object) -> str:
    return brief(value.value if isinstance(value, Odd) else value)
