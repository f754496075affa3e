"""Draws: spread, limits, and what they depend on. Single values are in the cases."""

from itertools import pairwise

import pytest

from lorewright import ActiveBook, Book, Entry, State, assemble, load_lore, make_tools
from lorewright.core.draw import HashDraw, SequenceDraw, draw_for, fnv1a32, hits
from lorewright.core.model import Message, Turn

TURNS = 1000
TOOLS = make_tools()


def agreement(passes: list[bool]) -> float:
    """How often two turns that follow each other decide the same."""
    return sum(left == right for left, right in pairwise(passes)) / (len(passes) - 1)


def test_turns_are_independent():
    numbers = [HashDraw("s", turn).number("book.7", "probability", 0) for turn in range(TURNS)]
    passes = [hits(number, 30) for number in numbers]

    assert 0.27 < sum(passes) / TURNS < 0.33
    assert 0.53 < agreement(passes) < 0.63  # 0.7 * 0.7 + 0.3 * 0.3 = 0.58


def test_without_the_finalizer_they_would_not_be():
    passes = [fnv1a32(f"book.7\x1f\x1fs\x1f{turn}") < 0.3 * 2**32 for turn in range(TURNS)]

    assert agreement(passes) > 0.9


@pytest.mark.parametrize(
    ("number", "percent", "expected"),
    [(0.0, 0, False), (0.0, -1, False), (0.0, 0.01, True), (0.9999, 100, True), (0.5, 50, False), (0.4999, 50, True)],
)
def test_hits(number, percent, expected):
    assert hits(number, percent) is expected


def test_a_draw_depends_on_everything_it_is_for():
    base = ("s", 1, "", "book.7", "group", 1)
    others = [
        ("t", 1, "", "book.7", "group", 1),
        ("s", 2, "", "book.7", "group", 1),
        ("s", 1, "x", "book.7", "group", 1),
        ("s", 1, "", "book.8", "group", 1),
        ("s", 1, "", "book.7", "macro", 1),
        ("s", 1, "", "book.7", "group", 2),
    ]
    numbers = [HashDraw(s, t, salt).number(e, p, i) for s, t, salt, e, p, i in (base, *others)]

    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number < 1 for number in numbers)


def test_the_turn_is_its_number_or_the_number_of_scanned_messages():
    messages = (Message("Max", "a"), Message("Aria", "b"))

    assert draw_for(Turn(messages=messages), 2).turn == 2
    assert draw_for(Turn(messages=messages, number=9, session="s"), 2).turn == 9
    assert draw_for(Turn(messages=messages, number=9, session="s"), 2).session == "s"


def test_given_numbers_are_used_in_order_and_run_out():
    draw = SequenceDraw([0.1, 0.2])

    assert [draw.number("a", "group", 0), draw.number("b", "probability", 0)] == [0.1, 0.2]
    assert draw.used == [0.1, 0.2]
    with pytest.raises(StopIteration):
        draw.number("c", "macro", 0)


def test_a_swipe_draws_as_the_reply_it_replaces():
    """A swipe's messages end with the reply that is thrown away; hidden messages count nowhere."""
    book = Book("b", tuple(Entry(uid=n, keys=("go",), content=str(n), position=0, probability=50) for n in range(30)))
    tools = make_tools()
    lore = load_lore([ActiveBook(book)], tools)
    asked = (Message("Max", "go"), Message("", "a note", hidden=True))
    first = assemble(Turn(messages=asked), lore, State(), tools)
    swipe = assemble(Turn(messages=(*asked, Message("Aria", "x")), trigger="swipe"), lore, State(), tools)
    later = assemble(Turn(messages=(*asked, Message("Aria", "x"), Message("Max", "go"))), lore, State(), tools)

    ids = [[item.entry.id for item in assembly.activated] for assembly in (first, swipe, later)]

    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("fields", "salt", "turn"),
    [
        ({}, "", 7),
        ({"seed_salt": "v2"}, "v2", 7),
        ({"channel": "message"}, "", 7),
        ({"channel": "system", "constant": True}, "", "session"),
        ({"channel": "system", "constant": True, "seed_salt": "v2"}, "v2", "session"),
        ({"channel": "system"}, "", 7),
        ({"channel": "system", "cache_unsafe": True}, "", "session"),
        ({"channel": "nowhere", "constant": True}, "", 7),
    ],
)
def test_an_entry_of_a_book_draws_with_its_salt_and_channel(fields, salt, turn):
    """The same as in a rules file: an entry that is rerouted draws as what it becomes."""
    for chance in range(5, 100, 5):
        entry = Entry(uid=1, keys=("mill",), content="x", probability=chance, **fields)
        lore = load_lore([ActiveBook(Book("b", (entry,)))], TOOLS)
        asked = Turn(messages=(Message("Max", "the mill"),), session="s", number=7)
        active = bool(assemble(asked, lore, State(), TOOLS).activated)

        assert active is hits(HashDraw("s", turn, salt).number("b.1", "probability", 0), chance)
