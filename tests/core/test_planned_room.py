"""What leaves a prompt that stands when the context is full, and what does not."""

from dataclasses import replace

from lorewright.core.layout.scene import Preferences, Scene
from tests.core.planned import ARIA, Talk, preset, prompt

ORDER = ("main", "charDescription", "chatHistory")
PLAIN = preset(prompt("main", "Write."), order=ORDER)

EXAMPLES = replace(ARIA, examples="<START>\nAria: One two three four.")
FULL_ORDER = ("main", "dialogueExamples", "chatHistory")


def full(tokens, **fields):
    """`Write.` is one word, the example four; what is said is five words each."""
    scene = Scene(card=EXAMPLES, preferences=Preferences(**fields))
    return Talk(preset(prompt("main", "Write."), order=FULL_ORDER, tokens=tokens), scene=scene)


def go_on(talk, number):
    if talk.said:
        talk.reply(f"Answer {number} is this long.")
    return talk.say(f"Question {number} is this long?")


def test_first_the_examples_leave():
    talk = full(19)  # main 1, example 4, two messages 10
    first = go_on(talk, 0)

    assert first == ["Write.", "One two three four.", "Question 0 is this long?"]
    assert go_on(talk, 1) == [  # 1 + 15, and 4 more would be too many
        *("Write.", "Question 0 is this long?", "Answer 1 is this long.", "Question 1 is this long?"),
    ]
    assert talk.moves == ["context_full"]
    assert talk.reason("card", "Aria.examples").code == "left_for_room"


def test_then_messages_leave_down_to_seven_tenths_and_not_again_in_the_next_turns():
    """A room of 61 words: one for main, five for the newest message, so 55 are left for older ones."""
    talk = full(61)
    for number in range(6):
        go_on(talk, number)

    assert talk.sent == ["Write.", "One two three four.", *[message.text for message in talk.said]]  # 60 words
    go_on(talk, 6)  # the older messages are 60 words; of them 7 are 35 words and 8 are 40, more than 0.7 * 55 = 38.5
    assert talk.sent == ["Write.", *[message.text for message in talk.said[-8:]]]
    assert talk.moves == ["context_full"]
    assert talk.reason("message", "0").code == "left_for_room"
    for number in (7, 8):
        before = talk.sent
        go_on(talk, number)
        assert talk.sent[: len(before)] == before
        assert talk.moves == []


def test_a_talk_that_begins_with_too_many_messages_begins_without_examples():
    """A room of 40 words: main, the newest message, and of the 34 that are left at most 23.8 for older messages."""
    talk = full(40)
    for number in range(4):
        talk.reply(f"Answer {number} is this long.")
        talk.reply(f"Answer {number} is longer now.")

    assert go_on(talk, 4) == ["Write.", *[message.text for message in talk.said[-5:]]]
    before = talk.sent
    assert go_on(talk, 5)[: len(before)] == before
    assert talk.moves == []


def test_pinned_examples_stay():
    talk = full(19, pin_examples=True)
    go_on(talk, 0)

    assert go_on(talk, 1) == [  # nine words are left for older messages, and 0.7 * 9 = 6.3
        *("Write.", "One two three four.", "Answer 1 is this long.", "Question 1 is this long?"),
    ]
    assert talk.moves == ["context_full"]


def test_an_earlier_branch_has_all_its_messages():
    talk = full(61)
    for number in range(6):
        go_on(talk, number)
    before, said = talk.sent, list(talk.said)
    go_on(talk, 6)
    talk.said = said

    assert talk.send() == before


def test_a_newest_message_that_does_not_fit_is_named_when_it_was_there_before():
    talk = full(10)
    go_on(talk, 0)
    talk.change(quiet_prompt="Now sum up all of this in one line.")

    assert talk.send() == ["Write.", "Now sum up all of this in one line."]
    assert talk.moves == ["context_full"]


def test_another_preset_has_room_for_what_had_left():
    talk = full(61)
    for number in range(7):
        go_on(talk, number)
    talk.lay(replace(talk.plan.preset, limits=replace(talk.plan.preset.limits, context_tokens=500)))
    go_on(talk, 7)

    assert talk.sent == ["Write.", "One two three four.", *[message.text for message in talk.said]]
    assert talk.moves == ["preset_edit"]
    before = talk.sent
    go_on(talk, 8)
    assert talk.sent[: len(before)] == before
