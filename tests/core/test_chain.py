"""Which conversation a request belongs to: digests, keys, and the longest known run."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.chain import DictMemory, Node, Path, digest, hash_parts, node_key, recall, scoped
from lorewright.core.model import Message


def grow(memory, text, parent="", versions=()):
    """Add a conversation, one letter a message; the keys of its nodes."""
    keys = []
    for place, letter in enumerate(text):
        version = dict(versions).get(place, 1)
        key = node_key(parent, letter, version)
        memory.put([Node(key=key, parent=parent, digest=letter, version=version, used=version)])
        keys.append(key)
        parent = key
    return keys


def found(memory, history):
    path = recall(memory, history)
    return path.start, [node.key for node in path.nodes]


# --- what a message is


def test_line_ends_and_outer_white_space_are_no_difference():
    assert digest(Message("Max", "a\r\nb\rc")) == digest(Message("Max", " \n a\nb\nc\u3000"))


def test_role_name_text_and_attachments_are_differences():
    same = [
        Message("Max", "a"),
        Message("Ma", "xa"),
        Message("Max", "a", "assistant"),
        Message("Max", "a", attachments=("b",)),
        Message("Max", "a", attachments=("b", "")),
        Message("Max", "ab"),
        Message("Max", "A"),
        Message("Max", "a\n\nb"),
        Message("Max", "a\nb"),
    ]

    assert len({digest(message) for message in same}) == len(same)


def test_what_is_hidden_from_scanning_is_the_same_message():
    assert digest(Message("Max", "a", hidden=True)) == digest(Message("Max", "a"))


def test_the_digest_is_the_hash_of_its_lengths_and_parts():
    # By hand: printf '4:user3:Max5:h\xc3\xa9\nb' | sha256sum
    assert digest(Message("Max", "hé\r\nb ")) == "ca855c550106b3ab0e3ba6915f1d5852"
    assert digest(Message("Max", "\ud83d"))


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_nothing_runs_together(one, other):
    assert (hash_parts(one) == hash_parts(other)) is (one == other)


# --- the longest known run


def test_nothing_known():
    assert recall(DictMemory(), ["a", "b"]) == Path()
    assert recall(DictMemory(), []) == Path()


def test_a_known_beginning():
    memory = DictMemory()
    keys = grow(memory, "abc")

    assert found(memory, "abcd") == (0, keys)
    assert found(memory, "abd") == (0, keys[:2])


def test_two_branches():
    memory = DictMemory()
    one = grow(memory, "abc")
    other = grow(memory, "xc", parent=one[0])

    assert found(memory, "abc") == (0, one)
    assert found(memory, "axc") == (0, [one[0], *other])


def test_the_version_that_is_known_farther_wins_and_of_equals_the_one_used_last():
    memory = DictMemory()
    old = grow(memory, "abc")
    new = grow(memory, "b", parent=old[0], versions={0: 2})

    assert found(memory, "abc") == (0, old)
    assert found(memory, "abd") == (0, [old[0], *new])
    assert recall(memory, "abc").outdated == {old[1]}

    memory.put([replace(memory.nodes[old[1]], used=3)])

    assert found(memory, "abd") == (0, old[:2])


class StepByStep(DictMemory):
    """A memory that knows of no way that it is the only one."""

    def only_way(self, key, digests):
        return ()


@given(
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=5), st.integers(0, 8), st.integers(1, 3)), max_size=8),
    st.text("ab", max_size=8),
    st.sampled_from(["", "mine"]),
)
def test_the_only_way_is_the_one_that_is_found_step_by_step(grown, history, session):
    memory, keys = DictMemory(), [""]
    for text, behind, version in grown:
        keys += grow(memory, text, keys[behind % len(keys)], {0: version})
    other = StepByStep(memory.nodes.values())

    assert recall(memory, history, session) == recall(other, history, session)


def test_the_only_way_ends_where_another_version_came():
    memory = DictMemory()
    keys = grow(memory, "abcd")
    assert [node.key for node in memory.only_way(keys[0], list("bcdx"))] == keys[1:]

    other = grow(memory, "c", keys[1], {0: 2})
    grow(memory, "d", other[0])

    assert [node.key for node in memory.only_way(keys[0], list("bcd"))] == keys[1:2]
    assert [node.key for node in memory.only_way(other[0], list("de"))] == [node_key(other[0], "d", 1)]


def test_a_head_that_was_cut_off():
    memory = DictMemory()
    keys = grow(memory, "abcd")

    assert found(memory, "cde") == (0, keys[2:])


def say_in(memory, session, *chat):
    """Nodes of a conversation of this session; their keys."""
    keys = grow(memory, chat)
    memory.put([replace(memory.nodes[key], session=session) for key in keys])
    return keys


def test_in_a_named_session_the_first_message_of_the_window_is_enough():
    memory = DictMemory()
    mine = say_in(memory, "mine", *"abcd")
    say_in(memory, "other", *"xbcde")

    def places(history, session):
        path = recall(memory, history, session)
        return path.start, [node.key for node in path.nodes]

    assert places("dyz", "mine") == (0, mine[3:])
    assert places("dyz", "") == (0, [])
    assert places("eyz", "mine") == (0, [])
    assert places("yd", "mine") == (0, [])
    assert places([], "mine") == (0, [])
    assert places("cd", "mine") == (0, mine[2:])


def test_of_several_such_places_the_newest_and_of_its_versions_the_one_used_last():
    memory = DictMemory()
    say_in(memory, "mine", *"abcb")
    newest = next(node for node in memory.with_digest("b"))
    other = replace(newest, key="v2", version=2, used=newest.used + 1)
    memory.put([other])
    memory.put([replace(newest, used=other.used + 1)])

    path = recall(memory, "byz", "mine")

    assert [node.key for node in path.nodes] == [newest.key]
    assert path.outdated == frozenset()


def test_one_message_in_the_middle_of_another_conversation_is_no_sign():
    memory = DictMemory()
    keys = grow(memory, "abcd")

    assert found(memory, "c") == (0, [])
    assert found(memory, "cx") == (0, [])
    assert found(memory, "ax") == (0, keys[:1])


def test_the_beginning_wins_against_an_equal_run_in_the_middle_and_loses_against_a_longer_one():
    memory = DictMemory()
    middle = grow(memory, "xabc")
    root = grow(memory, "ab")

    assert found(memory, "ab") == (0, root)
    assert found(memory, "abc") == (0, middle[1:])


def test_a_new_head_before_a_known_run():
    memory = DictMemory()
    keys = grow(memory, "abcd")

    assert found(memory, "sbcd") == (1, keys[1:])
    assert found(memory, "stcde") == (2, keys[2:])
    assert found(memory, "std") == (0, [])


def test_the_longest_of_several_runs_behind_a_new_head():
    memory = DictMemory()
    grow(memory, "ab")
    longer = grow(memory, "xbcd")

    assert found(memory, "?abcd") == (2, longer[1:])


@given(st.lists(st.text("abc", min_size=1, max_size=6), max_size=5), st.text("abc", max_size=6))
def test_against_every_run_by_trial(conversations, history):
    memory = DictMemory()
    for text in conversations:
        grow(memory, text)
    start, keys = found(memory, history)

    known = {text[:end] for text in conversations for end in range(1, len(text) + 1)}

    def longest(at):
        """The longest run of the history from a place that stands somewhere in a conversation, and at its root."""
        runs = [history[at:end] for end in range(at + 1, len(history) + 1)]
        whole = [len(run) for run in runs if run in known]
        inside = [len(run) for run in runs if any(run in text for text in known)]
        return max(whole, default=0), max(inside, default=0)

    def places(run):
        """In how many places a run stands: as many as there are beginnings that end with it."""
        return sum(text.endswith(run) for text in known)

    whole, inside = longest(0) if history else (0, 0)
    wanted = max(whole, inside if inside > 1 else 0)
    at = 0
    if not wanted:
        runs = [longest(at)[1] for at in range(1, len(history))]
        wanted = max(runs, default=0) if max(runs, default=0) > 1 else 0
        at = 1 + runs.index(wanted) if wanted else 0
    is_tied = (at > 0 or whole < wanted) and places(history[at : at + wanted]) > 1
    is_any_known = any(letter in text for text in known for letter in history)

    assert (start, len(keys)) == ((0, 0) if is_tied else (at, wanted))
    doubt = "tie" if is_tied else "one_message" if not wanted and is_any_known and len(history) > 1 else ""
    assert recall(memory, history).doubt == doubt


def test_a_run_that_stands_in_two_places_is_no_sign():
    memory = DictMemory()
    grow(memory, "abc")
    grow(memory, "xbc")

    assert recall(memory, "bcd") == Path(doubt="tie")
    assert recall(memory, "bc", "any") != Path(), "a name wins"


def test_a_run_that_one_place_has_longer_is_one():
    memory = DictMemory()
    grow(memory, "abc")
    longer = grow(memory, "xbcd")

    assert found(memory, "bcd") == (0, longer[1:])


def test_versions_of_a_message_are_one_place():
    memory = DictMemory()
    old = grow(memory, "abc")
    new = grow(memory, "b", parent=old[0], versions={0: 2})
    grow(memory, "c", parent=new[0])

    assert found(memory, "bcd")[0] == 0
    assert len(found(memory, "bcd")[1]) == 2


def test_one_known_message_in_front_of_others():
    memory = DictMemory()
    grow(memory, "abcd")

    assert recall(memory, "cx").doubt == "one_message"
    assert recall(memory, "xc").doubt == "one_message"
    assert recall(memory, "c").doubt == recall(memory, "xy").doubt == ""


def test_scopes_have_no_digest_in_common():
    assert scoped("a", "") == "a"
    assert len({"a", scoped("a", "s"), scoped("a", "t"), scoped("b", "s")}) == 4


def test_a_memory_knows_what_was_put_into_it():
    memory = DictMemory()
    first, second = grow(memory, "ab")
    memory.put([Node(key=first, parent="", digest="a", number=7)])

    assert [memory.nodes[first].number, memory.node(first)] == [7, memory.nodes[first]]
    assert memory.node("no") is None
    assert [node.key for node in memory.versions("", "a")] == [first]
    assert [node.key for node in memory.with_digest("b")] == [second]
    assert (memory.has_children(first), memory.has_children(second)) == (True, False)
