"""A preset that stands (ADR 0035): each rule with the messages written out."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, Entry, Settings
from lorewright.core.gates import Flag, Gate
from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Prompt
from lorewright.core.layout.scene import Card, Group, Injection, Note, Persona, Scene
from tests.core.planned import ARIA, Talk, preset, prompt

ORDER = ("main", "charDescription", "chatHistory")
PLAIN = preset(prompt("main", "Write."), order=ORDER)


# -- before the chat ---------------------------------------------------------------------------------------------------


def test_a_clock_in_the_main_prompt_stands_and_is_renewed_behind_the_chat():
    talk = Talk(preset(prompt("main", "It is {{time}}."), order=ORDER))

    assert talk.say("Hi.", clock_ms=0) == ["It is 12:00 AM.", "Aria is a pilot.", "Hi."]
    assert talk.say("So?", clock_ms=60_000) == [
        *("It is 12:00 AM.", "Aria is a pilot.", "Hi.", "Reply 1.", "So?"),
        "[This replaces the earlier note that begins “It is 12:00 AM.”.]\nIt is 12:01 AM.",
    ]
    assert talk.places == ["stands_since", "in_order", "in_history", "in_history", "in_history", "renewed"]
    assert talk.moves == []


def test_what_is_the_same_again_needs_no_renewal():
    talk = Talk(preset(prompt("main", "Mood: {{getvar::mood}}."), order=("main", "chatHistory")))
    talk.say("Hi.", variables={"mood": "calm"})
    talk.say("So?", variables={"mood": "wild"})

    assert talk.say("Well.", variables={"mood": "calm"}) == [
        *("Mood: calm.", "Hi.", "Reply 1.", "So?", "Reply 3.", "Well."),
    ]


def test_a_text_that_is_empty_now_holds_no_longer():
    talk = Talk(preset(prompt("main", "{{getvar::mood}}"), order=("main", "chatHistory")))
    talk.say("Hi.", variables={"mood": "calm"})

    assert talk.say("So?", variables={"mood": ""})[0] == "calm"
    assert talk.sent[-1] == "[The earlier note that begins “calm” does not hold any longer.]"


def test_a_text_that_was_empty_stands_behind_the_chat():
    talk = Talk(preset(prompt("main", "Write."), prompt("mood", "{{getvar::mood}}"), order=("main", "mood", "chatHistory")))  # fmt: skip
    talk.say("Hi.")

    assert talk.say("So?", variables={"mood": "calm"}) == ["Write.", "Hi.", "Reply 1.", "So?", "calm"]


def test_the_line_that_opens_the_chat_stands_too():
    talk = Talk(preset(prompt("main", "Write."), order=("main", "chatHistory"), new_chat="At {{time}}:"))
    talk.say("Hi.", clock_ms=0)

    assert talk.say("So?", clock_ms=60_000) == [
        *("Write.", "At 12:00 AM:", "Hi.", "Reply 1.", "So?"),
        "[This replaces the earlier note that begins “At 12:00 AM:”.]\nAt 12:01 AM:",
    ]


def test_examples_stand_where_their_marker_has_a_depth_too():
    """A depth means nothing to them: they stand where the order has them, and stay the first speaker's."""
    aria, bo = (replace(ARIA, name=name, examples=f"{name}: Hello from {name}.") for name in ("Aria", "Bo"))
    group = Group(members=(aria, bo))
    one = preset(Prompt(id="dialogueExamples", in_chat=True, depth=2), order=("dialogueExamples", "chatHistory"))
    talk = Talk(one, scene=Scene(card=aria, group=group))

    assert talk.say("One.") == ["Aria: Hello from Aria.", "One."]
    talk.change(card=bo)
    assert talk.say("Two.")[0] == "Aria: Hello from Aria."
    assert talk.moves == []


