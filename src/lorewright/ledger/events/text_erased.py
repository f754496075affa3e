"""Texts were erased on request."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["TextErased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextErased:
    """texts: what was asked for. with_them: what would have let them be guessed: seals and nodes of their turns."""

    at: float
    texts: tuple[Ref, ...]
    with_them: tuple[Ref, ...] = ()
