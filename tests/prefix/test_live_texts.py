"""A text that stands in the system prompt of one turn is named whenever it stands there otherwise than in the last one."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, ActiveBook, Book, DictMemory, Entry, Message, Turn, load_lore, make_tools, weave
from lorewright.core.record import Move

TOOLS = make_tools()
ENTRY = Entry(uid=1, keys=("ferry",), content="It leaves at dawn.", channel="system", cache_unsafe=True)
FIRST = (Message("", "You are a guide.", "system"), Message("Ann", "Is there a ferry?"))
LATER = (*FIRST, Message("Guide", "Yes.", "assistant"), Message("Ann", "When does the ferry leave?"))


def send(messages, memory, entry=ENTRY, **settings):
    policy = NATIVE.with_settings(replace(NATIVE.settings, **settings))
    lore = load_lore([ActiveBook(Book("isles", (entry,)))], TOOLS, policy)
    woven = weave(Turn(messages=messages), lore, memory, TOOLS)
    memory.put(woven.nodes)
    return woven


@pytest.mark.parametrize(
    "change",
    [
        {"form": "message"},
        {"entry": replace(ENTRY, content="It leaves at noon.")},
        {"entry": replace(ENTRY, layer="before-identity")},
        {"entry": replace(ENTRY, keys=("tower",))},
    ],
    ids=["another form", "another text", "another layer", "not active"],
)
def test_what_moves_it_is_named(change):
    memory = DictMemory()
    before = send(FIRST, memory)
    now = send(LATER, memory, **change)

    first = [(message.role, message.content) for message in before.messages]
    assert [(message.role, message.content) for message in now.messages][: len(first)] != first
    assert now.moves == (Move("entry_system", "isles.1", before.path[0]),)


def test_it_is_named_when_a_text_that_stands_has_another_layer_now():
    """What stands keeps its bytes; what is of this turn stands on its other side."""
    kept = Entry(uid=2, constant=True, content="The isles.", channel="system", layer=100)
    live = replace(ENTRY, layer=300)
    memory, found = DictMemory(), []
    for messages, layer in ((FIRST, 100), (LATER, 500)):
        lore = load_lore([ActiveBook(Book("isles", (live, replace(kept, layer=layer))))], TOOLS)
        found.append(weave(Turn(messages=messages), lore, memory, TOOLS))
        memory.put(found[-1].nodes)

    before, now = ([piece.entry for piece in woven.messages[0].pieces if piece.entry] for woven in found)
    assert (before, now) == (["isles.2", "isles.1"], ["isles.1", "isles.2"])
    assert found[1].moves == (Move("entry_system", "isles.1", found[0].path[0]),)


def test_one_that_stays_is_not_named():
    memory = DictMemory()
    send(FIRST, memory)

    assert send(LATER, memory).moves == ()
