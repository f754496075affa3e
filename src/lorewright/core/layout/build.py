"""A prompt while it is put together: what is there, where it stands, and how many tokens are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lorewright.core.layout.collection import Collection, Item
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Budget, Draft, Overflow, Slots
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import NothingLeft, Overwritten, Stands, TooLong
from lorewright.core.layout.stage import Stage
from lorewright.core.layout.stock import Lineup

__all__ = ["Build"]


@dataclass(slots=True, kw_only=True)
class Build:
    """Everything that one assembly works with."""

    desk: Desk
    preset: Preset
    lineup: Lineup
    stage: Stage
    collection: Collection
    budget: Budget
    slots: Slots = field(default_factory=Slots)
    done: set[int] = field(default_factory=set)
    """Places that are filled before all others."""

    def draft(self, item: Item, why: Stands | None = None) -> Draft:
        """An item as a message of its own."""
        return Draft(id=item.id, role=item.role or "system", content=item.content, why=why or item.why)

    def reserve(self, drafts: Sequence[Draft]) -> None:
        """Keep tokens free for messages that come later and are wanted in any case."""
        for draft in drafts:
            if draft.content.text:
                self.desk.account.offer(*draft.content.sources)
        self.budget.reserve(drafts)

    def put(self, place: int, drafts: Sequence[Draft]) -> None:
        """Put messages into the place of an item, if they fit.

        Raises:
            Overflow: they do not fit, and the defects say that this ends everything.
        """
        if self.pays(drafts):
            self._drop([draft for draft in self.slots.put(place, drafts) if draft not in drafts])

    def insert(self, group: list[Draft], drafts: Sequence[Draft], at: int | None = None) -> None:
        """Put messages into a group, behind the last one or before the one at `at`; empty ones are left out.

        Raises:
            Overflow: as above.
        """
        for draft in drafts:
            if not self.pays([draft]):
                continue
            if draft.content.text:
                group.insert(len(group) if at is None else at, draft)
            else:
                self.desk.account.leave(draft.content, NothingLeft())

    def append(self, drafts: Sequence[Draft], *, behind_all: bool) -> None:
        """Put messages behind the last place that is used, or behind all places.

        Raises:
            Overflow: as above.
        """
        if self.pays(drafts):
            self.slots.append(drafts, len(self.collection.items) if behind_all else 0)

    def replace(self, place: int) -> list[Draft]:
        """A new, empty group at a place; what stood there is lost."""
        self._drop(self.slots.put(place, ()))
        return self.slots.at(place)

    def pays(self, drafts: Sequence[Draft]) -> bool:
        """Take the tokens of messages; whether they fit.

        Raises:
            Overflow: as above.
        """
        try:
            self.budget.spend(drafts)
        except Overflow as overflow:
            for draft in drafts:
                self.desk.account.leave(draft.content, TooLong(overflow.needed_tokens, overflow.left_tokens))
            if self.desk.defects.stops_at_overflow:
                raise
            return False
        return True

    def _drop(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            self.desk.account.leave(draft.content, Overwritten())
