"""Where the texts of rows stand (spec risu §8.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeVar

from lorewright.core.active_rows import RowOutcome
from lorewright.core.directives import Injection
from lorewright.core.place import DepthGroup, Placed, Text
from lorewright.core.policy import RowRules

__all__ = ["AtDepth", "RowPlaces", "RowText", "as_placed", "insert_rows", "place_rows"]

_ROLE_NUMBERS: Final[Mapping[str, int]] = {"system": 0, "user": 1, "assistant": 2}
_SPOT: Final = "pt_"
_BEHIND: Final = frozenset({"after_desc", "personality", "scenario"})
"""The middle ones have no slots of their own."""

_Kind = Literal["start", "message"]
T = TypeVar("T")


class RowText(NamedTuple):
    """A text with its role, and the entry it comes from."""

    entry: str
    text: str
    role: str


class AtDepth(NamedTuple):
    """A text inside the chat: so many messages from its start, or from its end."""

    from_start: bool
    number: int
    text: RowText


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlaces:
    """All texts by place; inside a place in reading order, but those at depth in the order in which they are put in.

    lore: the slot for lore. before, behind: around the description. end: behind everything. spots: for
    `{{position::NAME}}`. injections: for parts of the prompt. nowhere: entries without a place, and why (`empty`,
    `no_position`, `injected`, `no_target`).
    """

    lore: tuple[RowText, ...] = ()
    before: tuple[RowText, ...] = ()
    behind: tuple[RowText, ...] = ()
    at_depth: tuple[AtDepth, ...] = ()
    end: tuple[RowText, ...] = ()
    spots: Mapping[str, tuple[RowText, ...]] = field(default_factory=dict)
    injections: tuple[tuple[Injection, RowText], ...] = ()
    nowhere: Mapping[str, str] = field(default_factory=dict)


def place_rows(outcome: RowOutcome, texts: Mapping[str, str], rules: RowRules) -> RowPlaces:
    """Put each row's rendered text where its row says. A row with an injection and a place stands at both."""
    lore: list[RowText] = []
    before: list[RowText] = []
    behind: list[RowText] = []
    at_depth: list[AtDepth] = []
    end: list[RowText] = []
    spots: dict[str, list[RowText]] = {}
    injections: list[tuple[Injection, RowText]] = []
    nowhere = {**dict.fromkeys(outcome.injected, "injected"), **dict.fromkeys(outcome.lost, "no_target")}
    for row in outcome.rows:
        directives = row.directives
        place, depth = directives.place, directives.depth
        text = RowText(row.entry.id, texts[row.entry.id], row.role)
        if not text.text:
            nowhere[text.entry] = "empty"
            continue
        if directives.injection is not None:
            injections.append((directives.injection, text))
            if not place:
                continue
        if not place:
            lore.append(text)
        elif place == "before_desc":
            before.insert(0, text)
        elif place in _BEHIND:
            behind.append(text)
        elif place.startswith(_SPOT):
            spots.setdefault(place.removeprefix(_SPOT), []).append(text)
        elif place == "depth" and depth == 0:
            end.append(text)
        elif place == "depth" and depth < 0:
            nowhere[text.entry] = "no_position"
        else:
            at_depth.append(AtDepth((place == "depth") is rules.depth_from_start, depth, text))
    return RowPlaces(
        lore=tuple(lore),
        before=tuple(before),
        behind=tuple(behind),
        at_depth=tuple(at_depth),
        end=(*(t for t in end if t.role != "assistant"), *(t for t in end if t.role == "assistant")),
        spots={name: tuple(found) for name, found in spots.items()},
        injections=tuple(injections),
        nowhere=nowhere,
    )


def insert_rows(chat: Sequence[T], places: Iterable[tuple[AtDepth, T]]) -> list[T]:
    """A chat with texts put in one after another, so that earlier ones move later ones; a number out of range is the
    nearest end."""
    found = list(chat)
    for item, made in places:
        place = item.number if item.from_start else len(found) - item.number
        found.insert(max(0, min(place, len(found))), made)
    return found


def as_placed(places: RowPlaces, messages: int, note: str | None) -> Placed:
    """The same in the positions of every profile, for a chat of so many messages with its greeting: lore stands behind the
    description, depths count from the end. What a part of the prompt should take up stands nowhere."""
    nowhere = dict(places.nowhere)
    standing = {text.entry for text in _standing(places)}
    nowhere |= {text.entry: "no_part" for _, text in places.injections if text.entry not in standing}
    return Placed(
        before=_bare(places.before),
        after=_bare((*places.behind, *places.lore)),
        at_depth=tuple(_groups(places, messages)),
        outlets={name: _bare(texts) for name, texts in places.spots.items()},
        authors_note=note,
        unplaced=nowhere,
    )


def _groups(places: RowPlaces, messages: int) -> Iterable[DepthGroup]:
    """Where the rows end up among the messages, gathered by depth and role.

    The list into which they are put begins with the line that starts a chat, and ends before the newest message.
    """
    chat: list[RowText | _Kind] = ["start"]
    chat += ["message"] * (messages - 1)
    groups: dict[tuple[int, str], list[Text]] = {}
    depth = messages
    for item in insert_rows(chat, [(item, item.text) for item in places.at_depth]):
        if isinstance(item, RowText):
            groups.setdefault((depth, item.role), []).append(Text(item.entry, item.text))
        elif item == "message":
            depth -= 1
    for text in places.end:
        groups.setdefault((0, text.role), []).append(Text(text.entry, text.text))
    return (DepthGroup(depth, _ROLE_NUMBERS[role], tuple(texts)) for (depth, role), texts in groups.items())


def _standing(places: RowPlaces) -> Iterable[RowText]:
    yield from (*places.lore, *places.before, *places.behind, *places.end)
    yield from (item.text for item in places.at_depth)
    for texts in places.spots.values():
        yield from texts


def _bare(texts: Iterable[RowText]) -> tuple[Text, ...]:
    return tuple(Text(text.entry, text.text) for text in texts)
