"""A text that was placed in an outlet stands only while the client's system text names the outlet."""

from dataclasses import replace

from lorewright import ActiveBook, Book, DictMemory, Entry, Message, Turn, load_lore, make_tools, weave
from lorewright.core.authority import CONSTRAINTS

TOOLS = make_tools()
SHELF = Entry(uid=1, constant=True, content="The bell is old.", position=7, outlet="lore", authority="authored")
TOWER = Entry(uid=2, keys=("tower",), content="The tower leans.", authority="authored")
HIGH = Entry(uid=3, constant=True, content="The bell is whole.", position=7, outlet="lore", subject="bell")
LOW = Entry(uid=4, keys=("bell",), content="The bell is hollow.", subject="bell", authority="unverified")
NAMED, BARE = "Lore: {{outlet::lore}}", "Be kind."


class Chat:
    def __init__(self):
        self.memory = DictMemory()
        self.said = []

    def say(self, system, text, *entries):
        self.said += [Message("Ann", text)]
        lore = load_lore([ActiveBook(Book("isles", entries))], TOOLS)
        turn = Turn(messages=(Message("", system, "system"), *self.said))
        woven = weave(turn, lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        self.said += [Message("Guide", "Yes.", "assistant")]
        return "\n".join(message.content for message in woven.messages)


def test_an_entry_that_left_its_outlet_is_placed_where_it_stands_now():
    chat = Chat()
    assert "The bell is old." in chat.say(NAMED, "Hello.", SHELF)

    assert "The bell is old." in chat.say(BARE, "Well?", replace(SHELF, position=0, outlet=""))


def test_the_sentence_about_authority_does_not_go_with_the_outlet():
    chat = Chat()
    assert CONSTRAINTS[0] in chat.say(NAMED, "Hello.", SHELF, TOWER)
    assert chat.say(NAMED, "The tower?", SHELF, TOWER).count(CONSTRAINTS[0]) == 1

    sent = chat.say(BARE, "Well?", SHELF, TOWER)

    assert "[authored] The tower leans." in sent
    assert sent.count(CONSTRAINTS[0]) == 1


def test_a_text_that_is_not_shown_outranks_nobody():
    high = replace(HIGH, authority="canon")
    chat = Chat()
    chat.say(NAMED, "Hello.", high)
    assert "hollow" not in chat.say(NAMED, "The bell?", high, LOW)

    assert "hollow" in chat.say(BARE, "The bell?", replace(high, enabled=True, keys=("never",), constant=False), LOW)


def test_a_gate_closes_what_is_not_shown_too():
    chat = Chat()
    chat.say(NAMED, "Hello.", SHELF)
    chat.say(BARE, "Well?", replace(SHELF, enabled=False))

    assert "bell" not in chat.say(NAMED, "Well?", replace(SHELF, constant=False, keys=("never",)))
