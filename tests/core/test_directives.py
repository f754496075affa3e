"""Decorator lines as data: RisuAI's way (spec risu §8.3) and that of the V3 text (spec formats §3.4)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.directives import Injection, Query, Step, read_directives
from lorewright.testing.strategies import DECORATORS


def risu(*lines):
    return read_directives("\n".join([*lines, "text"]), last_wins=True)


def v3(*lines):
    return read_directives("\n".join([*lines, "text"]), last_wins=False)


@pytest.mark.parametrize(
    ("lines", "last", "first"),
    [
        (("@@depth 3", "@@depth 5"), ("depth", 5), ("depth", 3)),
        (("@@depth 3", "@@reverse_depth 2"), ("reverse_depth", 2), ("depth", 3)),
        (("@@reverse_depth 2", "@@depth 3"), ("depth", 3), ("depth", 3)),
        (("@@depth 3", "@@end"), ("depth", 0), ("depth", 3)),
        (("@@position pt_a", "@@position scenario"), ("scenario", 0), ("pt_a", 0)),
        (("@@depth 0x10",), ("depth", 16), ("depth", 16)),
        (("@@depth 2.7",), ("depth", 2), ("depth", 2)),
        (("@@depth x",), ("", 0), ("", 0)),
        (("@@depth 4", "@@@end"), ("depth", 0), ("depth", 4)),
    ],
)
def test_places(lines, last, first):
    ours, theirs = v3(*lines), risu(*lines)

    assert (theirs.place, theirs.depth) == last
    assert (ours.place, ours.depth) == first


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (("@@wonder", "@@@miracle", "@@@depth 4", "@@@depth 5"), ("depth", 4)),
        (("@@depth 2", "@@@depth 3"), ("depth", 2)),
        (("@@@depth 3",), ("", 0)),
        (("@@", "@@@depth 3"), ("", 0)),
        (("@@role wizard", "@@@depth 1"), ("depth", 1)),
        (("@@activate_only_after 99", "@@@depth 1"), ("", 0)),
        (("@@DEPTH 3", "@@depth\t3"), ("", 0)),
    ],
)
def test_a_fallback_is_read_if_the_line_before_it_was_not_understood(lines, place):
    found = risu(*lines)

    assert (found.place, found.depth) == place


def test_a_line_that_remembers_is_not_understood_by_risuai():
    lines = ("@@keep_activate_after_match", "@@@depth 2")

    assert risu(*lines).place == "depth"
    assert v3(*lines).place == ""


def test_numbers_that_are_none():
    found = risu("@@scan_depth x", "@@priority x", "@@probability x", "@@is_greeting x")

    assert math.isnan(found.scan_depth)
    assert math.isnan(found.priority)
    assert [step.name for step in found.steps] == ["probability"]


def test_queries_and_steps_keep_their_order():
    found = risu("@@exclude_keys  a ,, b", "@@activate", "@@additional_keys", "@@activate_only_every -2")

    assert found.queries == (Query("exclude_keys", ("a", "b")), Query("additional_keys", ()))
    assert [step.name for step in found.steps] == ["activate", "activate_only_every"]
    assert found.steps[1] == Step("activate_only_every", -2)


@pytest.mark.parametrize(
    ("lines", "injection"),
    [
        (("@@inject_lore Base one, two",), Injection("Base one two", into_lore=True)),
        (("@@inject_lore A", "@@inject_at main"), Injection("main")),
        (("@@inject_replace text", "@@inject_prepend"), Injection("", operation="prepend", sought="text")),
        ((), None),
    ],
)
def test_injections(lines, injection):
    assert risu(*lines).injection == injection


def test_the_text_is_what_stands_below_the_lines():
    assert risu("@@depth 3", "", "@@role user").text == "@@role user\ntext"
    assert read_directives("@@depth 3\r\n@@role user\r\n", last_wins=True).text == ""
    assert read_directives("  text\n@@depth 3 ", last_wins=True).text == "text\n@@depth 3"


@given(st.lists(st.sampled_from(DECORATORS), max_size=6), st.text(max_size=20), st.booleans())
def test_any_lines_are_read(lines, text, last_wins):
    found = read_directives("\n".join([*lines, text]), last_wins=last_wins)

    assert found.text in "\n".join([*lines, text])


@given(st.text(max_size=60), st.booleans())
def test_any_text_is_read(text, last_wins):
    assert read_directives(text, last_wins=last_wins).text in text
