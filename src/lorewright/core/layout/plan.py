"""What a turn is laid out by: a preset, and who takes part besides what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, TypeVar, cast

from lorewright.core.chain import hash_parts
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.scene import Card, Group, Line, Scene
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Message, Trigger, Turn

__all__ = ["Mark", "Plan", "by_place", "scene_of"]

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What is to be known of a message besides its text, as in `Line`."""

    narrator: bool = False
    named: bool = False
    bias: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A preset and the scene that it is laid out for.

    The scene's chat, trigger and user are those of the turn, and left empty here. `marks`: by place in the turn's messages,
    where there is something to know. Keep the object from turn to turn: what is made of it is made once.
    """

    preset: Preset
    scene: Scene
    marks: Mapping[int, Mark] = field(default_factory=dict)

    _identity: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def identity(self) -> str:
        """A hash of everything that a prompt's beginning is laid out from: two plans with one identity differ only in what
        comes and goes (the note, injected texts, who of a group speaks or is muted)."""
        if self._identity is None:
            object.__setattr__(
                self, "_identity", hash_parts((repr(_said(self.preset)), repr(_said(_lasting(self.scene)))))
            )
        return self._identity or ""


def _lasting(scene: Scene) -> Scene:
    group = scene.group
    return Scene(
        card=Card() if group else scene.card,
        group=Group(members=group.members, cards=group.cards, prefix=group.prefix, suffix=group.suffix)
        if group
        else None,
        persona=scene.persona,
        chat_texts=scene.chat_texts,
        preferences=scene.preferences,
    )


def _said(value: Any) -> Any:
    """A value with those fields of its dataclasses that differ from their defaults, so that a field that a later version
    adds changes no identity."""
    if isinstance(value, tuple):
        return tuple(map(_said, value))
    if not is_dataclass(value):
        return value
    given = ((one.name, getattr(value, one.name), _default(one)) for one in fields(value) if one.init)
    return (type(value).__name__, *((name, _said(found)) for name, found, default in given if found != default))


def _default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


_PLAIN: Final = Mark()


def scene_of(turn: Turn, plan: Plan, texts: Mapping[int, str], memo: Memo = ANEW) -> Scene:
    """The scene with what was said. `texts`: by place, what is sent of a message where it is not what was said."""
    count = len(turn.messages)
    columns = (turn.messages, by_place(texts, count), by_place(plan.marks, count))
    return replace(
        plan.scene,
        trigger=cast("Trigger", turn.trigger),
        user=turn.user,
        chat=memo.along(_line, columns),
    )


def by_place(found: Mapping[int, Found], count: int) -> list[Found | None]:
    """What is found at each of so many places."""
    row: list[Found | None] = [None] * count
    for place in found.keys() & range(count):
        row[place] = found[place]
    return row


def _line(at: int, message: Message, text: str | None, known: Mark | None) -> Line:
    """A message, what is sent of it if that is something else, and what is known of it."""
    del at
    mark = known or _PLAIN
    return Line(
        name=message.name,
        text=message.text if text is None else text,
        is_user=message.role == "user",
        hidden=message.hidden or message.role not in ("user", "assistant"),
        narrator=mark.narrator,
        named=mark.named,
        bias=mark.bias,
    )
