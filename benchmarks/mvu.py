"""`python -m benchmarks.mvu [--record]`: what the commands of an MVU card cost, in CPU time. Every answer is checked."""

import json
import sys
from time import process_time

from benchmarks.table import Table
from lorewright import NATIVE, ActiveBook, Message, Turn, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry
from lorewright.core.weave import weave
from lorewright.mvu.record import Record
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.update import update

RUNS = 15
PEOPLE = 100
MESSAGES = 200
PROSE = "The old keeper (he is 80; nobody knows) counts the ships that pass at night, and writes them down. " * 200

PERSON = {
    "name": "Ana",
    "hp": [80, "health"],
    "trust": 5,
    "place": "quay",
    "bag": {"$meta": {"extensible": True}, "rope": 1},
}
AUTHORED = {
    "day": 1,
    "people": {f"p{number}": PERSON for number in range(PEOPLE)},
    "log": ["began", "$__META_EXTENSIBLE__$"],
}
RECORD_BEFORE = Record(strip(AUTHORED), generate(AUTHORED))


def commands(count):
    kinds = (
        "_.set('people.p{0}.place', 'mill');//went",
        "_.add('people.p{0}.hp', -2 * 3);//a blow",
        "_.insert('people.p{0}.bag', 'key {1}', {{name: 'iron key', tags: ['old', 'cold',]}});",
        "_.insert('log', 'p{0} came, and {1} things were said');",
        "_.set('people.p{0}.trust', 5, 6);",
    )
    return "\n".join(kinds[number % 5].format(number % PEOPLE, number) for number in range(count))


def measure(table, name, text, check):
    times = []
    for _ in range(RUNS):
        began = process_time()
        after = update(RECORD_BEFORE, text)
        times.append((process_time() - began) * 1000)
        if not check(after):
            sys.exit(f"{name}: {len(after.changes)} changes, {[one.message for one in after.refused[:3]]}")
    table.add(f"{name}, {len(text) / 1000:,.0f} kB", times, "ms")


def chat_from_scratch(table):
    """A chat with a command in each reply, woven for the first time, and its next turn."""
    initial = Entry(uid="i", title="[initvar]", content=json.dumps(AUTHORED), enabled=False)
    tools = make_tools()
    lore = load_lore([ActiveBook(Book("card", (initial,)), "character")], tools, NATIVE)
    said = [
        Message(
            "Ana",
            f"Well. <UpdateVariable>_.add('day', 1);//{n}</UpdateVariable>\n" * (n % 2),
            ("user", "assistant")[n % 2],
        )
        for n in range(MESSAGES)
    ]
    first, following = [], []
    for _ in range(RUNS):
        memory, times = DictMemory(), []
        for count in (MESSAGES - 1, MESSAGES + 1):
            messages = (*said, Message("Ana", "Hm. _.add('day', 1);", "assistant"), Message("Mina", "Yes."))
            turn = Turn(messages=messages[:count], user="Mina", character=Character(name="Ana"))
            began = process_time()
            woven = weave(turn, lore, memory, tools)
            times.append((process_time() - began) * 1000)
            memory.put(woven.nodes)
        first.append(times[0])
        following.append(times[1])
        if woven.turn.variables["stat_data"]["day"] != 1 + MESSAGES // 2 + 1:
            sys.exit(f"day {woven.turn.variables['stat_data']['day']}")
    table.add(f"first turn of a chat of {MESSAGES} messages, {MESSAGES // 2} with a command", first, "ms")
    table.add("its next turn", following, "ms")


def main():
    size = len(json.dumps(RECORD_BEFORE.tree)) / 1000
    table = Table("mvu", f"CPU time; a tree of {size:.0f} kB (each answer checked)")
    measure(table, "a reply without commands", PROSE, lambda after: not after.modified)
    measure(table, "a reply with 20 commands", PROSE + commands(20), lambda after: len(after.changes) == 20)
    measure(table, "a reply with 500 commands", PROSE + commands(500), lambda after: len(after.changes) == 500)
    measure(table, "500,000 quotes", "'\"" * 250_000 + "_.set('day', 2);", lambda after: after.record.tree["day"] == 2)
    measure(table, "100,000 open commands", "_.set(" * 100_000, lambda after: not after.modified)
    chat_from_scratch(table)
    table.close("--record" in sys.argv[1:])


if __name__ == "__main__":
    main()
