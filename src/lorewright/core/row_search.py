"""Looking for the keys of rows, text after text, the oldest message first (spec risu §8.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from lorewright.core.keys import Key
from lorewright.core.match import RegexRunner
from lorewright.core.policy import RowRules
from lorewright.core.protocols import Regexes
from lorewright.core.row_text import RowText
from lorewright.core.rows import KeySet
from lorewright.core.scan import SEPARATOR, Scan, View
from lorewright.errors import RegexError

__all__ = ["Hit", "RowSearch", "row_view"]

_SLASH: Final = "/"


class Hit(NamedTuple):
    """A key that was found: in which text of the view, as the row has it, and as it was looked for."""

    view: View
    text: int
    written: str
    key: Key


def row_view(depth: float, messages: int, chunks: int, rules: RowRules) -> View:
    """The part of the scan text that a scan depth means in a chat of so many messages.

    No number is all messages. RisuAI's depth is where a slice of a JavaScript array begins, so one that is larger than
    the chat wraps around.
    """
    if depth != depth:  # noqa: PLR0124 - NaN
        return View(messages, 0, chunks)
    if not rules.depth_wraps:
        return View(max(0, int(min(depth, messages))), 0, chunks)
    start = int(max(messages - depth, -messages))
    if start < 0:
        start += messages
    return View(max(0, messages - start), 0, chunks)


class RowSearch:
    """Matching for one evaluation; the texts grow with it.

    A key that is not in a text never will be, so each text is looked through once for each set of keys.
    """

    def __init__(self, scan: Scan, regexes: Regexes, rules: RowRules) -> None:
        self.scan = scan
        self.rules = rules
        self.runner = RegexRunner(regexes)
        self.regexes = regexes
        self._messages: dict[int, RowText] = {}
        self._chunks: list[RowText] = []
        self._patterns: dict[tuple[str, str], Key | None] = {}
        self._looked: dict[tuple[int, int], int] = {}

    def find_any(self, wanted: KeySet, view: View, *, by_regex: bool) -> Hit | None:
        """The first key that is in a text, the texts in order and in each the keys in order."""
        if by_regex and self.rules.regex_keeps_slash:
            return self._find_spoilt(wanted.keys, view)
        looked = (id(wanted), view.messages)
        before = self._looked.get(looked, 0)
        end = min(view.messages, len(self.scan.messages)) + view.chunks
        if before >= end:
            return None
        for number, text in self._texts(view, before):
            for key in wanted.keys:
                if self._is_in(key, text):
                    return Hit(view, number, key.text, key)
        self._looked[looked] = end
        return None

    def fresh(self, first: int) -> str:
        """All texts of rows from a number on, without blanks and comments: a key that is not in it is in none of
        them."""
        self._read_chunks(len(self.scan.chunks))
        return SEPARATOR.join(text.squeezed for text in self._chunks[first:])

    def find_all(self, wanted: KeySet, view: View) -> tuple[bool, list[Hit]]:
        """Whether every text has every key; without a key or a text it has. And every key that was found."""
        hits: list[Hit] = []
        whole = True
        for number, text in self._texts(view, 0):
            for key in wanted.keys:
                if self._is_in(key, text):
                    hits.append(Hit(view, number, key.text, key))
                else:
                    whole = False
        return whole, hits

    def _texts(self, view: View, first: int) -> Iterator[tuple[int, RowText]]:
        shown = min(view.messages, len(self.scan.messages))
        for number in range(first, shown):
            place = shown - 1 - number
            if place not in self._messages:
                self._messages[place] = RowText(self.scan.messages[place])
            yield number, self._messages[place]
        self._read_chunks(view.chunks)
        for number in range(max(first - shown, 0), view.chunks):
            yield shown + number, self._chunks[number]

    def _read_chunks(self, count: int) -> None:
        while len(self._chunks) < count:
            self._chunks.append(RowText(self.scan.chunks[len(self._chunks)].text))

    def _is_in(self, key: Key, text: RowText) -> bool:
        if key.kind == "plain":
            return text.holds(key.needle, whole_words=key.whole_words)
        return key.kind == "regex" and self.runner.search(key, text.text) is not None

    def _find_spoilt(self, keys: tuple[Key, ...], view: View) -> Hit | None:
        """As RisuAI does it: what stands before the flags is the pattern, with its first slash; for the next text that
        pattern is taken for the key. A pattern that cannot be compiled ends the search."""
        written = [key.text for key in keys]
        for number, text in self._texts(view, 0):
            for place, key in enumerate(written):
                if not key.startswith(_SLASH):
                    return None
                pattern, _, flags = key.rpartition(_SLASH)
                if not flags:
                    continue
                written[place] = pattern
                compiled = self._compile(pattern, flags)
                if compiled is None:
                    return None
                if self.runner.search(compiled, text.text) is not None:
                    return Hit(view, number, key, compiled)
        return None

    def _compile(self, pattern: str, flags: str) -> Key | None:
        if (pattern, flags) not in self._patterns:
            try:
                self.regexes.compile(pattern, flags)
            except RegexError:
                self._patterns[pattern, flags] = None
            else:
                self._patterns[pattern, flags] = Key("regex", pattern, flags)
        return self._patterns[pattern, flags]
