"""Replacements in a ledger: turns come out again, also where one ran out of time; and what was made of a text is
erased with it."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, ActiveBook, Book, Entry, Message, Turn, make_tools
from lorewright.core.protocols import Substituted
from lorewright.core.replaces import Replace
from lorewright.errors import RegexTimeout
from lorewright.ledger.erase import erase, find_entry, find_message
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.session import LedgerSession
from lorewright.ledger.verify import verify
from lorewright.testing.ledgers import assert_replays

ENTRIES = (
    Entry(uid="hide", constant=True, content="", replaces=(Replace(r"tok_\w+", "tok_…", "user"),)),
    Entry(uid="swap", keys=("crane",), content="", replaces=(Replace("Aria", "Bo of Hollin", "system"),)),
    Entry(uid="own", constant=True, content="colour", layer="tail", replaces=(Replace("colou?r", "red"),)),
    Entry(uid="last", constant=True, content="", layer="tail", replaces=(Replace("You are", "It is", "system"),)),
    Entry(uid="live", keys=("crane",), content="A live word.", layer="policy", cache_unsafe=True),
    Entry(uid="routed", keys=("crane",), content="A routed word.", channel="system", probability=50, seed_salt="s"),
)
BOOK = Book("b", ENTRIES)
SAID = ("The crane has tok_1.", "So", "The crane and tok_2", "Bye")


def turns():
    chat = [Message("", "You are Aria.", "system", hidden=True)]
    for number, text in enumerate(SAID):
        chat.append(Message("Max", text))
        yield Turn(messages=tuple(chat))
        chat.append(Message("Aria", f"Reply {number}.", "assistant"))


def record(path, tools=None, policy=NATIVE):
    session = LedgerSession(open_ledger(path), [ActiveBook(BOOK)], policy, tools or make_tools())
    woven = [session.weave(turn).woven for turn in turns()]
    return session.ledger, woven


@pytest.mark.parametrize("placement", ["frozen", "sillytavern"])
def test_turns_with_channels_and_replacements_come_out_again(tmp_path, placement):
    ledger, woven = record(tmp_path / "a", policy=replace(NATIVE, placement=placement))

    assert ledger.turn(1)[1].reads is None
    assert assert_replays(ledger) == len(SAID)
    last = [message.content for message in woven[-1].messages if message.role == "user"]
    assert next(text for text in last if "tok_" in text).endswith("The crane has tok_….")


def test_a_chat_goes_on_from_the_file(tmp_path):
    ledger, whole = record(tmp_path / "whole")
    del ledger
    pieces = []
    for turn in turns():
        with open_ledger(tmp_path / "parts") as part:
            pieces.append(LedgerSession(part, [ActiveBook(BOOK)], NATIVE, make_tools()).weave(turn).woven)

    assert [one.messages for one in pieces] == [one.messages for one in whole]
    assert [one.moves for one in pieces] == [one.moves for one in whole]


class Late:
    """A machine on which the replacements with these numbers get no answer."""

    def __init__(self, regexes, late):
        self.name = regexes.name
        self.regexes = regexes
        self.late = late
        self.calls = 0

    def compile(self, pattern, flags):
        regex, outer = self.regexes.compile(pattern, flags), self

        class Slow:
            search = regex.search

            def replace(self, text, replacement, timeout_seconds):
                outer.calls += 1
                if outer.calls in outer.late:
                    raise RegexTimeout("too slow", pattern=pattern, timeout_seconds=timeout_seconds)
                return Substituted(regex.replace(text, replacement, 60).text, 0.1)

        return Slow()


@pytest.mark.parametrize("late", [{1}, {2}, {3}, {4}, {2, 5, 8}, set(range(1, 99))], ids=str)
def test_what_ran_out_of_time_when_it_was_recorded_does_so_again_and_nothing_else(tmp_path, late):
    tools = make_tools()
    ledger, woven = record(tmp_path / "a", replace(tools, regexes=Late(tools.regexes, late)))
    given_up = [report for one in woven for report in one.assembly.reports if report.code == "replace_given_up"]

    assert given_up
    assert {turn.outcome for turn in replay(ledger)} == {"same"}


def test_a_replay_that_leaves_out_what_was_given_up_is_found(tmp_path):
    """With the record of turn 1 taken away its first replacement has an answer, and the turn comes out differently."""
    tools = make_tools()
    slow, _ = record(tmp_path / "slow", replace(tools, regexes=Late(tools.regexes, {1, 2, 3, 4})))
    quick, _ = record(tmp_path / "quick")

    assert slow.turn(1)[1].reads is not None
    sent = [[slow.texts.get_sent(line)[0].content for line in slow.lines(1).sent]]
    sent += [[quick.texts.get_sent(line)[0].content for line in quick.lines(1).sent]]
    assert sent[0] != sent[1]


def stored(path):
    """All texts that are left in the file."""
    with open_ledger(path, create=False) as ledger:
        return b"".join(ledger.store.text(row.commitment) or b"" for row in ledger.store.texts()).decode()


def test_what_was_made_of_a_message_is_erased_with_it(tmp_path):
    ledger, _ = record(tmp_path / "a")
    erase(ledger, find_message(ledger, 1, 1))
    ledger.close()
    left = stored(tmp_path / "a")

    assert "The crane has" not in left
    assert "The crane and tok_2" in left
    with open_ledger(tmp_path / "a", create=False) as again:
        assert verify(again.store).problems == ()


def test_what_was_made_of_the_system_text_is_erased_with_it(tmp_path):
    ledger, _ = record(tmp_path / "a")
    assert "It is Bo of Hollin" in stored(tmp_path / "a")
    erase(ledger, find_message(ledger, 1, 0))
    ledger.close()
    left = stored(tmp_path / "a")

    assert "It is Bo of Hollin" not in left
    assert "You are Aria" not in left


@pytest.mark.parametrize(
    ("entry", "words", "kept"),
    [
        ("b.swap", "Bo of Hollin", "You are Aria"),
        ("b.hide", "tok_…", "The crane has tok_1"),
        ("b.own", "colour", "The crane has tok_1"),
        ("b.live", "A live word", "The crane has tok_1"),
    ],
)
def test_an_entry_is_erased_with_what_it_made_of_other_texts(tmp_path, entry, words, kept):
    ledger, _ = record(tmp_path / "a")
    assert words in stored(tmp_path / "a")
    erase(ledger, find_entry(ledger, entry))
    ledger.close()
    left = stored(tmp_path / "a")

    assert words not in left
    assert kept in left
