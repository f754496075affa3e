"""All checks over one preset, in the order in which a person would mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lorewright.core.model import Report
from lorewright.lint.preset.block import Block, Where
from lorewright.lint.preset.costs import find_costs
from lorewright.lint.preset.flow import follow, texts_of
from lorewright.lint.preset.orders import (
    find_lost_markers,
    find_odd_orders,
    find_strange_entries,
    find_unlisted_prompts,
)
from lorewright.lint.preset.places import place_blocks
from lorewright.lint.preset.prompts import find_early_variables, find_macro_faults, find_odd_places, find_odd_prompts
from lorewright.lint.preset.settings import find_broken_formats, find_tight_limits
from lorewright.lint.preset.subject import PresetSubject

__all__ = ["CheckedPreset", "check_preset"]


@dataclass(frozen=True, slots=True)
class CheckedPreset:
    """What there is to say about a preset. blocks: in the order in which frozen placement sends them."""

    blocks: tuple[Block, ...]
    findings: tuple[Report, ...]

    def tokens(self, where: Where) -> int:
        """The tokens of the preset's own texts in one place."""
        return sum(block.tokens for block in self.blocks if block.where == where)

    @property
    def kept_tokens(self) -> int:
        """The tokens of the front that never cost again by themselves."""
        return sum(
            block.tokens for block in self.blocks if block.where == "front" and block.cost in ("kept", "may change")
        )


def check_preset(subject: PresetSubject, read: Iterable[Report] = ()) -> CheckedPreset:
    """Lay a preset out as frozen placement sends it, and find what costs the cache or cannot work.

    Pure, and nothing is raised for any preset. Texts are counted as they are written, with their macros; what stands in a
    place for lore, card or persona is not known. `read`: what was noted while reading comes first.
    """
    flow = follow(texts_of(subject), subject.uses)
    blocks = place_blocks(subject, flow)
    return CheckedPreset(
        blocks,
        (
            *read,
            *find_odd_orders(subject),
            *find_lost_markers(subject),
            *find_strange_entries(subject),
            *find_unlisted_prompts(subject),
            *find_odd_prompts(subject),
            *find_odd_places(subject),
            *find_broken_formats(subject),
            *find_tight_limits(subject, blocks),
            *find_macro_faults(subject, flow),
            *find_early_variables(subject, flow),
            *find_costs(subject, blocks),
        ),
    )
