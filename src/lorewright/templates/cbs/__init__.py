"""CBS, the template language of RisuAI (spec risu §1-7): text and context in, text and record out."""

from lorewright.templates.cbs.context import SELECTED, Call, CbsContext, Character, Chat, Limits, Module, Program
from lorewright.templates.cbs.scan import is_template, render
from lorewright.templates.cbs.switches import NATIVE, RECORDED, RISU, UNSAFE, Switches

__all__ = [
    "NATIVE",
    "RECORDED",
    "RISU",
    "SELECTED",
    "UNSAFE",
    "Call",
    "CbsContext",
    "Character",
    "Chat",
    "Limits",
    "Module",
    "Program",
    "Switches",
    "is_template",
    "render",
]
