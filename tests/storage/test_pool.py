"""Large parts of values are written once, and come back as they were (storage/pool.py)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import DictMemory, InputError, Remembered, State, read_state, write_state
from lorewright.core.chain import Node
from lorewright.storage.pool import Parts, Pool

LONG = "a text of more than a few letters that stands in many places of a tree " * 3
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just(LONG),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.sampled_from(["~v", "a", "b"]), below, max_size=3),
    max_leaves=12,
)


@given(st.lists(values, max_size=4))
def test_values_come_back(given_values):
    pool = Pool()
    put = [pool.put(value) for value in given_values]
    stored = json.loads(json.dumps([pool.parts, put]))
    parts = Parts(stored[0])

    assert [parts.whole(value) for value in stored[1]] == given_values


def test_a_part_is_written_once_and_is_one_object_again():
    tree = {"people": {"Ana": {"says": LONG}}, "day": 1}
    pool = Pool()
    put = [pool.put({**tree, "day": day}) for day in range(3)]
    parts = Parts(pool.parts)
    one, two, _ = (parts.whole(value) for value in put)

    assert json.dumps(pool.parts).count(LONG) == 1
    assert (one["day"], two["day"]) == (0, 1)
    assert one["people"]["Ana"] is two["people"]["Ana"]


def test_a_value_that_is_nested_deep_is_written_flat(tmp_path):
    deep = json.loads("[" * 150 + "]" * 150)
    memory = DictMemory([node(1, {"deep": deep})])
    path = tmp_path / "chat.json"

    write_state(path, Remembered(memory))

    assert read_state(path).memory.nodes == memory.nodes


def test_equal_parts_that_are_other_objects_are_written_once():
    pool = Pool()
    put = [pool.put({"says": LONG, "n": [1]}) for _ in range(2)]

    assert put == [{"~v": 0}, {"~v": 0}]
    assert len(pool.parts) == 1


@pytest.mark.parametrize(
    "parts", [[{"~v": 0}], [1, {"~v": 2}], [{"~v": -1}], [{"~v": True}], [{"~v": "x"}], [{"~v": [1, 2]}]]
)
def test_references_that_lead_nowhere_are_refused(parts):
    with pytest.raises(ValueError, match="names no part"):
        Parts(parts)


def test_references_do_not_explode():
    with pytest.raises(ValueError, match="more than 2,000,000 values"):
        Parts([["x"] * 10, *([{"~v": n}] * 10 for n in range(9))])


def node(number, variables):
    return Node(key=f"k{number}", parent="", digest="d", anchor="", number=1, after=State(variables=variables))


def test_a_state_file_does_not_repeat_a_tree(tmp_path):
    tree = {f"p{n}": {"name": f"person {n}", "bag": {"rope": n, "keys": ["iron"]}} for n in range(200)}
    memory = DictMemory([node(n, {"stat_data": {"day": n, "people": tree}, "mood": "calm"}) for n in range(50)])
    path = tmp_path / "chat.json"

    write_state(path, Remembered(memory))

    assert read_state(path).memory.nodes == memory.nodes
    assert path.stat().st_size < 3 * len(json.dumps(tree, indent=2)) + 50 * 1000


@pytest.mark.parametrize("broken", [{"values": [{"~v": 1}]}, {"values": 5, "nodes": "x"}, {"values": {"~v": 0}}])
def test_a_damaged_state_file_is_named(tmp_path, broken):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"sticky": {}, "cooldown": {}, **broken}))

    with pytest.raises(InputError, match=r"chat\.json"):
        read_state(path)


def test_a_variable_that_refers_to_nothing_is_named(tmp_path):
    path = tmp_path / "chat.json"
    write_state(path, Remembered(DictMemory([node(1, {"a": [LONG] * 3})])))
    path.write_text(path.read_text("utf-8").replace('"~v": 0', '"~v": 7'))

    with pytest.raises(InputError, match="a variable is damaged"):
        read_state(path)


def test_without_large_values_the_file_is_as_it_was(tmp_path):
    path = tmp_path / "chat.json"
    memory = DictMemory([node(1, {"a": "calm", "b": [1, 2]})])
    write_state(path, Remembered(memory))

    assert "values" not in json.loads(path.read_text("utf-8"))
    assert read_state(path).memory.nodes == memory.nodes


def test_a_value_that_looks_like_a_reference_comes_back(tmp_path):
    path = tmp_path / "chat.json"
    memory = DictMemory([node(1, {"a": {"~v": 5}, "b": [{"~v": [{"~v": 0}]}]})])
    write_state(path, Remembered(memory))

    assert read_state(path).memory.nodes == memory.nodes
