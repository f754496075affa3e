"""Bytes <-> model: one file per format, with a ledger of what was read. Foreign field names stop here."""

from lorewright.formats.assets import Asset
from lorewright.formats.card import Card, read_card_value
from lorewright.formats.charx import write_charx
from lorewright.formats.chat import Chat, read_chat_lines, read_named_messages
from lorewright.formats.chat_request import read_chat_request, read_role_messages
from lorewright.formats.detect import Detected, detect
from lorewright.formats.imported import Imported
from lorewright.formats.kinds import KINDS, Kind, readable
from lorewright.formats.png_write import write_png_card
from lorewright.formats.read import read_book, read_card, read_chat, read_thing
from lorewright.formats.settings import SETTING_NAMES, read_settings
from lorewright.formats.things.reader import write_thing
from lorewright.formats.things.thing import Thing
from lorewright.formats.world_info import read_world_info, write_world_info
from lorewright.formats.write_book import WrittenBook, write_book
from lorewright.formats.write_card import write_card

__all__ = [
    "KINDS",
    "SETTING_NAMES",
    "Asset",
    "Card",
    "Chat",
    "Detected",
    "Imported",
    "Kind",
    "Thing",
    "WrittenBook",
    "detect",
    "read_book",
    "read_card",
    "read_card_value",
    "read_chat",
    "read_chat_lines",
    "read_chat_request",
    "read_named_messages",
    "read_role_messages",
    "read_settings",
    "read_thing",
    "read_world_info",
    "readable",
    "write_book",
    "write_card",
    "write_charx",
    "write_png_card",
    "write_thing",
    "write_world_info",
]
