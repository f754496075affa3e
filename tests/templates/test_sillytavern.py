"""What the recorded cases do not say of the dialect `sillytavern`: limits, defects, records."""

import pytest

from lorewright.templates.context import Card, ChatMessage, Context, Settings
from lorewright.templates.sillytavern import Defects, Limits, is_template, render

CONTEXT = Context(user="Mina", char="Rook", card=Card(description="{{char}} met {{user}}."))


def codes(rendered):
    return [report.code for report in rendered.reports]


# --- limits


def test_macros_nested_too_deep_stay_whole():
    deep = "{{reverse::" * 40 + "ab" + "}}" * 40

    rendered = render(f"{{{{user}}}} {deep}", CONTEXT)

    assert rendered.text == f"Mina {deep}"
    assert codes(rendered) == ["macro_too_deep"]
    assert render(deep, CONTEXT, Limits(nesting=40)).text == "ab"


@pytest.mark.parametrize("opener", ["{{if 1}}", "{{reverse}}"])
def test_bodies_nested_too_deep_stay_whole(opener):
    closer = opener.replace("{{", "{{/").replace(" 1", "")
    rendered = render(opener * 200 + "x" + closer * 200, CONTEXT)

    assert "x" in rendered.text
    assert codes(rendered) == ["macro_too_deep"]


def test_thousands_of_levels_do_not_end_the_program():
    text = "{{reverse::" * 5000 + "ab" + "}}" * 5000

    assert render(text, CONTEXT, Limits(nesting=10_000)).text == text


def test_a_variable_cannot_double_itself_without_end():
    rendered = render("{{.a = xx}}" + "{{.a = {{.a}}{{.a}}}}" * 40 + "{{.a}}", CONTEXT, Limits(output=10_000))

    assert len(rendered.text) <= 10_000
    assert "macro_failed" in codes(rendered)


def test_a_text_that_becomes_too_long_stays_as_it_was():
    text = "{{space::900}}" * 20

    rendered = render(text, CONTEXT, Limits(output=10_000))

    assert rendered.text == text
    assert codes(rendered) == ["macro_output_limit"]
    assert rendered.local_variables == {}


@pytest.mark.parametrize("macro", ["{{space::100001}}", "{{newline::9999999999999999999999}}", "{{roll::1001d6}}"])
def test_repeats_and_dice_are_bounded(macro):
    rendered = render(macro, CONTEXT)

    assert rendered.text == macro
    assert codes(rendered) == ["macro_failed"]


# --- defects


def test_a_failing_macro_with_a_body_keeps_its_closing_tag_where_the_bug_is_repaired():
    repaired = Defects(scoped_failure_loses_closer=False)

    assert render("{{nope}}a{{/nope}}", CONTEXT).text == "{{nope}}a}}"
    assert render("{{nope}}a{{/nope}}", CONTEXT, defects=repaired).text == "{{nope}}a{{/nope}}"
    assert render("{{space}}x{{/space}}", CONTEXT, defects=repaired).text == "{{space}}x{{/space}}"


def test_names_with_something_stuck_to_them_are_no_macros_where_the_bug_is_repaired():
    repaired = Defects(skips_stuck_characters=False)

    assert render("{{user.name}}", CONTEXT).text == "Mina"
    assert render("{{user.name}} {{user}}", CONTEXT, defects=repaired).text == "{{user.name}} Mina"


# --- what a rendering says of itself


@pytest.mark.parametrize(
    ("text", "kinds", "reads", "writes"),
    [
        ("plain", set(), set(), set()),
        ("{{user}}", set(), {"user"}, set()),
        ("{{description}}", set(), {"card:description", "char", "user"}, set()),
        ("{{reverse::ab}}", set(), set(), set()),
        ("{{getvar::mood}}", {"state"}, {"local:mood"}, set()),
        ("{{$x}}", {"state"}, {"global:x"}, set()),
        ("{{setvar::mood::sad}}", {"writes"}, set(), {"local:mood"}),
        ("{{incvar::n}}", {"state", "writes"}, {"local:n"}, {"local:n"}),
        ("{{time}}", {"clock"}, {"clock"}, set()),
        ("{{random::a::b}}", {"random"}, {"random"}, set()),
        ("{{lastMessage}}", {"state"}, {"chat"}, set()),
        ("{{pick::a::b}}", set(), {"chat:id"}, set()),
        ("{{banned::delve}}", {"state"}, {"setting:api"}, set()),
        ("{{if 0}}{{time}}{{/if}}", set(), set(), set()),
    ],
)
def test_kinds_and_names(text, kinds, reads, writes):
    rendered = render(text, CONTEXT)

    assert (rendered.kinds, rendered.reads, rendered.writes) == (kinds, reads, writes)
    assert rendered.volatile == bool(kinds)


def test_the_context_stays_as_it_is():
    variables = {"n": 1}
    rendered = render("{{incvar::n}}", Context(local_variables=variables))

    assert variables == {"n": 1}
    assert rendered.local_variables == {"n": 2}


def test_a_value_is_never_read_again():
    chat = (ChatMessage("Mina", "{{setvar::x::1}} <USER>", is_user=True),)
    rendered = render("{{lastMessage}} {{input}}", Context(chat=chat, settings=Settings(input="{{user}}")))

    assert rendered.text == "{{setvar::x::1}} <USER> {{user}}"
    assert rendered.local_variables == {}


def test_unknown_macros_are_reported_once():
    rendered = render("{{nope}} {{nope}} {{other::{{user}}}}", CONTEXT)

    assert rendered.text == "{{nope}} {{nope}} {{other::Mina}}"
    assert [report.message for report in rendered.reports] == [
        "`{{nope}}` is no macro; it stays as text.",
        "`{{other}}` is no macro; it stays as text.",
    ]


@pytest.mark.parametrize("text", ["", "plain", "a {b} c", "}} x", "50 < 60 > 40"])
def test_a_text_without_macros_needs_no_look(text):
    assert not is_template(text)
    assert render(text, CONTEXT).text == text


def test_values_are_left_alone_where_the_bug_is_repaired():
    """What an author escapes in an argument is still unescaped, once."""
    repaired = Defects(values_are_cleaned=False)
    said = "\\{hi\\}\n{{trim}}\n"
    context = Context(chat=(ChatMessage("Mina", said, is_user=True),))

    def rendered(text):
        return render(text, context, defects=repaired).text

    assert render("[{{lastMessage}}]", context).text == "[{hi}]"
    assert rendered("[{{lastMessage}}]") == f"[{said}]"
    assert rendered("{{if 1}}[{{lastMessage}}]{{/if}}{{nope {{lastMessage}}}}") == f"[{said}]{{{{nope {said}}}}}"
    assert rendered("{{setvar::a::{{lastMessage}}}}{{getvar::a}}") == said
    assert rendered("{{reverse::\\{ab\\} c}}") == "c }ba{"
    assert rendered("{{.a = x\n{{trim}}\ny{{else}}}}{{.a}}") == "xy"
