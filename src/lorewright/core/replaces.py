"""Find and replace in an entry's text, in the system prompt or in the user's message (spec injection-engine §8.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from lorewright.core.keys import read_regex
from lorewright.core.model import Odd, Report
from lorewright.core.protocols import Regexes, RegexMatch
from lorewright.errors import RegexTimeout

__all__ = [
    "MOST_CHARACTERS",
    "REPLACE_SECONDS",
    "TARGETS",
    "Allowance",
    "Done",
    "GivenUp",
    "GivenUpReason",
    "Replace",
    "Replaced",
    "Target",
    "apply_replaces",
    "read_replaces",
    "write_replaces",
]

Target = Literal["content", "system", "user"]
TARGETS: Final[tuple[Target, ...]] = ("content", "system", "user")
REPLACE_SECONDS: Final = 0.5
"""So long may one replacement take in one text."""
MOST_CHARACTERS: Final = 4_000_000
"""So much may one replacement write in one text: ``$` `` and `$'` can make it grow with its square."""

_SHOWN: Final = 80
"""Characters of a pattern in a report."""
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
class Allowance:
    """What the replacements of one turn may still use together: seconds of searching, characters that they write."""

    seconds: float
    characters: int = 2 * MOST_CHARACTERS


GivenUpReason = Literal["slow", "too_long", "no_time", "no_room"]
"""`slow`, `too_long`: over its own limit; `no_time`, `no_room`: those before it have used up what all may use."""


class GivenUp(NamedTuple):
    """A replacement that changed nothing, and why."""

    replace: Replace
    reason: GivenUpReason

    def report(self, book: str, entry: str) -> Report:
        """The same for a person."""
        message = _GIVEN_UP[self.reason].format(find=self.replace.find[:_SHOWN])
        return Report(code="replace_given_up", message=message, book=book, entry=entry, field="replaces")


_GIVEN_UP: Final[Mapping[GivenUpReason, str]] = {
    "slow": f"`{{find}}` searched longer than {REPLACE_SECONDS} s; it has changed nothing. Make the pattern simpler.",
    "too_long": f"`{{find}}` would write more than {MOST_CHARACTERS:,} characters; it has changed nothing.",
    "no_time": "`{find}` has changed nothing: the replacements of this turn have used up their time together. Make "
    "their patterns simpler, or raise `replace_seconds`.",
    "no_room": f"`{{find}}` has changed nothing: the replacements of this turn have written "
    f"{2 * MOST_CHARACTERS:,} characters together. Make them shorter.",
}


