"""Presets that nobody here wrote, each read, linted and laid out against one chat: `python -m tests.real_presets ../shared`.

A context template is laid out by itself. Instruct templates and system prompts get a plain context beside them, since
without one nothing but the chat has a place.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, Message, Policy, Turn, load_lore, make_tools, weave
from lorewright.cli.completing import Completion, complete
from lorewright.cli.preset_linting import lint_thing
from lorewright.core.chain import DictMemory
from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.scene import Card, CharacterNote, Note, Persona, Scene
from lorewright.core.layout.text_layout import LaidText
from lorewright.core.model import Book, Character, Entry, Role
from lorewright.core.weave import Woven
from lorewright.formats.imported import Imported
from lorewright.formats.read import read_thing
from lorewright.formats.things.layout_preset import CHAT_PRESETS
from lorewright.formats.things.text_preset import read_text_preset, text_sections
from lorewright.formats.things.thing import Thing

FOLDERS = (
    "st-preset-chat",
    "st-preset-other",
    "st-preset-textgen",
    "st-context",
    "st-instruct",
    "st-sysprompt",
    "st-settings",
    "risu-preset-json",
)
NOT_LAID_OUT = {
    "st_preset_textgen": "settings of the sampler, no prompts",
    "risu_preset": "a template of RisuAI, read and linted only",
}
CONTEXT = {
    "story_string": "{{#if system}}{{system}}\n{{/if}}{{wiBefore}}\n{{description}}\n{{personality}}\n{{scenario}}\n"
    "{{wiAfter}}\n{{persona}}\n",
    "chat_start": "***",
    "example_separator": "***",
}
TOOLS = make_tools()
BOOK = Book(
    "isles",
    (
        Entry(uid="bell", keys=("bell",), content="The bell rings when a witness is wanted.", position=0),
        Entry(uid="ring", content="Nine lamps keep the ring of the isles.", constant=True, position=1),
        Entry(uid="gale", keys=("storm",), content="[The wind rises.]", position=4, depth=1, role=0),
    ),
)
SCENE = Scene(
    card=Card(
        name="Maren",
        description="Maren keeps the lamp of Saltwick.",
        personality="dry, watchful",
        scenario="A storm comes up.",
        examples="<START>\n{{user}}: Is the lamp lit?\n{{char}}: Not yet.",
        note=CharacterNote("Maren limps."),
    ),
    persona=Persona(text="Wen is a smuggler who wants to stop."),
    note=Note(text="Keep it short."),
)
SAID: tuple[tuple[str, Role, str], ...] = (
    ("Maren", "assistant", "Who goes there?"),
    ("Wen", "user", "Wen. Is the bell ringing?"),
    ("Maren", "assistant", "Since noon."),
    ("Wen", "user", "Then the storm is near."),
    ("Maren", "assistant", "Come up, and mind the stairs."),
    ("Wen", "user", "I am right behind you."),
)


@dataclass(frozen=True)
class Played:
    """A file and what came of it: in `native` turn by turn, and in `sillytavern`; or why nothing did."""

    file: str
    read: Imported[Thing]
    findings: Counter[str]
    turns: tuple[Woven, ...] = ()
    classic: LaidOut | None = None
    text: LaidText | None = None
    refusal: str = ""

    @property
    def laid(self) -> LaidOut | LaidText | None:
        return self.text or (self.turns[-1].laid if self.turns else None)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        return self.laid.left_out if self.laid else ()

    def parts(self) -> dict[str, list[Block]]:
        """The blocks before the chat, in it and behind it."""
        if isinstance(self.laid, LaidOut):
            begin, end = self.laid.borders
            cut = {"front": slice(0, begin), "chat": slice(begin, end), "tail": slice(end, None)}
            return {name: [b for m in self.laid.messages[at] for b in m.blocks] for name, at in cut.items()}
        found: dict[str, list[Block]] = {"front": [], "chat": [], "tail": []}
        for block in self.laid.blocks if self.laid else ():
            found[_PARTS.get(block.why.code, "chat")].append(block)
        return found


_PARTS = {"in_story": "front", "in_examples": "front", "opens_part": "front", "asks_for_reply": "tail"}


def play_all(shared: Path) -> Iterator[Played]:
    """Every preset of the real files, and those inside of SillyTavern's settings."""
    for folder in FOLDERS:
        for path in sorted((shared / "real-files" / folder).iterdir()):
            name = f"{folder}/{path.name}"
            if folder == "st-settings":
                settings = json.loads(path.read_text("utf-8"))
                user = settings["power_user"]
                texts = {part: user[part] for part in ("context", "instruct", "sysprompt")}
                yield play(f"{name} (chat)", read_thing(json.dumps(settings["oai_settings"]).encode()))
                yield play(f"{name} (text)", read_thing(json.dumps(texts).encode()))
            else:
                yield play(name, read_thing(path))


