"""A window of three messages: timers and numbers go on where the caller names the session."""

from lorewright import NATIVE, ActiveBook, Book, Entry, Message, Turn, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.weave import weave

TOOLS = make_tools()
LORE = load_lore([ActiveBook(Book("b", (Entry(uid=1, keys=("bell",), content="It rings."),)))], TOOLS, NATIVE)


def run(session, turns=6, seen=3):
    """The number of each turn, how many messages stand before each window, and how often the text is sent."""
    memory, chat, found = DictMemory(), [], []
    for number in range(turns):
        chat.append(Message("Max", f"The bell, {number}"))
        woven = weave(Turn(messages=tuple(chat[-seen:]), session=session), LORE, memory, TOOLS)
        memory.put(woven.nodes)
        sent = "\n".join(message.content for message in woven.messages)
        found.append((woven.turn.number, woven.turn.earlier_messages, sent.count("It rings.")))
        chat.append(Message("Aria", f"Reply {number}", "assistant"))
    return found


def test_with_a_session_numbers_go_on():
    assert [(number, earlier) for number, earlier, _ in run("s")] == [(1, 0), (2, 0), (3, 2), (4, 4), (5, 6), (6, 8)]


def test_a_text_stands_once_in_the_window():
    assert {count for _, _, count in run("s")} == {1}


def test_without_a_session_one_message_is_no_sign():
    assert [number for number, _, _ in run("")] != [1, 2, 3, 4, 5, 6]
