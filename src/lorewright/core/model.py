"""The things the engine speaks of: books, entries, messages, a turn, the state between turns.

Everything is frozen: data goes in and comes out, nothing is changed in place. In an `Entry` three things are kept
apart that other tools mix up: a field that is *absent* from the file (`ABSENT`), a field that holds `null` (`None`),
and a field that holds a value of a type it should not have (`Odd`). A profile decides what each of them means
(`core/prepared.py`); the entry itself is an exact image of its file, so that it can be written back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from lorewright.core.file_values import ABSENT, Absent, Field, Odd
from lorewright.core.javascript import WHITE_SPACE

if TYPE_CHECKING:
    from lorewright.core.gates import Gate, Progress
    from lorewright.core.layers import Defaults
    from lorewright.core.layout.plan import Plan
    from lorewright.core.replaces import Replace

__all__ = [
    "ABSENT",
    "EMPTY",
    "EXTRA_SOURCES",
    "Absent",
    "ActiveBook",
    "AuthorsNote",
    "Book",
    "Character",
    "CharacterFilter",
    "Entry",
    "ExtraSource",
    "Field",
    "Folder",
    "Forced",
    "Inject",
    "Message",
    "Odd",
    "Report",
    "Role",
    "Source",
    "State",
    "Timer",
    "Trigger",
    "Turn",
]


Role = Literal["user", "assistant", "system", "developer", "tool"]

EMPTY: Final[Mapping[str, object]] = MappingProxyType({})

Source = Literal["global", "character", "character_extra", "chat", "persona"]
"""Why a book takes part in a turn; a character has one book of its own and any number of extra ones (spec world-info
§2)."""

Trigger = Literal["normal", "continue", "impersonate", "swipe", "regenerate", "quiet"]
"""What kind of reply is asked for (spec world-info §1.1, `triggers`)."""

ExtraSource = Literal[
    "persona_description",
    "character_description",
    "character_personality",
    "character_depth_prompt",
    "scenario",
    "creator_notes",
]
EXTRA_SOURCES: Final[tuple[ExtraSource, ...]] = (
    "persona_description",
    "character_description",
    "character_personality",
    "character_depth_prompt",
    "scenario",
    "creator_notes",
)
"""The texts besides the chat that an entry may ask to be scanned for it, in scan order (spec world-info §3.1)."""


@dataclass(frozen=True, slots=True)
class CharacterFilter:
    """For which characters an entry works. `extra` keeps unknown fields of the file."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    exclude: bool = False
    extra: Mapping[str, object] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One lorebook entry as its file has it (spec world-info §1.1, formats §1).

    `uid` is unique in its book. `keys` and `secondary` hold texts only; a list that is no list is `Odd`, and items
    that are no texts are turned into texts by the reader, which reports them. Numbers stay numbers as the file wrote
    them (`100` and `100.0` differ). `extra` holds fields of the file that this model does not name, `layout` the
    order of the field names in the file; both only serve writing the entry back.
    """

    uid: int | str
    keys: Field[tuple[str, ...]] = ABSENT
    secondary: Field[tuple[str, ...]] = ABSENT
    content: Field[str] = ABSENT
    title: Field[str] = ABSENT
    enabled: Field[bool] = ABSENT
    constant: Field[bool] = ABSENT
    selective: Field[bool] = ABSENT
    logic: Field[int] = ABSENT
    order: Field[float] = ABSENT
    position: Field[int] = ABSENT
    depth: Field[float] = ABSENT
    role: Field[int] = ABSENT
    outlet: Field[str] = ABSENT
    probability: Field[float] = ABSENT
    use_probability: Field[bool] = ABSENT
    scan_depth: Field[float] = ABSENT
    case_sensitive: Field[bool] = ABSENT
    whole_words: Field[bool] = ABSENT
    group_scoring: Field[bool] = ABSENT
    exclude_recursion: Field[bool] = ABSENT
    prevent_recursion: Field[bool] = ABSENT
    delay_until_recursion: Field[float] = ABSENT
    """The level as a number; the file's `true` is kept as `True` (a bool is a number to Python and JavaScript)."""
    group: Field[str] = ABSENT
    group_override: Field[bool] = ABSENT
    group_weight: Field[float] = ABSENT
    sticky: Field[float] = ABSENT
    cooldown: Field[float] = ABSENT
    delay: Field[float] = ABSENT
    ignore_budget: Field[bool] = ABSENT
    triggers: Field[tuple[str, ...]] = ABSENT
    filter: Field[CharacterFilter] = ABSENT
    match_persona_description: Field[bool] = ABSENT
    match_character_description: Field[bool] = ABSENT
    match_character_personality: Field[bool] = ABSENT
    match_character_depth_prompt: Field[bool] = ABSENT
    match_scenario: Field[bool] = ABSENT
    match_creator_notes: Field[bool] = ABSENT
    authority: Field[str] = ABSENT
    """The mark as written; `core/authority.py` says which tier it means."""
    source: Field[str] = ABSENT
    subject: Field[str] = ABSENT
    weight: Field[float] = ABSENT
    level: Field[float] = ABSENT
    restricted_to: Field[tuple[str, ...]] = ABSENT
    scene: Field[str] = ABSENT
    gate: Field[Gate] = ABSENT
    folder: Field[str] = ABSENT
    layer: Field[str | float] = ABSENT
    channel: Field[str] = ABSENT
    replaces: Field[tuple[Replace, ...]] = ABSENT
    cache_unsafe: Field[bool] = ABSENT
    seed_salt: Field[str] = ABSENT
    freeze: Field[bool] = ABSENT
    verbatim: Field[bool] = ABSENT
    """Keys and content are plain text: no macros, no decorator lines. Absent, it is true of proposals."""
    extra: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    layout: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of entries. Its gate stands before every entry whose `folder` is its name. `written` is the folder as its
    file has it, in JSON; it only serves writing it back."""

    name: str
    gate: Field[Gate] = ABSENT
    written: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Book:
    """A lorebook: entries in file order. Compared by identity; a changed book is a new `Book`.

    `authority`, `source` and `gate` hold for every entry that says nothing else (a gate: in addition to its own).
    `extra` keeps the file's other top-level fields. `origin` says where it came from (format, file name).
    """

    name: str
    entries: tuple[Entry, ...]
    extra: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    origin: str = ""
    authority: Field[str] = ABSENT
    source: Field[str] = ABSENT
    gate: Field[Gate] = ABSENT
    folders: Field[tuple[Folder, ...]] = ABSENT
    defaults: Field[Defaults] = ABSENT


@dataclass(frozen=True, slots=True)
class ActiveBook:
    """A book that takes part in a turn, and why."""

    book: Book
    source: Source = "global"


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message. `hidden` messages (SillyTavern's system messages) are neither scanned nor counted.

    `attachments` stand for what is no text, each in a canonical form that a provider's room makes: media by content
    hash, tool calls by name and canonical JSON. They belong to the message's identity (`core/chain.py`) and are never
    scanned.

    Keep the objects from turn to turn where you can: what is made of a message for scanning is made once.
    """

    name: str
    text: str
    role: Role = "user"
    hidden: bool = False
    attachments: tuple[str, ...] = ()

    _trimmed: str | None = field(default=None, init=False, repr=False, compare=False)
    _named: str | None = field(default=None, init=False, repr=False, compare=False)
    _digest: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def trimmed(self) -> str:
        """The text as it is scanned without names (spec world-info §3.1)."""
        if self._trimmed is None:
            object.__setattr__(self, "_trimmed", self.text.strip(WHITE_SPACE))
        return self._trimmed or ""

    @property
    def named(self) -> str:
        """`Name: text` as it is scanned with names."""
        if self._named is None:
            object.__setattr__(self, "_named", f"{self.name}: {self.text}".strip(WHITE_SPACE))
        return self._named or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """The character that replies. `avatar` is its picture's file name, which character filters compare.

    `tags` are the tag ids of the character, or None when the host knows no tags for it; the tag filter is then
    skipped (spec world-info §4, step 5).
    """

    name: str
    avatar: str = ""
    tags: frozenset[str] | None = None
    description: str = ""
    personality: str = ""
    depth_prompt: str = ""
    scenario: str = ""
    creator_notes: str = ""
    gate: Field[Gate] = ABSENT
    """Closes the character's own books."""


