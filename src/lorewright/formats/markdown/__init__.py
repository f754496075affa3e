"""Markdown lorebooks: one heading per entry, bullets for its fields, then its text (spec formats §5)."""
