"""Values that stand in a text while it is being worked on, and are not looked at."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Held", "Source"]

_MARK: Final = "\0"
_PLACE: Final = re.compile("\0([0-9]+)\0")


class Source(str):
    """A text that becomes part of the text it is put into: macros in it may run."""

    __slots__ = ()


class Held:
    """Keeps values apart from a text: a mark stands for each, until `restore` puts them in.

    With `scanned`, values are put into the text at once, as the old engine does.
    """

    def __init__(self, *, scanned: bool) -> None:
        self._scanned = scanned
        self._values: list[str] = []

    def open(self, text: str) -> str:
        """A text as it is worked on: characters that look like a mark are kept as values."""
        return text if self._scanned or _MARK not in text else text.replace(_MARK, self.put(_MARK))

    def put(self, value: str) -> str:
        """What stands for a value in the text."""
        if self._scanned or not value or isinstance(value, Source):
            return value
        self._values.append(value)
        return f"{_MARK}{len(self._values) - 1}{_MARK}"

    def restore(self, text: str) -> str:
        """A text or a part of one with its values."""
        if self._scanned or _MARK not in text:
            return text
        return _PLACE.sub(lambda found: self._values[int(found[1])], text)
