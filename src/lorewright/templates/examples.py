"""Example dialogues as SillyTavern puts them into a prompt (`{{mesExamples}}`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from lorewright.core.javascript import trim
from lorewright.templates.context import Context, Instruct

__all__ = ["format_examples"]

_START = re.compile(r"<START>", re.IGNORECASE)
_HEADING = re.compile(r"<START>\n", re.IGNORECASE)
_NAME = re.compile(r"\{\{name\}\}", re.IGNORECASE)


def format_examples(raw: str, context: Context, substitute: Callable[[str], str]) -> str:
    """Example dialogues with their separators; for text completion in the form of the instruct template.

    `substitute` renders the separator and the sequences.
    """
    settings = context.settings
    if not raw or raw == "<START>":
        return ""
    whole = raw if raw.startswith("<START>") else f"<START>\n{trim(raw)}"
    blocks = [f"<START>\n{trim(block)}\n" for block in _START.split(whole)[1:]]
    if settings.api == "openai":
        return "".join(blocks)
    separator = settings.example_separator
    heading = f"{substitute(separator)}\n" if separator else ""
    plain = [_HEADING.sub(lambda _: heading, block, count=1) for block in blocks]
    if not settings.instruct.enabled or settings.instruct.skip_examples:
        return "".join(plain)
    return "".join(_instructed(blocks, heading, context, substitute) or plain)


def _instructed(blocks: list[str], heading: str, context: Context, substitute: Callable[[str], str]) -> list[str]:
    instruct = context.settings.instruct
    names = {True: context.user_name, False: context.char_name}
    found: list[str] = []
    for block in blocks:
        turns = _turns(block.replace("\r", ""), context)
        if turns and heading:
            found.append(heading)
        for is_user, text in turns:
            prefix, suffix = _sequences(instruct, names[is_user], substitute, is_user=is_user)
            named = instruct.names == "always" or (instruct.names == "force" and is_user)
            if context.group is not None and instruct.names != "none":
                named = False  # every line of a group has its name already
            content = f"{names[is_user]}: {text}" if named else text
            found.append(("\n" if instruct.wrap else "").join(filter(None, (prefix, content + suffix))))
    return found


def _sequences(instruct: Instruct, name: str, substitute: Callable[[str], str], *, is_user: bool) -> tuple[str, str]:
    """What stands before and behind a turn."""
    side = "input" if is_user else "output"
    prefix = instruct.sequences.get(f"{side}_sequence", "")
    suffix = instruct.sequences.get(f"{side}_suffix", "")
    if instruct.macro:
        prefix = _NAME.sub(lambda _: name, substitute(prefix))
        suffix = substitute(suffix) or ("\n" if instruct.wrap else "")
    return prefix, suffix


def _turns(block: str, context: Context) -> list[tuple[bool, str]]:
    """Who speaks in a block, and what; the line before the first speaker goes with the first turn."""
    user, char = context.user_name, context.char_name
    group = context.group
    others = tuple(f"{member.name}:" for member in group.members) if group else ()
    found: list[tuple[bool, str]] = []
    lines: list[str] = []
    speaker: bool | None = None
    name = char

    def finish() -> None:
        if speaker is None:
            return
        own = user if speaker else name
        text = trim("\n".join(lines).replace(f"{own}:", "", 1))
        found.append((speaker, f"{own}: {text}" if group else text))
        lines.clear()

    for line in block.split("\n")[1:]:
        if line.startswith(f"{user}:"):
            if speaker is False:
                finish()
            speaker = True
        elif line.startswith((f"{char}:", *others)):
            if speaker:
                finish()
            speaker = False
            name = line.split(":", 1)[0] if not line.startswith(f"{char}:") else char
        lines.append(line)
    finish()
    return found
