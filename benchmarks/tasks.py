"""`python -m benchmarks.tasks [--record]`: the prompt of a task over a book of 1,000 entries, 100 of them with code.

Times are those of the clock, since most of it is done by another process; run it on a quiet machine. Every answer is
checked.
"""

import sys
from time import perf_counter, process_time

from benchmarks.table import Table
from lorewright import make_tools
from lorewright.core.model import Book, Entry
from lorewright.tasks.prompt import TaskRequest, build_task_prompt
from lorewright.tasks.scene import TaskScene
from lorewright.tasks.shelf import BookShelf
from lorewright.tasks.world import TaskTools
from lorewright.templates.ejs import Sandbox

ENTRIES = 1000
TEMPLATES = 100
MESSAGES = 50
RUNS = 15
LIMIT_MS = 150

CODE = "<% if (getvar('mood') === 'calm') { %>calm <%= char %><% } else { %>wild<% } %>"
LORE = " ".join(["The old keeper counts the ships that pass at night and writes them down."] * 8)


def entry(number):
    if number < TEMPLATES:
        return Entry(uid=number, title=f"T{number}", content=f"{number}: {CODE}. {LORE}", constant=True, position=0)
    keys = (f"ship{number}.", f"keeper {number}")
    return Entry(
        uid=number, title=f"K{number}", content=f"{number}: {LORE}", keys=keys, position=number % 4, order=200.0
    )


BOOK = Book("world", tuple(map(entry, range(ENTRIES))))
CHAT = [
    {
        "role": "user" if number % 2 else "assistant",
        "content": f"Message {number} tells of ship{number + TEMPLATES}. " * 5,
    }
    for number in range(MESSAGES)
]
EXPECTED = {f"{number}: calm Ana. {LORE}" for number in range(TEMPLATES)} | {
    f"{number}: {LORE}" for number in range(TEMPLATES, TEMPLATES + MESSAGES)
}


def build(shelf, sandbox, regexes):
    context = {"chatMessages": CHAT, "recentMessages": "", "userMessage": "Go on."}
    scene = TaskScene(char="Ana", variables={"mood": "calm"})
    request = TaskRequest(task="recall", context=context, books=("world",), scene=scene)
    began, worked = perf_counter(), process_time()
    prompt = build_task_prompt(request, shelf, TaskTools(regexes, sandbox, ("world",)))
    taken = (perf_counter() - began) * 1000, (process_time() - worked) * 1000
    if {text.content for text in prompt.lore.texts} != EXPECTED or prompt.lore.report.warnings:
        raise SystemExit(f"not the expected texts: {prompt.lore.report.warnings}")
    return taken


def main(keep):
    table = Table("tasks")
    regexes = make_tools().regexes
    with Sandbox() as sandbox:
        kept = BookShelf([BOOK])
        build(kept, sandbox, regexes)
        for name, shelf in (("a kept shelf", lambda: kept), ("a new shelf", lambda: BookShelf([BOOK]))):
            times = []
            for _ in range(RUNS):
                sandbox.warm()
                times.append(build(shelf(), sandbox, regexes))
            table.add(f"task prompt, {name}", [clock for clock, _ in times], "ms", LIMIT_MS)
            table.add(f"task prompt, {name}, this process alone", [own for _, own in times], "ms")
    table.close(keep)


if __name__ == "__main__":
    main("--record" in sys.argv[1:])
