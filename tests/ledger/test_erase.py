"""A text that is erased is gone from the files and cannot be guessed; the chain still verifies."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, ActiveBook
from lorewright.core.chain import digest
from lorewright.core.model import Book, Entry, Message
from lorewright.core.prepared import entry_hash
from lorewright.errors import LedgerError
from lorewright.ledger.erase import erase, find_containing, find_entry, find_message, find_reply, plan
from lorewright.ledger.events import MemoryKept
from lorewright.ledger.ledger import IMAGE
from lorewright.ledger.replay import replay
from lorewright.ledger.verify import verify
from lorewright.storage.image import find_refs
from lorewright.testing.ledgers import assert_replays
from tests.ledger.world import ENTRIES, chat, open_chat, turns


@pytest.fixture
def ledger(tmp_path):
    with chat(tmp_path / "a").ledger as found:
        yield found


def stored(ledger):
    """All bytes of the files, and every text unpacked."""
    folder = ledger.store.path.rpartition("/")[0]
    files = b"".join(file.read_bytes() for file in Path(folder).iterdir())
    texts = [ledger.store.text(row.commitment) or b"" for row in ledger.store.texts()]
    bodies = [row.body for row in ledger.store.events("main")]
    return files + b"".join(texts) + b"".join(bodies)


def what_stays(ledger):
    """The nodes that were stored in place of erased ones, and their states."""
    trails = [event.trail.commitment for event in ledger.of_kind(MemoryKept)]
    return {*trails, *(name for trail in trails for name in find_refs(ledger.store.text(trail) or b""))}


def outcomes(ledger):
    return [turn.outcome for turn in replay(ledger)]


def test_a_message_goes_and_with_it_what_could_betray_it(ledger):
    text = "Day 2: where is the wolf?"
    node = digest(Message("Max", text))
    assert text.encode() in stored(ledger)
    assert node.encode() in stored(ledger)

    done = erase(ledger, find_message(ledger, 3, 4))

    assert done.clean
    assert len(done.texts) == 1
    assert done.turns == (3, 4, 5, 6)
    left = stored(ledger)
    for trace in (text.encode(), node.encode(), bytes.fromhex(node), hashlib.sha256(IMAGE.encode(text)).digest()):
        assert trace not in left
    assert verify(ledger.store).problems == ()
    assert verify(ledger.store).erased == len(done.texts) + len(done.with_them)
    assert outcomes(ledger) == ["same", "same", "erased", "erased", "erased", "erased"]
    assert assert_replays(ledger) == 2


def test_the_chat_goes_on_behind_an_erased_message(tmp_path):
    session = chat(tmp_path / "a")
    erase(session.ledger, find_message(session.ledger, 3, 4))
    number = 0
    for turn in turns(8, start=6):
        number = session.weave(turn).number

    assert number == 8
    assert verify(session.ledger.store).problems == ()
    assert outcomes(session.ledger)[6:] == ["same", "same"]


def test_an_entry_goes_with_all_versions_and_places(ledger):
    ferry = next(entry for entry in ENTRIES if entry.uid == "ferry")

    erase(ledger, find_entry(ledger, "isles.ferry"))

    assert str(ferry.content).encode() not in stored(ledger)
    assert verify(ledger.store).problems == ()
    assert set(outcomes(ledger)) == {"erased"}


def test_one_entry_after_the_other_goes(ledger):
    for uid in ("ferry", "tower"):
        erase(ledger, find_entry(ledger, f"isles.{uid}"))

    left = stored(ledger)
    assert b"The ferry goes at dawn" not in left
    assert b"212 steps" not in left
    assert verify(ledger.store).problems == ()


def test_an_entry_goes_from_a_text_that_quotes_it(tmp_path):
    low = Entry(uid="low", keys=("bell",), content="The bell is hollow.", subject="bell", authority="unverified")
    high = Entry(uid="high", keys=("tower",), content="The bell is whole.", subject="bell", authority="canon")
    session = open_chat(tmp_path / "a", book=Book("isles", (low, high)))
    for turn in turns(2, words=("bell", "tower")):
        session.weave(turn)
    assert stored(session.ledger).count("begins “[unverified] The bell is hollow".encode()) > 0

    erase(session.ledger, find_entry(session.ledger, "isles.low"))

    assert b"hollow" not in stored(session.ledger)
    assert verify(session.ledger.store).problems == ()
    session.ledger.close()


def test_the_hash_in_a_timer_goes_with_its_entry(tmp_path):
    session = chat(tmp_path / "a")
    hashed = entry_hash(session.lore.find("isles.tower")).encode()
    assert hashed in stored(session.ledger)

    erase(session.ledger, find_entry(session.ledger, "isles.tower"))

    assert hashed not in stored(session.ledger)
    assert verify(session.ledger.store).problems == ()


def test_a_reply_goes(ledger):
    done = erase(ledger, find_reply(ledger, 2))

    assert b'"Reply 1."' not in stored(ledger)
    assert done.turns == (3, 4, 5, 6)  # their messages hold it
    assert verify(ledger.store).problems == ()


def test_every_text_that_contains_a_word_goes(ledger):
    erase(ledger, find_containing(ledger, "queen"))

    assert b"queen is not" not in stored(ledger)
    assert b"where is the queen" not in stored(ledger)
    assert find_containing(ledger, "queen") == ()
    assert verify(ledger.store).problems == ()


def test_what_was_changed_later_is_as_it_was_before(tmp_path):
    """The front was rewritten in a turn that is erased: the nodes are those of the turns that are left."""
    rewrite = NATIVE.with_settings(replace(NATIVE.settings, on_edit="rewrite"))
    session = chat(tmp_path / "a", 3, policy=rewrite)
    before = [session.ledger.memory.node(row.key) for row in session.ledger.store.all_nodes("main")]
    edited = tuple(replace(e, content="No ring.") if e.uid == "front" else e for e in ENTRIES)
    session.use([ActiveBook(Book("isles", edited))], rewrite)
    session.weave(next(turns(4, start=3)))
    erase(session.ledger, find_message(session.ledger, 4, 6))

    assert [session.ledger.memory.node(row.key) for row in session.ledger.store.all_nodes("main")] == before
    assert verify(session.ledger.store).problems == ()
    assert outcomes(session.ledger) == ["same", "same", "same", "erased"]
    again = session.weave(next(turns(4, start=3)))
    assert session.ledger.turn(again.number)[1].parent == 3
    assert assert_replays(session.ledger) == 4


def test_streams_share_texts_and_lose_them_together(tmp_path):
    one, other = chat(tmp_path / "a", 2, stream="one"), chat(tmp_path / "a", 3, stream="two")

    done = erase(one.ledger, find_message(one.ledger, 1, 0))

    assert (done.turns, done.elsewhere) == ((1, 2), 3)
    assert verify(one.ledger.store).problems == ()
    assert outcomes(other.ledger) == ["erased"] * 3
    assert other.weave(next(turns(4, start=3))).number == 4
    assert verify(one.ledger.store).problems == ()


def test_what_another_process_erased_is_stored_again(tmp_path):
    one, other = chat(tmp_path / "a", 2), open_chat(tmp_path / "a")
    one.ledger.reply(2, "Said before.")
    erase(other.ledger, find_containing(other.ledger, "Said before."))
    one.ledger.reply(2, "Said before.")

    (_, reply) = [event for _, event in one.ledger.events()][-2:]
    assert one.ledger.texts.get(reply.text) == "Said before."
    assert verify(one.ledger.store).problems == ()


def test_erasing_twice_does_nothing(ledger):
    found = find_message(ledger, 1, 0)
    erase(ledger, found)
    events = ledger.store.head("main")

    again = erase(ledger, found)

    assert again.texts == ()
    assert ledger.store.head("main") == events


def test_a_plan_changes_nothing(ledger):
    before = verify(ledger.store)

    assert plan(ledger, find_message(ledger, 1, 0)).turns == (1, 2, 3, 4, 5, 6)
    assert verify(ledger.store) == before


def test_another_conversation_is_left_alone(tmp_path):
    session = chat(tmp_path / "a", 3)
    for turn in turns(3, words=("wolf",)):
        session.weave(turn)

    erase(session.ledger, find_message(session.ledger, 1, 0))

    assert outcomes(session.ledger)[:3] == ["erased"] * 3
    assert verify(session.ledger.store).problems == ()
    session.weave(next(turns(4, words=("wolf",), start=3)))
    assert session.ledger.turn(7)[1].parent == 6


@settings(max_examples=15)
@given(picks=st.lists(st.integers(0, 200), min_size=1, max_size=3))
def test_whatever_is_erased_the_chain_verifies(tmp_path_factory, picks):
    session = chat(tmp_path_factory.mktemp("ledger") / "a", 3)
    with session.ledger as ledger:
        texts = [row.commitment for row in ledger.store.texts()]
        for pick in picks:
            erase(ledger, [texts[pick % len(texts)]])
        kept = what_stays(ledger)
        for row in ledger.store.texts():
            assert ledger.store.text(row.commitment) is None or row.commitment in {*texts, *kept}
        assert verify(ledger.store).problems == ()


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (lambda ledger: find_message(ledger, 9, 0), "no turn 9; its turns are 1 to 6"),
        (lambda ledger: find_message(ledger, 1, 5), "messages 0 to 0, and no 5"),
        (lambda ledger: find_entry(ledger, "isles.nobody"), "no book|No book"),
        (lambda ledger: find_containing(ledger, " a"), "too short"),
    ],
)
def test_what_is_not_there_is_named(ledger, find, message):
    with pytest.raises(LedgerError, match=message):
        find(ledger)


def test_a_conversation_goes_on_without_an_entry_that_was_erased(tmp_path):
    """The messages that are sent are those of a twin whose book lost the entry at the same place in the chat."""
    less = Book("isles", tuple(entry for entry in ENTRIES if entry.uid != "ferry"))
    sent = []
    for name, forget in (("a", True), ("b", False)):
        session = chat(tmp_path / name)
        before = session.ledger.count_turns()
        if forget:
            done = erase(session.ledger, find_entry(session.ledger, "isles.ferry"))
            assert done.forgotten == 0
            assert verify(session.ledger.store).erased == len(done.texts) + len(done.with_them)
            assert verify(session.ledger.store).problems == ()
        session.use([ActiveBook(less)], NATIVE)
        for turn in turns(8, start=6):
            woven = session.weave(turn).woven
            sent.append([message.content for message in woven.messages])
        assert session.ledger.turn(before + 1)[1].parent == before
        assert verify(session.ledger.store).problems == ()
        assert outcomes(session.ledger)[before:] == ["same", "same"]
        assert (b"The ferry goes at dawn" in stored(session.ledger)) is not forget
        session.ledger.close()
    assert sent[:2] == sent[2:]


def test_entries_that_go_one_after_the_other_leave_the_conversation(tmp_path):
    session = chat(tmp_path / "a")
    for uid in ("tower", "ferry"):
        assert erase(session.ledger, find_entry(session.ledger, f"isles.{uid}")).forgotten == 0
    assert verify(session.ledger.store).problems == ()
    woven = session.weave(list(turns(7))[-1]).woven
    assert woven.known == 11
    session.ledger.close()


def test_variables_may_hold_words_of_an_entry_so_the_memory_goes_with_them(tmp_path):
    vault = Entry(uid="vault", constant=True, content="{{setvar::word::marmalade}}The vault opens.")
    session = open_chat(tmp_path / "a", book=Book("isles", (vault,)))
    for turn in turns(2):
        session.weave(turn)
    assert b"marmalade" in stored(session.ledger)

    done = erase(session.ledger, find_entry(session.ledger, "isles.vault"))

    assert done.forgotten == 2
    assert b"marmalade" not in stored(session.ledger)
    assert verify(session.ledger.store).problems == ()
    session.ledger.close()
