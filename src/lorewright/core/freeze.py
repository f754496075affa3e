"""Texts that stay where they were placed: what is new, what stands, what leaves and why.

Which entries are active is decided every turn as if nothing stood. Here only the placing is decided: a text that
stands in the window is not placed again, and a text that stood once is not touched without a `Cause`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from lorewright.core import javascript
from lorewright.core.activation import Activated
from lorewright.core.authority import LABELS, TIERS, Tier, constraint_for, without_label
from lorewright.core.chain import hash_parts
from lorewright.core.layers import Slot
from lorewright.core.leaving import Standing
from lorewright.core.lore import Lore
from lorewright.core.place import Section, Text
from lorewright.core.policy import Settings
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Counter
from lorewright.core.record import Place, Record, Waiting, WaitingReason
from lorewright.core.woven import OUTLET, outlets_in

__all__ = ["Freezer", "FrontPlace", "front_place"]

FrontPlace = Literal["before", "after"]
"""Where a preset has lore: before the character, and behind it."""
_FRONT: Final = (0, 1, 2, 3, 5, 6)
_ORDER: Final = (*_FRONT, 4)
"""Positions in reading order: those of the front, then what stands nearest to the end."""
_OUTLET_POSITION: Final = 7
_QUOTED: Final = 40
_REPLACES: Final = "[This replaces the earlier note that begins “{}”.]"
_OVERRIDES: Final = "[Where this contradicts the earlier note that begins “{}”, this holds.]"


class _Note(NamedTuple):
    """An active entry's text, as it would be placed. constant: every rendering gives the same; volatile: it is only of
    this turn. key: the place of its layer, if it has a slot."""

    item: Activated
    text: str
    source_hash: str
    tier: Tier
    subject: str
    constant: bool
    volatile: bool
    key: tuple[float, int, str] | None = None

    @property
    def id(self) -> str:
        return self.item.entry.id

    @property
    def slot(self) -> Slot | None:
        return self.item.entry.traits.slot


def front_place(entry: Prepared | None) -> FrontPlace:
    """Where a text of an entry stands before the chat; one of no entry stands behind the character."""
    if entry is None:
        return "after"
    slot = entry.traits.slot
    is_before = slot.is_before if slot else entry.traits.position == 0
    return "before" if is_before else "after"


@dataclass(slots=True)
class Freezer:
    """Decides where the texts of one request go.

    standing: what stands and is shown, in the order of the window. begins: whether the front is placed now. is_anchored: whether
    the chat has a message of the user; without one nothing can be remembered, and all stands in front. has_target: whether
    there is a message to place texts at; is_last: whether what is only of this turn can stand behind the newest user
    message. outlets: the names that the client's leading system texts ask for. labels: whether texts carry the labels
    of their tiers, so that the sentence about authority must stand before the first of them. lacking: the places of the
    front that a preset does not have. passes: whether a text without a message to stand at is of this turn only, and does
    not wait for one.
    """

    standing: Sequence[Standing]
    settings: Settings
    counter: Counter
    begins: bool
    has_target: bool
    is_last: bool
    is_anchored: bool = True
    outlets: Collection[str] = ()
    labels: bool = False
    lacking: Collection[FrontPlace] = ()
    passes: bool = False
    front: list[Record] = field(default_factory=list)
    placed: list[Record] = field(default_factory=list)
    volatile: list[Text] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    """Texts that stand in the system prompt in this turn, and are not kept."""
    rewritten: list[tuple[Standing, Record | None]] = field(default_factory=list)
    """A record that gets another text, or leaves because a newer one of its entry gets it."""
    waiting: list[Waiting] = field(default_factory=list)
    _standing_of: Mapping[str, Sequence[Standing]] = field(default_factory=dict)
    _shelves: Mapping[str, Sequence[_Note]] = field(default_factory=dict)
    _notes: Mapping[str, _Note] = field(default_factory=dict)
    _shown: set[str] = field(default_factory=set)

    def freeze(self, activated: Iterable[Activated], lore: Lore) -> None:
        """Place every text that does not stand yet."""
        notes = [_note(item, lore) for item in _in_reading_order(activated, lore) if item.text]
        self._standing_of = _by_entry(self.standing, {note.id for note in notes})
        self._shelves = _shelve(notes)
        self._notes = {note.id: note for note in notes}
        at_place = [note for note in notes if note.slot or note.item.entry.traits.position in _ORDER]
        for note in sorted(at_place, key=lambda note: not self._goes_front(note)):  # the front stands first
            self._place(note)
        for name, shelf in self._shelves.items():
            for note in shelf:
                self._place_in_outlet(name, note)

    def _goes_front(self, note: _Note) -> bool:
        traits, slot = note.item.entry.traits, note.slot
        if front_place(note.item.entry) in self.lacking:
            return False
        if not self.is_anchored:
            return self.begins and not note.volatile
        may = slot.is_system if slot else traits.position in _FRONT
        return self.begins and traits.constant and may and note.constant

    def _place(self, note: _Note) -> None:
        text, is_volatile, inserted = self._fill(note)
        earlier = self._of_entry(note.id)
        if note.slot and note.slot.is_live:
            self._place_live(note, text, earlier)
        elif is_volatile:
            if self.is_last:
                self.volatile.append(Text(note.id, text))
            else:
                self._wait(note, "no_user_message")
        elif earlier and earlier[-1].record.source_hash == note.source_hash:
            return
        elif self._is_outranked(note):
            self._wait(note, "lower_authority")
        elif earlier and self.settings.on_edit == "rewrite":
            self._rewrite(note, text, earlier, inserted)
        elif self._goes_front(note):
            place: Place = "head" if note.slot and note.slot.is_system and note.slot.is_before else "front"
            self.front.append(self._record(note, text, place=place, inserted=inserted))
        elif self.has_target:
            self.placed.append(self._record(note, text, replaced=earlier, inserted=inserted))
        elif self.passes:
            record = self._record(note, text, constraint=False, replaced=earlier, inserted=inserted)
            self.volatile.append(Text(note.id, record.text))
        else:
            self._wait(note, "no_user_message")
        if not (self.waiting and self.waiting[-1].entry == note.id):
            self._shown.update(inserted)

    def _place_live(self, note: _Note, text: str, earlier: Sequence[Standing]) -> None:
        """Into the system prompt of this turn, unless the same text stands already."""
        if earlier and earlier[-1].record.source_hash == note.source_hash:
            return
        if self._is_outranked(note):
            self._wait(note, "lower_authority")
        elif note.slot and note.key:
            text = self._record(note, text, constraint=False, replaced=earlier).text
            self.sections.append(Section(note.key, note.slot.is_before, Text(note.id, text)))

    def _place_in_outlet(self, name: str, note: _Note) -> None:
        earlier = self._of_entry(note.id)
        if earlier and earlier[-1].record.source_hash == note.source_hash:
            return
        fits = name in self.outlets and note.item.entry.traits.constant and note.constant
        if fits and earlier and self.settings.on_edit == "rewrite":
            self._rewrite(note, note.text, earlier)
        elif fits and self.begins:
            self.front.append(self._record(note, note.text, place="outlet", outlet=name))
        elif earlier and self.has_target:
            self.placed.append(self._record(note, note.text, replaced=earlier))
        elif note.id not in self._shown:
            self._wait(note, "outlet_not_named")

    def _fill(self, note: _Note) -> tuple[str, bool, set[str]]:
        """The text with the outlets that it names, whether any of it is only of this turn, and whose texts they are."""
        own = {name for name in outlets_in(note.text) if f"outlet:{name}" in note.item.reads}
        inserted = [other for name in own for other in self._shelves.get(name, ())]

        def texts(found: re.Match[str]) -> str:
            name = found[1].strip()
            if name not in own:  # it came in with a value
                return found[0]
            return "\n".join(other.text for other in self._shelves.get(name, ()))

        text = OUTLET.sub(texts, note.text)
        is_volatile = note.volatile or any(other.volatile for other in inserted)
        return text, is_volatile, {other.id for other in inserted}

    def _of_entry(self, entry: str) -> Sequence[Standing]:
        return self._standing_of.get(entry, ())

    def _is_outranked(self, note: _Note) -> bool:
        """Whether a text about the same subject that can be relied on more stands already."""
        return any(_is_above(other.tier, note.tier) for other in self._rivals(note))

    def _rivals(self, note: _Note) -> list[Record]:
        if not note.subject:
            return []
        records = [item.record for item in self.standing]
        return [record for record in records if record.subject == note.subject and record.entry != note.id]

    def _rewrite(self, note: _Note, text: str, earlier: Sequence[Standing], inserted: Collection[str] = ()) -> None:
        *older, newest = earlier
        old = newest.record
        new = self._record(note, text, place=old.place, outlet=old.outlet, constraint=old.constraint, inserted=inserted)
        self.rewritten += [(item, None) for item in older if item.record.source_hash != note.source_hash]
        self.rewritten.append((newest, replace(new, form=old.form)))

    def _record(
        self,
        note: _Note,
        text: str,
        *,
        place: Place = "turn",
        outlet: str = "",
        constraint: bool | None = None,
        replaced: Sequence[Standing] = (),
        inserted: Collection[str] = (),
    ) -> Record:
        """A record: its text behind what the model must know of other notes, a line each.

        replaced: those of the entry that stand, the last one is named; inserted: entries whose words are in the text.
        constraint: whether it begins with the sentence about authority; None: if no other one does.
        """
        earlier = [item.record for item in replaced[-1:]]
        lower = [rival for rival in self._rivals(note) if _is_above(note.tier, rival.tier)]
        lines = [_REPLACES.format(_beginning(record)) for record in earlier]
        lines += [_OVERRIDES.format(_beginning(record)) for record in lower]
        text = "\n".join((*lines, text))
        if constraint is None:
            constraint = self._needs_constraint(note)
        if constraint:
            text = f"{_constraint(note)}\n{text}"
        quoted = {name for record in (*earlier, *lower) for name in (record.entry, *record.holds)}
        pulled = {name for record in (*earlier, *lower) for name in record.pulled}
        pulled.update(name for one in (note, *map(self._notes.__getitem__, inserted)) for name in one.item.pulled)
        return Record(
            entry=note.id,
            source_hash=note.source_hash,
            text=text,
            tokens=self.counter.count(text),
            place=place,
            form=self.settings.form,
            outlet=outlet,
            subject=note.subject,
            tier=note.tier,
            constraint=constraint,
            holds=tuple(sorted({*inserted, *quoted} - {note.id})),
            pulled=tuple(sorted(pulled)),
        )

    def _needs_constraint(self, note: _Note) -> bool:
        """Whether a text is the first one with a label."""
        records = [*(item.record for item in self.standing), *self.front, *self.placed]
        return self.labels and note.tier in LABELS and not any(record.constraint for record in records)

    def explain(self, left: Sequence[Record]) -> None:
        """Place the sentence about authority again if no record has it any more: as a record of its own where labelled
        texts stand, else before the first one that is only of this turn. Before the first section that is not kept it
        stands in any case, as that comes before all others. `left` is what stands in the end."""
        records = [*left, *self.front, *self.placed]
        if not self.labels:
            return
        self.sections.sort()
        live = next((at for at, section in enumerate(self.sections) if self._tier(section.text) in LABELS), None)
        if live is not None:
            key, is_before, (entry, text) = self.sections[live]
            self.sections[live] = Section(key, is_before, Text(entry, f"{_constraint(self._notes[entry])}\n{text}"))
        if any(record.constraint for record in records):
            return
        labelled = next((record for record in records if record.tier in LABELS), None)
        if labelled is not None and self.has_target:
            self.placed.insert(0, self._sentence(labelled))
            return
        for place, (entry, text) in enumerate(self.volatile):
            if live is None and (note := self._notes[entry]).tier in LABELS:
                self.volatile[place] = Text(entry, f"{_constraint(note)}\n{text}")
                return

    def _tier(self, text: Text) -> Tier:
        return self._notes[text.entry].tier

    def _sentence(self, labelled: Record) -> Record:
        text = constraint_for(labelled.text)
        return Record(
            entry="",
            source_hash="",
            text=text,
            tokens=self.counter.count(text),
            form=self.settings.form,
            tier=labelled.tier,
            constraint=True,
        )

    def _wait(self, note: _Note, reason: WaitingReason) -> None:
        self.waiting.append(Waiting(note.id, reason))


def _in_reading_order(activated: Iterable[Activated], lore: Lore) -> list[Activated]:
    """First what stands before the client's system prompt, then by position; inside a position as `place_entries` has
    them: ascending, of equals the later activated first. Then other sections by their layers, and texts of the channel
    `message` in the order of the files."""
    ordered = javascript.sort_descending(activated, lambda item: item.entry.order)[::-1]
    rank: dict[int | None, int] = {position: place for place, position in enumerate(_ORDER)}
    by_position = [item for item in ordered if item.entry.traits.slot is None]
    by_position.sort(key=lambda item: rank.get(item.entry.traits.position, len(rank)))
    slots = [(slot, item) for item in ordered if (slot := item.entry.traits.slot)]
    head = [item for slot, item in slots if slot.is_system and slot.is_before]
    tail = [item for slot, item in slots if slot.is_system and not slot.is_before]
    for items in (head, tail):
        items.sort(key=lambda item: lore.layer_key(item.entry))
    others = sorted((item for slot, item in slots if not slot.is_system), key=lambda item: lore.file_rank(item.entry))
    return [*head, *by_position, *tail, *others]


def _note(item: Activated, lore: Lore) -> _Note:
    entry = item.entry
    standing = entry.traits.standing
    # A text that is switched on from outside for this turn only has no entry that could leave.
    constant = not item.volatile and lore.find(entry.id) is not None
    volatile = not constant and (entry.entry.freeze is not True or lore.find(entry.id) is None)
    subject = standing.subject if lore.policy.authority else ""
    return _Note(
        item,
        item.text,
        hash_parts((entry.content, standing.tier, *_own_replaces(entry), *item.scripts)),
        standing.tier,
        subject,
        constant,
        volatile,
        lore.layer_key(entry) if entry.traits.slot else None,
    )


def _own_replaces(entry: Prepared) -> Iterator[str]:
    """What makes another text of an entry's own."""
    for one in entry.replaces:
        if one.target == "content":
            yield from (one.find, one.flags, one.replace)


def _constraint(note: _Note) -> str:
    return constraint_for(without_label(note.text, note.tier))


def _by_entry(standing: Iterable[Standing], entries: Collection[str]) -> dict[str, list[Standing]]:
    """What stands of these entries."""
    found: dict[str, list[Standing]] = {}
    for item in standing:
        if item.record.entry in entries:
            found.setdefault(item.record.entry, []).append(item)
    return found


def _shelve(notes: Iterable[_Note]) -> dict[str, list[_Note]]:
    shelves: dict[str, list[_Note]] = {}
    for note in notes:
        traits = note.item.entry.traits
        if traits.slot is None and traits.position == _OUTLET_POSITION and traits.outlet:
            shelves.setdefault(traits.outlet, []).append(note)
    return shelves


def _is_above(tier: str, other: str) -> bool:
    """Whether a tier can be relied on more than another."""
    return tier in TIERS and other in TIERS and TIERS.index(tier) < TIERS.index(other)


def _beginning(record: Record) -> str:
    """The first words of a text, on one line, without the sentence about authority."""
    text = record.text.split("\n", 1)[1] if record.constraint else record.text
    words = " ".join(text.split())
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED].rstrip()}…"
