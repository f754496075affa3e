"""What must hold for every reply and every tree of an MVU card (ADR 0028)."""

import json
from contextlib import suppress
from copy import deepcopy
from math import isfinite

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry, Message, Turn
from lorewright.core.weave import weave
from lorewright.errors import FormatError
from lorewright.mvu.answer import TOOL_NAME, from_structure, from_text, from_tool_call
from lorewright.mvu.arguments import read_argument
from lorewright.mvu.behaviour import CAREFUL, RECORDED
from lorewright.mvu.chat import Line, Player, handle
from lorewright.mvu.commands import MOST_COMMANDS, find_commands, update_blocks
from lorewright.mvu.documents import read_document
from lorewright.mvu.edits import merged, put, without, write
from lorewright.mvu.initial import EMPTY_RECORD, InitialBook, load_initial, with_greeting
from lorewright.mvu.learning import Learner
from lorewright.mvu.paths import get, look_up, split_path
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.sums import compute
from lorewright.mvu.update import update
from lorewright.mvu.values import MISSING, UNDEFINED, deep_equal, saved
from lorewright.mvu.yaml_text import read_yaml
from lorewright.templates.message_variables import as_yaml
from tests.properties.mvu_cards import (
    ARGUMENTS,
    authored,
    behaviours,
    calls,
    check_tree,
    noise,
    records,
    texts,
    trees,
    values,
)

# -- finding and carrying out ------------------------------------------------------------------------------------------


@given(texts, behaviours)
def test_commands_are_found_in_order_and_within_the_limit(text, behaviour):
    found = find_commands(text, behaviour)

    places = [command.start for command in found.commands]
    assert places == sorted(places)
    assert len(places) <= MOST_COMMANDS
    assert all(
        isinstance(argument, str) or argument is UNDEFINED for one in found.commands for argument in one.arguments
    )


@given(records, texts, behaviours)
def test_a_reply_has_an_answer_and_leaves_the_old_record_alone(record, text, behaviour):
    before = deepcopy(record)

    after = update(record, text, behaviour)

    assert record == before
    check_tree(after.record.tree)
    check_tree(after.record.schema)
    check_tree([after.record.display, after.record.delta])
    refused = [one.index for one in after.refused if one.index >= 0]
    assert sorted([*refused, *(one.index for one in after.changes)]) == list(range(len(after.commands)))
    assert after.modified or deep_equal(after.record.tree, record.tree)
    assert repr(after) == repr(update(record, text, behaviour))


@given(records, texts, behaviours)
def test_a_permissive_reply_has_an_answer_too(record, text, behaviour):
    before = deepcopy(record)

    after = update_permissively(record, text, behaviour)

    assert record == before
    check_tree(after.record.tree)
    assert repr(after) == repr(update_permissively(record, text, behaviour))


@given(records, st.lists(calls, max_size=6), st.sampled_from([CAREFUL, RECORDED]))
def test_what_was_refused_might_as_well_not_have_been_written(record, commands, behaviour):
    after = update(record, "\n".join(commands), behaviour)

    carried_out = "\n".join(change.command for change in after.changes)
    again = update(record, carried_out, behaviour)
    assert again.record == after.record
    assert [change.text for change in again.changes] == [change.text for change in after.changes]


@given(records, st.lists(calls, min_size=1, max_size=4))
def test_a_reply_of_refused_commands_changes_nothing(record, commands):
    after = update(record, "\n".join(commands))
    assume(not after.changes)

    assert after.record.tree is record.tree or after.record.tree == record.tree
    assert after.record.schema == record.schema
    assert not after.modified


@given(records, texts)
def test_what_is_added_to_a_number_gives_a_number(record, text):
    for change in update(record, text).changes:
        if change.op == "add" and isinstance(change.old, (int, float)) and not isinstance(change.old, bool):
            assert isinstance(change.new, (int, float))
            assert isfinite(change.new)


