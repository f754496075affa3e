"""SillyTavern's two macro engines behind one call, for what works with either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from lorewright.templates import legacy, sillytavern
from lorewright.templates.context import Context
from lorewright.templates.rendered import Rendered

__all__ = ["LegacyEngine", "Macros", "NewEngine"]


class Macros(Protocol):
    """A macro engine with its limits and defects."""

    def is_template(self, text: str) -> bool:
        """Whether rendering could change this text."""

    def render(self, text: str, context: Context, inert: Mapping[str, str]) -> Rendered:
        """Run a text's macros. `{{NAME}}` for a name in `inert` gives that value, which is never looked at."""


@dataclass(frozen=True, slots=True)
class NewEngine:
    """The engine of SillyTavern 1.19."""

    limits: sillytavern.Limits = field(default_factory=sillytavern.Limits)
    defects: sillytavern.Defects = field(default_factory=sillytavern.Defects)

    def is_template(self, text: str) -> bool:
        """See `Macros`."""
        return sillytavern.is_template(text)

    def render(self, text: str, context: Context, inert: Mapping[str, str]) -> Rendered:
        """See `Macros`."""
        if inert:
            dynamic = {**context.call.dynamic, **inert}
            context = replace(context, call=replace(context.call, dynamic=dynamic))
        return sillytavern.render(text, context, self.limits, self.defects)


@dataclass(frozen=True, slots=True)
class LegacyEngine:
    """The engine before it."""

    limits: sillytavern.Limits = field(default_factory=sillytavern.Limits)
    defects: legacy.Defects = field(default_factory=legacy.Defects)

    def is_template(self, text: str) -> bool:
        """See `Macros`."""
        return legacy.is_template(text)

    def render(self, text: str, context: Context, inert: Mapping[str, str]) -> Rendered:
        """See `Macros`."""
        return legacy.render(text, context, self.limits, self.defects, inert)
