"""`python -m benchmarks.ledgers [--record]`: what recording costs a turn in time and bytes, and what replay costs.

One session of 100 turns with 40 selective, 8 constant and 3 volatile entries, 5 regenerates, 3 edits and 2 deletions by
the client, one edited entry, and a window that is trimmed from turn 60 on. Each answer is checked: what is recorded is
what comes out without a ledger, and every turn is replayed.
"""

import json
import platform
import sys
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from benchmarks.__main__ import RECORD, Table, machine
from lorewright import NATIVE, ActiveBook, Message, Turn, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry
from lorewright.core.protocols import Rendered
from lorewright.core.weave import weave
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.session import LedgerSession
from lorewright.ledger.verify import verify
from lorewright.templates.names import NameMacros

TURNS = 100
FREE_BYTES = 6 * 1024
WORDS = "the boat came late and the quay was wet so they carried crates up the stairs while somebody sang".split()
MOST_MESSAGES = 80


class Dice(NameMacros):
    """A renderer with texts that are of one turn only; like a sandbox it must be recorded."""

    repeatable = False

    def __init__(self):
        self.rolls = 0

    def is_template(self, text):
        return "{{" in text

    def render(self, text, context):
        if "{{roll}}" not in text:
            return super().render(text, context)
        self.rolls += 1
        return Rendered(text.replace("{{roll}}", str(self.rolls * 7 % 20)), volatile=True)


def words(seed, count):
    return " ".join(WORDS[(seed * 7 + n * 3) % len(WORDS)] for n in range(count))


def book(version=0):
    selective = [
        Entry(
            uid=n,
            keys=(f"topic{n}",),
            content=f"Note {n}: {words(n, 40)}." + (" Edited." if version and n == 3 else ""),
            position=n % 2,
            order=n,
            sticky=n % 3,
        )
        for n in range(40)
    ]
    constant = [Entry(uid=100 + n, constant=True, content=words(n, 30), position=0, order=n) for n in range(8)]
    volatile = [
        Entry(uid=200 + n, keys=(f"topic{n * 9}",), content=f"Luck {n}: {{{{roll}}}}", position=0, order=n)
        for n in range(3)
    ]
    return Book("session", (*selective, *constant, *volatile))


def requests():
    """The turns, each with how many characters of it are new, and whether the book is edited before it."""
    chat = [Message("System", "You are a keeper of notes.", "system", hidden=True)]
    for number in range(1, TURNS + 1):
        said = f"Turn {number}: topic{number * 13 % 40}, please. {words(number, 25)}"
        new = len(said)
        if number in (15, 30, 45, 75, 90):
            new = 0  # regenerate: the same request again
        elif number in (20, 50, 70):
            chat[-4] = replace(chat[-4], text=chat[-4].text + " (edited)")
            new += len(chat[-4].text)
        elif number in (25, 65):
            del chat[-2:]
        if new:
            chat.append(Message("Max", said))
        if number >= 60 and len(chat) > MOST_MESSAGES:
            del chat[1:3]
        trigger = "normal" if new else "regenerate"
        turn = Turn(messages=tuple(chat), user="Max", character=Character(name="Aria"), trigger=trigger)
        yield turn, new, number == 40
        if number + 1 not in (15, 30, 45, 75, 90):
            chat.append(Message("Aria", f"Reply {number}: {words(number + 5, 60)}", "assistant"))


def session(path, full, *, sizes):
    """Record all turns; times in ms, bytes of the file and new text by turn."""
    tools = replace(make_tools(), renderer=Dice())
    plain_tools = replace(make_tools(), renderer=Dice())
    memory = DictMemory()
    ledger = open_ledger(path, full=full)
    recorder = LedgerSession(ledger, [ActiveBook(book())], NATIVE, tools)
    plain = load_lore([ActiveBook(book())], plain_tools, NATIVE)
    times, bytes_, new_text = [], [], []
    seen = set()
    for turn, said, edited in requests():
        if edited:
            recorder.use([ActiveBook(book(1))], NATIVE)
            plain = load_lore([ActiveBook(book(1))], plain_tools, NATIVE)
        ledger.refresh()
        woven = weave(turn, recorder.lore, ledger.memory, recorder.recorder.tools)
        outside = recorder.recorder.take()
        began = perf_counter()
        number = ledger.record(woven, turn, recorder.books, NATIVE, outside)
        times.append((perf_counter() - began) * 1000)
        reply = f"Reply {number}: {words(number + 5, 60)}"
        ledger.reply(number, reply, prompt_tokens=1000, cached_tokens=900, reply_tokens=80)
        expected = weave(turn, plain, memory, plain_tools)
        memory.put(expected.nodes)
        if expected.messages != woven.messages:
            raise SystemExit(f"turn {number}: not what comes out without a ledger")
        placed = {p.text for m in woven.messages for p in m.pieces if p.kind != "client"} - seen
        seen |= placed
        new_text.append(said + len(reply) + sum(map(len, placed)))
        if sizes:
            ledger.store.sweep()
            bytes_.append(Path(path).stat().st_size)
    if (problems := verify(ledger.store).problems) or ledger.count_turns() != TURNS:
        raise SystemExit(f"{problems}")
    ledger.close()
    return times, bytes_, new_text


def main(record):
    info = machine()
    print(", ".join(f"{key} {value}" for key, value in info.items()))
    print(f"{'run (each answer checked)':58} {'median':>9} {'p95':>9}")
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        for name, full, limit in (("synchronous=NORMAL", False, 2), ("synchronous=FULL", True, None)):
            times = [t for run in range(5) for t in session(f"{folder}/{full}{run}", full, sizes=False)[0][1:]]
            table.add(f"record a turn, {name}", times, "ms", limit)
        _, sizes, new_text = session(f"{folder}/sizes", full=False, sizes=True)
        grown = [after - before for before, after in pairwise(sizes)]
        over = [
            (sum(grown[at : at + 10]) - 2 * sum(new_text[at + 1 : at + 11])) / 10 for at in range(0, len(grown) - 9, 10)
        ]
        table.add("bytes a turn beyond 2 x the new text, mean of ten turns", over, "B", FREE_BYTES)
        early, late = sum(grown[4:14]) / 10, sum(grown[-10:]) / 10
        table.add("bytes of turns 6 to 15, mean", [early], "B")
        table.add("bytes of turns 91 to 100, mean", [late], "B")
        table.add("  ratio", [late / early], "x", 1.2)
        table.add("the whole file", [sizes[-1] / 1024], "KiB")
        took = []
        for _ in range(5):
            began = perf_counter()
            with open_ledger(f"{folder}/sizes", create=False) as ledger:
                outcomes = [turn.outcome for turn in replay(ledger)]
            took.append((perf_counter() - began) * 1000)
            if outcomes != ["same"] * TURNS:
                raise SystemExit(f"replay: {outcomes}")
        table.add("replay 100 turns, the file opened anew", took, "ms", 2000)
        began = perf_counter()
        with open_ledger(f"{folder}/sizes", create=False) as ledger:
            verify(ledger.store)
        table.add("verify it", [(perf_counter() - began) * 1000], "ms")
    if record:
        path = RECORD / f"{info['date'][:10]}-{platform.machine()}-ledger.json"
        path.write_text(json.dumps({"machine": info, "runs": table.rows}, indent=1) + "\n", "utf-8")
        print(f"written: {path.name}")
    if any(row["limit"] is not None and row["median"] > row["limit"] for row in table.rows):
        sys.exit("some figures are over their limits")


if __name__ == "__main__":
    main("--record" in sys.argv[1:])
