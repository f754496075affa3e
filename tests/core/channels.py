"""A chat that is woven request by request, for the tests of channels and replacements."""

from typing import Any

from lorewright import NATIVE, ActiveBook, Book, DictMemory, Entry, Message, Turn, load_lore, make_tools, weave

TOOLS = make_tools()
SYSTEM = "You are Aria."


def constant(uid, content="", **fields):
    return Entry(uid=uid, constant=True, content=content, **fields)


def keyed(uid, keys, content="", **fields):
    return Entry(uid=uid, keys=(keys,), content=content, **fields)


def book(*entries, name="b", **fields):
    return Book(name, entries, **fields)


class Chat:
    """What one client says to one memory. The system text stands at the top of each request."""

    def __init__(self, *entries, policy=NATIVE, system=SYSTEM, books=None, tools=TOOLS):
        self.memory = DictMemory()
        self.policy = policy
        self.system = system
        self.tools = tools
        self.said = []
        self.woven: Any = None
        self.use(*entries, books=books)

    def use(self, *entries, books=None):
        """Other books from now on."""
        shelf = books if books is not None else [book(*entries)]
        self.lore = load_lore([ActiveBook(one) for one in shelf], self.tools, self.policy)

    def say(self, text, **turn):
        """The user says something; the last reply is there, if one was due."""
        if self.said and self.said[-1].role == "user":
            self.said.append(Message("Aria", f"Reply {len(self.said)}.", "assistant"))
        self.said.append(Message("Max", text))
        return self.send(**turn)

    def send(self, **turn):
        top = (Message("", self.system, "system", hidden=True),) if self.system else ()
        self.woven = weave(Turn(messages=(*top, *self.said), **turn), self.lore, self.memory, self.tools)
        self.memory.put(self.woven.nodes)
        return self.woven

    @property
    def sent(self):
        """Role and content of each message."""
        return [(message.role, message.content) for message in self.woven.messages]

    @property
    def top(self):
        """The system prompt, as the texts between its blank lines."""
        return [part for role, text in self.sent if role == "system" for part in text.split("\n\n")]

    @property
    def users(self):
        return [text for role, text in self.sent if role == "user"]

    @property
    def moves(self):
        return [(move.cause, move.entry) for move in self.woven.moves]
