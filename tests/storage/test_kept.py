"""What is kept beside a file for a while: right while it is there, and never more than is allowed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lorewright.storage.kept import Kept

KEYS = st.integers(0, 9)


def by_length(_, value):
    return len(value)


def test_what_was_not_asked_for_longest_goes_first():
    kept: Kept[Any, Any] = Kept(3, lambda *_: 1)
    for key in "abc":
        kept.put(key, key.upper())
    kept.get("a")
    kept.put("d", "D")
    kept.put("c", "see")
    kept.put("e", "E")

    assert {key: kept.get(key) for key in "abcde"} == {"a": None, "b": None, "c": "see", "d": "D", "e": "E"}


def test_a_chat_that_just_fits_is_known_turn_after_turn():
    kept: Kept[Any, Any] = Kept(100, lambda *_: 1)
    missed: list[int] = []
    for _ in range(3):
        missed = [key for key in range(100) if kept.get(key) is None and kept.put(key, "x")]

    assert missed == []


def test_a_value_that_is_heavier_than_all_that_is_allowed_is_not_kept():
    kept: Kept[Any, Any] = Kept(10, by_length)

    assert kept.put(1, "x" * 50) == "x" * 50
    assert kept.get(1) is None
    assert len(kept) == 0


def test_nothing_is_left_of_what_is_forgotten():
    kept: Kept[Any, Any] = Kept(10, by_length)
    kept.put(1, "abc")
    kept.put(2, "abc")
    kept.put(3, "abc")
    kept.forget()

    assert [kept.get(key) for key in (1, 2, 3)] == [None, None, None]
    assert len(kept) == 0


@given(st.lists(st.tuples(KEYS, st.one_of(st.none(), st.text("x", max_size=12)))))
def test_a_value_is_the_last_one_that_was_put_or_none(steps):
    """An independent model: a plain dict that forgets nothing."""
    kept: Kept[int, str] = Kept(20, by_length)
    model: dict[int, str] = {}
    for key, value in steps:
        if value is None:
            assert kept.get(key) in (None, model.get(key))
        else:
            model[key] = kept.put(key, value)
            assert kept.get(key) == value


@given(st.lists(st.tuples(KEYS, st.text("x", max_size=8), KEYS)))
def test_what_is_kept_weighs_no_more_than_is_allowed(steps):
    kept: Kept[Any, Any] = Kept(20, by_length)
    for key, value, other in steps:
        kept.put(key, value)
        kept.get(other)
    found = [kept.get(key) for key in range(10)]

    assert sum(len(value) for value in found if value is not None) <= 20
    assert len(kept) == sum(value is not None for value in found)
