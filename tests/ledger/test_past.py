"""What was remembered before a turn is what all trails before it say, put in one after the other."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.core.chain import DictMemory
from lorewright.ledger.ledger import FAILED
from lorewright.ledger.past import Past
from lorewright.storage.memory import unpack_nodes
from lorewright.testing.client import ACTIONS, Step
from tests.ledger.world import LedgerWorld
from tests.prefix.entries import WORDS

steps = st.lists(
    st.builds(Step, st.sampled_from(ACTIONS), st.sampled_from(WORDS), st.integers(0, 9)) | st.integers(1, 9),
    max_size=12,
)


def put_in(ledger, number, failed):
    """A memory with everything that was there before a turn."""
    memory = DictMemory()
    for turn, ref in ledger.trails().items():
        if turn < number and turn not in failed:
            memory.put(unpack_nodes(ledger.trail(ref)[2], ledger.texts.get))
    return memory


def assert_same(then, memory, all_nodes):
    for node in all_nodes:
        assert then.node(node.key) == memory.node(node.key)
        assert list(then.with_digest(node.digest)) == list(memory.with_digest(node.digest))
        assert list(then.versions(node.parent, node.digest)) == list(memory.versions(node.parent, node.digest))
        assert then.has_children(node.key) == memory.has_children(node.key)
        below = [other.digest for other in all_nodes if other.parent == node.key]
        assert list(then.only_way(node.key, below[:1])) == list(memory.only_way(node.key, below[:1]))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_turn_finds_what_was_there_before_it(tmp_path_factory, steps):
    world = LedgerWorld(tmp_path_factory.mktemp("past") / "a")
    failures = [number for number in steps if isinstance(number, int)]
    world.run([Step("say", "ferry"), *(step for step in steps if isinstance(step, Step))])

    with world.session.ledger as ledger:
        past = Past(ledger)
        past.refresh()
        for number in {number for number in failures if number <= ledger.count_turns()}:
            ledger.reply(number, ending=FAILED)
        past.refresh()
        end = ledger.count_turns() + 1
        everything = put_in(ledger, end, ()).nodes.values()
        for number in range(1, end + 1):
            row = ledger.turn(number)[0].number if number < end else 2**31
            failed = past.failed_before(row)
            assert failed == {turn for event, turn in ledger.failures() if event < row}
            assert_same(past.before(number, failed), put_in(ledger, number, failed), everything)
