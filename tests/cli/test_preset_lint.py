"""`lorewright preset lint`."""

import pytest

from tests.lint.presets import at_depth, preset, prompt

VALUE = preset(
    prompt("main", "You are the keeper of the ninth lamp."),
    prompt("now", "It is {{time}}.", name="The hour"),
    "chatHistory",
    at_depth("near", "Rain.", 2),
    openai_max_tokens=300,
)


def test_table_findings_and_summary(shop):
    """37 characters are 10 tokens by the estimate, 15 are 4, and 5 are 2."""
    path = shop.write("lamp.json", VALUE)
    done = shop.run("preset", "lint", path)
    lines = done.stdout.splitlines()

    assert done.exit_code == 1
    assert lines[0] == f"== {path}: a SillyTavern chat completion preset, tokens by estimate"
    assert [line.split() for line in lines if " system " in line and " - " not in line] == [
        ["7", "front", "kept", "system", "10", "main"],
        ["8", "front", "changes", "system", "4", "now", "(The", "hour)"],
        ["10", "tail", "anew", "system", "2", "near", "at", "depth", "2"],
    ]
    assert any(
        line.startswith("warning: The hour content: ") and line.endswith("[preset_front_changes]") for line in lines
    )
    assert lines[-1] == (
        "front 14 tokens (kept, 4 of them again when they differ), tail 2 tokens (read anew each turn). Card, persona, lore "
        "and chat are not counted."
    )


def test_json(shop):
    answer = shop.json("preset", "lint", shop.write("lamp.json", VALUE))
    block = next(one for one in answer["blocks"] if one["id"] == "now")

    assert (answer["format"], answer["counter"], answer["nothing"]) == ("st_preset_chat", "estimate", "")
    assert answer["tokens"] == {"front": 14, "kept": 10, "tail": 2, "off": 0}
    assert block == {
        "id": "now",
        "kind": "prompt",
        "name": "The hour",
        "role": "system",
        "place": 8,
        "depth": None,
        "stands": "front",
        "tokens": 4,
        "cost": "changes",
        "triggers": [],
        "causes": [{"kind": "clock", "macro": "{{time}}", "variable": "", "writer": ""}],
        "native": {"tokens": 4},
        "sillytavern": {"tokens": 6, "messages": "all"},
    }
    assert {(one["entry"], one["level"]) for one in answer["findings"] if one["code"] == "preset_at_depth"} == {
        ("near", "warning")
    }


def test_nothing_above_info_is_done(shop):
    path = shop.write("p.json", preset(prompt("main", "Hello."), "chatHistory"))

    assert shop.run("preset", "lint", path).exit_code == 0


def test_another_context(shop):
    value = preset(prompt("main", "Hello."), "chatHistory", openai_max_context=4000, openai_max_tokens=300)
    done = shop.run("preset", "lint", shop.write("p.json", value), "--context-tokens", "300")

    assert done.exit_code == 1
    assert "[preset_no_room]" in done.stdout


def test_an_export_has_one_order_for_all(shop):
    order = [entry for listed in VALUE["prompt_order"] for entry in listed["order"]]
    export = {"version": 1, "type": "full", "data": {"prompts": VALUE["prompts"], "prompt_order": order}}
    answer = shop.json("preset", "lint", shop.write("export.json", export))

    assert (answer["format"], answer["tokens"]["tail"]) == ("st_prompt_export", 2)
    assert "preset_order_missing" not in {one["code"] for one in answer["findings"]}


def test_a_sampler_has_nothing_to_check(shop):
    value = {"temp": 0.7, "rep_pen": 1.1, "rep_pen_range": 1024, "top_p": 0.5, "top_k": 0, "typical": 0.19, "tfs": 0.97}
    done = shop.run("preset", "lint", shop.write("s.json", {**value, "sampler_order": [6, 5, 4, 3, 2, 1, 0]}))

    assert done.exit_code == 0
    assert (
        done.stdout.splitlines()[-1] == "It holds settings of the sampler and no prompts, so there is nothing to check."
    )


def test_templates_together(shop):
    master = {
        "instruct": {"name": "I", "input_sequence": "<u>", "output_sequence": "<a>"},
        "context": {"name": "C", "story_string": "It is {{date}}. {{#if system}}{{system}}{{/if}}"},
        "sysprompt": {"name": "S", "content": "Be brief."},
    }
    answer = shop.json("preset", "lint", shop.write("master.json", master))

    assert answer["format"] == "st_master_export"
    assert [block["id"] for block in answer["blocks"] if block["cost"] == "changes"] == ["story_string"]


def test_a_template_of_risuai(shop):
    """Before its chat is the front, behind it the tail; what it has places for is not counted. 11 characters are 3
    tokens."""
    template = [
        {"type": "plain", "role": "system", "text": "{{time}}abc"},
        {"type": "description"},
        {"type": "chat", "rangeStart": 0, "rangeEnd": -2},
        {"type": "plain", "role": "system", "name": "Again", "text": "Keep it up."},
        {"type": "chat", "rangeStart": -2, "rangeEnd": "end"},
        {"type": "persona", "innerFormat": "You: {{slot}}"},
    ]
    preset = {
        "name": "R",
        "promptTemplate": template,
        "promptSettings": {},
        "temperature": 0.7,
        "maxTokens": 100,
        "regex": [],
    }
    answer = shop.json("preset", "lint", shop.write("r.json", preset))

    assert [(one["id"], one["stands"], one["cost"], one["tokens"]) for one in answer["blocks"]] == [
        ("0", "front", "changes", 3),
        ("1", "front", "kept", None),
        ("2", "chat", "kept", None),
        ("3", "tail", "anew", 3),
        ("4", "chat", "kept", None),
        ("5", "tail", "anew", None),
    ]
    assert [(one["entry"], one["code"]) for one in answer["findings"]] == [
        ("0", "preset_front_changes"),
        ("3", "preset_in_tail"),
        ("5", "preset_marker_in_tail"),
    ]


def test_a_preset_of_our_own(shop):
    text = """\
lorewright: 1
kind: preset
name: Harbour
prompts:
  - {id: main, role: system, content: "It is {{time}}.", of_user: true}
orders:
  - prompts: [main, chatHistory]
"""
    answer = shop.json("preset", "lint", shop.write("harbour.yaml", text))

    assert answer["format"] == "native_preset"
    assert ("main", "changes") in [(one["id"], one["cost"]) for one in answer["blocks"]]


def test_a_name_makes_no_line_of_its_own(shop):
    name = "Style\nfront 0 tokens (kept)"
    value = preset(prompt("a\nb", "{{nobody\n}}", name=name, role="x\ny"), "chatHistory")
    lines = shop.run("preset", "lint", shop.write("p.json", value)).stdout.splitlines()

    assert [line for line in lines if line.startswith(("front 0", "b", "y"))] == []
    assert sum("a b (Style front 0 tokens (kept))" in line for line in lines) == 1


def test_what_a_person_sees_has_no_control_characters(shop):
    value = preset(prompt("main", "{{no\x1b[31m}}"), prompt("b", "{{x\u202e}}", name="red\x1b[31m"), "chatHistory")
    done = shop.run("preset", "lint", shop.write("p.json", value))

    assert not {"\x1b", "\u202e"} & set(done.stdout)


@pytest.mark.parametrize("value", [{"entries": {}}, {"a": 1}, [1]])
def test_what_is_no_preset_is_refused(shop, value):
    done = shop.run("preset", "lint", shop.write("x.json", value))

    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
