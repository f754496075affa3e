"""What stands says nothing of what closed, and labelled texts never stand without the sentence that explains them."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import NATIVE, ActiveBook, Book, Entry, Message, Settings, State, Turn, assemble, load_lore, make_tools
from lorewright.core.authority import CONSTRAINTS
from lorewright.core.chain import DictMemory
from lorewright.core.gates import Flag, Gate
from lorewright.core.protocols import Rendered
from lorewright.core.weave import weave

TOOLS = make_tools()
GATE = Gate((Flag("open"),))
TELL = replace(
    Entry(uid="tell", keys=("bell",), content="The bell is hollow.", subject="bell", authority="authored"), gate=GATE
)
FINE = Entry(uid="fine", keys=("tower",), content="The bell is whole.", subject="bell", authority="canon")
SHELF = Entry(uid="shelf", keys=("tower",), content="The bell is hollow.", gate=GATE, position=7, outlet="o")
NAMES = Entry(uid="names", keys=("tower",), content="Look: {{outlet::o}}")


class Chat:
    """A chat under frozen placement; `say` gives the request as one text and the causes of what moved."""

    def __init__(self, *entries, policy=NATIVE, context=4000):
        self.entries = entries
        self.policy = policy
        self.context = context
        self.memory = DictMemory()
        self.messages = []

    def say(self, text, **variables):
        lore = load_lore([ActiveBook(Book("b", self.entries))], TOOLS, self.policy)
        self.messages.append(Message("Max", text))
        turn = Turn(messages=tuple(self.messages), variables=variables, context_tokens=self.context)
        woven = weave(turn, lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        self.messages.append(Message("Aria", f"Reply {len(self.messages)}.", "assistant"))
        return "\n".join(message.content for message in woven.messages), [move.cause for move in woven.moves]


@pytest.mark.parametrize(
    ("entries", "first"), [((TELL, FINE), "bell"), ((SHELF, NAMES), "wolf")], ids=["quoted", "inserted"]
)
def test_words_of_an_entry_leave_with_it_wherever_they_stand(entries, first):
    chat = Chat(*entries)
    chat.say(first, open=True)
    sent, _ = chat.say("tower", open=True)
    assert "hollow" in sent

    sent, causes = chat.say("wolf", open=False)

    assert "hollow" not in sent
    assert causes
    assert set(causes) == {"gate_closed"}
    assert "hollow" not in chat.say("tower", open=False)[0]


@pytest.mark.parametrize("change", ["removed", "disabled"])
def test_words_of_an_entry_that_a_person_takes_away_leave_too(change):
    chat = Chat(SHELF, NAMES)
    chat.say("tower", open=True)
    chat.entries = (NAMES,) if change == "removed" else (replace(SHELF, enabled=False), NAMES)

    sent, causes = chat.say("wolf", open=True)

    assert "hollow" not in sent
    assert causes == [f"entry_{change}"]


def test_a_text_that_is_rewritten_still_says_that_it_overrides_the_lower_one():
    rewriting = NATIVE.with_settings(replace(NATIVE.settings, on_edit="rewrite"))
    chat = Chat(replace(TELL, gate=None), FINE, policy=rewriting)
    chat.say("bell")
    chat.say("tower")
    chat.entries = (replace(TELL, gate=None), replace(FINE, content="The bell has a crack."))

    sent, causes = chat.say("tower")

    assert causes == ["rewrite"]
    overrides = "[Where this contradicts the earlier note that begins “[authored] The bell is hollow.”, this holds.]"
    assert f"{overrides}\nThe bell has a crack." in sent
    assert "The bell is whole." not in sent


texts = st.sampled_from(["bell", "tower", "bell tower", "wolf"])


@given(st.lists(st.tuples(texts, st.booleans()), max_size=8))
def test_never_a_word_of_a_closed_entry(steps):
    chat = Chat(TELL, FINE, SHELF, NAMES)
    for text, is_open in steps:
        sent, _ = chat.say(text, open=is_open)
        assert is_open or "hollow" not in sent


LOWER, HIGHER = replace(TELL, gate=None), FINE
OURS = re.compile(r"^\[Where this contradicts .*\n", re.MULTILINE)


@given(st.lists(texts, max_size=8))
def test_of_two_entries_with_one_subject_the_lower_one_is_never_newly_placed(said):
    """What stands keeps its bytes; the higher one says so where it contradicts a lower one that stands."""
    chat, before = Chat(LOWER, HIGHER), ""
    for text in said:
        sent, causes = chat.say(text)
        assert sent.startswith(before)
        assert causes == []
        new = sent[len(before) :]
        plain = OURS.sub("", new)
        assert not ("hollow" in plain and "whole" in sent)
        if "whole" in plain:
            assert bool(OURS.search(new)) == ("hollow" in before)
        before = sent


# --- the sentence about authority


def notes(count):
    return [
        Entry(uid=f"n{n}", keys=(f"word{n}",), content=f"Note {n}. " + "It is long. " * 30, authority="unverified")
        for n in range(count)
    ]


@given(st.lists(st.integers(0, 5), max_size=12))
def test_where_labelled_texts_stand_the_sentence_stands(words):
    chat = Chat(*notes(6), context=1200)
    for word in words:
        sent, _ = chat.say(f"word{word}")
        assert sent.count(CONSTRAINTS[0]) == ("[unverified]" in sent)


def test_the_sentence_comes_again_when_the_text_before_which_it_stood_left():
    chat = Chat(*notes(6), context=1200)
    word, sent, causes = 0, "", []
    while "standing_budget" not in causes:
        word = len(chat.messages) // 2
        sent, causes = chat.say(f"word{word}")

    assert word < 6
    assert "Note 0." not in sent
    assert f"Note {word}." in sent
    assert sent.count(CONSTRAINTS[0]) == 1
    again, _ = chat.say("wolf")
    assert again.startswith(sent)


def test_the_sentence_counts_in_the_budget():
    note = Entry(uid="n", keys=("word0",), content="A note.", authority="unverified")
    count = TOOLS.counter.count
    text = "[unverified] A note."

    def run(policy):
        lore = load_lore([ActiveBook(Book("b", (note,)))], TOOLS, policy)
        return assemble(Turn(messages=(Message("Max", "word0"),)), lore, State(), TOOLS)

    needed = count(f"{CONSTRAINTS[0]}\n") + count(text)
    assert run(NATIVE).used_tokens == needed
    for cap, active in ((needed, 1), (needed - 1, 0)):
        assert len(run(NATIVE.with_settings(Settings(budget_cap_tokens=cap))).activated) == active


def test_the_sentence_is_given_back_with_the_last_labelled_text():
    low = Entry(uid="low", keys=("tower",), content="The bell is hollow.", subject="bell", authority="unverified")
    call = Entry(uid="call", keys=("tower",), content="Go to the quay.", authority="canon")
    high = Entry(uid="high", keys=("quay",), content="The bell is whole.", subject="bell", authority="canon")
    lore = load_lore([ActiveBook(Book("b", (low, call, high)))], TOOLS, NATIVE.with_settings(Settings(recursive=True)))

    found = assemble(Turn(messages=(Message("Max", "tower"),)), lore, State(), TOOLS)

    assert {item.entry.entry.uid for item in found.activated} == {"call", "high"}
    assert found.used_tokens == TOOLS.counter.count("Go to the quay.") + TOOLS.counter.count("The bell is whole.")


def test_a_text_of_one_turn_has_the_sentence_when_the_only_record_with_it_leaves():
    class Now:
        def is_template(self, text):
            return "{{now}}" in text

        def render(self, text, context):
            return Rendered(text.replace("{{now}}", "noon"), volatile="{{now}}" in text)

    tools = replace(TOOLS, renderer=Now())
    now = Entry(
        uid="now", constant=True, content="It is {{now}}.", authority="unverified", position=4, ignore_budget=True
    )
    lore = load_lore([ActiveBook(Book("b", (*notes(1), now)))], tools, NATIVE)
    memory, messages, sent = DictMemory(), [], ""
    for text, context in (("word0", 4000), ("wolf", 200)):
        messages.append(Message("Max", text))
        woven = weave(Turn(messages=tuple(messages), context_tokens=context), lore, memory, tools)
        memory.put(woven.nodes)
        sent = "\n".join(message.content for message in woven.messages)
        assert sent.count(CONSTRAINTS[0]) == 1
        messages.append(Message("Aria", "Yes.", "assistant"))

    assert "Note 0." not in sent
    assert "[unverified] It is noon." in sent
