"""Texts as they are stored: packed where that makes them shorter."""

from __future__ import annotations

import zlib
from typing import Final

from lorewright.errors import LedgerError

__all__ = ["pack", "unpack"]

_PACK_FROM: Final = 512
"""Bytes; shorter texts hardly get shorter, and packing them costs a turn more time than anything else of them."""
_PACKINGS: Final = (0, 1)
_PLAIN, _PACKED = _PACKINGS


def pack(data: bytes) -> tuple[int, bytes]:
    """Data as it is stored, and how it is packed."""
    packed = zlib.compress(data) if len(data) >= _PACK_FROM else data
    return (_PACKED, packed) if len(packed) < len(data) else (_PLAIN, data)


def unpack(packing: int | None, data: bytes | None, commitment: str) -> bytes | None:
    """The bytes of a stored text.

    Raises:
        LedgerError: they are damaged.
    """
    if data is None or packing is None:
        return None
    try:
        return zlib.decompress(data) if _PACKINGS.index(packing) == _PACKED else bytes(data)
    except (zlib.error, ValueError, TypeError) as error:
        raise LedgerError(f"The text {commitment} is damaged: {error}.", text=commitment) from error
