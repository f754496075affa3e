"""One door to all translations: requests on their way in, replies and streams on their way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, Union

from lorewright.errors import RequestError
from lorewright.providers.api import Api
from lorewright.providers.dialect import Dialect
from lorewright.providers.error import error_body
from lorewright.providers.sse import Decoder, Event
from lorewright.providers.translation.chat_reply import ChatReply
from lorewright.providers.translation.chat_request import chat_to_messages
from lorewright.providers.translation.chat_writing import ChatWriting, chat_body
from lorewright.providers.translation.messages_reply import MessagesReply
from lorewright.providers.translation.messages_request import messages_to_chat
from lorewright.providers.translation.messages_writing import MessagesWriting, messages_body
from lorewright.providers.translation.responses_request import responses_to_chat
from lorewright.providers.translation.responses_writing import ResponsesWriting, responses_body
from lorewright.providers.translation.saying import Ended, Failed, Saying, Stopped, collect
from lorewright.providers.translation.table import Translated

__all__ = ["StreamTranslation", "can_translate", "translate_error", "translate_reply", "translate_request"]

Spoken = Literal["chat", "messages"]
"""What an upstream may speak; Responses goes to upstreams that speak it, untranslated."""

_Step = Callable[[Mapping[str, Any], Dialect], Translated]
_STEPS: Final[Mapping[tuple[Api, Api], tuple[_Step, ...]]] = {
    ("chat", "messages"): (chat_to_messages,),
    ("messages", "chat"): (messages_to_chat,),
    ("responses", "chat"): (responses_to_chat,),
    ("responses", "messages"): (responses_to_chat, chat_to_messages),
}


def can_translate(client: Api, upstream: Api) -> bool:
    """Whether a client of this API can be served by an upstream of that one."""
    return (client, upstream) in _STEPS


def translate_request(body: Mapping[str, Any], client: Api, upstream: Api, dialect: Dialect) -> Translated:
    """A request in the shape that the upstream takes. `dropped` has a path for each step that dropped something.

    Raises:
        RequestError: something in it is refused, or cannot be read; there is no such translation.
    """
    steps = _STEPS.get((client, upstream))
    if steps is None:
        raise RequestError(
            f"Requests of `{client}` cannot be sent to an upstream that speaks `{upstream}`.", param="model"
        )
    dropped: dict[str, None] = {}
    made = dict(body)
    for step in steps:
        made, lost = step(made, dialect)
        dropped |= dict.fromkeys(lost)
    return Translated(made, tuple(dropped))


def translate_reply(
    body: Mapping[str, Any], upstream: Spoken, client: Api, *, created: int, request: Mapping[str, Any]
) -> Translated:
    """A whole reply in the shape that the client takes. created: seconds since 1970. request: the client's.

    Raises:
        RequestError: it is no reply of the upstream's API.
    """
    reader = ChatReply() if upstream == "chat" else MessagesReply(is_stream=False)
    with reader.reading.guarded():
        sayings = list(reader.whole(body))
    for saying in sayings:
        if isinstance(saying, Failed):
            raise RequestError(f"The upstream's reply is an error: {saying.message}", param="error")
    reply = collect(sayings)
    if client == "messages":
        made = messages_body(reply)
    elif client == "responses":
        made = responses_body(reply, created, request)
    else:
        made = chat_body(reply, created)
    return Translated(made, reader.reading.dropped)


def translate_error(body: object, client: Api, status: int) -> dict[str, object]:
    """An error of any upstream in the client's shape, with what the upstream said."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    said = error.get("message") if isinstance(error, Mapping) else error
    message = said if isinstance(said, str) and said else f"The upstream answered with status {status}."
    return error_body(client, status, message)


_Writing = Union[ChatWriting, MessagesWriting, ResponsesWriting]


class StreamTranslation:
    """A stream of the upstream's as one of the client's, event by event: bytes in, bytes out.

    What fails in the middle is told in the client's shape, and nothing comes behind it. `dropped` grows as events come.
    """

    def __init__(self, upstream: Spoken, client: Api, *, created: int, request: Mapping[str, Any]) -> None:
        self._decoder = Decoder()
        self._reader = ChatReply() if upstream == "chat" else MessagesReply(is_stream=True)
        self._writing: _Writing
        if client == "messages":
            self._writing = MessagesWriting()
        elif client == "responses":
            self._writing = ResponsesWriting(created, request)
        else:
            options = request.get("stream_options")
            asked = isinstance(options, Mapping) and options.get("include_usage") is True
            self._writing = ChatWriting(created, wants_usage=asked)
        self._has_stopped = self._is_over = False

    @property
    def dropped(self) -> tuple[str, ...]:
        return self._reader.reading.dropped

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets for these bytes of the upstream's; keep-alives are passed on as comments."""
        return b"".join(piece for event in self._decoder.feed(chunk) for piece in self._event(event))

    def close(self) -> bytes:
        """What the client gets when the upstream says nothing more."""
        rest = [event for event in self._decoder.close() if event.is_whole or event.is_done or _is_json(event.data)]
        pieces = [piece for event in rest for piece in self._event(event)]
        if not self._is_over and self._has_stopped and isinstance(self._reader, ChatReply):
            # Some servers leave out [DONE]: the model had stopped, so nothing is missing.
            pieces += self._told(self._reader.end())
        if not self._is_over:
            pieces += self._told([Failed("The upstream's stream ended before the reply did.")])
        return b"".join(pieces)

    def _event(self, event: Event) -> Iterator[bytes]:
        if self._is_over:
            return
        if event.data is None and event.is_whole:
            yield event.raw if event.raw.startswith(b":") else b""
            return
        yield from self._told(self._sayings(event))

    def _sayings(self, event: Event) -> Iterator[Saying]:
        if isinstance(self._reader, ChatReply) and event.is_done:
            yield from self._reader.end()
            return
        if event.data is None:
            yield Failed(
                f"The upstream sent an event of more than {self._decoder.limit_bytes} bytes, or a part of one."
            )
            return
        try:
            data = json.loads(event.data)
            with self._reader.reading.guarded():
                yield from self._reader.chunk(data) if isinstance(self._reader, ChatReply) else self._reader.event(data)
        except (ValueError, RecursionError, RequestError):
            yield Failed("The upstream sent an event that its API does not have.")

    def _told(self, sayings: Iterator[Saying] | list[Saying]) -> Iterator[bytes]:
        for saying in sayings:
            if self._is_over:
                return
            self._has_stopped = self._has_stopped or isinstance(saying, Stopped)
            self._is_over = isinstance(saying, (Failed, Ended))
            yield from self._writing.write(saying)


def _is_json(data: str | None) -> bool:
    """Whether the data of an event that was cut off are all there."""
    try:
        json.loads(data or "")
    except (ValueError, RecursionError):
        return False
    return True
