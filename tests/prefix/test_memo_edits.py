"""A chat that is changed anywhere, and laid out by tools that remember it: what tools that remember nothing make of it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, Message, load_lore
from lorewright.core.chain import DictMemory
from lorewright.core.layout.filling import LONG
from lorewright.core.memo import ANEW
from lorewright.core.model import Character, Turn
from lorewright.core.weave import weave
from lorewright.templates.prompts import SillyTavernPrompts
from tests.prefix.entries import WORDS
from tests.prefix.test_presets import BOOK, TOOLS, plans

ROLES = ("user", "assistant", "user", "assistant", "system")
LENGTH = 2 * LONG
texts = st.builds(
    "{} {}{}".format,
    st.sampled_from(WORDS),
    st.integers(0, 9),
    st.sampled_from(("", "", "", " {{user}}", " {{random::a::b}}", "\r\n<b>")),
) | st.just("")
messages = st.builds(
    lambda text, role, hidden: Message("Max" if role == "user" else "Aria", text, role, hidden=hidden),
    texts,
    st.sampled_from(ROLES),
    st.sampled_from((False, False, False, False, True)),
)
edits = st.tuples(
    st.sampled_from(("add", "add", "insert", "delete", "edit", "swipe", "cut", "plan", "mood", "trigger", "nothing")),
    st.integers(0, 3 * LENGTH),
    messages,
)


def changed(chat, what, at, message):
    """The chat after an edit."""
    at %= len(chat)
    if what == "add":
        return (*chat, message)
    if what == "insert":
        return (*chat[:at], message, *chat[at:])
    if what == "edit":
        return (*chat[:at], message, *chat[at + 1 :])
    if what == "swipe":
        return (*chat[:-1], message)
    if what == "delete" and len(chat) > 1:
        return (*chat[:at], *chat[at + 1 :])
    return chat[-LONG - 1 :] if what == "cut" else chat


def assert_same(policy, plans, chat, edits):
    """Every turn with tools that were there in all turns before, and with new ones."""
    lore = load_lore([ActiveBook(BOOK)], TOOLS, policy)
    warm, cold, chosen, mood, trigger = DictMemory(), DictMemory(), 0, "salt", "normal"
    for number, (what, at, message) in enumerate(edits):
        chat = changed(chat, what, at, message)
        chosen = at if what == "plan" else chosen
        mood = WORDS[at % len(WORDS)] if what == "mood" else mood
        trigger = ("normal", "continue", "swipe", "regenerate")[at % 4] if what == "trigger" else trigger
        turn = Turn(
            messages=chat,
            user="Max",
            character=Character(name="Aria"),
            trigger=trigger,
            context_tokens=4000,
            variables={"mood": mood},
            clock_ms=number * 60_000,
            plan=plans[chosen % len(plans)],
        )
        ours = weave(turn, lore, warm, TOOLS)
        right = weave(turn, lore, cold, replace(TOOLS, memo=ANEW, prompts=SillyTavernPrompts()))
        warm.put(ours.nodes)
        cold.put(right.nodes)

        assert ours.messages == right.messages
        assert ours.laid == right.laid
        assert (ours.nodes, ours.moves, ours.variables) == (right.nodes, right.moves, right.variables)


chats = st.lists(messages, min_size=LENGTH, max_size=LENGTH).map(tuple)
some_plans = st.lists(plans, min_size=1, max_size=3)
some_edits = st.lists(edits, min_size=1, max_size=12)


@given(some_plans, chats, some_edits)
def test_where_the_prompt_stands(plans, chat, edits):
    assert_same(NATIVE, plans, chat, edits)


@given(some_plans, chats, some_edits)
def test_where_it_is_laid_out_anew(plans, chat, edits):
    assert_same(SILLYTAVERN, plans, chat, edits)
