"""Turns that are laid out by a preset, in a ledger: repeated to the byte, stored once, erased as a whole."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, Book, Entry
from lorewright.core.layout.scene import Note, Persona, Scene
from lorewright.ledger.difference import compare_turns
from lorewright.ledger.erase import erase, find_containing, find_entry, find_message
from lorewright.ledger.events import ThingStored
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.plans import pack_plan, unpack_plan
from lorewright.ledger.replay import Replayer, replay
from lorewright.ledger.session import LedgerSession
from lorewright.ledger.why import why
from lorewright.storage.image import Ref
from lorewright.testing.ledgers import assert_replays
from tests.core.planned import ARIA, TOOLS, Talk, preset, prompt
from tests.ledger.test_erase import stored
from tests.prefix.test_presets import TOOLS as ESTIMATES
from tests.prefix.test_presets import Talk as RandomTalk
from tests.prefix.test_presets import plans, steps

ORDER = ("main", "worldInfoBefore", "charDescription", "known", "chatHistory", "last")
SPARE = tuple(prompt(f"spare{number}", f"Spare text number {number}. " * 9) for number in range(40))
MAIN, KNOWN = prompt("main", "It is {{time}}."), prompt("known", "Known: {{outlet::shelf}}")
PRESET = preset(MAIN, KNOWN, prompt("last", "Mind the lamps."), *SPARE, order=ORDER)
HARBOUR = Entry(uid="harbour", constant=True, content="The harbour is old.", position=0)
CRANE = Entry(uid="crane", keys=("crane",), content="The crane creaks.", position=0)
SHELF = Entry(uid="shelf", constant=True, content="Old maps of the isles.", position=7, outlet="shelf")
SCENE = Scene(card=ARIA, persona=Persona(text="Max counts birds.", position="in_chat"))


class RecordedTalk(Talk):
    """The same talk, in a ledger; a new session for each request, as a command line has it."""

    def __init__(self, path, *entries, policy=NATIVE):
        self.path = path
        super().__init__(PRESET, *entries, scene=SCENE, policy=policy)

    def use(self, *entries):
        self.books = [ActiveBook(Book("b", entries))]

    def weave(self, turn):
        with open_ledger(self.path) as ledger:
            return LedgerSession(ledger, self.books, self.policy, TOOLS).weave(turn).woven


@pytest.fixture
def talk(tmp_path):
    """Four turns, in each of which the clock is renewed."""
    talk = RecordedTalk(tmp_path / "a", HARBOUR, CRANE, SHELF)
    for minute, text in enumerate(("Hi.", "The crane?", "So?", "Well.")):
        talk.say(text, clock_ms=minute * 60_000)
    return talk


def test_turns_come_out_again_from_the_file_alone(talk):
    with open_ledger(talk.path) as ledger:
        assert assert_replays(ledger, TOOLS) == 4


def test_with_the_placement_of_sillytavern_too(tmp_path):
    talk = RecordedTalk(tmp_path / "a", HARBOUR, CRANE, SHELF, policy=SILLYTAVERN)
    for text in ("Hi.", "The crane?", "So?"):
        talk.say(text, clock_ms=0)

    with open_ledger(talk.path) as ledger:
        assert assert_replays(ledger, TOOLS) == 3


@settings(max_examples=15)
@given(plans, steps)
def test_whatever_happens_in_a_talk_comes_out_again(tmp_path_factory, plan, steps):
    talk = RandomTalk(plan).run(steps)
    with open_ledger(tmp_path_factory.mktemp("ledger") / "a") as ledger:
        session = LedgerSession(ledger, talk.books, talk.policy, ESTIMATES)
        for turn, woven in zip(talk.turns, talk.woven, strict=True):
            assert session.weave(turn).woven.messages == woven.messages

        assert assert_replays(ledger) == len(talk.turns)


@given(plans)
def test_a_plan_that_is_put_together_again_is_the_same(plan):
    kept: dict[Ref, object] = {}

    def put(thing):
        ref = Ref(str(len(kept)))
        kept[ref] = thing
        return ref

    again = unpack_plan(pack_plan(plan, put), kept.__getitem__)

    assert again == plan
    assert again.identity == plan.identity


def test_a_preset_is_stored_once(talk):
    """A turn writes what is new: what was said, the clock, and the lists of what it refers to."""
    talk.change(note=Note(text="Mind the rain."))
    talk.say("Go on.", clock_ms=240_000)
    with open_ledger(talk.path) as ledger:
        stored_once = sum(len(ledger.store.text(row.commitment) or b"") for row in ledger.store.texts())
        prompts = sum(len(one.content) for one in PRESET.prompts)
        things = [(event.kind, ledger.texts.get(event.name)) for event in ledger.of_kind(ThingStored)]

    assert things == [("preset", ""), ("card", "Aria"), ("persona", "")]
    assert prompts > 7_000
    assert stored_once < 4 * prompts


def test_why_and_diff_know_the_entries(talk):
    with open_ledger(talk.path) as ledger:
        replayer = Replayer(ledger, TOOLS)
        because = why(ledger, "b.crane", 2, replayer)
        kept = compare_turns(ledger, 1, 2, TOOLS.counter).kept

    assert because.verdict.active
    assert because.placed == (6,)  # main, lore, card, known, Hi., Reply 1., and the message with it
    assert because.replayed.outcome == "same"
    assert kept.share == 1


def test_an_erased_entry_leaves_nothing_and_the_talk_goes_on(talk):
    """The outlet's text is in a message before the chat, of which a hash was kept."""
    with open_ledger(talk.path) as ledger:
        assert b"Old maps" in stored(ledger)
        before = [event.trail.commitment for event in ledger.turns()]
        done = erase(ledger, find_entry(ledger, "b.shelf"))
        left = stored(ledger)

        assert done.forgotten == 0
        assert b"Old maps" not in left
        assert all(ledger.store.text(trail) is None for trail in before)
        assert b'"slot":"known"' not in left
        assert {turn.outcome for turn in replay(ledger, TOOLS)} == {"erased"}
    talk.use(HARBOUR, CRANE)
    talk.say("Go on.", clock_ms=240_000)

    assert talk.sent[1:6] == ["The harbour is old.", "Aria is a pilot.", "Known: ", "Hi.", "Reply 1."]
    assert "The crane creaks.\n\nThe crane?" in talk.sent


