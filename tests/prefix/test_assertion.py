"""`assert_prefix_kept` fails where a prefix is lost for no reason, and only there."""

from dataclasses import replace

import pytest

from lorewright import ActiveBook, Book, DictMemory, Entry, Message, Turn, load_lore, make_tools, weave
from lorewright.testing.prefix import assert_prefix_kept

TOOLS = make_tools()
LORE = load_lore([ActiveBook(Book("isles", (Entry(uid=1, keys=("ferry",), content="It leaves at dawn."),)))], TOOLS)
ASKED = (Message("Ann", "Is there a ferry?"),)
LATER = (
    *ASKED,
    Message("Guide", "Yes.", "assistant"),
    Message("Ann", "Good."),
    Message("Guide", "So.", "assistant"),
    Message("Ann", "Bye."),
)


def requests(*chats, remembers=True):
    memory, found = DictMemory(), []
    for chat in chats:
        found.append(weave(Turn(messages=chat), LORE, memory, TOOLS))
        if remembers:
            memory.put(found[-1].nodes)
    return found


def test_a_conversation_that_goes_on_passes():
    assert_prefix_kept(requests(ASKED, LATER[:3], LATER))


def test_a_memory_that_was_forgotten_fails():
    with pytest.raises(AssertionError, match="names no reason"):
        assert_prefix_kept(requests(ASKED, LATER, remembers=False))


@pytest.mark.parametrize("other", ["Is there a ferry, please?", "Hello."])
def test_another_first_message_is_another_conversation(other):
    assert_prefix_kept(requests(ASKED, LATER, (Message("Ann", other),)))


def test_a_reply_that_has_begun_behind_a_text_of_the_turn_is_not_promised():
    """The clock stands in front of it, and is another one next time."""
    book = Book("isles", (Entry(uid=1, constant=True, content="It is {{time}}."),))
    lore, memory, found = load_lore([ActiveBook(book)], TOOLS), DictMemory(), []
    for minutes in range(3):
        begun = Turn(messages=LATER[:2], clock_ms=60_000 * minutes, utc_offset_minutes=0)
        found.append(weave(begun, lore, memory, TOOLS))
        memory.put(found[-1].nodes)

    assert len({request.messages[0].content for request in found}) == 3
    assert_prefix_kept(found)
    other = replace(found[-1], messages=(replace(found[-1].messages[0], pieces=()), *found[-1].messages[1:]))
    with pytest.raises(AssertionError, match="names no reason"):
        assert_prefix_kept([found[0], other])
