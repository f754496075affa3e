"""What is not done, and why: as data, and as a report for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from lorewright.core.model import Report

__all__ = ["CATEGORIES", "Category", "Refusal", "Refused", "report_of"]

Category: TypeAlias = Literal[
    "path_missing",
    "parent_missing",
    "target_not_collection",
    "schema_not_extensible",
    "schema_required",
    "merge_type_mismatch",
    "element_not_found",
    "no_target",
    "delta_not_number",
    "value_not_number_or_date",
    "unsupported_command",
    "value_not_number",
    "unsafe_path",
    "read_only",
    "too_large",
    "too_many",
    "block_not_closed",
    "not_a_command",
    "unknown_command",
    "patch_unreadable",
]
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
_QUOTED: Final = 120


class Refused(Exception):
    """A command cannot be carried out. `message` is a sentence for people."""

    def __init__(self, category: Category, message: str) -> None:
        super().__init__(message)
        self.category = category
        self.message = message


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that was left out. `index` is its place among the commands that were found; -1: it is none of them.

    `text` is what stood in the message.
    """

    index: int
    op: str
    path: str
    category: Category
    message: str
    text: str


def report_of(refusal: Refusal) -> Report:
    """The refusal for people, with the text of the command."""
    text = refusal.text if len(refusal.text) <= _QUOTED else f"{refusal.text[:_QUOTED]}…"
    return Report(code=f"mvu_{refusal.category}", message=f"{refusal.message} Left out: `{text}`", field=refusal.path)
