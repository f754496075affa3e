"""The bundled session of 100 turns: every request begins with the one before, or a listed reason says why not."""

from collections import Counter
from itertools import pairwise

import pytest

from benchmarks.cache import run
from benchmarks.session import read
from lorewright.core.prefix import canonical
from lorewright.testing.prefix import assert_prefix_kept

ALLOWED = {"edit", "delete", "trim"}
"""What a client does in this session that may move a prefix; an edited entry's text is added, not changed."""


@pytest.fixture(scope="module")
def frozen():
    return run("frozen")


def test_the_session_holds_what_it_promises():
    session = read()
    entries = session["book"]["entries"].values()
    volatile = [entry for entry in entries if "{{hour}}" in entry["content"]]
    lasting = [entry for entry in entries if entry not in volatile]
    kinds = Counter(next(iter(step)) for step in session["steps"])

    assert [len([e for e in lasting if bool(e.get("constant")) is constant]) for constant in (False, True)] == [40, 8]
    assert len(volatile) == 3
    assert kinds == {"say": 100, "regenerate": 5, "edit": 3, "delete": 2, "change_entry": 1}
    assert session["window"]["from_turn"] == 60


def test_each_request_is_a_prefix_of_the_next(frozen):
    for (_, before), (request, now) in pairwise(frozen):
        if not set(request.done) & ALLOWED:
            old = canonical(before.woven.messages, lasting=True)
            assert canonical(now.woven.messages).startswith(old), (request.number, request.done)


def test_a_reason_is_listed_where_the_client_moved_something_and_nowhere_else(frozen):
    for request, item in frozen:
        causes = {move.cause for move in item.woven.moves}
        assert causes == ({"client_edit"} if set(request.done) & ALLOWED else set()), (request.number, request.done)


def test_the_window_is_cut_from_turn_60_on(frozen):
    cut = [request.number for request, _ in frozen if "trim" in request.done]

    assert cut[0] >= 60
    assert len(cut) > 1


def test_a_regenerated_turn_is_the_same_request(frozen):
    for (_, before), (request, now) in pairwise(frozen):
        if request.done == ("regenerate",):
            lasting = [[message.lasting for message in item.woven.messages] for item in (before, now)]
            assert lasting[0] == lasting[1]
            assert before.woven.turn.number == now.woven.turn.number


def test_an_edited_entry_is_added_with_a_line_that_says_so(frozen):
    texts = [message.lasting for _, item in frozen for message in item.woven.messages]
    added = [text for text in texts if "burned down last night" in text]

    assert added
    assert all("[This replaces the earlier note that begins" in text for text in added)


def test_the_assertion_for_users_agrees(frozen):
    assert_prefix_kept([item.woven for _, item in frozen])


def test_the_classic_placement_loses_what_frozen_keeps(frozen):
    classic = [item for _, item in run("sillytavern")]

    with pytest.raises(AssertionError, match="Request 1 kept"):
        assert_prefix_kept([item.woven for item in classic])
    assert sum(item.new_tokens for item in classic) > 3 * sum(item.new_tokens for _, item in frozen)
