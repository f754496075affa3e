"""Bytes of a reply in, the same reply with the texts that the client shall see out. What is not changed stays as it came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.replies.passage import Account, Passage, Rules
from lorewright.gateway.rewriting import Rewriting, is_plain_stream, without_length
from lorewright.providers.api import Api
from lorewright.providers.body import write_body
from lorewright.providers.reply_texts import Key, Slot, ended, put, texts_of, texts_of_event
from lorewright.providers.sse import Decoder, Event, encode_event

__all__ = ["HEADER", "RewrittenBody", "RewrittenStream", "rewriting_of"]

HEADER: Final = b"x-lorewright-rewritten"
_ERROR: Final = 400
_MOST_BYTES: Final = 16 * 1024 * 1024
"""Of a reply in one piece; a longer one passes as it is."""
_MOST_TEXTS: Final = 1000
"""Of one reply; those beyond pass as they are."""
_LOGPROBS: Final = "The `logprobs` of a rewritten text are left out: they are those of the model's own words."


def rewriting_of(
    api: Api, rules: Rules, account: Account, status: int, headers: RawHeaders, inner: Rewriting | None
) -> Rewriting | None:
    """What rewrites a reply with this head. inner: what changes it before. api: that of the client."""
    if inner is not None:
        status, headers = inner.head(status, headers)
    if rules.problem:
        account.failed[rules.problem] = None
    if status >= _ERROR or not (rules.hides or rules.waits):
        return inner
    if any(name == b"content-encoding" for name, _ in headers):
        account.failed["The upstream has compressed its reply although it was asked not to; nothing is rewritten."] = (
            None
        )
        return inner
    kind = RewrittenStream if is_plain_stream(headers) else RewrittenBody
    return kind(api, rules, account, inner)


class _Rewritten:
    """What both have in common."""

    waits = False

    def __init__(self, api: Api, rules: Rules, account: Account, inner: Rewriting | None) -> None:
        self.is_slow = rules.waits
        self._api = api
        self._rules = rules
        self._account = account
        self._inner = inner
        self._passages: dict[Key, Passage] = {}

    def head(self, status: int, headers: RawHeaders) -> tuple[int, RawHeaders]:
        """The inner one's, with a header that says what may be changed."""
        if self._inner is not None:
            status, headers = self._inner.head(status, headers)
        by = [b"updates"] * self._rules.hides + [b"scripts"] * self._rules.waits
        return status, [*without_length(headers), (HEADER, b", ".join(by))]

    def _passage(self, key: Key) -> Passage | None:
        found = self._passages.get(key)
        if found is None and len(self._passages) < _MOST_TEXTS:
            found = self._passages[key] = Passage(self._rules, self._account)
        return found

    def _put(self, slot: Slot, text: str) -> None:
        if put(slot, text):
            self._account.failed[_LOGPROBS] = None

    def _rewrite_whole(self, slot: Slot) -> bool:
        """Give a whole text the words that the client gets, or got in pieces; says whether they are others."""
        passage = self._passages.get(slot.key)
        if passage is not None and passage.is_closed and passage.said == slot.text:
            shown = passage.shown
        else:
            passage = self._passage(slot.key) if passage is None else Passage(self._rules, self._account)
            if passage is None:
                return False
            shown = passage.feed(slot.text) + passage.close()
        if shown == slot.text:
            return False
        self._put(slot, shown)
        return True


