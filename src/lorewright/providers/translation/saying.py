"""What a model says, apart from the API in whose shape it comes: piece by piece, and as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Union

from lorewright.providers.usage import Usage

__all__ = [
    "Begun",
    "Block",
    "Call",
    "CallBegun",
    "CallPiece",
    "Ended",
    "Failed",
    "Reply",
    "Saying",
    "Stop",
    "Stopped",
    "TextPiece",
    "ThoughtPiece",
    "Used",
    "Words",
    "collect",
]

Stop = Literal["end", "length", "stop_sequence", "tools", "refusal"]
"""Why the model stopped: it was done, it may not say more, it came to a text of the client's, it wants tools run, it or
its provider will not say it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The first that is said. id, model: the upstream's."""

    id: str
    model: str


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    text: str


@dataclass(frozen=True, slots=True)
class CallBegun:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of the arguments of the last call, in JSON."""

    text: str


@dataclass(frozen=True, slots=True)
class Stopped:
    why: Stop


@dataclass(frozen=True, slots=True)
class Used:
    usage: Usage


@dataclass(frozen=True, slots=True)
class Failed:
    """The upstream gave up in the middle, and what it said."""

    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more comes."""


Saying = Union[Begun, TextPiece, ThoughtPiece, CallBegun, CallPiece, Stopped, Used, Failed, Ended]


@dataclass(slots=True)
class Words:
    """A text or a thought that was said in one go."""

    kind: Literal["text", "thought"]
    text: str


@dataclass(slots=True)
class Call:
    id: str
    name: str
    arguments: str = ""


Block = Union[Words, Call]


@dataclass(slots=True)
class Reply:
    """A whole reply: its blocks in the order in which they were said."""

    id: str = ""
    model: str = ""
    blocks: list[Block] = field(default_factory=list)
    stop: Stop | None = None
    usage: Usage | None = None

    def add(self, saying: Saying) -> None:
        """Take in what is said next."""
        match saying:
            case Begun(id, model):
                self.id, self.model = id, model
            case TextPiece(text):
                self._say("text", text)
            case ThoughtPiece(text):
                self._say("thought", text)
            case CallBegun(id, name):
                self.blocks.append(Call(id, name))
            case CallPiece(text):
                call = self.blocks[-1]
                assert isinstance(call, Call), "a piece of a call follows its begin"
                call.arguments += text
            case Stopped(why):
                self.stop = why
            case Used(usage):
                self.usage = usage
            case Failed() | Ended():
                pass

    def _say(self, kind: Literal["text", "thought"], text: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, Words) and last.kind == kind:
            last.text += text
        else:
            self.blocks.append(Words(kind, text))


def collect(sayings: Iterable[Saying]) -> Reply:
    """A reply from what was said."""
    reply = Reply()
    for saying in sayings:
        reply.add(saying)
    return reply
