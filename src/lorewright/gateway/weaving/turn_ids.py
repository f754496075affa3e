"""The name of a turn for its receipt: its number in its stream, and a piece of its hash, which nobody guesses."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["read_turn_id", "turn_id"]

_DIGITS: Final = 32
_ID: Final = re.compile(rf"([1-9][0-9]{{0,11}})-([0-9a-f]{{{_DIGITS}}})", re.ASCII)


def turn_id(number: int, hashed: bytes) -> str:
    """The id of a turn; `hashed` is the hash of its event, which covers a secret seal."""
    return f"{number}-{hashed.hex()[:_DIGITS]}"


def read_turn_id(text: str) -> tuple[int, str] | None:
    """The number and the piece of the hash; None: this is no id."""
    found = _ID.fullmatch(text)
    return (int(found[1]), found[2]) if found else None
