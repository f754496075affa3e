"""Bytes to text: marks, UTF-16 without one, guesses; and JSON with what JavaScript allows in it."""

import codecs
import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text


def decode(data):
    notes = Notes()
    text = decode_text(data, notes)
    return text, [(report.code, report.message) for report in notes.reports()]


TEXT = '{"name": "Café 安 🦊"}'
MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("encoding", MARKED)
def test_a_byte_order_mark_decides(encoding):
    assert decode(MARKED[encoding] + TEXT.encode(encoding)) == (TEXT, [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_without_a_mark(encoding):
    assert decode(TEXT.encode(encoding)) == (TEXT, [])


GUESSED = [
    ("cp1252", '{"x": "Don’t rush — listen… Café"}'),
    ("gb18030", '{"x": "龙在山洞里睡觉，不要吵醒它。"}'),
    ("shift_jis", '{"x": "ドラゴンは洞窟で眠っている。"}'),
]


@pytest.mark.parametrize(("encoding", "text"), GUESSED)
def test_a_guess_is_reported(encoding, text):
    decoded, reports = decode(text.encode(encoding))

    assert decoded == text
    assert [code for code, _ in reports] == ["encoding_guessed"]
    assert encoding in reports[0][1]


@pytest.mark.parametrize("encoding", MARKED)
def test_every_encoding_is_recognised_as_json(encoding):
    data = MARKED[encoding] + json.dumps({"entries": {}}).encode(encoding)

    assert detect(data).format == "st_worldinfo"


def parse(text):
    notes = Notes()
    value = parse_json(text, notes)
    return value, [(report.code, report.field) for report in notes.reports()]


def test_lone_surrogates_are_kept():
    assert parse('{"a": "\\ud83d", "\\udc00": "\\ud83e\\udd8a"}') == ({"a": "\ud83d", "\udc00": "🦊"}, [])


def test_duplicate_names_are_reported_and_the_last_wins():
    value, reports = parse('{"a": 1, "b": {"x": 1, "x": 2, "x": 3}, "a": 4}')

    assert value == {"a": 4, "b": {"x": 3}}
    assert reports == [("duplicate_json_key", "x"), ("duplicate_json_key", "x"), ("duplicate_json_key", "a")]


def test_kinds_of_numbers_are_kept():
    value, reports = parse("[1, 1.0, -0.0, 1e2, 12345678901234567890]")

    assert [type(item) for item in value] == [int, float, float, float, int]
    assert value[4] == 12345678901234567890
    assert reports == []


def test_an_integer_of_thousands_of_digits_is_a_text():
    digits = "9" * 5000

    assert parse(f'{{"a": {digits}, "b": -{digits}, "c": 5}}') == (
        {"a": digits, "b": f"-{digits}", "c": 5},
        [("number_too_large", ""), ("number_too_large", "")],
    )


def test_duplicates_are_reported_once_beside_a_huge_integer():
    _, reports = parse('{"a": 1, "a": ' + "9" * 5000 + "}")

    assert [code for code, _ in reports] == ["number_too_large", "duplicate_json_key"]


def test_a_float_out_of_range_is_reported():
    assert parse("[1e999]") == ([float("inf")], [("number_too_large", "")])


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_json_has_no_word_for_is_refused(constant):
    with pytest.raises(FormatError, match=f"`{constant}`"):
        parse(f'{{"a": {constant}}}')


def test_an_error_names_its_place():
    with pytest.raises(FormatError, match="line 2, column 3") as caught:
        parse('{"a": 1,\n  # no\n}')

    assert (caught.value.facts["line"], caught.value.facts["column"]) == (2, 3)
