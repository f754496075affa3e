"""All checks over one book, in the order in which a person would mend it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lorewright.core.model import Report
from lorewright.lint import budget, channels, entries, keys, regexes
from lorewright.lint.subject import Check, Subject

__all__ = ["CHECKS", "check_book"]

_UNKNOWN: Final = "decorator_unknown"
CHECKS: Final[tuple[Check, ...]] = (
    keys.find_blank_keys,
    keys.find_line_breaks,
    keys.find_joined_keys,
    keys.find_glued_keys,
    keys.find_inner_matches,
    keys.find_duplicate_keys,
    regexes.find_broken_regexes,
    regexes.find_literal_slashes,
    regexes.find_anchored_regexes,
    regexes.find_greedy_regexes,
    regexes.find_slow_regexes,
    entries.find_idle_entries,
    entries.find_recursion_conflicts,
    entries.find_lost_folders,
    entries.find_unplaced_entries,
    entries.find_absent_fields,
    entries.find_ignored_secondary,
    entries.find_unknown_logic,
    entries.find_contradictions,
    entries.find_unknown_triggers,
    entries.find_decorators,
    entries.find_broken_code,
    entries.find_empty_contents,
    channels.find_rerouted,
    channels.find_costly_replacements,
    budget.find_big_entries,
    budget.find_big_constants,
)


def check_book(subject: Subject, read: Iterable[Report] = ()) -> tuple[Report, ...]:
    """Everything there is to find: what was noted while reading (`read`) and preparing, then every check.

    Disabled entries are left alone. A value of a wrong type that the reader has noted is not named a second time, and of
    decorators that are not known the check speaks, which knows what becomes of them under the policy.
    """
    found = tuple(report for check in CHECKS for report in check(subject))
    told = {report.entry for report in found if report.code == _UNKNOWN}
    noted = tuple(report for report in read if report.code != _UNKNOWN or report.entry not in told)
    places = {(report.entry, report.field) for report in noted if report.field}
    prepared = (report for report in subject.book.reports if (report.entry, report.field) not in places)
    return (*noted, *prepared, *found)
