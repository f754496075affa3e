"""A book that is written and read again is the same book, in YAML and in JSON; no text changes on the way."""

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native.edit import format_native
from lorewright.formats.native.read import parse_native, read_native_text
from lorewright.formats.native.scalars import resolve
from lorewright.formats.native.table import BOOK_FIELDS, BOOK_MARKS, ENTRY_FIELDS
from lorewright.formats.native.write import native_value, write_native
from lorewright.formats.read import read_book
from lorewright.formats.world_info import read_world_info, write_world_info

HARD = (
    *(
        "",
        " ",
        "  x",
        "x  ",
        "\n",
        "\n\n",
        "x\n",
        "x\n\n",
        "x\n\n\n",
        "\nx",
        " x\ny",
        "x\n  \ny",
        "x\n\n  y\n",
        "\tx\ny",
    ),
    *("a\r\nb\r\n", "\r", "a\0b", "\x85", "a\x85b\nc", "\u2028", "a\u2029\nb", "\ufeff", "a\nb\ufeff", "\x7f", "\x9f"),
    *("\ud800", "a\ud800\nb", "\udc00x", "🐉", "🐉\n🐉", "\uffff", "\ufffe", "\U0010ffff", "é", "e\u0301", "猫\n猫"),
    *("no", "No", "yes", "on", "off", "y", "N", "null", "Null", "~", "true", "TRUE", "False", ".inf", ".nan", "-.INF"),
    *(
        "12:30",
        "1:2:3",
        "1",
        "-1",
        "+1",
        "0o14",
        "0x1F",
        "014",
        "1_000",
        "1.10",
        "1e3",
        ".5",
        "5.",
        "123" * 10,
        "-",
        "--",
    ),
    *(
        "---",
        "...",
        "--- x",
        "- x",
        "? x",
        ": x",
        "x:",
        "x: y",
        "x #y",
        "#x",
        "x#y",
        "&x",
        "*x",
        "!x",
        "!!str",
        "|",
        ">",
    ),
    *(
        "<<",
        "=",
        "@x",
        "`x`",
        "%x",
        "{x}",
        "[x]",
        "a, b",
        "'x'",
        '"x"',
        "x'y",
        'x"y',
        "\\",
        "\\n",
        "a\\\nb",
        "/\\bx\\b/i",
    ),
    *(
        "{{user}}",
        "2001-12-14",
        "2001-12-14t21:59:43.10-05:00",
        "x" * 2000,
        "word " * 300,
        "# x\n# y",
        "--- \nx",
        "a\n--- \n",
    ),
)
TEXTS = st.sampled_from(HARD) | st.text(max_size=8) | st.text("ab \n\t#:-|'\"\\\r\x85\ud800", max_size=10)
TEXTS = TEXTS.filter(lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
NUMBERS = (
    st.integers(-3, 120)
    | st.integers(-(2**1000), 2**1000)
    | st.floats(allow_nan=False)
    | st.sampled_from([0.0, -0.0, 1e300, 1e-7, 1e16, math.inf, -math.inf, 123456789012345678901234567890])
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
ANY = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)


CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "reveal": st.fixed_dictionaries(
            {"book": TEXTS, "chapter": st.integers(-1, 3)}, optional={"after": st.booleans()}
        ),
        "flag": TEXTS,
        "counter": TEXTS,
        "at_least": NUMBERS,
        "known_by": st.lists(TEXTS, max_size=2),
    },
)
GATES = CONDITIONS | st.lists(CONDITIONS, max_size=2)
SPECIAL = {
    "gate": GATES,
    "folders": st.lists(
        st.dictionaries(st.sampled_from(["name", "gate", "more"]), TEXTS | GATES, max_size=3), max_size=2
    ),
    "defaults": st.dictionaries(st.sampled_from(["cache_safe", "cacheSafe", "more"]), SCALARS, max_size=3),
    "replaces": st.lists(
        st.dictionaries(st.sampled_from(["find", "replace", "target", "flags", "more"]), TEXTS, max_size=4), max_size=2
    ),
}


def field_values(name, table=ENTRY_FIELDS):
    """What a reader can make of one field: absent, null, of its type, or odd."""
    values = ANY | NUMBERS | TEXTS | st.booleans() | st.lists(TEXTS, max_size=3) | SPECIAL.get(name, st.nothing())
    return st.just(ABSENT) | values.map(table[name].read)


FILTERS = st.builds(
    CharacterFilter,
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.booleans(),
    st.dictionaries(TEXTS.filter(lambda name: name not in {"names", "tags", "exclude"}), ANY, max_size=2),
)
NAMES = [name for name, field in ENTRY_FIELDS.items() if not field.reserved and name != "uid"]
ENTRIES = st.fixed_dictionaries(
    {
        "extra": st.dictionaries(
            TEXTS | st.sampled_from(["layer", "gate", "source", "uid", "extra", "keys"]), ANY, max_size=3
        )
    },
    optional={name: field_values(name) if name != "filter" else FILTERS | field_values(name) for name in NAMES},
)


@st.composite
def books(draw):
    uids = draw(st.lists(TEXTS | st.integers(-5, 2**62), max_size=4, unique_by=str))
    entries = tuple(Entry(uid=uid, **draw(ENTRIES)) for uid in uids)
    extra = draw(
        st.dictionaries(TEXTS | st.sampled_from(["description", "settings", "extra", "entries"]), ANY, max_size=3)
    )
    if not isinstance(extra.get("name", ""), str):  # a book whose file names it otherwise takes the file's name
        del extra["name"]
    marks = {name: draw(field_values(name, BOOK_FIELDS)) for name in BOOK_MARKS}
    return Book(draw(TEXTS.filter(bool)), entries, extra, **marks)


