"""How much a reader takes in (spec formats §6). Each limit is named in the error or report of its breach."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BOOK_ENTRIES",
    "BOOK_ENTRIES_REFUSED",
    "CARD_NESTING",
    "CONTENT_CHARACTERS",
    "ENTRY_KEYS",
    "FILE_BYTES",
    "INFLATE_FREE_BYTES",
    "INFLATE_RATIO",
    "JSON_CHARACTERS",
    "JSON_CONTAINERS",
    "JSON_DEPTH",
    "JSON_NODES",
    "MIB",
    "PNG_CHUNKS",
    "PNG_INFLATED_BYTES",
    "PNG_TEXT_BYTES",
    "PNG_TEXT_TOTAL_BYTES",
    "RISUM_ASSETS",
    "YAML_BYTES",
    "YAML_NODES",
    "ZIP_MEMBERS",
    "ZIP_MEMBER_BYTES",
    "ZIP_RATIO",
    "ZIP_TOTAL_BYTES",
]

MIB: Final = 1024 * 1024

FILE_BYTES: Final = 64 * MIB
JSON_CHARACTERS: Final = 32 * MIB
JSON_DEPTH: Final = 64
JSON_NODES: Final = 2_000_000
JSON_CONTAINERS: Final = 2_000_000
"""Opening brackets in a JSON text, counted before it is parsed; those inside texts count too."""

BOOK_ENTRIES: Final = 20_000
BOOK_ENTRIES_REFUSED: Final = 5 * BOOK_ENTRIES
ENTRY_KEYS: Final = 512
CONTENT_CHARACTERS: Final = MIB
CARD_NESTING: Final = 3

RISUM_ASSETS: Final = 10_000

PNG_CHUNKS: Final = 4096
PNG_TEXT_BYTES: Final = 32 * MIB
PNG_TEXT_TOTAL_BYTES: Final = 48 * MIB
PNG_INFLATED_BYTES: Final = 32 * MIB
INFLATE_RATIO: Final = 200
INFLATE_FREE_BYTES: Final = MIB
"""Up to this size the ratio is not looked at: a short text may shrink a lot without being a bomb."""

ZIP_MEMBERS: Final = 2_000
ZIP_MEMBER_BYTES: Final = 50 * MIB
ZIP_TOTAL_BYTES: Final = 256 * MIB
"""Of all members of one archive together, counted while they are inflated."""
ZIP_RATIO: Final = 100

YAML_BYTES: Final = 4 * MIB
YAML_NODES: Final = 200_000
"""Values after aliases are followed."""
