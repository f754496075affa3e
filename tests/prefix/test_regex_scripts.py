"""Regex scripts on the messages of a chat: each message once, and what was sent stays but for a named reason."""

from itertools import pairwise

import pytest

from lorewright import NATIVE, SILLYTAVERN
from lorewright.core.model import Entry, Message
from lorewright.core.prefix import compare
from lorewright.core.regex_script import for_prompts
from lorewright.testing.prefix import assert_prefix_kept
from tests.prefix.scripted import TOOLS, Chat, reply, script

POLICIES = [pytest.param(NATIVE, id="native"), pytest.param(SILLYTAVERN, id="sillytavern")]


# --- which messages


@pytest.mark.parametrize("policy", POLICIES)
def test_scripts_change_the_messages_of_user_and_model_and_no_others(policy):
    chat = Chat(script("/a/g", "x", placement=(1,)), script("/b/g", "y", placement=(2,)), policy=policy)

    sent = chat.send(("system", "ab"), "ab", reply("ab"), ("tool", "ab"), ("system", "ab"), "ab")

    assert sent == ["ab", "xb", "ay", "ab", "ab", "xb"]
    kinds = [piece.kind for message in chat.requests[-1].messages for piece in message.pieces]
    assert kinds == ["client", "rewritten", "rewritten", "client", "client", "rewritten"]


@pytest.mark.parametrize("policy", POLICIES)
def test_scripts_for_display_only_and_those_that_are_off_never_change_a_prompt(policy):
    chat = Chat(
        script("/a/", "shown", for_display=True),
        script("/a/", "off", disabled=True),
        script("/a/", "command", placement=(3, 5, 6)),
        script("", "no pattern"),
        policy=policy,
    )

    assert chat.send("a", reply("a"), "a") == ["a", "a", "a"]
    assert all(not node.scripts for node in chat.requests[-1].nodes)


def test_scripts_that_change_the_message_itself_run_before_those_for_prompts_and_without_depth():
    """A message is stored when it comes, and the prompt is made of what is stored."""
    chat = Chat(script("/b/", "c", for_prompt=True), script("/a/", "b", most_depth=0))

    assert chat.send("a", reply("z"), "z") == ["c", "z", "z"]


def test_where_the_client_has_changed_its_messages_only_scripts_for_prompts_are_left():
    scripts = (script("/a/", "x"), script("/b/", "y", for_prompt=True), script("/c/", "z", for_display=True))
    chat = Chat(*for_prompts(scripts))

    assert chat.send("abc") == ["ayc"]


def test_hidden_messages_do_not_count_for_the_depth_and_one_that_is_continued_has_minus_one():
    last = script("/a/", "x", for_prompt=True, least_depth=-1, most_depth=-1)
    newest = script("/a/", "y", for_prompt=True, most_depth=0, least_depth=0)
    hidden = Message("Max", "a remark", hidden=True)

    assert Chat(newest).send("a", reply("a"), hidden) == ["a", "y", "a remark"]
    assert Chat(last).send("a", reply("a"), trigger="continue") == ["a", "x"]
    assert Chat(newest).send("a", reply("a"), trigger="continue") == ["y", "a"]
    assert Chat(newest).send("a", reply("a"), trigger="swipe") == ["y"]


# --- once, and frozen


@pytest.mark.parametrize("policy", POLICIES)
def test_a_message_keeps_what_a_script_made_of_it(policy):
    chat = Chat(script("/a/g", "{{roll::1d1000}} {{time}} {{getvar::n}}"), policy=policy)
    first = chat.send("a", variables={"n": 1}, clock_ms=0)
    second = chat.say(reply("b"), "a", variables={"n": 2}, clock_ms=60_000)
    again = chat.send(*chat.messages, variables={"n": 3}, clock_ms=120_000)

    assert first[0].endswith(" 12:00 AM 1")
    assert second[:2] == [*first, "b"]
    assert second[2].endswith(" 12:01 AM 2")
    assert again == second
    assert [one.moves for one in chat.requests] == [(), (), ()]


def test_a_script_is_applied_once_to_a_message_however_often_it_is_sent():
    chat = Chat(script("/a/g", "aa"), script("/$/", "!", for_prompt=True))
    for _ in range(5):
        chat.send("a", reply("b"), "a")

    assert chat.texts(chat.requests[-1]) == ["aa!", "b!", "aa!"]


