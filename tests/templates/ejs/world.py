"""A small chat, entries for it, and what became of them."""

from dataclasses import replace

from lorewright import NATIVE, ActiveBook, load_lore
from lorewright.core.engine import assemble
from lorewright.core.model import Book, Character, Entry, Message, State, Turn

TURN = Turn(
    messages=(Message("Mina", "Tell me of the cat <%= 'evil' %>"), Message("Aria", "It sleeps.", "assistant")),
    user="Mina",
    character=Character(name="Aria", description="A pilot."),
    clock_ms=86_400_000,
    variables={"mood": "calm", "hp": 7, "bad": "'); evil(); ('", "tag": "<%= evil() %>"},
)


def entry(uid, content, **given):
    return Entry(uid=uid, **{"constant": True, "content": content, "position": 0, "title": f"T{uid}", **given})


def played(tools, *entries, policy=NATIVE, turn=TURN, state=None, trusted=("main",), books=()):
    policy = replace(policy, code_books=trusted)
    shelf = [ActiveBook(Book("main", entries)), *(ActiveBook(book) for book in books)]
    return assemble(turn, load_lore(shelf, tools, policy), state or State(), tools)


def texts(assembly):
    return {item.entry.id.removeprefix("main."): item.text for item in assembly.activated}


def why(assembly, uid):
    return assembly.trace.why(f"main.{uid}").reason
