"""Changes in a YAML text, made where they stand, so that everything else stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.formats.fields import is_exact
from lorewright.formats.native.comments import last_end
from lorewright.formats.native.emit import Comments, Path, emit_item
from lorewright.formats.native.tree import Node

__all__ = ["CannotPatch", "Patch", "move_comments"]

_HEADER_COMMENT: Final = re.compile(r"[|>][-+0-9]*\s+(#[^\r\n]*)")
_TAIL_COMMENT: Final = re.compile(r"[ \t]+(#[^\r\n]*)")


class CannotPatch(Exception):
    """Raised when a change cannot be made line by line."""


def move_comments(comments: Comments, old: list[str], new: list[str]) -> Comments:
    """Comments of entries go with their entries; those of removed ones stay where the next entry was."""
    places = {uid: index for index, uid in enumerate(new)}

    def move(path: Path) -> Path:
        if len(path) > 1 and path[0] == "entries" and isinstance(path[1], int) and path[1] < len(old):
            return ("entries", places[old[path[1]]], *path[2:]) if old[path[1]] in places else ()
        return path

    above = {move(path): lines for path, lines in comments.above.items()}
    beside = {move(path): line for path, line in comments.beside.items()}
    return Comments(above, beside, comments.end)


class Patch:
    """Collects replacements of spans of a text. `identity` is the field by which entries are known."""

    def __init__(self, text: str, identity: str = "uid") -> None:
        self.text = text
        self.identity = identity
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.changes: list[tuple[int, int, str]] = []

    def apply(self, tree: Node, old: object, target: Mapping[str, Any]) -> str:
        """The text that says `target` where it said `old`, which is the value of `tree`.

        Raises:
            CannotPatch: the change is too large for that.
        """
        self.mapping(tree, old, target)
        pieces: list[str] = []
        position = 0
        for start, end, new in sorted(self.changes, key=lambda change: change[:2]):
            if start < position:
                raise CannotPatch
            pieces += [self.text[position:start], new.replace("\n", self.newline)]
            position = end
        return "".join([*pieces, self.text[position:]])

    def mapping(self, node: Node, old: Any, target: Mapping[str, Any]) -> None:
        names = [str(key.value) for key in node.keys]
        if node.flow or not target or len(set(names)) < len(names):
            raise CannotPatch
        for index, name in enumerate(names):
            if name not in target:
                self.remove_field(node, index)
            elif not is_exact(old[name], target[name]):
                self.field(node, index, name, old[name], target[name])
        last = max((index for index, name in enumerate(names) if name in target), default=None)
        if last is None:
            raise CannotPatch
        pad = " " * node.keys[0].column
        for name in target:
            if name not in old:
                lines = emit_item(name, target[name], pad)
                at = self.line_end(last_end(node.items[last], self.text))
                self.changes.append((at, at, "\n" + "\n".join(lines)))

    def field(self, node: Node, index: int, name: str, old: Any, new: Any) -> None:
        key, item = node.keys[index], node.items[index]
        can_descend = item.kind != "scalar" and not item.flow and bool(new)
        if can_descend and isinstance(old, dict) and isinstance(new, dict) and old:
            self.mapping(item, old, new)
        elif can_descend and name == "entries" and node.column == 0 and isinstance(new, list):
            self.entries(item, old, new)
        else:
            first, *rest = emit_item(name, new, " " * key.column)
            first = first.lstrip(" ")
            end = last_end(item, self.text)
            header = _HEADER_COMMENT.match(self.text, item.start, end) if item.kind == "scalar" else None
            tail = _TAIL_COMMENT.match(self.text, end)
            comment = header or (tail if rest else None)
            if tail and rest:
                end = tail.end()
            if comment:
                first += f"  {comment[1]}"
            self.changes.append((key.start, end, "\n".join([first, *rest])))

    def remove_field(self, node: Node, index: int) -> None:
        start, end = node.keys[index].start, self.line_end(last_end(node.items[index], self.text))
        line = self.line_start(start)
        if self.text[line:start].strip():  # in the line of a dash: the next field takes its place
            if index + 1 >= len(node.keys):
                raise CannotPatch
            self.changes.append((start, node.keys[index + 1].start, ""))
        else:
            self.changes.append((line, min(end + len(self.newline), len(self.text)), ""))

    def entries(self, node: Node, old: list[Any], new: list[Any]) -> None:
        """Entries changed in place, left out, and added at the end."""
        before, after = self.numbered(old), self.numbered(new)
        kept = [uid for uid in before if uid in after]
        if len(before) < len(old) or [*kept, *(uid for uid in after if uid not in before)] != list(after) or not kept:
            raise CannotPatch
        for uid, index in before.items():
            item = node.items[index]
            if uid not in after:
                line = self.line_start(item.start)
                end = self.line_end(last_end(item, self.text))
                self.changes.append((line, min(end + len(self.newline), len(self.text)), ""))
            elif not is_exact(old[index], new[after[uid]]):
                self.mapping(item, old[index], new[after[uid]])
        pad = " " * node.column
        at = self.line_end(last_end(node.items[before[kept[-1]]], self.text))
        for uid in after:
            if uid not in before:
                lines = self.item(new[after[uid]], pad)
                self.changes.append((at, at, "\n\n" + "\n".join(lines)))

    def item(self, value: Mapping[str, Any], pad: str) -> Iterator[str]:
        lines = (line for name, item in value.items() for line in emit_item(name, item, f"{pad}  "))
        yield f"{pad}- {next(lines)[len(pad) + 2 :]}"
        yield from lines

    def numbered(self, entries: list[Any]) -> dict[str, int]:
        return {str(entry.get(self.identity)): index for index, entry in enumerate(entries) if isinstance(entry, dict)}

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[end - 1 : end] == "\r" else end
