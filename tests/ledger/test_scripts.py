"""Regex scripts in a ledger: what they made comes out again, runs out of time again, and can be forgotten."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, make_tools
from lorewright.core.counter import EstimateCounter
from lorewright.core.protocols import Rendered
from lorewright.core.regex_script import RegexScript
from lorewright.errors import RegexTimeout
from lorewright.fast.regexes import default_regexes
from lorewright.ledger.difference import compare_turns
from lorewright.ledger.erase import erase, find_message
from lorewright.ledger.events import PolicyStored
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.objects import difference_object
from lorewright.ledger.replay import replay
from lorewright.templates.scripting import SillyTavernScripts
from lorewright.testing.client import ACTIONS, Step
from lorewright.testing.ledgers import assert_replays
from tests.ledger.test_erase import stored
from tests.ledger.world import LedgerWorld, open_chat, turns
from tests.prefix.entries import WORDS
from tests.prefix.world import Change


def script(pattern, replacement="", **more):
    given = {"name": "s", "placement": (1, 2, 5), **more}
    return RegexScript(**given, pattern=pattern, replacement=replacement)


SCRIPTS = (
    script("/the (\\w+)/", "the {{random::old::new}} $1", name="age"),
    script("/Day (\\d+)/", "$0 ({{setvar::day::$1}}{{time}})", placement=(1,), name="day"),
    script("/where/", "-", for_prompt=True, least_depth=2, name="fade"),
    script("/isles|steps/", "{{user}}'s $0", for_prompt=True, name="lore"),
)


def policy(*scripts):
    return replace(NATIVE, scripts=scripts)


def chat(path, scripts=SCRIPTS, count=6, **given):
    session = open_chat(path, policy=policy(*scripts), **given)
    for turn in turns(count):
        session.weave(turn)
    return session


def test_a_chat_with_scripts_comes_out_again_from_the_file_alone(tmp_path):
    chat(tmp_path / "a").ledger.close()
    with open_ledger(tmp_path / "a", create=False) as ledger:
        last = [ledger.texts.get_sent(line)[0] for line in ledger.lines(6).sent]

        assert assert_replays(ledger) == 6
        assert {turn.outcome for turn in replay(ledger)} == {"same"}
        assert ledger.turn(6)[1].reads is None
        assert [piece.kind for piece in last[1].pieces if piece.kind != "record"] == ["rewritten"]
        assert "Max's" in last[0].content


def test_a_chat_goes_on_in_another_process(tmp_path):
    whole = chat(tmp_path / "whole").ledger
    chat(tmp_path / "parts", count=3).ledger.close()
    session = open_chat(tmp_path / "parts", policy=policy(*SCRIPTS))
    for turn in turns(6, start=3):
        session.weave(turn)

    for number in range(1, 7):
        one, other = (
            [led.texts.get_sent(line)[0] for line in led.lines(number).sent] for led in (whole, session.ledger)
        )
        assert [message.content for message in one] == [message.content for message in other]


def test_the_scripts_are_recorded_once_and_a_change_of_them_is_an_event(tmp_path):
    session = chat(tmp_path / "a", count=3)
    session.use(session.books, policy(*SCRIPTS[1:]))
    for turn in turns(4, start=3):
        session.weave(turn)

    assert len(list(session.ledger.of_kind(PolicyStored))) == 2
    assert {move.cause for move in session.ledger.moves(4)} == {"policy_change"}
    assert assert_replays(session.ledger) == 4


def test_diff_names_scripts_and_causes(tmp_path):
    session = chat(tmp_path / "a", scripts=SCRIPTS[2:3], count=3)
    second = compare_turns(session.ledger, 2, 3, EstimateCounter())
    session.use(session.books, policy())
    (turn,) = turns(4, start=3)
    session.weave(turn)
    third = compare_turns(session.ledger, 3, 4, EstimateCounter())

    assert second.kept.cause == "regex_depth"
    assert [(number, move.cause) for number, move in second.moves] == [(3, "regex_depth")]
    assert third.kept.cause == "policy_change"
    ((name, before, now),) = third.policy
    assert (name, [text.split(" ")[0] for text in before], now) == ("scripts", ["fade"], ())
    assert json.loads(json.dumps(difference_object(third)))["policy"][0]["name"] == "scripts"


class Hurried:
    """A regex backend on a slow machine: a pattern gets no answer in a text with `tower`."""

    name = "hurried"

    def __init__(self):
        self.regexes = default_regexes()

    def compile(self, pattern, flags):
        inner = self.regexes.compile(pattern, flags)

        class Slow:
            def search(self, text, timeout_seconds):
                return inner.search(text, timeout_seconds)

            def replace(self, text, replacement, timeout_seconds):
                if pattern == "(the )+" and "tower" in text:
                    raise RegexTimeout("too slow")
                return inner.replace(text, replacement, timeout_seconds)

        return Slow()


def test_scripts_that_were_given_up_are_given_up_again(tmp_path):
    tools = replace(make_tools(), scripts=SillyTavernScripts(Hurried(), lambda: 0.0))
    session = chat(tmp_path / "a", (script("/(the )+/", "a "),), count=3, tools=tools)
    with session.ledger as ledger:
        sent = [ledger.texts.get_sent(line)[0].content for line in ledger.lines(3).sent]

        assert [text.rpartition("where is ")[2] for text in sent[1::2]] == ["a ferry?", "the tower?", "a wolf?"]
        reads = [ledger.turn(number)[1].reads for number in (1, 2, 3)]
        assert [ref is not None for ref in reads] == [False, True, False]
        assert assert_replays(ledger) == 3


def test_what_another_program_makes_of_a_script_is_recorded(tmp_path):
    class Foreign:
        def __init__(self):
            self.calls = 0

        def open(self, *, endless=False):
            return self

        def run(self, script, text, context):
            self.calls += 1
            return Rendered(f"{text} {self.calls}")

    tools = replace(make_tools(), scripts=Foreign())
    session = chat(tmp_path / "a", (script("/x/", placement=(1,)),), count=3, tools=tools)

    assert assert_replays(session.ledger) == 3


def test_what_scripts_made_of_an_erased_message_goes_with_it(tmp_path):
    scripts = (script("/wolf/", "$0 of {{user}}"), script("/Day (\\d)/", "{{setvar::said::day-$1}}The day"))
    ledger = chat(tmp_path / "a", scripts).ledger
    assert b"wolf of Max" in stored(ledger)
    assert b"day-2" in stored(ledger)

    done = erase(ledger, find_message(ledger, 3, 4))

    assert done.turns == (3, 4, 5, 6)
    for trace in (b"wolf of Max", b"Day 2", b"day-2"):
        assert trace not in stored(ledger)
    assert [turn.outcome for turn in replay(ledger)] == ["same", "same", *["erased"] * 4]


def test_what_scripts_made_of_it_in_another_stream_goes_too(tmp_path):
    one = chat(tmp_path / "a", (script("/wolf/", "$0-$0"),))
    other = open_chat(tmp_path / "a", policy=policy(script("/wolf/", "$0+$0")), stream="other")
    for turn in turns(3):
        other.weave(turn)
    one.ledger.refresh()
    assert b"wolf+wolf" in stored(one.ledger)

    erase(one.ledger, find_message(one.ledger, 3, 4))

    assert b"wolf+wolf" not in stored(one.ledger)


class ScriptedWorld(LedgerWorld):
    """The world of the ledger with scripts that are changed, too."""

    def check(self, now):
        """The oracle of the prefix knows no scripts; tests/prefix has one that does."""

    SETS = ((), SCRIPTS[:1], SCRIPTS[2:], (SCRIPTS[2], SCRIPTS[0]), SCRIPTS)

    def change(self, change):
        if change.what == "scripts":
            self.policy = replace(self.policy, scripts=self.SETS[change.at % len(self.SETS)])
        super().change(change)


CHANGES = ("scripts", "scripts", "edit_entry", "form", "placement")
steps = st.lists(
    st.one_of(
        st.builds(
            Step,
            st.sampled_from(ACTIONS),
            st.lists(st.sampled_from((*WORDS, "the", "where")), max_size=3).map(" ".join),
            st.integers(0, 9),
        ),
        st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 11)),
    ),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_whatever_happens_in_a_chat_comes_out_again(tmp_path_factory, steps):
    world = ScriptedWorld(tmp_path_factory.mktemp("ledger") / "a")
    world.run([Change("scripts", 4), Step("say", "where is the ferry"), *steps])

    with world.session.ledger as ledger:
        assert assert_replays(ledger) == ledger.count_turns() > 0


@pytest.mark.parametrize("change", [0, 1])
def test_a_replay_with_other_scripts_differs(tmp_path, change):
    session = chat(tmp_path / "a")
    found = replay(session.ledger, policy=lambda old: replace(old, scripts=old.scripts[change + 1 :]))

    assert found[0].outcome == "different"
