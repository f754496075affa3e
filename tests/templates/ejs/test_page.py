"""The page of the functions: it lists what the sandbox has, and what that refuses."""

import re
from pathlib import Path

import pytest

from lorewright.templates.ejs import Limits, Output, Scene, Value
from lorewright.templates.ejs.play import names_of

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "ejs.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([\w$]+)` \| (yes|refused|) ?\| (yes|refused|) ?\|", PAGE, re.MULTILINE)
NAMES = """<%= JSON.stringify(Object.getOwnPropertyNames(Object.getPrototypeOf(this)).map(name => {
  try {
    const value = this[name];
    if (typeof value === 'function' && !['print', 'include', 'escapeFn', 'rethrow', '_'].includes(name)) value().catch?.(() => {});
    return [name, 'yes'];
  } catch (error) { return [name, error.code === 'unsupported_helper' ? 'refused' : 'yes'] }
})) %>"""


@pytest.mark.parametrize(("functions", "column"), [("bme", 1), ("host", 2)])
def test_every_name_stands_on_the_page_as_it_is(sandbox, functions, column):
    listed = {row[0]: row[column] for row in ROWS if row[column]}
    with sandbox.generation(Scene(functions=functions), lambda request: Value(None), {"main"}) as generation:
        found = generation.render("main", NAMES)

    assert isinstance(found, Output), found
    names = dict(re.findall(r'\["([\w$]+)","(\w+)"\]', found.text))
    assert listed == names | ({"print": "yes"} if functions == "host" else {})


def test_what_a_text_finds_beside_the_functions_stands_there():
    table = PAGE.split("### What else")[1].split("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == names_of()


def test_the_limits_stand_there():
    limits = Limits()
    table = PAGE.split("## Limits")[1]

    for number in (
        f"{limits.entry_cpu_seconds:g} s",
        f"{limits.entry_seconds:g} s",
        f"{limits.generation_seconds:g} s",
        f"{limits.heap_bytes >> 20} MB",
        f"{limits.stack_bytes >> 10} kB",
        f"{limits.output_bytes >> 10} kB",
        f"{limits.levels} levels",
        f"{limits.message_bytes >> 20} MB",
    ):
        assert f" {number}" in table
