"""YAML text -> a tree of nodes that know where they stand, read with guards (spec formats §6).

No tags, no anchors or aliases, no merge keys: nothing in such a file can run code or grow when it is read. The number
of nodes and the depth are counted before anything is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.native.scalars import resolve

__all__ = ["FOREIGN_BYTES", "YAML_BYTES", "Node", "is_large", "parse_tree", "to_value"]

YAML_BYTES: Final = 4 * limits.MIB
"""Of a text in a layout of its own. Ours is read line by line and may be as large as JSON."""
FOREIGN_BYTES: Final = 600_000
"""So much is given to the thorough parser, which takes a second or more for it."""
YAML_NODES: Final = 300_000
YAML_DEPTH: Final = 64
_EXOTIC: Final = re.compile("[\x85\u2028\u2029\ufeff]")
"""Line ends to YAML 1.1 only, and the mark that shifts every offset: texts for the thorough parser."""


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


def is_large(text: str) -> bool:
    """Whether it is too large for a tree."""
    return len(text) > YAML_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > YAML_BYTES


def parse_tree(text: str) -> Node:
    """The tree of a YAML text of one document.

    Raises:
        FormatError: not YAML (`line`, `column`), over a limit (`limit`), or with a tag, an alias or a merge key.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > YAML_BYTES:
        raise FormatError(
            f"The YAML text has {size:,} bytes and is not laid out as Lorewright lays it out, or has comments; the limit "
            f"for such a text is {YAML_BYTES:,}. Split the file, or keep it as JSON.",
            limit=YAML_BYTES,
            value=size,
        )
    quick = None if _EXOTIC.search(text) else _quick_events(text)
    if quick is not None:
        try:
            return _build(quick)
        except FormatError:
            raise
        except Exception as error:  # whatever the quick parser does not take, the thorough one judges
            if size > FOREIGN_BYTES:
                raise _not_yaml(error) from error
    elif size > FOREIGN_BYTES:
        raise FormatError(
            f"The YAML text has {size:,} bytes and is not laid out as Lorewright lays it out; such a text may have "
            f"{FOREIGN_BYTES:,} where the quick parser is missing or cannot be used. Install it with "
            "`pip install 'lorewright[import]'`, split the book, or keep it as JSON.",
            limit=FOREIGN_BYTES,
            value=size,
        )
    return _parse_thoroughly(text)


def _quick_events(text: str) -> Iterator[Any] | None:
    """The events of libyaml, which reads YAML 1.1 by the letter; our resolver decides what a plain word means."""
    try:
        from yaml import CBaseLoader, parse
    except ImportError:
        return None
    events: Iterator[Any] = parse(text, Loader=CBaseLoader)
    return events


def _parse_thoroughly(text: str) -> Node:
    from ruamel.yaml import YAML  # takes a while, and most books are JSON
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        return _build(YAML(typ="safe", pure=True).parse(text))
    except FormatError:
        raise
    except ReaderError as error:
        raise FormatError(
            f"This is not YAML: the character U+{ord(text[error.position]):04X} at offset {error.position:,} may only stand "
            "there as an escape in double quotes.",
            offset=error.position,
        ) from error
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise _not_yaml(error) from error


def _not_yaml(error: Exception) -> FormatError:
    """What either parser has to say."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "context", None)
    if not mark and not said:
        return FormatError("This is not YAML: it cannot be read.", reason=type(error).__name__)
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    reason = str(said or "damaged").strip()
    return FormatError(
        f"This is not YAML: {reason}{place}. Texts with `: ` or ` #` in them need quotes.",
        line=mark.line + 1 if mark else 0,
        column=mark.column + 1 if mark else 0,
        reason=reason,
    )


def _build(events: Iterable[Any]) -> Node:
    stack: list[Node] = []
    root: Node | None = None
    count = documents = 0
    for event in events:
        sort = type(event).__name__
        if sort == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise FormatError("The file holds more than one YAML document (`---`); only one can be read.")
        elif sort in {"MappingEndEvent", "SequenceEndEvent"}:
            stack.pop().end = event.end_mark.index
        elif sort in {"ScalarEvent", "MappingStartEvent", "SequenceStartEvent", "AliasEvent"}:
            node = _make(sort, event)
            count += 1
            if count > YAML_NODES:
                message = f"The YAML holds more than {YAML_NODES:,} values. Split the file, or keep it as JSON."
                raise FormatError(message, limit=YAML_NODES)
            if stack:
                _add(stack[-1], node, event)
            else:
                root = node
            if node.kind != "scalar":
                stack.append(node)
            if len(stack) > YAML_DEPTH:
                message = f"The YAML is nested more than {YAML_DEPTH} levels deep; that is the limit."
                raise FormatError(message, limit=YAML_DEPTH)
    if root is None:
        raise FormatError("The YAML text is empty.")
    return root


def _make(sort: str, event: Any) -> Node:
    line, column = event.start_mark.line, event.start_mark.column
    if sort == "AliasEvent" or event.anchor is not None:
        raise FormatError(
            f"Line {line + 1} uses an anchor or alias (`&` or `*`), which is not allowed here. Write the value out; "
            "a text that begins with such a sign needs quotes.",
            line=line + 1,
        )
    if event.tag is not None:
        raise FormatError(
            f"Line {line + 1} uses the tag `{ascii(str(event.tag))[1:41]}`, which is not allowed here. Take it out; "
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
        raise FormatError(
            f"Line {node.line + 1} uses a merge key (`<<`), which is not allowed here.", line=node.line + 1
        )
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
