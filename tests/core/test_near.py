"""Near misses: what a writer wants to hear when no key matched."""

import pytest

from lorewright import (
    NATIVE,
    SILLYTAVERN,
    ActiveBook,
    Book,
    Character,
    Entry,
    Message,
    Settings,
    State,
    Turn,
    assemble,
    load_lore,
    make_tools,
)
from lorewright.core.near import near_misses

TOOLS = make_tools()
CHAT = (Message("Max", "The glade is far."), Message("Aria", "Shadowfangs!"), Message("Max", "I fear the WYRM."))


def near(entry: Entry, policy=NATIVE, **turn):
    lore = load_lore([ActiveBook(Book("b", (entry,)))], TOOLS, policy)
    assembly = assemble(Turn(messages=CHAT, **turn), lore, State(), TOOLS)
    assert not assembly.activated
    return [
        (miss.kind, miss.match.source, miss.match.message, miss.match.text)
        for miss in near_misses(assembly.trace, "b.0")
    ]


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"keys": ("glade",)}, [("depth", "message", 0, "glade")]),
        ({"keys": ("shadowfang",)}, [("whole_words", "message", 1, "Shadowfang")]),
        ({"keys": ("wyrm",), "case_sensitive": True}, [("case", "message", 2, "WYRM")]),
        ({"keys": ("/gla[dt]e/",)}, [("depth", "message", 0, "glade")]),
        ({"keys": ("moon",)}, []),
        ({"keys": ("moon", "glade")}, [("depth", "message", 0, "glade")]),
        ({"keys": ("",)}, []),
    ],
)
def test_near_misses(policy, fields, expected):
    assert near(Entry(uid=0, content="x", position=0, **fields), policy) == expected


def test_a_text_that_the_entry_does_not_ask_for():
    character = Character(name="Aria", scenario="By the old mill.")

    found = near(Entry(uid=0, keys=("mill",), content="x", position=0), character=character)

    assert found == [("source", "scenario", None, "mill")]


def test_a_deeper_message_counts_only_to_the_entry_s_own_depth():
    policy = NATIVE.with_settings(Settings(scan_depth=1000))

    assert near(Entry(uid=0, keys=("glade",), scan_depth=1, content="x", position=0), policy) == [
        ("depth", "message", 0, "glade")
    ]
