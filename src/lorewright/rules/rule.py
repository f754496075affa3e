"""One entry of a rules file, ready for use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lorewright.core.layers import MESSAGE_ORDER, Channel, Route, find_route, order_of, section_name, sort_key
from lorewright.core.model import Entry
from lorewright.core.replaces import Replace, Target
from lorewright.core.system_prompt import Context, Section
from lorewright.rules.fields import LOGICS

__all__ = ["Rule"]

Mode = Literal["constant", "selective"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An entry with every field present. `index` is its place in the file, from 0; `cache_safe` the file's default."""

    id: str
    index: int = 0
    name: str = ""
    is_enabled: bool = True
    mode: Mode = "constant"
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    logic: str = "any"
    case_sensitive: bool = False
    whole_words: bool = False
    scan_depth: float = 2
    probability: float = 100
    seed_salt: str = ""
    layer: str | float = "tool-policy"
    channel: Channel = "system"
    content: str = ""
    replaces: tuple[Replace, ...] = ()
    cache_unsafe: bool = False
    cache_safe: bool = True
    route: Route = field(init=False)

    def __post_init__(self) -> None:
        route = find_route(
            self.channel, selective=self.is_selective, cache_safe=self.cache_safe, cache_unsafe=self.cache_unsafe
        )
        object.__setattr__(self, "route", route)

    @property
    def is_selective(self) -> bool:
        return self.mode == "selective"

    @property
    def varies(self) -> bool:
        """Whether it can be active in one turn and not in the next of the same session."""
        drawn_each_turn = self.route.effective == "message" and 0 < self.probability < 100
        return self.is_selective or drawn_each_turn

    @property
    def sort_key(self) -> tuple[float, int, str]:
        """The place of its section among the others."""
        return sort_key(order_of(self.layer), self.index, self.id)

    def section(self, text: str) -> Section:
        """Its section of the system prompt. Between sections of one layer the place in the file decides."""
        return Section(section_name(self.id), text, order_of(self.layer), self.index + 1)

    def context(self, text: str) -> Context:
        """Its part of the snapshot."""
        return Context(section_name(self.id), text, MESSAGE_ORDER + self.index)

    def replaces_in(self, target: Target) -> tuple[Replace, ...]:
        return tuple(one for one in self.replaces if one.target == target)

    def entry(self) -> Entry:
        """What the engine decides about. It has no text, because the host is told where each stands, and its route is
        decided already. An entry that scans no message has no keys, so that nothing can match in the empty text."""
        return Entry(
            uid=self.id,
            keys=self.keys if self.scan_depth >= 1 else (),
            secondary=self.secondary,
            selective=True,
            logic=LOGICS[self.logic],
            constant=not self.is_selective,
            enabled=self.is_enabled,
            content="",
            probability=self.probability,
            use_probability=True,
            scan_depth=self.scan_depth,
            case_sensitive=self.case_sensitive,
            whole_words=self.whole_words,
            channel=self.route.effective,
            cache_unsafe=True,
            ignore_budget=True,
        )
