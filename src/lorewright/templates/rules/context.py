"""What a text of a rule can read, and the limits of its evaluation (spec injection-engine §4.3-4.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from lorewright.templates.clock import Clock
from lorewright.templates.context import Json

__all__ = ["DEFAULT_USER", "RESERVED", "Limits", "RuleContext", "RuleError", "join_variables"]

DEFAULT_USER: Final = "用户"
"""What `{{user}}` is in texts that came from SillyTavern."""

RESERVED: Final = frozenset({"__proto__", "constructor", "prototype"})
"""Names that no variable may have."""


class RuleError(ValueError):
    """A text cannot be evaluated: it gives nothing, and what it wrote is dropped. A sentence for people."""


@dataclass(frozen=True, slots=True)
class Limits:
    """text: bytes of a text in UTF-8, before and after. nesting: macros inside macros. work: bytes that one evaluation
    may produce in all. dice: dice of one roll."""

    text: int = 1 << 20
    nesting: int = 32
    work: int = 32 << 20
    dice: int = 1_000


def _no_random() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What one evaluation can read.

    variables: declared and session variables, joined (`join_variables`). hidden: names of declared variables whose
    references vanish, because variables are switched off. local_variables, global_variables: what `setvar` and
    `setglobalvar` wrote. built_ins: names such as `WORKSPACE`. session: makes `pick` stable. sillytavern: the text
    came from SillyTavern, so its macros run. unknown: what becomes of references to nothing; texts of the system
    prompt strip them. inner_spaces: `{{ name }}` is a reference, too (since 2.0).
    """

    variables: Mapping[str, Json] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    local_variables: Mapping[str, Json] = field(default_factory=dict)
    global_variables: Mapping[str, Json] = field(default_factory=dict)
    built_ins: Mapping[str, str] = field(default_factory=dict)
    user: str = DEFAULT_USER
    last_user_message: str = ""
    last_char_message: str = ""
    session: str = ""
    clock: Clock = field(default_factory=Clock)
    random: Callable[[], float] = _no_random
    sillytavern: bool = False
    unknown: Literal["keep", "strip"] = "keep"
    inner_spaces: bool = True


def join_variables(strongest_first: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    """Variables of several sources as one table: resolver, session, params, the action's `variables`, the module's."""
    found: dict[str, Json] = {}
    for source in reversed(strongest_first):
        found.update(source)
    return found
