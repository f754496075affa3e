"""A request with closed entries is the request without them, byte for byte, and so is what is remembered of it."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from lorewright import Book, load_lore, make_tools, weave
from lorewright.core.model import ActiveBook
from lorewright.testing import strategies as our
from lorewright.testing.client import Step
from tests.prefix.entries import GATED, WORDS
from tests.prefix.fuzz import CHANGES
from tests.prefix.world import Change, Clock, World

changes = st.builds(Change, st.sampled_from((*CHANGES, *["gate"] * 8)), st.integers(0, 63))
steps = st.lists(st.one_of(our.edits(WORDS), our.edits(WORDS), our.edits(WORDS), changes), max_size=30)


class ClosedWorld(World):
    """Weaves every request a second time, with books from which the closed entries were taken out."""

    def request(self, step):
        turn = self.client.turn(context_tokens=2000, session=self.session_name, variables={"known": self.is_known})
        found = []
        for books in (self.books, self.bare_books()):
            tools = make_tools()
            tools = replace(tools, renderer=Clock(tools.renderer))
            found.append(weave(turn, load_lore(books, tools, self.policy), self.memory, tools))
        with_closed, without = found
        assert with_closed.messages == without.messages
        assert with_closed.nodes == without.nodes
        assert with_closed.waiting == without.waiting
        assert self.told(with_closed) == self.told(without)
        assert all(f"⟦{uid}." not in repr(with_closed.messages) for uid in GATED if not self.is_known)
        super().request(step)

    def bare_books(self):
        first, *others = self.books
        opened = tuple(entry for entry in first.book.entries if self.is_known or entry.uid not in GATED)
        return [ActiveBook(Book("b", opened)), *others]

    @staticmethod
    def told(woven):
        """The moves; what is removed has another cause than what is closed."""
        return [replace(move, cause=move.cause.replace("entry_removed", "gate_closed")) for move in woven.moves]


@given(steps)
@example([Change("unsafe", 45), Step("say", "Hello", 0)])
def test_a_request_with_closed_entries_is_the_request_without_them(steps):
    ClosedWorld().run(steps)
