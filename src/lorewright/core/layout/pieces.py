"""Final messages in the vocabulary of every other request: whose each part is, and whether it lasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block, LaidMessage
from lorewright.core.memo import Memo
from lorewright.core.woven import Piece, PieceKind, WovenMessage

__all__ = ["woven_messages"]

_PLACE: Final = attrgetter("place")


def woven_messages(
    laid: LaidOut, rewritten: Mapping[int, Piece], memo: Memo, *, stands: bool
) -> tuple[WovenMessage, ...]:
    """The messages of a layout. `rewritten`: by place, what is sent of a message where it is not what was said; `stands`:
    whether the prompt is one that stands, so that what is behind the chat is only of this turn."""
    begin, end = laid.borders
    messages = laid.messages
    if not stands:
        return tuple(_part(messages, rewritten, memo, "placed", True))
    return (
        *_part(messages[:begin], rewritten, memo, "front", True),
        *_part(messages[begin:end], rewritten, memo, "record", True),
        *_part(messages[end:], rewritten, memo, "record", False),
    )


def _part(
    messages: Sequence[LaidMessage], rewritten: Mapping[int, Piece], memo: Memo, ours: PieceKind, lasts: bool
) -> list[WovenMessage]:
    said = [message for message in messages if message.place is not None]
    pieces = list(map(rewritten.get, map(_PLACE, said))) if rewritten else [None] * len(said)
    found = memo.along(_woven_said, (said, pieces), ours, lasts)
    if len(said) == len(messages):
        return list(found)
    others = [message for message in messages if message.place is None]
    known = iter(found)
    own = iter(
        [_woven(message, rewritten, ours, lasts) for message in others]
        if rewritten
        else memo.each(_woven_own, others, ours, lasts)
    )
    return [next(own) if message.place is None else next(known) for message in messages]


def _woven_said(at: int, message: LaidMessage, piece: Piece | None, ours: PieceKind, lasts: bool) -> WovenMessage:
    """A message of the chat, and what is sent of it where it is not what was said."""
    del at
    assert message.place is not None
    return _woven(message, {} if piece is None else {message.place: piece}, ours, lasts)


def _woven_own(at: int, message: LaidMessage, ours: PieceKind, lasts: bool) -> WovenMessage:
    del at
    return _woven(message, {}, ours, lasts)


def _woven(message: LaidMessage, rewritten: Mapping[int, Piece], ours: PieceKind, lasts: bool) -> WovenMessage:
    places = [int(source.id) for block in message.blocks for source in block.sources if source.kind == "message"]
    pieces = tuple(_piece(block, rewritten, ours, lasts) for block in message.blocks)
    return WovenMessage(places[0] if lasts and places else None, message.role, message.name, pieces)


def _piece(block: Block, rewritten: Mapping[int, Piece], ours: PieceKind, lasts: bool) -> Piece:
    entry = next((source.id for source in block.sources if source.kind == "entry"), "")
    if not lasts:
        return Piece("volatile", entry, block.text)
    if entry:
        return Piece(ours, entry, block.text)
    said = next((int(source.id) for source in block.sources if source.kind == "message"), None)
    if said is None:
        return Piece("preset", "", block.text)
    return rewritten[said]._replace(text=block.text) if said in rewritten else Piece("client", "", block.text)
