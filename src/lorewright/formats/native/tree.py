"""YAML text -> a tree of nodes that know where they stand, read with guards (spec formats §6).

No tags, no anchors or aliases, no merge keys: nothing in such a file can run code or grow when it is read. The number
of nodes and the depth are counted before anything is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.native.scalars import resolve

__all__ = ["FOREIGN_BYTES", "YAML_BYTES", "Node", "parse_tree", "to_value"]

YAML_BYTES: Final = 4 * limits.MIB
FOREIGN_BYTES: Final = 600_000
"""A text in another layout than the one we write takes the full parser, a second or more for so many bytes."""
YAML_NODES: Final = 60_000
YAML_DEPTH: Final = 64


@dataclass(slots=True)
class Node:
    """A value in a YAML text: `text[start:end]`. In a block mapping or list `column` is the indent of its items."""

    kind: Literal["scalar", "list", "map"]
    start: int
    end: int
    column: int
    line: int
    flow: bool = False
    value: object = None
    items: list[Node] = field(default_factory=list)
    keys: list[Node] = field(default_factory=list)


def parse_tree(text: str) -> Node:
    """The tree of a YAML text of one document.

    Raises:
        FormatError: not YAML (`line`, `column`), over a limit (`limit`), or with a tag, an alias or a merge key.
    """
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # takes a while, and most books are JSON
    from ruamel.yaml.reader import ReaderError

    size = len(text.encode("utf-8", "surrogatepass"))
    if size > YAML_BYTES:
        raise FormatError(
            f"The YAML text has {size:,} bytes; the limit is {YAML_BYTES:,}. Split the book, or keep it as JSON.",
            limit=YAML_BYTES,
            value=size,
        )
    if size > FOREIGN_BYTES:
        raise FormatError(
            f"The YAML text has {size:,} bytes and is not laid out as Lorewright lays it out; such a text may have "
            f"{FOREIGN_BYTES:,}. Split the book, keep it as JSON, or take out what was laid out by hand.",
            limit=FOREIGN_BYTES,
            value=size,
        )
    try:
        return _build(text)
    except FormatError:
        raise
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        reason = (error.problem or error.context or "damaged").strip()
        raise FormatError(
            f"This is not YAML: {reason}{place}. Texts with `: ` or ` #` in them need quotes.",
            line=mark.line + 1 if mark else 0,
            column=mark.column + 1 if mark else 0,
            reason=reason,
        ) from error
    except ReaderError as error:
        raise FormatError(
            f"This is not YAML: the character U+{ord(text[error.position]):04X} at offset {error.position:,} may only stand "
            "there as an escape in double quotes.",
            offset=error.position,
        ) from error
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise FormatError("This is not YAML: it cannot be read.", reason=type(error).__name__) from error


def _build(text: str) -> Node:
    from ruamel.yaml import YAML

    stack: list[Node] = []
    root: Node | None = None
    count = documents = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        sort = type(event).__name__
        if sort == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise FormatError("The file holds more than one YAML document (`---`); a book is one.")
        elif sort in {"MappingEndEvent", "SequenceEndEvent"}:
            stack.pop().end = event.end_mark.index
        elif sort in {"ScalarEvent", "MappingStartEvent", "SequenceStartEvent", "AliasEvent"}:
            node = _make(sort, event)
            count += 1
            if count > YAML_NODES:
                message = f"The YAML holds more than {YAML_NODES:,} values. Split the book, or keep it as JSON."
                raise FormatError(message, limit=YAML_NODES)
            if stack:
                _add(stack[-1], node, event)
            else:
                root = node
            if node.kind != "scalar":
                stack.append(node)
            if len(stack) > YAML_DEPTH:
                message = f"The YAML is nested more than {YAML_DEPTH} levels deep, which no book needs."
                raise FormatError(message, limit=YAML_DEPTH)
    if root is None:
        raise FormatError("The YAML text is empty.")
    return root


def _make(sort: str, event: Any) -> Node:
    line, column = event.start_mark.line, event.start_mark.column
    if sort == "AliasEvent" or event.anchor is not None:
        raise FormatError(
            f"Line {line + 1} uses an anchor or alias (`&` or `*`), which a book may not. Write the value out; "
            "a text that begins with such a sign needs quotes.",
            line=line + 1,
        )
    if event.tag is not None:
        raise FormatError(
            f"Line {line + 1} uses the tag `{ascii(str(event.tag))[1:41]}`, which a book may not. Take it out; "
            "a text that begins with `!` needs quotes.",
            line=line + 1,
        )
    start, end = event.start_mark.index, event.end_mark.index
    if sort == "ScalarEvent":
        value = resolve(event.value) if event.implicit[0] else event.value
        return Node("scalar", start, end, column, line, event.style not in {"|", ">"}, value)
    kind: Literal["map", "list"] = "map" if sort == "MappingStartEvent" else "list"
    return Node(kind, start, end, column, line, bool(event.flow_style))


def _add(parent: Node, node: Node, event: Any) -> None:
    if parent.kind == "list" or len(parent.keys) > len(parent.items):
        parent.items.append(node)
        return
    if node.kind != "scalar":
        raise FormatError(f"Line {node.line + 1} has a list or a mapping as a name.", line=node.line + 1)
    if event.value == "<<" and event.implicit[0]:
        raise FormatError(f"Line {node.line + 1} uses a merge key (`<<`), which a book may not.", line=node.line + 1)
    node.value = event.value
    parent.keys.append(node)


def to_value(node: Node, notes: Notes) -> object:
    """The value of a tree. Of a name that stands twice the last value counts, which is reported."""
    if node.kind == "scalar":
        return node.value
    if node.kind == "list":
        return [to_value(item, notes) for item in node.items]
    made: dict[str, object] = {}
    for key, item in zip(node.keys, node.items, strict=True):
        name = str(key.value)
        if name in made:
            message = f"The name {name!a} stands twice in one mapping, again in line {key.line + 1}; the last is used."
            notes.add("duplicate_key", message, field=ascii(name)[1:-1])
        made[name] = to_value(item, notes)
    return made
