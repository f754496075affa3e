"""The final message list: a preset, a card, a chat and lore become the messages of one request, each with its reasons."""

from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.defects import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT, Defects
from lorewright.core.layout.layout import LaidOut, Overrun, lay_out
from lorewright.core.layout.macros import Macros, Reading
from lorewright.core.layout.message import Block, LaidMessage
from lorewright.core.layout.preset import Preset, Prompt
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source

__all__ = [
    "NATIVE_LAYOUT",
    "SILLYTAVERN_LAYOUT",
    "Block",
    "Defects",
    "LaidMessage",
    "LaidOut",
    "LeftOut",
    "Macros",
    "Overrun",
    "Preset",
    "Prompt",
    "Reading",
    "Scene",
    "Source",
    "lay_out",
]
