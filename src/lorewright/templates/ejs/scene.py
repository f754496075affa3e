"""What code of a book can see and ask, and what comes of it: the data between the engine and the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias

from lorewright.templates.context import Json

__all__ = [
    "Answer",
    "Answerer",
    "Change",
    "ChatText",
    "Denied",
    "FunctionSet",
    "Nested",
    "Output",
    "Pattern",
    "Refused",
    "Request",
    "Scene",
    "Value",
]

FunctionSet = Literal["bme", "host"]
"""Which functions a text finds (docs/reference/ejs.md): those of the task reader (spec mvu-filter §7.3), or those of
books that are played, which also write variables (spec templates §2)."""


class ChatText(NamedTuple):
    """A message of the chat as code reads it; `role` is user, assistant or system."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that the code of one generation can read. Give it nothing that a closed gate withholds.

    names: what a text finds under its name, beside the functions (`user`, `lastUserMessage`, ...); functions of the set
    cannot be replaced. variables: by scope (`global`, `local`, `message`, and in the set `host` `cache` for what lives
    for one generation, `initial`, and `defined` with a mapping for each book). description: of the character. lore_books: names
    of the books that take part. lodash: whether `_` is all of lodash; without,
    the four functions that the task reader's own replacement has (`bme` only). dry_run: variables are not written. now_ms, utc_offset_minutes: when and where it is.
    """

    functions: FunctionSet = "bme"
    names: Mapping[str, Json] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    chat: tuple[ChatText, ...] = ()
    description: str = ""
    lore_books: tuple[str, ...] = ()
    dry_run: bool = False
    lodash: bool = True
    now_ms: int = 0
    utc_offset_minutes: int = 0


class Pattern(NamedTuple):
    """A regular expression of JavaScript that was given to a function."""

    source: str
    flags: str


class Request(NamedTuple):
    """A function that a text called and only the outside can answer.

    helper: `getwi`, `activewi`, `evalTemplate`, `getWorldInfoData`, `getWorldInfoActivatedData` or
    `getEnabledWorldInfoEntries`; other names of the same function come as these. `finish`, with a text and what the
    entry has read so far, is asked after a `Nested` that wants it. arguments: JSON values, patterns, and
    None for what is neither. book: whose code asks. path: the tags of the texts that are being rendered, outermost
    first; the last one is the asking text's. All of it is untrusted.
    """

    helper: str
    arguments: tuple[Json | Pattern, ...]
    book: str
    path: tuple[str, ...]


class Value(NamedTuple):
    """The function gives this."""

    value: Json


class Nested(NamedTuple):
    """The function gives what this text renders to, in the context of the book that it is of, with the object that was
    the last argument and then `names` over the scene's names. finish: the result is handed to the answerer once more, as
    the request `finish`, which gives the final text."""

    book: str
    text: str
    tag: str
    names: Mapping[str, Json] = {}
    finish: bool = False


class Denied(NamedTuple):
    """The function throws; if the text does not catch that, it is refused with this code."""

    code: str
    message: str


Answer: TypeAlias = Value | Nested | Denied


class Answerer(Protocol):
    """Answers what code asks. It decides what there is to be seen: what it tells, the code knows."""

    def __call__(self, request: Request) -> Answer: ...


class Change(NamedTuple):
    """A variable that a text wrote on its copy: scope, name, value; ABSENT for one that it removed. In the scope `defined`
    the value is a definition of the book."""

    scope: str
    name: str
    value: Json


class Output(NamedTuple):
    """A rendered text: an untrusted one. reads: what it looked at (`name:user`, `local:mood`, `chat`, `clock`,
    `random`). writes: what becomes true if the text is used."""

    text: str
    reads: frozenset[str] = frozenset()
    writes: tuple[Change, ...] = ()


class Refused(NamedTuple):
    """A text that gives nothing. `message` is a sentence for people; `helper` the function that is to blame, `line` the
    line of the text (0: nobody knows), `path` the tags of the texts in which it happened, outermost first."""

    code: str
    message: str
    helper: str = ""
    line: int = 0
    path: tuple[str, ...] = ()
