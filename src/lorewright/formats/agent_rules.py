"""Rule files of coding agents <-> `Book`: `AGENTS.md`, Cursor's `.mdc`, Claude's rules. One file, one entry.

Such a rule is not found by keys: it always holds, or for files whose paths match a pattern (`glob`), or when an agent
finds that its description fits (`description`), or when a person calls for it (`manual`). The engine here knows only
the first; the others are kept with the entry under `rule`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.magic import CURSOR
from lorewright.formats.markdown.front import FrontValue, find_front_matter

__all__ = [
    "CHARACTERS",
    "FRONT",
    "AgentFile",
    "has_rule_fields",
    "read_agent_rules",
    "write_agent_rules",
]

RULE: Final = "rule"
FRONT: Final = "agent_rules"
"""The name in `Book.extra` of the front matter as it stood, "" if there was none."""

_PATTERN_FIELDS: Final = ("globs", "paths")
_ALWAYS: Final = "alwaysApply"
CHARACTERS: Final = 4 * limits.MIB


@dataclass(frozen=True, slots=True)
class AgentFile:
    """The text of such a file, and its name as far as it is known."""

    text: str
    name: str = ""


def has_rule_fields(head: str) -> bool:
    """Whether the front matter of a text is that of a rule: it says when the rule applies."""
    names = _read_front(head)[0].keys()
    return _ALWAYS in names or ("globs" in names and names <= {"globs", "description", "name"})


def read_agent_rules(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a rule file. Its text is the entry, without the front matter.

    Raises:
        FormatError: longer than 4 MiB.
    """
    file = value if isinstance(value, AgentFile) else AgentFile(str(value))
    if len(file.text) > CHARACTERS:
        raise FormatError(f"The file has {len(file.text):,} characters; the limit is {CHARACTERS:,}.", limit=CHARACTERS)
    title = name if name is not None else PurePath(file.name).stem or "rules"
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    values, front = _read_front(file.text)
    rule = _read_rule(values, is_cursor=file.name.lower().endswith(CURSOR))
    is_always = rule["kind"] == "always"
    if not is_always:
        message = f"The rule applies by `{rule['kind']}`, which is not known here, so nothing activates it. It is kept."
        noted.add("entry_never_activates", message, "info", entry=0, field="keys")
    entry = Entry(
        uid=0,
        keys=(),
        content=file.text[len(front) :],
        title=title,
        enabled=True,
        constant=is_always,
        extra={RULE: rule},
    )
    book = Book(title, (entry,), {FRONT: front}, origin)
    return Imported(book, 1, 1, 0, noted.reports(), "agent_rules")


def write_agent_rules(book: Book) -> str:
    """The text of the file: the front matter as it stood, then the text of the entry.

    A book of elsewhere is written as rules that always hold, a heading for each entry.
    """
    front = book.extra.get(FRONT)
    if isinstance(front, str) and len(book.entries) == 1:
        return front + _text(book.entries[0])
    sections = (f"## {_title(entry)}\n\n{_text(entry)}\n" for entry in book.entries)
    return "\n".join([f"# {book.name}\n", *sections])


def _text(entry: Entry) -> str:
    return entry.content if isinstance(entry.content, str) else ""


def _title(entry: Entry) -> str:
    title = entry.title if isinstance(entry.title, str) else ""
    return " ".join(title.split()) or str(entry.uid)


def _read_front(text: str) -> tuple[dict[str, FrontValue], str]:
    """The fields of the front matter, and its text."""
    lines = text.split("\n") if text.startswith("---") else []
    found = find_front_matter([line.rstrip("\r") for line in lines])
    front = "\n".join(lines[: found.line_count])
    return found.values, text[: len(front) + 1] if front else ""


def _read_rule(values: dict[str, FrontValue], *, is_cursor: bool) -> dict[str, Any]:
    patterns = [part for name in _PATTERN_FIELDS for part in _split(values.get(name, ""))]
    description = values.get("description", "")
    description = description if isinstance(description, str) else ", ".join(description)
    said = values.get(_ALWAYS)
    if isinstance(said, str) and said.strip().lower() == "true":
        kind = "always"
    elif patterns:
        kind = "glob"
    elif is_cursor or said is not None:
        kind = "description" if description else "manual"
    else:
        kind = "always"
    return {"kind": kind, "globs": patterns, "description": description}


def _split(value: FrontValue) -> list[str]:
    """The patterns of a list, or of a text with commas; commas inside braces belong to a pattern."""
    if isinstance(value, tuple):
        return [one for one in value if one]
    return [part.strip() for part in re.split(r",(?![^{]*\})", value) if part.strip()]
