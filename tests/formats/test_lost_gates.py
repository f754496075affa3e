"""A gate that a format has no place for is never lost silently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.gates import Flag, Gate, gates_before
from lorewright.core.model import ABSENT, Book, Entry, Folder, Odd
from lorewright.formats.lost_gates import GATE_LOST
from lorewright.formats.read import read_book
from lorewright.formats.write import WRITERS, convert

GATE = Gate((Flag("known"),))
OTHER = Gate((Flag("told"),))
FORMATS = sorted(set(WRITERS) - {"bundle"})
ENTRY = Entry(uid=1, title="Bell", keys=("bell",), content="The bell is hollow.")
BOOKS = {
    "entry": Book("Isles", (Entry(uid=1, keys=("bell",), content="The bell is hollow.", gate=GATE),)),
    "odd": Book("Isles", (Entry(uid=1, keys=("bell",), content="The bell is hollow.", gate=Odd("later")),)),
    "folder": Book(
        "Isles",
        (Entry(uid=1, keys=("bell",), content="The bell is hollow.", folder="f"),),
        folders=(Folder("f", GATE),),
    ),
    "book": Book("Isles", (ENTRY,), gate=GATE),
}


def is_told(book, made):
    """Whether some gate is missing in what is read again."""
    read = read_book(made.data, "Isles").value
    closed = [{gate for gate in gates_before(e, book) if isinstance(gate, Gate)} for e in book.entries]
    again = [{gate for gate in gates_before(e, read) if isinstance(gate, Gate)} for e in read.entries]
    return any(gates - (again[min(at, len(again) - 1)] if again else set()) for at, gates in enumerate(closed))


def codes(made):
    return [(report.code, report.level) for report in made.losses if report.code == GATE_LOST]


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("where", ["entry", "folder", "book"])
def test_either_the_gate_is_there_or_it_is_said(to, where):
    made = convert(BOOKS[where], to)

    assert codes(made) == ([(GATE_LOST, "error")] if is_told(BOOKS[where], made) else [])
    assert [report.field for report in made.losses].count("gate") <= 1


@pytest.mark.parametrize("to", ["novelai_lorebook", "agnai_book", "kobold_story", "risu_lorebook", "agent_rules"])
@pytest.mark.parametrize("where", list(BOOKS))
def test_formats_without_a_place_for_gates(to, where):
    assert codes(convert(BOOKS[where], to)) == [(GATE_LOST, "error")]


@pytest.mark.parametrize("to", ["native_yaml", "st_worldinfo", "character_book", "card_v3"])
@pytest.mark.parametrize("where", list(BOOKS))
def test_formats_with_a_place_for_gates(to, where):
    assert codes(convert(BOOKS[where], to)) == []


gates = st.sampled_from([ABSENT, GATE, OTHER])


@given(st.lists(st.tuples(gates, st.sampled_from(["", "f", "g"])), min_size=1, max_size=5), gates, gates)
def test_any_mixture(entries, of_folder, of_book):
    book = Book(
        "Isles",
        tuple(
            Entry(
                uid=uid, title=f"T{uid}", keys=(f"k{uid}",), content=f"Text {uid}.", gate=gate, folder=folder or ABSENT
            )
            for uid, (gate, folder) in enumerate(entries)
        ),
        gate=of_book,
        folders=(Folder("f", of_folder), Folder("g")),
    )
    for to in ("entry_list", "janitor_lorebook", "st_worldinfo", "novelai_lorebook"):
        made = convert(book, to)
        assert bool(codes(made)) is is_told(book, made)
