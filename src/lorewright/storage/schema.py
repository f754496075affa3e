"""The tables of a ledger file, and how an older file becomes a newer one.

The statements are plain SQL: but for `BLOB` (`BYTEA` there) they are those of a PostgreSQL store.

event: one row for each event of a stream, never changed; `hash` covers the one before, and the body as it is unpacked.
head: the last event of each stream.
text: what events refer to, each text once; `commitment` is SHA-256(salt + text), `hash` finds a text that is there
already. Erasing a text sets all but its commitment to null. packing: 0 as it is, 1 zlib.
node: where the nodes of the conversations are found: the text that holds them, and the place in it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["APPLICATION_ID", "MIGRATIONS", "VERSION"]

APPLICATION_ID: Final = 0x4C6F7265
"""`Lore`, in the header of the file."""

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "CREATE TABLE schema_version (version INTEGER NOT NULL)",
        "INSERT INTO schema_version (version) VALUES (0)",
        (
            "CREATE TABLE event (stream TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, "
            "packing INTEGER NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (stream, number))"
        ),
        "CREATE INDEX event_by_kind ON event (stream, kind, number)",
        "CREATE TABLE head (stream TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL)",
        (
            "CREATE TABLE text (commitment BLOB NOT NULL PRIMARY KEY, hash BLOB UNIQUE, salt BLOB, packing INTEGER, "
            "data BLOB)"
        ),
        (
            "CREATE TABLE node (stream TEXT NOT NULL, node_key BLOB NOT NULL, parent BLOB NOT NULL, digest BLOB NOT NULL, "
            "number INTEGER NOT NULL, holder BLOB NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (stream, node_key))"
        ),
        "CREATE INDEX node_by_parent ON node (stream, parent, digest)",
        "CREATE INDEX node_by_digest ON node (stream, digest)",
    ),
)
"""What makes version 1 of nothing, version 2 of version 1, and so on."""
VERSION: Final = len(MIGRATIONS)
