"""RisuAI modules, as JSON and as `.risum`: the book, scripts kept, the container byte for byte."""

import json
from dataclasses import replace
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats import limits, rpack
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_book
from lorewright.formats.risu_lorebook import read_risu_lorebook, write_risu_lorebook
from lorewright.formats.risu_module import read_risu_module, write_risu_module, write_risum
from lorewright.formats.risum import read_risum, write_risum_value
from tests.effort import cpu_below
from tests.formats.test_corpus import FOLDER as CORPUS
from tests.formats.test_risu_lorebook import FOLDER, LOREBOOKS, MILL, RULE
from tests.formats.test_round_trip import TEXTS, VALUES

MODULE = {
    "name": "Mill town",
    "description": "d",
    "id": "m1",
    "lorebook": [FOLDER, MILL, RULE],
    "regex": [{"in": "a", "out": "b", "type": "editdisplay"}],
    "trigger": [],
    "assets": [["one", "", "png"], ["two", "", "png"]],
    "cjs": "alert(1)",
    "lowLevelAccess": True,
    "namespace": "n",
}
WRAPPED = {"module": MODULE, "type": "risuModule"}


def size(data):
    return len(data).to_bytes(4, "little")


def risum(value, assets=(), tail=b"\0", indent=None):
    packed = rpack.encode(json.dumps(value, indent=indent).encode())
    blocks = b"".join(b"\1" + size(asset) + rpack.encode(asset) for asset in assets)
    return b"\x6f\0" + size(packed) + packed + blocks + tail


WHOLE = risum(WRAPPED, [b"first", b""])


def codes(imported):
    return [report.code for report in imported.reports]


@pytest.mark.parametrize("value", [WRAPPED, MODULE, {**MODULE, "type": "risuModule"}])
def test_a_module_as_json(value):
    imported = read_book(json.dumps(value).encode())

    assert (imported.format, imported.found, imported.kept) == ("risu_module", 2, 2)
    assert imported.value.name == "Mill town"
    assert [entry.title for entry in imported.value.entries] == ["The mill", "Rule"]
    assert is_exact(write_risu_module(imported.value), value)


def test_scripts_are_kept_and_never_run():
    imported = read_risu_module(WRAPPED)

    inert = [(report.code, report.field) for report in imported.reports if report.code == "script_inert"]
    assert inert == [("script_inert", "cjs"), ("script_inert", "regex"), ("script_inert", "lowLevelAccess")]
    assert imported.value.extra["cjs"] == "alert(1)"


def test_a_module_without_lore():
    for value in ({"type": "risuModule", "module": {"name": "x"}}, {"cjs": "", "lorebook": None}):
        imported = read_risu_module(value)

        assert imported.found == 0
        assert codes(imported) == ["book_without_entries"]
        assert is_exact(write_risu_module(imported.value), value)
        grown = write_risu_module(replace(imported.value, entries=(Entry(uid="n", content="c"),)))
        assert [row["content"] for row in grown.get("module", grown)["lorebook"]] == ["c"]


def test_an_edit_keeps_the_rest():
    book = read_risu_module(WRAPPED).value
    changed = replace(book, entries=(book.entries[0], replace(book.entries[1], content="Sun.")))

    written = write_risu_module(changed)

    assert is_exact(written, {**WRAPPED, "module": {**MODULE, "lorebook": [FOLDER, MILL, {**RULE, "content": "Sun."}]}})


def test_lorebook_and_module_into_each_other():
    lorebook = write_risu_lorebook(read_risu_module(WRAPPED).value)
    assert lorebook == {"type": "risu", "ver": 1, "data": MODULE["lorebook"]}

    module = write_risu_module(read_risu_lorebook(lorebook, name="b").value)
    assert module["type"] == "risuModule"
    assert (module["module"]["name"], module["module"]["lorebook"]) == ("b", MODULE["lorebook"])


@given(LOREBOOKS, st.dictionaries(TEXTS, VALUES, max_size=3), st.booleans())
def test_a_random_module_comes_back(lorebook, more, wrapped):
    inner = {**more, "lorebook": lorebook["data"], "cjs": ""}
    value = {"type": "risuModule", "module": inner, "x": 1} if wrapped else inner

    imported = read_risu_module(value)

    assert is_exact(write_risu_module(imported.value), value)


# --- the container


def test_a_module_file():
    imported = read_book(WHOLE)

    assert (imported.format, imported.found, imported.kept) == ("risum", 2, 2)
    assert imported.value.name == "Mill town"
    assert write_risum(imported.value) == WHOLE
    assert not {"asset_missing", "risum_truncated"} & set(codes(imported))


def test_assets_are_bytes():
    file = read_risum(WHOLE, Notes())

    assert [file.asset(index) for index in range(len(file.assets))] == [b"first", b""]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_edited_module_file_keeps_its_assets(indent):
    book = read_book(risum(WRAPPED, [b"first", b"second"], indent=indent)).value
    changed = replace(book, entries=(replace(book.entries[0], content="\ud800 é"),))

    again = read_risum(write_risum(changed), Notes())

    assert again.value["module"]["lorebook"] == [FOLDER, {**MILL, "content": "\ud800 é"}]
    assert again.value["module"]["cjs"] == "alert(1)"
    assert [again.asset(0), again.asset(1)] == [b"first", b"second"]
    assert (b"\n" in rpack.decode(again.packed)) is (indent == 2)


def test_a_book_of_no_file_becomes_a_module_file():
    for book in (Book("b", (Entry(uid=1, keys=("k",), content="c"),)), read_risu_module(MODULE).value):
        again = read_book(write_risum(book))

        assert again.format == "risum"
        assert again.value.name == book.name
        assert [entry.content for entry in again.value.entries] == [entry.content for entry in book.entries]


