"""YAML 1.2 with the core schema, as the program's reader takes it: numbers and constants are values, `yes` and dates are
texts, tags of programs are ignored (spec mvu-vars §4.5, §8).

Bounded: text, levels, and how often anchors are used inside of what other anchors stand for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from lorewright.core.javascript import value_as_text
from lorewright.mvu.values import MISSING, Json, tidy

__all__ = ["MOST_CHARACTERS", "NotYaml", "read_plain", "read_scalar", "read_yaml"]

MOST_CHARACTERS: Final = 256 * 1024
_DEEPEST: Final = 64
_MOST_NODES: Final = 50_000
_MOST_USES: Final = 100
"""Uses of anchors, multiplied along anchors inside of anchors; the program's reader has the same limit."""

_CONSTANTS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NAN: Final = frozenset({".nan", ".NaN", ".NAN"})
_TAG: Final = "tag:yaml.org,2002:"
_RESOLVED: Final = frozenset({"int", "float", "bool", "null"})
_BARE_END: Final = re.compile(r"\.\.\.\s*")

_PLAIN: Final = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\n\r\t:#]*")
"""A text that is a plain scalar at first sight, so that no reader needs to be asked."""


class NotYaml(ValueError):
    """The text is no YAML, or over a limit; the message is a sentence for people."""


def read_scalar(text: str) -> Json:
    """What a plain scalar means."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return tidy(float(text))
    if _INFINITY.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return math.nan if text in _NAN else text


def _integer(text: str) -> float:
    if text[:2] in {"0o", "0x"}:
        return tidy(int(text, 0))
    return tidy(float(text)) if len(text) > 300 else tidy(int(text))


def read_plain(text: str) -> Json:
    """The value of a text that is one plain scalar, or nothing, at first sight; `MISSING` if a reader must look."""
    if not text:
        return ""
    is_plain = _PLAIN.fullmatch(text) and not _BARE_END.fullmatch(text)
    return read_scalar(text.rstrip(" ")) if is_plain else MISSING


def read_yaml(text: str, *, document: bool = False) -> Json:
    """The value of a text.

    In a `document`, `<<` brings in the members of another mapping, the last of two equal keys wins, and only the first
    of several documents counts; in an argument these are errors.

    Raises:
        NotYaml: the text is broken or over a limit.
    """
    if _BARE_END.fullmatch(text):
        return None
    if _PLAIN.fullmatch(text):
        return read_scalar(text.rstrip(" "))
    if len(text) > MOST_CHARACTERS:
        raise NotYaml(f"A YAML text of {len(text):,} characters; the limit is {MOST_CHARACTERS:,}. Write it as JSON.")
    try:
        return _Composer(document).compose(YAML(typ="safe", pure=True).parse(text))
    except NotYaml:
        raise
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        said = getattr(error, "problem", None) or str(error)
        mark = getattr(error, "problem_mark", None)
        raise NotYaml(f"This is not YAML: {said}" + (f" in line {mark.line + 1}." if mark else ".")) from error


@dataclass(slots=True)
class _Anchor:
    """What an anchor stands for, how many values that is, the uses inside of it, and how often it was used."""

    value: Json
    nodes: int
    inside: int
    used: int = 0


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    value: Any
    anchor: str | None
    nodes: int = 1
    inside: int = 0
    key: Json = None
    has_key: bool = False
    merges: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class _Composer:
    document: bool
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchor] = field(default_factory=dict)
    total: int = 0
    root: Json = None

    def compose(self, events: Iterator[Any]) -> Json:
        documents = 0
        for event in events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    documents += 1
                    if documents > 1 and self.document:
                        break
                    if documents > 1:
                        raise NotYaml("The text holds several YAML documents; write one.")
                case "ScalarEvent":
                    self._put(_scalar(event), 1, 0, event.anchor)
                case "AliasEvent":
                    self._alias(event.anchor)
                case "MappingStartEvent" | "SequenceStartEvent" as name:
                    if len(self.stack) >= _DEEPEST:
                        raise NotYaml(f"The YAML is nested more than {_DEEPEST} levels deep.")
                    self.stack.append(_Open({} if name == "MappingStartEvent" else [], event.anchor))
                case "MappingEndEvent" | "SequenceEndEvent":
                    done = self.stack.pop()
                    for source in done.merges:
                        done.value = {**source, **done.value}
                    self._put(done.value, done.nodes, done.inside, done.anchor)
                case _:
                    pass
        return self.root

    def _alias(self, name: str) -> None:
        anchor = self.anchors.get(name)
        if anchor is None:
            raise NotYaml(f"The YAML alias `*{name[:50]}` stands for nothing before it.")
        anchor.used += 1
        inside = anchor.used * max(1, anchor.inside)
        if inside > _MOST_USES:
            raise NotYaml(f"The YAML uses its anchors more than {_MOST_USES} times inside of each other.")
        self.total += anchor.nodes
        self._put(anchor.value, anchor.nodes, inside, None)

    def _put(self, value: Json, nodes: int, inside: int, anchor: str | None) -> None:
        """Put a finished value where it belongs. `nodes` counts the values in it, aliases followed."""
        self.total += 1
        if self.total > _MOST_NODES:
            raise NotYaml(f"The YAML holds more than {_MOST_NODES:,} values when its aliases are followed.")
        if anchor:
            self.anchors[anchor] = _Anchor(value, nodes, inside)
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.nodes += nodes
        top.inside = max(top.inside, inside)
        if isinstance(top.value, list):
            top.value.append(value)
        elif not top.has_key:
            top.key, top.has_key = value, True
        else:
            self._member(top, value)
            top.has_key = False

    def _member(self, top: _Open, value: Json) -> None:
        if self.document and top.key == "<<":
            sources = value if isinstance(value, list) else [value]
            if all(isinstance(source, dict) for source in sources):
                top.merges += sources
                return
        name = _key(top.key)
        if name in top.value and not self.document:
            raise NotYaml(f"The key `{name[:50]}` stands twice in one mapping.")
        top.value[name] = value


def _scalar(event: Any) -> Json:
    """A scalar by its tag or, if it is plain, by its look."""
    if (event.tag or "").removeprefix(_TAG) in _RESOLVED:
        return read_scalar(event.value)
    is_text = event.tag or event.style not in {None, ""}
    return event.value if is_text else read_scalar(event.value)


def _key(value: Json) -> str:
    """A key as JavaScript has it: a text; collections are written out."""
    if value is None:
        return ""
    return _flow(value) if isinstance(value, (dict, list)) else value_as_text(value)


def _flow(value: Json) -> str:
    if isinstance(value, dict):
        members = [name if item is None else f"{name}: {_flow(item)}" for name, item in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, list):
        return f"[ {', '.join(map(_flow, value))} ]" if value else "[]"
    return "" if value is None else value_as_text(value)
