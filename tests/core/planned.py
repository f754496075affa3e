"""A chat with a preset that is woven request by request; a token is a word here."""

from dataclasses import replace
from typing import Any

from lorewright import NATIVE, ActiveBook, Book, DictMemory, Message, Turn, load_lore, make_tools, weave
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.layout.scene import Card, Scene
from lorewright.core.model import Character

ARIA = Card(name="Aria", description="Aria is a pilot.")
REPLY_TOKENS = 3
"""What every request costs besides its messages."""


class Words:
    """Counts words, so that a budget can be written down by hand."""

    name = "words"

    def count(self, text):
        return len(text.split())


TOOLS = make_tools(counter=Words())


def prompt(name, content, **fields):
    return Prompt(id=name, content=content, role=fields.pop("role", "system"), of_user=True, **fields)


def preset(*prompts, order, tokens=1000, **wording):
    """A preset in which a room of `tokens` words is for texts; all texts of the settings are empty but those given."""
    empty = {"new_chat": "", "new_example": "", "new_group_chat": "", "group_nudge": ""}
    return Preset(
        prompts=prompts,
        orders=(OrderList("100001", tuple(OrderEntry(name) for name in order)),),
        wording=Wording(**{**empty, **wording}),
        limits=Limits(tokens + REPLY_TOKENS, 0),
    )


class Talk:
    """What one user says to one memory. `scene` fields may change between two requests."""

    def __init__(self, preset, *entries, scene=None, policy=NATIVE):
        self.plan = Plan(preset=preset, scene=scene or Scene(card=ARIA))
        self.memory = DictMemory()
        self.said = []
        self.policy = policy
        self.woven: Any = None
        self.use(*entries)

    def use(self, *entries):
        """Another book from now on."""
        self.lore = load_lore([ActiveBook(Book("b", entries))], TOOLS, self.policy)

    def change(self, **scene):
        """Another scene from now on."""
        self.plan = replace(self.plan, scene=replace(self.plan.scene, **scene))

    def lay(self, preset):
        """Another preset from now on."""
        self.plan = replace(self.plan, preset=preset)

    def say(self, text, **turn):
        """The user says something; the last reply is there, if one was due."""
        if self.said and self.said[-1].role == "user":
            self.reply(f"Reply {len(self.said)}.")
        self.said.append(Message("Max", text))
        return self.send(**turn)

    def reply(self, text):
        self.said.append(Message("Aria", text, "assistant"))

    def send(self, **turn):
        given = {"user": "Max", "character": Character(name="Aria"), "plan": self.plan, **turn}
        self.woven = self.weave(Turn(messages=tuple(self.said), **given))
        return self.sent

    def weave(self, turn):
        woven = weave(turn, self.lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        return woven

    @property
    def sent(self):
        """The contents of the messages."""
        return [message.content for message in self.woven.messages]

    @property
    def lasting(self):
        """Those that the next request begins with."""
        return [message.content for message in self.woven.messages if not message.passes]

    @property
    def moves(self):
        return [move.cause for move in self.woven.moves]

    @property
    def places(self):
        """Why each message stands where it does, by its first block."""
        return [message.blocks[0].why.code for message in self.woven.laid.messages]

    def reason(self, kind, name):
        """Why a text is not sent."""
        return next(one.reason for one in self.woven.laid.left_out if one.source == (kind, name))
