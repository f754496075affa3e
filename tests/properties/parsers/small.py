"""The dialects that only fill in paths or names: `bme` and `host-strict`."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from lorewright.templates import bme, host_strict
from tests.properties.parsers.parser import HOSTILE, Parser, texts

VALUES = {
    "a": {"b": [1, {"n": "{{a}}"}], "": "x"},
    "n": "{{a}}",
    "date": None,
    "list": [{"content": "hi", "role": "user"}, {"mes": "yo", "name": "Al"}],
    "long": "x" * 60,
    "user": "Mina",
}
PATHS = [
    *("{{", "}}", "{", "}", " ", ".", "$", "a", "n", "b", "0", "list", "length", "\n", "é", "😀", "\ud83d", "::", "\t"),
    *("{{a}}", "{{a.b}}", "{{a.b.1.n}}", "{{ n }}", "{{date}}", "{{list}}", "{{list.0.content}}", "{{long}}", "{{a.}}"),
    *("{{.a}}", "{{none}}", "{{user}}", "{{user.length}}", "{{$x}}", "{{evil}}", "{{setvar::a::1}}"),
]
REFERENCES = {"a": "{{n}}", "n": None, "user": "Mina", "long": "x" * 60, "empty": ""}
NAMES = [
    *("{{", "}}", "{", "}", " ", "a", "n", "_", "1", "\n", "é", "😀", "\ud83d", "{{a}}", "{{user}}", "{{long}}"),
    *("{{n}}", "{{empty}}", "{{none}}", "{{ a }}", "{{A}}", "{{a_1}}"),
]


def only_named(scope: str) -> Callable[[Mapping[str, Any], frozenset[str]], Mapping[str, Any]]:
    return lambda whole, reads: {name: value for name, value in whole.items() if f"{scope}:{name}" in reads}


BME = Parser(
    texts(PATHS),
    st.just(VALUES),
    {"a": {"b": [HOSTILE]}, "n": HOSTILE, "list": [{"content": HOSTILE}], "user": HOSTILE},
    bme.is_template,
    lambda text, values, most: bme.substitute(text, values, output=most),
    only_named("value"),
    lambda _: {"a": "other", "evil": 1},
)
BME_BLOCKS = BME._replace(render=lambda text, values, most: bme.fill_block(text, values, output=most))
HOST_STRICT = Parser(
    texts(NAMES),
    st.just(REFERENCES),
    {"a": HOSTILE, "user": HOSTILE, "long": HOSTILE, "empty": HOSTILE},
    host_strict.is_template,
    lambda text, values, most: host_strict.render(text, values, output=most),
    only_named("variable"),
    lambda _: {"a": "other", "evil": "1"},
)
