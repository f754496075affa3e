"""An entry as a policy reads it: every field present and of the right type.

This is the only place that decides what an absent field, a null, or a value of a wrong type means. With the switch
`javascript_fields` they act as in SillyTavern's own code (spec world-info §1.1, §9.3); without it they mean "not
set" and take the default of a newly created entry, and a number or truth value written as text is read as such.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, fields
from typing import Final, Protocol, TypeGuard

from lorewright.core import javascript
from lorewright.core.decorators import read_decorators
from lorewright.core.keys import Key, parse_key
from lorewright.core.logic import LOGIC, Logic
from lorewright.core.model import ABSENT, EXTRA_SOURCES, Book, CharacterFilter, Entry, Odd, Report
from lorewright.core.policy import Policy
from lorewright.core.protocols import Regexes, Renderer

__all__ = ["POSITIONS", "Prepared", "PreparedBook", "entry_hash", "prepare_book", "prepare_entry"]

POSITIONS: Final = range(8)
_TRUE_WORDS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}


class _OddText(Protocol):
    """An `Odd` that holds a text."""

    @property
    def value(self) -> str: ...


@dataclass(slots=True, kw_only=True, eq=False)
class Prepared:
    """An entry ready for the engine. Never changed after it is made (not frozen, because 10,000 are made at once).

    Keys that do not take part (a list that is no list, secondary keys of an entry that is not selective) are not in
    `keys` and `secondary`. `scoring_keys` and `scoring_secondary` are what inclusion-group scoring counts.
    Numbers that are "off" when falsy are 0. `depth` and `delay_level` are texts only where JavaScript has texts. `position` None: placed nowhere. `logic` None: never passes.
    `chance` is a percentage; NaN never passes.
    """

    id: str
    book: str
    entry: Entry
    content: str
    broken: bool
    activate: bool
    suppress: bool
    disabled: bool
    constant: bool
    keys: tuple[Key, ...]
    secondary: tuple[Key, ...]
    scoring_keys: tuple[Key, ...]
    scoring_secondary: tuple[Key, ...]
    logic: Logic | None
    order: float
    position: int | None
    depth: float | str | None
    role: int
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
    simple: bool
    """Only primary keys without macros decide, in the usual view: no check can stop it or let it in, it has no
    secondary keys and no group. Of such an entry it is enough to know that a key matches."""
    is_template: bool
    """Whether the content has macros."""

    def written_key(self, place: int) -> str:
        """The primary key at a place of `keys`, as the entry has it."""
        raw = self.entry.keys
        return raw[place] if isinstance(raw, tuple) else self.keys[place].text

    def written_secondary(self, place: int) -> str:
        """The secondary key at a place of `secondary`, as the entry has it."""
        raw = self.entry.secondary
        return raw[place] if isinstance(raw, tuple) else self.secondary[place].text

    @property
    def title(self) -> str:
        """The entry's title, or its first key, or its id: something to show to a person."""
        entry = self.entry
        if isinstance(entry.title, str) and entry.title:
            return entry.title
        return entry.keys[0] if isinstance(entry.keys, tuple) and entry.keys else self.id


@dataclass(slots=True, eq=False, weakref_slot=True)
class PreparedBook:
    """A book's entries as one policy reads them, in file order, and what there is to report about them."""

    book: Book
    policy: Policy
    entries: tuple[Prepared, ...]
    reports: tuple[Report, ...]


def prepare_book(book: Book, policy: Policy, regexes: Regexes, renderer: Renderer) -> PreparedBook:
    """Prepare every entry of a book. Done once per book version and policy."""
    reports: list[Report] = []
    maker = _Maker(policy, regexes, renderer, reports)
    entries = tuple(maker.prepare(book.name, entry) for entry in book.entries)
    return PreparedBook(book, policy, entries, tuple(reports))


def prepare_entry(book: str, entry: Entry, policy: Policy, regexes: Regexes, renderer: Renderer) -> Prepared:
    """Prepare one entry by itself, for an entry that is forced from outside."""
    return _Maker(policy, regexes, renderer, []).prepare(book, entry)


