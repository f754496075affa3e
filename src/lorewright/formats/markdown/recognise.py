"""Whether a text is a Markdown lorebook, judged by its headings, its front matter or its table (spec formats §2)."""

from __future__ import annotations

import re
from typing import Final

from lorewright.formats.markdown.fields import KNOWN, fold_name
from lorewright.formats.markdown.front import find_front_matter
from lorewright.formats.markdown.reader import CHARACTERS, SINGLE
from lorewright.formats.markdown.table import find_table

__all__ = ["is_markdown"]

_ENTRY: Final = re.compile(r"^##(?:[ \t]+\S|[ \t\r]*\n(?:[ \t\r]*\n)*[-*+][ \t]+[^\n:：`]{1,24}[:：])", re.MULTILINE)
"""A heading with a title, or one without and a field below it."""
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_PAIR: Final = re.compile(r"^[A-Za-z_]\w*:(?:\s|$)", re.MULTILINE)


def is_markdown(text: str) -> bool:
    """Front matter makes Markdown of a text only if it ends, and names keywords or has headings below it."""
    if len(text) > CHARACTERS:
        text = text[:CHARACTERS]
    if not text.startswith("---"):
        return _ENTRY.search(text) is not None or _has_table(text)
    lines = text.replace("\r\n", "\n").split("\n")
    front = find_front_matter(lines)
    if not front.line_count:
        return False
    rest = "\n".join(lines[front.line_count :])
    names = {KNOWN[folded][0].field for name in front.values if (folded := fold_name(name)) in KNOWN}
    if not SINGLE.isdisjoint(names):
        return True
    return (_HEADING.search(rest) is not None and _PAIR.search(rest) is None) or _has_table(rest)


def _has_table(text: str) -> bool:
    return "|" in text and find_table(text.split("\n"), bytearray(text.count("\n") + 1), 0) is not None
