"""A small world whose books change while somebody chats, and an oracle that knows nothing of records."""

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import ABSENT, Book, Entry, Message
from lorewright.core.protocols import Rendered
from lorewright.core.regex_script import RegexScript
from lorewright.core.weave import Woven, weave
from lorewright.testing.client import ChatClient, Step
from tests.prefix.entries import GATED, HIGH, LOW, OF_USER, first_entries, mark

OUR_LINE = re.compile(r"^\[(This replaces|Where this contradicts) the earlier note .*\]$", re.MULTILINE)


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


def possible(text):
    """What can be sent of what the user says: changed by any of the entries, in their order."""
    found = {text}
    for old, new in OF_USER.values():
        found |= {one.replace(old, new) for one in found}
    return found


def own_text(message):
    """What is sent of a client's text."""
    return "".join(piece.text for piece in message.pieces if piece.kind in ("client", "rewritten"))


def mark_in(text):
    return re.findall(r"⟦.*?⟧", text)[0]


OTHER_BOOK = Book(
    "c",
    (
        Entry(uid=0, content=f"{mark('c0')} Of the other book.", constant=True, position=1),
        Entry(uid=1, content=f"{mark('c1')} Of the other book.", keys=("tower", "lamp"), position=0),
    ),
)


LAMP = RegexScript(name="lamp", pattern="/lamp/g", replacement="lantern", placement=(1, 2))
WOLF = RegexScript(name="wolf", pattern="/wolf/g", replacement="-", placement=(1,), for_prompt=True, least_depth=2)
DICE = RegexScript(
    name="dice", pattern="/Reply/", replacement="{{roll::1d99}} Reply", placement=(2,), for_prompt=True, most_depth=4
)
SCRIPTS = ((), (LAMP, WOLF), (DICE, WOLF), (LAMP, WOLF, DICE))

LAYERS = ("tail", "before-persona", -2000, 300, ABSENT)

SAY = Step("say")


@dataclass
class Sent:
    """A request as it was sent: what the client said, what became of it, and the node of its first user message."""

    history: tuple[Any, ...]
    woven: Woven
    anchor: str

    @cached_property
    def newest(self):
        """The place of the newest message that is no system text."""
        return max(place for place, (role, *_) in enumerate(self.history) if role != "system")

    @cached_property
    def contents(self):
        """What is sent up to each of the client's messages, of that message and of our own before it, by its place."""
        found, ours = {}, []
        for message in self.woven.messages:
            ours.append((message.role, message.lasting))
            if message.index is not None:
                found[message.index] = ours
                ours = []
        return found

    @cached_property
    def keys(self):
        """The node of each message; of a system text the anchor, where the front hangs."""
        path = iter(self.woven.path)
        return [next(path) if role in ("user", "assistant", "tool") else self.anchor for role, *_ in self.history]


