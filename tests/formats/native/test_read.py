"""What a book of ours may say, what is reported, and what is refused."""

import json

import pytest

from lorewright.core.gates import Knowledge, gates_before, is_open
from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.native import tree
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.table import ENTRY_FIELDS
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.read import read_book
from lorewright.formats.world_info import read_world_info
from tests.effort import cpu_below


def book(entry="", top=""):
    return f"lorewright: 1\nname: b\n{top}entries:\n  - uid: 0\n" + "".join(
        f"    {line}\n" for line in entry.splitlines()
    )


def reports(text):
    return [(report.code, report.entry, report.field) for report in read_native_text(text).reports]


def refusal(text):
    with pytest.raises(FormatError) as caught:
        read_native_text(text)
    caught.value.message.encode()
    assert caught.value.message.endswith(".")
    return caught.value


def test_every_field_of_an_entry_is_read():
    text = book(
        "title: T\nkeys: [a, /b/]\nlogic: 3\norder: 1.5\nfilter: {names: [Ana], exclude: true, more: 1}\nlayer: x"
    )
    (entry,) = read_native_text(text).value.entries

    assert (entry.title, entry.keys, entry.logic, entry.order) == ("T", ("a", "/b/"), 3, 1.5)
    assert entry.filter == CharacterFilter(("Ana",), (), True, {"more": 1})
    assert entry.layer == "x"
    assert entry.extra == {}
    assert entry.content is ABSENT
    assert reports(text) == []


def test_unknown_names_are_kept_and_the_closest_known_one_is_named():
    text = book("keyz: [a]\nsticky_turns: 3", "discription: d\nsettings: {scan_dept: 4}\n")
    read = read_native_text(text)

    assert reports(text) == [
        ("unknown_field", "", "discription"),
        ("unknown_field", "", "scan_dept"),
        ("unknown_field", "0", "keyz"),
        ("unknown_field", "0", "sticky_turns"),
    ]
    messages = [report.message for report in read.reports]
    assert [message.partition("Did you mean ")[2] for message in messages] == [
        "`description`?",
        "`scan_depth`?",
        "`keys`?",
        "`sticky`?",
    ]
    assert read.value.entries[0].extra == {"keyz": ["a"], "sticky_turns": 3}
    assert read.value.extra == {"discription": "d", "settings": {"scan_dept": 4}}


@pytest.mark.parametrize("name", [name for name in ENTRY_FIELDS if ENTRY_FIELDS[name].schema and name != "extra"])
def test_a_value_of_a_wrong_type_is_kept_and_reported(name):
    wrong = {"x": 1} if name not in {"filter", "gate"} else 5
    read = read_native_text(json.dumps({"lorewright": 1, "entries": [{"uid": 0, name: wrong}]}))
    (entry,) = read.value.entries

    if name == "uid":
        assert entry.extra == {"uid": wrong}
    elif ENTRY_FIELDS[name].reserved:
        assert entry.extra == {name: wrong}
    else:
        assert getattr(entry, name) == Odd(wrong)
    assert [report.code for report in read.reports if report.level != "info"] == (
        [] if name == "uid" else ["content_not_text" if name == "content" else "bad_value"]
    )
    assert read_native_text(write_native(read.value)).value.entries == (entry,)


def test_keys_that_are_no_texts_are_read_as_texts():
    text = book("keys: [1984, a, true]")

    assert read_native_text(text).value.entries[0].keys == ("1984", "a", "true")
    assert reports(text) == [("key_not_text", "0", "keys")]


def test_uids_are_made_unique_and_missing_ones_given():
    text = "lorewright: 1\nentries:\n  - uid: a\n  - uid: a\n  - content: x\n  - 5\n"
    read = read_native_text(text)

    assert [entry.uid for entry in read.value.entries] == ["a", "a#2", 2]
    assert (read.found, read.kept, read.refused) == (4, 3, 1)
    assert read.value.extra == {"refused_entries": [5]}
    assert [code for code, _, _ in reports(text)] == ["uid_duplicate", "entry_not_object", "uid_missing"]


