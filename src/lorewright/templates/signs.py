"""Whether a text could hold macros of a dialect, told without loading the dialect. Yes too often is harmless."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ANGLES_OF_CBS", "in_braces", "of_cbs", "of_legacy", "of_sillytavern"]

_OF_SILLYTAVERN: Final = re.compile(r"\{\{|\\[{}]|<(?:user|bot|char|group|charifnotgroup)>", re.IGNORECASE)
_ANGLES: Final = re.compile(r"<(?:user|bot|char|group|charifnotgroup)>", re.IGNORECASE | re.ASCII)
ANGLES_OF_CBS: Final = re.compile(r"<(user|char|bot)>", re.IGNORECASE | re.ASCII)


def in_braces(text: str) -> bool:
    """For `rules`, `bme` and `host-strict`."""
    return "{{" in text


def of_sillytavern(text: str) -> bool:
    """For SillyTavern's new engine, which takes backslashes off braces, too."""
    might = "{{" in text or "<" in text or "\\" in text
    return might and _OF_SILLYTAVERN.search(text) is not None


def of_legacy(text: str) -> bool:
    """For its old engine."""
    return "{{" in text or ("<" in text and _ANGLES.search(text) is not None)


def of_cbs(text: str) -> bool:
    """For RisuAI's CBS."""
    return "{" in text or ("<" in text and ANGLES_OF_CBS.search(text) is not None)
