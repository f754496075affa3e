"""Filling messages into what the budget has left, from the newest to the oldest (spec prompt-assembly §9.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, NamedTuple

from lorewright.core.layout.build import Build
from lorewright.core.layout.draft import Costs, Draft
from lorewright.core.layout.numbering import as_sent, numbered
from lorewright.core.layout.preset import Names
from lorewright.core.layout.reasons import NothingLeft, OlderThanBudget, TooLong

__all__ = ["LONG", "fit"]

LONG: Final = 16
"""So many messages in a row are looked at together."""
_TOKENS = attrgetter("tokens")


class _Ready(NamedTuple):
    """A message as it is sent, and what it costs."""

    draft: Draft
    tokens: int
    is_empty: bool


def fit(build: Build, chat: Sequence[Draft]) -> list[Draft]:
    """As many messages as fit until one does not, oldest first; `chat` is newest first."""
    paid, unpayable = _paid_first(build, chat)
    filling = _Filling(build, len(chat))
    at = 0
    for stop in (*sorted(_apart(build, chat).union(paid, unpayable)), len(chat)):
        filling.take_all(chat[at:stop], at)
        if stop in paid:
            filling.kept.append(paid[stop])
        elif stop < len(chat) and stop not in unpayable:
            filling.take(chat[stop], stop)
        at = stop + 1
    return filling.kept[::-1]


def _apart(build: Build, chat: Sequence[Draft]) -> set[int]:
    """The places of the messages that are looked at alone: texts that stand in the chat, and messages with macros."""
    found = {at for at, draft in enumerate(chat) if draft.injected}
    if build.desk.defects.renders_messages:
        said = [draft for draft in reversed(chat) if not draft.injected]
        templates = build.desk.memo.each(_is_template, said, build.desk.pen.is_template)
        if any(templates):
            found.update(at for at, draft in enumerate(chat) if build.desk.pen.is_template(draft.content.text))
    return found


def _is_template(at: int, draft: Draft, is_template: Callable[[str], bool]) -> bool:
    del at
    return is_template(draft.content.text)


@dataclass(slots=True)
class _Filling:
    """Messages that are taken one after the other. kept: newest first; is_full: one did not fit."""

    build: Build
    count: int
    kept: list[Draft] = field(default_factory=list)
    is_full: bool = False

    def take_all(self, drafts: Sequence[Draft], at: int) -> None:
        """Take messages without macros that stand one behind the other, the first of them at a place."""
        budget = self.build.budget
        if len(drafts) >= LONG and not self.is_full:
            first = self.count - at - len(drafts) + 1
            given = (first, self.build.preset.names, budget.costs)
            ready = self.build.desk.memo.each(_ready, drafts[::-1], *given)
            tokens = sum(map(_TOKENS, ready))
            if tokens <= budget.left_tokens:
                budget.left_tokens -= tokens
                self.kept += [one.draft for one in reversed(ready) if not one.is_empty]
                for one in ready:
                    if one.is_empty:
                        self.build.desk.account.leave(one.draft.content, NothingLeft())
                return
        for place, draft in enumerate(drafts, start=at):
            self.take(draft, place)

    def take(self, draft: Draft, at: int) -> None:
        """Take one message, if it and all newer ones fit."""
        budget, account = self.build.budget, self.build.desk.account
        if self.is_full:
            account.leave(draft.content, OlderThanBudget())
            return
        message = numbered(self.build, draft, self.count - at)
        cost, left = budget.costs.cost(message), budget.left_tokens
        self.is_full = cost > left
        if self.is_full:
            account.leave(message.content, TooLong(cost, left))
        elif message.content.has_text:
            budget.left_tokens -= cost
            self.kept.append(message)
        else:
            account.leave(message.content, NothingLeft())


def _ready(at: int, draft: Draft, first: int, names: Names, costs: Costs) -> _Ready:
    message = as_sent(draft, first + at, names)
    return _Ready(message, costs.cost(message), not message.content.has_text)


def _paid_first(build: Build, chat: Sequence[Draft]) -> tuple[dict[int, Draft], set[int]]:
    """In `native` the newest message and then all texts in the chat are paid before older messages: those that fit, and
    the places of those that do not."""
    paid: dict[int, Draft] = {}
    if build.desk.defects.stops_at_injections:
        return paid, set()
    newest = [at for at, draft in enumerate(chat) if not draft.injected][:1]
    first = newest + [at for at, draft in enumerate(chat) if draft.injected]
    for at in first:
        draft = numbered(build, chat[at], len(chat) - at)
        if build.pays([draft]):
            paid[at] = draft
    return paid, set(first) - paid.keys()
