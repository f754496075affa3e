"""The public API from end to end: read, assemble, ask why, go on to the next turn."""

from dataclasses import replace
from pathlib import Path

import lorewright as lw

SAMPLES = Path(__file__).resolve().parent.parent / "01-engine-only"

tools = lw.make_tools()  # once: it keeps what it has compiled
book = lw.read_book(SAMPLES / "lantern-isles.json").value
lore = lw.load_lore([lw.ActiveBook(book)], tools, lw.NATIVE.with_settings(lw.Settings(scan_depth=4)))

chat = lw.read_chat(SAMPLES / "chat.jsonl").value
turn = lw.Turn(messages=chat.messages, user="Wen", character=lw.Character(name="Maren"), session="demo")
assembly = lw.assemble(turn, lore, lw.State(), tools)

for text in assembly.placed.before:
    print(f"{text.entry}: {text.text[:50]}...")

verdict = assembly.trace.why("lantern-isles.4")
print(verdict.title, "is in:" if verdict.active else "is out:", verdict.reason.sentence)
if verdict.match:
    print("found in message", verdict.match.message, "at", verdict.match.start, "to", verdict.match.end)

# The next turn: the state that came out goes in again.
replies = (lw.Message("Maren", "Up, then.", "assistant"), lw.Message("Wen", "Yes."))
turn = replace(turn, messages=turn.messages + replies)
assembly = lw.assemble(turn, lore, assembly.state, tools)
print(assembly.trace.why("lantern-isles.11").reason.sentence)
