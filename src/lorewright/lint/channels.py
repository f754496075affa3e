"""Entries of the system prompt that are not always there."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.core.model import Report
from lorewright.lint.subject import Subject, finding

__all__ = ["find_costly_replacements", "find_rerouted"]


def find_rerouted(subject: Subject) -> Iterator[Report]:
    """Entries that take another channel than they ask for."""
    for entry in subject.entries:
        if entry.traits.slot and entry.traits.slot.route.is_rerouted:
            message = (
                "The entry is selective and of the channel `system`; it takes the channel `message`, so that the beginning "
                "of the prompt stays as it is. Write `channel: message`, or set `cache_unsafe`."
            )
            yield finding(entry, "cache_rerouted", message, field="channel")


def find_costly_replacements(subject: Subject) -> Iterator[Report]:
    """Selective entries that replace something in the system prompt."""
    for entry in subject.entries:
        if not entry.traits.constant and any(one.target == "system" for one in entry.replaces):
            message = (
                "The entry changes the system prompt by `replaces`, but it is not active in every turn. Each time it comes or "
                "goes, the prompt cache is lost from there on."
            )
            yield finding(entry, "cache_hostile_replace", message, field="replaces")