def test_the_same_words_in_another_place_are_another_message():
    chat = Chat(script("/a/", "{{roll::1d1000000}}"))
    sent = chat.send("a", reply("a"), "a")

    assert len(set(sent)) == 3


def test_an_edited_message_is_changed_anew():
    chat = Chat(script("/a/g", "x"))
    chat.send("a", reply("b"), "c")

    assert chat.send("aa", reply("b"), "c") == ["xx", "b", "c"]
    assert {cause for cause, _ in chat.moves} == {"client_edit"}


def test_scripts_are_no_part_of_the_identity_of_a_conversation():
    plain, scripted = Chat(), Chat(script("/a/", "x"))
    for chat in (plain, scripted):
        chat.send("a", reply("b"), "a")

    assert plain.requests[-1].path == scripted.requests[-1].path
    scripted.use()
    scripted.say(reply("c"), "d")
    assert scripted.requests[-1].known == 3


def test_twenty_turns_keep_the_prefix():
    chat = Chat(
        script("/turn (\\d+)/", "turn $1 of {{user}}, {{roll::1d100}}"),
        script("/$/", " {{time}}", placement=(2,), for_prompt=True),
    )
    chat.messages = [Message("", "You are Aria.", "system")]
    for number in range(20):
        chat.say(f"This is turn {number}.", clock_ms=number * 60_000)
        chat.messages.append(chat.message(reply(f"turn {number}")))

    assert_prefix_kept(chat.requests)
    assert not [move for request in chat.requests for move in request.moves]
    for before, now in pairwise(chat.requests):
        assert compare(before.messages, now.messages, TOOLS.counter).first_difference is None


def test_twenty_turns_with_a_depth_limit_name_it_and_lose_nothing_else():
    chat = Chat(script("/secret \\d+/", "-", for_prompt=True, least_depth=3))
    for number in range(20):
        chat.say(f"A secret {number}.")
        chat.messages.append(chat.message(reply(f"Reply {number}.")))

    assert_prefix_kept(chat.requests)
    assert chat.texts(chat.requests[-1])[-5::2] == ["A -.", "A secret 18.", "A secret 19."]
    for number, (before, now) in enumerate(pairwise(chat.requests), 1):
        kept = compare(before.messages, now.messages, TOOLS.counter, now.moves)
        moved = {move.node for move in now.moves}
        assert kept.cause == ("regex_depth" if number >= 2 else "")
        assert moved == ({now.path[2 * number - 4]} if number >= 2 else set())


# --- what moves an old message


@pytest.mark.parametrize("policy", POLICIES)
def test_a_depth_limit_moves_an_old_message_and_says_so(policy):
    chat = Chat(script("/secret/", "-", for_prompt=True, least_depth=1), policy=policy)

    assert chat.send("secret") == ["secret"]
    assert chat.say(reply("b")) == ["-", "b"]
    assert chat.moves == [("regex_depth", "")]
    assert chat.requests[-1].moves[0].node == chat.requests[-1].path[0]
    assert chat.say("c") == ["-", "b", "c"]
    assert chat.moves == []


def test_a_depth_limit_that_changes_no_byte_moves_nothing():
    chat = Chat(script("/secret/", "-", for_prompt=True, least_depth=1))
    chat.send("open")
    chat.say(reply("b"))

    assert chat.moves == []


def test_the_meter_says_that_a_depth_limit_moved_it_wherever_the_texts_differ():
    chat = Chat(script("/open secret/", "open -", for_prompt=True, least_depth=1))
    chat.send("an open secret")
    chat.say(reply("b"))
    before, now = chat.requests

    kept = compare(before.messages, now.messages, TOOLS.counter, now.moves)

    assert (kept.cause, kept.kept_bytes) == ("regex_depth", len("\x1euser\x1fan open "))
    assert compare(now.messages, before.messages, TOOLS.counter, now.moves).cause == "regex_depth"


def test_steps_before_the_one_that_came_keep_their_draw():
    chat = Chat(
        script("/a/", "{{roll::1d1000000}}", for_prompt=True), script("/b/", "c", for_prompt=True, least_depth=1)
    )
    (first,) = chat.send("ab")
    second = chat.say(reply("z"))[0]

    assert second == first.replace("b", "c")


