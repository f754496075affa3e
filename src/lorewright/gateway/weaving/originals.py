"""Replies that the client got in other words, and now sends back: what the model knows of them takes their place.

So a conversation is the same one whichever of the two the client sends, hidden blocks count, and the prompt cache of the
upstream holds. A reply is known by its text and by the two messages before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.chain import digest, hash_parts, in_chain, plain_text
from lorewright.core.model import Message
from lorewright.errors import LedgerError
from lorewright.gateway.replies.passage import Account
from lorewright.ledger.events import ReplyReceived
from lorewright.ledger.ledger import FAILED, IMAGE, Ledger
from lorewright.providers.request import Request, RequestMessage, Text
from lorewright.storage.image import Ref

__all__ = ["Originals"]

_BEFORE: Final = 2
"""Messages before a reply by which it is known; less at the beginning of what the client sends."""


class Originals:
    """The rewritten replies of one stream of the ledger. Reads what is new there when it is asked."""

    def __init__(self) -> None:
        self._kept: dict[str, Ref] = {}
        self._expected: dict[int, tuple[list[str], Account]] = {}
        self._next = 1

    def expect(self, turn: int, messages: Sequence[Message], account: Account) -> None:
        """The reply to this turn is on its way; the client may send it back before its end is recorded."""
        self._expected[turn] = [digest(message) for message in messages if in_chain(message)][-_BEFORE:], account

    def restored(self, ledger: Ledger, asked: Request, messages: Sequence[Message]) -> Mapping[str, Any] | None:
        """The body of a request with the texts that the client got in other words; None: it has none of them. messages:
        those of the request.

        Of replies that cannot be told apart, the first one counts for all: what was sent once stays as it was.
        """
        ledger.refresh()
        self._read(ledger)
        early = {
            _key(before, shown): kept
            for before, account in self._expected.values()
            for kept, shown in tuple(account.changed)
        }
        if not self._kept and not early:
            return None
        found = dict(self._find(ledger, early, asked, messages))
        return _with_texts(asked, found) if found else None

    def _read(self, ledger: Ledger) -> None:
        for row in ledger.store.events_of(ledger.stream, ReplyReceived.__name__, self._next):
            self._next = row.number + 1
            event: ReplyReceived = IMAGE.decode(row.body)
            self._expected.pop(event.turn, None)
            if event.changed and event.ending != FAILED:
                try:
                    before = _last_of(ledger, event.turn)
                    for kept, shown in event.changed:
                        self._kept.setdefault(_key(before, ledger.texts.get(shown)), kept)
                except LedgerError:
                    continue  # it was erased, so nobody knows it

    def _find(
        self, ledger: Ledger, early: Mapping[str, str], asked: Request, messages: Sequence[Message]
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """By number of a message: its texts, and what each of them was before."""
        before: list[str] = []
        for at, (message, said) in enumerate(zip(asked.messages, messages, strict=True)):
            restored = said
            if message.role == "assistant" and message.place.item is not None:
                texts = self._texts(ledger, early, before, message)
                if texts:
                    yield at, texts
                    parts = (texts.get(one.text, one.text) for one in message.parts if isinstance(one, Text))
                    restored = replace(said, text="\n".join(parts), hidden=False)
            if in_chain(restored):
                before = [*before, digest(restored)][-_BEFORE:]

    def _texts(
        self, ledger: Ledger, early: Mapping[str, str], before: Sequence[str], message: RequestMessage
    ) -> dict[str, str]:
        found = {}
        for part in message.parts:
            if not isinstance(part, Text):
                continue
            key = _key(before, part.text)
            ref = self._kept.get(key)
            if ref is None:
                kept = early.get(key)
            else:
                kept = None if ledger.store.text(ref.commitment) is None else str(ledger.texts.get(ref))
            if kept is not None:
                found[part.text] = kept
        return found


def _key(before: Sequence[str], text: str) -> str:
    return hash_parts((*before, plain_text(text)))


def _last_of(ledger: Ledger, turn: int) -> list[str]:
    """The last messages of a turn's chain.

    Raises:
        LedgerError: one was erased.
    """
    found: list[str] = []
    for line in reversed(ledger.lines(turn).messages):
        message = ledger.texts.get_message(line)
        if in_chain(message):
            found.append(digest(message))
        if len(found) == _BEFORE:
            break
    return found[::-1]


def _with_texts(asked: Request, found: Mapping[int, Mapping[str, str]]) -> Mapping[str, Any]:
    """A copy of the body with other texts in these messages."""
    field = "input" if asked.api == "responses" else "messages"
    items = list(asked.body[field])
    for at, texts in found.items():
        place = asked.messages[at].place
        item = dict(items[place.item or 0])
        content = item.get("content")
        if isinstance(content, list):
            item["content"] = [
                _part(part, texts) if place.first <= number < place.end else part for number, part in enumerate(content)
            ]
        elif isinstance(content, str):
            item["content"] = texts.get(content, content)
        items[place.item or 0] = item
    return {**asked.body, field: items}


def _part(part: Any, texts: Mapping[str, str]) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    return {**part, "text": texts[text]} if isinstance(text, str) and text in texts else part
