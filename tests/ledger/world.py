"""Recorded chats: a small fixed one, and the world of the prefix tests with a ledger for its memory."""

from dataclasses import replace
from typing import Any

from lorewright import NATIVE, ActiveBook, make_tools
from lorewright.core.memo import ANEW
from lorewright.core.model import Book, Character, Entry, Message, Turn
from lorewright.core.weave import weave
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.session import LedgerSession
from tests.prefix.world import World

WORDS = ("ferry", "tower", "wolf", "queen")
ENTRIES = (
    Entry(uid="front", constant=True, content="The isles lie in a ring.", position=0, order=1),
    Entry(uid="ferry", keys=("ferry",), content="The ferry goes at dawn.", position=0, order=2),
    Entry(uid="tower", keys=("tower",), content="The tower has 212 steps.", position=1, order=3, sticky=2),
    Entry(uid="wolf", keys=("wolf",), content="A wolf, said {{user}}.", position=4, order=4, probability=50),
    Entry(uid="queen", keys=("/que+n/i",), content="The queen is not to be named.", position=0, order=5),
)
BOOK = Book("isles", ENTRIES)
CHARACTER = Character(name="Aria", description="A pilot.")


class Clock:
    """Seconds that only go on when they are asked for."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        self.now += 1
        return self.now


def open_chat(path, *, book=BOOK, policy=NATIVE, tools=None, stream="main"):
    ledger = open_ledger(path, stream, clock=Clock())
    return LedgerSession(ledger, [ActiveBook(book)], policy, tools or make_tools())


def turns(count, *, words=WORDS, start=0):
    """A chat that grows by a reply and a question each turn."""
    chat = []
    for number in range(count):
        chat.append(Message("Max", f"Day {number}: where is the {words[number % len(words)]}?"))
        if number >= start:
            yield Turn(messages=tuple(chat), user="Max", character=CHARACTER)
        chat.append(Message("Aria", f"Reply {number}.", "assistant"))


def chat(path, count=6, **given):
    """A recorded chat; its session."""
    session = open_chat(path, **given)
    for number, turn in enumerate(turns(count), start=1):
        session.weave(turn)
        session.ledger.reply(number, f"Reply {number - 1}.", prompt_tokens=10, cached_tokens=number)
    return session


class LedgerWorld(World):
    """The world of the prefix tests; every request is also recorded, and must come out as it does without a ledger, and
    with nothing kept of the requests before."""

    def __init__(self, path, policy=NATIVE):
        self.session: Any = None
        super().__init__(policy)
        self.session = open_chat(path, policy=policy)
        self.load()

    def load(self):
        super().load()
        if self.session:
            self.session.use(self.books, self.policy)

    def request(self, step):
        turn = self.turn(step)
        plain = weave(turn, self.lore, self.memory, replace(self.session.recorder.tools, memo=ANEW))
        self.memory.put(plain.nodes)
        recorded = self.session.weave(turn)
        assert recorded.woven.messages == plain.messages
        assert recorded.woven.moves == plain.moves
        self.log.append(())
