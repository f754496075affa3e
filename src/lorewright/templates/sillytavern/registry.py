"""What a macro is: a row of data; and the one table of all rows, found by any name.

A test compares the rows with the list of spec/macros.md §C.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from lorewright.templates.context import Json

if TYPE_CHECKING:
    from lorewright.templates.sillytavern.run import Invocation

__all__ = ["Handler", "Letter", "Macro", "MacroError", "by_name"]

Handler: TypeAlias = "Callable[[Invocation], Json]"

Letter: TypeAlias = Literal["D", "S", "W", "T", "R", "B"]
"""D from what is given, S reads state, W writes, T tells the time, R draws, B is a block."""

_INTEGER = re.compile(r"-?\d+", re.ASCII)


class MacroError(ValueError):
    """A macro cannot answer; its text stays. The message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Macro:
    """One macro.

    `arguments` are their names in order; `?` behind a name marks an optional one, `#` in front an integer, `...`
    behind it any number of them. `hidden` are aliases that SillyTavern does not show. A `lazy` macro gets the source
    of its arguments. `least` and `most` are the numbers of arguments it takes.
    """

    name: str
    kind: str
    handler: Handler
    arguments: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    lazy: bool = False

    least: int = field(init=False)
    most: float = field(init=False)

    def __post_init__(self) -> None:
        listed = self.arguments[-1:] and self.arguments[-1].endswith("...")
        optional = sum(name.endswith(("?", "...")) for name in self.arguments)
        object.__setattr__(self, "least", len(self.arguments) - optional)
        object.__setattr__(self, "most", math.inf if listed else len(self.arguments))

    def takes(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        return self.least <= count <= self.most

    def takes_body(self, count: int) -> bool:
        """Whether it can have a body behind so many arguments; a macro that takes any number cannot."""
        return self.most != math.inf and self.takes(count + 1)

    def check(self, values: Iterable[str]) -> None:
        """Look at the types of its arguments.

        Raises:
            MacroError: an integer is none.
        """
        for name, value in zip(self.arguments, values, strict=False):
            if name.startswith("#") and not _INTEGER.fullmatch(value.strip()):
                raise MacroError(f"`{name.strip('#?')}` must be a whole number such as 2, not `{value[:40]}`.")


def by_name(macros: Iterable[Macro]) -> Mapping[str, Macro]:
    """Every macro by its name and all aliases, in lower case."""
    found: dict[str, Macro] = {}
    for macro in macros:
        for name in (macro.name, *macro.aliases, *macro.hidden):
            assert name.lower() not in found, name
            found[name.lower()] = macro
    return found
