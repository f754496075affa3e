"""The messages of a preset as plain data for JSON: whose every part is, and why it stands there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block, LaidMessage
from lorewright.core.layout.strand import Source
from lorewright.core.layout.text_layout import LaidText

__all__ = ["laid_object", "source_name", "text_object"]


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


def source_name(source: Source) -> str:
    """A source as people read it."""
    return source.kind if source.id in ("", source.kind) else f"{source.kind} {source.id}"
