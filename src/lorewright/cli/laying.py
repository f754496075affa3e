"""The messages of a preset, with whose every part is and why it stands there, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from lorewright.cli.screen import Screen, count
from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block, LaidMessage
from lorewright.core.layout.strand import Source

__all__ = ["laid_object", "show_laid"]


def laid_object(laid: LaidOut) -> dict[str, Any]:
    """What `weave --preset --json` says of the messages."""
    begin, end = laid.borders
    return {
        "messages": [_message(message) for message in laid.messages],
        "parts": {"front": begin, "chat": end - begin, "tail": len(laid.messages) - end} if laid.kept else None,
        "left_out": [
            {"source": _name(one.source), "reason": one.reason.code, "sentence": one.reason.sentence}
            for one in laid.left_out
        ],
        "overridden": list(laid.overridden),
    }


def _message(message: LaidMessage) -> dict[str, Any]:
    named = {"name": message.name} if message.name else {}
    blocks = [
        {
            "sources": [_name(source) for source in block.sources],
            "text": block.text,
            "tokens": block.tokens,
            "why": block.why.code,
            "sentence": block.why.sentence,
        }
        for block in message.blocks
    ]
    return {"role": message.role, **named, "content": message.content, "blocks": blocks}


def _name(source: Source) -> str:
    return f"{source.kind} {source.id}".rstrip()


def show_laid(laid: LaidOut, screen: Screen) -> None:
    """Print every message with its blocks, then what was left out, by reason."""
    begin, end = laid.borders
    for at, message in enumerate(laid.messages):
        if laid.kept and at in (begin, end):
            screen.line(("-- the chat" if at == begin else "-- only of this turn", "dim"))
        screen.heading(f"{message.role} ({message.name})" if message.name else message.role)
        for block in message.blocks:
            screen.line((f"{_names(block)}, {count(block.tokens, 'token')}: {block.why.sentence}", "dim"))
            screen.text(block.text.strip("\n"))
    for reason, sources in _by_reason(laid.left_out):
        screen.line(("left out ", "dim"), ", ".join(sources), (f": {reason}", "dim"))


def _names(block: Block) -> str:
    return " + ".join(_name(source) for source in block.sources)


def _by_reason(left: tuple[LeftOut, ...]) -> Iterator[tuple[str, list[str]]]:
    found = sorted(left, key=lambda one: one.reason.sentence)
    for reason, items in groupby(found, key=lambda one: one.reason.sentence):
        yield reason, [_name(one.source) for one in items]
