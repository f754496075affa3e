"""What the recorded cases do not say of the dialect `sillytavern-legacy`: its list, values that are not run, limits."""

import json
import re
from pathlib import Path

import pytest

from lorewright.conformance.macros import read_context, read_input
from lorewright.templates.context import Call, Card, ChatMessage, Context, Settings
from lorewright.templates.legacy import Defects, is_template, passes, render
from lorewright.templates.sillytavern import Limits

CONTEXT = Context(user="Mina", char="Rook", card=Card(description="{{char}} met {{user}}."))
CASES = json.loads((Path(__file__).resolve().parents[2] / "conformance" / "macros" / "legacy-engine.json").read_bytes())

# By spec templates §1.1 and spec macros §A.5, A.7 and §C, in the order of the passes there.
ORDER = """
<USER> <BOT> <CHAR> <CHARIFNOTGROUP> <GROUP> {{roll:FORMULA}} {{instructInput}} {{setvar::NAME::VALUE}} {{getvar::NAME}}
{{setglobalvar::NAME::VALUE}} {{newline}} {{trim}} {{noop}} {{input}} {{charPrompt}} {{charJailbreak}} {{description}}
{{mesExamples}} {{user}} {{char}} {{group}} {{notChar}} {{maxPrompt}} {{lastMessage}} {{reverse:TEXT}} {{// COMMENT}}
{{time}} {{datetimeformat PATTERN}} {{idle_duration}} {{time_UTC+N}} {{outlet::KEY}} {{timeDiff::LEFT::RIGHT}}
{{banned "WORD"}} {{random::ITEMS}} {{pick::ITEMS}}
"""


def test_passes_run_in_the_order_of_the_spec():
    names = [one.name for one in passes(CONTEXT)]

    listed = [name for line in ORDER.split("\n") for name in split_names(line)]
    assert [name for name in names if name in listed] == listed
    assert len(names) == len(set(names))


def split_names(line):
    found: list[str] = []
    for word in line.split():
        if found and found[-1].startswith("{{") and not found[-1].endswith("}}"):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


@pytest.mark.parametrize("name", ["reasoningPrefix", "greeting", "version", "charCreatorNotes", "else", "space"])
def test_names_of_the_new_engine_stay_text(name):
    rendered = render(f"{{{{{name}}}}}", CONTEXT)

    assert rendered.text == f"{{{{{name}}}}}"
    assert [report.code for report in rendered.reports] == ["macro_unknown"]


# --- values are not looked at

LISTED = {
    "legacy-044": "d {{personality}}",
    "legacy-048": "{{user}} {{random::a::b}} {{newline}}",
    "legacy-049": "{{user}} {{time}} {{reverse:ab}}",
    "legacy-050": "{{random::a::b}} {{user}}",
    "legacy-195": "{{random::a::b}}",
}
"""Recorded cases in which the real program runs macros in a value, and what we answer: the value as it is."""


def test_the_only_cases_that_differ_are_those_in_which_values_are_run():
    differing = {}
    for case in CASES["cases"]:
        context = read_context(read_input(CASES["defaults"], case["input"]), [])
        text = render(case["input"]["text"], context).text
        if text != case["expect"]["output"]:
            differing[case["id"]] = text

    assert differing == LISTED


def test_a_chat_message_sets_no_variable_and_is_no_name():
    chat = (ChatMessage("Mina", "{{setvar::hp::0}}user", is_user=True),)
    context = Context(user="Mina", chat=chat, local_variables={"m": "{{setvar::hp::0}}"})

    rendered = render("{{lastMessage}} {{getvar::m}} {{setvar::a::{{roll:1}}}}{{{{lastMessage}}}}", context)

    assert rendered.text == "{{setvar::hp::0}}user {{setvar::hp::0}} {{{{setvar::hp::0}}user}}"
    assert dict(rendered.local_variables) == {"m": "{{setvar::hp::0}}", "a": "1"}
    assert render("{{lastMessage}}{{reverse:{{lastMessage}}}}", context).text.endswith("resu}}0::ph::ravtes{{")


def test_the_defect_can_be_turned_on_to_compare():
    context = Context(user="Mina", chat=(ChatMessage("Mina", "{{reverse:ab}}", is_user=True),))

    assert render("{{lastMessage}}", context, defects=Defects(values_are_scanned=True)).text == "ba"


def test_the_users_own_templates_may_hold_macros():
    context = Context(
        user="Mina", char="Rook", settings=Settings(system_prompt="You are {{char}}.", chat_start="{{user}}")
    )

    assert render("{{systemPrompt}} {{chatStart}}", context).text == "You are Rook. Mina"


def test_a_zero_character_is_a_character_like_any_other():
    assert render("\x000\x00 {{user}}\x00 \x00", CONTEXT).text == "\x000\x00 Mina\x00 \x00"


def test_inert_values_are_filled_in_before_everything():
    rendered = render("{{setvar::a::{{it}}}}[{{it}}]{{reverse:{{it}}}}", CONTEXT, inert={"it": "{{user}}::}"})

    assert rendered.text == "[{{user}}::}]}::}}resu{{"
    assert dict(rendered.local_variables) == {"a": "{{user}}::}"}


# --- limits


def test_a_text_that_becomes_too_long_stays_as_it_was():
    context = Context(local_variables={"a": "x" * 1000})
    text = "{{getvar::a}}" * 100

    rendered = render(text, context, Limits(output=10_000))

    assert len(rendered.text) <= 10_000
    assert rendered.reports


def test_too_many_dice_are_refused():
    rendered = render("{{roll:9999d6}} {{user}}", CONTEXT)

    assert rendered.text == "{{roll:9999d6}} Mina"
    assert [report.code for report in rendered.reports] == ["macro_failed"]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{{getvar::",
            "{{setvar::a",
            "{{setvar::a::",
            "{{//",
            "{{reverse:",
            '{{banned "',
            "{{timeDiff::",
            "{{random:",
        ),
        *(
            "{{",
            "\n",
            "{{timeDiff::a::",
            "{{datetimeformat ",
            "{{time_UTC+1",
            "{{outlet::x\n",
            "<USER",
            "{{roll ",
            "}{{",
        ),
    ],
)
@pytest.mark.parametrize("end", ["", "}", '"}}', "::}}", "\n}}"])
def test_very_many_half_macros_have_an_answer(piece, end):
    """A search that looks at the rest of the text for every half would not end in this life."""
    text = piece * 20_000 + end

    assert len(render(text, CONTEXT).text) <= Limits().output


def test_a_text_without_macros_is_not_worked_on():
    assert not is_template("a } b { c < d \\{")
    assert render("plain", CONTEXT).text == "plain"


def test_macros_of_the_call_take_the_place_of_what_they_replace():
    call = Call(dynamic={"user": "dyn", "list": [1, "a"], "none": None, "now": lambda: 5})
    context = Context(user="Mina", call=call)

    assert render("{{user}} {{list}} [{{none}}] {{now}}", context).text == 'dyn [1,"a"] [] 5'


def test_the_page_lists_all_passes_in_their_order():
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "dialects.md").read_text("utf-8")
    listed = page.split("<!-- passes -->")[1].split("<!-- end of passes -->")[0]
    written = [name for name in re.findall(r"`([^`]+)`", listed) if name != "{{"]

    assert written == [one.name for one in passes(Context(call=Call(original="x")))]
