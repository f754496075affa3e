"""Front matter: the block between `---` lines, in the part of YAML that people write by hand there.

`name: text`, quoted texts, lists in one line (`[a, b]`) or with one `- item` per line, and block texts (`|`, `>`) are
read, all as texts. There are no tags, anchors or aliases; what is nested deeper is reported and kept as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lorewright.formats.markdown.values import TEXT, quote, split_list

__all__ = ["FrontMatter", "FrontValue", "find_front_matter", "is_front_name", "write_front_value"]

FrontValue = str | tuple[str, ...]

_PAIR: Final = re.compile(r"(?P<name>[^\s:#\[\]{}\"'-][^:]{0,80}?)[ \t]*:(?:[ \t]+(?P<value>.*))?[ \t\r]*")
_COMMENT: Final = re.compile(r"[ \t]+#.*$")
_BLOCK: Final = re.compile(r"[|>][+-]?")
_WORDS: Final = re.compile(r"\w(?:[\w .-]*\w)?")
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+|$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` by their names as written; `strange` are the numbers of lines that were not understood."""

    values: dict[str, FrontValue]
    strange: tuple[int, ...]
    line_count: int


def find_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter at the head of a file; its `line_count` is 0 if there is none."""
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter({}, (), 0)
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in {"---", "..."}), 0)
    values: dict[str, FrontValue] = {}
    strange: list[int] = []
    at = 1
    while at < end:
        line = lines[at]
        found = _PAIR.fullmatch(line)
        at += 1
        if found is None:
            if line.strip() and not line.lstrip().startswith("#"):
                strange.append(at)
            continue
        first = at
        while at < end and (lines[at][:1] in {" ", "\t"} or not lines[at].strip() or _ITEM.match(lines[at])):
            at += 1
        values[found["name"]] = _read(found["value"] or "", lines[first:at])
    return FrontMatter(values, tuple(strange), end + 1 if end else 0)


def _read(value: str, more: list[str]) -> FrontValue:
    plain = value if value[:1] in {'"', "'", "[", "`"} else _COMMENT.sub("", value)
    plain = plain.strip()
    if _BLOCK.fullmatch(plain):
        return (" " if plain[0] == ">" else "\n").join(line.strip() for line in more).strip()
    kept = [line for line in more if line.strip()]
    if not plain and kept:
        if all(_ITEM.match(line) for line in kept):
            return tuple(_read_scalar(_ITEM.sub("", line, count=1)) for line in kept)
        return "\n".join(more)
    if plain[:1] == "[" and plain[-1:] == "]":
        return split_list(plain[1:-1])
    return "\n".join([_read_scalar(plain), *(line.strip() for line in kept)])


def _read_scalar(text: str) -> str:
    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        return plain[1:-1].replace("''", "'")
    read = TEXT.read(plain)
    assert isinstance(read, str)
    return read


def write_front_value(value: FrontValue) -> str:
    """Always in quotes where it is no word or number, so that it is read back alike here and by YAML."""
    if isinstance(value, str):
        return value if _WORDS.fullmatch(value) else quote(value)
    return f"[{', '.join(item if _WORDS.fullmatch(item) else quote(item) for item in value)}]"


def is_front_name(name: str) -> bool:
    return _PAIR.fullmatch(f"{name}: x") is not None and name == name.strip() and "\n" not in name and ": " not in name
