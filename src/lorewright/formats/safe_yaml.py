"""YAML with texts only: no tags, no merge keys, and aliases within a budget (spec formats §3.12, §6).

Every scalar is the text that stands in the file, so `no`, `12:30` and `1.10` stay what they are; an empty plain scalar,
`~` and `null` are null. Needs PyYAML, which comes with the extra `import`. PyYAML takes names of anchors of ASCII letters
only; a text with others, which YAML 1.2 allows, is read by ruamel.yaml, which is slow and gets short texts only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.native.tree import FOREIGN_BYTES

__all__ = ["parse_yaml"]

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


def parse_yaml(text: str, notes: Notes) -> object:
    """Parse the first document of a YAML text (no BOM).

    Raises:
        FormatError: not YAML (`line`, `column`), over a limit (`limit`), or PyYAML is not installed (`extra`).
    """
    if len(text) > limits.YAML_BYTES:
        raise FormatError(
            f"The YAML text has {len(text):,} characters; the limit is {limits.YAML_BYTES:,}. Split the file.",
            limit=limits.YAML_BYTES,
            value=len(text),
        )
    try:
        import yaml
    except ImportError as error:
        raise FormatError(
            "This is YAML text; reading it needs PyYAML. Install it with `pip install pyyaml`.",
            format="yaml",
            extra="import",
        ) from error
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    own = Notes()
    try:
        value = _Composer(own).compose(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        if not str(error.context).endswith(_NAMING):
            raise _not_yaml(error) from error
        return _read_other_names(text, notes, error)
    except (yaml.YAMLError, RecursionError, UnicodeError) as error:
        raise _not_yaml(error) from error
    notes.include(own)
    return value


_NAMING: Final = ("scanning an anchor", "scanning an alias")


def _read_other_names(text: str, notes: Notes, found: Any) -> object:
    """Parse a text in which PyYAML has `found` an anchor or alias that is not named in ASCII."""
    if len(text.encode("utf-8", "surrogatepass")) > FOREIGN_BYTES:
        line, limit = found.problem_mark.line + 1, FOREIGN_BYTES
        raise FormatError(
            f"Line {line} of this YAML has an anchor or alias (`&` or `*`) whose name is not made of ASCII letters and "
            f"digits; such a text may have {limit:,} bytes. Rename it, or write the value out.",
            format="yaml",
            line=line,
            limit=limit,
        )
    from ruamel.yaml import YAML  # takes a while, and is seldom needed
    from ruamel.yaml.error import YAMLError

    try:
        return _Composer(notes).compose(YAML(typ="safe", pure=True).parse(text))
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise _not_yaml(error) from error


def _not_yaml(error: Exception) -> FormatError:
    """What either parser has to say."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None)
    if not said:
        return FormatError(f"This is not YAML: {str(error)!a}.", format="yaml")
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    return FormatError(
        f"This is not YAML: {said} at line {line}, column {column}.", format="yaml", line=line, column=column
    )


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    value: Any
    anchor: str | None
    nodes: int = 1
    key: Any = None
    has_key: bool = False


@dataclass(slots=True)
class _Composer:
    notes: Notes
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    total: int = 0
    root: Any = None

    def compose(self, events: Iterator[Any]) -> object:
        documents = 0
        for event in events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    documents += 1
                    if documents > 1:
                        self.notes.add(
                            "yaml_more_documents", "The file holds several YAML documents; the first is read."
                        )
                        break
                case "ScalarEvent":
                    self._see_tag(event)
                    is_null = event.style in {None, ""} and event.value in _NULLS
                    self._put(None if is_null else event.value, 1, event.anchor)
                case "AliasEvent":
                    self._alias(event.anchor)
                case "MappingStartEvent" | "SequenceStartEvent" as name:
                    self._see_tag(event)
                    if len(self.stack) >= limits.JSON_DEPTH:
                        raise FormatError(
                            f"The YAML is nested more than {limits.JSON_DEPTH} levels deep.", limit=limits.JSON_DEPTH
                        )
                    self.stack.append(_Open({} if name == "MappingStartEvent" else [], event.anchor))
                case "MappingEndEvent" | "SequenceEndEvent":
                    done = self.stack.pop()
                    self.total -= done.nodes - 1  # counted again with the container
                    self._put(done.value, done.nodes, done.anchor)
                case _:
                    pass
        return self.root

    def _see_tag(self, event: Any) -> None:
        if event.tag not in {None, "!"}:
            self.notes.add(
                "yaml_tag_ignored",
                f"The YAML tag {event.tag[:100]!a} at line {event.start_mark.line + 1} has no effect.",
            )

    def _alias(self, anchor: str) -> None:
        if anchor not in self.anchors:
            raise FormatError(
                f"The YAML alias `*{ascii(anchor[:50])[1:-1]}` stands for nothing before it.", format="yaml"
            )
        value, nodes = self.anchors[anchor]
        self._put(value, nodes, None)

    def _put(self, value: Any, nodes: int, anchor: str | None) -> None:
        """Put a finished value where it belongs. `nodes` counts the values in it, aliases followed."""
        self.total += nodes
        if self.total > limits.YAML_NODES:
            raise FormatError(
                f"The YAML holds more than {limits.YAML_NODES:,} values when its aliases are followed.",
                format="yaml",
                limit=limits.YAML_NODES,
            )
        if anchor:
            self.anchors[anchor] = (value, nodes)
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.nodes += nodes
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.has_key:
            if top.key in top.value:
                shown = ascii(top.key[:100])[1:-1]
                self.notes.add(
                    "duplicate_key",
                    f"The name '{shown}' stands twice in one object; the last value is used.",
                    field=shown,
                )
            top.value[top.key] = value
            top.has_key = False
        else:
            if isinstance(value, (dict, list)):
                raise FormatError("A name in this YAML is a list or a mapping; only texts can be names.", format="yaml")
            top.key, top.has_key = "" if value is None else value, True
