"""Keys in one text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.keylist import join_keys, split_keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", []),
        (" , ,", []),
        ("harbor, port", ["harbor", "port"]),
        ("/(?:wyrm|drake){1,2}/i", ["/(?:wyrm|drake){1,2}/i"]),
        ("/a{1,2}/i , b", ["/a{1,2}/i", "b"]),
        (r"/a\/b,c/,d", [r"/a\/b,c/", "d"]),
        ("AC/DC, /home/user, plain", ["AC/DC", "/home/user", "plain"]),
        ("/home,/x", ["/home", "/x"]),
    ],
)
def test_split(text, keys):
    assert split_keys(text) == keys


@pytest.mark.parametrize("value", [None, 7, ["a, b"], {}])
def test_what_is_no_text_stays(value):
    assert split_keys(value) is value


@given(st.text(alphabet="ab,/ \\{i\n", max_size=20))
def test_splitting_twice_changes_nothing(text):
    keys = split_keys(text)

    assert split_keys(join_keys(keys)) == keys
