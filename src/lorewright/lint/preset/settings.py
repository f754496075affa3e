"""Settings of a preset that cannot work: formats without a place, and limits that leave no room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lorewright.core.model import Report
from lorewright.lint.preset.block import Block
from lorewright.lint.preset.subject import PresetSubject

__all__ = ["find_broken_formats", "find_tight_limits"]

_FIELDS: Final = ("scenario", "personality")
_TIGHT_SHARE: Final = 0.5


def find_broken_formats(subject: PresetSubject) -> Iterator[Report]:
    """Formats that do not show what they are for."""
    wording = subject.preset.wording
    if wording.lore_format.strip() and "{0}" not in wording.lore_format:
        message = (
            "The format for lore has no `{0}`: SillyTavern sends the format in place of the lore, `native` passes it over. Write "
            "`{0}` where the lore is to stand."
        )
        yield subject.report("preset_format_without_place", message, field="wi_format")
    for name in _FIELDS:
        text = getattr(wording, f"{name}_format")
        if text and name not in text.lower():
            message = (
                f"The format for the {name} does not show it, so the {name} of every card is lost. Write `{{{{{name}}}}}` where "
                "it is to stand, or leave the format empty."
            )
            yield subject.report("preset_format_without_place", message, field=f"{name}_format")


def find_tight_limits(subject: PresetSubject, blocks: Sequence[Block]) -> Iterator[Report]:
    """A context without room for the preset, or with hardly any for the chat."""
    context, response = subject.preset.limits.context_tokens, subject.preset.limits.response_tokens
    room = context - response
    tokens = sum(block.tokens for block in blocks if block.where != "off")
    if room <= 0:
        message = (
            f"The reply may have {response:,} tokens and the whole context has {context:,}, so nothing is left for the prompt. "
            "Lower `openai_max_tokens`."
        )
        yield subject.report("preset_no_room", message, field="openai_max_tokens", level="error")
    elif tokens > room:
        message = (
            f"The prompts have {tokens:,} tokens and only {room:,} are left for the whole prompt ({context:,} - {response:,} "
            "for the reply): not all of them are sent, and nothing of the chat is. Raise `openai_max_context`."
        )
        yield subject.report("preset_over_budget", message, field="openai_max_context", level="error")
    elif tokens > room * _TIGHT_SHARE:
        message = (
            f"The prompts take {tokens:,} of {room:,} tokens. When the context is full, messages leave the chat, and each time "
            "the cache is lost behind the front."
        )
        yield subject.report("preset_little_room", message, field="openai_max_context", level="info")
