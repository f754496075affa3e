"""What is read of a reply while it passes: its text, its items, its usage, its id. Bytes in, data out; nothing is changed."""

from __future__ import annotations

import json
from typing import Any, Final

from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.weaver import Ending
from lorewright.ledger.ledger import FAILED
from lorewright.providers.api import Api
from lorewright.providers.sse import Decoder
from lorewright.providers.usage import Usage, UsageReader

__all__ = ["ReplyReader", "ending_of"]

_ERROR: Final = 400
_CLIENT_GONE: Final = "client_gone"
_LAST: Final = frozenset({"message_stop", "response.completed", "response.incomplete", "response.failed"})
"""The last event of a stream, by its type; streams of the other APIs end with `[DONE]`."""
_MOST_BYTES: Final = 16 * 1024 * 1024
"""Of a reply that is read; what comes behind is passed on and not looked at."""


def ending_of(reader: ReplyReader, status: int, ending: Ending) -> str:
    """How a reply ended in the words of the ledger; without a status none came. One that the provider refused is none.

    A client that goes once it has the last event, as the SDKs do, has all of the reply.
    """
    if status >= _ERROR or (status == 0 and ending == "interrupted"):
        return FAILED
    return "complete" if ending == _CLIENT_GONE and reader.has_ended else ending


class ReplyReader:
    """Reads one reply. `is_whole`: all of it was read; texts of a stream are those of the first answer. `items`: what a
    stored response consists of (Responses), since who goes on from it does not send it again. `has_ended`: the last event
    of a stream was there."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.is_whole = True
        self.has_ended = False
        self.id = ""
        self.items: list[Any] = []
        self._usage = UsageReader(api)
        self._texts: list[str] = []
        self._decoder: Decoder | None = None
        self._body = bytearray()
        self._size = 0

    def start(self, headers: RawHeaders) -> None:
        """The reply begins."""
        found = dict(headers)
        self.is_whole = b"content-encoding" not in found
        if b"event-stream" in found.get(b"content-type", b""):
            self._decoder = Decoder()

    def hear(self, piece: bytes) -> None:
        """Its next bytes."""
        self._size += len(piece)
        if not self.is_whole or self._size > _MOST_BYTES:
            self.is_whole = False
            return
        if self._decoder is None:
            self._body += piece
            return
        for event in self._decoder.feed(piece):
            if event.data == "[DONE]":
                self.has_ended = True
            elif event.data is not None:
                self._see(_parse(event.data))

    def end(self) -> None:
        """There is no more of it."""
        if self._decoder is None and self.is_whole and self._body:
            body = _parse(bytes(self._body))
            self._see(body)
            self._texts = [_whole_text(self.api, body)]

    @property
    def text(self) -> str:
        return "".join(self._texts)

    @property
    def usage(self) -> Usage:
        """What the provider said; None of what it did not say."""
        return self._usage.usage or Usage()

    def _see(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        self.has_ended |= data.get("type") in _LAST
        self._usage.see(data)
        for holder in (data, data.get("response"), data.get("message")):
            if not self.id and isinstance(holder, dict) and isinstance(holder.get("id"), str):
                self.id = holder["id"]
        if self.api == "responses":
            self._see_items(data)
        text = _delta(self.api, data)
        if text:
            self._texts.append(text)

    def _see_items(self, data: dict[str, Any]) -> None:
        """Each item when it is done; all of them with the response itself, where it says them."""
        if data.get("type") == "response.output_item.done":
            self.items.append(data.get("item"))
        whole = data.get("response") if "response" in data else data
        if isinstance(whole, dict) and _list(whole.get("output")):
            self.items = whole["output"]


def _parse(data: str | bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _delta(api: Api, event: dict[str, Any]) -> str:
    """The text that one event adds."""
    found: Any = ""
    if api in ("chat", "completions"):
        choice = _first(event.get("choices"))
        if choice.get("index", 0) == 0:
            delta = choice.get("delta")
            found = delta.get("content") if isinstance(delta, dict) else choice.get("text")
    elif api == "responses":
        found = event.get("delta") if event.get("type") == "response.output_text.delta" else ""
    elif event.get("type") == "content_block_delta" and isinstance(event.get("delta"), dict):
        found = event["delta"].get("text")
    return found if isinstance(found, str) else ""


def _whole_text(api: Api, body: Any) -> str:
    """The text of a reply that came as one object."""
    if not isinstance(body, dict):
        return ""
    if api in ("chat", "completions"):
        choice = _first(body.get("choices"))
        message = choice.get("message")
        found = message.get("content") if isinstance(message, dict) else choice.get("text")
        return found if isinstance(found, str) else ""
    parts = body.get("content") if api == "messages" else [
        part
        for item in _list(body.get("output"))
        if isinstance(item, dict) and item.get("type") == "message"
        for part in _list(item.get("content"))
    ]  # fmt: skip
    texts = (part.get("text") for part in _list(parts) if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _first(value: Any) -> dict[str, Any]:
    found = next(iter(_list(value)), None)
    return found if isinstance(found, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
