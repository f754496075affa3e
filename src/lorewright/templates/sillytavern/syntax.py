"""Reading macros: where they stand in a text, what they are called, where their arguments lie.

The grammar is that of SillyTavern 1.19.0 as recorded (spec macros §A.3, §B "Parsing"; cases ne-syntax-*): it is
forgiving, and what it cannot read stays text. One pass with an explicit stack, so no text can exhaust Python's own.
Nothing is evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from lorewright.core.javascript import WHITE_SPACE

__all__ = ["VARIABLE_NAME", "Argument", "Tag", "parse", "trim_span"]

_W: Final = f"[{WHITE_SPACE}]"
_SIMPLE = re.compile(r"([A-Za-z][A-Za-z0-9_-]*+)\}\}")
_HEADER = re.compile(
    rf"(?P<flags>(?:{_W}*+(?:[!?~>#]|/(?!/)|/(?=//)))*+){_W}*+"
    r"(?:(?P<comment>//)|(?P<name>[A-Za-z][A-Za-z0-9_-]*+)|(?P<scope>[.$]))"
)
_END_OF_NAME = re.compile(rf"[{WHITE_SPACE}:|}}]")
_AFTER_NAME = re.compile(rf"{_W}*+(?P<mark>\}}\}}|::?)?")
_TOKEN = re.compile(r"\{\{(?!\{)|\}\}|::")

VARIABLE_NAME: Final = r"[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_VARIABLE = re.compile(
    rf"{_W}*+(?:(?:[.$]{_W}*+)?(?P<name>{VARIABLE_NAME}))?{_W}*+"
    r"(?P<operator>\|\|=|\?\?=|\+\+|--|\|\||\?\?|\+=|-=|==|!=|>=|<=|=|>|<)?"
)
_VARIABLE_END = re.compile(rf"{_W}*+\}}\}}")
_SURPLUS_END = re.compile(rf"(?:[A-Za-z][A-Za-z0-9_-]*+|[!?~#/.$]){_W}*+\}}\}}")

_SHORT: Final = 4_000
"""Letters; a prompt is rendered in every turn, a longer text seldom twice."""


@dataclass(slots=True)
class Argument:
    """The source of one argument, without the white space around it, and the tags inside."""

    start: int
    end: int
    tags: list[Tag] = field(default_factory=list)


@dataclass(slots=True)
class Tag:
    """One `{{...}}`, from `start` to `end`.

    `height` is how deep tags are nested in it, 1 for none. A tag is `buried` when it stands behind an opener that is
    never closed. `scope` is `.` or `$` for a variable (`{{.name operator value}}`), else empty.
    """

    start: int
    end: int
    name: str
    closing: bool = False
    keeps_space: bool = False
    arguments: Sequence[Argument] = ()
    scope: str = ""
    operator: str = ""
    height: int = 1
    buried: bool = False

    @property
    def key(self) -> str:
        """What openers and closers are matched by."""
        return self.name.lower()


@dataclass(slots=True)
class _Open:
    """A tag that is not closed yet: its separator (`::`, or empty for one argument), the argument that runs, and the
    height of the highest tag inside."""

    tag: Tag
    separator: str
    argument: Argument
    done: list[Argument] = field(default_factory=list)
    highest: int = 0


class _Reader:
    def __init__(self, text: str, *, skips: bool) -> None:
        self.text = text
        self.skips = skips
        self.open: list[_Open] = []
        self.found: list[Tag] = []
        self._stop = (0, -1)

    def read(self) -> list[Tag]:
        text, at = self.text, 0
        while at >= 0:
            if not self.open:
                at = self._next_opener(at)
                if at < 0:
                    break
                at = self._open_tag(at)
                continue
            token = _TOKEN.search(text, at)
            if token is None:
                break
            if token[0] == "{{":
                at = self._open_tag(token.start())
            elif token[0] == "}}":
                at = token.end()
                self._close(token.start(), at)
            else:
                at = token.end()
                self._separate(token.start(), at)
        for unclosed in self.open:
            for argument in [*unclosed.done, unclosed.argument]:
                for tag in argument.tags:
                    tag.buried = True
                self.found += argument.tags
        return self.found

    def _next_opener(self, at: int) -> int:
        """The next two opening braces; of a longer run of braces the last two."""
        at = self.text.find("{{", at)
        while at >= 0 and self.text.startswith("{", at + 2):
            at += 1
        return at

    def _open_tag(self, at: int) -> int:
        """Read a tag's head; the place to go on from, behind the braces if this is no tag."""
        inside = at + 2
        if simple := _SIMPLE.match(self.text, inside):
            self._add(Tag(at, at, simple[1]), simple.end())
            return simple.end()
        head = _HEADER.match(self.text, inside)
        if head is None:
            return inside
        flags = head["flags"]
        tag = Tag(at, at, head["name"] or head["comment"] or "", "/" in flags, "#" in flags)
        if head["scope"]:
            tag.scope = head["scope"]
            return self._variable(tag, head.end()) or inside
        end = head.end() if head["comment"] else self._end_of_name(head.end())
        if end < 0:
            return inside
        after = _AFTER_NAME.match(self.text, end)
        assert after is not None
        mark = after["mark"]
        if mark == "}}":
            self._add(tag, after.end())
        else:
            self.open.append(_Open(tag, mark if mark == "::" else "", Argument(after.end(), after.end())))
        return after.end()

    def _end_of_name(self, at: int) -> int:
        """The place behind a name and what is stuck to it, -1 where no tag can go on."""
        first, stop = self._stop
        if not first <= at <= stop:
            found = _END_OF_NAME.search(self.text, at)
            stop = found.start() if found else len(self.text)
            self._stop = (at, stop)
        if stop != at and not self.skips:
            return -1
        if self.text.startswith("|", stop) or (
            self.text.startswith("}", stop) and not self.text.startswith("}}", stop)
        ):
            return -1
        return stop

    def _variable(self, tag: Tag, at: int) -> int:
        """Read `name operator` behind the scope; 0 if this is no variable."""
        found = _VARIABLE.match(self.text, at)
        assert found is not None
        tag.name, tag.operator = found["name"] or "", found["operator"] or ""
        if tag.operator not in {"", "++", "--"}:
            self.open.append(_Open(tag, "", Argument(found.end(), found.end())))
            return found.end()
        end = _VARIABLE_END.match(self.text, found.end())
        if end is None and tag.name and not tag.operator:
            end = _SURPLUS_END.match(self.text, found.end())
        if end is None:
            return 0
        self._add(tag, end.end())
        return end.end()

    def _add(self, tag: Tag, end: int) -> None:
        tag.end = end
        if not self.open:
            self.found.append(tag)
            return
        around = self.open[-1]
        around.argument.tags.append(tag)
        around.highest = max(around.highest, tag.height)

    def _close(self, at: int, end: int) -> None:
        unfinished = self.open.pop()
        self._finish(unfinished, at)
        unfinished.tag.arguments = unfinished.done
        unfinished.tag.height = unfinished.highest + 1
        self._add(unfinished.tag, end)

    def _separate(self, at: int, end: int) -> None:
        unfinished = self.open[-1]
        if unfinished.separator:
            self._finish(unfinished, at)
            unfinished.argument = Argument(end, end)

    def _finish(self, unfinished: _Open, end: int) -> None:
        argument, tag = unfinished.argument, unfinished.tag
        if not tag.scope:
            argument.start, argument.end = trim_span(self.text, argument.start, end)
        else:
            argument.end = end
        unfinished.done.append(argument)


def parse(text: str, *, skips: bool = True) -> tuple[Tag, ...]:
    """The tags of a text in their order; those of unclosed openers too, `buried`. Those of short texts are kept.

    Args:
        text: any text.
        skips: characters that are stuck to a name (`{{user.name}}`) are skipped, as SillyTavern does; otherwise such
            a tag is no tag.
    """
    return _known(text, skips) if len(text) <= _SHORT else tuple(_Reader(text, skips=skips).read())


@lru_cache(maxsize=1_000)
def _known(text: str, skips: bool) -> tuple[Tag, ...]:
    return tuple(_Reader(text, skips=skips).read())


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """A part of a text without the white space at its ends; an empty part stays at its start."""
    while start < end and text[start] in WHITE_SPACE:
        start += 1
    while end > start and text[end - 1] in WHITE_SPACE:
        end -= 1
    return start, end
