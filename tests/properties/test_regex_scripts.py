"""What must hold for regex scripts on any texts, and in any chat."""

from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Entry
from lorewright.core.prefix import canonical
from lorewright.core.regex_script import RegexScript, ScriptPlace
from lorewright.core.weave import weave
from lorewright.templates.context import Context
from lorewright.templates.engines import LegacyEngine, NewEngine
from lorewright.templates.regex_scripts import ScriptRunner, ScriptTools
from lorewright.testing import strategies as our
from lorewright.testing.client import ChatClient

TOOLS = make_tools()
REGEXES = TOOLS.regexes
CONTEXT = Context(user="Mina", char="Rook", local_variables={"n": 1})
PIECES = (
    *("{{", "}}", "user", "setvar::evil::1", "{{setvar::evil::1}}", "{{addvar::evil::1}}", "<USER>", "::", "\\", "a"),
    *("{{outlet::cat}}", "{{lastMessage}}", "cat"),
)
messages = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
ENTRIES = (
    Entry(uid=0, constant=True, content="A cat, {{lastMessage}}.", position=0),
    Entry(uid=1, keys=("cat",), content="A dragon {{getvar::a}}.", position=4, depth=1),
)
STORED, SENT = (
    RegexScript(name=name, pattern="/$/", replacement=name, placement=(1, 2), for_prompt=name == "§")
    for name in ("¶", "§")
)


@given(messages, st.lists(our.scripts(), max_size=3), st.sampled_from([NewEngine(), LegacyEngine()]))
def test_no_chat_text_ever_writes_a_variable_that_the_script_does_not(message, listed, engine):
    runner = ScriptRunner(CONTEXT, ScriptTools(REGEXES, engine, output=2000))

    runner.run(message, listed, ScriptPlace(2))

    assert runner.rendered("").writes <= {"local:a", "local:n"}


def requests(steps, scripts, policy=NATIVE, entries=ENTRIES):
    """The requests of a chat; `scripts` are those of each, in turns."""
    client, memory, found = ChatClient("You are Aria.", "A cat"), DictMemory(), []
    for number, step in enumerate(steps):
        client.act(step)
        of_request = replace(policy, scripts=tuple(dict.fromkeys(scripts[number % len(scripts)])))
        lore = load_lore([ActiveBook(Book("b", entries))], TOOLS, of_request)
        found.append(weave(client.turn(user="Max", clock_ms=number * 60_000), lore, memory, TOOLS))
        memory.put(found[-1].nodes)
    return found


chats = our.chats(PIECES, max_steps=12)
sets = st.lists(st.lists(our.scripts(), max_size=3), min_size=1, max_size=2)


@given(chats, sets)
def test_what_was_sent_stays_unless_a_reason_is_named(steps, scripts):
    """What is only of one turn stands before the beginning of a reply, so it is left out of both. Of two requests of
    which one goes another way, the part before the fork counts."""
    for before, now in pairwise(requests(steps, scripts)):
        pairs = zip(before.path, now.path, strict=False)
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        leading = 1 + max(message.index for message in before.messages) - len(before.path)
        common = [message for message in before.messages if message.index < leading + shared]
        old, new = (canonical(messages, lasting=True) for messages in (common, now.messages))
        assert new.startswith(old) or now.moves or not shared


@given(chats, st.lists(our.scripts(), max_size=3))
def test_without_depth_limits_and_other_scripts_only_the_client_moves_its_messages(steps, scripts):
    steady = [replace(script, least_depth=None, most_depth=None) for script in scripts]
    found = requests(steps, [steady])

    causes = {move.cause for request in found for move in request.moves if not move.entry}
    assert causes <= {"client_edit", "client_system"}


@given(chats, st.sampled_from([NATIVE, SILLYTAVERN]))
def test_no_script_is_ever_applied_twice_to_one_message(steps, policy):
    """What one of them adds is there once, in a message of which anything is left, and nowhere else."""
    for request in requests(steps, [[STORED, SENT]], policy, entries=()):
        for message in request.messages:
            if message.role == "system":  # it may name an outlet
                continue
            text = request.turn.messages[message.index].text
            is_taken = text and message.role in ("user", "assistant")
            assert message.content == (f"{text}¶§" if is_taken else text)


@given(chats, st.lists(our.scripts(), min_size=1, max_size=3), st.sampled_from([NATIVE, SILLYTAVERN]))
def test_scripts_for_display_only_change_nothing_that_is_sent_or_remembered(steps, scripts, policy):
    shown = [replace(script, for_display=True, for_prompt=False) for script in scripts]
    plain, scripted = requests(steps, [[]], policy), requests(steps, [shown], policy)

    assert [request.messages for request in scripted] == [request.messages for request in plain]
    assert [request.nodes for request in scripted] == [request.nodes for request in plain]


@given(chats, sets)
def test_the_same_requests_give_the_same_bytes(steps, scripts):
    one, other = (requests(steps, scripts) for _ in range(2))

    assert [(request.messages, request.moves) for request in one] == [
        (request.messages, request.moves) for request in other
    ]


@given(our.scripts(), our.scripts())
def test_scripts_with_one_id_do_the_same(one, other):
    assert (one.id == other.id) == (replace(one, name="") == replace(other, name=""))


@pytest.mark.parametrize("field", [field for field in RegexScript.__slots__ if field != "name"])
def test_every_field_but_the_name_is_part_of_the_id(field):
    plain = RegexScript(name="s", pattern="a")
    values: dict[Any, Any] = {str: "b", tuple: ("b",), bool: True, type(None): 1.5}

    assert replace(plain, **{field: values[type(getattr(plain, field))]}).id != plain.id
