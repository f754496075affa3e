"""Our messages among turns that must alternate.

Ours never stand alone between two turns of the client: the assistant's join the assistant's message beside them, all
others are the user's and join the message that the next reply answers. What is merged keeps its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeGuard

from lorewright.providers.request import Request
from lorewright.providers.slots import GAP, Kept, Own, Slot, join_own, put_before, put_behind

__all__ = ["alternate"]


def alternate(request: Request, slots: Sequence[Slot]) -> list[Slot]:
    """The slots with ours merged, so that turns alternate if those of the client do. System messages stay."""
    return list(join_own(_user_turns(request, list(join_own(_assistant_turns(request, list(slots)))))))


def _assistant_turns(request: Request, slots: list[Slot]) -> list[Slot]:
    """The slots with the assistant's texts in messages of the assistant, or else as the user's."""
    merged: list[Slot] = []
    for at, slot in enumerate(slots):
        if not isinstance(slot, Own) or slot.role != "assistant":
            merged.append(slot)
        elif at + 1 < len(slots) and _takes(behind := slots[at + 1], request, "assistant"):
            slots[at + 1] = put_before(request, behind, slot.text)
        elif merged and _takes(before := merged[-1], request, "assistant"):
            merged[-1] = put_behind(request, before, slot.text)
        else:
            merged.append(Own("user", slot.text))
    return merged


def _user_turns(request: Request, slots: list[Slot]) -> list[Slot]:
    """The slots with the user's texts in messages of the user: the next one, or the one before."""
    merged: list[Slot] = []
    for at, slot in enumerate(slots):
        if not isinstance(slot, Own) or slot.role != "user":
            merged.append(slot)
        elif at + 1 < len(slots) and _takes(behind := slots[at + 1], request, "user"):
            slots[at + 1] = put_before(request, behind, slot.text)
        else:
            _add_to_last_turn(request, merged, slot)
    return merged


def _add_to_last_turn(request: Request, merged: list[Slot], slot: Own) -> None:
    """Add a user's text to the last turn if it is the user's, else as a turn of its own."""
    at = next((at for at in range(len(merged) - 1, -1, -1) if _turn(request, merged[at])), None)
    last = merged[at] if at is not None else None
    if at is not None and isinstance(last, Own):
        merged[at] = Own("user", last.text + GAP + slot.text)
    elif at is not None and last is not None and _takes(last, request, "user"):
        merged[at] = put_behind(request, last, slot.text)
    else:
        # Behind a tool's result too: in Messages a text of the user's stands in the same message, behind it.
        merged.append(slot)


def _takes(slot: Slot, request: Request, role: Literal["user", "assistant"]) -> TypeGuard[Kept]:
    """Whether a message of the client has this role and is one to which text can be added."""
    if not isinstance(slot, Kept) or slot.index == request.prefill:
        return False
    message = request.messages[slot.index]
    return message.role == role and not message.calls and not message.is_reasoning


def _turn(request: Request, slot: Slot) -> bool:
    """Whether a slot counts as a turn. Chat templates pass over tools: a call and its results stand between a user's
    message and the reply to it. In Messages a result is the user's."""
    if isinstance(slot, Own):
        return slot.role != "system"
    message = request.messages[slot.index]
    if message.role in ("system", "developer"):
        return False
    return request.api == "messages" or not (message.role == "tool" or message.calls or message.is_reasoning)
