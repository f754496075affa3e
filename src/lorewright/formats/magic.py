"""Formats known by their first bytes (spec formats §2 step 2), and the one that is known by the name of the file."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from lorewright.formats.png import SIGNATURE

__all__ = ["CURSOR", "is_agent_file", "name_binary"]

_PREFIXES: Final = (
    (b"\x1f\x8b", "gzip"),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf", "seven_zip"),
    (b"version https://git-lfs", "lfs_pointer"),
    (b"SQLite format 3\0", "sqlite"),
)
_ZIP_MEMBER: Final = b"PK\x03\x04"
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_WITHIN: Final = 65_557
_JPEG: Final = b"\xff\xd8\xff"
_RPACK_BRACE: Final = 0xE6
"""What RisuAI's fixed byte substitution makes of `{`."""
_PICKLE_NEWEST: Final = 5

_NAMES: Final = frozenset(
    {"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", ".cursorrules"}
)
_FOLDER: Final = re.compile(r"(?:^|/)\.(?:claude|cursor)/rules/(?:.*/)?[^/]+\.md$", re.IGNORECASE)
CURSOR: Final = ".mdc"
"""The ending of Cursor's rule files."""


def name_binary(data: bytes) -> str:
    """The id of the format that these bytes begin (or, for ZIP, end) with, or "" for what may be text."""
    if data.startswith(SIGNATURE):
        return "png"
    if data.startswith(_ZIP_MEMBER):
        return _name_zip(data)
    if known := _name_head(data):
        return known
    if data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_WITHIN)) >= 0:
        return _name_zip(data)
    return "jpeg" if data.startswith(_JPEG) else ""


def _name_head(data: bytes) -> str:
    """Formats known by their first bytes for sure, whatever stands at their end; a JPEG may have an archive there."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    if _is_risum(data):
        return "risum"
    if len(data) > 1 and data[0] == 0x80 and data[1] <= _PICKLE_NEWEST:
        return "pickle"
    return next((kind for prefix, kind in _PREFIXES if data.startswith(prefix)), "")


def _name_zip(data: bytes) -> str:
    """By the names of its members, which stand in the archive unpacked. Nothing is opened."""
    if b"data.pkl" in data:
        return "pickle"
    if b"card.json" in data:
        return "charx_jpeg" if data.startswith(_JPEG) else "charx"
    return "byaf" if b"manifest.json" in data else "zip"


def _is_risum(data: bytes) -> bool:
    length = int.from_bytes(data[2:6], "little")
    return data.startswith(b"\x6f\x00") and 0 < length <= len(data) - 6 and data[6] == _RPACK_BRACE


def is_agent_file(path: str) -> bool:
    """Whether a file is a rule file by its name, or by the folder in which it stands."""
    name = PurePath(path).name.lower()
    return name in _NAMES or name.endswith(CURSOR) or _FOLDER.search(path.replace("\\", "/")) is not None
