"""`diff` names who moved the bytes, `why` says why an entry is in or out, `window` writes only what is new."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import NATIVE, ActiveBook, make_tools
from lorewright.core.model import Book, Message
from lorewright.errors import LedgerError
from lorewright.ledger.difference import compare_turns, find_parting
from lorewright.ledger.why import why
from lorewright.ledger.window import read_steps, write_steps
from tests.ledger.world import BOOK, chat, open_chat, turns

COUNTER = make_tools().counter
lines = st.lists(st.sampled_from("abcde").map(lambda letter: ("user", letter)), max_size=9)


@given(lines, lines)
def test_steps_lead_to_the_list(before, after):
    assert read_steps(before, write_steps(before, after)) == tuple(after)


@given(st.lists(st.integers(0, 99), unique=True, max_size=20), st.data())
def test_what_stayed_is_not_written_again(before, data):
    start = data.draw(st.integers(0, len(before)))
    added = data.draw(st.lists(st.integers(100, 199), max_size=3))

    steps = write_steps(before, [*before[start:], *added])

    assert sum(len(step) == 2 for step in steps) == bool(before[start:])
    assert [step[0] for step in steps if len(step) == 1] == added


def test_an_edited_line_leaves_the_others():
    assert write_steps("abcdef", "abXdef") == ((0, 2), ("X",), (3, 3))


@pytest.mark.parametrize("step", [(0, 3), (-1, 1), (1, -1), (5, 1)])
def test_steps_that_lead_nowhere_are_refused(step):
    with pytest.raises(IndexError):
        read_steps("ab", (step,))


def test_a_turn_that_continues_keeps_all(tmp_path):
    ledger = chat(tmp_path / "a").ledger

    found = compare_turns(ledger, 2, 3, COUNTER)

    assert found.kept.first_difference is None
    assert found.moves == ()


def test_an_entry_that_was_edited_is_named(tmp_path):
    policy = replace(NATIVE, settings=replace(NATIVE.settings, on_edit="rewrite"))
    session = open_chat(tmp_path / "a", policy=policy)
    first, second = turns(2, words=("ferry",))
    session.weave(first)
    edited = tuple(replace(e, content="The ferry sank.") if e.uid == "ferry" else e for e in BOOK.entries)
    session.use([ActiveBook(Book("isles", edited))], policy)
    session.weave(second)

    found = compare_turns(session.ledger, 1, 2, COUNTER)

    assert found.kept.cause == "rewrite"
    assert found.parting
    assert found.parting.entries == ("isles.ferry",)
    assert [(turn, move.cause, move.entry) for turn, move in found.moves] == [(2, "rewrite", "isles.ferry")]
    assert found.entries == ("isles.ferry",)


def test_a_rule_that_was_changed_is_named(tmp_path):
    session = open_chat(tmp_path / "a")
    first, second = turns(2)
    session.weave(first)
    session.use([ActiveBook(BOOK)], replace(NATIVE, placement="sillytavern"))
    session.weave(second)

    found = compare_turns(session.ledger, 1, 2, COUNTER)

    assert found.policy == (("placement", "frozen", "sillytavern"),)
    assert {move.cause for _, move in found.moves} == {"policy_change"}
    assert found.came == ("isles.tower",)


def test_a_setting_is_named_with_its_place(tmp_path):
    session = open_chat(tmp_path / "a")
    first, second = turns(2)
    session.weave(first)
    session.use([ActiveBook(BOOK)], NATIVE.with_settings(replace(NATIVE.settings, scan_depth=1)))
    session.weave(second)

    found = compare_turns(session.ledger, 1, 2, COUNTER)

    assert found.policy == (("settings.scan_depth", NATIVE.settings.scan_depth, 1),)
    assert found.went == ("isles.ferry",)


def test_a_client_that_edits_is_named(tmp_path):
    session = open_chat(tmp_path / "a")
    *_, turn = turns(2)
    session.weave(turn)
    session.weave(replace(turn, messages=(Message("Max", "Day 0: nothing."), *turn.messages[1:])))

    found = compare_turns(session.ledger, 1, 2, COUNTER)

    assert found.kept.cause == "client_edit"
    assert found.parting
    assert (found.parting.message, found.parting.offset) == (1, 7)  # behind the front, behind "Day 0: "


def test_equal_requests_do_not_part():
    assert find_parting([], []) is None


def test_why_an_entry_is_in_and_where(tmp_path):
    ledger = chat(tmp_path / "a").ledger

    found = why(ledger, "isles.ferry", 1)

    assert found.verdict.active
    assert found.verdict.reason.code == "key_matched"
    assert found.replayed.outcome == "same"
    assert len(found.placed) == 1
    assert why(ledger, "isles.queen", 1).placed == ()
    assert not why(ledger, "isles.queen", 1).verdict.active


def test_why_needs_an_entry_that_is_there(tmp_path):
    ledger = chat(tmp_path / "a", 1).ledger

    with pytest.raises(LedgerError, match=r"turn 1 has an entry `isles\.x`"):
        why(ledger, "isles.x", 1)
    with pytest.raises(LedgerError, match="no turn 7"):
        why(ledger, "isles.ferry", 7)
