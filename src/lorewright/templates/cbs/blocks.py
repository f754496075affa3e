"""Blocks (spec risu §4): what an opening tag means, and what becomes of the body when it is closed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lorewright.core.javascript import WHITE_SPACE, trim, value_as_text
from lorewright.templates.cbs.switches import Switches
from lorewright.templates.cbs.values import check_size, parse_float, read_list, replace_all

__all__ = ["ELSE", "Block", "Lookup", "expand_each", "open_block", "shape_body", "shape_else", "shape_old_form"]

ELSE: Final = ":else"

Kind: TypeAlias = Literal[
    "if", "if_pure", "ignored", "when", "chosen", "pure", "puredisplay", "escape", "code", "each", "function"
]

_UNREAD: Final = frozenset({"ignored", "chosen", "pure", "puredisplay", "escape", "each", "function"})
_PURE: Final[dict[str, Kind]] = {
    "#pure": "pure",
    "#puredisplay": "puredisplay",
    "#pure_display": "puredisplay",
    "#code": "code",
    "#escape": "escape",
}
_TRUE: Final = frozenset({"1", "true"})
_ESCAPED: Final = str.maketrans("{}()", "\ue9b8\ue9b9\ue9ba\ue9bb")
_CODES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_CODE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])")
_ELSE_TAG: Final = "{{:else}}"


@dataclass(frozen=True, slots=True)
class Block:
    """An open block. `true` is its condition, `keep` that the body stays as written; `name` and `list` are those of
    `#each`, `name` that of `#func`."""

    kind: Kind
    true: bool = True
    keep: bool = False
    name: str = ""
    items: str = ""

    @property
    def unread(self) -> bool:
        """Whether nothing inside runs."""
        return self.kind in _UNREAD


@dataclass(frozen=True, slots=True)
class Lookup:
    """How a condition reads variables: of the chat, and global ones."""

    chat: Callable[[str], str]
    shared: Callable[[str], object]


def open_block(tag: str, variables: Lookup, switches: Switches) -> Block | None:
    """The block that a tag (the text between the braces) opens; None if it opens none."""
    if tag.startswith("#if"):
        if _second_word(tag) not in _TRUE:
            return Block("ignored")
        return Block("if_pure" if tag.startswith("#if_pure") else "if")
    if tag.startswith("#when"):
        return _open_when(tag, variables, switches)
    if tag in _PURE:
        return Block(_PURE[tag])
    if tag.startswith("#each"):
        return _open_each(tag, switches)
    if tag.startswith("#func") and " " in tag:
        return Block("function", name=tag.split(" ")[1])
    return None


def _second_word(tag: str) -> str:
    words = tag.split(" ")
    return words[1] if len(words) > 1 else ""


def _open_each(tag: str, switches: Switches) -> Block:
    text = trim(tag.removeprefix("#each"))
    if text.startswith("as "):
        text = trim(text[3:])
    items, _, name = text.rpartition(" ")
    if not switches.each_keeps_as and trim(items).endswith(" as"):
        items = trim(items).removesuffix(" as")
    return Block("each", name=name, items=items)


def _open_when(tag: str, variables: Lookup, switches: Switches) -> Block:
    if tag.startswith("#when "):
        return _when_block(_second_word(tag) in _TRUE, "", switches)
    parts = tag.split("::")[1:]
    mode = ""
    while len(parts) > 1:
        value, operator = parts.pop(), parts.pop()
        if operator in {"keep", "legacy"}:
            mode = operator
            parts += [] if switches.when_keep_drops_value else [value]
            continue
        first = parts.pop() if parts and operator in _TWO_VALUES else None
        parts.append("1" if _holds(operator, first, value, variables, switches) else "0")
    return _when_block(bool(parts) and parts[0] in _TRUE, mode, switches)


def _when_block(true: bool, mode: str, switches: Switches) -> Block:
    if mode == "legacy":
        return Block("if" if true else "ignored")
    return Block("when" if switches.when_reads_both_branches else "chosen", true=true, keep=mode == "keep")


_TWO_VALUES: Final = frozenset("and or is isnot vis visnot tis tisnot > < >= <=".split())


def _holds(operator: str, first: str | None, value: str, variables: Lookup, switches: Switches) -> bool:
    """Whether one operator of `#when::...` holds; `first` is the part before it, `value` the one behind."""
    match operator:
        case "not":
            return value not in _TRUE
        case "and":
            return value in _TRUE and first in _TRUE
        case "or":
            return value in _TRUE or first in _TRUE
        case "is":
            return first == value
        case "isnot":
            return first != value
        case "var":
            return variables.chat(value) in _TRUE
        case "toggle":
            return variables.shared(f"toggle_{value}") in _TRUE
        case "vis":
            return variables.chat(_name(first)) == value
        case "visnot":
            return variables.chat(_name(first)) != value
        case "tis":
            return variables.shared(f"toggle_{_name(first)}") == value
        case "tisnot":
            return variables.shared(f"toggle_{_name(first)}") != value
        case ">" | "<" | ">=" | "<=":
            left, right = math.nan if first is None else parse_float(first), parse_float(value)
            return _compares(operator, *((right, left) if switches.when_compares_backwards else (left, right)))
    return value in _TRUE


def _name(part: str | None) -> str:
    return "undefined" if part is None else part


def _compares(operator: str, left: float, right: float) -> bool:
    match operator:
        case ">":
            return left > right
        case "<":
            return left < right
        case ">=":
            return left >= right
    return left <= right


def shape_body(block: Block, body: str) -> str:
    """What a closed block leaves of its body (for `each` and `function`: what is kept to be scanned)."""
    match block.kind:
        case "if" | "each":
            return _left_trimmed(body)
        case "when":
            return _branch(block, body)
        case "pure" | "function":
            return trim(body)
        case "puredisplay":
            return trim(body).replace("{{", r"\{\{").replace("}}", r"\}\}")
        case "escape":
            return trim(body).translate(_ESCAPED)
        case "code":
            return _CODE.sub(_decoded, body.replace("\n", "").replace("\t", ""))
        case "if_pure":
            return body
    return ""


def _left_trimmed(body: str) -> str:
    return "\n".join(line.lstrip(WHITE_SPACE) for line in trim(body).split("\n"))


def _decoded(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 1:
        return _CODES.get(code, code)
    return chr(int(code[1:], 16)) if code[0] == "u" else "\0"


def _branch(block: Block, body: str) -> str:
    """The branch of a `#when` that was read as one text: cut at the first `{{:else}}`, which in a body of several
    lines must stand alone in its line."""
    if "\n" not in body:
        before, _, after = body.partition(_ELSE_TAG)
        return before if block.true else after
    lines = body.split("\n")
    cut = next((place for place, line in enumerate(lines) if trim(line) == _ELSE_TAG), len(lines))
    return _without_blank_ends(lines[:cut] if block.true else lines[cut + 1 :], block.keep)


def shape_else(block: Block, branches: list[str]) -> str:
    """The chosen branch of a `#when` whose branches were kept apart, to be scanned now."""
    if len(branches) == 1:
        chosen = branches[0] if block.true else ""
    else:
        chosen = branches[0] if block.true else _ELSE_TAG.join(branches[1:])
    return _without_blank_ends(chosen.split("\n"), block.keep) if "\n" in chosen else chosen


def _without_blank_ends(lines: list[str], keep: bool) -> str:
    written = [place for place, line in enumerate(lines) if trim(line)]
    if not keep:
        lines = lines[written[0] : written[-1] + 1] if written else []
    return "\n".join(lines)


def expand_each(block: Block, body: str, protect: Callable[[str], str], most: int) -> str:
    """The body of an `#each` for every item of its list, joined and trimmed; `protect` changes the text of an item.

    Raises:
        TooMuch: the text would have more than `most` characters.
    """
    slot = f"{{{{slot::{block.name}}}}}"
    items = read_list(block.items)
    check_size(len(items) * len(body), most)
    parts: list[str] = []
    size = 0
    for item in items:
        parts.append(replace_all(body, slot, protect(value_as_text(item)), most))
        size += len(parts[-1])
        check_size(size, most)
    return trim("".join(parts))


def shape_old_form(content: str) -> str | None:
    """`{#if x` line break, body `#}` (spec risu §1.9); None if it is something else."""
    head, line_break, body = content.partition("\n")
    words = head.split(" ")
    if not line_break or words[0] != "if":
        return None
    return "" if len(words) > 1 and words[1] in {"", "0", "-1"} else trim(body)
