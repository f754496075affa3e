"""Prompts that cost a prompt cache: which, why, how much, and what to move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lorewright.core.model import Report
from lorewright.lint.preset.block import Block, Cause
from lorewright.lint.preset.places import FORMATS, LORE
from lorewright.lint.preset.subject import Level, Named, one_line

__all__ = ["find_costs"]

_SHOWN: Final = 6


def find_costs(subject: Named, blocks: Sequence[Block]) -> Iterator[Report]:
    """One finding for each way in which a block costs the cache."""
    for block in blocks:
        if block.where == "front":
            yield from _in_front(subject, block)
        elif block.where == "tail" and (block.tokens or (block.kind == "marker" and block.id not in LORE)):
            yield from _in_tail(subject, block)
        elif block.kind == "setting" and any(cause.by_itself for cause in block.causes):
            yield _at_every_message(subject, block)


def _in_front(subject: Named, block: Block) -> Iterator[Report]:
    changing = [cause for cause in block.causes if cause.by_itself]
    once = [cause for cause in block.causes if cause.kind == "variable_once"]
    rest = [cause for cause in block.causes if cause.kind in ("variable_outside", "setting")]
    if block.depth is not None:
        yield _deep(subject, block)
    if changing:
        yield _changing(subject, block, changing)
    if once:
        moved = f"Put `{one_line(once[0].writer)}` before `{one_line(block.id)}` in the order, so that the value is there from the beginning."
        yield _differing(subject, block, "preset_front_written_late", once, moved, "warning")
    if rest:
        moved = "It costs nothing as long as nobody changes that."
        yield _differing(subject, block, "preset_front_may_change", rest, moved, "info")
    if block.triggers:
        yield _triggered(subject, block)
    if block.id in LORE:
        message = (
            "Placed as in SillyTavern, lore that comes or goes here has everything behind it read anew: "
            f"{_rest(block.sillytavern_tokens, None)} Frozen placement places lore once, where it stays."
        )
        yield subject.report("preset_lore_in_front", message, prompt=block.id, level="info")


def _changing(subject: Named, block: Block, causes: Sequence[Cause]) -> Report:
    if block.kind == "prompt":
        macros = _some(dict.fromkeys(f"`{cause.macro}`" for cause in causes), ", ")
        moved = f"Put {macros} into a prompt of its own behind the chat; the rest then stays."
    else:
        moved = "Take it out, and put it where it stands behind the chat."
    return _differing(subject, block, "preset_front_changes", causes, moved, "warning")


def _at_every_message(subject: Named, block: Block) -> Report:
    why = _some((cause.phrase for cause in block.causes if cause.by_itself), "; ")
    message = (
        f"It stands at every message of the chat, and can differ: {why}. Then the whole chat is read anew. Take it out."
    )
    return subject.report("preset_sequence_changes", message, prompt=block.id, field="content")


def _differing(subject: Named, block: Block, code: str, causes: Sequence[Cause], moved: str, level: Level) -> Report:
    """A text in front of the chat that can be another one in a later turn."""
    why = _some((cause.phrase for cause in causes), "; ")
    message = (
        f"In front of the chat stands a text that can differ: {why}. Each time it does, frozen placement sends {_own(block)} again "
        "behind the newest message; placed as in SillyTavern, everything from there on is read anew: "
        f"{_rest(block.sillytavern_tokens, block.sillytavern_messages)} {moved}"
    )
    field = FORMATS.get(block.id, "content")
    return subject.report(code, message, prompt=block.id, field=field, level=level)


def _triggered(subject: Named, block: Block) -> Report:
    types = _some(map(one_line, block.triggers), ", ")
    message = (
        f"It is only for replies of type {types}, and stands in front of the chat. When it comes, frozen placement sends "
        f"{_own(block)} behind the newest message; placed as in SillyTavern, everything from there on is read anew whenever it "
        f"comes or goes: {_rest(block.sillytavern_tokens, block.sillytavern_messages)} Put it behind the chat in the order."
    )
    return subject.report("preset_front_triggered", message, prompt=block.id, field="triggers")


def _deep(subject: Named, block: Block) -> Report:
    message = (
        f"It stands {block.depth} messages before the end, another place in each turn. Frozen placement puts it at the end "
        "of the front, where it stays; placed as in SillyTavern, it and everything behind it is read anew in every turn: "
        f"{_rest(block.sillytavern_tokens, block.sillytavern_messages)} Make it relative, in front of the chat."
    )
    return subject.report("preset_deep", message, prompt=block.id, field="depth", level="info")


def _in_tail(subject: Named, block: Block) -> Iterator[Report]:
    if block.kind == "marker":
        where = "at a depth in the chat" if block.depth is not None else "behind the chat"
        message = (
            f"The texts for this place stand {where}, so they are read anew in every turn. Put it in front of the chat."
        )
        yield subject.report("preset_marker_in_tail", message, prompt=block.id, field="prompt_order")
    elif block.depth:
        message = (
            f"It stands {_count(block.depth, 'message')} before the end, another place in each turn. Frozen placement puts it "
            f"behind the newest message, where its {_tokens(block.tokens)} are read anew in every turn; placed as in "
            f"SillyTavern it is {_rest(block.sillytavern_tokens, block.depth)} If it says the same in every turn, put it in "
            "front of the chat."
        )
        yield subject.report("preset_at_depth", message, prompt=block.id, field="depth")
    elif block.kind == "prompt":
        message = f"It stands behind the newest message, so its {_tokens(block.tokens)} are read anew in every turn."
        if not block.triggers and not any(cause.by_itself for cause in block.causes):
            message += " If it need not be the last word, put it in front of the chat."
        yield subject.report("preset_in_tail", message, prompt=block.id, level="info")


def _rest(tokens: int, messages: int | None) -> str:
    """What is read anew, as the end of a sentence."""
    chat = "the whole chat" if messages is None else _count(messages, "message")
    return f"{_tokens(tokens)} of the preset and {chat}." if messages != 0 else f"{_tokens(tokens)}."


def _some(words: Iterable[str], separator: str) -> str:
    """The first few words, and how many more there are."""
    listed = list(words)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return separator.join(listed[:_SHOWN]) + more


def _own(block: Block) -> str:
    return "its text" if block.kind == "marker" else f"its {_tokens(block.tokens)}"


def _tokens(number: int) -> str:
    return _count(number, "token")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
