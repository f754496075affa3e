"""What must hold for every lorebook of RisuAI and every chat, with its defects and without."""

from dataclasses import replace
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from lorewright import ActiveBook, Message, State, Turn, assemble, load_lore, make_tools
from lorewright.core.passes import Passes
from lorewright.core.policy import RISU, RowRules
from lorewright.formats.risu_lorebook import read_risu_lorebook
from lorewright.testing.strategies import DECORATORS

TOOLS = make_tools()
WORDS = ("cat", "dog", "Cat dog", "/cat", "猫", "İ", "{{// cat}}", "a", " ", "\n")
texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
contents = st.tuples(st.lists(st.sampled_from(DECORATORS), max_size=3), texts).map(lambda p: "\n".join([*p[0], p[1]]))
rows = st.fixed_dictionaries(
    {
        "key": st.sampled_from(("", "cat", "dog,cat", "c a t", ",", "/cat/i", "/i/i", "/(/i", "/cat/", "猫", "İ")),
        "content": contents,
        "comment": st.sampled_from(("", "a", "b")),
        "mode": st.sampled_from(("normal", "normal", "child", "folder")),
        "insertorder": st.sampled_from((100, 50, 200, -1)),
        "alwaysActive": st.sampled_from((False, False, True)),
        "selective": st.booleans(),
        "secondkey": st.sampled_from(("", "dog", " ,")),
        "useRegex": st.booleans(),
    },
    optional={"id": st.sampled_from(("p", "q"))},
)
books = st.lists(rows, max_size=6)
chats = st.lists(texts, max_size=5)
policies = st.builds(
    lambda flags, recursive: replace(
        RISU, rows=RowRules(**flags), settings=replace(RISU.settings, recursive=recursive, budget_cap_tokens=0)
    ),
    st.fixed_dictionaries({name: st.booleans() for name in RowRules.__slots__}),
    st.booleans(),
)


def play(given_rows, chat, policy, tokens=12, state=None):
    book = read_risu_lorebook({"data": given_rows}, name="b").value
    messages = tuple(Message("", text, "user" if number % 2 else "assistant") for number, text in enumerate(chat))
    turn = Turn(messages=messages, context_tokens=tokens)
    return assemble(turn, load_lore([ActiveBook(book)], TOOLS, policy), state or State(), TOOLS)


@given(books, chats, policies, st.integers(0, 30))
def test_the_budget_holds(given_rows, chat, policy, tokens):
    assembly = play(given_rows, chat, policy, tokens)

    assert assembly.used_tokens <= assembly.limit_tokens or not assembly.activated
    assert assembly.limit_tokens <= tokens


@given(books, chats, policies)
def test_every_row_has_a_reason_and_every_match_a_place(given_rows, chat, policy):
    assembly = play(given_rows, chat, policy)
    failed = any(report.code == "position_without_place" for report in assembly.reports)

    for verdict in assembly.trace.all():
        assert verdict.reason.sentence
        assert verdict.reason.activates is verdict.active
        assert verdict.reason.code != "no_loop" or failed
        if verdict.reason.code == "key_matched" and not policy.rows.regex_keeps_slash:
            assert verdict.match is not None


@given(books, chats, policies)
def test_every_active_row_stands_somewhere_or_says_why_not(given_rows, chat, policy):
    assembly = play(given_rows, chat, policy)
    placed = [text.entry for text in assembly.placed.in_reading_order()]

    assert len(placed) == len(set(placed))
    assert {item.entry.id for item in assembly.activated} == {*placed, *assembly.placed.unplaced}


@given(books, chats, policies)
def test_the_same_input_gives_the_same_output(given_rows, chat, policy):
    one, other = play(given_rows, chat, policy), play(given_rows, chat, policy)

    assert [(item.entry.id, item.text) for item in one.activated] == [
        (item.entry.id, item.text) for item in other.activated
    ]
    assert one.placed == other.placed
    assert one.state == other.state


@given(books, chats, policies)
def test_only_memories_are_written(given_rows, chat, policy):
    state = State(variables={"x": 1})
    after = play(given_rows, chat, policy, state=state).state

    assert after == replace(state, variables=after.variables)
    assert after.variables["x"] == 1
    assert all(name.startswith("__internal_") for name in after.variables if name != "x")


@given(books, chats, policies)
def test_what_is_not_looked_at_again_would_not_have_come_in(given_rows, chat, policy):
    quick = play(given_rows, chat, policy)
    with patch.object(Passes, "still_waits", return_value=False):
        slow = play(given_rows, chat, policy)

    assert [item.entry.id for item in slow.activated] == [item.entry.id for item in quick.activated]
    assert [loop.added for loop in slow.trace.activation.loops] == [loop.added for loop in quick.trace.activation.loops]
    assert [hit.written for hit in _hits(slow)] == [hit.written for hit in _hits(quick)]


def _hits(assembly):
    rows = assembly.trace.activation.rows
    return rows.hits if rows else ()
