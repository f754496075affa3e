"""The promise of frozen placement as an assertion: each request begins with the one before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lorewright.core.prefix import canonical
from lorewright.core.weave import Woven
from lorewright.core.woven import WovenMessage

__all__ = ["assert_prefix_kept"]

_WINDOW = 60


def assert_prefix_kept(requests: Sequence[Woven]) -> None:
    """Every request, without what is only of its turn, is a prefix of the next, or the next one says what it moved.

    Give the requests in the order in which they were sent. One with another first message, because the client began
    anew or edited it, is of another conversation, and is only compared with those after it. The beginning of a reply that
    stands behind texts that are only of its turn is not promised to stay: no cache reaches it.

    Raises:
        AssertionError: a prefix was lost for no reason; the message shows both texts around the first difference.
    """
    for number, (before, now) in enumerate(pairwise(requests), 1):
        old, new = canonical(_lasting(before.messages), lasting=True), canonical(now.messages)
        if new.startswith(old) or now.moves or before.path[:1] != now.path[:1]:
            continue
        kept = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(new))
        was, now_is = (text[max(0, kept - _WINDOW) : kept + _WINDOW].decode("utf-8", "replace") for text in (old, new))
        raise AssertionError(
            f"Request {number} kept {kept} of {len(old)} bytes of the one before it, and names no reason.\n"
            f"before: …{was}…\nnow:    …{now_is}…"
        )


def _lasting(messages: Sequence[WovenMessage]) -> Sequence[WovenMessage]:
    """The messages without a reply that has begun behind texts of the turn."""
    end = len(messages)
    while end and messages[end - 1].role == "assistant":
        end -= 1
    is_cut = end and any(piece.kind == "volatile" for piece in messages[end - 1].pieces)
    return messages[:end] if is_cut else messages
