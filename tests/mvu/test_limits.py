"""How much a reply may do: what is over a limit is refused by name, and takes bounded time (docs/reference/mvu.md)."""

import json

import pytest

from lorewright.mvu.arguments import ArgumentReader
from lorewright.mvu.behaviour import CAREFUL, RECORDED
from lorewright.mvu.budget import DEEPEST, LARGEST_TREE, LONGEST_PATH
from lorewright.mvu.chat import Line, Player, handle
from lorewright.mvu.commands import MOST_COMMANDS
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import report_of
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.update import update
from tests.effort import cpu_below

OPEN = {"$meta": {"extensible": True, "recursiveExtensible": True}, "hp": 1, "bag": {}, "log": []}
BEFORE = Record(strip(OPEN), generate(OPEN))
BOTH = pytest.mark.parametrize("carry_out", [update, update_permissively])


def categories(after):
    return {refusal.category for refusal in after.refused}


@BOTH
def test_a_reply_may_hold_500_commands(carry_out):
    text = "_.add('hp', 1);\n" * (MOST_COMMANDS + 3)

    after = carry_out(BEFORE, text)

    assert (MOST_COMMANDS, after.record.tree["hp"]) == (500, 501)
    assert [(one.category, one.text) for one in after.refused] == [("too_many", "_.add('hp', 1);")] * 3
    assert "500" in report_of(after.refused[0]).message


@BOTH
def test_operations_of_patches_count(carry_out):
    patch = json.dumps([{"op": "delta", "path": "/hp", "value": 1}] * 400)

    after = carry_out(BEFORE, f"<JSONPatch>{patch}</JSONPatch>" * 2)

    assert after.record.tree["hp"] == 501
    assert len(after.refused) == 101  # the last one counts those that are not listed
    assert "200 more" in after.refused[-1].message


@BOTH
def test_the_tree_may_take_a_mebibyte(carry_out):
    text = f"_.insert('log', '{'x' * 90_000}');\n" * 14

    after = carry_out(BEFORE, text)

    size = len(json.dumps(after.record.tree))
    assert LARGEST_TREE * 0.8 < size <= LARGEST_TREE
    assert categories(after) == {"too_large"}
    assert len(after.record.tree["log"]) == 11


@BOTH
def test_a_tree_that_is_too_large_already_may_shrink(carry_out):
    large = Record({"hp": 1, "log": ["x" * LARGEST_TREE]}, BEFORE.schema)

    after = carry_out(large, "_.set('hp', 2); _.delete('log', 0); _.insert('log', 'a');")

    assert after.record.tree["log"] in ([], ["a"], ["x" * LARGEST_TREE])
    assert len(json.dumps(after.record.tree)) <= LARGEST_TREE + 100


def test_merging_the_same_again_does_not_count_twice():
    value = json.dumps({f"k{n}": "x" * 100 for n in range(3000)})

    after = update(BEFORE, f"_.insert('bag', {value});\n" * 8)

    assert categories(after) == set()
    assert len(after.record.tree["bag"]) == 3000


@BOTH
def test_levels_are_limited(carry_out):
    nested = json.loads("[" * 60 + "]" * 60)
    text = "".join(f"_.insert('log{'[0]' * (59 * n)}', {json.dumps(nested)});\n" for n in range(3))

    after = carry_out(BEFORE, text)

    assert "too_large" in categories(after)
    assert json.dumps(after.record.tree).count("[") <= DEEPEST + 1


@pytest.mark.parametrize("value", ["[" * 65 + "]" * 65, "{a:" * 70 + "1" + "}" * 70])
def test_a_value_that_is_nested_too_deep_is_refused(value):
    after = update(BEFORE, f"_.insert('log', {value});")

    assert after.record.tree["log"] in ([], [value])
    assert value.startswith("{") or categories(after) == {"too_large"}


@BOTH
@pytest.mark.parametrize("path", ["x" * (LONGEST_PATH + 1), ".".join("a" * (DEEPEST + 1)), "[0]" * (DEEPEST + 1)])
def test_paths_are_limited(carry_out, path):
    after = carry_out(BEFORE, f"_.set('{path}', 1); _.insert('{path}', 1);")

    assert categories(after) == {"too_large"}
    assert after.record.tree == BEFORE.tree


def test_lists_are_not_filled_up_to_far_places():
    for carry_out in (update, update_permissively):
        after = carry_out(BEFORE, "_.set('log[99999999]', 1); _.insert('log', 99999999, 2);")
        assert len(after.record.tree["log"]) <= 1


def test_slow_readers_read_so_many_letters_of_a_reply():
    reader = ArgumentReader(CAREFUL)
    text = "[" + "剑, " * 2000 + "]"

    found = [reader.read(text) for _ in range(12)]

    assert isinstance(found[0], list)
    assert found[-1] == text


HOSTILE = {
    "open commands": "_.set(" * 100_000,
    "open parentheses": "_.set('a', " + "(" * 200_000,
    "quotes": "_.set('a', " + "'\"`" * 200_000 + ");",
    "backslashes": "_.set('hp', '" + "\\" * 300_000 + "');",
    "open blocks": "<update>" * 50_000,
    "open patches": "<JSONPatch>[" * 30_000 + "</JSONPatch>",
    "patches": '<JSONPatch>[{"op":"add","path":"/log/-","value":1}]</JSONPatch>' * 5_000,
    "commas": "_.set('hp'" + "," * 300_000 + ");",
    "signs": f"_.set('hp', {'-' * 900}1);" * 500,
    "powers": "_.set('hp', 9^9^9^9^9); _.set('hp', 170!!!!!); _.set('hp', 1e308*10);" * 100,
    "brackets": f"_.set('hp', {'(' * 900}1{')' * 900});" * 300,
    "sums": f"_.set('hp', {'1+' * 490}1);" * 500,
    "yaml": "_.set('hp', [" + "a: b, " * 1300 + "]);\n" + "_.set('hp', {? [" + "*x " * 2000 + "]});\n" * 20,
    "paths": "_.set('" + "a[" * 490 + "', 1);" * 400,
    "spaces": "_.set('hp', 1);" + " " * 200_000 + "//" + " " * 200_000,
    "merges": "".join(f"_.insert('bag', {{k{n}: {{k: {n}}}}});" for n in range(500)),
    "entities": "_.set(&quot;hp&quot;, " + "&quot;" * 100_000 + ");",
    "digits": "_.set('hp', " + "9" * 300_000 + ");",
    "status": "<status_current_variable>" * 30_000 + "</>" * 30_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_replies_take_bounded_time(text):
    with cpu_below(25.0):
        for behaviour in (CAREFUL, RECORDED):
            update(BEFORE, text, behaviour)
        update_permissively(BEFORE, text)
        handle((Line("A", ("Hello.",), records=(BEFORE.stored(),)), Line("A", (text,))), 1, Player())


def test_large_values_put_in_again_and_again_take_bounded_time():
    many = {
        "$meta": {"extensible": True},
        "bag": {"$meta": {"extensible": True}, **{f"k{n}": [n, "d"] for n in range(30_000)}},
    }
    large = Record(strip(many), generate(many))

    with cpu_below(60.0):
        after = update(large, "".join(f"_.insert('bag', 'n{n}', {{a: {n}}});" for n in range(500)))

    assert len(after.changes) + len(after.refused) == 500
