"""A part of a preset in the place where it is sent, and what it costs a prompt cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from lorewright.lint.preset.subject import one_line

__all__ = ["Block", "Cause", "CauseKind", "Cost", "Where"]

Where: TypeAlias = Literal["front", "chat", "tail", "off"]
"""Before the chat, where it stands byte for byte; the chat; behind the newest message; nowhere."""

Cost: TypeAlias = Literal["kept", "may change", "comes and goes", "changes", "anew", "none"]
"""What a block costs in frozen placement: nothing again; its tokens when somebody changes what it shows; its tokens in
turns whose type of reply it is for; its tokens whenever it differs, as it does by itself; its tokens in every turn.
`none`: it is not sent."""

CauseKind: TypeAlias = Literal[
    "clock", "random", "chat", "lore", "input", "reply", "variable", "variable_once", "variable_outside", "setting"
]

_PHRASES: Final = {
    "clock": "tells the time",
    "random": "is drawn anew each time",
    "chat": "reads the chat",
    "lore": "shows lore, which comes and goes",
    "input": "shows what the user is typing",
    "reply": "depends on the type of reply",
    "variable": "shows a variable that the preset changes",
    "variable_once": "shows a variable that is written later",
    "variable_outside": "shows a variable that no prompt writes",
    "setting": "shows a setting of the program",
}
_BY_ITSELF: Final = frozenset({"clock", "random", "chat", "lore", "input", "reply", "variable"})


class Cause(NamedTuple):
    """Why a block can be another text in a later turn.

    macro: as written. variable: the one through which it does (`local:mood`), "" if it reads by itself. writer: the
    last prompt that writes that variable, "" if none does.
    """

    kind: CauseKind
    macro: str
    variable: str = ""
    writer: str = ""

    @property
    def by_itself(self) -> bool:
        """Whether the text changes although nobody changes anything."""
        return self.kind in _BY_ITSELF

    @property
    def phrase(self) -> str:
        """The cause as a part of a sentence."""
        phrase = _PHRASES[self.kind]
        if self.variable and not self.kind.startswith("variable"):
            phrase = f"shows a variable whose value {phrase}"
        writer = f", written in `{one_line(self.writer)}`" if self.writer else ""
        written = f" (`{one_line(self.variable.partition(':')[2])}`{writer})" if self.variable else ""
        return f"`{self.macro}` {phrase}{written}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A prompt, a marker, or a text of the settings.

    kind: `marker` is a place for texts that are not the preset's, so nobody knows their tokens (0 here). place: in the
    order, from 0. depth: messages behind it in SillyTavern's placement, None outside the chat. tokens: of the text as it
    is written. native_tokens: what it costs in frozen placement, each time it costs. sillytavern_tokens: of the preset
    read anew where texts stand as in SillyTavern; sillytavern_messages: and of the chat, None for all of it.
    """

    id: str
    kind: Literal["prompt", "marker", "setting"] = "prompt"
    name: str = ""
    role: str = "system"
    place: int | None = None
    depth: int | None = None
    order: float = 100
    tokens: int = 0
    triggers: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    where: Where = "off"
    cost: Cost = "none"
    native_tokens: int = 0
    sillytavern_tokens: int = 0
    sillytavern_messages: int | None = 0
