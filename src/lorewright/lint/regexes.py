"""Regex keys: those that are none, those that match everything, and those that may take for ever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.keys import Key, read_regex
from lorewright.core.match import REGEX_SECONDS
from lorewright.core.model import Report
from lorewright.core.protocols import Regexes
from lorewright.errors import RegexError, RegexTimeout
from lorewright.lint.keys import written_keys
from lorewright.lint.nesting import has_nested_repetition
from lorewright.lint.subject import Subject, cut, finding, quoted

__all__ = [
    "find_anchored_regexes",
    "find_broken_regexes",
    "find_greedy_regexes",
    "find_literal_slashes",
    "find_slow_regexes",
    "hostile_texts",
]

_LOOKS_LIKE: Final = re.compile(r"/(?P<pattern>.+)/(?P<flags>[dgimsuvy]*)", re.DOTALL)
_LOOKS_LIKE_RULE: Final = re.compile(r"/(?P<pattern>.+)/(?P<flags>[dgimsuvy]*|[A-Za-z]{1,3})", re.DOTALL)
"""A wider net: a pattern to replace is always meant as a regular expression, and seldom a path."""
_KNOWN_FLAGS: Final = frozenset("gimsuy")
_BARE_SLASH: Final = re.compile(r"(?:^|[^\\])/")
_UNKNOWN_FLAGS: Final = frozenset("dv")
_UNRELATED: Final = ("", "\x01", "\x01Max: Good morning.", "\x01李: 早上好。", "\x01 \n\x01...")
"""Texts without anything in common; a key that matches all of them says nothing."""
_ANCHORED: Final = re.compile(r"\^(?:[^\x01\\\[\](){}^$.*+?|]|\\[^\w\s])(?![*?{])", re.DOTALL)
"""The start and then a character that must stand there."""
_CHOICE: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(?P<sign>[(|)])", re.DOTALL)
_PREFIX: Final = re.compile(r"`.*` is no regular expression: ", re.DOTALL)
"""What a backend says before the cause; the key is named already."""
_LETTERS: Final = re.compile(r"(?<!\\)[^\W_]")
_TAKEN_LETTERS: Final = 6
_SYNTAX: Final = re.compile(r"\\.|[\[\](){}^$.*+?|]", re.DOTALL)
_REPEATS: Final = re.compile(r"[*+]|\{\d+,\d*\}")
"""Without one of these a pattern takes only so many characters and is never slow."""
_REPEATS_GROUP: Final = re.compile(r"\)(?:[*+]|\{\d+,\d*\})")
_SHORT: Final = 500
"""On so few characters only exponential patterns are slow; longer texts would convict harmless ones too."""
_LONG: Final = 4_000
_BACKTRACKING_SECONDS: Final = 0.1


def find_broken_regexes(subject: Subject) -> Iterator[Report]:
    """A key of the form `/…/` that is no regular expression is looked for as it stands, slashes included."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "plain" and (why := _why_broken(trim(text), subject.regexes)):
                message = f"Key {quoted(text)} looks like a regular expression but is none ({why}); it is searched as plain text."
                yield finding(entry, "key_not_regex", message, field=field)


def _why_broken(text: str, regexes: Regexes) -> str:
    looks = _LOOKS_LIKE.fullmatch(text)
    if looks is None:
        return ""
    if _BARE_SLASH.search(looks["pattern"]):
        return "a slash inside must be written \\/"
    if unknown := _UNKNOWN_FLAGS.intersection(looks["flags"]):
        return f"the flag {min(unknown)} is not known to SillyTavern"
    if (found := read_regex(text)) is None:
        return "its form is wrong"
    try:
        regexes.compile(*found)
    except RegexError as error:
        return cut(_PREFIX.sub("", error.message).rstrip("."))
    return ""


def find_literal_slashes(subject: Subject) -> Iterator[Report]:
    """A pattern of `replaces` that looks like `/…/flags` and is none: its slashes are part of what is looked for.

    One that does not compile is told when the entry is prepared, since the entry cannot be used then.
    """
    for entry in subject.entries:
        for one in entry.replaces:
            if why := _why_literal(one.find):
                message = (
                    f"The pattern {quoted(one.find)} looks like /pattern/flags but is none ({why}); so its slashes are part of "
                    "what is replaced. If they are meant, write them as \\/."
                )
                yield finding(entry, "replace_not_regex", message, field="replaces")


