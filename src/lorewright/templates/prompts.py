"""The macros of a preset, loaded with the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lorewright.core.layout.macros import Macros
    from lorewright.core.layout.scene import Scene
    from lorewright.core.model import Turn

__all__ = ["SillyTavernPrompts"]


class SillyTavernPrompts:
    """`Prompts` in SillyTavern's dialect."""

    def open(self, scene: Scene, turn: Turn, draw: Callable[[], float], *, repaired: bool) -> Macros:
        """See `Prompts`."""
        from lorewright.templates import sillytavern
        from lorewright.templates.dialects import share_sillytavern
        from lorewright.templates.prompt_macros import PromptMacros

        defects = sillytavern.REPAIRED if repaired else sillytavern.KEPT
        return PromptMacros(scene, replace(share_sillytavern(turn), random=draw), defects)
