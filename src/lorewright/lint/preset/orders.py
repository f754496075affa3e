"""What the order of a preset leaves out, says twice, or is not used for (spec prompt-assembly §1.1, §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lorewright.core.layout.stock import MARKERS
from lorewright.core.model import Report
from lorewright.lint.preset.places import CHAT
from lorewright.lint.preset.subject import Level, PresetSubject, one_line

__all__ = ["find_lost_markers", "find_odd_orders", "find_strange_entries", "find_unlisted_prompts"]

_EVERYBODY: Final = "100001"
_OLD_DEFAULT: Final = "100000"
_SHOWN: Final = 10
_NEVER_APPENDED: Final = (CHAT, "dialogueExamples")
"""Markers whose texts are lost everywhere if the order does not name them."""


def find_odd_orders(subject: PresetSubject) -> Iterator[Report]:
    """Order lists that are missing, empty, or of no use."""
    orders = subject.preset.orders
    own = next((listed for listed in orders if listed.owner == _EVERYBODY), None)
    old = next((listed for listed in orders if listed.owner == _OLD_DEFAULT and listed.entries), None)
    others = [listed.owner for listed in orders if listed is not own and listed is not old]
    if own is not None and not own.entries:
        used = "that of 100000" if old else "the stock order"
        message = f"The order of 100001 is empty: SillyTavern then sends nothing at all; `native` uses {used}."
        yield _about_order(subject, "preset_order_empty", message, "error")
    elif own is None and old is not None:
        message = (
            "The only order that could be used is that of 100000. SillyTavern passes it over and uses its stock order; `native` "
            "uses it. Save the preset in a newer SillyTavern, or name it 100001."
        )
        yield _about_order(subject, "preset_order_old", message, "warning")
    elif own is None:
        message = "There is no order of 100001, so the stock order is used, in which prompts of your own have no place."
        yield _about_order(subject, "preset_order_missing", message, "warning")
    if own is not None and old is not None:
        others = [_OLD_DEFAULT, *others]
    if others:
        message = f"Only one order is used; these are not: {_listed(others)}."
        yield _about_order(subject, "preset_order_unused", message, "info")


def find_strange_entries(subject: PresetSubject) -> Iterator[Report]:
    """Entries of the order in use that name no prompt, or one that was named before."""
    lists = [
        listed for owner in (_EVERYBODY, _OLD_DEFAULT) for listed in subject.preset.orders if listed.owner == owner
    ]
    used = next((listed.entries for listed in lists if listed.entries), ())
    seen: dict[str, bool] = {}
    for entry in used:
        if entry.id not in subject.lineup.prompts:
            message = f"The order names `{one_line(entry.id)}`, and there is no such prompt; the name is passed over."
            yield subject.report("preset_order_unknown", message, prompt=entry.id, field="prompt_order")
        elif entry.id in seen:
            state = "on" if seen[entry.id] else "off"
            message = (
                f"The order names it more than once; the first place counts, where it is {state}. SillyTavern counts its "
                "tokens each time."
            )
            yield subject.report("preset_order_repeats", message, prompt=entry.id, field="prompt_order")
        seen.setdefault(entry.id, entry.enabled)


def find_lost_markers(subject: PresetSubject) -> Iterator[Report]:
    """Markers that the order does not name or has off, with what is lost."""
    for marker in MARKERS:
        is_off, is_named = subject.lineup.is_off(marker), subject.lineup.names(marker)
        if marker == CHAT and (is_off or not is_named):
            state = "has it off" if is_named else "does not name it"
            message = (
                f"The order {state}, so the chat is not sent, nor anything that stands in it. Add `{CHAT}` to the order, "
                "switched on."
            )
            yield subject.report("preset_chat_missing", message, prompt=marker, field="prompt_order", level="error")
        elif is_off:
            message = "The order has this place off, so the texts for it are not sent."
            yield subject.report("preset_marker_off", message, prompt=marker, field="prompt_order", level="info")
        elif not is_named:
            outcome = (
                "the texts for it are not sent"
                if marker in _NEVER_APPENDED
                else "SillyTavern sends the texts for it behind the last prompt, `native` not at all"
            )
            message = f"The order does not name this place: {outcome}. Add it to the order, switched on or off."
            yield subject.report("preset_marker_unlisted", message, prompt=marker, field="prompt_order")


def find_unlisted_prompts(subject: PresetSubject) -> Iterator[Report]:
    """Prompts with a text that the order does not name."""
    for prompt in {prompt.id: prompt for prompt in reversed(subject.preset.prompts)}.values():
        if prompt.content and prompt.id not in MARKERS and not subject.lineup.names(prompt.id):
            message = "The order does not name it, so it is never sent."
            yield subject.report("preset_prompt_unlisted", message, prompt=prompt.id, level="info")


def _about_order(subject: PresetSubject, code: str, message: str, level: Level) -> Report:
    return subject.report(code, message, field="prompt_order", level=level)


def _listed(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(one_line(name) for name in names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