class World:
    """One person, one client, one memory; every request is compared with all that are remembered.

    `counts` says how often what happened.
    """

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
        self.rewritten = set()
        self.is_known = False
        self.is_quiet = False
        self.has_other_book = True
        self.tail = ""
        self.session_name = ""
        self.counts: Counter[str] = Counter()
        self.load()

    @property
    def books(self):
        return [ActiveBook(book) for book in (Book("b", self.entries), *[OTHER_BOOK] * self.has_other_book)]

    def load(self):
        self.lore = load_lore(self.books, TOOLS, self.policy)

    def run(self, steps):
        for step in steps:
            self.step(step)

    def step(self, step):
        self.steps += 1
        if isinstance(step, Step):
            before = self.client.messages
            self.client.act(step)
            if before != self.client.messages or step.action in ("regenerate", "save_branch"):
                self.counts[f"client: {step.action}"] += 1
            self.was_cut |= step.action in ("trim", "summarise", "edit")
            self.request(step)
        else:
            self.change(step)
            self.counts[f"change: {step.what}"] += 1
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
        elif change.what == "unsafe":
            entries = [replace(e, cache_unsafe=e.cache_unsafe is not True) if e.uid == at else e for e in entries]
        elif change.what == "layer":
            layer = LAYERS[change.at % len(LAYERS)]
            entries = [replace(e, layer=layer) if e.uid == at else e for e in entries]
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
        elif change.what == "scripts":
            self.policy = replace(self.policy, scripts=SCRIPTS[change.at % len(SCRIPTS)])
        elif change.what == "switch_book":
            self.has_other_book = not self.has_other_book
        elif change.what == "tail":
            self.tail = "" if self.tail else "Go on."
        elif change.what == "session_name":
            self.session_name = "" if self.session_name else "s"
        self.entries = tuple(entries)
        self.load()

    def request(self, step):
        turn = self.turn(step)
        woven = weave(turn, self.lore, self.memory, TOOLS)
        self.count(woven)
        self.memory.put(woven.nodes)
        anchor = next((node.anchor for node in woven.nodes if node.key == woven.path[-1]), "")
        messages = turn.messages[:-1] if turn.trigger == "swipe" else turn.messages
        sent = Sent(tuple((m.role, m.name, m.text, m.attachments) for m in messages), woven, anchor)
        self.log.append({(move.cause, move.node) for move in woven.moves})
        self.check(sent)
        if step.action == "say" and not self.tail:
            self.check_said(sent)
        if step.action == "say" and self.is_quiet:
            self.check_next(self.sent[-1][1], sent)
        self.sent = [*self.sent, (len(self.log) - 1, sent, self.policy.placement)][-self.remembered :]

    def turn(self, step=SAY):
        """The request after a step. A reply is made anew by a request without it, or by one with it and another trigger."""
        trigger = "normal"
        messages = self.client.messages
        if self.tail:
            messages = (*messages, Message("", self.tail, "system", hidden=True))
        elif step.action == "regenerate":
            trigger = "regenerate"
            if step.at % 2 and messages[-1].role == "user":
                trigger = "swipe"
                messages = (*messages, Message("Aria", "Another reply.", "assistant"))
                self.counts["client: swipe"] += 1
        turn = self.client.turn(context_tokens=2000, trigger=trigger, session=self.session_name)
        return replace(turn, messages=messages, variables={"known": self.is_known})

    def count(self, woven):
        """Count what was placed, what waits, and what moved."""
        causes = Counter(move.cause for move in woven.moves)
        self.counts.update(f"moved: {cause}" for cause in causes)
        self.counts["moved: standing_budget, several at once"] += causes["standing_budget"] > 1
        self.counts.update(f"waits: {item.reason}" for item in woven.waiting)
        self.new_texts = []
        for node in woven.nodes:
            old = self.memory.node(node.key)
            self.counts["another version of a message"] += old is None and node.version > 1
            new = [record for record in node.records if old is None or record not in old.records]
            self.counts.update(f"placed: {record.place}, {record.form}" for record in new)
            self.counts.update(f"line: {found}" for record in new for found in OUR_LINE.findall(record.text))
            self.new_texts += [record.text for record in new]
            self.counts["a message is sent otherwise"] += bool(node.rewording) and (old is None or not old.rewording)

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
        lasting = OUR_LINE.sub("", "\n".join(message.lasting for message in woven.messages))
        whole = "\x00".join(message.content for message in woven.messages)
        waiting = {item.entry for item in woven.waiting}
        assert mark(14) not in lasting
        if not self.is_known:
            assert not [uid for uid in GATED if f"⟦{uid}." in whole]
        for item in woven.assembly.activated:
            found = whole.count(mark_in(item.text))
            assert found or item.entry.id in waiting, item.entry.id
        self.rewritten.update(move.entry for move in woven.moves if move.cause == "rewrite")
        for item in woven.assembly.activated:
            # An entry of an outlet stands in every text that names it.
            # A window that grew back holds what was placed while its head was cut off, too.
            # What one branch rewrites before the fork, another may have replaced behind it.
            may_stand_twice = item.entry.traits.position == 7 or self.was_cut or item.entry.id in self.rewritten
            if not may_stand_twice:
                assert lasting.count(mark_in(item.text)) <= 1, item.entry.id
        self.check_subject(now)
        client = [message for message in woven.messages if message.index is not None]
        assert [message.index for message in client] == list(range(len(now.history)))
        for place, message in enumerate(client):
            role = now.history[place][0]
            assert message.role == role
            if role == "system":
                continue
            sent = own_text(message)
            wanted = self.scripted(now, place)
            assert re.sub(r"^\d+ (?=Reply)", "", sent) in (possible(wanted) if role == "user" else {wanted})
            assert self.is_known or "dog" not in sent
            if role != "user":
                assert message.content == sent

    def scripted(self, now, place):
        """What the scripts make of a message, but for the die. One in front of all that is known is deeper than any
        limit."""
        role, _, text, _ = now.history[place]
        spoken = [
            at
            for at, (role, _, _, attached) in enumerate(now.history)
            if role in ("user", "assistant") and not attached
        ]
        depth = sum(at > place for at in spoken) if now.keys[place] else math.inf
        if LAMP in self.policy.scripts and role in ("user", "assistant"):
            text = text.replace("lamp", "lantern")
        if WOLF in self.policy.scripts and role == "user" and depth >= 2:
            text = text.replace("wolf", "-")
        return text

    def check_said(self, now):
        """What the user has just said is sent as the active entries make it."""
        (newest,) = (message for message in now.woven.messages if message.index == now.newest)
        text = self.scripted(now, now.newest)
        active = {item.entry.entry.uid for item in now.woven.assembly.activated if item.entry.book == "b"}
        for uid, (old, new) in OF_USER.items():
            text = text.replace(old, new) if uid in active else text
        assert own_text(newest) == text

    def check_subject(self, now):
        """Beside a text that can be relied on more, one about its subject is never newly placed; where it stands already,
        the other one is placed with a line that says which of them holds."""
        low, high = (f"⟦{uid}." for uid in (LOW, HIGH))
        standing = "\n".join(OUR_LINE.sub("", message.lasting) for message in now.woven.messages)
        for text in self.new_texts:
            plain = OUR_LINE.sub("", text)
            if high in standing:
                assert low not in plain, text
            if high in plain and low in standing:
                assert "[Where this contradicts" in text, text

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
        last = min(before.newest, now.newest)
        between = set().union(*self.log[at + 1 :])
        begins = any(sent.woven.path[-1] == sent.anchor for sent in (before, now))
        for place in range(min(agree, last)):
            if before.contents[place] == now.contents[place]:
                continue
            is_front = not place or "system" in [role for role, *_ in now.history[place - 1 : place + 1]]
            if begins and is_front:
                continue  # the front hangs on the newest message
            head = [] if now.keys[place] else [self.first(now)]
            keys = {before.keys[place], now.keys[place], *[now.anchor] * is_front, *head}
            named = {node for _, node in between}
            assert keys & named, (place, before.contents[place], now.contents[place], between)

    @staticmethod
    def first(sent):
        return next((key for key in sent.woven.path if key), "")
