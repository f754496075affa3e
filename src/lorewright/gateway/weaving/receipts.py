"""Receipts of turns from the ledger file: what was sent, why, what it kept of the turn before, and whether it can be
repeated. They are read by a connection of their own, so no turn that is woven meanwhile waits for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, datetime
from heapq import merge
from itertools import groupby, islice
from typing import Any, Final, NamedTuple

from lorewright.core.layout.objects import laid_object
from lorewright.core.trace import Trace
from lorewright.core.weave import Woven
from lorewright.errors import LedgerError
from lorewright.gateway.safety import Caller
from lorewright.gateway.weaving.ledger_reader import LedgerReader
from lorewright.gateway.weaving.streams import read_stream
from lorewright.gateway.weaving.turn_ids import read_turn_id, turn_id
from lorewright.ledger.difference import compare_turns
from lorewright.ledger.events import ReplyReceived, RequestSent, TurnAssembled
from lorewright.ledger.ledger import IMAGE, Ledger
from lorewright.ledger.objects import difference_object, replayed_object, sent_objects, verdict_object
from lorewright.providers.usage import Usage
from lorewright.storage.sqlite import EventRow

__all__ = ["MOST_LISTED", "difference", "newest", "receipt", "replayed"]

MOST_LISTED: Final = 100
"""Turns of one page."""
_MOST_ENTRIES: Final = 1000
"""Entries of a turn's books of which each has a verdict; of more only those that a loop looked at."""


class _Found(NamedTuple):
    """A turn of somebody's."""

    ledger: Ledger
    owner: str
    route: str
    row: EventRow
    turn: TurnAssembled

    @property
    def id(self) -> str:
        return turn_id(self.turn.turn, self.row.hash)


def newest(
    reader: LedgerReader, caller: Caller, *, limit: int = 20, before: str | None = None, route: str | None = None
) -> dict[str, Any] | None:
    """The caller's turns, newest first: at most `limit` of them, that were assembled before the turn `before`.

    None: there is no turn `before` of the caller's. `next`: the value of `before` for the next page.

    Raises:
        LedgerError: the file cannot be read.
    """
    file = reader.open()
    if file is None:
        return {"turns": [], "next": None} if before is None else None
    last = _find(reader, caller, before) if before is not None else None
    if before is not None and last is None:
        return None
    streams = [one for one in _streams(reader, file, caller) if route in (None, one[2])]
    found = merge(*(_backwards(*one, last) for one in streams), key=_age, reverse=True)
    page = list(islice(found, min(limit, MOST_LISTED) + 1))
    more = len(page) > min(limit, MOST_LISTED)
    turns = page[:-1] if more else page
    return {"turns": [_line(one) for one in turns], "next": turns[-1].id if more else None}


def receipt(reader: LedgerReader, caller: Caller, name: str) -> dict[str, Any] | None:
    """Everything about a turn; None: the caller has none of this name.

    Raises:
        LedgerError: the file cannot be read, or is damaged.
    """
    found = _find(reader, caller, name)
    if found is None:
        return None
    ledger, number = found.ledger, found.turn.turn
    messages = [ledger.texts.get_left(line) for line in ledger.lines(number).sent]
    outcome, woven = reader.replayer(ledger).judge(number)
    return {
        **_line(found),
        "parent": _name_of(ledger, found.turn.parent),
        "messages": list(sent_objects(messages)),
        "placed": list(_placed(found)),
        "waiting": [{"entry": entry, "reason": reason} for entry, reason in found.turn.waiting],
        "moves": [{"cause": move.cause, "entry": move.entry} for move in ledger.moves(number)],
        **_reasons(woven),
        "replayed": outcome.outcome,
    }


def difference(reader: LedgerReader, caller: Caller, name: str) -> dict[str, Any] | None:
    """How much of the turn before in its conversation a turn keeps, and what moved the rest; None: the caller has no
    such turn. `difference` is null if there is none before, or a text of one of them was erased.

    Raises:
        LedgerError: the file cannot be read, or is damaged.
    """
    found = _find(reader, caller, name)
    if found is None:
        return None
    ledger, number, parent = found.ledger, found.turn.turn, found.turn.parent
    compared, is_erased = None, False
    if parent:
        try:
            compared = difference_object(
                compare_turns(ledger, parent, number, reader.replayer(ledger).tools(number).counter)
            )
        except LedgerError as error:
            if not _is_about_erased(ledger, error):
                raise
            is_erased = True
    return {"id": found.id, "before": _name_of(ledger, parent), "erased": is_erased, "difference": compared}


def replayed(reader: LedgerReader, caller: Caller, name: str) -> dict[str, Any] | None:
    """How a turn comes out when it is assembled again: `same`, `different`, `erased`; None: the caller has no such turn.

    Raises:
        LedgerError: the file cannot be read, or is damaged.
    """
    found = _find(reader, caller, name)
    if found is None:
        return None
    return {"id": found.id, **replayed_object(reader.replayer(found.ledger).replay(found.turn.turn))}


# -- finding -----------------------------------------------------------------------------------------------------------


def _streams(reader: LedgerReader, file: Ledger, caller: Caller) -> Iterator[tuple[Ledger, str, str]]:
    """The streams that the caller may see, each with its owner and route."""
    for name in file.store.streams():
        named = read_stream(name)
        if named is not None and (caller.is_admin or named[0] == caller.owner):
            yield reader.stream(file, name), *named