@pytest.mark.parametrize("policy", POLICIES)
def test_other_scripts_are_a_change_of_the_policy(policy):
    chat = Chat(script("/a/", "x"), policy=policy)
    chat.send("a", reply("b"), "b")
    chat.use(script("/a/", "y"))

    assert chat.say(reply("c")) == ["y", "b", "b", "c"]
    assert chat.moves == [("policy_change", "")]
    chat.use()
    assert chat.say("d") == ["a", "b", "b", "c", "d"]
    assert chat.moves == [("policy_change", "")]


def test_scripts_that_begin_in_the_middle_of_a_chat_change_the_old_messages_too():
    chat = Chat()
    chat.send("a", reply("b"), "b")
    chat.use(script("/a/", "x"))

    assert chat.say(reply("a")) == ["x", "b", "b", "x"]
    assert chat.moves == [("policy_change", "")]


@pytest.mark.parametrize(
    "other",
    [
        script("/a/", "x", name="renamed"),
        script("/a/", "x"),
    ],
)
def test_what_changes_nothing_moves_nothing(other):
    chat = Chat(script("/a/", "x"))
    chat.send("a")
    chat.use(other, script("/q/", "never"), script("/a/", "shown", for_display=True))

    assert chat.say(reply("b")) == ["x", "b"]
    assert chat.moves == []


def test_a_depth_limit_after_a_branch_moves_it_back():
    chat = Chat(script("/secret/", "-", for_prompt=True, least_depth=2))
    chat.send("secret")
    chat.say(reply("b"), "c")
    assert chat.moves == [("regex_depth", "")]

    assert chat.send("secret", reply("b2")) == ["secret", "b2"]
    assert ("regex_depth", "") in chat.moves


def test_a_depth_limit_is_named_where_a_message_gets_another_place_too():
    """A request that goes back to an old message and finds other lore there makes a new version of it, and of what
    follows it in this request."""
    entries = (Entry(uid=1, keys=("tower",), content="The tower is high.", position=0),)
    chat = Chat(script("/Reply/", "near $0", placement=(2,), for_prompt=True, most_depth=1))
    chat.send("tower", reply("Reply 1."))
    chat.say("So.", reply("Yes."))
    assert chat.texts(chat.requests[-1])[1] == "Reply 1."
    chat.entries = entries

    assert chat.send("tower", reply("Reply 1."))[1] == "near Reply 1."
    before, now = chat.requests[-2:]
    assert before.path[1] != now.path[1]
    assert ("regex_depth", now.path[1]) in [(move.cause, move.node) for move in now.moves]


def test_other_scripts_before_all_that_is_known_are_named_where_the_known_begins():
    """What a client put in place of the oldest messages has no node, and the first one that has is a tool's."""
    chat = Chat()
    chat.send("a", reply("b"), ("tool", "c"), reply("d"), "e")
    other = ["a, so far", reply("B"), ("tool", "c"), reply("d"), "e"]
    chat.send(*other)
    chat.use(script("/a/", "x"))

    assert chat.send(*other) == ["x, so far", "B", "c", "d", "e"]
    woven = chat.requests[-1]
    assert woven.path[:2] == ("", "")
    assert [(move.cause, move.node) for move in woven.moves] == [("policy_change", woven.path[2])]


def test_going_back_to_an_older_version_names_the_messages_behind_it_that_differ():
    entries = (Entry(uid=1, keys=("tower",), content="The tower is high.", position=0),)
    chat = Chat(script("/Reply/", "near $0", placement=(2,), for_prompt=True, most_depth=1))
    chat.send("tower", reply("Reply 1."))
    chat.say("So.", reply("Yes."), "And?")
    old = chat.messages
    chat.entries = entries
    chat.send("tower", reply("Reply 1."))

    assert chat.send(*old)[1] == "Reply 1."
    assert ("client_edit", chat.requests[-1].path[1]) in [(move.cause, move.node) for move in chat.requests[-1].moves]


def test_other_scripts_before_all_that_is_known_are_named_after_another_branch_had_them_first():
    """The branch with the old first message is sent with the new scripts; then the one with the new first message."""
    chat = Chat()
    chat.send("a", reply("b"), "c", reply("d"), "e")
    other = ["a, so far", reply("b"), "c"]
    chat.send(*other)
    chat.use(script("/a/", "x"))
    chat.send("a", reply("b"), "c", reply("d"), "e")

    assert chat.send(*other)[0] == "x, so far"
    woven = chat.requests[-1]
    assert woven.path[0] == ""
    assert ("policy_change", woven.path[1]) in [(move.cause, move.node) for move in woven.moves]
    chat.send(*other)
    assert ("policy_change", "") not in chat.moves
