"""Closed entries are as if they were not loaded, and no renderer sees them."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright import ActiveBook, State, assemble, load_lore, make_tools
from lorewright.core.gates import Flag, Gate
from lorewright.core.model import ABSENT, Book, Character, Folder, Odd
from lorewright.core.policy import PROFILES
from lorewright.core.protocols import Rendered
from lorewright.testing import strategies as our
from tests.properties.test_engine import everything

TOOLS = {"fast": make_tools(engine="fast"), "core": make_tools(engine="core")}
MET, OTHER = Gate((Flag("met"),)), Gate((Flag("other"),))
gates = st.sampled_from((ABSENT, ABSENT, None, MET, OTHER, Gate((Flag("met"), Flag("other"))), Odd("later")))
folders = st.sampled_from((ABSENT, ABSENT, "hidden", "open"))


@st.composite
def gated_books(draw, name="main"):
    book = draw(our.marked_books(name))
    entries = tuple(replace(entry, gate=draw(gates), folder=draw(folders)) for entry in book.entries)
    return Book(
        name,
        entries,
        gate=draw(st.sampled_from((ABSENT, ABSENT, ABSENT, MET))),
        folders=(Folder("hidden", draw(gates)), Folder("open")),
    )


def opens(gate, variables):
    """An oracle for the gates of these tests."""
    return gate in (ABSENT, None) or (
        not isinstance(gate, Odd) and all(variables.get(one.name) is True for one in gate.conditions)
    )


def is_closed(entry, book, variables):
    folder = next((folder.gate for folder in book.folders if folder.name == entry.folder), ABSENT)
    return not all(opens(gate, variables) for gate in (book.gate, entry.gate, folder))


def without_closed(book, variables):
    return replace(book, entries=tuple(one for one in book.entries if not is_closed(one, book, variables)))


def shown(assembly):
    """All that an assembly says of what is not closed. The rank of a section counts the entries of its file, and only
    serves to order; the sections stand in that order."""
    found = everything(assembly)
    sections = tuple(one._replace(key=(one.key[0], 0, one.key[2])) for one in found["placed"].sections)
    found["placed"] = replace(found["placed"], sections=sections)
    found["verdicts"] = [verdict for verdict in found["verdicts"] if verdict.reason.code != "closed"]
    return found


variables = st.fixed_dictionaries({}, optional={"met": st.booleans(), "other": st.sampled_from((True, "true", 1))})


@given(
    st.lists(gated_books("a"), min_size=1, max_size=1),
    st.sampled_from(("global", "character", "chat")),
    st.lists(st.tuples(our.turns(), variables), min_size=1, max_size=3),
    st.sampled_from(sorted(PROFILES)),
    our.settings(),
    st.sampled_from(("fast", "core")),
)
def test_assembling_with_closed_entries_is_assembling_without_them(shelf, source, chat, profile, settings, engine):
    policy, tools = PROFILES[profile].with_settings(settings), TOOLS[engine]
    lore = load_lore([ActiveBook(book, source) for book in shelf], tools, policy)
    state, messages = State(), ()
    for turn, known in chat:
        messages += turn.messages
        now = replace(turn, messages=messages, variables=known)
        bare = load_lore([ActiveBook(without_closed(book, known), source) for book in shelf], tools, policy)

        with_closed, without = assemble(now, lore, state, tools), assemble(now, bare, state, tools)

        assert shown(with_closed) == shown(without)
        hidden = {f"{book.name}.{one.uid}" for book in shelf for one in book.entries if is_closed(one, book, known)}
        assert set(with_closed.trace.lore.closed) == hidden
        assert all(with_closed.trace.why(identity).title == "" for identity in hidden)
        state = with_closed.state


class Greedy:
    """A renderer that puts everything it can reach into every text."""

    def is_template(self, text):
        return True

    def render(self, text, context):
        books = "".join(repr(book) + "".join(map(repr, book.entries)) for book in context.books)
        return Rendered(f"{text}{books}{context.turn.forced!r}")


@given(gated_books(), our.turns(), variables, our.settings())
def test_a_renderer_that_asks_for_everything_never_sees_a_closed_text(book, turn, known, settings):
    tools = replace(TOOLS["fast"], renderer=Greedy())
    lore = load_lore([ActiveBook(book)], tools, PROFILES["native"].with_settings(settings))

    assembly = assemble(replace(turn, variables=known), lore, State(), tools)

    texts = [item.text for item in assembly.activated] + [chunk.text for chunk in assembly.trace.scan.chunks]
    closed = [f"⟦main.{one.uid}⟧" for one in book.entries if is_closed(one, book, known)]
    assert [mark for mark in closed for text in texts if mark in text] == []


@given(gated_books(), our.turns())
def test_a_gate_on_the_character_closes_its_own_books(book, turn):
    character = replace(turn.character or Character(name="Aria"), gate=MET)
    lore = load_lore([ActiveBook(book, "character")], TOOLS["fast"])

    assembly = assemble(replace(turn, character=character), lore, State(), TOOLS["fast"])

    assert assembly.activated == ()
    assert set(assembly.trace.lore.closed) == {f"main.{one.uid}" for one in book.entries}
