"""What entries replace in what the user says: once, and it stays (spec injection-engine §8.6, ADR 0026)."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, Message
from lorewright.core.gates import Flag, Gate
from lorewright.core.replaces import Replace
from lorewright.testing.prefix import assert_prefix_kept
from tests.core.channels import Chat, constant, keyed

CLASSIC = replace(NATIVE, placement="sillytavern")
HIDE = constant("hide", replaces=(Replace(r"tok_\w+", "tok_…", "user"),))
EACH_PLACEMENT = pytest.mark.parametrize("policy", [NATIVE, CLASSIC], ids=["frozen", "classic"])


def rule(find, into, target="user", **fields):
    return Replace(find, into, target, **fields)


# -- what the user says ------------------------------------------------------------------------------------------------


@EACH_PLACEMENT
def test_what_was_replaced_stays_replaced_though_the_client_sends_its_own_words_again(policy):
    chat = Chat(HIDE, policy=policy)
    chat.say("My key is tok_12.")
    chat.say("And tok_3 is yours.")
    chat.say("Bye")

    assert chat.users == ["My key is tok_….", "And tok_… is yours.", "Bye"]
    assert chat.said[0].text == "My key is tok_12."
    assert chat.moves == []


@EACH_PLACEMENT
def test_it_stays_when_its_entry_is_not_active_any_longer(policy):
    chat = Chat(keyed("loud", "shout", replaces=(rule("[a-z]+", "<$&>"),)), policy=policy)
    chat.say("shout it")
    chat.say("calm now")
    chat.say("still calm")

    assert chat.users == ["<shout> <it>", "calm now", "still calm"]
    assert chat.moves == []


def test_a_message_that_was_answered_before_is_left_alone():
    chat = Chat()
    chat.say("My key is tok_12.")
    chat.use(HIDE)
    requests = [chat.woven, chat.say("And tok_3.")]

    assert chat.users == ["My key is tok_12.", "And tok_…."]
    assert_prefix_kept(requests)


def test_everything_that_was_said_since_the_last_reply_is_replaced():
    chat = Chat(HIDE)
    chat.said = [
        Message("Max", "Old tok_0."),
        Message("Aria", "Yes.", "assistant"),
        Message("Max", "One tok_1."),
        Message("Max", "Two tok_2."),
    ]
    chat.send()

    assert chat.users == ["Old tok_0.", "One tok_….", "Two tok_…."]


def test_replies_tools_and_beginnings_of_replies_are_never_replaced():
    chat = Chat(HIDE)
    chat.said = [
        Message("Max", "Look for tok_1."),
        Message("Aria", "", "assistant", attachments=("call",)),
        Message("look", "tok_2", "tool"),
        Message("Aria", "It is tok_3", "assistant"),
    ]
    chat.send()

    assert [text for role, text in chat.sent if role in ("assistant", "tool")] == ["", "tok_2", "It is tok_3"]


def test_keys_are_looked_for_in_what_the_client_said():
    chat = Chat(
        constant("swap", replaces=(rule("crane", "boat"),)), keyed("crane", "crane", "C."), keyed("boat", "boat", "B.")
    )
    chat.say("The crane")

    assert chat.users == ["C.\n\nThe boat"]
    chat.say("So")
    assert chat.users[-1] == "So"


def test_several_entries_replace_in_the_order_of_their_layers():
    chat = Chat(
        constant("last", replaces=(rule("b", "c"),), layer="tail"),
        constant("first", replaces=(rule("x", "a"), rule("a", "b")), layer=-5),
        constant("plain", replaces=(rule("c$", "C"),)),
    )
    chat.say("x")

    assert chat.users == ["c"]
    assert [(piece.kind, piece.entry) for piece in chat.woven.messages[-1].pieces] == [("rewritten", "b.last")]


def test_javascript_forms_flags_and_several_matches():
    rules = (
        rule(r"(\w+)@(?<host>\w+)", "$<host> of $1, $$$&"),
        rule("/HELLO/i", "Hi"),
        rule("o", "0", flags=""),
    )
    chat = Chat(constant("all", replaces=rules))
    chat.say("hello ann@home to bob@yard")

    assert chat.users == ["Hi h0me of ann, $ann@home to yard of bob, $bob@yard"]


def test_a_text_can_be_emptied():
    chat = Chat(constant("gone", "Note.", channel="message", replaces=(rule(".+", ""),)))
    chat.say("secret")

    assert chat.users == ["Note."]


# -- again, another way, gone --------------------------------------------------------------------------------------------


def test_a_regenerated_reply_has_the_same_text_and_an_edited_book_another_one():
    chat = Chat(HIDE)
    first = chat.say("tok_1")
    again = chat.send(trigger="regenerate")
    chat.use(replace(HIDE, replaces=(rule(r"tok_\w+", "***"),)))
    edited = chat.send(trigger="regenerate")

    assert first.messages == again.messages
    assert edited.messages[-1].content == "***"
    assert first.path == edited.path


def test_a_frozen_message_that_would_be_replaced_otherwise_gets_another_version_and_both_go_on():
    chat = Chat(HIDE)
    chat.say("tok_1")
    chat.say("So")
    whole = list(chat.said)
    chat.use(replace(HIDE, replaces=(rule(r"tok_\w+", "***"),)))
    chat.said = whole[:1]
    back = chat.send()
    chat.said.append(Message("Aria", "Another reply.", "assistant"))
    on = chat.say("Well")
    chat.said = whole
    old = chat.send()

    assert back.messages[-1].content == "***"
    assert on.messages[1].content == "***"
    assert old.messages[1].content == "tok_…"
    assert [move.cause for move in old.moves] == ["client_edit"]
    assert on.path[0] != old.path[0]


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        ([], "entry_removed"),
        ([replace(HIDE, enabled=False)], "entry_disabled"),
        ([replace(HIDE, gate=Gate((Flag("known"),)))], "gate_closed"),
    ],
)
@EACH_PLACEMENT
def test_what_an_entry_replaced_goes_with_it(after, cause, policy):
    other = constant("other", replaces=(rule("key", "word"),))
    chat = Chat(HIDE, other, policy=policy)
    chat.say("My key is tok_12.")
    chat.use(*after, other)
    woven = chat.say("So")

    assert chat.users == ["My word is tok_12.", "So"]
    assert [(move.cause, move.entry, move.node) for move in woven.moves] == [(cause, "b.hide", woven.path[0])]
    again = chat.say("Well")
    assert again.moves == ()


def test_the_last_that_goes_leaves_the_clients_own_words():
    chat = Chat(HIDE)
    chat.say("tok_1")
    chat.use()
    chat.say("So")

    assert [(piece.kind, piece.entry, piece.text) for piece in chat.woven.messages[1].pieces] == [
        ("client", "", "tok_1")
    ]


def test_an_edited_rule_leaves_old_messages_as_they_were_sent():
    chat = Chat(HIDE)
    chat.say("tok_1")
    chat.use(replace(HIDE, replaces=(rule(r"tok_\w+", "***"),)))
    chat.say("tok_2")

    assert chat.users == ["tok_…", "***"]
    assert chat.moves == []


def test_an_edited_message_is_replaced_anew():
    chat = Chat(HIDE)
    chat.say("tok_1")
    chat.say("So")
    chat.said = [Message("Max", "Rather tok_9")]
    chat.send()

    assert chat.users == ["Rather tok_…"]
