"""A ledger file keeps what it was given, all or nothing, and takes no other file for one."""

import hashlib
import os
import sqlite3
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import LedgerError
from lorewright.storage.hash_chain import GENESIS, link
from lorewright.storage.schema import APPLICATION_ID, VERSION
from lorewright.storage.sqlite import NodeRow, open_store


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "a.ledger") as found:
        yield found


def test_events_are_numbered_and_linked(store):
    with store.transaction():
        first = store.append("main", "A", b"1")
        second = store.append("main", "B", b"2")
        other = store.append("side", "A", b"3")

    assert (first.number, second.number, other.number) == (1, 2, 1)
    # By hand: SHA-256 over the hash before and the length-prefixed parts.
    start = hashlib.sha256(b"lorewright ledger 1").digest()
    expected = hashlib.sha256(start + b"4:main" + b"1:1" + b"1:A" + b"1:1").digest()
    assert first.hash == expected
    assert second.hash == hashlib.sha256(expected + b"4:main" + b"1:2" + b"1:B" + b"1:2").digest()
    assert store.head("main") == (2, second.hash)
    assert list(store.events("main")) == [first, second]
    assert store.event("main", 2) == second
    assert store.event("main", 3) is None
    assert store.last_event_of("main", "A") == first
    assert store.event_of("main", "B", 1) == second
    assert store.streams() == ["main", "side"]


@given(st.lists(st.tuples(st.text("ab:1", max_size=3), st.binary(max_size=3)), min_size=2, max_size=2, unique=True))
def test_no_two_events_have_one_hash(pair):
    (kind, body), (other_kind, other_body) = pair

    assert link(GENESIS, "m", 1, kind, body) != link(GENESIS, "m", 1, other_kind, other_body)


def test_a_text_is_stored_once(store):
    with store.transaction():
        one = store.put_text(b"hello")
        again = store.put_text(b"hello")
        long = store.put_text(b"hello " * 1000)

    assert one == again
    assert store.text(one) == b"hello"
    assert store.text(long) == b"hello " * 1000
    rows = {row.commitment: row for row in store.texts()}
    assert len(rows) == 2
    assert len(rows[long].data) < 200
    assert hashlib.sha256(rows[one].salt + b"hello").hexdigest() == one


def test_equal_texts_of_two_files_have_other_commitments(tmp_path):
    found = set()
    for name in ("a", "b"):
        with open_store(tmp_path / name) as store, store.transaction():
            found.add(store.put_text(b"yes"))

    assert len(found) == 2


def test_a_transaction_is_all_or_nothing(store):
    before = store.revision()
    store._run("BEGIN")
    store.append("main", "A", b"1")
    name = store.put_text(b"x")
    store._run("ROLLBACK")

    def fail():
        with store.transaction():
            store.append("main", "A", b"1")
            assert store.put_text(b"x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert store.head("main") is None
    assert store.revision() != before
    with pytest.raises(LedgerError, match="no text"):
        store.text(name)


def test_an_erased_text_is_gone_from_the_files(tmp_path):
    path = tmp_path / "a.ledger"
    long = ("a rather secret sentence, " * 2).encode()
    with open_store(path) as store:
        with store.transaction():
            name = store.put_text(long)
            salt = next(iter(store.texts())).salt
        with store.transaction():
            store.erase([name])
        assert store.text(name) is None
        assert store.sweep()
        for file in tmp_path.iterdir():
            data = file.read_bytes()
            assert b"secret" not in data
            assert salt not in data
            assert hashlib.sha256(long).digest() not in data
        with store.transaction():
            assert store.put_text(long) != name


def test_nodes_are_found_newest_first(store):
    def row(key, parent, digest, number):
        return NodeRow(key * 32, parent, digest * 32, number, "cc" * 32, 2)

    with store.transaction():
        store.put_node("main", row("a", "", "1", 1))
        store.put_node("main", row("b", "a" * 32, "2", 2))
        store.put_node("main", row("c", "a" * 32, "2", 3))
        store.put_node("other", row("d", "a" * 32, "2", 1))

    assert [node.key[0] for node in store.nodes_below("main", "a" * 32, "2" * 32)] == ["c", "b"]
    assert [node.key[0] for node in store.nodes_with("main", "2" * 32)] == ["c", "b"]
    assert [node.key[0] for node in store.nodes_below("main", "", "1" * 32)] == ["a"]
    assert store.has_children("main", "a" * 32)
    assert not store.has_children("main", "c" * 32)
    assert store.last_node("main") == 3
    assert store.node("main", "d" * 32) is None


def test_two_writers_take_turns(tmp_path):
    path = tmp_path / "a.ledger"
    with open_store(path) as one, open_store(path) as other:
        revision = one.revision()
        for store in (one, other, one):
            with store.transaction():
                store.append("main", "A", b"x")
        assert one.revision() != revision
        assert [row.number for row in one.events("main")] == [1, 2, 3]


def test_a_stream_may_have_any_name(store):
    with store.transaction():
        store.append("\ud83d'; DROP TABLE event; --", "A", b"")

    assert store.head("\ud83d'; DROP TABLE event; --") is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_owner_may_read_it(tmp_path):
    old = os.umask(0)
    try:
        with open_store(tmp_path / "a.ledger") as store, store.transaction():
            store.append("main", "A", b"")
            modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    finally:
        os.umask(old)

    assert modes == {0o600}


def test_durability_is_chosen(tmp_path):
    for name, full, level in (("a", False, 1), ("b", True, 2)):
        with open_store(tmp_path / name, full=full) as store:
            assert store._one("PRAGMA synchronous") == (level,)
            assert store._one("PRAGMA journal_mode") == ("wal",)


def write_text(path):
    path.write_text("Dear diary, this is no database. " * 40, "utf-8")


def write_database(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE notes (text)")
    db.close()


def write_newer(path):
    open_store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE schema_version SET version = 99")
    db.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (write_text, "not a database.*Name a file that `--ledger` has written"),
        (write_database, "database of another program"),
        (write_newer, f"version 99, and this program knows up to {VERSION}"),
        (lambda path: path.mkdir(), "cannot be opened for writing: Is a directory"),
    ],
)
def test_what_is_no_ledger_is_refused(tmp_path, make, message):
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes() if path.is_file() else None

    with pytest.raises(LedgerError, match=message):
        open_store(path)
    assert before is None or path.read_bytes() == before or make is write_newer


def test_a_missing_file_is_not_made_to_be_read(tmp_path):
    with pytest.raises(LedgerError, match="there is no such ledger"):
        open_store(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(LedgerError, match="cannot be opened for writing: No such file"):
        open_store(tmp_path / "no" / "a.ledger")


def test_an_empty_file_becomes_a_ledger(tmp_path):
    path = tmp_path / "a.ledger"
    path.touch()
    with open_store(path) as store:
        assert store._one("PRAGMA application_id") == (APPLICATION_ID,)
        assert store.check_file() == []


def test_an_interrupted_beginning_is_finished(tmp_path):
    """The tables are made in one transaction: a file whose writer was killed before is still empty."""
    path = tmp_path / "a.ledger"
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.close()

    with open_store(path) as store, store.transaction():
        assert store.append("main", "A", b"").number == 1


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path):
    """Each finds it empty, or made by another one, and none is told that it is locked or somebody else's."""

    def open_and_close(path):
        open_store(path).close()

    with ThreadPoolExecutor(8) as threads:
        for number in range(20):
            path = tmp_path / f"{number}.ledger"
            for opened in [threads.submit(open_and_close, path) for _ in range(8)]:
                opened.result()
