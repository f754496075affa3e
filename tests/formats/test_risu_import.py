"""What RisuAI makes of entries of SillyTavern is read as those entries again (spec formats §3.4)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.read import read_book
from lorewright.formats.risu_import import lift
from lorewright.formats.risu_lorebook import write_risu_lorebook
from lorewright.formats.write import convert
from lorewright.formats.write_book import write_book


def row(content, **more):
    return {"key": "lamp", "secondkey": "", "comment": "t", "content": content, "insertorder": 100, "mode": "normal",
            "alwaysActive": False, "selective": False, **more}  # fmt: skip


def read(*rows):
    return read_book(json.dumps({"type": "risu", "ver": 1, "data": list(rows)}).encode()).value


@pytest.mark.parametrize(
    ("decorators", "secondkey", "wanted"),
    [
        ("@@probability 50", "", {"probability": 50, "use_probability": True}),
        ("@@depth 3\n@@role assistant", "", {"position": 4, "depth": 3, "role": 2}),
        ("@@match_full_word", "", {"whole_words": True}),
        ("@@match_partial_word", "", {"whole_words": False}),
        ("@@activate_only_after 5", "", {"delay": 5}),
        ("@@exclude_keys_all fog,rain", "fog, rain", {"logic": 1, "selective": True, "secondary": ("fog", "rain")}),
        ("@@exclude_keys rain\n@@exclude_keys fog", "fog, rain", {"logic": 2, "secondary": ("fog", "rain")}),
        ("@@additional_keys rain\n@@additional_keys fog", "fog, rain", {"logic": 3, "secondary": ("fog", "rain")}),
        (
            "@@match_full_word\n@@activate_only_after 5\n@@exclude_keys fog\n@@depth 0\n@@role user\n@@probability 7",
            "fog",
            {"whole_words": True, "delay": 5, "logic": 2, "depth": 0, "role": 1, "probability": 7},
        ),
    ],
)
def test_what_risuai_writes_is_read_as_fields(decorators, secondkey, wanted):
    raw = row(f"{decorators}\nThe lamp.", secondkey=secondkey)

    book = read(raw)

    entry = book.entries[0]
    assert {name: getattr(entry, name) for name in wanted} == wanted
    assert entry.content == "The lamp."
    assert write_risu_lorebook(book)["data"] == [raw]
    st_entry = json.loads(convert(book, "st_worldinfo").data)["entries"]["0"]
    assert "@@" not in st_entry["content"]


@pytest.mark.parametrize(
    "content",
    [
        "@@depth 3\nThe lamp.",  # RisuAI's import writes a role with every depth
        "@@probability 50\n@@match_full_word\nThe lamp.",  # in another order
        "@@exclude_keys storm\nThe lamp.",  # not the secondary keys of the row
        "@@probability 50\n@@scan_depth 2\nThe lamp.",  # another decorator below
        "The lamp.\n@@probability 50",
        "@@probability",
    ],
)
def test_what_people_write_is_kept_as_it_is(content):
    assert read(row(content)).entries[0].content == content


def test_an_edited_entry_has_its_decorators_anew_and_once():
    book = read(row("@@depth 3\n@@role user\n@@probability 50\nOld."))
    edited = replace(book.entries[0], content="New.", probability=20)

    written = write_risu_lorebook(replace(book, entries=(edited,)))["data"][0]

    assert written["content"] == "@@depth 3\n@@role user\n@@probability 20\nNew."
    assert "activationPercent" not in written


def test_by_way_of_our_own_format_keys_stay_as_they_were_written():
    raw = row("Text.", key="lamp,  keeper", secondkey="fog, rain")
    book = read(raw)

    own = read_book(write_native(as_native(book)[0]).encode()).value
    back = json.loads(convert(own, "risu_lorebook").data)["data"][0]

    assert (back["key"], back["secondkey"]) == (raw["key"], raw["secondkey"])
    assert "useRegex" not in back
    assert "key_text" not in back


def test_a_child_says_whose_text_it_has_and_folders_keep_their_place():
    rows = [
        row("Parent.", id="a"),
        {"mode": "folder", "key": "\uf000folder:1", "comment": "Folder"},
        row("", mode="child", id="a", folder="\uf000folder:1"),
    ]

    book = read(*rows)

    own = read_book(write_native(as_native(book)[0]).encode()).value
    back = json.loads(convert(own, "risu_lorebook").data)["data"]
    assert [one.get("mode") for one in back] == ["normal", "folder", "child"]
    assert write_risu_lorebook(book)["data"] == rows


LINES = st.sampled_from(
    ["@@match_full_word", "@@activate_only_after 2", "@@depth 1", "@@role user", "@@probability 9", "@@x", "text", ""]
)


@given(st.lists(LINES, max_size=6))
def test_nothing_of_a_text_is_lost(lines):
    content = "\n".join(lines)
    book = read(row(content))

    lifted = lift(content, [])
    assert lifted is None or content.endswith(lifted.content)
    assert write_risu_lorebook(book)["data"][0]["content"] == content
    changed = replace(book, entries=(replace(book.entries[0], title="other"),))
    assert write_risu_lorebook(changed)["data"][0]["content"] == content


def card(version, *entries):
    """As RisuAI writes it: with `mode` and `folder`, without `enabled`."""
    made = [
        {"keys": ["lamp"], "secondary_keys": ["fog"], "comment": "t", "name": "t", "insertion_order": 100, "mode": "normal",
         "extensions": {"risu_case_sensitive": False}, "constant": False, "selective": True, "folder": "", **entry}
        for entry in entries
    ]  # fmt: skip
    data = {"name": "Ada", "character_book": {"entries": made}}
    return {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0", "data": data}


DECORATED = "@@match_full_word\n@@exclude_keys fog\n@@depth 0\n@@role user\n@@probability 7\nThe lamp."


def written(value, **changes):
    source = json.dumps(value).encode()
    book = read_book(source).value
    made = write_book(source, replace(book, entries=(replace(book.entries[0], **changes), *book.entries[1:])))
    (entry,) = json.loads(made.data)["data"]["character_book"]["entries"]
    return entry, read_book(made.data).value.entries[0]


@pytest.mark.parametrize("version", [2, 3])
def test_cards_of_risuai_are_read_in_the_same_way(version):
    value = card(version, {"content": DECORATED})
    source = json.dumps(value).encode()

    book = read_book(source).value

    wanted = {"whole_words": True, "logic": 2, "position": 4, "depth": 0, "role": 1, "probability": 7}
    assert {name: getattr(book.entries[0], name) for name in wanted} == wanted
    assert book.entries[0].content == "The lamp."
    assert write_book(source, book).data == source
    assert "@@" not in json.loads(convert(book, "st_worldinfo").data)["entries"]["0"]["content"]


@pytest.mark.parametrize(
    "entry",
    [
        {"content": DECORATED, "mode": None, "folder": None},  # of another program
        {"content": DECORATED, "extensions": {"depth": 4}},  # edited in SillyTavern, which says its own
        {"content": DECORATED, "secondary_keys": ["storm"]},
        {"content": "@@depth 3\nThe lamp."},
    ],
)
def test_other_entries_of_cards_keep_their_text(entry):
    book = read_book(json.dumps(card(3, entry)).encode()).value

    assert book.entries[0].content == entry["content"]


def test_an_edited_entry_of_a_card_has_its_decorators_anew_and_once():
    raw, again = written(card(3, {"content": DECORATED}), content="New.", probability=20)

    assert raw["content"] == DECORATED.replace("The lamp.", "New.").replace("7", "20")
    assert raw["extensions"] == {"risu_case_sensitive": False}
    assert (again.content, again.probability) == ("New.", 20)


def test_what_decorators_cannot_say_goes_to_its_own_place():
    raw, again = written(card(3, {"content": DECORATED}), position=0)

    assert raw["content"] == "@@match_full_word\n@@exclude_keys fog\n@@probability 7\nThe lamp."
    assert (again.content, again.position, again.depth, again.role) == ("The lamp.", 0, 0, 1)
