"""Every report code of spec formats §8 is made by some file, with a place, a level and one sentence."""

import json
import re
from pathlib import Path

import pytest

from lorewright.fast.regexes import default_regexes
from lorewright.formats.inspect import inspect_file
from lorewright.formats.read import read_book
from lorewright.formats.risum import new_risum
from lorewright.formats.write import convert
from tests.formats.archives import charx
from tests.formats.pictures import END, HEAD, PIXELS, chunk, encoded, packed, picture, text

CASES = Path(__file__).resolve().parents[2] / "conformance" / "formats"

# The list of §8, word for word.
CODES = """encoding_guessed, json_lenient, duplicate_json_key, number_as_string, bool_as_string, keys_were_string,
enabled_missing, field_conflict, uid_missing, uid_duplicate, entry_never_activates, entry_empty_content, unknown_field,
bad_value, field_after_body, card_name_empty, card_data_nested, mirror_differs, png_both_chunks_differ,
png_duplicate_chunk, png_nonstandard_chunk, png_bad_crc, linked_book_missing, charx_module_overrides_book, asset_missing,
zip_unsafe_path, zip_ratio, script_inert, sensitive_field, prompt_duplicate_identifier, prompt_not_in_order,
order_unknown_identifier, multiple_prompt_orders, regex_invalid, regex_unsupported_flag, decorator_unknown,
html_entities_found, mojibake_suspected, loss_on_export""".replace("\n", " ").split(", ")

FIELDS = {"name": "Ada", "first_mes": "Hi."}


def book(*entries, **more):
    return {"entries": {str(place): {"uid": place, "key": ["a"], "content": "x", **entry}
                        for place, entry in enumerate(entries)}, **more}  # fmt: skip


def card(**data):
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**FIELDS, **data}}


def preset(*orders, identifiers=("main",), **more):
    prompts = [{"identifier": name, "content": "x"} for name in identifiers]
    lists = [{"character_id": 100000 + place, "order": [{"identifier": name, "enabled": True} for name in order]}
             for place, order in enumerate(orders, 2 - len(orders))]  # fmt: skip
    return {"prompts": prompts, "prompt_order": lists, **more}


def script(pattern):
    return {"scriptName": "s", "findRegex": pattern, "replaceString": ""}


CHARA = text("chara", encoded(card()))
FILES = {
    "encoding_guessed": '{"entries": {"0": {"uid": 0, "key": ["café"], "content": "x"}}}'.encode("cp1252"),
    "json_lenient": b'{"entries": {"0": {"uid": 0, "key": ["a"], "content": "x",},}} // mine',
    "duplicate_json_key": b'{"entries": {"0": {"uid": 0, "key": ["a"], "content": "x", "content": "y"}}}',
    "number_as_string": book({"order": "100"}),
    "bool_as_string": book({"constant": "true"}),
    "keys_were_string": book({"key": "a, b"}),
    "enabled_missing": card(character_book={"entries": [{"id": 0, "keys": ["a"], "content": "x"}]}),
    "field_conflict": book({"keys": ["b"]}),
    "uid_missing": {"entries": [{"key": ["a"], "content": "x"}]},
    "uid_duplicate": {"entries": [{"uid": 1, "key": ["a"], "content": "x"}] * 2},
    "entry_never_activates": book({"key": []}),
    "entry_empty_content": book({"content": ""}),
    "unknown_field": {"kind": "memory", "entries": [{"name": "n", "entry": "e", "keywords": ["k"], "mood": "grim"}]},
    "bad_value": book({"depth": [4]}),
    "field_after_body": b"## A\n- keywords: a\n\nText.\n- keywords: b\n",
    "card_name_empty": card(name=""),
    "card_data_nested": {"spec": "chara_card_v2", "data": card()},
    "mirror_differs": {**card(), "name": "Eve"},
    "png_both_chunks_differ": picture(CHARA, text("ccv3", encoded(card(name="Eve")))),
    "png_duplicate_chunk": picture(CHARA, CHARA),
    "png_nonstandard_chunk": picture(packed("chara", encoded(card()))),
    "png_bad_crc": HEAD + chunk(b"tEXt", b"chara\0" + encoded(card()), crc=1) + PIXELS + END,
    "linked_book_missing": card(extensions={"world": "Elsewhere"}),
    "charx_module_overrides_book": charx(**{"module.risum": new_risum({"type": "risuModule", "module": {"lorebook": []}})}),
    "asset_missing": charx({**card(), "data": {**FIELDS, "assets": [{"uri": "embeded://no.png"}]}}),
    "zip_unsafe_path": CASES / "32-charx-zip-slip-and-ratio.charx",
    "zip_ratio": CASES / "32-charx-zip-slip-and-ratio.charx",
    "script_inert": preset(["main"], extensions={"regex_scripts": [script("/x/g")]}),
    "sensitive_field": preset(["main"], reverse_proxy="http://127.0.0.1/"),
    "prompt_duplicate_identifier": preset(["main"], identifiers=("main", "main")),
    "prompt_not_in_order": preset(["main"], identifiers=("main", "lore")),
    "order_unknown_identifier": preset(["main", "ghost"]),
    "multiple_prompt_orders": preset(["main"], ["main"]),
    "regex_invalid": script("/(x/"),
    "regex_unsupported_flag": script("/x/q"),
    "decorator_unknown": card(character_book={"entries": [
        {"id": 0, "keys": ["a"], "content": "@@dept 4\nx", "enabled": True}]}),
    "html_entities_found": card(description="Salt &amp; fog"),
    "mojibake_suspected": card(description="The cafÃ© by the harbour"),
}  # fmt: skip
"""By code: a small file that has that fault."""


def source(value):
    return value if isinstance(value, (bytes, Path)) else json.dumps(value).encode()


def test_every_code_of_the_specification_has_a_file():
    assert {*FILES, "loss_on_export"} == set(CODES)
    assert len(CODES) == 39


@pytest.mark.parametrize("code", FILES)
def test_a_file_with_the_fault_is_reported(code):
    found = inspect_file(source(FILES[code]), regexes=default_regexes())

    notes = [note for note in found.reports if note.code == code]
    assert notes
    for note in notes:
        assert note.level in {"info", "warning", "error"}
        assert re.match(r"[A-Z`0-9].*[.)]$", note.reason, re.DOTALL)
        assert (
            note.place == "" or note.place.startswith(("/", "line ")) or "#/" in note.place or code.startswith("zip_")
        )


@pytest.mark.parametrize("code", sorted(set(FILES) - {"encoding_guessed", "json_lenient", "uid_missing"}))
def test_a_place_is_more_than_the_whole_file(code):
    found = inspect_file(source(FILES[code]), regexes=default_regexes())

    about_the_file = code.startswith("png_") or code == "charx_module_overrides_book"
    assert about_the_file or all(note.place for note in found.reports if note.code == code)


@pytest.mark.parametrize("code", FILES)
def test_a_file_without_the_fault_is_not_reported(code):
    """The same file forms without a fault: a code that is always made says nothing."""
    good = [
        {"entries": {"0": {"uid": 0, "key": ["a"], "content": "Plain."}}},
        card(description="Café, naïve, “quoted” – 猫 и кот; CAFÉ” & Co."),
        preset(["main"]),
    ]

    assert all(code not in {note.code for note in inspect_file(source(one)).reports} for one in good)


def test_what_is_lost_on_export_is_reported():
    losses = convert(read_book(source(book({"depth": 2, "position": 4}))).value, "aidungeon_wi").losses

    assert {loss.code for loss in losses} == {"loss_on_export"}
