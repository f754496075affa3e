"""A chat completion preset as what a prompt is laid out from (spec formats §3.13, prompt-assembly §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lorewright.core.javascript import truthy, value_as_text
from lorewright.core.layout.preset import Limits, Names, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.model import ABSENT
from lorewright.formats.fields import read_number, read_texts
from lorewright.formats.things.scripts import text_of

__all__ = ["CHAT_PRESETS", "WORDING", "read_layout_export", "read_layout_preset"]

_NAMES: Final[Mapping[object, Names]] = {-1: "none", 0: "default", 1: "completion", 2: "content"}
_OLD_PROMPTS: Final = {"main": "main_prompt", "nsfw": "nsfw_prompt", "jailbreak": "jailbreak_prompt"}
WORDING: Final[Mapping[str, str]] = {
    "lore_format": "wi_format",
    "scenario_format": "scenario_format",
    "personality_format": "personality_format",
    "new_chat": "new_chat_prompt",
    "new_group_chat": "new_group_chat_prompt",
    "new_example": "new_example_chat_prompt",
    "group_nudge": "group_nudge_prompt",
    "impersonation": "impersonation_prompt",
    "continue_nudge": "continue_nudge_prompt",
    "continue_postfix": "continue_postfix",
    "assistant_prefill": "assistant_prefill",
    "send_if_empty": "send_if_empty",
}
"""Texts among the settings: the members of a file by the fields of `Wording`."""


def read_layout_preset(value: Mapping[str, Any]) -> Preset:
    """The prompts, orders and settings of a parsed preset. A setting that is missing or of a wrong type is
    SillyTavern's shipped one."""
    limits = Limits()
    wording = {ours: value[theirs] for ours, theirs in WORDING.items() if isinstance(value.get(theirs), str)}
    source = value.get("chat_completion_source")
    return Preset(
        prompts=tuple(_prompts(value)),
        orders=tuple(map(_order_list, _objects(value.get("prompt_order")))),
        wording=Wording(**wording),
        limits=Limits(
            _count(value.get("openai_max_context"), limits.context_tokens),
            _count(value.get("openai_max_tokens"), limits.response_tokens),
        ),
        names=_names(value.get("names_behavior")),
        squash=truthy(value.get("squash_system_messages")),
        continue_prefill=truthy(value.get("continue_prefill")),
        source=source if isinstance(source, str) else Preset().source,
    )


def read_layout_export(value: Mapping[str, Any]) -> Preset:
    """The prompts of a parsed export of the prompt manager. Its order is everybody's, or one with its owners."""
    data = value["data"]
    order = data.get("prompt_order")
    if any("identifier" in entry for entry in _objects(order)):
        order = [{"character_id": "100001", "order": order}]
    return read_layout_preset({"prompts": data.get("prompts"), "prompt_order": order})


CHAT_PRESETS: Final[Mapping[str, Callable[[Mapping[str, Any]], Preset]]] = {
    "st_preset_chat": read_layout_preset,
    "st_prompt_export": read_layout_export,
}
"""What reads a preset from the value of a file, by the kind of the file."""


def _prompts(value: Mapping[str, Any]) -> Sequence[Prompt]:
    if "prompts" in value:
        return [_prompt(raw) for raw in _objects(value["prompts"])]
    return [
        Prompt(id=name, role="system", content=value[old])
        for name, old in _OLD_PROMPTS.items()
        if isinstance(value.get(old), str)
    ]


def _prompt(raw: Mapping[str, Any]) -> Prompt:
    role = raw.get("role")
    triggers = raw.get("injection_trigger")
    return Prompt(
        id=text_of(raw.get("identifier")),
        name=text_of(raw.get("name")),
        content=text_of(raw.get("content")),
        role=None if role is None else text_of(role),
        of_user=raw.get("system_prompt") is False,
        in_chat=_is_one(raw.get("injection_position")),
        depth=read_number(raw["injection_depth"]) if "injection_depth" in raw else ABSENT,
        order=read_number(raw["injection_order"]) if "injection_order" in raw else ABSENT,
        triggers=read_texts(triggers) if isinstance(triggers, list) else (),
        fixed=raw.get("forbid_overrides") is True,
    )


def _order_list(raw: Mapping[str, Any]) -> OrderList:
    entries = _objects(raw.get("order"))
    return OrderList(
        value_as_text(raw.get("character_id")),
        tuple(OrderEntry(text_of(entry.get("identifier")), truthy(entry.get("enabled"))) for entry in entries),
    )


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_one(value: object) -> bool:
    """Exactly the number 1, as JavaScript compares."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 1


def _names(value: object) -> Names:
    return "default" if isinstance(value, bool) or not isinstance(value, (int, float)) else _NAMES.get(value, "default")


def _count(value: object, default: int) -> int:
    number = read_number(value)
    is_count = isinstance(number, (int, float)) and 0 <= number <= 2**53
    return int(number) if is_count else default
