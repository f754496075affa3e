"""What cannot work as it is written: a book in, findings out. Every check is a small function of a `Subject`."""

from lorewright.lint.book import CHECKS, check_book
from lorewright.lint.subject import Check, Subject
from lorewright.lint.task_filter import check_task_filter

__all__ = ["CHECKS", "Check", "Subject", "check_book", "check_task_filter"]
