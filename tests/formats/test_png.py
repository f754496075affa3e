"""Cards in pictures: every carrier, damage, duplicates, bombs."""

import base64
import json
import struct
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.png_card import read_png_card
from tests.effort import cpu_below, memory_below
from tests.formats.pictures import END, HEAD, PIXELS, card, chunk, encoded, international, packed, picture, text

MIB = 1024 * 1024


def read(data: bytes):
    notes = Notes()
    found = read_png_card(data, notes)
    return found["data"]["name"], [report.code for report in notes.reports()]


def refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        read_png_card(data, Notes())
    return caught.value.message


A, B = card("A"), card("B")
V3 = card("A", "chara_card_v3", nickname="a")
PADDED = base64.b64encode(json.dumps(card("???>>>")).encode())
SPACED = PADDED.translate(bytes.maketrans(b"+/", b"-_")).rstrip(b"=")


CARDS = [
    ("tEXt before the pixels", picture(text("chara", encoded(A))), "A", []),
    ("tEXt after the pixels", picture(after=text("chara", encoded(A))), "A", []),
    ("zTXt", picture(packed("chara", encoded(A))), "A", ["png_nonstandard_chunk"]),
    ("iTXt", picture(international("chara", encoded(A), compress=False)), "A", ["png_nonstandard_chunk"]),
    ("iTXt packed", picture(international("chara", encoded(A), compress=True)), "A", ["png_nonstandard_chunk"]),
    ("any case", picture(text("CCv3", encoded(V3))), "A", []),
    ("plain JSON", picture(text("chara", json.dumps(A).encode())), "A", ["png_nonstandard_chunk"]),
    ("url-safe, unpadded", picture(text("chara", SPACED[:20] + b"\r\n " + SPACED[20:])), "???>>>", []),
    ("both the same", picture(text("chara", encoded(A)), text("ccv3", encoded(V3))), "A", []),
    ("both differ", picture(text("chara", encoded(B)), text("ccv3", encoded(V3))), "A", ["png_both_chunks_differ"]),
    ("two of one", picture(text("chara", encoded(A)), text("chara", encoded(B))), "A", ["png_duplicate_chunk"]),
    (
        "the first that decodes",
        picture(text("chara", b"!!!"), text("chara", encoded(B))),
        "B",
        ["png_duplicate_chunk", "png_unreadable_card"],
    ),
    ("a broken ccv3", picture(text("ccv3", b"!"), text("chara", encoded(B))), "B", ["png_unreadable_card"]),
    (
        "an encrypted ccv3",
        picture(text("ccv3", b"rcc||rccv1||x"), text("chara", encoded(B))),
        "B",
        ["png_unreadable_card"],
    ),
    ("a wrong checksum", picture(chunk(b"tEXt", b"chara\0" + encoded(A), crc=1)), "A", ["png_bad_crc"]),
    ("no end", HEAD + text("chara", encoded(A)) + PIXELS, "A", ["png_truncated"]),
    ("cut in the pixels", HEAD + text("chara", encoded(A)) + PIXELS[:-3], "A", ["png_truncated"]),
    ("a few bytes at the end", HEAD + text("chara", encoded(A)) + b"\0\0", "A", ["png_truncated"]),
    ("more after the end", picture(text("chara", encoded(A))) + b"PKxx", "A", ["png_trailing_bytes"]),
    ("animated", HEAD + chunk(b"acTL", bytes(8)) + text("chara", encoded(A)) + PIXELS + END, "A", []),
    ("other texts", picture(text("Software", b"x"), text("chara", encoded(A))), "A", []),
    ("a text without keyword", picture(chunk(b"tEXt", b"junk"), text("chara", encoded(A))), "A", ["png_chunk_skipped"]),
    ("a cut iTXt", picture(chunk(b"iTXt", b"chara\0\0"), text("chara", encoded(A))), "A", ["png_chunk_skipped"]),
    ("a broken zTXt", picture(chunk(b"zTXt", b"chara\0\0junk"), text("chara", encoded(A))), "A", ["png_chunk_skipped"]),
]


@pytest.mark.parametrize(("name", "data", "expected", "codes"), CARDS, ids=[row[0] for row in CARDS])
def test_cards(name, data, expected, codes):
    assert read(data) == (expected, codes)


REFUSED = [
    ("encrypted", picture(text("chara", b"rcc||rccv1||abc")), "RisuAI encrypted card"),
    ("no card", picture(), "holds no character card"),
    ("no base64", picture(text("chara", b"!?!")), "not base64"),
    ("no UTF-8", picture(text("chara", base64.b64encode(b"\xff\xfe"))), "not UTF-8"),
    ("no JSON", picture(text("chara", base64.b64encode(b"hello"))), "not JSON"),
    ("no object", picture(text("chara", encoded([1]))), "no object"),
    ("deep", picture(text("chara", base64.b64encode(b"[" * 100_000))), "nested"),
    ("cut in the card", HEAD + text("chara", encoded(A))[:-9], "holds no character card"),
    ("behind the end", picture() + text("chara", encoded(A)), "holds no character card"),
    ("too many chunks", HEAD + PIXELS * 4097 + END, "4,096 chunks"),
    ("no picture", b"GIF89a", "signature"),
]


@pytest.mark.parametrize(("name", "data", "words"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refusals(name, data, words):
    assert words in refusal(data)


def bomb(size: int) -> bytes:
    return packed("chara", bytes(size))


def test_a_bomb_is_not_unpacked():
    data = picture(bomb(256 * MIB))
    notes = Notes()

    with cpu_below(2), memory_below(96 * MIB), pytest.raises(FormatError, match="no character card"):
        read_png_card(data, notes)

    assert [report.code for report in notes.reports()] == ["png_text_limit"]


def test_many_bombs_cost_no_more_than_one():
    data = picture(*[bomb(64 * MIB)] * 200)
    notes = Notes()

    with cpu_below(2), memory_below(64 * MIB), pytest.raises(FormatError):
        read_png_card(data, notes)

    assert len(notes.reports()) > 100


def test_the_ratio_counts_above_a_mebibyte_only():
    small = json.dumps(card("A", description="x" * 500_000)).encode()
    large = json.dumps(card("A", description="x" * 2_000_000)).encode()

    assert read(picture(packed("chara", small)))[0] == "A"
    assert "no character card" in refusal(picture(packed("chara", large)))


def test_a_length_beyond_the_file_stops_the_walk():
    data = HEAD + text("chara", encoded(A)) + struct.pack(">I", 2**31 - 1) + b"tEXtxx" + bytes(20)

    assert read(data) == ("A", ["png_truncated"])


@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_damage_raises_anything_but_a_format_error(junk, place):
    good = picture(packed("ccv3", b"x"), international("chara", encoded(A), compress=True))
    place = min(place, len(good))

    for data in (good[:place] + junk + good[place:], good[:place] + junk, HEAD + junk, good[:place]):
        with suppress(FormatError):
            read_png_card(data, Notes())


def test_the_checksum_covers_type_and_data():
    body = b"tEXt" + b"chara\0" + encoded(A)
    data = HEAD + struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)) + PIXELS + END

    assert read(data) == ("A", [])


def test_a_card_that_was_lost_is_told_with_the_reason():
    whole = picture(text("chara", encoded({"name": "Ana"})))
    bomb = picture(packed("chara", b" " * 50_000_000))
    for data, reason in ((whole[:60], "longer than the file"), (bomb, "would unpack to more than")):
        with pytest.raises(FormatError, match=f"holds no character card that can be read.*{reason}"):
            read_png_card(data, Notes())
