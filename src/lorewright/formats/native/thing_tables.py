"""The names that presets have in our own format, and the members of other programs' files that they stand for.

Names are those of `core/layout/preset.py` and `core/layout/text_preset.py`. Formats whose settings mean nothing here
(samplers, RisuAI's presets) have no table; their files stand under `extra` as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, get_args

from lorewright.core.layout.preset import Wording
from lorewright.core.layout.text_preset import SequenceName
from lorewright.formats.native.lens import Member, Table, hide_object, member, rows, show_object, under
from lorewright.formats.things.layout_preset import WORDING

__all__ = ["PRESET_FORMATS", "SECTIONS", "native_names"]

_EVERYBODY: Final = 100001
_OPPOSITE: Final = {True: False, False: True}
_ROLES: Final = {"system": 0, "user": 1, "assistant": 2}

_PROMPT: Final[Table] = (
    member("id", "identifier", "text"),
    member("name", "name", "text"),
    member("role", "role", "text"),
    member("in_chat", "injection_position", words={True: 1, False: 0}),
    member("depth", "injection_depth", "number"),
    member("order", "injection_order", "number"),
    member("triggers", "injection_trigger", "list"),
    member("fixed", "forbid_overrides", "flag"),
    member("of_user", "system_prompt", words=_OPPOSITE),
    member("marker", "marker", "flag"),
    member("content", "content", "text"),
)
_PLACE: Final[Table] = (member("id", "identifier", "text"), member("enabled", "enabled", "flag"))


def _show_place(raw: Any) -> Any:
    """A prompt that is on: its id alone."""
    if not isinstance(raw, dict):
        return raw
    is_short = raw.keys() == {"identifier", "enabled"} and raw["enabled"] is True and isinstance(raw["identifier"], str)
    return raw["identifier"] if is_short else show_object(_PLACE, raw)


def _hide_place(shown: Any) -> Any:
    if isinstance(shown, str):
        return {"identifier": shown, "enabled": True}
    return hide_object(_PLACE, shown) if isinstance(shown, dict) else shown


def _show_places(raw: Any) -> Any:
    return list(map(_show_place, raw)) if isinstance(raw, list) else raw


def _hide_places(shown: Any) -> Any:
    return list(map(_hide_place, shown)) if isinstance(shown, list) else shown


_ORDER: Final[Table] = (
    member("owner", "character_id", "id", words={"everybody": _EVERYBODY, "old_default": 100000}),
    Member(ours=("prompts",), theirs=("order",), sort="list", show=_show_places, hide=_hide_places),
)
_CHAT: Final[Table] = (
    rows("prompts", "prompts", _PROMPT),
    rows("orders", "prompt_order", _ORDER, {"character_id": _EVERYBODY}),
    *(member(f"wording.{field.name}", WORDING[field.name], "text") for field in fields(Wording)),
    member("limits.context_tokens", "openai_max_context", "number"),
    member("limits.response_tokens", "openai_max_tokens", "number"),
    member("names", "names_behavior", words={"none": -1, "default": 0, "completion": 1, "content": 2}),
    member("squash", "squash_system_messages", "flag"),
    member("continue_prefill", "continue_prefill", "flag"),
    member("source", "chat_completion_source", "text"),
)
_EXPORT: Final[Table] = (
    rows("prompts", "data.prompts", _PROMPT),
    Member(ours=("order",), theirs=("data", "prompt_order"), sort="list", show=_show_places, hide=_hide_places),
)
_CONTEXT: Final[Table] = (
    member("name", "name", "text"),
    member("story", "story_string", "text"),
    member("in_chat", "story_string_position", words={True: 1, False: 0}),
    member("depth", "story_string_depth", "number"),
    member("role", "story_string_role", words=_ROLES),
    member("separator", "example_separator", "text"),
    member("chat_start", "chat_start", "text"),
    member("separators_stop", "use_stop_strings", "flag"),
    member("names_stop", "names_as_stop_strings", "flag"),
    member("forces_name", "always_force_name2", "flag"),
    member("single_line", "single_line", "flag"),
)
_INSTRUCT: Final[Table] = (
    member("name", "name", "text"),
    *(member(f"sequences.{name}", name, "text") for name in get_args(SequenceName)),
    member("wraps", "wrap", "flag"),
    member("has_macros", "macro", "flag"),
    member("names", "names_behavior", words={"none": "none", "force": "force", "always": "always"}),
    member("filler", "user_alignment_message", "text"),
    member("skips_examples", "skip_examples", "flag"),
    member("system_as_user", "system_same_as_user", "flag"),
    member("sequences_stop", "sequences_as_stop_strings", "flag"),
)
_SYSTEM_PROMPT: Final[Table] = (
    member("name", "name", "text"),
    member("text", "content", "text"),
    member("post_history", "post_history", "text"),
)

SECTIONS: Final = {"context": "st_context", "instruct": "st_instruct", "system_prompt": "st_sysprompt"}
"""The mappings of a preset for text completion, and the format of a file that has nothing else."""

PRESET_FORMATS: Final[Mapping[str, Table]] = {
    "st_preset_chat": _CHAT,
    "st_prompt_export": _EXPORT,
    "st_context": under(_CONTEXT, "context"),
    "st_instruct": under(_INSTRUCT, "instruct"),
    "st_sysprompt": under(_SYSTEM_PROMPT, "system_prompt"),
    "st_master_export": (
        *under(_CONTEXT, "context", "context"),
        *under(_INSTRUCT, "instruct", "instruct"),
        *under(_SYSTEM_PROMPT, "system_prompt", "sysprompt"),
    ),
    "st_preset_textgen": (),
    "risu_preset": (),
    "risu_memory_preset": (),
}
"""By format: the members of its files that have a name of ours."""


def native_names(kind: str) -> tuple[str, ...]:
    """The names at the top of our file of a preset of this format, in their order."""
    return tuple(dict.fromkeys(one.ours[0] for one in PRESET_FORMATS[kind]))