def same(left, right):
    return (
        left.name == right.name and left.entries == right.entries and is_exact(native_value(left), native_value(right))
    )


@given(books())
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_random_book_comes_back(form, book):
    text = write_native(book, form)
    text.encode()

    read = read_native_text(text)

    assert same(read.value, book), text
    assert read.value.extra == book.extra
    assert (read.found, read.refused) == (len(book.entries), 0)
    assert format_native(text) == text


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("text", HARD, ids=ascii)
def test_a_hard_text_comes_back_from_every_place(form, text):
    entry = Entry(uid=0, content=text, title=text, keys=(text, text), extra={text or "x": [text, {"k": text}]})
    book = Book(text or "b", (entry,), {"description": text})

    assert same(read_native_text(write_native(book, form)).value, book)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("no", "no"),
        ("12:30", "12:30"),
        ("0o14", 12),
        ("0x1F", 31),
        ("014", 14),
        ("1_000", "1_000"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.10", 1.1),
        (".5", 0.5),
        ("-.inf", -math.inf),
        (".nan", ".nan"),
        ("1" * 5000, "1" * 5000),
        ("١", "١"),
    ],
)
def test_words_are_read_by_yaml_1_2(word, value):
    assert is_exact(resolve(word), value)


def test_the_layout_is_for_people():
    book = Book(
        "Isles",
        (
            Entry(uid=0, title="Mill", keys=("mill", "/mills?/i", "no"), content="One.\nTwo.\n", constant=None),
            Entry(uid=1, keys=(), content="x", filter=CharacterFilter(("Ana",)), layer="world", extra={"odd": 1}),
        ),
        {"description": "Of the sea."},
    )

    assert write_native(book) == (
        "lorewright: 1\nname: Isles\ndescription: Of the sea.\n\nentries:\n"
        '  - uid: 0\n    title: Mill\n    keys: [mill, /mills?/i, "no"]\n    content: |\n      One.\n      Two.\n'
        "    constant: null\n\n"
        "  - uid: 1\n    keys: []\n    content: x\n    layer: world\n    filter:\n      names: [Ana]\n      tags: []\n"
        "      exclude: false\n    extra:\n      odd: 1\n"
    )


def test_absent_null_and_odd_stay_apart():
    text = "lorewright: 1\nname: b\nentries:\n  - uid: 0\n    order: null\n    depth: '4'\n    sticky:\n"
    (entry,) = read_native_text(text).value.entries

    assert (entry.order, entry.depth, entry.sticky, entry.cooldown) == (None, Odd("4"), None, ABSENT)
    assert entry == read_native_text(write_native(Book("b", (entry,)))).value.entries[0]


@given(books())
@example(Book("b", (Entry(uid=0, extra={"uid": True}),), {}))
def test_both_forms_say_the_same(book):
    yaml = parse_native(write_native(book, "yaml"), Notes())

    assert is_exact(yaml, parse_native(write_native(book, "json"), Notes()))


def test_real_books_pass_through_without_a_lost_field(shared, subtests):
    from lorewright.formats.native.write import as_native

    for path in sorted((shared / "real-files" / "st-worldinfo").iterdir()):
        with subtests.test(path.name):
            book, reports = as_native(read_book(path).value)
            original = write_world_info(book)

            for form in ("yaml", "json"):
                again = read_native_text(write_native(book, form)).value

                assert [report for report in reports if report.level == "error"] == []
                assert same(again, book)
                written = json.dumps(write_world_info(again), sort_keys=True)
                assert written == json.dumps(original, sort_keys=True)
            read_world_info(original)


MISSPELT = st.sampled_from(["gates", "Gate", "reveal", "flag", "at_least", "colour", "gates (2)"])
SMALL = st.sampled_from([1, True, 1.0, None, "x", {"flag": "x"}])


@given(
    st.dictionaries(MISSPELT, SMALL, max_size=3),
    st.dictionaries(MISSPELT, SMALL, max_size=2),
    st.just(ABSENT) | SMALL | st.dictionaries(MISSPELT, SMALL, max_size=2),
    st.booleans(),
    st.sampled_from(["yaml", "json"]),
)
@example({"gates": 1}, {"gates": 1}, ABSENT, False, "yaml")
@example({}, {"colour": 1}, {"colour": 1}, False, "yaml")
@example({}, {"gates": 1}, {}, True, "yaml")
def test_what_a_misspelt_gate_closes_stays_closed_however_often_it_is_written(beside, inside, gate, of_book, form):
    """Beside `gate`, inside `extra`, under both: what is read again has the same gate and the same extra fields."""
    marks = {**beside, "extra": inside} | ({} if gate is ABSENT else {"gate": gate})
    whole = {"lorewright": 1, "name": "b", **(marks if of_book else {})}
    first = read_native_text(json.dumps({**whole, "entries": [{"uid": 1, **({} if of_book else marks)}]})).value
    again = read_native_text(write_native(first, form)).value

    for one, other in ((first, again), (first.entries[0], again.entries[0])):
        assert one.gate == other.gate
        assert is_exact(dict(sorted(one.extra.items())), dict(sorted(other.extra.items())))