def _why_literal(find: str) -> str:
    looks = _LOOKS_LIKE_RULE.fullmatch(trim(find))
    if looks is None or read_regex(find):
        return ""
    if _BARE_SLASH.search(looks["pattern"]):
        return "a slash inside must be written \\/"
    unknown = [flag for flag in looks["flags"] if flag not in _KNOWN_FLAGS]
    return f"the flag {unknown[0]} is not known" if unknown else "there is white space around it"


def find_anchored_regexes(subject: Subject) -> Iterator[Report]:
    """A regular expression for the start of the text; there stands the control character before the first message."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "regex" and "m" not in key.flags and _ANCHORED.match(key.text) and not _has_choice(key.text):
                message = (
                    f"Key {quoted(text)} can never match: `^` is the start of the whole text, where a control character "
                    "stands before the first message. Remove `^`, or write `\\x01` in its place for the start of a message."
                )
                yield finding(entry, "key_anchored", message, field=field)


def _has_choice(pattern: str) -> bool:
    """Whether there is another alternative to the beginning of the pattern."""
    depth = 0
    for found in _CHOICE.finditer(pattern):
        if found["sign"] == "|" and not depth:
            return True
        depth += {"(": 1, ")": -1}.get(found["sign"] or "", 0)
    return False


def find_greedy_regexes(subject: Subject) -> Iterator[Report]:
    """A regular expression that matches texts that have nothing in common."""
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind == "regex" and all(_matches(subject.regexes, key, sample) for sample in _UNRELATED):
                yield finding(entry, "key_matches_all", f"Key {quoted(text)} matches every text.", field=field)


def _matches(regexes: Regexes, key: Key, text: str) -> bool:
    try:
        return regexes.compile(key.text, key.flags).search(text, REGEX_SECONDS) is not None
    except (RegexTimeout, RegexError):
        return False


def find_slow_regexes(subject: Subject) -> Iterator[Report]:
    """A regular expression that tries far too much on a text made against it, here or in SillyTavern."""
    known: dict[Key, bool] = {}
    for entry in subject.entries:
        for field, text, key in written_keys(entry):
            if key.kind != "regex":
                continue
            if key not in known:
                known[key] = _is_slow(subject, key)
            if known[key]:
                message = (
                    f"Key {quoted(text)} can take very long on some texts: SillyTavern then freezes, and here it is given up "
                    f"after {REGEX_SECONDS} s and does not match. Repetition inside repetition, such as (a+)+, is the "
                    "usual cause."
                )
                yield finding(entry, "key_slow_regex", message, field=field)


def _is_slow(subject: Subject, key: Key) -> bool:
    if not _REPEATS.search(key.text):
        return False
    if has_nested_repetition(key.text) or _runs_out_of_time(subject.regexes, key, _LONG, REGEX_SECONDS):
        return True
    if subject.backtracking is None or not _REPEATS_GROUP.search(key.text):
        return False
    return _runs_out_of_time(subject.backtracking, key, _SHORT, _BACKTRACKING_SECONDS)


def _runs_out_of_time(regexes: Regexes, key: Key, length: int, seconds: float) -> bool:
    try:
        compiled = regexes.compile(key.text, key.flags)
        for text in hostile_texts(key.text, length):
            compiled.search(text, seconds)
    except RegexTimeout:
        return True
    except RegexError:
        return False
    return False


def hostile_texts(pattern: str, length: int) -> Iterator[str]:
    """Texts that make a careless pattern try everything: what it repeats, many times, and then a wrong end.

    Behind that stand the pattern's own characters, so that no backend can say at once that one of them is missing.
    """
    letters = list(dict.fromkeys(_LETTERS.findall(pattern)))[:_TAKEN_LETTERS]
    end = "\x00!" + _SYNTAX.sub("", pattern)
    for unit in (*letters, "".join(letters), "a", "0", " ", "\n", "a ", "a,", "a0_", "漢"):
        if unit:
            yield unit * (length // len(unit)) + end
