"""What one rendering keeps while it runs, and what a macro is given: its arguments and the text it stands in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lorewright.core.javascript import number, value_as_text
from lorewright.templates.cbs.context import SELECTED, CbsContext, Character, Row
from lorewright.templates.cbs.values import Thrown, TooMuch, read_list, truthy
from lorewright.templates.context import Json
from lorewright.templates.rendered import Record

__all__ = ["CALL_COST", "MACRO_COST", "Counter", "Given", "Kind", "Macro", "Reading", "Run"]

Kind: TypeAlias = Literal["constant", "state", "clock", "random", "writes", "display", "documentation"]
"""What a macro depends on or does. The last two stay as text: RisuAI shows them, or only explains them."""

CALL_COST: Final = 1_000
MACRO_COST: Final = 100
"""What a call or an `#each`, and what any macro counts as, in characters read."""


@dataclass(slots=True)
class Counter:
    """How many calls were made."""

    calls: int = 0


class Run:
    """One rendering: its context, its variables (copied when the first is written), what it has touched."""

    def __init__(self, context: CbsContext, scan: Callable[[Run, str, Counter, dict[str, str]], str]) -> None:
        self.context = context
        self.record = Record()
        self.variables: Mapping[str, Json] = context.variables
        self.scan = scan
        self._defaults: dict[str, str] | None = None
        self._own = False
        self._work = 0

    def spend(self, chars: int) -> None:
        """Count work.

        Raises:
            TooMuch: `limits.work_chars` is reached.
        """
        self._work += chars
        if self._work > self.context.limits.work_chars:
            raise TooMuch(f"had to read more than {self.context.limits.work_chars:,} characters")

    def undo(self) -> None:
        """Take back what was written; what was read stays recorded, as it led here."""
        self.variables, self._own = self.context.variables, False
        self.record.writes.clear()
        self.record.kinds.discard("writes")

    def character(self) -> Character:
        """The selected character.

        Raises:
            Thrown: none is selected.
        """
        if self.context.character is None:
            raise Thrown
        return self.context.character

    def messages(self) -> tuple[Row, ...]:
        """The messages of the chat.

        Raises:
            Thrown: no character is selected.
        """
        self.record.read("chat")
        self.character()
        return self.context.chat.messages

    def has(self, name: str) -> bool:
        """Whether a chat variable is stored or has a default."""
        return self._find(name) is not None

    def get(self, name: str) -> str:
        """A chat variable: the stored value, else the default of the character, then of the preset, else `null`."""
        self.record.read(f"local:{name}")
        found = self._find(name)
        return "null" if found is None else found

    def _find(self, name: str) -> str | None:
        if self.context.character is None:
            return None
        value = self.variables.get(name)
        if value is not None:
            return value_as_text(value)
        if self._defaults is None:
            lines = f"{self.context.character.default_variables}\n{self.context.program.default_variables}"
            self._defaults = _defaults(lines)
        return self._defaults.get(name)

    def set(self, name: str, value: str | None) -> None:
        """Store a chat variable; None removes it.

        Raises:
            Thrown: no character is selected.
        """
        self.character()
        if not self._own:
            self._own, self.variables = True, dict(self.variables)
        assert isinstance(self.variables, dict)
        if value is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value
        self.record.write(f"local:{name}")

    def get_shared(self, name: str) -> Json:
        """A global variable as it is stored, `null` for a missing one."""
        self.record.read(f"global:{name}")
        value = self.context.global_variables.get(name)
        return "null" if value is None else value

    def draw(self) -> float:
        """The next random number."""
        self.record.read("random", "random")
        return self.context.random()


def _defaults(text: str) -> dict[str, str]:
    """Lines `name=value`, the first of a name wins; what stands behind a second `=` is lost, and an empty value is
    none (spec risu §6)."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        name, _, rest = line.partition("=")
        value = rest.partition("=")[0]
        if name and value:
            found.setdefault(name, value)
    return found


class Reading:
    """One text being read: its temporary variables, the functions it knows, its call counter."""

    __slots__ = ("counter", "functions", "result", "run", "temporary")

    def __init__(self, run: Run, counter: Counter, functions: dict[str, str]) -> None:
        self.run = run
        self.counter = counter
        self.functions = functions
        self.temporary: dict[str, Json] | None = {}
        self.result: str | None = None

    def parse(self, text: str) -> str:
        """The text of a field, parsed as a call of its own."""
        return self.run.scan(self.run, text, self.counter, {})

    def held(self) -> dict[str, Json]:
        """The temporary variables.

        Raises:
            Thrown: an odd result has lost them.
        """
        if self.temporary is None:
            raise Thrown
        return self.temporary

    def check_return(self) -> None:
        """End the text if a temporary variable says so (case va-089)."""
        if self.temporary and truthy(self.temporary.get("__force_return__")):
            value = self.temporary.get("__return__")
            self.result = "null" if value is None else value_as_text(value)

    def speaker(self) -> str | None:
        """The name given for this call; a group without messages speaks as `bot`."""
        name = self.run.context.call.speaker
        if name != SELECTED:
            return name
        character = self.run.context.character
        if character is None or not character.is_group:
            return None
        return None if self.run.context.chat.messages else "bot"


class Given:
    """What a macro is given: its arguments (with what JavaScript makes of a missing one), the whole text of the macro,
    and the text it stands in."""

    __slots__ = ("arguments", "reading", "run", "whole")

    def __init__(self, reading: Reading, arguments: list[str], whole: str) -> None:
        self.reading = reading
        self.run = reading.run
        self.arguments = arguments
        self.whole = whole

    def get(self, place: int) -> str | None:
        """An argument; None if it is missing."""
        return self.arguments[place] if place < len(self.arguments) else None

    def need(self, place: int) -> str:
        """An argument something is asked of.

        Raises:
            Thrown: it is missing.
        """
        if place >= len(self.arguments):
            raise Thrown
        return self.arguments[place]

    def text(self, place: int) -> str:
        """An argument where a text is wanted; a missing one is the word undefined."""
        return self.arguments[place] if place < len(self.arguments) else "undefined"

    def number(self, place: int) -> float:
        """`Number(argument)`; NaN for a missing one."""
        return float(number(self.arguments[place])) if place < len(self.arguments) else math.nan

    def values(self) -> list[Json]:
        """The arguments, or the list in a single one.

        Raises:
            Thrown: there are none.
        """
        return list(self.arguments) if len(self.arguments) > 1 else read_list(self.need(0))


@dataclass(frozen=True, slots=True)
class Macro:
    """A row of the table: a name, its aliases, the arguments as the page of macros shows them, and what it does.

    Names are reduced: lower case, without spaces, `_` and `-`. `run` gives a text, None for "stays as text", or a JSON
    value that is no text; it may raise Thrown.
    """

    name: str
    arguments: str
    kind: Kind
    run: Callable[[Given], Json] | None
    aliases: tuple[str, ...] = ()
