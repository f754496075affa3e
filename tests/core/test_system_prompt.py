"""Sections, contexts, tools and strict variables, where the recorded cases say nothing (spec injection-engine §1.5)."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.hosts import HOST_0_1_7, HOST_RC8
from lorewright.core.system_prompt import (
    SNAPSHOT_HEADER,
    Context,
    PromptParts,
    Section,
    assemble_prompt,
    interpolate,
    render_prompt,
    render_snapshot,
)
from lorewright.errors import PromptError

PLAIN = PromptParts(is_identified=False)


def names(parts):
    return [section.name for section in assemble_prompt(parts).sections]


def test_ties_are_settled_as_the_version_does_it():
    """0.1.6 and later by code units of the name: U+1F600 begins with a surrogate and stands before U+FF21."""
    sections = tuple(Section(name, "x", 1) for name in ("b", "\uff21", "\U0001f600", "a"))

    assert names(replace(PLAIN, sections=sections, host=HOST_0_1_7)) == ["a", "b", "\U0001f600", "\uff21"]
    assert names(replace(PLAIN, sections=sections, host=HOST_RC8)) == ["b", "\uff21", "\U0001f600", "a"]


def test_a_rank_goes_before_the_name():
    sections = (Section("a", "x", 1, rank=2), Section("b", "x", 1, rank=1), Section("c", "x", 1))

    assert names(replace(PLAIN, sections=sections)) == ["c", "b", "a"]


def test_the_hosts_own_sections_in_the_newer_version():
    assert names(PromptParts(persona="P", sections=(Section("early", "E", -50),))) == [
        *("harness:identity", "early", "deployment:persona-prefix"),
    ]


@pytest.mark.parametrize(
    ("parts", "mentions"),
    [
        (PromptParts(sections=(Section("a", "x"), Section("a", "y"))), "`a`"),
        (PromptParts(sections=(Section("harness:identity", "x"),)), "harness:identity"),
        (PromptParts(sections=(Section("a", "x", math.inf),)), "inf"),
        (PromptParts(contexts=(Context("a", "x", math.nan),)), "nan"),
        (PromptParts(variables={"9a": "x"}), "9a"),
        (PromptParts(variables={"ä": "x"}), "ä"),
        (PromptParts(tools=("a",), tool_order=("<unlisted-tools>", "<unlisted-tools>")), "2 times"),
        (PromptParts(tools=("a",), tool_order=("a", "a", "<unlisted-tools>")), "twice"),
    ],
)
def test_parts_that_do_not_fit(parts, mentions):
    with pytest.raises(PromptError, match=mentions):
        assemble_prompt(parts)


def test_sections_and_contexts_may_share_a_name():
    prompt = assemble_prompt(replace(PLAIN, sections=(Section("a", "x"),), contexts=(Context("a", "y"),)))

    assert (prompt.sections[0].name, prompt.contexts[0].name) == ("a", "a")


def test_a_listener_can_make_a_section_complete():
    def complete(prompt):
        return replace(prompt, sections=(*prompt.sections, Section("whole", "W", is_complete=True)))

    parts = PromptParts(contexts=(Context("c", "C"),), tools=("t",), variables={"v": "1"})
    prompt = assemble_prompt(parts, [complete])

    assert [section.name for section in prompt.sections] == ["whole"]
    assert (prompt.contexts, prompt.tools, prompt.variables) == ((Context("c", "C"),), ("t",), {"v": "1"})


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("{{a}}{{b}}", "12"),
        ("{{a}}}", "1}"),
        ("{{a}} {{", "1 {{"),
        ("{{", "{{"),
        ("{{}", "{{}"),
        ("}} {{", "}} {{"),
        ("{ {a} }", "{ {a} }"),
        ("{{rescanned}}", "{{a}}"),
        ("{{empty}}", ""),
        ("", ""),
    ],
)
def test_strict_references(text, outcome):
    values = {"a": "1", "b": "2", "rescanned": "{{a}}", "empty": ""}

    assert interpolate(text, values, "here") == outcome


@pytest.mark.parametrize(
    "text", ["{{ a }}", "{{A}}", "{{}}", "{{龙}}", "{{{a}}}", "{{a b}}", "{{ }} {{a}}", "{{a}}{{-}}", "{{1}}"]
)
def test_malformed_references(text):
    with pytest.raises(PromptError, match="here"):
        interpolate(text, {"a": "1", "A": "1"}, "here")


def test_a_variable_without_a_value_is_named_as_such():
    with pytest.raises(PromptError, match="`a` has no value"):
        interpolate("{{a}}", {"a": None}, "here")
    with pytest.raises(PromptError, match="`b` does not exist"):
        interpolate("{{b}}", {"a": None}, "here")


def test_literal_sections_are_left_alone():
    assert render_prompt([Section("sdk", "{{ x }}", is_literal=True), Section("gone", "{{v}}")], {"v": ""}) == "{{ x }}"


def test_a_snapshot_says_what_it_is():
    assert render_snapshot([Context("a", "A"), Context("b", "{{v}}")], {"v": "B"}) == f"{SNAPSHOT_HEADER}\n\nA\n\nB"
    assert render_snapshot([Context("a", "")]) == ""
    assert render_snapshot([]) == ""


@given(value=st.text(), before=st.text("ab} ", max_size=5), after=st.text("ab{ ", max_size=5))
def test_values_go_in_as_they_are(value, before, after):
    assert interpolate(f"{before}{{{{v}}}}{after}", {"v": value}, "here") == before + value + after
