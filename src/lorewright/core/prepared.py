"""An entry as a policy reads it: its keys parsed, its content without decorators, its settings settled."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, fields
from typing import Final

from lorewright.core import javascript
from lorewright.core.decoration import Decoration, decorate_traits, read_decoration
from lorewright.core.decorators import Decorated, read_decorators
from lorewright.core.directives import MARK
from lorewright.core.fields import FieldReader, brief
from lorewright.core.keys import Key, parse_key
from lorewright.core.model import ABSENT, Book, Entry, Odd, Report
from lorewright.core.policy import Policy
from lorewright.core.program import Program, lock_program, place_program, read_program
from lorewright.core.protocols import Regexes, Renderer
from lorewright.core.replaces import Replace
from lorewright.core.rows import KeySet, Row, make_row
from lorewright.core.traits import TraitReader, Traits
from lorewright.core.written import written
from lorewright.errors import RegexError

_LATER: Final = frozenset(
    "authority source subject weight level restricted_to scene gate folder layer channel replaces cache_unsafe "
    "seed_salt freeze verbatim".split()
)
"""Fields that were added when states had been saved already: absent, they are no part of the hash."""
_HASHED: Final = tuple(field.name for field in fields(Entry) if field.name != "layout" and field.name not in _LATER)

__all__ = ["Prepared", "PreparedBook", "entry_hash", "prepare_book", "prepare_entry"]


@dataclass(slots=True, kw_only=True, eq=False)
class Prepared:
    """An entry ready for the engine. Never changed after it is made (not frozen, because 10,000 are made at once).

    Keys that do not take part (a list that is no list, secondary keys of an entry that is not selective) are not in
    `keys` and `secondary`. `scoring_keys` and `scoring_secondary` are what inclusion-group scoring counts.
    broken: the content is no text. verbatim: keys and content are plain text, also where they look like macros or
    decorator lines.
    """

    id: str
    simple: bool
    """Only primary keys without macros decide, in the usual view: no check can stop it or let it in, it has no
    secondary keys and no group. Of such an entry it is enough to know that a key matches."""
    traits: Traits
    keys: tuple[Key, ...]
    content: str
    is_template: bool
    """Whether the content has macros."""
    order: float
    book: str
    entry: Entry
    broken: bool
    activate: bool
    suppress: bool
    secondary: tuple[Key, ...]
    scoring_keys: tuple[Key, ...]
    scoring_secondary: tuple[Key, ...]
    decoration: Decoration | None = None
    """What V3 decorator lines ask for, in our own profile."""
    verbatim: bool = False
    queries: tuple[KeySet, ...] = ()
    """The keys of such lines."""
    replaces: tuple[Replace, ...] = ()
    fault: str = ""
    """Why the entry cannot be used: its replacements cannot be made."""
    program: Program | None = None
    """What the entry's code says about itself; locked in a book whose code may not run."""
    row: Row | None = None
    """The entry as a row of RisuAI, under a policy that plays rows; its other fields then say what they can."""

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
    maker = _Maker(policy, regexes, renderer, book)
    entries = tuple(maker.prepare(book.name, entry) for entry in book.entries)
    return PreparedBook(book, policy, entries, tuple(maker.fields.reports))


def prepare_entry(
    book: str, entry: Entry, policy: Policy, regexes: Regexes, renderer: Renderer, marks: Book | None = None
) -> Prepared:
    """Prepare one entry by itself, for an entry that is forced from outside. `marks` is the book it belongs to."""
    return _Maker(policy, regexes, renderer, marks).prepare(book, entry)


def entry_hash(prepared: Prepared) -> str:
    """A hash over all fields of the entry, its book and its content without decorators: the same text, the same hash.

    It ties timed effects to the version of the entry that started them (spec world-info §2, §7).
    """
    digest = hashlib.sha256()
    entry = prepared.entry
    parts = [prepared.book, prepared.content, *(written(getattr(entry, name)) for name in _HASHED)]
    parts += [f"{name}={written(value)}" for name in sorted(_LATER) if (value := getattr(entry, name)) is not ABSENT]
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()[:32]


