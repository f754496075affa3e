"""The commands in a reply: `_.set(path, value);//reason` anywhere in the text, and patches (spec mvu-vars §2)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from lorewright.core.javascript import trim
from lorewright.mvu.arguments import find_close, split_arguments
from lorewright.mvu.behaviour import Behaviour
from lorewright.mvu.budget import LONGEST_PATH
from lorewright.mvu.patches import Block, find_blocks, read_operations, unclosed_block
from lorewright.mvu.paths import fix_path, trim_quotes
from lorewright.mvu.refusal import Category, Refusal

__all__ = ["MOST_COMMANDS", "Command", "Found", "Op", "UpdateBlock", "find_commands", "update_blocks"]

Op: TypeAlias = Literal["set", "add", "insert", "delete", "move"]

MOST_COMMANDS: Final = 500
_MOST_REFUSALS: Final = 100
_MOST_LOOKED_AT: Final = 4_000_000
"""Letters that are gone through for closing parentheses, in one reply."""
_QUOTED: Final = 200

_CALL: Final = re.compile(r"_\.(set|insert|assign|remove|unset|delete|add)\(")
_REASON: Final = re.compile(r"\s*//([^\n\r\u2028\u2029]*)")
_UPDATE_TAG: Final = re.compile(r"<(/?)(update|updatevariable|variableupdate)>", re.IGNORECASE)
_ALIASES: Final[dict[str, Op]] = {"assign": "insert", "remove": "delete", "unset": "delete"}
_FEWEST: Final = {"set": 2, "insert": 2, "assign": 2, "remove": 1, "unset": 1, "delete": 1, "add": 2}
_ENTITY: Final = re.compile(r"&(?:quot|apos|lt|gt|amp|#\d{1,5}|#x[0-9a-fA-F]{1,5});")

_PATCH_REASON: Final = "json_patch"


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `name` is as written, `op` what it means.

    arguments: their sources; the first is the path, `path` the same in the spelling that is used. text: all of it.
    """

    name: str
    op: Op
    arguments: tuple[Any, ...]
    path: str
    reason: str
    text: str
    start: int


class Found(NamedTuple):
    """The commands of a text in the order in which they are carried out, and what looked like one and is none."""

    commands: tuple[Command, ...]
    refused: tuple[Refusal, ...]


class UpdateBlock(NamedTuple):
    """An update block of a reply, from its tag to its closing one, or to the end of the text."""

    start: int
    end: int
    closed: bool


def find_commands(text: str, behaviour: Behaviour) -> Found:
    """All commands of a text whose macros are replaced already. Never raises; at most `MOST_COMMANDS` are given."""
    blocks = list(find_blocks(text))
    refused: list[Refusal] = []
    found = [*_in_patches(blocks, behaviour, refused), *_calls(text, behaviour, refused)]
    found.sort(key=lambda command: command.start)
    if behaviour.skips_patches:
        inside = [block for block in blocks if read_operations(block.content) is not None]
        found = [one for one in found if one.reason == _PATCH_REASON or not _is_inside(one, inside)]
    if behaviour.closed_blocks:
        open_from = min((block.start for block in update_blocks(text) if not block.closed), default=len(text))
        cut = [one for one in found if one.start >= open_from]
        found = found[: len(found) - len(cut)]
        refused += [
            _refusal("block_not_closed", "The update block is not closed, so the reply may be cut off.", one.text)
            for one in cut
        ]
        if rest := unclosed_block(text):
            message = "The block of JSON Patch is not closed, so the reply may be cut off."
            refused.append(_refusal("block_not_closed", message, rest))
    if len(found) > MOST_COMMANDS:
        message = f"A reply may hold {MOST_COMMANDS} commands; this one holds {len(found)}."
        refused += [_refusal("too_many", message, one.text) for one in found[MOST_COMMANDS:]]
    return Found(tuple(found[:MOST_COMMANDS]), tuple(refused[:_MOST_REFUSALS]))


def update_blocks(text: str) -> list[UpdateBlock]:
    """The update blocks of a reply in order; those that are inside of another one belong to it."""
    found: list[UpdateBlock] = []
    opened: re.Match[str] | None = None
    for tag in _UPDATE_TAG.finditer(text):
        if not tag[1]:
            opened = opened or tag
        elif opened is not None and opened[2].lower() == tag[2].lower():
            found.append(UpdateBlock(opened.start(), tag.end(), True))
            opened = None
    return [*found, UpdateBlock(opened.start(), len(text), False)] if opened else found


def _is_inside(command: Command, blocks: Sequence[Block]) -> bool:
    return any(block.start <= command.start < block.end for block in blocks)


def _refusal(category: Category, message: str, text: str) -> Refusal:
    return Refusal(-1, "", "", category, message, text[:_QUOTED])


def _in_patches(blocks: Sequence[Block], behaviour: Behaviour, refused: list[Refusal]) -> Iterator[Command]:
    for block in blocks:
        operations = read_operations(block.content)
        if operations is None:
            message = "The block is no list of operations with `op` and `path`, so none of it is carried out."
            refused.append(_refusal("patch_unreadable", message, block.content))
            continue
        for name, arguments, text, names_nothing in operations:
            if names_nothing and behaviour.needs_names:
                refused.append(_refusal("no_target", "Nothing can be put in place of the whole tree.", text))
            else:
                yield _command(name, arguments, _PATCH_REASON, text, block.start)


def _calls(text: str, behaviour: Behaviour, refused: list[Refusal]) -> Iterator[Command]:
    at = looked_at = 0
    while found := _CALL.search(text, at):
        if looked_at > _MOST_LOOKED_AT:
            message = "Too many parentheses are not closed; the commands from here on are not read."
            refused.append(_refusal("too_many", message, text[found.start() :]))
            return
        at = found.end()
        close = find_close(text, at)
        looked_at += (close if close >= 0 else len(text)) - at
        if close < 0:
            refused.append(_not_one("Its parenthesis is never closed.", text[found.start() :]))
            continue
        inside, begin, at = text[at:close], found.start(), close + 1
        if text[at : at + 1] != ";":
            refused.append(_not_one("No `;` stands right behind its parenthesis.", text[begin:at]))
            continue
        at += 1
        reason = ""
        if comment := _REASON.match(text, at):
            reason, at = trim(comment[1]), comment.end()
        if behaviour.decodes and _ENTITY.search(inside) and not any(quote in inside for quote in "\"'"):
            inside = html.unescape(inside)
        arguments = split_arguments(inside)
        name = found[1]
        if len(arguments) < _FEWEST[name] or (name == "add" and len(arguments) > _FEWEST[name]):
            refused.append(_not_one(f"`{name}` takes another number of arguments.", text[begin:at]))
        else:
            yield _command(name, tuple(arguments), reason, text[begin:at], begin)


def _not_one(message: str, text: str) -> Refusal:
    return _refusal("not_a_command", f"This is no command: {message}", text)


def _command(name: str, arguments: tuple[Any, ...], reason: str, text: str, start: int) -> Command:
    path: str = arguments[0]
    if len(path) <= LONGEST_PATH:
        path = fix_path(trim_quotes(path))
    op: Any = _ALIASES.get(name, name)
    return Command(name, op, arguments, path, reason, text, start)
