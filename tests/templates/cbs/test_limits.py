"""Past a limit there is a clear report and the text stays; nothing hangs and nothing raises."""

from dataclasses import replace

import pytest

from lorewright.templates.cbs import NATIVE, RECORDED, Call, CbsContext, Character, Chat, Limits, render

CONTEXT = CbsContext(
    user="Mara", character=Character(name="Iris", id="c"), chat=Chat(id="d"), call=Call(writes=True), switches=RECORDED
)
SELF = "{{#each {{getvar::v}} x}}{{slot::x}}{{/each}}"

PAST = {
    "endless range": ("{{range::[0,1,0]}}", CONTEXT),
    "range away from its end": ("{{range::[0,1,-1]}}", CONTEXT),
    "long range": ("{{range::10001}}", CONTEXT),
    "too many dice": ("{{roll::1001d6}}", CONTEXT),
    "far item of a list": ("{{arrayassert::[]::20000::x}}", CONTEXT),
    "far item of an object": ("{{objectassert::[]::20000::x}}", CONTEXT),
    "repeated text": ("{{cbr::2000000}}", CONTEXT),
    "replacing by a long text": ("{{replace::" + "a" * 2000 + "::a::" + "b" * 2000 + "}}", CONTEXT),
    "replacing by what stands before": ("{{replace::" + "a" * 3000 + "::a::$`}}", CONTEXT),
    "joining by a long text": ("{{join::" + "§" * 2000 + "::" + "b" * 2000 + "}}", CONTEXT),
    "doubling a variable": ("{{setvar::v::{{getvar::v}}{{getvar::v}}}}" * 40, CONTEXT),
    "an each that makes itself": (SELF, replace(CONTEXT, variables={"v": f'["{SELF}"]'})),
    "a function that calls itself twice": (
        "{{#func f}}{{call::f}}{{call::f}}{{/func}}{{call::f}}",
        replace(CONTEXT, switches=NATIVE, limits=Limits(work_chars=300_000)),
    ),
    "a long result": ("{{user}}" * 10, replace(CONTEXT, user="x" * 1000, limits=Limits(output_chars=2000))),
}


@pytest.mark.parametrize(("text", "context"), PAST.values(), ids=PAST)
def test_the_text_stays(text, context):
    context = replace(context, variables={"w": "1", **context.variables})

    rendered = render(text, context)

    assert rendered.text == text
    assert [report.code for report in rendered.reports][-1:] == ["macro_limit"]
    assert rendered.local_variables == context.variables
    assert not rendered.writes


def test_a_limit_that_is_reached_exactly_is_not_passed():
    assert render("{{arraylength::{{range::10000}}}}", CONTEXT).text == "10000"
    assert render("{{roll::1000d1}}", CONTEXT).text == "1000"


def test_too_many_calls_are_reported():
    rendered = render("{{persona}}" * 20, replace(CONTEXT, persona="p"))

    assert rendered.text == "p" * 19 + "ERROR: Call stack limit reached"
    assert [report.code for report in rendered.reports] == ["macro_calls"]


@pytest.mark.parametrize(
    ("text", "code", "mentions"),
    [
        ("{{asset::x}}", "macro_unknown", "`{{asset}}`"),
        ("{{button::a::b}}", "macro_unknown", "screen"),
        ("{{upper}}", "macro_failed", "`{{upper}}`"),
    ],
)
def test_what_stays_as_text_is_reported(text, code, mentions):
    rendered = render(text, CONTEXT)

    assert rendered.text == text
    assert [report.code for report in rendered.reports] == [code]
    assert mentions in rendered.reports[0].message


@pytest.mark.parametrize("text", ["{{// a note}}", "{{setvar::a::1}}", "{{:else}}", "{{/if}}", "{{#unknown}}", "{{}}"])
def test_what_is_no_mistake_is_not_reported(text):
    assert render(text, replace(CONTEXT, call=Call())).reports == ()
