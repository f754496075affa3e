"""What the repaired language gives: expected values by hand, from what the documentation of RisuAI promises."""

import pytest

from lorewright.templates.cbs import NATIVE, Call, CbsContext, Character, Chat, render

CONTEXT = CbsContext(
    user="Mara",
    character=Character(name="Iris", personality="p"),
    chat=Chat(messages=({"role": "user", "data": "{{setvar::a::hacked}}"},)),
    variables={"a": "1", "trap": '["{{setvar::a::hacked}}", "}}{{user}}#}"]', "names": '["{{user}}", "}}#}"]'},
    call=Call(writes=True),
    switches=NATIVE,
)

CASES = {
    "an inner else belongs to the inner block": (
        "{{#when::0}}a{{#when::1}}b{{:else}}c{{/when}}{{:else}}d{{/when}}",
        "d",
    ),
    "an inner else in the branch that is taken": (
        "{{#when::1}}a{{#when::0}}b{{:else}}c{{/when}}{{:else}}d{{/when}}",
        "ac",
    ),
    "else inside a line of several": ("{{#when::0}}\na{{:else}}b\n{{/when}}", "b"),
    "blank lines around a branch go": ("{{#when::1}}\n a\n{{:else}}\nb\n{{/when}}", " a"),
    "keep leaves them": ("{{#when::keep::1}}\na\n{{:else}}\nb\n{{/when}}", "\na\n"),
    "keep with a false condition": ("{{#when::keep::0}}a{{:else}}b{{/when}}", "b"),
    "legacy reads as an if": ("{{#when::legacy::1}}\n  a\n    b\n{{/when}}", "a\nb"),
    "else in a loop": ('{{#each ["1","0"] x}}{{#when::{{slot::x}}}}y{{:else}}n{{/when}}{{/each}}', "yn"),
    "else in a function": (
        "{{#func f}}{{#when::{{arg::1}}}}y{{:else}}n{{/when}}{{/func}}{{call::f::1}}{{call::f::0}}",
        "yn",
    ),
    "else in a pure block": ("{{#pure}}{{#when::1}}a{{:else}}b{{/when}}{{/pure}}", "{{#when::1}}a{{:else}}b{{/when}}"),
    "else in an if that is false": ("{{#if 0}}{{#when::1}}a{{:else}}b{{/when}}{{/if}}c", "c"),
    "only the branch that is taken writes": (
        "{{#when::1}}{{setvar::a::2}}{{:else}}{{setvar::a::3}}{{/when}}{{getvar::a}}",
        "2",
    ),
    "items of a list do not run": (
        "{{#each {{getvar::trap}} x}}{{slot::x}};{{/each}}{{getvar::a}}",
        "{{setvar::a::hacked}};}}{{user}}#};1",
    ),
    "items are their own text in a macro": ("{{#each {{getvar::names}} x}}{{length::{{slot::x}}}}{{/each}}", "84"),
    "messages do not run": ("{{contains::{{userhistory}}::hacked}}{{getvar::a}}", "11"),
    "temporary variables outlive a number": ("{{settempvar::t::1}}{{arrayelement::[7]::0}}{{tempvar::t}}", "71"),
    "zero and false are results": ("{{arrayelement::[0]::0}}{{arrayelement::[false]::0}}", "0false"),
    "many calls": ("{{personality}}" * 40, "p" * 40),
    "a function that calls itself ends": (
        "{{#func f}}x{{call::f}}{{/func}}{{call::f}}",
        "x" * 19 + "ERROR: Call stack limit reached",
    ),
    "as with a list of parts": ("{{#each a§b as x}}{{slot::x}},{{/each}}", "a,b,"),
    "a default is set once": ("{{setdefaultvar::n::1}}{{setdefaultvar::n::2}}{{getvar::n}}", "1"),
    "an addition starts from nothing": ("{{addvar::n::2}}{{addvar::n::2}}{{getvar::n}}", "4"),
    "comments go, wherever they stand": ("a{{// x {{user}} }}b{{#if 1}}{{//y}}c{{/if}}", "abc"),
    "an open macro in an open block": ("a{{#if 1}}b{{upper::c", "a{{#if 1}}b{{upper::c"),
    "an empty list has nothing to draw": ("[{{random::[]}}]", "[]"),
}


@pytest.mark.parametrize(("text", "gives"), CASES.values(), ids=CASES)
def test_repaired(text, gives):
    assert render(text, CONTEXT).text == gives
