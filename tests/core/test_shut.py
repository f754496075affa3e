"""What keeps an entry closed, in words for its author."""

import pytest

from lorewright.core.gates import Counted, Flag, Gate, Knowledge, KnownBy, Progress, Reveal
from lorewright.core.model import Book, Character, Entry, Folder, Odd
from lorewright.core.shut import find_shut

NOBODY = Knowledge()


def because(gate, known=NOBODY):
    (shut,) = find_shut(Entry(uid=0, gate=gate), Book("isles", ()), known)
    return shut.because


@pytest.mark.parametrize(
    ("condition", "known", "words"),
    [
        (Reveal("Isles", 3), NOBODY, "chapter 3 of `Isles` is not opened (nobody says how far the reader is)"),
        (
            Reveal("Isles", 3),
            Knowledge((Progress("Isles", 1),)),
            "chapter 3 of `Isles` is not opened (the reader has opened 2)",
        ),
        (
            Reveal("Isles", 3, after=True),
            Knowledge((Progress("Isles", 2), Progress("Other", 9))),
            "chapter 3 of `Isles` is not finished (the reader has opened 3)",
        ),
        (
            Reveal("Moon", 3),
            Knowledge((Progress("moon", 8),)),
            "chapter 3 of `Moon` is not opened (it is said of `moon` how far the reader is, which is not the same name)",
        ),
        (Flag("met"), NOBODY, "the variable `met` is not true"),
        (Counted("gold", 3), NOBODY, "the variable `gold` is no number of at least 3"),
        (Counted("gold", 10**400), NOBODY, "the variable `gold` is no number of at least Infinity"),
        (KnownBy(("Maren", "Ana")), NOBODY, "none of these is speaking: Maren, Ana; nobody is"),
        (KnownBy(("Maren",)), Knowledge(speaker="Ana"), "none of these is speaking: Maren; `Ana` is"),
    ],
)
def test_a_condition_that_does_not_hold(condition, known, words):
    assert because(Gate((condition,)), known) == (words,)


def test_only_what_does_not_hold_is_named():
    known = Knowledge(variables={"met": True})

    assert because(Gate((Flag("met"), Flag("paid"), Flag("left"))), known) == (
        "the variable `paid` is not true",
        "the variable `left` is not true",
    )


def test_a_gate_that_is_none():
    assert because(Odd("later")) == ("it cannot be read",)
    assert because(Gate(())) == ("it has no condition",)


def test_every_closed_gate_on_the_way_and_no_open_one():
    shut = Gate((Flag("a"),))
    book = Book("isles", (), gate=shut, folders=(Folder("secrets", shut), Folder("plain", Gate((Flag("b"),)))))
    entry = Entry(uid=0, folder="secrets", gate=shut)
    known = Knowledge(variables={"b": True})
    found = find_shut(entry, book, known, Character(name="Aria", gate=shut))

    assert [(gate.owner, gate.name) for gate in found] == [
        ("book", "isles"),
        ("entry", ""),
        ("folder", "secrets"),
        ("character", "Aria"),
    ]
    assert [gate.sentence.partition(" is closed: ")[0] for gate in found] == [
        "the gate of the book `isles`",
        "its own gate",
        "the gate of the folder `secrets`",
        "the gate of the character `Aria`",
    ]
    assert find_shut(Entry(uid=0, folder="plain"), Book("isles", (), folders=book.folders), known) == ()


def test_a_folder_that_the_book_does_not_list():
    book = Book("isles", (), folders=(Folder("secrets", Gate((Flag("a"),))),))
    (shut,) = find_shut(Entry(uid=0, folder="secrte"), book, NOBODY)

    assert shut.sentence == (
        "the gate of the folder `secrte` is closed: the book does not list it, and has folders with gates"
    )


def test_a_folder_that_cannot_be_told():
    (shut,) = find_shut(Entry(uid=0, folder=Odd(1)), Book("isles", (), folders=(Folder("f"),)), NOBODY)

    assert shut.because == ("which folder it is cannot be read",)
