"""Presets, cards and personas in a ledger: each version once, found again by its hash."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.layout.scene import Card, CharacterNote, Persona
from lorewright.core.layout.text_preset import ContextTemplate, Instruct, SystemPrompt, TextPreset
from lorewright.core.model import ABSENT, Odd
from lorewright.errors import LedgerError
from lorewright.ledger.erase import erase, find_containing
from lorewright.ledger.events import ThingStored
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.verify import verify
from tests.ledger.world import chat

PROMPTS = tuple(Prompt(id=f"p{number}", content=f"Prompt number {number}. " * 9) for number in range(60))
PRESET = Preset(prompts=PROMPTS, orders=(OrderList("100001", (OrderEntry("p0"),)),))
CARD = Card(name="Aria", description="A pilot.", note=CharacterNote("Tired.", 2, "user"))
PERSONA = Persona(text="Max counts birds.", position="in_chat", depth=1)
TEXT = TextPreset(
    context=ContextTemplate(story="S"),
    instruct=Instruct(sequences={"stop_sequence": "x"}),
    system_prompt=SystemPrompt("a"),
)


@pytest.fixture
def ledger(tmp_path):
    with chat(tmp_path / "a", count=2).ledger as found:
        yield found


def store(ledger, kind, name, thing):
    with ledger.store.transaction():
        return ledger.store_thing(kind, name, thing)


def test_each_comes_back_equal_and_to_another_program_too(ledger, tmp_path):
    things = [("preset", PRESET), ("preset", TEXT), ("card", CARD), ("persona", PERSONA)]
    refs = [store(ledger, kind, "name", thing) for kind, thing in things]

    with open_ledger(tmp_path / "a") as other:
        found = [(event.kind, other.texts.get(event.name), event.thing) for event in other.of_kind(ThingStored)]

        assert found == [(kind, "name", ref) for (kind, _), ref in zip(things, refs, strict=True)]
        assert [other.texts.get_thing(ref) for ref in refs] == [thing for _, thing in things]


def test_what_was_seen_is_not_stored_again(ledger, tmp_path):
    ref = store(ledger, "preset", "mine", PRESET)
    texts = len(list(ledger.store.texts()))

    assert store(ledger, "preset", "mine", replace(PRESET)) == ref
    with open_ledger(tmp_path / "a") as other:
        assert store(other, "preset", "mine", replace(PRESET, squash=False)) == ref

    assert len(list(ledger.of_kind(ThingStored))) == 1
    assert len(list(ledger.store.texts())) == texts


def test_a_new_version_adds_what_changed(ledger):
    store(ledger, "preset", "mine", PRESET)
    texts = len(list(ledger.store.texts()))
    changed = replace(PROMPTS[7], content="Other words.")

    store(ledger, "preset", "mine", replace(PRESET, prompts=(*PROMPTS[:7], changed, *PROMPTS[8:])))

    assert len(list(ledger.of_kind(ThingStored))) == 2
    assert len(list(ledger.store.texts())) == texts + 2  # the prompt, and the list of prompts


def test_no_name_and_no_text_stands_in_an_event(ledger):
    store(ledger, "persona", "Maximilian", PERSONA)
    bodies = b"".join(row.body for row in ledger.store.events("main"))

    assert b"Maximilian" not in bodies
    assert b"birds" not in bodies


def test_erased_it_is_gone_and_the_chain_still_verifies(ledger):
    ref = store(ledger, "persona", "Maximilian", PERSONA)
    erase(ledger, find_containing(ledger, "counts birds"))
    erase(ledger, find_containing(ledger, "Maximilian"))

    with pytest.raises(LedgerError, match="was erased"):
        ledger.texts.get_thing(ref)
    assert verify(ledger.store).problems == ()
    assert store(ledger, "persona", "Maximilian", PERSONA) != ref
    assert [turn.outcome for turn in replay(ledger)] == ["same", "same"]


NUMBERS = st.just(ABSENT) | st.none() | st.integers() | st.just(math.inf) | st.builds(Odd, st.text(max_size=3))
TEXTS = st.text(st.characters(), max_size=4) | st.just("\ud800")
PRESETS = st.builds(
    Preset,
    prompts=st.lists(
        st.builds(
            Prompt, id=TEXTS, content=TEXTS, role=st.none() | TEXTS, depth=NUMBERS, order=NUMBERS, fixed=st.booleans()
        ),
        max_size=3,
    ).map(tuple),
    orders=st.lists(st.builds(OrderList, TEXTS, st.lists(st.builds(OrderEntry, TEXTS, st.booleans())).map(tuple))).map(
        tuple
    ),
    wording=st.builds(Wording, lore_format=TEXTS),
    limits=st.builds(Limits, st.integers(0), st.integers(0)),
)


@settings(max_examples=25)
@given(PRESETS, TEXTS)
def test_whatever_a_preset_holds_comes_back(tmp_path_factory, preset, name):
    with open_ledger(tmp_path_factory.mktemp("ledger") / "a") as ledger:
        ref = store(ledger, "preset", name, preset)

        assert ledger.texts.get_thing(ref) == preset
        assert [ledger.texts.get(event.name) for event in ledger.of_kind(ThingStored)] == [name]
