"""Reading and writing back changes nothing: random books with odd values, and all real files."""

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.entry_filter import FILTER_NAMES
from lorewright.formats.fields import is_exact
from lorewright.formats.read import read_book, read_card
from lorewright.formats.world_info import read_world_info, write_world_info
from lorewright.formats.world_info_entry import COLUMNS

TEXTS = st.text(max_size=6) | st.sampled_from(["", " ", "4", "true", "__proto__", "uid", "\ud800"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from([0.0, -0.0, 1.0, 4.0, 1e300, 10**400])
    | TEXTS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)
LISTS = st.lists(TEXTS | SCALARS, max_size=4)
FILTERS = st.fixed_dictionaries(
    {},
    optional={"names": VALUES | LISTS, "tags": VALUES | LISTS, "isExclude": VALUES, "other": VALUES},
)
FIELD_NAMES = st.sampled_from([*COLUMNS, *FILTER_NAMES, "uid", "vectorized", "keys", "enabled"]) | TEXTS
ENTRIES = st.dictionaries(FIELD_NAMES, VALUES | LISTS | FILTERS, max_size=12)
PLACES = TEXTS | st.integers(0, 12).map(str)
BOOKS = st.builds(
    lambda before, entries, after: {**before, "entries": entries, **{k: v for k, v in after.items() if k != "entries"}},
    st.dictionaries(TEXTS | st.just("name"), VALUES, max_size=3),
    st.dictionaries(PLACES, ENTRIES | VALUES, max_size=6) | st.lists(ENTRIES | VALUES, max_size=6),
    st.dictionaries(TEXTS | st.just("name"), VALUES, max_size=3),
)


@given(BOOKS)
def test_a_random_book_comes_back(value):
    before = json.dumps(value)

    read = read_world_info(value)

    assert is_exact(write_world_info(read.value), value)
    assert json.dumps(value) == before, "the input must not be changed"
    assert read.found == len(value["entries"])
    assert len({str(entry.uid) for entry in read.value.entries}) == read.kept


@given(BOOKS)
def test_a_random_book_survives_its_file(value):
    data = json.dumps(value).encode()
    read = read_world_info(json.loads(data))

    assert is_exact(json.loads(json.dumps(write_world_info(read.value))), json.loads(data))


def test_exact_sees_what_equality_does_not():
    pairs = [(1, 1.0), (1, True), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([0], [False]), ([1], [1, 2])]

    assert [is_exact(left, right) for left, right in pairs] == [False] * len(pairs)
    assert is_exact({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})


def test_real_world_info_files_come_back(shared, subtests):
    for path in sorted((shared / "real-files" / "st-worldinfo").iterdir()):
        with subtests.test(path.name):
            original = detect(path.read_bytes()).content

            read = read_book(path)

            assert is_exact(write_world_info(read.value), original)
            assert read.found == len(original["entries"]) == read.kept
            assert read.value.name == path.stem
            assert [report for report in read.reports if report.level == "error"] == []


CARDS = ("card-v1-json", "card-v2-json", "card-v2-png", "card-v3-json", "card-v3-png")


def test_real_cards_are_read_whole(shared, subtests):
    for folder in CARDS:
        for path in sorted((shared / "real-files" / folder).iterdir()):
            with subtests.test(f"{folder}/{path.name}"):
                read = read_card(path)
                data = read.value.data.get("data", read.value.data)
                entries = (data.get("character_book") or {}).get("entries", [])

                assert read.format.replace("_json", "") == folder.replace("-json", "").replace("-", "_")
                assert (read.found, read.kept) == (len(entries), len(entries))
                assert read.value.name
                assert read.value.character.description == data.get("description", "")
                assert [entry.content for entry in read_book(path).value.entries] == [e["content"] for e in entries]


def test_every_real_file_is_recognised_or_refused_by_a_sentence(shared, subtests):
    for path in sorted((shared / "real-files").rglob("*.*")):
        with subtests.test(path.name), suppress(FormatError):
            detect(path.read_bytes())