@dataclass(frozen=True, slots=True)
class AuthorsNote:
    """The author's note of this turn; `scan` lets lorebook keys match in it."""

    text: str
    scan: bool = False


@dataclass(frozen=True, slots=True)
class Inject:
    """A text somebody else injects into the prompt. With `scan` it is part of the scan text (spec world-info §3.2)."""

    name: str
    text: str
    scan: bool = True


@dataclass(frozen=True, slots=True)
class Forced:
    """An entry that is switched on from outside for one turn, as it shall be used (spec world-info §4.5)."""

    book: str
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request for a reply.

    `messages` run oldest first. `number` counts turns for reproducible draws (default: the number of scanned messages),
    `session` names the conversation for the same purpose; `scope` keeps it apart from all others in the same memory: what
    was said in another scope is not known in this one. `context_tokens` is the model's context size.
    `earlier_messages` counts messages that were scanned in earlier turns and are no longer in the window.
    `progress` says how far the reader is in each book, `speaker` who is speaking (default: the character), `scenes`
    which scenes are on, `variables` the conversation's variables, which gates and macros read, `global_variables` those
    of all conversations. `clock_ms` is when it is (milliseconds since 1970-01-01T00:00Z; None: nobody says),
    `utc_offset_minutes` where (east is positive). `greeting` says which greeting the chat began with: 0 is the first
    message of the card, n its n-th alternate one; None: nobody knows. `host_facts` is what else the host knows and
    macros show (`templates/host_facts.py`), JSON values by name. `plan` is the preset that the messages are laid out by,
    and for whom; None: the client lays them out itself.
    """

    messages: tuple[Message, ...] = ()
    user: str = "User"
    character: Character | None = None
    persona_description: str = ""
    authors_note: AuthorsNote | None = None
    injects: tuple[Inject, ...] = ()
    forced: tuple[Forced, ...] = ()
    trigger: str = "normal"
    context_tokens: int = 8192
    dry_run: bool = False
    session: str = ""
    scope: str = ""
    number: int | None = None
    earlier_messages: int = 0
    progress: tuple[Progress, ...] = ()
    speaker: str | None = None
    scenes: frozenset[str] = frozenset()
    variables: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    greeting: int | None = None
    global_variables: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    clock_ms: int | None = None
    utc_offset_minutes: int = 0
    host_facts: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """A running sticky or cooldown effect, in numbers of messages (spec world-info §7).

    `entry_hash` ties it to the entry's text: an edited entry has no running effects.
    """

    entry_hash: str
    start: float
    end: float
    protected: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """What is remembered of a conversation between turns: running timers by entry id (`book.uid`), the number of the
    turn (None: nobody counts), the conversation's variables and those of all conversations as it left them."""

    sticky: Mapping[str, Timer] = field(default_factory=dict)
    cooldown: Mapping[str, Timer] = field(default_factory=dict)
    turn: int | None = None
    variables: Mapping[str, object] = field(default_factory=dict)
    global_variables: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Something a person should know: a code for programs, a sentence for people, and the place.

    `level` is `info` (nothing lost), `warning` (works differently from what was written) or `error` (does not work).
    `book`, `entry` and `field` are names of the model. `place` is where it stands in the file, if the reader knows
    that exactly: a JSON pointer (RFC 6901) or `line 12`; `formats.places` finds it for the other reports of a file.
    """

    code: str
    message: str
    level: Literal["info", "warning", "error"] = "warning"
    book: str = ""
    entry: str = ""
    field: str = ""
    place: str = ""
