"""RisuAI lorebooks: rows, folders and children; the way back exact."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import write_native
from lorewright.formats.read import read_book
from lorewright.formats.risu_lorebook import child_links, read_risu_lorebook, write_risu_lorebook
from lorewright.formats.world_info import read_world_info, write_world_info
from lorewright.formats.write import convert
from tests.formats.test_round_trip import LISTS, TEXTS, VALUES

FOLDER_KEY = "\uf000folder:5f0c"
FOLDER = {"key": FOLDER_KEY, "comment": "Places", "content": "", "mode": "folder", "insertorder": 100}
MILL = {
    "key": "mill, old mill,",
    "secondkey": "night , dark",
    "comment": "The mill",
    "content": "@@depth 2\nIt grinds.",
    "mode": "normal",
    "insertorder": 120,
    "alwaysActive": False,
    "selective": True,
    "useRegex": False,
    "activationPercent": 0,
    "folder": FOLDER_KEY,
    "id": "a1",
    "extentions": {"risu_case_sensitive": True},
    "loreCache": None,
}
RULE = {"key": "", "comment": "Rule", "content": "Rain.", "alwaysActive": True, "insertorder": 90, "mode": "constant"}


def lorebook(*rows, **more):
    return {"type": "risu", "ver": 1, "data": list(rows), **more}


def read(*rows, **more):
    return read_risu_lorebook(lorebook(*rows, **more), name="b")


def read_one(**row):
    return read(row).value.entries[0]


def codes(imported):
    return [report.code for report in imported.reports]


def test_each_field_has_its_place():
    entry = read(FOLDER, MILL).value.entries[0]

    assert (entry.keys, entry.secondary) == (("mill", "old mill"), ("night", "dark"))
    assert (entry.title, entry.content) == ("The mill", "@@depth 2\nIt grinds.")
    assert (entry.order, entry.constant, entry.selective) == (120, False, True)
    assert (entry.probability, entry.use_probability) == (0, True)
    assert entry.case_sensitive is True
    assert entry.uid == "a1"
    assert entry.extra["folder"] == FOLDER_KEY
    assert entry.extra["mode"] == "normal"


def test_missing_fields():
    entry = read_one(content="x")

    assert (entry.order, entry.position, entry.use_probability) == (100, 1, True)
    assert (entry.keys, entry.title, entry.probability, entry.enabled) == (ABSENT, ABSENT, ABSENT, ABSENT)


KEYS = [
    ({"key": "a,b"}, ("a", "b")),
    ({"key": " , ,"}, ()),
    ({"key": "/(a|b){1,2}/i", "useRegex": True}, ("/(a|b){1,2}/i",)),
    ({"key": "/(a|b){1,2}/i"}, ("/(a|b){1", "2}/i")),
    ({"key": "", "useRegex": True}, ()),
    ({"key": ["a, b", "c"]}, ("a, b", "c")),
    ({"key": None}, None),
    ({"key": 5}, Odd(5)),
]


@pytest.mark.parametrize(("row", "keys"), KEYS, ids=str)
def test_keys(row, keys):
    assert read_one(**row).keys == keys


def test_an_order_under_its_other_name():
    assert read_one(order=7).order == 7
    assert read_one(order=7, insertorder=8).order == 8
    assert read_one(order=7, insertorder=8).extra == {"order": 7}


def test_a_key_that_is_a_pattern_in_one_program_only():
    def noted(**row):
        return [report.field for report in read({**row, "id": "x"}).reports if report.code == "key_kind_differs"]

    assert noted(key="/a/i, b") == ["keys"]
    assert noted(key="a", secondkey="/b/", useRegex=True) == ["keys"]
    assert noted(key="/a/", useRegex=True) == []
    assert noted(key="AC/DC, /home/user") == []


def test_folders_are_no_entries_and_keep_their_places():
    imported = read(FOLDER, MILL, {**FOLDER, "key": "\uf000folder:2"}, RULE)

    assert (imported.found, imported.kept, imported.refused) == (2, 2, 0)
    assert [entry.title for entry in imported.value.entries] == ["The mill", "Rule"]
    without_mill = replace(imported.value, entries=imported.value.entries[1:])
    assert [row["comment"] for row in write_risu_lorebook(without_mill)["data"]] == ["Places", "Places", "Rule"]


def test_a_folder_that_is_not_there():
    assert "folder_missing" in codes(read(MILL))
    assert "folder_missing" not in codes(read(MILL, FOLDER))


def test_children_are_linked():
    child = {**RULE, "mode": "child", "id": "a1", "content": ""}
    lost = {**RULE, "mode": "child", "id": "zz"}
    imported = read(FOLDER, MILL, child, lost)
    uids = [entry.uid for entry in imported.value.entries]

    assert dict(child_links(imported.value)) == {uids[1]: "a1"}
    assert len(set(uids)) == 3
    assert codes(imported) == ["child_linked", "child_without_parent"]
    assert write_risu_lorebook(imported.value) == lorebook(FOLDER, MILL, child, lost)


def test_what_is_no_row_is_counted():
    imported = read(MILL, 5, FOLDER, None)

    assert (imported.found, imported.kept, imported.refused) == (3, 1, 2)
    assert write_risu_lorebook(imported.value)["data"] == [MILL, 5, FOLDER, None]


def test_unknown_decorators_are_reported():
    imported = read({**RULE, "content": "@@dept 4\ntext", "id": "x"})

    assert [(report.code, report.entry) for report in imported.reports] == [("decorator_unknown", "x")]
    assert imported.value.entries[0].content == "@@dept 4\ntext"


@pytest.mark.parametrize("value", [None, [], {}, {"data": {}}, {"type": "risu", "data": None}])
def test_what_is_no_lorebook(value):
    with pytest.raises(FormatError):
        read_risu_lorebook(value)


def edited(field, value, *rows):
    book = read(*rows).value
    entry = replace(book.entries[0], **{field: value})
    converted = convert(replace(book, entries=(entry, *book.entries[1:])), "risu_lorebook")
    return json.loads(converted.data)["data"], converted.losses


EDITS = [
    ("content", "new", "content", "new"),
    ("keys", ("a", "b"), "key", "a,b"),
    ("order", 5, "insertorder", 5),
    ("probability", 100, "activationPercent", 100),
    ("constant", True, "alwaysActive", True),
]


@pytest.mark.parametrize(("field", "value", "name", "written"), EDITS)
def test_an_edit_changes_only_its_path(field, value, name, written):
    rows, reports = edited(field, value, MILL, RULE)

    assert is_exact(rows, [{**MILL, name: written}, RULE])
    assert reports == ()


def test_an_edit_in_the_form_that_was_there():
    assert edited("keys", ("a", "b"), {"key": ["x"]})[0] == [{"key": ["a", "b"]}]
    assert edited("order", 3, {"order": 1})[0] == [{"order": 3}]
    assert edited("order", 3, {"key": "x"})[0] == [{"key": "x", "insertorder": 3}]
    assert edited("title", ABSENT, {"key": "x", "comment": "t"})[0] == [{"key": "x"}]


@pytest.mark.parametrize(("field", "value"), [("depth", 1), ("enabled", False), ("keys", ("a,b",)), ("group", "g")])
def test_what_has_no_place_is_named(field, value):
    _, reports = edited(field, value, RULE)

    assert [report.code for report in reports] == ["loss_on_export"]
    assert f"`{field}`" in reports[0].message


def test_a_book_of_another_format():
    book = read_world_info(
        {
            "entries": {
                "0": {
                    "uid": 0,
                    "key": ["/a,b/i"],
                    "content": "x",
                    "comment": "t",
                    "order": 5,
                    "position": 4,
                    "depth": 2,
                },
                "1": {"uid": 1, "key": ["a", "b"], "keysecondary": ["c"], "constant": True, "disable": True},
            }
        }
    ).value
    rows = write_risu_lorebook(book)["data"]

    assert rows[0] == {
        "key": "/a,b/i",
        "secondkey": "",
        "comment": "t",
        "content": "x",
        "mode": "normal",
        "insertorder": 5,
        "alwaysActive": False,
        "selective": False,
        "useRegex": True,
    }
    assert (rows[1]["key"], rows[1]["secondkey"], rows[1]["alwaysActive"]) == ("a,b", "c", True)
    losses = convert(book, "risu_lorebook").losses
    assert {(loss.entry, loss.field) for loss in losses} == {("0", "position"), ("0", "depth"), ("1", "enabled")}


def test_an_entry_that_was_added():
    book = read(FOLDER, RULE).value
    grown = replace(book, entries=(*book.entries, Entry(uid="n", keys=("k",), content="c")))

    rows = write_risu_lorebook(grown)["data"]

    assert rows[:2] == [FOLDER, RULE]
    assert (rows[2]["key"], rows[2]["content"], rows[2]["insertorder"]) == ("k", "c", 100)


def test_by_way_of_our_own_format():
    original = lorebook(FOLDER, MILL, {**FOLDER, "key": "\uf000folder:2"}, RULE)
    native = write_native(read_risu_lorebook(original, name="b").value)

    back = write_risu_lorebook(read_native_text(native).value)

    assert [row["comment"] for row in back["data"]] == ["Places", "The mill", "Places", "Rule"]
    assert back["data"][0] == FOLDER
    assert back["data"][1] == MILL


ROW_NAMES = st.sampled_from(
    "key secondkey comment content mode insertorder order alwaysActive selective useRegex activationPercent folder id "
    "extentions uid position keys entries".split()
)
MODES = st.sampled_from(["normal", "folder", "child", "constant", "multiple"])
IDS = st.sampled_from(["a", "b", "a:child:1"])
ROWS = st.dictionaries(ROW_NAMES, VALUES | LISTS | TEXTS, max_size=8) | st.builds(
    lambda row, mode, own: {**row, "mode": mode, "id": own}, st.dictionaries(ROW_NAMES, VALUES, max_size=4), MODES, IDS
)
LOREBOOKS = st.builds(
    lambda before, rows, after: {**before, "type": "risu", "data": rows, **after},
    st.dictionaries(TEXTS | st.sampled_from(["entries", "ver", "folders"]), VALUES, max_size=2),
    st.lists(ROWS | VALUES, max_size=5),
    st.dictionaries(TEXTS.map("x".__add__) | st.just("entries"), VALUES, max_size=2),
)


@given(LOREBOOKS)
def test_a_random_lorebook_comes_back(value):
    before = json.dumps(value)

    imported = read_risu_lorebook(value)

    assert is_exact(write_risu_lorebook(imported.value), value)
    copy = replace(imported.value, entries=tuple(replace(entry) for entry in imported.value.entries))
    assert is_exact(write_risu_lorebook(copy), value)
    assert json.dumps(value) == before, "the input must not be changed"
    folders = sum(isinstance(row, dict) and row.get("mode") == "folder" for row in value["data"])
    assert imported.found == len(value["data"]) - folders
    assert len({str(entry.uid) for entry in imported.value.entries}) == imported.kept
    json.dumps(write_world_info(imported.value))


def test_a_file():
    data = json.dumps(lorebook(FOLDER, MILL, RULE)).encode()

    imported = read_book(data, "b")

    assert (imported.format, imported.found) == ("risu_lorebook", 2)
    assert imported.value.name == "b"
    assert isinstance(imported.value, Book)
