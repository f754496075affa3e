"""JSON by hand: comments, trailing commas, single quotes, bare names."""

import json

import pytest

from lorewright.formats.lenient_json import as_strict_json

READ = {
    "{a: 1,}": {"a": 1},
    "{'a': 'it\\'s \"q\"',}": {"a": 'it\'s "q"'},
    "[+1, .5, 5., 0x1F, 1e3, -.5]": [1, 0.5, 5.0, 31, 1000.0, -0.5],
    "/* x */ [1,] // y": [1],
    "{'a': '\\x41\\\nz'}": {"a": "Az"},
    "{true: 1, null: null}": {"true": 1, "null": None},
    '["// no", "/* no */",]': ["// no", "/* no */"],
}
REFUSED = ["[1 2]", "[,]", "{,}", "[1,,]", "{a: b}", "[tru]", "{'a'", "/* x", "# x\n[]", "'\n'", "{a 1}"]


@pytest.mark.parametrize("text", READ)
def test_json5_is_read(text):
    assert json.loads(as_strict_json(text) or "") == READ[text]


@pytest.mark.parametrize("text", REFUSED)
def test_nothing_is_guessed(text):
    made = as_strict_json(text)

    with pytest.raises(ValueError):
        json.loads(made or "")
