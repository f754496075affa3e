"""Who is there and what was said: everything besides preset and lore that a prompt is laid out from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lorewright.core.model import Trigger

__all__ = [
    "Beside",
    "Card",
    "CharacterNote",
    "ChatTexts",
    "Group",
    "Injection",
    "Line",
    "Note",
    "NotePosition",
    "OwnNote",
    "Persona",
    "PersonaPosition",
    "Preferences",
    "Scene",
]

Beside = Literal["start", "end"]
"""Before or behind the main prompt."""
NotePosition = Literal["start", "end", "in_chat", "none"]
PersonaPosition = Literal["prompt", "above_note", "below_note", "in_chat", "none"]


@dataclass(frozen=True, slots=True)
class CharacterNote:
    """A card's note, which stands in the chat."""

    text: str = ""
    depth: float = 4
    role: str = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character card's texts as written: trimming and macros are part of laying out."""

    name: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    examples: str = ""
    system_prompt: str = ""
    post_history: str = ""
    note: CharacterNote = CharacterNote()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group chat. `cards` says whose texts a prompt gets: `swap` the speaker's, `join` those of all members that are
    not muted, `join_muted` those of all, each between `prefix` and `suffix`."""

    members: tuple[Card, ...]
    muted: frozenset[str] = frozenset()
    cards: Literal["swap", "join", "join_muted"] = "swap"
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """The user's description of themselves."""

    text: str = ""
    position: PersonaPosition = "prompt"
    depth: float = 2
    role: str = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One chat message. `hidden` ones are not sent. A `narrator` speaks as the system. `named`: its name is its own, and
    not its character's. `bias` is a beginning that the user gave to the reply behind it."""

    name: str
    text: str
    is_user: bool = False
    hidden: bool = False
    narrator: bool = False
    named: bool = False
    bias: str = ""


@dataclass(frozen=True, slots=True)
class OwnNote:
    """A note for one character, in the place of the chat's, before it or behind it."""

    text: str
    where: Literal["replace", "before", "after"] = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The author's note. `interval`: it is there at every so many user messages; 0: never."""

    text: str = ""
    position: NotePosition = "in_chat"
    depth: float = 4
    role: str = "system"
    interval: float = 1
    own: OwnNote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A text that somebody else injects. A later one with the same key takes its place. `allowed`: what its filter
    says."""

    key: str
    text: str
    position: NotePosition = "none"
    depth: float = 0
    role: str = "system"
    allowed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTexts:
    """Texts kept with the chat that stand for the card's; empty: there is none."""

    scenario: str = ""
    examples: str = ""
    system_prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Settings of the user, not of a preset. `bias`: a beginning of every reply."""

    pin_examples: bool = False
    strip_examples: bool = False
    card_system_prompt: bool = True
    card_post_history: bool = True
    collapse_newlines: bool = False
    bias: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One request for a reply.

    card: of the character that replies, in a group one of its members. chat: oldest first; for `swipe` and `regenerate`
    with the message that is about to be replaced. without_lore: this request wants no lore and no author's note.
    sent_nothing: the user asked for a reply without typing anything.
    """

    trigger: Trigger = "normal"
    user: str = "User"
    card: Card = Card()
    group: Group | None = None
    persona: Persona = Persona()
    chat: tuple[Line, ...] = ()
    note: Note = Note()
    injections: tuple[Injection, ...] = ()
    chat_texts: ChatTexts = ChatTexts()
    quiet_prompt: str = ""
    without_lore: bool = False
    sent_nothing: bool = True
    preferences: Preferences = field(default_factory=Preferences)

    def speaking_members(self) -> Sequence[Card]:
        """Members of the group but for those that are muted and do not speak now."""
        if self.group is None:
            return (self.card,)
        return [card for card in self.group.members if card.name not in self.group.muted or card.name == self.card.name]
