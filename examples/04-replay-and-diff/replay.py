"""A chat is recorded, somebody edits an entry, and the ledger says what moved; then every turn is assembled again."""

import tempfile
from dataclasses import replace
from pathlib import Path

import lorewright as lw
from lorewright.ledger.difference import compare_turns
from lorewright.ledger.erase import erase, find_message
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.session import LedgerSession
from lorewright.ledger.verify import verify
from lorewright.ledger.why import why

SAMPLES = Path(__file__).resolve().parent.parent / "01-engine-only"
RULES = lw.NATIVE.with_settings(replace(lw.NATIVE.settings, on_edit="rewrite"))

tools = lw.make_tools()
book = lw.read_book(SAMPLES / "lantern-isles.json").value
chat = lw.read_chat(SAMPLES / "chat.jsonl").value.messages


def turn(messages):
    return lw.Turn(messages=tuple(messages), user="Wen", character=lw.Character(name="Maren"))


with tempfile.TemporaryDirectory() as folder, open_ledger(Path(folder) / "chat.ledger") as ledger:
    session = LedgerSession(ledger, [lw.ActiveBook(book)], RULES, tools)
    for end in (3, 5, 7):  # the chat as it grew: each time up to a message of the user
        recorded = session.weave(turn(chat[:end]))
        print(f"turn {recorded.number}: {', '.join(ledger.turn(recorded.number)[1].active)}")

    isles = next(entry for entry in book.entries if entry.uid == 0)
    edited = replace(isles, content="The Lantern Isles are gone.")
    changed = replace(book, entries=tuple(edited if entry.uid == 0 else entry for entry in book.entries))
    session.use([lw.ActiveBook(changed)], RULES)
    session.weave(turn((*chat, lw.Message("Wen", "Then ring the bell for the lamp oil."))))

    found = compare_turns(ledger, 3, 4, tools.counter)
    print(f"turn 4 keeps {found.kept.kept_bytes} of {found.kept.total_bytes} bytes of turn 3")
    print(f"moved by {found.kept.cause}: {', '.join(found.parting.entries)}")
    for piece in (found.parting.was, found.parting.now):
        print(f"  {piece.text[:60]}")

    because = why(ledger, "lantern-isles.0", 4)
    print(f"{because.verdict.entry} in turn 4: {because.verdict.reason.sentence}")

    print("replay:", ", ".join(f"{one.turn} {one.outcome}" for one in replay(ledger)))
    shallow = replay(ledger, policy=lambda rules: rules.with_settings(replace(rules.settings, scan_depth=0)))
    for one in shallow:
        print(" ".join((f"with scan depth 0: turn {one.turn} {one.outcome}", *one.entries)))

    erase(ledger, find_message(ledger, 4, 8))
    print("a message erased:", ", ".join(f"{one.turn} {one.outcome}" for one in replay(ledger)))
    print("problems in the file:", len(verify(ledger.store).problems))
