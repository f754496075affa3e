"""What laying out asks of a macro engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from lorewright.core.layout.scene import Line
from lorewright.core.protocols import Rendered
from lorewright.core.variables import Values

__all__ = ["Macros", "Reading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one text may read besides the scene.

    chat: as it is at this moment, oldest first. char: the character's name if it is not the speaker's. cards: without
    them all macros about cards and persona give nothing. original: what `{{original}}` gives, the first time; None: it
    is no macro. extra: macros of this text alone.
    """

    variables: Values = field(default_factory=Values)
    chat: tuple[Line, ...] = ()
    outlets: Mapping[str, str] = field(default_factory=dict)
    char: str | None = None
    cards: bool = True
    original: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


class Macros(Protocol):
    """Macros of one scene: text in, text out."""

    def is_template(self, text: str) -> bool:
        """Whether `render` could change this text; saying yes too often is harmless."""

    def render(self, text: str, reading: Reading) -> Rendered:
        """The text with its macros replaced, and the variables that it wrote."""
