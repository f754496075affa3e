"""What is remembered of conversations comes back from its file, and the next request goes on from it."""

import json
import math

import pytest
from hypothesis import given

from lorewright import DictMemory, InputError, Remembered, State, Timer, read_state, weave, write_state
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
