"""The model answered."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["ReplyReceived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReceived:
    """turn: which it answers. text: the raw reply; None: it is not kept. Tokens as the provider counted them, None
    where it did not say; cached: prompt tokens that came from its cache."""

    turn: int
    at: float
    text: Ref | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    reply_tokens: int | None = None
