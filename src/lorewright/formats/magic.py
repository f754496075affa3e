"""Formats known by their first bytes (spec formats §2 step 2) and texts known by their first lines (steps 5, 6)."""

from __future__ import annotations

import re
from typing import Final

from lorewright.formats.markdown.recognise import is_markdown
from lorewright.formats.png import SIGNATURE

__all__ = ["name_binary", "name_text"]

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

_YAML_FIELD: Final = re.compile(r"^(?P<name>[A-Za-z_]\w*):(?:\s|$)", re.MULTILINE)
_YAML_NAMES: Final = frozenset({"name", "context", "greeting", "spec"})


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


def name_text(head: str) -> str:
    """The id of a format of text that is not JSON, judged by its first lines, or ""."""
    if head.startswith("version https://git-lfs"):
        return "lfs_pointer"
    if head.startswith("---") and is_markdown(head):
        return "markdown_lorebook"
    if head.startswith(("---", "# yaml")) or _has_yaml_fields(head):
        return "yaml"
    return "markdown_lorebook" if is_markdown(head) else ""


def _has_yaml_fields(head: str) -> bool:
    names = [match["name"] for match in _YAML_FIELD.finditer(head)]
    return len(names) > 1 and not _YAML_NAMES.isdisjoint(names)
