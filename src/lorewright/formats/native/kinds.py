"""Which of our own files a parsed value is: they begin alike, and say by `kind` what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["DOCUMENTS", "name_document"]

DOCUMENTS: Final[Mapping[str, str]] = {"preset": "native_preset", "card": "native_card", "persona": "native_persona"}
"""By what stands at `kind`: the id of the format in `formats.kinds.KINDS`. A book says nothing."""


def name_document(value: object) -> str:
    """The format of a file of ours that is no book, or ""."""
    kind = value.get("kind") if isinstance(value, dict) and "lorewright" in value else None
    return DOCUMENTS.get(kind, "") if isinstance(kind, str) else ""