@given(records, st.lists(calls, max_size=4), st.lists(calls, max_size=3), st.integers(0, 400))
def test_a_reply_that_is_cut_off_applies_nothing_of_its_open_block(record, outside, inside, length):
    text = "\n".join([*outside, "\n<UpdateVariable>\n", *inside, "\n</UpdateVariable>"])
    cut = text[:length]
    blocks = update_blocks(cut)
    closed = next((block.start for block in blocks if not block.closed), len(cut))

    done = update(record, cut)

    assert all(change.command in cut[:closed] for change in done.changes)
    assert [one for one in done.commands if one.start >= closed] == []


@given(records, texts)
def test_handling_a_message_again_changes_nothing(record, text):
    lines = (Line("Aria", ("Hi.",), records=(record.stored(),)), Line("Aria", (text,)))
    player = Player("Aria")

    once = handle(lines, 1, player).lines
    twice = handle(once, 1, player).lines

    assert twice[1].records == once[1].records


# -- conversations -----------------------------------------------------------------------------------------------------

TOOLS = make_tools()
INITIAL = "hp: 10\nbag:\n  $meta: {extensible: true}\n  rope: 1\nlog: [a, $__META_EXTENSIBLE__$]\n"
BOOK = Book("card", (Entry(uid="i", title="[initvar]", content=INITIAL, enabled=False),))
LORE = load_lore([ActiveBook(BOOK, "character")], TOOLS, NATIVE)
REPLIES = (
    "_.add('hp', 1);",
    "_.insert('log', 'b');",
    "_.insert('bag', 'bread', 2); _.set('bag.rope', 7);",
    "<UpdateVariable>_.add('hp', 100);",
    "_.delete('log', 0);",
    "Nothing.",
)
steps = st.lists(
    st.tuples(st.just("say"), st.sampled_from(REPLIES[:2]))
    | st.tuples(st.just("hear"), st.sampled_from(REPLIES))
    | st.tuples(st.just("edit"), st.integers(0, 9), st.sampled_from(REPLIES))
    | st.tuples(st.just("back"), st.integers(1, 3))
    | st.tuples(st.just("again")),
    max_size=12,
)


def request(messages, memory):
    turn = Turn(messages=tuple(messages), user="Mina", character=Character(name="Aria"))
    woven = weave(turn, LORE, memory, TOOLS)
    memory.put(woven.nodes)
    return woven.turn.variables["stat_data"]


@settings(max_examples=40)
@given(steps)
def test_the_tree_is_that_of_the_messages_whatever_was_asked_before(history):
    """Going back, editing, regenerating, asking again: as if the chat had been sent for the first time. (The first message
    stays: another one in its place would be the head of a window that was cut, ADR 0019.)"""
    memory = DictMemory()
    messages = [Message("Mina", "I begin.")]
    request(messages, memory)
    for step in history:
        match step:
            case ("say", text):
                messages.append(Message("Mina", text))
            case ("hear", text):
                messages.append(Message("Aria", text, "assistant"))
            case ("edit", place, text) if len(messages) > 1:
                at = 1 + place % (len(messages) - 1)
                messages[at] = Message(messages[at].name, text, messages[at].role)
            case ("back", count):
                messages = messages[:-count] or messages[:1]
        assert request(messages, memory) == request(messages, DictMemory())


# -- reading -----------------------------------------------------------------------------------------------------------


@given(st.sampled_from(ARGUMENTS) | texts | st.text(), behaviours)
def test_an_argument_is_a_value_or_is_refused(source, behaviour):
    with suppress(Refused):
        json.dumps(saved(read_argument(source, behaviour)))


@given(st.text(alphabet="0123456789.+-*/^%!()?:,<>='\" abepiMathround", max_size=40))
def test_a_sum_is_a_number_a_text_or_none(text):
    assert isinstance(compute(text), (int, float, str, type(None)))


@given(texts | st.text())
def test_a_document_is_a_value_or_is_refused(text):
    try:
        found = read_document(text)
    except FormatError:
        return
    check_tree(saved(found.value))


