"""The texts in which keys of rows are looked for (spec risu §8.1): messages, the oldest first, then texts of rows."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.core.model import Turn
from lorewright.core.scan import Place, Scan, View

__all__ = ["RowScan", "chat_length", "scan_rows"]


class RowScan(Scan):
    """A scan text without names, white space cut off nowhere, the oldest message of a view first."""

    __slots__ = ()

    def pieces(self, view: View) -> Iterator[str]:
        """The pieces of a view in scan order, without the separators."""
        yield from reversed(self.messages[: view.messages])
        for chunk in self.chunks[: view.chunks]:
            yield chunk.text

    def _origin(self, view: View, piece: int, within: int) -> tuple[Place, int]:
        shown = min(view.messages, len(self.messages))
        if piece < shown:
            index = self.places[shown - 1 - piece]
            return Place("message", index, self.turn.messages[index].name), within
        return Place("recursion", name=self.chunks[piece - shown].entries[0]), within


def scan_rows(turn: Turn) -> RowScan:
    """All messages, hidden ones too, but for the greeting and the reply that a swipe replaces."""
    places = list(range(_greetings(turn), len(turn.messages)))
    if turn.trigger == "swipe" and places:
        places.pop()
    places.reverse()
    return RowScan(turn, False, [turn.messages[place].text for place in places], places, (), ())


def chat_length(turn: Turn, scan: Scan) -> int:
    """How long the chat is for gates: its messages and the greeting, which always counts as one."""
    return turn.earlier_messages + len(scan.messages) + (not turn.earlier_messages)


def _greetings(turn: Turn) -> int:
    """A chat whose first message is the assistant's begins with its greeting."""
    begins = not turn.earlier_messages and bool(turn.messages)
    return int(begins and turn.messages[0].role == "assistant")
