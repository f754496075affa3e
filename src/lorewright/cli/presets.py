"""The presets of a request: one for chat completion, or the templates of a text completion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.cli.files import about_file
from lorewright.core.layout.preset import Limits, Preset
from lorewright.core.layout.stock import STOCK_PROMPTS
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.model import Report
from lorewright.errors import InputError
from lorewright.formats.imported import Imported
from lorewright.formats.kinds import KINDS
from lorewright.formats.read import read_thing
from lorewright.formats.things.layout_preset import CHAT_PRESETS
from lorewright.formats.things.text_preset import read_text_preset, text_sections
from lorewright.formats.things.thing import Thing

__all__ = ["no_room", "read_presets"]

_REFUSED: Final = {
    "st_preset_textgen": "It holds settings of the sampler and no prompts.",
    "risu_preset": "A template of RisuAI is read and linted (`lorewright preset lint`), but not laid out.",
}
_SECTIONS: Final = ("context", "instruct", "sysprompt", "custom_stopping_strings")
_WANTED: Final = (
    "Give a preset for chat completion, or for text completion a master export or templates of context, instruct and "
    "system prompt."
)
_STOCK: Final = frozenset(prompt.id for prompt in STOCK_PROMPTS)
_SAID_BETTER: Final = "prompt_not_in_order"
"""The answer says of each prompt that is left out why it is."""


def read_presets(paths: Sequence[str], reports: list[Report]) -> Preset | TextPreset | None:
    """What the files of `--preset` lay out a prompt by; None: there are none. What is odd about them is added to
    `reports`.

    Raises:
        InputError: a file cannot be used, there are two for the same thing, or one is none that prompts are laid out by.
    """
    sections: dict[str, Any] = {}
    homes: dict[str, str] = {}
    for path in paths:
        with about_file(path, "thing"):
            read = read_thing(path)
        reports += _told(read)
        thing = read.value
        if thing.kind in CHAT_PRESETS:
            if len(paths) > 1:
                raise InputError(f"--preset {path}: a preset for chat completion takes no other beside it. Give one.")
            return CHAT_PRESETS[thing.kind](thing.value)
        for name, section in _sections(path, thing).items():
            if name in homes:
                raise InputError(f"--preset {path}: `{name}` is in {homes[name]} already. Give one of the two.")
            sections[name], homes[name] = section, path
    if sections and "context" not in sections:
        message = "Preset: No context template is given, so card, persona, lore and the system prompt stand nowhere."
        reports.append(Report(code="no_context_template", message=message))
    return read_text_preset(sections) if sections else None


def no_room(limits: Limits) -> Iterator[Report]:
    """A report where the reply takes the whole context."""
    if limits.response_tokens >= limits.context_tokens:
        message = (
            f"Preset: {limits.response_tokens} tokens are kept free for the reply, and the context has "
            f"{limits.context_tokens}, so nothing fits. Give more by --context-tokens."
        )
        yield Report(code="no_room_for_prompt", message=message)


def _sections(path: str, thing: Thing) -> Mapping[str, Any]:
    """What a file has of a text completion, by name."""
    whole = text_sections(thing) or {}
    found = {name: whole[name] for name in _SECTIONS if isinstance(whole.get(name), (dict, list))}
    if not found:
        why = _REFUSED.get(thing.kind, "No prompt is laid out by that.")
        raise InputError(f"--preset {path}: this is {KINDS[thing.kind].title}. {why} {_WANTED}", format=thing.kind)
    return found


def _told(read: Imported[Thing]) -> Iterator[Report]:
    """What is odd, but for what is usual: every preset has the stock prompts, also where the file does not."""
    for report in read.reports:
        is_stock = report.code == "order_unknown_identifier" and report.entry in _STOCK
        if not is_stock and report.code != _SAID_BETTER:
            yield replace(report, message=f"Preset: {report.message}")
