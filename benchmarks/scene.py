"""Books, chats and expected answers of the speed runs."""

import json
from dataclasses import replace
from pathlib import Path

from lorewright import SILLYTAVERN, ActiveBook, Message, Turn, load_lore, make_tools
from lorewright.conformance.world_info import CodePointCounter
from lorewright.formats.settings import read_settings
from lorewright.formats.world_info import read_world_info

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
DEFAULTS = HERE.parent / "conformance" / "world-info" / "budget.json"


def load(path):
    return json.loads(path.read_text("utf-8"))


def book_value(entries: int) -> dict:
    """A book of the data as SillyTavern would write it: every entry complete, by uid."""
    defaults = load(DEFAULTS)["entryDefaults"]
    raw = load(DATA / f"book-{entries}.json")["entries"]
    return {"entries": {str(entry["uid"]): {**defaults, **entry} for entry in raw}}


def book(entries: int):
    return read_world_info(book_value(entries), name="bench").value


def messages(entries: int, count: int) -> tuple[Message, ...]:
    return tuple(Message(m["name"], m["mes"]) for m in load(DATA / f"chat-{entries}x{count}.json"))


class Scene:
    """One combination: tools, lore, turn and the uids that SillyTavern activates."""

    def __init__(self, combination: str) -> None:
        _, size = combination.split("-")
        self.entries, self.count = map(int, size.split("x"))
        case = load(DATA / "expected.json")[combination]
        settings, self.context_tokens, _ = read_settings(case["settings"], SILLYTAVERN.settings)
        self.policy = SILLYTAVERN.with_settings(settings)
        self.expected = case["activatedUids"]
        self.tools = make_tools(counter=CodePointCounter())
        self.book = book(self.entries)
        self.lore = load_lore([ActiveBook(self.book)], self.tools, self.policy)
        self.tools.matcher.compile(self.lore)
        self.turn = Turn(messages=messages(self.entries, self.count), context_tokens=self.context_tokens)

    def other_turn(self) -> Turn:
        """A chat of the same length of which no message is in the real one."""
        return replace(self.turn, messages=tuple(Message(m.name, m.text[::-1]) for m in self.turn.messages))

    def check(self, assembly) -> None:
        """Raises if the answer is not SillyTavern's."""
        found = [item.entry.entry.uid for item in assembly.activated]
        if found != self.expected:
            raise SystemExit(f"wrong answer: {found[:10]}… instead of {self.expected[:10]}…")
