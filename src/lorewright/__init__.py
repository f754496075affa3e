"""Lorewright decides which lorebook entries enter a prompt, where they stand, and why.

tools = make_tools()
book = read_book("world.json").value
lore = load_lore([ActiveBook(book)], tools)
assembly = assemble(Turn(messages=(Message("Max", "Where is the dragon?"),)), lore, State(), tools)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lorewright.core.chain import DictMemory
    from lorewright.core.engine import Assembly, assemble
    from lorewright.core.lore import Lore
    from lorewright.core.model import (
        ABSENT,
        ActiveBook,
        AuthorsNote,
        Book,
        Character,
        CharacterFilter,
        Entry,
        Forced,
        Inject,
        Message,
        Odd,
        Report,
        State,
        Timer,
        Turn,
    )
    from lorewright.core.policy import NATIVE, PROFILES, SILLYTAVERN, Policy, Settings, Switches
    from lorewright.core.protocols import Tools
    from lorewright.core.trace import Match, Trace, Verdict
    from lorewright.core.weave import Woven, weave
    from lorewright.errors import FormatError, InputError, LorewrightError, SettingsError
    from lorewright.fast.tokens import make_counter
    from lorewright.formats.detect import detect
    from lorewright.formats.inspect import Inspection, inspect_file
    from lorewright.formats.kinds import KINDS
    from lorewright.formats.read import read_book, read_card, read_chat, read_thing
    from lorewright.formats.settings import read_settings
    from lorewright.formats.write import WRITERS, Converted, convert
    from lorewright.formats.write_book import WrittenBook, write_book
    from lorewright.formats.write_card import write_card
    from lorewright.storage.state_file import Remembered, read_state, write_state
    from lorewright.toolbox import load_lore, make_tools

__version__ = "0.1.0"

__all__ = [
    "ABSENT",
    "KINDS",
    "NATIVE",
    "PROFILES",
    "SILLYTAVERN",
    "WRITERS",
    "ActiveBook",
    "Assembly",
    "AuthorsNote",
    "Book",
    "Character",
    "CharacterFilter",
    "Converted",
    "DictMemory",
    "Entry",
    "Forced",
    "FormatError",
    "Inject",
    "InputError",
    "Inspection",
    "Lore",
    "LorewrightError",
    "Match",
    "Message",
    "Odd",
    "Policy",
    "Remembered",
    "Report",
    "Settings",
    "SettingsError",
    "State",
    "Switches",
    "Timer",
    "Tools",
    "Trace",
    "Turn",
    "Verdict",
    "Woven",
    "WrittenBook",
    "assemble",
    "convert",
    "detect",
    "inspect_file",
    "load_lore",
    "make_counter",
    "make_tools",
    "read_book",
    "read_card",
    "read_chat",
    "read_settings",
    "read_state",
    "read_thing",
    "weave",
    "write_book",
    "write_card",
    "write_state",
]

_MODULES = {
    "lorewright.core.chain": "DictMemory",
    "lorewright.core.engine": "Assembly assemble",
    "lorewright.core.lore": "Lore",
    "lorewright.core.model": "ABSENT ActiveBook AuthorsNote Book Character CharacterFilter Entry Forced Inject Message Odd Report State Timer Turn",
    "lorewright.core.policy": "NATIVE PROFILES SILLYTAVERN Policy Settings Switches",
    "lorewright.core.protocols": "Tools",
    "lorewright.core.trace": "Match Trace Verdict",
    "lorewright.core.weave": "Woven weave",
    "lorewright.errors": "FormatError InputError LorewrightError SettingsError",
    "lorewright.fast.tokens": "make_counter",
    "lorewright.formats.detect": "detect",
    "lorewright.formats.inspect": "Inspection inspect_file",
    "lorewright.formats.kinds": "KINDS",
    "lorewright.formats.read": "read_book read_card read_chat read_thing",
    "lorewright.formats.settings": "read_settings",
    "lorewright.formats.write": "WRITERS Converted convert",
    "lorewright.formats.write_book": "WrittenBook write_book",
    "lorewright.formats.write_card": "write_card",
    "lorewright.storage.state_file": "Remembered read_state write_state",
    "lorewright.toolbox": "load_lore make_tools",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""Where each public name is defined; a module is loaded with its first name, so a program pays for what it uses."""

if not TYPE_CHECKING:  # to a type checker the imports above say more

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value

    def __dir__() -> list[str]:
        return [*globals(), *__all__]
