"""What code of entries asks the task reader for: other entries, as text or to be switched on (spec mvu-filter §7.4,
§7.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.javascript import trim, value_as_text
from lorewright.tasks.active import Active
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.pool import Identifier, Pool, is_identifier, shown
from lorewright.tasks.runway import Removal
from lorewright.tasks.warnings import TaskWarning, WarningKind
from lorewright.templates.bme import substitute
from lorewright.templates.ejs import Answer, Nested, Refused, Request, Value

__all__ = ["Puller"]

_MOST_LEVELS: Final = 10
_EVALUATED: Final = ""
"""The tag of a text that is no entry's."""

Path = tuple[str, ...]


class Puller:
    """Answers the code of one task. `warnings`, `forced` and `pulled` are those of the current pass."""

    def __init__(
        self, pool: Pool, find_removed: Callable[[str, str], Removal | None], values: Mapping[str, Any]
    ) -> None:
        self.warnings: dict[TaskWarning, None] = {}
        self.forced: dict[str, TaskEntry] = {}
        self.pulled: dict[str, TaskEntry] = {}
        self._pool = pool
        self._find_removed = find_removed
        self._values = values
        self._active: Sequence[Active] = ()
        self._asked: dict[Path, dict[str, TaskEntry]] = {}

    def begin(self, active: Sequence[Active]) -> None:
        """A new pass, with these entries active."""
        self._active = active
        self.warnings, self.forced, self.pulled = {}, {}, {}

    def finish(self, tag: str, refused: Refused | None) -> None:
        """The text with this tag is rendered: what it pulled in counts, in the order in which that was ready, but for
        the texts that failed."""
        failed = {refused.path[: count + 1] for count in range(len(refused.path))} if refused else set()
        self._count((tag,), failed)
        self._asked = {}

    def __call__(self, request: Request) -> Answer:
        """See `templates.ejs.Answerer`. The functions are those of spec mvu-filter §7.3."""
        arguments = (*request.arguments, None, None, None)
        match request.helper:
            case "getwi":
                return self._pull(request, *_split(arguments))
            case "activewi":
                return self._force(request, *_split(arguments), arguments[1:3])
            case "evalTemplate":
                text = "" if arguments[0] is None else value_as_text(arguments[0])
                return Nested(request.book, self._write(text), _EVALUATED)
            case "getWorldInfoActivatedData":
                return Value([_listed(one.entry, one.entry.content) for one in self._active])
            case "getWorldInfoData" | "getEnabledWorldInfoEntries":
                return Value([_listed(entry, entry.text) for entry in self._pool.entries])
        return Value(None)

    def _pull(self, request: Request, book: Identifier | None, identifier: Identifier | None) -> Answer:
        entry = self._find(request, book, identifier)
        if entry is None:
            return Value("")
        stack = [tag for tag in request.path[1:] if tag != _EVALUATED]
        if entry.tag in stack:
            self._tell("recursive_getwi", entry.title)
            return Value("")
        if len(stack) >= _MOST_LEVELS:
            self._tell("getwi_too_deep", entry.title)
            return Value("")
        self._asked.setdefault(request.path, {})[entry.tag] = entry
        return Nested(entry.book, self._write(entry.text), entry.tag, {"world_info": world_info(entry)})

    def _force(
        self, request: Request, book: Identifier | None, identifier: Identifier | None, rest: Sequence[Any]
    ) -> Answer:
        entry = self._find(request, book, identifier)
        if entry is None:
            where = "" if book is None else f"{shown(book)}/"
            self._tell("target_not_found", where + ("" if identifier is None else shown(identifier)))
            return Value(None)
        content = entry.text.replace("@@dont_activate", "")
        self.forced[entry.tag] = replace(entry, content=content, text=content)
        force = rest[1] if isinstance(rest[1], bool) else isinstance(rest[0], bool)
        return Value({"world": entry.book, "comment": entry.title, "content": content, "forced": force})

    def _find(self, request: Request, book: Identifier | None, identifier: Identifier | None) -> TaskEntry | None:
        """The entry that is meant; one that was filtered is told of, where the runway remembers it."""
        if identifier is None:
            return None
        current = "" if request.path[-1:] == (_EVALUATED,) else request.book
        failures = len(self._pool.failed)
        entry = self._pool.find(book, identifier, current)
        for unread in self._pool.failed[failures:]:
            self._tell("lazy_load_failed", unread)
        if entry is None and isinstance(identifier, (str, int, float)):
            title = shown(identifier)
            named = trim(book) if isinstance(book, str) else ""
            removed = self._find_removed(named or current, title) or self._find_removed("", title)
            if removed:
                self._tell("filtered_entry", f"{removed.entry.book}/{removed.entry.name or removed.entry.title}")
        return entry

    def _write(self, text: str) -> str:
        return substitute(text, self._values).text

    def _tell(self, kind: WarningKind, subject: str) -> None:
        self.warnings.setdefault(TaskWarning(kind, subject))

    def _count(self, path: Path, failed: set[Path]) -> None:
        for tag, entry in self._asked.get(path, {}).items():
            deeper = (*path, tag)
            self._count(deeper, failed)
            if deeper not in failed:
                self.pulled.setdefault(tag, entry)


def world_info(entry: TaskEntry) -> dict[str, str]:
    """What a template finds as `world_info`: the entry that it stands in."""
    return {"comment": entry.title, "name": entry.name, "world": entry.book}


def _split(arguments: Sequence[Any]) -> tuple[Identifier | None, Identifier | None]:
    """Book and entry of a call: the first argument is the book where the second names an entry."""
    first, second = arguments[0], arguments[1]
    if is_identifier(second):
        return (first if is_identifier(first) else None), second
    return None, first if is_identifier(first) else None


def _listed(entry: TaskEntry, content: str) -> dict[str, str]:
    return {"comment": entry.title, "content": content, "world": entry.book}
