"""A card goes back into its picture; every other byte stays."""

import base64
import copy
import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.png import read_chunks, read_texts
from lorewright.formats.png_write import asset_chunks, write_png_card
from lorewright.formats.read import read_card
from tests.formats.pictures import END, HEAD, PIXELS, card, chunk, encoded, international, packed, picture, text

OTHERS = chunk(b"iCCP", b"profile") + chunk(b"eXIf", b"MM\0*") + text("Comment", b"by hand")
V2, V3 = card("Ada"), card("Ada", "chara_card_v3")


def others(data):
    """All chunks but those of the card, byte for byte and in order."""
    return [
        (part.type, bytes(part.data))
        for part in read_chunks(data, Notes())
        if bytes(part.data).partition(b"\0")[0].lower() not in {b"chara", b"ccv3"}
    ]


def cards(data):
    return {one.keyword: json.loads(base64.b64decode(one.payload)) for one in read_texts(data, Notes())}


PICTURES = {
    "tEXt": picture(OTHERS, text("chara", encoded(V2))),
    "after the pixels": picture(OTHERS, after=text("chara", encoded(V2))),
    "zTXt": picture(packed("chara", encoded(V2)), OTHERS),
    "iTXt": picture(international("Chara", encoded(V2), compress=True), OTHERS),
    "twice": picture(text("chara", encoded(V2)), OTHERS, text("chara", encoded(card("Old")))),
    "both": picture(text("chara", encoded(V2)), text("ccv3", encoded(V3))),
    "V1": picture(text("chara", encoded({"name": "A", "first_mes": "x"}))),
    "trailing bytes": picture(text("chara", encoded(V2))) + b"tail",
    "a wrong checksum": picture(chunk(b"abCd", b"x", crc=5), text("chara", encoded(V2))),
}


@pytest.mark.parametrize("name", PICTURES)
def test_an_unedited_card_gives_the_same_bytes(name):
    data = PICTURES[name]

    assert write_png_card(data, read_card(data).value) == data


@pytest.mark.parametrize("name", PICTURES)
def test_an_edited_card_is_the_only_change(name):
    data = PICTURES[name]
    edited = copy.deepcopy(dict(read_card(data).value.data))
    edited.get("data", edited)["description"] = "neu \U0001f409 \ud800"

    made = write_png_card(data, edited)

    assert others(made) == others(data)
    assert read_card(made).value.data == edited
    assert [type_ for type_ in ("tEXt", "zTXt", "iTXt") if type_.encode() + b"chara" in made] == ["tEXt"]
    assert made.endswith(END + b"tail" if name == "trailing bytes" else END)
    assert "png_bad_crc" not in codes(made) or name == "a wrong checksum"
    assert not {"png_duplicate_chunk", "png_both_chunks_differ", "png_nonstandard_chunk"} & set(codes(made))


def codes(data):
    return [report.code for report in read_card(data).reports]


def test_a_v3_card_is_written_for_old_programs_too():
    entry = {"keys": ["a"], "content": "@@depth 3\n@@role system\nText\n@@not one"}
    other = {"content": "@@activate\n@@dont_activate\n@@scan_depth 2\nx", "enabled": True, "extensions": {"a": 1}}
    edited = card(
        "Ada",
        "chara_card_v3",
        character_book={"entries": [entry, other, {"content": "@@depth x"}, {"content": 5}, None]},
    )

    made = cards(write_png_card(picture(), edited))

    assert list(made) == ["chara", "ccv3"]
    assert made["ccv3"] == edited
    assert (made["chara"]["spec"], made["chara"]["spec_version"]) == ("chara_card_v2", "2.0")
    older = made["chara"]["data"]["character_book"]["entries"]
    assert older[0]["content"] == "Text\n@@not one"
    assert older[0]["extensions"] == {"position": 4, "depth": 3, "role": 0}
    assert older[1] == {"content": "x", "constant": True, "enabled": False, "extensions": {"a": 1, "scan_depth": 2}}
    assert older[2:] == [{"content": ""}, {"content": 5}, None]
    assert entry["content"][:7] == "@@depth"


def test_a_v2_card_stays_v2():
    made = write_png_card(picture(), V2)

    assert cards(made) == {"chara": V2}
    assert read_card(made).format == "card_v2_png"


def test_a_v2_card_under_the_newer_keyword_stays_there():
    data = picture(text("ccv3", encoded(V2)))
    edited = card("Eve")

    assert read_card(write_png_card(data, edited)).value.data == edited


def test_a_picture_without_its_end_gets_one():
    made = write_png_card(HEAD + PIXELS + b"\0\0\0\xfftEXt", V2)

    assert made.endswith(END)
    assert read_card(made).reports == ()


@pytest.mark.parametrize("data", [b"", b"GIF89a", HEAD[:7]])
def test_no_picture(data):
    with pytest.raises(FormatError):
        write_png_card(data, V2)


def test_too_many_chunks_and_infinite_numbers():
    with pytest.raises(FormatError):
        write_png_card(HEAD + PIXELS * 5000 + END, V2)
    with pytest.raises(FormatError):
        write_png_card(picture(), {**V2, "x": float("inf")})


def test_asset_chunks_in_both_spellings():
    parts = (text("chara-ext-asset_:a/1", b"AA"), text("chara-ext-asset_2", b"AA"), text("chara", encoded(V2)))

    assert asset_chunks(picture(*parts)) == ("a/1", "2")
    assert read_card(picture(*parts)).value.parts == ("a/1", "2")
    assert others(write_png_card(picture(*parts), V3)) == others(picture(*parts))


def test_cut_at_every_byte():
    data = picture(OTHERS, text("chara", encoded(V2)))

    for length in range(len(data)):
        for use in (read_card, lambda cut: write_png_card(cut, V3)):
            try:
                use(data[:length])
            except FormatError as error:
                error.message.encode()


def test_every_bit_of_the_header_flipped():
    data = picture(OTHERS, text("chara", encoded(V2)))

    for place in range(8 * (len(HEAD) + 40)):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        for use in (read_card, lambda one: write_png_card(one, V3)):
            try:
                use(bytes(flipped))
            except FormatError as error:
                error.message.encode()
