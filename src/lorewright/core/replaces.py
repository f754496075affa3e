"""Find and replace in an entry's text, in the system prompt or in the user's message (spec injection-engine §8.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from lorewright.core.keys import read_regex
from lorewright.core.model import Odd
from lorewright.core.protocols import Regexes, RegexMatch
from lorewright.errors import RegexTimeout

__all__ = [
    "MOST_CHARACTERS",
    "REPLACE_SECONDS",
    "TARGETS",
    "Replace",
    "Replaced",
    "Target",
    "apply_replaces",
    "expand_template",
    "read_replaces",
    "write_replaces",
]

Target = Literal["content", "system", "user"]
TARGETS: Final[tuple[Target, ...]] = ("content", "system", "user")
REPLACE_SECONDS: Final = 0.5
"""So long may one replacement take in one text."""
MOST_CHARACTERS: Final = 4_000_000
"""So long may a text become: ``$` `` and `$'` can make it grow with its square."""

_FIELDS: Final = ("find", "replace", "target", "flags")


@dataclass(frozen=True, slots=True)
class Replace:
    """A regular expression of JavaScript and what stands in place of its matches (`$1`, `$&`, `$<name>`, `$$`).

    `find` is a pattern with `flags`, or `/pattern/flags` as one text, which then has its own flags. `written` is the rule
    as its file has it, in JSON; it only serves writing it back.
    """

    find: str
    replace: str = ""
    target: Target = "content"
    flags: str = "g"
    written: str = field(default="", compare=False, repr=False)

    @property
    def pattern(self) -> tuple[str, str]:
        """Pattern and flags."""
        return read_regex(self.find) or (self.find, self.flags)


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after replacing. `given_up` are the replacements over a limit of time or size; they changed nothing."""

    text: str
    given_up: tuple[Replace, ...] = ()


def read_replaces(value: object) -> tuple[Replace, ...] | Odd | None:
    """The field `replaces` of a file: a list of mappings, or one; `Odd` if any of it is of another kind."""
    if value is None:
        return None
    found: list[Replace] = []
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if not isinstance(item, Mapping) or not set(item) <= set(_FIELDS):
            return Odd(value)
        given: dict[str, Any] = {name: part for name, part in item.items() if part is not None}
        texts = all(isinstance(part, str) for part in given.values())
        if not texts or not given.get("find") or given.get("target", "content") not in TARGETS:
            return Odd(value)
        found.append(Replace(**given))
    return tuple(found)


def write_replaces(replaces: Iterable[Replace]) -> list[dict[str, object]]:
    """The list for a file, without what is at its default."""
    usual = Replace("")
    return [
        {
            name: getattr(one, name)
            for name in _FIELDS
            if name in {"find", "replace"} or getattr(one, name) != getattr(usual, name)
        }
        for one in replaces
    ]


def apply_replaces(text: str, replaces: Iterable[Replace], regexes: Regexes) -> Replaced:
    """The text with each replacement applied to the outcome of the one before.

    Raises:
        RegexError: a pattern is none; compile it before to know.
    """
    given_up: list[Replace] = []
    for one in replaces:
        try:
            text = _replace(text, one, regexes)
        except (RegexTimeout, _TooLong):
            given_up.append(one)
    return Replaced(text, tuple(given_up))


class _TooLong(Exception):
    pass


def _replace(text: str, one: Replace, regexes: Regexes) -> str:
    room = MOST_CHARACTERS

    def replacement(match: RegexMatch) -> str:
        nonlocal room
        filled = expand_template(one.replace, text, match)
        room -= len(filled)
        if room < 0:
            raise _TooLong
        return filled

    return regexes.compile(*one.pattern).replace(text, replacement, REPLACE_SECONDS)


_SIGN: Final = re.compile(r"\$(?:([$&`'])|(\d\d?)|<([^>]*)>)", re.ASCII)


def expand_template(template: str, text: str, match: RegexMatch) -> str:
    """What stands in place of a match: the template with its `$` forms filled in (ECMA-262, GetSubstitution).

    `$$`, `$&`, ``$` ``, `$'`, `$1` to `$99`, `$<name>`. A number without a group stands as it is written, and so does
    `$<name>` if the pattern has no named groups; a name without a group is empty.
    """

    def fill(sign: re.Match[str]) -> str:
        mark, digits, name = sign.groups()
        if mark is not None:
            return "$" if mark == "$" else match.text if mark == "&" else _beside(text, match)[mark == "'"]
        if name is not None:
            return (match.names.get(name) or "") if match.names else f"$<{_SIGN.sub(fill, name)}>"
        for length in range(len(digits), 0, -1):
            if 0 < int(digits[:length]) <= len(match.groups):
                return (match.groups[int(digits[:length]) - 1] or "") + digits[length:]
        return sign[0]

    return _SIGN.sub(fill, template)


def _beside(text: str, match: RegexMatch) -> tuple[str, str]:
    """The text before and behind a match, which may begin or end between the halves of a character."""
    units = text.encode("utf-16-le", "surrogatepass")
    first = 2 * match.offset
    last = first + len(match.text.encode("utf-16-le", "surrogatepass"))
    return units[:first].decode("utf-16-le", "surrogatepass"), units[last:].decode("utf-16-le", "surrogatepass")
