"""Tables in Markdown."""

from __future__ import annotations

import re
from typing import Final

from lorewright.formats.markdown.fields import KNOWN, fold_name

__all__ = ["CONTENT_NAMES", "find_table", "is_row", "read_cells"]

_ROW: Final = re.compile(r"[ \t]*\|.*\|[ \t\r]*", re.DOTALL)
_RULE: Final = re.compile(r"[ \t]*\|?[ \t]*:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_BREAK: Final = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
CONTENT_NAMES: Final = frozenset({"content", "text", "内容", "正文"})


def is_row(line: str) -> bool:
    return _ROW.fullmatch(line) is not None


def find_table(lines: list[str], inside: bytearray, start: int) -> int | None:
    """The line of the first table whose head names keywords or content."""
    for at in range(start, len(lines) - 1):
        if "|" not in lines[at] or inside[at] or not is_row(lines[at]) or not _RULE.fullmatch(lines[at + 1]):
            continue
        names = {fold_name(cell) for cell in read_cells(lines[at])}
        if not CONTENT_NAMES.isdisjoint(names) or any(
            KNOWN[name][0].field == "keys" for name in names if name in KNOWN
        ):
            return at
    return None


def read_cells(line: str) -> list[str]:
    inner = line.strip()[1:-1]
    return [_BREAK.sub("\n", cell.strip().replace("\\|", "|")) for cell in _CELL_END.split(inner)]
