"""Regex scripts on lore: after the budget, before placement (spec world-info §8)."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.engine import assemble
from lorewright.core.model import Book, Character, Entry, Message, State, Turn
from lorewright.core.policy import RISU
from lorewright.core.regex_script import RegexScript
from lorewright.core.weave import weave

TOOLS = make_tools()


def script(pattern, replacement="", **more):
    given = {"name": "s", "placement": (5,), "for_prompt": True, **more}
    return RegexScript(**given, pattern=pattern, replacement=replacement)


def constant(uid, content, **given):
    return Entry(**{"uid": uid, "constant": True, "content": content, "position": 0, **given})


def lore_of(*entries, scripts, policy=NATIVE):
    return load_lore([ActiveBook(Book("b", entries))], TOOLS, replace(policy, scripts=scripts))


def say(text="hello", **given):
    return Turn(messages=(Message("Mina", text),), user="Mina", character=Character(name="Aria"), **given)


def texts(assembly):
    return {item.entry.entry.uid: item.text for item in assembly.activated}


def run(*entries, scripts, policy=NATIVE, turn=None):
    return assemble(turn or say(), lore_of(*entries, scripts=scripts, policy=policy), State(), TOOLS)


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN, RISU], ids=lambda policy: policy.name)
def test_scripts_for_prompts_change_lore_and_the_text_that_is_placed(policy):
    found = run(constant(1, "A dragon."), scripts=(script("/dragon/", "lizard"),), policy=policy)

    assert texts(found) == {1: "A lizard."}
    assert "A lizard." in str(found.placed)
    assert "dragon" not in str(found.placed)


@pytest.mark.parametrize(
    "given",
    [{"for_prompt": False}, {"for_prompt": False, "for_display": True}, {"disabled": True}, {"placement": (1, 2, 6)}],
    ids=str,
)
def test_no_other_script_changes_lore(given):
    """Lore is only ever made for a prompt, so a script that changes the message itself has nothing to do here."""
    assert texts(run(constant(1, "a"), scripts=(script("/a/", "x", **given),))) == {1: "a"}


@pytest.mark.parametrize(
    ("position", "depth", "gives"),
    [(4, 2, "x"), (4, 3, "a"), (4, None, "a"), (0, 9, "x"), (1, None, "x")],
)
def test_depth_limits_count_where_a_text_stands_at_a_depth(position, depth, gives):
    """An absent depth is 4 (spec world-info §8)."""
    entry = replace(constant(1, "a", position=position), **({} if depth is None else {"depth": depth}))

    assert texts(run(entry, scripts=(script("/a/", "x", most_depth=2),))) == {1: gives}


def test_the_budget_and_recursion_know_the_text_before():
    entries = (
        constant(1, "word " * 50 + "key"),
        Entry(uid=2, keys=("key",), content="Found.", position=0),
        Entry(uid=3, keys=("other",), content="Not found.", position=0),
    )
    found = run(*entries, scripts=(script("/(word )+key/", "other"),))

    assert texts(found) == {1: "other", 2: "Found."}
    assert found.used_tokens == sum(TOOLS.counter.count(text) for text in ("word " * 50 + "key", "Found."))


def test_an_entry_of_which_nothing_is_left_stands_nowhere():
    found = run(constant(1, "<note>hidden</note>"), scripts=(script("/<note>.*?<\\/note>/s", ""),))

    assert texts(found) == {1: ""}
    assert found.placed.unplaced == {"b.1": "empty"}


def test_scripts_see_the_text_with_its_macros_run_and_their_own_macros_run():
    found = run(constant(1, "{{char}} waits."), scripts=(script("/Aria/", "{{user}} and $0"),))

    assert texts(found) == {1: "Mina and Aria waits."}


def test_what_a_macro_gave_is_a_value_to_a_script():
    turn = say("{{setvar::stolen::1}} {{user}}")
    found = run(
        constant(1, "They said: {{lastMessage}}"), scripts=(script("/said: (.*)/", "[$1] {{user}}"),), turn=turn
    )

    assert texts(found) == {1: "They [{{setvar::stolen::1}} {{user}}] Mina"}
    assert found.state.variables == {}


def test_what_a_script_writes_counts_for_the_entries_behind_it_and_for_the_next_turn():
    scripts = (script("/first/", "$0{{setvar::n::7}}"), script("/second/", "{{getvar::n}}"))
    found = run(constant(1, "first", order=2), constant(2, "second", order=1), scripts=scripts)

    assert texts(found) == {1: "first", 2: "7"}
    assert found.state.variables == {"n": "7"}


def test_a_label_of_authority_is_not_part_of_the_text():
    scripts = (script("/^/", "> "), script("/\\[unverified\\]/", "gone"))
    found = run(constant(1, "A rumour.", authority="unverified"), scripts=scripts)

    assert texts(found) == {1: "[unverified] > A rumour."}


def test_reports_name_the_entry():
    found = run(constant(1, "a"), scripts=(script("/(/", "x"),))

    assert [(report.code, report.entry) for report in found.reports] == [("regex_invalid", "b.1")]


def test_draws_of_a_script_are_those_of_the_entry():
    scripts = (script("/a/g", "{{roll::1d1000000}}"),)
    alone = texts(run(constant(1, "a"), scripts=scripts))
    beside = texts(run(constant(0, "aaa"), constant(1, "a"), scripts=scripts))

    assert alone[1] == beside[1]
    assert len({*beside.values()}) == 2


# --- frozen


def weave_all(entries, turns):
    """Weave turns with one memory; each is (scripts, what the user says)."""
    memory, chat, found = DictMemory(), [], []
    for scripts, text in turns:
        chat.append(Message("Mina", text))
        woven = weave(replace(say(), messages=tuple(chat)), lore_of(*entries, scripts=scripts), memory, TOOLS)
        memory.put(woven.nodes)
        found.append(woven)
        chat.append(Message("Aria", "Yes.", "assistant"))
    return [[message.content for message in woven.messages] for woven in found], found


def test_a_placed_text_stays_and_a_constant_one_stands_in_front():
    scripts = (script("/dragon/", "lizard"),)
    entries = (constant(0, "The dragon sleeps."), Entry(uid=1, keys=("egg",), content="A dragon's egg.", position=0))
    sent, woven = weave_all(entries, [(scripts, "An egg!"), (scripts, "And?")])

    assert sent[1] == ["The lizard sleeps.", "A lizard's egg.\n\nAn egg!", "Yes.", "And?"]
    assert not woven[1].moves


def test_a_text_whose_script_can_give_another_one_goes_last():
    scripts = (script("/now/", "{{time}}"),)
    sent, _ = weave_all((constant(0, "It is now."),), [(scripts, "Well?")])

    assert sent[0] == ["Well?\n\nIt is 12:00 AM."]


def test_a_text_that_other_scripts_change_counts_as_edited():
    entries = (constant(0, "The dragon sleeps."), constant(1, "A cave."))
    one, other = (script("/dragon/", "lizard"),), (script("/dragon/", "worm"), script("/nothing/", "!"))
    sent, woven = weave_all(entries, [(one, "Hi"), (other, "And?"), (other, "And then?")])

    assert sent[1][-1].endswith("The worm sleeps.\n\nAnd?")
    assert sent[1][-1].startswith("[This replaces the earlier note that begins")
    assert [text for text in sent[1] if "A cave." in text] == sent[1][:1]
    assert sent[2][: len(sent[1])] == sent[1]
    assert sent[2][-1] == "And then?"
    assert not woven[2].moves


def test_outlets_that_a_script_names_are_filled_and_those_of_a_value_are_not():
    entries = (
        constant(0, "Facts: here."),
        constant(1, "They said {{lastMessage}}"),
        constant(2, "A fact.", position=7, outlet="facts"),
        constant(3, "The secret.", position=7, outlet="secret"),
    )
    scripts = (script("/here/", "{{outlet::facts}}"), script("/said (.*)/", "said: $1"))
    sent, _ = weave_all(entries, [(scripts, "{{outlet::secret}}")])
    whole = "\n".join(sent[0])

    assert "Facts: A fact." in whole
    assert "They said: {{outlet::secret}}" in whole
    assert "The secret." not in whole
