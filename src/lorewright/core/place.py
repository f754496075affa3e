"""Where activated texts stand: the eight output positions (spec world-info §8), and the two channels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from lorewright.core import javascript
from lorewright.core.activation import Activated
from lorewright.core.authority import LABELS, constraint_for, without_label
from lorewright.core.lore import Lore
from lorewright.core.model import AuthorsNote
from lorewright.core.policy import Policy

__all__ = ["DepthGroup", "Example", "Placed", "Section", "Text", "place_entries", "place_with_constraint"]

Where = Literal["before", "after", "note_top", "note_bottom", "at_depth", "example_top", "example_bottom", "outlet"]
POSITION_NAMES: Final[tuple[Where, ...]] = (
    "before",
    "after",
    "note_top",
    "note_bottom",
    "at_depth",
    "example_top",
    "example_bottom",
    "outlet",
)
"""By the number that files use."""
DEFAULT_DEPTH: Final = 4


class Text(NamedTuple):
    """A text and the entry it comes from."""

    entry: str
    text: str


class DepthGroup(NamedTuple):
    """Texts that stand together `depth` messages before the end (None: absent in the file, counts as 4).

    Depth and role as JavaScript has them: in `sillytavern` they may be texts, or numbers that mean nothing.
    """

    depth: float | str | None
    role: float | str
    texts: tuple[Text, ...]

    @property
    def role_name(self) -> Literal["system", "user", "assistant"]:
        """The role in words; one that means nothing is system."""
        return "user" if self.role == 1 else "assistant" if self.role == 2 else "system"


class Section(NamedTuple):
    """A text of the channel `system`. key: what decides its place (`Lore.layer_key`). is_before: whether it stands before
    the client's system prompt, else behind it."""

    key: tuple[float, int, str]
    is_before: bool
    text: Text


class Example(NamedTuple):
    """A text for the example dialogues, at their top or bottom."""

    where: Literal["top", "bottom"]
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """All texts by position; inside a position they stand in reading order.

    sections: texts of the channel `system`, by layer. contexts: those of the channel `message`. authors_note: the note with the texts around it; None when the note is not active. unplaced: activated entries
    that stand nowhere, with the reason (`empty`, `no_position`, `no_outlet`).
    """

    before: tuple[Text, ...] = ()
    after: tuple[Text, ...] = ()
    note_top: tuple[Text, ...] = ()
    note_bottom: tuple[Text, ...] = ()
    at_depth: tuple[DepthGroup, ...] = ()
    examples: tuple[Example, ...] = ()
    outlets: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    contexts: tuple[Text, ...] = ()
    authors_note: str | None = None
    unplaced: Mapping[str, str] = field(default_factory=dict)

    def by_position(self) -> Placed:
        """The same for a layout that knows positions only: sections stand before and after the character, texts of the
        channel `message` behind the chat, as the user's."""
        if not (self.sections or self.contexts):
            return self
        head, tail = (tuple(one.text for one in self.sections if one.is_before is side) for side in (True, False))
        depth = (DepthGroup(0, 1, self.contexts),) if self.contexts else ()
        return replace(
            self,
            before=(*head, *self.before),
            after=(*self.after, *tail),
            at_depth=(*self.at_depth, *depth),
            sections=(),
            contexts=(),
        )

    def in_reading_order(self) -> Iterator[Text]:
        """All texts as they follow one another in a prompt: those at depth behind the others, the deepest first."""
        yield from (section.text for section in self.sections if section.is_before)
        yield from self.before
        yield from self.after
        yield from (section.text for section in self.sections if not section.is_before)
        yield from (example.text for example in self.examples)
        yield from self.note_top
        yield from self.note_bottom
        for group in sorted(self.at_depth, key=lambda group: -_as_depth(group.depth)):
            yield from group.texts
        for texts in self.outlets.values():
            yield from texts
        yield from self.contexts


def join(texts: Iterable[Text]) -> str:
    """The texts of one position as one text."""
    return "\n".join(item.text for item in texts)


def _as_depth(depth: float | str | None) -> float:
    found = javascript.number(DEFAULT_DEPTH if depth is None else depth)
    return DEFAULT_DEPTH if math.isnan(found) else found


