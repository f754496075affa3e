"""Our texts between the messages of a client, so that the request stays one that the upstream takes.

What the engine wove says where each text should stand. Here it is moved up from where no text may stand
(`standing.py`), and system text in the middle becomes user text, or part of a user message, where the upstream's
dialect wants that. The same messages give the same places, whatever follows them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.woven import WovenMessage
from lorewright.providers.dialect import Dialect
from lorewright.providers.request import Request, RequestMessage
from lorewright.providers.slots import GAP, Kept, Own, OwnRole, Slot, put_before, put_behind
from lorewright.providers.standing import last_marked, nearest_open, open_gaps
from lorewright.providers.turns import alternate

__all__ = ["place"]

_WITH_SYSTEM_FIELD: Final = ("messages", "responses")


def place(
    request: Request,
    woven: Sequence[WovenMessage],
    dialect: Dialect,
    memo: Memo = ANEW,
    *,
    has_head: bool = True,
) -> list[Slot]:
    """The messages to send, in order. What was woven names the client's messages by their place in `request.messages`;
    those that it does not name are left out. has_head: the prompt begins here; else it goes on from a stored one. `memo`
    keeps what became of messages in earlier requests.

    Raises:
        ValueError: what was woven names a message that is not there, or not in order.
    """
    has_field = request.api in _WITH_SYSTEM_FIELD
    slots = _in_gaps(request, woven, memo, has_field=has_head and has_field)
    if not any(isinstance(slot, Own) for slot in slots):
        return slots
    slots = _with_head(request, slots, is_one=has_head and (has_field or not dialect.system_in_middle))
    if not dialect.system_in_middle:
        slots = [_as_user(slot, is_head=has_head and at == 0) for at, slot in enumerate(slots)]
    if dialect.roles_must_alternate or request.api == "messages":
        slots = alternate(request, slots)
    _put_into_shared_items(request, slots)
    return slots


def _in_gaps(request: Request, woven: Sequence[WovenMessage], memo: Memo, *, has_field: bool) -> list[Slot]:
    """Ours where they may stand, among the client's. What is only of this turn stands behind the client's cache marks."""
    gaps = open_gaps(request)
    # A system text at the front stands in a field of its own there, whatever the first message is.
    system_gaps = (True, *gaps[1:]) if has_field else gaps
    ours: dict[int, list[Own]] = {}

    def put(gap: int, own: Own) -> None:
        place = nearest_open(system_gaps if own.role == "system" else gaps, gap)
        ours.setdefault(place, []).append(own)

    messages, count = request.messages, len(request.messages)
    clients = [message for message in woven if message.index is not None]
    places = [message.index for message in clients if message.index is not None]
    wrong = next((after for before, after in pairwise([-1, *places]) if not before < after < count), None)
    if wrong is not None:
        raise ValueError(f"Message {wrong} was woven, but is none of {count}, or not next.")
    before_mark = bisect_left(places, last_marked(request))
    passing = [own for message in clients[:before_mark] for own in _passing(message)]
    if passing:
        clients[:before_mark] = map(_without_passing, clients[:before_mark])
    kept: list[Kept] = [*memo.along(_kept, ([messages[at] for at in places], clients))]
    last = places[-1] if places else -1
    for before, at in enumerate([at for at, message in enumerate(woven) if message.index is None]):
        gap = places[at - before] if at - before < len(places) else count
        if woven[at].content:
            put(gap, Own(_own_role(woven[at].role), woven[at].content, woven[at].name))
    if kept and last == request.prefill and kept[-1].after:
        # The model goes on with the prefill's last letter, so nothing may stand behind it.
        put(last, Own("system", kept[-1].after.strip("\n")))
        kept[-1] = replace(kept[-1], after="")
    for own in passing:
        put(count, own)
    slots: list[Slot] = list(kept)
    for gap in sorted(ours, reverse=True):
        # The assistant's text at the end would be a prefill, which models may refuse.
        found = [Own("system", own.text) if gap > last and own.role == "assistant" else own for own in ours[gap]]
        at = bisect_left(kept, gap, key=_index)
        slots[at:at] = found
    return slots


def _passing(message: WovenMessage) -> Iterator[Own]:
    """What is only of this turn, as messages of its own."""
    return (Own("system", piece.text.strip("\n")) for piece in message.pieces if piece.kind == "volatile")


def _without_passing(message: WovenMessage) -> WovenMessage:
    return replace(message, pieces=tuple(piece for piece in message.pieces if piece.kind != "volatile"))


def _own_role(role: str) -> OwnRole:
    return "user" if role == "user" else "assistant" if role == "assistant" else "system"


def _index(slot: Kept) -> int:
    return slot.index


def _kept(_: int, client: RequestMessage, woven: WovenMessage) -> Kept:
    """What became of a client's message: our text before and behind it, and its own if that is not what it was."""
    index, pieces = woven.index, woven.pieces
    assert index is not None
    if len(pieces) == 1 and pieces[0].kind == "client" and pieces[0].text == client.text:
        return Kept(index)
    places = [at for at, piece in enumerate(pieces) if piece.kind in ("client", "rewritten")]
    if not places:
        return Kept(index, woven.content, "" if client.text else None)
    first, end = places[0], places[-1] + 1
    text = "".join(piece.text for piece in pieces[first:end])
    before = "".join(piece.text for piece in pieces[:first])
    after = "".join(piece.text for piece in pieces[end:])
    return Kept(index, before, None if text == client.text else text, after)


def _with_head(request: Request, slots: list[Slot], *, is_one: bool) -> list[Slot]:
    """The slots with our leading system texts inside the client's system text, or in one message, if there may be only
    one."""
    if not is_one:
        return slots
    lead = next(
        (at for at, slot in enumerate(slots) if isinstance(slot, Kept) and not _is_system(request, slot)), len(slots)
    )
    head: list[Slot] = []
    for slot in slots[:lead]:
        before = head[-1] if head else None
        if not _is_system(request, slot):
            continue
        if isinstance(slot, Own) and isinstance(before, Kept):
            # A leading text stands in the system text; nothing of the client's is behind it there.
            head[-1] = put_behind(request, before, slot.text)
        elif isinstance(before, Own) and isinstance(slot, Kept):
            head[-1] = put_before(request, slot, before.text)
        elif isinstance(before, Own) and isinstance(slot, Own):
            head[-1] = Own("system", before.text + GAP + slot.text)
        else:
            head.append(slot)
    behind = [slot for slot in slots[:lead] if not _is_system(request, slot)]
    return [*head, *behind, *slots[lead:]]


def _is_system(request: Request, slot: Slot) -> bool:
    return (slot.role if isinstance(slot, Own) else request.messages[slot.index].role) in ("system", "developer")


def _as_user(slot: Slot, *, is_head: bool) -> Slot:
    """A slot for a dialect that has no system text in the middle."""
    if isinstance(slot, Own) and slot.role == "system" and not is_head:
        return Own("user", slot.text)
    return slot


def _put_into_shared_items(request: Request, slots: list[Slot]) -> None:
    """A message of ours between two that share one item of the JSON goes into the second of them."""
    own = [at for at, slot in enumerate(slots) if isinstance(slot, Own) and 0 < at < len(slots) - 1]
    for at in reversed(own):
        before, slot, behind = slots[at - 1 : at + 2]
        if isinstance(before, Kept) and isinstance(slot, Own) and isinstance(behind, Kept):
            item = request.messages[behind.index].place.item
            if item is not None and item == request.messages[before.index].place.item:
                slots[at + 1] = put_before(request, behind, slot.text)
                del slots[at]
