"""The messages or the text of a preset, with whose every part is and why it stands there, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from lorewright.cli.screen import Screen, count
from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block, LaidMessage
from lorewright.core.layout.strand import Source
from lorewright.core.layout.text_layout import LaidText

__all__ = ["laid_object", "show_laid", "show_text", "text_object"]


def laid_object(laid: LaidOut) -> dict[str, Any]:
    """What `weave --preset --json` says of the messages."""
    begin, end = laid.borders
    return {
        "messages": [_message(message) for message in laid.messages],
        "parts": {"front": begin, "chat": end - begin, "tail": len(laid.messages) - end} if laid.kept else None,
        "left_out": _left_out(laid.left_out),
        "overridden": list(laid.overridden),
    }


def text_object(laid: LaidText) -> dict[str, Any]:
    """What `weave --preset --json` says of a text to be completed."""
    return {
        "text": laid.text,
        "blocks": [_block(block) for block in laid.blocks],
        "stops": list(laid.stops),
        "left_out": _left_out(laid.left_out),
    }


def _message(message: LaidMessage) -> dict[str, Any]:
    named = {"name": message.name} if message.name else {}
    blocks = [_block(block) for block in message.blocks]
    return {"role": message.role, **named, "content": message.content, "blocks": blocks}


def _block(block: Block) -> dict[str, Any]:
    return {
        "sources": [_source(source) for source in block.sources],
        "text": block.text,
        "tokens": block.tokens,
        "why": block.why.code,
        "sentence": block.why.sentence,
    }


def _left_out(left: Iterable[LeftOut]) -> list[dict[str, Any]]:
    return [{"source": _source(one.source), "reason": one.reason.code, "sentence": one.reason.sentence} for one in left]


def _source(source: Source) -> dict[str, str]:
    return {"kind": source.kind, "id": source.id}


def _name(source: Source) -> str:
    return source.kind if source.id in ("", source.kind) else f"{source.kind} {source.id}"


def show_laid(laid: LaidOut, screen: Screen) -> None:
    """Print every message with its blocks, then what was left out, by reason."""
    begin, end = laid.borders
    for at, message in enumerate(laid.messages):
        if laid.kept and at in (begin, end):
            screen.line(("-- the chat" if at == begin else "-- only of this turn", "dim"))
        screen.heading(f"{message.role} ({message.name})" if message.name else message.role)
        for block in message.blocks:
            _show_block(block, screen)
    _show_left_out(laid.left_out, screen)


def show_text(laid: LaidText, screen: Screen) -> None:
    """Print a text with its blocks, where the reply ends, then what was left out, by reason."""
    screen.heading("The text to be completed")
    for block in laid.blocks:
        if block.text.strip():
            _show_block(block, screen)
    screen.line()
    screen.line(("the reply ends at ", "dim"), ", ".join(map(repr, laid.stops)) or "nothing")
    _show_left_out(laid.left_out, screen)


def _show_block(block: Block, screen: Screen) -> None:
    screen.line((f"{_names(block)}, {count(block.tokens, 'token')}: {block.why.sentence}", "dim"))
    screen.text(block.text.strip("\n"))


def _show_left_out(left: tuple[LeftOut, ...], screen: Screen) -> None:
    for reason, sources in _by_reason(left):
        screen.line(("left out ", "dim"), ", ".join(sources), (f": {reason}", "dim"))


def _names(block: Block) -> str:
    return " + ".join(_name(source) for source in block.sources)


def _by_reason(left: tuple[LeftOut, ...]) -> Iterator[tuple[str, list[str]]]:
    found = sorted(left, key=lambda one: one.reason.sentence)
    for reason, items in groupby(found, key=lambda one: one.reason.sentence):
        yield reason, [_name(one.source) for one in items]
