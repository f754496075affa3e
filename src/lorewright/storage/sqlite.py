"""A ledger file: events that are only appended, texts that are stored once, nodes of conversations.

SQLite in WAL mode. What `transaction` has committed survives a kill of the process at any moment; with `full` also a
loss of power, at the price of a wait for the disk in each turn.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Self

from lorewright.errors import LedgerError
from lorewright.storage.file_access import Place, make_ready
from lorewright.storage.hash_chain import GENESIS, commit, link
from lorewright.storage.packing import pack, unpack
from lorewright.storage.rows import EventRow, NodeRow, TextRow, read_event
from lorewright.storage.schema import APPLICATION_ID, MIGRATIONS, VERSION

__all__ = ["EventRow", "NodeRow", "Store", "TextRow", "open_store"]

_SALT_BYTES: Final = 16
_MOST_ERASURES: Final = 2**31 - 2
"""Behind that the count begins anew."""
_WAIT_SECONDS: Final = 10
_RETRY_SECONDS: Final = 0.005
_ERRORS: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""The second: a message that quotes damaged bytes."""
_EVENT: Final = "SELECT number, kind, packing, body, hash FROM event WHERE stream = ?"
_STREAMS: Final = (
    "WITH RECURSIVE found (name) AS (SELECT MIN(stream) FROM event UNION ALL "
    "SELECT (SELECT MIN(stream) FROM event WHERE stream > name) FROM found WHERE name IS NOT NULL) "
    "SELECT name FROM found WHERE name IS NOT NULL UNION SELECT stream FROM head ORDER BY 1"
)
"""From name to name, so that not every event is looked at."""
_HIGHEST: Final = 2**62
_NODE: Final = "SELECT node_key, parent, digest, number, holder, place FROM node WHERE stream = ? AND "


