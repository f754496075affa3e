"""The dialects `bme` and `host-strict`."""

import pytest

from lorewright.templates import bme, host_strict
from lorewright.templates.transcript import CONTEXT_HEADER, TARGET_HEADER

VALUES = {
    "name": "Alice",
    "n": 3,
    "flag": False,
    "nothing": None,
    "deep": {"a": {"b": "x"}, "list": [1, {"2": 1, "b": None}]},
    "said": "{{name}}",
    "new": [{"content": "a", "isContextOnly": True}, {"mes": "b", "is_user": True, "isContextOnly": False}],
}


# Expected by spec mvu-filter §7.1: letters, digits, `_ . $`; nothing is empty; objects are compact JSON.
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{{name}} {{ name }} {{NAME}} {{name.length}}", "Alice Alice  5"),
        ("{{n}} {{flag}} [{{nothing}}] [{{deep.a.b.c}}]", "3 false [] []"),
        ("{{deep.a}} {{deep.list}} {{deep.list.0}} [{{deep.list.9}}]", '{"b":"x"} [1,{"2":1,"b":null}] 1 []'),
        ("{{a b}} {{name::x}} {{a-b}} {name} {{", "{{a b}} {{name::x}} {{a-b}} {name} {{"),
        ("{{said}} {{$x}}", "{{name}} "),
        ("{{{name}}}", "{Alice}"),
        ("{{.deep..a.b.}} [{{..}}] {{\ufeffname\u3000}}", "x [] Alice"),
    ],
)
def test_paths_in_entries(written, expected):
    assert bme.substitute(written, VALUES).text == expected


def test_paths_in_blocks():
    # spec mvu-filter §9: indented JSON, transcripts, headings where both kinds occur (case transcript-sections-split)
    assert bme.fill_block("{{deep.list}}", VALUES).text == '[\n  1,\n  {\n    "2": 1,\n    "b": null\n  }\n]'
    assert bme.fill_block("{{new}}", VALUES).text == (
        f"{CONTEXT_HEADER}\n\n#1 [assistant]: a\n\n{TARGET_HEADER}\n\n#2 [user]: b"
    )
    assert bme.fill_block("{{$x}}", VALUES).text == "{{$x}}"


def test_what_a_block_read_is_known():
    rendered = bme.substitute("{{deep.a.b}}{{n}}", VALUES)

    assert rendered.reads == {"value:deep", "value:n"}
    assert rendered.kinds == {"state"}
    assert not bme.substitute("plain", VALUES).volatile


@pytest.mark.parametrize("fill", [bme.substitute, bme.fill_block, host_strict.render])
def test_a_result_over_the_limit_is_refused(fill):
    rendered = fill("{{x}}" * 100, {"x": "y" * 50}, output=4000)

    assert rendered.text == "{{x}}" * 100
    assert [report.code for report in rendered.reports] == ["macro_output_limit"]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("{{nope}}", "does not exist"),
        ("{{none}}", "has no value"),
        ("{{ a }}", "no reference"),
        ("{{A}}", "no reference"),
    ],
)
def test_one_wrong_reference_fails_a_strict_text(written, problem):
    rendered = host_strict.render(f"{{{{a}}}} {written}", {"a": "1", "none": None}, "section")

    assert rendered.text == f"{{{{a}}}} {written}"
    assert [report.code for report in rendered.reports] == ["reference_failed"]
    assert problem in rendered.reports[0].message


def test_a_strict_text_is_filled_in_once():
    rendered = host_strict.render("{{a}} {{ b", {"a": "{{b}}", "b": "x"})

    assert rendered.text == "{{b}} {{ b"
    assert rendered.reads == frozenset({"variable:a"})
