"""Decorator lines of V3 in our own profile that look at roles, greetings and the state (spec formats §3.4)."""

from dataclasses import replace

import pytest

from lorewright import ActiveBook, Book, Entry, Message, State, Turn, assemble, load_lore, make_tools

TOOLS = make_tools()


def play(content, replies=1, state=None, **changes):
    book = Book("b", (Entry(uid=1, keys=("go",), content=content),))
    chat = [Message("", "x", "assistant")] * replies + [Message("", "go")]
    lore = load_lore([ActiveBook(book)], TOOLS)
    return assemble(replace(Turn(messages=tuple(chat)), **changes), lore, state or State(), TOOLS)


def reason(assembly):
    return assembly.trace.why("b.1").reason.code


@pytest.mark.parametrize(
    ("line", "replies", "code"),
    [
        ("@@activate_only_after 2", 1, "too_early"),
        ("@@activate_only_after 2", 2, "key_matched"),
        ("@@activate_only_every 2", 3, "not_this_time"),
        ("@@activate_only_every 2", 4, "key_matched"),
        ("@@activate_only_every 0", 4, "not_this_time"),
    ],
)
def test_gates_count_what_the_assistant_has_written(line, replies, code):
    assert reason(play(f"{line}\ntext", replies)) == code


def test_messages_that_are_gone_count_for_half():
    assert reason(play("@@activate_only_after 3\ntext", earlier_messages=4)) == "key_matched"
    assert reason(play("@@activate_only_after 4\ntext", earlier_messages=4)) == "too_early"


@pytest.mark.parametrize(("greeting", "code"), [(0, "wrong_greeting"), (1, "key_matched"), (None, "key_matched")])
def test_a_greeting_that_nobody_knows_keeps_nothing_out(greeting, code):
    assert reason(play("@@is_greeting 1\ntext", greeting=greeting)) == code


def test_forced_on_goes_before_a_gate():
    assert reason(play("@@activate_only_after 9\n@@activate\ntext")) == "decorated"


def test_what_stays_or_leaves_for_ever_says_so():
    kept = play("@@keep_activate_after_match\ntext")
    spent = play("@@dont_activate_after_match\ntext")

    assert reason(play("@@keep_activate_after_match\ntext", 3, kept.state)) == "kept"
    assert reason(play("@@dont_activate_after_match\ntext", 3, spent.state)) == "spent"


@pytest.mark.parametrize("line", ["@@inject_lore x", "@@inject_at main", "@@priority 5"])
def test_a_line_for_risuai_alone_is_reported(line):
    assembly = play(f"{line}\ntext")

    assert [report.code for report in assembly.reports] == ["decorator_without_effect"]
    assert [item.text for item in assembly.activated] == ["text"]
