"""RPack: the fixed byte substitution of RisuAI's module files (spec formats §3.7). The length stays the same."""

from __future__ import annotations

from typing import Final

from lorewright.errors import FormatError
from lorewright.formats import limits

__all__ = ["decode", "encode"]

_ENCODED: Final = bytes.fromhex(
    "c40d1e0bbd2b3f55fc456ef566534f1ae0bb309486ba6bbf41506f9befdeb710"
    "611720df3289a89d6dabc990000c5dafd2c156e516649182657497ca23d652d1"
    "ffb4a0e82f8a58385a60199649dbd7c83b3e434ba56347aa6a2992f415cf6234"
    "78d31d3ce2058e2a570e1bcd4c2df2402c2579480fb27ab5a76c37e69c7b547e"
    "fe87dc9a02e433a2ebb12e03dd99a6b0e7d58818837cf6bee15c9fc321461f08"
    "4ed076125feefd8f44eaa35e8b2809359e69cc0ac78507ad4af377e967d4da84"
    "8093b64d73fa27267f04c6fbf1723951c236a968acf8edc5b9cbce75a43d81d9"
    "42701c9511bcd88c98f959a113f7147db3ec71c0e38df001ae5b310624223ab8"
)
"""At index n the byte that stands for n."""
_PLAIN: Final = bytes.maketrans(_ENCODED, bytes(range(256)))


def encode(data: bytes) -> bytes:
    """Plain bytes -> RPack.

    Raises:
        FormatError: more bytes than a file may have (`limit`, `value`).
    """
    _check(len(data))
    return data.translate(_ENCODED)


def decode(data: bytes) -> bytes:
    """RPack -> plain bytes.

    Raises:
        FormatError: more bytes than a file may have (`limit`, `value`).
    """
    _check(len(data))
    return data.translate(_PLAIN)


def _check(size_bytes: int) -> None:
    if size_bytes > limits.FILE_BYTES:
        raise FormatError(
            f"A part of {size_bytes:,} bytes is too large; the limit is {limits.FILE_BYTES:,}.",
            limit=limits.FILE_BYTES,
            value=size_bytes,
        )
