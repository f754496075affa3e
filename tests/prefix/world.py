"""A small world whose books change while somebody chats, and an oracle that knows nothing of records."""

from dataclasses import dataclass, replace
from typing import Any

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.gates import Flag, Gate
from lorewright.core.model import Book, Entry
from lorewright.core.protocols import Rendered
from lorewright.core.weave import Woven, weave
from lorewright.testing.client import ChatClient, Step

WORDS = ("ferry", "tower", "wolf", "queen", "salt", "lamp")
GATED = (12, 13)


class Clock:
    """A renderer whose `{{now}}` is another number every time."""

    def __init__(self, inner):
        self.inner = inner
        self.time = 0

    def is_template(self, text):
        return "{{now}}" in text or self.inner.is_template(text)

    def render(self, text, context):
        if "{{now}}" not in text:
            return self.inner.render(text, context)
        self.time += 1
        return Rendered(text.replace("{{now}}", str(self.time)), volatile=True)


TOOLS = replace(make_tools(), renderer=Clock(make_tools().renderer))


@dataclass(frozen=True)
class Change:
    """Something that a person changes beside the chat: what, which entry or number, how."""

    what: str
    at: int = 0


def first_entries():
    """Selective and constant entries at every position, groups, timers, recursion, an outlet that is named and one
    that is not. Every content has a mark that stands nowhere else."""
    fields: tuple[dict[str, Any], ...] = (
        {"constant": True, "position": 0},
        {"constant": True, "position": 4, "depth": 2},
        {"keys": ("ferry",), "position": 0, "sticky": 3},
        {"keys": ("tower",), "position": 1, "cooldown": 2},
        {"keys": ("wolf", "queen"), "position": 4, "depth": 1, "probability": 50},
        {"keys": ("queen",), "position": 2, "group": "g"},
        {"keys": ("salt", "queen"), "position": 3, "group": "g"},
        {"keys": ("lamp",), "position": 7, "outlet": "named"},
        {"keys": ("lamp",), "position": 7, "outlet": "nobody"},
        {"constant": True, "position": 7, "outlet": "system"},
        {"keys": ("salt",), "position": 5, "delay": 4},
        {"keys": ("never",), "constant": False, "position": 6},
        {"keys": ("wolf", "lamp"), "gate": Gate((Flag("known"),)), "position": 0},
        {"constant": True, "gate": Gate((Flag("known"),)), "position": 1},
        {"keys": ("tower", "salt"), "position": 4},
    )
    texts = {2: "The ferry goes by the tower.", 6: "Salt for {{outlet::named}}", 14: "It is {{now}}."}
    return tuple(
        Entry(uid=uid, content=f"{mark(uid)} {texts.get(uid, 'A text of its own.')}", order=100 + uid, **given)
        for uid, given in enumerate(fields)
    )


def mark(uid, version=0):
    return f"⟦{uid}.{version}⟧"


@dataclass
class Sent:
    """A request as it was sent. `moved` are the nodes that were moved by it."""

    history: tuple[Any, ...]
    woven: Woven
    anchor: str

    def content(self, place):
        """What is sent up to the client's message at this place, of that message and of our own before it."""
        found, ours = [], []
        for message in self.woven.messages:
            ours.append((message.role, message.lasting))
            if message.index is not None:
                if message.index == place:
                    found = ours
                ours = []
        return found


