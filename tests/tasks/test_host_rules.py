"""Regex scripts of the host in a task (spec mvu-filter §10): which are used, on what, and of whom."""

import pytest

from lorewright.core.regex_script import RegexScript
from lorewright.tasks.host_rules import HostRules, ScriptOrigin, choose_scripts
from lorewright.tasks.prompt import TaskRequest, build_task_prompt
from lorewright.tasks.regexes import read_task_rules
from lorewright.tasks.world import TaskTools
from lorewright.templates.ejs import Sandbox
from tests.tasks.world import REGEXES, SCENE, Shelf, entry


def script(**fields):
    return RegexScript(**{"name": "s", "pattern": "/x/g", "replacement": "y", **fields})


@pytest.mark.parametrize(
    ("changed", "used"),
    [
        ({}, True),
        ({"for_prompt": True}, True),
        ({"for_display": True}, False),
        ({"disabled": True}, False),
        ({"pattern": ""}, False),
        ({"replacement": "<b>y</b>"}, False),
        ({"replacement": "a style = 'b'"}, False),
        ({"replacement": "3 < 4, styled"}, True),
    ],
)
def test_which_scripts_are_used(changed, used):
    chosen = choose_scripts({"global": [script(**changed)]}, read_task_rules({"globalTaskRegex": {}}))

    assert bool(chosen) is used


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, ["g", "p", "c"]),
        ({"sources": {"preset": False}}, ["g", "c"]),
        ({"inheritStRegex": False}, []),
        ({"enabled": False}, []),
    ],
)
def test_settings_say_whose_scripts_are_used(config, expected):
    scripts: dict[ScriptOrigin, list[RegexScript]] = {
        "global": [script(name="g")],
        "preset": [script(name="p")],
        "character": [script(name="c")],
    }

    assert [one.name for one in choose_scripts(scripts, read_task_rules({"globalTaskRegex": config}))] == expected


@pytest.mark.parametrize(
    ("fields", "source", "role", "depth", "expected"),
    [
        ({}, "world_info", "system", None, "y"),
        ({"placement": (1,)}, "world_info", "system", None, "x"),
        ({"placement": (5,)}, "world_info", "system", None, "y"),
        ({"placement": (1,)}, "user_input", "system", None, "y"),
        ({"placement": (2,)}, "ai_output", "assistant", None, "y"),
        ({"placement": (2,)}, "ai_output", "user", None, "x"),
        ({"placement": (1,)}, "ai_output", "user", None, "y"),
        ({"least_depth": 1}, "ai_output", "assistant", 0, "x"),
        ({"least_depth": 1, "most_depth": 2}, "ai_output", "assistant", 2, "y"),
        ({"least_depth": 1}, "ai_output", "assistant", None, "y"),
    ],
)
def test_on_which_texts(fields, source, role, depth, expected):
    assert HostRules([script(**fields)], REGEXES).change("x", source, role, depth) == expected


@pytest.mark.parametrize("mode", ["default", "custom"])
def test_they_act_on_inputs_and_lore_on_both_runways(mode):
    """Of a message only what was said, by who said it; other texts of a message, and other values, stay."""
    user, reply = script(name="u", placement=(1,), replacement="U"), script(name="r", placement=(2,), replacement="R")
    lore = script(name="l", placement=(5,), replacement="L")
    chat = [{"role": "user", "content": "x", "note": "x"}, {"role": "assistant", "content": "x", "name": "x"}]
    shown = [
        {"type": "builtin", "sourceKey": "worldInfoBefore"},
        {"type": "builtin", "sourceKey": "recentMessages", "order": 1},
        {"type": "custom", "content": "{{chatMessages.0.note}}{{extra}}{{userMessage}}", "role": "user", "order": 2},
    ]
    settings = {"worldInfoFilterMode": mode, "taskProfiles": {"recall": {"profiles": [{"blocks": shown}]}}}
    context = {"chatMessages": chat, "recentMessages": "", "extra": "x", "userMessage": "x"}
    with Sandbox() as sandbox:
        built = build_task_prompt(
            TaskRequest(task="recall", settings=settings, context=context, books=("main",), scene=SCENE),
            Shelf(main=[entry("a", "x")]),
            TaskTools(REGEXES, sandbox, scripts={"global": [user, reply, lore]}),
        )

    assert [message.content for message in built.messages] == ["L", "#1 [user]: U\n\n#2 [assistant|x]: R", "xxU"]
    assert {event.rule for event in built.events} == {"u", "r", "l"}
