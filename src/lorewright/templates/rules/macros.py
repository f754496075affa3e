"""Macros of rules' texts: variables for texts from SillyTavern, and what is known only when the text is used."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from lorewright.core.draw import HashDraw, hits
from lorewright.core.javascript import trim
from lorewright.templates.context import Json
from lorewright.templates.dates import format_now
from lorewright.templates.dice import DiceError, roll
from lorewright.templates.rendered import Record
from lorewright.templates.rules.context import RESERVED, Limits, RuleContext, RuleError
from lorewright.templates.variables import Scope, Variables, shown

__all__ = ["RUNTIME", "VARIABLES", "Call", "Macro", "written_references"]

_COMMA: Final = re.compile(r"(?<!\\),")
_WRITTEN: Final = re.compile(r"\{\{([^{}]*)\}\}")
_GETS: Final[Mapping[str, Scope]] = {"getvar": "local", "getglobalvar": "global"}


@dataclass(slots=True)
class Call:
    """A macro where it stands: its arguments, split at `::` where the text was written so, and its place.

    `fingerprint` is a hash of the whole text. `spend` counts work, in bytes, and raises RuleError past the limit.
    """

    context: RuleContext
    variables: Variables
    record: Record
    limits: Limits
    arguments: list[str]
    position: int
    fingerprint: Callable[[], str]
    spend: Callable[[int], None]

    def key(self) -> str:
        """The first argument as the name of a variable."""
        key = trim(self.arguments[0])
        if key in RESERVED:
            raise RuleError(f"A variable cannot be called `{key}`. Use another name.")
        return key

    def rest(self) -> str:
        """All arguments behind the first, as they were written."""
        return "::".join(self.arguments[1:])


Macro: TypeAlias = "tuple[int, Callable[[Call], Json]]"
"""The least number of arguments, and the function."""


def _set(scope: Scope) -> Callable[[Call], Json]:
    return lambda call: call.variables.set(scope, call.key(), call.rest())


def _add(scope: Scope) -> Callable[[Call], Json]:
    def add(call: Call) -> Json:
        call.variables.add(scope, call.key(), call.rest())
        return ""

    return add


def _count(scope: Scope, step: int) -> Callable[[Call], Json]:
    return lambda call: call.variables.add(scope, call.key(), step)


def _get(scope: Scope) -> Callable[[Call], Json]:
    def get(call: Call) -> Json:
        key = call.key()
        if call.variables.has(scope, key):
            _refuse_cycles(call, scope, key)
            return call.variables.get(scope, key)
        call.record.read(f"variable:{key}")
        if key in call.context.variables:
            return shown(call.context.variables[key])
        default = call.rest()
        if default:
            call.variables.set(scope, key, default)
        return default

    return get


def written_references(value: Json) -> Iterator[tuple[Scope, str]]:
    """Variables that a value would read if it were run."""
    for found in _WRITTEN.finditer(shown(value)):
        name, *arguments = map(trim, found[1].split("::"))
        scope = _GETS.get(name.lower())
        if scope and arguments:
            yield scope, arguments[0]
        elif not arguments:
            yield "local", name


def _refuse_cycles(call: Call, scope: Scope, key: str) -> None:
    """A variable whose value names it again, by itself or by way of others, is refused.

    Values are not run here; but a text that is handed on, to a host that runs them, must not go round for ever.
    """
    seen: set[tuple[Scope, str]] = set()
    waiting = [(scope, key)]
    while waiting:
        value = shown(call.variables.raw(*waiting.pop()))
        if "{{" not in value:
            continue
        call.spend(len(value))
        for reference in written_references(value):
            if reference == (scope, key):
                raise RuleError(
                    f"The value of `{key}` names `{key}` again: a cycle. Give it a value without that macro."
                )
            if reference not in seen:
                seen.add(reference)
                waiting.append(reference)


def _items(call: Call) -> list[str]:
    if len(call.arguments) > 1:
        return call.arguments
    return [trim(item).replace("\\,", ",") for item in _COMMA.split(call.arguments[0])]


def _draw(call: Call) -> float:
    call.record.read("random", "random")
    return call.context.random()


def _random(call: Call) -> str:
    items = _items(call)
    return items[math.floor(_draw(call) * len(items))]


def _pick(call: Call) -> str:
    """The same choice in a session as long as the text and the place in it stay (spec §10: the seed is ours)."""
    items = _items(call)
    call.record.read("session", None)
    draw = HashDraw(call.context.session, "pick", call.fingerprint())
    return items[math.floor(draw.number(str(call.position), "pick", 0) * len(items))]


def _roll(call: Call) -> str:
    try:
        return roll(trim(call.arguments[0]), lambda: _draw(call), call.limits.dice) or ""
    except DiceError as error:
        raise RuleError(str(error)) from error


def _chance(call: Call) -> str:
    """`{{chance::PERCENT::yes::no}}`; with a percentage alone `true` or `false` (spec §10: the form is ours)."""
    try:
        percent = float(trim(call.arguments[0]).removesuffix("%"))
    except ValueError:
        return ""
    yes, no = (*call.arguments[1:3], "")[:2] if len(call.arguments) > 1 else ("true", "false")
    return yes if math.isfinite(percent) and hits(_draw(call), percent) else no


def _told(name: str, read: Callable[[RuleContext], str]) -> Callable[[Call], Json]:
    def tell(call: Call) -> Json:
        call.record.read(name)
        return read(call.context)

    return tell


def _clock(pattern: str) -> Callable[[Call], Json]:
    def tell(call: Call) -> Json:
        call.record.read("clock", "clock")
        return format_now(call.context.clock, pattern)

    return tell


def _family(scope: Scope, mark: str) -> Mapping[str, Macro]:
    return {
        f"set{mark}var": (2, _set(scope)),
        f"add{mark}var": (2, _add(scope)),
        f"get{mark}var": (1, _get(scope)),
        f"inc{mark}var": (1, _count(scope, 1)),
        f"dec{mark}var": (1, _count(scope, -1)),
    }


def _user(call: Call) -> str:
    call.record.read("user", None)
    return call.context.user


def _nothing(call: Call) -> str:
    del call
    return ""


VARIABLES: Final[Mapping[str, Macro]] = {
    **_family("local", ""),
    **_family("global", "global"),
    "user": (0, _user),
    "trim": (0, _nothing),
    "era": (0, _nothing),
}
"""Macros of texts from SillyTavern, by name in lower case."""

RUNTIME: Final[Mapping[str, Macro]] = {
    "lastusermessage": (0, _told("chat", lambda context: context.last_user_message)),
    "lastcharmessage": (0, _told("chat", lambda context: context.last_char_message)),
    "random": (1, _random),
    "pick": (1, _pick),
    "roll": (1, _roll),
    "chance": (1, _chance),
    "time": (0, _clock("LT")),
    "date": (0, _clock("LL")),
    "weekday": (0, _clock("dddd")),
    "isotime": (0, _clock("HH:mm")),
    "isodate": (0, _clock("YYYY-MM-DD")),
    "newline": (0, lambda _: "\n"),
    "pipe": (0, lambda _: "|"),
}
"""Macros of all rules' texts, by name in lower case."""
