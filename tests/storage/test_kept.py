"""What is kept beside a file for a while: right while it is there, and never more than is allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.storage.kept import Kept

KEYS = st.integers(0, 9)


def by_length(_, value):
    return len(value)


def test_what_was_asked_for_last_stays_longest():
    kept = Kept(6, lambda *_: 1)
    for key in "abc":
        kept.put(key, key.upper())
    for key in "de":
        assert kept.get("a") == "A"
        kept.put(key, key.upper())
    for key in "fg":
        kept.put(key, key.upper())

    assert kept.get("a") == "A"
    assert kept.get("b") is None
    assert kept.get("c") is None


def test_a_value_that_is_heavier_than_all_that_is_allowed_stays_until_two_others_came():
    kept = Kept(10, by_length)
    kept.put(1, "abc")
    kept.put(2, "x" * 50)
    kept.put(3, "abc")
    assert len(kept) == 2
    kept.put(4, "abc")

    assert kept.get(2) is None
    assert kept.get(4) == "abc"


def test_nothing_is_left_of_what_is_forgotten():
    kept = Kept(10, by_length)
    kept.put(1, "abc")
    kept.put(2, "abc")
    kept.put(3, "abc")
    kept.forget()

    assert [kept.get(key) for key in (1, 2, 3)] == [None, None, None]
    assert len(kept) == 0


@given(st.lists(st.tuples(KEYS, st.one_of(st.none(), st.text("x", max_size=12)))))
def test_a_value_is_the_last_one_that_was_put_or_none(steps):
    """An independent model: a plain dict that forgets nothing."""
    kept, model, last = Kept(20, by_length), {}, None
    for key, value in steps:
        if value is None:
            assert kept.get(key) in (None, model.get(key))
        else:
            last = model[key] = kept.put(key, value)
            assert kept.get(key) == last


@given(st.lists(st.tuples(KEYS, st.text("x", max_size=8), KEYS)))
def test_what_is_kept_weighs_no_more_than_is_allowed(steps):
    kept = Kept(40, by_length)
    for key, value, other in steps:
        kept.put(key, value)
        kept.get(other)
        assert sum(len(found) for key in range(10) if (found := _look(kept, key)) is not None) <= 40


def _look(kept, key):
    """Whether a key is there, without asking for it."""
    return kept._new.get(key, kept._old.get(key))


@pytest.mark.parametrize("most", [0, 1])
def test_with_no_room_the_newest_is_kept(most):
    kept = Kept(most, by_length)
    kept.put(1, "abc")

    assert kept.get(1) == "abc"
