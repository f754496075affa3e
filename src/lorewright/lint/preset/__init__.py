"""What a preset costs a prompt cache, and what in it cannot work: a preset in; blocks and findings out."""

from lorewright.lint.preset.block import Block, Cause
from lorewright.lint.preset.check import CheckedPreset, check_preset
from lorewright.lint.preset.subject import MacroReader, PresetSubject, TextSubject
from lorewright.lint.preset.text import check_text_preset

__all__ = [
    "Block",
    "Cause",
    "CheckedPreset",
    "MacroReader",
    "PresetSubject",
    "TextSubject",
    "check_preset",
    "check_text_preset",
]
