"""The decorator lines of V3 and RisuAI as data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.imported import Notes
from lorewright.formats.v3_decorators import note_decorators, parse_decorators


def used(content):
    return [(one.name, *one.values) for one in parse_decorators(content) if one.used]


CASES = {
    "": [],
    "text": [],
    "@@depth 4\ntext": [("depth", "4")],
    "\n \r\n  @@depth 4 \r\n@@role user\r\ntext": [("depth", "4"), ("role", "user")],
    "@@depth 4\n\n@@role user\ntext": [("depth", "4")],
    "@@depth 4\ntext\n@@role user": [("depth", "4")],
    "@@depth 4\n@@depth 5": [("depth", "4")],
    "@@depth x\n@@depth 5": [("depth", "5")],
    "@@depth": [],
    "@@depth -1": [("depth", "-1")],
    "@@depth 4,5": [],
    "@@additional_keys a, b,,\n@@additional_keys c": [("additional_keys", "a", "b"), ("additional_keys", "c")],
    "@@additional_keys": [],
    "@@role narrator": [],
    "@@position pt_mood": [("position", "pt_mood")],
    "@@position nowhere": [],
    "@@activate": [("activate",)],
    "@@ACTIVATE": [],
    "@@new_thing 1\n@@@depth 2\ntext": [("depth", "2")],
    "@@depth x\n@@@scan_depth 2": [("scan_depth", "2")],
    "@@depth 1\n@@@scan_depth 2": [("depth", "1")],
    "@@depth 1\n@@@new\n@@@scan_depth 2": [("depth", "1")],
    "@@new\n@@@depth 1\n@@@scan_depth 2": [("depth", "1")],
    "@@new\n@@@newer\n@@@scan_depth 2": [("scan_depth", "2")],
    "@@@depth 1\ntext": [],
    "@@disable_ui_prompt system_prompt": [("disable_ui_prompt", "system_prompt")],
    "@@inject_replace a b": [("inject_replace", "a b")],
    "@@": [],
}


@pytest.mark.parametrize("content", CASES, ids=ascii)
def test_what_has_an_effect(content):
    assert used(content) == CASES[content]


def test_every_line_is_given_with_its_number():
    found = parse_decorators("\n@@depth 4\n@@new a, b\n@@@activate\ntext @@x")

    assert [(one.name, one.values, one.known, one.line, one.is_fallback) for one in found] == [
        ("depth", ("4",), True, 2, False),
        ("new", ("a", "b"), False, 3, False),
        ("activate", (), True, 4, True),
    ]


def reports(content):
    notes = Notes()
    note_decorators(content, notes, "e")
    return [(report.code, report.message.split("`")[1]) for report in notes.reports()]


def test_unknown_names_are_reported_unless_a_fallback_stands_in():
    assert reports("@@new 1\ntext") == [("decorator_unknown", "@@new")]
    assert reports("@@new 1\n@@@depth 2\ntext") == []
    assert reports("@@new 1\n@@@newer\n@@depth 2") == [("decorator_unknown", "@@new"), ("decorator_unknown", "@@newer")]
    assert reports("@@depth 1\n@@@new") == []
    assert reports("text\n@@new 1") == []
    assert reports(None) == []
    assert reports("@@\ud800") == [("decorator_unknown", "@@\\ud800")]


def test_a_flood_of_lines_is_cut():
    assert len(parse_decorators("@@depth 1\n" * 100_000)) == 1000


@given(st.text(st.sampled_from("@ab \n\r,1\ud800")))
def test_any_text(content):
    found = parse_decorators(content)

    assert all(content.split("\n")[one.line - 1].strip(" \t\r").startswith("@@") for one in found)
    reports(content)
