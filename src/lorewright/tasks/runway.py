"""The two runways of seed 000: what is kept from a task, and what becomes of the texts of those that it reads.

A runway is chosen once (`choose_runway`); whoever works on one asks no further which it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from lorewright.mvu.detect import IgnoreReason, find_ignore_reason
from lorewright.mvu.sanitize import Blocked, Sanitized, sanitize
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.settings import TaskSettings

__all__ = ["DEFAULT", "Removal", "RemovalReason", "Runway", "choose_runway", "custom_runway"]

RemovalReason = Literal[IgnoreReason, "custom_keyword", "disabled"]


@dataclass(frozen=True, slots=True)
class Removal:
    """An entry that a task does not read. lazy: its book was only read when code asked for it."""

    entry: TaskEntry
    reason: RemovalReason
    keyword: str = ""
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Runway:
    """filter: why an entry is not read; None: it is. cleans: texts that come from books are sanitised wherever they go,
    and so is what is sent when nothing else is left. remembers: the texts of filtered entries are taken out of others,
    and code that asks for such an entry is told that it was filtered.
    """

    filter: Callable[[TaskEntry], Removal | None]
    cleans: bool
    remembers: bool

    def clean(self, text: str, mode: str, blocked: Blocked) -> Sanitized:
        """What becomes of a text that comes from a book."""
        return sanitize(text, mode, blocked) if self.cleans else Sanitized(text)


def choose_runway(settings: TaskSettings) -> Runway:
    """The runway that the settings ask for."""
    return custom_runway(settings.keywords) if settings.is_custom else DEFAULT


def custom_runway(keywords: tuple[str, ...]) -> Runway:
    """The user's keywords in place of everything that has to do with MVU; keywords are lower-cased."""
    return Runway(partial(_filter_custom, keywords), cleans=False, remembers=False)


def _filter_default(entry: TaskEntry) -> Removal | None:
    reason = find_ignore_reason(entry.name, entry.comment, entry.text)
    return Removal(entry, reason) if reason else None


def _filter_custom(keywords: tuple[str, ...], entry: TaskEntry) -> Removal | None:
    if not entry.enabled:
        return Removal(entry, "disabled")
    name = entry.name.lower()
    keyword = next((keyword for keyword in keywords if keyword in name), None)
    return None if keyword is None else Removal(entry, "custom_keyword", keyword)


DEFAULT: Final = Runway(_filter_default, cleans=True, remembers=True)
"""As the recorded program: tags and the look of a text, disabled entries too; what is filtered is blocked everywhere."""
