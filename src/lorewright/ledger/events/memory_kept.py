"""What a turn is remembered by once an entry was erased."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["MemoryKept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKept:
    """turn: whose trail was erased. trail: what stands in its place: the same nodes without the records of the entry,
    and without the seal. The last such event of a turn counts."""

    at: float
    turn: int
    trail: Ref
