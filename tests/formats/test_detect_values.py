"""Detection looks at values, says why a near format is none, and unpacks what was pasted (spec formats §2)."""

import base64
import json

import pytest

from lorewright.core.model import EMPTY, Book
from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.inspect import inspect_file
from lorewright.formats.read import read_book
from lorewright.formats.write import convert
from tests.formats.pictures import card, encoded, picture, text

WORLD = {"entries": {"0": {"uid": 0, "key": ["a"], "content": "x"}}}


def refusal(data, path=""):
    with pytest.raises(FormatError) as caught:
        detect(data if isinstance(data, bytes) else json.dumps(data).encode(), path)
    return caught.value


@pytest.mark.parametrize(
    ("value", "kind", "reason"),
    [
        ({"lorebookVersion": "5", "categories": []}, "novelai_lorebook", "`lorebookVersion` is the text '5'; a number"),
        ({"type": "risuX", "ver": 1, "data": []}, "risu_lorebook", "`type` is the text 'risuX'; `risu` is wanted"),
        ({"kind": "memo", "name": "m", "entries": 5}, "agnai_book", "`kind` is the text 'memo'; `memory` is wanted"),
        ({"scenarioVersion": None}, "novelai_story", "`scenarioVersion` is null; a number is wanted"),
        ({"story_string": 5}, "st_context", "`story_string` is the number 5; a text is wanted"),
        ([{"findRegex": [], "scriptName": "x"}], "st_regex", "`findRegex` is a list; a text is wanted"),
    ],
)
def test_a_name_without_the_value_is_no_format_and_the_refusal_says_which(value, kind, reason):
    error = refusal(value)

    assert kind in error.facts["nearest"]
    assert any(reason in one for one in error.facts["reasons"])
    assert reason in error.message


def test_what_was_rejected_says_which_field():
    value = {"kind": "memo", "name": "m", "entries": {"0": {"uid": 0, "key": ["a"], "content": "x"}}}

    rejected = {one.format: one.reason for one in inspect_file(json.dumps(value).encode()).rejected}

    assert rejected["agnai_book"] == "`kind` is the text 'memo'; `memory` is wanted."


@pytest.mark.parametrize("value", [5, "words", None, True, [], [1, 2], [[]], {}])
def test_json_without_names_is_refused_with_a_sentence(value):
    error = refusal(value)

    assert error.facts["keys"] == ()
    assert error.message.endswith(".")


def test_text_of_no_format_is_refused_with_its_beginning():
    assert "it begins with 'Just words" in refusal(b"Just words that say nothing").message


def test_an_unknown_object_or_list_names_its_fields_and_three_formats():
    for value in ({"lorebok": 1, "color": "red"}, [{"lorebok": 1, "color": "red"}]):
        error = refusal(value)

        assert error.facts["keys"] == ("lorebok", "color")
        assert len(error.facts["nearest"]) == len(error.facts["reasons"]) == 3


PASTED = {
    "st_worldinfo": json.dumps(WORLD).encode(),
    "card_v2": json.dumps(card("Zoë")).encode(),
    "card_v2_png": picture(text("chara", encoded(card("A")))),
    "markdown_lorebook": b"# Isles\n\n## Mill\n- keywords: mill\n\nOld.\n",
}


@pytest.mark.parametrize("kind", PASTED)
@pytest.mark.parametrize(
    "wrap",
    [
        base64.b64encode,
        base64.urlsafe_b64encode,
        base64.encodebytes,
        lambda data: base64.b64encode(data).rstrip(b"="),
        lambda data: b"data:application/json;base64," + base64.b64encode(data) + b"\n",
    ],
)
def test_base64_is_decoded_once_and_reported(kind, wrap):
    found = detect(wrap(PASTED[kind]))

    assert found.format == kind
    assert "base64_unwrapped" in [report.code for report in found.notes.reports()]


def test_base64_of_base64_and_of_nothing_is_refused():
    for data in (base64.b64encode(base64.b64encode(PASTED["st_worldinfo"])), b"SGVsbG9Xb3JsZEhlbGxvV29ybGQ="):
        assert "neither JSON nor" in refusal(data).message


def test_a_doubly_written_text_is_unwrapped_once():
    once = json.dumps(json.dumps(WORLD)).encode()

    assert [report.code for report in detect(once).notes.reports()] == ["json_unwrapped"]
    assert "without a name" in refusal(json.dumps(once.decode()).encode()).message


@pytest.mark.parametrize("path", ["preset.risup", "My Preset.RISUPRESET"])
@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\0rest", b"\xc4\x99\x12\x83 packed", b"\x85\x01\x02"])
def test_a_packed_preset_of_risuai_is_refused_with_what_to_do(path, data):
    error = refusal(data, path)

    assert error.facts["format"] == "risu_preset_file"
    assert "not supported yet" in error.message
    assert "Export the preset as JSON in RisuAI" in error.message


@pytest.mark.parametrize(
    "kind",
    "st_worldinfo character_book lorebook_v3 chub_lorebook novelai_lorebook novelai_story agnai_book agnai_character "
    "kobold_story risu_lorebook risu_module risum native_yaml native_json".split(),
)
def test_an_empty_book_is_read_back_as_its_format(kind):
    data = convert(Book("Isles", (), EMPTY), kind).data

    read = read_book(data)

    assert (read.format, read.value.entries) == (kind, ())


@pytest.mark.parametrize("titles", [("", ""), ("Mill", "")])
def test_markdown_without_titles_is_read_back(titles):
    entries = {str(at): {"uid": at, "key": ["k"], "comment": title, "content": "x"} for at, title in enumerate(titles)}
    book = read_book(json.dumps({"entries": entries}).encode()).value

    read = read_book(convert(book, "markdown_lorebook").data)

    assert (read.format, [entry.title for entry in read.value.entries]) == ("markdown_lorebook", [*titles])


@pytest.mark.parametrize(
    "head", [b"\x6f\x00\x02\0\0\0\xe6\x11", b"RIFF\x10\0\0\0WEBPVP8 ", b"\x1f\x8b\x08\0", b"\x80\x04\x95\x10\0"]
)
def test_a_mark_of_an_archive_in_the_tail_makes_no_archive_of_a_file_with_a_sure_head(head):
    assert refusal(head + b"...PK\x05\x06..." + bytes(18)).facts["format"] in {"risum", "webp", "gzip", "pickle"}
