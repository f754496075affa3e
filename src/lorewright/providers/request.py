"""What a client asks for, whichever API it speaks: messages made of parts, and the JSON they were read from.

A `Request` is a view: it says where the texts are and what they belong to. The JSON itself stays as the client sent
it, with every field we know nothing of; `openai_chat.encode` and its like put changes into a copy of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Union

from lorewright.core.model import Role
from lorewright.providers.api import Api

__all__ = [
    "Media",
    "MediaKind",
    "Part",
    "Place",
    "Reasoning",
    "Request",
    "RequestMessage",
    "Text",
    "ToolCall",
    "ToolResult",
    "Unknown",
]

MediaKind = Literal["image", "audio", "document", "video"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that the model reads."""

    text: str


@dataclass(frozen=True, slots=True)
class Media:
    """A picture, a sound, a file. `sha256` is over its bytes where the request holds them, else over its address or
    id, with `url:` or `id:` before it."""

    kind: MediaKind
    sha256: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be run. `arguments` is canonical JSON where it was JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Says whose result its message is; the result itself is in the parts behind it."""

    id: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model thought, or a signature of it. Never read, never changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A part of a kind that we do not know, as it came."""

    raw: object


Part = Union[Text, Media, ToolCall, ToolResult, Reasoning, Unknown]


class Place(NamedTuple):
    """Where a message stands in the JSON.

    item: its index in `messages` or `input`; None for what stands beside that list (`system`, `instructions`, `input`
    or `prompt` as one text). first, end: the parts of the content that are its own, where several messages share one
    item; else all of them (0 to their number). A content that is one text has none: 0, 0.
    """

    item: int | None
    first: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """A message: who says it, what it is made of, where it stands.

    role: `system` and `developer` as the client wrote them; `tool` for the result of one tool call, in whichever
    message the API puts it. name: the client's own name for the speaker, empty without one. is_plain: it is a text that
    somebody says, and nothing else.
    """

    role: Role
    parts: tuple[Part, ...]
    place: Place
    name: str = ""
    is_plain: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_plain = self.role != "tool" and len(self.parts) == 1 and isinstance(self.parts[0], Text)
        object.__setattr__(self, "is_plain", is_plain)

    @property
    def text(self) -> str:
        """Its texts, with a line end between two."""
        if len(self.parts) == 1:
            only = self.parts[0]
            return only.text if isinstance(only, Text) else ""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def result(self) -> ToolResult | None:
        return next((part for part in self.parts if isinstance(part, ToolResult)), None)

    @property
    def is_reasoning(self) -> bool:
        """Whether there is nothing in it but what the model thought."""
        return bool(self.parts) and all(isinstance(part, Reasoning) for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request as it came. `body` is the client's JSON; nobody changes it.

    wants_usage: whether the client will be told what the reply cost without us asking for it. previous: the stored
    response that this one goes on from (Responses), empty if all messages are here.
    """

    api: Api
    model: str
    messages: tuple[RequestMessage, ...]
    body: Mapping[str, Any]
    is_stream: bool = False
    wants_usage: bool = True
    tools: tuple[Mapping[str, Any], ...] = ()
    previous: str = ""

    @property
    def prefill(self) -> int | None:
        """The place of the assistant's message at the end that the model is to go on with."""
        last = len(self.messages) - 1
        if last < 0 or self.messages[last].role != "assistant" or self.messages[last].calls:
            return None
        return last
