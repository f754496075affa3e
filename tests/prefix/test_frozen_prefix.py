"""For any two requests whose histories agree, what was sent for them agrees, or the log names who moved it."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.chain import DictMemory
from lorewright.core.weave import weave
from lorewright.testing import strategies as our
from lorewright.testing.client import ChatClient
from tests.prefix.entries import LIVE, OF_SYSTEM, WORDS
from tests.prefix.fuzz import CHANGES
from tests.prefix.world import TOOLS, Change, World, own_text, possible

changes = st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 63))
steps = st.lists(st.one_of(our.edits(WORDS), our.edits(WORDS), our.edits(WORDS), changes), max_size=40)


@given(steps)
def test_bytes_that_were_sent_stay_or_the_log_says_why(steps):
    World().run(steps)


@given(our.chats(WORDS))
def test_without_changes_of_books_only_the_client_moves_anything(steps):
    world = World()
    world.run(steps)

    causes = {cause for moves in world.log for cause, _ in moves}
    assert causes <= {"client_edit", "client_system"}


@given(our.chats(WORDS))
def test_entries_that_change_the_system_prompt_are_named_and_no_others(steps):
    world = World()
    world.run([*(Change("switch_entry", uid) for uid in (*LIVE, *OF_SYSTEM)), *steps])

    moves = {move for _, sent, _ in world.sent for move in sent.woven.moves}
    assert {move.cause for move in moves} <= {"client_edit", "client_system", "entry_system"}
    moved = {move.entry for move in moves if move.cause == "entry_system"}
    assert moved <= {f"b.{uid}" for uid in (*LIVE, *OF_SYSTEM)}


@given(our.chats(WORDS))
def test_the_same_requests_give_the_same_bytes(steps):
    found = []
    for _ in range(2):
        world = World()
        world.run(steps)
        found.append([[(m.role, m.lasting) for m in sent.woven.messages] for _, sent, _ in world.sent])

    assert found[0] == found[1]


@given(our.chats(WORDS))
def test_a_regenerated_reply_is_the_same_turn_with_the_same_draws(steps):
    world = World()
    world.run(steps)
    requests = [weave(world.turn(), world.lore, world.memory, TOOLS)]
    world.memory.put(requests[0].nodes)
    requests.append(weave(world.turn(), world.lore, world.memory, TOOLS))

    one, other = requests
    assert [(m.role, m.lasting) for m in one.messages] == [(m.role, m.lasting) for m in other.messages]
    assert (one.turn.number, one.turn.session) == (other.turn.number, other.turn.session)
    assert [item.entry.id for item in one.assembly.activated] == [item.entry.id for item in other.assembly.activated]


@given(our.chats(WORDS), st.data())
def test_a_memory_that_forgot_everything_gives_a_request_all_the_same(steps, data):
    """Lost memory costs the prefix, never the request: the client's texts are all there."""
    world = World()
    client = ChatClient("You are Aria.", "Hello")
    client.run(steps)
    woven = weave(client.turn(), world.lore, DictMemory(), TOOLS)

    texts = [own_text(message) for message in woven.messages if message.index is not None]
    assert len(texts) == len(client.messages)
    for text, message in zip(texts, client.messages, strict=True):
        changed = {message.text, message.text.replace("Aria", "Bo").replace("ferry", "Bo")}
        assert text in (possible(message.text) if message.role == "user" else changed)


@given(our.chats(WORDS))
def test_a_dry_run_remembers_nothing(steps):
    world = World()
    world.run(steps)

    assert weave(world.client.turn(dry_run=True), world.lore, world.memory, TOOLS).nodes == ()
