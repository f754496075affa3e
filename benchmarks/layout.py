"""`python -m benchmarks.layout [--record]`: what a turn with a preset costs, from the request to the final messages.

A preset of 60 prompts, a book of 1,000 entries of which keys are looked for in the newest ten messages, a chat of 500
messages that had a request for every reply. CPU time of this process, since other programs of the machine count otherwise.
Every answer is checked: against what the preset says by construction, and against tools that remember nothing.
"""

import gc
import sys
from collections.abc import Iterator
from dataclasses import replace
from time import process_time

from benchmarks.scene import book, messages
from benchmarks.table import Table
from lorewright import NATIVE, SILLYTAVERN, ActiveBook, Message, Turn, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.layout.scene import Card, Persona, Scene
from lorewright.core.layout.stock import MARKERS, STOCK_PROMPTS
from lorewright.core.memo import ANEW
from lorewright.core.model import Character
from lorewright.core.policy import Policy
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven, weave
from lorewright.templates.prompts import SillyTavernPrompts
from lorewright.testing.prefix import assert_prefix_kept

PROMPTS = 60
ENTRIES = 1000
MESSAGES = 500
COLD_TURNS = 20
NEXT_TURNS = 100
CONTEXT_TOKENS = 65_536
SCAN_DEPTH = 10
COLD_MS, NEXT_MS = 15, 3
KINDS = (
    ("Rule {n}: {{{{char}}}} never speaks for {{{{user}}}}. {words}", "Rule {n}: Aria never speaks for Max. {words}"),
    ("Rule {n}. {words}", "Rule {n}. {words}"),
    ("The mood of scene {n} is {{{{getvar::mood}}}}. {words}", "The mood of scene {n} is calm. {words}"),
    ("Say {{{{random::yes::yes}}}} to {n}. {words}", "Say yes to {n}. {words}"),
    ("{{{{setvar::n{n}::{n}}}}}{{{{trim}}}}\nNumber {{{{getvar::n{n}}}}}. {words}", "Number {n}. {words}"),
    ("<style {n}>{{{{// a note}}}}{words}</style>", "<style {n}>{words}</style>"),
)
"""What a prompt of the user says, and what is sent of it."""
WORDS = "Write as somebody would who was there, in plain words, and leave the next step to the others. " * 3
IN_CHAT = 8
"""Every so many prompts one stands in the chat, 2 messages before the end."""
CARD = Card(
    name="Aria",
    description="{{char}} keeps the light at Saltwick. " * 20,
    personality="Dry, patient.",
    scenario="{{user}} comes ashore.",
)
DESCRIBED = ["Aria keeps the light at Saltwick. " * 20, "Dry, patient.", "Max comes ashore.", "I am Max, a sailor."]


def users_prompts() -> Iterator[tuple[Prompt, str]]:
    """The prompts that are not stock, each with the text that is sent of it."""
    for n in range(PROMPTS - len(STOCK_PROMPTS)):
        written, sent = (text.format(n=n, words=WORDS) for text in KINDS[n % len(KINDS)])
        in_chat = n % IN_CHAT == 0
        prompt = Prompt(id=f"p{n}", content=written, role="system", of_user=True, in_chat=in_chat, depth=2)
        yield prompt, sent


def make_plan() -> Plan:
    """A plan as if it had just been read."""
    own = [prompt for prompt, _ in users_prompts()]
    half = len(own) // 2
    order = ["main", *MARKERS[2:], *(p.id for p in own[:half]), *MARKERS[:2], *(p.id for p in own[half:]), "jailbreak"]
    preset = Preset(
        prompts=(*STOCK_PROMPTS, *own),
        orders=(OrderList("100001", tuple(map(OrderEntry, order))),),
        wording=Wording(new_chat="[Start]"),
        limits=Limits(CONTEXT_TOKENS, 1000),
    )
    assert len(preset.prompts) == PROMPTS
    return Plan(preset=preset, scene=Scene(card=CARD, persona=Persona(text="I am {{user}}, a sailor.")))


