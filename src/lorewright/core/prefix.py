"""The prefix meter: how much of a request stands at the beginning of the next one, and who moved the rest.

A provider's prompt cache is a prefix match, so what counts is the canonical sequence of a request: tools, then the
messages, each role and content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorewright.core.protocols import Counter
from lorewright.core.record import Move
from lorewright.core.woven import Piece, WovenMessage

__all__ = ["Kept", "canonical", "compare"]

_MESSAGE, _CONTENT = "\x1e", "\x1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What of the request before is kept.

    kept_bytes of total_bytes (those of the request before, without what was only of its turn) and the same in tokens
    of the texts, the heads of messages not counted.
    first_difference: the offset in bytes of the first one that differs, None if all are kept; piece: whose text it is, of
    this request or the one before; cause: what moved it: a `Cause`, `client_edit` or `client_system` where
    the client's text differs, `regex_depth` where scripts make another text of it, `volatile` for a text of one
    turn, `placement` for a text that stands elsewhere in every turn.
    """

    kept_bytes: int
    total_bytes: int
    kept_tokens: int
    total_tokens: int
    first_difference: int | None = None
    piece: Piece | None = None
    cause: str = ""

    @property
    def share(self) -> float:
        """Kept bytes of all, from 0 to 1."""
        return self.kept_bytes / self.total_bytes if self.total_bytes else 1.0


def canonical(messages: Iterable[WovenMessage], tools: str = "", *, lasting: bool = False) -> bytes:
    """The bytes that a prefix is measured in; `lasting`: without what is only of this turn.

    `tools` is the client's list of tools as canonical JSON.
    """
    return "".join(text for text, _ in _parts(messages, tools, lasting=lasting)).encode("utf-8", "surrogatepass")


def compare(
    before: Sequence[WovenMessage],
    now: Sequence[WovenMessage],
    counter: Counter,
    moves: Sequence[Move] = (),
    tools: tuple[str, str] = ("", ""),
) -> Kept:
    """Compare a request with the one before it. `moves` are those of this request; `tools` those of both."""
    old, new = canonical(before, tools[0], lasting=True), canonical(now, tools[1])
    kept = _common(old, new)
    sizes = [(text, len(text.encode("utf-8", "surrogatepass"))) for text, _ in _parts(before, tools[0], lasting=True)]
    total_tokens = sum(counter.count(text) for text, _ in sizes if not text.startswith(_MESSAGE))
    kept_tokens = sum(counter.count(text) for text in _within(sizes, kept) if not text.startswith(_MESSAGE))
    if kept == len(old):
        return Kept(kept_bytes=kept, total_bytes=kept, kept_tokens=total_tokens, total_tokens=total_tokens)
    was, was_role, within = _piece_at(_parts(before, tools[0], lasting=True), kept)
    new_piece, new_role, _ = _piece_at(_parts(now, tools[1], lasting=False), kept)
    # A text that ends early is the one that differs, not the one that stands behind it now.
    piece, role = (was, was_role) if within or new_piece is None else (new_piece, new_role)
    return Kept(
        kept_bytes=kept,
        total_bytes=len(old),
        kept_tokens=kept_tokens,
        total_tokens=total_tokens,
        first_difference=kept,
        piece=piece,
        cause=_cause_of_scripts((was, new_piece), moves)
        or _cause([item for item in (piece, was) if item], role, moves),
    )


def _parts(
    messages: Iterable[WovenMessage], tools: str, *, lasting: bool
) -> list[tuple[str, tuple[Piece | None, str]]]:
    """The texts of the canonical sequence, each with its piece and the role of its message."""
    found: list[tuple[str, tuple[Piece | None, str]]] = [(tools, (None, "tools"))] if tools else []
    for message in messages:
        if lasting and message.passes:
            continue
        first = message.pieces[0] if message.pieces else None
        found.append((f"{_MESSAGE}{message.role}{_CONTENT}", (first, message.role)))
        found += [
            (piece.text.replace(_MESSAGE, _MESSAGE * 2), (piece, message.role))
            for piece in message.pieces
            if not (lasting and piece.kind == "volatile")
        ]
    return found


def _common(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning are equal."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _within(sizes: Iterable[tuple[str, int]], kept: int) -> Iterable[str]:
    """The texts that lie in the first bytes; of the last one the beginning."""
    for text, size in sizes:
        if kept <= 0:
            return
        yield text if size <= kept else text.encode("utf-8", "surrogatepass")[:kept].decode("utf-8", "ignore")
        kept -= size


def _piece_at(parts: Iterable[tuple[str, tuple[Piece | None, str]]], offset: int) -> tuple[Piece | None, str, int]:
    """The piece at an offset in bytes, the role of its message, and how far the offset lies inside the text."""
    for text, (piece, role) in parts:
        size = len(text.encode("utf-8", "surrogatepass"))
        if offset < size:
            return piece, role, offset
        offset -= size
    return None, "", 0


def _cause_of_scripts(pieces: Iterable[Piece | None], moves: Iterable[Move]) -> str:
    """Why scripts make another text of a message of the client, if that is what differs."""
    if not any(piece and piece.kind == "rewritten" and not piece.entry for piece in pieces):
        return ""
    return next((move.cause for move in moves if move.cause in ("regex_depth", "policy_change") and not move.entry), "")


def _cause(pieces: Sequence[Piece], role: str, moves: Sequence[Move]) -> str:
    ours = {piece.entry for piece in pieces if piece.kind != "client"}
    for move in moves:
        if move.entry in ours:
            return move.cause
    if any(piece.kind == "placed" for piece in pieces):
        return "placement"
    if any(move.cause == "client_edit" for move in moves):
        return "client_edit"
    if role in ("system", "developer") and not ours:
        return "client_system"
    if moves:
        return moves[0].cause
    return "volatile" if any(piece.kind == "volatile" for piece in pieces) else "client_edit"
