"""What one rendering carries along: the context, what was touched so far, the limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final, Protocol

from lorewright.core.javascript import number_text
from lorewright.templates.card_texts import CardTexts
from lorewright.templates.context import Context, Json
from lorewright.templates.rendered import Record, Rendered
from lorewright.templates.seeded import kept_hash, text_hash
from lorewright.templates.sillytavern.cleanup import clean
from lorewright.templates.sillytavern.registry import MacroError
from lorewright.templates.variables import Variables

__all__ = ["KEPT", "REPAIRED", "Defects", "Invocation", "Limits", "Place", "Run"]

_HIDDEN: Final = str.maketrans("{}\\", "\ufdd0\ufdd1\ufdd2")
_SHOWN: Final = str.maketrans("\ufdd0\ufdd1\ufdd2", "{}\\")
"""Characters that no text has, for those of a value that must not be looked at."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ours: the real program has none, and a text can bring it down.

    nesting: how deep macros and bodies may be nested. output: characters of a rendered text. repeat: spaces, newlines.
    dice: dice of one roll.
    """

    nesting: int = 32
    output: int = 1_000_000
    repeat: int = 100_000
    dice: int = 1_000


@dataclass(frozen=True, slots=True)
class Defects:
    """Bugs of SillyTavern 1.19.0 that the `sillytavern` profile keeps and `native` repairs.

    scoped_failure_loses_closer: an unknown or failing macro with a body prints `}}` where its closing tag stood.
    skips_stuck_characters: characters stuck to a name are ignored, so `{{user.name}}` is the user's name.
    values_are_cleaned: a text is cleaned up once, at its end, with all that macros gave in it; so `\\{` and `{{trim}}` in a
        chat message count, and what an `if` or a variable holds is cleaned up several times or too late.
    else_in_lower_case: `{{ELSE}}` divides nothing, and an inner `{{IF}}` is not seen when the divider is looked for.
    shorthand_without_bodies: in `{{.x = ...}}` an opening and a closing tag do not belong together.
    """

    scoped_failure_loses_closer: bool = True
    skips_stuck_characters: bool = True
    values_are_cleaned: bool = True
    else_in_lower_case: bool = True
    shorthand_without_bodies: bool = True


KEPT: Final = Defects()
REPAIRED: Final = Defects(**{field.name: False for field in fields(Defects)})
"""Those of the profile `sillytavern`, and none."""


class Run:
    """The state of one rendering; thrown away with it."""

    def __init__(self, context: Context, limits: Limits, defects: Defects, hashed: str, parent: Run | None) -> None:
        self.context = context
        self.limits = limits
        self.defects = defects
        self.record: Record = parent.record if parent else Record()
        self.variables: Variables = (
            parent.variables if parent else Variables(context.local_variables, context.global_variables, self.record)
        )
        self.metadata: dict[str, Json] = parent.metadata if parent else dict(context.metadata)
        self.banned: list[str] = parent.banned if parent else []
        self.original_used = False
        self._hides = False
        self._hashed = hashed
        self._budget: Budget = parent._budget if parent else Budget(limits.output)  # noqa: SLF001 -- of the same class
        self.picks: list[tuple[str, int]] = parent.picks if parent else []
        self.cards: CardTexts

    @cached_property
    def content_hash(self) -> int:
        """The hash of the text that was handed to the call."""
        return kept_hash(self._hashed)

    @cached_property
    def chat_hash(self) -> str:
        """The number that stands for the chat; without one it is made and kept."""
        self.record.read("chat:id", None)
        known = self.metadata.get("chat_id_hash")
        if isinstance(known, bool) or not isinstance(known, (int, float)):
            main = self.metadata.get("main_chat")
            known = self.metadata["chat_id_hash"] = text_hash(self.context.chat_id if main is None else main)
        return number_text(known)

    def spend(self, length: int) -> None:
        """Count what a macro produced.

        Raises:
            MacroError: one result, or all together, are longer than a text may be.
        """
        self._budget.spend(length)

    def inserted(self, value: str) -> str:
        """A value as it stands in a text: with braces and backslashes that the clean-up does not see."""
        if self.defects.values_are_cleaned or not ("{" in value or "}" in value or "\\" in value):
            return value
        self._hides = True
        return value.translate(_HIDDEN)

    def finished(self, text: str) -> str:
        """A text that was run, cleaned up, with its values as they are."""
        text = clean(text)
        return text.translate(_SHOWN) if self._hides else text

    def given(self, text: str) -> str:
        """An argument or a body that was run, as a macro gets it: a finished text but for the bug."""
        return text if self.defects.values_are_cleaned else self.finished(text)

    def rendered(self, text: str, result: str) -> Rendered:
        """Everything that came of a text. One whose result is longer than a text may be stays as it was."""
        if len(result) > max(self.limits.output, len(text)):
            self.record.report(
                "macro_output_limit",
                f"The rendered text has {len(result):,} characters; {self.limits.output:,} are allowed. "
                "It stays as it was.",
                "error",
            )
            result = text
        return Rendered(
            result,
            kinds=frozenset(self.record.kinds),
            reads=frozenset(self.record.reads),
            writes=frozenset(self.record.writes),
            local_variables=self.variables.values("local"),
            global_variables=self.variables.values("global"),
            metadata={key: value for key, value in self.metadata.items() if self.context.metadata.get(key) != value},
            banned=tuple(self.banned),
            picks=tuple(self.picks),
            reports=self.record.reports,
        )


@dataclass(slots=True)
class Budget:
    """How much all macros of a rendering may produce: eight texts of the longest length."""

    output: int
    spent: int = 0

    def spend(self, length: int) -> None:
        """Count `length` characters more, or raise MacroError."""
        if length > self.output:
            raise MacroError(f"The result has {length:,} characters; {self.output:,} are allowed.")
        if self.spent + length > 8 * self.output:
            raise MacroError(f"All macros together would produce more than {8 * self.output:,} characters.")
        self.spent += length


class Place(Protocol):
    """The source text in which a macro stands."""

    def position(self, at: int) -> int:
        """An offset in UTF-16 units, counted from the text that was handed to the call."""

    def evaluate(self, text: str, at: int, depth: int) -> str:
        """Run a text as one of its own that begins at `at`."""

    def split_else(self, body: str) -> tuple[str, str]:
        """The parts of an `if` before and behind its `{{else}}`."""

    def is_plain_macro(self, name: str) -> bool:
        """Whether this is a registered macro, not one of the call, that needs no argument."""


@dataclass(slots=True)
class Invocation:
    """One call of a macro: its arguments, and where it stands. `keeps_space`: the flag `#` was given."""

    run: Run
    arguments: list[str]
    keeps_space: bool
    place: Place
    at: int
    depth: int

    def position(self) -> int:
        """The offset of the macro's braces, for `pick` (README of cases/macros)."""
        return self.place.position(self.at)

    def evaluate(self, text: str) -> str:
        """Run a text as one of its own, as if it stood where the macro stands."""
        return self.place.evaluate(text, self.at, self.depth + 1)
