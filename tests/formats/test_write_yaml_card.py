"""A card in YAML: what was not changed keeps its layout, its comments and its quotes."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Entry
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_book, read_card
from lorewright.formats.write_book import write_book
from lorewright.formats.write_card import write_card

CARD = """\
# A card by hand.
spec: chara_card_v2
spec_version: "2.0"
data:
  name: Ada   # her name
  description: |
    She keeps
    the lamp.

  tags: [a, 'b']
  character_book:
    name: Isles
    entries:
      # the first
      - id: 1
        keys: [gate, 1.10]   # two
        content: >-
          The gate
          is iron.
        enabled: true
        insertion_order: 10
        extensions: {depth: 2}
      # the second
      - id: 2
        keys:
          - geese
        content: no
        enabled: true
        insertion_order: 5
        extensions: {}
  mes_example:
creator: me
"""


def entries(text):
    return read_book(text.encode()).value.entries


def written(text, **changes):
    book = read_book(text.encode()).value
    edited = replace(book, entries=tuple(replace(e, **changes.get(f"e{e.uid}", {})) for e in book.entries))
    made = write_book(text.encode(), edited)
    return made.data.decode(), made.losses


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_one_value_in_its_line(line_end):
    text = CARD.replace("\n", line_end)
    made, losses = written(text, e2={"content": "Geese: # bite"}, e1={"order": 11, "keys": ("door", "1.10")})

    assert losses == ()
    assert made == text.replace("content: no", 'content: "Geese: # bite"').replace(
        "insertion_order: 10", "insertion_order: 11"
    ).replace("[gate, 1.10]", '["door", 1.10]')


def test_a_block_text_stays_one():
    made, losses = written(CARD, e1={"content": "The gate\nis rust.\n"})

    assert losses == ()
    assert made == CARD.replace(
        ">-\n          The gate\n          is iron.\n", "|\n          The gate\n          is rust.\n"
    )
    assert entries(made)[0].content == "The gate\nis rust.\n"


def test_new_names_stand_below():
    value = read_card(CARD.encode()).value.data
    data = {**value["data"], "mes_example": "e", "first_mes": "Hi\nyou"}

    made = write_card(CARD.encode(), {**value, "data": data}).decode()

    assert made == CARD.replace("  mes_example:\n", '  mes_example: "e"\n  first_mes: |-\n    Hi\n    you\n')


def test_entries_come_and_go():
    book = read_book(CARD.encode()).value
    new = Entry(uid=7, keys=("lamp",), content="A lamp.", enabled=True, order=1, selective=False, constant=False)

    made = write_book(CARD.encode(), replace(book, entries=(book.entries[1], new)))

    head, tail = CARD.split("      - id: 1\n")
    rest = tail[tail.index("      - id: 2\n") :]
    assert made.data.decode().startswith(head + rest.split("  mes_example")[0])
    assert made.data.decode().endswith("  mes_example:\ncreator: me\n")
    assert [entry.uid for entry in entries(made.data.decode())] == [2, 7]
    assert [loss.code for loss in made.losses if loss.code != "loss_on_export"] == ["yaml_layout_lost"]


def test_a_card_without_a_book():
    text = "name: Chi\ncontext: |-\n  Chi is 'no'.\n"
    book = read_book(CARD.encode()).value

    made = write_book(text.encode(), book)

    assert made.data.startswith(text.encode())
    assert [entry.content for entry in entries(made.data.decode())] == ["The gate is iron.", "no"]


@pytest.mark.parametrize("name", ["x", "\u5206"])
def test_an_anchor_for_two_places_is_written_out(name):
    text = f"name: Ada\nfirst_mes: &{name} Hi\ndescription: *{name}\n"

    notes = Notes()
    made = write_card(text.encode(), {"name": "Ada", "first_mes": "Ho", "description": "Hi"}, notes)

    assert read_card(made).value.data == {"name": "Ada", "first_mes": "Ho", "description": "Hi"}
    assert [report.code for report in notes.reports()] == ["yaml_layout_lost"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encoding_stays(encoding):
    data = CARD.encode(encoding)
    book = read_book(data).value
    edited = replace(book, entries=(replace(book.entries[0], content="é"), book.entries[1]))

    assert '"é"' in write_book(data, edited).data.decode(encoding)


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(FormatError, match="JSON"):
        write_card(CARD.encode(), {**read_card(CARD.encode()).value.data, "creator": "\ud800"})


VALUES = st.recursive(
    st.none()
    | st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co", "Cf", "Zl", "Zp"]), max_size=6)
    | st.sampled_from(["a\nb\n", "no", "- x", "# y", "a: b"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["name", "first_mes", "description", "x", "y"]), VALUES, min_size=1).filter(
    lambda one: not any(isinstance(one.get(name), (list, dict)) for name in ("name", "first_mes"))
)


@given(OBJECTS, OBJECTS, st.booleans())
def test_any_value_over_any_other(old, new, in_line):
    from lorewright.formats.native.emit import emit_yaml

    old, new = ({"name": "A", "first_mes": "x", **one} for one in (old, new))
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in old.items()]
    text = "".join(lines) if in_line else emit_yaml(old)
    assert read_card(text.encode()).value.data == old

    made = write_card(text.encode(), new)

    assert read_card(made).value.data == new
