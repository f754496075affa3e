"""What was placed and stands: a record of our text, what a script made of the client's, why one was changed or left, why
one has not come yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lorewright.core.variables import Write

__all__ = [
    "Cause",
    "Form",
    "Kept",
    "KeptMessage",
    "Move",
    "Place",
    "Record",
    "Rewording",
    "ScriptStep",
    "Waiting",
    "WaitingReason",
]

Form = Literal["inside", "message"]
"""How our text stands in a request: inside a message of the client, or as a message of its own."""

Place = Literal["head", "front", "turn", "outlet"]
"""`head`: before the client's leading system text; `front`: behind it; `turn`: at a user message, before its text;
`outlet`: in the leading system text, where that names the outlet."""

Cause = Literal[
    "gate_closed",
    "entry_disabled",
    "entry_removed",
    "standing_budget",
    "rewrite",
    "policy_change",
    "regex_depth",
    "client_edit",
    "client_system",
    "entry_system",
    "preset_edit",
    "preset_text",
    "context_full",
    "reply_type",
]
"""The only reasons why bytes that were sent once are not sent again."""

WaitingReason = Literal["no_user_message", "outlet_not_named", "lower_authority"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A text as it was placed at a node of the chain; while it stands, every request has the same bytes there.

    `text` has no separators: these belong to the form. `source_hash` says which text of the entry it was rendered
    from, `tokens` are those of `text`. `constraint`: it begins with the sentence about authority; without an entry it is
    that sentence alone. `holds`: other entries whose words are in the text, since it quotes them or has them inserted;
    `pulled`: those that code put in, which may be disabled ones.
    """

    entry: str
    source_hash: str
    text: str
    tokens: int
    place: Place = "turn"
    form: Form = "inside"
    outlet: str = ""
    subject: str = ""
    tier: str = ""
    constraint: bool = False
    holds: tuple[str, ...] = ()
    pulled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """What a regex script did to a message: its id, the text after it, the variables that it wrote."""

    script: str
    text: str
    writes: tuple[Write, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewording:
    """What is sent in place of a client's text, and the entries whose replacements made it, in their order; it stands
    like a record. source: a hash of the text that it was made of."""

    text: str
    entries: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMessage:
    """A message of a preset as it stood when the conversation began.

    slot: what it is laid out from, a prompt's or marker's id; id: its own. parts: its text, each part with the kinds and ids of its
    sources. source: a hash of the text. With lore in it, whose words may have to leave, nothing but the hash is kept.
    """

    slot: str
    role: str
    source: str
    id: str | None = None
    name: str = ""
    parts: tuple[tuple[tuple[tuple[str, str], ...], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a preset stands before the chat, byte for byte. plan: a hash of what it was laid out from. trimmed: that
    of the node with which the last request ended."""

    plan: str
    messages: tuple[KeptMessage, ...] = ()
    trimmed: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """Bytes that stood were changed: why, of which entry (empty: the client's own text), at which node."""

    cause: Cause
    entry: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An active entry whose text is not in this request, and why."""

    entry: str
    reason: WaitingReason