class _Maker:
    """Prepares entries for one policy."""

    def __init__(self, policy: Policy, regexes: Regexes, renderer: Renderer, book: Book | None) -> None:
        self.policy = policy
        self.regexes = regexes
        self.renderer = renderer
        self.fields = FieldReader(policy)
        self.traits = TraitReader(self.fields, book)
        self.known: dict[tuple[str, bool, bool, bool, bool], Key] = {}

    def prepare(self, book: str, entry: Entry) -> Prepared:
        identity = f"{book}.{entry.uid}"
        self.fields.place = (book, identity)
        content = entry.content if isinstance(entry.content, str) else ""
        traits = self.traits.read(entry)
        decoration = None
        verbatim = self.is_verbatim(entry, traits)
        if verbatim:
            decorated = Decorated(content)
        elif self.policy.switches.few_decorators or self.policy.rows or not content.lstrip().startswith(MARK):
            decorated = read_decorators(content)
        else:
            decoration, traits = read_decoration(content, traits)
            decorated = Decorated(decoration.text, decoration.activate, decoration.suppress)
            self.report_unused(decoration)
        written = self.fields.texts("keys", entry.keys)
        written_secondary = self.fields.texts("secondary", entry.secondary) if traits.selective else ()
        if self.policy.layered and traits.scan_depth is not None and traits.scan_depth < 1:
            written = ()  # nothing is scanned, so nothing can match in the empty text either
        keys = self.keys(written, traits, verbatim=verbatim)
        secondary = self.keys(written_secondary, traits, verbatim=verbatim)
        scoring_keys, scoring_secondary = keys, secondary
        if traits.groups and self.policy.switches.group_raw_scoring:
            scoring_keys = self.keys(written, traits, trim=False)
            scoring_secondary = self.keys(self.fields.texts("secondary", entry.secondary), traits, trim=False)
        program = None if verbatim or self.policy.rows else self.program(book, entry, content)
        traits = place_program(traits, program) if program else traits
        broken = self.is_broken(entry.content)
        replaces, fault = self.replaces(entry.replaces)
        order = self.order(entry.order)
        if self.policy.rows is not None:
            row = make_row(entry, traits, order, self.policy, verbatim=verbatim)
            decorated = Decorated(row.directives.text)
            traits = decorate_traits(traits, row.directives)
            keys, secondary = row.own_keys, ()
        else:
            row = None
        return Prepared(
            id=identity,
            simple=row is None
            and bool(keys)
            and decoration is None
            and program is None
            and not (secondary or broken or fault or decorated.activate or decorated.suppress)
            and traits.free
            and all(key.kind != "template" for key in keys),
            traits=traits,
            keys=keys,
            content=decorated.content,
            is_template=not verbatim and self.renderer.is_template(decorated.content),
            order=order,
            book=book,
            entry=entry,
            broken=broken,
            activate=decorated.activate,
            suppress=decorated.suppress,
            secondary=secondary,
            scoring_keys=scoring_keys,
            scoring_secondary=scoring_secondary,
            decoration=decoration,
            program=program,
            verbatim=verbatim,
            queries=self.queries(decoration, traits) if decoration else (),
            replaces=replaces,
            fault=fault,
            row=row,
        )

    def program(self, book: str, entry: Entry, content: str) -> Program | None:
        """What the entry's code says about it. SillyTavern by itself knows nothing of that, so where its few decorators
        count, an entry of a book that is not trusted comes in as it does there, and a report says so."""
        found = read_program(content, entry.title if isinstance(entry.title, str) else "")
        if found is None or book in self.policy.code_books:
            return found
        if not self.policy.switches.few_decorators:
            return lock_program(found)
        message = (
            f"`{found.mark}` counts only if you trust the book (`lorewright trust BOOK`). Until then the entry is read "
            "without it, as SillyTavern by itself does."
        )
        self.fields.report("code_without_effect", message, "content")
        return None

    def queries(self, decoration: Decoration, traits: Traits) -> tuple[KeySet, ...]:
        return tuple(
            KeySet(
                self.keys(query.keys, traits),
                query.kind,
                every=query.kind == "exclude_keys_all",
                excludes=query.kind != "additional_keys",
            )
            for query in decoration.queries
        )

    def replaces(self, value: object) -> tuple[tuple[Replace, ...], str]:
        """The replacements, or why they cannot be made. Then the entry cannot be used: what it says shall be hidden would
        be seen."""
        if value is ABSENT or value is None:
            return (), ""
        if self.policy.rows is not None:
            self.fields.report(
                "field_without_effect", f"`replaces` has no effect in the profile `{self.policy.name}`.", "replaces"
            )
            return (), ""
        fault = ""
        found = value if isinstance(value, tuple) and all(isinstance(one, Replace) for one in value) else None
        if found is None:
            bare = value.value if isinstance(value, Odd) else value
            fault = f"{brief(bare)} is no list of {{find, replace, target, flags}}, all of them texts"
        for one in found or ():
            try:
                self.regexes.compile(*one.pattern)
            except RegexError as error:
                fault = error.message.removesuffix(".")
                break
        if fault:
            message = f"The entry cannot be used, because its replacements cannot be made: {fault}."
            book, identity = self.fields.place
            self.fields.reports.append(
                Report(
                    code="replaces_not_usable",
                    message=message,
                    level="error",
                    book=book,
                    entry=identity,
                    field="replaces",
                )
            )
        return (() if fault else found or ()), fault

    def report_unused(self, decoration: Decoration) -> None:
        for name in decoration.unused:
            self.fields.report(
                "decorator_without_effect",
                f"The line `{name}` works in the profile `risu` only; here it does nothing.",
                "content",
            )

    def is_verbatim(self, entry: Entry, traits: Traits) -> bool:
        """Whether its texts are as they stand. What a model wrote is, unless a person says otherwise."""
        if self.policy.layered:
            return True
        stated = self.fields.optional_flag("verbatim", entry.verbatim)
        return traits.standing.tier == "proposal" if stated is None else stated

    def keys(
        self, texts: tuple[str, ...], traits: Traits, *, trim: bool = True, verbatim: bool = False
    ) -> tuple[Key, ...]:
        return tuple(self.key(text, traits.case_sensitive, traits.whole_words, trim, verbatim) for text in texts)

    def key(self, text: str, sensitive: bool, whole: bool, trim: bool, verbatim: bool) -> Key:
        identity = (text, sensitive, whole, trim, verbatim)
        if (known := self.known.get(identity)) is not None:
            return known
        if trim and not verbatim and self.renderer.is_template(text):
            made = Key("template", text, case_sensitive=sensitive, whole_words=whole)
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
        self.fields.odd("content", content)
        return javascript.truthy(content.value if isinstance(content, Odd) else content)

    def order(self, value: object) -> float:
        if isinstance(value, (int, float)):
            return javascript.number(value)
        self.fields.odd("order", value)
        if self.fields.javascript:
            return math.nan if value is ABSENT else javascript.number(value.value if isinstance(value, Odd) else value)
        found = javascript.number(value.value) if isinstance(value, Odd) else math.nan
        return 100 if math.isnan(found) else found