def play(file: str, read: Imported[Thing]) -> Played:
    """Lint one, and lay it out."""
    thing = read.value
    findings = Counter[str](finding.level for finding in lint_thing(file, read, "estimate").checked.findings)
    sections = text_sections(thing)
    if thing.kind in CHAT_PRESETS:
        preset = CHAT_PRESETS[thing.kind](thing.value)
        turns = tuple(_converse(preset, NATIVE))
        return Played(file, read, findings, turns, classic=list(_converse(preset, SILLYTAVERN))[-1].laid)
    if sections is not None:
        return Played(file, read, findings, text=_complete({"context": CONTEXT, **sections}))
    return Played(file, read, findings, refusal=NOT_LAID_OUT[thing.kind])


def _turns(plan: Plan | None = None) -> Iterator[Turn]:
    messages = [Message(name, text, role) for name, role, text in SAID]
    tokens = plan.preset.limits.context_tokens if plan else 8192
    for end in range(2, len(messages) + 1, 2):
        character = Character(name="Maren", avatar="Maren.png")
        yield Turn(
            messages=tuple(messages[:end]), user="Wen", character=character, context_tokens=tokens, plan=plan,
            clock_ms=1_700_000_000_000,
        )  # fmt: skip


def _converse(preset: Preset, policy: Policy) -> Iterator[Woven]:
    lore, memory = load_lore([ActiveBook(BOOK)], TOOLS, policy), DictMemory()
    for turn in _turns(Plan(preset=preset, scene=SCENE)):
        woven = weave(turn, lore, memory, TOOLS)
        memory.put(woven.nodes)
        yield woven


def _complete(sections: dict[str, Any]) -> LaidText:
    lore = load_lore([ActiveBook(BOOK)], TOOLS, replace(NATIVE, placement="sillytavern"))
    woven = weave(list(_turns())[-1], lore, DictMemory(), TOOLS)
    preset = read_text_preset(sections)
    preset = replace(preset, limits=replace(preset.limits, context_tokens=8192))
    return complete(Completion(preset, Plan(preset=Preset(), scene=SCENE)), woven, TOOLS)


def table(shared: Path) -> Iterator[str]:
    """A line for each file, and one for each reason why something was left out."""
    yield f"{'file':64} {'kind':18} {'found':>5} {'kept':>5} {'lint':>8} {'front':>6} {'chat':>5} {'tail':>5} {'tokens':>7}"
    for one in play_all(shared):
        lint = f"{one.findings['error']}/{one.findings['warning']}/{one.findings['info']}"
        head = f"{one.file[:64]:64} {one.read.format:18} {one.read.found:>5} {one.read.kept:>5} {lint:>8}"
        if one.laid is None:
            yield f"{head} not laid out: {one.refusal}"
            continue
        parts = one.parts()
        tokens = sum(block.tokens for blocks in parts.values() for block in blocks)
        yield f"{head} {len(parts['front']):>6} {len(parts['chat']):>5} {len(parts['tail']):>5} {tokens:>7}"
        reasons = Counter(left.reason.code for left in one.left_out)
        yield from (f"{'':8}left out: {count} {code}" for code, count in sorted(reasons.items()))
    yield "lint: errors/warnings/infos. front, chat, tail: blocks of the third request in native."


if __name__ == "__main__":
    print("\n".join(table(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared"))))