DAMAGED = [
    (risum(WRAPPED, [b"a", b"b"], tail=b""), ["risum_truncated"]),
    (risum(WRAPPED, [b"a", b"b"], tail=b"\1"), ["risum_truncated"]),
    (risum(WRAPPED, [b"a", b"b"], tail=b"\1\xff\xff\xff\xffx"), ["risum_truncated"]),
    (risum(WRAPPED, [b"a", b"b"], tail=b"\7rest"), ["risum_unknown_part"]),
    (risum(WRAPPED, [b"a", b"b"], tail=b"\0rest"), ["risum_trailing_bytes"]),
    (risum(WRAPPED, [b"a"]), ["asset_missing"]),
]


@pytest.mark.parametrize(("data", "wanted"), DAMAGED)
def test_damage_behind_the_json_is_reported_and_kept(data, wanted):
    imported = read_book(data)

    assert [code for code in codes(imported) if code not in {"script_inert", "uid_missing"}] == wanted
    assert write_risum(imported.value) == data


def test_a_flood_of_assets():
    data = risum(WRAPPED, tail=(b"\1" + bytes(4)) * 1_000_000)

    with cpu_below(2):
        imported = read_book(data)

    assert "risum_asset_limit" in codes(imported)
    assert write_risum(imported.value) == data


NO_MODULES = {
    "nothing": b"",
    "a short head": b"\x6f\0\1",
    "another head": b"PK\3\4\0\0\0",
    "a long length": b"\x6f\0\xff\xff\xff\xff\xe6",
    "no JSON": b"\x6f\0\1\0\0\0\xe6\0",
    "no UTF-8": b"\x6f\0" + size(b"{\xff") + rpack.encode(b"{\xff"),
    "no object": risum([]),
    "a bomb": b"\x6f\0" + size(b"[" * 100_000) + rpack.encode(b"[" * 100_000),
}


@pytest.mark.parametrize("name", NO_MODULES)
def test_what_is_no_module_file(name):
    with pytest.raises(FormatError) as caught:
        read_risum(NO_MODULES[name], Notes())

    assert caught.value.facts["format"] == "risum"


def test_a_module_file_over_the_limit():
    with pytest.raises(FormatError) as caught:
        read_risum(bytes(limits.FILE_BYTES + 1), Notes())

    assert caught.value.facts["limit"] == limits.FILE_BYTES


def test_a_number_that_json_cannot_hold():
    packed = rpack.encode(b'{"module": {"lorebook": [], "x": 1e999}}')
    data = b"\x6f\0" + size(packed) + packed + b"\0"
    book = read_book(data).value

    assert write_risum(book) == data
    with pytest.raises(FormatError, match="infinity"):
        write_risum(replace(book, entries=(Entry(uid=1),)))


def test_cut_at_every_byte():
    small = risum({"module": {"lorebook": [RULE], "assets": [["a", "", "png"]]}, "type": "risuModule"}, [b"asset"])
    for length in range(len(small)):
        try:
            imported = read_book(small[:length])
        except FormatError as error:
            error.message.encode()
        else:
            assert write_risum(imported.value) == small[:length]
            assert "risum_truncated" in codes(imported)


JSON_OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3).filter(lambda value: "Infinity" not in json.dumps(value))


@given(JSON_OBJECTS, st.lists(st.binary(max_size=9), max_size=3), st.binary(max_size=9))
def test_a_random_module_file_comes_back(more, assets, tail):
    data = risum({**more, "lorebook": [RULE]}, assets, tail)

    file = read_risum(data, Notes())

    assert write_risum_value(file, file.value) == data
    assert [file.asset(index) for index in range(len(assets))] == assets
    assert write_risum(read_book(data).value) == data


@given(st.binary(max_size=60), st.integers(0, 80))
def test_any_damage(junk, place):
    data = WHOLE[:place] + junk + WHOLE[place + len(junk) :]

    for damaged in (data, b"\x6f\0" + size(junk) + junk, b"\x6f\0" + junk):
        try:
            imported = read_book(damaged)
        except FormatError as error:
            error.message.encode()
        else:
            json.dumps(write_risu_module(imported.value))


# --- files of other people


def test_the_module_in_a_charx_of_the_corpus():
    # RisuAI moves the lore of a card into such a file (case 11).
    with ZipFile(CORPUS / "11-charx-module-wins.charx") as archive:
        data = archive.read("module.risum")

    imported = read_book(data)

    assert (imported.found, imported.value.name) == (2, "Mod")
    assert [entry.title for entry in imported.value.entries] == ["Mill", "Rule"]
    assert write_risum(imported.value) == data


def test_real_modules_come_back(shared, subtests):
    for path in sorted((shared / "real-files" / "risu-module-json").iterdir()):
        with subtests.test(path.name):
            original = detect(path.read_bytes()).content

            imported = read_book(path)

            assert imported.format == "risu_module"
            assert imported.found == imported.kept == len(original["lorebook"]) == 1
            assert imported.value.entries[0].keys == ("test",)
            assert is_exact(write_risu_module(imported.value), original)
            assert not [report for report in imported.reports if report.level == "error"]


def test_real_presets_are_refused_by_name(shared, subtests):
    for path in sorted((shared / "real-files" / "risu-preset-json").iterdir()):
        with subtests.test(path.name):
            with pytest.raises(FormatError) as caught:
                read_book(path)

            assert caught.value.facts["format"] == "risu_preset"
