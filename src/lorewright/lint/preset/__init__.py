"""What a preset costs a prompt cache, and what in it cannot work: a preset in; blocks and findings out."""

from lorewright.lint.preset.block import Block, Cause, Where
from lorewright.lint.preset.check import CheckedPreset, check_preset
from lorewright.lint.preset.pieces import Piece, check_pieces
from lorewright.lint.preset.subject import MacroReader, Named, PresetSubject, TextSubject, one_line
from lorewright.lint.preset.text import check_text_preset

__all__ = [
    "Block",
    "Cause",
    "CheckedPreset",
    "MacroReader",
    "Named",
    "Piece",
    "PresetSubject",
    "TextSubject",
    "Where",
    "check_pieces",
    "check_preset",
    "check_text_preset",
    "one_line",
]
