"""An entry as a row of a RisuAI lorebook (spec risu §8.1, §8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lorewright.core import javascript
from lorewright.core.directives import Directives, read_directives
from lorewright.core.keys import Key, read_regex
from lorewright.core.model import EMPTY, Entry
from lorewright.core.policy import Policy
from lorewright.core.row_text import squeeze
from lorewright.core.stable import stable_value
from lorewright.core.traits import Traits

__all__ = ["ROW", "KeySet", "Row", "make_row"]

ROW: Final = "lorewright_row"
"""The name in `Entry.extra` of what a row says and an entry has no field for: `key` and `secondary` (the texts with
commas), `by_regex`, `is_child`, `id`. Plain data, so that a ledger can keep it."""

_COMMA: Final = ","
_ROW_SEED: Final = 5555


@dataclass(frozen=True, slots=True)
class KeySet:
    """Keys of which one is enough (or, with `every`, each must be there), and whether that lets the row in or keeps it
    out. `name` is the decorator they come from; empty for the row's own keys."""

    keys: tuple[Key, ...]
    name: str = ""
    every: bool = False
    excludes: bool = False


@dataclass(slots=True, eq=False)
class Row:
    """What the passes need to know of a row. Never changed after it is made.

    title: empty if the row has none. id: None if the row has none; rows without one share that. is_skipped: it has no
    key and is not always active. key_sets: in the order in which they are looked for. mark: what its memory is called
    by.
    """

    title: str
    id: str | None
    directives: Directives
    order: float
    always: bool
    is_skipped: bool
    is_child: bool
    by_regex: bool
    key_sets: tuple[KeySet, ...]
    full_text: str
    own_keys: tuple[Key, ...]
    verbatim: bool = False
    """No line and no macro in the text means anything."""

    waits_for: tuple[str, ...] = ()
    """If its own keys come first and nothing but keys can let it in: these without blanks."""

    def mark(self, full_text: str) -> str:
        """What the memory of this row is called by, if its text is `full_text`."""
        return self.id or javascript.number_text(stable_value(_ROW_SEED, full_text))


def make_row(entry: Entry, traits: Traits, order: float, policy: Policy, *, verbatim: bool = False) -> Row:
    """The row of an entry. An entry that never was one has its keys as they are. `verbatim`: no line of its text is a
    decorator."""
    facts = entry.extra.get(ROW)
    said: Mapping[str, object] = facts if isinstance(facts, Mapping) else EMPTY
    full_text = entry.content if isinstance(entry.content, str) else ""
    directives = Directives(full_text) if verbatim else read_directives(full_text, last_wins=True)
    by_regex = said.get("by_regex") is True
    stated = directives.whole_words
    maker = _KeyMaker(policy, by_regex=by_regex, whole=traits.whole_words if stated is None else stated)
    primary, has_primary = maker.split(said.get("key"), entry.keys)
    secondary, has_secondary = maker.split(said.get("secondary"), entry.secondary)
    keys = maker.keys(primary)
    sets = [
        KeySet(
            maker.keys(query.keys),
            query.kind,
            every=query.kind == "exclude_keys_all",
            excludes=query.kind != "additional_keys",
        )
        for query in directives.queries
    ]
    sets.append(KeySet(keys))
    if traits.selective and has_secondary:
        sets.append(KeySet(maker.keys(secondary), "secondary"))
    own_id = said.get("id")
    is_child = said.get("is_child") is True
    waits = not (
        is_child or traits.constant or by_regex or directives.steps or directives.lacks_position or sets[0].name
    )
    return Row(
        title=entry.title if isinstance(entry.title, str) else "",
        id=own_id if isinstance(own_id, str) else None,
        directives=directives,
        order=order,
        always=traits.constant,
        is_skipped=not has_primary and not traits.constant,
        is_child=is_child,
        by_regex=by_regex,
        key_sets=tuple(sets),
        full_text=full_text,
        own_keys=keys,
        verbatim=verbatim,
        waits_for=tuple(squeeze(key.needle) for key in keys) if waits else (),
    )


class _KeyMaker:
    def __init__(self, policy: Policy, *, by_regex: bool, whole: bool) -> None:
        self.keeps_slash = policy.rows is not None and policy.rows.regex_keeps_slash
        self.by_regex = by_regex
        self.whole = whole

    def split(self, written: object, keys: object) -> tuple[tuple[str, ...], bool]:
        """The keys, and whether the row has a text there. A pattern is one key, but to RisuAI a comma ends it."""
        if isinstance(written, str):
            whole = javascript.trim(written)
            if self.by_regex and not self.keeps_slash and read_regex(whole):
                return (whole,), True
            parts = (javascript.trim(part) for part in written.split(_COMMA))
            return tuple(part for part in parts if part), bool(written)
        found = tuple(key for key in keys if javascript.trim(key)) if isinstance(keys, tuple) else ()
        return found, bool(found)

    def keys(self, texts: tuple[str, ...]) -> tuple[Key, ...]:
        return tuple(map(self.key, texts))

    def key(self, text: str) -> Key:
        """With RisuAI's defect a pattern is kept as it was written, for `core/row_search.py` to take apart."""
        if not self.by_regex:
            return Key("plain", text, needle=text.lower(), whole_words=self.whole)
        if self.keeps_slash:
            return Key("regex", text)
        found = read_regex(text)
        return Key("regex", *found) if found else Key("never", text)
