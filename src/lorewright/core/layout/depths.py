"""Texts in the chat: so many messages before the end (spec prompt-assembly §8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from lorewright.core import javascript
from lorewright.core.layout.account import Account
from lorewright.core.layout.collection import Item
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.insertions import ROLES, Insertion, Insertions
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.reasons import AtDepth, NotAllowed, NothingLeft, OddPlace
from lorewright.core.layout.strand import Strand, join
from lorewright.core.model import ABSENT, Odd
from lorewright.core.place import DEFAULT_DEPTH

__all__ = ["insert_at_depths"]

_USUAL_ORDER: Final = "100"
_MAX_DEPTH: Final = 10_000


class _Spot(NamedTuple):
    """What stands at one depth in one role: prompts by order, and injected texts."""

    prompts: dict[str, list[Strand]]
    injected: list[Strand]


def insert_at_depths(
    chat: Sequence[Draft],
    items: Sequence[Item],
    insertions: Insertions,
    pen: Pen,
    account: Account,
    defects: Defects,
) -> list[Draft]:
    """The chat, newest first, with the texts in their places. Depth counts messages of the chat only."""
    table = _Table(account, defects)
    for item in items:
        table.add_prompt(item)
    for insertion in insertions.at("in_chat"):
        table.add_injected(insertion)
    found, added = list(chat), 0
    for depth in sorted(table.depths):
        new = list(_messages(depth, table, pen, account, defects))
        at = min(depth + added, len(found))
        found[at:at] = new
        added += len(new)
    return found


@dataclass(slots=True)
class _Table:
    """Depth, role → what stands there."""

    account: Account
    defects: Defects
    spots: dict[tuple[int, str], _Spot]
    orders: dict[int, dict[str, None]]

    def __init__(self, account: Account, defects: Defects) -> None:
        self.account = account
        self.defects = defects
        self.spots = {}
        self.orders = {}

    @property
    def depths(self) -> list[int]:
        return list(self.orders)

    def add_prompt(self, item: Item) -> None:
        spot = self._spot(item.content, item.depth, item.role or "")
        if spot is not None:
            order = _order_text(item.order)
            spot[1].prompts.setdefault(order, []).append(item.content)
            self.orders[spot[0]].setdefault(order)

    def add_injected(self, insertion: Insertion) -> None:
        if not insertion.allowed and not self.defects.ignores_filters_at_depth:
            self.account.leave(insertion.text, NotAllowed())
            return
        spot = self._spot(insertion.text, insertion.depth, insertion.role)
        if spot is not None:
            spot[1].injected.append(insertion.text)

    def _spot(self, content: Strand, given: object, role: str) -> tuple[int, _Spot] | None:
        if not content.text:
            self.account.leave(content, NothingLeft())
            return None
        depth = _depth(given) if self.defects.loses_odd_depths else _nearest_depth(given)
        if depth is None:
            shown = "missing" if given is ABSENT or given is None else javascript.value_as_text(_bare(given))
            self.account.leave(content, OddPlace("depth", shown))
            return None
        if role not in ROLES:
            if self.defects.loses_odd_roles:
                self.account.leave(content, OddPlace("role", role or "missing"))
                return None
            role = "system"
        self.orders.setdefault(depth, {_USUAL_ORDER: None})
        return depth, self.spots.setdefault((depth, role), _Spot({}, []))


def _bare(value: object) -> object:
    return value.value if isinstance(value, Odd) else value


def _depth(given: object) -> int | None:
    """A depth that is a whole number in range, else None."""
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    return int(given) if 0 <= given <= _MAX_DEPTH and given == int(given) else None


def _nearest_depth(given: object) -> int:
    if given is ABSENT or given is None:
        return DEFAULT_DEPTH
    number = javascript.number(_bare(given))
    if number != number:  # noqa: PLR0124 -- not a number
        return DEFAULT_DEPTH
    return int(max(0, min(number, _MAX_DEPTH)))


def _order_text(given: object) -> str:
    """The order as JavaScript names a property."""
    return _USUAL_ORDER if given is ABSENT or given is None else javascript.value_as_text(_bare(given))


def _messages(depth: int, table: _Table, pen: Pen, account: Account, defects: Defects) -> Iterator[Draft]:
    """The messages of one depth: orders from high to low, in each the roles one after the other."""
    listed = sorted(filter(javascript.is_integer_like, table.orders[depth]), key=int)
    listed += [order for order in table.orders[depth] if not javascript.is_integer_like(order)]
    for order in javascript.sort_descending(listed, javascript.number):
        for role in ROLES:
            spot = table.spots.get((depth, role))
            if spot is None:
                continue
            prompts = join("\n", _worth(spot.prompts.get(order, []), account, defects))
            injected = Strand()
            if order == _USUAL_ORDER and spot.injected:
                texts = _worth(spot.injected, account, defects)
                injected = pen.prepare(join("\n", [_trimmed(text, account) for text in texts]))
            parts = [_trimmed(part, account) for part in (prompts, injected) if part.text]
            parts = _worth(parts, account, defects)
            content = join("\n", parts)
            if content.text:
                why = AtDepth(depth, javascript.number(order))
                yield Draft(id=None, role=role, content=content, why=why, injected=True)


def _worth(strands: Sequence[Strand], account: Account, defects: Defects) -> list[Strand]:
    """The texts that get a line: all, or those that are not blank."""
    for strand in strands:
        if not javascript.trim(strand.text):
            account.leave(strand, NothingLeft())
    return [strand for strand in strands if defects.keeps_blank_lines or javascript.trim(strand.text)]


def _trimmed(strand: Strand, account: Account) -> Strand:
    """Trimmed; a source of which nothing is left is noted."""
    found = strand.trimmed()
    kept = found.sources
    for source in strand.sources:
        if source not in kept:
            account.leave(source, NothingLeft())
    return found
