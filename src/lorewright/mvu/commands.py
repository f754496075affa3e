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
from lorewright.mvu.patches import OPERATIONS, Block, Patch, all_blocks, read_patch
from lorewright.mvu.paths import fix_path, trim_quotes
from lorewright.mvu.refusal import Category, Refusal

__all__ = ["MOST_COMMANDS", "Command", "Found", "Op", "UpdateBlock", "find_commands", "update_blocks"]

Op: TypeAlias = Literal["set", "add", "insert", "delete", "move"]

MOST_COMMANDS: Final = 500
_MOST_REFUSALS: Final = 100
_MOST_LOOKED_AT: Final = 4_000_000
"""Letters that are gone through for closing parentheses, in one reply."""
_QUOTED: Final = 200
_LONGEST_NAME: Final = 40

_CALL: Final = re.compile(r"_[ \t]{0,3}\.[ \t]{0,3}([^\W\d_]\w*)[ \t]{0,3}[(（]")
"""A command, and what is nearly one: another name, white space, a full-width parenthesis."""
_NEARLY: Final = re.compile(r"[^\n;；]{0,200}[;；]?")
_IN_A_NAME: Final = re.compile(r"[A-Za-z0-9_.$]")
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
    blocks = list(all_blocks(text))
    patches = [(block, read_patch(block.content)) for block in blocks if block.closed]
    inside = [block for block, patch in patches if patch is not None]
    refused = [_not_closed(block) for block in blocks if behaviour.closed_blocks and not block.closed]
    found = [*_in_patches(patches, behaviour, refused), *_calls(text, behaviour, inside, refused)]
    found.sort(key=lambda command: command.start)
    if behaviour.skips_patches:
        found = [one for one in found if one.reason == _PATCH_REASON or not _is_inside(one.start, inside)]
    if behaviour.closed_blocks:
        open_from = min((block.start for block in update_blocks(text) if not block.closed), default=len(text))
        cut = [one for one in found if one.start >= open_from]
        found = found[: len(found) - len(cut)]
        refused += [
            _refusal("block_not_closed", "The update block is not closed, so the reply may be cut off.", one.text)
            for one in cut
        ]
    if len(found) > MOST_COMMANDS:
        message = f"A reply may hold {MOST_COMMANDS} commands; this one holds {len(found)}."
        refused += [_refusal("too_many", message, one.text) for one in found[MOST_COMMANDS:]]
    if (more := len(refused) - _MOST_REFUSALS) > 0:
        rest = _refusal("too_many", f"{more} more are left out and not named one by one.", refused[_MOST_REFUSALS].text)
        refused = [*refused[:_MOST_REFUSALS], rest]
    return Found(tuple(found[:MOST_COMMANDS]), tuple(refused))


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


def _is_inside(start: int, blocks: Sequence[Block]) -> bool:
    return any(block.start <= start < block.end for block in blocks)


def _refusal(category: Category, message: str, text: str) -> Refusal:
    return Refusal(-1, "", "", category, message, text[:_QUOTED])


def _not_closed(block: Block) -> Refusal:
    message = "The block of JSON Patch is not closed by its own tag, so none of it is read; the reply may be cut off."
    return _refusal("block_not_closed", message, block.content)


def _in_patches(
    patches: Sequence[tuple[Block, Patch | None]], behaviour: Behaviour, refused: list[Refusal]
) -> Iterator[Command]:
    for block, patch in patches:
        if patch is None:
            message = "The block is no list of operations with `op` and `path`, so none of it is carried out."
            refused.append(_refusal("patch_unreadable", message, block.content))
            continue
        for unknown, text in patch.unknown:
            message = f"There is no operation `{unknown[:_LONGEST_NAME]}`. Known: {', '.join(OPERATIONS)}."
            refused.append(_refusal("unknown_command", message, text))
        for name, arguments, text, names_nothing in patch.operations:
            if names_nothing and behaviour.needs_names:
                refused.append(_refusal("no_target", "Nothing can be put in place of the whole tree.", text))
            else:
                yield _command(name, arguments, _PATCH_REASON, text, block.start)


def _calls(text: str, behaviour: Behaviour, patches: Sequence[Block], refused: list[Refusal]) -> Iterator[Command]:
    at = looked_at = 0
    while found := _CALL.search(text, at):
        name, begin = found[1], found.start()
        if name not in _FEWEST or found[0] != f"_.{name}(":
            at = found.end()
            if _is_meant(found) and not _is_inside(begin, patches):
                refused.append(_unknown(found))
            continue
        if looked_at > _MOST_LOOKED_AT:
            message = "Too many parentheses are not closed; the commands from here on are not read."
            refused.append(_refusal("too_many", message, text[begin:]))
            return
        at = found.end()
        close = find_close(text, at)
        looked_at += (close if close >= 0 else len(text)) - at
        if close < 0:
            refused.append(_not_one("Its parenthesis is never closed.", text[begin:]))
            continue
        inside, at = text[at:close], close + 1
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
        if len(arguments) < _FEWEST[name] or (name == "add" and len(arguments) > _FEWEST[name]):
            refused.append(_not_one(f"`{name}` takes another number of arguments.", text[begin:at]))
        else:
            yield _command(name, tuple(arguments), reason, text[begin:at], begin)


def _is_meant(found: re.Match[str]) -> bool:
    """Whether this is meant as a command: it stands by itself, and has white space in it only in a known name."""
    begin, name = found.start(), found[1]
    if begin > 0 and _IN_A_NAME.match(found.string, begin - 1):
        return False
    return name.lower() in _FEWEST or found[0][:-1] == f"_.{name}"


def _unknown(found: re.Match[str]) -> Refusal:
    """What is nearly a command, with what to write."""
    name = found[1]
    if name.lower() in _FEWEST:
        message = f"A command begins with `_.{name.lower()}(`, in small letters and without a space."
    elif name == "move":
        message = "There is no command `move`; a patch (`<JSONPatch>`) can move."
    else:
        message = f"There is no command `{name[:_LONGEST_NAME]}`. Known: {', '.join(_FEWEST)}."
    rest = _NEARLY.match(found.string, found.end())
    return _refusal("unknown_command", message, found[0] + (rest[0] if rest else ""))


def _not_one(message: str, text: str) -> Refusal:
    return _refusal("not_a_command", f"This is no command: {message}", text)


def _command(name: str, arguments: tuple[Any, ...], reason: str, text: str, start: int) -> Command:
    path: str = arguments[0]
    if len(path) <= LONGEST_PATH:
        path = fix_path(trim_quotes(path))
    op: Any = _ALIASES.get(name, name)
    return Command(name, op, arguments, path, reason, text, start)
