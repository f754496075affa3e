"""Numbers of more digits than Python writes are values like all others, wherever they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import ActiveBook, Book, DictMemory, Entry, Message, Odd, Turn, load_lore, make_tools, weave
from lorewright.core.consent import book_digest
from lorewright.core.fields import brief
from lorewright.core.written import written
from lorewright.errors import InputError
from lorewright.templates.host_facts import HOST_FACTS, check_facts

TOOLS = make_tools()
HUGE = 10**5000
FIELDS = [name for name in Entry.__dataclass_fields__ if name not in {"uid", "extra", "layout"}]
NUMBERS = st.sampled_from([1, True, 1.0]) | st.tuples(st.sampled_from([4299, 4300, 5000]), st.sampled_from([0, 1])).map(
    lambda drawn: 10 ** drawn[0] + drawn[1]
)
VALUES = st.recursive(
    NUMBERS | st.none() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


def is_same(left, right):
    """An independent model of `written alike`: types, values and the order of names."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(is_same(left[name], right[name]) for name in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left == right


@given(VALUES, VALUES)
def test_two_odd_values_are_equal_if_they_are_the_same(one, other):
    assert (Odd(one) == Odd(other)) is is_same(one, other)
    assert Odd(one) == Odd(one)
    assert hash(Odd(one)) == hash(Odd(one))
    assert repr(Odd(one)).startswith("Odd(value=")


@pytest.mark.parametrize("value", [HUGE, [HUGE], {"a": (HUGE,)}, {HUGE: 1}, Odd([HUGE])], ids=range(5))
def test_it_is_shown_in_short(value):
    assert len(brief(value)) <= 60


@pytest.mark.parametrize("value", [1, "x", [1, {"a": None}], (1,), 1.5, {"a": Odd(1)}])
def test_what_python_writes_is_written_as_python_does(value):
    assert written(value) == repr(value)


@pytest.mark.parametrize("value", [HUGE, Odd(HUGE), Odd([HUGE]), Odd({"a": {"b": HUGE}})], ids=range(4))
@pytest.mark.parametrize("field", FIELDS)
def test_any_field_of_an_entry_can_hold_it(field, value):
    fields = {"keys": ("a",), "constant": True, "content": "x", field: value}
    book = Book("b", (Entry(uid=1, **fields),))
    lore = load_lore([ActiveBook(book)], TOOLS)
    woven = weave(Turn(messages=(Message("Max", "a"),)), lore, DictMemory(), TOOLS)

    assert [verdict.entry for verdict in woven.assembly.trace.all()] == ["b.1"]
    assert book_digest(book) == book_digest(Book("b", (Entry(uid=1, **fields),)))
    assert book_digest(book) != book_digest(Book("b", (Entry(uid=1, **{**fields, field: Odd([HUGE + 1])}),)))


@pytest.mark.parametrize("name", HOST_FACTS)
@pytest.mark.parametrize("value", [HUGE, [HUGE], {"a": HUGE}, {HUGE: HUGE}, [{"name": HUGE}]], ids=range(5))
def test_a_fact_that_is_one_is_refused_in_words(name, value):
    with pytest.raises(InputError) as caught:
        check_facts({name: value})

    assert name in caught.value.message
    assert len(caught.value.message) < 500


def test_a_name_of_a_fact_that_is_one_is_refused_in_words():
    with pytest.raises(InputError, match="There is no fact"):
        check_facts({HUGE: 1})
