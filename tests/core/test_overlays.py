"""A person's changes beside a read-only book, and what becomes of them when the book is upgraded."""

from dataclasses import replace

from lorewright.core.model import Book, Entry
from lorewright.core.overlays import Delete, Upsert, apply_overlays

A, B, C = (Entry(uid=uid, content=uid) for uid in "abc")
BASE = Book("world", (A, B, C))
MINE = Entry(uid="b", content="mine")
NEW = Entry(uid="n", content="new")


def test_entries_are_changed_in_place_added_at_the_end_and_left_out():
    book, reports = apply_overlays(BASE, [Upsert(MINE), Delete("a"), Upsert(NEW)])

    assert book.entries == (MINE, C, NEW)
    assert reports == ()
    assert book.name == "world"


def test_the_last_change_of_an_entry_counts():
    assert apply_overlays(BASE, [Delete("b"), Upsert(MINE)])[0].entries == (A, MINE, C)
    assert apply_overlays(BASE, [Upsert(MINE), Delete("b")])[0].entries == (A, C)


def test_an_upgrade_of_the_book_keeps_the_changes():
    upgraded = replace(BASE, entries=(C, replace(B, content="new text of the book"), Entry(uid="d", content="d")))

    book, reports = apply_overlays(upgraded, [Upsert(MINE), Delete("a")])

    assert book.entries == (C, MINE, Entry(uid="d", content="d"))
    assert [(report.code, report.entry) for report in reports] == [("overlay_without_entry", "a")]


def test_ids_are_the_same_as_number_and_as_text():
    assert apply_overlays(Book("b", (Entry(uid=1),)), [Upsert(Entry(uid="1", content="x"))])[0].entries == (
        Entry(uid=1, content="x"),
    )


def test_without_changes_it_is_the_same_book():
    assert apply_overlays(BASE, [])[0] is BASE