def place_with_constraint(activated: Sequence[Activated], note: AuthorsNote | None, lore: Lore) -> Placed:
    """The same with the sentence about authority before the first labelled text."""
    placed = place_entries(activated, note, lore)
    tiers = {item.entry.id: item.entry.traits.standing.tier for item in activated}
    first = next((text for text in placed.in_reading_order() if tiers[text.entry] in LABELS), None)
    if first is None:
        return placed
    sentence = constraint_for(without_label(first.text, tiers[first.entry]))
    return place_entries(
        [
            item._replace(text=f"{sentence}\n{item.text}") if item.entry.id == first.entry else item
            for item in activated
        ],
        note,
        lore,
    )


def place_entries(activated: Iterable[Activated], note: AuthorsNote | None, lore: Lore) -> Placed:
    """Put each text where its entry says.

    In every position the order is ascending, and of equal orders the later activated comes first. Outlets descend
    in `sillytavern`. Sections stand by their layer, then in the order of the files, as texts of the channel `message` do
    (spec injection-engine §8.3).
    """
    policy = lore.policy
    slotted: list[Activated] = []
    spots: dict[str, list[Text]] = {name: [] for name in POSITION_NAMES}
    groups: list[tuple[float | str | None, float | str, list[Text]]] = []
    examples: list[Example] = []
    outlets: dict[str, list[Text]] = {}
    unplaced: dict[str, str] = {}
    for item in javascript.sort_descending(activated, lambda item: item.entry.order):
        entry = item.entry
        text = Text(entry.id, item.text)
        where = None if entry.traits.position is None else POSITION_NAMES[entry.traits.position]
        if not item.text:
            unplaced[entry.id] = "empty"
        elif entry.traits.slot is not None:
            slotted.append(item)
        elif where is None:
            unplaced[entry.id] = "no_position"
        elif where == "at_depth":
            _join_group(groups, entry.traits.depth, entry.traits.role, text, policy)
        elif where == "example_top":
            examples.insert(0, Example("top", text))
        elif where == "example_bottom":
            examples.insert(0, Example("bottom", text))
        elif where != "outlet":
            spots[where].insert(0, text)
        elif entry.traits.outlet:
            shelf = outlets.setdefault(entry.traits.outlet, [])
            shelf.insert(len(shelf) if policy.switches.outlets_descend else 0, text)
        else:
            unplaced[entry.id] = "no_outlet"
    return Placed(
        before=tuple(spots["before"]),
        after=tuple(spots["after"]),
        note_top=tuple(spots["note_top"]),
        note_bottom=tuple(spots["note_bottom"]),
        at_depth=tuple(DepthGroup(depth, role, tuple(texts)) for depth, role, texts in groups),
        examples=tuple(examples),
        outlets={name: tuple(texts) for name, texts in outlets.items()},
        sections=tuple(_sections(slotted, lore)),
        contexts=tuple(_contexts(slotted, lore)),
        authors_note=_wrap_note(note, spots["note_top"], spots["note_bottom"]) if note else None,
        unplaced=unplaced,
    )


def _sections(slotted: Iterable[Activated], lore: Lore) -> Iterator[Section]:
    for item in sorted(slotted, key=lambda item: lore.layer_key(item.entry)):
        if (slot := item.entry.traits.slot) and slot.is_system:
            yield Section(lore.layer_key(item.entry), slot.is_before, Text(item.entry.id, item.text))


def _contexts(slotted: Iterable[Activated], lore: Lore) -> Iterator[Text]:
    for item in sorted(slotted, key=lambda item: lore.file_rank(item.entry)):
        if (slot := item.entry.traits.slot) and not slot.is_system:
            yield Text(item.entry.id, item.text)


def _join_group(
    groups: list[tuple[float | str | None, float | str, list[Text]]],
    depth: float | str | None,
    role: float | str,
    text: Text,
    policy: Policy,
) -> None:
    sought = DEFAULT_DEPTH if depth is None else depth
    for known_depth, known_role, texts in groups:
        if known_depth == sought and known_role == role:
            texts.insert(0, text)
            return
    stored = depth if policy.switches.absent_depth_stands_alone else sought
    groups.append((stored, role, [text]))


def _wrap_note(note: AuthorsNote, top: list[Text], bottom: list[Text]) -> str:
    """Top texts, the note, bottom texts; one newline at most is taken off each end (cases positions-030, 031)."""
    return f"{join(top)}\n{note.text}\n{join(bottom)}".removeprefix("\n").removesuffix("\n")
