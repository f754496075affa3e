"""Renderings that come out the same as long as names, cards and the variables they read stay the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from lorewright.core.model import ABSENT
from lorewright.core.protocols import Rendered
from lorewright.core.variables import Values
from lorewright.templates.context import Clock, Context, Settings

__all__ = ["MAX_SCENES", "MAX_TEXTS", "Constants", "SceneConstants"]

MAX_SCENES: Final = 16
"""Scenes whose renderings are kept."""
MAX_TEXTS: Final = 2_000
"""Renderings of one scene; past that all are forgotten."""

_NAMES: Final = frozenset({"user", "char", "group", "persona", "call:original", "setting:collapse_newlines"})
_PREFIXES: Final = ("card:", "metadata:", "setting:prefer_card_")
"""What a rendering reads that is the same as long as the scene is."""
_SCALARS: Final = (str, int, float, bool, type(None), type(ABSENT))


class _Kept(NamedTuple):
    """A rendering, and the variables that it read: scope, name and value."""

    rendered: Rendered
    variables: tuple[tuple[str, str, object], ...]


class SceneConstants:
    """The renderings of one scene. A key is a text with what it may read besides scene and variables."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}

    def get(self, key: Hashable, values: Values) -> Rendered | None:
        """A rendering that is known for these variables."""
        kept = self._kept.get(key)
        if kept is None or not all(_same(_value(values, scope, name), value) for scope, name, value in kept.variables):
            return None
        return kept.rendered

    def keep(self, key: Hashable, rendered: Rendered, values: Values) -> None:
        """Keep a rendering that read nothing but scene and variables."""
        if not rendered.kinds <= {"state", "writes"}:
            return
        names = [name for name in rendered.reads if name not in _NAMES and not name.startswith(_PREFIXES)]
        scopes = [name.partition(":") for name in names]
        read = tuple((scope, name, _value(values, scope, name)) for scope, _, name in scopes)
        if all(scope in ("local", "global") and type(value) in _SCALARS for scope, _, value in read):
            if len(self._kept) >= MAX_TEXTS:
                self._kept = {}
            self._kept[key] = _Kept(rendered, read)


class Constants:
    """The renderings of the scenes that were rendered last. Safe to share between conversations."""

    def __init__(self) -> None:
        self._scenes: tuple[tuple[object, SceneConstants], ...] = ()

    def of(self, context: Context, defects: object) -> SceneConstants:
        """Those of a scene: everything that a text can read, but for chat, clock, chance and variables."""
        likes = context.settings
        settings = Settings(
            prefer_card_prompt=likes.prefer_card_prompt,
            prefer_card_instruction=likes.prefer_card_instruction,
            collapse_newlines=likes.collapse_newlines,
        )
        scene = replace(context, chat=(), chat_id=None, clock=Clock(), random=float, settings=settings)
        key = (scene, defects)
        found = next((kept for known, kept in self._scenes if known == key), None)
        if found is None:
            found = SceneConstants()
            self._scenes = ((key, found), *self._scenes[: MAX_SCENES - 1])
        return found


def _value(values: Values, scope: str, name: str) -> Any:
    return (values.local if scope == "local" else values.shared).get(name, ABSENT)


def _same(one: object, other: object) -> bool:
    """Whether two variables look the same to every macro: `1`, `1.0` and `true` do not."""
    return type(one) is type(other) and one == other
