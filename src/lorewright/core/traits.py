"""What an entry asks of the engine besides its keys and its text: switches, chances, places, timers, groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from lorewright.core import javascript
from lorewright.core.authority import Standing
from lorewright.core.fields import FieldReader, read_flag
from lorewright.core.layers import Slot
from lorewright.core.logic import LOGIC, Logic
from lorewright.core.model import ABSENT, EXTRA_SOURCES, Book, CharacterFilter, Entry, Odd
from lorewright.core.slots import SLOT_FIELDS, SlotReader
from lorewright.core.standing import StandingReader

__all__ = ["POSITIONS", "TraitReader", "Traits"]

POSITIONS: Final = range(8)


@dataclass(slots=True, kw_only=True, eq=False)
class Traits:
    """The settings of an entry, every one present and of its type. Entries with equal settings share one object.

    Numbers that are "off" when falsy are 0. `depth` and `delay_level` are texts only where JavaScript has texts.
    `position` None: placed nowhere; it decides where there is no `slot`. `logic` None: never passes. `chance` is a percentage; NaN never passes.
    """

    disabled: bool
    constant: bool
    selective: bool
    logic: Logic | None
    case_sensitive: bool
    whole_words: bool
    position: int | None
    depth: float | str | None
    role: float | str
    outlet: str
    rolls: bool
    chance: float
    ignores_budget: bool
    exclude_recursion: bool
    prevent_recursion: bool
    delay_level: float | str
    scan_depth: float | None
    extras: int
    """Bit n is set when `EXTRA_SOURCES[n]` is scanned for this entry."""
    groups: tuple[str, ...]
    group_text: str
    group_override: bool
    group_weight: float | str
    group_scoring: bool | None
    sticky: float
    cooldown: float
    delay: float
    triggers: tuple[str, ...]
    filter: CharacterFilter | None
    standing: Standing
    slot: Slot | None = None

    @property
    def free(self) -> bool:
        """Whether only keys decide, in the usual view: no check can stop the entry or let it in."""
        return not (
            self.disabled
            or self.constant
            or self.triggers
            or self.filter
            or self.delay
            or self.delay_level
            or self.exclude_recursion
            or self.sticky
            or self.cooldown
            or self.extras
            or self.groups
            or self.scan_depth is not None
            or self.standing.decides
        )


_FIELDS: Final = (
    *(
        "enabled",
        "constant",
        "selective",
        "logic",
        "case_sensitive",
        "whole_words",
        "position",
        "depth",
        "role",
        "outlet",
    ),
    *("probability", "use_probability", "ignore_budget", "exclude_recursion", "prevent_recursion"),
    *("delay_until_recursion", "scan_depth", "group", "group_override", "group_weight", "group_scoring", "sticky"),
    *("cooldown", "delay", "triggers", "filter", *(f"match_{source}" for source in EXTRA_SOURCES)),
    *("authority", "source", "subject", "weight", "level", "restricted_to", "scene", *SLOT_FIELDS),
)
_values = attrgetter(*_FIELDS)


class TraitReader:
    """Reads the traits of entries, and reads equal ones once. `book` marks the entries that have no mark of their own."""

    def __init__(self, fields: FieldReader, book: Book | None = None) -> None:
        self.fields = fields
        self.standings = StandingReader(fields, book)
        self.slots = SlotReader(fields, book)
        self._known: dict[tuple[object, ...], Traits] = {}

    def read(self, entry: Entry) -> Traits:
        """The traits of an entry. Entries with odd values are read each by itself, so that each is reported."""
        values = _values(entry)
        try:
            known = self._known.get(values)
        except TypeError:  # a value that cannot be hashed
            return self._read(entry)
        if known is None:
            before = len(self.fields.reports)
            known = self._read(entry)
            if len(self.fields.reports) == before:
                self._known[values] = known
        return known

    def _read(self, entry: Entry) -> Traits:
        fields = self.fields
        settings = fields.policy.settings
        sensitive = fields.optional_flag("case_sensitive", entry.case_sensitive)
        whole = fields.optional_flag("whole_words", entry.whole_words)
        group = fields.text("group", entry.group)
        groups = tuple(name for name in _split_groups(group) if name)
        self.check_groups(groups)
        if not isinstance(entry.filter, CharacterFilter):
            fields.odd("filter", entry.filter)
        constant = fields.flag("constant", entry.constant)
        return Traits(
            disabled=self.is_disabled(entry.enabled),
            constant=constant,
            selective=fields.flag("selective", entry.selective, default=True),
            logic=self.logic(entry.logic),
            case_sensitive=settings.case_sensitive if sensitive is None else sensitive,
            whole_words=settings.whole_words if whole is None else whole,
            position=self.position(entry.position),
            depth=self.depth(entry.depth),
            role=self.role(entry.role),
            outlet=fields.text("outlet", entry.outlet),
            rolls=fields.flag("use_probability", entry.use_probability, default=True)
            and not _is_100(entry.probability),
            chance=self.chance(entry.probability),
            ignores_budget=fields.flag("ignore_budget", entry.ignore_budget) or fields.policy.layered,
            exclude_recursion=fields.flag("exclude_recursion", entry.exclude_recursion),
            prevent_recursion=fields.flag("prevent_recursion", entry.prevent_recursion),
            delay_level=self.level(entry.delay_until_recursion),
            scan_depth=fields.optional_number("scan_depth", entry.scan_depth),
            extras=self.extras(entry),
            groups=groups,
            group_text=group,
            group_override=fields.flag("group_override", entry.group_override),
            group_weight=self.weight(entry.group_weight),
            group_scoring=fields.optional_flag("group_scoring", entry.group_scoring),
            sticky=fields.amount("sticky", entry.sticky),
            cooldown=fields.amount("cooldown", entry.cooldown),
            delay=fields.amount("delay", entry.delay),
            triggers=fields.texts("triggers", entry.triggers),
            filter=entry.filter if isinstance(entry.filter, CharacterFilter) else None,
            standing=self.standings.read(entry),
            slot=self.slots.read(entry, selective=not constant),
        )

    def is_disabled(self, value: object) -> bool:
        """SillyTavern compares `disable` loosely with true: true and 1 disable, 2 and "true" do not (filters-033)."""
        if value is True or value is False:
            return not value
        self.fields.odd("enabled", value)
        bare = value.value if isinstance(value, Odd) else None
        if self.fields.javascript:
            return bare is not None and javascript.number(bare) == 1
        return read_flag(bare) is True

    def check_groups(self, groups: tuple[str, ...]) -> None:
        """SillyTavern throws at group names that every JavaScript object has; here they are plain names."""
        for name in groups if self.fields.javascript else ():
            if name in javascript.RESERVED:
                self.fields.report(
                    "group_reserved_name",
                    f"Group name `{name}` makes SillyTavern give up the whole scan; here it is a plain name.",
                    "group",
                )

    def logic(self, value: object) -> Logic | None:
        if value is None or value is ABSENT:
            return "and_any"
        self.fields.odd("logic", value)
        bare = value.value if isinstance(value, Odd) else value
        if self.fields.javascript:
            if isinstance(bare, (int, float)) and not isinstance(bare, bool) and bare in range(len(LOGIC)):
                return LOGIC[int(bare)]
            return None
        found = javascript.number(bare)
        return LOGIC[int(found)] if found in range(len(LOGIC)) else "and_any"

    def position(self, value: object) -> int | None:
        self.fields.odd("position", value)
        bare = value.value if isinstance(value, Odd) else value
        if self.fields.javascript:
            strict = isinstance(bare, (int, float)) and not isinstance(bare, bool) and bare in POSITIONS
            return int(bare) if strict and isinstance(bare, (int, float)) else None
        found = 0 if bare is None or bare is ABSENT else javascript.number(bare)
        return int(found) if found in POSITIONS else 0

    def level(self, value: object) -> float | str:
        """A recursion level. A number written as text stays text to JavaScript, which compares it as a number."""
        found = self.fields.amount("delay_until_recursion", value)
        return _text_of(value) or found if found and self.fields.javascript else found

    def depth(self, value: object) -> float | str | None:
        """A depth. One written as text stands apart from the same number to JavaScript (case positions-021)."""
        if self.fields.javascript and (text := _text_of(value)) is not None:
            self.fields.odd("depth", value)
            return text
        found = self.fields.optional_number("depth", value)
        return found if self.fields.javascript or found is not None else 4

    def role(self, value: object) -> float | str:
        """A role. JavaScript groups texts at depth by whatever stands there, also by a number written as text."""
        found = self.fields.optional_number("role", value)
        if self.fields.javascript:
            return _text_of(value) or (0 if found is None else found)
        return int(found) if found is not None and found in (0, 1, 2) else 0

    def chance(self, value: object) -> float:
        if isinstance(value, (int, float)):
            return javascript.number(value)
        self.fields.odd("probability", value)
        if self.fields.javascript:
            return math.nan if value is ABSENT else javascript.number(value.value if isinstance(value, Odd) else value)
        found = javascript.number(value.value) if isinstance(value, Odd) else math.nan
        return 100 if math.isnan(found) else found

    def weight(self, value: object) -> float | str:
        if isinstance(value, (int, float)):
            return javascript.number(value)
        self.fields.odd("group_weight", value)
        if not isinstance(value, Odd):
            return 100
        if self.fields.policy.switches.group_text_weights and isinstance(value.value, str):
            return value.value
        found = javascript.number(value.value)
        return 100 if math.isnan(found) else found

    def extras(self, entry: Entry) -> int:
        bits = 0
        for place, source in enumerate(EXTRA_SOURCES):
            field = f"match_{source}"
            if self.fields.flag(field, getattr(entry, field)):
                bits |= 1 << place
        return bits


def _is_100(value: object) -> bool:
    """A chance of exactly the number 100 is never drawn for; the text "100" is (spec world-info §5.1)."""
    return isinstance(value, (int, float)) and value == 100


def _text_of(value: object) -> str | None:
    """The text that stands in place of a number, if one does."""
    return value.value if isinstance(value, Odd) and isinstance(value.value, str) else None


def _split_groups(group: str) -> list[str]:
    """Names between commas; white space after a comma is dropped, other white space is part of the name."""
    parts = group.split(",")
    return [parts[0], *(part.lstrip(javascript.WHITE_SPACE) for part in parts[1:])]
