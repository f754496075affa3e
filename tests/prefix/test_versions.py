"""A client that goes back to a message makes a second version of it; which one is in use is logged where it changes."""

from lorewright import ActiveBook, Book, DictMemory, Entry, Message, Turn, load_lore, make_tools, weave
from lorewright.core.record import Move

TOOLS = make_tools()
LORE = load_lore([ActiveBook(Book("isles", (Entry(uid=1, keys=("ferry",), content="It leaves at dawn."),)))], TOOLS)
ASKED = Message("Ann", "Is there a ferry?")
BEGUN = Message("Guide", "There is", "assistant")
THANKS = Message("Ann", "Thank you.")
SYSTEM, OTHER_SYSTEM = (Message("", text, "system", hidden=True) for text in ("Be kind.", "Be brief."))


class Chat:
    def __init__(self):
        self.memory = DictMemory()

    def send(self, *messages):
        woven = weave(Turn(messages=messages), LORE, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        return woven

    def two_versions(self, *system):
        """A chat that came in with its reply: its text stands at the thanks. Then back to the question: it stands there."""
        first, second = self.send(*system, ASKED, BEGUN, THANKS), self.send(*system, ASKED)
        return first.path[0], second.path[0]


def test_a_question_that_is_asked_again_is_another_version():
    chat = Chat()
    first, second = chat.two_versions()

    assert first != second
    assert [chat.memory.nodes[key].version for key in (first, second)] == [1, 2]
    assert [len(chat.memory.nodes[key].records) for key in (first, second)] == [0, 1]


def test_a_request_that_stays_with_a_version_moves_nothing():
    """The longest known way leads over the first version, but its text stands at the second one."""
    chat = Chat()
    first, second = chat.two_versions()
    before = chat.memory.node(first)
    begun = chat.send(ASKED, BEGUN)

    assert begun.path[0] == second
    assert begun.moves == ()
    assert chat.memory.node(first) == before


def test_the_way_back_to_the_first_version_is_logged():
    chat = Chat()
    first, _ = chat.two_versions()
    chat.send(ASKED, BEGUN)
    back = chat.send(ASKED, BEGUN, THANKS)

    assert back.path[0] == first
    assert Move("client_edit", node=first) in back.moves


def test_the_version_that_came_last_goes_on():
    chat = Chat()
    _, second = chat.two_versions()
    chat.send(ASKED, BEGUN)
    other = chat.send(ASKED, Message("Guide", "No.", "assistant"), THANKS)

    assert other.path[0] == second
    assert not [move for move in other.moves if move.node in other.path[:1]]


def test_the_system_text_of_a_version_is_that_of_its_last_request():
    """The client changes its system text in the request that goes on with the second version, and changes it back."""
    chat = Chat()
    _, second = chat.two_versions(SYSTEM)
    changed = chat.send(OTHER_SYSTEM, ASKED, BEGUN)
    back = chat.send(SYSTEM, ASKED, BEGUN)

    assert changed.moves == back.moves == (Move("client_system", node=second),)
