"""Layers and channels: where an entry's text stands in a prompt, and by which way it gets there.

A layer is a place between the sections of the system prompt (spec injection-engine §8.3). The channel `system` makes a
section of the system prompt, `message` a text at the end of the conversation. A prompt cache matches the beginning of
a request, so a section that comes and goes with a keyword makes everything after it expensive; such an entry takes the
message channel unless somebody says that it shall not (§8.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from lorewright.core.hosts import HOST_0_1_7, Host
from lorewright.core.javascript import number

__all__ = [
    "CHANNELS",
    "DEFAULT_CHANNEL",
    "DEFAULT_LAYER",
    "MESSAGE_ORDER",
    "REROUTED",
    "Channel",
    "Defaults",
    "Route",
    "Slot",
    "find_route",
    "layer_name",
    "order_of",
    "read_channel",
    "read_layer",
    "section_name",
    "sort_key",
]

Channel = Literal["system", "message"]
CHANNELS: Final[tuple[Channel, ...]] = ("system", "message")
DEFAULT_CHANNEL: Final[Channel] = "system"
DEFAULT_LAYER: Final = "tool-policy"
MESSAGE_ORDER: Final = 1000
"""Contexts of the message channel stand from here on, in the order of their file."""
REROUTED: Final = "rerouted"
"""The badge of an entry that takes another channel than it asks for."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a book says of all its entries.

    cache_safe: a selective entry of the channel `system` takes the channel `message` (§8.5). `written` is this as its
    file has it, in JSON; it only serves writing it back.
    """

    cache_safe: bool = True
    written: str = field(default="", compare=False, repr=False)


class Route(NamedTuple):
    """The channel that an entry asks for, and the one that it takes."""

    declared: Channel
    effective: Channel

    @property
    def is_rerouted(self) -> bool:
        return self.declared != self.effective

    @property
    def badge(self) -> str | None:
        """A word to be shown beside the entry."""
        return REROUTED if self.is_rerouted else None


class Slot(NamedTuple):
    """Where an entry stands that names a channel or a layer.

    order: of its layer. is_live: it stands in the system prompt while it is active and at no other time, whatever
    that costs; any other text stays where it was placed first.
    """

    route: Route
    order: float
    is_live: bool = False

    @property
    def is_system(self) -> bool:
        return self.route.effective == "system"

    @property
    def is_before(self) -> bool:
        """Whether it stands before the client's system prompt, which is in a chat what the persona is with a host."""
        return self.order < HOST_0_1_7.persona[1]


def find_route(channel: Channel, *, selective: bool, cache_safe: bool = True, cache_unsafe: bool = False) -> Route:
    """Which way an entry takes. cache_safe is a default of the file, cache_unsafe the entry's own wish."""
    hostile = channel == "system" and selective
    return Route(channel, "message" if hostile and cache_safe and not cache_unsafe else channel)


def read_channel(value: object) -> Channel | None:
    """The channel with this name; None: there is none."""
    return next((channel for channel in CHANNELS if channel == value), None)


def read_layer(value: object, host: Host = HOST_0_1_7) -> str | float | None:
    """A layer as it is written: the name of an anchor, or a finite number (also one in quotes). None: it is neither."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if isinstance(value, str) and (value in host.layers or not value.strip()):
        return value if value in host.layers else None
    found = number(value)
    if not math.isfinite(found):
        return None
    return value if isinstance(value, (int, float)) else found


def order_of(layer: str | float, host: Host = HOST_0_1_7) -> float:
    """The order number of a layer that `read_layer` gave.

    Raises:
        KeyError: the host has no such anchor.
    """
    return host.layers[layer] if isinstance(layer, str) else layer


def layer_name(order: float, host: Host = HOST_0_1_7) -> str:
    """The anchor with this order number, and the number; for people."""
    named = next((f"{name} " for name, number in host.layers.items() if number == order), "")
    return f"{named}({order:g})" if named else f"{order:g}"


def sort_key(order: float, index: int, entry: str) -> tuple[float, int, str]:
    """What decides the order of sections: the layer, then the place in the file, then the id."""
    return (order, index, entry)


def section_name(entry: str) -> str:
    """The name of an entry's section or context."""
    return f"lorebook-prompt:{entry}"