def test_in_a_group_with_changing_cards_the_first_speakers_card_stands():
    bo = Card(name="Bo", description="Bo is a smith.")
    talk = Talk(PLAIN, scene=Scene(card=ARIA, group=Group(members=(ARIA, bo))))
    talk.say("Hi.")
    talk.change(card=bo)

    assert talk.say("So?") == [
        *("Write.", "Aria is a pilot.", "Hi.", "Aria: Reply 1.", "So?"),
        "[This replaces the earlier note that begins “Aria is a pilot.”.]\nBo is a smith.",
    ]
    assert talk.moves == []


# -- what comes and goes -----------------------------------------------------------------------------------------------


def test_a_prompt_for_some_replies_stands_behind_the_chat_in_these():
    quiet = prompt("quiet", "Sum it up.", triggers=("quiet",))
    talk = Talk(preset(prompt("main", "Write."), quiet, order=("quiet", "main", "chatHistory", "last")))

    assert talk.say("Hi.", trigger="quiet") == ["Write.", "Hi.", "Sum it up."]
    assert talk.places == ["in_order", "in_history", "of_this_turn"]
    assert talk.say("So?") == ["Write.", "Hi.", "Reply 1.", "So?"]
    assert talk.reason("prompt", "quiet").code == "for_other_replies"


def test_example_dialogues_for_some_replies_stand_behind_the_chat_in_these():
    marker = prompt("dialogueExamples", "", triggers=("quiet",))
    order = ("main", "dialogueExamples", "chatHistory")
    card = replace(ARIA, examples="<START>\nAria: Clear skies.")
    talk = Talk(preset(prompt("main", "Write."), marker, order=order), scene=Scene(card=card))

    assert talk.say("Hi.") == ["Write.", "Hi."]
    assert talk.say("So?", trigger="quiet") == ["Write.", "Hi.", "Reply 1.", "So?", "Clear skies."]
    assert talk.say("Well.") == ["Write.", "Hi.", "Reply 1.", "So?", "Reply 3.", "Well."]
    assert talk.moves == []


def test_texts_at_a_depth_stand_behind_the_newest_message():
    deep = prompt("deep", "Deep.", in_chat=True, depth=4)
    near = prompt("near", "Near.", in_chat=True, depth=1)
    top = prompt("top", "Top.", in_chat=True, depth=100)
    order = ("main", "near", "top", "deep", "chatHistory", "last")
    talk = Talk(preset(prompt("main", "Write."), deep, near, top, prompt("last", "Last."), order=order))
    talk.say("Hi.")

    assert talk.say("So?") == ["Write.", "Top.", "Hi.", "Reply 1.", "So?", "Deep.", "Near.", "Last."]
    assert talk.places[-3:] == ["behind_chat", "behind_chat", "in_order"]
    assert talk.lasting == ["Write.", "Top.", "Hi.", "Reply 1.", "So?"]


def test_a_note_with_an_interval_is_there_in_its_turns_only():
    talk = Talk(PLAIN, scene=Scene(card=ARIA, note=Note(text="Mind the rain.", interval=2)))

    assert talk.say("Hi.") == ["Write.", "Aria is a pilot.", "Hi."]
    assert talk.say("So?")[-2:] == ["So?", "Mind the rain."]
    assert talk.say("Well.")[-1] == "Well."
    assert talk.moves == []


def test_a_text_beside_the_main_prompt_leaves_it_alone():
    talk = Talk(PLAIN)
    talk.say("Hi.")
    talk.change(injections=(Injection(key="1_memory", text="They met.", position="start"),))

    assert talk.say("So?") == ["Write.", "Aria is a pilot.", "Hi.", "Reply 1.", "So?", "They met."]


def test_what_is_behind_the_chat_stays_there():
    talk = Talk(preset(prompt("main", "Write."), prompt("last", "At {{time}}."), order=("main", "chatHistory", "last")))
    talk.say("Hi.", clock_ms=0)

    assert talk.say("So?", clock_ms=60_000) == ["Write.", "Hi.", "Reply 1.", "So?", "At 12:01 AM."]


# -- lore --------------------------------------------------------------------------------------------------------------

