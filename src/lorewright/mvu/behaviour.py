"""Where we keep to MagVarUpdate as it was recorded, and where we are more careful than it (ADR 0028)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CAREFUL", "RECORDED", "Behaviour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Each switch is something that the program does not do.

    keeps_numbers: a word for a number is refused instead of making it NaN. keeps_dates: `2024-01-01`, `10:30` and a
    single word such as `e` are texts, not sums and constants. skips_patches: a command quoted in a value of a patch is
    no command. needs_names: an operation that puts something in needs a path. closed_blocks: commands in an update
    block that is not closed are left alone. decodes: HTML entities in a command without plain quotes. moves: `move` of
    a patch works. strips: marks such as `$meta` do not stay in the tree, neither those that `set` writes nor those of a
    greeting, which make its rules. reads_crlf: a fence may end its lines with CR LF.
    """

    keeps_numbers: bool = False
    keeps_dates: bool = False
    skips_patches: bool = False
    needs_names: bool = False
    closed_blocks: bool = False
    decodes: bool = False
    moves: bool = False
    strips: bool = False
    reads_crlf: bool = False


RECORDED: Final = Behaviour()
"""The program as it was recorded."""

CAREFUL: Final = Behaviour(
    keeps_numbers=True,
    keeps_dates=True,
    skips_patches=True,
    needs_names=True,
    closed_blocks=True,
    decodes=True,
    moves=True,
    strips=True,
    reads_crlf=True,
)
"""The one that plays: a card loses nothing to a slip of the model."""
