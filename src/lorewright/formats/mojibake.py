"""Texts that were read in a wrong encoding once, or hold HTML entities: seen and reported, never changed unasked.

UTF-8 read as Windows-1252 turns `é` into two characters, `Ã©`, and a Chinese character into three (spec formats §3.5).
"""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.model import Entry
from lorewright.formats.imported import Notes

__all__ = ["note_text", "note_texts", "repair_mojibake"]

_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_BYTES: Final = {
    character: byte
    for byte in range(0x80, 0x100)
    for character in {bytes([byte]).decode("cp1252", "ignore"), chr(byte)}
    if character
}
"""By character: the byte as which Windows-1252 or Latin-1 shows it."""
_RUN: Final = re.compile(f"[{re.escape(''.join(_BYTES))}]{{2,}}")
_SURE: Final = frozenset("ÂÃ")
_SHOWN: Final = 40
_SAMPLE: Final = 100_000
"""So many characters of a text are looked at."""


def repair_mojibake(text: str) -> str:
    """The text with every run that is UTF-8 read as Windows-1252 or Latin-1 read rightly; itself if there is none.

    A single pair of characters counts only if it begins with `Â` or `Ã`: others occur in good texts (`CAFÉ”`).
    """
    return _RUN.sub(_repair, text)


def _repair(found: re.Match[str]) -> str:
    run = found[0]
    try:
        plain = bytes(map(_BYTES.__getitem__, run)).decode("utf-8")
    except UnicodeDecodeError:
        return run
    is_sure = len(plain) > 1 or len(run) > len(plain) + 1 or run[0] in _SURE
    return plain if is_sure and plain.isprintable() else run


def note_text(text: object, what: str, notes: Notes, *, entry: object = "", field: str = "") -> None:
    """Report what is odd in a text; `what` names it for people."""
    if not isinstance(text, str):
        return
    sample = text[:_SAMPLE]
    found = (
        next((run for run in _RUN.finditer(sample) if _repair(run) != run[0]), None) if not sample.isascii() else None
    )
    if found:
        shown = sample[max(0, found.start() - _SHOWN // 2) : found.end() + _SHOWN // 2]
        message = (
            f"{what} looks like UTF-8 that was read in another encoding: {shown!r} would be {repair_mojibake(shown)!r}. "
            "It is kept as it is; `lorewright.formats.mojibake.repair_mojibake` repairs it."
        )
        notes.add("mojibake_suspected", message, entry=entry, field=field)
    if "&" in sample and (entity := _ENTITY.search(sample)):
        message = f"{what} holds HTML entities such as `{entity[0]}`; they are kept."
        notes.add("html_entities_found", message, "info", entry=entry, field=field)


def note_texts(entry: Entry, notes: Notes) -> None:
    """Report what is odd in the texts of an entry."""
    texts = (("title", entry.title), ("content", entry.content))
    for field, text in texts:
        note_text(text, f"The {field} of entry {entry.uid}", notes, entry=entry.uid, field=field)
    for key in entry.keys if isinstance(entry.keys, tuple) else ():
        note_text(key, f"A key of entry {entry.uid}", notes, entry=entry.uid, field="keys")
