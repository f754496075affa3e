"""What was read of an item is read again only if it is written otherwise."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.memo import ANEW
from lorewright.fast.memo import KeptMemo
from lorewright.gateway.weaving.bodies import Bodies
from lorewright.providers.exact import read_each

VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, -0.0, "", "1", "role", "ü", "\ud800"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["role", "content", "name"]), VALUES | st.sampled_from(["user", "x"]), max_size=3),
    max_size=5,
)


def read(item, place):
    return place, json.dumps(item)


@given(st.lists(ITEMS, max_size=6))
def test_items_are_read_as_they_are_written(requests):
    memo = KeptMemo()

    for items in requests:
        assert list(read_each(memo, read, items)) == list(read_each(ANEW, read, items))


@given(st.lists(ITEMS, max_size=6), st.sampled_from(["messages", "input", "other"]))
def test_requests_are_written_as_json_is(requests, name):
    bodies = Bodies()

    for items in requests:
        body = {"model": "m", name: items, "n": 1}
        plain = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        assert bodies.write(body) == plain


def test_numbers_that_python_takes_for_equal_are_not():
    memo = KeptMemo()
    written = [read_each(memo, read, [{"role": "a"}, {"content": value}])[1][1] for value in (1, True, 1.0)]

    assert written == ['{"content": 1}', '{"content": true}', '{"content": 1.0}']


def test_fields_in_another_order_are_written_otherwise():
    memo = KeptMemo()
    orders = ({"role": "user", "content": "x"}, {"content": "x", "role": "user"})

    assert [read_each(memo, read, [{}, one])[1][1] for one in orders] == [json.dumps(one) for one in orders]
