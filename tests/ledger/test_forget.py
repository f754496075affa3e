"""Forgotten turns are gone from the files; what others need stays, the chain verifies and says what went and why."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.core.chain import digest
from lorewright.core.model import Message, Turn
from lorewright.ledger.conversations import beyond_newest, conversations, cut_off, older_than
from lorewright.ledger.erase import erase, find_message
from lorewright.ledger.events import RequestSent
from lorewright.ledger.export import export
from lorewright.ledger.facts import decide_fact, list_facts, take_facts
from lorewright.ledger.forget import forget, plan_forgetting
from lorewright.ledger.ledger import Ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.verify import verify
from tests.ledger.world import CHARACTER, open_chat, turns

FACT = "<!--lorewright-fact\nfact: The keeper is called %s.\nkeywords: keeper\n-->"


def said(*texts, name="", reply="Aye."):
    """A request with these messages of the user, each but the last one answered."""
    chat = []
    for text in texts:
        chat += [Message("Max", text), Message("Aria", reply, "assistant")]
    return Turn(messages=tuple(chat[:-1]), user="Max", character=CHARACTER, session=name)


@pytest.fixture
def session(tmp_path):
    session = open_chat(tmp_path / "a.ledger", stream="3:max/aria")
    yield session
    session.ledger.close()


def say(session, *texts, answer="Aye.", **more):
    number = session.weave(said(*texts, **more)).number
    session.ledger.reply(number, answer, ending="complete")
    return number


def everything(ledger):
    """All bytes of the files, every text unpacked, and the export."""
    folder = Path(ledger.store.path).parent
    files = b"".join(file.read_bytes() for file in folder.iterdir())
    texts = [ledger.store.text(row.commitment) or b"" for row in ledger.store.texts()]
    bodies = [row.body for row in ledger.store.events(ledger.stream)]
    return b"".join((files, *texts, *bodies, json.dumps(export(ledger), ensure_ascii=False).encode()))


def groups(ledger):
    return [one.turns for one in conversations(ledger)]


def outcomes(ledger):
    return [one.outcome for one in replay(ledger)]


def test_branches_and_repeated_requests_are_one_conversation(session):
    say(session, "Secret ferry")
    say(session, "Secret ferry", "And the tower?")
    say(session, "Secret ferry", "And the wolf?")
    say(session, "Another ferry")
    failed = session.weave(said("A third ferry")).number
    session.ledger.reply(failed, ending="failed", status=500)
    say(session, "A third ferry")
    say(session, "Named ferry", name="n")
    say(session, "Other words", name="n")

    assert groups(session.ledger) == [(1, 2, 3), (4,), (5, 6), (7, 8)]
    assert [one.name for one in conversations(session.ledger)] == ["", "", "", "n"]


def test_a_greeting_that_many_chats_begin_with_joins_nobody(session):
    greeting = Message("Aria", "Welcome aboard.", "assistant")
    for text in ("I seek the ferry", "I seek the tower"):
        turn = said(text)
        session.weave(replace(turn, messages=(greeting, *turn.messages)))
    ledger = session.ledger
    assert groups(ledger) == [(1,), (2,)]

    forget(ledger, {ledger.stream: {1}}, "forget")

    assert b"I seek the ferry" not in everything(ledger)
    assert outcomes(ledger) == ["erased", "same"]
    assert verify(ledger.store).problems == ()


def test_a_forgotten_conversation_is_gone_and_the_others_go_on(session):
    ledger = session.ledger
    say(session, "Mill Lane 12, the ferry", answer="Written down: number twelve.")
    say(session, "Mill Lane 12, the ferry", "And the tower?", reply="Written down: number twelve.")
    other = say(session, "Another ferry")
    node = digest(Message("Max", "Mill Lane 12, the ferry"))
    traces = (b"Mill Lane", b"number twelve", b"And the tower", node.encode(), bytes.fromhex(node))
    assert all(trace in everything(ledger) for trace in traces)

    done = forget(ledger, {ledger.stream: {1, 2}}, "forget")

    assert done.clean
    assert done.turns == {ledger.stream: (1, 2)}
    left = everything(ledger)
    assert not any(trace in left for trace in traces)
    assert outcomes(ledger) == ["erased", "erased", "same"]
    checked = verify(ledger.store)
    assert checked.problems == ()
    assert [(one.rule, one.turns, one.texts) for one in checked.removed] == [("forget", (1, 2), len(done.all_texts))]
    following = say(session, "Another ferry", "And the queen?")
    assert ledger.turn(following)[1].parent == other
    assert outcomes(ledger)[-2:] == ["same", "same"]


def test_what_two_conversations_say_stays_until_both_are_forgotten(session):
    say(session, "The ferry", name="one")
    say(session, "The ferry", name="two")
    say(session, "Other", "The ferry", name="two")
    first, second = groups(session.ledger)

    forget(session.ledger, {session.ledger.stream: first}, "forget")
    assert b"The ferry" in everything(session.ledger)
    assert outcomes(session.ledger)[len(first) :] == ["same"] * len(second)
    forget(session.ledger, {session.ledger.stream: second}, "forget")

    assert b'"The ferry"' not in everything(session.ledger)
    assert verify(session.ledger.store).problems == ()


def test_other_streams_keep_what_is_theirs(session, tmp_path):
    say(session, "Shared words about a ferry")
    eve = open_chat(tmp_path / "a.ledger", stream="3:eve/aria")
    say(eve, "Shared words about a ferry")
    forget(session.ledger, {session.ledger.stream: {1}}, "forget")

    eve.ledger.refresh()
    assert outcomes(eve.ledger) == ["same"]
    assert outcomes(Ledger(session.ledger.store, session.ledger.stream)) == ["erased"]
    assert verify(session.ledger.store).problems == ()
    eve.ledger.close()


def test_what_was_erased_in_part_is_forgotten_whole(session):
    say(session, "Mill Lane ferry")
    say(session, "Mill Lane ferry", "Hidden tower")
    erase(session.ledger, find_message(session.ledger, 1, 0))

    forget(session.ledger, {session.ledger.stream: {1, 2}}, "forget")

    assert b"Hidden tower" not in everything(session.ledger)
    assert b"Aye." not in everything(session.ledger)
    assert verify(session.ledger.store).problems == ()


def test_forgetting_twice_changes_nothing(session):
    say(session, "Mill Lane ferry")
    forget(session.ledger, {session.ledger.stream: {1}}, "forget")
    head = session.ledger.store.head(session.ledger.stream)

    done = forget(session.ledger, {session.ledger.stream: {1}}, "forget")

    assert (done.turns, done.all_texts) == ({}, ())
    assert session.ledger.store.head(session.ledger.stream) == head


def test_proposed_facts_go_with_their_turn_and_accepted_ones_stay(session):
    for number, name in ((1, "Ada"), (2, "Bess")):
        reply = FACT % name
        assert say(session, f"Who keeps lamp {number}?", answer=reply) == number
        take_facts(session.ledger, number, reply)
    assert len(list_facts(session.ledger)) == 2
    decide_fact(session.ledger, 2, "session")

    done = forget(session.ledger, {session.ledger.stream: {1, 2}}, "forget")

    assert done.facts == 1
    assert b"called Ada" not in everything(session.ledger)
    assert b"called Bess" in everything(session.ledger)
    assert verify(session.ledger.store).problems == ()


def test_the_hash_of_a_request_goes_with_its_turn(session):
    number = say(session, "yes")
    ledger = session.ledger
    with ledger.store.transaction():
        digest = ledger.texts.put("9f" * 32)
        ledger.append(RequestSent(turn=number, api="chat", model="m", upstream="u", sha256=digest, size=1))

    forget(ledger, {ledger.stream: {number}}, "forget")

    assert b"9f" * 32 not in everything(ledger)
    assert verify(ledger.store).problems == ()


def test_a_reply_that_ends_after_its_turn_was_forgotten_is_not_kept(session):
    number = session.weave(said("Mill Lane ferry")).number
    forget(session.ledger, {session.ledger.stream: {number}}, "forget")

    session.ledger.reply(number, "Too late, says Mill Lane.", ending="complete")

    assert b"Too late" not in everything(session.ledger)
    assert verify(session.ledger.store).problems == ()


def test_a_plan_is_what_is_done_and_changes_nothing(session):
    say(session, "Mill Lane ferry")
    say(session, "Another ferry")
    head = session.ledger.store.head(session.ledger.stream)
    planned = plan_forgetting(session.ledger, {session.ledger.stream: {1}})
    assert session.ledger.store.head(session.ledger.stream) == head

    done = forget(session.ledger, {session.ledger.stream: {1}}, "forget")

    assert (planned.turns, planned.texts) == (done.turns, done.texts)


@pytest.mark.parametrize("busy", [1, 4, 9])
def test_what_another_program_says_meanwhile_is_taken_into_account(busy, session, tmp_path, monkeypatch):
    """It goes on from the turn that is forgotten, just when it was found out what nobody needs."""
    say(session, "Mill Lane ferry")
    other = open_chat(tmp_path / "a.ledger", stream=session.ledger.stream)
    texts = ["Mill Lane ferry"]

    def plan_and_be_late(file, turns):
        found = plan_forgetting(file, turns)
        if len(texts) <= busy and not file.store._db.in_transaction:
            texts.append(f"And tower {len(texts)}?")
            say(other, *texts)
        return found

    monkeypatch.setattr("lorewright.ledger.forget.plan_forgetting", plan_and_be_late)
    forget(session.ledger, {session.ledger.stream: {1}}, "gc")

    other.ledger.close()
    assert outcomes(session.ledger) == ["erased"] + ["same"] * (len(texts) - 1)
    assert len(texts) > 1
    assert verify(session.ledger.store).problems == ()


# -- rules -------------------------------------------------------------------------------------------------------------


def test_old_conversations_are_those_whose_last_turn_is_old(session):
    say(session, "Old ferry")
    say(session, "Old tower")
    say(session, "Old ferry", "New wolf")
    at = session.ledger.turn(2)[1].at

    assert older_than(session.ledger, at + 0.5) == {2}
    assert older_than(session.ledger, at) == set()
    assert older_than(session.ledger, 10**12) == {1, 2, 3}


def test_the_newest_turns_of_each_conversation_are_kept(session):
    for number in range(1, 5):
        say(session, *(f"Ferry {n}" for n in range(number)))
    say(session, "Another ferry")

    assert beyond_newest(session.ledger, 2) == {1, 2}
    assert beyond_newest(session.ledger, 9) == set()


def test_cut_replies_go_if_nothing_went_on_from_them(session):
    ledger = session.ledger
    for number, ending in enumerate(("interrupted", "client_gone", "complete", "interrupted", "failed"), start=1):
        assert session.weave(said(f"Ferry {number}")).number == number
        ledger.reply(number, ending=ending)
    say(session, "Ferry 4", "And then?")
    session.weave(said("Still running"))

    assert cut_off(ledger) == {1, 2, 5}


def test_a_conversation_goes_on_byte_for_byte_without_its_old_turns(tmp_path):
    """The same chat with and without forgetting in between: what is sent is the same."""
    plain, thinned = (open_chat(tmp_path / name / "a.ledger") for name in ("plain", "thinned") if make(tmp_path / name))
    for turn in turns(8):
        one, other = plain.weave(turn), thinned.weave(turn)
        assert one.woven.messages == other.woven.messages
        assert other.woven.moves == ()
        thinned.ledger.reply(other.number, f"Gone {other.number}.", ending="complete")
        forget(thinned.ledger, {"main": beyond_newest(thinned.ledger, 2)}, "gc --keep-turns 2")
        assert verify(thinned.ledger.store).problems == ()
    assert outcomes(thinned.ledger) == ["erased"] * 6 + ["same"] * 2
    assert b"Gone 6." not in everything(thinned.ledger)
    assert b"Gone 7." in everything(thinned.ledger)
    plain.ledger.close()
    thinned.ledger.close()


def make(folder):
    folder.mkdir()
    return True


@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_forgotten_the_rest_comes_out_as_before(tmp_path_factory, data):
    """Random trees of requests, random turns forgotten: the chain verifies, and turns that stay never come out
    differently."""
    session = open_chat(tmp_path_factory.mktemp("forget") / "a.ledger")
    ledger = session.ledger
    said_before = [()]
    for number in range(1, data.draw(st.integers(2, 7)) + 1):
        before = data.draw(st.sampled_from(said_before))
        words = data.draw(st.sampled_from(("ferry", "tower", "wolf", "queen")))
        texts = (*before, f"{words} {data.draw(st.integers(0, 2))}")
        said_before.append(texts)
        assert session.weave(said(*texts)).number == number
        ledger.reply(
            number, f"Reply {number}", ending=data.draw(st.sampled_from(("complete", "failed", "interrupted")))
        )
    gone = data.draw(st.sets(st.integers(1, ledger.count_turns())))
    first = data.draw(st.sets(st.sampled_from(sorted(gone)))) if gone else set()

    forget(ledger, {"main": first}, "gc")
    forget(ledger, {"main": gone}, "gc")

    assert verify(ledger.store).problems == ()
    left = {one.turn: one.outcome for one in replay(ledger)}
    assert {left[turn] for turn in gone} <= {"erased"}
    assert all(outcome == "same" for turn, outcome in left.items() if turn not in gone)
    session.weave(said(*said_before[-1], "And the wolf?"))
    assert verify(ledger.store).problems == ()
    forget(ledger, {"main": range(1, ledger.count_turns() + 1)}, "gc")
    assert not [trace for trace in (b"Reply ", b"ferry 0", b"Aye.", b"And the wolf") if trace in everything(ledger)]
    assert verify(ledger.store).problems == ()
    ledger.close()
