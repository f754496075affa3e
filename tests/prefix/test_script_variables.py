"""What regex scripts write, what they do to messages that nobody can keep, and where keys are looked for."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore
from lorewright.core.chain import DictMemory
from lorewright.core.gates import Counted, Gate
from lorewright.core.model import Book, Entry, Message, Turn
from lorewright.core.weave import weave
from tests.prefix.scripted import TOOLS, Chat, reply, script

# --- what scripts write


def test_what_a_script_writes_is_there_for_lore_in_the_same_turn_and_stays():
    chat = Chat(
        script(r"/hp=(\d+)/", "{{setvar::hp::$1}}", placement=(2,)),
        entries=(Entry(uid=1, constant=True, content="Health {{getvar::hp}}.", position=0),),
    )
    chat.send("Hi", reply("hp=7"), "Go")
    assert chat.texts(chat.requests[-1]) == ["Hi", "", "Go\n\nHealth 7."]
    assert chat.say(reply("Well."), "On")[-1] == "On\n\nHealth 7."
    assert chat.requests[-1].assembly.state.variables["hp"] == "7"


def test_a_regenerated_reply_knows_what_was_written_by_the_newest_message():
    chat = Chat(script("/sleep/", "$0{{incvar::nights}}", placement=(1,)))
    chat.send("Hi")
    for _ in range(3):
        chat.send("Hi", reply("Yes?"), "sleep")

        assert chat.requests[-1].turn.variables["nights"] == 1
    chat.say(reply("Ah."), "sleep")
    assert chat.requests[-1].turn.variables["nights"] == 2


def test_what_is_written_in_a_branch_stays_in_it():
    chat = Chat(script("/take (\\w+)/", "{{setvar::has::$1}}"))
    chat.send("Hi")
    chat.send("Hi", reply("Yes?"), "take lamp")
    chat.send("Hi", reply("Yes?"), "take rope")
    chat.say(reply("There."), "look")

    assert chat.requests[-1].turn.variables["has"] == "rope"


def test_what_was_written_opens_a_gate():
    chat = Chat(
        script("/told/", "$0{{incvar::told}}"),
        entries=(Entry(uid=1, constant=True, content="It sinks.", position=0, gate=Gate((Counted("told", 1),))),),
    )

    assert chat.send("Hi") == ["Hi"]
    assert chat.say(reply("b"), "told")[-1] == "It sinks.\n\ntold1"


def test_a_dry_run_keeps_nothing():
    chat = Chat(script("/a/", "x{{setvar::n::1}}"))

    assert chat.send("a", dry_run=True) == ["x"]
    assert chat.requests[-1].nodes == ()
    assert chat.requests[-1].assembly.state.variables == {}


def test_the_client_has_the_last_word_about_a_variable_in_the_next_turn():
    chat = Chat(script("/a/", "{{setvar::n::1}}"))
    chat.send("a", variables={"n": 5})
    assert chat.requests[-1].turn.variables["n"] == "1"
    chat.say(reply("b"), "c", variables={"n": 5})
    assert chat.requests[-1].turn.variables["n"] == 5


# --- messages that nobody can keep


def test_in_a_head_that_is_not_known_only_scripts_with_one_outcome_run():
    chat = Chat(
        script("/a/g", "x"), script("/b/g", "{{roll::1d100}}"), script("/c/g", "z", for_prompt=True, most_depth=9)
    )
    chat.send("one", reply("two"), "three", reply("four"), "five")

    assert chat.send(reply("abc so far"), "three", reply("four"), "five", reply("c"))[0] == "xbc so fxr"
    assert "regex_script_not_kept" in chat.codes
    again = chat.say("six")
    assert (again[0], chat.moves) == ("xbc so fxr", [])
    chat.use(script("/a/g", "y"))
    assert chat.say(reply("seven"))[0] == "ybc so fyr"
    assert {cause for cause, _ in chat.moves} == {"policy_change"}


# --- reading


@pytest.mark.parametrize(("policy", "finds"), [(NATIVE, ("said",)), (SILLYTAVERN, ("made",))])
def test_keys_are_looked_for_in_what_was_said_but_by_sillytavern_in_what_became_of_it(policy, finds):
    entries = (
        Entry(uid="said", keys=("dragon",), content="1", position=0),
        Entry(uid="made", keys=("lizard",), content="2", position=0),
    )
    chat = Chat(script("/dragon/", "lizard"), policy=policy, entries=entries)
    chat.send("a dragon")

    assert tuple(item.entry.entry.uid for item in chat.requests[-1].assembly.activated) == finds


def test_tools_without_scripts_are_refused():
    tools = replace(TOOLS, scripts=None)
    lore = load_lore([ActiveBook(Book("b", ()))], tools, replace(NATIVE, scripts=(script("/a/", "x"),)))

    with pytest.raises(ValueError, match=r"Tools\.scripts"):
        weave(Turn(messages=(Message("Max", "a"),)), lore, DictMemory(), tools)
