"""World info that SillyTavern made of a card keeps the card's book in `originalData`: edits are repeated in it."""

from dataclasses import replace

from lorewright.core.model import Entry
from lorewright.formats.fields import is_exact
from lorewright.formats.world_info import read_world_info, write_world_info
from tests.formats.edited_cards import BARE, GATE, LORE

NATIVE = {"uid": 3, "key": ["gate"], "comment": "Gate", "content": "The gate is iron.", "order": 10, "position": 0}
GEESE = {"uid": 1, "key": ["geese"], "comment": "", "content": "Geese bite.", "order": 5, "position": 1}
FILE = {"entries": {"1": GEESE, "3": NATIVE}, "originalData": LORE}


def test_an_edit_is_repeated():
    book = read_world_info(FILE).value
    assert is_exact(write_world_info(book), FILE)
    geese, gate = book.entries

    made = write_world_info(replace(book, entries=(geese, replace(gate, content="Rust.", position=1))))

    assert made["entries"]["3"] == NATIVE | {"content": "Rust.", "position": 1}
    extensions = {**GATE["extensions"], "position": 1}
    wanted = GATE | {"content": "Rust.", "position": "after_char", "extensions": extensions}
    assert is_exact(made["originalData"], LORE | {"entries": [wanted, "no entry", BARE]})


def test_entries_go_and_come():
    book = read_world_info(FILE).value

    made = write_world_info(replace(book, entries=(book.entries[1], Entry(uid=9, keys=("lamp",), content="A lamp."))))

    entries = made["originalData"]["entries"]
    assert entries[:2] == [GATE, "no entry"]
    assert [entry["content"] for entry in entries[2:]] == ["A lamp."]
