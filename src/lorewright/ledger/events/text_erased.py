"""Texts were erased."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["TextErased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextErased:
    """texts: what was asked for. with_them: what would have let them be guessed: seals and nodes of their turns. rule: why
    they were, such as `forget`; empty: on request. turns: those of the stream that were forgotten as a whole."""

    at: float
    texts: tuple[Ref, ...]
    with_them: tuple[Ref, ...] = ()
    rule: str = ""
    turns: tuple[int, ...] = ()