def test_a_name_that_stands_twice_is_reported():
    assert reports(book("order: 1\norder: 2")) == [("duplicate_key", "", "order")]
    assert reports('{"lorewright": 1, "entries": [], "entries": []}') == [("duplicate_json_key", "", "entries")]


def test_a_name_beside_extra_and_in_it_is_kept_twice():
    text = book("colour: red\nextra: {colour: blue}")

    assert read_native_text(text).value.entries[0].extra == {"colour": "blue", "colour (2)": "red"}
    assert ("field_conflict", "0", "colour") in reports(text)


@pytest.mark.parametrize("version", [2, 10, 10**30])
def test_a_newer_version_is_refused_by_its_number(version):
    error = refusal(f"lorewright: {version}\nentries: []\n")

    assert f"version {version}" in error.message or version > 10**20
    assert "Update Lorewright" in error.message
    assert error.facts == {"version": version, "reads": 1}


@pytest.mark.parametrize("version", ["0", "-1", "true", "1.0", "one", "null", "[1]"])
def test_a_version_is_a_whole_number(version):
    assert "Write `lorewright: 1`" in refusal(f"lorewright: {version}\nentries: []\n").message


HOSTILE = {
    "a tag": ("a: !!python/object/apply:os.system [x]", "tag"),
    "a plain tag": ("a: !!str x", "tag"),
    "a local tag": ("a: !x y", "tag"),
    "an alias": ("a: &x [1]\nb: *x", "anchor or alias"),
    "a lone anchor": ("a: &x 1", "anchor or alias"),
    "a merge key": ("<<: {a: 1}", "merge key"),
    "two documents": ("a: 1\n---\nb: 2", "more than one"),
    "a list as a name": ("? [a]\n: 1", "as a name"),
    "depth": ("a: " + "[" * 100 + "]" * 100, "64 levels"),
    "open depth": ("a: " + "{a: " * 100_000, "64 levels"),
    "block depth": ("a:\n" + "".join(" " * n + "- \n" for n in range(1, 200)), "64 levels"),
    "an open quote": ('a: "x', "not YAML"),
    "a tab": ("a:\n\t- x", "not YAML"),
    "a NUL": ("a: \0", "U+0000"),
    "a surrogate": ("a: \ud800", "U+D800"),
    "a bad escape": ('a: "\\q"', "not YAML"),
    "a colon": ("a: b: c", "not YAML"),
    "an endless escape": ('a: "\\UFFFFFFFF"', "not YAML"),
    "a list": ("- a\n- b", "mapping"),
    "a text": ("just a text", "mapping"),
    "nothing": ("# only a comment\n", "empty"),
    "a directive": ("%YAML 9.9\n---\na: 1", "YAML"),
    "too long": ("a: " + "x" * (4 * 1024 * 1024), "4,194,304"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_yaml_is_refused_with_a_sentence(name):
    text, words = HOSTILE[name]

    top = "" if text.startswith(("-", "just", "#", "%")) else "lorewright: 1\n"
    with cpu_below(20):
        assert words in refusal(top + text).message


def test_values_are_counted_while_they_are_read(monkeypatch):
    monkeypatch.setattr(tree, "YAML_NODES", 1000)

    assert refusal("lorewright: 1\na: [" + "1," * 1000 + "]").facts == {"limit": 1000}


def test_quoted_signs_are_texts():
    text = book('title: "<<"\ncontent: "*x"\ngroup: "!x"')

    assert reports(text) == []


def test_a_prototype_is_a_name_like_any_other():
    assert read_native_text(book("__proto__: {a: 1}")).value.entries[0].extra == {"__proto__": {"a": 1}}


# --- recognised from bytes


@pytest.mark.parametrize("top", ["", "# mine\n\n", "---\n", "%YAML 1.2\n---\n", "name: b\n", "\ufeff"])
def test_yaml_is_recognised(top, tmp_path):
    path = tmp_path / "file.txt"
    path.write_text(f"{top}lorewright: 1\nentries:\n  - uid: 0\n    content: x\n", "utf-8")
    read = read_book(path)

    assert read.format == "native_yaml"
    assert [entry.content for entry in read.value.entries] == ["x"]
    assert read.value.name == ("b" if "name" in top else "file")


def test_json_is_recognised():
    found = detect(b'{"lorewright": 1, "name": "b", "description": "d", "entries": []}')

    assert found.format == "native_json"
    assert read_book(b'{"lorewright": 1, "name": "b", "entries": []}', name="other").value.name == "other"


def test_other_yaml_is_no_book_of_ours():
    with pytest.raises(FormatError, match="YAML"):
        detect(b"---\ntitle: x\nbody: y\n")


# --- from other formats


def test_what_a_foreign_book_brings_is_named():
    value = {"entries": {"3": {"uid": 3, "key": ["a", 1], "vectorized": True}, "4": 5}, "originalData": {}}
    book, lines = as_native(read_world_info(value, name="b").value)

    assert [(line.code, line.field) for line in lines] == [
        ("kept_in_extra", "refused_entries"),
        ("kept_in_extra", "originalData"),
        ("kept_in_extra", "vectorized"),
        ("kept_in_extra", "key"),
    ]
    again = read_native_text(write_native(book)).value
    assert again.entries[0].extra == {"key": ["a", 1], "vectorized": True}
    assert again.extra == {"refused_entries": [5], "originalData": {}}


def test_what_no_file_can_hold_is_left_out_and_named():
    book, lines = as_native(Book("b", (Entry(uid=0, extra={"handle": object(), "kept": 1}),), {"module": object()}))

    assert [line.field for line in lines if line.code == "not_written"] == ["module", "handle"]
    assert read_native_text(write_native(book)).value.entries[0].extra == {"kept": 1}


def test_an_original_that_stays_behind_is_named():
    _, lines = as_native(Book("b", (), {"entries": object()}))

    assert [(line.code, line.level) for line in lines] == [("not_written", "warning")]


@pytest.mark.parametrize(
    ("gate", "fault"),
    [
        ({"reveal": {"book": "b", "chapter": "three"}}, "`chapter` is the text 'three'"),
        ({"reveal": {"book": "b", "chapter": 0}}, "`chapter` is the number 0"),
        ({"reveal": {"book": "b"}}, "`reveal` has no `chapter`"),
        ({"reveal": 3}, "`reveal` is the number 3"),
        ({"flags": "a"}, "the text 'flags' is none of"),
        ({"counter": "a"}, "`counter` and `at_least` belong together"),
        ({"known_by": "Maren"}, "`known_by` is the text 'Maren'"),
        ([], "it has no condition"),
        ([{"flag": "a"}, {}], "it has no condition"),
        (True, "a condition is true"),
    ],
)
def test_a_gate_that_cannot_be_read_is_told_with_what_is_wrong(gate, fault):
    """On an entry and on a folder, as both then stay closed."""
    entry = {"uid": 1, "keys": ["a"], "content": "x", "gate": gate}
    folders = [{"name": "deep", "gate": gate}]
    value = {"lorewright": 1, "name": "b", "folders": folders, "entries": [entry]}
    reports = read_native_text(json.dumps(value)).reports

    assert sorted((report.code, report.field) for report in reports) == [
        ("bad_value", "folders"),
        ("bad_value", "gate"),
    ]
    assert all(fault in report.message and "stays closed" in report.message for report in reports)


@pytest.mark.parametrize(
    ("more", "code", "is_shut"),
    [
        ({"gat": {"flag": "x"}}, "bad_value", True),
        ({"Gate": None}, "bad_value", True),
        ({"lock": [{"flag": "x"}]}, "bad_value", True),
        ({"reveal": {"book": "b", "chapter": 2}}, "bad_value", True),
        ({"flag": "x"}, "bad_value", True),
        ({"colour": "red"}, "unknown_field", False),
        ({"gate": None, "gat": {"flag": "x"}}, "unknown_field", False),
    ],
)
def test_a_folder_stays_closed_if_something_in_it_could_be_meant_as_its_gate(more, code, is_shut):
    """A misspelt `gate` must not open what somebody wanted closed."""
    folders = [{"name": "deep", **more}]
    entries = [{"uid": 1, "folder": "deep"}]
    read = read_native_text(json.dumps({"lorewright": 1, "name": "b", "folders": folders, "entries": entries}))

    (report,) = read.reports
    assert (report.code, report.field if is_shut else "") == (code, "folders" if is_shut else "")
    assert all(name in report.message for name in more if name != "gate")
    assert isinstance(read.value.folders, tuple)
    assert isinstance(read.value.folders[0].gate, Odd) is is_shut
    assert json.loads(write_native(read.value, "json"))["folders"] == folders


MISSPELT = [
    *[("gates", "`gate`"), ("gat", "`gate`"), ("Gate", "`gate`"), ("gaet", "`gate`")],
    *[("reveal", "`gate: {reveal: …}`"), ("flag", "`gate: {flag: …}`"), ("Known-By", "`gate: {known_by: …}`")],
]


@pytest.mark.parametrize(("name", "meant"), MISSPELT)
@pytest.mark.parametrize("value", [{"flag": "x"}, None, "x"])
def test_an_entry_or_a_book_stays_closed_if_a_name_in_it_could_be_meant_as_its_gate(name, meant, value):
    """A misspelt `gate` must not open what somebody wanted closed."""
    for shape in ({"entries": [{"uid": 1, name: value}]}, {"entries": [{"uid": 1}], name: value}):
        read = read_native_text(json.dumps({"lorewright": 1, "name": "b", **shape}))
        book = read.value

        (report,) = read.reports
        assert (report.code, report.entry, report.field) == ("bad_value", "" if name in shape else "1", name)
        assert f"the {'book' if name in shape else 'entry'} stays closed" in report.message
        assert report.message.endswith(f"Write {meant}.")
        assert not any(is_open(gate, Knowledge()) for gate in gates_before(book.entries[0], book) if gate is not ABSENT)
        assert any(gate is not ABSENT for gate in gates_before(book.entries[0], book))
        assert json.loads(write_native(book, "json")) == {"lorewright": 1, "name": "b", **shape}


@pytest.mark.parametrize("name", ["lock", "date", "game", "note", "state", "gateway", "flagship", "tag", "group2"])
def test_a_field_of_another_name_closes_nothing_whatever_it_holds(name):
    for shape in ({"entries": [{"uid": 1, name: {"flag": "x"}}]}, {"entries": [{"uid": 1}], name: {"flag": "x"}}):
        read = read_native_text(json.dumps({"lorewright": 1, "name": "b", **shape}))

        assert [report.code for report in read.reports] == ["unknown_field"]
        assert gates_before(read.value.entries[0], read.value) == (ABSENT, ABSENT)


@pytest.mark.parametrize("gate", [None, {"flag": "y"}])
@pytest.mark.parametrize(("name", "meant"), MISSPELT)
def test_beside_a_gate_another_name_is_told_to_close_nothing(gate, name, meant):
    for shape in ({"entries": [{"uid": 1, "gate": gate, name: 1}]}, {"entries": [], "gate": gate, name: 1}):
        (report,) = read_native_text(json.dumps({"lorewright": 1, "name": "b", **shape})).reports

        assert report.code == "unknown_field"
        assert report.message.endswith(f"Did you mean {meant}? As it is written it closes nothing.")
