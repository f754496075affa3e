"""The model answered."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["ReplyReceived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReceived:
    """turn: which it answers. text: the raw reply; None: it is not kept. Tokens as the provider counted them, None
    where it did not say; cached: prompt tokens that came from its cache, written: those that went into it.

    ending: `complete`, `interrupted` (by a fault), `client_gone`, `failed` (the provider refused; the turn is as if it had
    not been); empty: nobody says. status: that of HTTP, 0 without one. response: the provider's id of it.
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
