"""What the texts of a preset depend on, through the variables that they write for each other.

Texts are prepared in one order in every turn. A variable that is set before it is shown, to a value that depends on
nothing, is as good as a constant; one that is shown first has the value of the turn before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from lorewright.core.layout.stock import MARKERS
from lorewright.core.macro_use import MacroUse
from lorewright.lint.preset.block import Cause, CauseKind
from lorewright.lint.preset.subject import MacroReader, PresetSubject, one_line

__all__ = ["Early", "Flow", "Text", "follow", "texts_of"]

_MOST_ORIGINS: Final = 64
"""Origins of a variable that are kept apart; one with more counts as one that differs by itself."""
_READ_CHARACTERS: Final = 2_000_000
"""Characters of a preset whose macros are looked at, in all."""
_KINDS: Final[Mapping[str, CauseKind]] = {
    "clock": "clock",
    "random": "random",
    "chat": "chat",
    "outlet": "lore",
    "lore": "lore",
    "metadata": "chat",
    "setting": "setting",
}
_SETTINGS: Final[Mapping[str, CauseKind]] = {"setting:input": "input", "setting:generation_type": "reply"}
_CONSTANT: Final = frozenset({"setting:api", "chat:id"})
_REPLY: Final = "setting:generation_type"
_BEFORE: Final = {
    "scenario_format": "scenario_format",
    "personality_format": "personality_format",
    "group_nudge": "group_nudge_prompt",
    "impersonation": "impersonation_prompt",
}
_BEHIND: Final = {"lore_format": "wi_format", "new_chat": "new_chat_prompt", "new_example": "new_example_chat_prompt"}
"""Texts of the settings that are prepared before and behind the prompts, with the names that they have in a file."""


class Text(NamedTuple):
    """A text that is prepared in every turn. `kind`: `prompt`, `setting`, or `piece` of what has no order list; `triggered`: only for some types of reply."""

    kind: str
    id: str
    text: str
    triggered: bool = False


class Early(NamedTuple):
    """A variable that is read before any text of the preset has written it; `writer` "": none ever does."""

    kind: str
    id: str
    macro: str
    variable: str
    writer: str


class _Shown(NamedTuple):
    """A macro that reaches the prompt, and what its text depends on: by origin the name through which it is read."""

    macro: str
    origins: Mapping[str, str]


class Flow:
    """What came of following all texts once. `unread`: ids of texts that were too many to be looked at."""

    def __init__(self) -> None:
        self.uses: dict[tuple[str, str], Sequence[MacroUse]] = {}
        self.unread: list[str] = []
        self._values: dict[str, frozenset[str]] = {}
        self._origins: dict[str, dict[str, None]] = {}
        self._shown: dict[tuple[str, str], list[_Shown]] = {}
        self._early: dict[tuple[str, str, str], str] = {}

    def take(self, text: Text, uses: Sequence[MacroUse]) -> None:
        """Follow the next text."""
        key = (text.kind, text.id)
        self.uses[key] = uses
        for use in uses:
            origins = {origin: name for name in sorted(use.reads) for origin in self._traced(name)}
            for name in use.reads - use.writes:
                if _is_variable(name) and name not in self._values:
                    self._early.setdefault((*key, name), use.source)
            for name in use.writes:
                value = frozenset(origins)
                if use.conditional or text.triggered:
                    value |= self._values.get(name, frozenset({name}))
                self._values[name] = _bounded(name, value | ({_REPLY} if text.triggered else frozenset()))
                self._origins.setdefault(name, {})[text.id] = None
            if use.shown:
                self._shown.setdefault(key, []).append(_Shown(one_line(use.source), origins))

    def causes(self, kind: str, id_: str) -> tuple[Cause, ...]:
        """Why a text can be another one in a later turn, each cause once."""
        found: dict[tuple[CauseKind, str], Cause] = {}
        for macro, origins in self._shown.get((kind, id_), ()):
            for origin, name in origins.items():
                cause = self._cause(macro, origin, name)
                found.setdefault((cause.kind, cause.variable), cause)
        return tuple(found.values())

    def early(self) -> Iterator[Early]:
        """The variables that are read too early, by text."""
        for (kind, id_, variable), macro in self._early.items():
            yield Early(kind, id_, one_line(macro), variable, self._writer(variable))

    def _traced(self, name: str) -> frozenset[str]:
        """The origins of a name that can be something else in a later turn; none for what cannot."""
        if name in self._values:
            return self._values[name]
        return frozenset({name}) if _is_variable(name) or _kind(name) else frozenset()

    def _cause(self, macro: str, origin: str, name: str) -> Cause:
        kind = _kind(origin)
        if kind is not None:
            through = "" if name == origin else name
            return Cause(kind, macro, through, self._writer(through))
        value = self._values.get(origin)
        if value is None:
            return Cause("variable_outside", macro, origin)
        return Cause("variable_once" if self._settles(value) else "variable", macro, origin, self._writer(origin))

    def _settles(self, value: frozenset[str]) -> bool:
        """Whether a value stays as it is unless somebody changes something."""
        return all(_kind(name) == "setting" or (_is_variable(name) and name not in self._values) for name in value)

    def _writer(self, variable: str) -> str:
        return next(reversed(self._origins.get(variable, {})), "")


def texts_of(subject: PresetSubject) -> Iterator[Text]:
    """The texts of a preset that take part, in the order in which they are prepared (spec prompt-assembly §4)."""
    wording = subject.preset.wording
    yield from (Text("setting", shown, getattr(wording, name)) for name, shown in _BEFORE.items())
    seen: set[str] = set()
    for entry in subject.lineup.order:
        if entry.id not in seen and entry.enabled and entry.id not in MARKERS:
            prompt = subject.lineup.prompts[entry.id]
            yield Text("prompt", prompt.id, prompt.content, bool(prompt.triggers))
        seen.add(entry.id)
    yield from (Text("setting", shown, getattr(wording, name)) for name, shown in _BEHIND.items())


def follow(texts: Iterable[Text], uses: MacroReader) -> Flow:
    """Follow texts in their order."""
    flow, left = Flow(), _READ_CHARACTERS
    for text in texts:
        left -= len(text.text)
        if left < 0:
            flow.unread.append(text.id)
        else:
            flow.take(text, uses(text.text))
    return flow


def _kind(name: str) -> CauseKind | None:
    """Why a text that reads this can be another one in a later turn; None: it cannot, or it is a variable."""
    if name in _CONSTANT:
        return None
    return _SETTINGS.get(name) or _KINDS.get(name.partition(":")[0])


def _bounded(name: str, value: frozenset[str]) -> frozenset[str]:
    """The origins of a variable; of very many only those that are no variables, and that it depends on itself."""
    if len(value) <= _MOST_ORIGINS:
        return value
    return frozenset(sorted(origin for origin in value if not _is_variable(origin))[:_MOST_ORIGINS]) | {name}


def _is_variable(name: str) -> bool:
    return name.startswith(("local:", "global:"))
