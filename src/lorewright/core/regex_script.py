"""A regex script as data: what is replaced in which texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["RegexScript"]


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
