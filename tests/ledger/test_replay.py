"""A recorded turn comes out the same; one that does not is named."""

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, make_tools
from lorewright.core.draw import SequenceDraw, draw_for
from lorewright.core.gates import Flag, Gate
from lorewright.core.match import ReferenceMatcher
from lorewright.core.model import Book, Entry, Message, Turn
from lorewright.core.protocols import Matcher, Rendered, Tools
from lorewright.errors import LedgerError, RegexTimeout
from lorewright.fast.matcher import FastMatcher
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import Replayer, replay
from lorewright.templates.dialects import ProfileRenderer
from lorewright.testing import strategies as our
from lorewright.testing.client import ACTIONS, Step
from lorewright.testing.ledgers import assert_replays
from tests.ledger.world import BOOK, CHARACTER, LedgerWorld, chat, open_chat, turns
from tests.prefix.entries import WORDS
from tests.prefix.world import Change

CHANGES = ("edit_entry", "switch_entry", "remove_entry", "add_entry", "form", "on_edit", "standing_budget", "placement")
steps = st.lists(
    st.one_of(
        st.builds(
            Step,
            st.sampled_from(ACTIONS),
            st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
            st.integers(0, 9),
        ),
        st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 11)),
    ),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_whatever_happens_in_a_chat_comes_out_again(tmp_path_factory, steps):
    world = LedgerWorld(tmp_path_factory.mktemp("ledger") / "a")

    world.run([Step("say", "ferry"), *steps])

    with world.session.ledger as ledger:
        assert assert_replays(ledger) == ledger.count_turns() > 0


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_what_is_kept_of_long_chats_changes_nothing(tmp_path_factory, steps):
    """`LedgerWorld` compares each turn with one of which nothing is kept."""
    world = LedgerWorld(tmp_path_factory.mktemp("ledger") / "a")

    with patch("lorewright.core.weave._LONG", 0), patch("lorewright.storage.memory._LONG_WAY", 1):
        world.run([Step("say", "ferry"), *steps])

    with world.session.ledger as ledger:
        assert assert_replays(ledger) == ledger.count_turns() > 0


@settings(max_examples=25)
@given(book=our.books(), chat=st.lists(our.turns(), max_size=3), profile=st.sampled_from((NATIVE, SILLYTAVERN)))
def test_any_book_and_turn_come_out_again(tmp_path_factory, book, chat, profile):
    session = open_chat(tmp_path_factory.mktemp("ledger") / "a", book=book, policy=profile)
    for turn in chat:
        session.weave(turn)

    with session.ledger as ledger:
        assert assert_replays(ledger) == len(chat)


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN], ids=["native", "sillytavern"])
def test_a_chat_comes_out_again_from_the_file_alone(tmp_path, policy):
    chat(tmp_path / "a", policy=policy).ledger.close()

    with open_ledger(tmp_path / "a", create=False) as ledger:
        assert [turn.outcome for turn in replay(ledger)] == ["same"] * 6
        assert Replayer(ledger).replay(4).outcome == "same"


def test_a_changed_switch_is_found_and_the_entry_named(tmp_path):
    ledger = chat(tmp_path / "a").ledger
    shallow = replay(ledger, policy=lambda policy: policy.with_settings(replace(policy.settings, scan_depth=0)))

    assert shallow[0].outcome == "different"
    assert shallow[0].entries == ("isles.ferry",)
    assert shallow[0].parting
    assert shallow[0].parting.was
    assert shallow[0].parting.was.entry == "isles.ferry"
    assert "`isles.ferry`" in shallow[0].message


def test_one_switch_of_the_policy_is_enough(tmp_path):
    """To SillyTavern a word ends where the letters of ASCII do (spec world-info §4.2)."""
    book = Book("b", (Entry(uid="cat", keys=("кот",), content="A cat.", position=0, order=1),))
    session = open_chat(tmp_path / "a", book=book)
    for turn in turns(2, words=("скотина",)):
        session.weave(turn)

    found = replay(
        session.ledger, policy=lambda policy: replace(policy, switches=replace(policy.switches, ascii_words=True))
    )

    assert [(turn.outcome, turn.entries) for turn in found] == [("different", ("b.cat",))] * 2


