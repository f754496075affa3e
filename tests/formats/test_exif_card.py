"""Cards in the EXIF comment of WebP and JPEG pictures."""

import base64
import json
import struct

import pytest

from lorewright.errors import FormatError
from lorewright.formats.read import read_card
from tests.effort import cpu_below

V1 = {"name": "Wëbby", "description": "d", "first_mes": "hi"}
TEXT = json.dumps(V1, ensure_ascii=False)
ASCII = b"ASCII\0\0\0"


def tiff(comment: bytes, order: str = ">", *, kind: int = 7, count: int | None = None) -> bytes:
    """A first directory that leads to a second, in which the comment stands."""
    size = len(comment) if count is None else count
    head = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(f"{order}L", 8)
    first = struct.pack(f"{order}HHHLLL", 1, 0x8769, 4, 1, 26, 0)
    second = struct.pack(f"{order}HHHLLL", 1, 0x9286, kind, size, 44, 0)
    return head + first + second + comment


def webp(block: bytes) -> bytes:
    chunks = b"VP8 " + struct.pack("<L", 2) + b"\0\0" + b"EXIF" + struct.pack("<L", len(block)) + block
    chunks += b"\0" * (len(block) % 2)
    return b"RIFF" + struct.pack("<L", len(chunks) + 4) + b"WEBP" + chunks


def jpeg(block: bytes) -> bytes:
    block = b"Exif\0\0" + block
    return (
        b"\xff\xd8\xff\xe0\0\4ab\xff\xff\xe1"
        + struct.pack(">H", len(block) + 2)
        + block
        + b"\xff\xda\0\2pixels\xff\xd9"
    )


COMMENTS = {
    "ASCII": ASCII + TEXT.encode(),
    "eight NULs": bytes(8) + TEXT.encode(),
    "no prefix": TEXT.encode(),
    "many NULs": bytes(8) + b"\0\0" + TEXT.encode() + b"\0\0",
    "UNICODE, big": b"UNICODE\0" + TEXT.encode("utf-16-be"),
    "UNICODE, little": b"UNICODE\0" + TEXT.encode("utf-16-le"),
    "UNICODE that is UTF-8": b"UNICODE\0" + TEXT.encode(),
    "numbers": ASCII + ",".join(str(byte) for byte in TEXT.encode()).encode(),
    "a list of numbers": ASCII + str(list(ASCII + TEXT.encode())).encode(),
    "base64": ASCII + base64.b64encode(TEXT.encode()),
}


@pytest.mark.parametrize("name", COMMENTS)
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["webp", "jpeg"])
def test_comments(name, order, kind):
    picture = (webp if kind == "webp" else jpeg)(tiff(COMMENTS[name], order))

    read = read_card(picture)

    assert (read.format, read.value.name, read.value.data) == (f"card_v1_{kind}", "Wëbby", V1)


def test_a_webp_block_with_the_prefix_of_jpeg_and_a_v2_card():
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": V1}

    assert read_card(webp(b"Exif\0\0" + tiff(ASCII + json.dumps(card).encode()))).format == "card_v2_webp"


def test_the_picture_is_the_avatar(tmp_path):
    path = tmp_path / "web.webp"
    path.write_bytes(webp(tiff(TEXT.encode())))

    assert read_card(path).value.character.avatar == "web.webp"


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        (b"ASCII\0\0\0a nice photo", "neither JSON nor base64"),
        (b"[1]" + b" " * 9, "neither"),
        (b"{" + b" " * 9, "not JSON"),
        (ASCII + b"1,2,3,4,5,6,7,8,999", "no bytes"),
        (ASCII + base64.b64encode(b"[1]"), "no object"),
        (ASCII + b"\xff\xfe\xfd\xfc", "unknown encoding"),
        (ASCII + b'{"entries": {}}', "not a character card"),
    ],
)
def test_comments_that_are_no_cards(comment, words):
    for picture in (webp(tiff(comment)), jpeg(tiff(comment))):
        with pytest.raises(FormatError, match=words):
            read_card(picture)


@pytest.mark.parametrize("picture", [webp(b""), jpeg(b""), webp(b"MM\0*"), jpeg(tiff(b"")), b"\xff\xd8\xff\xd9"])
def test_pictures_without_a_comment(picture):
    with pytest.raises(FormatError) as caught:
        read_card(picture)

    assert caught.value.facts["format"] in {"jpeg", "webp"}


def test_directories_that_lead_to_themselves_end():
    loop = b"MM\0*" + struct.pack(">L", 8) + struct.pack(">HHHLL", 1, 0x8769, 4, 1, 8) + struct.pack(">L", 8)
    wide = b"II*\0" + struct.pack("<L", 8) + b"\xff\xff" + struct.pack("<HHLL", 0x8769, 4, 1, 8) * 5000
    long = tiff(TEXT.encode(), count=0xFFFFFFFF)

    with cpu_below(1):
        for block in (loop, wide):
            with pytest.raises(FormatError):
                read_card(webp(block))
        assert read_card(webp(long)).value.name == "Wëbby"


@pytest.mark.parametrize("make", [webp, jpeg])
def test_cut_at_every_byte_and_every_bit_flipped(make):
    data = make(tiff(ASCII + TEXT.encode()))
    damaged = [data[:length] for length in range(len(data))]
    for place in range(8 * 90):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        damaged.append(bytes(flipped))

    for one in damaged:
        try:
            read_card(one)
        except FormatError as error:
            error.message.encode()