LORE_ORDER = ("main", "worldInfoBefore", "worldInfoAfter", "chatHistory")
LORE = preset(prompt("main", "Write."), order=LORE_ORDER)
HARBOUR = Entry(uid="harbour", constant=True, content="The harbour is old.", position=0)
CRANE = Entry(uid="crane", keys=("crane",), content="The crane creaks.", position=0)


def test_constant_lore_has_its_place_before_the_chat_and_other_lore_its_message():
    talk = Talk(LORE, HARBOUR, CRANE)

    assert talk.say("The crane?") == ["Write.", "The harbour is old.", "The crane creaks.\n\nThe crane?"]
    assert talk.say("So?") == [
        *("Write.", "The harbour is old.", "The crane creaks.\n\nThe crane?", "Reply 1.", "So?"),
    ]
    assert talk.moves == []


def test_without_a_place_for_it_constant_lore_stands_at_the_first_message():
    talk = Talk(PLAIN, HARBOUR)

    assert talk.say("Hi.") == ["Write.", "Aria is a pilot.", "The harbour is old.\n\nHi."]
    assert talk.say("So?")[2:] == ["The harbour is old.\n\nHi.", "Reply 1.", "So?"]


def test_lore_of_one_turn_stands_behind_the_chat():
    talk = Talk(LORE, Entry(uid="clock", constant=True, content="The clock says {{time}}."))

    assert talk.say("Hi.", clock_ms=0) == ["Write.", "Hi.", "The clock says 12:00 AM."]
    assert talk.say("So?", clock_ms=60_000) == ["Write.", "Hi.", "Reply 1.", "So?", "The clock says 12:01 AM."]


def test_lore_that_comes_before_the_user_says_anything_is_of_that_turn():
    talk = Talk(LORE, HARBOUR, replace(CRANE, keys=("welcome",)))
    talk.reply("Welcome to the harbour.")

    assert talk.send() == ["Write.", "Welcome to the harbour.", "The crane creaks.\n\nThe harbour is old."]
    assert talk.woven.waiting == ()
    assert talk.say("So?") == ["Write.", "Welcome to the harbour.", "The crane creaks.\n\nThe harbour is old.\n\nSo?"]
    assert talk.send() == talk.say("Well.")[:3]
    assert talk.moves == []


def test_lore_that_is_gone_leaves_its_place_before_the_chat_and_says_so():
    talk = Talk(LORE, HARBOUR, CRANE)
    talk.say("The crane?")
    talk.use(CRANE)

    assert talk.say("So?") == ["Write.", "The crane creaks.\n\nThe crane?", "Reply 1.", "So?"]
    assert talk.moves == ["entry_removed"]


def test_a_gate_that_closes_takes_a_text_before_the_chat_away():
    secret = replace(HARBOUR, uid="secret", content="The harbour is a trap.", gate=Gate((Flag("known"),)))
    talk = Talk(LORE, HARBOUR, secret)

    assert talk.say("Hi.", variables={"known": True})[1] == "The harbour is a trap.\nThe harbour is old."
    assert talk.say("So?", variables={"known": False}) == ["Write.", "The harbour is old.", "Hi.", "Reply 1.", "So?"]
    assert talk.moves == ["gate_closed"]
    assert talk.say("Well.", variables={"known": True})[-1] == "The harbour is a trap.\n\nWell."


def test_an_edited_text_follows_at_the_newest_message_or_is_rewritten():
    edited = replace(HARBOUR, content="The harbour is new.")
    append = Talk(LORE, HARBOUR)
    rewrite = Talk(LORE, HARBOUR, policy=replace(NATIVE, settings=Settings(on_edit="rewrite")))
    for talk in (append, rewrite):
        talk.say("Hi.")
        talk.use(edited)
        talk.say("So?")

    note = "[This replaces the earlier note that begins “The harbour is old.”.]"
    assert append.sent == ["Write.", "The harbour is old.", "Hi.", "Reply 1.", f"{note}\nThe harbour is new.\n\nSo?"]
    assert append.moves == []
    assert rewrite.sent == ["Write.", "The harbour is new.", "Hi.", "Reply 1.", "So?"]
    assert rewrite.moves == ["rewrite"]


