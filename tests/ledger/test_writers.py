"""Two programs write one conversation at the same time: both are recorded, in one order, and each turn comes out again."""

import multiprocessing
from dataclasses import replace

from lorewright import make_tools
from lorewright.core.model import Message, Turn
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from lorewright.testing.ledgers import assert_replays
from tests.ledger.world import CHARACTER, chat, open_chat, turns


class Interrupting:
    """A matcher that lets something else happen while a turn is assembled."""

    def __init__(self, matcher, meanwhile):
        self.matcher = matcher
        self.meanwhile = meanwhile

    def open(self, lore, scan):
        for happens in self.meanwhile[:1]:
            del self.meanwhile[0]
            happens()
        return self.matcher.open(lore, scan)


def interrupted(path, *meanwhile):
    tools = make_tools()
    return open_chat(path, tools=replace(tools, matcher=Interrupting(tools.matcher, list(meanwhile))))


def test_a_turn_that_another_program_overtakes_is_assembled_again(tmp_path):
    chat(tmp_path / "a", 2).ledger.close()
    other = open_chat(tmp_path / "a")
    third, fourth = list(turns(4))[2:]
    session = interrupted(tmp_path / "a", lambda: other.weave(third), lambda: other.weave(fourth))

    number, woven = session.weave(third)

    assert number == 5
    assert woven.known == 5
    assert verify(session.ledger.store).problems == ()
    assert assert_replays(session.ledger) == 5
    for one in (session, other):
        one.ledger.close()


def test_what_another_program_said_at_the_same_place_is_another_branch(tmp_path):
    chat(tmp_path / "a", 2).ledger.close()
    other = open_chat(tmp_path / "a")
    third = list(turns(3))[2]
    asked = Turn(messages=(*third.messages[:-1], Message("Max", "And the tower?")), user="Max", character=CHARACTER)
    session = interrupted(tmp_path / "a", lambda: other.weave(asked))

    assert session.weave(third).number == 4
    assert assert_replays(session.ledger) == 4
    for one in (session, other):
        one.ledger.close()


def write(path, mine):
    session = open_chat(path)
    for turn in turns(8, words=("ferry", mine)):
        session.weave(turn)
    session.ledger.close()


def test_two_processes(tmp_path):
    chat(tmp_path / "a", 1).ledger.close()
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(tmp_path / "a", word)) for word in ("tower", "wolf")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0, 0]
    with open_ledger(tmp_path / "a") as ledger:
        assert ledger.count_turns() == 17
        assert assert_replays(ledger) == 17


def test_a_turn_is_not_assembled_again_for_what_another_stream_said(tmp_path):
    other = open_chat(tmp_path / "a", stream="other")
    first, second = turns(2)
    session = interrupted(tmp_path / "a", lambda: other.weave(first), lambda: other.weave(second))

    session.weave(first)
    other.ledger.refresh()

    assert other.ledger.count_turns() == 1, "one assembly, one interruption"
    assert verify(session.ledger.store).problems == ()
    for one in (session, other):
        assert assert_replays(one.ledger) == 1
        one.ledger.close()


def test_a_text_that_another_stream_has_erased_is_stored_again(tmp_path):
    session = chat(tmp_path / "a", 2)
    with open_ledger(tmp_path / "a", "other") as other:
        (text,) = (row.commitment for row in other.store.texts() if other.store.text(row.commitment) == b'"Max"')
        with other.store.transaction():
            other.store.erase([text])

        with session.ledger.writing():
            stored = session.ledger.texts.put("Max")

        assert other.store.text(stored.commitment) == b'"Max"'
    session.ledger.close()
