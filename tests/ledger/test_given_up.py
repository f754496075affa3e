"""Replacements that got no answer when a turn was recorded get none when it is assembled again, and all others do."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import Book, Entry, Message, make_tools
from lorewright.core.protocols import Substituted
from lorewright.core.replaces import Allowance, GivenUp, Replace, apply_replaces
from lorewright.errors import RegexTimeout
from lorewright.ledger.given_up import digest_text
from lorewright.ledger.ledger import IMAGE
from lorewright.ledger.outside import Recorder, with_recorded
from lorewright.ledger.replay import replay
from tests.ledger.world import open_chat, turns

TOOLS = make_tools()
TEXTS = ("aab", "abc", "b")
RULES = tuple(Replace(find, into) for find, into in (("a", "b"), ("b", "ca"), ("c", ""), ("a+", "a")))


class Busy:
    """A backend on a machine that is now fast, now slow: `seconds` says how long each replacement takes."""

    name = "busy"

    def __init__(self, seconds):
        self.seconds = iter(seconds)

    def compile(self, pattern, flags):
        regex, outer = TOOLS.regexes.compile(pattern, flags), self

        class Slow:
            search = regex.search

            def replace(self, text, replacement, timeout_seconds):
                seconds = next(outer.seconds, 0.0) if timeout_seconds > 0 else 0.1
                if seconds > timeout_seconds:
                    raise RegexTimeout("too slow", timeout_seconds=timeout_seconds)
                return Substituted(regex.replace(text, replacement, 60).text, seconds)

        return Slow()


def run(regexes, rules):
    """The replacements of one turn in several texts, and what is said of those that were given up."""
    left = Allowance(1.0)
    found: list[str] = []
    said: list[GivenUp] = []
    for text in TEXTS:
        done = apply_replaces(text, rules, regexes, left)
        left = done.left
        found.append(done.text)
        said += done.given_up
    return found, said


def test_it_is_recorded_which_one_was_late_in_which_text_and_by_how_much():
    """The first takes too long by itself; then 0.5 s are left, 0.4 s are taken, and the third gets only 0.1 s."""
    recorder = Recorder(replace(TOOLS, regexes=Busy([0.6, 0.4, 0.2])))
    texts, given_up = run(recorder.tools.regexes, RULES[:1])
    outside = recorder.take()
    assert outside is not None

    assert texts == ["aab", "bbc", "b"]
    assert [one.reason for one in given_up] == ["slow", "no_time"]
    assert [(one.pattern, one.flags, one.before) for one in outside.late] == [("a", "g", 0), ("a", "g", 0)]
    assert [one.seconds for one in outside.late] == pytest.approx([0.5, 0.1])
    assert [one.text for one in outside.late] == [digest_text("aab"), digest_text("b")]


@given(
    st.lists(st.sampled_from((0.0, 0.05, 0.2, 0.4, 0.6)), max_size=12),
    st.lists(st.sampled_from(RULES), min_size=1, max_size=4),
)
def test_whatever_was_late_is_late_again_and_nothing_else(seconds, rules):
    recorder = Recorder(replace(TOOLS, regexes=Busy(seconds)))
    recorded = run(recorder.tools.regexes, rules)
    outside = IMAGE.decode(IMAGE.encode(recorder.take()))

    assert run(with_recorded(TOOLS, outside).regexes, rules) == recorded


def test_the_next_turn_begins_anew():
    recorder = Recorder(replace(TOOLS, regexes=Busy([0.6])))
    run(recorder.tools.regexes, RULES[:1])

    assert recorder.take() is not None
    run(recorder.tools.regexes, RULES[:1])
    assert recorder.take() is None


@pytest.mark.parametrize("target", ["content", "system", "user"])
def test_a_turn_whose_replacements_were_late_comes_out_again(tmp_path, target):
    """The replacement of the second turn is given up; a machine of today has time for it."""
    rule = Replace("[Tt]he", "A", target)
    book = Book("isles", (Entry(uid=1, constant=True, content="The {{random::ferry::boat}}.", replaces=(rule,)),))
    first, second = turns(2)
    system = Message("", "The system.", "system", hidden=True)
    busy = Busy([])
    session = open_chat(tmp_path / "a", book=book, tools=replace(TOOLS, regexes=busy))
    sent = []
    for turn, seconds in ((first, []), (second, [0.6] * 9)):
        busy.seconds = iter(seconds)
        sent.append(session.weave(replace(turn, messages=(system, *turn.messages))).woven)

    codes = [[report.code for report in woven.assembly.reports] for woven in sent]
    assert ["replace_given_up" in found for found in codes] == [False, True]
    assert [turn.outcome for turn in replay(session.ledger)] == ["same", "same"]
    reads = session.ledger.texts.get(session.ledger.turn(2)[1].reads)
    assert {one.pattern for one in reads.late} == {"[Tt]he"}
