"""Gates: each condition, and whatever is missing or malformed closes."""

import pytest

from lorewright.core.gates import Counted, Flag, Gate, Knowledge, KnownBy, Progress, Reveal, gates_before, is_open
from lorewright.core.model import ABSENT, Book, Entry, Folder, Odd

ISLES = Reveal("Isles", 3)
AFTER = Reveal("Isles", 3, after=True)


def knows(*progress, speaker=None, **variables):
    return Knowledge(tuple(Progress(*one) for one in progress), speaker, variables)


@pytest.mark.parametrize(
    ("condition", "known", "wanted"),
    [
        (ISLES, knows(("Isles", 1)), False),
        (ISLES, knows(("Isles", 1, True)), False),
        (ISLES, knows(("Isles", 2)), True),
        (ISLES, knows(("Isles", 9)), True),
        (ISLES, knows(), False),
        (ISLES, knows(("Other", 9)), False),
        (ISLES, knows(("isles", 9)), False),
        (ISLES, knows(("Other", 0), ("Isles", 2)), True),
        (ISLES, knows(("Isles", 9), ("Isles", 0)), False),
        (ISLES, knows(("Isles", "9")), False),
        (ISLES, knows(("Isles", None)), False),
        (ISLES, knows(("Isles", True)), False),
        (Reveal("Isles", 1), knows(("Isles", 0)), True),
        (Reveal("Isles", 1), knows(("Isles", -1)), False),
        (Reveal("Isles", 0), knows(("Isles", 5)), False),
        (AFTER, knows(("Isles", 2)), False),
        (AFTER, knows(("Isles", 2, True)), True),
        (AFTER, knows(("Isles", 2, "yes")), False),
        (AFTER, knows(("Isles", 3)), True),
        (Flag("met"), knows(met=True), True),
        (Flag("met"), knows(met=False), False),
        (Flag("met"), knows(met=1), False),
        (Flag("met"), knows(met="true"), False),
        (Flag("met"), knows(), False),
        (Counted("gold", 3), knows(gold=3), True),
        (Counted("gold", 3), knows(gold=2.9), False),
        (Counted("gold", 3), knows(gold="9"), False),
        (Counted("gold", 0), knows(gold=True), False),
        (Counted("gold", 0), knows(gold=float("nan")), False),
        (Counted("gold", 0), knows(), False),
        (KnownBy(("Maren", "Ana")), knows(speaker="Ana"), True),
        (KnownBy(("Maren",)), knows(speaker="Ana"), False),
        (KnownBy(("Maren",)), knows(), False),
    ],
)
def test_conditions(condition, known, wanted):
    assert is_open(Gate((condition,)), known) is wanted


def test_all_conditions_must_hold():
    gate = Gate((Flag("a"), Flag("b")))

    assert is_open(gate, knows(a=True, b=True))
    assert not is_open(gate, knows(a=True))
    assert not is_open(Gate(()), knows())


def test_no_gate_is_open_and_no_gate_at_all_is_closed():
    assert is_open(ABSENT, knows())
    assert is_open(None, knows())
    assert not is_open(Odd("later"), knows())


def test_all_gates_on_the_way():
    a, b, c = Gate((Flag("a"),)), Gate((Flag("b"),)), Gate((Flag("c"),))
    book = Book("x", (), gate=a, folders=(Folder("f", b), Folder("f", c), Folder("open")))

    assert set(gates_before(Entry(uid=0, folder="f"), book)) == {a, ABSENT, b, c}
    assert set(gates_before(Entry(uid=0, folder="open", gate=b), book)) == {a, b, ABSENT}


@pytest.mark.parametrize(
    ("folders", "is_shut"),
    [
        ((Folder("secrets", Gate((Flag("a"),))),), True),
        ((Folder("plain"), Folder("secrets", Odd("later"))), True),
        ((Folder("plain"), Folder("none", None)), False),
        ((), False),
        (None, False),
        (ABSENT, False),
    ],
)
def test_a_misspelt_folder_closes_where_a_gate_could_be_meant(folders, is_shut):
    """Whoever wrote `secrte` for `secrets` wanted its gate; where no folder has a gate, a folder is a name."""
    entry = Entry(uid=0, folder="secrte")
    gates = gates_before(entry, Book("x", (entry,), folders=folders))

    assert all(is_open(gate, knows(a=True)) for gate in gates) is not is_shut


@pytest.mark.parametrize(
    ("folder", "folders"), [("f", Odd("x")), (Odd(1), (Folder("f", Gate((Flag("a"),))),)), (Odd(1), (Folder("f"),))]
)
def test_a_folder_that_cannot_be_told_closes(folder, folders):
    gates = gates_before(Entry(uid=0, folder=folder), Book("x", (), folders=folders))

    assert not all(is_open(gate, knows(a=True)) for gate in gates)
