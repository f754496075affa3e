"""Values -> YAML in our layout, with comments at their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.formats.native.scalars import SPOKEN, as_block, as_flow, is_blockable

__all__ = ["NO_COMMENTS", "Comments", "Path", "emit_item", "emit_yaml"]

Path = tuple[str | int, ...]
"""Names and indices from the top down to a value."""

_LINE: Final = 100
_PAD: Final = "    "
_EMPTY: Final[tuple[object, ...]] = ("", [], {})
_LASTING: Final = frozenset({bool, int, type(None)})
_KEY: Final = 1000
"""A longer name needs YAML's form for long names."""


@dataclass(frozen=True, slots=True)
class Comments:
    """Comment lines above a value (with their `#`), and the comment beside it. `end` stands below everything."""

    above: Mapping[Path, tuple[str, ...]]
    beside: Mapping[Path, str]
    end: tuple[str, ...] = ()


NO_COMMENTS: Final = Comments({}, {})


def emit_yaml(value: Mapping[str, Any], comments: Comments = NO_COMMENTS) -> str:
    """The text of a document. Between entries there is a blank line."""
    emitter = _Emitter(comments)
    entries: Any = value.get("entries")
    if comments is NO_COMMENTS and _is_usual(entries) and list(value)[-1] == "entries":
        head = {name: item for name, item in value.items() if name != "entries"}
        return "\n".join([*emitter.mapping(head, (), ""), "", "entries:", *_entry_lines(entries), ""])
    return "\n".join([*emitter.mapping(value, (), ""), *comments.end, ""])


def _short_texts(items: list[Any], limit: int) -> str:
    """A short list of texts in one line, or ""."""
    if len(items) > _LINE or any(type(item) is not str for item in items):
        return ""
    flow = f"[{', '.join(map(as_flow, items))}]"
    return flow if len(flow) < limit else ""


def _is_usual(entries: Any) -> bool:
    return isinstance(entries, list) and bool(entries) and all(type(entry) is dict and entry for entry in entries)


def _entry_lines(entries: list[dict[str, Any]]) -> list[str]:
    """The lines of many entries without comments, as the emitter gives them, but faster: most fields stand in one line,
    and most of these lines in many entries."""
    known: dict[tuple[str, type, object], str] = {}
    lines: list[str] = []
    for entry in entries:
        at = len(lines) + bool(lines)
        if lines:
            lines.append("")
        for name, item in entry.items():
            kind = type(item)
            if kind in _LASTING or item in _EMPTY:
                line = known.get((name, kind, item or None))
                if line is None:
                    found = emit_item(name, item, _PAD)
                    if len(found) > 1:
                        lines += found
                        continue
                    line = known[name, kind, item or None] = found[0]
                lines.append(line)
            elif (
                kind is list and name.isidentifier() and (flow := _short_texts(item, _LINE - len(name) - len(_PAD) - 1))
            ):
                lines.append(f"{_PAD}{name}: {flow}")
            elif kind is str and "\n" not in item and name.isidentifier() and name not in SPOKEN and len(name) < _KEY:
                lines.append(f"{_PAD}{name}: {as_flow(item)}")
            else:
                lines += emit_item(name, item, _PAD)
        lines[at] = f"  - {lines[at][len(_PAD) :]}"
    return lines


def emit_item(name: str, value: object, pad: str) -> list[str]:
    """The lines of one field of a block mapping."""
    return list(_Emitter(NO_COMMENTS).field(name, value, ("",), pad))


class _Emitter:
    def __init__(self, comments: Comments) -> None:
        self.comments = comments

    def mapping(self, value: Mapping[str, Any], path: Path, pad: str) -> Iterator[str]:
        for name, item in value.items():
            here = (*path, name)
            if not path and name == "entries" and isinstance(item, list) and item:
                yield ""
            yield from (pad + line for line in self.comments.above.get(here, ()))
            yield from self.field(name, item, here, pad)

    def field(self, name: str, item: object, path: Path, pad: str) -> Iterator[str]:
        key = as_flow(name)
        if name == "<<":
            key = '"<<"'
        if len(key) > _KEY:
            yield f"{pad}? {key}"
            key = ""
        yield from self.value(f"{pad}{key}:", item, path, f"{pad}  ")

    def value(self, start: str, item: object, path: Path, pad: str) -> Iterator[str]:
        """A value behind `start`, in its line where it fits there; `pad` is the indent of further lines."""
        beside = self.comments.beside.get(path, "")
        tail = f"  {beside}" if beside else ""
        if isinstance(item, str) and is_blockable(item):
            sign, *lines = as_block(item, pad)
            yield f"{start} {sign}{tail}"
            yield from lines
        elif isinstance(item, Mapping) and item:
            yield start + tail
            yield from self.mapping(item, path, pad)
        elif isinstance(item, (list, tuple)) and item:
            flow = self._as_line(item, path)
            if flow and len(start) + len(flow) < _LINE:
                yield f"{start} {flow}{tail}"
            else:
                yield start + tail
                yield from self._list(item, path, pad)
        else:
            yield f"{start} {_empty_or_scalar(item)}{tail}"

    def _as_line(self, items: list[Any] | tuple[Any, ...], path: Path) -> str:
        """A list of scalars in one line, or "" if it must be several."""
        above, beside = self.comments.above, self.comments.beside
        if any(isinstance(item, (Mapping, list, tuple)) for item in items):
            return ""
        if any((*path, index) in above or (*path, index) in beside for index in range(len(items))):
            return ""
        return f"[{', '.join(map(as_flow, items))}]" if len(items) <= _LINE else ""

    def _list(self, items: list[Any] | tuple[Any, ...], path: Path, pad: str) -> Iterator[str]:
        for index, item in enumerate(items):
            here = (*path, index)
            if path == ("entries",) and index:
                yield ""
            yield from (pad + line for line in self.comments.above.get(here, ()))
            if isinstance(item, Mapping) and item and here not in self.comments.beside:
                lines = self._first_beside_dash(item, here, pad)
                yield from lines
            elif isinstance(item, (Mapping, list, tuple)) and item:
                yield from self._nested(item, here, pad)
            else:
                yield from self.value(f"{pad}-", item, here, f"{pad}  ")

    def _nested(self, item: Any, path: Path, pad: str) -> Iterator[str]:
        beside = self.comments.beside.get(path, "")
        yield f"{pad}-" + (f"  {beside}" if beside else "")
        inner = f"{pad}  "
        yield from self.mapping(item, path, inner) if isinstance(item, Mapping) else self._list(item, path, inner)

    def _first_beside_dash(self, item: Mapping[str, Any], path: Path, pad: str) -> Iterator[str]:
        """A mapping whose first field stands in the line of the dash; comments above that field go above the dash."""
        first = next(iter(item))
        yield from (pad + line for line in self.comments.above.get((*path, first), ()))
        inner = f"{pad}  "
        lines = iter(self._without_above(item, path, inner, first))
        yield f"{pad}- {next(lines)[len(inner) :]}"
        yield from lines

    def _without_above(self, item: Mapping[str, Any], path: Path, pad: str, first: str) -> Iterator[str]:
        for name, value in item.items():
            here = (*path, name)
            if name != first:
                yield from (pad + line for line in self.comments.above.get(here, ()))
            yield from self.field(name, value, here, pad)


def _empty_or_scalar(item: object) -> str:
    if isinstance(item, Mapping):
        return "{}"
    return "[]" if isinstance(item, (list, tuple)) else as_flow(item)
