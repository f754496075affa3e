"""A version of a book was seen for the first time."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["BookStored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookStored:
    """book: the text that holds the version; its entries are texts of their own, so that a later version only adds
    what changed. entries: their number."""

    book: Ref
    entries: int
