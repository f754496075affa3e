"""Every report of a file says where: a JSON pointer that leads somewhere, or a line (spec formats §8, RFC 6901)."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.inspect import inspect_file
from lorewright.formats.pointer import pointer
from lorewright.formats.risum import new_risum
from tests.formats.archives import charx
from tests.formats.pictures import encoded, picture, text

CASES = Path(__file__).resolve().parents[2] / "conformance" / "formats"


def resolve(value, place):
    """RFC 6901 §4, by hand."""
    if place == "":
        return value
    assert place.startswith("/")
    for token in place[1:].split("/"):
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def places(data):
    found = inspect_file(data if isinstance(data, bytes) else json.dumps(data).encode())
    return [(note.code, note.place) for note in found.reports]


CARD = {"name": "A", "first_mes": "Hi."}
BOOKS = [
    ("world info by name", {"entries": {"0": {"key": ["a"], "content": "x"}, "a/b~c": {"key": 5, "content": "x"}}},
     ("bad_value", "/entries/a~1b~0c/key")),
    ("world info as a list", {"entries": [{"uid": 9, "key": ["a"], "content": 7}]},
     ("content_not_text", "/entries/0/content")),
    ("what is no entry", {"entries": {"0": {"key": ["a"], "content": "x"}, "7": None}}, ("entry_not_object", "/entries/7")),
    ("a character book", {"entries": [{"id": 3, "keys": ["a"], "content": "x", "position": 4},
                                      {"id": 1, "keys": [], "content": "x", "insertion_order": "5"}]},
     ("number_as_string", "/entries/1/insertion_order")),
    ("Chub", {"is_creation": False, "entries": {"8": {"id": 8, "keys": [], "content": "x"}}},
     ("entry_never_activates", "/entries/8/keys")),
    ("a V3 lorebook", {"spec": "lorebook_v3", "data": {"entries": [{"keys": [], "content": "x"}]}},
     ("entry_never_activates", "/data/entries/0/keys")),
    ("a card", {"spec": "chara_card_v2", "data": {**CARD, "character_book": {"entries": [
        {"id": 5, "keys": ["a"], "content": "x", "enabled": True},
        {"id": 2, "keys": ["a"], "content": "x", "enabled": True, "extensions": {"depth": "4"}}]}}},
     ("number_as_string", "/data/character_book/entries/1/extensions/depth")),
    ("a card in a card", {"spec": "chara_card_v2", "data": {"spec": "chara_card_v2", "data": {**CARD, "tags": 5}}},
     ("bad_value", "/data/data/tags")),
    ("a field in a field", {"spec": "chara_card_v2", "data": {**CARD, "extensions": {"depth_prompt": {"prompt": 5}}}},
     ("bad_value", "/data/extensions/depth_prompt/prompt")),
    ("NovelAI", {"lorebookVersion": 5, "entries": [{"id": "e", "keys": ["a & b"], "text": "x"}]},
     ("key_joined", "/entries/0/keys")),
    ("a NovelAI scenario", {"scenarioVersion": 3, "lorebook": {"entries": [{"id": "e", "keys": [], "text": "x"}]}},
     ("entry_never_activates", "/lorebook/entries/0/keys")),
    ("Agnai", {"kind": "memory", "name": "m", "entries": [{"name": "n", "entry": 5, "keywords": ["k"]}]},
     ("content_not_text", "/entries/0/entry")),
    ("KoboldAI", {"gamestarted": True, "worldinfo": [{"key": "", "content": "x"}]},
     ("entry_never_activates", "/worldinfo/0/key")),
    ("AI Dungeon", [{"keys": "", "value": "x"}], ("entry_never_activates", "/0/keys")),
    ("JanitorAI", [{"key": ["a"], "keysRaw": "a", "content": "x", "activationScript": "f()"}], ("script_inert", "/0")),
    ("RisuAI", {"type": "risu", "ver": 1, "data": [{"mode": "folder", "key": "f"}, {"key": "", "content": "x"}]},
     ("entry_never_activates", "/data/1/key")),
    ("a RisuAI module", {"type": "risuModule", "module": {"name": "m", "lorebook": [{"key": "", "content": "x"}]}},
     ("entry_never_activates", "/module/lorebook/0/key")),
    ("books in a list", [{"entries": {}}, {"entries": {"4": {"uid": 4, "key": [], "content": "x"}}}],
     ("entry_never_activates", "/1/entries/4/key")),
    ("a preset", {"prompts": [{"identifier": "main"}], "prompt_order": [
        {"character_id": 100001, "order": [{"identifier": "main", "enabled": True}, {"identifier": "ghost"}]}]},
     ("order_unknown_identifier", "/prompt_order/0/order/1")),
    ("a regex script", [{"scriptName": "a", "findRegex": "/x/q"}], ("regex_unsupported_flag", "/0/findRegex")),
    ("a name twice", b'{"entries": {"0": {"key": ["a"], "content": "x", "content": "y"}}}',
     ("duplicate_json_key", "/entries/0/content")),
    ("our own format", {"lorewright": 1, "entries": [{"uid": "a", "keys": "k", "content": "x"}]},
     ("bad_value", "/entries/0/keys")),
]  # fmt: skip


@pytest.mark.parametrize(("value", "wanted"), [book[1:] for book in BOOKS], ids=[book[0] for book in BOOKS])
def test_a_report_leads_to_the_value(value, wanted):
    found = places(value)

    assert wanted in found
    whole = value if not isinstance(value, bytes) else json.loads(value)
    for _, place in found:
        resolve(whole, place)


def test_a_pointer_stands_behind_the_member_of_an_archive():
    card = {"spec": "chara_card_v3", "data": {**CARD, "tags": 5}}
    module = new_risum({"type": "risuModule", "module": {"lorebook": [{"key": "", "content": "x"}]}})

    found = places(charx(card, **{"module.risum": module}))

    assert ("bad_value", "card.json#/data/tags") in found
    assert ("entry_never_activates", "module.risum#/module/lorebook/0/key") in found


@pytest.mark.parametrize(("keyword", "spec"), [("ccv3", "chara_card_v3"), ("chara", "chara_card_v2")])
def test_a_pointer_stands_behind_the_text_of_a_picture(keyword, spec):
    data = picture(text(keyword, encoded({"spec": spec, "data": {**CARD, "tags": 5}})))

    assert ("bad_value", f"{keyword}#/data/tags") in places(data)


def test_a_text_has_lines():
    markdown = (
        "---\nname: Isles\n---\n\n## Mill\n- keywords: mill\n- mood: grim\n\nText.\n- keywords: x\n\n## Well\n\nDeep.\n"
    )

    assert places(markdown.encode()) == [
        ("unknown_field", "line 7, entry 0"),
        ("field_after_body", "line 10, entry 0"),
        ("entry_never_activates", "line 12, entry 1"),
    ]


@pytest.mark.parametrize(
    "path", [path for path in sorted(CASES.iterdir()) if not path.name.endswith((".md", ".expected.json"))],
    ids=lambda path: path.name,
)  # fmt: skip
def test_places_of_the_cases_are_pointers_or_names_of_members(path):
    for note in inspect_file(path).reports:
        place = note.place.partition("#")[2] if "#" in note.place else note.place
        assert place[:1] in {"", "/"} or note.code.startswith("zip_")


NAMES = st.text(st.sampled_from("a/~01 é\n"), max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["key", "keys", "content", "text", "entry", "comment", "uid", "id", "order", "enabled", "extensions"]
)
ENTRIES = st.lists(st.dictionaries(FIELDS, VALUES, max_size=6) | VALUES, max_size=4)
KINDS = st.sampled_from(
    [
        lambda entries: {"entries": entries},
        lambda entries: {"entries": {str(place): entry for place, entry in enumerate(entries)}},
        lambda entries: {"spec": "chara_card_v3", "data": {"name": "A", "character_book": {"entries": entries}}},
        lambda entries: {"lorebookVersion": 4, "entries": entries},
        lambda entries: {"type": "risu", "ver": 1, "data": entries},
        lambda entries: {"kind": "memory", "entries": entries},
        lambda entries: {"gamestarted": True, "worldinfo": entries},
        lambda entries: entries,
    ]
)


@given(KINDS, ENTRIES)
def test_no_place_leads_nowhere(make, entries):
    value = make(entries)
    try:
        found = places(value)
    except FormatError:
        return

    for _, place in found:
        resolve(value, place)


@given(st.lists(NAMES), VALUES)
def test_a_pointer_can_be_followed(path, leaf):
    value = leaf
    for name in reversed(path):
        value = {name: value}

    assert resolve(value, pointer(tuple(path))) == leaf
