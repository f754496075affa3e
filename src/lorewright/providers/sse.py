"""Server-sent events, decoded piece by piece as bytes arrive.

Every byte of a stream belongs to exactly one event, and which one depends on the bytes alone, never on how they were
cut on the way. So a proxy can leave out one event and pass on all other bytes as they came.

Source of the rules: the event stream format of the HTML standard ("Parsing an event stream", "Interpreting an event
stream"). What goes beyond it: comments and empty lines between events come out at once as events without data, a
stream that ends in the middle gives what is there, and an event beyond the limit comes out in slices without data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["DEFAULT_LIMIT_BYTES", "DONE", "Decoder", "Event", "encode_event"]

DEFAULT_LIMIT_BYTES: Final = 8 * 1024 * 1024
"""An event with a picture in it has some megabytes."""

DONE: Final = "[DONE]"
"""The data of the last event of a stream of OpenAI's older APIs."""

_LEAST_LIMIT_BYTES: Final = 16
_BOM: Final = b"\xef\xbb\xbf"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Event:
    """One event, or what stands between two.

    raw: its bytes, with the empty line that ends it. data: the text of its `data` lines, joined with LF; None if it
    has none (a comment, an empty line, a slice of an event beyond the limit). name: of its `event` line, empty without
    one. is_whole: false for a slice, and for what a stream had begun when it ended.
    """

    raw: bytes
    data: str | None = None
    name: str = ""
    is_whole: bool = True

    @property
    def is_done(self) -> bool:
        """Whether this says that the stream is at its end."""
        return self.data is not None and self.data.strip() == DONE


class Decoder:
    """Bytes in, events out. `raw` of all events in a row, those of `close` included, are the bytes that came in."""

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        if limit_bytes < _LEAST_LIMIT_BYTES:
            raise ValueError(f"`limit_bytes` is {limit_bytes}; an event needs at least {_LEAST_LIMIT_BYTES}.")
        self.limit_bytes = limit_bytes
        self._pending = bytearray()
        self._line = 0
        """Where the line begins that is not complete yet; below 0 if slices of it have gone."""
        self._searched = 0
        self._fields: list[bytes] = []
        self._is_begun = False
        """Whether the event has a line."""
        self._is_sliced = False
        self._ended_in_cr = False
        """Whether the last line ended in a CR alone."""
        self._owes_lf = False
        """Whether an LF may come that belongs to the CR with which the last event ended."""
        self._is_first_line = True

    def feed(self, chunk: bytes) -> list[Event]:
        """What is complete with these bytes."""
        self._pending += chunk
        events = list(self._complete(is_last=False))
        if len(self._pending) > self.limit_bytes:
            # The last byte stays: it may be half of a line end.
            events += self._slices(len(self._pending) - 1)
        return events

    def close(self) -> list[Event]:
        """What is left when the stream has ended. An event that lacks its empty line has the data it got."""
        events = list(self._complete(is_last=True))
        if self._pending:
            self._take_line(self._first(bytes(self._pending[max(self._line, 0) :])))
            events += self._event(len(self._pending), is_whole=False)
        return events

    def _complete(self, *, is_last: bool) -> Iterator[Event]:
        while (found := self._line_end(is_last=is_last)) is not None:
            start, end = found
            line = self._first(bytes(self._pending[self._line : start]) if self._line >= 0 else b":")
            is_blank = not line
            is_between = not self._is_begun and (is_blank or line.startswith(b":"))
            if not is_blank and not is_between:
                self._take_line(line)
            self._ended_in_cr = self._pending[end - 1] == 0x0D
            if is_blank or is_between:
                yield from self._event(end)
            else:
                self._line = self._searched = end

    def _line_end(self, *, is_last: bool) -> tuple[int, int] | None:
        """Where the next line ends, without and with its end; None while that is not known."""
        pending = self._pending
        if self._owes_lf and pending:
            self._owes_lf = False
            self._line = self._searched = int(pending[0] == 0x0A)
        found = _LINE_END.search(pending, self._searched)
        if found is None:
            self._searched = len(pending)
            return None
        start, end = found.span()
        if pending[start] == 0x0D:
            # The line before ended in a CR alone, so a CR ends the event without a look at what follows: a stream
            # that is written so would else be one event late.
            if self._is_begun and start == self._line and self._ended_in_cr:
                self._owes_lf = True
                return start, start + 1
            if end == len(pending) and end == start + 1 and not is_last:
                self._searched = start
                return None
        return start, end

    def _first(self, line: bytes) -> bytes:
        """The line without the mark that may stand before the first one."""
        is_first, self._is_first_line = self._is_first_line, False
        return line.removeprefix(_BOM) if is_first else line

    def _take_line(self, line: bytes) -> None:
        self._is_begun = True
        if not self._is_sliced:
            self._fields.append(line)

    def _event(self, end: int, *, is_whole: bool = True) -> Iterator[Event]:
        """What is pending up to here as one event, or as slices of one."""
        if self._is_sliced or end > self.limit_bytes:
            yield from self._slices(end)
            if rest := end % self.limit_bytes:
                yield Event(self._cut(rest), is_whole=False)
        else:
            data, name = _read_fields(self._fields)
            yield Event(self._cut(end), data, name, is_whole)
        self._fields = []
        self._is_begun = self._is_sliced = False
        self._line = self._searched = 0

    def _slices(self, end: int) -> Iterator[Event]:
        """What is pending of an event beyond the limit, in slices of the limit; what is left is shorter than one."""
        if not self._is_sliced:
            self._is_sliced = True
            self._is_begun = self._is_begun or not self._has_comment()
        self._fields = []
        for _ in range(end // self.limit_bytes):
            yield Event(self._cut(self.limit_bytes), is_whole=False)
            self._line -= self.limit_bytes
            self._searched = max(self._searched - self.limit_bytes, 0)

    def _has_comment(self) -> bool:
        """Whether the line that has begun is a comment, which ends with its line if it stands between events."""
        start = bytes(self._pending[self._line : self._line + len(_BOM) + 1])
        return (start.removeprefix(_BOM) if self._is_first_line else start).startswith(b":")

    def _cut(self, size: int) -> bytes:
        piece = bytes(self._pending[:size])
        del self._pending[:size]
        return piece


def _read_fields(lines: list[bytes]) -> tuple[str | None, str]:
    """The data and the name of an event."""
    data: list[str] = []
    name = ""
    for line in lines:
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif field == b"event":
            name = value.removeprefix(b" ").decode("utf-8", "replace")
    return "\n".join(data) if data else None, name


def encode_event(data: object, name: str = "") -> bytes:
    """An event of ours: JSON in one line (a text goes as it is), and its name before it if it has one."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    lines = [f"event: {name}"] if name else []
    lines += [f"data: {line}" for line in text.split("\n")]
    return ("\n".join(lines) + "\n\n").encode("utf-8", "backslashreplace")
