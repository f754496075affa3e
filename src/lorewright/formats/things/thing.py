"""What is read from a file that is no book: the parsed file, and a short list of what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lorewright.core.regex_script import RegexScript

__all__ = ["Part", "Prompt", "QuickReply", "RegexScript", "Section", "Thing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt of a preset. `place` is its place in the order list that is used, None if the list does not name it.

    `enabled` is what that list says; the prompt's own flag counts only in files without such a list. `depth` and `order`
    matter for `in_chat` only, and are None where the file says nothing.
    """

    identifier: str
    name: str
    role: str
    content: str = ""
    enabled: bool
    marker: bool = False
    position: Literal["relative", "in_chat"] = "relative"
    depth: float | None = None
    order: float | None = None
    triggers: tuple[str, ...] = ()
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickReply:
    """A button with a script. `automation_id` is the link from a lorebook entry to it, "" without one."""

    label: str
    script: str
    automation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Settings of one sort (`instruct`, `context`, `sysprompt`, a sampler preset ...), of which only the name is read."""

    kind: str
    name: str


Part = Prompt | RegexScript | QuickReply | Section


@dataclass(frozen=True, slots=True)
class Thing:
    """A file that is no book. `kind` is its id in `formats.kinds.KINDS`, `value` the parsed file, unchanged."""

    kind: str
    name: str
    value: Any
    parts: tuple[Part, ...] = ()

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts in the order of the file."""
        return tuple(part for part in self.parts if isinstance(part, Prompt))

    @property
    def active_order(self) -> tuple[str, ...]:
        """The identifiers of the prompts in the order in which they are sent, those that are off among them."""
        placed = [prompt for prompt in self.prompts if prompt.place is not None]
        return tuple(dict.fromkeys(one.identifier for one in sorted(placed, key=lambda one: one.place or 0)))

    @property
    def regex_scripts(self) -> tuple[RegexScript, ...]:
        return tuple(part for part in self.parts if isinstance(part, RegexScript))
