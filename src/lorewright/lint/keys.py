"""Keys that match never, always, hardly, or more than one thinks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from unicodedata import category

from lorewright.core.javascript import WHITE_SPACE, trim
from lorewright.core.keys import Key
from lorewright.core.model import Report
from lorewright.core.prepared import Prepared
from lorewright.core.words import is_whole_word
from lorewright.lint.subject import Subject, finding, quoted

__all__ = [
    "find_blank_keys",
    "find_duplicate_keys",
    "find_glued_keys",
    "find_inner_matches",
    "find_joined_keys",
    "find_line_breaks",
]

_COMMA: Final = re.compile("[,，、;；]")
_WIDE_COMMA: Final = frozenset("，、；")
_SPACE: Final = re.compile(f"[{WHITE_SPACE}]")
_GLUE: Final = frozenset("-'’_")
_SHOWN: Final = 4


class Written(NamedTuple):
    """A key as the entry has it, and what it became."""

    field: str
    text: str
    key: Key


def written_keys(entry: Prepared) -> Iterator[Written]:
    """All keys that take part, primary ones first."""
    for field, texts, keys in (
        ("keys", entry.entry.keys, entry.keys),
        ("secondary", entry.entry.secondary, entry.secondary),
    ):
        for place, key in enumerate(keys):
            yield Written(field, texts[place] if isinstance(texts, tuple) else key.text, key)


def find_blank_keys(subject: Subject) -> Iterator[Report]:
    """A key of white space never matches here; to SillyTavern it matches everything. An empty one never matches."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "always":
                message = f"Key {quoted(text)} is blank, and a blank key matches every text. Remove it."
                yield finding(entry, "key_matches_all", message, field=field)
            elif key.kind == "never" and text:
                message = (
                    f"Key {quoted(text)} is blank and never matches (to SillyTavern it matches every text). Remove it."
                )
                yield finding(entry, "key_blank", message, field=field)
            elif key.kind == "never":
                message = "A key is empty and never matches. Remove it."
                yield finding(entry, "key_empty", message, field=field, level="info")


def find_line_breaks(subject: Subject) -> Iterator[Report]:
    """A line break inside a key is nearly always the trace of a list that was pasted."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "plain" and "\n" in trim(text):
                message = f"Key {quoted(text)} holds a line break and matches only texts with the same break."
                yield finding(entry, "key_line_break", message, field=field)


def find_joined_keys(subject: Subject) -> Iterator[Report]:
    """Several keys in one: `cat, dog` matches only where just this stands."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "plain" and (found := _COMMA.search(trim(text)[1:-1])):
                wide = found[0] in _WIDE_COMMA
                message = f"Key {quoted(text)} is one key with {found[0]!r} inside. If several are meant, write each by itself."
                yield finding(entry, "key_joined", message, field=field, level="warning" if wide else "info")


def find_glued_keys(subject: Subject) -> Iterator[Report]:
    """Keys that as whole words can hardly match, because what they are glued to would have to be missing."""
    ascii_words = subject.policy.switches.ascii_words
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind != "plain" or not key.whole_words or (ascii_words and _SPACE.search(key.text)):
                continue
            glued = {key.text[0], key.text[-1]} & _GLUE if ascii_words else category(key.text[0])[0] == "M"
            if glued and len(key.text) > 1:
                message = (
                    f"Key {quoted(text)} is to match as a whole word, but what stands at its edge is part of a word, so it "
                    "hardly ever does. Switch whole words off for this entry, or write the whole word."
                )
                yield finding(entry, "key_hardly_matches", message, field=field)


def find_inner_matches(subject: Subject) -> Iterator[Report]:
    """To SillyTavern only A-Z, a-z, 0-9 and _ make words, so a key in other letters matches inside words too."""
    if not subject.policy.switches.ascii_words:
        return
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "plain" and key.whole_words and not _SPACE.search(key.text) and _ends_foreign(key.text):
                message = f"Key {quoted(text)} matches inside longer words too; only ASCII letters bound a word here."
                yield finding(entry, "key_matches_inside_words", message, field=field, level="info")


def _ends_foreign(text: str) -> bool:
    """Whether the key begins or ends with a letter outside ASCII of a script that is written with spaces."""
    begins = not text[0].isascii() and not is_whole_word("x" + text, 1, len(text) + 1)
    ends = not text[-1].isascii() and not is_whole_word(text + "x", 0, len(text))
    return begins or ends


def find_duplicate_keys(subject: Subject) -> Iterator[Report]:
    """The same key in several entries that nothing else tells apart: not a group, not secondary keys, not a filter."""
    owners: dict[tuple[object, ...], dict[str, tuple[Prepared, str]]] = {}
    for entry in subject.entries:
        conditions = (entry.secondary, entry.traits.logic, entry.traits.triggers, repr(entry.traits.filter))
        for field, text, key in written_keys(entry):
            if field == "keys" and key.kind in {"plain", "regex"}:
                same = key.text if key.case_sensitive or key.kind == "regex" else key.text.casefold()
                identity = (key.kind, same, key.flags, *conditions)
                owners.setdefault(identity, {}).setdefault(entry.id, (entry, text))
    shared: dict[tuple[str, ...], tuple[Prepared, list[str]]] = {}
    for owned in owners.values():
        entries = [entry for entry, _ in owned.values()]
        if len(entries) > 1 and not set.intersection(*(set(entry.traits.groups) for entry in entries)):
            _, texts = shared.setdefault(tuple(owned), (entries[0], []))
            texts.append(owned[entries[0].id][1])
    for (_, *others), (first, texts) in shared.items():
        keys = _list([quoted(text) for text in texts])
        what = f"Key {keys} is" if len(texts) == 1 else f"Keys {keys} are"
        message = f"{what} also in {_list(others)}; these entries enter the prompt together."
        yield finding(first, "key_duplicate", message, field="keys", level="info")


def _list(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