class Store:
    """One open file. Several processes may each open it."""

    def __init__(self, path: str, connection: sqlite3.Connection, place: Place) -> None:
        self.path = path
        self._place = place
        self._db = connection
        self._changes = 0
        self._heads: dict[str, tuple[int, bytes]] = {}
        """Heads that this transaction has moved; they are written with its end."""

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. When it ends without an error, what was written is there to stay.

        Raises:
            LedgerError: the file cannot be written, such as for want of room, or is no longer in its place.
        """
        self._place.check()
        self._heads.clear()
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._write_heads()
            self._run("COMMIT")
        except BaseException:
            self._changes += 1
            self._heads.clear()
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def revision(self) -> tuple[int, int]:
        """Changes when what was read before may not be there any more: another connection has written, a transaction
        was undone, or texts were erased. Whoever keeps something beside the file looks at it."""
        return self._one("PRAGMA data_version")[0], self._changes

    def erasures(self) -> int:
        """How often texts were erased, by anybody. Until it changes, every text that was there is there."""
        return int(self._one("PRAGMA user_version")[0])

    # -- events ------------------------------------------------------------------------------------------------------

    def append(self, stream: str, kind: str, body: bytes) -> EventRow:
        """Put an event behind the last one. Only inside of a `transaction`."""
        last = self.head(stream)
        number, before = (last[0] + 1, last[1]) if last else (1, GENESIS)
        found = EventRow(number, kind, body, link(before, stream, number, kind, body))
        self._run(
            "INSERT INTO event (stream, number, kind, packing, body, hash) VALUES (?, ?, ?, ?, ?, ?)",
            *(_name(stream), number, kind, *pack(body), found.hash),
        )
        self._heads[stream] = number, found.hash
        return found

    def head(self, stream: str) -> tuple[int, bytes] | None:
        """Number and hash of the last event."""
        if stream in self._heads:
            return self._heads[stream]
        found = self._rows("SELECT number, hash FROM head WHERE stream = ?", _name(stream))
        return (found[0][0], found[0][1]) if found else None

    def _write_heads(self) -> None:
        for stream, (number, hashed) in self._heads.items():
            self._run(
                "INSERT INTO head (stream, number, hash) VALUES (?, ?, ?) "
                "ON CONFLICT (stream) DO UPDATE SET number = excluded.number, hash = excluded.hash",
                *(_name(stream), number, hashed),
            )
        self._heads.clear()

    def streams(self) -> list[str]:
        """The names of all streams that have events or a head, sorted."""
        rows = self._rows(_STREAMS)
        return [str(row[0]) for row in rows]

    def events(self, stream: str, first: int = 1) -> Iterator[EventRow]:
        """The events from a number on, in order."""
        with _about(self.path):
            for row in self._db.execute(f"{_EVENT} AND number >= ? ORDER BY number", (_name(stream), first)):
                yield read_event(row)

    def event(self, stream: str, number: int) -> EventRow | None:
        rows = self._rows(f"{_EVENT} AND number = ?", _name(stream), number)
        return read_event(rows[0]) if rows else None

    def events_of(self, stream: str, kind: str, first: int = 1) -> Iterator[EventRow]:
        """The events of one kind from a number on, in order."""
        query = f"{_EVENT} AND kind = ? AND number >= ? ORDER BY number"
        with _about(self.path):
            for row in self._db.execute(query, (_name(stream), kind, first)):
                yield read_event(row)

    def event_of(self, stream: str, kind: str, place: int) -> EventRow | None:
        """The event at a place, from 1, among those of one kind."""
        if place < 1:
            return None
        query = f"{_EVENT} AND kind = ? ORDER BY number LIMIT 1 OFFSET ?"
        rows = self._rows(query, _name(stream), kind, place - 1)
        return read_event(rows[0]) if rows else None

    def last_event_of(self, stream: str, kind: str, before: int | None = None) -> EventRow | None:
        """The last event of one kind; with `before` the last one of a lower number."""
        query = f"{_EVENT} AND kind = ? AND number < ? ORDER BY number DESC LIMIT 1"
        rows = self._rows(query, _name(stream), kind, _HIGHEST if before is None else before)
        return read_event(rows[0]) if rows else None

    def count(self, stream: str, kind: str) -> int:
        """How many events of one kind there are."""
        query = "SELECT COUNT(*) FROM event WHERE stream = ? AND kind = ?"
        return int(self._one(query, _name(stream), kind)[0])

    # -- texts -------------------------------------------------------------------------------------------------------

    def put_text(self, data: bytes) -> str:
        """Store a text unless it is there, and give its commitment. Only inside of a `transaction`."""
        digest = hashlib.sha256(data).digest()
        if known := self._rows("SELECT commitment FROM text WHERE hash = ?", digest):
            return bytes(known[0][0]).hex()
        salt = secrets.token_bytes(_SALT_BYTES)
        made = commit(salt, data)
        self._run(
            "INSERT INTO text (commitment, hash, salt, packing, data) VALUES (?, ?, ?, ?, ?)",
            *(made, digest, salt, *pack(data)),
        )
        return made.hex()

    def text(self, commitment: str) -> bytes | None:
        """A text; None if it was erased.

        Raises:
            LedgerError: there never was one, or its bytes are damaged.
        """
        rows = self._rows("SELECT packing, data FROM text WHERE commitment = ?", bytes.fromhex(commitment))
        if not rows:
            raise LedgerError(f"{self.path}: there is no text {commitment}.", text=commitment)
        return unpack(rows[0][0], rows[0][1], commitment)

    def is_erased(self, commitment: str) -> bool:
        """Whether a text was erased.

        Raises:
            LedgerError: there never was one.
        """
        rows = self._rows("SELECT data IS NULL FROM text WHERE commitment = ?", bytes.fromhex(commitment))
        if not rows:
            raise LedgerError(f"{self.path}: there is no text {commitment}.", text=commitment)
        return bool(rows[0][0])

    def texts(self) -> Iterator[TextRow]:
        """All texts, as they are stored."""
        with _about(self.path):
            for row in self._db.execute("SELECT commitment, hash, salt, packing, data FROM text ORDER BY commitment"):
                yield TextRow(bytes(row[0]).hex(), *row[1:])

    def erase(self, commitments: Iterable[str]) -> None:
        """Forget texts, their salts and hashes. Only inside of a `transaction`."""
        self._changes += 1
        self._run(f"PRAGMA user_version = {self.erasures() % _MOST_ERASURES + 1}")
        for commitment in map(bytes.fromhex, commitments):
            self._run(
                "UPDATE text SET hash = NULL, salt = NULL, packing = NULL, data = NULL WHERE commitment = ?", commitment
            )

    def sweep(self) -> bool:
        """Write what is in the log into the file and empty the log, so that nothing of an erased text stays in it.

        False: another process is reading; call it again later.
        """
        return bool(self._one("PRAGMA wal_checkpoint(TRUNCATE)")[0] == 0)

    # -- nodes -------------------------------------------------------------------------------------------------------

    def put_node(self, stream: str, node: NodeRow) -> None:
        """Say where a node is now. Only inside of a `transaction`."""
        hexes = (node.key, node.parent, node.digest, node.holder)
        key, parent, digest, holder = (bytes.fromhex(text) for text in hexes)
        self._run(
            "INSERT INTO node (stream, node_key, parent, digest, number, holder, place) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (stream, node_key) DO UPDATE SET number = excluded.number, holder = excluded.holder, "
            "place = excluded.place",
            *(_name(stream), key, parent, digest, node.number, holder, node.place),
        )

    def drop_node(self, stream: str, key: str) -> None:
        """Forget where a node is. Only inside of a `transaction`."""
        self._run("DELETE FROM node WHERE stream = ? AND node_key = ?", _name(stream), bytes.fromhex(key))

    def drop_nodes(self, stream: str) -> None:
        """Forget where the nodes of a stream are. Only inside of a `transaction`."""
        self._run("DELETE FROM node WHERE stream = ?", _name(stream))

    def node(self, stream: str, key: str) -> NodeRow | None:
        return next(iter(self._nodes("node_key = ?", stream, key)), None)

    def nodes_below(self, stream: str, parent: str, digest: str) -> list[NodeRow]:
        """The versions of a child, newest first."""
        return self._nodes("parent = ? AND digest = ? ORDER BY number DESC", stream, parent, digest)

    def nodes_with(self, stream: str, digest: str) -> list[NodeRow]:
        """All nodes with a digest, newest first."""
        return self._nodes("digest = ? ORDER BY number DESC", stream, digest)

    def has_children(self, stream: str, key: str) -> bool:
        query = "SELECT 1 FROM node WHERE stream = ? AND parent = ? LIMIT 1"
        return bool(self._rows(query, _name(stream), bytes.fromhex(key)))

    def all_nodes(self, stream: str) -> list[NodeRow]:
        """In the order in which they came first."""
        return self._nodes("1 = 1 ORDER BY number", stream)

    def last_node(self, stream: str) -> int:
        """The highest number of a node."""
        return int(self._one("SELECT COALESCE(MAX(number), 0) FROM node WHERE stream = ?", _name(stream))[0])

    def _nodes(self, condition: str, stream: str, *hexes: str) -> list[NodeRow]:
        rows = self._rows(_NODE + condition, _name(stream), *(bytes.fromhex(text) for text in hexes))
        return [NodeRow(k.hex(), p.hex(), d.hex(), n, h.hex(), place) for k, p, d, n, h, place in rows]

    # -- the file ----------------------------------------------------------------------------------------------------

    def check_file(self) -> list[str]:
        """What SQLite itself finds wrong with its file."""
        try:
            rows = self._db.execute("PRAGMA integrity_check").fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            return [str(error)]
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def _run(self, statement: str, *values: object) -> None:
        try:
            self._db.execute(statement, values)
        except _ERRORS as error:
            raise _failure(self.path, error) from error

    def _rows(self, query: str, *values: object) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except _ERRORS as error:
            raise _failure(self.path, error) from error

    def _one(self, query: str, *values: object) -> Any:
        return self._rows(query, *values)[0]


def open_store(path: str | Path, *, full: bool = False, create: bool = True, shared: bool = False) -> Store:
    """Open a ledger file, or make it (readable by its owner only). An older one is brought up to date. `shared`: several
    threads use it, one at a time; the caller sees to that.

    Raises:
        LedgerError: it is no ledger, a newer version wrote it, it is damaged, or it cannot be made.
    """
    name = str(path)
    if not create and not Path(path).is_file():
        raise LedgerError(f"{name}: there is no such ledger. `lorewright weave … --ledger FILE` makes one.", path=name)
    with _about(name):
        make_ready(path, name, create=create)
        db = sqlite3.connect(
            path,
            timeout=_WAIT_SECONDS,
            isolation_level=None,
            cached_statements=256,
            check_same_thread=not shared,
        )
        try:
            _prepare(name, db, full=full)
        except BaseException:
            db.close()
            raise
    return Store(name, db, Place(path, name))


def _prepare(name: str, db: sqlite3.Connection, *, full: bool) -> None:
    is_empty = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    mark = db.execute("PRAGMA application_id").fetchone()[0]  # behind that: what is not empty has its mark by now
    if mark != APPLICATION_ID and not is_empty:
        raise LedgerError(f"{name}: this is a database of another program, not a ledger.", path=name)
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")  # damaged text is found, not refused
    _use_log(db)
    db.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA wal_autocheckpoint = 1000")
    db.execute("PRAGMA cache_size = -1000")  # KiB: what a turn reads is kept beside the file
    if _version(db) == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    version = _version(db)
    if version > VERSION:
        db.execute("ROLLBACK")
        raise LedgerError(
            f"{name}: the ledger has version {version}, and this program knows up to {VERSION}. Use a newer one.",
            path=name,
            version=version,
        )
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            db.execute(statement)
    db.execute("UPDATE schema_version SET version = ?", (VERSION,))
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute("COMMIT")


def _use_log(db: sqlite3.Connection) -> None:
    """Switch to the log of writes. SQLite does not wait for others here, as it does everywhere else."""
    until = monotonic() + _WAIT_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > until:
                raise
            sleep(_RETRY_SECONDS)
        else:
            return


def _version(db: sqlite3.Connection) -> int:
    found = db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'schema_version'").fetchone()[0]
    return int(db.execute("SELECT version FROM schema_version").fetchone()[0]) if found else 0


def _name(stream: str) -> str:
    """The name of a stream as SQLite takes it: it has no lone surrogates."""
    return stream.encode("utf-8", "backslashreplace").decode()


@contextmanager
def _about(path: str) -> Iterator[None]:
    try:
        yield
    except _ERRORS as error:
        raise _failure(path, error) from error


def _failure(path: str, error: Exception) -> LedgerError:
    return LedgerError(f"{path}: {error}. {_advice(error)}", path=path)


def _advice(error: Exception) -> str:
    text = str(error)
    if "locked" in text or "busy" in text:
        return "Another process is writing to it; try again."
    if "not a database" in text:
        return "Name a file that `--ledger` has written, or one that does not exist yet."
    if "full" in text:
        return "Make room on the disk."
    return "`lorewright ledger verify` says what can still be read."
