"""Everything RisuAI's template language can read, as data: the character, the chat, settings, the pass, the clock.

CBS reads other things than SillyTavern's macros do (whole stored messages, lore rows, modules, the screen), so it has
a context of its own. Rows and messages keep RisuAI's field names, because macros print them as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from lorewright.templates.cbs.switches import NATIVE, Switches
from lorewright.templates.clock import Clock
from lorewright.templates.context import Json

__all__ = ["SELECTED", "Call", "CbsContext", "Character", "Chat", "Limits", "Module", "Program", "Row"]

Row: TypeAlias = Mapping[str, Json]
"""A stored message or lore row, as RisuAI keeps it."""

SELECTED: Final = "@selected"
"""The speaker of a call that is the selected character itself."""


@dataclass(frozen=True, slots=True)
class Character:
    """The selected character or group. `assets` are pairs of a name and a path."""

    name: str = ""
    nickname: str = ""
    id: str | None = None
    is_group: bool = False
    description: str = ""
    personality: str = ""
    scenario: str = ""
    examples: str = ""
    first_message: str = ""
    alternate_greetings: tuple[str, ...] = ()
    default_variables: str = ""
    emotions: tuple[str, ...] = ()
    assets: tuple[tuple[str, str], ...] = ()
    excluded_assets: tuple[str, ...] = ()
    lore: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Chat:
    """The chat. `greeting` is -1 for the first message, n for an alternate greeting, None when it is not known;
    the greeting is not among the `messages`."""

    id: str | None = None
    greeting: int | None = -1
    messages: tuple[Row, ...] = ()
    lore: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    """An enabled module. `assets` are names; None: it has no list of them."""

    namespace: str | None = None
    assets: tuple[str, ...] | None = None
    lore: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """Settings and facts of the program that macros show. `models` gives what is known of a model, by its id."""

    main_prompt: str = ""
    jailbreak: str = ""
    global_note: str = ""
    jailbreak_on: bool = False
    model: str = ""
    sub_model: str = ""
    max_context: int = 0
    default_variables: str = ""
    language: str = "en"
    browser_language: str = "en-US"
    screen_width: int = 0
    screen_height: int = 0
    version: str = "166.3.3"
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """What one call is for (spec risu §6).

    `writes` is the writing pass (RisuAI parses stored messages with it), `removes` the removing one, `counts` the one
    that counts tokens, `displays` the one for the screen. `message` is the index of the message the text belongs to,
    -1 without one; `speaker` a name or `SELECTED`. `calls` is where the call counter starts.
    """

    message: int = -1
    speaker: str | None = None
    role: str | None = None
    chat_role: str | None = None
    first_message: bool = False
    writes: bool = False
    removes: bool = False
    counts: bool = False
    displays: bool = False
    consistent_names: bool = False
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Where rendering stops.

    `nesting` and `calls` are RisuAI's own. Past the others the text stays as it was, with a report: `output_chars` of
    the result, `work_chars` read and written in all (the text, every macro and its result, what `#each` adds, and a
    hundred for every macro), `items` of a list that a macro makes, `dice` thrown at once.
    """

    nesting: int = 510
    calls: int = 20
    output_chars: int = 1_000_000
    work_chars: int = 8_000_000
    items: int = 10_000
    dice: int = 1_000


def _no_random() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class CbsContext:
    """What one rendering can read. `character` None: nothing is selected. `trigger` is the id of the element that was
    clicked. `random` gives the next number in [0, 1)."""

    user: str = ""
    persona: str = ""
    character: Character | None = None
    chat: Chat = field(default_factory=Chat)
    program: Program = field(default_factory=Program)
    modules: tuple[Module, ...] = ()
    trigger: str | None = None
    variables: Mapping[str, Json] = field(default_factory=dict)
    global_variables: Mapping[str, Json] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    random: Callable[[], float] = _no_random
    call: Call = field(default_factory=Call)
    switches: Switches = NATIVE
    limits: Limits = field(default_factory=Limits)