def test_the_output_is_never_read_back(tmp_path, monkeypatch):
    ledger = chat(tmp_path / "a").ledger

    def forbidden(*_):
        raise AssertionError("read the output")

    monkeypatch.setattr(ledger.texts, "get_sent", forbidden)
    assert {turn.outcome for turn in replay(ledger)} == {"same"}


def test_a_chat_goes_on_in_another_process(tmp_path):
    whole = [recorded.woven.messages for recorded in map(open_chat(tmp_path / "whole").weave, turns(6))]
    first = [recorded.woven.messages for recorded in map(open_chat(tmp_path / "parts").weave, turns(3))]
    second = [recorded.woven.messages for recorded in map(open_chat(tmp_path / "parts").weave, turns(6, start=3))]

    assert [*first, *second] == whole
    with open_ledger(tmp_path / "parts") as ledger:
        assert assert_replays(ledger) == 6


def test_two_open_sessions_see_each_other(tmp_path):
    one, other = open_chat(tmp_path / "a"), open_chat(tmp_path / "a")
    numbers = [session.weave(turn).number for session, turn in zip((one, other, one, other), turns(4), strict=True)]

    assert numbers == [1, 2, 3, 4]
    assert [turn.parent for turn in one.ledger.turns()] == [0, 1, 2, 3]
    assert assert_replays(one.ledger) == 4


def test_conversations_of_a_stream_do_not_mix(tmp_path):
    session = open_chat(tmp_path / "a")
    for first, second in zip(turns(3), turns(3, words=("wolf",)), strict=True):
        session.weave(first)
        session.weave(second)

    assert [turn.parent for turn in session.ledger.turns()] == [0, 0, 1, 2, 3, 4]
    assert assert_replays(session.ledger) == 6


def test_streams_of_a_file_do_not_know_each_other(tmp_path):
    one, other = chat(tmp_path / "a", stream="one"), chat(tmp_path / "a", stream="two")

    assert [turn.parent for turn in other.ledger.turns()] == [0, 1, 2, 3, 4, 5]
    assert assert_replays(one.ledger) == assert_replays(other.ledger) == 6


# --- what comes from outside


class Sandbox(ProfileRenderer):
    """A renderer with a clock: every text is another one."""

    repeatable = False

    def __init__(self):
        self.calls = 0

    def is_template(self, text):
        return "{{" in text

    def render(self, text, context):
        self.calls += 1
        return Rendered(text.replace("{{time}}", f"{self.calls} o'clock"), "{{time}}" in text)


CLOCKS = Book(
    "b",
    (
        Entry(uid="now", constant=True, content="It is {{time}}.", position=0, order=1),
        Entry(uid="ferry", keys=("ferry",), content="The ferry, {{noted}}.", position=0, order=2),
    ),
)


def test_texts_of_a_sandbox_are_recorded(tmp_path):
    tools = replace(make_tools(), renderer=Sandbox())
    session = open_chat(tmp_path / "a", book=CLOCKS, tools=tools)
    sent = [session.weave(turn).woven.messages for turn in turns(3)]

    assert "1 o'clock" in sent[0][-1].content
    assert session.ledger.turn(1)[1].reads is not None
    assert assert_replays(session.ledger, make_tools()) == 3


def test_a_text_that_was_not_rendered_is_told(tmp_path):
    session = open_chat(tmp_path / "a", book=CLOCKS, tools=replace(make_tools(), renderer=Sandbox()))
    session.weave(
        Turn(messages=(Message("Max", "Hello. Is the ferry here?"), Message("Max", "Hello"), Message("Max", "x")))
    )

    (found,) = replay(
        session.ledger,
        replace(make_tools(), renderer=Sandbox()),
        lambda policy: policy.with_settings(replace(policy.settings, scan_depth=9)),
    )

    assert found.outcome == "different"
    assert "The ferry, {{noted}}." in found.message


def test_draws_of_a_host_are_recorded(tmp_path):
    book = Book("b", (Entry(uid=1, keys=("ferry",), content="Half.", probability=50, position=0, order=1),))
    tools = replace(make_tools(), draw=SequenceDraw([0.9, 0.1, 0.9, 0.1]))
    session = open_chat(tmp_path / "a", book=book, tools=tools)
    active = [len(session.weave(turn).woven.assembly.activated) for turn in turns(4, words=("ferry",))]

    assert active == [0, 1, 0, 1]
    assert assert_replays(session.ledger) == 4


