"""Presets, templates, regex scripts, quick replies: listed, reported, kept whole."""

import csv
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.fast.regexes import default_regexes
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import readable
from lorewright.formats.read import read_book, read_thing
from lorewright.formats.things.reader import read_thing_value, write_thing
from lorewright.formats.things.thing import Prompt, Section
from tests.formats.test_corpus import INPUTS, check_warnings, expectation, is_thing
from tests.formats.test_round_trip import VALUES

REGEXES = default_regexes()
KINDS = [kind.id for kind in readable("thing")]
FOLDERS = {
    "st-preset-chat": "st_preset_chat",
    "st-preset-textgen": "st_preset_textgen",
    "st-preset-other": "st_preset_textgen",
    "st-context": "st_context",
    "st-instruct": "st_instruct",
    "st-sysprompt": "st_sysprompt",
    "st-regex": "st_regex",
    "st-quickreply": "st_quickreply",
    "risu-preset-json": "risu_preset",
}

SCRIPT = {"scriptName": "s", "findRegex": "/a+/gi", "replaceString": "b", "placement": [1, 2], "disabled": True}


def thing(value: Any, **options: Any) -> Any:
    return read_thing(json.dumps(value).encode(), **options)


def codes(read):
    return [report.code for report in read.reports]


def prompt(identifier, **fields):
    return {"identifier": identifier, "name": identifier.title(), "role": "system", "content": "x"} | fields


def preset(prompts, order=None, **fields):
    return {"prompts": prompts, **({} if order is None else {"prompt_order": order}), **fields}


def order(*names, character=100001):
    listed = [{"identifier": name.lstrip("-"), "enabled": not name.startswith("-")} for name in names]
    return {"character_id": character, "order": listed}


# --- the corpus


@pytest.mark.parametrize("path", [path for path in INPUTS if is_thing(path)], ids=lambda path: path.name)
def test_the_cases_of_the_corpus(path):
    expected = expectation(path)

    read = read_thing(path)

    assert read.format == expected["detect"]
    assert len(read.value.prompts) == expected["prompts"]
    check_warnings(expected.get("warnings"), read.reports)
    if "active_order" in expected:
        assert list(read.value.active_order) == expected["active_order"]
    if "enabled" in expected:
        assert [one.identifier for one in read.value.prompts if one.enabled] == expected["enabled"]
    for check in expected.get("check", ()):
        one = next(one for one in read.value.prompts if one.identifier == check["identifier"])
        for name, wanted in check.items():
            value = getattr(one, name)
            assert (list(value) if isinstance(value, tuple) else value) == wanted
    for name, wanted in expected.get("check_text", {}).items():
        assert getattr(read.value.prompts[0], name) == wanted
    check_kept(expected.get("preserve", ()), read.value)


def check_kept(paths, value):
    written = write_thing(value, strip_sensitive=False)
    assert written == value.value
    for path in paths:
        inner = written
        for name in path.split("."):
            inner = inner[name]
        if isinstance(paths, dict):
            assert is_exact(inner, paths[path])


@pytest.mark.parametrize("folder", FOLDERS)
def test_real_files(shared, folder):
    regexes = default_regexes()
    with (shared / "real-files" / "INDEX.tsv").open(encoding="utf-8") as index:
        rows = [row for row in csv.DictReader(index, delimiter="\t") if row["format"] == folder]
    assert rows
    for row in rows:
        path = shared / "real-files" / row["file"]
        read = read_thing(path, regexes=regexes)
        assert read.format == FOLDERS[folder], path
        assert (str(read.found), read.refused) == (row["entries"] or str(read.found), 0), path
        assert write_thing(read.value) == json.loads(path.read_bytes().decode("utf-8-sig")), path
        assert "regex_invalid" not in codes(read)


def test_real_settings_are_refused(shared):
    for path in (shared / "real-files" / "st-settings").iterdir():
        with pytest.raises(FormatError, match="not importable"):
            read_thing(path)


# --- prompts


def test_a_prompt_as_it_is_listed():
    fields = {"injection_position": 1, "injection_depth": 2, "injection_order": 50, "injection_trigger": ["swipe"]}
    read = thing(
        preset([prompt("a", **fields), prompt("worldInfoBefore", marker=True)], [order("worldInfoBefore", "-a")])
    )

    first, second = read.value.parts
    assert first == Prompt(
        identifier="a",
        name="A",
        role="system",
        content="x",
        enabled=False,
        position="in_chat",
        depth=2,
        order=50,
        triggers=("swipe",),
        place=1,
    )
    assert second.marker
    assert second.enabled
    assert read.value.active_order == ("worldInfoBefore", "a")
    assert (read.found, read.kept, codes(read)) == (2, 2, [])


@pytest.mark.parametrize(
    ("orders", "active", "level"),
    [
        ([order("a", character=100000), order("b", "a")], ("b", "a"), "info"),
        ([order("a", character="100000"), order("b", character="100001")], ("b",), "info"),
        ([order("b", character=7), order("a", character=100000)], ("a",), "warning"),
        ([order("b", character=7), order("a", character=8)], ("b",), "warning"),
    ],
)
def test_which_order_is_used(orders, active, level):
    read = thing(preset([prompt("a"), prompt("b")], orders))

    assert read.value.active_order == active
    assert [report.level for report in read.reports if report.code == "multiple_prompt_orders"] == [level]


def test_without_an_order_the_prompts_own_flags_count():
    read = thing(preset([prompt("a"), prompt("b", enabled=False), prompt("c", enabled=True)]))

    assert [one.enabled for one in read.value.prompts] == [True, False, True]
    assert read.value.active_order == ("a", "b", "c")


