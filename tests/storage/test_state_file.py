"""What is remembered of conversations comes back from its file, and the next request goes on from it."""

import json
import math
import re
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import DictMemory, InputError, Remembered, State, Timer, read_state, weave, write_state
from lorewright.core.chain import Node
from lorewright.core.record import Kept, KeptMessage
from lorewright.storage.node_objects import _COUNTS, _TEXTS
from lorewright.testing import strategies as our
from tests.prefix.entries import WORDS
from tests.prefix.world import TOOLS, World


@given(our.chats(WORDS))
def test_what_was_written_comes_back(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("state") / "chat.json"
    world = World()
    world.run(steps)
    write_state(path, Remembered(world.memory))
    memory = read_state(path).memory

    assert list(memory.nodes.items()) == list(world.memory.nodes.items())
    found = [weave(world.turn(), world.lore, known, TOOLS) for known in (world.memory, memory)]
    assert [[message.lasting for message in woven.messages] for woven in found[:1]] == [
        [message.lasting for message in woven.messages] for woven in found[1:]
    ]
    assert found[0].nodes == found[1].nodes


def test_a_file_that_does_not_exist_remembers_nothing(tmp_path):
    found = read_state(tmp_path / "none.json")

    assert (found.memory.nodes, found.state) == ({}, State())
    assert not (tmp_path / "none.json").exists()


def test_the_state_of_a_new_conversation_comes_back(tmp_path):
    timers = {"b.1": Timer("hash", 2, math.inf), "b.2": Timer("\ud800", 1.5, 4, protected=True)}
    state = State(timers, {}, global_variables={"wins": 3, "mood": "gut 🐉\u2028"})
    write_state(str(tmp_path / "a"), Remembered(DictMemory(), state))

    assert read_state(str(tmp_path / "a")).state == state
    json.loads((tmp_path / "a").read_bytes().decode())


def test_a_request_makes_it_remember_more():
    world = World()
    woven = weave(world.turn(), world.lore, DictMemory(), TOOLS)
    before = Remembered(state=State(global_variables={"wins": 3}))
    after = before.after(woven)

    assert set(after.memory.nodes) == {node.key for node in woven.nodes}
    assert after.state.turn is None
    assert after.state.sticky == woven.assembly.state.sticky


def test_a_file_of_something_else_is_named_and_left_alone(tmp_path):
    other = tmp_path / "notes.json"
    other.write_text('{"entries": {}}')

    with pytest.raises(InputError, match=r"notes\.json: this is no state file"):
        read_state(other)
    with pytest.raises(InputError, match="name of the state file is empty"):
        read_state("")
    with pytest.raises(InputError, match="no folder"):
        write_state(tmp_path / "no" / "a", Remembered())
    assert other.read_text() == '{"entries": {}}'


TEXTS = st.text(max_size=8)
PARTS = st.lists(st.tuples(st.lists(st.tuples(TEXTS, TEXTS), max_size=2).map(tuple), TEXTS), max_size=2).map(tuple)
MESSAGES = st.builds(KeptMessage, slot=TEXTS, role=TEXTS, source=TEXTS, id=st.none() | TEXTS, name=TEXTS, parts=PARTS)
KEPT = st.builds(Kept, TEXTS, st.lists(MESSAGES, max_size=3).map(tuple), st.integers(0, 9))


@given(KEPT, st.integers(0, 9))
def test_what_stands_of_a_preset_comes_back(tmp_path_factory, kept, trimmed):
    path = tmp_path_factory.mktemp("state") / "state.json"
    node = Node(key="a", parent="", digest="b", kept=kept, trimmed=trimmed)

    write_state(path, Remembered(DictMemory([node])))

    assert read_state(path).memory.node("a") == node


@pytest.mark.parametrize(
    ("kept", "place"),
    [
        ([], "nodes[0].kept"),
        ({"plan": 3}, "nodes[0].kept.plan"),
        ({"messages": []}, "nodes[0].kept.plan"),
        ({"plan": "p", "messages": {}}, "nodes[0].kept.messages"),
        ({"plan": "p", "trimmed": "3"}, "nodes[0].kept.trimmed"),
        ({"plan": "p", "messages": [{"slot": "main", "role": "system"}]}, "nodes[0].kept.messages[0].source"),
        ({"plan": "p", "messages": [{"slot": 1, "role": "r", "source": "s"}]}, "nodes[0].kept.messages[0].slot"),
        (
            {"plan": "p", "messages": [{"slot": "m", "role": "r", "source": "s", "parts": [["main", "text"]]}]},
            "nodes[0].kept.messages[0].parts",
        ),
    ],
)
def test_a_damaged_preset_is_named(tmp_path, kept, place):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"nodes": [{"key": "a", "parent": "", "digest": "b", "kept": kept}]}), "utf-8")

    with pytest.raises(InputError, match=re.escape(f"`{place}`")):
        read_state(path)


def test_every_plain_field_of_a_node_is_known():
    """A field of a node that JSON does not know would end `weave --state`."""
    plain = Node(key="a", parent="", digest="b")
    known = {field.name for field in fields(Node) if type(getattr(plain, field.name)) in {str, int}}

    assert known == _TEXTS | _COUNTS
