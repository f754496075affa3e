"""`assert_prefix_kept` fails where a prefix is lost for no reason, and only there."""

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
