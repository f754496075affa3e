"""A new value into the text of an old one. Expected texts are written by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.formats.json_rewrite import rewrite_json

NAMES = st.sampled_from(["a", "b", "note", "x y", "é", ""])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('{"a":1e3,"b":2}', {"a": 1000.0, "b": 3}, '{"a":1e3,"b":3}'),
        ('{ "a" : 1.0 , "b":2 }', {"a": 1.0, "b": 3}, '{ "a" : 1.0 , "b":3 }'),
        ('{"a":1.0}', {"a": 1}, '{"a":1}'),
        ('{"a":1}', {"a": True}, '{"a":true}'),
        ('{"a":"\\u0041\\/"}', {"a": "A/", "b": "é"}, '{"a":"\\u0041\\/","b":"\\u00e9"}'),
        ('{"a":"é"}', {"a": "é", "b": "ü"}, '{"a":"é","b":"ü"}'),
        ('{"a": 1, "b": 2}', {"a": 1, "b": {"c": 3}, "d": 4}, '{"a": 1, "b": {"c": 3}, "d": 4}'),
        ('{"a":1,"b":2,"c":3}', {"b": 2, "c": 3}, '{"b":2,"c":3}'),
        ('{ "a":1,  "b":2}', {"b": 2}, '{ "b":2}'),
        ('{"a":1,"b":2,"c":3}', {"a": 1, "b": 2}, '{"a":1,"b":2}'),
        ('{"a": 1 }', {}, "{}"),
        ("{ }", {"a": 1}, '{"a":1 }'),
        ("[1, 2, 3]", [1, 2], "[1, 2]"),
        ("[ 1,2 ]", [1, 2, 3], "[ 1,2,3 ]"),
        ('[{"a":-0},{"a":1e0}]', [{"a": 0, "b": 1}, {"a": 1.0}], '[{"a":-0,"b":1},{"a":1e0}]'),
        ('{"a":1,"a":2}', {"a": 3}, '{"a":1,"a":3}'),
        ('{"a":1,"b":0,"a":2}', {"b": 0}, '{"b":0}'),
        ('{"b":1,"a":2}', {"a": 2, "b": 1}, '{"b":1,"a":2}'),
        ('  {"a":1}\r', {"a": 2}, '  {"a":2}\r'),
        ("{a: 1, /* mine */}", {"a": 2}, '{"a":2}'),
        ('{"a":1} // mine', {"a": 2}, '{"a":2}'),
        ('{"a":[]}', {"a": [1]}, '{"a":[1]}'),
        ('{"a":"x"}', {"a": "\ud83d"}, '{"a":"\\ud83d"}'),
        ('{"a":{"b":1},"c":2}', {"a": [1], "c": 2}, '{"a":[1],"c":2}'),
    ],
)
def test_only_what_changed_is_written(text, value, expected):
    assert rewrite_json(text, value) == expected


def test_integers_of_many_digits_stay():
    digits = "9" * 5000

    assert rewrite_json(f'{{"a":{digits},"b":1}}', {"a": digits, "b": 2}) == f'{{"a":{digits},"b":2}}'


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_json_has_no_infinity(number):
    with pytest.raises(FormatError, match="infinity"):
        rewrite_json('{"a":1}', {"a": [number]})


@given(VALUES, VALUES, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" , ", " :  ")]))
def test_any_text_becomes_the_text_of_any_value(old, new, ascii_only, separators):
    text = json.dumps(old, ensure_ascii=ascii_only, separators=separators)

    assert rewrite_json(text, old) == text
    found = json.loads(rewrite_json(text, new))
    assert json.dumps(found, sort_keys=True) == json.dumps(new, sort_keys=True)


@given(st.dictionaries(NAMES, VALUES, min_size=1), st.data())
def test_members_that_did_not_change_keep_their_texts(old, data):
    texts = {name: json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))) for name, value in old.items()}
    text = "{" + ",".join(f"{json.dumps(name)}: {value}" for name, value in texts.items()) + "}"
    name = data.draw(st.sampled_from(sorted(old)))

    made = rewrite_json(text, {**old, name: "quite new"})

    members = [f"{json.dumps(one)}: {json.dumps('quite new') if one == name else texts[one]}" for one in old]
    assert made == "{" + ",".join(members) + "}"
