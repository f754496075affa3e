"""A card goes back into the file it came from."""

import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.read import read_card
from lorewright.formats.write_card import write_card
from tests.formats.archives import charx
from tests.formats.pictures import card, encoded, picture, text
from tests.formats.test_charx import JPEG, byaf
from tests.formats.test_exif_card import jpeg, tiff, webp

V2 = card("Ada", text="é")
WRITTEN = {
    "card_v2": json.dumps(V2).encode(),
    "card_v1": json.dumps({"name": "A", "first_mes": "x"}, indent=1).encode(),
    "card_ooba": b'{"name": "A", "context": "c"}',
    "card_v2_png": picture(text("chara", encoded(V2))),
    "charx": charx(),
    "charx_jpeg": JPEG + charx(),
}
ELSEWHERE = {"card_yaml": b"name: A\ncontext: c\n", "byaf": byaf()}
"""See test_write_yaml_card and test_write_byaf."""
READ_ONLY = {
    "card_v2_webp": webp(tiff(json.dumps(V2).encode())),
    "card_v2_jpeg": jpeg(tiff(json.dumps(V2).encode())),
}
ALL = WRITTEN | ELSEWHERE | READ_ONLY


@pytest.mark.parametrize("kind", ALL)
def test_an_unedited_card_gives_the_same_bytes(kind):
    read = read_card(ALL[kind])

    assert read.format == kind
    assert write_card(ALL[kind], read.value) == ALL[kind]


@pytest.mark.parametrize("extra", ["é", "\ud800"])
@pytest.mark.parametrize("kind", WRITTEN)
def test_an_edited_card_is_read_back(kind, extra):
    edited = {**read_card(WRITTEN[kind]).value.data, "extra": extra}

    made = write_card(WRITTEN[kind], edited)

    assert read_card(made).format == kind
    assert read_card(made).value.data == edited
    assert (b"\n" in made) == (b"\n" in WRITTEN[kind]) or kind not in {"card_v1", "card_v2"}


@pytest.mark.parametrize("kind", READ_ONLY)
def test_what_is_only_read_says_so(kind):
    with pytest.raises(FormatError, match="not written") as caught:
        write_card(READ_ONLY[kind], {"name": "B", "first_mes": "x"})

    assert caught.value.facts["format"] == kind


@pytest.mark.parametrize("value", [{"name": [], "first_mes": "x"}, {"x": 1}, {"spec": "a", "first_mes": ""}])
def test_a_card_that_would_be_none_is_not_written(value):
    with pytest.raises(FormatError, match="would be none"):
        write_card(WRITTEN["card_v1"], value)
