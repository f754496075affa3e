"""The table `static_knowledge` of an SQLite database as a book; what databases could do besides."""

import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT
from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.read import read_book

COLUMNS = "operator_id TEXT, category TEXT, raw_data TEXT"
ROW = {"key": ["Harbour", "dock"], "comment": "[place]:Harbour", "content": "# Harbour\n\nFog.\r\n", "more": [1]}


def database(*rows, columns=COLUMNS, more=()):
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE static_knowledge ({columns})")
    for row in rows:
        connection.execute(f"INSERT INTO static_knowledge VALUES ({','.join('?' * len(row))})", row)
    for statement in more:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def test_a_row_is_an_entry(tmp_path):
    path = tmp_path / "world.db"
    path.write_bytes(database(("worldset", "worldset/places", json.dumps(ROW)), ("worldset", None, '{"content": "x"}')))

    read = read_book(path)

    entry, silent = read.value.entries
    assert (read.format, read.value.name, read.found, read.kept) == ("static_knowledge", "world", 2, 2)
    assert (entry.keys, entry.title, entry.content) == (("Harbour", "dock"), ROW["comment"], ROW["content"])
    assert (entry.extra["operator_id"], entry.extra["category"]) == ("worldset", "worldset/places")
    assert entry.extra["more"] == [1]
    assert silent.content == "x"
    assert "category" not in silent.extra
    assert "entry_never_activates" in [report.code for report in read.reports]


def test_rows_that_are_no_entries_are_counted():
    read = read_book(
        database(("a", "b", "no JSON"), ("a", "b", "[1]"), ("a", "b", None), ("a", "b", b'{"content": "y"}'))
    )

    assert (read.found, read.kept, read.refused) == (4, 1, 3)
    assert {"bad_value", "entry_not_object"} <= {report.code for report in read.reports}


def test_a_column_and_a_field_of_the_same_name():
    read = read_book(database(("a", "column", '{"category": "field", "operator_id": "a"}')))

    assert read.value.entries[0].extra["category"] == "field"
    assert [report.field for report in read.reports if report.code == "field_conflict"] == ["category"]


def test_other_columns_and_tables_are_named():
    data = database(
        ("a", "b", "{}", 3, "z"),
        columns=COLUMNS + ", level INTEGER, secret TEXT",
        more=["CREATE TABLE knowledge_overlays (stable_id TEXT)", "CREATE TABLE diary (a)"],
    )

    read = read_book(data)

    assert read.value.entries[0].level == 3
    message = next(report.message for report in read.reports if report.code == "table_not_read")
    assert "`secret`" in message
    assert "`diary`" in message
    assert "`knowledge_overlays`" in message  # it says nothing of an operation


def test_level_source_and_authority_go_to_their_fields():
    data = database(
        ("a", "b", '{"content": "x"}', 2, "user_import", "session", 0),
        ("a", "b", '{"content": "y"}', "deep", None, None, 1),
        columns=COLUMNS + ", level, source TEXT, authority TEXT, unverified INTEGER",
    )

    first, second = read_book(data).value.entries

    assert (first.level, first.source, first.authority) == (2, "user_import", "session")
    assert (second.level, second.source, second.authority) == (ABSENT, ABSENT, "unverified")
    assert second.extra["level"] == "deep"


def test_a_database_with_a_log_is_read_and_reported():
    data = bytearray(database(("a", "b", json.dumps(ROW))))
    data[18:20] = b"\x02\x02"

    read = read_book(bytes(data))

    assert read.kept == 1
    assert "sqlite_log_not_read" in [report.code for report in read.reports]


# The columns of seed 002, §1.4.
OVERLAY = (
    "stable_id TEXT PRIMARY KEY, base_id, operator_id TEXT, category TEXT, sub_id TEXT, content TEXT, raw_data TEXT, "
    "level INTEGER, operation TEXT CHECK(operation IN ('upsert','delete')), updated_at"
)
BASE = [
    ("w:harbour", "worldset", "places", json.dumps(ROW)),
    ("w:mill", "worldset", "places", '{"key": ["mill"], "comment": "Mill", "content": "Old."}'),
    ("w:well", "worldset", "places", '{"key": ["well"], "comment": "Well", "content": "Deep."}'),
]


def with_overlays(*overlays, columns=OVERLAY):
    """Three rows and overlays, each given by the columns that it fills."""
    more = [f"CREATE TABLE knowledge_overlays ({columns})"]
    for overlay in overlays:
        values = ", ".join("'" + value.replace("'", "''") + "'" for value in overlay.values())
        more.append(f"INSERT INTO knowledge_overlays ({', '.join(overlay)}) VALUES ({values})")
    return read_book(database(*BASE, columns="stable_id TEXT, " + COLUMNS, more=more))


def ledger(read):
    return (read.found, read.kept, read.merged, read.refused)


