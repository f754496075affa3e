"""A byte that is changed anywhere is found, and the event that says so is named."""

import sqlite3
from collections import deque

import pytest

from lorewright.errors import LedgerError
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from lorewright.storage.image import find_refs
from lorewright.storage.sqlite import Store
from tests.ledger.world import chat

COLUMNS = {
    "event": ("body", "packing", "hash", "kind"),
    "text": ("commitment", "hash", "salt", "packing", "data"),
    "head": ("hash", "number"),
    "node": ("node_key", "parent", "digest", "holder", "place"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a ledger file."""
    path = tmp_path_factory.mktemp("ledger") / "a"
    with chat(path, 4).ledger as ledger:
        assert ledger.store.sweep()
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, whole):
    found = tmp_path / "a"
    found.write_bytes(whole)
    return found


def check(path):
    with open_ledger(path, create=False) as ledger:
        return verify(ledger.store)


def change(path, statement, *values):
    db = sqlite3.connect(path)
    with db:
        db.execute(statement, values)
    db.close()


def rows(path, table, *columns):
    db = sqlite3.connect(path)
    found = db.execute(f"SELECT rowid, {', '.join(columns)} FROM {table}").fetchall()
    db.close()
    return found


def flipped(value, place):
    if isinstance(value, int):
        return value + 1
    data = bytearray(value.encode() if isinstance(value, str) else value)
    data[place % len(data)] ^= 1
    return data.decode() if isinstance(value, str) else bytes(data)


def test_an_untouched_ledger_is_whole(path):
    found = check(path)

    assert found.problems == ()
    assert found.events == 1 + 1 + 1 + 4 + 4  # session, book, policy, turns, replies
    assert found.erased == 0
    assert found.heads["main"][0] == found.events


@pytest.mark.parametrize(("table", "column"), [(t, column) for t, columns in COLUMNS.items() for column in columns])
def test_a_changed_byte_is_found(path, whole, table, column):
    values = rows(path, table, column)
    for number, (row, value) in enumerate(values):
        if not value and value != 0:
            continue  # the parent of a first node
        path.write_bytes(whole)
        change(path, f"UPDATE {table} SET {column} = ? WHERE rowid = ?", flipped(value, number * 7), row)

        assert check(path).problems, f"{table} {row}"


@pytest.mark.parametrize("column", ["body", "packing", "hash", "kind"])
def test_the_changed_event_is_named(path, whole, column):
    for row, number, value in rows(path, "event", "number", column):
        path.write_bytes(whole)
        change(path, f"UPDATE event SET {column} = ? WHERE rowid = ?", flipped(value, 20), row)

        assert check(path).problems[0].event == number


def test_the_event_of_a_changed_text_is_named(path, whole):
    with open_ledger(path) as ledger:
        first = {}
        for row in ledger.store.events("main"):
            waiting = deque(find_refs(row.body))
            while waiting:
                name = waiting.popleft()
                if name not in first:
                    first[name] = row.number
                    waiting += find_refs(ledger.store.text(name) or b"")
    for row, commitment, data in rows(path, "text", "commitment", "data"):
        path.write_bytes(whole)
        change(path, "UPDATE text SET data = ? WHERE rowid = ?", flipped(data, 5), row)
        problem = check(path).problems[0]

        assert problem.event == first[commitment.hex()]
        assert commitment.hex() in problem.message


@pytest.mark.parametrize(
    ("statement", "event", "words"),
    [
        ("DELETE FROM event WHERE number = 5", 6, "is missing: event 5"),
        ("DELETE FROM event WHERE number IN (5, 6)", 7, "is missing: event 5 to 6"),
        ("DELETE FROM event WHERE number = 11", 10, "says event 11 is the last"),
        ("DELETE FROM head", 11, "has no entry"),
        ("UPDATE event SET number = number + 100 WHERE number = 5", 6, "is missing"),
        ("DELETE FROM node WHERE number = 1", 4, "table of nodes"),
        ("UPDATE node SET number = 99 WHERE number = 2", None, "order"),
        ("UPDATE text SET hash = NULL, salt = NULL, packing = NULL, data = NULL", None, "is erased, but no event"),
        ("UPDATE text SET salt = NULL", 2, "erased in part"),
        ("INSERT INTO text (commitment) VALUES (x'00')", None, "no event"),
        ("UPDATE event SET body = x'7b7d'", 1, "is not what was recorded"),
        ("UPDATE event SET body = CAST(body AS TEXT) WHERE number = 4", 4, "is not what was recorded"),
        ("UPDATE event SET hash = 7 WHERE number = 4", 4, "is not what was recorded"),
    ],
)
def test_rows_that_went_or_came_are_found(path, statement, event, words):
    change(path, statement)
    problems = check(path).problems

    found = [problem for problem in problems if words in problem.message]
    assert found, problems
    assert found[0].event == event


def dump(path):
    """All that is stored, as values."""
    with open_ledger(path, create=False) as ledger:
        store: Store = ledger.store
        return (
            list(store.events("main")),
            [(row.commitment, row.hash, row.salt, store.text(row.commitment)) for row in store.texts()],
            store.all_nodes("main"),
            store.head("main"),
        )


def test_a_flipped_bit_of_the_file_is_found_or_means_nothing(path, whole):
    before = dump(path)
    step = max(1, len(whole) // 150)
    missed = 0
    for place in range(100, len(whole), step):
        data = bytearray(whole)
        data[place] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            problems = check(path).problems
        except LedgerError:
            continue
        if not problems:
            missed += 1
            assert dump(path) == before, place
    assert missed < 150


def said(path):
    """What is wrong, or why it is no ledger."""
    try:
        return check(path).problems
    except LedgerError as error:
        return error.message


def test_bytes_in_the_schema_that_are_no_text_are_said(path):
    data = path.read_bytes()
    for place in (data.index(b"CREATE TABLE text") + 3, data.index(b"node_by_digest") + 1):
        path.write_bytes(data[:place] + b"\xd4" + data[place + 1 :])
        assert said(path)