class World:
    """One person, one client, one memory; every request is compared with all that are remembered."""

    def __init__(self, policy=NATIVE, remembered=12):
        self.policy = policy
        self.client = ChatClient("You are Aria. {{outlet::system}}", "The ferry, Hello")
        self.entries = first_entries()
        self.memory = DictMemory()
        self.log = []
        self.sent = []
        self.remembered = remembered
        self.versions = 0
        self.steps = 0
        self.was_cut = False
        self.is_known = False
        self.is_quiet = False
        self.load()

    def load(self):
        self.lore = load_lore([ActiveBook(Book("b", self.entries))], TOOLS, self.policy)

    def run(self, steps):
        for step in steps:
            self.step(step)

    def step(self, step):
        self.steps += 1
        if isinstance(step, Step):
            self.client.act(step)
            self.was_cut |= step.action in ("trim", "summarise", "edit")
            self.request(step.action)
        else:
            self.change(step)
        self.is_quiet = isinstance(step, Step) and step.action in ("say", "regenerate")

    def change(self, change):
        entries = list(self.entries)
        at = change.at % len(first_entries())
        if change.what == "edit_entry":
            self.versions += 1
            old = next((entry for entry in entries if entry.uid == at), None)
            if old is not None:
                entries[entries.index(old)] = replace(old, content=f"{mark(at, self.versions)} Edited.")
        elif change.what == "switch_entry":
            entries = [replace(e, enabled=e.enabled is False) if e.uid == at else e for e in entries]
        elif change.what == "remove_entry":
            entries = [entry for entry in entries if entry.uid != at]
        elif change.what == "add_entry":
            if all(entry.uid != at for entry in entries):
                self.versions += 1
                again = first_entries()[at]
                entries.append(replace(again, content=again.content.replace(mark(at), mark(at, self.versions))))
        elif change.what == "make_constant":
            entries = [replace(e, constant=not e.constant) if e.uid == at else e for e in entries]
        elif change.what == "form":
            form = "message" if self.policy.settings.form == "inside" else "inside"
            self.policy = self.policy.with_settings(replace(self.policy.settings, form=form))
        elif change.what == "on_edit":
            on_edit = "rewrite" if self.policy.settings.on_edit == "append" else "append"
            self.policy = self.policy.with_settings(replace(self.policy.settings, on_edit=on_edit))
        elif change.what == "standing_budget":
            self.policy = self.policy.with_settings(
                replace(self.policy.settings, standing_budget_percent=(50, 2, 0.4)[change.at % 3])
            )
        elif change.what == "placement":
            placement = "sillytavern" if self.policy.placement == "frozen" else "frozen"
            self.policy = replace(self.policy, placement=placement)
        elif change.what == "gate":
            self.is_known = not self.is_known
        self.entries = tuple(entries)
        self.load()

    def request(self, action):
        woven = weave(self.turn(action), self.lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        anchor = next((node.anchor for node in woven.nodes if node.key == woven.path[-1]), "")
        sent = Sent(tuple((m.role, m.name, m.text, m.attachments) for m in woven.turn.messages), woven, anchor)
        self.log.append({(move.cause, move.node) for move in woven.moves})
        self.check(sent)
        if action == "say" and self.is_quiet:
            self.check_next(self.sent[-1][1], sent)
        self.sent = [*self.sent, (len(self.log) - 1, sent, self.policy.placement)][-self.remembered :]

    def turn(self, action="say"):
        trigger = "regenerate" if action == "regenerate" else "normal"
        return self.client.turn(context_tokens=2000, trigger=trigger, variables={"known": self.is_known})

    # --- the oracle

    def check(self, now):
        if self.policy.placement == "frozen":
            self.check_alone(now)
        for at, before, placement in self.sent:
            if placement == self.policy.placement == "frozen":
                self.check_pair(at, before, now)

    def check_alone(self, now):
        """Nothing is lost, nothing stands twice, and the client's texts are as they were."""
        woven = now.woven
        lasting = "\x00".join(message.lasting for message in woven.messages)
        whole = "\x00".join(message.content for message in woven.messages)
        waiting = {item.entry for item in woven.waiting}
        assert mark(14) not in lasting
        if not self.is_known:
            assert not [uid for uid in GATED if f"⟦{uid}." in whole]
        for item in woven.assembly.activated:
            found = whole.count(item.text.split()[0])
            assert found or item.entry.id in waiting, item.entry.id
        for item in woven.assembly.activated:
            # An entry of an outlet stands in every text that names it.
            # A window that grew back holds what was placed while its head was cut off, too.
            if item.entry.traits.position != 7 and not self.was_cut:
                assert lasting.count(item.text.split()[0]) <= 1, item.entry.id
        client = [message for message in woven.messages if message.index is not None]
        assert [message.index for message in client] == list(range(len(now.history)))
        for message, (role, _, text, _) in zip(client, now.history, strict=True):
            assert message.role == role
            if role != "system":
                assert "".join(piece.text for piece in message.pieces if piece.kind == "client") == text
            if role not in {"user", "system"}:
                assert message.content == text

    def check_next(self, before, now):
        """A message more and no cause: the request before is a prefix, the newest message included."""
        goes_on = now.history[: len(before.history)] == before.history
        if goes_on and not now.woven.moves and self.policy.placement == "frozen":
            old = [(message.role, message.lasting) for message in before.woven.messages]
            new = [(message.role, message.lasting) for message in now.woven.messages]
            assert new[: len(old)] == old

    def check_pair(self, at, before, now):
        """Through the first k messages that agree, from the same anchor, the bytes agree but for the newest ones."""
        if not before.anchor or before.anchor != now.anchor:
            return
        if self.first(before) != self.first(now):
            return
        agree = 0
        for one, other in zip(before.history, now.history, strict=False):
            if one != other:
                break
            agree += 1
        last = min(len(before.history), len(now.history)) - 1
        between = set().union(*self.log[at + 1 :])
        begins = any(sent.woven.path[-1] == sent.anchor for sent in (before, now))
        for place in range(min(agree, last)):
            keys = {self.key(before, place), self.key(now, place)}
            fronts = (
                {now.anchor} if now.history[place][0] == "system" or now.history[place - 1][0] == "system" else set()
            )
            if begins and fronts:
                continue  # the front hangs on the newest message
            if before.content(place) == now.content(place):
                continue
            named = {node for _, node in between}
            assert (keys | fronts) & named, (place, before.content(place), now.content(place), between)

    @staticmethod
    def first(sent):
        return next((key for key in sent.woven.path if key), "")

    @staticmethod
    def key(sent, place):
        """The node of a message; of a system text the anchor, where the front hangs."""
        chain = [n for n, (role, *_) in enumerate(sent.history) if role in ("user", "assistant", "tool")]
        return sent.woven.path[chain.index(place)] if place in chain else sent.anchor
