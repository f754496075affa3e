"""A changed value into the YAML text that it was read from: only the places that differ are written anew (spec formats §4).

Layout, comments, quotes and block texts stay wherever nothing changed. A changed text keeps its block form; new names and
items are written below the last one. Needs PyYAML, which comes with the extra `import`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.formats.fields import is_exact
from lorewright.formats.native.emit import emit_item
from lorewright.formats.native.scalars import as_block, is_blockable

__all__ = ["edit_yaml"]

_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_BLOCKS: Final = frozenset("|>")


def edit_yaml(text: str, old: object, new: object) -> tuple[str, int] | None:
    """The text with `new` in place of `old`, which was read from it; and how many comments that cost.

    None if the places cannot be told apart: an anchor that is used more than once stands for several of them. So does
    one whose name PyYAML does not take.
    """
    import yaml

    loader = yaml.BaseLoader(text)
    try:
        root = loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError:
        return None
    finally:
        loader.dispose()
    editor = _Editor(text)
    if root is None or not editor.is_tree(root):
        return None
    editor.edit(root, old, new, -2)
    return editor.finish(), editor.comments


@dataclass(slots=True)
class _Editor:
    text: str
    comments: int = 0
    _edits: list[tuple[int, int, str]] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)

    def is_tree(self, node: Any) -> bool:
        """Whether every node is reached once, that is, no alias is used."""
        if id(node) in self._seen:
            return False
        self._seen.add(id(node))
        return all(map(self.is_tree, _children(node)))

    def finish(self) -> str:
        parts: list[str] = []
        at = 0
        for start, end, made in sorted(self._edits, key=lambda one: one[0]):
            parts += (self.text[at:start], made)
            at = end
        return "".join((*parts, self.text[at:]))

    def edit(self, node: Any, old: Any, new: Any, column: int) -> None:
        """Write `new` over the node of `old`. `column` is that of the name or dash that the node belongs to."""
        if is_exact(old, new):
            return
        kind = type(node).__name__
        if kind == "MappingNode" and isinstance(old, dict) and isinstance(new, dict) and self._mapping(node, old, new):
            return
        if (
            kind == "SequenceNode"
            and isinstance(old, list)
            and isinstance(new, list)
            and self._sequence(node, old, new)
        ):
            return
        self._replace(node, new, column)

    def _mapping(self, node: Any, old: dict[str, Any], new: dict[str, Any]) -> bool:
        names = [name.value for name, _ in node.value]
        added = [name for name in new if name not in old]
        is_plain = len(names) == len(set(names)) == len(old) and all(name in old for name in names)
        if not is_plain or not old.keys() <= new.keys() or (added and (node.flow_style or not names)):
            return False
        for name, inner in node.value:
            self.edit(inner, old[name.value], new[name.value], name.start_mark.column)
        pad = " " * node.start_mark.column
        self._append(node, [line for name in added for line in emit_item(name, new[name], pad)])
        return True

    def _sequence(self, node: Any, old: list[Any], new: list[Any]) -> bool:
        pairs = _align(old, new)
        gone = [place for place in range(len(old)) if place not in pairs]
        added = [place for place in range(len(new)) if place not in pairs.values()]
        is_tail = added == [*range(len(new) - len(added), len(new))]
        if not is_tail or not pairs or (node.flow_style and (gone or added)):
            return False
        regions = [self._region(node, place) for place in gone]
        if None in regions:
            return False
        self._edits += [(*region, "") for region in regions if region]
        for place, other in pairs.items():
            self.edit(node.value[place], old[place], new[other], node.start_mark.column)
        self._append(node, [line for place in added for line in _item(new[place], node.start_mark.column)])
        return True

    def _region(self, node: Any, place: int) -> tuple[int, int] | None:
        """The lines of an item, from its dash to the next."""
        start = self._line_of_dash(node, place)
        if place + 1 < len(node.value):
            end = self._line_of_dash(node, place + 1)
        else:
            end = self._line_end(self._end(node.value[place])) + 1
        if start is None or end is None:
            return None
        self.comments += self.text.count(" #", start, end)
        return start, min(end, len(self.text))

    def _line_of_dash(self, node: Any, place: int) -> int | None:
        dash = self.text.rfind("-", 0, node.value[place].start_mark.index)
        start = self.text.rfind("\n", 0, dash) + 1
        return start if dash >= 0 and not self.text[start:dash].strip() else None

    def _append(self, node: Any, lines: list[str]) -> None:
        if lines:
            at = self._line_end(self._end(node))
            at -= self.text.startswith("\r", at - 1)
            self._edits.append((at, at, "\n" + "\n".join(lines)))

    def _replace(self, node: Any, new: object, column: int) -> None:
        start, end = node.start_mark.index, self._end(node)
        pad = ""
        if type(node).__name__ != "ScalarNode":
            self.comments += self.text.count(" #", start, end)
            pad = "" if node.flow_style else "  "
        elif start == end:
            pad = " "
        if isinstance(new, str) and getattr(node, "style", None) in _BLOCKS and is_blockable(new):
            made = "\n".join(as_block(new, " " * (column + 2)))
        else:
            made = _in_line(new)
        self._edits.append((start, end, pad + made))

    def _end(self, node: Any) -> int:
        """Where what is written of a node ends, without the blank lines and comments that follow."""
        children = _children(node)
        if children and not node.flow_style:
            return self._end(children[-1])
        end = int(node.end_mark.index)
        if getattr(node, "style", None) in _BLOCKS:
            end = len(self.text[:end].rstrip("\r\n "))
        return max(end, int(node.start_mark.index))

    def _line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found


def _children(node: Any) -> list[Any]:
    match type(node).__name__:
        case "MappingNode":
            return [part for pair in node.value for part in pair]
        case "SequenceNode":
            return list(node.value)
        case _:
            return []


def _align(old: list[Any], new: list[Any]) -> dict[int, int]:
    """Which old item is which new one, in order: the same value or the same `id`; all of them if none was removed."""
    if len(new) >= len(old) and not _has_ids(old):
        return {place: place for place in range(len(old))}
    pairs: dict[int, int] = {}
    at = 0
    for place, item in enumerate(old):
        if at < len(new) and (is_exact(item, new[at]) or _is_twin(item, new[at])):
            pairs[place] = at
            at += 1
    return pairs


def _has_ids(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "id" in item for item in items)


def _is_twin(left: object, right: object) -> bool:
    return isinstance(left, dict) and isinstance(right, dict) and "id" in left and is_exact(left["id"], right.get("id"))


def _item(value: object, column: int) -> list[str]:
    """The lines of an item of a block list."""
    if not isinstance(value, dict) or not value:
        return [f"{' ' * column}- {_in_line(value)}"]
    lines = [line for name, inner in value.items() for line in emit_item(name, inner, " " * (column + 2))]
    return [f"{' ' * column}- {lines[0].lstrip(' ')}", *lines[1:]]


def _in_line(value: object) -> str:
    """The value in one line. JSON is YAML, but for some characters."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