class World:
    """One policy over the book, with tools as a host keeps them."""

    def __init__(self, policy: Policy, tools: Tools) -> None:
        self.policy = policy
        self.tools = tools
        self.lore = load_lore([ActiveBook(book(ENTRIES))], self.tools, self.policy)
        self.plan = make_plan()

    def turn(self, said) -> Turn:
        return Turn(
            messages=said,
            user="Max",
            character=Character(name="Aria"),
            context_tokens=CONTEXT_TOKENS,
            variables={"mood": "calm"},
            plan=self.plan,
        )

    def weave(self, turn: Turn, memory: DictMemory) -> tuple[Woven, float]:
        """The turn, and the CPU time that it took in ms. What is new goes into the memory."""
        began = process_time()
        woven = weave(turn, self.lore, memory, self.tools)
        memory.put(woven.nodes)
        return woven, (process_time() - began) * 1000


def spoken(message: Message) -> Message:
    return replace(message, role="user" if message.name == "Max" else "assistant")


def chat() -> tuple[Message, ...]:
    """Messages that nobody has seen."""
    return tuple(spoken(message) for message in messages(ENTRIES, 1000)[:MESSAGES])


def check(woven: Woven, turn: Turn) -> None:
    """Raises if a message of the chat, a prompt, a field of the card or an active entry is not there just once."""
    pieces = [piece for message in woven.messages for piece in message.pieces]
    said = [piece.text.removeprefix("\n\n") for piece in pieces if piece.kind == "client"]  # behind lore
    if said != [message.text for message in turn.messages]:
        raise SystemExit(f"{len(said)} messages of the chat, not the {len(turn.messages)} that were said")
    whole = "\0".join(message.content for message in woven.messages)
    entries = [item.text for item in woven.assembly.activated]
    for text in (*entries, "[Start]", *DESCRIBED, *(sent for _, sent in users_prompts())):
        if whole.count(text.strip()) != 1:
            raise SystemExit(f"{whole.count(text)} times instead of once: {text[:60]}")


def grow(world: World, said: tuple[Message, ...], memory: DictMemory) -> None:
    """The chat as it came to be: a request for each reply."""
    for end in range(1, len(said) + 1, 2):
        world.weave(world.turn(said[:end]), memory)


def cold(world: World) -> list[float]:
    times = []
    for _ in range(COLD_TURNS):
        world.plan = make_plan()
        turn, memory = world.turn(chat()), DictMemory()
        gc.collect()  # what was left behind before is not this turn's
        woven, time = world.weave(turn, memory)
        times.append(time)
    check(woven, turn)
    return times


def following(world: World) -> list[float]:
    """The next turns of a known chat. Afterwards each is compared with that of tools that keep nothing."""
    said, memory = chat(), DictMemory()
    grow(world, said, memory)
    words = [message.text for message in messages(ENTRIES, 1000)[MESSAGES:]]
    times, found = [], []
    for number in range(NEXT_TURNS):
        said = (*said, spoken(Message("Aria" if number % 2 else "Max", f"{number} {words[number]}")))
        woven, time = world.weave(world.turn(said), memory)
        check(woven, world.turn(said))
        found.append((said, woven))
        times.append(time)
    anew, memory = World(world.policy, replace(make_tools(), memo=ANEW, prompts=SillyTavernPrompts())), DictMemory()
    grow(anew, chat(), memory)
    for said, woven in found:
        right, _ = anew.weave(anew.turn(said), memory)
        if woven.messages != right.messages:
            raise SystemExit(f"{len(said)} messages: not what tools that keep nothing make of them")
    if world.policy.placement == "frozen":
        assert_prefix_kept([woven for _, woven in found])
    return times


def measure(table: Table, policy: Policy) -> None:
    policy = policy.with_settings(replace(policy.settings, scan_depth=SCAN_DEPTH))
    world = World(policy, make_tools())
    world.weave(world.turn(tuple(replace(message, text=message.text[::-1]) for message in chat())), DictMemory())
    table.add(f"{policy.name}: an unseen chat", cold(world), "ms", COLD_MS)
    table.add(f"{policy.name}: the next turn of a known chat", following(world), "ms", NEXT_MS)


if __name__ == "__main__":
    table = Table("layout", "a turn with a preset (each answer checked), CPU time")
    for policy in (NATIVE, SILLYTAVERN):
        measure(table, policy)
    table.close("--record" in sys.argv[1:])
