"""A request's messages on their way out: those of the client with what changes in them, and those of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Union

from lorewright.providers.request import Request

__all__ = ["GAP", "Kept", "Own", "OwnRole", "Slot", "join_own", "put_before", "put_behind"]

GAP: Final = "\n\n"
"""What stands between two texts that become one."""

OwnRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A message of the client. `text`: what its text has become, None if it is as it was."""

    index: int
    before: str = ""
    text: str | None = None
    after: str = ""

    @property
    def is_unchanged(self) -> bool:
        return not self.before and self.text is None and not self.after


@dataclass(frozen=True, slots=True)
class Own:
    """A message of ours. `name`: whose it is, such as `example_user` of a preset; one that was joined has none."""

    role: OwnRole
    text: str
    name: str = ""


Slot = Union[Kept, Own]


def put_before(request: Request, kept: Kept, text: str) -> Kept:
    """A client's message with a text more at its front."""
    return replace(kept, before=text + GAP + kept.before if _says_something(request, kept) else text)


def put_behind(request: Request, kept: Kept, text: str) -> Kept:
    """A client's message with a text more at its end."""
    return replace(kept, after=kept.after + (GAP + text if _says_something(request, kept) else text))


def _says_something(request: Request, kept: Kept) -> bool:
    """Whether there is anything to be apart from."""
    own = request.messages[kept.index].text if kept.text is None else kept.text
    return bool(kept.before or own or kept.after)


def join_own(slots: Sequence[Slot]) -> Iterator[Slot]:
    """Neighbours of ours that have the same role as one message."""
    open_one: Own | None = None
    for slot in slots:
        if isinstance(slot, Own) and open_one is not None and slot.role == open_one.role:
            open_one = Own(slot.role, open_one.text + GAP + slot.text)
            continue
        if open_one is not None:
            yield open_one
        open_one = slot if isinstance(slot, Own) else None
        if isinstance(slot, Kept):
            yield slot
    if open_one is not None:
        yield open_one