def test_an_entry_in_a_renewed_text_goes_too(tmp_path):
    talk = RecordedTalk(tmp_path / "a")
    talk.say("Hi.", clock_ms=0)
    talk.use(SHELF)
    talk.send(clock_ms=0)
    assert any("Known: Old maps of the isles." in text and "replaces" in text for text in talk.sent)

    with open_ledger(talk.path) as ledger:
        erase(ledger, find_entry(ledger, "b.shelf"))

        assert b"Old maps" not in stored(ledger)


def test_an_erased_message_takes_with_it_what_stood(talk):
    with open_ledger(talk.path) as ledger:
        erase(ledger, find_message(ledger, 1, 0))

        assert {turn.outcome for turn in replay(ledger, TOOLS)} == {"erased"}
        assert b"12:00 AM" not in b"".join(ledger.store.text(row.commitment) or b"" for row in kept_rows(ledger))


def kept_rows(ledger):
    return [row for row in ledger.store.texts() if b'"~":"Kept"' in (ledger.store.text(row.commitment) or b"")]


@pytest.mark.parametrize("words", ["Aria is a pilot", "Mind the lamps", "counts birds", "It is {{time}}"])
def test_words_of_a_preset_can_be_erased(talk, words):
    with open_ledger(talk.path) as ledger:
        erase(ledger, find_containing(ledger, words))

        assert words.encode() not in stored(ledger)
        assert kept_rows(ledger) == []
        assert {turn.outcome for turn in replay(ledger, TOOLS)} == {"erased"}
    talk.lay(replace(PRESET, prompts=()))
    talk.say("Go on.")
    with open_ledger(talk.path) as ledger:
        assert [turn.outcome for turn in replay(ledger, TOOLS)][-1] == "same"
