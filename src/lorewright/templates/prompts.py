"""The macros of a preset, loaded with the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lorewright.core.memo import ANEW, Memo

if TYPE_CHECKING:
    from lorewright.core.layout.macros import Macros
    from lorewright.core.layout.scene import Scene
    from lorewright.core.model import Turn
    from lorewright.templates.constants import Constants

__all__ = ["SillyTavernPrompts"]


class SillyTavernPrompts:
    """`Prompts` in SillyTavern's dialect. `memo` keeps what was made of a chat; renderings that stay the same are kept here."""

    def __init__(self, memo: Memo = ANEW) -> None:
        self._memo = memo
        self._constants: Constants | None = None

    def open(self, scene: Scene, turn: Turn, draw: Callable[[], float], *, repaired: bool) -> Macros:
        """See `Prompts`."""
        from lorewright.templates import sillytavern
        from lorewright.templates.constants import Constants
        from lorewright.templates.dialects import share_sillytavern
        from lorewright.templates.prompt_macros import PromptMacros

        defects = sillytavern.REPAIRED if repaired else sillytavern.KEPT
        self._constants = self._constants or Constants()
        base = share_sillytavern(replace(turn, messages=()))  # the chat is that of the scene
        return PromptMacros(scene, replace(base, random=draw), defects, self._memo, self._constants)
