"""`lorewright task-prompt`: code reads the tree that `vars` prints, and what `--var` says over it."""

import pytest

INITIAL = {"comment": "[InitVar] start", "content": "hp: 9\nbag: {rope: 1}\n", "disable": True}
BRANCH = {
    "comment": "Branch",
    "constant": True,
    "content": "<%= getvar('stat_data.hp', {defaults: 'none'}) %>/<%= stat_data ? stat_data.hp : 'none' %>"
    "/<%= variables.stat_data ? variables.stat_data.bag.rope : 'none' %>/<%= getvar('mood') %>",
}
HIT = {"name": "Ana", "is_user": False, "mes": "You fall. _.set('hp', 5);"}
ASKED = {"name": "Max", "is_user": True, "mes": "Am I hurt? _.set('bag.rope', 2);"}


def kept(hp):
    return {"stat_data": {"hp": hp, "bag": {"rope": 1}}, "schema": None}


def lore(shop, messages, *words, entries=(INITIAL, BRANCH)):
    found = shop.json(
        *("task-prompt", "recall", "--book", shop.book(*entries), "--chat", shop.chat(messages)),
        *("--run-code", "--filter", "custom", "--var", "mood=calm", *words),
    )
    return [one["text"] for one in found["lore"]]


def test_commands_of_the_chat_are_carried_out(shop):
    assert lore(shop, [HIT, ASKED]) == ["5/5/2/calm"]


def test_the_record_that_the_chat_keeps_counts(shop):
    first = HIT | {"variables": [kept(3)]}

    assert lore(shop, [first, ASKED], entries=[BRANCH]) == ["3/3/2/calm"]
    assert lore(shop, [first, ASKED]) == ["3/3/2/calm"]
    assert lore(shop, [first, ASKED | {"variables": [{"stat_data": {"hp": 4, "bag": {"rope": 7}}}]}]) == ["4/4/7/calm"]


def test_without_a_tree_there_is_none(shop):
    assert lore(shop, [ASKED], entries=[BRANCH]) == ["none/none/none/calm"]


def test_a_variable_of_the_command_line_reaches_the_tree(shop):
    assert lore(shop, [HIT], "--var", "stat_data.hp=7", "--var", "stat_data.bag.rope=8") == ["7/7/8/calm"]
    assert lore(shop, [HIT], "--var", "stat_data['hp']=7") == ["7/7/1/calm"]
    assert lore(shop, [ASKED], "--var", "stat_data.bag.rope=1", "--var", "stat_data.hp=2", entries=[BRANCH]) == [
        "2/2/1/calm"
    ]


@pytest.mark.parametrize("name", ["stat_data", "stat_data.", "stat_data.__proto__.x", "stat_data.a.constructor"])
def test_what_has_no_place_in_the_tree_is_refused(shop, name):
    result = shop.run(
        *("task-prompt", "recall", "--book", shop.book(INITIAL, BRANCH), "--chat", shop.chat([HIT])),
        *("--var", f"{name}=1"),
    )

    assert result.exit_code == 2
    assert f"--var {name}: " in result.stderr
