"""The model answered."""

from dataclasses import dataclass
from typing import TypedDict

from lorewright.ledger.window import Line
from lorewright.storage.image import Ref

__all__ = ["ReplyReceived", "Rewritten", "Said"]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """by: what changed texts of a reply. failed: why something was not done. said, shown: characters of all its texts."""

    by: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    said: int = 0
    shown: int = 0


class Said(TypedDict, total=False):
    """The fields of the event that say something of a reply; what nobody says is left out."""

    prompt_tokens: int | None
    cached_tokens: int | None
    written_tokens: int | None
    reply_tokens: int | None
    ending: str
    status: int
    response: str
    dropped: tuple[str, ...]
    rewritten: Rewritten | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReceived:
    """turn: which it answers. text: the raw reply; None: it is not kept. Tokens as the provider counted them, None
    where it did not say; cached: prompt tokens that came from its cache, written: those that went into it.

    ending: `complete`, `interrupted` (by a fault), `client_gone`, `failed` (the provider refused; the turn is as if it had
    not been); empty: nobody says. status: that of HTTP, 0 without one. response: the provider's id of it. messages: it, as
    lines of the chain, where it is more than that text (such as calls of tools). dropped: what a translation left out.

    rewritten: what a gateway changed in it for the client; None: nothing could. changed: each text that the client got in
    other words, as it counts in the conversation from then on, and as the client got it.
    """

    turn: int
    at: float
    text: Ref | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    reply_tokens: int | None = None
    ending: str = ""
    status: int = 0
    response: str = ""
    messages: tuple[Line, ...] = ()
    dropped: tuple[str, ...] = ()
    rewritten: Rewritten | None = None
    changed: tuple[tuple[Ref, Ref], ...] = ()
