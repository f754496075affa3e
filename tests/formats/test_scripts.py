"""Regex scripts and quick replies: alone, in lists, in cards; tried, listed, never run."""

import json
from typing import Any

import pytest

from lorewright.fast.regexes import default_regexes
from lorewright.formats.read import read_card
from lorewright.formats.things.thing import QuickReply, RegexScript
from tests.formats.pictures import card
from tests.formats.test_things import SCRIPT, codes, thing


def test_regex_scripts_alone_and_as_list():
    listed = RegexScript(name="s", pattern="/a+/gi", replacement="b", placement=(1, 2), disabled=True)

    assert thing(SCRIPT).value.parts == (listed,)
    assert thing(SCRIPT).value.name == "s"
    read = thing([SCRIPT, SCRIPT])
    assert (read.value.parts, read.found, codes(read)) == ((listed, listed), 2, ["script_inert"])


@pytest.mark.parametrize(
    ("pattern", "more", "found"),
    [
        ("/(a/g", {}, ["regex_invalid"]),
        ("(a", {}, ["regex_invalid"]),
        ("/a/gx", {}, ["regex_unsupported_flag"]),
        ("/a/gg", {}, ["regex_unsupported_flag"]),
        ("/a/gy", {}, ["regex_unsupported_flag"]),
        ("/a/gmisu", {}, []),
        ("/(?<n>a)[^]/gs", {}, []),
        ("/{{char}}(/", {"substituteRegex": 1}, []),
        ("", {}, []),
    ],
)
def test_patterns_are_tried(pattern, more, found):
    read = thing({**SCRIPT, "findRegex": pattern, **more}, regexes=default_regexes())

    assert [code for code in codes(read) if code != "script_inert"] == found


def test_every_field_of_a_script():
    raw = {
        **SCRIPT,
        "trimStrings": ["x", 5],
        "markdownOnly": True,
        "promptOnly": 1,
        "runOnEdit": "yes",
        "substituteRegex": "2",
        "minDepth": "2",
        "maxDepth": "",
    }

    read = thing(raw).value.parts[0]

    assert (read.trimmed, read.for_display, read.for_prompt, read.on_edit) == (("x",), True, True, True)
    assert (read.macros_in_pattern, read.least_depth, read.most_depth) == ("escaped", 2, 0)
    without = thing({**SCRIPT, "minDepth": -2, "maxDepth": "x", "substituteRegex": 5}).value.parts[0]
    assert (without.least_depth, without.most_depth, without.macros_in_pattern) == (None, None, "no")


def test_active_html_is_a_warning():
    levels = [thing({**SCRIPT, "replaceString": text}).reports[0].level for text in ("<b>x</b>", "<script>x</script>")]

    assert levels == ["info", "warning"]


def test_scripts_of_a_card_do_not_hide_its_book():
    value: dict[str, Any] = card(
        "A", character_book={"entries": [{"id": 0, "keys": ["k"], "content": "c", "enabled": True}]}
    )
    value["data"]["extensions"] = {
        "regex_scripts": [SCRIPT],
        "risuai": {"customScripts": [{"comment": "r", "in": "x", "out": "y", "type": "editdisplay"}]},
    }

    read = read_card(json.dumps(value).encode())

    assert (read.found, [one.name for one in read.value.regex_scripts]) == (1, ["s", "r"])
    assert "script_inert" in codes(read)


def test_risu_scripts():
    rows = [
        {"comment": "c", "in": "(x", "out": "y", "type": "editinput", "ableFlag": True, "flag": "gi<order 3>"},
        {"comment": "d", "in": "x", "out": "", "type": "disabled"},
    ]

    read = thing({"type": "regex", "data": rows}, regexes=default_regexes())

    assert [(one.name, one.placement, one.disabled) for one in read.value.regex_scripts] == [
        ("c", ("editinput",), False),
        ("d", ("disabled",), True),
    ]
    assert codes(read) == ["regex_invalid", "script_inert"]


def test_quick_replies_of_both_versions():
    new = {"version": 2, "name": "n", "qrList": [{"label": "Go", "message": "/run x", "automationId": "door"}, 5]}
    old = {"name": "o", "quickReplySlots": [{"label": "Hi", "mes": "Hello."}]}

    read = thing(new)

    assert read.value.parts == (QuickReply(label="Go", script="/run x", automation_id="door"),)
    assert (read.found, read.refused) == (2, 1)
    assert codes(read) == ["entry_not_object", "script_inert"]
    assert thing(old).value.parts == (QuickReply(label="Hi", script="Hello."),)
    assert codes(thing(old)) == []
