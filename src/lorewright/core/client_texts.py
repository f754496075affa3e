"""Which of the client's messages are sent, and which of these are system texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from lorewright.core.chain import hash_parts
from lorewright.core.model import Turn

__all__ = ["SYSTEM_ROLES", "count_leading", "hash_systems", "sent_messages"]

SYSTEM_ROLES: Final = frozenset({"system", "developer"})


def sent_messages(turn: Turn) -> Sequence[int]:
    """The places of the messages that are sent: all but the reply that a swipe replaces."""
    places = list(range(len(turn.messages)))
    if turn.trigger == "swipe":
        shown = [place for place in places if not turn.messages[place].hidden]
        del places[shown[-1] if shown else len(places) :]
    return places


def count_leading(turn: Turn, sent: Sequence[int]) -> int:
    """How many system texts stand at the top."""
    count = 0
    for place in sent:
        if turn.messages[place].role not in SYSTEM_ROLES:
            break
        count += 1
    return count


def hash_systems(texts: Iterable[str]) -> str:
    """A hash over texts; empty without any."""
    found = tuple(texts)
    return hash_parts(found) if found else ""
