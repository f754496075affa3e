"""The part of Handlebars that story strings use: values, conditions, comments, white space control.

What is no part of it stays as text, so that macros can run there afterwards. White space follows handlebars.js: a line
that holds nothing but a block tag or a comment vanishes, and `~` takes all white space on its side. Behind `{{else if}}`
it is the last part of a block that decides about the line of its closing tag; there it is the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.core.layout.story import StoryPart
from lorewright.core.model import Report

__all__ = ["Handlebars"]

_COMMENT: Final = r"!--(?P<long>[\s\S]*?)--|"
_REST: Final = r"!(?P<comment>[\s\S]*?)|\{(?P<raw>[^{}]*)\}|(?P<kind>[#^/&]?)(?P<inside>[^{}]*?))(?P<right>~?)\}\}"
_START: Final = r"(?P<escaped>\\?)\{\{(?P<left>~?)(?:"
_TAG: Final = re.compile(_START + _COMMENT + _REST)
_TAG_WITHOUT_LONG: Final = re.compile(_START + "(?P<long>(?!))|" + _REST)
_BLOCK: Final = re.compile(r"(?:(?P<helper>if|unless|with)\s+)?(?:this\.|\./)?(?P<name>[^\s(){}=|]+)")
_ELSE: Final = re.compile(r"else(?:\s+(?P<helper>if|unless))?(?:\s+(?:this\.|\./)?(?P<name>\S+))?")
_LINE_BEFORE: Final = re.compile(r"\n[^\S\n]*\Z")
_BLANK_BEFORE: Final = re.compile(r"(?:\A|\n)[^\S\n]*\Z")
_LINE_AFTER: Final = re.compile(r"\A[^\S\n]*\n")
_BLANK_AFTER: Final = re.compile(r"\A[^\S\n]*(?:\n|\Z)")
_REST_OF_LINE: Final = re.compile(r"\A[ \t]*(?:\r?\n)?")
_MAX_NESTING: Final = 64

_Kind = Literal["text", "value", "open", "else", "close", "comment"]


@dataclass(slots=True)
class _Token:
    """A piece of a template. `text`: what stands in the output where the token is a text; `name`: the value that it asks
    for; `negative`: a condition that holds without the value. `section`: a block that asks only whether there is such a
    value, even an empty one. `cut`: its first line was taken."""

    kind: _Kind
    source: str
    text: str = ""
    name: str = ""
    negative: bool = False
    section: bool = False
    cut: bool = False


class Handlebars:
    """`StoryEngine` for SillyTavern's story strings."""

    def render(self, template: str, values: Mapping[str, str]) -> tuple[Sequence[StoryPart], Sequence[Report]]:
        """See `StoryEngine`. Never raises: a tag that opens or closes nothing gives nothing, and a report says so."""
        reports: list[Report] = []
        tokens = list(_tokens(template, values))
        _control_white_space(tokens)
        return list(_output(tokens, values, reports)), reports


def _tokens(template: str, values: Mapping[str, str]) -> Iterator[_Token]:
    """Texts and tags by turns, a text first and last."""
    at = 0
    strips_next = False
    for found in _tags(template):
        token = _token(found, values)
        if token is None:
            continue
        is_tag = token.kind != "text"
        yield _text(template[at : found.start()], strips_left=strips_next, strips_right=is_tag and bool(found["left"]))
        yield token
        strips_next = is_tag and bool(found["right"])
        at = found.end()
    yield _text(template[at:], strips_left=strips_next, strips_right=False)


def _tags(template: str) -> Iterator[re.Match[str]]:
    """All tags. Where nothing is closed any more, none is looked for: the search would go to the end each time."""
    at, last = 0, template.rfind("}}")
    last_long = max(template.rfind("--}}"), template.rfind("--~}}"))
    while at < last and (found := (_TAG if at < last_long else _TAG_WITHOUT_LONG).search(template, at)):
        yield found
        at = found.end()


def _text(source: str, *, strips_left: bool, strips_right: bool) -> _Token:
    text = source.lstrip() if strips_left else source
    return _Token("text", source, text.rstrip() if strips_right else text)


def _token(found: re.Match[str], values: Mapping[str, str]) -> _Token | None:
    """The token of a tag; None for what stays as text."""
    source = found[0]
    if found["escaped"]:
        return _Token("text", source[1:], source[1:])
    if found["long"] is not None or found["comment"] is not None:
        return _Token("comment", source)
    if found["raw"] is not None or found["kind"] == "&":
        name = (found["raw"] or found["inside"]).strip()
        return _Token("value", source, name=name) if name in values else None
    inside = found["inside"].strip()
    match found["kind"]:
        case "^" if not inside:
            return _Token("else", source)
        case "#" | "^":
            block = _BLOCK.fullmatch(inside)
            if block is None:
                return None
            negative = (found["kind"] == "^") != (block["helper"] == "unless")
            return _Token("open", source, name=block["name"], negative=negative, section=block["helper"] is None)
        case "/":
            return _Token("close", source)
    if other := _ELSE.fullmatch(inside):
        return _Token("else", source, name=other["name"] or "", negative=other["helper"] == "unless")
    name = inside.removeprefix("this.").removeprefix("./")
    return _Token("value", source, name=name) if name in values else None


def _control_white_space(tokens: list[_Token]) -> None:
    """Take out the lines that hold nothing but a block tag or a comment."""
    last = len(tokens) - 1
    for at, token in enumerate(tokens):
        if token.kind not in ("open", "else", "close", "comment"):
            continue
        before, after = tokens[at - 1], tokens[at + 1]
        begins = (_BLANK_BEFORE if at == 1 else _LINE_BEFORE).search(before.source)
        ends = (_BLANK_AFTER if at + 1 == last else _LINE_AFTER).search(after.source)
        if begins and ends:
            before.text = before.text.rstrip(" \t")
            if not after.cut:
                after.text = _REST_OF_LINE.sub("", after.text, count=1)
                after.cut = True


@dataclass(slots=True)
class _Block:
    """A block that is not closed: whether its part is shown now, and whether one of its parts was already."""

    shown: bool
    was_shown: bool


def _output(tokens: Sequence[_Token], values: Mapping[str, str], reports: list[Report]) -> Iterator[StoryPart]:
    stack: list[_Block] = []
    for token in tokens:
        has_value = token.name in values if token.section else bool(values.get(token.name))
        holds = not token.name or has_value != token.negative
        match token.kind:
            case "open":
                if len(stack) == _MAX_NESTING:
                    reports.append(
                        _report(
                            "story_too_deep",
                            f"Blocks are nested more than {_MAX_NESTING} deep at",
                            token,
                            " What follows is left out.",
                        )
                    )
                    return
                stack.append(_Block(holds, holds))
            case "else" if stack:
                block = stack[-1]
                block.shown = holds and not block.was_shown
                block.was_shown = block.was_shown or holds
            case "close" if stack:
                stack.pop()
            case "else" | "close":
                reports.append(_report("story_tag_alone", "No block is open at", token))
            case "text" | "value":
                text = values[token.name] if token.name else token.text
                if text and all(block.shown for block in stack):
                    yield StoryPart(token.name, text)
            case "comment":
                pass
    if stack:
        message = f"Of the blocks of the story string {len(stack)} are not closed; each ends where the string ends."
        reports.append(Report(code="story_block_open", message=message, field="story_string"))


def _report(code: str, what: str, token: _Token, effect: str = "") -> Report:
    message = f"{what} `{token.source[:60]}` in the story string.{effect}"
    return Report(code=code, message=message, field="story_string")
