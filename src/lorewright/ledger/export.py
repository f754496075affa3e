"""One stream as one JSON value to share: with all texts, or redacted."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from typing import Any, Final

from lorewright.core.engine import Assembly
from lorewright.core.trace import Verdict
from lorewright.errors import LedgerError
from lorewright.ledger.credentials import without_credentials
from lorewright.ledger.events import FactPromoted, FactProposed, ReplyReceived, SessionOpened, TurnAssembled
from lorewright.ledger.ledger import Ledger
from lorewright.ledger.replay import Replayer
from lorewright.storage.image import find_refs

__all__ = ["export", "export_redacted"]

_FORMAT: Final = "lorewright-ledger"
_VERSION: Final = 1
_DIGITS: Final = 24
_CLOSED: Final = "closed"


def export(ledger: Ledger) -> dict[str, Any]:
    """Everything: events as they are stored, and by commitment the salt and the text. Secrets are removed: a text that
    had one has no salt, because it is not what was recorded."""
    events = [
        {"number": row.number, "kind": row.kind, "hash": row.hash.hex(), "body": _plain(row.body)}
        for row in ledger.store.events(ledger.stream)
    ]
    texts: dict[str, Any] = {}
    waiting = [name for row in ledger.store.events(ledger.stream) for name in find_refs(row.body)]
    salts = {row.commitment: row.salt for row in ledger.store.texts()}
    while waiting:
        name = waiting.pop()
        if name in texts:
            continue
        data = ledger.store.text(name)
        if data is None:
            texts[name] = {"erased": True}
            continue
        waiting += find_refs(data)
        text = _plain(data)
        clean = without_credentials(text)
        salt = salts[name]
        texts[name] = {"text": clean, **({"salt": salt.hex()} if clean == text and salt else {"secret_removed": True})}
    head = ledger.store.head(ledger.stream)
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "redacted": False,
        "stream": ledger.stream,
        "head": head[1].hex() if head else None,
        "events": without_credentials(events),
        "texts": texts,
    }


def export_redacted(ledger: Ledger, *, spoilers: bool = False) -> dict[str, Any]:
    """What happened, without what was said. A text is the HMAC of its bytes under a key that is made for this export and
    thrown away: equal texts are seen to be equal, and none can be guessed. A closed entry is its id and that it is
    closed; with `spoilers` it is shown like the others."""
    writer = _Redactor(ledger, spoilers=spoilers)
    replies: dict[int, list[ReplyReceived]] = {}
    for reply in ledger.of_kind(ReplyReceived):
        replies.setdefault(reply.turn, []).append(reply)
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "redacted": True,
        "sessions": [
            {"at": one.at, "program": one.program, "counter": one.counter, "engine": one.engine}
            for one in ledger.of_kind(SessionOpened)
        ],
        "turns": [writer.turn(turn, replies.get(turn.turn, [])) for turn in ledger.turns()],
        "facts": [
            {"fact": fact.fact, "turn": fact.turn, "entry": writer.hide(fact.entry.commitment)}
            for fact in ledger.of_kind(FactProposed)
        ],
        "decisions": [
            {"fact": one.fact, "authority": one.authority, "at": one.at} for one in ledger.of_kind(FactPromoted)
        ],
    }


class _Redactor:
    def __init__(self, ledger: Ledger, *, spoilers: bool) -> None:
        self.ledger = ledger
        self.spoilers = spoilers
        self.replayer = Replayer(ledger)
        self._key = secrets.token_bytes(32)

    def hide(self, text: str) -> str:
        """Equal texts give equal answers, within this export only."""
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:_DIGITS]

    def turn(self, turn: TurnAssembled, replies: Sequence[ReplyReceived]) -> dict[str, Any]:
        lines: Any = self.ledger.lines(turn.turn)
        return {
            "turn": turn.turn,
            "parent": turn.parent,
            "number": turn.number,
            "at": turn.at,
            "policy": self.hide(turn.policy.commitment),
            "books": [{"source": source, "version": self.hide(ref.commitment)} for source, ref in turn.lore],
            "hash": self.hide(turn.hash),
            "active": list(turn.active),
            "waiting": [{"entry": entry, "reason": reason} for entry, reason in turn.waiting],
            "moves": [{"cause": move.cause, "entry": move.entry} for move in self.ledger.moves(turn.turn)],
            "messages": [{"role": line[0], "text": self.hide(line[2].commitment)} for line in lines.messages],
            "sent": [
                {
                    "role": line[0],
                    "pieces": [
                        {"kind": kind, "entry": entry, "text": self.hide(text.commitment)}
                        for kind, entry, _, text in line[2]
                    ],
                }
                for line in lines.sent
            ],
            "entries": self._entries(turn.turn),
            "replies": [
                {
                    "at": reply.at,
                    "text": self.hide(reply.text.commitment) if reply.text else None,
                    "prompt_tokens": reply.prompt_tokens,
                    "cached_tokens": reply.cached_tokens,
                    "reply_tokens": reply.reply_tokens,
                }
                for reply in replies
            ],
        }

    def _entries(self, number: int) -> list[dict[str, Any]] | None:
        """Why each entry is in or out; None if the turn cannot be repeated."""
        try:
            assembly: Assembly = self.replayer.weave(number)[1].assembly
        except LedgerError:
            return None
        return [self._verdict(verdict) for verdict in assembly.trace.all()]

    def _verdict(self, verdict: Verdict) -> dict[str, Any]:
        if verdict.reason.code == _CLOSED and not self.spoilers:
            return {"entry": verdict.entry, "closed": True}
        return {"entry": verdict.entry, "active": verdict.active, "reason": verdict.reason.code, "loop": verdict.loop}


def _plain(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "surrogatepass"))
