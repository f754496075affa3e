"""What there is to report, for answers in JSON."""

from __future__ import annotations

from lorewright.core.model import Report

__all__ = ["report_object"]


def report_object(report: Report) -> dict[str, str]:
    return {
        "code": report.code,
        "level": report.level,
        "book": report.book,
        "entry": report.entry,
        "field": report.field,
        "message": report.message,
    }
