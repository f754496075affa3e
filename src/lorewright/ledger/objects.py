"""The answers about a turn as values of JSON: the same from the commands and from the gateway's receipts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lorewright.core.near import NearMiss
from lorewright.core.replaces import Done
from lorewright.core.trace import Match, Verdict
from lorewright.core.woven import Piece, WovenMessage
from lorewright.ledger.difference import Parting, TurnDifference
from lorewright.ledger.replay import Replayed
from lorewright.ledger.why import Because

__all__ = [
    "difference_object",
    "replayed_object",
    "sent_objects",
    "verdict_object",
    "why_object",
]


def verdict_object(verdict: Verdict, near: Sequence[NearMiss] = ()) -> dict[str, object]:
    """One item of what `explain --json` prints."""
    reason = {"code": verdict.reason.code, **verdict.reason.data(), "sentence": verdict.reason.sentence}
    if near:
        reason["near"] = [{"why": miss.kind, **_match_object(miss.match)} for miss in near]
    shown: dict[str, object] = {
        "entry": verdict.entry,
        "title": verdict.title,
        "in": verdict.active,
        "loop": verdict.loop,
        "reason": reason,
    }
    if verdict.badge is not None:
        shown["badge"] = verdict.badge
    if verdict.match is not None:
        shown["match"] = _match_object(verdict.match)
    if verdict.replaced:
        shown["replaced"] = [_replaced_object(one) for one in verdict.replaced]
    return shown


def _replaced_object(done: Done) -> dict[str, object]:
    rule = done.replace
    return {"target": rule.target, "find": rule.find, "times": done.times, "given_up": done.given_up}


def _match_object(match: Match) -> dict[str, object]:
    return {
        "source": match.source,
        "message": match.message,
        "start": match.start,
        "end": match.end,
        "key": match.key,
        "name": match.name,
        "text": match.text,
    }


def why_object(found: Because) -> dict[str, Any]:
    return {
        "turn": found.turn,
        **verdict_object(found.verdict),
        "placed": list(found.placed),
        "waiting": found.waiting or None,
        "moves": [move.cause for move in found.moves],
        "replayed": found.replayed.outcome,
    }


def sent_objects(messages: Iterable[tuple[WovenMessage, tuple[str, ...]]]) -> Iterator[dict[str, Any]]:
    """The messages of a request, and whose each piece is."""
    for message, attachments in messages:
        named = {"name": message.name} if message.name else {}
        attached = {"attachments": list(attachments)} if attachments else {}
        pieces = [_piece_object(piece) for piece in message.pieces]
        yield {"role": message.role, **named, "content": message.content, "pieces": pieces, **attached}


def _piece_object(piece: Piece) -> dict[str, str]:
    return {"kind": piece.kind, "entry": piece.entry, "text": piece.text}


def difference_object(found: TurnDifference) -> dict[str, Any]:
    kept = found.kept
    return {
        "turns": [found.first, found.second],
        "kept_bytes": kept.kept_bytes,
        "total_bytes": kept.total_bytes,
        "kept_tokens": kept.kept_tokens,
        "total_tokens": kept.total_tokens,
        "first_difference": kept.first_difference,
        "cause": kept.cause or None,
        "parting": _parting_object(found.parting),
        "moves": [{"turn": turn, "cause": move.cause, "entry": move.entry} for turn, move in found.moves],
        "came": list(found.came),
        "went": list(found.went),
        "policy": [{"name": name, "before": before, "after": after} for name, before, after in found.policy],
        "entries": list(found.entries),
    }


def _parting_object(parting: Parting | None) -> dict[str, Any] | None:
    if parting is None:
        return None
    was, now = (None if piece is None else _piece_object(piece) for piece in (parting.was, parting.now))
    return {"message": parting.message, "offset": parting.offset, "role": parting.role, "was": was, "now": now}


def replayed_object(found: Replayed) -> dict[str, Any]:
    return {
        "turn": found.turn,
        "outcome": found.outcome,
        "entries": list(found.entries),
        "message": found.message,
        "parting": _parting_object(found.parting),
    }
