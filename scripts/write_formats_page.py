"""Writes the tables of docs/reference/formats.md from the tables of the program: `python scripts/write_formats_page.py`."""

from __future__ import annotations

from pathlib import Path

from lorewright.core.model import Book, CharacterFilter, Entry
from lorewright.errors import FormatError
from lorewright.formats.kinds import KINDS
from lorewright.formats.read import read_book
from lorewright.formats.write import WRITERS, convert
from lorewright.formats.write_card import WRITTEN_BACK

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "formats.md"
BEGIN, END = "<!-- tables: scripts/write_formats_page.py -->", "<!-- end of tables -->"

FULL = {
    "keys": ("a", "b"), "secondary": ("c",), "content": "x", "title": "T", "enabled": False, "constant": False,
    "selective": True, "logic": 3, "order": 7, "position": 4, "depth": 2, "role": 1, "outlet": "o", "probability": 50,
    "use_probability": True, "scan_depth": 3, "case_sensitive": True, "whole_words": True, "group_scoring": True,
    "exclude_recursion": True, "prevent_recursion": True, "delay_until_recursion": 2, "group": "g",
    "group_override": True, "group_weight": 5, "sticky": 2, "cooldown": 3, "delay": 4, "ignore_budget": True,
    "triggers": ("swipe",), "filter": CharacterFilter(("A",)), "match_persona_description": True,
    "match_character_description": True, "match_character_personality": True, "match_character_depth_prompt": True,
    "match_scenario": True, "match_creator_notes": True,
}  # fmt: skip
"""Every field of an entry with a value that is not what an absent field means."""
_READS = {
    "book": "its book",
    "card": "the card",
    "chat": "the chat",
    "thing": "listed, kept whole",
    "persona": "its personas",
}
_NEVER_FRESH = "only what was read as one"


def lost_fields(to: str) -> tuple[str, ...]:
    """The fields that do not come back from a fresh file of this format; found by writing one and reading it."""
    entry = Entry(uid=1, **FULL)  # type: ignore[arg-type]
    made = convert(Book("book", (entry,)), to)
    again = read_book(made.data, "book").value.entries[0]
    return tuple(name for name, value in FULL.items() if getattr(again, name) != value)


def _ways(kind: str) -> str:
    ways = ["yes"] * (kind in WRITERS) + ["into its own file"] * (kind in WRITTEN_BACK)
    return ", ".join(ways) or "no"


def tables() -> str:
    read = ["| format | what it is | read | written |", "|---|---|---|---|"]
    for kind in KINDS.values():
        reads = ", ".join(_READS[name] for name in kind.reads) or "refused by name"
        read.append(f"| `{kind.id}` | {kind.title} | {reads} | {_ways(kind.id)} |")
    written = ["| format | fields of an entry that have no place in it |", "|---|---|"]
    for to in WRITERS:
        try:
            lost = lost_fields(to)
        except FormatError:
            written.append(f"| `{to}` | {_NEVER_FRESH} |")
            continue
        written.append(f"| `{to}` | {', '.join(f'`{name}`' for name in lost) or 'none'} |")
    return "\n".join((BEGIN, "", "## Read", "", *read, "", "## Written from another format", "", *written, "", END))


def page(text: str) -> str:
    """The page with new tables."""
    before, rest = text.split(BEGIN)
    return before + tables() + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
