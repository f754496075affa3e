"""A chat with regex scripts, request by request."""

from dataclasses import replace

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Message, Role, Turn
from lorewright.core.regex_script import RegexScript
from lorewright.core.weave import weave

TOOLS = make_tools()
ARIA = Character(name="Aria")


def script(pattern, replacement="", **more):
    return RegexScript(**{"name": "s", "placement": (1, 2), **more}, pattern=pattern, replacement=replacement)


class Chat:
    """A chat with scripts; `say` sends the next request."""

    def __init__(self, *scripts, policy=NATIVE, entries=()):
        self.policy = replace(policy, scripts=scripts)
        self.entries = entries
        self.memory = DictMemory()
        self.messages = []
        self.requests = []

    def use(self, *scripts):
        self.policy = replace(self.policy, scripts=scripts)

    def send(self, *messages, **turn):
        """Send exactly these messages, each a text of the user or (role, text)."""
        self.messages = [self.message(one) for one in messages]
        request = Turn(messages=tuple(self.messages), user="Max", character=ARIA, **turn)
        lore = load_lore([ActiveBook(Book("b", self.entries))], TOOLS, self.policy)
        woven = weave(request, lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        self.requests.append(woven)
        return self.texts(woven)

    def say(self, *messages, **turn):
        """Go on with these."""
        return self.send(*self.messages, *messages, **turn)

    @staticmethod
    def message(one):
        if isinstance(one, Message):
            return one
        role: Role
        role, text = ("user", one) if isinstance(one, str) else one
        return Message("Aria" if role == "assistant" else "Max", text, role)

    @staticmethod
    def texts(woven):
        return [message.content for message in woven.messages]

    @property
    def moves(self):
        return [(move.cause, move.entry) for move in self.requests[-1].moves]

    @property
    def codes(self):
        return [report.code for report in self.requests[-1].assembly.reports]


def reply(text):
    return ("assistant", text)
