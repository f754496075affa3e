"""Texts read in a wrong encoding are seen, a repair is offered, and good texts are left alone (spec formats §3.5)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.inspect import inspect_file
from lorewright.formats.mojibake import repair_mojibake


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("text", ["Café", "Zoë’s naïve — plan", "猫がいる", "Привет, мир", "🐉 wyrm"])
def test_a_wrong_reading_is_undone(text, encoding):
    wrong = "".join(
        bytes([byte]).decode(encoding, "ignore") or chr(byte) for character in text for byte in character.encode()
    )

    assert wrong != text
    assert repair_mojibake(wrong) == text


@pytest.mark.parametrize(
    "text",
    ["Café", "naïve “quotes” …", "CAFÉ”", "«Où ça ?»", "Ä–Ö", "猫 и кот", "Ã la carte", "", "plain & simple", "Â°"[:1]],
)
def test_a_good_text_stays(text):
    assert repair_mojibake(text) == text


@given(st.text(st.characters(max_codepoint=0x7F)) | st.text(st.characters(min_codepoint=0x2200)))
def test_texts_without_western_letters_are_never_changed(text):
    assert repair_mojibake(text) == text


def test_a_book_is_looked_at_and_not_changed():
    entry = {"uid": 0, "key": ["cafÃ©"], "comment": "Fog &amp; salt", "content": "x"}

    found = inspect_file(json.dumps({"entries": {"0": entry}}).encode())

    assert [(note.code, note.place) for note in found.reports] == [
        ("html_entities_found", "/entries/0/comment"),
        ("mojibake_suspected", "/entries/0/key"),
    ]
    assert "café" in found.reports[1].reason
    assert found.book is not None
    assert found.book.entries[0].keys == ("cafÃ©",)