@given(st.tuples(trees.map(lambda tree: json.dumps(tree, ensure_ascii=False)), st.integers(0, 60), noise))
def test_a_document_with_a_hole_is_a_value_or_is_refused(given_text):
    text, place, piece = given_text
    broken = text[:place] + piece + text[place + 1 :]
    for one in (broken, text[:place], as_yaml(json.loads(text)) + piece):
        with suppress(FormatError):
            check_tree(saved(read_document(one).value))


@given(trees)
def test_json_is_read_as_it_is_written(tree):
    found = read_document(json.dumps(tree, ensure_ascii=False))

    assert (found.value, found.mended) == (tree, "")


@given(trees)
def test_what_is_shown_as_yaml_is_read_back(tree):
    assert deep_equal(read_yaml(as_yaml(tree), document=True), tree)


@given(texts)
def test_an_answer_is_a_block_or_none(text):
    for found in (from_text(text), from_structure(text), from_tool_call(TOOL_NAME, json.dumps({"delta": text}))):
        assert found is None or update_blocks(found)


@given(
    st.lists(
        st.tuples(st.sampled_from(["[initvar]", "x [InitVar]", "x"]), texts | values(marked=True).map(as_yaml)),
        max_size=3,
    )
)
def test_initial_values_come_in_once(entries):
    book = InitialBook("book", "primary", tuple(entries))

    once = load_initial(EMPTY_RECORD, (book,))
    twice = load_initial(once.record, (book,))

    check_tree(once.record.tree)
    assert twice.record.tree == once.record.tree
    assert not twice.is_new


@given(texts)
def test_a_greeting_has_an_answer(text):
    greeted = with_greeting(EMPTY_RECORD, f"<initvar>{text}</initvar>", ())

    check_tree(greeted.record.tree)


# -- models ------------------------------------------------------------------------------------------------------------


def set_in_place(holder, steps, value):
    """The plain way, on a copy: what `put` must give."""
    holder = deepcopy(holder)
    inner = holder
    for step in steps[:-1]:
        inner = inner[step] if isinstance(inner, dict) else inner[int(step)]
    last = steps[-1]
    if value is MISSING:
        del inner[last if isinstance(inner, dict) else int(last)]
    else:
        inner[last if isinstance(inner, dict) else int(last)] = value
    return holder


def places(value, steps=()):
    """All places of a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in members:
        yield (*steps, str(name))
        yield from places(item, (*steps, str(name)))


@given(trees, st.data(), values())
def test_a_change_copies_what_it_changes(tree, data, value):
    found = list(places(tree))
    assume(found)
    steps = data.draw(st.sampled_from(found))
    before = deepcopy(tree)

    assert put(tree, steps, value) == set_in_place(tree, steps, value)
    assert write(tree, steps, value) == set_in_place(tree, steps, value)
    assert without(tree, steps) == set_in_place(tree, steps, MISSING)
    assert look_up(put(tree, steps, value), steps) == value
    assert tree == before


@given(authored, authored)
def test_what_is_learned_is_what_would_be_generated(tree, other):
    old = generate(other)

    assert Learner().learn(tree, old) == merged(old, generate(tree, old))
    assert Learner().clean(tree) == strip(tree)


@given(authored)
def test_rules_that_were_learned_stay(tree):
    """A tree without its marks keeps the rules that they made."""
    schema = generate(tree)

    assert generate(strip(tree), schema) == schema


@given(st.lists(st.text(alphabet="abc生0", min_size=1), min_size=1, max_size=4))
def test_plain_paths_are_split_at_their_dots(steps):
    assert split_path(".".join(steps)) == steps


@given(trees, st.data())
def test_every_plain_place_is_reached_by_its_path(tree, data):
    found = [steps for steps in places(tree) if all(step and not set(step) & set(".'") for step in steps)]
    assume(found)
    steps = data.draw(st.sampled_from(found))

    assert get(tree, ".".join(steps)) == look_up(tree, steps)
