"""A long run of messages is what looking up each of them gives, whatever happens to them."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.chain import DictMemory, Node, node_key
from lorewright.ledger.ledger import open_ledger

LENGTH = 40
"""Longer than the shortest run that is kept."""


def straight(count):
    nodes, parent = [], ""
    for number in range(count):
        digest = f"{number:032x}"
        nodes.append(Node(key=node_key(parent, digest, 1), parent=parent, digest=digest, number=number + 1))
        parent = nodes[-1].key
    return nodes


@st.composite
def changes(draw):
    """Nodes that are changed, or get another version, and how far is asked for behind each change."""
    places = st.lists(st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 3), st.integers(1, LENGTH)), max_size=6)
    return draw(places)


@given(changes())
def test_the_only_way_is_found_as_without_a_ledger(tmp_path_factory, found):
    nodes = straight(LENGTH)
    plain = DictMemory(nodes)
    with open_ledger(tmp_path_factory.mktemp("way") / "a") as ledger:

        def put(*some):
            with ledger.writing():
                ledger.memory.put(ledger.texts.put(some).commitment, some, 0)

        put(*nodes)
        for place, version, length in [(0, 1, LENGTH), *found]:
            old = nodes[place]
            key = node_key(old.parent, old.digest, version)
            new = Node(key=key, parent=old.parent, digest=old.digest, version=version, number=old.number, used=length)
            plain.put([new])
            put(new)
            for start in {0, place}:
                digests = [node.digest for node in nodes[start + 1 : start + length]]
                assert list(ledger.memory.only_way(nodes[start].key, digests)) == plain.only_way(
                    nodes[start].key, digests
                )
