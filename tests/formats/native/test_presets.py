"""Presets as files of ours: nothing of the foreign file is lost, and both are the same preset."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.layout.text_preset import ContextTemplate, Instruct, SystemPrompt
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.native.documents import document_text
from lorewright.formats.native.presets import preset_value
from lorewright.formats.native.thing_tables import PRESET_FORMATS
from lorewright.formats.read import read_preset, read_thing
from lorewright.formats.things.text_preset import read_text_preset
from lorewright.formats.things.thing import Thing

REAL = Path(os.environ.get("LOREWRIGHT_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "real-files"
FOLDERS = (
    "st-preset-chat st-preset-other st-preset-textgen st-context st-instruct st-sysprompt risu-preset-json".split()
)
FILES = [path for folder in FOLDERS for path in sorted((REAL / folder).glob("*"))] if REAL.is_dir() else []

BY_HAND = """\
lorewright: 1
kind: preset
name: Harbour
prompts:
  - id: main
    role: system
    content: You are {{char}}.
  - id: style
    name: Style   # comments are allowed
    content: Be brief.
    of_user: true
    in_chat: true
    depth: 2
    order: 50
    triggers: [normal, continue]
    fixed: true
orders:
  - prompts: [main, worldInfoBefore, chatHistory, {id: style, enabled: false}]
  - owner: 7
    prompts: [style]
wording:
  lore_format: "Lore: {0}"
  send_if_empty: Go on.
limits: {context_tokens: 8000, response_tokens: 500}
names: content
squash: true
continue_prefill: true
source: claude
"""


def test_one_written_by_hand():
    read = read_preset(BY_HAND.encode())

    assert {report.code for report in read.reports} == {"multiple_prompt_orders", "order_unknown_identifier"}
    assert read.value == Preset(
        prompts=(
            Prompt(id="main", role="system", content="You are {{char}}."),
            Prompt(
                id="style",
                name="Style",
                content="Be brief.",
                of_user=True,
                in_chat=True,
                depth=2,
                order=50,
                triggers=("normal", "continue"),
                fixed=True,
            ),
        ),
        orders=(
            OrderList(
                "100001",
                (
                    OrderEntry("main"),
                    OrderEntry("worldInfoBefore"),
                    OrderEntry("chatHistory"),
                    OrderEntry("style", enabled=False),
                ),
            ),
            OrderList("7", (OrderEntry("style"),)),
        ),
        wording=Wording(lore_format="Lore: {0}", send_if_empty="Go on."),
        limits=Limits(8000, 500),
        names="content",
        squash=True,
        continue_prefill=True,
        source="claude",
    )


def test_templates_for_text_completion_by_hand():
    text = (
        "lorewright: 1\nkind: preset\nname: T\n"
        "context: {story: S, in_chat: true, depth: 3, role: user, names_stop: false}\n"
        "instruct:\n  sequences: {input_sequence: '<u>', output_sequence: '<a>'}\n  wraps: false\n  names: none\n"
        "system_prompt: {text: Be kind., post_history: Remember.}\n"
    )
    thing = read_thing(text.encode())
    read = read_text_preset(thing.value.value)

    assert (thing.value.kind, thing.reports) == ("st_master_export", ())
    assert read.context == ContextTemplate(story="S", in_chat=True, depth=3, role="user", names_stop=False)
    assert read.instruct == Instruct(
        sequences={"input_sequence": "<u>", "output_sequence": "<a>"}, wraps=False, names="none"
    )
    assert read.system_prompt == SystemPrompt("Be kind.", "Remember.")
    with pytest.raises(FormatError, match="a preset for chat completion is wanted here"):
        read_preset(text.encode())


def test_the_flat_order_of_an_export_is_everybodys():
    data = {"prompts": [{"identifier": "a", "content": "x"}], "prompt_order": [{"identifier": "a", "enabled": False}]}
    read = read_preset(json.dumps({"version": 1, "type": "full", "data": data}).encode())

    assert read.value == Preset(
        prompts=(Prompt(id="a", content="x"),), orders=(OrderList("100001", (OrderEntry("a", enabled=False),)),)
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lorewright: 2", "written in version 2"),
        ("lorewright: 1\norigin: {format: st_worldinfo}", "names the format 'st_worldinfo', which no preset has"),
        ("lorewright: 1\norigin: {format: st_prompt_export}\nextra: {data: 4}", "there are no prompts in it"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(line, message):
    with pytest.raises(FormatError, match=message):
        read_thing(f"{line}\nkind: preset\n".encode())


def test_misspelt_names_are_told_and_kept():
    read = read_thing(b"lorewright: 1\nkind: preset\nprompts: [{id: a, contnet: x}]\nsquahs: true\norders: 4\n")
    told = {(report.code, report.field) for report in read.reports}

    assert told >= {("unknown_field", "contnet"), ("unknown_field", "squahs"), ("bad_value", "orders")}
    assert read.value.value["prompts"] == [{"identifier": "a", "contnet": "x"}]


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no real files at {REAL.parent}; set LOREWRIGHT_SHARED")
def test_the_real_presets_are_here():
    assert len(FILES) == 32


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_real_preset_comes_back_to_the_last_member(path):
    read = read_thing(path).value
    for form in ("yaml", "json"):
        again = read_thing(document_text(preset_value(read), form).encode()).value

        assert is_exact(again.value, json.loads(path.read_text("utf-8-sig")))
        assert (again.kind, again.name, again.parts) == (read.kind, read.name, read.parts)


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "st-preset-chat"], ids=str)
def test_a_real_preset_is_the_same_preset_in_our_format(path):
    assert read_preset(document_text(preset_value(read_thing(path).value)).encode()).value == read_preset(path).value


SCALARS = st.none() | st.booleans() | st.integers(-2, 100002) | st.sampled_from([0.0, 1.0, 4.5]) | st.text(max_size=4)
ODD = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


def paths_of(table):
    return {one.theirs: one.items for one in table}


@st.composite
def objects(draw, table):
    """An object of a format with some of its members, of any type, and some of no format."""
    made = draw(st.dictionaries(st.text(max_size=4), ODD, max_size=2))
    for path, items in draw(st.permutations(sorted(paths_of(table).items(), key=lambda pair: pair[0]))):
        if draw(st.booleans()):
            value = draw(st.lists(objects(items) | ODD, max_size=3) | ODD if items else ODD)
            inner = made
            for name in path[:-1]:
                inner = inner.setdefault(name, {})
                if not isinstance(inner, dict):
                    break
            else:
                inner[path[-1]] = value
    return made


@given(st.sampled_from(sorted(PRESET_FORMATS)), st.data())
def test_whatever_a_preset_holds_comes_back(kind, data):
    value = data.draw(objects(PRESET_FORMATS[kind]))
    if kind == "st_prompt_export" and not isinstance(value.get("data"), dict):
        value["data"] = {}

    again = read_thing(document_text(preset_value(Thing(kind, "name", value))).encode()).value

    assert is_exact(again.value, value)
    assert (again.kind, again.name) == (kind, "name")