def entry_hash(prepared: Prepared) -> str:
    """A hash over all fields of the entry, its book and its content without decorators: the same text, the same hash.

    It ties timed effects to the version of the entry that started them (spec world-info §2, §7).
    """
    digest = hashlib.sha256()
    for part in (prepared.book, prepared.content):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
    for field in fields(Entry):
        if field.name != "layout":
            digest.update(repr(getattr(prepared.entry, field.name)).encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()[:32]


class _Maker:
    """Reads the fields of entries for one policy."""

    def __init__(self, policy: Policy, regexes: Regexes, renderer: Renderer, reports: list[Report]) -> None:
        self.policy = policy
        self.settings = policy.settings
        self.javascript = policy.switches.javascript_fields
        self.regexes = regexes
        self.renderer = renderer
        self.reports = reports
        self.place = ("", "")
        self.known: dict[tuple[str, bool, bool, bool], Key] = {}

    def prepare(self, book: str, entry: Entry) -> Prepared:
        identity = f"{book}.{entry.uid}"
        self.place = (book, identity)
        decorated = read_decorators(entry.content) if isinstance(entry.content, str) else read_decorators("")
        sensitive = self.setting("case_sensitive", entry.case_sensitive, self.settings.case_sensitive)
        whole = self.setting("whole_words", entry.whole_words, self.settings.whole_words)
        keys = self.texts("keys", entry.keys)
        secondary = self.texts("secondary", entry.secondary)
        prepared_keys = self.keys(keys, sensitive, whole)
        selective = self.flag("selective", entry.selective, default=True)
        used_secondary = self.keys(secondary, sensitive, whole) if selective else ()
        raw = self.policy.switches.group_raw_scoring
        group = self.text("group", entry.group)
        groups = tuple(name for name in _split_groups(group) if name)
        self.check_groups(groups)
        prepared = Prepared(
            id=identity,
            book=book,
            entry=entry,
            content=decorated.content,
            broken=self.is_broken(entry.content),
            activate=decorated.activate,
            suppress=decorated.suppress,
            disabled=self.is_disabled(entry.enabled),
            constant=self.flag("constant", entry.constant),
            keys=prepared_keys,
            secondary=used_secondary,
            scoring_keys=self.keys(keys, sensitive, whole, trim=False) if raw and group else prepared_keys,
            scoring_secondary=self.keys(secondary, sensitive, whole, trim=False) if raw and group else used_secondary,
            logic=self.logic(entry.logic),
            order=self.order(entry.order),
            position=self.position(entry.position),
            depth=self.depth(entry.depth),
            role=self.role(entry.role),
            outlet=self.text("outlet", entry.outlet),
            rolls=self.flag("use_probability", entry.use_probability, default=True)
            and not (isinstance(entry.probability, (int, float)) and entry.probability == 100),  # noqa: PLR2004
            chance=self.chance(entry.probability),
            ignores_budget=self.flag("ignore_budget", entry.ignore_budget),
            exclude_recursion=self.flag("exclude_recursion", entry.exclude_recursion),
            prevent_recursion=self.flag("prevent_recursion", entry.prevent_recursion),
            delay_level=self.level(entry.delay_until_recursion),
            scan_depth=self.optional_number("scan_depth", entry.scan_depth),
            extras=self.extras(entry),
            groups=groups,
            group_text=group,
            group_override=self.flag("group_override", entry.group_override),
            group_weight=self.weight(entry.group_weight),
            group_scoring=self.optional_flag("group_scoring", entry.group_scoring),
            sticky=self.amount("sticky", entry.sticky),
            cooldown=self.amount("cooldown", entry.cooldown),
            delay=self.amount("delay", entry.delay),
            triggers=self.texts("triggers", entry.triggers),
            filter=entry.filter if isinstance(entry.filter, CharacterFilter) else self.odd("filter", entry.filter),
            simple=False,
            is_template=self.renderer.is_template(decorated.content),
        )
        prepared.simple = _is_simple(prepared)
        return prepared

    # -- what an unusual value means ------------------------------------------------------------------------------

    def odd(self, field: str, value: object) -> None:
        """Report a value of a wrong type; absent and null are not odd."""
        if isinstance(value, Odd):
            self.report(
                "odd_value",
                f"`{field}` holds {value.value!r}, which is not of its type; read by the rules of the "
                f"`{self.policy.name}` profile.",
                field,
            )

    def report(self, code: str, message: str, field: str) -> None:
        book, identity = self.place
        self.reports.append(Report(code=code, message=message, book=book, entry=identity, field=field))

    def flag(self, field: str, value: object, *, default: bool = False) -> bool:
        """A truth value. JavaScript: by truthiness, absent is false. Else: absent and null are the default."""
        if value is True or value is False:
            return value
        self.odd(field, value)
        bare = value.value if isinstance(value, Odd) else value
        if self.javascript:
            return javascript.truthy(bare)
        read = _read_flag(bare)
        return default if read is None else read

    def optional_flag(self, field: str, value: object) -> bool | None:
        """A truth value, or None for "as the global setting"."""
        if value is True or value is False:
            return value
        if value is None or value is ABSENT:
            return None
        self.odd(field, value)
        bare = value.value if isinstance(value, Odd) else value
        return javascript.truthy(bare) if self.javascript else _read_flag(bare)

    def setting(self, field: str, value: object, default: bool) -> bool:
        own = self.optional_flag(field, value)
        return default if own is None else own

    def is_disabled(self, value: object) -> bool:
        """SillyTavern compares `disable` loosely with true: true and 1 disable, 2 and "true" do not (filters-033)."""
        if value is True or value is False:
            return not value
        self.odd("enabled", value)
        bare = value.value if isinstance(value, Odd) else None
        if self.javascript:
            return bare is not None and javascript.number(bare) == 1
        return _read_flag(bare) is True

    def text(self, field: str, value: object) -> str:
        if isinstance(value, str):
            return value
        self.odd(field, value)
        if not isinstance(value, Odd) or isinstance(value.value, (list, dict)):
            return ""
        bare = value.value
        if isinstance(bare, bool):
            return "true" if bare else ""
        return javascript.number_text(bare) if isinstance(bare, (int, float)) and bare else ""

    def texts(self, field: str, value: object) -> tuple[str, ...]:
        """A list of texts. A text in place of a list is no list to JavaScript; else it is split at commas."""
        if isinstance(value, tuple):
            return value
        self.odd(field, value)
        if isinstance(value, Odd) and isinstance(value.value, str) and not self.javascript:
            return tuple(part for part in map(javascript.trim, value.value.split(",")) if part)
        return ()

    def amount(self, field: str, value: object) -> float:
        """A number that is off when falsy."""
        if isinstance(value, (int, float)):
            return 0 if math.isnan(value) else +value
        self.odd(field, value)
        found = javascript.number(value.value) if isinstance(value, Odd) else 0
        return 0 if math.isnan(found) else found

    def optional_number(self, field: str, value: object) -> float | None:
        if isinstance(value, (int, float)):
            return value
        self.odd(field, value)
        if not isinstance(value, Odd):
            return None
        found = javascript.number(value.value)
        return found if self.javascript or not math.isnan(found) else None

    def check_groups(self, groups: tuple[str, ...]) -> None:
        """SillyTavern throws at group names that every JavaScript object has; here they are plain names."""
        for name in groups if self.javascript else ():
            if name in javascript.RESERVED:
                self.report(
                    "group_reserved_name",
                    f"Group name `{name}` makes SillyTavern give up the whole scan; here it is a plain name.",
                    "group",
                )

    # -- fields with rules of their own ---------------------------------------------------------------------------

    def keys(self, texts: tuple[str, ...], sensitive: bool, whole: bool, *, trim: bool = True) -> tuple[Key, ...]:
        return tuple(self.key(text, sensitive, whole, trim) for text in texts)

    def key(self, text: str, sensitive: bool, whole: bool, trim: bool) -> Key:
        identity = (text, sensitive, whole, trim)
        if (known := self.known.get(identity)) is not None:
            return known
        if trim and self.renderer.is_template(text):
            made = Key("template", text, "", sensitive, whole)
        else:
            made = parse_key(
                text,
                case_sensitive=sensitive,
                whole_words=whole,
                policy=self.policy,
                regexes=self.regexes,
                trim=trim,
            )
        self.known[identity] = made
        return made

    def is_broken(self, content: object) -> bool:
        if isinstance(content, str) or content is ABSENT or content is None:
            return False
        self.odd("content", content)
        return javascript.truthy(content.value if isinstance(content, Odd) else content)

    def logic(self, value: object) -> Logic | None:
        if value is None or value is ABSENT:
            return "and_any"
        self.odd("logic", value)
        bare = value.value if isinstance(value, Odd) else value
        if self.javascript and isinstance(bare, (str, list, dict)):
            return None
        found = javascript.number(bare)
        if found in range(len(LOGIC)):
            return LOGIC[int(found)]
        return None if self.javascript else "and_any"

    def order(self, value: object) -> float:
        if isinstance(value, (int, float)):
            return value
        self.odd("order", value)
        if self.javascript:
            return math.nan if value is ABSENT else javascript.number(value.value if isinstance(value, Odd) else value)
        found = javascript.number(value.value) if isinstance(value, Odd) else math.nan
        return 100 if math.isnan(found) else found

    def position(self, value: object) -> int | None:
        self.odd("position", value)
        bare = value.value if isinstance(value, Odd) else value
        if self.javascript:
            strict = isinstance(bare, (int, float)) and not isinstance(bare, bool) and bare in POSITIONS
            return int(bare) if strict and isinstance(bare, (int, float)) else None
        found = 0 if bare is None or bare is ABSENT else javascript.number(bare)
        return int(found) if found in POSITIONS else 0

    def level(self, value: object) -> float | str:
        """A recursion level. A number written as text stays text to JavaScript, which compares it as a number."""
        found = self.amount("delay_until_recursion", value)
        return value.value if found and self.javascript and _is_text(value) else found

    def depth(self, value: object) -> float | str | None:
        """A depth. One written as text stands apart from the same number to JavaScript (case positions-021)."""
        if self.javascript and _is_text(value):
            self.odd("depth", value)
            return value.value
        found = self.optional_number("depth", value)
        return found if self.javascript or found is not None else 4

    def role(self, value: object) -> int:
        found = self.optional_number("role", value)
        return int(found) if found is not None and found in (0, 1, 2) else 0

    def chance(self, value: object) -> float:
        if isinstance(value, (int, float)):
            return value
        self.odd("probability", value)
        if self.javascript:
            return math.nan if value is ABSENT else javascript.number(value.value if isinstance(value, Odd) else value)
        found = javascript.number(value.value) if isinstance(value, Odd) else math.nan
        return 100 if math.isnan(found) else found

    def weight(self, value: object) -> float | str:
        if isinstance(value, (int, float)):
            return value
        self.odd("group_weight", value)
        if not isinstance(value, Odd):
            return 100
        if self.policy.switches.group_text_weights and isinstance(value.value, str):
            return value.value
        found = javascript.number(value.value)
        return 100 if math.isnan(found) else found

    def extras(self, entry: Entry) -> int:
        bits = 0
        for place, source in enumerate(EXTRA_SOURCES):
            field = f"match_{source}"
            if self.flag(field, getattr(entry, field)):
                bits |= 1 << place
        return bits


def _is_text(value: object) -> TypeGuard[_OddText]:
    return isinstance(value, Odd) and isinstance(value.value, str)


def _read_flag(value: object) -> bool | None:
    """A truth value written as a number or a word, or None if it is neither."""
    if isinstance(value, (bool, int, float)):
        return bool(value)
    return _TRUE_WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _is_simple(entry: Prepared) -> bool:
    return bool(entry.keys) and not (
        entry.secondary
        or entry.groups
        or any(key.kind == "template" for key in entry.keys)
        or entry.broken
        or entry.disabled
        or entry.triggers
        or entry.filter
        or entry.activate
        or entry.suppress
        or entry.constant
        or entry.delay
        or entry.delay_level
        or entry.exclude_recursion
        or entry.sticky
        or entry.cooldown
        or entry.extras
        or entry.scan_depth is not None
    )


def _split_groups(group: str) -> list[str]:
    """Names between commas; white space after a comma is dropped, other white space is part of the name."""
    parts = group.split(",")
    return [parts[0], *(part.lstrip(javascript.WHITE_SPACE) for part in parts[1:])]
