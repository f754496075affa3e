"""Variables as SillyTavern keeps them; the values come from spec/macros.md §B, "Variables"."""

import pytest

from lorewright.templates.rendered import Record
from lorewright.templates.variables import MAX_INDEX, VariableError, Variables, json_text, shown


def variables(**local):
    return Variables(local, {}, Record())


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("007", "7"),
        ("1.50", "1.5"),
        ("0x1F", "31"),
        (" 5 ", "5"),
        ("1e21", "1e+21"),
        ("  ", "  "),
        (True, "1"),
        (False, "0"),
        (None, "0"),
        ([1, 2], "[1,2]"),
        ([5], "5"),
        ({"b": 1, "2": 1.0}, '{"2":1,"b":1}'),
    ],
)
def test_reading_shows_what_javascript_takes_for_a_number(stored, read):
    assert shown(variables(x=stored).get("local", "x")) == read


def test_a_missing_variable_is_empty():
    assert shown(variables().get("local", "x")) == ""


@pytest.mark.parametrize(
    ("stored", "added", "kept"),
    [
        ('["a"]', "b", '["a","b"]'),
        ("[1]", 1, "[1,1]"),
        ("2", "3", 5),
        (False, "x", "x"),
        ("false", 1, "false1"),
        ("", "x", "x"),
        ("0", "x", "x"),
        ("5", "x", "5x"),
    ],
)
def test_adding(stored, added, kept):
    held = variables(x=stored)

    held.add("local", "x", added)

    assert held.values("local")["x"] == kept


def test_keys():
    held = variables(text="no json", listed="[1]")

    held.set_key("local", "new", "2", "c")
    held.set_key("local", "object", "k", "v")
    held.set_key("local", "text", "k", "v")
    held.set_key("local", "listed", "", "first")

    assert dict(held.values("local")) == {
        "text": "no json",
        "listed": '["first"]',
        "new": '[null,null,"c"]',
        "object": '{"k":"v"}',
    }
    assert held.get("local", "text", "k") == "no json"
    assert held.get("local", "new", "length") == 3
    assert held.get("local", "object", "constructor") == ""


def test_a_list_does_not_grow_without_limit():
    with pytest.raises(VariableError, match="at most 10000 items, not 10001"):
        variables().set_key("local", "x", str(MAX_INDEX + 1), "v")


def test_a_variable_needs_a_name():
    with pytest.raises(VariableError, match="needs a name"):
        variables().set("local", "", "v")


def test_the_given_variables_stay_and_every_name_is_recorded():
    given = {"x": 1}
    record = Record()
    held = Variables(given, {}, record)

    held.set("local", "x", 2)
    held.get("global", "y")

    assert given == {"x": 1}
    assert held.values("local") == {"x": 2}
    assert (record.reads, record.writes, record.kinds) == ({"global:y"}, {"local:x"}, {"state", "writes"})


def test_json_text_is_that_of_javascript():
    assert json_text({"a": [True, None, "\ud800é\n"], "1": 1e21}) == '{"1":1e+21,"a":[true,null,"\\ud800é\\n"]}'
