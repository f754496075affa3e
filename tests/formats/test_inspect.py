"""The account of a file: what it is, how sure that is, what became of every entry."""

import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.inspect import Ledger, inspect_file


def look(value):
    return inspect_file(json.dumps(value).encode())


def test_a_book():
    found = look({"entries": {"0": {"uid": 0, "key": ["a"], "content": "x"}, "1": 5}})

    assert (found.format, found.entries, found.book.name) == ("st_worldinfo", 2, "book")
    assert found.ledger == Ledger(2, 1, 0, 1)
    assert [(note.code, note.place) for note in found.reports] == [("entry_not_object", "/entries/1")]


def test_entries_that_do_nothing_are_named():
    entries = {
        "0": {"uid": 0, "key": [], "content": "x"},
        "1": {"uid": 1, "key": ["a"], "content": ""},
        "2": {"uid": 2, "key": [], "content": "x", "constant": True},
        "3": {"uid": 3, "key": [], "content": "@@activate\nx"},
    }

    notes = look({"entries": entries}).reports

    assert [(note.code, note.place) for note in notes] == [
        ("entry_never_activates", "/entries/0/key"),
        ("entry_empty_content", "/entries/1/content"),
    ]


def test_a_card_without_a_book_has_nothing_to_report():
    found = look({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "A", "first_mes": "Hi."}})

    assert (found.format, found.confidence, found.book, found.reports) == ("card_v2", 1.0, None, ())
    assert found.ledger == Ledger(0, 0, 0, 0)


def test_a_preset_counts_its_parts():
    found = look({"prompts": [{"identifier": "main", "content": "x"}], "prompt_order": []})

    assert (found.format, found.entries, found.book) == ("st_preset_chat", 1, None)


def test_near_formats_are_rejected_with_a_reason():
    found = look({"name": "b", "entries": {"0": {"uid": 0, "key": ["a"], "content": "x"}}})

    assert 1 <= len(found.rejected) <= 3
    assert all(one.format != "st_worldinfo" and one.reason for one in found.rejected)


def test_repaired_files_are_less_sure():
    sure = inspect_file(b'{"entries": {"0": {"uid": 0, "key": ["a"], "content": "x"}}}')
    repaired = inspect_file(b'{"entries": {"0": {"uid": 0, "key": ["a"], "content": "x"},}}')

    assert repaired.confidence < sure.confidence
    assert [note.code for note in repaired.reports] == ["json_lenient"]


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b123", b'{"a": 1}', b'[{"name": "A", "mes": "Hi."}]'])
def test_what_is_no_lore_is_refused(data):
    with pytest.raises(FormatError):
        inspect_file(data)


def test_books_that_do_not_close_are_a_mistake_of_ours():
    with pytest.raises(AssertionError):
        Ledger(3, 1, 0, 1)


def test_names_that_hurt_others_are_reported_with_their_places():
    text = b'{"entries":{"0":{"key":["a"],"content":"x","content":"y","__proto__":1,"constructor":2}}}'

    found = inspect_file(text)

    noted = {(note.code, note.place) for note in found.reports}
    assert {
        ("duplicate_json_key", "/entries/0/content"),
        ("prototype_key", "/entries/0/__proto__"),
        ("prototype_key", "/entries/0/constructor"),
    } <= noted