def test_an_order_says_more_than_the_flag():
    read = thing(preset([prompt("a", enabled=True), prompt("b", enabled=False), prompt("c")], [order("-a", "b")]))

    assert [one.enabled for one in read.value.prompts] == [False, True, False]
    assert [(report.code, report.entry) for report in read.reports] == [("prompt_not_in_order", "c")]


def test_duplicates_and_names_of_nothing_are_kept():
    value = preset([prompt("a"), prompt("a", content="y")], [order("a", "ghost")])

    read = thing(value)

    assert [one.content for one in read.value.prompts] == ["x", "y"]
    assert codes(read) == ["prompt_duplicate_identifier", "order_unknown_identifier"]
    assert write_thing(read.value) == value


def test_prompts_of_an_old_preset():
    read = thing({"temperature": 1, "main_prompt": "m", "jailbreak_prompt": "j", "nsfw_prompt": None})

    assert [(one.identifier, one.content, one.enabled) for one in read.value.prompts] == [
        ("main", "m", True),
        ("jailbreak", "j", True),
    ]


@pytest.mark.parametrize("orders", [[order("b", "-a")], order("b", "-a")["order"]])
def test_a_prompt_manager_export(orders):
    value = {"version": 1, "type": "full", "data": {"prompts": [prompt("a"), prompt("b")], "prompt_order": orders}}

    read = thing(value)

    assert read.value.active_order == ("b", "a")
    assert [one.enabled for one in read.value.prompts] == [False, True]


def test_what_is_no_prompt_is_counted():
    read = thing(preset([prompt("a"), None, 5]))

    assert (read.found, read.kept, read.refused) == (3, 1, 2)
    assert codes(read) == ["entry_not_object", "entry_not_object"]


def test_code_in_a_preset_is_named():
    value = preset(
        [prompt("a", content="<% x %>")], extensions={"tavern_helper": {"scripts": [1]}, "regex_scripts": [SCRIPT]}
    )

    read = thing(value)

    assert [(report.code, report.entry or report.field) for report in read.reports] == [
        ("script_inert", "a"),
        ("script_inert", "extensions.tavern_helper"),
        ("script_inert", "regex_scripts"),
    ]
    assert (read.found, len(read.value.regex_scripts)) == (2, 1)


# --- what should not go round


def test_addresses_and_keys_are_left_out_unless_wanted():
    value = preset(
        [], [], reverse_proxy="http://x", proxy_password="", custom_url="u", vertexai_region="r", azure_base_url="b"
    )
    value |= {"vertexai_model": "m", "preset": {"openai_api_key": "k", "max_tokens": 5}}

    read = thing(value)

    fields = ["reverse_proxy", "custom_url", "vertexai_region", "azure_base_url", "preset.openai_api_key"]
    assert [report.field for report in read.reports if report.code == "sensitive_field"] == fields
    notes = Notes()
    written = write_thing(read.value, notes=notes)
    assert written == {
        "prompts": [],
        "prompt_order": [],
        "proxy_password": "",
        "vertexai_model": "m",
        "preset": {"max_tokens": 5},
    }
    assert len(notes.reports()) == 5
    assert write_thing(read.value, strip_sensitive=False) == value
    assert read.value.value == value


def test_null_is_not_zero():
    value = preset([], [], presence_penalty=None, frequency_penalty=0, top_p=0.0)

    assert is_exact(write_thing(thing(value).value), value)


# --- the rest


def test_templates_and_master_exports():
    read = thing({"instruct": {"name": "I"}, "context": {"name": "C"}, "preset": {"temp": 1}, "srw": {}})

    assert [(part.kind, part.name) for part in read.value.parts] == [
        ("instruct", "I"),
        ("context", "C"),
        ("preset", ""),
        ("srw", ""),
    ]
    assert thing({"story_string": "x", "name": "C"}).value.parts == (Section(kind="context", name="C"),)


def test_a_risu_preset():
    template = [{"type": "plain", "role": "system", "text": "T", "name": "N"}, {"type": "chat"}]
    read = thing({"promptTemplate": template, "aiModel": "m", "regex": [{"comment": "r", "in": "x"}]})

    assert [(one.name, one.content, one.marker) for one in read.value.prompts] == [
        ("N", "T", False),
        ("chat", "", True),
    ]
    assert read.found == 3


def test_names(tmp_path):
    path = tmp_path / "Soft.json"
    path.write_text('{"story_string": "x"}')

    assert read_thing(path).value.name == "Soft"
    assert read_thing(path, "Other").value.name == "Other"
    assert thing({"story_string": "x", "name": "Own"}).value.name == "Own"


def test_other_files_are_refused_by_name():
    with pytest.raises(FormatError, match="a thing is wanted"):
        read_thing(b'{"entries": {}}')
    with pytest.raises(FormatError, match="a book is wanted"):
        read_book(json.dumps(SCRIPT).encode())


@given(kind=st.sampled_from(KINDS), value=st.data())
def test_odd_values_are_kept_and_break_nothing(kind, value):
    names = [
        "prompts",
        "prompt_order",
        "extensions",
        "regex_scripts",
        "data",
        "qrList",
        "quickReplySlots",
        "promptTemplate",
    ]
    names += ["regex", "customScripts", "findRegex", "scriptName", "instruct", "name", "identifier", "order", "risuai"]
    inner = st.recursive(
        VALUES,
        lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(names), one, max_size=4),
        max_leaves=8,
    )
    whole = value.draw(st.dictionaries(st.sampled_from(names), inner))
    if kind == "st_prompt_export":
        whole["data"] = value.draw(st.dictionaries(st.sampled_from(names), inner))
    before = json.dumps(whole)

    read = read_thing_value(kind, whole, regexes=REGEXES)

    assert read.value.value is whole
    assert json.dumps(whole) == before
    assert is_exact(write_thing(read.value, strip_sensitive=False), whole)
