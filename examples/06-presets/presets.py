"""Three turns of a chat, laid out by a preset of SillyTavern: `python examples/06-presets/presets.py`."""

from pathlib import Path

from lorewright import (
    NATIVE,
    SILLYTAVERN,
    ActiveBook,
    Character,
    DictMemory,
    Message,
    Policy,
    Turn,
    load_lore,
    make_tools,
    read_book,
    weave,
)
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.scene import Card, Note, Persona, Scene
from lorewright.formats.read import read_preset

HERE = Path(__file__).parent
BOOK = read_book(HERE.parent / "01-engine-only" / "lantern-isles.json").value
TOOLS = make_tools()
MAREN = Card(name="Maren", description="Maren keeps the lamp of Saltwick.")
SCENE = Scene(card=MAREN, persona=Persona(text="Wen was a smuggler."), note=Note(text="Keep it dry.", depth=0))
PLAN = Plan(preset=read_preset(HERE / "lamp.json").value, scene=SCENE)
MESSAGES = (
    Message("Maren", "Who goes there?", "assistant"),
    Message("Wen", "Wen. Is that the lamp oil?"),
    Message("Maren", "It is. Mind the stairs.", "assistant"),
    Message("Wen", "I am right behind you."),
    Message("Maren", "Sit down, then.", "assistant"),
    Message("Wen", "Gladly."),
)


def play(policy: Policy) -> None:
    lore, memory = load_lore([ActiveBook(BOOK)], TOOLS, policy), DictMemory()
    before: list[str] = []
    for length in (2, 4, 6):
        turn = Turn(messages=MESSAGES[:length], user="Wen", character=Character(name="Maren"), plan=PLAN)
        woven = weave(turn, lore, memory, TOOLS)
        memory.put(woven.nodes)
        sent = [f"{message.role}: {message.content}" for message in woven.messages]
        same = next((at for at, pair in enumerate(zip(before, sent, strict=False)) if pair[0] != pair[1]), len(before))
        print(f"== {policy.name}, turn {length // 2}: {len(sent)} messages, the first {same} as in the turn before")
        before = sent
    assert woven.laid is not None
    for message in woven.laid.messages:
        for block in message.blocks:
            source = block.sources[0]
            print(f"{message.role:9} {source.kind} {source.id}: {block.text.strip()[:50]!r}")
    for left in woven.laid.left_out:
        print(f"left out  {left.source.kind} {left.source.id}: {left.reason.sentence}")
    print()


play(SILLYTAVERN)
play(NATIVE)
