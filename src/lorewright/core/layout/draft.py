"""Messages in the making, the places they stand in, and the budget they share (spec prompt-assembly §6, §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from lorewright.core.layout.reasons import Stands
from lorewright.core.layout.strand import Strand
from lorewright.core.memo import Memo

__all__ = ["Budget", "Costs", "Draft", "Overflow", "Slots"]


class Draft(NamedTuple):
    """A message in the making. `id` None: nobody names it. `name` is sent, `speaker` only tells who said it. `injected`: it
    is no message of the chat, but stands there. `named`: it is not plain who speaks, so a prompt should say it. `place`: of
    the message in the scene's chat."""

    id: str | None
    role: str
    content: Strand
    why: Stands
    name: str = ""
    speaker: str = ""
    named: bool = False
    injected: bool = False
    place: int | None = None


class Overflow(Exception):
    """A text that must stand does not fit."""

    def __init__(self, what: str, needed_tokens: int, left_tokens: int) -> None:
        super().__init__(what)
        self.what = what
        self.needed_tokens = needed_tokens
        self.left_tokens = left_tokens


class Costs(NamedTuple):
    """What messages cost. tokens: of a text, which is not empty; join: what a system message costs more because it may be
    merged with the one before."""

    tokens: Callable[[str], int]
    join: int
    memo: Memo

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return self.memo.once(self.tokens, text) if text else 0

    def cost(self, draft: Draft) -> int:
        """What a message costs; an empty one costs nothing."""
        text = draft.content.text
        if not text:
            return 0
        return self.count(text) + self.count(draft.name) + (self.join if draft.role == "system" else 0)


class Budget:
    """The tokens that are left."""

    def __init__(self, tokens: int, costs: Costs) -> None:
        self.left_tokens = tokens
        self.costs = costs

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return self.costs.count(text)

    def cost(self, drafts: Iterable[Draft]) -> int:
        """What messages cost together; an empty one costs nothing."""
        return sum(map(self.costs.cost, drafts))

    def affords(self, drafts: Iterable[Draft]) -> bool:
        """Whether messages fit."""
        return self.cost(drafts) <= self.left_tokens

    def spend(self, drafts: Sequence[Draft]) -> None:
        """Take the tokens of messages.

        Raises:
            Overflow: they do not fit.
        """
        cost = self.cost(drafts)
        if cost > self.left_tokens:
            raise Overflow(drafts[0].id or drafts[0].role, cost, self.left_tokens)
        self.left_tokens -= cost

    def reserve(self, drafts: Iterable[Draft]) -> None:
        """Take the tokens of messages that come later, even if fewer are left."""
        self.left_tokens -= self.cost(drafts)

    def free(self, drafts: Iterable[Draft]) -> None:
        """Give back what was reserved."""
        self.left_tokens += self.cost(drafts)


class Slots:
    """Groups of messages by place. A group that is put where another one stands takes its place."""

    def __init__(self) -> None:
        self._groups: dict[int, list[Draft]] = {}

    def put(self, place: int, drafts: Iterable[Draft]) -> Sequence[Draft]:
        """Put a group; what stood there before."""
        before = self._groups.get(place, [])
        self._groups[place] = list(drafts)
        return before

    def append(self, drafts: Iterable[Draft], least: int = 0) -> None:
        """Put a group behind the last one, at the place `least` at the earliest."""
        self.put(max(max(self._groups, default=-1) + 1, least), drafts)

    def at(self, place: int) -> list[Draft]:
        """The group at a place, which is made if there is none."""
        return self._groups.setdefault(place, [])

    def placed(self) -> Iterator[tuple[int, Draft]]:
        """All messages with the places of their groups."""
        for place in sorted(self._groups):
            for draft in self._groups[place]:
                yield place, draft

    def __iter__(self) -> Iterator[Draft]:
        for place in sorted(self._groups):
            yield from self._groups[place]