def test_an_overlay_changes_its_row():
    raw = '{"key": ["mill", "wheel"], "content": "New."}'

    read = with_overlays({"stable_id": "w:mill", "raw_data": raw, "category": "ruins", "operation": "upsert"})

    mill = read.value.entries[1]
    assert (mill.keys, mill.title, mill.content) == (("mill", "wheel"), "Mill", "New.")
    assert (mill.extra["category"], mill.extra["stable_id"]) == ("ruins", "w:mill")
    assert [entry.title for entry in read.value.entries] == [ROW["comment"], "Mill", "Well"]
    assert ledger(read) == (4, 3, 1, 0)
    assert [(report.entry, report.level) for report in read.reports if report.code == "overlay_applied"] == [
        ("2", "info")
    ]


def test_the_text_alone_may_be_changed():
    read = with_overlays({"stable_id": "w:mill", "content": "Burnt down.", "operation": "upsert"})

    assert (read.value.entries[1].content, read.value.entries[1].keys) == ("Burnt down.", ("mill",))


def test_an_overlay_takes_its_row_away():
    read = with_overlays({"stable_id": "w:mill", "operation": "delete"})

    assert [entry.title for entry in read.value.entries] == [ROW["comment"], "Well"]
    assert ledger(read) == (4, 2, 1, 1)  # the overlay is merged, the row is skipped: the user's choice
    assert "overlay_deleted" in [report.code for report in read.reports]


def test_an_overlay_without_a_row_is_a_new_entry():
    read = with_overlays(
        {"stable_id": "mine:inn", "raw_data": '{"key": ["inn"], "content": "x"}', "operation": "upsert"}
    )

    assert [entry.content for entry in read.value.entries][3:] == ["x"]
    assert ledger(read) == (4, 4, 0, 0)


def test_overlays_that_can_do_nothing_are_reported_and_counted():
    read = with_overlays(
        {"stable_id": "gone", "operation": "delete"},
        {"stable_id": "w:mill", "operation": "replace"},
        {"stable_id": "w:well", "operation": "upsert", "raw_data": "no JSON"},
        columns="stable_id, operation, raw_data",
    )

    assert [entry.content for entry in read.value.entries] == [ROW["content"], "Old.", "Deep."]
    assert ledger(read) == (6, 3, 1, 2)
    assert [report.code for report in read.reports if report.level == "warning"].count("overlay_not_used") == 2
    assert "bad_value" in [report.code for report in read.reports]


def test_a_base_id_names_a_row_too():
    data = database(
        (7, "a", "b", '{"key": ["k"], "content": "old"}'),
        columns="id INTEGER, " + COLUMNS,
        more=[
            f"CREATE TABLE knowledge_overlays ({OVERLAY})",
            "INSERT INTO knowledge_overlays (stable_id, base_id, content, operation) VALUES ('x', 7, 'new', 'upsert')",
        ],
    )

    assert [entry.content for entry in read_book(data).value.entries] == ["new"]


@given(
    st.lists(st.tuples(st.sampled_from(["w:harbour", "w:mill", "w:well", "new", "other"]), st.booleans()), max_size=6)
)
def test_no_overlay_is_lost(overlays):
    named = {name: "delete" if is_deletion else "upsert" for name, is_deletion in overlays}

    read = with_overlays(*({"stable_id": name, "operation": operation} for name, operation in named.items()))

    assert read.found == 3 + len(named)
    assert read.found == read.kept + read.merged + read.refused
    assert len([report for report in read.reports if report.code.startswith("overlay_")]) == len(named)


def other(*statements):
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


@pytest.mark.parametrize(
    "data",
    [
        other("CREATE TABLE t (a)"),
        other("CREATE TABLE static_knowledge (a)"),
        other("CREATE TABLE t (raw_data)", "CREATE VIEW static_knowledge AS SELECT raw_data FROM t"),
        database()[:50],
        database()[:200],
        database()[:100] + b"\xff" * 5000,
    ],
)
def test_what_is_not_read_is_refused(data):
    with pytest.raises(FormatError) as caught:
        detect(data)

    assert caught.value.facts["format"] == "sqlite"


def test_a_column_that_computes_is_refused():
    data = other(
        "CREATE TABLE static_knowledge (a, raw_data AS (hex(zeroblob(20000000))))",
        "INSERT INTO static_knowledge(a) VALUES (1)",
    )

    with pytest.raises(FormatError, match="cannot be read"):
        detect(data)


def test_every_byte_may_be_wrong():
    data = database(*[("a", "b", json.dumps(ROW | {"content": "x" * 3000}))] * 5)
    for at in range(0, len(data), 97):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        try:
            read_book(bytes(broken))
        except FormatError:
            continue


def test_texts_together_have_a_limit(monkeypatch):
    monkeypatch.setattr("lorewright.formats.limits.JSON_CHARACTERS", 2000)

    with pytest.raises(FormatError) as caught:
        detect(database(*[("a", "b", json.dumps({"content": "x" * 500}))] * 5))

    assert caught.value.facts["limit"] == 2000