class Done(NamedTuple):
    """What came of a replacement in a text, or in all of a turn: how many matches were replaced, and why it was given up
    in one; None: in none."""

    replace: Replace
    times: int = 0
    given_up: GivenUpReason | None = None


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after replacing, what is left for others, and what came of each replacement."""

    text: str
    left: Allowance
    done: tuple[Done, ...] = ()

    @property
    def given_up(self) -> tuple[GivenUp, ...]:
        """Which replacements changed nothing because of a limit."""
        return tuple(GivenUp(one.replace, one.given_up) for one in self.done if one.given_up)


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


def apply_replaces(text: str, replaces: Iterable[Replace], regexes: Regexes, allowance: Allowance) -> Replaced:
    """The text with each replacement applied to the outcome of the one before.

    Give what is `left` to the next text of the same turn.

    Raises:
        RegexError: a pattern is none; compile it before to know.
    """
    done: list[Done] = []
    left = allowance
    for one in replaces:
        limit = Allowance(min(REPLACE_SECONDS, left.seconds), min(MOST_CHARACTERS, left.characters))
        writer = _Writer(one.replace, text, limit.characters)
        seconds = limit.seconds
        given_up: GivenUpReason | None = None
        try:
            text, seconds = regexes.compile(*one.pattern).replace(text, writer, limit.seconds)
        except RegexTimeout as timeout:
            writer.written = 0  # how far it came depends on the machine, and nothing of it is used
            is_own = timeout.facts.get("timeout_seconds", limit.seconds) == REPLACE_SECONDS
            given_up = "slow" if is_own else "no_time"
        except _TooLong:
            given_up = "too_long" if limit.characters == MOST_CHARACTERS else "no_room"
        done.append(Done(one, 0 if given_up else writer.times, given_up))
        left = Allowance(left.seconds - seconds, left.characters - writer.written)
    return Replaced(text, left, tuple(done))


class _TooLong(Exception):
    pass


class _Writer:
    """Writes what stands in place of the matches of one replacement in one text, at most so many characters; a part that
    writes none counts as one."""

    def __init__(self, template: str, text: str, most: int) -> None:
        self.written = 0
        self.times = 0
        self._template = template
        self._text = text
        self._most = most
        self._parts: list[_Part] = []
        self._units = b""

    def __call__(self, match: RegexMatch) -> str:
        if not self._parts:
            self._parts = _read_template(self._template, match)
            if any(part.kind in _SIDES for part in self._parts):
                self._units = _units(self._text)
        pieces: list[str] = []
        for piece in _write(self._parts, self._units, match):
            pieces.append(piece)
            self.written += len(piece) or 1
            if self.written > self._most:
                raise _TooLong
        self.times += 1
        return "".join(pieces)


class _Part(NamedTuple):
    """A piece of a template: plain text, or by its kind (`&`, a backtick, `'`, a number, a name) what it stands for."""

    kind: str
    value: str = ""
    number: int = 0


_SIGN: Final = re.compile(r"\$(?:([$&`'])|(\d\d?)|(<))", re.ASCII)
_SIDES: Final = ("`", "'")


def _read_template(template: str, match: RegexMatch) -> list[_Part]:
    """The parts of a template for a pattern with the groups of this match; in one pass, however it is written.

    The `$` forms are those of ECMA-262, GetSubstitution: `$$`, `$&`, ``$` ``, `$'`, `$1` to `$99`, `$<name>`. A number
    without a group stands as it is written, and so does `$<name>` if the pattern has no named groups; a name without a
    group is empty.
    """
    parts: list[_Part] = []
    at, last_end = 0, template.rfind(">")
    while sign := _SIGN.search(template, at):
        mark, digits, _ = sign.groups()
        if sign.start() > at:
            parts.append(_Part("text", template[at : sign.start()]))
        at = sign.end()
        if mark is not None:
            parts.append(_Part("text", "$") if mark == "$" else _Part(mark))
        elif digits is not None:
            lengths = range(len(digits), 0, -1)
            known = next((n for n in lengths if 0 < int(digits[:n]) <= len(match.groups)), 0)
            at -= len(digits) - known if known else 0
            parts.append(_Part("number", number=int(digits[:known])) if known else _Part("text", sign[0]))
        elif match.names and at <= last_end:
            end = template.index(">", at)
            parts.append(_Part("name", template[at:end]))
            at = end + 1
        else:
            parts.append(_Part("text", sign[0]))
    return [*parts, _Part("text", template[at:])]


def _write(parts: Iterable[_Part], units: bytes, match: RegexMatch) -> Iterator[str]:
    """The pieces of a replacement. `units` is the whole text as `_units` gives it, if a part stands for a side of it."""
    for kind, value, number in parts:
        match kind:
            case "text":
                yield value
            case "&":
                yield match.text
            case "`":
                yield units[: 2 * match.offset].decode(*_UTF16)
            case "'":
                yield units[2 * match.offset + len(_units(match.text)) :].decode(*_UTF16)
            case "number":
                yield match.groups[number - 1] or ""
            case _:
                yield match.names.get(value) or ""


_UTF16: Final = ("utf-16-le", "surrogatepass")
"""A match may begin or end between the halves of a character."""


def _units(text: str) -> bytes:
    return text.encode(*_UTF16)
