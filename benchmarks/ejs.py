"""`python -m benchmarks.ejs [--record]`: code in books: the first rendering, those after it, and bombs.

Times are those of the clock, since another process does the work; run it on a quiet machine. Every answer is checked:
what a text gives, that a bomb is refused, and that the prompt goes out without it.
"""

import sys
from dataclasses import replace
from time import perf_counter

from benchmarks.table import Table
from lorewright import NATIVE, ActiveBook, State, Turn, assemble, load_lore, make_tools
from lorewright.core.model import Book, Entry
from lorewright.templates.ejs import Output, Sandbox, Scene, Value

RUNS = 15
FIRST_MS, NEXT_MS, BOMB_MS, NEVER_MS = 150, 1, 1200, 2000
TEXT = "Hello <%= user %>. <% for (const x of [1, 2, 3]) { %>(<%= x %>)<% } %> <%= getvar('mood') %> " + "words " * 100
WANTED = "Hello Mina. (1)(2)(3) calm " + "words " * 100
SCENE = Scene(functions="host", names={"user": "Mina"}, variables={"local": {"mood": "calm"}})

BOMBS = {
    "endless loop": "for (;;);",
    "regular expression": "/^(a+)+$/.test('a'.repeat(60) + 'b')",
    "allocation": "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)",
    "recursion, 10,000 deep": "const f = n => n ? f(n - 1) + 1 : 0; f(10000)",
    "jobs without end": "await (async () => { for (;;) await null })()",
}
NEVER = "await new Promise(() => {})"


def nothing(request):
    del request
    return Value(None)


def render(generation, text):
    began = perf_counter()
    found = generation.render("main", text)
    taken = (perf_counter() - began) * 1000
    if found != Output(WANTED, frozenset({"name:user", "cache:mood"})):
        raise SystemExit(f"not the expected text: {found}")
    return taken


def first():
    """Nothing is ready: the process is started for this text."""
    with Sandbox() as sandbox, sandbox.generation(SCENE, nothing, {"main"}) as generation:
        return render(generation, TEXT)


def first_when_warm():
    with Sandbox() as sandbox:
        sandbox.warm()
        wait_until_warm()
        with sandbox.generation(SCENE, nothing, {"main"}) as generation:
            return render(generation, TEXT)


def wait_until_warm():
    end = perf_counter() + 0.3
    while perf_counter() < end:
        pass


def following(texts):
    with Sandbox() as sandbox, sandbox.generation(SCENE, nothing, {"main"}) as generation:
        render(generation, TEXT)
        return [render(generation, text) for text in texts]


def bomb(code):
    """A book with a bomb and a plain entry; how long its prompt takes."""
    entries = (
        Entry(uid=1, constant=True, position=0, order=2, content=f"a<% {code} %>b"),
        Entry(uid=2, constant=True, position=0, order=1, content="<%= user %> is here."),
    )
    with Sandbox() as sandbox:
        sandbox.warm()
        wait_until_warm()
        tools = make_tools(sandbox=sandbox)
        lore = load_lore([ActiveBook(Book("main", entries))], tools, replace(NATIVE, code_books=("main",)))
        began = perf_counter()
        found = assemble(Turn(user="Mina"), lore, State(), tools)
        taken = (perf_counter() - began) * 1000
    if [item.text for item in found.activated] != ["Mina is here."] or len(found.reports) != 1:
        raise SystemExit(f"not the expected prompt: {found.activated} {found.reports}")
    return taken


def main(keep):
    table = Table("ejs")
    table.add("first rendering, nothing ready", [first() for _ in range(RUNS)], "ms", FIRST_MS)
    table.add("first rendering, a process ready", [first_when_warm() for _ in range(RUNS)], "ms", FIRST_MS)
    table.add("the same text again", following([TEXT] * 300), "ms", NEXT_MS)
    table.add("new texts", following([TEXT + f"<%# {n} %>" for n in range(300)]), "ms", NEXT_MS)
    for name, code in BOMBS.items():
        table.add(f"a prompt with a bomb: {name}", [bomb(code) for _ in range(3)], "ms", BOMB_MS)
    table.add("a prompt with a promise that never settles", [bomb(NEVER) for _ in range(3)], "ms", NEVER_MS)
    table.close(keep)


if __name__ == "__main__":
    main("--record" in sys.argv[1:])