class RewrittenBody(_Rewritten):
    """A reply in one piece."""

    waits = True

    def __init__(self, api: Api, rules: Rules, account: Account, inner: Rewriting | None) -> None:
        super().__init__(api, rules, account, inner)
        self.is_slow = True  # reading a long one takes a while
        self._body = bytearray()
        self._is_long = False

    def feed(self, piece: bytes) -> bytes:
        if self._inner is not None:
            piece = self._inner.feed(piece)
        if self._is_long:
            return piece
        self._body += piece
        if len(self._body) <= _MOST_BYTES:
            return b""
        self._is_long = True
        self._account.failed[f"The reply has more than {_MOST_BYTES:,} bytes in one piece; it is not rewritten."] = None
        held = bytes(self._body)
        self._body.clear()
        return held

    def close(self) -> bytes:
        rest = self._inner.close() if self._inner is not None else b""
        if self._is_long:
            return rest
        raw = bytes(self._body) + rest
        body = _parse(raw)
        changed = [self._rewrite_whole(slot) for slot in texts_of(self._api, body)]
        return write_body(body) if any(changed) else raw

    def cut(self) -> bytes:
        """It broke off: half of an object is nothing, so the client gets an error."""
        return b""


class RewrittenStream(_Rewritten):
    """A stream of events."""

    def __init__(self, api: Api, rules: Rules, account: Account, inner: Rewriting | None) -> None:
        super().__init__(api, rules, account, inner)
        self._decoder = Decoder()
        self._last: dict[Key, tuple[str, Any, Slot]] = {}
        """The last piece of each text that is not closed: the name of its event, the event, where the text is."""

    def feed(self, piece: bytes) -> bytes:
        if self._inner is not None:
            piece = self._inner.feed(piece)
        return self._rewrite(self._decoder.feed(piece))

    def close(self) -> bytes:
        rest = self._inner.close() if self._inner is not None else b""
        return self._rewrite([*self._decoder.feed(rest), *self._decoder.close()]) + b"".join(self._end_all())

    def cut(self) -> bytes:
        """It broke off between two events, or in one, which is lost: what was held back."""
        return b"".join(self._end_all())

    def _rewrite(self, events: list[Event]) -> bytes:
        return b"".join(piece for event in events for piece in self._event(event))

    def _event(self, event: Event) -> Iterator[bytes]:
        if event.is_done:
            yield from self._end_all()
        data = _parse(event.data) if event.data is not None and event.is_whole else None
        if not isinstance(data, dict):
            yield event.raw
            return
        slots = list(texts_of_event(self._api, data))
        over = list(ended(self._api, data))
        pieces = {slot.key for slot in slots if not slot.is_whole}
        for key in over:
            if key is None:
                yield from self._end_all()
            elif key not in pieces:
                yield from self._end(key)
        changed = [self._take(event, data, slot, is_last=slot.key in over) for slot in slots]
        is_empty = all(slot.is_alone and not slot.text for slot in slots)
        if not any(changed):
            yield event.raw
        elif not is_empty:
            yield encode_event(data, event.name)

    def _take(self, event: Event, data: Any, slot: Slot, *, is_last: bool) -> bool:
        """Give a text in an event its words; says whether they are others."""
        if slot.is_whole:
            return self._rewrite_whole(slot)
        passage = self._passage(slot.key)
        if passage is None or passage.is_closed:
            return False
        said, shown = slot.text, passage.feed(slot.text)
        if is_last:
            shown += passage.close()
            self._last.pop(slot.key, None)
        else:
            self._last[slot.key] = event.name, data, slot
        if shown == said:
            return False
        self._put(slot, shown)
        return True

    def _end_all(self) -> Iterator[bytes]:
        for key in list(self._passages):
            yield from self._end(key)

    def _end(self, key: Key) -> Iterator[bytes]:
        """What is left of a text, as one more event like the last one that had a piece of it."""
        passage = self._passages.get(key)
        text = passage.close() if passage is not None else ""
        last = self._last.pop(key, None)
        if not text or last is None:
            return
        name, data, slot = last
        slot.holder[slot.name] = text
        slot.probabilities.pop("logprobs", None)
        if self._api in ("chat", "completions"):  # what else was said with that piece has been said
            data["choices"] = [slot.probabilities]
            data.pop("usage", None)
        if self._api == "chat":
            slot.probabilities["delta"] = {slot.name: text}
        yield encode_event(data, name)


def _parse(data: str | bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
