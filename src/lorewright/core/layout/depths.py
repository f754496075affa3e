"""Texts in the chat: so many messages before the end (spec prompt-assembly §8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from lorewright.core import javascript
from lorewright.core.layout.collection import Item
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.insertions import ROLES, Insertion, Insertions
from lorewright.core.layout.reasons import AtDepth, NotAllowed, NothingLeft, OddPlace
from lorewright.core.layout.strand import Strand, join
from lorewright.core.model import ABSENT, Odd
from lorewright.core.place import DEFAULT_DEPTH

__all__ = ["insert_at_depths", "nearest_depth"]

_USUAL_ORDER: Final = "100"
_MAX_DEPTH: Final = 10_000


class _Spot(NamedTuple):
    """What stands at one depth in one role: prompts by order, and injected texts."""

    prompts: dict[str, list[Strand]]
    injected: list[Strand]


def insert_at_depths(desk: Desk, chat: Sequence[Draft], items: Sequence[Item], insertions: Insertions) -> list[Draft]:
    """The chat, newest first, with the texts in their places. Depth counts messages of the chat only."""
    table = _Table(desk)
    for item in items:
        table.add_prompt(item)
    for insertion in insertions.at("in_chat"):
        table.add_injected(insertion)
    found, added = list(chat), 0
    for depth in sorted(table.orders):
        new = list(_messages(desk, table, depth))
        at = min(depth + added, len(found))
        found[at:at] = new
        added += len(new)
    return found


class _Table:
    """What stands at which depth. `spots`: by depth and role; `orders`: the orders at a depth, as they came."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.spots: dict[tuple[int, str], _Spot] = {}
        self.orders: dict[int, dict[str, None]] = {}

    def add_prompt(self, item: Item) -> None:
        if place := self._place(item.content, item.depth, item.role or ""):
            order = _order_text(item.order)
            self.orders[place[0]].setdefault(order)
            self.spots[place].prompts.setdefault(order, []).append(item.content)

    def add_injected(self, insertion: Insertion) -> None:
        if not insertion.allowed and not self.desk.defects.ignores_filters_at_depth:
            self.desk.account.leave(insertion.text, NotAllowed())
        elif place := self._place(insertion.text, insertion.depth, insertion.role):
            self.spots[place].injected.append(insertion.text)

    def _place(self, content: Strand, given: object, role: str) -> tuple[int, str] | None:
        """The depth and role of a text, which are in the table then; None: it stands nowhere."""
        account, defects = self.desk.account, self.desk.defects
        depth = _depth(given) if defects.loses_odd_depths else nearest_depth(given)
        if role not in ROLES and not defects.loses_odd_roles:
            role = "system"
        if not content.text:
            account.leave(content, NothingLeft())
        elif depth is None:
            shown = "missing" if given is ABSENT or given is None else javascript.value_as_text(_bare(given))
            account.leave(content, OddPlace("depth", shown))
        elif role not in ROLES:
            account.leave(content, OddPlace("role", role or "missing"))
        else:
            self.orders.setdefault(depth, {_USUAL_ORDER: None})
            self.spots.setdefault((depth, role), _Spot({}, []))
            return depth, role
        return None


def _bare(value: object) -> object:
    return value.value if isinstance(value, Odd) else value


def _depth(given: object) -> int | None:
    """A depth that is a whole number in range, else None."""
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    return int(given) if 0 <= given <= _MAX_DEPTH and given == int(given) else None


def nearest_depth(given: object) -> int:
    """The depth that an odd one is nearest to; a missing one is the usual one."""
    if given is ABSENT or given is None:
        return DEFAULT_DEPTH
    number = javascript.number(_bare(given))
    return DEFAULT_DEPTH if math.isnan(number) else int(max(0, min(number, _MAX_DEPTH)))


def _order_text(given: object) -> str:
    """The order as JavaScript names a property."""
    return _USUAL_ORDER if given is ABSENT or given is None else javascript.value_as_text(_bare(given))


def _messages(desk: Desk, table: _Table, depth: int) -> Iterator[Draft]:
    """The messages of one depth: orders from high to low, in each the roles one after the other."""
    listed = sorted(filter(javascript.is_integer_like, table.orders[depth]), key=int)
    listed += [order for order in table.orders[depth] if not javascript.is_integer_like(order)]
    for order in javascript.sort_descending(listed, javascript.number):
        for role in ROLES:
            spot = table.spots.get((depth, role))
            content = _content(desk, spot, order) if spot else Strand()
            if content.text:
                why = AtDepth(depth, javascript.number(order))
                yield Draft(id=None, role=role, content=content, why=why, injected=True)


def _content(desk: Desk, spot: _Spot, order: str) -> Strand:
    """The prompts of an order as one text, at the usual order with the injected texts behind them."""
    parts = [join("\n", _worth(desk, spot.prompts.get(order, [])))]
    if order == _USUAL_ORDER:
        texts = [_trimmed(desk, text) for text in _worth(desk, spot.injected)]
        parts.append(desk.pen.prepare(join("\n", texts)))
    return join("\n", _worth(desk, [_trimmed(desk, part) for part in parts if part.text]))


def _worth(desk: Desk, strands: Sequence[Strand]) -> list[Strand]:
    """The texts that get a line: all, or those that are not blank."""
    found = []
    for strand in strands:
        is_blank = not javascript.trim(strand.text)
        if is_blank:
            desk.account.leave(strand, NothingLeft())
        if not is_blank or desk.defects.keeps_blank_lines:
            found.append(strand)
    return found


def _trimmed(desk: Desk, strand: Strand) -> Strand:
    """Trimmed; a source of which nothing is left is noted."""
    found = strand.trimmed()
    for source in set(strand.sources) - set(found.sources):
        desk.account.leave(source, NothingLeft())
    return found
