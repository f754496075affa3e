"""What a key is: plain text, a regular expression, or a template that becomes one of the two (spec world-info §4.1).

A key is prepared once: its template state, its white space, its form and the switches that apply to it are settled
here, so that a matcher only has to search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.core import javascript
from lorewright.core.policy import Policy
from lorewright.core.protocols import Regexes
from lorewright.core.words import fold
from lorewright.errors import RegexError

__all__ = ["ALWAYS", "NEVER", "Key", "parse_key", "read_regex"]

Kind = Literal["plain", "regex", "never", "always", "template"]


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A key ready to be matched. Compared by identity: one book has one `Key` for one way of looking for one text.

    kind: `plain` (search `needle`), `regex` (`text` is the pattern, `flags` its flags), `never` and `always` (decided
        without looking), `template` (has macros; must be rendered and parsed again each time it is tested).
    text: the key without white space around it. needle: the form of a plain key that is looked for in the same form
        of the scan text: lower-cased in `sillytavern`, NFC and case-folded in `native`, unless case matters.
    case_sensitive, whole_words: how a plain key is compared. In `sillytavern` a key with white space inside never
        needs whole words.
    """

    kind: Kind
    text: str
    flags: str = ""
    needle: str = ""
    case_sensitive: bool = False
    whole_words: bool = False


NEVER: Final = Key("never", "")
ALWAYS: Final = Key("always", "")

_REGEX = re.compile(r"/([\s\S]+?)/([gimsuy]*)\Z")
_SPACE = re.compile(f"[{javascript.WHITE_SPACE}]")
_BARE_SLASH = re.compile(r"(?:^|[^\\])/")


def read_regex(text: str) -> tuple[str, str] | None:
    """Pattern and flags if the whole text has the form `/pattern/flags`, else None (spec world-info §4.2).

    A slash inside the pattern must have a backslash directly before it, also in a character class.
    """
    if not text.startswith("/") or not (found := _REGEX.match(text)) or _BARE_SLASH.search(found[1]):
        return None
    return found[1].replace("\\/", "/"), found[2]


def parse_key(
    text: str, *, case_sensitive: bool, whole_words: bool, policy: Policy, regexes: Regexes, trim: bool = True
) -> Key:
    """The key that a rendered text stands for.

    An empty text never matches. A text that trims to nothing matches always in the `sillytavern` profile and never
    in `native`. A regular expression that does not compile is a plain key with its slashes.
    `trim=False` is for scoring as SillyTavern does it, where an empty key matches too (spec world-info §5.2).
    """
    if trim:
        if not text:
            return NEVER
        text = javascript.trim(text)
    if not text:
        return ALWAYS if policy.switches.blank_key_matches_all else NEVER
    if found := read_regex(text):
        try:
            regexes.compile(*found)
        except RegexError:
            pass
        else:
            return Key("regex", *found)
    if policy.switches.ascii_words:
        needle = text if case_sensitive else text.lower()
        whole_words = whole_words and not _SPACE.search(needle)
    else:
        needle = fold(text, case_sensitive).text
    return Key("plain", text, "", needle, case_sensitive, whole_words)
