"""Texts that are too long for the budget. Macros are counted as they are written."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.core.budget import limit_tokens
from lorewright.core.model import Report
from lorewright.lint.subject import Subject, finding

__all__ = ["find_big_constants", "find_big_entries"]


def find_big_entries(subject: Subject) -> Iterator[Report]:
    """Entries that alone are more than the budget, and so can never be in the prompt."""
    limit = limit_tokens(subject.policy, subject.context_tokens)
    exact_fits = not subject.policy.switches.budget_refuses_exact_fit
    for entry in subject.entries:
        if entry.traits.ignores_budget:
            continue
        tokens = subject.counter.count(entry.content)
        if tokens > limit or (tokens == limit and not exact_fits):
            message = f"The text has {tokens} tokens; the whole budget is {limit}. It can never be in the prompt."
            yield finding(entry, "entry_over_budget", message, field="content")


def find_big_constants(subject: Subject) -> Iterator[Report]:
    """Constant entries that together are more than the budget, so that some of them are always missing."""
    limit = limit_tokens(subject.policy, subject.context_tokens)
    constants = [entry for entry in subject.entries if entry.traits.constant or entry.activate]
    tokens = sum(subject.counter.count(entry.content) for entry in constants)
    if tokens > limit:
        yield Report(
            code="constants_over_budget",
            message=f"The {len(constants)} constant entries have {tokens} tokens together; the whole budget is {limit}. "
            "Some of them are always left out, and nothing is left for the others.",
            book=subject.book.book.name,
            field="content",
        )
