"""Files of ours that are no books: hostile ones end in a sentence, tidy ones keep their comments."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.inspect import inspect_file
from lorewright.formats.native.documents import document_text
from lorewright.formats.native.edit import format_native
from lorewright.formats.opened import open_file
from lorewright.formats.write_thing import convert_thing

NAMES = st.sampled_from(
    "name origin extra prompts orders order owner id book entries uid keys content gate note text position role depth "
    "wording limits format around repeated shapes shape members places raw context instruct sequences data spec "
    "character_book extensions greetings tags picture".split()
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
    | st.sampled_from(["st_preset_chat", "st_prompt_export", "st_context", "card_v1", "card_v2", "a b", "/0", "\ud800"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=5),
    max_leaves=25,
)


@given(st.sampled_from(["preset", "card", "persona"]), st.dictionaries(NAMES, VALUES, max_size=6))
def test_whatever_such_a_file_holds_it_is_read_or_refused_with_a_sentence(kind, body):
    """And what is read is written in both formats."""
    value = {"lorewright": 1, "kind": kind, **body}
    for text in (json.dumps(value), document_text(value)):
        with suppress(FormatError):
            inspect_file(open_file(text.encode()))
            for to in ("origin", "native"):
                assert convert_thing(open_file(text.encode()), to).data


@given(st.sampled_from(["preset", "card", "persona"]), st.dictionaries(NAMES, VALUES, max_size=6))
def test_a_file_of_ours_says_the_same_after_it_was_there(kind, body):
    """What `origin` of a file of ours says is made anew of it, so the second time nothing changes any more."""
    try:
        first = convert_thing(open_file(document_text({"lorewright": 1, "kind": kind, **body}).encode()), "native").data
    except FormatError:
        return

    assert convert_thing(open_file(first), "native").data == first


PRESET = """\
# mine
kind: preset
squash: true   # they look better
lorewright: 1
prompts:
    # the first
  -   content: x
      id: main
extra: {temperature: 1}
name: Harbour
"""


def test_a_tidy_file_has_its_fields_in_order_and_its_comments():
    assert (
        format_native(PRESET)
        == """\
lorewright: 1
# mine
kind: preset
name: Harbour
prompts:
  # the first
  - id: main
    content: x
squash: true  # they look better
extra:
  temperature: 1
"""
    )


@pytest.mark.parametrize("text", ["lorewright: 2\nkind: card\n", "lorewright: 1\nkind: preset\nname: a\nname: b\n"])
def test_what_is_no_such_file_is_not_tidied(text):
    with pytest.raises(FormatError):
        format_native(text)


def test_reports_point_into_our_file():
    text = b"lorewright: 1\nkind: preset\nprompts:\n  - {id: a, depht: 1}\n  - {id: a}\n"
    found = {(note.code, note.place) for note in inspect_file(text).reports}

    assert ("unknown_field", "/prompts/0") in found
    assert {place for code, place in found if code == "prompt_duplicate_identifier"} <= {"", "/prompts"}
