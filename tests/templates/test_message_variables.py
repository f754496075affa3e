"""`{{get_message_variable::…}}` and `{{format_message_variable::…}}` (docs/reference/macros.md)."""

import pytest

from lorewright.core.model import Turn
from lorewright.core.protocols import RenderContext
from lorewright.core.variables import Values
from lorewright.templates.dialects import DialectRenderer

TREE = {
    "hp": 90,
    "name": "Old Tom",
    "bag": {"rope": 1, "keys": ["iron", "no"], "$hidden": 1, "empty": {}, "none": []},
    "gold": [45, "coins: many"],
    "when": None,
    "dead": False,
    "生命": 1.5,
    "a b": {"c": "x"},
    "trap": "{{setvar::n::1}}{{user}} <%= 1 + 1 %>",
}
VARIABLES = {"stat_data": TREE, "display_data": {**TREE, "hp": "100->90 (a blow)"}, "delta_data": {"hp": "100->90"}}
BOTH = pytest.mark.parametrize("dialect", ["sillytavern", "sillytavern-legacy"])


def render(text, dialect="sillytavern", variables=VARIABLES):
    context = RenderContext(Turn(user="Mina"), lambda: 0.5, variables=Values(variables))
    return DialectRenderer(dialect).render(text, context)


@BOTH
@pytest.mark.parametrize(
    ("path", "gives"),
    [
        ("stat_data.hp", "90"),
        ("stat_data.name", "Old Tom"),
        ("stat_data.bag.keys", '["iron","no"]'),
        ("stat_data.bag.keys[1]", "no"),
        ("stat_data.bag.keys.0", "iron"),
        ("stat_data.bag", '{"rope":1,"keys":["iron","no"],"empty":{},"none":[]}'),
        ("stat_data.gold[0]", "45"),
        ("stat_data.when", "null"),
        ("stat_data.dead", "false"),
        ("stat_data.生命", "1.5"),
        ("stat_data['a b'].c", "x"),
        ("stat_data.mana", "null"),
        ("stat_data.hp.more", "null"),
        ("stat_data.bag.keys[7]", "null"),
        ("stat_data.bag.keys.length", "null"),
        ("stat_data.__class__", "null"),
        ("display_data.hp", "100->90 (a blow)"),
        ("delta_data.hp", "100->90"),
    ],
)
def test_a_value_is_shown_as_text_or_json(dialect, path, gives):
    assert render(f"<{{{{get_message_variable::{path}}}}}>", dialect).text == f"<{gives}>"


SHOWN = """\
rope: 1
keys:
  - iron
  - "no"
empty: {}
none: []"""


@BOTH
def test_a_value_is_shown_as_yaml(dialect):
    assert render("{{format_message_variable::stat_data.bag}}", dialect).text == SHOWN
    assert render("{{FORMAT_message_variable::stat_data.gold}}", dialect).text == '- 45\n- "coins: many"'
    assert render("{{format_message_variable::stat_data.name}}", dialect).text == "Old Tom"


@BOTH
def test_nothing_in_a_value_is_run(dialect):
    shown = render("{{get_message_variable::stat_data.trap}}", dialect)

    assert shown.text == TREE["trap"]
    assert shown.writes == ()


@BOTH
def test_a_text_that_shows_variables_depends_on_state(dialect):
    shown = render("{{get_message_variable::stat_data.hp}}", dialect)

    assert "state" in shown.kinds
    assert "local:stat_data" in shown.reads
    assert shown.volatile


@BOTH
def test_without_a_tree_the_macro_stays(dialect):
    assert render("{{get_message_variable::stat_data.hp}}", dialect, {"hp": 1}).text == (
        "{{get_message_variable::stat_data.hp}}"
    )


def test_a_macro_can_say_the_path():
    variables = {**VARIABLES, "where": "stat_data.hp"}

    assert render("{{get_message_variable::{{getvar::where}}}}", variables=variables).text == "90"
