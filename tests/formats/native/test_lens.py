"""Objects under names of ours: whatever is in them comes back."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.member_order import find_orders, restore_orders
from lorewright.formats.native.lens import hide_object, is_same, member, rows, show_object

TABLE = (
    member("title", "name", "text"),
    member("words.before", "start", "text"),
    member("words.after", "end.text", "text"),
    member("side", "position", words={"left": 0, "right": 1}),
    rows(
        "parts",
        "items",
        (member("id", "identifier", "text"), member("on", "disabled", words={True: False, False: True})),
    ),
)
NAMES = st.sampled_from(
    ["name", "start", "end", "text", "position", "items", "identifier", "disabled", "extra", "x", "title"]
)
SCALARS = st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([0.0, 1.0, "left", "a", ""])
OBJECTS = st.recursive(
    st.dictionaries(NAMES, SCALARS),
    lambda inner: st.dictionaries(NAMES, SCALARS | inner | st.lists(SCALARS | inner, max_size=3), max_size=6),
    max_leaves=20,
)


def test_a_member_has_our_name_and_the_rest_stands_under_extra():
    raw = {
        "position": 1,
        "name": "N",
        "end": {"text": "z", "more": 1},
        "items": [{"identifier": "a", "disabled": True}],
        "x": 2,
    }

    assert show_object(TABLE, raw) == {
        "title": "N",
        "words": {"after": "z"},
        "side": "right",
        "parts": [{"id": "a", "on": False}],
        "extra": {"end": {"more": 1}, "x": 2},
    }


def test_a_value_that_would_be_mistaken_stays_as_it_is():
    assert show_object(TABLE, {"position": "left"}) == {"extra": {"position": "left"}}
    assert show_object(TABLE, {"position": True}) == {"side": True}
    assert show_object(TABLE, {"position": 1.0}) == {"side": 1.0}


@given(OBJECTS)
def test_every_object_comes_back(raw):
    made = hide_object(TABLE, show_object(TABLE, raw))

    assert is_same(made, raw)
    assert is_exact(restore_orders(made, find_orders(raw, made)), raw)


@given(OBJECTS, OBJECTS)
def test_a_wrong_account_of_the_order_changes_no_value(value, kept):
    orders = {"orders": list(kept.values()), "places": kept}

    assert is_same(restore_orders(value, orders), value)


def test_an_object_in_an_order_of_its_own_is_named_by_its_place():
    raw = [{"a": 1, "b": 2}, {"b": 1, "a": 2}, {"b b": 1, "a": 2}]
    made = [{"b": 2, "a": 1}, {"a": 2, "b": 1}, {"a": 2, "b b": 1}]

    kept = find_orders(raw, made)

    assert kept == {"orders": ["a b", ["b b", "a"]], "places": {"/1": "b a"}}
    assert is_exact(restore_orders(made, kept), raw)


@given(OBJECTS)
def test_no_value_of_ours_is_dropped(shown):
    """Unknown names and odd values of a file written by hand stand in the foreign object, and are told."""
    notes = Notes()
    made = hide_object(TABLE, shown, notes)
    told = {report.field.rpartition(".")[2] for report in notes.reports()}

    assert {name for name in shown if name not in {"title", "extra"}} <= {*made} & told
    assert "title" not in shown or made["name"] == shown["title"]


def test_what_is_odd_is_told_with_what_is_wanted():
    notes = Notes()
    hide_object(TABLE, {"title": 4, "side": "up", "parts": [{"ids": "a"}], "extra": {"position": 0}}, notes)
    told = {(report.code, report.field, report.place): report.message for report in notes.reports()}

    assert set(told) == {
        ("bad_value", "title", ""),
        ("bad_value", "side", ""),
        ("field_conflict", "side", ""),
        ("unknown_field", "ids", "/parts/0"),
    }
    assert told["bad_value", "side", ""] == "`side` is the text 'up'; known are `left`, `right`. It is kept as it is."
    assert told["unknown_field", "ids", "/parts/0"].endswith("Did you mean `id`?")
