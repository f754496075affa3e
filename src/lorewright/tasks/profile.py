"""What the prompt of a task is made of: blocks in their order (spec mvu-filter §9)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from lorewright.core.javascript import number, trim, truthy, value_as_text
from lorewright.errors import InputError
from lorewright.tasks.regexes import TaskRules, read_task_rules

__all__ = ["TASKS", "Block", "BlockMode", "TaskProfile", "read_profile"]

BlockMode = Literal["append", "prepend", "relative"]

TASKS: Final = (
    "extract",
    "recall",
    "compress",
    "synopsis",
    "summary_rollup",
    "reflection",
    "consolidation",
    "planner",
)
"""The tasks a profile can be for."""

_MODES: Final = ("append", "prepend", "relative")
_ROLES: Final = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """type: `builtin` shows its content, or the context's value under `source_key`; `custom` shows its content;
    `legacyPrompt` the old text of the settings, or its content, as it is; others nothing. mode: where a message of no
    system role, or a part of the system prompt, is put.
    """

    id: str
    name: str = ""
    type: str = "custom"
    enabled: bool = True
    role: str = "system"
    source_key: str = ""
    content: str = ""
    mode: BlockMode = "append"
    order: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProfile:
    """blocks: in their order. world_info: whether books are read. legacy_prompt: the old text of the settings. own: what
    the profile says about filtering for itself, by the names of the settings."""

    task: str
    id: str = "default"
    name: str = ""
    blocks: tuple[Block, ...] = ()
    world_info: bool = True
    legacy_prompt: str = ""
    rules: TaskRules = field(default_factory=TaskRules)
    own: Mapping[str, Any]

    @property
    def reads_world(self) -> bool:
        """Whether books are read: texts at a depth need no block, so any block is enough."""
        return self.world_info and any(block.enabled for block in self.blocks)


def read_profile(settings: Mapping[str, Any], task: str) -> TaskProfile:
    """The active profile of a task (`taskProfiles`), or ours where there is none.

    Raises:
        InputError: there is no such task.
    """
    task = trim(task)
    if task not in TASKS:
        raise InputError(f"`{task}` is no task. Tasks: {', '.join(TASKS)}.", task=task, known=TASKS)
    raw = _active(settings, task)
    written = raw.get("blocks")
    blocks = [_block(block, place) for place, block in enumerate(written)] if isinstance(written, list) else []
    metadata = raw.get("metadata")
    legacy = settings.get(_legacy_field(task))
    return TaskProfile(
        task=task,
        id=_text(raw.get("id")) or "default",
        name=_text(raw.get("name")),
        blocks=tuple(sorted(blocks or _OUR_BLOCKS, key=lambda block: block.order)),
        world_info=raw.get("worldInfo") is not False
        and not (isinstance(metadata, Mapping) and metadata.get("disableWorldInfo") is True),
        legacy_prompt=legacy if isinstance(legacy, str) else "",
        rules=read_task_rules(settings, raw.get("regex")),
        own=raw,
    )


def _active(settings: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    every = settings.get("taskProfiles")
    bucket = every.get(task) if isinstance(every, Mapping) else None
    listed = bucket.get("profiles") if isinstance(bucket, Mapping) else None
    profiles = [profile for profile in listed if isinstance(profile, Mapping)] if isinstance(listed, list) else []
    if not profiles or not isinstance(bucket, Mapping):
        return {}
    active = bucket.get("activeProfileId")
    return next((profile for profile in profiles if profile.get("id") == active), profiles[0])


def _block(raw: Any, place: int) -> Block:
    given: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    order = number(given["order"]) if "order" in given else math.nan
    mode = trim(_text(given.get("injectionMode"))).lower()
    role = trim(_text(given.get("role"))).lower()
    return Block(
        id=_text(given.get("id")),
        name=_written(given, "name"),
        type=_text(given.get("type")) or "custom",
        enabled=given.get("enabled") is not False,
        role=role if role in _ROLES else "system",
        source_key=_written(given, "sourceKey"),
        content=_written(given, "content"),
        mode=cast("BlockMode", mode) if mode in _MODES else "append",
        order=order if math.isfinite(order) else place,
    )


def _legacy_field(task: str) -> str:
    first, *rest = task.split("_")
    return first + "".join(map(str.capitalize, rest)) + "Prompt"


def _written(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _text(value: object) -> str:
    return value_as_text(value) if truthy(value) else ""


def _ours(place: int, key: str, role: str = "system") -> Block:
    return Block(id=key, name=key, type="builtin", role=role, source_key=key, order=place)


_OUR_BLOCKS: Final = (
    _ours(0, "charDescription"),
    _ours(1, "userPersona"),
    _ours(2, "worldInfoBefore"),
    _ours(3, "worldInfoAfter"),
    _ours(4, "recentMessages"),
    _ours(5, "userMessage", "user"),
)
"""The blocks of a profile that has none."""