def _find(reader: LedgerReader, caller: Caller, name: str) -> _Found | None:
    file, wanted = reader.open(), read_turn_id(name)
    if file is None or wanted is None:
        return None
    for ledger, owner, route in _streams(reader, file, caller):
        row = file.store.event_of(ledger.stream, TurnAssembled.__name__, wanted[0])
        if row is not None and turn_id(wanted[0], row.hash) == name:
            return _Found(ledger, owner, route, row, IMAGE.decode(row.body))
    return None


def _backwards(ledger: Ledger, owner: str, route: str, last: _Found | None) -> Iterator[_Found]:
    """The turns of a stream, newest first; with `last` those before it."""
    count = ledger.count_turns()
    if last is not None and last.ledger.stream == ledger.stream:
        count = last.turn.turn - 1
    elif last is not None:
        count = bisect_left(range(1, count + 1), last.turn.at, key=lambda number: ledger.turn(number)[1].at)
    for number in range(count, 0, -1):
        yield _Found(ledger, owner, route, *ledger.turn(number))


def _age(found: _Found) -> float:
    return found.turn.at


def _name_of(ledger: Ledger, number: int) -> str | None:
    return turn_id(number, ledger.turn(number)[0].hash) if number else None


def _is_about_erased(ledger: Ledger, error: LedgerError) -> bool:
    text = str(error.facts.get("text", ""))
    return bool(text) and ledger.store.text(text) is None


# -- showing -----------------------------------------------------------------------------------------------------------


def _line(found: _Found) -> dict[str, Any]:
    """What the list says of a turn."""
    turn = found.turn
    return {
        "id": found.id,
        "owner": found.owner,
        "route": found.route,
        "turn": turn.turn,
        "number": turn.number,
        "at": datetime.fromtimestamp(turn.at, UTC).isoformat(timespec="milliseconds"),
        "hash": turn.hash,
        "active": list(turn.active),
        "request": _request(found.ledger, _first_of(found, RequestSent)),
        "reply": _reply(_first_of(found, ReplyReceived)),
    }


def _first_of(found: _Found, kind: type[Any]) -> Any:
    """The first event of a kind about a turn; None if there is none yet."""
    rows = found.ledger.store.events_of(found.ledger.stream, kind.__name__, found.row.number)
    return next((event for row in rows if (event := IMAGE.decode(row.body)).turn == found.turn.turn), None)


def _request(ledger: Ledger, sent: RequestSent | None) -> dict[str, Any] | None:
    if sent is None:
        return None
    return {
        "api": sent.api,
        "model": sent.model,
        "upstream": sent.upstream,
        "bytes": sent.size,
        "sha256": None if ledger.store.text(sent.sha256.commitment) is None else ledger.texts.get(sent.sha256),
        "dropped": list(sent.dropped),
        "history": sent.history,
    }


def _reply(reply: ReplyReceived | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    usage = Usage(reply.prompt_tokens, reply.cached_tokens, reply.written_tokens, reply.reply_tokens)
    ratio = usage.hit_ratio
    return {
        "ending": reply.ending,
        "status": reply.status,
        "response": reply.response or None,
        "prompt_tokens": reply.prompt_tokens,
        "cached_tokens": reply.cached_tokens,
        "written_tokens": reply.written_tokens,
        "reply_tokens": reply.reply_tokens,
        "hit_ratio": None if ratio is None else round(ratio, 4),
        "dropped": list(reply.dropped),
        "rewritten": _rewritten(reply),
    }


def _rewritten(reply: ReplyReceived) -> dict[str, Any] | None:
    """What the client got in place of what the model said; null: the reply passed as it came."""
    found = reply.rewritten
    if found is None:
        return None
    return {
        "by": list(found.by),
        "not_done": list(found.failed),
        "texts": len(reply.changed),
        "characters": found.said,
        "characters_shown": found.shown,
    }


def _placed(found: _Found) -> Iterator[dict[str, Any]]:
    """Every text of ours in the messages that were sent (by number, from 0), with the line ends before it."""
    for at, line in enumerate(found.ledger.lines(found.turn.turn).sent):
        message = found.ledger.texts.get_left(line)[0]
        for (kind, entry), pieces in groupby(message.pieces, key=lambda piece: piece[:2]):
            if kind != "client":
                size = sum(len(piece.text.encode("utf-8", "surrogatepass")) for piece in pieces)
                yield {"message": at, "role": message.role, "kind": kind, "entry": entry, "bytes": size}


def _reasons(woven: Woven | None) -> dict[str, Any]:
    """Why each entry is in or out, and what a preset laid out; null: the turn cannot be repeated any more."""
    if woven is None:
        return {"entries": None, "entries_left_out": None, "layout": None}
    trace = woven.assembly.trace
    names = list(_looked_at(trace))
    return {
        "entries": [verdict_object(trace.why(name)) for name in names],
        "entries_left_out": len(trace.lore.ranks) + len(trace.lore.closed) - len(names),
        "layout": laid_object(woven.laid) if woven.laid is not None else None,
    }


def _looked_at(trace: Trace) -> Iterator[str]:
    """All entries; of a large book those that a loop decided about."""
    lore, activation = trace.lore, trace.activation
    if len(lore.ranks) + len(lore.closed) <= _MOST_ENTRIES:
        yield from (*lore.ranks, *lore.closed)
        return
    sure = {rank for _, _, ranks in activation.sure for rank in ranks}
    seen = (
        name
        for name, rank in lore.ranks.items()
        if rank in sure or name in activation.decisions or name in activation.activated
    )
    yield from islice(seen, _MOST_ENTRIES)
