"""Cards in archives: CHARX, CHARX behind a JPEG picture, and Backyard's BYAF."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from lorewright.errors import FormatError
from lorewright.formats.charx import write_charx
from lorewright.formats.read import read_book, read_card
from lorewright.formats.risum import new_risum
from tests.formats.archives import CARD, Raw, charx, zipped

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9"


def codes(imported):
    return [report.code for report in imported.reports]


def with_assets(*uris):
    assets = [{"type": "icon", "name": "main", "uri": uri, "ext": "png"} for uri in uris]
    return {**CARD, "data": {**CARD["data"], "assets": assets}}


def test_a_card_and_what_stands_beside_it():
    read = read_card(charx(**{"assets/icon/images/a.png": b"PNG", "x_meta/a.json": b"{}"}))

    assert (read.format, read.value.name, read.reports) == ("charx", "Ada", ())
    assert read.value.data == CARD
    assert read.value.parts == ("card.json", "assets/icon/images/a.png", "x_meta/a.json")


def test_a_card_behind_a_picture():
    assert read_card(JPEG + charx()).format == "charx_jpeg"


@pytest.mark.parametrize("name", ["Card.JSON", "CARD.json", "Ada/card.json"])
def test_tolerated_places_of_the_card(name):
    prefix = name.rpartition("/")[0]
    folder = f"{prefix}/" if prefix else ""
    data = zipped({name: json.dumps(with_assets("embeded://a.png")), f"{folder}a.png": b"PNG"})

    read = read_card(data)

    assert codes(read) == ["charx_card_moved"]
    assert read.value.assets[0].place == f"{folder}a.png"
    assert read_card(write_charx(data, {**CARD, "extra": 1})).value.data["extra"] == 1


def test_two_folders_are_too_many():
    with pytest.raises(FormatError):
        read_card(zipped({"a/card.json": json.dumps(CARD), "b/x": ""}))


def test_assets_are_listed_and_never_opened():
    uris = (
        "embeded://a.png",
        "embedded://A.PNG",
        "embeded://../x",
        "ccdefault:",
        "https://example.org/a.png",
        "__asset:0",
    )
    read = read_card(charx(with_assets(*uris, f"data:image/png;base64,{'A' * 1000}"), **{"a.png": b"no picture"}))

    assert [asset.place for asset in read.value.assets] == ["a.png", "a.png", "", "", "", "", ""]
    assert len(read.value.assets[-1].uri) == 200
    assert codes(read) == ["asset_missing"] * 2


@pytest.mark.parametrize("assets", [None, 5, "x", {}, [1, None, {}], [{"uri": 5}]])
def test_any_assets(assets):
    read_card(charx({**CARD, "data": {**CARD["data"], "assets": assets}}))


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"card.json": "[1]"}, "no JSON object"),
        ({"card.json": "{"}, "not JSON"),
        ({"card.json": b'{"a": "\xff\xff\x81\x8d"}'}, "no text"),
        ({"card.json": json.dumps({"entries": {}})}, "not a character card"),
        ({"other.txt": "x"}, "ZIP archive"),
        ({"data.pkl": b"x", "card.json": json.dumps(CARD)}, "pickle"),
        ({"inner.charx": charx()}, "ZIP archive"),
    ],
)
def test_refusals(members, words):
    with pytest.raises(FormatError, match=words):
        read_card(zipped(members))


def test_a_card_that_may_not_be_read():
    with pytest.raises(FormatError, match="zip_unreadable") as caught:
        read_card(Raw().add(b"card.json", json.dumps(CARD).encode(), flags=1).end())

    assert caught.value.facts["format"] == "charx"


def test_a_card_that_is_a_bomb():
    text = json.dumps({**CARD, "x": " " * 30_000_000}).encode()

    with pytest.raises(FormatError):
        read_card(Raw().add(b"card.json", text, size=100).end())


def test_a_module_that_cannot_be_read_leaves_the_book_of_the_card():
    book = {"entries": [{"keys": ["a"], "content": "x", "enabled": True}]}
    card = {**CARD, "data": {**CARD["data"], "character_book": book}}

    read = read_card(charx(card, **{"module.risum": b"no module"}))

    assert (read.found, codes(read)[0]) == (1, "charx_module_overrides_book")
    assert "cannot be read" in read.reports[0].message


# --- writing


def test_an_unedited_archive_is_given_back_byte_for_byte():
    data = JPEG + charx(**{"a.png": b"PNG"})

    assert write_charx(data, read_card(data).value.data) == data


def test_an_edited_card_changes_one_member():
    data = JPEG + charx(**{"a.png": b"PNG" * 99, "module.risum": b"x"})
    edited = {**CARD, "data": {**CARD["data"], "name": "Eve \ud800"}}

    made = write_charx(data, edited)

    assert read_card(made).value.data == edited
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(io.BytesIO(made)) as after:
        assert before.namelist() == after.namelist()
        assert all(before.read(name) == after.read(name) for name in before.namelist() if name != "card.json")


def test_what_cannot_be_written():
    with pytest.raises(FormatError):
        write_charx(zipped({"x": "y"}), CARD)
    with pytest.raises(FormatError):
        write_charx(charx(), {**CARD, "x": float("inf")})


# --- BYAF

CHARACTER = {
    "name": "ada",
    "displayName": "Ada",
    "persona": "{character} meets {user}. {{user}} stays.",
    "loreItems": [{"key": "gate, moat", "value": "{character}'s gate"}, {"key": 5, "value": "x"}, "broken"],
}
SCENARIO = {
    "narrative": "At the gate.",
    "firstMessages": [{"text": "#{character}: Hi {user}"}, {"text": "Other"}],
    "exampleMessages": [{"text": "#{user}: A"}, {"text": "#{character}: B"}, 5],
    "formattingInstructions": "Be brief.",
}


def byaf(character=CHARACTER, scenarios=(SCENARIO,), paths=(), **manifest):
    own = [f"scenarios/{number}.json" for number in range(len(scenarios))]
    told = {"characters": ["characters/c.json"], "scenarios": [*own, *paths], "author": {"name": "Someone"}, **manifest}
    members = {"manifest.json": json.dumps(told), "characters/c.json": json.dumps(character)}
    return zipped(members | {path: json.dumps(one) for path, one in zip(own, scenarios, strict=True)})


def test_byaf():
    read = read_card(byaf(scenarios=(SCENARIO, {"firstMessages": [{"text": "Later"}]})))

    data = read.value.data["data"]
    assert (read.format, read.value.name) == ("byaf", "Ada")
    assert read.value.character.description == "{{char}} meets {{user}}. {{user}} stays."
    assert read.value.character.scenario == "At the gate."
    assert data["first_mes"] == "{{char}}: Hi {{user}}"
    assert data["alternate_greetings"] == ["Other", "Later"]
    assert data["mes_example"] == "{{user}}: A\n{{char}}: B"
    assert (data["system_prompt"], data["creator"]) == ("Be brief.", "Someone")
    assert data["extensions"]["byaf"]["character"] == CHARACTER


def test_the_lore_of_byaf_is_counted():
    read = read_book(byaf())

    assert (read.found, read.kept, read.refused) == (3, 2, 1)
    assert read.value.entries[0].keys == ("gate", "moat")
    assert read.value.entries[0].content == "{{char}}'s gate"
    assert "entry_not_object" in codes(read)


def test_byaf_with_parts_missing():
    assert "byaf_more_characters" in codes(read_card(byaf(characters=["characters/c.json", "d.json"])))
    assert "byaf_scenario_missing" in codes(read_card(byaf(paths=["gone.json"])))
    assert "byaf_scenario_missing" in codes(read_card(byaf(scenarios=([1],))))
    assert "bad_value" in codes(read_card(byaf({"name": "A", "loreItems": 5})))
    for characters in ([], 5, ["gone.json"]):
        with pytest.raises(FormatError):
            read_card(byaf(characters=characters))


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, [None], [[]], {"text": {}}])
def test_any_values_in_byaf(value):
    character = dict.fromkeys(CHARACTER, value)
    scenario = dict.fromkeys(SCENARIO, value)

    assert read_card(byaf(character, (scenario,), author=value)).value.name


# --- RisuAI's module


def test_the_module_wins_over_the_book_of_the_card():
    path = Path(__file__).resolve().parents[2] / "conformance" / "formats" / "11-charx-module-wins.charx"

    book = read_book(path, "Called")
    card = read_card(path).value

    assert (book.value.name, book.kept, len(book.value.entries)) == ("Called", 2, 2)
    assert (book.found, book.merged, book.refused) == (3, 1, 0)  # two rows of the module, one entry of the card's copy
    folders = book.value.extra["folders"]
    assert isinstance(folders, (list, tuple))
    assert [folder["row"]["comment"] for folder in folders] == ["Places"]
    assert card.data["data"]["character_book"]["entries"][0]["keys"] == ["stale"]
    assert card.book is not None
    assert [entry.uid for entry in card.book.entries] == [entry.uid for entry in book.value.entries]


def module_of(*rows):
    return new_risum({"module": {"name": "m", "lorebook": list(rows)}, "type": "risuModule"})


def test_every_entry_of_the_copy_is_merged_and_one_without_a_counterpart_is_named():
    copy = [
        {"id": 1, "keys": ["a"], "content": "older", "comment": "Same title", "enabled": True},
        {"id": 2, "keys": ["b"], "content": "same", "comment": "", "enabled": True},
        {"id": 3, "keys": ["c"], "content": "only in the card", "comment": "Lost", "enabled": True},
        "no entry",
    ]
    card = {**CARD, "data": {**CARD["data"], "character_book": {"entries": copy}}}
    module = module_of(
        {"key": "a", "content": "newer", "comment": "Same title", "mode": "normal"},
        {"key": "b", "content": "same", "comment": "", "mode": "normal"},
    )

    read = read_card(charx(card, **{"module.risum": module}))

    assert (read.found, read.kept, read.merged, read.refused) == (6, 2, 3, 1)
    named = [report.entry for report in read.reports if report.code == "entry_overridden"]
    assert named == ["3"]
    assert read.value.data["data"]["character_book"]["entries"] == copy