class Hurried:
    """A regex backend on a slow machine: one pattern gets no answer in a text with `tower`."""

    name = "hurried"

    def __init__(self, regexes):
        self.regexes = regexes

    def compile(self, pattern, flags):
        inner = self.regexes.compile(pattern, flags)

        class Slow:
            def search(self, text, timeout_seconds):
                if pattern == "fe*rry|to+wer" and "tower" in text:
                    raise RegexTimeout("too slow")
                return inner.search(text, timeout_seconds)

        return Slow()


@pytest.mark.parametrize("engine", ["fast", "core"])
def test_keys_that_were_given_up_are_given_up_again(tmp_path, engine):
    book = Book("b", (Entry(uid="slow", keys=("/fe*rry|to+wer/",), content="Slow.", position=0, order=1),))
    usual = make_tools(engine=engine)
    hurried = Hurried(usual.regexes)
    matcher: Matcher = ReferenceMatcher(hurried) if engine == "core" else FastMatcher(hurried)
    session = open_chat(tmp_path / "a", book=book, tools=Tools(matcher, hurried, usual.renderer, usual.counter))
    policy = NATIVE.with_settings(replace(NATIVE.settings, scan_depth=1))
    session.use([ActiveBook(book)], policy)
    active = [len(session.weave(turn).woven.assembly.activated) for turn in turns(4, words=("ferry", "tower"))]

    assert active == [1, 0, 1, 0]
    assert assert_replays(session.ledger) == 4
    reads = session.ledger.texts.get(session.ledger.turn(2)[1].reads)
    assert [(one.pattern, one.flags) for one in reads.given_up] == [("fe*rry|to+wer", "")]


def test_gates_and_variables_are_recorded(tmp_path):
    book = replace(
        BOOK,
        entries=(
            *BOOK.entries,
            Entry(uid="secret", keys=("ferry",), content="It sinks.", position=0, order=9, gate=Gate((Flag("told"),))),
        ),
    )
    session = open_chat(tmp_path / "a", book=book)
    (turn,) = turns(1)
    closed = session.weave(turn)
    opened = session.weave(replace(turn, variables={"told": True}))

    texts = ["".join(message.content for message in sent.woven.messages) for sent in (closed, opened)]
    assert ["It sinks." in text for text in texts] == [False, True]
    assert assert_replays(session.ledger) == 2


def test_an_unknown_counter_is_named(tmp_path):
    class Letters:
        name = "letters"

        @staticmethod
        def count(text):
            return len(text)

    ledger = chat(tmp_path / "a", tools=make_tools(counter=Letters())).ledger

    with pytest.raises(LedgerError, match=r"letters.*tools"):
        replay(ledger)
    assert assert_replays(ledger, make_tools(counter=Letters())) == 6


@given(
    entry=st.text(max_size=5),
    session=st.text(max_size=5),
    number=st.integers(0, 99),
    purpose=st.sampled_from(("probability", "group", "macro")),
    messages=st.integers(0, 9),
)
def test_the_same_draw_for_the_same_entry_session_and_turn(entry, session, number, purpose, messages):
    turn = Turn(session=session, number=number, character=CHARACTER)
    other = Turn(messages=(Message("Max", "other"),) * 2, session=session, number=number, user="Somebody")

    assert draw_for(turn, messages).number(entry, purpose, 0) == draw_for(other, 2).number(entry, purpose, 0)


def test_a_swipe_draws_as_what_it_replaces(tmp_path):
    session = open_chat(tmp_path / "a")
    (*_, turn) = turns(3)
    found = [session.weave(replace(turn, trigger=trigger)).woven for trigger in ("normal", "regenerate", "regenerate")]

    assert len({woven.messages for woven in found}) == 1
    assert {woven.turn.number for woven in found} == {3}


def test_an_assertion_names_what_is_wrong(tmp_path):
    session = chat(tmp_path / "a")
    tools = replace(
        make_tools(), counter=type("Endless", (), {"name": "endless", "count": lambda _, text: len(text) * 999})()
    )

    with pytest.raises(AssertionError, match=r"turn 1: It differs .*`isles\.f"):
        assert_replays(session.ledger, tools)
