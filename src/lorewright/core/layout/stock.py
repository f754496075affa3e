"""The prompts that every preset has, and the order of a preset that has none (spec prompt-assembly §1.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from lorewright.core.layout.defects import Defects
from lorewright.core.layout.preset import OrderEntry, Preset, Prompt
from lorewright.core.layout.reasons import InOrder, NotInOrder, ReplacedBy, Stands, StaysOut
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.memo import Memo

__all__ = ["MARKERS", "STOCK_ORDER", "STOCK_PROMPTS", "Lineup", "Step", "line_up", "lineup_of"]

MARKERS: Final = (
    "dialogueExamples",
    "chatHistory",
    "worldInfoBefore",
    "worldInfoAfter",
    "charDescription",
    "charPersonality",
    "scenario",
    "personaDescription",
)
"""Places for texts that are not the preset's."""

STOCK_PROMPTS: Final = (
    Prompt(
        id="main",
        name="Main Prompt",
        role="system",
        content="Write {{char}}'s next reply in a fictional chat between {{charIfNotGroup}} and {{user}}.",
    ),
    Prompt(id="nsfw", name="Auxiliary Prompt", role="system"),
    Prompt(id="jailbreak", name="Post-History Instructions", role="system"),
    Prompt(
        id="enhanceDefinitions",
        name="Enhance Definitions",
        role="system",
        content="If you have more knowledge of {{char}}, add to the character's lore and personality to enhance them but "
        "keep the Character Sheet's definitions absolute.",
    ),
    *(Prompt(id=marker) for marker in MARKERS),
)

STOCK_ORDER: Final = tuple(
    OrderEntry(name, enabled=name != "enhanceDefinitions")
    for name in (
        "main",
        "worldInfoBefore",
        "personaDescription",
        "charDescription",
        "charPersonality",
        "scenario",
        "enhanceDefinitions",
        "nsfw",
        "worldInfoAfter",
        "dialogueExamples",
        "chatHistory",
        "jailbreak",
    )
)

_EVERYBODY: Final = "100001"
_OLD_DEFAULT: Final = "100000"


class Step(NamedTuple):
    """A prompt in the order: whether it is on, and its text."""

    prompt: Prompt
    enabled: bool
    source: Source
    content: Strand
    why: Stands


@dataclass(frozen=True)
class Lineup:
    """The prompts of a preset by id and as they are written, and the order in use without entries that name no prompt."""

    prompts: Mapping[str, Prompt]
    written: tuple[Prompt, ...]
    order: tuple[OrderEntry, ...]

    @cached_property
    def _enabled(self) -> Mapping[str, bool]:
        """Of several entries for a prompt the first decides."""
        found: dict[str, bool] = {}
        for entry in self.order:
            found.setdefault(entry.id, entry.enabled)
        return found

    @cached_property
    def steps(self) -> Sequence[Step]:
        """The order with its prompts."""
        return [_step(self.prompts[entry.id], place, enabled=entry.enabled) for place, entry in enumerate(self.order)]

    @cached_property
    def offered(self) -> Sequence[Source]:
        """The prompts with a text: those of the preset, then those of the order."""
        return [*self._written, *(step.source for step in self.steps if step.prompt.content)]

    @cached_property
    def unlisted(self) -> Sequence[tuple[Source, StaysOut]]:
        """Prompts that the order does not name, and later ones with a known id."""
        found: list[tuple[Source, StaysOut]] = []
        for source, (prompt, repeats) in self._written.items():
            if repeats:
                found.append((source, ReplacedBy("prompt", prompt.id)))
            elif not self.names(prompt.id):
                found.append((source, NotInOrder(prompt.id)))
        return found

    @cached_property
    def _written(self) -> Mapping[Source, tuple[Prompt, bool]]:
        """The prompts of the preset with a text; whether there is an earlier one with the id."""
        found: dict[Source, tuple[Prompt, bool]] = {}
        seen: set[str] = set()
        for at, prompt in enumerate(self.written):
            repeats = prompt.id in seen
            seen.add(prompt.id)
            if prompt.content:
                found[Source("prompt", f"{prompt.id}#{at}" if repeats else prompt.id)] = prompt, repeats
        return found

    def is_off(self, prompt: str) -> bool:
        """Whether the order switches a prompt off; one that it does not name is not off."""
        return not self._enabled.get(prompt, True)

    def stands_before_chat(self, marker: str) -> bool:
        """Whether a marker has a place before the chat in every turn."""
        prompt = self.prompts.get(marker)
        listed = [entry.id for entry in self.order if entry.enabled]
        if prompt is None or marker not in listed or "chatHistory" not in listed or self.is_off(marker):
            return False
        return not (prompt.in_chat or prompt.triggers) and listed.index(marker) < listed.index("chatHistory")

    def names(self, prompt: str) -> bool:
        """Whether the order names a prompt."""
        return prompt in self._enabled


def lineup_of(preset: Preset, defects: Defects, memo: Memo) -> Lineup:
    """The same, kept with the preset."""
    return memo.each(_lined_up, (preset,), defects)[0]


def _lined_up(at: int, preset: Preset, defects: Defects) -> Lineup:
    del at
    return line_up(preset, defects)


def _step(prompt: Prompt, place: int, *, enabled: bool) -> Step:
    source = Source("prompt", prompt.id)
    return Step(prompt, enabled, source, Strand.of(source, prompt.content), InOrder(place))


def line_up(preset: Preset, defects: Defects) -> Lineup:
    """Add the stock prompts that are missing, and find the order. Of two prompts with one id the first counts."""
    prompts: dict[str, Prompt] = {}
    for prompt in (*preset.prompts, *STOCK_PROMPTS):
        prompts.setdefault(prompt.id, prompt)
    entries = _order(preset, defects)
    return Lineup(prompts, preset.prompts, tuple(entry for entry in entries if entry.id in prompts))


def _order(preset: Preset, defects: Defects) -> tuple[OrderEntry, ...]:
    owners = (_EVERYBODY,) if defects.ignores_default_order else (_EVERYBODY, _OLD_DEFAULT)
    for owner in owners:
        for listed in preset.orders:
            if listed.owner == owner and (listed.entries or defects.keeps_empty_order):
                return listed.entries
    return STOCK_ORDER
