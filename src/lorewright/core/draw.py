"""Reproducible draws: the same entry, session and turn always decide the same (spec injection-engine §8.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from lorewright.core.model import Turn

if TYPE_CHECKING:
    from lorewright.core.lore import Lore

__all__ = ["HashDraw", "LoreDraw", "SequenceDraw", "draw_for", "fmix32", "fnv1a32", "hits"]

_UNIT: Final = "\x1f"
_RANGE: Final = 2**32


def fnv1a32(text: str) -> int:
    """FNV-1a, 32 bits, over the UTF-8 bytes of the text."""
    found = 0x811C9DC5
    for byte in text.encode("utf-8", "surrogatepass"):
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found


def fmix32(value: int) -> int:
    """The 32-bit finalizer; without it consecutive turns agree far too often."""
    value = (value ^ value >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    value = (value ^ value >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return value ^ value >> 16


def hits(number: float, percent: float) -> bool:
    """Whether a draw passes a chance in percent; 0 never passes, 100 always. Chances are exact to 0.01 %."""
    if percent <= 0:
        return False
    return percent >= 100 or number * _RANGE * 10000 < int(percent * 100 + 0.5) * _RANGE


class HashDraw:
    """Draws from a hash of entry, salt, session and turn; purposes other than `probability` add themselves."""

    def __init__(self, session: str = "", turn: int | str = 0, salt: str = "") -> None:
        self.session = session
        self.turn = turn
        self.salt = salt

    def number(self, entry: str, purpose: str, index: int) -> float:
        """A multiple of 2^-32 in [0, 1)."""
        parts = [entry, self.salt, self.session, str(self.turn)]
        if purpose != "probability":
            parts += [purpose, str(index)]
        return fmix32(fnv1a32(_UNIT.join(parts))) / _RANGE


class LoreDraw(HashDraw):
    """Draws that know the entries: one with a `seed_salt` draws with it, and one that stands in the system prompt by
    its channel draws once a session."""

    def __init__(self, session: str, turn: int | str, lore: Lore) -> None:
        super().__init__(session, turn)
        self._lore = lore

    def number(self, entry: str, purpose: str, index: int) -> float:
        """See `HashDraw.number`."""
        found = self._lore.find(entry)
        if found is None:
            return super().number(entry, purpose, index)
        written = found.entry
        salt = written.seed_salt if isinstance(written.seed_salt, str) else self.salt
        slot = found.traits.slot
        steady = slot is not None and slot.is_system
        return HashDraw(self.session, "session" if steady else self.turn, salt).number(entry, purpose, index)


def draw_for(turn: Turn, messages: int, lore: Lore | None = None) -> HashDraw:
    """The draws of a turn: from its session and its number; without one, from the number of messages that are
    scanned, so that a swipe draws as the reply it replaces. With a lore its entries' salts count."""
    number = messages if turn.number is None else turn.number
    return HashDraw(turn.session, number) if lore is None else LoreDraw(turn.session, number, lore)


class SequenceDraw:
    """Draws that are given one by one, as recorded; `used` are those taken so far."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._numbers = iter(numbers)
        self.used: list[float] = []

    def number(self, entry: str, purpose: str, index: int) -> float:
        """The next number, whatever it is for.

        Raises:
            StopIteration: more numbers are asked for than there are.
        """
        del entry, purpose, index
        found = next(self._numbers)
        self.used.append(found)
        return found