SHELF = Entry(uid="shelf", constant=True, content="Old maps.", position=7, outlet="shelf")


def test_lore_in_a_prompt_by_an_outlet_is_not_kept_with_it():
    talk = Talk(preset(prompt("main", "Known: {{outlet::shelf}}"), order=("main", "chatHistory")), SHELF)
    talk.say("Hi.")
    [kept] = talk.woven.laid.kept

    assert talk.sent == ["Known: Old maps.", "Hi."]
    assert (kept.slot, kept.parts) == ("main", ())
    assert talk.say("So?") == ["Known: Old maps.", "Hi.", "Reply 1.", "So?"]
    assert talk.moves == []
    talk.use()
    assert talk.say("Well.") == ["Known: ", "Hi.", "Reply 1.", "So?", "Reply 3.", "Well."]
    assert talk.moves == ["entry_removed", "preset_text"]


# -- another conversation or preset ------------------------------------------------------------------------------------


def test_another_preset_lays_everything_before_the_chat_anew():
    talk = Talk(PLAIN)
    talk.say("Hi.")
    talk.lay(preset(prompt("main", "Write well."), order=ORDER))

    assert talk.say("So?") == ["Write well.", "Aria is a pilot.", "Hi.", "Reply 1.", "So?"]
    assert talk.moves == ["preset_edit"]
    assert talk.say("Well.")[0] == "Write well."
    assert talk.moves == []


def test_what_comes_and_goes_is_no_other_preset():
    bo = Card(name="Bo", description="Bo is a smith.")
    group = Group(members=(ARIA, bo))
    plan = Plan(preset=PLAIN, scene=Scene(card=ARIA, group=group))
    scenes = (
        replace(plan.scene, card=bo, trigger="quiet", quiet_prompt="Now."),
        replace(plan.scene, note=Note(text="Mind."), injections=(Injection(key="a", text="A."),)),
        replace(plan.scene, group=replace(group, muted=frozenset({"Bo"}))),
    )
    others = (
        replace(plan, preset=replace(PLAIN, squash=True)),
        replace(plan, scene=replace(plan.scene, group=replace(group, members=(bo, ARIA)))),
        replace(plan, scene=replace(plan.scene, persona=Persona(text="Max."))),
    )

    assert {replace(plan, scene=scene).identity for scene in scenes} == {plan.identity}
    assert len({plan.identity, *(other.identity for other in others)}) == 4


def test_another_conversation_begins_with_what_is_true_then():
    talk = Talk(preset(prompt("main", "It is {{time}}."), order=("main", "chatHistory")))
    talk.say("Hi.", clock_ms=0)
    talk.said.clear()

    assert talk.say("Hello.", clock_ms=60_000) == ["It is 12:01 AM.", "Hello."]


# -- types of reply ----------------------------------------------------------------------------------------------------


def test_a_message_that_is_continued_leaves_the_chat():
    talk = Talk(preset(prompt("main", "Write."), order=("main", "chatHistory"), continue_nudge="Go on."))
    talk.say("Hi.")
    talk.reply("Once")
    talk.send()

    assert talk.send(trigger="continue") == ["Write.", "Hi.", "Once", "Go on."]
    assert talk.moves == ["reply_type"]
    assert [message.passes for message in talk.woven.messages] == [False, False, True, True]


@pytest.mark.parametrize("trigger", ["swipe", "regenerate"])
def test_a_reply_that_is_made_anew_is_not_sent(trigger):
    talk = Talk(preset(prompt("main", "Write."), order=("main", "chatHistory")))
    before = talk.say("Hi.")
    talk.reply("Once")

    assert talk.send(trigger=trigger) == before
    assert talk.moves == []


def test_without_a_place_for_the_chat_nothing_of_it_is_promised():
    talk = Talk(preset(prompt("main", "Write."), order=("main",)))

    assert talk.say("Hi.") == ["Write."]
    assert talk.lasting == []
