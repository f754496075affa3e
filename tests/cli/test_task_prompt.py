"""The command `task-prompt`."""

import json
from typing import get_args

import pytest

from lorewright.cli.task_screen import _WARNINGS
from lorewright.tasks.warnings import WarningKind

STATE = "<status_current_variable>secret=true</status_current_variable>"


@pytest.fixture
def world(shop):
    """A book with an entry of each kind, and a chat."""
    return shop.book(
        {"comment": "The tower", "content": "It is old.", "constant": True},
        {"comment": "[mvu_update] rules", "content": "RULES", "constant": True},
        {"comment": "Looks like it", "content": STATE, "constant": True},
        {"comment": "Dragon", "content": "It sleeps, <%= user %>.", "key": ["dragon"], "position": 4, "depth": 1},
        {"comment": "Off", "content": "OFF", "constant": True, "disable": True},
    ), shop.chat()


def prompt(shop, world, *words):
    book, chat = world
    return shop.json("task-prompt", "recall", "--book", book, "--chat", chat, *words)


def said(found):
    return "\n".join(message["content"] for message in found["messages"])


def test_the_default_filter_keeps_mvu_out(shop, world):
    found = prompt(shop, world)

    assert [(one["entry"], one["reason"]) for one in found["removed"]] == [
        ("[mvu_update] rules", "mvu_tagged"),
        ("Looks like it", "mvu_content"),
    ]
    assert "It is old." in said(found)
    assert "RULES" not in said(found)
    assert found["messages"][-1] == {"role": "user", "content": "Then I ask the dragon by the river."}
    assert found["debug"]["mvu"]["filteredEntryCount"] == 2
    assert found["debug"]["customFilter"]["mode"] == "default"


def test_the_custom_filter_goes_by_keywords_alone(shop, world):
    found = prompt(shop, world, "--filter", "custom", "--keywords", "tower，x,TOWER")

    assert [(one["entry"], one["reason"], one["keyword"]) for one in found["removed"]] == [
        ("The tower", "custom_keyword", "tower"),
        ("Off", "disabled", ""),
    ]
    assert STATE in said(found)
    assert [report["code"] for report in found["reports"]] == ["task_filter_joined_keywords"]


def test_code_runs_only_when_that_is_said(shop, world):
    assert [one["kind"] for one in prompt(shop, world)["warnings"]] == ["not_trusted"]

    found = prompt(shop, world, "--run-code")

    assert found["warnings"] == []
    assert "[assistant|Dragon]: It sleeps, Max." in said(found)


def test_a_profile_from_a_file_and_settings_beside_it(shop, world):
    block = {"id": "u", "type": "custom", "role": "user", "content": "{{more}} {{charName}} {{worldInfoBefore}}"}
    exported = {"format": "st-bme-task-profile", "taskType": "extract", "profile": {"id": "mine", "blocks": [block]}}
    profile = shop.write("profile.json", exported)
    settings = shop.write(
        "settings.json", {"worldInfoFilterMode": "custom", "worldInfoFilterCustomKeywords": "it,rules"}
    )
    context = shop.write("context.json", {"more": "MORE"})
    book, chat = world
    found = shop.json(
        *("task-prompt", profile, "--book", book, "--chat", chat, "--settings", settings, "--context", context)
    )

    assert (found["task"], found["profile"]) == ("extract", "mine")
    assert found["filter"] == {"mode": "custom", "keywords": ["it", "rules"]}
    assert found["messages"][-1] == {"role": "user", "content": "MORE Ana It is old."}


def test_it_is_readable(shop, world):
    book, chat = world
    output = shop.run(
        "task-prompt", "recall", "--book", book, "--chat", chat, "--message", "the dragon <update>x</update>"
    )

    assert output.exit_code == 0
    for line in (
        "Task: recall, profile default, filter default",
        "world: [mvu_update] rules: its title has a tag of MVU",
        "before: world: The tower (constant)",
        "input userMessage: artifact_stripped",
        "not_trusted: The entry `Dragon` holds code, and its book is not trusted, so it is left out.",
        "    the dragon",
    ):
        assert line in output.stdout.splitlines() or line in output.stdout


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ("recal", "`recal` is no task and no file. Tasks: extract, recall"),
        ("missing.json", "cannot be read"),
        ("chat.jsonl", "chat.jsonl"),
        ("world.json", "this is no profile of a task"),
    ],
)
def test_what_is_no_profile(shop, world, monkeypatch, profile, sentence):
    book, chat = world
    monkeypatch.chdir(shop.folder)
    result = shop.run("task-prompt", profile, "--book", book, "--chat", chat)

    assert result.exit_code == 2
    assert sentence in result.stderr


def test_what_a_gate_keeps_back_is_told_by_its_id(shop):
    book = shop.write(
        "book.json",
        json.dumps(
            {
                "lorewright": 1,
                "name": "novel",
                "entries": [
                    {
                        "uid": "secret",
                        "title": "The murderer",
                        "content": "SECRET",
                        "constant": True,
                        "gate": [{"flag": "met"}],
                    },
                    {"uid": "open", "title": "The house", "content": "It stands.", "constant": True},
                ],
            }
        ),
    )
    chat = shop.chat()
    found = shop.json("task-prompt", "recall", "--book", book, "--chat", chat)

    assert found["withheld"] == {"novel": ["secret"]}
    assert "SECRET" not in json.dumps(found)
    assert "murderer" not in json.dumps(found)
    opened = shop.json("task-prompt", "recall", "--book", book, "--chat", chat, "--var", "met=true")
    assert "SECRET" in said(opened)


def test_people_read_warnings_in_english_and_programs_the_recorded_ones_too(shop):
    book = shop.book(
        {"comment": "EW/Dyn/old", "content": "OLD", "constant": True},
        {"comment": "Broken", "content": "<% throw new Error('oh') %>", "constant": True},
        {"comment": "Alien", "content": "<% execute('/x') %>", "constant": True},
        {"comment": "State", "content": f"<%= {STATE!r} %>", "constant": True},
        {"comment": "Circle", "content": "<%- await getwi('Circle') %>", "constant": True},
        {"comment": "Lost", "content": "<% await activewi('Nobody') %>", "constant": True},
    )
    world = book, shop.chat()
    found = prompt(shop, world, "--run-code")
    shown = shop.run("task-prompt", "recall", "--book", world[0], "--chat", world[1], "--run-code").stdout

    assert {one["kind"] for one in found["warnings"]} >= {"legacy_names", "render_failed", "unsupported_helper"}
    assert "世界书" in "".join(one["text"] for one in found["warnings"])
    assert all(one["message"].isascii() and one["message"] in shown for one in found["warnings"])
    assert shown.isascii()


def test_every_warning_has_a_sentence_for_people():
    assert set(_WARNINGS) == set(get_args(WarningKind))


def test_the_filter_that_works_is_named(shop, world):
    book, chat = world
    settings = shop.write("settings.json", {"worldInfoFilterMode": "custm"})
    words = ("task-prompt", "recall", "--book", book, "--chat", chat, "--settings", settings)
    shown = shop.run(*words)

    assert "filter default" in shown.stdout
    assert "`custm` is no mode" in shown.stdout + shown.stderr
    assert shop.json(*words)["filter"]["mode"] == "default"


def test_what_is_missing_is_an_option_that_the_command_has(shop):
    result = shop.run("task-prompt", "recall", "--chat", shop.chat())

    assert result.exit_code == 2
    assert "No lorebook is named. Give one by --book, or a card by --card." in result.stderr
