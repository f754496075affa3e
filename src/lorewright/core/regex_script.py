"""A regex script as data: what is replaced in which texts (spec macros §B, "Regex scripts")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final, Literal

from lorewright.core.chain import hash_parts

__all__ = ["LORE", "REPLY", "USER_INPUT", "RegexScript", "ScriptPlace", "for_prompts"]

USER_INPUT: Final = 1
REPLY: Final = 2
LORE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexScript:
    """A script that replaces text in messages and lore.

    placement: as the file has it, numbers in SillyTavern (1 the user's messages, 2 replies, 3 slash commands, 5 lore,
    6 reasoning), words in RisuAI. for_display, for_prompt: it changes only what is shown, only what is sent; with
    neither it changes the message itself. on_edit: it runs on edited messages too. macros_in_pattern: macros in the
    pattern are run, `escaped` so that their results stand for themselves. least_depth, most_depth: how many messages
    may stand behind the text; None: no limit.
    """

    name: str
    pattern: str
    replacement: str = ""
    placement: tuple[int | str, ...] = ()
    disabled: bool = False
    trimmed: tuple[str, ...] = ()
    for_display: bool = False
    for_prompt: bool = False
    on_edit: bool = False
    macros_in_pattern: Literal["no", "raw", "escaped"] = "no"
    least_depth: float | None = None
    most_depth: float | None = None

    @property
    def id(self) -> str:
        """A hash over everything but the name: two scripts with one id do the same."""
        return hash_parts(repr(getattr(self, field.name)) for field in fields(self) if field.name != "name")

    @property
    def changes_message(self) -> bool:
        """Whether it changes the message itself, wherever that is used."""
        return not (self.for_display or self.for_prompt)


@dataclass(frozen=True, slots=True)
class ScriptPlace:
    """Which text it is: `placement` as in `RegexScript`, what the text is for, and how many messages stand behind it.

    With neither `for_display` nor `for_prompt` the text is the message itself. `char` is another character's name for
    trimmed texts.
    """

    placement: int
    for_display: bool = False
    for_prompt: bool = False
    edited: bool = False
    depth: float | None = None
    char: str | None = None

    def takes(self, script: RegexScript) -> bool:
        """Whether the script runs on this text."""
        if script.disabled or not script.pattern or self.placement not in script.placement:
            return False
        return self.takes_use(script) and not (self.edited and not script.on_edit) and self.takes_depth(script)

    def takes_use(self, script: RegexScript) -> bool:
        """Whether the script is for what the text is for."""
        return (
            (script.for_display and self.for_display)
            or (script.for_prompt and self.for_prompt)
            or (script.changes_message and not (self.for_display or self.for_prompt))
        )

    def takes_depth(self, script: RegexScript) -> bool:
        """Whether the text lies within the script's depths; always where no depth is known."""
        if self.depth is None:
            return True
        least, most = script.least_depth, script.most_depth
        return (least is None or self.depth >= least) and (most is None or self.depth <= most)


def for_prompts(scripts: Iterable[RegexScript]) -> tuple[RegexScript, ...]:
    """The scripts that are left where those that change a message itself ran already, as in a chat of SillyTavern."""
    return tuple(script for script in scripts if not script.changes_message)
