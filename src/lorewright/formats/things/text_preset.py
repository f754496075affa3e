"""Context, instruct and system prompt templates as what a text completion is laid out from (spec formats §3.13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from lorewright.core.javascript import truthy
from lorewright.core.layout.preset import Limits
from lorewright.core.layout.text_preset import ContextTemplate, Instruct, SequenceName, SystemPrompt, TextPreset
from lorewright.formats.fields import read_number, read_texts
from lorewright.formats.things.thing import Thing

__all__ = ["read_text_preset", "text_sections"]

Json = Mapping[str, Any]

_ROLES: Final = ("system", "user", "assistant")
_SECTIONS: Final = {"st_context": "context", "st_instruct": "instruct", "st_sysprompt": "sysprompt"}
_OLD_SEQUENCES: Final[Mapping[SequenceName, str]] = {
    "story_string_prefix": "system_sequence_prefix",
    "story_string_suffix": "system_sequence_suffix",
    "output_suffix": "separator_sequence",
}
"""Names of older files."""


def text_sections(thing: Thing) -> Json | None:
    """The sections of a file that a text completion is laid out from, as `read_text_preset` takes them; None: it is no
    such file."""
    if thing.kind in _SECTIONS:
        return {_SECTIONS[thing.kind]: thing.value}
    return thing.value if thing.kind == "st_master_export" else None


def read_text_preset(value: Json, limits: Limits | None = None) -> TextPreset:
    """A master export, or the parts of one under its names: `context`, `instruct`, `sysprompt`.

    What is missing or of a wrong type is as in a new template. An instruct template that says `enabled: false` is off.
    """
    instruct, prompt = _object(value.get("instruct")), _object(value.get("sysprompt"))
    stops = value.get("custom_stopping_strings")
    return TextPreset(
        context=_context(_object(value.get("context")) or {}),
        instruct=None if instruct is None or instruct.get("enabled") is False else _instruct(instruct),
        system_prompt=None if prompt is None or prompt.get("enabled") is False else _system_prompt(prompt),
        limits=limits or Limits(),
        stops=read_texts(stops) if isinstance(stops, list) else (),
    )


def _object(value: object) -> Json | None:
    return value if isinstance(value, dict) else None


def _text(value: Json, name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


def _flag(value: Json, name: str, *, default: bool) -> bool:
    return truthy(value[name]) if name in value else default


def _context(value: Json) -> ContextTemplate:
    depth, role = read_number(value.get("story_string_depth")), value.get("story_string_role")
    return ContextTemplate(
        story=_text(value, "story_string"),
        in_chat=value.get("story_string_position") == 1,
        depth=depth if isinstance(depth, (int, float)) else 1,
        role=_ROLES[role] if type(role) is int and role in range(len(_ROLES)) else "system",
        separator=_text(value, "example_separator"),
        chat_start=_text(value, "chat_start"),
        separators_stop=_flag(value, "use_stop_strings", default=False),
        names_stop=_flag(value, "names_as_stop_strings", default=True),
        forces_name=_flag(value, "always_force_name2", default=True),
        single_line=_flag(value, "single_line", default=False),
    )


def _instruct(value: Json) -> Instruct:
    names: tuple[SequenceName, ...] = get_args(SequenceName)
    sequences = {name: _text(value, name) or _text(value, _OLD_SEQUENCES.get(name, name)) for name in names}
    return Instruct(
        sequences={name: text for name, text in sequences.items() if text},
        wraps=_flag(value, "wrap", default=True),
        has_macros=_flag(value, "macro", default=True),
        names=_names(value),
        filler=_text(value, "user_alignment_message"),
        skips_examples=_flag(value, "skip_examples", default=False),
        system_as_user=_flag(value, "system_same_as_user", default=False),
        sequences_stop=_flag(value, "sequences_as_stop_strings", default=True),
    )


def _names(value: Json) -> Literal["none", "force", "always"]:
    """Older files have two flags."""
    known = value.get("names_behavior")
    if known == "always" or truthy(value.get("names")):
        return "always"
    return "none" if known == "none" or value.get("names_force_groups") is False else "force"


def _system_prompt(value: Json) -> SystemPrompt:
    return SystemPrompt(_text(value, "content"), _text(value, "post_history"))
