"""What is looked at when a preset is checked, and how a finding is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from lorewright.core.layout.defects import NATIVE_LAYOUT
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.stock import Lineup, line_up
from lorewright.core.layout.story import StoryEngine
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.macro_use import MacroUse
from lorewright.core.model import Report
from lorewright.core.protocols import Counter

__all__ = ["Level", "MacroReader", "Named", "PresetSubject", "TextSubject", "one_line"]

Level: TypeAlias = Literal["info", "warning", "error"]

_SHOWN_CHARACTERS: Final = 60

MacroReader: TypeAlias = Callable[[str], Sequence[MacroUse]]
"""The macros of a text in the order in which they run."""


def one_line(text: str) -> str:
    """An identifier or a macro in a sentence: on one line, and not longer than can be read."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"


@dataclass(frozen=True, kw_only=True)
class Named:
    """Whatever is checked has a name, the macros of its texts, and a counter for their tokens."""

    uses: MacroReader
    counter: Counter
    name: str = ""

    def report(self, code: str, message: str, *, prompt: str = "", field: str = "", level: Level = "warning") -> Report:
        """A finding about a prompt or a setting, or about the preset as a whole."""
        return Report(code=code, message=message, level=level, book=self.name, entry=prompt, field=field)


@dataclass(frozen=True, kw_only=True)
class PresetSubject(Named):
    """A preset for chat completion."""

    preset: Preset

    @cached_property
    def lineup(self) -> Lineup:
        """The prompts by id and the order in use, as `native` takes them."""
        return line_up(self.preset, NATIVE_LAYOUT)


@dataclass(frozen=True, kw_only=True)
class TextSubject(Named):
    """Templates for text completion. story: the language of story strings. has_context: there is a context template; a
    file may hold an instruct template or a system prompt alone."""

    preset: TextPreset
    story: StoryEngine
    has_context: bool = True
