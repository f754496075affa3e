"""Twenty turns in which variables, the clock and draws change: what was sent stays."""

from dataclasses import replace
from itertools import pairwise

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry, Message, Turn
from lorewright.core.prefix import compare
from lorewright.core.weave import weave
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.session import LedgerSession
from lorewright.testing.ledgers import assert_replays
from lorewright.testing.prefix import assert_prefix_kept

TURNS = 20
MINUTE_MS = 60_000
TOOLS = make_tools()
ENTRIES = (
    Entry(uid="name", constant=True, content="{{char}} is the pilot of {{user}}.", position=0),
    Entry(uid="day", constant=True, content="It is day {{incvar::day}}.", position=0),
    Entry(uid="time", constant=True, content="The clock says {{time}}.", position=0),
    Entry(uid="dice", constant=True, content="The die shows {{roll::1d100}}.", position=4),
    Entry(uid="tide", keys=("tide",), content="The tide stands at {{getvar::tide}}.", position=0),
    Entry(uid="once", keys=("tide",), content="First seen on day {{getvar::day}}.", position=0, freeze=True),
    Entry(uid="begun", constant=True, content="Begun at {{time}}.", position=0, freeze=True),
    Entry(uid="wins", keys=("/turn \\d*5/",), content="Won {{incglobalvar::wins}} times.", position=1),
)
BOOK = Book("isles", ENTRIES)


def turns():
    chat = [Message("", "You are {{char}}.", "system")]
    for number in range(1, TURNS + 1):
        tide = " The tide." if number % 3 == 0 else ""
        chat.append(Message("Mina", f"This is turn {number}.{tide}"))
        yield Turn(
            messages=tuple(chat),
            user="Mina",
            character=Character(name="Aria"),
            variables={"tide": number * 7},
            clock_ms=MINUTE_MS * number,
        )
        chat.append(Message("Aria", f"Reply {number}.", "assistant"))


def sent():
    lore, memory, found = load_lore([ActiveBook(BOOK)], TOOLS, NATIVE), DictMemory(), []
    for turn in turns():
        found.append(weave(turn, lore, memory, TOOLS))
        memory.put(found[-1].nodes)
    return found


def test_twenty_turns_keep_the_prefix():
    requests = sent()

    assert_prefix_kept(requests)
    assert not [move for request in requests for move in request.moves]
    for before, now in pairwise(requests):
        assert compare(before.messages, now.messages, TOOLS.counter).first_difference is None


def test_only_constant_text_stands_in_front():
    for request in sent():
        front = {p.entry for m in request.messages for p in m.pieces if p.kind == "front"}
        assert front == {"isles.name"}


def test_what_changes_stands_last_and_is_new_every_turn():
    for number, request in enumerate(sent(), 1):
        last = request.messages[-1]
        volatile = [piece for piece in last.pieces if piece.kind == "volatile"]
        assert [piece.kind for piece in last.pieces[-len(volatile) :]] == ["volatile"] * len(volatile)
        text = "".join(piece.text for piece in volatile)
        assert f"It is day {number}." in text
        assert f"The clock says 12:{number:02} AM." in text
        assert not any(p.kind == "volatile" for m in request.messages[:-1] for p in m.pieces)
        if number % 3 == 0:
            assert f"The tide stands at {number * 7}." in text


def test_an_entry_that_says_so_is_frozen_where_it_was_rendered():
    last = sent()[-1]
    records = [
        (m.index, p.text.strip()) for m in last.messages for p in m.pieces if p.kind == "record" and p.text.strip()
    ]

    assert records == [(1, "Begun at 12:01 AM."), (5, "First seen on day 3.")]


def test_variables_of_all_conversations_are_in_the_state():
    last = sent()[-1].assembly.trace.activation.variables

    assert (last.local["day"], last.shared["wins"]) == (20, 2)


def test_the_ledger_repeats_it(tmp_path):
    session = LedgerSession(open_ledger(tmp_path / "a"), [ActiveBook(BOOK)], NATIVE, make_tools())
    for turn in turns():
        session.weave(turn)

    assert session.ledger.turn(1)[1].reads is None
    assert assert_replays(session.ledger) == TURNS


def test_a_step_after_a_tool_counts_and_a_regenerated_reply_does_not():
    lore, memory = load_lore([ActiveBook(BOOK)], TOOLS, NATIVE), DictMemory()
    asked = (Message("Mina", "Turn 1."),)
    called = (*asked, Message("Aria", "", "assistant", attachments=("call",)), Message("", "12", "tool"))
    days = []
    for messages in (asked, asked, called):
        woven = weave(Turn(messages=messages, user="Mina", character=Character(name="Aria")), lore, memory, TOOLS)
        memory.put(woven.nodes)
        days.append(woven.assembly.trace.activation.variables.local["day"])

    assert days == [1, 1, 2]


class Unknown:
    """A renderer that nobody can repeat; what it gives must be recorded, what it writes, too."""

    def __init__(self, inner):
        self.inner = inner
        self.is_template = inner.is_template
        self.calls = 0

    def render(self, text, context):
        self.calls += 1
        found = self.inner.render(text, context)
        return found._replace(text=found.text.replace("The clock", f"Call {self.calls}, the clock"))


def test_a_renderer_that_cannot_be_repeated_is_recorded_with_what_it_writes(tmp_path):
    tools = make_tools()
    tools = replace(tools, renderer=Unknown(tools.renderer))
    session = LedgerSession(open_ledger(tmp_path / "a"), [ActiveBook(BOOK)], NATIVE, tools)
    for turn in turns():
        session.weave(turn)

    assert {found.outcome for found in replay(session.ledger, make_tools())} == {"same"}
