"""Prompts that do not work as they are written (spec prompt-assembly §1, §4, §7, §8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from lorewright.core import javascript
from lorewright.core.checks import TRIGGERS
from lorewright.core.layout.depths import nearest_depth
from lorewright.core.layout.insertions import ROLES
from lorewright.core.layout.preset import Prompt
from lorewright.core.layout.stock import MARKERS, STOCK_PROMPTS
from lorewright.core.macro_use import MacroUse
from lorewright.core.model import ABSENT, Odd, Report
from lorewright.lint.preset.flow import Flow
from lorewright.lint.preset.subject import Named, PresetSubject, one_line

__all__ = ["find_early_variables", "find_macro_faults", "find_odd_places", "find_odd_prompts"]

_STOCK: Final = frozenset(prompt.id for prompt in STOCK_PROMPTS)
_OF_PROGRAM: Final = frozenset(
    {
        "impersonate",
        "quietPrompt",
        "groupNudge",
        "bias",
        "summary",
        "authorsNote",
        "vectorsMemory",
        "vectorsDataBank",
        "smartContext",
    }
)
"""Ids of texts that are the program's own."""
_CODE: Final = "<%"
_FAULTS: Final = {
    "unknown": (
        "preset_macro_unknown",
        "These are no macros and stay as they are written: {macros}. Correct their names, or take them out.",
    ),
    "failed": ("preset_macro_failed", "These macros cannot answer here and stay as they are written: {macros}."),
    "untried": (
        "preset_macros_untried",
        "The text has so many macros that it was not looked at what all of them read. Make it shorter.",
    ),
}
_SHOWN: Final = 5


def _sent(subject: PresetSubject) -> Iterator[Prompt]:
    """The prompts and markers that the order has on, each once."""
    seen: set[str] = set()
    for entry in subject.lineup.order:
        if entry.enabled and entry.id not in seen:
            yield subject.lineup.prompts[entry.id]
        seen.add(entry.id)


def find_odd_prompts(subject: PresetSubject) -> Iterator[Report]:
    """Prompts that share an id, say nothing, hold code, or are never placed."""
    for name, number in Counter(prompt.id for prompt in subject.preset.prompts).items():
        if number > 1:
            message = (
                f"{number} prompts have this identifier; only the first is used. Give the others names of their own."
            )
            yield subject.report("preset_prompt_duplicate", message, prompt=name, field="identifier")
    for prompt in _sent(subject):
        if prompt.id in MARKERS:
            continue
        if not prompt.content and prompt.id not in _STOCK:
            message = "It is switched on and has no text, so nothing is sent."
            yield subject.report("preset_prompt_empty", message, prompt=prompt.id, field="content", level="info")
        if _CODE in prompt.content:
            message = (
                "It holds template code (`<% %>`), which an extension of SillyTavern would run. Here it never runs, and is sent "
                "as it is written."
            )
            yield subject.report("preset_code", message, prompt=prompt.id, field="content")
        if prompt.id in _OF_PROGRAM:
            message = (
                "SillyTavern has a text of its own with this identifier, which then takes this prompt's place; in `native` both "
                "stand. Give the prompt another identifier."
            )
            yield subject.report("preset_id_reserved", message, prompt=prompt.id, field="identifier")
        elif not prompt.of_user and not prompt.in_chat and prompt.id not in _STOCK:
            message = (
                "Its `system_prompt` is not false, so SillyTavern takes it for one of its own and never sends it; `native` does. "
                "Set `system_prompt` to false."
            )
            yield subject.report("preset_prompt_unplaced", message, prompt=prompt.id, field="system_prompt")


def find_odd_places(subject: PresetSubject) -> Iterator[Report]:
    """Depths, roles and triggers that SillyTavern does not know."""
    for prompt in _sent(subject):
        if prompt.in_chat and not _is_depth(prompt.depth):
            message = (
                f"Its depth is {_as_text(prompt.depth)}: SillyTavern never sends it, `native` takes {nearest_depth(prompt.depth)}. "
                "Depths are whole numbers from 0 to 10000."
            )
            yield subject.report("preset_depth_odd", message, prompt=prompt.id, field="injection_depth")
        if prompt.role not in ROLES and (prompt.in_chat or prompt.role is not None) and prompt.id not in MARKERS:
            outcome = (
                "SillyTavern never sends it, `native` takes system" if prompt.in_chat else "it is sent with that role"
            )
            shown = "missing" if not prompt.role else f"`{one_line(prompt.role)}`"
            message = f"Its role is {shown}: {outcome}. Roles are {', '.join(ROLES)}."
            yield subject.report("preset_role_unknown", message, prompt=prompt.id, field="role")
        unknown = [name for name in prompt.triggers if name not in TRIGGERS]
        if unknown:
            rest = "" if set(prompt.triggers) & set(TRIGGERS) else " It is never sent."
            named = ", ".join(f"`{one_line(name)}`" for name in unknown[:_SHOWN])
            message = f"There is no type of reply {named}; known are {', '.join(TRIGGERS)}.{rest}"
            yield subject.report("preset_trigger_unknown", message, prompt=prompt.id, field="injection_trigger")


def find_macro_faults(subject: Named, flow: Flow) -> Iterator[Report]:
    """Macros that stay as text, one finding for each text and fault."""
    for (_, name), uses in flow.uses.items():
        for fault, (code, message) in _FAULTS.items():
            macros = _sources(uses, fault)
            if macros:
                shown = ", ".join(f"`{one_line(macro)}`" for macro in macros[:_SHOWN])
                more = f" and {len(macros) - _SHOWN} more" if len(macros) > _SHOWN else ""
                text = message.format(macros=shown + more)
                yield subject.report(code, text, prompt=name, field="content")
    if flow.unread:
        message = (
            f"The preset is so long that the macros of {len(flow.unread)} texts were not looked at, from "
            f"`{one_line(flow.unread[0])}` on."
        )
        yield subject.report("preset_macros_untried", message)


def _sources(uses: Sequence[MacroUse], fault: str) -> list[str]:
    return list(dict.fromkeys(use.source for use in uses if use.fault == fault))


def find_early_variables(subject: Named, flow: Flow) -> Iterator[Report]:
    """Variables that are read before a text writes them."""
    for kind, name, macro, variable, writer in flow.early():
        shown = one_line(variable.partition(":")[2])
        if writer and writer != name:
            moved = f" Put `{one_line(writer)}` before it in the order." if kind == "prompt" else ""
            message = (
                f"`{macro}` reads `{shown}` before `{one_line(writer)}` writes it: the first request shows nothing, every later one "
                f"the value of the turn before.{moved}"
            )
            yield subject.report("preset_variable_early", message, prompt=name, field="content")
        elif not writer:
            message = (
                f"`{macro}` reads `{shown}`, and no prompt writes it; it is empty unless lore, a card or a script does."
            )
            yield subject.report("preset_variable_unwritten", message, prompt=name, field="content", level="info")


def _is_depth(given: object) -> bool:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return False
    return 0 <= given <= 10_000 and given == int(given)


def _as_text(given: object) -> str:
    if given is ABSENT or given is None:
        return "missing"
    if isinstance(given, Odd):
        kind = "the text " if isinstance(given.value, str) else ""
        return kind + one_line(javascript.value_as_text(given.value))
    return javascript.value_as_text(given)
