"""A draw depends on the entry, its salt, the session and the turn, and on nothing else."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright import ActiveBook, Book, DictMemory, Entry, Message, State, Turn, assemble, load_lore, make_tools, weave
from lorewright.core.model import ABSENT
from lorewright.testing import strategies as our

TOOLS = make_tools()
IDENTITY = "main.e"
entries = st.builds(
    Entry,
    uid=st.just("e"),
    constant=st.just(True),
    content=st.sampled_from(("It rains.", "{{random::a::b}}", "A wolf.")),
    probability=st.integers(20, 80),
    position=st.integers(0, 6),
    ignore_budget=st.just(True),
    seed_salt=st.sampled_from((ABSENT, "", "salt")),
)


def lore_with(entry, others):
    return load_lore([ActiveBook(others), ActiveBook(Book("main", (entry,)))], TOOLS)


def is_active(assembly):
    return IDENTITY in [item.entry.id for item in assembly.activated]


@given(
    entries, our.books("other"), our.books("other"), our.turns(), our.turns(), st.text(max_size=3), st.integers(0, 99)
)
def test_the_same_entry_session_and_turn_decide_alike_whatever_else_there_is(
    entry, one, other, this, that, session, number
):
    found = [
        assemble(replace(turn, session=session, number=number), lore_with(entry, others), State(), TOOLS)
        for others, turn in ((one, this), (other, that))
    ]

    assert is_active(found[0]) == is_active(found[1])


@given(entries, our.books("other"), our.turns(3), st.lists(st.sampled_from(("go", "wolf")), max_size=4))
def test_a_turn_of_a_chat_decides_as_the_same_turn_by_itself(entry, others, turn, said):
    """Under frozen placement, too: what is remembered gives the session and the number, and nothing besides."""
    lore, memory = lore_with(entry, others), DictMemory()
    messages: tuple[Message, ...] = ()
    for text in ("go", *said):
        messages += (Message("Max", text),)
        woven = weave(replace(turn, messages=messages, session="s"), lore, memory, TOOLS)
        memory.put(woven.nodes)
        alone = replace(turn, messages=messages[-1:], session="s", number=woven.turn.number)

        assert is_active(woven.assembly) == is_active(
            assemble(alone, lore_with(entry, Book("other", ())), State(), TOOLS)
        )
        messages += (Message("Aria", "Yes.", "assistant"),)


@given(entries, st.text(max_size=3), st.integers(0, 99))
def test_another_text_of_an_entry_draws_alike(entry, session, number):
    turn = Turn(messages=(Message("Max", "go"),), session=session, number=number)
    edited = replace(entry, content="Edited.", keys=("anything",), position=4)
    found = [assemble(turn, lore_with(one, Book("other", ())), State(), TOOLS) for one in (entry, edited)]

    assert is_active(found[0]) == is_active(found[1])
